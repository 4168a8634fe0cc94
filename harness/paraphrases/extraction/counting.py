"""Counting of phrase pairs: rows in temporary files, divided first by target phrase, then by source phrase.

Every part of the rows is small enough for memory and is sorted by itself. The counts of a phrase pair are whole, because
equal phrases are in the same part. Which rows are in which part depends on the text only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.extraction.array_files import load_rows, map_rows, save_rows
from harness.paraphrases.extraction.consistent_phrases import Spans, extract_spans
from harness.paraphrases.extraction.lexicons import Floats, Sentences, load_sentences, weigh_words
from harness.paraphrases.extraction.packing import (
    Columns,
    Layout,
    LinkMasks,
    list_points,
    mask_links,
    pack_alignments,
    pack_phrases,
)

MAX_ROW_BYTES = 6 << 20
"""Approximate number of bytes of rows that are sorted at once, unless one phrase has more."""

BUCKETS = 1 << 10
"""Number of divisions of the target phrases, by a hash. A part consists of neighbouring ones."""

SAMPLE_EVERY = 256
"""Of so many rows, one is looked at to divide the source phrases evenly."""

LARGEST_COUNT = 10
"""Largest count of a phrase pair for which the number of such phrase pairs is counted."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_BUCKET_SHIFT = np.uint64(64 - 10)
_HALF = np.uint64(32)


class Fields(NamedTuple):
    """The columns of a row: target phrase, source phrase, alignment, and numbers behind them.

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
"""Numbers of an extracted phrase pair: its count, and its two lexical weights as in `pack_weights`."""

PAIR_NUMBERS = 4
"""Numbers of a distinct phrase pair: its count, occurrences and distinct sources of its target, and its weights."""


class Run(NamedTuple):
    """Rows of extracted phrase pairs in a file, by bucket.

    Attributes:
        path: The file.
        starts: First row of each bucket, and the number of rows.
        phrase_pairs: Number of extracted phrase pairs.
    """

    path: Path
    starts: NDArray[np.uint32]
    phrase_pairs: int


def pack_weights(source: Floats, target: Floats) -> NDArray[np.uint64]:
    """Pack two lexical weights, of the source and of the target, in the precision that Moses writes them in."""
    halves = np.stack([source, target]).astype(np.float32).view(np.uint32).astype(np.uint64)
    return (halves[0] << _HALF) | halves[1]


def unpack_weights(packed: NDArray[np.uint64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the weights of `pack_weights`."""
    return (packed >> _HALF).astype(np.uint32).view(np.float32), packed.astype(np.uint32).view(np.float32)


def extract_rows(path: Path, layout: Layout) -> list[Run]:
    """Extract the phrase pairs of a chunk, and write them to runs in the same folder."""
    sentences = load_sentences(path)
    source_factors, target_factors = weigh_words(sentences, path.parent)
    source_weights = _multiply_factors(source_factors, layout.max_words)
    target_weights = _multiply_factors(target_factors, layout.max_words)
    masks = mask_links(sentences.links, len(sentences.target.words))
    fields, runs = arrange_fields(layout), list[Run]()
    limit = MAX_ROW_BYTES // (8 * (fields.numbers + OCCURRENCE_NUMBERS))
    for spans in _join_spans(extract_spans(*sentences, layout.max_words), limit):
        rows = np.empty((len(spans.source_starts), fields.numbers + OCCURRENCE_NUMBERS), np.uint64)
        _fill_phrases(rows, spans, sentences, masks, layout)
        rows[:, fields.numbers] = 1
        rows[:, -1] = pack_weights(
            source_weights[spans.source_lengths - 1, spans.source_starts],
            target_weights[spans.target_lengths - 1, spans.target_starts],
        )
        runs.append(_write_run(rows, fields, path.with_name(f"{path.name}-run-{len(runs)}")))
    return runs


def _multiply_factors(factors: Floats, max_words: int) -> Floats:
    """Multiply the factors of the words of each span, of shape (lengths, starts)."""
    products = np.ones((max_words, len(factors)))
    products[0] = factors
    for length in range(1, max_words):
        products[length, :-length] = products[length - 1, :-length] * factors[length:]
    return products


def _join_spans(parts: Iterator[Spans], limit: int) -> Iterator[Spans]:
    """Join small arrays of spans up to a number of phrase pairs."""
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
    fields = arrange_fields(layout)
    target = pack_phrases(sentences.target.words, spans.target_starts, spans.target_lengths, layout)
    source = pack_phrases(sentences.source.words, spans.source_starts, spans.source_lengths, layout)
    rows[:, fields.target], rows[:, fields.source] = target, source
    alignment = pack_alignments(masks, spans.source_starts, spans.target_starts, spans.target_lengths, layout)
    rows[:, fields.alignment] = alignment


