"""Objects in memory as models."""

from __future__ import annotations

import sys
from typing import Any

from harness.models.interfaces.protocols import (
    Encoder,
    Model,
    PairScorer,
    Scorer,
    SummaryScorer,
    TextLearner,
    Trainable,
)
from harness.models.kinds import neural
from harness.models.pupils import Unlearned, Untrained
from harness.support.errors import ModelError


def describe_object(model: Any, *, batch_size: int | None = None, hashed: bool = True) -> Model:  # noqa: ANN401
    """Wrap an object that encodes or scores, or learns to.

    Args:
        model: The object.
        batch_size: Texts, or pairs, per batch, for a model of sentence-transformers; None to choose a size.
        hashed: Whether to compute the fingerprint of a model of sentence-transformers.

    Raises:
        ModelError: If the object has no method of a model.
    """
    if "sentence_transformers" in sys.modules:  # otherwise the object cannot be one of its models
        described = neural.describe_object(model, batch_size=batch_size, hashed=hashed)
        if described is not None:
            return described
    name = type(model).__name__
    if batch_size:
        raise ModelError("batch_size is for models of sentence-transformers; the object makes its own batches")
    scorer = _find_scorer(model)
    if scorer is None:
        scoring, learning = "score(pairs) nor score_summaries(scus, summaries)", "train(pairs, labels) nor learn(texts)"
        raise ModelError(f"{name} has neither encode(texts) nor {scoring} nor {learning}; give an object with one")
    cutoff = None
    if isinstance(scorer, Untrained):
        cutoff = getattr(model, "cutoff", None)
    return Model(name=name, kind="object", spec=f"{name} in memory", fingerprint=None, scorer=scorer, cutoff=cutoff)


def _find_scorer(model: Any) -> Scorer | None:  # noqa: ANN401
    """Choose the method of an object to use. Learning comes first, but all modules of torch have another `train`."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        if isinstance(model, Trainable):
            return Untrained(model)
        if isinstance(model, TextLearner):
            return Unlearned(model)
    if isinstance(model, Encoder | PairScorer | SummaryScorer):
        return model
    return None
