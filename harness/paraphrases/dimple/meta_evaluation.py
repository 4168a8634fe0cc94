"""Meta-evaluation: correlations of the metrics of lists with the share of pairs that the lists help to recognize.

The results correspond to tables 2 and 3 of Shima and Mitamura (2011).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtr

from harness.metrics.graded_pairs import pearson
from harness.paraphrases.dimple.lists import RankedList
from harness.paraphrases.dimple.metrics import list_columns
from harness.paraphrases.dimple.recognition import RECOGNIZED, Pair, PairIndex, Recognition, recognize_pairs
from harness.paraphrases.dimple.scores import Scores, SetScores
from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import OptionError

SIGNIFICANT = 0.01
"""The p-value below which the paper prints a correlation in bold."""

MIN_SETS = 4
"""Minimum number of sets for a correlation, because the interval by Fisher's z divides by the root of n - 3."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of a metric at k with the share of recognized pairs of a corpus.

    Attributes:
        sets: Number of compared sets of paraphrases. A set is compared if it is not empty and its source occurs in the
            corpus.
        value: Pearson's r, in [-1, 1]. None if it is not defined.
        p_value: Two-sided p-value of the hypothesis that r is 0. None if r is not defined.
        interval: 95 % confidence interval by Fisher's z. None if r is not defined.
        reason: The reason why r is not defined, or "".
    """

    sets: int
    value: float | None = None
    p_value: float | None = None
    interval: tuple[float, float] | None = None
    reason: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the p-value is below `SIGNIFICANT`, without correction for multiple tests, as in the paper."""
        return self.p_value is not None and self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Correlations, and the scores and counts that they are computed from.

    Attributes:
        scores: The metrics of the lists.
        corpora: The positive pairs by the name of the corpus.
        recognitions: Counts of recognized pairs by the name of the corpus, each in the order of `Scores.sets`.
        correlations: Correlations with the share of recognized pairs, by corpus, metric and k.
        share: Name of the share, one of `recognition.SHARES`.
    """

    scores: Scores
    corpora: Mapping[str, Sequence[Pair]]
    recognitions: Mapping[str, Sequence[Recognition]]
    correlations: Mapping[tuple[str, str, int], Correlation]
    share: str


def meta_evaluate(
    scores: Scores, lists: Sequence[RankedList], corpora: Mapping[str, Sequence[Pair]], share: str = RECOGNIZED
) -> MetaEvaluation:
    """Correlate all metrics at all k with the share of pairs that the lists help to recognize, per corpus.

    Args:
        scores: Scores of the lists.
        lists: The lists.
        corpora: The positive pairs by the name of the corpus.
        share: Name of the share, one of `recognition.SHARES`.

    Raises:
        OptionError: If there are fewer than `MIN_SETS` sets.
    """
    if len(scores.sets) < MIN_SETS:
        reason = f"correlations require at least {MIN_SETS} sets of paraphrases, found {len(scores.sets)}"
        raise OptionError(f"{reason}. Use lists of more sources")
    texts = {(ranked.source, ranked.method): ranked.texts for ranked in lists}
    recognitions, correlations = {}, {}
    for corpus, pairs in corpora.items():
        index = PairIndex(pairs)
        counts_of_sets = []
        for set_scores in scores.sets:
            paraphrases = texts.get((set_scores.source, set_scores.method), [])
            counts_of_sets.append(recognize_pairs(index, set_scores.source, paraphrases))
        recognitions[corpus] = counts_of_sets
        compared = list_compared_sets(scores, counts_of_sets, share)
        extrinsic = [value for _, value in compared]
        for metric, k in list_columns(scores.cuts):
            intrinsic = [set_scores.values[metric, k] for set_scores, _ in compared]
            correlations[corpus, metric, k] = correlate(intrinsic, extrinsic)
    return MetaEvaluation(scores, corpora, recognitions, correlations, share)


def list_compared_sets(
    scores: Scores, recognitions: Sequence[Recognition], share: str
) -> list[tuple[SetScores, float]]:
    """List the sets with paraphrases and with a source in the corpus, each with its share of recognized pairs."""
    compared = []
    for set_scores, counts in zip(scores.sets, recognitions, strict=True):
        value = counts.share(share)
        # A method without paraphrases of a source made no set. Points at 0 would dominate the correlation.
        if value is not None and set_scores.count:
            compared.append((set_scores, value))
    return compared


def correlate(intrinsic: Sequence[float], extrinsic: Sequence[float]) -> Correlation:
    """Correlate a metric with the share of recognized pairs (Pearson's r).

    The p-value is that of Student's t with n - 2 degrees of freedom, where t = r sqrt((n - 2) / (1 - r^2)). The
    interval is tanh(atanh(r) -+ z / sqrt(n - 3)), where z is the quantile of the normal distribution (Fisher's z).

    Args:
        intrinsic: The metric of each set.
        extrinsic: The share of recognized pairs of each set.

    Returns:
        The correlation, or the reason why it is not defined: too few sets, or equal values for all sets.
    """
    count = len(intrinsic)
    if count < MIN_SETS:
        return Correlation(count, reason=f"fewer than {MIN_SETS} sets have a source in the corpus")
    for name, values in (("the metric", intrinsic), ("the share of recognized pairs", extrinsic)):
        if len(set(values)) == 1:
            return Correlation(count, reason=f"{name} is {values[0]:.3f} for all sets")
    r = np.float64(pearson(intrinsic, extrinsic))
    with np.errstate(divide="ignore"):  # t and Fisher's z of a perfect correlation are infinite
        t = abs(r) * np.sqrt((count - 2) / (1 - r * r))
        centre = np.arctanh(r)
    half_width = ndtri((1 + CONFIDENCE) / 2) / np.sqrt(count - 3)
    lower, upper = np.tanh([centre - half_width, centre + half_width]).tolist()
    return Correlation(
        count,
        value=round(float(r), DECIMALS),
        # Six significant digits instead of six decimals, so that a small p-value is not 0.
        p_value=float(f"{2 * stdtr(count - 2, -t):.6g}"),
        interval=(round(lower, DECIMALS), round(upper, DECIMALS)),
    )
