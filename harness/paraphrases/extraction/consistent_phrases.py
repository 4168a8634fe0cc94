"""Phrase pairs that are consistent with word alignments (Och and Ney, 2004; Koehn, 2010), for many sentences at once.

A source span and a target span are a phrase pair if at least one word of the source span is aligned to a word of the
target span, and no word of either span is aligned to a word outside of the opposite span. Unaligned words at the
borders of a phrase may belong to it or not, so the phrases with and without them are extracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.extraction.encoding import Links, Positions, Side

_NOWHERE = np.int64(1 << 40)
"""Value for the first aligned word of an unaligned word, larger than all positions. Its last aligned word is -1."""


class Spans(NamedTuple):
    """Phrase pairs, as positions among the words of all sentences of a chunk.

    Attributes:
        source_starts: Position of the first word of the source phrase.
        source_lengths: Number of words of the source phrase.
        target_starts: Position of the first word of the target phrase.
        target_lengths: Number of words of the target phrase.
    """

    source_starts: Positions
    source_lengths: Positions
    target_starts: Positions
    target_lengths: Positions


class _Smallest(NamedTuple):
    """Target spans of the same length, and the smallest source spans that contain all words aligned to them.

    Attributes:
        starts: Position of the first word of each target span.
        low: Position of the first word of the source span.
        high: Position of the last word of the source span.
    """

    starts: Positions
    low: Positions
    high: Positions


def extract_spans(source: Side, target: Side, links: Links, max_words: int) -> Iterator[Spans]:
    """Extract all phrase pairs that are consistent with the alignments, each occurrence once.

    Args:
        source: Sentences of the source.
        target: Sentences of the target.
        links: Aligned words.
        max_words: Maximum number of words of a phrase, on either side.

    Yields:
        Phrase pairs, at most one per target word at a time.
    """
    source_first, source_last = _find_reach(links.source, links.target, len(source.words))
    reach = _find_reach(links.target, links.source, len(target.words))
    first, last = _spread(source_first, max_words, np.minimum), _spread(source_last, max_words, np.maximum)
    before, after = _count_unaligned(source, source_last)
    for length, spans in enumerate(_grow_spans(target, reach, max_words), 1):
        widths = spans.high - spans.low
        ends = spans.starts + length
        # A pair is consistent if all words that the source span is aligned to are in the target span.
        is_consistent = (first[widths, spans.low] >= spans.starts) & (last[widths, spans.low] < ends)
        smallest = _Smallest(*(values[is_consistent] for values in spans))
        yield from _extend(smallest, length, before, after, max_words)


def _find_reach(words: Positions, opposite: Positions, count: int) -> tuple[Positions, Positions]:
    """Find the first and the last word of the opposite side that each word is aligned to."""
    order = np.lexsort((opposite, words))
    first, last = np.full(count, _NOWHERE), np.full(count, -1)
    last[words[order]] = opposite[order]  # NumPy keeps the last value of a repeated index
    backwards = order[::-1]
    first[words[backwards]] = opposite[backwards]
    return first, last


def _spread(values: Positions, max_words: int, combine: np.ufunc) -> NDArray[np.int64]:
    """Combine the values of each span of 1 to `max_words` words. The result has the shape (lengths, starts)."""
    table = np.empty((max_words, len(values)), np.int64)
    table[0] = values
    for length in range(1, max_words):
        table[length] = table[length - 1]
        combine(table[length - 1, :-length], values[length:], out=table[length, :-length])
    return table


def _count_unaligned(side: Side, last: Positions) -> tuple[Positions, Positions]:
    """Count the consecutive unaligned words directly before and after each word in its sentence."""
    positions, lengths = np.arange(len(last)), np.diff(side.starts)
    starts, ends = np.repeat(side.starts[:-1], lengths), np.repeat(side.starts[1:], lengths)
    aligned_before = np.maximum.accumulate(np.where(last >= 0, positions, -1))
    aligned_before = np.concatenate([[-1], aligned_before[:-1]])
    aligned_after = np.minimum.accumulate(np.where(last >= 0, positions, _NOWHERE)[::-1])[::-1]
    aligned_after = np.concatenate([aligned_after[1:], [_NOWHERE]])
    return positions - 1 - np.maximum(aligned_before, starts - 1), np.minimum(aligned_after, ends) - positions - 1


def _grow_spans(target: Side, reach: tuple[Positions, Positions], max_words: int) -> Iterator[_Smallest]:
    """Yield the target spans of each length that have aligned words and whose source span is not too long.

    The source span grows with the target span. Once it is too long, all longer target spans are dropped as well.
    """
    starts = np.arange(len(target.words))
    ends = np.repeat(target.starts[1:], np.diff(target.starts))
    low, high = np.full(len(starts), _NOWHERE), np.full(len(starts), -1)
    for length in range(1, max_words + 1):
        kept = starts + length <= ends
        starts, ends, low, high = starts[kept], ends[kept], low[kept], high[kept]
        low = np.minimum(low, reach[0][starts + length - 1])
        high = np.maximum(high, reach[1][starts + length - 1])
        kept = high - low < max_words
        starts, ends, low, high = starts[kept], ends[kept], low[kept], high[kept]
        aligned = high >= 0
        yield _Smallest(starts[aligned], low[aligned], high[aligned])


def _extend(spans: _Smallest, length: int, before: Positions, after: Positions, max_words: int) -> Iterator[Spans]:
    """Yield the phrase pairs of the smallest source spans, and of the source spans extended by unaligned words."""
    for added_before in range(max_words):
        kept = (before[spans.low] >= added_before) & (spans.high - spans.low + added_before < max_words)
        spans = _Smallest(*(values[kept] for values in spans))
        if not len(spans.starts):
            return
        extended = spans
        for added_after in range(max_words):
            widths = extended.high - extended.low + 1 + added_before + added_after
            kept = (after[extended.high] >= added_after) & (widths <= max_words)
            extended, widths = _Smallest(*(values[kept] for values in extended)), widths[kept]
            if not len(widths):
                break
            yield Spans(extended.low - added_before, widths, extended.starts, np.full(len(widths), length, np.int64))
