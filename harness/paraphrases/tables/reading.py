"""Tables of paraphrases from whatever they come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from harness.files.lines import Line, stream_lines
from harness.files.writing import expand_home
from harness.paraphrases.tables.arrays import TableArrays, digest_arrays
from harness.paraphrases.tables.building import TableBuilder
from harness.paraphrases.tables.formats.entries import ParaphraseEntry
from harness.paraphrases.tables.formats.moses import looks_like_moses, parse_moses
from harness.paraphrases.tables.formats.ppdb import looks_like_ppdb, parse_ppdb
from harness.paraphrases.tables.formats.tab_separated import looks_tab_separated, parse_tab_separated
from harness.paraphrases.tables.formats.wordnet import FILES, looks_like_wordnet, read_wordnet
from harness.paraphrases.tables.storage import MAGIC, is_stored
from harness.paraphrases.tables.table import ParaphraseTable
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, OptionError, cannot_read, unknown_name
from pyramid_paraphrase.inputs import exists, is_file, is_folder, open_input

MOSES = "moses"


class TextFormat(NamedTuple):
    """A format of lines.

    Attributes:
        name: What users call it.
        meaning: What its lines are like.
        looks_alike: Whether a first line may be of this format.
        parse: Reads a line, given which score is asked for: an entry, why it is none, or None for what is no line.
        has_scores: Whether it can be asked for.
    """

    name: str
    meaning: str
    looks_alike: Callable[[str], bool]
    parse: Callable[[Line, int | None], ParaphraseEntry | str | None]
    has_scores: bool = False


TEXT_FORMATS = (
    TextFormat("ppdb", "PPDB 1.0 or 2.0", looks_like_ppdb, lambda line, _: parse_ppdb(line)),
    TextFormat(MOSES, "a phrase table of Moses, of one language", looks_like_moses, parse_moses, has_scores=True),
    TextFormat("tsv", "columns divided by tabs", looks_tab_separated, lambda line, _: parse_tab_separated(line)),
)
"""What lines may be, tried in this order: lines of PPDB could be Moses'."""

WORDNET = "wordnet"
_REMEDY = "give a table of paraphrases"
FORMAT_NAMES = (*(known.name for known in TEXT_FORMATS), WORDNET)


class TableReading(NamedTuple):
    """A table that was read.

    Attributes:
        name: What it is called, by its source.
        format: One of `FORMAT_NAMES`.
        arrays: What it holds.
        entries_read: How many entries the source has.
        left_out: How many of them are not in the table, by reason.
    """

    name: str
    format: str
    arrays: TableArrays
    entries_read: int
    left_out: Counter[str]


def open_table(
    source: str | Path, *, stem: bool = False, min_probability: float = 0.0, progress: Progress | None = None
) -> ParaphraseTable:
    """Open a compiled table, or read one of any other format into memory.

    Args:
        source: The file or folder.
        stem: Whether words will be given as stems.
        min_probability: Entries below count for nothing.
        progress: Told how far reading is.

    Raises:
        InputError: If it cannot be read.
        LimitError: If it is larger than `limits` allows.
    """
    path = expand_home(source)
    if is_file(path) and is_stored(_read_beginning(path)):
        return ParaphraseTable.open(path, stem=stem, min_probability=min_probability)
    read = read_table(path, progress=progress)
    digest = digest_arrays(read.arrays)
    return ParaphraseTable(read.arrays, read.name, digest, stem=stem, min_probability=min_probability)


def read_table(
    path: Path,
    input_format: str | None = None,
    score: int | None = None,
    min_probability: float = 0.0,
    progress: Progress | None = None,
) -> TableReading:
    """Read a table in a format of text.

    Args:
        path: The file, plain or compressed, or the folder.
        input_format: One of `FORMAT_NAMES`; what the content looks like if None.
        score: Which of Moses' scores is the probability, 1-based.
        min_probability: Entries below are left out.
        progress: Told how far reading is.

    Raises:
        OptionError: If a score is asked for where there is only one.
        InputError: If it cannot be read, or no entry is left.
        LimitError: If it is larger than `limits` allows.
    """
    chosen = input_format or _find_format(path)
    if chosen not in FORMAT_NAMES:
        raise unknown_name("format of tables of paraphrases", chosen, FORMAT_NAMES)
    found = {known.name: known for known in TEXT_FORMATS}.get(chosen)
    if score is not None and not (found and found.has_scores):
        raise OptionError(f"{path}: --score chooses among the scores of Moses, and this is {chosen}; leave it out")
    if progress:
        progress.start(f"reading {path.name}", _count_bytes(path), unit="B")
    builder, read = TableBuilder(str(path), min_probability), 0
    for read, entry in enumerate(_read_entries(path, found, score, progress), 1):  # noqa: B007
        builder.add(entry) if isinstance(entry, ParaphraseEntry) else builder.left_out.update([entry])
    if progress:
        progress.start("putting in order", 1)
    arrays = builder.build()
    if not len(arrays.paraphrases):
        raise InputError(str(path), f"holds no paraphrase{describe_left_out(builder.left_out)}", "give another table")
    return TableReading(name_of(path), chosen, arrays, read, builder.left_out)


def _read_entries(
    path: Path, found: TextFormat | None, score: int | None, progress: Progress | None
) -> Iterator[ParaphraseEntry | str]:
    if found is None:
        yield from read_wordnet(path, progress)
        return
    for line in stream_lines(path, _REMEDY, progress):
        if (entry := found.parse(line, score)) is not None:
            yield entry


def describe_left_out(counts: Counter[str]) -> str:
    """What was left out and why, to be put behind something else; nothing if nothing was."""
    parts = [f"{count:,} {reason}" for reason, count in sorted(counts.items())]
    return f" ({'; '.join(parts)})" if parts else ""


def name_of(path: Path) -> str:
    """What a table is called: the name of its file without endings."""
    return Path(path.name.removesuffix(".gz")).stem or path.absolute().name


def _find_format(path: Path) -> str:
    if is_folder(path):
        if looks_like_wordnet(path):
            return WORDNET
        raise InputError(str(path), f"is a folder without {', '.join(FILES)}", "give a file, or WordNet's folder")
    if not exists(path):
        raise InputError(str(path), "no such file or folder", "check the path")
    if is_file(path) and is_stored(_read_beginning(path)):
        raise InputError(str(path), "is compiled already", "use it as it is")
    first = next(islice(stream_lines(path, _REMEDY), 1), None)
    if first is None:
        raise InputError(str(path), "is empty", "get it again")
    for known in TEXT_FORMATS:
        if known.looks_alike(first.text):
            return known.name
    formats = "; ".join(f"{known.name} is {known.meaning}" for known in TEXT_FORMATS)
    raise first.refuse("is in no format that is known", f"give one of these: {formats}")


def _read_beginning(path: Path) -> bytes:
    try:
        with open_input(path) as file:
            return file.read(len(MAGIC))
    except OSError as error:
        raise cannot_read(path, error, "check the path") from None


def list_files(path: Path) -> list[Path]:
    """The files that a table may be read from: itself, or those of WordNet in a folder."""
    return [path / name for name in FILES] if is_folder(path) else [path]


def _count_bytes(path: Path) -> int:
    return sum(file.stat().st_size for file in list_files(path) if is_file(file))
