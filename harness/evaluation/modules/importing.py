"""The import of the library `evaluate`, which takes seconds if it imports `transformers`."""

from __future__ import annotations

import sys


def import_evaluate_alone() -> None:
    """Import `evaluate` as if `transformers` were not installed, and make `transformers` available again.

    `evaluate.evaluator` imports `transformers.pipelines` and thereby torch, and does without them if they are missing.
    No metric needs them. Call this function before a model is loaded, and only in a process that runs a command of
    this package: `evaluate.evaluator` cannot be used in the process afterwards. In the process of a user, the modules
    import `evaluate` in the usual way.

    If `transformers` or `evaluate` was imported before, `evaluate` is imported in the usual way.
    """
    if "transformers" in sys.modules or "evaluate" in sys.modules:
        import evaluate
    else:
        import datasets  # before the change, because it may ask for transformers, too

        sys.modules["transformers"] = None  # type: ignore[assignment]  # the documented way to prevent an import
        try:
            import evaluate
        finally:
            del sys.modules["transformers"]
        del datasets
    del evaluate
