"""Phrase pairs that are consistent with word alignments (Och and Ney, 2004; Koehn, 2010), for many sentences at once.

A source span and a target span are a phrase pair if at least one word of the source span is aligned to a word of the
target span, and no word of either span is aligned to a word outside of the opposite span. Unaligned words at the
borders of a phrase may belong to it or not, so the phrases with and without them are extracted.

The phrase pairs of a chunk are written as rows to temporary files (runs), divided by target phrase.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import save_rows
from harness.paraphrases.extraction.encoding import (
    Floats,
    Links,
    Positions,
    Sentences,
    Side,
    load_sentences,
    weigh_words,
)
from harness.paraphrases.extraction.packing import (
    Columns,
    Layout,
    LinkMasks,
    mask_links,
    pack_alignments,
    pack_phrases,
)
from harness.paraphrases.sorting import BUCKET_SHIFT, find_bucket_starts, find_starts

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


MAX_ROW_BYTES = 4 << 20
"""Approximate number of bytes of rows that are sorted at once. Rows of the same phrase may be larger."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, for Fibonacci hashing."""
_HALF = np.uint64(32)


class Fields(NamedTuple):
    """The columns of a row: target phrase, source phrase, alignment, and numbers.

    Attributes:
        target: Columns of the target phrase.
        source: Columns of the source phrase.
        alignment: Columns of the alignment.
        numbers: First column of the numbers.
    """

    target: slice
    source: slice
    alignment: slice
    numbers: int

    @property
    def pair(self) -> slice:
        """Columns of both phrases."""
        return slice(self.target.start, self.source.stop)


def arrange_fields(layout: Layout) -> Fields:
    """Arrange the columns of a row."""
    phrase = layout.phrase_columns
    end = 2 * phrase + layout.alignment_columns
    return Fields(slice(0, phrase), slice(phrase, 2 * phrase), slice(2 * phrase, end), end)


OCCURRENCE_NUMBERS = 2
"""Number of columns for numbers of an extracted phrase pair: its count, and its lexical weights (`pack_weights`)."""

PAIR_NUMBERS = 4
"""Number of columns for numbers of a distinct phrase pair: its count, the number of occurrences and of distinct sources
of its target, and its lexical weights."""


class Block(NamedTuple):
    """Rows of extracted phrase pairs, sorted by bucket.

    Attributes:
        rows: The rows. Equal rows are usually, but not always, merged into a row with their count.
        starts: First row of each bucket, and finally the number of rows.
        phrase_pairs: Number of extracted phrase pairs.
    """

    rows: Columns
    starts: NDArray[np.uint32]
    phrase_pairs: int


class Run(NamedTuple):
    """A block in a file.

    Attributes:
        path: File of the rows.
        starts: First row of each bucket, and finally the number of rows.
        phrase_pairs: Number of extracted phrase pairs.
    """

    path: Path
    starts: NDArray[np.uint32]
    phrase_pairs: int


def pack_weights(source: NDArray[np.floating], target: NDArray[np.floating]) -> NDArray[np.uint64]:
    """Pack the lexical weights of the source and of the target into a number, in single precision as in Moses."""
    halves = np.stack([source, target]).astype(np.float32).view(np.uint32).astype(np.uint64)
    return (halves[0] << _HALF) | halves[1]


