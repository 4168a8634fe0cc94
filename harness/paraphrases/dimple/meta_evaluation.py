"""Meta-evaluation: correlations of the metrics of lists with the share of pairs that the lists help to recognize.

The recognition of positive pairs is the extrinsic evaluation of Shima and Mitamura (2011), section 3.4. The
correlations correspond to tables 2 and 3 of the paper.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr

from harness.metrics.graded_pairs import pearson
from harness.paraphrases.dimple.lists import RankedList
from harness.paraphrases.dimple.metrics import collect_stems, extract_content_words, normalize_phrase
from harness.paraphrases.dimple.positive_pairs import Pair
from harness.paraphrases.dimple.scores import DimpleScores, SetScores
from harness.stats.bootstrap import CONFIDENCE, RESAMPLES, SEED, draw_weights, find_interval
from harness.stats.correlation import Williams, compare_correlations, weighted_pearson
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE, correct_holm
from harness.text.stems import stem_word
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.words import normalize_word, split_words


class PairIndex:
    """An inverted index: the numbers of the texts in which each word occurs.

    The first text of pair p has the number 2 p, and the second text has 2 p + 1. Only whole words match: "skilled" does
    not match "killed".

    Args:
        pairs: The pairs of texts.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._normalized: list[tuple[str, ...]] = []
        self._original: list[tuple[str, ...]] = []
        self._by_word: defaultdict[str, set[int]] = defaultdict(set)
        self._by_stem: defaultdict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(chain.from_iterable(pairs)):
            original = tuple(split_words(text))
            self._original.append(original)
            self._normalized.append(tuple(map(normalize_word, original)))
            for word in self._normalized[-1]:
                self._by_word[word].add(number)
        for word, numbers in self._by_word.items():
            self._by_stem[stem_word(word)] |= numbers

    def find_phrase(self, words: Sequence[str]) -> set[int]:
        """Find the texts that contain the normalized words consecutively. Without words, the result is empty."""
        return {number for number in _find_all(self._by_word, words) if _contains(self._normalized[number], words)}

    def find_stems(self, stems: Iterable[str]) -> set[int]:
        """Find the texts that contain all stems, in any order. Without stems, the result is empty."""
        return _find_all(self._by_stem, stems)

    def select_pairs(self, source: str) -> set[int]:
        """Select the pairs with a source in at least one text, as counted in table 1 of Shima and Mitamura (2011).

        The source must occur in the same form and case, not only its stem. The first word of a text is ignored, because
        a cased corpus capitalizes it. The cased and the uncased copy of a corpus therefore give the same pairs.
        """
        words = split_words(source, tokenized=True)
        candidates = _find_all(self._by_word, map(normalize_word, words))
        return {number // 2 for number in candidates if _contains(self._original[number][1:], words)}


def _find_all(index: Mapping[str, set[int]], words: Iterable[str]) -> set[int]:
    """Find the numbers of the texts that contain all words. Without words, the result is empty."""
    postings = [index.get(word, set()) for word in set(words)]
    return set.intersection(*postings) if postings else set()


def _contains(text: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a text contains words consecutively."""
    length, phrase = len(words), tuple(words)
    return any(tuple(text[start : start + length]) == phrase for start in range(len(text) - length + 1))


MAX_PARAPHRASES = 10
"""Maximum number of paraphrases of a set that are used."""

RECOGNIZED, GAINED = "recognized", "gained"
SHARES = (RECOGNIZED, GAINED)
"""Shares of pairs: all recognized pairs, or only the pairs that are recognized by a paraphrase but not by stem."""


class Recognition(NamedTuple):
    """Counts of the pairs in which a source occurs.

    Attributes:
        pairs: Number of pairs.
        by_stem: Number of pairs with the stem of the source in both texts.
        by_paraphrase: Number of other pairs with the source in one text and a paraphrase in the other text.
    """

    pairs: int
    by_stem: int
    by_paraphrase: int

    def share(self, kind: str = RECOGNIZED) -> float | None:
        """Compute a share of the pairs in [0, 1], one of `SHARES`. None if there are no pairs."""
        if not self.pairs:
            return None
        count = self.by_paraphrase
        if kind == RECOGNIZED:
            count += self.by_stem
        return round(count / self.pairs, DECIMALS)


def recognize_pairs(index: PairIndex, source: str, paraphrases: Sequence[str]) -> Recognition:
    """Count the recognized pairs in which a source occurs (Shima and Mitamura 2011, section 3.4).

    A pair is recognized by stem if both texts contain the stems of the source's content words (of all its words, if it
    has no content word). Otherwise it is recognized by paraphrase if one text contains the source and the other text
    contains a paraphrase, as consecutive whole words in any case. Paraphrases without a content word are ignored,
    because a word such as "to" occurs nearly everywhere.

    Args:
        index: The pairs.
        source: The word or phrase that is paraphrased.
        paraphrases: Its paraphrases, the best first. Only the first `MAX_PARAPHRASES` are used.

    Returns:
        Counts of pairs.
    """
    selected = index.select_pairs(source)
    with_stem = index.find_stems(collect_stems(extract_content_words(source) or normalize_phrase(source)))
    by_stem = {pair for pair in selected if {2 * pair, 2 * pair + 1} <= with_stem}
    with_source = index.find_phrase(normalize_phrase(source))
    with_paraphrase: set[int] = set()
    for paraphrase in paraphrases[:MAX_PARAPHRASES]:
        if extract_content_words(paraphrase):
            with_paraphrase |= index.find_phrase(normalize_phrase(paraphrase))
    # The numbers of the two texts of a pair differ in the last bit.
    across = {number // 2 for number in with_source if number ^ 1 in with_paraphrase}
    return Recognition(len(selected), len(by_stem), len((selected - by_stem) & across))


SIGNIFICANT = 0.01
"""The p-value below which the paper prints a correlation in bold."""

MIN_SETS = 4
"""Minimum number of sets for a correlation, because the interval by Fisher's z divides by the root of n - 3."""


@dataclass(frozen=True, slots=True)
class RecognitionCorrelation:
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


CLAIM = (("EP", "EPR"), ("EPR", "DIMPLE"), ("EP", "DIMPLE"))
"""Pairs of metrics of which the second one correlates better, by the paper: EP < EPR < DIMPLE (section 3.5)."""


@dataclass(frozen=True, slots=True)
class RecognitionDifference:
    """The correlation of a metric with the share of recognized pairs minus that of another metric at the same k.

    Attributes:
        value: The difference. None if one of the correlations is not defined.
        williams: Williams' test. It treats the lists as independent.
        p_holm: The p-value of Williams' test, corrected for all differences of the evaluation by Holm's method.
        interval: 95 % bootstrap interval over sources. None if there are fewer than `MIN_TOPICS` sources, or if a
            correlation is not defined in any resample.
        undefined: Number of resamples left out, because a correlation is not defined.
    """

    value: float | None
    williams: Williams
    p_holm: float | None = None
    interval: tuple[float, float] | None = None
    undefined: int = 0

    @property
    def direction(self) -> int:
        """1 if the difference is significantly above 0 by the corrected test, -1 if it is below, and 0 otherwise."""
        if self.value is None or self.p_holm is None or self.p_holm >= SIGNIFICANCE:
            return 0
        return 1 if self.value > 0 else -1

    @property
    def interval_direction(self) -> int:
        """1 if the interval is above 0, -1 if it is below, and 0 otherwise."""
        lower, upper = self.interval or (0.0, 0.0)
        return int(lower > 0) - int(upper < 0)


@dataclass(frozen=True, slots=True)
class RecognitionEvaluation:
    """Correlations, and the scores and counts that they are computed from.

    Attributes:
        scores: The metrics of the lists.
        corpora: The positive pairs by the name of the corpus.
        recognitions: Counts of recognized pairs by the name of the corpus, each in the order of `DimpleScores.sets`.
        correlations: Correlations with the share of recognized pairs, by corpus, metric and k.
        share: Name of the share, one of `SHARES`.
        differences: Differences of correlations, by corpus, k, metric and better metric, which are a row of `CLAIM`.
        resamples: Number of bootstrap resamples of the intervals of differences.
        seed: Random seed of the resamples.
    """

    scores: DimpleScores
    corpora: Mapping[str, Sequence[Pair]]
    recognitions: Mapping[str, Sequence[Recognition]]
    correlations: Mapping[tuple[str, str, int], RecognitionCorrelation]
    share: str
    differences: Mapping[tuple[str, int, str, str], RecognitionDifference]
    resamples: int
    seed: int


def meta_evaluate(
    scores: DimpleScores,
    lists: Sequence[RankedList],
    corpora: Mapping[str, Sequence[Pair]],
    share: str = RECOGNIZED,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> RecognitionEvaluation:
    """Correlate all metrics at all k with the share of pairs that the lists help to recognize, per corpus.

    Args:
        scores: Scores of the lists.
        lists: The lists.
        corpora: The positive pairs by the name of the corpus.
        share: Name of the share, one of `SHARES`.
        resamples: Number of bootstrap resamples of sources for the intervals of differences.
        seed: Random seed of the resamples.

    Raises:
        OptionError: If there are fewer than `MIN_SETS` sets.
    """
    if len(scores.sets) < MIN_SETS:
        reason = f"correlations require at least {MIN_SETS} sets of paraphrases, found {len(scores.sets)}"
        raise OptionError(f"{reason}. Use lists of more sources")
    texts = {(ranked.source, ranked.method): ranked.texts for ranked in lists}
    recognitions, correlations = {}, {}
    differences: dict[tuple[str, int, str, str], RecognitionDifference] = {}
    for corpus, pairs in corpora.items():
        index = PairIndex(pairs)
        counts_of_sets = []
        for set_scores in scores.sets:
            paraphrases = texts.get((set_scores.source, set_scores.method), [])
            counts_of_sets.append(recognize_pairs(index, set_scores.source, paraphrases))
        recognitions[corpus] = counts_of_sets
        compared = list_compared_sets(scores, counts_of_sets, share)
        extrinsic = [value for _, value in compared]
        for metric, k in scores.columns:
            intrinsic = [set_scores.values[metric, k] for set_scores, _ in compared]
            correlations[corpus, metric, k] = correlate(intrinsic, extrinsic)
        for k, (first, second) in product(scores.cuts, CLAIM):
            correlated = all(correlations[corpus, metric, k].value is not None for metric in (first, second))
            differences[corpus, k, first, second] = (
                _compare(compared, (first, k), (second, k), resamples, seed) if correlated else _NO_DIFFERENCE
            )
    return RecognitionEvaluation(
        scores, corpora, recognitions, correlations, share, _correct(differences), resamples, seed
    )


_NO_DIFFERENCE = RecognitionDifference(None, Williams(None, None, "a correlation is not defined"))


def _compare(
    compared: Sequence[tuple[SetScores, float]],
    first: tuple[str, int],
    second: tuple[str, int],
    resamples: int,
    seed: int,
) -> RecognitionDifference:
    """Compare the correlations of two metrics with the share. Sources are drawn with all their sets."""
    shares = np.array([share for _, share in compared])
    columns = [np.array([set_scores.values[column] for set_scores, _ in compared]) for column in (first, second)]
    lower, higher = (pearson(column, shares) for column in columns)
    williams = compare_correlations(higher, lower, pearson(columns[0], columns[1]), len(compared))
    value = round(higher - lower, DECIMALS) + 0.0
    sources, owners = np.unique([set_scores.source for set_scores, _ in compared], return_inverse=True)
    if len(sources) < MIN_TOPICS:
        return RecognitionDifference(value, williams)
    weights = draw_weights(len(sources), resamples, seed)
    drawn = weighted_pearson(columns[1], shares, owners, weights) - weighted_pearson(
        columns[0], shares, owners, weights
    )
    defined = drawn[np.isfinite(drawn)]
    interval = find_interval(defined) if len(defined) else None
    return RecognitionDifference(value, williams, interval=interval, undefined=resamples - len(defined))


def _correct(
    differences: Mapping[tuple[str, int, str, str], RecognitionDifference],
) -> dict[tuple[str, int, str, str], RecognitionDifference]:
    """Correct the p-values of Williams' test for all differences."""
    p_values = {
        key: difference.williams.p_value
        for key, difference in differences.items()
        if difference.williams.p_value is not None
    }
    corrected = dict(zip(p_values, correct_holm(list(p_values.values())), strict=True))
    return {key: replace(difference, p_holm=corrected.get(key)) for key, difference in differences.items()}


def list_compared_sets(
    scores: DimpleScores, recognitions: Sequence[Recognition], share: str
) -> list[tuple[SetScores, float]]:
    """List the sets with paraphrases and with a source in the corpus, each with its share of recognized pairs."""
    compared = []
    for set_scores, counts in zip(scores.sets, recognitions, strict=True):
        value = counts.share(share)
        # A method without paraphrases of a source made no set. Points at 0 would dominate the correlation.
        if value is not None and set_scores.count:
            compared.append((set_scores, value))
    return compared


def correlate(intrinsic: Sequence[float], extrinsic: Sequence[float]) -> RecognitionCorrelation:
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
        return RecognitionCorrelation(count, reason=f"fewer than {MIN_SETS} sets have a source in the corpus")
    for name, values in (("the metric", intrinsic), ("the share of recognized pairs", extrinsic)):
        if len(set(values)) == 1:
            return RecognitionCorrelation(count, reason=f"{name} is {values[0]:.3f} for all sets")
    r = np.float64(pearson(intrinsic, extrinsic))
    with np.errstate(divide="ignore"):  # t and Fisher's z of a perfect correlation are infinite
        t = abs(r) * np.sqrt((count - 2) / (1 - r * r))
        centre = np.arctanh(r)
    half_width = ndtri((1 + CONFIDENCE) / 2) / np.sqrt(count - 3)
    lower, upper = np.tanh([centre - half_width, centre + half_width]).tolist()
    return RecognitionCorrelation(
        count,
        value=round(float(r), DECIMALS),
        # Six significant digits instead of six decimals, so that a small p-value is not 0.
        p_value=float(f"{2 * stdtr(count - 2, -t):.6g}"),
        interval=(round(lower, DECIMALS), round(upper, DECIMALS)),
    )
