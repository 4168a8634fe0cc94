"""Scores of models that compare texts themselves: computed in parts, checked, and stored."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.store import EmbeddingStore, ScoreFile
from harness.models.interfaces.model_output import call_scorer, read_scores
from harness.models.interfaces.protocols import Ability, Model
from harness.models.interfaces.scores import COUNTED, Outcome, Scores, make_scores
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import join_remedy

Floats = npt.NDArray[np.float64]

Items = Sequence[tuple[str, ...]]
"""Pairs of texts, SCUs with the sentences of a summary, or questions with their k options."""

_ITEMS_AT_ONCE = 4096
_FIRST_ANSWERS = 200
"""A judge ends if it gives no usable answer among so many, because each request takes time and may cost money."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DirectScoring:
    """A model that compares texts itself, and the store of its scores.

    Attributes:
        model: The model.
        store: Store for the scores. None for no store. Scores of a model without a `store_key` are not stored.
        resume: Whether to use stored scores. Otherwise all scores are computed again and replaced.
        listen: Receives the progress.
    """

    model: Model
    store: EmbeddingStore | None = None
    resume: bool = True
    listen: Listener = ignore

    def score(self, ability: Ability, items: Items, step: str) -> Scores:
        """Score pairs, summaries, questions or options.

        If scores are not stored, the model gets all summaries at once, because its scores may depend on all of them.

        Args:
            ability: How the model scores: `SCORE_PAIRS`, `SCORE_SUMMARIES`, `SCORE_QUESTIONS` or `SCORE_OPTIONS`.
            items: n items, at least one. Pairs and questions are distinct.
            step: Name of this step in the progress.

        Returns:
            The scores, shape (n,), or (n, k) for questions and options.

        Raises:
            ModelError: If the model fails, or does not return a number per item or option.
        """
        if self.store is None or self.model.store_key is None:
            return self._score_items(ability, items, step)
        distinct = list(dict.fromkeys(items))
        with self.store.open_scores(self.model.store_key, self.model.name) as file:
            scores = self._score_items(ability, distinct, step, file)
        place_of = {item: place for place, item in enumerate(distinct)}
        return scores.select([place_of[item] for item in items])

    def _score_items(self, ability: Ability, items: Items, step: str, file: ScoreFile | None = None) -> Scores:
        """Read scores from a file, compute the missing ones in parts, and store each batch."""
        shape = _shape_item(ability, items)
        scores = make_scores(np.full((len(items), *shape), np.nan))
        stored: list[int] = []
        if file is not None and self.resume:
            stored, earlier = file.read(ability.method, items, shape)
            scores.values[stored], scores.outcomes[stored] = earlier.values, earlier.outcomes
        self.listen(StepStarted(step, len(items), done=len(stored)))
        missing = sorted(set(range(len(items))).difference(stored))
        size = len(items)
        if ability is Ability.SCORE_PAIRS or (ability is Ability.SCORE_SUMMARIES and file is not None):
            size = _ITEMS_AT_ONCE
        computed: list[int] = []
        is_useful = not scores.select(stored).is_unusable.all()
        for start in range(0, len(missing), size):
            part = missing[start : start + size]
            for places, batch in self._compute(ability, [items[number] for number in part]):
                numbers = [part[place] for place in places]
                scores.values[numbers], scores.outcomes[numbers] = batch.values, batch.outcomes
                if file is not None:
                    file.add(ability.method, [items[number] for number in numbers], batch)
                    if self.model.find_usage() is not None:  # a request costs more than a commit
                        file.commit()
                self.listen(StepAdvanced(len(numbers)))
                computed += numbers
                is_useful = is_useful or not batch.is_unusable.all()
                if not is_useful and len(computed) >= _FIRST_ANSWERS:
                    place = f"the first {len(computed):,} of {len(items):,} answers, {step}"
                    refuse_unusable(self.model, scores.select(computed), place)
        return Scores(scores.values, scores.outcomes, scores.values[missing].size)

    def _compute(self, ability: Ability, items: Items) -> Iterator[tuple[Sequence[int], Scores]]:
        """Call the method of the scorer, and check its scores batch by batch."""
        model, shape = self.model, _shape_item(ability, items)
        arguments: list[Any] = [list(items)]
        if ability is not Ability.SCORE_PAIRS:
            arguments = [[first for first, *_ in items], [others for _, *others in items]]
        if ability is Ability.SCORE_OPTIONS:  # by the options alone, without the questions
            del arguments[0]
        for places, output in call_scorer(model, ability, *arguments):
            returned = f"{model.name}: {ability.find_method(model.scorer)}() returned"
            expected = f"Return shape {(len(places), *shape)}"
            scores = output
            if not isinstance(output, Scores):
                scores = make_scores(read_scores(output, returned, expected))
            if scores.values.shape != (len(places), *shape):
                raise ModelError(f"{returned} scores of shape {scores.values.shape}. {expected}")
            yield places, scores


def _shape_item(ability: Ability, items: Items) -> tuple[int, ...]:
    """Return the shape of the scores of an item: a number for each option, or a single one."""
    if ability in (Ability.SCORE_QUESTIONS, Ability.SCORE_OPTIONS):
        return (len(items[0]) - 1,)
    return ()


def count_answers(model: Model, scores: Scores) -> dict[str, int]:
    """Count the answers of a judge by outcome, without the usual ones. Outcomes that a judge can have may have 0."""
    counts = {outcome: scores.count(outcome) for outcome in COUNTED}
    return {outcome.label: count for outcome, count in counts.items() if count or outcome in model.outcomes}


def refuse_unusable(model: Model, scores: Scores, place: str) -> None:
    """Refuse a judge without any answer that can be used, because its numbers would mean nothing.

    Args:
        model: The judge.
        scores: Its scores.
        place: Where the scores are from, for the message.

    Raises:
        ModelError: If no score is an answer.
    """
    if not scores.is_unusable.all():
        return
    counts = {name: count for name, count in count_answers(model, scores).items() if count}
    reasons = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
    problem = f"{model.name}: gives no answer that can be used in {place} ({reasons})"
    remedy = "change the prompt with prompt_file, or use another model"
    if counts.keys() - {Outcome.REFUSALS.label}:
        remedy = f"if the model thinks first, add answer=text,reply_tokens=4000. Otherwise {remedy}"
    raise ModelError(join_remedy(problem, remedy))


def replace_missing(model: Model, scores: Scores) -> Floats:
    """Return scores with 0 (no) in place of missing answers, for uses without right answers. Warn of their number.

    Args:
        model: The model.
        scores: Its scores. A warning also counts those by words and the improbable ones.
    """
    total = len(scores.values)
    if scores.is_missing.any():
        _logger.warning("%s: gave no answer %s of %s times, counted as no", model.name, scores.is_missing.sum(), total)
    for outcome in (Outcome.BY_WORDS, Outcome.IMPROBABLE):
        if counted := scores.count(outcome):
            message = "%s: %s of %s answers have no usable probability (%s)"
            _logger.warning(message, model.name, counted, total, outcome.label)
    return np.where(scores.is_missing, 0.0, scores.values)
