"""Scores of models that compare texts themselves: computed in parts, checked, stored, and laid out as rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.layout import NO_TEXT, TextRows
from harness.metrics.measuring import measure_fit
from harness.metrics.rows import make_scored_rows
from harness.models.files.store import ModelStore, ScoreFile
from harness.models.interfaces.model import Ability, Model
from harness.models.interfaces.model_output import call_scorer, read_scores
from harness.models.interfaces.scores import COUNTED, DIRECTION_RULES, Outcome, Scores, make_scores
from harness.stats.rounding import round_new_scores
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import join_remedy
from pyramid_paraphrase.rules.options import GRADED_PAIRS

Floats = npt.NDArray[np.float64]

Items = Sequence[tuple[str, ...]]
"""Pairs of texts, SCUs with the sentences of a summary, or questions with their k options."""

_ITEMS_AT_ONCE = 4096
_FIRST_ANSWERS = 200
"""A judge ends if it gives no usable answer among so many, because each request takes time and may cost money."""

_logger = logging.getLogger(__name__)
Indices = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
ONE_WAY = "one way"
"""Direction of a test that asks whether a sentence entails an SCU, but not the reverse."""

_ALWAYS_COUNTED = (Outcome.REFUSALS.label, Outcome.UNPARSABLE.label)
"""The counts that the results of judges which reply in words contain even if the number is 0."""


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
    store: ModelStore | None = None
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
                    if self.model.find_usage is not None:  # a request costs more than a commit
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


def score_rows(
    scoring: DirectScoring, ability: Ability, texts: list[str], rows: TextRows
) -> tuple[Floats, int, str | None, dict[str, int]]:
    """Score the rows of a test.

    Args:
        scoring: The model and the store of its scores.
        ability: What to use of the model: its scores of pairs, summaries, questions or options.
        texts: The distinct texts.
        rows: The rows, as indices into `texts`.

    Returns:
        The scores, not rounded, of the shape of `scoring.ScoredTests.by_test`; the number of scores that the model
        computed, the others came from the store; the name of the rule that combines the scores of both orders of a
        pair, or None for a model without rules; and for a judge, the numbers of `count_answers`. By scores of pairs, a
        summary has the score of its best sentence.

    Raises:
        ModelError: If the model fails.
    """
    if ability is Ability.SCORE_PAIRS:
        return _score_by_pairs(scoring, texts, rows)
    items = [tuple(texts[index] for index in row if index != NO_TEXT) for row in rows.texts.tolist()]
    step = f"scoring {rows.name}"
    if ability is Ability.SCORE_SUMMARIES:
        scores, is_right = scoring.score(ability, items, step), rows.targets == 1
    else:
        scores = _score_by_lengths(scoring, ability, items, rows.texts.shape[1] - 1, step)
        is_right = np.arange(scores.values.shape[1]) == rows.targets[:, None]
    counts = _count_answers(scoring.model, scores, rows)
    values = _mark_wrong(scores, is_right)
    if rows.kind.has_options:
        values[rows.texts[:, 1:] == NO_TEXT] = np.nan
    return values, scores.computed, None, counts


def _score_by_lengths(
    scoring: DirectScoring, ability: Ability, items: list[tuple[str, ...]], most: int, step: str
) -> Scores:
    """Score questions, those with the same number of options together. Return shape (n, most)."""
    counts = np.array([len(item) - 1 for item in items])
    together = make_scores(np.full((len(items), most), np.nan))
    computed = 0
    for count in np.unique(counts).tolist():
        members = np.flatnonzero(counts == count)
        scores = scoring.score(ability, [items[member] for member in members], step)
        together.values[members, :count], together.outcomes[members] = scores.values, scores.outcomes
        computed += scores.computed
    return replace(together, computed=computed)


def _score_by_pairs(
    scoring: DirectScoring, texts: list[str], rows: TextRows
) -> tuple[Floats, int, str | None, dict[str, int]]:
    """Score rows by their pairs of texts, in both orders if the model has rules to combine these."""
    model = scoring.model
    numbers = pair_texts(rows.texts)
    if rows.is_of_summaries:
        # Pairs of a sentence and an SCU, in this order. They repeat: systems copy sentences, and summaries share SCUs.
        numbers, places = np.unique(numbers[:, ::-1], axis=0, return_inverse=True)
    else:
        numbers, places = _list_distinct(numbers)
    places = places.ravel()  # some versions of NumPy return a column

    def score(numbers: Indices, step: str) -> Scores:
        pairs = [(texts[first], texts[second]) for first, second in numbers.tolist()]
        return scoring.score(Ability.SCORE_PAIRS, pairs, step)

    if not model.directions or rows.is_of_summaries:
        scores = score(numbers, f"scoring {rows.name}")
        counts = _count_answers(model, scores, rows)
        values = _mark_wrong(scores.select(places), _find_right(rows))
        direction = ONE_WAY if model.directions else None
        return shape_scores(values, rows), scores.computed, direction, counts
    rule, values, computed = _score_both_orders(model, score, numbers, places, rows)
    return shape_scores(values, rows), computed, rule, {}


def list_pairs(ability: Ability, texts: list[str], rows: TextRows) -> set[tuple[str, str]]:
    """List the distinct pairs of texts that a scorer compares, each in one order. Arguments as for `score_rows`."""
    if ability is Ability.SCORE_SUMMARIES:
        return {
            (" ".join(texts[index] for index in sentences if index != NO_TEXT), texts[scu])
            for scu, *sentences in rows.texts.tolist()
        }
    numbers = pair_texts(rows.texts)
    if rows.is_of_summaries:
        numbers = numbers[:, ::-1]
    return {(texts[first], texts[second]) for first, second in numbers.tolist()}


def _score_both_orders(
    model: Model,
    score: Callable[[Indices, str], Scores],
    numbers: Indices,
    places: Indices,
    rows: TextRows,
) -> tuple[str, Floats, int]:
    """Score distinct pairs in both orders, and choose the rule that combines both scores.

    Returns:
        The name of the rule, the scores of the pairs of all rows, and the number of scores that the model computed.
    """
    ordered, order_places = _list_distinct(np.concatenate([numbers, numbers[:, ::-1]]))
    scores = score(ordered, f"scoring {rows.name} in both orders")
    forward, backward = np.split(scores.values[order_places], 2)
    candidates = [(rule, DIRECTION_RULES[rule](forward, backward)[places]) for rule in model.directions]
    rule, values = candidates[0]
    if len(candidates) > 1 and rows.kind.fits_threshold:

        def measure(candidate: tuple[str, Floats]) -> float:
            _, values = candidate
            return measure_fit(make_scored_rows(rows, round_new_scores(shape_scores(values, rows))))

        rule, values = max(candidates, key=measure)  # by the rows on which thresholds are fitted
    return rule, values, scores.computed


def _count_answers(model: Model, scores: Scores, rows: TextRows) -> dict[str, int]:
    """Count the answers of a judge by outcome, without the usual ones.

    Args:
        model: The model.
        scores: Scores of the distinct pairs, summaries or questions.
        rows: The rows, for messages.

    Raises:
        ModelError: If probabilities were requested, and no answer can be used.
    """
    if not {Outcome.BY_WORDS, Outcome.IMPROBABLE}.isdisjoint(model.outcomes):
        refuse_unusable(model, scores, rows.name)
    return {name: count for name, count in count_answers(model, scores).items() if count or name in _ALWAYS_COUNTED}


def _mark_wrong(scores: Scores, is_right: Bools) -> Floats:
    """Score items without an answer as wrong answers: 0 where a high score is right, and 1 elsewhere.

    Args:
        scores: Scores of the pairs or of the items of all rows.
        is_right: Shape of the scores, whether a high score is right.
    """
    values = scores.values.copy()
    values[scores.is_missing] = np.where(is_right, 0.0, 1.0)[scores.is_missing]
    return values


def _find_right(rows: TextRows) -> Bools:
    """Return for each pair of `pair_texts` whether a high score is right.

    Grades have no right answer. A high score is right for a grade above the midpoint of the lowest and the highest
    grade of the rows.
    """
    is_text = rows.texts[:, 1:] != NO_TEXT
    if rows.kind.has_options:
        is_target = np.arange(is_text.shape[1]) == rows.targets[:, None]
        return np.asarray(is_target[is_text])
    is_high = rows.targets == 1
    if rows.kind == GRADED_PAIRS:
        is_high = rows.targets > (rows.targets.min() + rows.targets.max()) / 2
    return np.repeat(is_high, is_text.sum(axis=1))


def pair_texts(texts: Indices) -> Indices:
    """Pair the first text of each row with each of the other texts of that row.

    Args:
        texts: As in `TextRows`.

    Returns:
        Shape (pairs, 2), row after row.
    """
    others = texts[:, 1:]
    is_text = others != NO_TEXT
    return np.stack([np.repeat(texts[:, 0], is_text.sum(axis=1)), others[is_text]], axis=1)


def shape_scores(values: Floats, rows: TextRows) -> Floats:
    """Arrange the values of the pairs of `pair_texts` as scores of rows. A summary has that of its best sentence."""
    if rows.kind.has_options:
        is_option = rows.texts[:, 1:] != NO_TEXT
        scores = np.full(is_option.shape, np.nan)
        scores[is_option] = values
        return scores
    if rows.is_of_summaries:
        counts = (rows.texts[:, 1:] != NO_TEXT).sum(axis=1)
        return np.maximum.reduceat(values, np.cumsum(counts) - counts)
    return values


def _list_distinct(pairs: Indices) -> tuple[Indices, Indices]:
    """Return the distinct pairs in the order of their first occurrence, and the index of each pair among them."""
    distinct, first_seen, places = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first_seen)
    return distinct[order], np.argsort(order)[places.ravel()]
