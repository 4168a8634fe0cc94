"""The evaluation of models on the tests of `pyramid_paraphrase`, and the command line.

The public names are imported when they are used, because their modules import heavy packages.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.api.collection import Results, read_results
    from harness.api.comparing import compare
    from harness.api.evaluating import evaluate
    from harness.evaluation.results import Result, read_result

__all__ = ["Result", "Results", "compare", "evaluate", "read_result", "read_results"]

DISTRIBUTION = "pyramid-paraphrase"
"""The distribution of these files. The command checks it, because others have a package of this name, too."""

_HOMES = {
    "Result": "evaluation.results",
    "Results": "api.collection",
    "compare": "api.comparing",
    "evaluate": "api.evaluating",
    "read_result": "evaluation.results",
    "read_results": "api.collection",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is used."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the sorted public names, imported or not."""
    return sorted(__all__)
