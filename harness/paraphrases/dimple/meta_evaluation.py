"""Meta-evaluation: correlations of the metrics of lists with the share of pairs that the lists let one recognize.

These are tables 2 and 3 of Shima and Mitamura (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtr

from harness.metrics.graded_pairs import pearson
from harness.paraphrases.dimple.gains import list_columns
from harness.paraphrases.dimple.lists import RankedList
from harness.paraphrases.dimple.matching import PairIndex
from harness.paraphrases.dimple.positive_pairs import PositivePairs
from harness.paraphrases.dimple.recognition import RECOGNIZED, Recognition, recognize_pairs
from harness.paraphrases.dimple.scores import Scores, SetScores
from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS
from pyramid_paraphrase.errors import OptionError

SIGNIFICANT = 0.01
"""The p-value below which the paper prints a correlation in bold."""

MIN_SETS = 4
"""Number of sets that the interval of a correlation needs, because Fisher's z divides by the root of n - 3."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A metric at k against the share of recognized pairs of a corpus.

    Attributes:
        corpus: Name of the corpus.
        metric: Name of the metric.
        k: Its cut.
        sets: Number of compared sets of paraphrases. A set is compared if it is not empty and its source occurs in the
            corpus.
        value: Pearson's r; None if it is not defined.
        p_value: Two-sided, of the hypothesis that r is 0; None if r is not defined.
        interval: 95 % confidence interval by Fisher's z; None if r is not defined.
        reason: Why r is not defined, or "".
    """

    corpus: str
    metric: str
    k: int
    sets: int
    value: float | None = None
    p_value: float | None = None
    interval: tuple[float, float] | None = None
    reason: str = ""

    @property
    def is_significant(self) -> bool:
        """Whether the p-value is below `SIGNIFICANT`; it is not corrected for being one of several, as in the paper."""
        return self.p_value is not None and self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class CorpusRecognition:
    """The pairs of a corpus that are recognized, by source and method, in the order of `Scores.sets`.

    Attributes:
        corpus: Name of the corpus.
        pairs: Number of its positive pairs.
        fingerprint: SHA-256 of the pairs.
        sets: Per set of paraphrases, the counts of recognized pairs.
    """

    corpus: str
    pairs: int
    fingerprint: str
    sets: tuple[Recognition, ...]


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """Correlations, and what they are computed from.

    Attributes:
        scores: The metrics of the lists.
        recognitions: The recognized pairs, per corpus.
        correlations: Of every metric at every k with the share of recognized pairs of every corpus.
        share: Which share that is, one of `recognition.SHARES`.
    """

    scores: Scores
    recognitions: tuple[CorpusRecognition, ...]
    correlations: tuple[Correlation, ...]
    share: str


def recognize_sets(scores: Scores, lists: Sequence[RankedList], corpus: PositivePairs) -> CorpusRecognition:
    """Recognize pairs with the paraphrases of every set.

    Args:
        scores: Scores of the lists, whose sets decide the order.
        lists: The lists.
        corpus: The pairs.

    Returns:
        The counts of recognized pairs per set.
    """
    index = PairIndex(corpus.pairs)
    texts = {(ranked.source, ranked.method): ranked.texts for ranked in lists}
    recognitions = []
    for set_scores in scores.sets:
        paraphrases = texts.get((set_scores.source, set_scores.method), [])
        recognitions.append(recognize_pairs(index, set_scores.source, paraphrases))
    return CorpusRecognition(corpus.name, len(corpus.pairs), corpus.fingerprint, tuple(recognitions))


def correlate_all(
    scores: Scores, recognitions: Sequence[CorpusRecognition], share: str = RECOGNIZED
) -> list[Correlation]:
    """Correlate every metric at every k with the share of recognized pairs of every corpus.

    Args:
        scores: Scores of the lists.
        recognitions: Recognized pairs with the same lists, per corpus.
        share: Which share, one of `recognition.SHARES`.

    Returns:
        Correlations by corpus, metric and k.

    Raises:
        OptionError: If there are fewer than `MIN_SETS` sets.
    """
    if len(scores.sets) < MIN_SETS:
        raise OptionError(f"{len(scores.sets)} sets of paraphrases are too few to correlate; give at least {MIN_SETS}")
    correlations = []
    for corpus in recognitions:
        compared = list_compared_sets(scores, corpus, share)
        extrinsic = [value for _, value in compared]
        for metric, k in list_columns(scores.cuts):
            intrinsic = [set_scores.values[metric, k] for set_scores, _ in compared]
            correlations.append(correlate(corpus.corpus, metric, k, intrinsic, extrinsic))
    return correlations


def list_compared_sets(scores: Scores, corpus: CorpusRecognition, share: str) -> list[tuple[SetScores, float]]:
    """List the sets that have paraphrases and a source in the corpus, each with its share of recognized pairs."""
    compared = []
    for set_scores, counts in zip(scores.sets, corpus.sets, strict=True):
        value = counts.share(share)
        # A method without any paraphrase of a source made no set: a point at 0 would decide the correlation.
        if value is not None and set_scores.count:
            compared.append((set_scores, value))
    return compared


def correlate(corpus: str, metric: str, k: int, intrinsic: Sequence[float], extrinsic: Sequence[float]) -> Correlation:
    """Correlate a metric with the share of recognized pairs (Pearson's r).

    The p-value is of Student's t with n - 2 degrees of freedom, t = r sqrt((n - 2) / (1 - r^2)). The interval is
    tanh(atanh(r) -+ z / sqrt(n - 3)) with the quantile z of the normal distribution (Fisher).

    Args:
        corpus: Name of the corpus, kept in the result.
        metric: Name of the metric, kept in the result.
        k: Its cut, kept in the result.
        intrinsic: The metric of each set.
        extrinsic: The share of recognized pairs of each set.

    Returns:
        The correlation, or the reason why it is not defined: too few sets, or the same value for all.
    """
    count = len(intrinsic)
    if count < MIN_SETS:
        return Correlation(corpus, metric, k, count, reason=f"fewer than {MIN_SETS} sets have a source in the corpus")
    for name, values in (("the metric", intrinsic), ("what is recognized", extrinsic)):
        if len(set(values)) == 1:
            return Correlation(corpus, metric, k, count, reason=f"{name} is {values[0]:.3f} for all sets")
    r = np.float64(pearson(intrinsic, extrinsic))
    with np.errstate(divide="ignore"):  # of a perfect correlation, t and Fisher's z are infinite
        t = abs(r) * np.sqrt((count - 2) / (1 - r * r))
        centre = np.arctanh(r)
    half_width = ndtri((1 + CONFIDENCE) / 2) / np.sqrt(count - 3)
    lower, upper = np.tanh([centre - half_width, centre + half_width]).tolist()
    return Correlation(
        corpus,
        metric,
        k,
        count,
        value=round(float(r), DECIMALS),
        # Six digits rather than six decimals: a small p-value is not 0.
        p_value=float(f"{2 * stdtr(count - 2, -t):.6g}"),
        interval=(round(lower, DECIMALS), round(upper, DECIMALS)),
    )
