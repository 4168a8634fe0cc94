"""Analysis of a model on a test beyond its metrics, from the scores of its rows; names of the rows of a test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.choices import find_best, rank_options, rate_matches, rate_success
from harness.metrics.pairs import make_curve
from harness.metrics.rows import Key, ScoredRows
from harness.stats.bootstrap import Samples
from harness.stats.rounding import DECIMALS, RoundedScores, round_as
from harness.support.arrays import Floats, number_values
from pyramid_paraphrase.formats.pairs.corpora import LABELS_OF_GRADES
from pyramid_paraphrase.rules.options import (
    FRAGMENTS,
    GRADED_PAIRS,
    MATCHES,
    NO_MATCH,
    PAIRS,
    QUESTIONS,
    SUMMARIES,
    find_configuration,
)

BINS = 40
CURVE_POINTS = 200
MOST_RANKS = 5
"""Number of first ranks of right options that are shown separately."""

MANY_WORDS = 6
"""Questions that share at least this many words with their answer are counted together."""


class Wording(NamedTuple):
    """Names of the rows of a test.

    Attributes:
        positive: A row with label 1.
        positives: Rows with label 1.
        negatives: Rows with label 0.
        false_positives: Rows with label 0 that score at least the threshold.
    """

    positive: str
    positives: str
    negatives: str
    false_positives: str


PARAPHRASES = Wording("paraphrase", "paraphrases", "other pairs", "pairs classified as paraphrases")
PRESENT_SCUS = Wording("present SCU", "present SCUs", "absent SCUs", "absent SCUs classified as present")

MATCHED_FRAGMENTS = Wording(
    "matched fragment", "matched fragments", "unmatched fragments", "unmatched fragments classified as matched"
)
_WORDINGS = {SUMMARIES: PRESENT_SCUS, FRAGMENTS: MATCHED_FRAGMENTS}


def choose_wording(test_name: str) -> Wording:
    """Return the names of the rows of a configuration."""
    return _WORDINGS.get(find_configuration(test_name).origin, PARAPHRASES)


def spread_scores(rows: ScoredRows) -> tuple[Floats, Floats, Floats]:
    """Count the scores of positives and negatives of the test split in `BINS` bins of equal width.

    Returns:
        The edges of the bins, of shape (bins + 1,), rising. The shares of the rows with label 1, of shape (bins,), sum
        to 1 if there are any rows with label 1. The shares of the rows with label 0 follow in the same way.
    """
    scores, is_positive = rows.scores[rows.is_test], rows.targets[rows.is_test] == 1
    low, high = float(scores.min()), float(scores.max())
    if low == high:
        high = low + max(1, abs(low) * 1e-9)  # 1 is too little for very large scores
    edges = np.linspace(low, high, BINS + 1)
    return edges, _share_bins(scores[is_positive], edges), _share_bins(scores[~is_positive], edges)


def _share_bins(scores: Floats, edges: Floats) -> Floats:
    counts = np.histogram(scores, edges)[0]
    return np.asarray(counts / max(int(counts.sum()), 1))


def spread_by_grade(rows: ScoredRows) -> list[tuple[int, int, tuple[float, float, float]]]:
    """Compute the quartiles of the scores of the test split by grade.

    Returns:
        The grade, the number of pairs with this grade, and the lower quartile, median and upper quartile of the scores
        of these pairs. The lowest grade comes first.
    """
    scores, grades = rows.scores[rows.is_test], rows.targets[rows.is_test]
    spreads = []
    for grade in np.unique(grades):
        grade_scores = scores[grades == grade]
        lower, median, upper = map(float, np.quantile(grade_scores, (0.25, 0.5, 0.75)))
        spreads.append((int(grade), len(grade_scores), (lower, median, upper)))
    return spreads


def trace_precision(rows: ScoredRows) -> tuple[Floats, Floats]:
    """Compute the precision-recall curve of the test split, at the thresholds that gain a paraphrase.

    Thresholds lie between distinct scores.

    Returns:
        Recall, rising, and precision, both of shape (points,). Empty if there are no paraphrases.
    """
    curve = make_curve(rows.scores[rows.is_test], rows.targets[rows.is_test])
    gaining = np.flatnonzero(np.diff(curve.true_positives, prepend=0))
    hits = curve.true_positives[gaining]
    return hits / max(int(curve.true_positives[-1]), 1), hits / curve.said[gaining]


def share_paraphrases(rows: ScoredRows) -> float:
    """Compute the share of paraphrases among the pairs of the test split, rounded as in results."""
    return round(float((rows.targets[rows.is_test] == 1).mean()), DECIMALS)


def thin_curve(recall: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Choose at most `CURVE_POINTS` points of a curve, including its ends. More points would not be visible."""
    if len(recall) <= CURVE_POINTS:
        return recall, precision
    chosen = np.linspace(0, len(recall) - 1, CURVE_POINTS).astype(int)
    return recall[chosen], precision[chosen]


