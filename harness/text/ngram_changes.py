"""PINC, "paraphrase in n-gram changes" (Chen and Dolan 2011): the difference in wording between paraphrases."""

from __future__ import annotations

from collections.abc import Sequence

from pyramid_paraphrase.rules.ranges import COUNT

MAX_ORDER = 4
"""Length of the longest n-grams, as in the paper."""


def measure_pinc(source: Sequence[str], candidate: Sequence[str], max_order: int = MAX_ORDER) -> float:
    """Measure the share of a candidate's n-grams that do not occur in the source.

    PINC = mean over n = 1..N of 1 - |n-grams of source and candidate| / |n-grams of the candidate|, distinct n-grams.
    If the candidate has fewer than N words, the mean is over the lengths of n-grams that it has. A candidate without
    words scores 0.

    Args:
        source: Words of the original sentence.
        candidate: Words of the possible paraphrase. Words are equal if their spelling is equal.
        max_order: N, at least 1.

    Returns:
        PINC in [0, 1]: 0 if every n-gram occurs in the source, 1 if none does. It is not symmetric.

    Raises:
        ValueError: If `max_order` is out of range.
    """
    COUNT.check("max_order", max_order)
    orders = range(1, min(max_order, len(candidate)) + 1)
    shares = [_share_of_new(_ngrams(source, order), _ngrams(candidate, order)) for order in orders]
    return sum(shares) / len(shares) if shares else 0.0


def _share_of_new(source_ngrams: set[tuple[str, ...]], candidate_ngrams: set[tuple[str, ...]]) -> float:
    return len(candidate_ngrams - source_ngrams) / len(candidate_ngrams)


def _ngrams(words: Sequence[str], order: int) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(order)), strict=False))
