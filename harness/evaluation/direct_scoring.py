"""Scores of models that compare texts themselves: computed in parts, checked, stored, and laid out as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.evaluation.layout import NO_TEXT, TextRows
from harness.metrics.measuring import measure_fit
from harness.metrics.rows import DIFFERENT, ROUNDED, make_scored_rows
from harness.models.files.store import ModelStore, ScoreFile
from harness.models.interfaces.model import Ability, Model
from harness.models.interfaces.model_output import call_scorer, read_scores
from harness.models.interfaces.scores import DIRECTION_RULES, Outcome, Scores, make_scores
from harness.stats.rounding import LARGEST_SCORE, RoundedScores, count_merged, round_new_scores
from harness.support.arrays import Flags, Floats, Indices
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.errors import join_remedy
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.rules.options import GRADED_PAIRS

Items = Sequence[tuple[str, ...]]
"""Pairs of texts, SCUs with the sentences of a summary, or questions with their k options."""

ONE_WAY = "one way"
"""Direction of a test that asks whether a sentence entails an SCU, but not the reverse."""

_ITEMS_AT_ONCE = 4096
_FIRST_ANSWERS = 200
"""A judge ends if it gives no usable answer among so many, because each request takes time and may cost money."""

_ALWAYS_COUNTED = (Outcome.REFUSALS, Outcome.UNPARSABLE)
"""The outcomes that the results of judges which can have them contain even if their number is 0."""

_logger = make_logger(__name__)


@dataclass(frozen=True, slots=True)
class RowScores:
    """The scores of a model on the rows of a test.

    Attributes:
        values: Shape (rows,) for pairs, otherwise (rows, most options), with NaN after the last option of a row.
        counts: Numbers by name: the answers of a judge by outcome, without the usual ones; and `DIFFERENT` and
            `ROUNDED` if rounding merges most scores.
        direction: Name of the rule that combines the scores of both orders of a pair. None for a model without rules.
    """

    values: RoundedScores
    counts: Mapping[str, int]
    direction: str | None = None


def make_row_scores(
    values: Floats,
    rounded: RoundedScores,
    counts: Mapping[str, int] | None = None,
    direction: str | None = None,
    *,
    are_sums: bool,
) -> RowScores:
    """Make the scores of a test, and count different scores before and after rounding if it merges most of them.

    Args:
        values: The scores before rounding.
        rounded: The scores.
        counts: Other numbers of the test.
        direction: As in `RowScores`.
        are_sums: As for `count_merged`.
    """
    merged = count_merged(values, rounded, are_sums=are_sums)
    merged_counts = {} if merged is None else dict(zip((DIFFERENT, ROUNDED), merged, strict=True))
    return RowScores(rounded, {**(counts or {}), **merged_counts}, direction)


class DirectScoring:
    """The computation of scores by a model that compares texts itself.

    Args:
        model: The model.
        store: Store for the scores. None for no store. Scores of a model without a `store_key` are not stored.
        resume: Whether to use stored scores. Otherwise all scores are computed again and replaced.
        listen: Receives the progress.
    """

    def __init__(
        self, model: Model, store: ModelStore | None = None, *, resume: bool = True, listen: Listener = ignore
    ) -> None:
        self.model, self._store, self._resume, self._listen = model, store, resume, listen

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
        if self._store is None or self.model.store_key is None:
            return self._score_items(ability, items, step)
        distinct = list(dict.fromkeys(items))
        with self._store.open_scores(self.model.store_key, self.model.name) as file:
            scores = self._score_items(ability, distinct, step, file)
        place_of = {item: place for place, item in enumerate(distinct)}
        return scores.select([place_of[item] for item in items])

    def score_rows(self, ability: Ability, texts: list[str], rows: TextRows) -> tuple[RowScores, int]:
        """Score the rows of a test.

        Args:
            ability: What to use of the model: its scores of pairs, summaries, questions or options.
            texts: The distinct texts.
            rows: The rows, as indices into `texts`.

        Returns:
            The scores, and the number of scores that the model computed. The others came from the store. By scores of
            pairs, a summary has the score of its best sentence, or of its best window after `join_windows`.

        Raises:
            ModelError: If the model fails, if probabilities were requested and no answer can be used, or if a score is
                not finite or too large.
        """
        model, step, direction = self.model, f"scoring {rows.name}", None
        if ability is Ability.SCORE_PAIRS and model.directions and not rows.is_of_summaries:
            direction, values, computed = self._score_both_orders(texts, rows)
            return make_row_scores(values, self._round(values, rows), {}, direction, are_sums=False), computed
        if ability is Ability.SCORE_PAIRS:
            numbers = pair_texts(rows.texts)
            if rows.is_of_summaries:
                direction = ONE_WAY if model.directions else None
                # Pairs of a sentence and an SCU, in this order. They repeat: systems copy sentences, and summaries
                # share SCUs.
                numbers, places = np.unique(numbers[:, ::-1], axis=0, return_inverse=True)
            else:
                numbers, places = _list_distinct(numbers)
            scores = self._score_pairs(texts, numbers, step)
            row_scores = scores.select(places.ravel())  # some versions of NumPy return a column
            values = shape_scores(_mark_wrong(row_scores, _find_right(rows), model.cutoff), rows)
        else:
            items = [tuple(texts[index] for index in row if index != NO_TEXT) for row in rows.texts.tolist()]
            if ability is Ability.SCORE_SUMMARIES:
                scores, is_right = self.score(ability, items, step), rows.targets == 1
            else:
                scores = self._score_by_lengths(ability, items, rows.texts.shape[1] - 1, step)
                is_right = np.arange(scores.values.shape[1]) == rows.targets[:, None]
            values = _mark_wrong(scores, is_right, model.cutoff)
            if rows.kind.has_options:
                values[rows.texts[:, 1:] == NO_TEXT] = np.nan
        if not {Outcome.BY_WORDS, Outcome.IMPROBABLE, Outcome.ABSENT}.isdisjoint(model.outcomes):
            refuse_unusable(model, scores, rows.name)
        always = {outcome.label: 0 for outcome in _ALWAYS_COUNTED if outcome in model.outcomes}
        counts = always | scores.count_unusual()
        return make_row_scores(values, self._round(values, rows), counts, direction, are_sums=False), scores.computed

    def _round(self, values: Floats, rows: TextRows) -> RoundedScores:
        """Round scores, and check that they are numbers that can be compared.

        Raises:
            ModelError: If the score of a pair or an option is not finite, or is larger than `LARGEST_SCORE`.
        """
        is_wrong = ~(np.abs(values) <= LARGEST_SCORE).reshape(len(rows.ids), -1)
        if rows.kind.has_options:
            is_wrong &= rows.texts[:, 1:] != NO_TEXT
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong.any(axis=1))[0])
            place = f"{self.model.name}: the score of row {rows.ids[row]} of {rows.name}"
            if np.isfinite(values.reshape(len(rows.ids), -1)[row][is_wrong[row]]).all():
                remedy = "Divide all scores of the model by the same number"
                raise ModelError(f"{place} is beyond {LARGEST_SCORE:g}. {remedy}")
            raise ModelError(f"{place} is not finite. Correct the model")
        return round_new_scores(values)

    def _score_pairs(self, texts: list[str], numbers: Indices, step: str) -> Scores:
        """Score pairs of texts, given by their indices, shape (pairs, 2)."""
        first, second = (map(texts.__getitem__, column) for column in numbers.T)
        pairs = list(zip(first, second, strict=True))
        return self.score(Ability.SCORE_PAIRS, pairs, step)

    def _score_both_orders(self, texts: list[str], rows: TextRows) -> tuple[str, Floats, int]:
        """Score distinct pairs in both orders, and choose the rule that combines both scores.

        Returns:
            The name of the rule, the scores of all rows, and the number of scores that the model computed.
        """
        numbers, places = _list_distinct(pair_texts(rows.texts))
        ordered, order_places = _list_distinct(np.concatenate([numbers, numbers[:, ::-1]]))
        scores = self._score_pairs(texts, ordered, f"scoring {rows.name} in both orders")
        forward, backward = np.split(scores.values[order_places], 2)
        candidates = {
            rule: shape_scores(DIRECTION_RULES[rule](forward, backward)[places], rows) for rule in self.model.directions
        }
        rule = self.model.directions[0]
        if len(candidates) > 1 and rows.kind.fits_threshold:

            def measure(rule: str) -> float:
                return measure_fit(make_scored_rows(rows, round_new_scores(candidates[rule])))

            rule = max(candidates, key=measure)  # by the rows on which thresholds are fitted
        return rule, candidates[rule], scores.computed

    def _score_by_lengths(self, ability: Ability, items: list[tuple[str, ...]], most: int, step: str) -> Scores:
        """Score questions, those with the same number of options together. Return shape (n, most)."""
        counts = np.array([len(item) - 1 for item in items])
        together = make_scores(np.full((len(items), most), np.nan))
        computed = 0
        for count in np.unique(counts).tolist():
            members = np.flatnonzero(counts == count)
            scores = self.score(ability, [items[member] for member in members], step)
            together.values[members, :count], together.outcomes[members] = scores.values, scores.outcomes
            computed += scores.computed
        return Scores(together.values, together.outcomes, computed)

    def _score_items(self, ability: Ability, items: Items, step: str, file: ScoreFile | None = None) -> Scores:
        """Read scores from a file, compute the missing ones in parts, and store each batch."""
        shape = _shape_item(ability, items)
        scores = make_scores(np.full((len(items), *shape), np.nan))
        stored: list[int] = []
        if file is not None and self._resume:
            stored, earlier = file.read(ability.method, items, shape)
            scores.values[stored], scores.outcomes[stored] = earlier.values, earlier.outcomes
        self._listen(StepStarted(step, len(items), done=len(stored)))
        missing = np.setdiff1d(np.arange(len(items)), stored)
        size = len(items)
        if ability is Ability.SCORE_PAIRS or (ability is Ability.SCORE_SUMMARIES and file is not None):
            size = getattr(self.model.scorer, "items_at_once", None) or _ITEMS_AT_ONCE
        computed: list[int] = []  # until an answer can be used
        # A file of predictions may begin with other rows, and costs nothing.
        is_useful = Outcome.ABSENT in self.model.outcomes or not scores.select(stored).is_unusable.all()
        for start in range(0, len(missing), size):
            part = missing[start : start + size].tolist()
            for places, batch in self._compute(ability, [items[number] for number in part]):
                numbers = [part[place] for place in places]
                scores.values[numbers], scores.outcomes[numbers] = batch.values, batch.outcomes
                if file is not None:
                    file.add(ability.method, [items[number] for number in numbers], batch)
                    if self.model.find_usage is not None:  # a request costs more than a commit
                        file.commit()
                self._listen(StepAdvanced(len(numbers)))
                is_useful = is_useful or not batch.is_unusable.all()
                computed += [] if is_useful else numbers
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
    counts = scores.count_unusual()
    if Outcome.ABSENT in model.outcomes:
        remedy = "Use predictions about the texts of this test, or another column"
        raise ModelError(f"{model.name}: its file has no answer to any row of {place}. {remedy}")
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
    counts = scores.count_unusual()
    for name in (Outcome.BY_WORDS.label, Outcome.IMPROBABLE.label):
        if name in counts:
            message = "%s: %s of %s answers have no usable probability (%s)"
            _logger.warning(message, model.name, counts[name], total, name)
    return np.where(scores.is_missing, 0.0, scores.values)


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


def _mark_wrong(scores: Scores, is_right: Flags, cutoff: float | None) -> Floats:
    """Score items without an answer as wrong answers: low where a high score is right, and high elsewhere.

    Low is 0 or, if they are lower, the lowest score or a score below the cutoff. High is 1, or the highest of these.

    Args:
        scores: Scores of the pairs or of the items of all rows.
        is_right: Shape of the scores, whether a high score is right.
        cutoff: The lowest score that means yes, if the model has one.
    """
    values, is_missing = scores.values.copy(), scores.is_missing
    if is_missing.any():
        bounds = [0.0, 1.0] if cutoff is None else [0.0, 1.0, cutoff - 1, cutoff]
        answers = values[np.isfinite(values)]
        low, high = answers.min(initial=min(bounds)), answers.max(initial=max(bounds))
        values[is_missing] = np.where(is_right, low, high)[is_missing]
    return values


def _find_right(rows: TextRows) -> Flags:
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
    """Arrange the values of the pairs of `pair_texts` as scores of rows. A summary has that of its best window."""
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
