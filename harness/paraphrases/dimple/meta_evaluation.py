"""How well the metrics of lists predict what is recognized with them: tables 2 and 3 of Shima and Mitamura (2011)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from harness.paraphrases.dimple.gains import METRICS
from harness.paraphrases.dimple.lists import RankedList
from harness.paraphrases.dimple.matching import PairIndex
from harness.paraphrases.dimple.positive_pairs import PositivePairs
from harness.paraphrases.dimple.recognition import RECOGNIZED, Recognition, recognize_pairs
from harness.paraphrases.dimple.scores import Scores
from harness.stats.bootstrap import CONFIDENCE
from pyramid_paraphrase.errors import OptionError

SIGNIFICANT = 0.01
"""The p-value below which the paper prints a correlation in bold."""

MIN_SETS = 4
"""How many sets an interval of a correlation needs (Fisher's z divides by the root of n - 3)."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A metric at k against what is recognized in a corpus.

    Attributes:
        corpus: Name of the corpus.
        metric: Name of the metric.
        k: Its cut.
        sets: How many sets of paraphrases are compared: those that hold any, and the source of which occurs in the
            corpus.
        value: Pearson's r; None if it is not defined.
        p_value: Of r being 0, two-sided; None with it.
        interval: Its 95 % confidence interval by Fisher's z; None with it.
        reason: Why it is not defined, or "".
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
class Extrinsic:
    """What is recognized in a corpus, by source and method, in the order of `Scores.sets`.

    Attributes:
        corpus: Name of the corpus.
        pairs: How many positive pairs it has.
        fingerprint: Of the pairs.
        sets: Per set, what was recognized.
    """

    corpus: str
    pairs: int
    fingerprint: str
    sets: tuple[Recognition, ...]


def recognize_sets(scores: Scores, lists: Sequence[RankedList], corpus: PositivePairs) -> Extrinsic:
    """Recognize pairs with the paraphrases of every set.

    Args:
        scores: Of the lists; they say which sets there are.
        lists: The lists.
        corpus: The pairs.

    Returns:
        What was recognized.
    """
    index = PairIndex(corpus.pairs)
    texts = {(ranked.source, ranked.method): ranked.texts for ranked in lists}
    found = tuple(recognize_pairs(index, one.source, texts.get((one.source, one.method), [])) for one in scores.sets)
    return Extrinsic(corpus.name, len(corpus.pairs), corpus.fingerprint, found)


def correlate_all(scores: Scores, extrinsic: Sequence[Extrinsic], share: str = RECOGNIZED) -> list[Correlation]:
    """Correlate every metric at every k with what is recognized in every corpus.

    Args:
        scores: Of the lists.
        extrinsic: Of the same lists, per corpus.
        share: Of what, one of `recognition.SHARES`.

    Returns:
        By corpus, metric and k.

    Raises:
        OptionError: If there are fewer than `MIN_SETS` sets.
    """
    if len(scores.sets) < MIN_SETS:
        raise OptionError(f"{len(scores.sets)} sets of paraphrases are too few to correlate; give at least {MIN_SETS}")
    rows = []
    for corpus in extrinsic:
        shares = [recognition.share(share) for recognition in corpus.sets]
        # A method without any paraphrase of a source made no set: a point at 0 would decide the correlation.
        present = [
            (one, value) for one, value in zip(scores.sets, shares, strict=True) if value is not None and one.count
        ]
        outer = [value for _, value in present]
        for metric in METRICS:
            for k in scores.cuts:
                inner = [one.values[metric, k] for one, _ in present]
                rows.append(correlate(corpus.corpus, metric, k, inner, outer))
    return rows


def correlate(corpus: str, metric: str, k: int, intrinsic: Sequence[float], extrinsic: Sequence[float]) -> Correlation:
    """Correlate a metric with what is recognized (Pearson's r).

    Args:
        corpus: Name of the corpus, to be kept.
        metric: Name of the metric, to be kept.
        k: Its cut, to be kept.
        intrinsic: The metric of each set.
        extrinsic: What is recognized with each.

    Returns:
        The correlation, or why there is none: too few sets, or the same value for all.
    """
    count = len(intrinsic)
    if count < MIN_SETS:
        return Correlation(corpus, metric, k, count, reason=f"fewer than {MIN_SETS} sets have a source in the corpus")
    for what, values in (("the metric", intrinsic), ("what is recognized", extrinsic)):
        if len(set(values)) == 1:
            return Correlation(corpus, metric, k, count, reason=f"{what} is {values[0]:.3f} for all sets")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.NearConstantInputWarning)
        found = stats.pearsonr(np.asarray(intrinsic), np.asarray(extrinsic))
    ends = found.confidence_interval(CONFIDENCE)
    interval = (round(float(ends.low), 6), round(float(ends.high), 6))
    # A p-value has six digits rather than decimals: a small one is not 0.
    value, p_value = round(float(found.statistic), 6), float(f"{found.pvalue:.6g}")
    return Correlation(corpus, metric, k, count, value, p_value, interval)
