"""Phrase tables as Moses has them: `source ||| target ||| scores ||| alignment ||| counts`, a line per phrase pair."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, cast

from harness.files.lines import Line, decode_line, open_lines, parse_probability
from harness.files.writing import replacing
from pyramid_paraphrase.errors import InputError

BAR = b"|||"
"""The separator of columns; no word may contain it."""

PROBABILITIES = {2: (0, 1), 4: (0, 2), 5: (0, 2)}
"""Places of p(source|target) and p(target|source) by the number of scores.

Four scores have a lexical weight behind each probability. Five, in older versions, have a constant at the end."""

_REMEDY = "give a phrase table of Moses: source ||| target ||| scores"
_NO_LOGARITHMS = "write scores as numbers from 0 to 1, no logarithms"
GZIP_LEVEL = 6
"""How much compressed tables are compressed."""


class PhrasePair(NamedTuple):
    """A phrase pair of a table.

    Attributes:
        source: A phrase, as UTF-8, its words divided by single blanks.
        target: Its translation.
        source_given_target: Probability of the source phrase given the target phrase.
        target_given_source: Probability of the target phrase given the source phrase.
    """

    source: bytes
    target: bytes
    source_given_target: float
    target_given_source: float


def read_phrase_pairs(path: Path) -> Iterator[tuple[PhrasePair, int]]:
    """Read a phrase table line by line; blank lines are skipped.

    Args:
        path: The table, plain or compressed, with 2, 4 or 5 scores.

    Yields:
        A phrase pair, and the number of bytes on disk that were read so far.

    Raises:
        InputError: If the table cannot be read, or a line is malformed.
        LimitError: If a line is too long.
    """
    file = str(path)
    with open_lines(path, _REMEDY) as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _parse_phrase_pair(line, file, number), lines.tell()


def _parse_phrase_pair(line: bytes, file: str, number: int) -> PhrasePair:
    columns = [column.split() for column in line.split(BAR)]
    if len(columns) < 3 or not all(columns[:3]):
        raise InputError(file, "has no source, target and scores", _REMEDY, number)
    place = Line(file, number, decode_line(line, file, number))
    source, target, scores = columns[:3]
    if len(scores) not in PROBABILITIES:
        reason = f"has {len(scores)} scores, and it is not known which are probabilities of phrases"
        raise place.refuse(reason, "give 2, p(source|target) and p(target|source), or 4, each with a lexical weight")
    source_given_target, target_given_source = (
        parse_probability(scores[index].decode(), place, _NO_LOGARITHMS) for index in PROBABILITIES[len(scores)]
    )
    return PhrasePair(b" ".join(source), b" ".join(target), source_given_target, target_given_source)


def is_compressed(path: Path) -> bool:
    """Whether a file is written compressed, by its name."""
    return path.suffix.lower() == ".gz"


@contextmanager
def writing_lines(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write line by line, compressed by gzip if its name ends in `.gz`; it appears when it is complete.

    Raises:
        OutputError: If it cannot be written.
    """
    with ExitStack() as stack:
        file = stack.enter_context(replacing(path))
        if is_compressed(path):  # without name and time, so that equal lines make equal files
            file = cast(IO[bytes], stack.enter_context(gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0)))
        yield file
