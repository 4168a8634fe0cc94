"""What a page shows of one model on one task beyond its metrics, from the scores of its rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.items import Items
from harness.metrics.contributions import measure_topics
from harness.metrics.pairs import make_curve
from harness.metrics.questions import rate_success
from pyramid_paraphrase.pair_corpora.pit import LABELS_OF_GRADES

Floats = npt.NDArray[np.float64]

BINS = 40
CURVE_POINTS = 200
MANY_WORDS = 6
"""Questions that share at least so many words with their answer stand together."""


class Distribution(NamedTuple):
    """How the scores of pairs are spread, in `BINS` bins of equal width.

    Attributes:
        edges: Shape (bins + 1,), rising.
        paraphrases: Shape (bins,), shares of the paraphrases; they sum to 1.
        others: Shape (bins,), shares of the other pairs.
    """

    edges: Floats
    paraphrases: Floats
    others: Floats


def spread_scores(items: Items) -> Distribution:
    """Count the scores of paraphrases and of other pairs of the test split."""
    scores, is_paraphrase = items.scores[items.is_test], items.targets[items.is_test] == 1
    low, high = float(scores.min()), float(scores.max())
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    counts = [np.histogram(scores[chosen], edges)[0] for chosen in (is_paraphrase, ~is_paraphrase)]
    shares = [count / max(int(count.sum()), 1) for count in counts]
    return Distribution(edges, shares[0], shares[1])


class GradeSpread(NamedTuple):
    """How the scores of pairs of one grade are spread.

    Attributes:
        grade: The grade.
        pairs: How many pairs have it.
        quartiles: Lower quartile, median and upper quartile of their scores.
    """

    grade: int
    pairs: int
    quartiles: tuple[float, float, float]


def spread_by_grade(items: Items) -> list[GradeSpread]:
    """The quartiles of the scores of the test split by grade, grades rising."""
    scores, grades = items.scores[items.is_test], items.targets[items.is_test]
    spread = []
    for grade in np.unique(grades):
        own = scores[grades == grade]
        lower, median, upper = map(float, np.quantile(own, (0.25, 0.5, 0.75)))
        spread.append(GradeSpread(int(grade), len(own), (lower, median, upper)))
    return spread


def trace_precision(items: Items) -> tuple[Floats, Floats]:
    """Precision by recall of the test split, at the cuts between distinct scores that gain a paraphrase.

    Returns:
        Recall, rising, and precision, both of the same shape (points,); no point where there is no paraphrase.
    """
    curve = make_curve(items.scores[items.is_test], items.targets[items.is_test])
    gaining = np.flatnonzero(np.diff(curve.true_positives, prepend=0))
    hits = curve.true_positives[gaining]
    return hits / max(int(curve.true_positives[-1]), 1), hits / curve.said[gaining]


def thin_curve(recall: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """Choose no more than `CURVE_POINTS` points of a curve, its ends among them: an eye sees no more."""
    if len(recall) <= CURVE_POINTS:
        return recall, precision
    chosen = np.linspace(0, len(recall) - 1, CURVE_POINTS).astype(int)
    return recall[chosen], precision[chosen]


def reach_precision(recall: Floats, precision: Floats, level: float) -> float | None:
    """The highest precision of a curve with at least so much recall; None if it has no such point."""
    reached = precision[recall >= level - 1e-9]
    return float(reached.max()) if len(reached) else None


def share_ranks(items: Items) -> Floats:
    """How often the right option has each rank; tied options share theirs evenly.

    Returns:
        Shape (options,), shares that sum to 1, the first rank first.
    """
    scores, answers = items.scores[items.is_test], items.targets[items.is_test]
    own = scores[np.arange(len(scores)), answers][:, None]
    better, tied = (scores > own).sum(axis=1)[:, None], (scores == own).sum(axis=1)[:, None]
    ranks = np.arange(scores.shape[1])
    shares = ((better <= ranks) & (ranks < better + tied)) / tied
    return np.asarray(shares.mean(axis=0))


def rate_topics(items: Items, metric: str, threshold: float | None) -> dict[str, float]:
    """A metric on the rows of each topic alone; of pairs, those across topics count nowhere.

    Returns:
        Values by topic; none of a topic without rows, or without paraphrases among its pairs, which would all be 0.
    """
    scored = items.scored(threshold)
    names = np.array(items.topic_names)[np.unique(items.topics[items.is_test])]
    values = measure_topics(scored, with_curves=False)[metric]
    within = scored.topics[:, 0] == scored.topics[:, 1]
    present = np.unique(scored.topics[within & (scored.targets == 1) if items.is_binary else within, 0])
    return {str(names[topic]): float(values[topic]) for topic in present}


def rate_overlaps(items: Items, overlap: Items) -> dict[int, tuple[float, int]]:
    """Success by how many words question and answer share.

    Args:
        items: Of a model.
        overlap: Of the shortcut `overlap`, whose score is that number, on the same rows in the same order.

    Returns:
        Success rate and number of questions by number of words; `MANY_WORDS` stands for that many and more.
    """
    shared = overlap.scores[np.arange(len(items.ids)), items.targets][items.is_test]
    success = rate_success(items.scores[items.is_test], items.targets[items.is_test])
    words = np.minimum(shared.astype(int), MANY_WORDS)
    return {
        int(count): (float(success[words == count].mean()), int((words == count).sum())) for count in np.unique(words)
    }


class Mistake(NamedTuple):
    """A row that was decided wrongly.

    Attributes:
        row: Its number among the items.
        row_id: Its id.
        topics: Its topics.
        score: Of a pair its score; of a question by how much the best wrong option scored higher than the right one.
    """

    row: int
    row_id: str
    topics: str
    score: float


def find_mistakes(items: Items, threshold: float | None, count: int) -> dict[str, list[Mistake]]:
    """The rows of the test split that a model was most sure of, and wrong.

    Returns:
        At most `count` rows by kind of mistake, the worst first, those of equal scores in the order of their ids.
    """
    if items.is_graded:
        labels = np.take(LABELS_OF_GRADES, items.targets)
        return {
            "pairs of low grades that score highest": _sort_mistakes(items, items.scores, labels == 0, count),
            "pairs of high grades that score lowest": _sort_mistakes(
                items, items.scores, labels == 1, count, rising=True
            ),
        }
    if threshold is None:
        return {"questions answered wrongly": _sort_mistakes(items, _lead(items), _lead(items) > 0, count)}
    said = items.scores >= threshold
    others, missed = said & (items.targets == 0), ~said & (items.targets == 1)
    return {
        "pairs taken for paraphrases": _sort_mistakes(items, items.scores, others, count),
        "paraphrases not found": _sort_mistakes(items, items.scores, missed, count, rising=True),
    }


def _lead(items: Items) -> Floats:
    """By how much the best wrong option scores higher than the right one."""
    rows = np.arange(len(items.ids))
    right = items.scores[rows, items.targets]
    wrong = items.scores.copy()
    wrong[rows, items.targets] = -np.inf
    return np.asarray(np.round(wrong.max(axis=1) - right, 6))


def _sort_mistakes(
    items: Items, scores: Floats, wrong: npt.NDArray[np.bool_], count: int, *, rising: bool = False
) -> list[Mistake]:
    rows = np.flatnonzero(wrong & items.is_test).tolist()
    worst = sorted(rows, key=lambda row: (scores[row] if rising else -scores[row], items.ids[row]))[:count]
    names = items.topic_names
    topics = [" ".join(sorted({names[one], names[other]})) for one, other in items.topics[worst].tolist()]
    return [Mistake(row, items.ids[row], ends, float(scores[row])) for row, ends in zip(worst, topics, strict=True)]
