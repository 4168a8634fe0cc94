"""Phrase pairs: extracted from aligned sentences as rows in temporary files, and counted.

A source span and a target span are a phrase pair if at least one word of the source span is aligned to a word of the
target span, and no word of either span is aligned to a word outside of the opposite span (Och and Ney, 2004; Koehn,
2010). Unaligned words at the borders of a phrase may belong to it or not, so the phrases with and without them are
extracted, for many sentences at once.

The phrase pairs of a chunk are written to runs, divided by target phrase. Parts of the target phrases that fit into
memory are sorted and counted separately. The counts of a phrase pair are complete, because equal phrases are in the
same part. The division into parts depends only on the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import save_rows
from harness.paraphrases import sorting
from harness.paraphrases.extraction import packing
from harness.paraphrases.extraction.encoding import Links, Positions, load_sentences, weigh_words

_NOWHERE = np.int64(1 << 40)
"""Value for the first aligned word of an unaligned word, larger than all positions. Its last aligned word is -1."""


Spans = NDArray[np.int64]
"""Phrase pairs, shape (4, pairs): the first word and the number of words of the source phrase, and both of the target
phrase. Words are positions among the words of all sentences of a chunk."""

_Value = TypeVar("_Value", np.int64, np.float64)

_Smallest = NDArray[np.int64]
"""Target spans of the same length, and the smallest source spans that contain all words aligned to them, shape
(3, spans): the first word of the target span, and the first and the last word of the source span."""


def extract_spans(starts: Sequence[Positions], links: Links, max_words: int) -> Iterator[Spans]:
    """Extract all phrase pairs that are consistent with the alignments, each occurrence once.

    Args:
        starts: Of the source and of the target, the position of the first word of each sentence, and finally the number
            of words.
        links: Aligned words.
        max_words: Maximum number of words of a phrase, on either side.

    Yields:
        Phrase pairs, at most one per target word at a time.
    """
    (source_starts, target_starts), (linked_sources, linked_targets) = starts, links
    source_first, source_last = _find_reach(linked_sources, linked_targets, source_starts[-1])
    reach = _find_reach(linked_targets, linked_sources, target_starts[-1])
    first, last = _spread(source_first, max_words, np.minimum), _spread(source_last, max_words, np.maximum)
    before, after = _count_unaligned(source_starts, source_last)
    for length, spans in enumerate(_grow_spans(target_starts, reach, max_words), 1):
        target, low, high = spans
        # A pair is consistent if all words that the source span is aligned to are in the target span.
        is_consistent = (first[high - low, low] >= target) & (last[high - low, low] < target + length)
        yield from _extend(spans[:, is_consistent], length, before, after, max_words)


def _find_reach(words: Positions, opposite: Positions, count: int) -> tuple[Positions, Positions]:
    """Find the first and the last word of the opposite side that each word is aligned to."""
    first, last = np.full(count, _NOWHERE), np.full(count, -1)
    np.minimum.at(first, words, opposite)
    np.maximum.at(last, words, opposite)
    return first, last


def _spread(values: NDArray[_Value], max_words: int, combine: np.ufunc) -> NDArray[_Value]:
    """Combine the values of each span of 1 to `max_words` words. The result has the shape (lengths, starts)."""
    table = np.empty((max_words, len(values)), values.dtype)
    table[0] = values
    for length in range(1, max_words):
        table[length] = table[length - 1]
        combine(table[length - 1, :-length], values[length:], out=table[length, :-length])
    return table


def _count_unaligned(sentence_starts: Positions, last: Positions) -> tuple[Positions, Positions]:
    """Count the consecutive unaligned words directly before and after each word in its sentence."""
    positions, lengths = np.arange(len(last)), np.diff(sentence_starts)
    starts, ends = np.repeat(sentence_starts[:-1], lengths), np.repeat(sentence_starts[1:], lengths)
    aligned_before = np.maximum.accumulate(np.where(last >= 0, positions, -1))
    aligned_before = np.concatenate([[-1], aligned_before[:-1]])
    aligned_after = np.minimum.accumulate(np.where(last >= 0, positions, _NOWHERE)[::-1])[::-1]
    aligned_after = np.concatenate([aligned_after[1:], [_NOWHERE]])
    return positions - 1 - np.maximum(aligned_before, starts - 1), np.minimum(aligned_after, ends) - positions - 1


def _grow_spans(sentence_starts: Positions, reach: tuple[Positions, Positions], max_words: int) -> Iterator[_Smallest]:
    """Yield the target spans of each length that have aligned words and whose source span is not too long.

    The source span grows with the target span. Once it is too long, all longer target spans are dropped as well.
    """
    ends = np.repeat(sentence_starts[1:], np.diff(sentence_starts))
    first, last = reach
    spans = np.stack([np.arange(len(ends)), ends, np.full(len(ends), _NOWHERE), np.full(len(ends), -1)])
    for length in range(1, max_words + 1):
        starts, ends, low, high = spans
        spans = spans[:, starts + length <= ends]
        starts, ends, low, high = spans
        low = np.minimum(low, first[starts + length - 1])
        high = np.maximum(high, last[starts + length - 1])
        spans = np.stack([starts, ends, low, high])[:, high - low < max_words]
        starts, _, low, high = spans
        yield np.stack([starts, low, high])[:, high >= 0]


def _extend(spans: _Smallest, length: int, before: Positions, after: Positions, max_words: int) -> Iterator[Spans]:
    """Yield the phrase pairs of the smallest source spans, and of the source spans extended by unaligned words."""
    for added_before in range(max_words):
        _, low, high = spans
        spans = spans[:, (before[low] >= added_before) & (high - low + added_before < max_words)]
        if not spans.size:
            return
        extended = spans
        for added_after in range(max_words):
            _, low, high = extended
            widths = high - low + 1 + added_before + added_after
            kept = (after[high] >= added_after) & (widths <= max_words)
            extended, widths = extended[:, kept], widths[kept]
            if not len(widths):
                break
            starts, low, _ = extended
            yield np.stack([low - added_before, widths, starts, np.full_like(starts, length)])


MAX_ROW_BYTES = 4 << 20
"""Approximate number of bytes of rows that are sorted at once. Rows of the same phrase may be larger."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, for Fibonacci hashing."""


