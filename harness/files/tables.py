"""Tables of users in the forms that programs write: delimited text, JSON, JSON lines and Excel.

A file may contain several tables: the sheets of a workbook, or tables below each other, separated by blank lines.
`columns` finds the columns that a command needs.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from harness.files.json_tables import MAX_CELLS, MAX_COLUMNS, Cells, Rows, looks_like_json, read_json
from harness.files.workbooks import is_workbook, read_sheets
from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.escaping import restore_tsv
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import refuse_document
from pyramid_paraphrase.files.tab_separated import iterate_csv
from pyramid_paraphrase.pyramids.sources import SourceFile

DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "vertical bars"}
"""The characters between cells, in the order of preference, with their names."""

_SETTING = "sep="
"""Beginning of a first line that sets the delimiter for Excel."""

_LOOKED_AT = 50
"""Number of rows that decide about the delimiter."""

_ENCODINGS_BY_MARK = (  # the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_INDEX_NAME = re.compile(r"|#|index|unnamed: ?[0-9]+", re.IGNORECASE)
"""Names of a column that numbers the rows, as pandas and R write it."""

_GIVE_TABLE = "use a table with the names of its columns in the first line"
_SAVE = "save the table again as CSV in UTF-8"


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        file: Name of the file, with the sheet of a workbook that has several, for messages.
        names: Names of the columns, all different and not empty.
        rows: The rows below the header, with the numbers of their first lines (1-based). A cell per column.
        unit: What the numbers count: "line", "row" of a sheet, or "record" of a JSON file.
        listed: Names of the columns whose values come from a list within a record of JSON. Each item of a list is a
            row, and the rows of a record have the same number.
        notes: What was guessed, ignored or filled up, a line each, to be shown.
    """

    file: str
    names: tuple[str, ...]
    rows: Rows
    unit: str = "line"
    listed: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)

    def locate(self, number: int) -> tuple[str, int]:
        """Return the file and the line of a row for an error. A row that is no line has its number in the file."""
        return (self.file, number) if self.unit == "line" or not number else (f"{self.file}, {self.unit} {number:,}", 0)

    def refuse(self, reason: str, remedy: str, number: int = 0) -> InputError:
        """Return an error about a row, or about the table, to be raised by the caller."""
        file, line = self.locate(number)
        return InputError(file, reason, remedy, line)

    def describe(self) -> str:
        """Return the names of the columns, with their values in the first rows."""
        described = []
        for column, name in enumerate(self.names[:8]):
            cells = [shorten(cells[column] or "", 12) for _, cells in self.rows[:2]]
            described.append(f"{shorten(name, 40)} ({', '.join(cells)})")
        more = len(self.names) - len(described)
        return ", ".join(described) + (f" and {more:,} more" if more else "")


def read_tables(file: SourceFile) -> list[Table]:
    """Read the tables of a file, whose form is recognized by its content.

    Delimited text has tabs, semicolons, commas or vertical bars between its cells, and may be in UTF-8, UTF-16, UTF-32
    or Windows-1252. Cells are stripped. The first line that is not blank is the header. Quotation marks are removed,
    also in text with tabs if a quoted cell contains a tab, a line break or doubled quotation marks.

    JSON is a list of objects, of rows or of columns, an object of columns, or nested objects, whose keys become the
    columns "key 1" and "key 2". Keys of nested objects are joined by dots.

    Args:
        file: The decompressed content of the file.

    Returns:
        At least one table, each with at least one row.

    Raises:
        InputError: If the file is not in one of these forms, has no row, or a row does not fit the header.
        LimitError: If it has more cells than `MAX_CELLS`, or more lines than `limits` allows.
        MissingExtraError: If it is an Excel file, and the package to read it is not installed.
    """
    if is_workbook(file.data):
        tables = [_make_table(name, rows, "row") for name, rows in read_sheets(file.name, file.data, MAX_CELLS)]
    else:
        refuse_document(file.name, file.data)
        text, notes = _decode(file)
        tables = (
            [_make_table(file.name, *read_json(file.name, text))]
            if looks_like_json(text)
            else _parse_text(file.name, text)
        )
        tables[0].notes[:0] = notes
    tables = [table for table in tables if table.rows]
    if not tables:
        raise InputError(file.name, "has no rows below the header line", "add a row for each item")
    return tables


def _decode(file: SourceFile) -> tuple[str, list[str]]:
    notes = []
    encoding = next((name for mark, name in _ENCODINGS_BY_MARK if file.data.startswith(mark)), "utf-8-sig")
    try:
        text = file.data.decode(encoding)
    except UnicodeDecodeError:
        text = file.data.decode("cp1252", "replace")
        notes.append(f"{file.name} is not UTF-8 and was read as Windows-1252. Convert other encodings to UTF-8")
    if "\0" in text:
        raise InputError(file.name, "is not a text file", _SAVE, text[: text.index("\0")].count("\n") + 1)
    return text, notes


