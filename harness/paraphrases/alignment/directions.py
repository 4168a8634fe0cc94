"""Word alignments in one direction, as aligners write them: Pharaoh's format, and GIZA++'s A3 files.

A pair in an A3 file has three lines. The first is a comment with the number of the pair and the lengths of its
sentences. The second has the words of the language that is generated. The third has those of the language that it is
generated from, with NULL before them, each with the places in the second line of the words it is aligned to, from 1:

    # Sentence pair (1) source length 2 target length 3 alignment score : 0.01
    the old house
    NULL ({ 1 }) vieille ({ 2 }) maison ({ 3 })
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import Line, decode_line, open_lines
from harness.paraphrases.alignment.parallel_text import parse_links
from harness.paraphrases.alignment.symmetrization import Link

_GIVE_ALIGNMENTS = "give word alignments as of Pharaoh, 0-0 1-2, or an A3 file of GIZA++"
_GIVE_A3 = "give the A3 file as GIZA++ wrote it"
_BEGINNING = "# Sentence pair"
_COMMENT = re.compile(r"# Sentence pair \((\d{1,12})\) source length (\d{1,9}) target length (\d{1,9}) .*")
_NULL = "NULL"
_OPEN, _CLOSED = "({", "})"
_A3_LINES = 3


class DirectedPair(NamedTuple):
    """The alignment of a sentence pair in one direction.

    Attributes:
        line: Number of its first line in its file.
        links: Places of source and target words, from 0.
        lengths: Numbers of words of source and target, or None where the file does not tell.
    """

    line: int
    links: list[Link]
    lengths: tuple[int, int] | None


def read_direction(path: Path, *, reverse: bool) -> Iterator[DirectedPair]:
    """Read the alignments of one direction, in the format that the first line shows.

    Args:
        path: The file, plain or compressed. Pharaoh's format has the source first in both directions.
        reverse: Whether an A3 file generates the source from the target, so that its second line is the source.

    Raises:
        InputError: If the file cannot be read, or a line is malformed.
        LimitError: If a line is too long.
    """
    file = str(path)
    with open_lines(path, _GIVE_ALIGNMENTS) as lines:
        numbered = enumerate(lines, 1)
        first = list(islice(numbered, 1))
        everything = chain(first, numbered)
        if first and first[0][1].startswith(_BEGINNING.encode()):
            decoded = (Line(file, number, decode_line(data, file, number)) for number, data in everything)
            yield from _read_a3(decoded, reverse)
        else:
            for number, data in everything:
                yield DirectedPair(number, parse_links(data, file, number), None)


def _read_a3(lines: Iterable[Line], reverse: bool) -> Iterator[DirectedPair]:
    remaining = iter(lines)
    for expected, comment in enumerate(remaining, 1):
        generated_line, given_line = next(remaining, None), next(remaining, None)
        if generated_line is None or given_line is None:
            raise comment.refuse(f"begins a pair of {_A3_LINES} lines that the file does not complete", _GIVE_A3)
        number, *lengths = _parse_comment(comment)
        if number != expected:
            remedy = "join the files of all parts, sorted by these numbers"
            raise comment.refuse(f"is sentence pair {number}, and {expected} is due", remedy)
        generated = len(generated_line.text.split())
        places = _parse_places(given_line, generated)
        if [len(places), generated] != lengths:
            reason = f"has lengths {lengths[0]} and {lengths[1]}, but the sentences have {len(places)} and {generated}"
            raise comment.refuse(reason, _GIVE_A3)
        links = [(given, place) for given, listed in enumerate(places) for place in listed]
        if reverse:
            yield DirectedPair(comment.number, [(j, i) for i, j in links], (generated, len(places)))
        else:
            yield DirectedPair(comment.number, links, (len(places), generated))


def _parse_comment(line: Line) -> tuple[int, int, int]:
    """Parse the number of a pair and the lengths of its sentences, of the given one and of the generated one."""
    match = _COMMENT.fullmatch(line.text.rstrip("\r\n"))
    if match is None:
        reason = f"is not the comment before a pair, {_BEGINNING} (N) source length N target length N"
        raise line.refuse(reason, _GIVE_A3)
    return int(match[1]), int(match[2]), int(match[3])


def _parse_places(line: Line, generated: int) -> list[list[int]]:
    """Parse the places, from 0, that each word is aligned to.

    Raises:
        InputError: If the line is malformed, or a place does not exist or is listed twice.
    """
    tokens = line.text.split()
    words, at = list[list[int]](), 0
    listed = set[int]()
    while at < len(tokens):
        try:
            closed = tokens.index(_CLOSED, at + 2)
        except ValueError:
            closed = 0
        if not closed or tokens[at + 1] != _OPEN or (not words and tokens[at] != _NULL):
            raise line.refuse(f"is not {_NULL} ({{ N }}) word ({{ N N }}) ...", _GIVE_A3)
        words.append(_parse_numbers(tokens[at + 2 : closed], generated, listed, line))
        at = closed + 1
    if not words:
        raise line.refuse(f"does not begin with {_NULL} ({{ N }})", _GIVE_A3)
    return words[1:]


def _parse_numbers(tokens: Sequence[str], generated: int, listed: set[int], line: Line) -> list[int]:
    places = []
    for token in tokens:
        is_number = token.isascii() and token.isdigit() and len(token) < 10
        if not is_number or not 1 <= int(token) <= generated:
            raise line.refuse(f"{token[:20]!a} is not the place of a word, from 1 to {generated}", _GIVE_A3)
        if int(token) in listed:
            raise line.refuse(f"the word at {token} is aligned twice", _GIVE_A3)
        listed.add(int(token))
        places.append(int(token) - 1)
    return places
