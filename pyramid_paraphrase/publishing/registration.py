"""Register the name "pyramid_paraphrase" for `datasets.load_dataset`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from pyramid_paraphrase.escaping import make_logger

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

NAME: Final = "pyramid_paraphrase"
BUILDER_MODULE = "pyramid_paraphrase.publishing.builder"

_LOADING_MODULE = "datasets.load"
_REGISTRY = "_PACKAGED_DATASETS_MODULES"
_FACTORY = "PackagedDatasetModuleFactory"
_logger = make_logger(__name__)


def register_when_imported() -> None:
    """Register the builder when `datasets` is imported, or now if it is already imported."""
    if _LOADING_MODULE in sys.modules:
        register(sys.modules[_LOADING_MODULE])
    else:
        sys.meta_path.insert(0, _RegisteringFinder())


class _RegisteringFinder:
    """Finds the module `datasets.load` by the next finders, and registers the builder after its code has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _LOADING_MODULE:
            return None
        # Only the next finders, because two finders of this class would call each other without end.
        next_finders = sys.meta_path[sys.meta_path.index(self) + 1 :]
        specs = (finder.find_spec(fullname, path, target) for finder in next_finders if hasattr(finder, "find_spec"))
        spec = next(filter(None, specs), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                if module.__name__ == _LOADING_MODULE:  # the loader of an archive executes other modules, too
                    register(module)

            vars(spec.loader)["exec_module"] = exec_module
        return spec


def register(module: ModuleType) -> None:
    """Add the builder to the builders that are part of `datasets`.

    For these builders, `datasets` lists the files below ``data_dir`` or in the working directory. It refuses archives,
    the name "sample" and empty folders. The builder of this package reads its files itself, so the listing is left out.

    `datasets` has no public interface to add a builder. Its table and its class are private, so if one is missing, this
    function logs a warning instead of raising an error.

    Args:
        module: The module `datasets.load`.
    """
    registry = getattr(module, _REGISTRY, None)
    if not isinstance(registry, dict) or not hasattr(getattr(module, _FACTORY, None), "get_module"):
        _logger.warning(
            "this version of datasets has no %s.%s or no %s: load_dataset('%s', ...) will not find the builder. "
            "Use pyramid_paraphrase.load(...) instead",
            _LOADING_MODULE,
            _REGISTRY,
            _FACTORY,
            NAME,
        )
        return
    entry = BUILDER_MODULE, code_hash()
    factory_class = getattr(module, _FACTORY)
    list_files = factory_class.get_module

    @wraps(list_files)
    def get_module(factory: Any) -> Any:  # noqa: ANN401 - `datasets` exports no type
        if factory.name != NAME:
            return list_files(factory)
        named_files = {} if factory.data_files is None else factory.data_files
        return module.DatasetModule(*entry, {"data_files": named_files, "dataset_name": NAME})

    registry[NAME] = entry
    factory_class.get_module = get_module


def code_hash() -> str:
    """Compute the SHA-256 of this package's code, which is part of the cache key."""
    import hashlib  # loads OpenSSL, which only builds need

    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
