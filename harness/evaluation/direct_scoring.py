"""Scores of models that compare texts themselves, in parts, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import naming_failures
from harness.evaluation.store import EmbeddingStore, Vectors
from harness.models.interfaces.protocols import (
    BatchScorer,
    Model,
    OptionScorer,
    PairScorer,
    QuestionScorer,
    SummaryScorer,
)
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore

Floats = npt.NDArray[np.float64]

_PAIRS_AT_ONCE = 4096

_Batches = Iterable[tuple[Sequence[int], Floats]]
"""Scores in batches: places in a list, each once over all batches, and their scores."""


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

    def compute(numbers: Sequence[int]) -> _Batches:
        some = [pairs[number] for number in numbers]
        if isinstance(scorer, BatchScorer):
            return _check_batches(lambda: scorer.score_batches(some), model, "score_batches")
        return _check_batches(lambda: [(range(len(some)), scorer.score(some))], model, "score")

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

    def compute(numbers: Sequence[int]) -> _Batches:
        some = [scus[number] for number in numbers], [summaries[number] for number in numbers]
        if isinstance(scorer, BatchScorer):
            return _check_batches(lambda: scorer.score_summary_batches(*some), model, "score_summary_batches")
        whole = range(len(numbers))
        return _check_batches(lambda: [(whole, scorer.score_summaries(*some))], model, "score_summaries")

    if store is None or model.store_key is None:
        return _score_missing(len(scus), compute, step, at_once=len(scus), listen=listen)
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


def score_questions(
    model: Model,
    scorer: QuestionScorer,
    questions: list[str],
    options: list[list[str]],
    step: str,
    *,
    store: EmbeddingStore | None = None,
    resume: bool = True,
    listen: Listener = ignore,
) -> PairScores:
    """Score the options of questions.

    Args:
        model: As for `score_pairs`, as the last four arguments are.
        scorer: Its scorer.
        questions: n questions, at least one.
        options: The k options of each question.
        step: What the progress says.
        store: Where scores are kept.
        resume: Whether to use stored scores.
        listen: Receives the progress.

    Returns:
        The scores; the values have shape (n, k).

    Raises:
        ModelError: As `score_pairs`.
    """
    count = len(options[0])

    def compute(numbers: Sequence[int]) -> _Batches:
        rows = [number // count for number in numbers[::count]]  # all options of a question are stored, or none
        some = [questions[row] for row in rows], [options[row] for row in rows]
        batches = _check_batches(
            lambda: scorer.score_question_batches(*some), model, "score_question_batches", (count,)
        )
        for places, scores in batches:
            yield [place * count + option for place in places for option in range(count)], scores.ravel()

    names = [
        f"option {number} of {_name_summary(question, texts)}"
        for question, texts in zip(questions, options, strict=True)
        for number in range(count)
    ]
    scores = _score_stored(model, names, compute, step, at_once=len(names), store=store, resume=resume, listen=listen)
    return PairScores(scores.values.reshape(-1, count), scores.computed)


def _score_stored(
    model: Model,
    names: list[str],
    compute: Callable[[Sequence[int]], _Batches],
    step: str,
    *,
    at_once: int = 0,
    store: EmbeddingStore | None,
    resume: bool,
    listen: Listener,
) -> PairScores:
    """Take scores from the store, and compute and keep the others.

    Args:
        model: The model.
        names: The distinct names under which the scores are stored.
        compute: Yields the scores of the names of some numbers.
        step: What the progress says.
        at_once: Scores to compute in a part; 0 for the usual number.
        store: The store; None for none.
        resume: Whether to use stored scores.
        listen: Receives the progress.
    """
    if store is None or model.store_key is None:
        return _score_missing(len(names), compute, step, at_once=at_once, listen=listen)
    is_on_server = model.find_usage() is not None
    with store.open(model.store_key, model.name) as model_store:
        stored = model_store.read(names) if resume else {}

        def keep(numbers: Sequence[int], scores: Floats) -> None:
            if np.isfinite(scores).all():  # the others are an error of the caller
                model_store.add([names[number] for number in numbers], _split_digits(scores))
            if is_on_server:  # the answer to a request may have been paid for, and took longer than a commit
                model_store.commit()

        return _score_missing(len(names), compute, step, stored=stored, keep=keep, at_once=at_once, listen=listen)


def _score_missing(
    total: int,
    compute: Callable[[Sequence[int]], _Batches],
    step: str,
    *,
    stored: Mapping[int, Vectors] = MappingProxyType({}),
    keep: Callable[[Sequence[int], Floats], None] | None = None,
    at_once: int,
    listen: Listener,
) -> PairScores:
    """Compute the scores that are not stored, in parts, and hand each batch over to be kept."""
    listen(StepStarted(step, total, done=len(stored)))
    values = np.full(total, np.nan)
    for number, digits in stored.items():
        values[number] = digits.sum(dtype=np.float64)
    missing = [number for number in range(total) if number not in stored]
    size = at_once or _PAIRS_AT_ONCE
    for start in range(0, len(missing), size):
        part = missing[start : start + size]
        for places, scores in compute(part):
            numbers = [part[place] for place in places]
            values[numbers] = scores
            if keep is not None:
                keep(numbers, scores)
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


def _check_batches(
    score: Callable[[], Iterable[tuple[Sequence[int], Any]]], model: Model, method: str, shape: tuple[int, ...] = ()
) -> Iterator[tuple[Sequence[int], Floats]]:
    """Call a model, and check the scores of each batch; `shape` is that of the scores of one item."""
    with naming_failures(model):
        for places, scores in score():
            yield places, _check(scores, (len(places), *shape), model, method)


def _check(scores: object, shape: tuple[int, ...], model: Model, method: str) -> Floats:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ModelError(f"{model.name}: gives no array of numbers; {method}() must return shape {shape}") from None
    if values.shape != shape:
        raise ModelError(f"{model.name}: gives scores of shape {values.shape}; {method}() must return shape {shape}")
    return values
