"""Imports of the library `evaluate`, which takes seconds if it imports `transformers`, and of code that users name."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType

_PREFIX = "pyramid_paraphrase_metric_"


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


def import_code(script: Path, sha256: str) -> str:
    """Import a script that a user named, from its source. It may import other files in its folder.

    Python would also use and write compiled files. It finds them by the size and the whole second of the source, so
    they can be those of other code, and a result would have the values of that code.

    Args:
        script: The path of the script.
        sha256: The hash of all code in its folder. Other code is another module.

    Returns:
        The name of the module in `sys.modules`.
    """
    name = f"{_PREFIX}{script.stem}_{sha256[:12]}"
    if name not in sys.modules:
        if not any(isinstance(finder, _SourceFinder) for finder in sys.meta_path):
            sys.meta_path.insert(0, _SourceFinder())
        loader = _SourceLoader(name, str(script))
        folders = [str(script.parent)]
        spec = importlib.util.spec_from_file_location(name, script, loader=loader, submodule_search_locations=folders)
        assert spec is not None  # because the loader is given
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return name


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Loads a module from its source, and neither reads nor writes compiled files."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _SourceFinder(importlib.abc.MetaPathFinder):
    """Finds the files that a script of `import_code` imports from its folder, at any time."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        details = (_SourceLoader, importlib.machinery.SOURCE_SUFFIXES)
        finders = (importlib.machinery.FileFinder(folder, details) for folder in path or ())
        return next(filter(None, (finder.find_spec(fullname, target) for finder in finders)), None)
