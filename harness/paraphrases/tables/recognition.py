"""Recognition of the format of a table of paraphrases by its beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import Line, decode_line, open_lines
from harness.paraphrases.tables.formats.entries import ParaphraseEntry
from harness.paraphrases.tables.formats.meteor import looks_like_meteor, read_meteor
from harness.paraphrases.tables.formats.moses import looks_like_moses, parse_moses
from harness.paraphrases.tables.formats.ppdb import looks_like_ppdb, parse_ppdb
from harness.paraphrases.tables.formats.tab_separated import looks_tab_separated, parse_tab_separated
from harness.paraphrases.tables.formats.wordnet import FILES, looks_like_wordnet
from harness.paraphrases.tables.storage import MAGIC_LINE
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import exists, is_folder


class TextFormat(NamedTuple):
    """A format of text files.

    Attributes:
        name: Name of the format as an option value.
        meaning: Description of the lines, for messages.
        looks_alike: Function that decides whether a first line may have this format.
        read: Function that reads lines, given the number of the score to use. It yields entries, or the reason why an
            entry is left out.
        has_scores: Whether a line has several scores to choose from.
        has_blank_lines: Whether blank lines have a meaning.
    """

    name: str
    meaning: str
    looks_alike: Callable[[str], bool]
    read: Callable[[Iterable[Line], int | None], Iterator[ParaphraseEntry | str]]
    has_scores: bool = False
    has_blank_lines: bool = False


def _read_tab_separated(lines: Iterable[Line]) -> Iterator[ParaphraseEntry]:
    entries = map(parse_tab_separated, lines)
    return (entry for entry in entries if entry is not None)


MOSES = "moses"
TEXT_FORMATS = (
    TextFormat("ppdb", "PPDB 1.0 or 2.0", looks_like_ppdb, lambda lines, _: map(parse_ppdb, lines)),
    TextFormat(
        MOSES,
        "a phrase table of Moses with the same language on both sides",
        looks_like_moses,
        lambda lines, score: (parse_moses(line, score) for line in lines),
        has_scores=True,
    ),
    TextFormat("tsv", "tab-separated columns", looks_tab_separated, lambda lines, _: _read_tab_separated(lines)),
    TextFormat(
        "meteor",
        "three lines per entry, the probability first",
        looks_like_meteor,
        lambda lines, _: read_meteor(lines),
        has_blank_lines=True,
    ),
)
"""Text formats in the order of recognition. PPDB is before Moses, because its lines look like lines of Moses, too."""

WORDNET = "wordnet"
FORMAT_NAMES = (*(text_format.name for text_format in TEXT_FORMATS), WORDNET)
"""Formats that users can choose."""

COMPILED = "compiled"
GIVE_TABLE = "use a table of paraphrases"


def recognize_format(path: Path) -> str:
    """Recognize the format of a table by its beginning.

    Args:
        path: The file, plain or compressed, or the folder.

    Returns:
        One of `FORMAT_NAMES`, or `COMPILED`.

    Raises:
        InputError: If the table cannot be read, or its format is unknown.
        LimitError: If a line is longer than `limits` allows.
    """
    if is_folder(path):
        if looks_like_wordnet(path):
            return WORDNET
        raise InputError(str(path), f"is a folder without {', '.join(FILES)}", "use a file, or the folder of WordNet")
    if not exists(path):
        raise InputError(str(path), "no such file or folder", "check the path")
    with open_lines(path, GIVE_TABLE) as lines:
        for number, data in enumerate(lines, 1):
            if data == MAGIC_LINE and number == 1 and not lines.is_compressed:
                return COMPILED
            text = decode_line(data, str(path), number).rstrip("\r\n")
            if text.strip():
                return _recognize_line(Line(str(path), number, text))
    raise InputError(str(path), "is empty", "use a table with entries")


def _recognize_line(line: Line) -> str:
    for text_format in TEXT_FORMATS:
        if text_format.looks_alike(line.text):
            return text_format.name
    formats = ", ".join(f"{text_format.name} ({text_format.meaning})" for text_format in TEXT_FORMATS)
    raise line.refuse("unknown format of a table of paraphrases", f"use one of these formats: {formats}")