def _parse_text(file: str, text: str) -> list[Table]:
    """Parse delimited text."""
    delimiter, first_line = "", 1
    if text.startswith(_SETTING):
        setting, _, text = text.partition("\n")
        delimiter, first_line = setting.rstrip("\r")[len(_SETTING) :], 2
    if text.count("\n") > limits.MAX_LINES:
        raise LimitError(file, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    if delimiter not in DELIMITERS:
        delimiter = _choose_delimiter(text, file)
    if text.count(delimiter) > MAX_CELLS:
        raise LimitError(file, f"has more than {MAX_CELLS:,} cells", "split the file")
    rows = _split_tabs(text, file, first_line) if delimiter == "\t" else _split_csv(text, file, delimiter, first_line)
    parts: list[Rows] = [[]]
    was_blank = False
    for number, cells in rows:
        if not any(cells):
            was_blank = True
            continue
        if was_blank and parts[0] and _repeats_names(cells, parts[0][0][1]):
            parts.append([])
        parts[-1].append((number, cells))
        was_blank = False
    return [_make_table(file, part) for part in parts]


def _choose_delimiter(text: str, file: str) -> str:
    """Choose the delimiter that divides most of the first rows like the header, and the header into most cells."""
    best, best_score = "\t", (0.0, 1)
    for delimiter in DELIMITERS:
        rows: list[Cells] = []
        split = _split_lines(text, 1) if delimiter == "\t" else _split_csv(text, file, delimiter, 1)
        with suppress(InputError):  # the rows before the first row that is not valid decide
            rows.extend(islice((cells for _, cells in split if any(cells)), _LOOKED_AT))
        if rows and len(rows[0]) > 1:
            score = (sum(len(cells) == len(rows[0]) for cells in rows) / len(rows), len(rows[0]))
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _split_tabs(text: str, file: str, first_line: int) -> Iterable[tuple[int, Cells]]:
    """Split text with tabs, in which quotation marks are letters unless the text is valid only with quoted cells."""
    rows = list(_split_lines(text, first_line))
    if any(cell and _begins_quoted(cell) for _, cells in rows for cell in cells):
        with suppress(InputError):
            quoted = list(_split_csv(text, file, "\t", first_line))
            width = next((len(cells) for _, cells in quoted if any(cells)), 0)
            if all(len(cells) <= width for _, cells in quoted):
                return quoted
    return rows


def _begins_quoted(cell: str) -> bool:
    """Return whether a cell has a form that only programs write: with doubled marks, or with an end further on."""
    return cell.startswith('"') and (len(cell) == 1 or '""' in cell[1:] or not cell.endswith('"'))


def _split_lines(text: str, first_line: int) -> Iterator[tuple[int, Cells]]:
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), first_line):
        yield number, [restore_tsv(cell.strip()) for cell in line.split("\t")]


def _split_csv(text: str, file: str, delimiter: str, first_line: int) -> Iterator[tuple[int, Cells]]:
    for number, cells in iterate_csv(text, file, _SAVE, delimiter, first_line):
        yield number, [restore_tsv(cell.strip()) for cell in cells]


def _repeats_names(cells: Cells, names: Cells) -> bool:
    """Return whether a row below a blank line is the header of another table: it has no number, but shared names."""
    known = {name.casefold() for name in names if name}
    shared = sum(cell.casefold() in known for cell in cells if cell)
    return 2 * shared >= sum(map(bool, cells)) and not any(_NUMBER.fullmatch(cell) for cell in cells if cell)


def _make_table(file: str, rows: Rows, unit: str = "line", listed: frozenset[str] = frozenset()) -> Table:
    """Make a table of rows, the first of which is the header.

    Raises:
        InputError: If a row has more cells than the header, or a column has no name of its own.
        LimitError: If there are more columns than `MAX_COLUMNS`.
    """
    if not rows:
        return Table(file, (), [])
    (number, header), *body = rows
    if len(header) > MAX_COLUMNS:
        raise LimitError(file, f"has more than {MAX_COLUMNS:,} columns", "split the file", number)
    names = tuple((name or "").strip() for name in header)
    repeated = [cells for _, cells in body if cells == header and len(cells) > 1]
    table = Table(file, names, [row for row in body if row[1] not in repeated[:1]], unit, listed)
    if repeated:
        table.notes.append(f"{file}: {_count_rows(len(repeated))} the names of the columns again, and were left out")
    _fit_rows(table)
    return _check_names(table, number)


def _fit_rows(table: Table) -> None:
    """Fill up short rows by None, and remove empty cells beyond the header."""
    width, short = len(table.names), 0
    for place, (number, cells) in enumerate(table.rows):
        if any(cells[width:]):
            reason = f"expected {width} cells, found {len(cells)}"
            raise table.refuse(reason, "write one cell per column in each row, and quote texts", number)
        short += len(cells) < width
        table.rows[place] = number, [*cells[:width], *[None] * (width - len(cells))]
    if short:
        note = f"{table.file}: {_count_rows(short)} fewer cells than the header. The others count as missing"
        table.notes.append(note)


def _count_rows(count: int) -> str:
    return "1 row has" if count == 1 else f"{count:,} rows have"


def _check_names(table: Table, number: int) -> Table:
    """Drop a column that numbers the rows, and check that each other column has a name of its own.

    Raises:
        InputError: If a column has no name, a name is a number or two columns have the same name.
    """
    kept = [column for column, name in enumerate(table.names) if not _is_index(table, column, name)]
    if len(kept) < len(table.names):
        table.notes.append(f"{table.file}: a column that numbers the rows was left out")
    names = tuple(table.names[column] for column in kept)
    for column, name in zip(kept, names, strict=True):
        if not name:
            raise table.refuse(f"column {column + 1:,} has no name", "name it in the header line", number)
        if _NUMBER.fullmatch(name) and table.rows:
            raise table.refuse(f"'{shorten(name, 40)}' is a number, not the name of a column", _GIVE_TABLE, number)
    name, count = Counter(names).most_common(1)[0] if names else ("", 1)
    if count > 1:
        raise table.refuse(f"has two columns {shorten(name, 40)}", "use a different name for each column", number)
    rows: Rows = [(row, [cells[column] for column in kept]) for row, cells in table.rows]
    return Table(table.file, names, rows, table.unit, table.listed, table.notes)


def _is_index(table: Table, column: int, name: str) -> bool:
    if not _INDEX_NAME.fullmatch(name) or not table.rows:
        return False
    values = [cells[column] for _, cells in table.rows]
    return not any(values) or any(values == list(map(str, range(start, len(values) + start))) for start in (0, 1))
