"""Reading of phrase tables for pivoting: chunk by chunk, each chunk as arrays in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.lines import Line, decode_line, open_lines, parse_estimate
from harness.paraphrases.extraction.array_files import save_arrays
from harness.paraphrases.extraction.phrase_tables import BAR, PROBABILITIES, PhrasePair
from harness.paraphrases.pivoting.filters import PHRASE_FILTERS
from harness.paraphrases.pivoting.phrase_lists import PhraseList, write_phrases
from harness.paraphrases.pivoting.rules import PivotRules, Side
from pyramid_paraphrase.errors import InputError

CHUNK_BYTES = 1 << 21
"""Approximate number of bytes of lines in a chunk."""

LONG, UNSURE = "of too many words", "with improbable translations"
"""Reasons why phrase pairs are left out, in addition to the filters."""

_REMEDY = "give a phrase table of Moses: source ||| target ||| scores"
_NO_LOGARITHMS = "write scores as numbers from 0 to 1, no logarithms"
_LEAST_COLUMNS = 3
_HASH_BYTES = 16


class Chunk(NamedTuple):
    """Consecutive lines of a phrase table.

    Attributes:
        first: Number of the first line, 1-based.
        lines: The lines.
        consumed: Number of bytes on disk that were read since the last chunk.
    """

    first: int
    lines: bytes
    consumed: int


class EntryChunk(NamedTuple):
    """The usable phrase pairs of a chunk, in files.

    Attributes:
        path: File of arrays: two columns of hashes of pivots, places of phrases in `phrases`, the probabilities of the
            pivot given the phrase and of the phrase given the pivot, and numbers of lines.
        phrases: The phrases that are not pivots.
        entries: Number of phrase pairs.
        left_out: Number of phrase pairs that are left out, by reason.
        repaired: Number of probabilities above 1, which are taken as 1.
        consumed: Number of bytes on disk.
    """

    path: Path
    phrases: PhraseList
    entries: int
    left_out: Counter[str]
    repaired: int
    consumed: int


def read_chunks(table: Path) -> Iterator[Chunk]:
    """Read the lines of a phrase table, plain or compressed.

    Raises:
        InputError: If the table cannot be read.
        LimitError: If a line is too long.
    """
    with open_lines(table, _REMEDY) as lines:
        waiting, size, first, consumed = list[bytes](), 0, 1, 0
        for line in lines:
            waiting.append(line)
            size += len(line)
            if size >= CHUNK_BYTES:
                yield Chunk(first, b"".join(waiting), lines.tell() - consumed)
                first, size, consumed, waiting = first + len(waiting), 0, lines.tell(), []
        yield Chunk(first, b"".join(waiting), lines.tell() - consumed)


def parse_phrase_pair(line: bytes, file: str, number: int) -> PhrasePair:
    """Parse a line with 2, 4 or 5 scores.

    Raises:
        InputError: If it is malformed.
    """
    columns = [column.split() for column in line.split(BAR)]
    if len(columns) < _LEAST_COLUMNS or not all(columns[:_LEAST_COLUMNS]):
        raise InputError(file, "has no source, target and scores", _REMEDY, number)
    text = decode_line(line, file, number)
    source, target, scores = columns[:_LEAST_COLUMNS]
    places = PROBABILITIES.get(len(scores))
    if places is None:
        reason = f"has {len(scores)} scores, and it is not known which are probabilities of phrases"
        remedy = "give 2, p(source|target) and p(target|source), or 4, each with a lexical weight"
        raise InputError(file, reason, remedy, number)
    values = [_parse_score(scores[place], text, file, number) for place in places]
    return PhrasePair(b" ".join(source), b" ".join(target), values[0], values[1])


def _parse_score(score: bytes, text: str, file: str, number: int) -> float:
    try:
        value = float(score)
    except ValueError:
        value = -1.0
    if 0 < value <= 1 and b"_" not in score:
        return value
    return parse_estimate(score.decode(), Line(file, number, text), _NO_LOGARITHMS)


def _orient(pair: PhrasePair, side: Side) -> tuple[bytes, bytes, float, float]:
    """Return the pivot, the phrase, p(pivot|phrase) and p(phrase|pivot), each probability at most 1."""
    inverse, direct = min(pair.source_given_target, 1.0), min(pair.target_given_source, 1.0)
    if side == "target":
        return pair.source, pair.target, inverse, direct
    return pair.target, pair.source, direct, inverse


def encode_chunk(chunk: Chunk, table: Path, rules: PivotRules, folder: Path) -> EntryChunk:
    """Write the usable phrase pairs of a chunk as arrays.

    Raises:
        InputError: If a line is malformed.
        OutputError: If a file cannot be written.
    """
    file, entries, repaired, left_out = str(table), 0, 0, Counter[str]()
    reasons, hashes = dict[bytes, str](), dict[bytes, bytes]()
    numbers = dict[bytes, int]()
    rows = list[tuple[bytes, int, float, float, int]]()
    for number, line in enumerate(chunk.lines.split(b"\n"), chunk.first):
        if not line or line.isspace():
            continue
        entries += 1
        pair = parse_phrase_pair(line, file, number)
        repaired += (pair.source_given_target > 1) + (pair.target_given_source > 1)
        pivot, phrase, pivot_given_phrase, phrase_given_pivot = _orient(pair, rules.side)
        if phrase not in reasons:
            reasons[phrase] = _find_reason(phrase, rules)
        reason = reasons[phrase]
        if not reason and max(pivot_given_phrase, phrase_given_pivot) < rules.min_translation_probability:
            reason = UNSURE
        if reason:
            left_out[reason] += 1
            continue
        if pivot not in hashes:
            hashes[pivot] = blake2b(pivot, digest_size=_HASH_BYTES).digest()
        place = numbers.setdefault(phrase, len(numbers))
        rows.append((hashes[pivot], place, pivot_given_phrase, phrase_given_pivot, number))
    path = folder / f"chunk-{chunk.first}"
    phrases = sorted(numbers)
    save_arrays(path, _make_arrays(rows, [numbers[phrase] for phrase in phrases]))
    listed = write_phrases(path.with_name(f"{path.name}-phrases"), phrases)
    return EntryChunk(path, listed, entries, left_out, repaired, chunk.consumed)


def _make_arrays(rows: list[tuple[bytes, int, float, float, int]], order: list[int]) -> list[NDArray[np.generic]]:
    """Make the arrays of a chunk; the order is that of the sorted phrases."""
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    digests, places, *columns = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    hashes = np.frombuffer(b"".join(digests), np.dtype(">u8")).astype(np.uint64).reshape(-1, 2)
    types = (np.float64, np.float64, np.int64)
    return [
        np.ascontiguousarray(hashes[:, 0]),
        np.ascontiguousarray(hashes[:, 1]),
        ranks[np.array(places, np.int64)],
        *(np.array(column, kind) for column, kind in zip(columns, types, strict=True)),
    ]


ARRAYS = 6
"""Number of arrays of a chunk."""


def _find_reason(phrase: bytes, rules: PivotRules) -> str:
    """Find the reason why a phrase is left out, or ""."""
    words = phrase.decode().split(" ")
    if len(words) > rules.max_words:
        return LONG
    for phrase_filter in PHRASE_FILTERS:
        if phrase_filter.name not in rules.keep and phrase_filter.matches(words):
            return phrase_filter.text
    return ""


def read_line(table: Path, number: int) -> PhrasePair:
    """Read the phrase pair in a line again, to describe it."""
    with open_lines(table, _REMEDY) as lines:
        line = next(line for place, line in enumerate(lines, 1) if place == number)
    return parse_phrase_pair(line, str(table), number)
