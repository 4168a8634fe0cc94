"""Word alignments in one direction, in the formats of aligners: Pharaoh format, and A3 files of GIZA++.

A sentence pair in an A3 file has three lines. The first line is a comment with the number of the pair and the lengths
of its sentences. The second line contains the words of the generated language. The third line contains NULL and the
words of the other language. Each of them is followed by the positions, from 1, of the words in the second line that it
is aligned to:

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
from pyramid_paraphrase.text.unicode_words import split_at_blanks

_GIVE_ALIGNMENTS = "use word alignments in Pharaoh format, such as 0-0 1-2, or an A3 file of GIZA++"
_GIVE_A3 = "use an unmodified A3 file of GIZA++"
_BEGINNING = "# Sentence pair"
_COMMENT = re.compile(r"# Sentence pair \((\d{1,12})\) source length (\d{1,9}) target length (\d{1,9}) .*")
_NULL = "NULL"
_OPEN, _CLOSED = "({", "})"
_A3_LINES = 3


class DirectedPair(NamedTuple):
    """The alignment of a sentence pair in one direction.

    Attributes:
        line: Number of its first line in the file, 1-based.
        links: Pairs of a source position and a target position, from 0.
        lengths: Numbers of source and target words, or None if the file does not contain them.
    """

    line: int
    links: list[Link]
    lengths: tuple[int, int] | None


def read_direction(path: Path, *, reverse: bool) -> Iterator[DirectedPair]:
    """Read the alignments of one direction. The first line decides the format.

    Args:
        path: The file, plain or compressed. In Pharaoh format the source comes first in both directions.
        reverse: Whether an A3 file generates the source from the target, so that its second line contains the source.

    Raises:
        InputError: If the file cannot be read, or a line is malformed.
        LimitError: If a line is too long.
    """
    file = str(path)
    with open_lines(path, _GIVE_ALIGNMENTS) as lines:
        numbered = enumerate(lines, 1)
        first = list(islice(numbered, 1))
        all_lines = chain(first, numbered)
        if first and first[0][1].startswith(_BEGINNING.encode()):
            decoded = (Line(file, number, decode_line(data, file, number)) for number, data in all_lines)
            yield from _read_a3(decoded, reverse)
        else:
            for number, data in all_lines:
                yield DirectedPair(number, parse_links(data, file, number), None)


def _read_a3(lines: Iterable[Line], reverse: bool) -> Iterator[DirectedPair]:
    """Read the sentence pairs of an A3 file.

    Raises:
        InputError: If a line is malformed, or the file ends within a sentence pair.
    """
    remaining = iter(lines)
    for expected, comment in enumerate(remaining, 1):
        generated_line, origin_line = next(remaining, None), next(remaining, None)
        if generated_line is None or origin_line is None:
            reason = f"expected a sentence pair of {_A3_LINES} lines, found the end of the file"
            raise comment.refuse(reason, _GIVE_A3)
        number, *lengths = _parse_comment(comment)
        if number != expected:
            remedy = "merge the files of all parts, sorted by the numbers of the sentence pairs"
            raise comment.refuse(f"expected sentence pair {expected}, found {number}", remedy)
        generated = len(_split(generated_line))
        positions = _parse_positions(origin_line, generated)
        if [len(positions), generated] != lengths:
            sentences = f"the sentences have {len(positions)} and {generated} words"
            reason = f"the comment has the lengths {lengths[0]} and {lengths[1]}, but {sentences}"
            raise comment.refuse(reason, _GIVE_A3)
        links = [(origin, position) for origin, aligned in enumerate(positions) for position in aligned]
        if reverse:
            yield DirectedPair(comment.number, [(j, i) for i, j in links], (generated, len(positions)))
        else:
            yield DirectedPair(comment.number, links, (len(positions), generated))


def _split(line: Line) -> list[str]:
    """Split a line at blanks. GIZA++ does not divide words at the white space of Unicode, such as no-break spaces."""
    return [word.decode() for word in split_at_blanks(line.text.rstrip("\r\n").encode())]


def _parse_comment(line: Line) -> tuple[int, int, int]:
    """Parse the number of a sentence pair and the two lengths, the length of the generated sentence last."""
    match = _COMMENT.fullmatch(line.text.rstrip("\r\n"))
    if match is None:
        reason = f"expected the comment '{_BEGINNING} (N) source length N target length N ...'"
        raise line.refuse(reason, _GIVE_A3)
    return int(match[1]), int(match[2]), int(match[3])


def _parse_positions(line: Line, generated: int) -> list[list[int]]:
    """Parse the positions, from 0, that each word after NULL is aligned to.

    Raises:
        InputError: If the line is malformed, or a position does not exist or is listed twice.
    """
    tokens = _split(line)
    words, start = list[list[int]](), 0
    seen = set[int]()
    while start < len(tokens):
        try:
            closed = tokens.index(_CLOSED, start + 2)
        except ValueError:
            closed = 0
        if not closed or tokens[start + 1] != _OPEN or (not words and tokens[start] != _NULL):
            raise line.refuse(f"expected '{_NULL} ({{ N }}) word ({{ N N }}) ...'", _GIVE_A3)
        words.append(_parse_numbers(tokens[start + 2 : closed], generated, seen, line))
        start = closed + 1
    if not words:
        raise line.refuse(f"expected '{_NULL} ({{ N }})', found no words", _GIVE_A3)
    return words[1:]


def _parse_numbers(tokens: Sequence[str], generated: int, seen: set[int], line: Line) -> list[int]:
    """Parse the positions of generated words. `seen` contains the positions on the line so far, and is updated."""
    positions = []
    for token in tokens:
        is_number = token.isascii() and token.isdigit() and len(token) < 10
        if not is_number or not 1 <= int(token) <= generated:
            raise line.refuse(f"{token[:20]!a} is not a word position from 1 to {generated}", _GIVE_A3)
        if int(token) in seen:
            raise line.refuse(f"word {token} is aligned twice", _GIVE_A3)
        seen.add(int(token))
        positions.append(int(token) - 1)
    return positions
