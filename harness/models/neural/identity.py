"""What tells a model of sentence-transformers from others: the content of its folder, or its commit on the Hub."""

from __future__ import annotations

import logging
from pathlib import Path

from harness.models.files.fingerprints import hash_folder
from harness.models.files.hub import find_commit
from harness.models.interfaces.kinds import Spec
from harness.support.errors import ModelError

_logger = logging.getLogger(__name__)


def hash_local(name: str) -> str | None:
    """Hash the content of a local model; return None on the Hub, and for an adapter: its base model is elsewhere."""
    folder = Path(name)
    if not folder.is_dir() or any(folder.rglob("adapter_config.json")):
        return None
    return hash_folder(folder)


def identify(spec: Spec, before: str | None) -> str | None:
    """Identify a local model by its content, and a model on the Hub by name and commit.

    Args:
        spec: The spec of the model.
        before: Content hash of a folder before the model was loaded.

    Returns:
        The identity; None if content or commit do not determine the model.

    Raises:
        ModelError: If the folder has changed since.
    """
    name = spec.model
    if before and hash_local(name) != before:
        raise ModelError(f"{name}: was changed while it was loaded; evaluate it again")
    identity = before if Path(name).is_dir() else find_commit(name, spec.settings["revision"], spec.kind.hub)
    if identity is None or spec.settings["trust_remote_code"]:  # its code may lie elsewhere
        _logger.warning("%s: cannot be told from others for sure, so its embeddings are not stored", name)
        return None
    return identity
