"""Scores of models that compare texts themselves, in parts, and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import naming_failures
from harness.evaluation.store import EmbeddingStore, Vectors
from harness.models.interfaces.protocols import Model, OptionScorer, PairScorer, SummaryScorer
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore

Floats = npt.NDArray[np.float64]

_PAIRS_AT_ONCE = 4096


class PairScores(NamedTuple):
    """Scores of pairs of texts.

    Attributes:
        values: Shape (n,); a score may not be finite.
        computed: How many of them the model computed; the others came from the store.
    """

    values: Floats
    computed: int


def score_pairs(
    model: Model,
    scorer: PairScorer,
    pairs: list[tuple[str, str]],
    step: str,
    *,
    store: EmbeddingStore | None = None,
    resume: bool = True,
    listen: Listener = ignore,
) -> PairScores:
    """Score pairs of texts.

    Args:
        model: The model, for errors and for its key in the store.
        scorer: Its scorer.
        pairs: n distinct pairs, at least one.
        step: What the progress says.
        store: Where scores are kept, if the model has an identity; None for nowhere.
        resume: Whether to use stored scores; otherwise they are replaced.
        listen: Receives the progress.

    Returns:
        The scores.

    Raises:
        ModelError: If the model fails, or does not return a number per pair.
    """

    def compute(numbers: Sequence[int]) -> Floats:
        with naming_failures(model):
            scores = scorer.score([pairs[number] for number in numbers])
        return _check(scores, (len(numbers),), model, "score")

    names = [_name_pair(*pair) for pair in pairs]
    return _score_stored(model, names, compute, step, store=store, resume=resume, listen=listen)


def score_summaries(
    model: Model,
    scorer: SummaryScorer,
    scus: list[str],
    summaries: list[list[str]],
    step: str,
    *,
    store: EmbeddingStore | None = None,
    resume: bool = True,
    listen: Listener = ignore,
) -> PairScores:
    """Score whole summaries.

    A model whose scores are not stored is given all summaries at once, because its scores may depend on all of them.

    Args:
        model: As for `score_pairs`, as the last four arguments are.
        scorer: Its scorer.
        scus: As for `SummaryScorer.score_summaries`.
        summaries: As for `SummaryScorer.score_summaries`.
        step: What the progress says.
        store: Where scores are kept.
        resume: Whether to use stored scores.
        listen: Receives the progress.

    Returns:
        The scores.

    Raises:
        ModelError: As `score_pairs`.
    """

    def compute(numbers: Sequence[int]) -> Floats:
        with naming_failures(model):
            scores = scorer.score_summaries(
                [scus[number] for number in numbers], [summaries[number] for number in numbers]
            )
        return _check(scores, (len(numbers),), model, "score_summaries")

    if store is None or model.store_key is None:
        return PairScores(compute(range(len(scus))), len(scus))
    names = [_name_summary(scu, sentences) for scu, sentences in zip(scus, summaries, strict=True)]
    first_of = {name: number for number, name in reversed(list(enumerate(names)))}
    distinct = sorted(first_of.values())
    scores = _score_stored(
        model,
        [names[number] for number in distinct],
        lambda places: compute([distinct[place] for place in places]),
        step,
        store=store,
        resume=resume,
        listen=listen,
    )
    places = np.searchsorted(distinct, [first_of[name] for name in names])
    return PairScores(scores.values[places], scores.computed)


def _score_stored(
    model: Model,
    names: list[str],
    compute: Callable[[Sequence[int]], Floats],
    step: str,
    *,
    store: EmbeddingStore | None,
    resume: bool,
    listen: Listener,
) -> PairScores:
    """Take scores from the store, and compute and keep the others.

    Args:
        model: The model.
        names: The distinct names under which the scores are stored.
        compute: Returns the scores of the names of some numbers.
        step: What the progress says.
        store: The store; None for none.
        resume: Whether to use stored scores.
        listen: Receives the progress.
    """
    if store is None or model.store_key is None:
        return _score_missing(len(names), compute, step, listen=listen)
    with store.open(model.store_key, model.name) as model_store:
        stored = model_store.read(names) if resume else {}

        def keep(numbers: Sequence[int], scores: Floats) -> None:
            if np.isfinite(scores).all():  # the others are an error of the caller
                model_store.add([names[number] for number in numbers], _split_digits(scores))

        return _score_missing(len(names), compute, step, stored=stored, keep=keep, listen=listen)


def _score_missing(
    total: int,
    compute: Callable[[Sequence[int]], Floats],
    step: str,
    *,
    stored: Mapping[int, Vectors] = MappingProxyType({}),
    keep: Callable[[Sequence[int], Floats], None] | None = None,
    listen: Listener,
) -> PairScores:
    """Compute the scores that are not stored, in parts, and hand each part over to be kept."""
    listen(StepStarted(step, total, done=len(stored)))
    values = np.empty(total)
    for number, digits in stored.items():
        values[number] = digits.sum(dtype=np.float64)
    missing = [number for number in range(total) if number not in stored]
    for start in range(0, len(missing), _PAIRS_AT_ONCE):
        numbers = missing[start : start + _PAIRS_AT_ONCE]
        values[numbers] = compute(numbers)
        if keep is not None:
            keep(numbers, values[numbers])
        listen(StepAdvanced(len(numbers)))
    return PairScores(values, len(missing))


def _name_pair(first: str, second: str) -> str:
    """Join two texts, so that no two pairs have the same name."""
    return f"{len(first)} {first}{second}"


def _name_summary(scu: str, sentences: Sequence[str]) -> str:
    """Join an SCU and a summary, so that the name differs from that of every other one and of every pair."""
    lengths = " ".join(str(len(text)) for text in (scu, *sentences))
    return f"summary {lengths}: {scu}{''.join(sentences)}"


def _split_digits(scores: Floats) -> Vectors:
    """Split scores into the numbers in single precision that the store keeps; the sum of three is exactly the score.

    Returns:
        Shape (n, 3).
    """
    parts, rest = np.zeros((len(scores), 3), dtype=np.float32), scores.copy()
    with np.errstate(over="ignore", invalid="ignore"):  # what is too large for single precision is not read back
        for part in range(parts.shape[1]):
            parts[:, part] = rest
            rest -= parts[:, part]
    return parts


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
