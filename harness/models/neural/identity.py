"""The identity of a checkpoint: the content of its folder or its commit on the Hub, and its settings."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.files.hashing import hash_values
from harness.models.files.fingerprints import find_bases, hash_folder, hash_module
from harness.models.files.hub import find_snapshot
from harness.models.interfaces.kinds import Spec
from harness.models.interfaces.protocols import Model, Scorer
from harness.support.errors import ModelError

_LIBRARIES = ("sentence-transformers", "transformers", "tokenizers", "torch", "onnxruntime", "openvino")
_PRECISION = "dtype"
_OTHERWISE_IDENTIFIED = ("trust_remote_code", "direction", "similarity")
"""Options of results that are not simply part of the fingerprint."""
_logger = logging.getLogger(__name__)


def hash_local(name: str) -> str | None:
    """Hash the content of a local model. Return None for a model on the Hub or a model with files in other places."""
    folder = Path(name)
    if not folder.is_dir() or find_bases(folder):
        return None
    return hash_folder(folder)


def identify(spec: Spec, hash_before: str | None) -> str | None:
    """Identify a local model by its content, and a model on the Hub by name and commit.

    Args:
        spec: The spec of the model.
        hash_before: Hash of the folder before the model was loaded, from `hash_local`.

    Returns:
        The identity. None if content or commit do not determine the model.

    Raises:
        ModelError: If the folder has changed since then.
    """
    name = spec.model
    if hash_before and hash_local(name) != hash_before:
        raise ModelError(f"{name}: changed while it was loaded. Evaluate it again")
    identity = hash_before if Path(name).is_dir() else _identify_commit(spec)
    if identity is None or spec.settings["trust_remote_code"]:  # its code may be outside of the folder or commit
        _logger.warning("%s: cannot be identified reliably, so its embeddings are not stored", name)
        return None
    return identity


def _identify_commit(spec: Spec) -> str | None:
    """Return the cached commit of a model on the Hub. None if it is unknown or has other files elsewhere."""
    snapshot = find_snapshot(spec.model, spec.settings["revision"], spec.kind.hub)
    if snapshot is None or find_bases(snapshot.folder):
        return None
    return snapshot.commit


def describe_checkpoint(
    spec: Spec,
    model: Any,  # noqa: ANN401
    scorer: Scorer,
    identity: str | None,
    settings: Mapping[str, Any] | None = None,
    *,
    after_scoring: Collection[str] = (),
) -> Model:
    """Describe a loaded checkpoint.

    Args:
        spec: The spec of the model.
        model: The `torch` module.
        scorer: The object that encodes or scores with the module.
        identity: The identity that `identify` returned.
        settings: The settings that determine the scores and that results record. None for those options of the spec.
        after_scoring: Names of settings that do not change stored scores, because they are applied to them later.

    Returns:
        The model.
    """
    settings = list_decisive(spec) if settings is None else dict(settings)
    store_key = None
    if identity is None:
        fingerprint = hash_module(model, settings)
    else:
        fingerprint = _hash_settings(spec.kind.name, identity, settings)
        stored_settings = {name: value for name, value in settings.items() if name not in after_scoring}
        versions = {name: version(name) for name in _LIBRARIES if find_spec(name.replace("-", "_"))}
        store_key = hash_values(
            [_hash_settings(spec.kind.name, identity, stored_settings), model.device.type, versions]
        )
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=fingerprint,
        scorer=scorer,
        options=settings,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        device=str(spec.settings["device"] or model.device),
        store_key=store_key,
    )


def _hash_settings(kind: str, identity: str, settings: Mapping[str, Any]) -> str:
    return hash_values({"kind": kind, "model": identity, **settings, "revision": None})


def find_fingerprint(folder: Path, kind: str, options: Mapping[str, Any]) -> str | None:
    """Compute the fingerprint that a checkpoint in a folder has now, without loading it.

    Args:
        folder: The folder.
        kind: Name of the kind of model.
        options: The options that a result of the model records.

    Returns:
        The fingerprint. None if folder and options do not determine it. The results of entailment models have other
        options than the model, and a similarity changes the fingerprint later.

    Raises:
        ModelError: If a file cannot be read.
    """
    if _PRECISION not in options or not options.keys().isdisjoint(_OTHERWISE_IDENTIFIED):
        return None
    identity = hash_local(str(folder))
    return None if identity is None else _hash_settings(kind, identity, options)


def list_decisive(spec: Spec) -> dict[str, Any]:
    """Return the precision, and the other options that results record, in the order of the spec."""
    options = {option.name: option for option in spec.kind.options}
    decisive = {_PRECISION: spec.settings[_PRECISION]}
    for name, value in spec.options.items():
        option = options[name]
        if (option.changes_scores or option.runs_code) and value != option.default:
            decisive[name] = value
    return decisive
