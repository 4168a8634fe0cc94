"""Scores of models that compare texts themselves: computed in parts, checked, and stored."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import naming_failures
from harness.evaluation.store import EmbeddingStore, Vectors
from harness.models.interfaces.model_output import collect, lending, read_batches, read_scores
from harness.models.interfaces.protocols import (
    BatchScorer,
    Model,
    OptionScorer,
    PairScorer,
    QuestionScorer,
    SummaryScorer,
)
from harness.models.judging.answers import IMPROBABLE, read_flags
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import join_remedy

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_PAIRS_AT_ONCE = 4096
_FIRST_ANSWERS = 200
"""A judge ends if it gives no usable answer among so many, because each request takes time and may cost money."""

_logger = logging.getLogger(__name__)

_Batches = Iterable[tuple[Sequence[int], Floats]]
"""Scores in batches: indices into a list of items, and the scores of these items. Each index occurs in one batch."""

_Compute = Callable[[Sequence[int]], _Batches]
"""A function that computes the scores of some items, given their numbers."""


class PairScores(NamedTuple):
    """Scores of pairs of texts.

    Attributes:
        values: Shape (n,). They may include NaN and infinity.
        computed: Number of scores that the model computed. The others came from the store.
        is_flagged: Shape (n,), whether results count an answer of a judge under `Model.flag`.
    """

    values: Floats
    computed: int
    is_flagged: Bools


@dataclass(frozen=True, slots=True)
class DirectScoring:
    """A model that compares texts itself, and the store of its scores.

    Attributes:
        model: The model, for messages and for its key in the store.
        store: Store for the scores. None for no store. Scores of a model without a `store_key` are not stored.
        resume: Whether to use stored scores. Otherwise all scores are computed again and replaced.
        listen: Receives the progress.
    """

    model: Model
    store: EmbeddingStore | None = None
    resume: bool = True
    listen: Listener = ignore

    def score_pairs(self, scorer: PairScorer, pairs: list[tuple[str, str]], step: str) -> PairScores:
        """Score pairs of texts.

        Args:
            scorer: The scorer of the model.
            pairs: n distinct pairs, at least one.
            step: Name of this step in the progress.

        Returns:
            The scores, shape (n,).

        Raises:
            ModelError: If the model fails, or does not return a number per pair.
        """

        def compute(numbers: Sequence[int]) -> _Batches:
            part = [pairs[number] for number in numbers]
            if isinstance(scorer, BatchScorer):
                return _score_batches(self.model, scorer, "score_batches", [part])
            return _score_at_once(self.model, scorer, "score", [part], (len(part),))

        names = [_name_pair(*pair) for pair in pairs]
        return self._score_stored(names, compute, step)

    def score_summaries(
        self, scorer: SummaryScorer, scus: list[str], summaries: list[list[str]], step: str
    ) -> PairScores:
        """Score whole summaries.

        A model whose scores are not stored gets all summaries at once, because its scores may depend on all of them.

        Args:
            scorer: The scorer of the model.
            scus: n SCUs, at least one. They may repeat.
            summaries: The sentences of the summary of each SCU, as for `SummaryScorer.score_summaries`.
            step: Name of this step in the progress.

        Returns:
            The scores, shape (n,).

        Raises:
            ModelError: If the model fails, or does not return a number per summary.
        """

        def compute(numbers: Sequence[int]) -> _Batches:
            part = [scus[number] for number in numbers], [summaries[number] for number in numbers]
            if isinstance(scorer, BatchScorer):
                return _score_batches(self.model, scorer, "score_summary_batches", part)
            return _score_at_once(self.model, scorer, "score_summaries", part, (len(numbers),))

        if self.store is None or self.model.store_key is None:
            return self._score_missing(len(scus), compute, step, at_once=len(scus))
        names = [_name_summary(scu, sentences) for scu, sentences in zip(scus, summaries, strict=True)]
        # Equal rows have equal names. Only the first row of each name is scored.
        first_row = {name: row for row, name in reversed(list(enumerate(names)))}
        distinct_rows = sorted(first_row.values())
        scores = self._score_stored(
            [names[row] for row in distinct_rows],
            lambda places: compute([distinct_rows[place] for place in places]),
            step,
        )
        places = np.searchsorted(distinct_rows, [first_row[name] for name in names])
        return PairScores(scores.values[places], scores.computed, scores.is_flagged[places])

    def score_questions(
        self, scorer: QuestionScorer, questions: list[str], options: list[list[str]], step: str
    ) -> PairScores:
        """Score the options of questions.

        Args:
            scorer: The scorer of the model.
            questions: n questions, at least one.
            options: The k options of each question.
            step: Name of this step in the progress.

        Returns:
            The scores, shape (n, k).

        Raises:
            ModelError: If the model fails, or does not return a number per option.
        """
        count = len(options[0])

        def compute(numbers: Sequence[int]) -> _Batches:
            rows = [number // count for number in numbers[::count]]  # a question has all of its options stored, or none
            part = [questions[row] for row in rows], [options[row] for row in rows]
            for places, scores in _score_batches(self.model, scorer, "score_question_batches", part, (count,)):
                yield [place * count + option for place in places for option in range(count)], scores.ravel()

        names = [
            f"option {number} of {_name_summary(question, texts)}"
            for question, texts in zip(questions, options, strict=True)
            for number in range(count)
        ]
        scores = self._score_stored(names, compute, step, at_once=len(names))
        return PairScores(scores.values.reshape(-1, count), scores.computed, scores.is_flagged.reshape(-1, count))

    def _score_stored(self, names: list[str], compute: _Compute, step: str, *, at_once: int = 0) -> PairScores:
        """Read scores from the store, and compute and store the missing ones.

        Args:
            names: The distinct names under which the scores are stored.
            compute: Computes the scores of some names, given their numbers.
            step: Name of this step in the progress.
            at_once: Number of scores to compute at a time. 0 means the default.
        """
        if self.store is None or self.model.store_key is None:
            return self._score_missing(len(names), compute, step, at_once=at_once)
        is_on_server = self.model.find_usage() is not None
        with self.store.open(self.model.store_key, self.model.name) as model_store:
            stored = model_store.read(names) if self.resume else {}

            def keep(numbers: Sequence[int], scores: Floats) -> None:
                digits = _split_digits(scores)
                # Other scores are computed again: the caller refuses scores that are not finite, and the store would
                # change scores that are too small or too large for single precision.
                if np.isfinite(digits).all() and np.array_equal(digits.sum(axis=1, dtype=np.float64), scores):
                    model_store.add([names[number] for number in numbers], digits)
                if is_on_server:  # a request costs more than a commit, in time and perhaps in money
                    model_store.commit()

            return self._score_missing(len(names), compute, step, stored=stored, keep=keep, at_once=at_once)

    def _score_missing(
        self,
        total: int,
        compute: _Compute,
        step: str,
        *,
        stored: Mapping[int, Vectors] = MappingProxyType({}),
        keep: Callable[[Sequence[int], Floats], None] | None = None,
        at_once: int,
    ) -> PairScores:
        """Compute the scores that are not stored, in parts, and pass each batch to `keep`."""
        self.listen(StepStarted(step, total, done=len(stored)))
        values = np.full(total, np.nan)
        for number, digits in stored.items():
            values[number] = digits.sum(dtype=np.float64)
        missing = [number for number in range(total) if number not in stored]
        size = at_once or _PAIRS_AT_ONCE
        computed: list[int] = []
        is_useful = not self._are_unusable(values[list(stored)])
        for start in range(0, len(missing), size):
            part = missing[start : start + size]
            for places, scores in compute(part):
                numbers = [part[place] for place in places]
                values[numbers] = scores
                if keep is not None:
                    keep(numbers, scores)
                self.listen(StepAdvanced(len(numbers)))
                computed += numbers
                is_useful = is_useful or not self._are_unusable(scores)
                if not is_useful and len(computed) >= _FIRST_ANSWERS:
                    place = f"the first {len(computed):,} of {total:,} answers, {step}"
                    refuse_unusable(self.model, self._read(values[computed], len(missing)), place)
        return self._read(values, len(missing))

    def _read(self, values: Floats, computed: int) -> PairScores:
        """Separate scores from the marks of flagged answers."""
        if self.model.flag:
            return PairScores(read_flags(values)[0], computed, read_flags(values)[1])
        return PairScores(values, computed, np.zeros(len(values), dtype=bool))

    def _are_unusable(self, values: Floats) -> bool:
        """Return whether a judge gave values, and none of them is an answer."""
        if not (self.model.no_answers or self.model.flag):
            return False
        return bool(find_unusable(self.model, self._read(values, 0)).all())


def find_unusable(model: Model, scores: PairScores) -> Bools:
    """Find the answers of a judge that cannot be used: missing ones, and those of almost no probability."""
    return model.find_unanswered(scores.values) | (scores.is_flagged & (model.flag == IMPROBABLE))


def count_answers(model: Model, scores: PairScores) -> dict[str, int]:
    """Count the missing answers of a judge by reason, and its flagged answers."""
    counts = {reason: int((scores.values == code).sum()) for reason, code in model.no_answers.items()}
    if model.flag:
        counts[model.flag] = int(scores.is_flagged.sum())
    return counts


def refuse_unusable(model: Model, scores: PairScores, place: str) -> None:
    """Refuse a judge without any answer that can be used, because its numbers would mean nothing.

    Args:
        model: The judge.
        scores: Its scores.
        place: Where the scores are from, for the message.

    Raises:
        ModelError: If no score is an answer.
    """
    if not (model.no_answers or model.flag) or not find_unusable(model, scores).all():
        return
    counts = {name: count for name, count in count_answers(model, scores).items() if count}
    reasons = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
    problem = f"{model.name}: gives no answer that can be used in {place} ({reasons})"
    remedy = "change the prompt with prompt_file, or use another model"
    if counts.keys() - {"refusals"}:
        remedy = f"if the model thinks first, add answer=text,reply_tokens=4000. Otherwise {remedy}"
    raise ModelError(join_remedy(problem, remedy))


def replace_missing(model: Model, scores: PairScores) -> Floats:
    """Return scores with 0 (no) in place of missing answers, for uses without right answers. Warn of their number.

    Args:
        model: The model.
        scores: Its scores. A warning also counts the flagged ones.
    """
    is_missing = model.find_unanswered(scores.values)
    total = len(scores.values)
    if is_missing.any():
        _logger.warning("%s: gave no answer %s of %s times, counted as no", model.name, is_missing.sum(), total)
    if scores.is_flagged.any():
        counted = scores.is_flagged.sum()
        _logger.warning("%s: %s of %s answers have no usable probability (%s)", model.name, counted, total, model.flag)
    return np.where(is_missing, 0.0, scores.values)


def _name_pair(first: str, second: str) -> str:
    """Join two texts to a name that no other pair has."""
    return f"{len(first)} {first}{second}"


def _name_summary(scu: str, sentences: Sequence[str]) -> str:
    """Join an SCU and the sentences of a summary to a name that no other summary and no pair has."""
    lengths = " ".join(str(len(text)) for text in (scu, *sentences))
    return f"summary {lengths}: {scu}{''.join(sentences)}"


def _split_digits(scores: Floats) -> Vectors:
    """Split each score into three numbers in single precision, which the store keeps.

    Returns:
        Shape (n, 3). The sum of three numbers is exactly the score, unless the score is beyond single precision.
    """
    parts, remainder = np.zeros((len(scores), 3), dtype=np.float32), scores.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for part in range(parts.shape[1]):
            parts[:, part] = remainder
            remainder -= parts[:, part]
    return parts


def score_options(model: Model, scorer: OptionScorer, options: list[list[str]]) -> Floats:
    """Score options, as `OptionScorer.score_options` does.

    Raises:
        ModelError: If the model fails, or does not return a number per option.
    """
    ((_, scores),) = _score_at_once(model, scorer, "score_options", [options], (len(options), len(options[0])))
    return scores


def _score_at_once(
    model: Model, scorer: object, method: str, arguments: Sequence[Any], shape: tuple[int, ...]
) -> _Batches:
    """Call a method of a scorer that returns all scores, and check them. `shape` is the shape of the scores."""
    with naming_failures(model), lending(model, method, *arguments) as lent:
        scores = collect(getattr(scorer, method)(*lent))
    return [(range(shape[0]), _check(scores, shape, model, method))]


def _score_batches(
    model: Model, scorer: object, method: str, arguments: Sequence[Any], shape: tuple[int, ...] = ()
) -> Iterator[tuple[Sequence[int], Floats]]:
    """Call a method of a scorer that yields scores, and check each batch. `shape` is the shape of an item's scores."""
    with naming_failures(model), lending(model, method, *arguments) as lent:
        for places, scores in read_batches(model, method, getattr(scorer, method)(*lent), lent[0]):
            yield places, _check(scores, (len(places), *shape), model, method)


def _check(scores: object, shape: tuple[int, ...], model: Model, method: str) -> Floats:
    returned = f"{model.name}: {method}() returned"
    values = read_scores(scores, returned, f"Return shape {shape}")
    if values.shape != shape:
        raise ModelError(f"{returned} scores of shape {values.shape}. Return shape {shape}")
    return values