def reach_precision(recall: Floats, precision: Floats, level: float) -> float | None:
    """Return the highest precision of a curve at or above a level of recall, or None if no point reaches the level."""
    reached = precision[recall >= level - 1e-9]  # tolerates rounding errors
    if not len(reached):
        return None
    return float(reached.max())


def share_ranks(rows: ScoredRows) -> Floats:
    """Compute the share of rows whose right option has each of the first ranks. Tied options share their ranks evenly.

    Returns:
        Shape (options,), at most `MOST_RANKS`. Shares of the rows with a right option, the first rank first. They sum
        to 1 if there are no further ranks.
    """
    is_ranked = rows.is_test & (rows.targets != NO_MATCH)
    scores = RoundedScores(rows.scores[is_ranked])
    better, tied = rank_options(scores, rows.targets[is_ranked])
    ranks = np.arange(min(scores.shape[1], MOST_RANKS))
    shares = ((better[:, None] <= ranks) & (ranks < (better + tied)[:, None])) / tied[:, None]
    return np.asarray(shares.mean(axis=0))


def chance_of_first(rows: ScoredRows) -> float:
    """Compute the share of rows whose right option a random order ranks first."""
    is_ranked = rows.is_test & (rows.targets != NO_MATCH)
    return float((1 / rows.option_counts[is_ranked]).mean())


def ask_for_any(rows: ScoredRows) -> ScoredRows:
    """Turn rows of matches into pairs: whether any option is right, with the score of the best option."""
    scores = RoundedScores(find_best(rows.scores, rows.targets))
    return replace(rows, kind=PAIRS, scores=scores, targets=(rows.targets != NO_MATCH).astype(np.int64))


TOPICS_HEADER = ("metric", "topic", "value", "rows")
"""Titles of the columns of `list_topics`."""


def list_topics(key: Key, values: Samples) -> Iterator[tuple[str, str, float | None, int]]:
    """List the values of a model by topic.

    Args:
        key: The rows of the test.
        values: The values from `rate_topics`.

    Yields:
        The metric, the topic, the value on it, which is None if there is none, and the number of rows within it.
    """
    present, topics = number_values(key.topics[key.is_test])
    counts = np.bincount(topics[topics[:, 0] == topics[:, 1], 0], minlength=len(present)).tolist()
    for metric, numbers in values.items():
        for topic, value, count in zip(present.tolist(), numbers.tolist(), counts, strict=True):
            yield metric, key.topic_names[topic], None if math.isnan(value) else value, count


def count_across(key: Key) -> int:
    """Count the pairs of the test split whose sides are of two topics, which count for no topic."""
    return int((key.topics[:, 0] != key.topics[:, 1])[key.is_test].sum())


