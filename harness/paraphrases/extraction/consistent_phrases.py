"""Phrase pairs of one sentence pair that are consistent with its word alignment (Och and Ney, 2004; Koehn, 2010)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Spans = tuple[int, int, int, int]
"""The place of a phrase pair: start and end in the source, start and end in the target. Ends are exclusive."""


class _Reach(NamedTuple):
    """The outermost words of the opposite side that each word is aligned to.

    Attributes:
        first: Per word the first aligned word, or the number of words of the opposite side.
        last: Per word the last aligned word, or -1.
    """

    first: list[int]
    last: list[int]


def extract_spans(
    points: Sequence[tuple[int, int]], source_length: int, target_length: int, max_words: int
) -> Iterator[Spans]:
    """Extract all phrase pairs that are consistent with an alignment, each once.

    A source span and a target span are a phrase pair if at least one word of the source span is aligned to a word of
    the target span, and no word of either span is aligned to a word outside of the opposite span. Unaligned words at
    the borders of a phrase may belong to it or not, so both phrases are extracted.

    Args:
        points: Places of aligned words, source and target, from 0.
        source_length: Number of words of the source.
        target_length: Number of words of the target.
        max_words: Largest number of words of a phrase, on either side.

    Yields:
        Places of phrase pairs, in the order of the target.
    """
    source = _find_reach(points, source_length, target_length)
    reversed_points = [(target_word, source_word) for source_word, target_word in points]
    target = _find_reach(reversed_points, target_length, source_length)
    for start in range(target_length):
        for low, high, end in _find_consistent(start, source, target, max_words):
            for source_start, source_end in _extend(low, high, source.last, max_words):
                yield source_start, source_end, start, end


def _find_reach(points: Sequence[tuple[int, int]], length: int, opposite_length: int) -> _Reach:
    reach = _Reach([opposite_length] * length, [-1] * length)
    for word, opposite_word in points:
        reach.first[word] = min(reach.first[word], opposite_word)
        reach.last[word] = max(reach.last[word], opposite_word)
    return reach


def _find_consistent(start: int, source: _Reach, target: _Reach, max_words: int) -> list[tuple[int, int, int]]:
    """Find the target spans from a start that have a consistent source span.

    The source span grows with the target span. The search ends when no longer target span can be consistent.

    Returns:
        First and last word of the smallest source span, and the exclusive end of the target span.
    """
    consistent = []
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
            consistent.append((low, high, end + 1))
    return consistent


def _extend(low: int, high: int, aligned: Sequence[int], max_words: int) -> list[tuple[int, int]]:
    """List a source span, and the spans that have unaligned words around it besides."""
    shortest, longest = high + 1, min(len(aligned), low + max_words)
    while high + 1 < longest and aligned[high + 1] < 0:
        high += 1
    starts = [low]
    while starts[-1] > max(0, shortest - max_words) and aligned[starts[-1] - 1] < 0:
        starts.append(starts[-1] - 1)
    return [(start, end) for start in starts for end in range(shortest, min(high + 1, start + max_words) + 1)]
