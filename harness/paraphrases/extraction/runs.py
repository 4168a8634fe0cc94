"""Runs: the extracted phrase pairs of chunks as rows in temporary files, divided by target phrase."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import save_rows
from harness.paraphrases.extraction.consistent_phrases import Spans, extract_spans
from harness.paraphrases.extraction.lexicons import Floats, Sentences, load_sentences, weigh_words
from harness.paraphrases.extraction.packing import (
    Columns,
    Layout,
    LinkMasks,
    mask_links,
    pack_alignments,
    pack_phrases,
)
from harness.paraphrases.sorting import BUCKET_SHIFT, find_bucket_starts, find_starts

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