def unpack_weights(packed: NDArray[np.uint64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Unpack the lexical weights of the source and of the target."""
    return (packed >> _HALF).astype(np.uint32).view(np.float32), packed.astype(np.uint32).view(np.float32)


def extract_rows(path: Path, layout: Layout) -> list[Run]:
    """Extract the phrase pairs of a chunk to runs in the same folder, and remove the file of the chunk."""
    runs = list[Run]()
    for number, block in enumerate(extract_blocks(path, layout)):
        run_path = path.with_name(f"{path.name}-run-{number}")
        save_rows(run_path, block.rows)
        runs.append(Run(run_path, block.starts, block.phrase_pairs))
    path.unlink()
    return runs


def extract_blocks(path: Path, layout: Layout) -> Iterator[Block]:
    """Extract the phrase pairs of a chunk as blocks of limited size."""
    sentences = load_sentences(path)
    source_factors, target_factors = weigh_words(sentences, path.parent)
    source_weights = _multiply_factors(source_factors, layout.max_words)
    target_weights = _multiply_factors(target_factors, layout.max_words)
    masks = mask_links(sentences.links, len(sentences.target.words))
    fields = arrange_fields(layout)
    limit = limit_rows(fields.numbers + OCCURRENCE_NUMBERS)
    for spans in _join_spans(extract_spans(*sentences, layout.max_words), limit):
        rows = np.empty((len(spans.source_starts), fields.numbers + OCCURRENCE_NUMBERS), np.uint64)
        _fill_phrases(rows, spans, sentences, masks, layout)
        rows[:, fields.numbers] = 1
        rows[:, -1] = pack_weights(
            source_weights[spans.source_lengths - 1, spans.source_starts],
            target_weights[spans.target_lengths - 1, spans.target_starts],
        )
        yield _divide_rows(rows, fields)


def _multiply_factors(factors: Floats, max_words: int) -> Floats:
    """Multiply the factors of the words of each span. The result has the shape (lengths, starts)."""
    products = np.ones((max_words, len(factors)))
    products[0] = factors
    for length in range(1, max_words):
        products[length, :-length] = products[length - 1, :-length] * factors[length:]
    return products


def _join_spans(parts: Iterator[Spans], limit: int) -> Iterator[Spans]:
    """Join consecutive arrays of spans until they have at least `limit` phrase pairs."""
    waiting, count = list[Spans](), 0
    for spans in parts:
        waiting.append(spans)
        count += len(spans.source_starts)
        if count >= limit:
            yield Spans(*map(np.concatenate, zip(*waiting, strict=True)))
            waiting, count = [], 0
    if waiting:
        yield Spans(*map(np.concatenate, zip(*waiting, strict=True)))


def _fill_phrases(rows: Columns, spans: Spans, sentences: Sentences, masks: LinkMasks, layout: Layout) -> None:
    """Fill in the columns of the phrases and of the alignment."""
    fields = arrange_fields(layout)
    target = pack_phrases(sentences.target.words, spans.target_starts, spans.target_lengths, layout)
    source = pack_phrases(sentences.source.words, spans.source_starts, spans.source_lengths, layout)
    rows[:, fields.target], rows[:, fields.source] = target, source
    alignment = pack_alignments(masks, spans.source_starts, spans.target_starts, spans.target_lengths, layout)
    rows[:, fields.alignment] = alignment


def _hash_columns(rows: Columns) -> NDArray[np.uint64]:
    """Hash rows to 64 bits. The highest bits are the best distributed."""
    hashes = np.zeros(len(rows), np.uint64)
    for column in range(rows.shape[1]):
        hashes = (hashes ^ rows[:, column]) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes * _MULTIPLIER


def _divide_rows(rows: Columns, fields: Fields) -> Block:
    """Sort rows by bucket and hash, and merge equal neighbouring rows into a row with their count."""
    phrase_pairs = len(rows)
    buckets = _hash_columns(rows[:, fields.target]) >> BUCKET_SHIFT
    hashes = _hash_columns(rows[:, : fields.numbers])
    rows = rows[np.argsort((buckets << BUCKET_SHIFT) | (hashes >> np.uint64(10)))]
    starts = find_starts(rows[:, : fields.numbers])
    counts = np.add.reduceat(rows[:, fields.numbers], starts)
    rows = rows[starts]
    rows[:, fields.numbers] = counts
    bucket_starts = find_bucket_starts(_hash_columns(rows[:, fields.target]))
    return Block(rows, bucket_starts.astype(np.uint32), phrase_pairs)


def limit_rows(width: int) -> int:
    """Return the number of rows that are sorted at once."""
    return max(1, MAX_ROW_BYTES // (8 * width))
