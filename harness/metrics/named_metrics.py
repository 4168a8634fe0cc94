"""Metrics that a user names: the place of their code, the consent to run it, its identity, and its import.

This module imports `evaluate` late, so that a run that finds its results does not import it. The import takes seconds
if it imports `transformers`.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

from harness.files.hashing import hash_files, hash_values
from harness.files.writing import expand_home
from harness.models.interfaces.kinds import parse_flag
from harness.support.errors import MetricError, describe_cause
from pyramid_paraphrase.errors import OptionError

_TRUST = ",trust_remote_code="
_HUB_NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,95}(/[A-Za-z0-9_][\w.-]{0,95})?", re.ASCII)
_MODULE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,49}")
_CANONICAL = "evaluate-metric"
"""The organization of the metrics that the Hub names without an organization."""

_HASH_LENGTH = 64
_TRUE = ("1", "ON", "YES", "TRUE")
_FOLDER_REMEDY = "Use a folder such as accuracy/ that contains accuracy.py"
_PREFIX = "pyramid_paraphrase_metric_"


class NamedMetric(NamedTuple):
    """A module of `evaluate` that a user named.

    Attributes:
        name: Its name in results and tables: the name of its script.
        script: The script of the module.
        sha256: SHA-256 over all Python files in the folder of the script.
    """

    name: str
    script: Path
    sha256: str


def locate_metrics(specs: Iterable[str | os.PathLike[str]]) -> tuple[NamedMetric, ...]:
    """Find the code of metrics, without running it.

    Args:
        specs: Folders or scripts of modules, or names on the Hub with ``,trust_remote_code=true``.

    Returns:
        The metrics. A name that is not in the cache of `evaluate` has been downloaded.

    Raises:
        OptionError: If a path does not exist or is not a module, if there is no consent to run code from the Hub, or if
            two metrics have the same name.
        MetricError: If a module cannot be downloaded or read.
    """
    metrics = tuple(_locate(os.fspath(spec)) for spec in specs)
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"two metrics have the name {name}. Omit one of them, or rename its folder and script")
    return metrics


def _locate(spec: str) -> NamedMetric:
    place, mark, value = spec.partition(_TRUST)
    try:
        is_trusted = bool(mark) and parse_flag(value)
    except KeyError:
        raise OptionError(f"metric {place}: trust_remote_code is '{value}'. Use true or false") from None
    script = _find_local(place)
    if script is None:
        script = _find_on_hub(place, is_trusted=is_trusted)
    if not _MODULE_NAME.fullmatch(script.stem):
        raise OptionError(f"metric {place}: {script.stem} is not a name of at most 50 letters, digits and _. Rename it")
    return NamedMetric(script.stem, script.absolute(), hash_code(script))


def hash_code(script: Path) -> str:
    """Compute the SHA-256 over the names and contents of all Python files in the folder of a script.

    Empty files are left out, because `evaluate` adds some to the modules in its cache.

    Raises:
        MetricError: If a file cannot be read.
    """
    try:
        paths = sorted(path for path in script.parent.rglob("*.py") if path.stat().st_size)
        return hash_values(hash_files(script.parent, paths))
    except OSError as error:
        reason = f"{error.filename} cannot be read ({error.strerror})"
        raise MetricError(f"metric {script.stem}: {reason}. Check its permissions") from None


def _find_local(place: str) -> Path | None:
    """Return the script of a local module, or None if there is no such file or folder.

    Raises:
        OptionError: If the path is not a module, or can only be a path and does not exist.
    """
    path = expand_home(place)
    if path.is_dir():
        script = path / f"{path.resolve().name}.py"
        if not script.is_file():
            raise OptionError(f"metric {place}: the folder does not contain {script.name}. {_FOLDER_REMEDY}")
        return script
    if path.is_file():
        if path.suffix != ".py":
            raise OptionError(f"metric {place}: is not a Python file. {_FOLDER_REMEDY}")
        return path
    if path.suffix == ".py" or not _HUB_NAME.fullmatch(place):
        raise OptionError(f"metric {place}: no such file or folder. {_FOLDER_REMEDY}")
    return None


def _find_on_hub(name: str, *, is_trusted: bool) -> Path:
    """Return the script of a module of the Hub in the cache of `evaluate`. Download it if necessary.

    Raises:
        OptionError: If there is no consent to run its code.
        MetricError: If it is not in the cache and cannot be downloaded.
    """
    if not is_trusted:
        remedy = f"If you trust it, add {_TRUST}true, or use the path of a folder, such as ./{name}"
        raise OptionError(f"metric {name}: there is no such folder here, and a module of the Hub is code. {remedy}")
    script = _find_in_cache(name)
    if script is None:
        _download(name)
        script = _find_in_cache(name)
    if script is None:
        raise MetricError(f"metric {name}: {Path(name).name}.py is not in the cache of evaluate. {_FOLDER_REMEDY}")
    return script


def _find_in_cache(name: str) -> Path | None:
    """Return the latest script of a module in the cache of `evaluate`, as `evaluate.load` chooses it offline."""
    from huggingface_hub.constants import HF_HOME

    modules = Path(os.environ.get("HF_MODULES_CACHE") or Path(HF_HOME) / "modules")
    repository = name if "/" in name else f"{_CANONICAL}/{name}"
    folder = modules / "evaluate_modules" / "metrics" / repository.replace("/", "--")
    scripts = [path for path in folder.glob(f"*/{Path(name).name}.py") if len(path.parent.name) == _HASH_LENGTH]
    return max(scripts, key=lambda path: path.stat().st_mtime, default=None)


_SECONDS_TO_DOWNLOAD = 120.0
"""Longest time to wait for all files of a module, which are scripts."""


def _download(name: str) -> None:
    """Download a module of the Hub to the cache of `evaluate`.

    Raises:
        MetricError: If the Hub must not be asked, or does not have the module.
    """
    from huggingface_hub import HfApi, constants

    remedy = "Use the path of a folder, or load the metric once with the network: evaluate.load"
    if constants.HF_HUB_OFFLINE or os.environ.get("HF_EVALUATE_OFFLINE", "").upper() in _TRUE:
        variable = "HF_HUB_OFFLINE" if constants.HF_HUB_OFFLINE else "HF_EVALUATE_OFFLINE"
        raise MetricError(f"metric {name}: is not in the cache of evaluate, and {variable} is set. {remedy}")
    from evaluate.loading import evaluation_module_factory
    from evaluate.utils.logging import disable_progress_bar

    from pyramid_paraphrase.hub_client import find_silence

    disable_progress_bar()  # of scripts, which are small
    try:
        try:
            silence = find_silence(lambda: HfApi().space_info(name))
        except Exception:  # reported by the library
            silence = None
        silence = silence or find_silence(
            lambda: evaluation_module_factory(name, module_type="metric"), _SECONDS_TO_DOWNLOAD
        )
        if silence:
            raise silence
    except Exception as error:  # the library raises errors of several other libraries
        reason = f"cannot be downloaded from the Hub ({describe_cause(error)})"
        remedy = "Check the name and the network, or use the path of a folder"
        raise MetricError(f"metric {name}: {reason}. {remedy}") from error


def import_evaluate_alone() -> None:
    """Import `evaluate` as if `transformers` and `scipy.stats` were missing, and make both available again.

    `evaluate.evaluator` imports `scipy.stats` and `transformers.pipelines`, thereby torch, and does without them if
    they are missing. No metric needs them. Call this function before a model is loaded, and only in a process that
    runs a command of this package: `evaluate.evaluator` cannot be used in the process afterwards. In the process of a
    user, the modules import `evaluate` in the usual way.

    If `transformers` or `evaluate` was imported before, `evaluate` is imported in the usual way.
    """
    if "transformers" in sys.modules or "evaluate" in sys.modules:
        import evaluate
    else:
        import datasets  # before the change, because it may ask for transformers, too

        hidden = [name for name in ("transformers", "scipy.stats") if name not in sys.modules]
        for name in hidden:
            sys.modules[name] = None  # type: ignore[assignment]  # the documented way to prevent an import
        try:
            import evaluate
        finally:
            for name in hidden:
                del sys.modules[name]
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
