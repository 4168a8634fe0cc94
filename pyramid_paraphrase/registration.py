"""Makes `datasets.load_dataset` know the name "pyramid_paraphrase"."""

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
    """Register the builder as soon as `datasets` is imported, or now if it is already."""
    wrapt.register_post_import_hook(register, _REGISTRY_MODULE)


def register(module: ModuleType) -> None:
    """Enter the builder among the ones that `datasets` brings along.

    There is no public way to add one; the table is private, so its absence is no error but is said.
    """
    registry = getattr(module, _REGISTRY, None)
    if isinstance(registry, dict):
        registry[NAME] = (BUILDER_MODULE, code_hash())
    else:
        _logger.warning(
            "this version of datasets has no %s.%s: load_dataset('%s', ...) will not find the builder; "
            "use pyramid_paraphrase.load(...) instead",
            _REGISTRY_MODULE,
            _REGISTRY,
            NAME,
        )


def code_hash() -> str:
    """SHA-256 of this package's code: a cache made by other code is not used."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
