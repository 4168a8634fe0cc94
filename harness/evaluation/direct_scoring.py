"""Scores of models that compare texts themselves, in parts, and checked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import naming_failures
from harness.models.interfaces.protocols import Model, OptionScorer, PairScorer, SummaryScorer
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore

Floats = npt.NDArray[np.float64]

_PAIRS_AT_ONCE = 4096


def score_pairs(
    model: Model, scorer: PairScorer, pairs: list[tuple[str, str]], step: str, listen: Listener = ignore
) -> Floats:
    """Score pairs of texts.

    Args:
        model: The model, for errors.
        scorer: Its scorer.
        pairs: n pairs, at least one.
        step: What the progress says.
        listen: Receives the progress.

    Returns:
        Shape (n,); a score may not be finite.

    Raises:
        ModelError: If the model fails, or does not return a number per pair.
    """
    listen(StepStarted(step, len(pairs)))
    parts = []
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[start : start + _PAIRS_AT_ONCE]
        with naming_failures(model):
            scores = scorer.score(part)
        parts.append(_check(scores, (len(part),), model, "score"))
        listen(StepAdvanced(len(part)))
    return np.concatenate(parts)


def score_summaries(model: Model, scorer: SummaryScorer, scus: list[str], summaries: list[list[str]]) -> Floats:
    """Score whole summaries; arguments as for `SummaryScorer.score_summaries`, errors as for `score_pairs`."""
    with naming_failures(model):
        scores = scorer.score_summaries(scus, summaries)
    return _check(scores, (len(scus),), model, "score_summaries")


def score_options(model: Model, scorer: OptionScorer, options: list[list[str]]) -> Floats:
    """Score options; arguments as for `OptionScorer.score_options`, errors as for `score_pairs`."""
    with naming_failures(model):
        scores = scorer.score_options(options)
    return _check(scores, (len(options), len(options[0])), model, "score_options")


def _check(scores: object, shape: tuple[int, ...], model: Model, method: str) -> Floats:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ModelError(f"{model.name}: gives no array of numbers; {method}() must return shape {shape}") from None
    if values.shape != shape:
        raise ModelError(f"{model.name}: gives scores of shape {values.shape}; {method}() must return shape {shape}")
    return values
