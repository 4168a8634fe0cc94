"""Register the name "pyramid_paraphrase" for `datasets.load_dataset`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import wrapt

from pyramid_paraphrase.escaping import make_logger

NAME: Final = "pyramid_paraphrase"
BUILDER_MODULE = "pyramid_paraphrase.publishing.builder"

_LOADING_MODULE = "datasets.load"
_REGISTRY = "_PACKAGED_DATASETS_MODULES"
_FACTORY = "PackagedDatasetModuleFactory"
_logger = make_logger(__name__)


def register_when_imported() -> None:
    """Register the builder when `datasets` is imported, or now if it is already imported."""
    wrapt.register_post_import_hook(register, _LOADING_MODULE)


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

    def get_module(wrapped: Callable[..., Any], factory: Any, arguments: Any, keywords: Any) -> Any:  # noqa: ANN401
        """Stand in for the method of `datasets` that lists the files."""
        if factory.name != NAME:
            return wrapped(*arguments, **keywords)
        named_files = {} if factory.data_files is None else factory.data_files
        return module.DatasetModule(*entry, {"data_files": named_files, "dataset_name": NAME})

    registry[NAME] = entry
    wrapt.wrap_function_wrapper(module, f"{_FACTORY}.get_module", get_module)


def code_hash() -> str:
    """Compute the SHA-256 of this package's code, which is part of the cache key."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