def rate_overlaps(rows: ScoredRows, overlap: ScoredRows) -> dict[int, tuple[float, int]]:
    """Compute success by the number of words that question and answer share.

    Args:
        rows: Scored rows of a model.
        overlap: Scored rows of the shortcut `overlap`, whose scores are this number. Same rows in the same order.

    Returns:
        The success rate on the questions that share a number of words with their answer, and the number of these
        questions, by the number of words, rising. `MANY_WORDS` means this number or more.
    """
    shared = overlap.scores[np.arange(len(rows.ids)), rows.targets][rows.is_test]
    success = rate_success(rows.scores[rows.is_test], rows.targets[rows.is_test])
    words = np.minimum(shared.astype(int), MANY_WORDS)
    rates = {}
    for count in np.unique(words).tolist():
        selected = success[words == count]
        rates[count] = (float(selected.mean()), len(selected))
    return rates


def find_mistakes(
    rows: ScoredRows, threshold: float | None, count: int, wording: Wording = PARAPHRASES
) -> dict[str, list[tuple[str, str, float]]]:
    """Find the most confident mistakes of a model on the test split.

    Args:
        rows: Scored rows of the model.
        threshold: Threshold of the model, if the test has labels.
        count: Maximum number of rows per kind of mistake.
        wording: Names of the rows of a test with labels.

    Returns:
        At most `count` rows by kind of mistake, the worst first. Rows with equal scores are in the order of their ids.
        A row has its id, the names of its topics, joined by a space, and a score: of a pair its score, of a question
        the lead of the best wrong option over the right option, and of a match the highest score.
    """
    scores = rows.scores
    if rows.kind == GRADED_PAIRS:
        labels = np.take(LABELS_OF_GRADES, rows.targets)
        return {
            "pairs of low grades that score highest": _list_worst(rows, scores, scores, labels == 0, count),
            "pairs of high grades that score lowest": _list_worst(rows, scores, -scores, labels == 1, count),
        }
    if rows.kind == QUESTIONS:
        leads = compute_leads(rows)
        return {"questions answered wrongly": _list_worst(rows, leads, leads, leads > 0, count)}
    assert threshold is not None  # all other kinds have a threshold
    if rows.kind == MATCHES:
        rates, best = rate_matches(scores, rows.targets, threshold), find_best(scores, rows.targets)
        is_named, is_matched = rates.named == 1, rates.matched == 1
        is_other = is_named & is_matched & (rates.first == 0)
        return {
            "matched fragments assigned to another SCU": _list_worst(rows, best, best, is_other, count),
            "unmatched fragments classified as matched": _list_worst(rows, best, best, is_named & ~is_matched, count),
            "matched fragments not found": _list_worst(rows, best, -best, ~is_named & is_matched, count),
        }
    predicted, is_positive = scores >= threshold, rows.targets == 1
    return {
        wording.false_positives: _list_worst(rows, scores, scores, predicted & ~is_positive, count),
        f"{wording.positives} not found": _list_worst(rows, scores, -scores, ~predicted & is_positive, count),
    }


def compute_leads(rows: ScoredRows) -> Floats:
    """Compute the lead of the best wrong option over the right option, per question."""
    numbers = np.arange(len(rows.ids))
    right = rows.scores[numbers, rows.targets]
    wrong = rows.scores.copy()
    wrong[numbers, rows.targets] = -np.inf
    return round_as(wrong.max(axis=1) - right, rows.scores)


def _list_worst(
    rows: ScoredRows, scores: Floats, badness: Floats, is_wrong: npt.NDArray[np.bool_], count: int
) -> list[tuple[str, str, float]]:
    """List the wrong rows of the test split with the highest badness, together with their scores."""
    numbers = np.flatnonzero(is_wrong & rows.is_test).tolist()
    worst = sorted(numbers, key=lambda row: (-badness[row], rows.ids[row]))[:count]
    return [(rows.ids[row], name_topics(rows, row), float(scores[row])) for row in worst]


def name_topics(rows: ScoredRows, row: int) -> str:
    """Return the names of the topics of a row, joined by a space."""
    return " ".join(sorted({rows.topic_names[topic] for topic in rows.topics[row].tolist()}))
