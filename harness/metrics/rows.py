"""The rows of a test without their texts: as a key, with the scores of a model, and as the split that is measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import RoundedScores
from harness.support.arrays import Indices, number_values
from pyramid_paraphrase.rules.options import MATCHES, NO_MATCH, PAIRS, TEST, VALIDATION, Kind

UNDECIDED = "undecided"
"""Name under which results count the rows if all scores are equal."""

DIFFERENT, ROUNDED = "different_scores", "rounded_scores"
"""Names under which results count the different scores of a test before and after rounding, if most were merged."""


@dataclass(frozen=True, slots=True)
class ScoredSplit:
    """The n rows of the test split with the scores of a model.

    Attributes:
        kind: The kind of the test.
        targets: As in `Key`.
        topics: As in `Key`.
        scores: Shape (n,) for pairs, otherwise (n, most options), with NaN after the last option of a row.
        topic_count: Number of topics.
        threshold: The lowest score of the pairs that are called paraphrases, or of the options that are called matches.
            None if the kind has no threshold.
    """

    kind: Kind
    targets: Indices
    topics: Indices
    scores: RoundedScores
    topic_count: int
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The n rows of a test that are scored, without text. The base of text rows and of scored rows.

    Attributes:
        kind: The kind of the test.
        targets: Shape (n,): labels, 1 for paraphrases and 0 for other pairs; indices of right options, `kinds.NO_MATCH`
            where no option is right; or grades.
        topics: Shape (n, 2), indices of the topics of both sides. For questions, both are the same.
        ids: Row ids.
        is_test: Shape (n,), whether a row is of `test`. It is of `fit_split` otherwise.
        fit_split: The split that a threshold is fitted on.
        topic_names: Names of the topics, such as "D0743", sorted. `topics` contains indices into them.
    """

    kind: Kind
    targets: Indices
    topics: Indices
    ids: list[str]
    is_test: npt.NDArray[np.bool_]
    topic_names: tuple[str, ...]
    fit_split: str = VALIDATION


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRows(Key):
    """The rows of a test with the scores of a model. `topics` are sorted within each row.

    Attributes:
        scores: Shape (n,) for pairs, otherwise (n, most options), with NaN after the last option of a row.
    """

    scores: RoundedScores

    @property
    def option_counts(self) -> Indices:
        """Number of options of each row, 1 for pairs, shape (n,)."""
        if self.scores.ndim == 1:
            return np.ones(len(self.ids), dtype=np.int64)
        return np.asarray((~np.isnan(self.scores)).reshape(len(self.ids), -1).sum(axis=1))

    def count(self) -> dict[str, int]:
        """Count the rows of each scored split, the topics of the test split, and its paraphrases or matched rows."""
        test_count = int(self.is_test.sum())
        counts = {
            TEST: test_count,
            self.fit_split: len(self.ids) - test_count,
            "topics": int(np.count_nonzero(np.bincount(self.topics[self.is_test].ravel()))),
        }
        if self.kind == PAIRS:
            counts["paraphrases"] = int(self.targets[self.is_test].sum())
        if self.kind == MATCHES:
            counts["matched"] = int((self.targets[self.is_test] != NO_MATCH).sum())
        return counts

    def count_ties(self) -> tuple[int, int]:
        """Count the rows of the test split on which a model cannot decide between the options.

        Returns:
            The number of rows whose options, two or more, all have the same score, and the number of rows with two or
            more options. For kinds without options, all rows are counted if all of them have the same score.
        """
        scores = self.scores[self.is_test]
        if not self.kind.has_options:
            is_one_score = scores.min(initial=np.inf) == scores.max(initial=-np.inf)
            return len(scores) if is_one_score else 0, len(scores)
        has_choice = self.option_counts[self.is_test] > 1
        is_tied = np.nanmin(scores, axis=1) == np.nanmax(scores, axis=1)
        return int((is_tied & has_choice).sum()), int(has_choice.sum())

    def count_undecided(self) -> int:
        """Return the number of rows of the test split if equal scores decide none of them, otherwise 0."""
        tied, rows = self.count_ties()
        scores = self.scores[self.is_test]
        return len(scores) if tied == rows and scores.size > 1 else 0

    def fitted_on(self) -> tuple[RoundedScores, Indices]:
        """Return scores and targets of the rows on which thresholds are fitted."""
        return RoundedScores(self.scores[~self.is_test]), self.targets[~self.is_test]

    def test_split(self, threshold: float | None) -> ScoredSplit:
        """Return the test split for metrics. The threshold is None for kinds without a threshold."""
        names, topics = number_values(self.topics[self.is_test])
        return ScoredSplit(
            kind=self.kind,
            targets=self.targets[self.is_test],
            topics=topics,
            scores=RoundedScores(self.scores[self.is_test]),
            topic_count=len(names),
            threshold=threshold,
        )


def make_scored_rows(rows: Key, scores: RoundedScores) -> ScoredRows:
    """Join the rows of a test with their scores."""
    return ScoredRows(
        kind=rows.kind,
        ids=rows.ids,
        is_test=rows.is_test,
        targets=rows.targets,
        topics=np.sort(rows.topics, axis=1),  # in the order of their names, as `parse_scores` returns them
        topic_names=rows.topic_names,
        scores=scores,
        fit_split=rows.fit_split,
    )


def align(rows: ScoredRows, key: Key) -> ScoredRows:
    """Sort rows in the order of a key.

    Args:
        rows: The rows.
        key: The expected rows, in the expected order.

    Returns:
        The same rows in the order of the key.

    Raises:
        ValueError: If the rows differ from those of the key. The message describes the difference.
    """
    if rows.ids != key.ids:
        place = {row_id: index for index, row_id in enumerate(rows.ids)}
        order = [place[row_id] for row_id in key.ids if row_id in place]
        missing, foreign = len(key.ids) - len(order), len(rows.ids) - len(order)
        if missing or foreign:
            raise ValueError(f"missing rows: {missing:,}, rows of another test: {foreign:,}")
        rows = replace(
            rows,
            ids=key.ids,
            is_test=rows.is_test[order],
            targets=rows.targets[order],
            topics=rows.topics[order],
            scores=RoundedScores(rows.scores[order]),
        )
    if not np.array_equal(rows.targets, key.targets):
        raise ValueError("the targets differ")
    if rows.fit_split != key.fit_split or not np.array_equal(rows.is_test, key.is_test):
        raise ValueError("the splits differ")
    if isinstance(key, ScoredRows) and not np.array_equal(rows.option_counts, key.option_counts):
        raise ValueError("the numbers of options differ")
    if rows.topic_names != key.topic_names or not np.array_equal(rows.topics, key.topics):
        raise ValueError("the topics differ")
    return rows
