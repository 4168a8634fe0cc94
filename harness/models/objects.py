"""Objects in memory as models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.models.interfaces.protocols import OBJECT, Ability, Model
from harness.models.kinds import neural
from harness.models.static import subword_vectors
from harness.support.errors import ModelError
from harness.support.names import name_variant

_METHODS = (
    "encode(texts)",
    "score(pairs)",
    "score_summaries(scus, summaries)",
    "train(pairs, labels)",
    "learn(texts)",
)
"""Methods of objects that can be evaluated."""

_SCORING = (Ability.ENCODE, Ability.SCORE_PAIRS, Ability.SCORE_SUMMARIES)
"""The abilities of objects that score. An object that can learn does so first."""

_CONFIGURED_CLASSES: dict[str, tuple[str, Callable[[Model, Any], Model]]] = {
    "sentence_transformers": ("SparseEncoder", neural.add_configuration),
    "model2vec": ("StaticModel", subword_vectors.add_configuration),
}
"""Classes whose configuration says what they do to texts, by library, each with the function that adds it."""


def describe_object(model: Any, *, batch_size: int | None = None, hashed: bool = True) -> Model:  # noqa: ANN401
    """Wrap an object that encodes, scores or can be trained.

    Args:
        model: The object.
        batch_size: Texts or pairs per batch, for a model of sentence-transformers. None to choose a size.
        hashed: Whether to compute the fingerprint of a model of sentence-transformers, and to report unused prompts.

    Raises:
        ModelError: If the object has no method of a model.
        WrongVersionError: If the library of the object is installed in an unsupported version.
    """
    neural_model = neural.describe_object(model, batch_size=batch_size, hashed=hashed)
    if neural_model is not None:
        return neural_model
    name = name_object(model)
    if batch_size:
        remedy = f"Omit it, because the {name} makes its own batches"
        raise ModelError(f"batch_size applies to models of sentence-transformers only. {remedy}")
    learns_by = _find_learning(model)
    scores = any(ability.find_method(model) for ability in _SCORING)
    if learns_by is None and not scores:
        reason = f"{name} has none of the methods {', '.join(_METHODS)}"
        raise ModelError(f"{reason}. Pass an object with one of them")
    description = Model(name, OBJECT, f"{name} in memory", fingerprint=None, scorer=model, learns_by=learns_by)
    if learns_by is Ability.TRAIN:
        description = replace(description, cutoff=getattr(model, "cutoff", None))
    for library, (class_name, add_configuration) in _CONFIGURED_CLASSES.items():
        # Unless its library has been imported, the object cannot be one of its models.
        if library in sys.modules and isinstance(model, getattr(sys.modules[library], class_name)):
            return add_configuration(description, model)
    return description


def name_object(model: object) -> str:
    """Return the name of an object in tables, unless the user gives it a name: the name of its class."""
    return name_variant(type(model).__name__, {})


def _find_learning(model: object) -> Ability | None:
    """Return how an object learns before it scores, or None if it does not learn.

    Every module of torch has an unrelated method `train`, which sets its mode.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(model, torch.nn.Module):
        return None
    return next((ability for ability in (Ability.TRAIN, Ability.LEARN) if ability.find_method(model)), None)
