"""Phrase pairs of one sentence pair that are consistent with its word alignment (Och and Ney, 2004; Koehn, 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Spans = tuple[int, int, int, int]
"""Where a phrase pair is: from which word of the source to before which, and so in the target, all from 0."""


class _Reach(NamedTuple):
    """The outermost words of the other side that each word is aligned to; of unaligned words, beyond any word.

    Attributes:
        first: Per word the first, or the number of words there.
        last: Per word the last, or -1.
    """

    first: list[int]
    last: list[int]


def extract_spans(
    points: Sequence[tuple[int, int]], source_length: int, target_length: int, max_words: int
) -> Iterator[Spans]:
    """All phrase pairs that are consistent with an alignment, each once.

    A span of the source and one of the target are a phrase pair if at least one word of the one is aligned to a word of
    the other, and no word of either is aligned to a word outside of the other. Unaligned words at the borders of a
    phrase may belong to it or not, so both are taken.

    Args:
        points: Places of aligned words, source and target, from 0.
        source_length: Words of the source.
        target_length: Words of the target.
        max_words: Words that a phrase has at most, on either side.

    Yields:
        Where they are, in order of the target.
    """
    source = _find_reach(points, source_length, target_length)
    target = _find_reach([(j, i) for i, j in points], target_length, source_length)
    for start in range(target_length):
        for low, high, end in _find_consistent(start, source, target, max_words):
            for source_start, source_end in _extend(low, high, source.last, max_words):
                yield source_start, source_end, start, end


def _find_reach(points: Sequence[tuple[int, int]], length: int, other_length: int) -> _Reach:
    reach = _Reach([other_length] * length, [-1] * length)
    for here, there in points:
        reach.first[here] = min(reach.first[here], there)
        reach.last[here] = max(reach.last[here], there)
    return reach


def _find_consistent(start: int, source: _Reach, target: _Reach, max_words: int) -> list[tuple[int, int, int]]:
    """The first and the last source word of the smallest source spans, and the ends, of target spans from a start.

    The source span grows with the target span. What it can never be consistent again with ends the search.
    """
    found = []
    low, high, furthest = len(source.first), -1, -1
    limit = min(start + max_words, len(target.first))
    for end in range(start, limit):
        first, last = target.first[end], target.last[end]
        if first < low or last > high:
            low, high = min(low, first), max(high, last)
            furthest = max(source.last[low : high + 1])
            if high - low >= max_words or furthest >= limit or min(source.first[low : high + 1]) < start:
                break
        if 0 <= furthest <= end:
            found.append((low, high, end + 1))
    return found


def _extend(low: int, high: int, aligned: Sequence[int], max_words: int) -> list[tuple[int, int]]:
    """A span from its first to its last word, and all that have unaligned words around it besides."""
    shortest, longest = high + 1, min(len(aligned), low + max_words)
    while high + 1 < longest and aligned[high + 1] < 0:
        high += 1
    starts = [low]
    while starts[-1] > max(0, shortest - max_words) and aligned[starts[-1] - 1] < 0:
        starts.append(starts[-1] - 1)
    return [(start, end) for start in starts for end in range(shortest, min(high + 1, start + max_words) + 1)]