def _hash_columns(rows: Columns) -> NDArray[np.uint64]:
    """Hash rows to 64 bits, of which the first are the best."""
    hashes = np.zeros(len(rows), np.uint64)
    for column in range(rows.shape[1]):
        hashes = (hashes ^ rows[:, column]) * _MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes * _MULTIPLIER


def _write_run(rows: Columns, fields: Fields, path: Path) -> Run:
    """Write rows by bucket. Equal rows that a hash brings together become one row with their count."""
    phrase_pairs = len(rows)
    buckets = _hash_columns(rows[:, fields.target]) >> _BUCKET_SHIFT
    hashes = _hash_columns(rows[:, : fields.numbers])
    rows = rows[np.argsort((buckets << _BUCKET_SHIFT) | (hashes >> np.uint64(10)))]
    starts = find_starts(rows[:, : fields.numbers])
    counts = np.add.reduceat(rows[:, fields.numbers], starts)
    rows = rows[starts]
    rows[:, fields.numbers] = counts
    buckets = _hash_columns(rows[:, fields.target]) >> _BUCKET_SHIFT
    bucket_starts = np.searchsorted(buckets, np.arange(BUCKETS + 1, dtype=np.uint64))
    save_rows(path, rows)
    return Run(path, bucket_starts.astype(np.uint32), phrase_pairs)


