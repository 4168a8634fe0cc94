"""The metrics of ranked paraphrases, computed from their quality and lexical diversity (Shima and Mitamura 2011).

All metrics are means over the first k ranks. Ranks beyond the end of a list contribute 0, so that a short list has no
advantage.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from harness.stats.rounding import DECIMALS
from harness.text.stems import stem_word
from pyramid_paraphrase.rules.ranges import RANK
from pyramid_paraphrase.words import content_words, normalize_word, split_words

SEEN_WORD, SEEN_STEM, UNSEEN = 1, 2, 3
"""The values of D: a word was seen before, only a stem was seen before, or neither."""


def collect_stems(words: Iterable[str]) -> frozenset[str]:
    """Collect the distinct stems of normalized words."""
    return frozenset(map(stem_word, words))


def normalize_phrase(phrase: str) -> list[str]:
    """Split a phrase, which may be tokenized, into normalized words."""
    return [normalize_word(word) for word in split_words(phrase, tokenized=True)]


def extract_content_words(phrase: str) -> frozenset[str]:
    """Extract the content words of a phrase by the rule of `pyramid_paraphrase.words.content_words`.

    For example, the content word of "to take" is "take", because "to" is a function word. The content word of "has been
    killed" is "killed". "to" and "has been" have no content words.
    """
    return content_words(split_words(phrase, tokenized=True))


def rate_all(sources: Sequence[str], lists: Sequence[Sequence[str]]) -> list[list[int]]:
    """Rate the lists of several sources with `rate_diversity`.

    Raises:
        ValueError: If there is no list, or the numbers of sources and lists differ.
    """
    if len(sources) != len(lists) or not sources:
        reason = f"expected one source per list, found {len(lists)} lists and {len(sources)} sources"
        raise ValueError(f"{reason}. Pass at least one list, and its source")
    return [rate_diversity(source, ranked) for source, ranked in zip(sources, lists, strict=True)]


def rate_diversity(source: str, paraphrases: Sequence[str]) -> list[int]:
    """Rate ranked paraphrases by words that occur neither in the source nor in a better paraphrase (algorithm 1).

    D is 1 if a paraphrase has no content word or a seen word. Otherwise D is 2 if it has a seen stem, and 3 if not. At
    the start, the words of the source are seen. As printed in the paper, only a paraphrase with D above 1 adds its
    words to the seen words. For example, after "killed violently" for the source "killed", the word "violently" is
    still new.

    Args:
        source: The word or phrase that is paraphrased, such as "killed" or "to take".
        paraphrases: Its paraphrases, the best first.

    Returns:
        D of each paraphrase, from 1 to 3. For the source "killed", the paraphrases "shot and killed", "killing" and
        "assassinated" have 1, 2 and 3.
    """
    seen_words = extract_content_words(source)
    seen_stems = collect_stems(seen_words)
    ratings = []
    for paraphrase in paraphrases:
        words = extract_content_words(paraphrase)
        stems = collect_stems(words)
        if not words or words & seen_words:
            ratings.append(SEEN_WORD)
            continue
        ratings.append(SEEN_STEM if stems & seen_stems else UNSEEN)
        seen_words |= words
        seen_stems |= stems
    return ratings


CUTS = (1, 5, 10)
"""The values of k of Shima and Mitamura (2011)."""


def expected_precision(quality: Sequence[float], k: int) -> float:
    """Compute expected precision at k: EP = sum of Q over the first k ranks / k.

    Args:
        quality: Q of each paraphrase, the best ranked first, in [0, 1], such as the share of annotators who accept it.
        k: Number of ranks that count, at least 1.

    Returns:
        A value in [0, 1]. It is 0 for an empty list.

    Raises:
        ValueError: If k or a quality is out of range.
    """
    return math.fsum(_take(quality, k)) / k


def expected_precision_redundancy(quality: Sequence[float], diversity: Sequence[int], k: int) -> float:
    """Compute expected precision at k without credit for redundant paraphrases: EPR = sum of Q [D = 3] / k.

    A paraphrase is redundant if algorithm 1 rates it below 3. It then has no content word, or shares a stem with the
    source or with a better paraphrase of diversity 2 or 3. EPR drops exactly the paraphrases that DIMPLE gives a
    lower weight (section 3.2: "binary filtering" against "3-level weighting").

    Args:
        quality: Q of each paraphrase, the best ranked first, in [0, 1].
        diversity: D of each paraphrase, as returned by `rate_diversity`.
        k: Number of ranks that count, at least 1.

    Returns:
        A value in [0, 1], at most the value of `expected_precision`.

    Raises:
        ValueError: If k, a quality or a diversity is out of range, or the numbers of qualities and diversities differ.
    """
    pairs = zip(_take(quality, k), _take_diversity(quality, diversity, k), strict=True)
    return math.fsum(value for value, rating in pairs if rating == UNSEEN) / k


def dimple(quality: Sequence[float], diversity: Sequence[int], k: int) -> float:
    """Compute DIMPLE at k: the sum of (2^(Q D) - 1) over the first k ranks, divided by k (2^3 - 1).

    Args:
        quality: Q of each paraphrase, the best ranked first, in [0, 1].
        diversity: D of each paraphrase, from 1 to 3, as returned by `rate_diversity`.
        k: Number of ranks that count, at least 1.

    Returns:
        A value in [0, 1]. It is 1 if all k paraphrases have quality 1 and diversity 3.

    Raises:
        ValueError: If k, a quality or a diversity is out of range, or the numbers of qualities and diversities differ.
    """
    pairs = zip(_take(quality, k), _take_diversity(quality, diversity, k), strict=True)
    return math.fsum(2.0 ** (value * rating) - 1 for value, rating in pairs) / (k * (2**UNSEEN - 1))


METRICS = ("EP", "EPR", "DIMPLE")
"""Names of the metrics in tables."""


def list_columns(cuts: Sequence[int], metrics: Sequence[str] = METRICS) -> list[tuple[str, int]]:
    """List all pairs of a metric and k, in the order of the columns of tables."""
    return list(product(metrics, cuts))


def name_column(column: tuple[str, int]) -> str:
    """Return the title of a column of tables, such as EPR@5."""
    metric, k = column
    return f"{metric}@{k}"


def measure(quality: Sequence[float], diversity: Sequence[int], cuts: Sequence[int]) -> Mapping[tuple[str, int], float]:
    """Compute all metrics of a ranked list, by name and k.

    Raises:
        ValueError: If k, a quality or a diversity is out of range, or the numbers of qualities and diversities differ.
    """
    values = {}
    for k in cuts:
        values["EP", k] = expected_precision(quality, k)
        values["EPR", k] = expected_precision_redundancy(quality, diversity, k)
        values["DIMPLE", k] = dimple(quality, diversity, k)
    return {column: round(value, DECIMALS) for column, value in values.items()}


def _take(quality: Sequence[float], k: int) -> Sequence[float]:
    RANK.check("k", k)
    if not all(0 <= value <= 1 for value in quality):
        raise ValueError("a quality is not between 0 and 1")
    return quality[:k]


def _take_diversity(quality: Sequence[float], diversity: Sequence[int], k: int) -> Sequence[int]:
    if len(quality) != len(diversity):
        raise ValueError(f"expected as many diversities as qualities, found {len(diversity)} and {len(quality)}")
    if not all(SEEN_WORD <= rating <= UNSEEN for rating in diversity):
        raise ValueError(f"a diversity is not between {SEEN_WORD} and {UNSEEN}")
    return diversity[:k]
