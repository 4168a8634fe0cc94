"""Reading of parallel text and word alignments, in Pharaoh format or in the A3 files of GIZA++.

Parallel text is three files that are read line by line: two of sentences, and one of alignments in Pharaoh format, such
as `0-0 1-2`: pairs of a source word and a target word, counted from 0.

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
from contextlib import ExitStack
from functools import lru_cache
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

from harness.files.lines import Line, decode_line, divide_lines, open_lines
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.words import compose, split_at_blanks

MAX_SENTENCE_WORDS = 100
"""Maximum number of words in a sentence. Aligners omit longer sentences, too: their alignments are rarely right."""

SENTENCE_PAIRS = "sentence pairs"
"""Key of the number of sentence pairs in counts."""

BLANK, LONG = "with an empty sentence", f"with a sentence of more than {MAX_SENTENCE_WORDS} words"
"""Reasons why sentence pairs are left out."""

CHUNK_BYTES = 1 << 20
"""Approximate number of bytes of text and alignments in a chunk."""

_Item = TypeVar("_Item")

Link = tuple[int, int]
"""The position of a source word and the position of a target word, from 0."""

_POINT = re.compile(rb"(\d{1,9})-(\d{1,9})")
_SHOWN = 40
"""Number of bytes of a malformed link that a message quotes."""

_SAME_LINES = "use files with one line per sentence pair"


class ParallelText(NamedTuple):
    """The files of a parallel text, each plain or compressed.

    Attributes:
        source: Sentences, one per line, with space-separated words.
        target: Translations of the sentences.
        alignments: Word alignments of the sentence pairs.
    """

    source: Path
    target: Path
    alignments: Path


def read_chunks(text: ParallelText) -> Iterator[tuple[int, list[tuple[bytes, ...]], int]]:
    """Read a parallel text chunk by chunk.

    Yields:
        What `divide_lines` yields, with the lines of the source, the target and the alignments of each sentence pair,
        and the bytes of the source file.

    Raises:
        InputError: If a file cannot be read, or the numbers of lines differ.
        LimitError: If a line is too long.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_lines(path, _SAME_LINES)) for path in text]
        yield from divide_lines(
            join_items(text, files, "line", _SAME_LINES), lambda lines: sum(map(len, lines)), CHUNK_BYTES, files[0].tell
        )


def read_in_parallel(*paths: Path) -> Iterator[tuple[bytes, ...]]:
    """Read files line by line: the first lines of all files, the second lines of all files, and so on.

    Raises:
        InputError: If a file cannot be read, or the numbers of lines differ.
        LimitError: If a line is too long.
    """
    with ExitStack() as stack:
        files = [stack.enter_context(open_lines(path, _SAME_LINES)) for path in paths]
        yield from join_items(paths, files, "line", _SAME_LINES)


def join_items(
    paths: Sequence[Path], contents: Sequence[Iterable[_Item]], unit: str, remedy: str
) -> Iterator[tuple[_Item, ...]]:
    """Read the items of several files in parallel: the first items of all files, then the second ones, and so on.

    Args:
        paths: The files.
        contents: The items of each file.
        unit: Name of an item, for errors.
        remedy: The remedy for files of different lengths, for errors.

    Raises:
        InputError: If the numbers of items differ.
    """
    for count, items in enumerate(zip_longest(*contents)):
        if None in items:
            has_ended = [item is None for item in items]
            shorter, longer = paths[has_ended.index(True)], paths[has_ended.index(False)]
            reason = f"has fewer {unit}s than {longer}: it ends after {unit} {count:,}"
            raise InputError(str(shorter), reason, remedy)
        yield items


def parse_sentence(line: bytes, file: str, number: int, *, keep_case: bool) -> list[bytes]:
    """Split a line into its words (`split_at_blanks`), in normal form C, and in lower case unless `keep_case` is set.

    Raises:
        InputError: If it is not UTF-8.
    """
    text = compose(decode_line(line, file, number))
    if not keep_case:
        text = text.lower()
    return split_at_blanks(text.encode().rstrip(b"\r\n"))


def parse_points(line: bytes, file: str, number: int, lengths: tuple[int, int]) -> list[tuple[int, int]]:
    """Parse the alignment of a sentence pair.

    Args:
        line: The alignment, such as ``0-0 1-2``.
        file: Name of its file, for messages.
        number: Number of the line, 1-based, for messages.
        lengths: Numbers of source and target words.

    Raises:
        InputError: If the line is malformed, or links a word that does not exist.
    """
    points = parse_links(line, file, number)
    for source, target in points:
        if source >= lengths[0] or target >= lengths[1]:
            sizes = f"a source of {lengths[0]} and a target of {lengths[1]} words"
            reason = f"link {source}-{target} is out of range for {sizes}"
            remedy = "count words from 0, source first, and give the same sentences as to the aligner"
            raise InputError(file, reason, remedy, number)
    return points


def parse_links(line: bytes, file: str, number: int) -> list[tuple[int, int]]:
    """Parse the alignment of a sentence pair of unknown lengths.

    Raises:
        InputError: If the line is malformed.
    """
    points = []
    for token in line.split():
        point = _parse_point(token)
        if point is None:
            beginning = ascii(token[:_SHOWN].decode("utf-8", "replace"))
            raise InputError(file, f"{beginning} is not a link of two words", "write links as in 0-0 1-2", number)
        points.append(point)
    return points


@lru_cache(maxsize=1 << 14)
def _parse_point(token: bytes) -> tuple[int, int] | None:
    """Parse a link, or return None if it is malformed. Cached, because the same links occur in many sentence pairs."""
    match = _POINT.fullmatch(token)
    return (int(match[1]), int(match[2])) if match else None


_GIVE_ALIGNMENTS = "use word alignments in Pharaoh format, such as 0-0 1-2, or an A3 file of GIZA++"
_GIVE_A3 = "use an unmodified A3 file of GIZA++"
_BEGINNING = "# Sentence pair"
_COMMENT = re.compile(r"# Sentence pair \((\d{1,12})\) source length (\d{1,9}) target length (\d{1,9}) .*")
_NULL = "NULL"
_OPEN, _CLOSED = "({", "})"
_A3_LINES = 3


def read_direction(path: Path, *, reverse: bool) -> Iterator[tuple[int, list[Link], tuple[int, int] | None]]:
    """Read the alignments of one direction. The first line decides the format.

    Args:
        path: The file, plain or compressed. In Pharaoh format the source comes first in both directions.
        reverse: Whether an A3 file generates the source from the target, so that its second line contains the source.

    Yields:
        Per sentence pair, the number of its first line in the file, 1-based, its links, and the numbers of source and
        target words, or None if the file does not contain them.

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
                yield number, parse_links(data, file, number), None


def _read_a3(lines: Iterable[Line], reverse: bool) -> Iterator[tuple[int, list[Link], tuple[int, int]]]:
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
        match = _COMMENT.fullmatch(comment.text.rstrip("\r\n"))
        if match is None:
            reason = f"expected the comment '{_BEGINNING} (N) source length N target length N ...'"
            raise comment.refuse(reason, _GIVE_A3)
        number, *lengths = map(int, match.groups())  # the length of the generated sentence last
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
            yield comment.number, [(j, i) for i, j in links], (generated, len(positions))
        else:
            yield comment.number, links, (len(positions), generated)


def _split(line: Line) -> list[str]:
    """Split a line at blanks. GIZA++ does not divide words at the white space of Unicode, such as no-break spaces."""
    return [word.decode() for word in split_at_blanks(line.text.rstrip("\r\n").encode())]


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