def find_starts(rows: Columns) -> NDArray[np.int64]:
    """Find the first of the rows that are equal to the row before."""
    different = np.ones(len(rows), bool)
    different[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.flatnonzero(different)


class BucketRange(NamedTuple):
    """Neighbouring buckets: the first one, and where they are in each run.

    Attributes:
        first: Number of the first bucket.
        slices: First row of the buckets in each run, and the row behind the last.
    """

    first: int
    slices: list[tuple[int, int]]


def divide_buckets(runs: Sequence[Run], layout: Layout) -> Iterator[BucketRange]:
    """Divide the buckets of all runs into ranges that fit into memory."""
    starts = np.stack([run.starts for run in runs])
    for first, behind in _divide_sizes(np.diff(starts.sum(axis=0, dtype=np.int64)).tolist(), layout):
        yield BucketRange(first, list(zip(starts[:, first].tolist(), starts[:, behind].tolist(), strict=True)))


def _divide_sizes(sizes: Sequence[int], layout: Layout) -> list[tuple[int, int]]:
    limit = MAX_ROW_BYTES // (8 * (arrange_fields(layout).numbers + OCCURRENCE_NUMBERS))
    parts, first, total = list[tuple[int, int]](), 0, 0
    for bucket, size in enumerate(sizes):
        if total and total + size > limit:
            parts.append((first, bucket))
            first, total = bucket, 0
        total += size
    return [*parts, (first, BUCKETS)]


class CountedPart(NamedTuple):
    """Distinct phrase pairs of a part of the target phrases, in a file, sorted by the beginning of the source.

    Attributes:
        path: The file.
        pairs: Number of distinct phrase pairs.
        occurrences: Number of extracted phrase pairs.
        count_sizes: Number of distinct phrase pairs that occur 0, 1, 2, ... `LARGEST_COUNT` times.
        sample: First column of the source phrase, of every row of `SAMPLE_EVERY`.
    """

    path: Path
    pairs: int
    occurrences: int
    count_sizes: NDArray[np.int64]
    sample: NDArray[np.uint64]


def count_part(buckets: BucketRange, runs: Sequence[Path], layout: Layout) -> CountedPart:
    """Count the phrase pairs of some buckets, and write them beside the runs."""
    fields = arrange_fields(layout)
    width = fields.numbers + OCCURRENCE_NUMBERS
    slices = zip(runs, buckets.slices, strict=True)
    rows = np.concatenate([load_rows(path, width, *rows_of_run) for path, rows_of_run in slices])
    rows = rows[np.lexsort(rows[:, : fields.numbers].T[::-1])]
    starts = find_starts(rows[:, : fields.numbers])
    counts = np.add.reduceat(rows[:, fields.numbers], starts).astype(np.int64)
    rows = rows[starts]
    pair_starts = find_starts(rows[:, fields.pair])
    joint = np.add.reduceat(counts, pair_starts)
    target_starts = find_starts(rows[pair_starts][:, fields.target])
    best_target, best_source = _choose_alignments(rows[:, fields.alignment], counts, pair_starts, layout)
    pairs = np.empty((len(pair_starts), fields.numbers + PAIR_NUMBERS), np.uint64)
    pairs[:, : fields.numbers] = rows[best_target, : fields.numbers]
    pairs[:, fields.numbers] = joint
    sizes = np.diff(np.append(target_starts, len(pair_starts)))
    pairs[:, fields.numbers + 1] = np.repeat(np.add.reduceat(joint, target_starts), sizes)
    pairs[:, fields.numbers + 2] = np.repeat(sizes, sizes)
    weights = unpack_weights(rows[best_source, -1])[0], unpack_weights(rows[best_target, -1])[1]
    pairs[:, -1] = pack_weights(*weights)
    pairs = pairs[np.argsort(pairs[:, fields.source.start], kind="stable")]
    path = runs[0].with_name(f"part-{buckets.first}")
    save_rows(path, pairs)
    count_sizes = np.bincount(np.minimum(joint, LARGEST_COUNT + 1), minlength=LARGEST_COUNT + 2)[:-1]
    sample = pairs[::SAMPLE_EVERY, fields.source.start].copy()
    return CountedPart(path, len(pairs), int(joint.sum()), count_sizes, sample)


def _choose_alignments(
    alignments: Columns, counts: NDArray[np.int64], pair_starts: NDArray[np.int64], layout: Layout
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose the most frequent alignment of each phrase pair, once for each direction.

    Of alignments that are as frequent, the last one counts, as in Moses: alignments are compared as lists of the sets of
    linked source words of each target word; for the lexical weight of the source given the target, as lists of the
    sets of linked target words of each source word.

    Returns:
        The chosen rows for the lexical weight of the target given the source, and for that of the source.
    """
    sizes = np.diff(np.append(pair_starts, len(counts)))
    largest = np.repeat(np.maximum.reduceat(counts, pair_starts), sizes)
    candidates = np.flatnonzero(counts == largest)
    pairs = np.repeat(np.arange(len(sizes)), sizes)[candidates]
    numbers = np.bincount(pairs, minlength=len(sizes))
    chosen = np.empty((2, len(sizes)), np.int64)
    chosen[:, pairs] = candidates
    tied = numbers[pairs] > 1
    if tied.any():
        rows = candidates[tied]
        distinct, places = np.unique(alignments[rows], axis=0, return_inverse=True)
        codes = [tuple(code) for code in distinct.tolist()]
        for direction in range(2):
            ranks = _rank_codes(codes, layout, turned=direction == 1)[places.ravel()]
            order = np.lexsort((ranks, pairs[tied]))
            chosen[direction, pairs[tied][order]] = rows[order]  # the last of each pair remains
    return chosen[0], chosen[1]


def _rank_codes(codes: list[tuple[int, ...]], layout: Layout, *, turned: bool) -> NDArray[np.int64]:
    keys = [_list_link_sets(code, layout, turned) for code in codes]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], np.int64)


@lru_cache(maxsize=1 << 14)
def _list_link_sets(code: tuple[int, ...], layout: Layout, turned: bool) -> tuple[tuple[int, ...], ...]:  # noqa: FBT001
    """List the words that each target word (if turned, each source word) is linked to."""
    sets: list[list[int]] = [[] for _ in range(layout.max_words)]
    for here, there in list_points(code, layout):
        if turned:
            sets[here].append(there)
        else:
            sets[there].append(here)
    return tuple(map(tuple, sets))


def divide_sources(parts: Sequence[CountedPart], layout: Layout) -> list[tuple[int, int]]:
    """Divide source phrases into ranges that fit into memory, by their first column: first value, and last one."""
    sample = np.sort(np.concatenate([part.sample for part in parts]))
    row_bytes = 8 * (arrange_fields(layout).numbers + PAIR_NUMBERS)
    step = max(1, MAX_ROW_BYTES // row_bytes // SAMPLE_EVERY)
    borders = [0, *sorted({border for border in sample[step::step].tolist() if border}), 1 << 64]
    return [(first, behind - 1) for first, behind in pairwise(borders)]


def read_sources(parts: Sequence[Path], values: tuple[int, int], layout: Layout) -> Columns:
    """Read the phrase pairs of a range of source phrases, sorted by source and target."""
    fields, slices = arrange_fields(layout), []
    for path in parts:
        rows = map_rows(path, fields.numbers + PAIR_NUMBERS)
        keys = rows[:, fields.source.start]
        low, high = np.searchsorted(keys, np.uint64(values[0])), np.searchsorted(keys, np.uint64(values[1]), "right")
        slices.append(np.array(rows[low:high]))
    rows = np.concatenate(slices)
    keys = np.hstack([rows[:, fields.source], rows[:, fields.target]])
    return rows[np.lexsort(keys.T[::-1])]
