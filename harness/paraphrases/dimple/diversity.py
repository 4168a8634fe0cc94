"""Diversity of ranked lists as it is measured today, beside D of the paper: self-BLEU, iBLEU, distance of embeddings.

All measures are means over the first k ranks. Ranks beyond the end of a list contribute 0, as for the metrics of the
paper. A higher value means more diversity.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

import numpy as np

from harness.paraphrases.dimple.metrics import UNSEEN, normalize_phrase
from harness.stats.rounding import DECIMALS
from harness.support.arrays import Floats

LEXICAL = ("D", "1-self-BLEU", "iBLEU")
"""Names of the measures that need no model."""

DISTANCE = "distance"
"""Name of the measure that needs an encoder."""

IBLEU_WEIGHT = 0.9
"""The weight of the adequacy in iBLEU, the best one of Sun and Zhou (2012)."""

_LONGEST = 4


def measure_diversity(
    source: str,
    texts: Sequence[str],
    quality: Sequence[float],
    ratings: Sequence[int],
    cuts: Sequence[int],
    cosines: Floats | None = None,
) -> dict[tuple[str, int], float]:
    """Measure the diversity of a list at each k, by name and k.

    Let p be a paraphrase at one of the first k ranks, and BLEU the function `bleu`:

    * D: the rating of the paper divided by 3.
    * 1-self-BLEU: 1 - BLEU of p with the other paraphrases of the first k ranks as references (Zhu et al. 2018).
    * iBLEU: 0.9 Q - 0.1 BLEU of p with the source as its reference (Sun and Zhou 2012). Lists have no reference
      paraphrases, so the quality Q takes the place of BLEU with references.
    * distance: 1 - the mean cosine of p with the other paraphrases of the first k ranks. It is 0 for a single one.

    Args:
        source: The word or phrase that is paraphrased.
        texts: Its paraphrases, the best first.
        quality: Q of each paraphrase, in [0, 1].
        ratings: D of each paraphrase, as returned by `rate_diversity`.
        cuts: The values of k.
        cosines: Cosines of the paraphrases with each other for `DISTANCE`, a square matrix, or None.
    """
    words, source_words = [normalize_phrase(text) for text in texts], normalize_phrase(source)
    copied = [bleu(phrase, [source_words]) for phrase in words]
    values = {}
    for k in cuts:
        top = range(min(k, len(texts)))
        repeated = [bleu(words[rank], [words[other] for other in top if other != rank]) for rank in top]
        values["D", k] = math.fsum(ratings[:k]) / (UNSEEN * k)
        values["1-self-BLEU", k] = math.fsum(1 - value for value in repeated) / k
        weighted = (IBLEU_WEIGHT * quality[rank] - (1 - IBLEU_WEIGHT) * copied[rank] for rank in top)
        values["iBLEU", k] = math.fsum(weighted) / k
        if cosines is not None:
            distances = 1 - cosines[: len(top), : len(top)]
            values[DISTANCE, k] = float(distances.sum() - np.trace(distances)) / (max(len(top) - 1, 1) * k)
    return {column: round(value, DECIMALS) + 0.0 for column, value in values.items()}


def bleu(words: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Compute BLEU of a phrase (Papineni et al. 2002).

    BLEU is the geometric mean of the clipped precisions of n-grams, multiplied by exp(1 - r / c) if the phrase of c
    words is shorter than the reference of the nearest length r (of two, the shorter one). N-grams have up to four
    words, or all words of the phrase if they are fewer, because paraphrases are short. Nothing is smoothed.

    Args:
        words: The words of the phrase.
        references: The words of each reference.

    Returns:
        A value in [0, 1]. It is 0 without words or references.
    """
    if not words or not references:
        return 0.0
    logarithms = []
    for size in range(1, min(_LONGEST, len(words)) + 1):
        counts, most = Counter(_list_ngrams(words, size)), Counter[tuple[str, ...]]()
        for reference in references:
            most |= Counter(_list_ngrams(reference, size))
        matched = (counts & most).total()
        if not matched:
            return 0.0
        logarithms.append(math.log(matched / counts.total()))
    _, nearest = min((abs(len(reference) - len(words)), len(reference)) for reference in references)
    return math.exp(fmean(logarithms) + min(0.0, 1 - nearest / len(words)))


def _list_ngrams(words: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + size]) for start in range(len(words) - size + 1))
