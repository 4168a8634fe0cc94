"""Register the name "pyramid_paraphrase" for `datasets.load_dataset`."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from types import ModuleType

import wrapt

NAME = "pyramid_paraphrase"
BUILDER_MODULE = "pyramid_paraphrase.builder"

_REGISTRY_MODULE = "datasets.packaged_modules"
_REGISTRY = "_PACKAGED_DATASETS_MODULES"
_logger = logging.getLogger(__name__)


def register_when_imported() -> None:
    """Register the builder when `datasets` is imported, or now if it is already imported."""
    wrapt.register_post_import_hook(register, _REGISTRY_MODULE)


def register(module: ModuleType) -> None:
    """Add the builder to the builders that are part of `datasets`.

    `datasets` has no public interface to add a builder. Its table is private, so if it is missing, this function logs a
    warning instead of raising an error.
    """
    registry = getattr(module, _REGISTRY, None)
    if isinstance(registry, dict):
        registry[NAME] = (BUILDER_MODULE, code_hash())
    else:
        _logger.warning(
            "this version of datasets has no %s.%s: load_dataset('%s', ...) will not find the builder. "
            "Use pyramid_paraphrase.load(...) instead",
            _REGISTRY_MODULE,
            _REGISTRY,
            NAME,
        )


def code_hash() -> str:
    """Compute the SHA-256 of this package's code, which is part of the cache key."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