def pack_weights(source: NDArray[np.floating], target: NDArray[np.floating]) -> NDArray[np.uint64]:
    """Pack the lexical weights of the source and of the target into a number, in single precision as in Moses."""
    return sorting.join_halves(*(weights.astype(np.float32).view(np.uint32) for weights in (source, target)))


def unpack_weights(packed: NDArray[np.uint64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Unpack the lexical weights of the source and of the target."""
    source, target = sorting.split_halves(packed)
    return source.view(np.float32), target.view(np.float32)


def extract_rows(path: Path, layout: packing.Layout) -> list[tuple[Path, NDArray[np.uint32], int]]:
    """Extract the phrase pairs of a chunk to runs in the same folder, and remove the file of the chunk.

    Returns:
        Per run, the file of the rows, the first row of each bucket and finally the number of rows, and the number of
        extracted phrase pairs.
    """
    runs = []
    for number, (rows, starts) in enumerate(extract_blocks(path, layout)):
        run_path = path.with_name(f"{path.name}-run-{number}")
        save_rows(run_path, rows)
        runs.append((run_path, starts, int(rows[:, layout.numbers].sum())))
    path.unlink()
    return runs


def extract_blocks(path: Path, layout: packing.Layout) -> Iterator[tuple[packing.Columns, NDArray[np.uint32]]]:
    """Extract the phrase pairs of a chunk as blocks of limited size.

    Yields:
        Rows of extracted phrase pairs, sorted by bucket. Equal rows are usually, but not always, merged into a row with
        their count. And the first row of each bucket, and finally the number of rows.
    """
    words, starts, links = load_sentences(path)
    source, target = words
    factors = weigh_words(words, links, path.parent)
    source_weights, target_weights = (_spread(values, layout.max_words, np.multiply) for values in factors)
    masks = packing.mask_links(links, len(target))
    limit = limit_rows(layout.occurrence_width)
    for spans in _join_spans(extract_spans(starts, links, layout.max_words), limit):
        source_starts, source_lengths, target_starts, target_lengths = spans
        rows = np.empty((len(source_starts), layout.occurrence_width), np.uint64)
        rows[:, layout.target] = packing.pack_phrases(target, target_starts, target_lengths, layout)
        rows[:, layout.source] = packing.pack_phrases(source, source_starts, source_lengths, layout)
        rows[:, layout.alignment] = packing.pack_alignments(masks, source_starts, target_starts, target_lengths, layout)
        rows[:, layout.numbers] = 1
        rows[:, -1] = pack_weights(
            source_weights[source_lengths - 1, source_starts], target_weights[target_lengths - 1, target_starts]
        )
        yield _divide_rows(rows, layout)


def _join_spans(parts: Iterator[Spans], limit: int) -> Iterator[Spans]:
    """Join consecutive arrays of spans until they have at least `limit` phrase pairs."""
    waiting, count = list[Spans](), 0
    for spans in parts:
        waiting.append(spans)
        count += spans.shape[1]
        if count >= limit:
            yield np.concatenate(waiting, axis=1)
            waiting, count = [], 0
    if waiting:
        yield np.concatenate(waiting, axis=1)


def _hash_columns(rows: packing.Columns) -> NDArray[np.uint64]:
    """Hash rows to 64 bits. The highest bits are the best distributed."""
    hashes = np.zeros(len(rows), np.uint64)
    for column in range(rows.shape[1]):
        hashes = (hashes ^ rows[:, column]) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes * _MULTIPLIER


def _divide_rows(rows: packing.Columns, layout: packing.Layout) -> tuple[packing.Columns, NDArray[np.uint32]]:
    """Sort rows by bucket and hash, and merge equal neighbouring rows into a row with their count."""
    buckets = _hash_columns(rows[:, layout.target]) >> sorting.BUCKET_SHIFT
    hashes = _hash_columns(rows[:, : layout.numbers])
    rows = rows[np.argsort((buckets << sorting.BUCKET_SHIFT) | (hashes >> np.uint64(10)))]
    starts = sorting.find_starts(rows[:, : layout.numbers])
    counts = np.add.reduceat(rows[:, layout.numbers], starts)
    rows = rows[starts]
    rows[:, layout.numbers] = counts
    return rows, sorting.find_bucket_starts(_hash_columns(rows[:, layout.target])).astype(np.uint32)


def limit_rows(width: int) -> int:
    """Return the number of rows that are sorted at once."""
    return max(1, MAX_ROW_BYTES // (8 * width))


LARGEST_COUNT = 10
"""Largest count for which the number of phrase pairs with this count is needed."""


class PartStatistics(NamedTuple):
    """Statistics of the distinct phrase pairs of a part.

    Attributes:
        pairs: Number of distinct phrase pairs.
        occurrences: Number of extracted phrase pairs.
        count_sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... `LARGEST_COUNT` times.
        sample: First column of some source phrases, from `sample_keys`.
    """

    pairs: int
    occurrences: int
    count_sizes: NDArray[np.int64]
    sample: NDArray[np.uint64]


def count_part(
    buckets: tuple[int, list[tuple[int, int]]], runs: Sequence[Path], layout: packing.Layout
) -> tuple[Path, PartStatistics]:
    """Count the phrase pairs of a range of `divide_runs`, and write them to a file in the folder of the runs.

    Returns:
        The file, with the rows of `count_rows`, and the statistics of the phrase pairs.
    """
    number, slices = buckets
    pairs = count_rows(sorting.read_range(runs, slices, layout.occurrence_width), layout)
    path = runs[0].with_name(f"part-{number}")
    save_rows(path, pairs)
    return path, describe_pairs(pairs, layout)


def count_rows(rows: packing.Columns, layout: packing.Layout) -> packing.Columns:
    """Count the phrase pairs of a part of the target phrases. The order of the rows does not matter.

    Returns:
        A row per distinct phrase pair, sorted by the first column of the source.
    """
    numbers = layout.numbers
    rows = rows[np.lexsort(rows[:, :numbers].T[::-1])]
    starts = sorting.find_starts(rows[:, :numbers])
    counts = np.add.reduceat(rows[:, numbers], starts).astype(np.int64)
    rows = rows[starts]
    pair_starts = sorting.find_starts(rows[:, layout.pair])
    joint = np.add.reduceat(counts, pair_starts)
    target_starts = sorting.find_starts(rows[pair_starts][:, layout.target])
    best_target, best_source = packing.choose_alignments(
        rows[:, layout.alignment], counts, pair_starts, layout.max_words
    )
    pairs = np.empty((len(pair_starts), layout.pair_width), np.uint64)
    pairs[:, :numbers] = rows[best_target, :numbers]
    pairs[:, numbers] = joint
    sizes = np.diff(np.append(target_starts, len(pair_starts)))
    pairs[:, numbers + 1] = np.repeat(np.add.reduceat(joint, target_starts), sizes)
    pairs[:, numbers + 2] = np.repeat(sizes, sizes)
    weights = unpack_weights(rows[best_source, -1])[0], unpack_weights(rows[best_target, -1])[1]
    pairs[:, -1] = pack_weights(*weights)
    return pairs[np.argsort(pairs[:, layout.source.start], kind="stable")]


def describe_pairs(pairs: packing.Columns, layout: packing.Layout) -> PartStatistics:
    """Compute the statistics of the rows of `count_rows`."""
    joint = pairs[:, layout.numbers].astype(np.int64)
    count_sizes = np.bincount(np.minimum(joint, LARGEST_COUNT + 1), minlength=LARGEST_COUNT + 2)[:-1]
    return PartStatistics(len(pairs), int(joint.sum()), count_sizes, sorting.sample_keys(pairs[:, layout.source.start]))


def find_source_borders(parts: Sequence[PartStatistics], layout: packing.Layout) -> NDArray[np.uint64]:
    """Find values of the first column of source phrases that divide the rows of all parts into ranges for memory."""
    return sorting.find_borders([part.sample for part in parts], limit_rows(layout.pair_width))


def sort_pairs(rows: packing.Columns, layout: packing.Layout) -> packing.Columns:
    """Sort phrase pairs by source and target."""
    keys = np.hstack([rows[:, layout.source], rows[:, layout.target]])
    return rows[np.lexsort(keys.T[::-1])]
