"""Objects in memory as models."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.protocols import (
    OBJECT,
    Encoder,
    Model,
    PairScorer,
    Scorer,
    SummaryScorer,
    TextLearner,
    Trainable,
)
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
    if "sentence_transformers" in sys.modules:  # otherwise the object cannot be one of its models
        description = neural.describe_object(model, batch_size=batch_size, hashed=hashed)
        if description is not None:
            return description
    name = name_object(model)
    if batch_size:
        remedy = f"Omit it, because the {name} makes its own batches"
        raise ModelError(f"batch_size applies to models of sentence-transformers only. {remedy}")
    scorer = _find_scorer(model)
    if scorer is None:
        reason = f"{name} has none of the methods {', '.join(_METHODS)}"
        raise ModelError(f"{reason}. Pass an object with one of them")
    cutoff = None
    if isinstance(scorer, Untrained):
        cutoff = getattr(model, "cutoff", None)
    description = Model(
        name=name, kind=OBJECT, spec=f"{name} in memory", fingerprint=None, scorer=scorer, cutoff=cutoff
    )
    for library, (class_name, add_configuration) in _CONFIGURED_CLASSES.items():
        # Unless its library has been imported, the object cannot be one of its models.
        if library in sys.modules and isinstance(model, getattr(sys.modules[library], class_name)):
            return add_configuration(description, model)
    return description


def name_object(model: object) -> str:
    """Return the name of an object in tables, unless the user gives it a name: the name of its class."""
    return name_variant(type(model).__name__, {})


def _find_scorer(model: Any) -> Scorer | None:  # noqa: ANN401
    """Choose the methods of an object to use. Training comes first, except for modules of torch.

    Every module of torch has an unrelated method `train`, which sets its mode.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        if isinstance(model, Trainable):
            return Untrained(model)
        if isinstance(model, TextLearner):
            return Unlearned(model)
    if isinstance(model, Encoder | PairScorer | SummaryScorer):
        return model
    return None


class Untrained:
    """A wrapper that offers only the method `train` of an object.

    Args:
        learner: The object. If its `train` returns None, the object itself is the trained model.
    """

    def __init__(self, learner: Trainable) -> None:
        self._learner = learner

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Train the object on labelled pairs, and return the trained model."""
        return _choose_trained(self._learner, self._learner.train(pairs, labels))


class Unlearned:
    """A wrapper that offers only the method `learn` of an object, as `Untrained` does for `train`."""

    def __init__(self, learner: TextLearner) -> None:
        self._learner = learner

    def learn(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Train the object on texts, and return the trained model."""
        return _choose_trained(self._learner, self._learner.learn(texts))


def _choose_trained(learner: object, returned: object) -> object:
    return learner if returned is None else returned
