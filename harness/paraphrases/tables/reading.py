"""Reading of tables of paraphrases in any format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import stream_lines
from harness.files.writing import expand_home
from harness.paraphrases.tables.arrays import TableArrays, digest_arrays
from harness.paraphrases.tables.building import NO_WORDS, TableBuilder
from harness.paraphrases.tables.formats.entries import ParaphraseEntry
from harness.paraphrases.tables.formats.wordnet import FILES, read_wordnet
from harness.paraphrases.tables.recognition import (
    COMPILED,
    FORMAT_NAMES,
    GIVE_TABLE,
    MOSES,
    TEXT_FORMATS,
    recognize_format,
)
from harness.paraphrases.tables.table import ParaphraseTable
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.files.inputs import is_file, is_folder


class TableReading(NamedTuple):
    """A table of paraphrases, with counts of its entries.

    Attributes:
        name: Name of the table, from the name of its source.
        format: One of `FORMAT_NAMES`.
        arrays: Content of the table.
        entries_read: Number of entries in the source.
        left_out: Number of left-out entries, by reason.
        repaired: Number of entries with a repaired probability, by the repair. Left-out entries count, too.
    """

    name: str
    format: str
    arrays: TableArrays
    entries_read: int
    left_out: Counter[str]
    repaired: Counter[str]


def open_table(
    source: str | Path, *, stem: bool = False, min_probability: float = 0.0, progress: Progress | None = None
) -> ParaphraseTable:
    """Open a compiled table, or read a table in another format into memory.

    Args:
        source: The file or folder.
        stem: Whether the table is searched by stems.
        min_probability: Entries with a lower probability are ignored.
        progress: Progress bar, or None.

    Raises:
        InputError: If the table cannot be read.
        LimitError: If the table is larger than `limits` allows.
    """
    path = expand_home(source)
    format_name = recognize_format(path)
    if format_name == COMPILED:
        return ParaphraseTable.open(path, stem=stem, min_probability=min_probability)
    reading = read_table(path, format_name, progress=progress)
    digest = digest_arrays(reading.arrays)
    table = ParaphraseTable(reading.arrays, reading.name, digest, stem=stem, min_probability=min_probability)
    table.entries_without_words = reading.left_out[NO_WORDS]
    return table


def read_table(
    path: Path,
    input_format: str | None = None,
    score: int | None = None,
    min_probability: float = 0.0,
    progress: Progress | None = None,
) -> TableReading:
    """Read a table in a text format.

    Args:
        path: The file, plain or compressed, or the folder.
        input_format: One of `FORMAT_NAMES`. If None, the format is recognized.
        score: Number of the score of Moses that is the probability, 1-based.
        min_probability: Entries with a lower probability are left out.
        progress: Progress bar, or None.

    Raises:
        OptionError: If the format is unknown, or `score` is given for a format other than Moses.
        InputError: If the table cannot be read, or no entry remains.
        LimitError: If the table is larger than `limits` allows.
    """
    format_name = _choose_format(path, input_format, score)
    if progress:
        progress.start(f"reading {path.name}", _count_bytes(path), unit="B")
    builder, entries_read = TableBuilder(str(path), min_probability), 0
    for entry in _read_entries(path, format_name, score, progress):
        entries_read += 1
        if isinstance(entry, ParaphraseEntry):
            builder.add(entry)
        else:
            builder.left_out[entry] += 1
    if progress:
        progress.start("sorting", 1)
    arrays = builder.build()
    if not len(arrays.paraphrases):
        raise InputError(
            str(path), f"contains no usable paraphrases{describe_left_out(builder.left_out)}", "use another table"
        )
    return TableReading(name_of(path), format_name, arrays, entries_read, builder.left_out, builder.repaired)


def _choose_format(path: Path, input_format: str | None, score: int | None) -> str:
    format_name = input_format
    if format_name is None:
        format_name = recognize_format(path)
        if format_name == COMPILED:
            raise InputError(str(path), "is already compiled", "use this file directly")
    elif format_name not in FORMAT_NAMES:
        raise unknown_name("format of tables of paraphrases", format_name, FORMAT_NAMES)
    has_scores = any(text_format.has_scores for text_format in TEXT_FORMATS if text_format.name == format_name)
    if score is not None and not has_scores:
        raise OptionError(f"{path}: --score applies to the format {MOSES}, not to {format_name}. Omit --score")
    return format_name


def _read_entries(
    path: Path, format_name: str, score: int | None, progress: Progress | None
) -> Iterator[ParaphraseEntry | str]:
    """Read the entries of a table. For a left-out entry, yield the reason instead."""
    text_format = next((text_format for text_format in TEXT_FORMATS if text_format.name == format_name), None)
    if text_format is None:
        yield from read_wordnet(path, progress)
        return
    with closing(stream_lines(path, GIVE_TABLE, progress, keep_blank=text_format.has_blank_lines)) as lines:
        yield from text_format.read(lines, score)


def describe_left_out(counts: Counter[str]) -> str:
    """Describe left-out entries in parentheses, to be appended to a message. The result is "" if there are none."""
    parts = [f"{count:,} {reason}" for reason, count in sorted(counts.items())]
    return f" ({'; '.join(parts)})" if parts else ""


def name_of(path: Path) -> str:
    """Return the name of a table: the name of its file without suffixes."""
    return Path(path.name.removesuffix(".gz")).stem or path.absolute().name


def list_files(path: Path) -> list[Path]:
    """List the files that a table is read from: the file itself, or the files of WordNet in a folder."""
    return [path / name for name in FILES] if is_folder(path) else [path]


def _count_bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in list_files(path) if is_file(file))
