"""Metrics of yes-or-no decisions on pairs, from scores and labels, also under many weightings of their topics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.metrics.metric import Metric
from harness.stats.bootstrap import Cells
from harness.stats.rounding import RoundedScores, divide, find_decimals, round_to_size
from harness.support.arrays import Flags, Floats, Indices
from pyramid_paraphrase.rules.options import PAIR_CORPUS, PAIRS, PIT, PYRAMIDS, SUMMARIES

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_SHARE_BEYOND = 1e-9
"""Share of the largest score that a threshold beyond all scores is at least away from them."""

_CUTS_AT_ONCE = 1 << 17
"""Cuts times resamples per block: small enough for the cache of a processor, and large enough to be fast."""

_LEAST = np.finfo(np.float64).tiny

PAIR_METRICS = (
    Metric(
        name="f1",
        title="F",
        kind=PAIRS,
        needs_threshold=True,
        published_for=(PYRAMIDS, SUMMARIES, PAIR_CORPUS, PIT),
        ranks_models_of=(PYRAMIDS, SUMMARIES, PIT),
    ),
    Metric(name="precision", title="precision", kind=PAIRS, needs_threshold=True),
    Metric(name="recall", title="recall", kind=PAIRS, needs_threshold=True),
    Metric(
        name="accuracy",
        title="accuracy",
        kind=PAIRS,
        needs_threshold=True,
        is_mean_over_rows=True,
        published_for=(PAIR_CORPUS,),
        ranks_models_of=(PAIR_CORPUS,),
    ),
    Metric(name="mcc", title="mcc", kind=PAIRS, low=-1.0, needs_threshold=True),
    Metric(
        name="kappa",
        title="kappa",
        kind=PAIRS,
        low=-1.0,
        needs_threshold=True,
        is_mean_over_rows=True,
        published_for=(SUMMARIES,),
        is_in_narrow_tables=False,
    ),
    Metric(
        name="average_precision",
        title="average precision",
        kind=PAIRS,
        published_for=(PYRAMIDS, SUMMARIES, PAIR_CORPUS, PIT),
        heading="AP",
        is_in_narrow_tables=False,
    ),
    Metric(
        name="roc_auc",
        title="roc auc",
        kind=PAIRS,
        published_for=(SUMMARIES,),
        is_in_narrow_tables=False,
    ),
)
"""The metrics of pairs. `rate_decisions` computes those with a threshold, and `measure_pairs` all of them."""


class Curve(NamedTuple):
    """The decisions of a cut below each distinct score, from the highest score to the lowest.

    Attributes:
        values: Distinct scores, shape (k,), descending.
        true_positives: Shape (k,), the number of paraphrases with at least this score, or a sum of shares of right
            options.
        said: Shape (k,), the number or weight of pairs with at least this score, which are called paraphrases.
    """

    values: Floats
    true_positives: npt.NDArray[np.int64] | Floats
    said: npt.NDArray[np.int64] | Floats


def make_curve(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Curve:
    """Round scores, and count decisions at every cut between distinct scores, never inside a group of equal scores.

    Args:
        scores: Shape (n,), n at least 1, finite.
        labels: Shape (n,), 1 for paraphrases and 0 for other pairs.

    Returns:
        The curve.

    Raises:
        ValueError: If there is no score, a score is not finite, or a label is neither 0 nor 1.
    """
    return make_curve_of_rounded(round_to_size(scores), np.asarray(labels))


def make_curve_of_rounded(values: RoundedScores, truth: npt.NDArray[Any]) -> Curve:
    """Make the curve of scores that are rounded already. Return value and errors are those of `make_curve`."""
    if values.ndim != 1 or values.shape != truth.shape or not len(values):
        shapes = f"scores of shape {values.shape} and labels of shape {truth.shape}"
        raise ValueError(f"{shapes}. Pass the same number of both, at least one")
    if not np.isfinite(values).all():
        raise ValueError("a score is not finite")
    if not ((truth == 0) | (truth == 1)).all():
        raise ValueError("a label is neither 0 nor 1")
    order = np.argsort(values)[::-1]
    ranked = values[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return Curve(ranked[last], np.cumsum(truth[order], dtype=np.int64)[last], last + 1)


def fit_threshold(curve: Curve, positives: float | None = None) -> float:
    """Find the cut with the highest F = 2 true positives / (said + positives).

    A cut is in the middle between two neighbouring distinct scores, or beyond either end, where all pairs or none are
    called paraphrases. Its distance from the last score is then the range of the scores plus 1, or plus a billionth of
    the largest score if that is more. Among cuts with equal F, the highest is chosen. The threshold has one more
    decimal than scores, because it is in the middle between two scores.

    Args:
        curve: The curve of the pairs to fit on.
        positives: Number of rows that should be called paraphrases. None for all true positives of the curve.

    Returns:
        The threshold, the lowest score that is called a paraphrase.
    """
    highest, lowest = curve.values[0], curve.values[-1]
    beyond = highest - lowest + max(1, abs(highest) * _SHARE_BEYOND, abs(lowest) * _SHARE_BEYOND)
    middles = (curve.values[:-1] + curve.values[1:]) / 2
    cuts = np.concatenate([[highest + beyond], middles, [lowest - beyond]])
    if positives is None:
        positives = curve.true_positives[-1]
    f1 = 2 * curve.true_positives / (curve.said + positives)
    return round(float(cuts[np.argmax(np.concatenate([[0.0], f1]))]), find_decimals(curve.values) + 1)


def count_decisions(curve: Curve, threshold: float) -> tuple[int, int, int, int]:
    """Count the decisions at a threshold: TP, FP, FN and TN."""
    cut = np.searchsorted(-curve.values, -threshold, side="right") - 1
    hits, said = (int(curve.true_positives[cut]), int(curve.said[cut])) if cut >= 0 else (0, 0)
    positives, total = int(curve.true_positives[-1]), int(curve.said[-1])
    return hits, said - hits, positives - hits, total - positives - said + hits


def weigh_others(curve: Curve, share: float) -> Curve:
    """Weigh the pairs that are no paraphrases, so that paraphrases have a share of the weight of all pairs.

    With P paraphrases and N other pairs, the weight of each other pair is P (1 - share) / (share N).

    Args:
        curve: The curve of pairs of both classes, without weights.
        share: The share, between 0 and 1.

    Returns:
        The curve of the weighted pairs. A paraphrase has the weight 1.
    """
    positives, total = curve.true_positives[-1], curve.said[-1]
    weight = positives * (1 - share) / (share * (total - positives))
    return curve._replace(said=curve.true_positives + weight * (curve.said - curve.true_positives))


def find_f1(curve: Curve, threshold: float) -> float:
    """Compute F = 2 true positives / (said + positives) at a threshold, also of weighted pairs."""
    cut = np.searchsorted(-curve.values, -threshold, side="right") - 1
    if cut < 0:
        return 0.0
    return float(2 * curve.true_positives[cut] / (curve.said[cut] + curve.true_positives[-1]))


def rate_decisions(
    true_positives: npt.ArrayLike,
    false_positives: npt.ArrayLike,
    false_negatives: npt.ArrayLike,
    true_negatives: npt.ArrayLike,
) -> dict[str, Floats]:
    """Compute all metrics of decisions at a threshold, from the numbers TP, FP, FN and TN.

    F is 2 TP / (2 TP + FP + FN), precision TP / (TP + FP), recall TP / (TP + FN), accuracy (TP + TN) / (TP + FP + FN +
    TN), and the correlation of decisions and labels (Matthews 1975) (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN +
    FP) (TN + FN)), in [-1, 1]. Kappa, the agreement of decisions and labels corrected for chance (Cohen 1960), is
    2 (TP TN - FP FN) / ((TP + FP) (TN + FP) + (TP + FN) (TN + FN)), in [-1, 1]. A metric is 0 where its denominator is
    0.

    Args:
        true_positives: TP, a number or an array.
        false_positives: FP, of the same shape.
        false_negatives: FN, of the same shape.
        true_negatives: TN, of the same shape.

    Returns:
        Arrays of that shape, by name of the metric.
    """
    counts = (true_positives, false_positives, false_negatives, true_negatives)
    tp, fp, fn, tn = (np.asarray(count, dtype=np.float64) for count in counts)
    margins = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return {
        "f1": divide(2 * tp, 2 * tp + fp + fn),
        "precision": divide(tp, tp + fp),
        "recall": divide(tp, tp + fn),
        "accuracy": divide(tp + tn, tp + fp + fn + tn),
        "mcc": divide(tp * tn - fp * fn, margins),
        "kappa": divide(2 * (tp * tn - fp * fn), (tp + fp) * (tn + fp) + (tp + fn) * (tn + fn)),
    }


def average_precision(curve: Curve) -> float:
    """Compute the sum of precision times gain in recall over cuts between distinct scores, or 0 without paraphrases."""
    positives = curve.true_positives[-1]
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (curve.true_positives / curve.said)).sum() / positives) if positives else 0.0


def roc_auc(curve: Curve) -> float:
    """Compute the probability that a paraphrase scores higher than another pair. Ties count half.

    The area under the ROC curve is 0.5 without paraphrases, and without other pairs.
    """
    positives = int(curve.true_positives[-1])
    negatives = int(curve.said[-1]) - positives
    if not positives or not negatives:
        return 0.5
    others = curve.said - curve.true_positives
    above = np.concatenate([[0], others[:-1]])
    gains = np.diff(curve.true_positives, prepend=0)
    return float((gains * (negatives - (others + above) / 2)).sum() / (positives * negatives))


def measure_pairs(curve: Curve, threshold: float) -> dict[str, float]:
    """Compute all metrics of pairs at a threshold, by name, and add that threshold and the share of paraphrases."""
    rates = rate_decisions(*count_decisions(curve, threshold))
    return {
        **{name: float(value) for name, value in rates.items()},
        "average_precision": average_precision(curve),
        "roc_auc": roc_auc(curve),
        "threshold": threshold,
        "positive_share": float(curve.true_positives[-1] / curve.said[-1]),
    }


class WeightedCuts:
    """The c cuts through scores at which a paraphrase is gained, to measure the order of pairs under r weightings.

    Precision, recall and F rise nowhere else.

    Args:
        scores: Shape (n,), rounded.
        is_paraphrase: Shape (n,).
        cells: The cells of the rows.
    """

    def __init__(self, scores: Floats, is_paraphrase: Flags, cells: Cells) -> None:
        from scipy.sparse import csr_matrix  # imported here, because importing it takes long

        order = np.argsort(-scores)
        falling, gains, cells_of_rows = -scores[order], is_paraphrase[order], cells.of_rows[order]
        gaining = falling[gains]
        gaining = gaining[np.append(np.inf, gaining)[:-1] != gaining]
        first, end = (np.searchsorted(falling, gaining, side) for side in ("left", "right"))
        passed = np.append(0, np.cumsum(gains))  # the paraphrases before each row
        tied_cuts = np.flatnonzero(end - first > passed[end] - passed[first])
        borders = np.zeros(len(falling) + 1, dtype=np.int64)
        borders[first[tied_cuts]] += 1
        borders[end[tied_cuts]] -= 1
        is_tied = ~gains & (np.cumsum(borders[:-1]) > 0)

        def count(chosen: Flags, ends: Indices) -> csr_matrix:
            """Count the chosen rows, divided at some of them, by cell."""
            cells_of_chosen = cells_of_rows[chosen][: ends[-1] if len(ends) else 0]
            entries = (np.ones(len(cells_of_chosen)), cells_of_chosen, np.append(0, ends))
            matrix = csr_matrix(entries, shape=(len(ends), cells.total))
            matrix.sum_duplicates()
            return matrix

        # Numbers of rows by cut and cell: other pairs above the score of a cut, and with it, which few cuts have.
        above = ~gains & ~is_tied
        self._gains, self._others = count(gains, passed[end]), count(above, np.append(0, np.cumsum(above))[first])
        self._tied_cuts, self._ties = tied_cuts, count(is_tied, np.cumsum(is_tied)[end[tied_cuts] - 1])
        self._positives = np.bincount(cells.of_rows[is_paraphrase], minlength=cells.total)
        self._negatives = np.bincount(cells.of_rows[~is_paraphrase], minlength=cells.total)
        self._step = max(1, _CUTS_AT_ONCE // (len(gaining) + 1))

    def _weigh(self, weights: Floats) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """Weigh the cuts block by block.

        Args:
            weights: Weights of cells, shape (resamples, cells).

        Yields:
            The weights of cells, shape (cells, r); the weights of the paraphrases with the score directly above each
            cut, shape (c, r); those of the other pairs with that score, shape (k, r), of the k cuts that have some; and
            those of the other pairs with at least that score, shape (c, r).
        """
        for start in range(0, len(weights), self._step):
            columns = np.ascontiguousarray(weights[start : start + self._step].T)
            gains, tied, misses = (matrix @ columns for matrix in (self._gains, self._ties, self._others))
            misses[self._tied_cuts] += tied
            yield columns, gains, tied, _accumulate(misses)

    def rate_order(self, weights: Floats) -> Iterator[dict[str, Floats]]:
        """Yield the metrics of the order of pairs, shape (r,), as `average_precision` and `roc_auc` define them."""
        for columns, gains, tied, misses in self._weigh(weights):
            positives, negatives = self._positives @ columns, self._negatives @ columns
            has_both = (positives > 0) & (negatives > 0)
            # In place, because new memory for arrays of this size takes as long as the arithmetic.
            precision = _accumulate(gains)
            precision /= np.maximum(precision + misses, _LEAST)  # 0 where no pair has weight
            precision *= gains
            passed = np.subtract(negatives, misses, out=misses)
            passed[self._tied_cuts] += tied / 2  # a tie counts half
            passed *= gains
            yield {
                "average_precision": divide(precision.sum(axis=0), positives),
                "roc_auc": np.where(has_both, divide(passed.sum(axis=0), positives * negatives), 0.5),
            }

    def find_max_f1(self, weights: Floats) -> Iterator[Floats]:
        """Yield the highest F of all cuts, shape (r,). It is 0 where no paraphrase has weight."""
        for columns, gains, _, misses in self._weigh(weights):
            hits = _accumulate(gains)
            ratios = divide(2 * hits, hits + misses + self._positives @ columns)
            yield ratios.max(axis=0, initial=0)


def _accumulate(rows: Floats) -> Floats:
    """Return the sum of each row and the rows above it, as `np.cumsum` does.

    NumPy adds in one column after the other, and an addition has to wait for the last one. Two columns are therefore
    one column of complex numbers, both parts of which are added in the same time.
    """
    sums, even = np.empty_like(rows), rows.shape[1] // 2 * 2
    np.cumsum(rows[:, :even].view(np.complex128), axis=0, out=sums[:, :even].view(np.complex128))
    np.cumsum(rows[:, even:], axis=0, out=sums[:, even:])
    return sums
