"""Tables of users in the forms that programs write: delimited text, JSON, JSON lines and Excel.

A file may contain several tables: the sheets of a workbook, or tables below each other, separated by blank lines.
`columns` finds the columns that a command needs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from harness.files.json_tables import MAX_COLUMNS, NUMBER, looks_like_json, read_json
from harness.files.lines import find_marked_encoding
from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.escaping import restore_tsv
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import refuse_document
from pyramid_paraphrase.files.tab_separated import Cells, Rows, iterate_csv
from pyramid_paraphrase.files.workbooks import MAX_CELLS, is_workbook, read_sheets, refuse_cut_archive
from pyramid_paraphrase.pyramids.sources import SourceFile

DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "vertical bars"}
"""The characters between cells, in the order of preference, with their names."""

_SETTING = re.compile(r'"?sep=([^\r\n]?)"?(?:\r\n|\n|\r)')
"""A first line that sets the delimiter for Excel."""

_LOOKED_AT = 50
"""Number of rows that decide about the delimiter."""

_MARKUP = {
    "HTML or XML": re.compile(r"\s*<(?:!doctype|html|table|head|body|\?xml)\b", re.IGNORECASE),
    "LaTeX": re.compile(r"\s*\\(?:begin|documentclass|hline|toprule)\b|[^&\n]*&[^\n]*\\\\[ \t]*(?:\n|\Z)"),
}
"""Beginnings of tables in markup, which are refused."""

_RULE = re.compile(r"[-+=:]{2,}")
"""A cell of a line of Markdown or of a terminal that only draws a line."""

_QUOTED = re.compile('".*"')
_INDEX_NAME = re.compile(r"|#|index|unnamed: ?[0-9]+", re.IGNORECASE)
"""Names of a column that numbers the rows, as pandas and R write it."""

_SAVE = "save the table again as CSV"
_SHOWN = 40
"""Number of characters of a name or a cell in messages."""


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
    or Windows-1252. Cells are stripped. The first row is the header. Lines above it with text in the first cell only
    are left out if a blank line or empty cells divide them from the header.

    JSON is a list of objects, of rows or of columns, an object of columns, or nested objects, whose keys become the
    columns "key 1" and "key 2". Keys of nested objects are joined by dots.

    A workbook of Excel has a table in each sheet that is not hidden.

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
        sheets, notes = read_sheets(file.name, file.data, MAX_CELLS)
        tables = [table for name, rows in sheets for table in _divide(name, rows, "row")]
    else:
        refuse_cut_archive(file.name, file.data)
        refuse_document(file.name, file.data)
        text, notes = _decode(file)
        if looks_like_json(text):
            tables = [_make_table(file.name, *read_json(file.name, text))]
        else:
            tables = _parse_text(file.name, text, notes)
    tables = [table for table in tables if table.rows]
    if not tables:
        raise InputError(file.name, "has no rows", "add a row for each item")
    tables[0].notes[:0] = notes
    return tables


def _decode(file: SourceFile) -> tuple[str, list[str]]:
    notes = []
    marked = find_marked_encoding(file.data)
    try:
        text = file.data.decode(marked or "utf-8-sig")
    except UnicodeDecodeError:
        if marked:
            raise InputError(file.name, f"is not valid {marked.upper()}", f"{_SAVE} in UTF-8") from None
        text = file.data.decode("cp1252", "replace")
        unknown = f" with {count:,} unknown bytes" if (count := text.count("\ufffd")) else ""
        reading = f"is not UTF-8 and was read as Windows-1252{unknown}"
        notes.append(f"{file.name} {reading}. Convert other encodings to UTF-8")
    if "\0" in text:
        raise InputError(file.name, "is not a text file", f"{_SAVE} in UTF-8", text[: text.index("\0")].count("\n") + 1)
    return text, notes


def _parse_text(file: str, text: str, notes: list[str]) -> list[Table]:
    """Parse delimited text. Notes about it are added to a list."""
    for name, pattern in _MARKUP.items():
        if pattern.match(text):
            raise InputError(file, f"is {name}, which is not read as a table", _SAVE)
    if text.count("\n") > limits.MAX_LINES:
        raise LimitError(file, f"has more than {limits.MAX_LINES:,} lines", "split the file")
    delimiter, first_line = "", 1
    if setting := _SETTING.match(text):
        delimiter, first_line, text = setting[1], 2, text[setting.end() :]
    delimiter = delimiter if delimiter.strip(' "') else _choose_delimiter(text, file)
    if text.count(delimiter) > MAX_CELLS:
        raise LimitError(file, f"has more than {MAX_CELLS:,} cells", "split the file")
    tables = _divide(file, _split(text, file, delimiter, first_line, notes), "line")
    last = tables[-1].rows[-1][1][-1] if tables[-1].rows else ""
    if text[-1:] not in '\r\n"' and (last is None or NUMBER.fullmatch(last)):
        notes.append(f"{file}: the last line has no line break. If the file was cut, its last row is not complete")
    return tables


def _choose_delimiter(text: str, file: str) -> str:
    """Choose the delimiter of a text by its first 50 rows.

    A delimiter fits a row if it divides the row into as many cells as the header, and the header into two at least.
    Tabs are the delimiter if they fit half of the rows, since texts rarely contain tabs. Otherwise, it is the delimiter
    that fits most rows, then the one that makes most columns, then the one that is not followed by a blank in the
    header, then the first one in `DELIMITERS`. A text without a delimiter is a table of one column.
    """
    scores: dict[str, tuple[float, int, bool]] = {}
    header_line = text.lstrip().partition("\n")[0]
    for delimiter in DELIMITERS:
        sample: Rows = []
        split = _split_lines(text, limit=_LOOKED_AT) if delimiter == "\t" else _split_csv(text, file, delimiter)
        with suppress(InputError):  # the rows before the first row that is not valid decide
            sample.extend(islice(split, _LOOKED_AT))
        rows = _divide_rows(sample)[0][0]
        if rows and (width := len(rows[0][1])) > 1:
            share = sum(len(cells) == width for _, cells in rows) / len(rows)
            if delimiter == "\t" and share >= 0.5:
                return delimiter
            scores[delimiter] = (share, width, f"{delimiter} " not in header_line)
    return max(scores, key=scores.__getitem__, default="\t")


def _split(text: str, file: str, delimiter: str, first_line: int, notes: list[str]) -> Iterable[tuple[int, Cells]]:
    if delimiter != "\t":
        return _split_csv(text, file, delimiter, first_line)
    rows = list(_split_lines(text, first_line))
    if '"' in text:
        with suppress(InputError):
            quoted = list(_split_csv(text, file, delimiter, first_line))
            if _are_quoted(rows, quoted):
                notes.append(f"{file}: quotation marks around cells were removed")
                return quoted
    return rows


def _are_quoted(rows: Rows, quoted: Rows) -> bool:
    """Return whether the quotation marks of a text with tabs are those of a program, not those of sentences.

    A program quotes all names of columns, or it quotes cells with tabs and line breaks, without which lines do not fit
    the header, or it doubles quotation marks. A line break within quotation marks does not count if its lines fit.

    Args:
        rows: The rows if quotation marks are letters.
        quoted: The rows without the quotation marks around cells.
    """
    plain, unquoted = ([cells for _, cells in part if any(cells)] for part in (rows, quoted))
    width = len((_divide_rows(quoted)[0][0] or rows)[0][1])
    misfits, quoted_misfits = ([cells for cells in part if len(cells) != width] for part in (plain, unquoted))
    if len(quoted_misfits) < len(misfits):
        return all(len(cells) < width for cells in quoted_misfits)
    if len(plain) != len(unquoted):
        return False
    names = filter(None, plain[0])
    doubled = (cell for cells in plain for cell in cells if cell and '""' in cell[1:-1])
    return all(map(_QUOTED.fullmatch, names)) or any(map(_QUOTED.fullmatch, doubled))


def _split_lines(text: str, first_line: int = 1, limit: int = -1) -> Iterator[tuple[int, Cells]]:
    """Split lines at tabs: only the first ones with a limit. Carriage returns end lines if there is no line feed."""
    for number, line in enumerate(text.split("\n" if "\n" in text else "\r", limit), first_line):
        yield number, _clean(line.split("\t"))


def _split_csv(text: str, file: str, delimiter: str, first_line: int = 1) -> Iterator[tuple[int, Cells]]:
    for number, cells in iterate_csv(text, file, _SAVE, delimiter, first_line):
        cleaned = _clean(cells)
        if delimiter != "|" or not _draws_line(cleaned):
            yield number, cleaned


def _clean(cells: Iterable[str]) -> Cells:
    return [restore_tsv(cell) if cell[:1] == "'" else cell for cell in map(str.strip, cells)]


def _draws_line(cells: Cells) -> bool:
    texts = [cell for cell in cells if cell]
    return bool(texts) and all(map(_RULE.fullmatch, texts))


def _divide(file: str, rows: Iterable[tuple[int, Cells]], unit: str) -> list[Table]:
    parts, titles = _divide_rows(rows)
    tables = [_make_table(file, part, unit) for part in parts]
    if titles:
        what = f"{unit}s with text in the first cell only, above or below a table, were left out"
        tables[0].notes.append(f"{file}: {what}: {titles:,}")
    return tables


def _divide_rows(rows: Iterable[tuple[int, Cells]]) -> tuple[list[Rows], int]:
    """Divide rows into tables, at blank rows that the names of another table follow.

    Rows with text in the first cell only are titles above a table, or remarks below the last one: the rows between a
    blank row, or the beginning, and a header, and the rows after the last blank row. At the beginning, they need a
    blank row or empty cells: a line of text is the header of a table with one column.

    Returns:
        The rows of at least one table, and the number of titles and remarks.
    """
    parts: list[Rows] = []
    waiting: Rows = []
    titles, begins, is_divided = 0, True, False
    for number, cells in rows:
        if not any(cells):
            begins, is_divided = True, bool(waiting)
        elif begins and not any(cells[1:]):
            waiting.append((number, cells))
            is_divided = len(cells) > 1 or str(cells[0]).startswith("#")
        else:
            if begins and parts and _repeats_names(cells, parts[0]):
                titles, waiting = titles + len(waiting), []
                parts.append([])
            elif begins and not parts:
                if is_divided:
                    titles, waiting = len(waiting), []
                parts.append([])
            parts[-1] += [*waiting, (number, cells)]
            waiting, begins = [], False
    if not parts:
        return [waiting], titles
    return parts, titles + len(waiting)


def _repeats_names(cells: Cells, table: Rows) -> bool:
    """Return whether a row below a blank row is the header of another table, unlike the rows of the first table.

    It has no number, and half of its cells are names of the first table, which has numbers, or all of its cells are.
    """
    known = {name.casefold() for name in table[0][1] if name}
    texts = [cell for cell in cells if cell]
    shared = sum(cell.casefold() in known for cell in texts)
    if 2 * shared < len(texts) or any(map(NUMBER.fullmatch, texts)):
        return False
    first_cells = (cell for _, row in table[1:_LOOKED_AT] for cell in row if cell)
    return shared == len(texts) or any(map(NUMBER.fullmatch, first_cells))


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
    if body and all(len(cells) == len(header) + 1 for _, cells in body) and _number_rows([row[0] for _, row in body]):
        header = ["", *header]  # R writes no name above the numbers of rows
    names = tuple((name or "").strip() for name in header)
    repeated = sum(cells == header for _, cells in body) if len(header) > 1 else 0
    if repeated:
        body = [(row, cells) for row, cells in body if cells != header]
    table = Table(file, names, body, unit, listed)
    if repeated:
        table.notes.append(f"{file}: rows that repeat the names of the columns were left out: {repeated:,}")
    _fit_rows(table)
    return _check_names(table, number)


def _fit_rows(table: Table) -> None:
    """Fill up short rows by None, and remove empty cells beyond the header."""
    width, short = len(table.names), 0
    for place, (number, cells) in enumerate(table.rows):
        if len(cells) == width:
            continue
        if any(cells[width:]):
            reason = f"expected {width} cells, found {len(cells)}"
            raise table.refuse(reason, "write one cell per column in each row, and quote texts", number)
        short += len(cells) < width
        table.rows[place] = number, [*cells[:width], *[None] * (width - len(cells))]
    if short:
        what = "rows with fewer cells than the header, whose other cells count as missing"
        table.notes.append(f"{table.file}: {what}: {short:,}")


def _check_names(table: Table, number: int) -> Table:
    """Drop columns that number the rows, and check that each other column has a name of its own.

    Raises:
        InputError: If a column has no name, a name is a number with a fraction, or two columns have the same name.
    """
    kept = [column for column, name in enumerate(table.names) if _is_kept(table, column, name)]
    names = tuple(table.names[column] for column in kept)
    if "" in names:
        column = kept[names.index("")]
        first = next((cells[column] or "" for _, cells in table.rows if cells[column]), "")
        raise table.refuse(f"the column of '{shorten(first, _SHOWN)}' has no name", "name it in the header", number)
    for name, count in Counter(names).items():
        if NUMBER.fullmatch(name) and (count > 1 or not name.isdecimal()):
            remedy = "use a table with the names of its columns in the first line"
            raise table.refuse(f"'{shorten(name, _SHOWN)}' is a number, not the name of a column", remedy, number)
        if count > 1:
            remedy = "use a different name for each column"
            raise table.refuse(f"has two columns {shorten(name, _SHOWN)}", remedy, number)
    rows = [(row, [cells[column] for column in kept]) for row, cells in table.rows]
    return Table(table.file, names, rows, table.unit, table.listed, table.notes)


def _is_kept(table: Table, column: int, name: str) -> bool:
    """Return whether a column is kept: it has a name or values, and does not number the rows, which a note says."""
    if not _INDEX_NAME.fullmatch(name):
        return True
    values = [cells[column] for _, cells in table.rows]
    if not name and not any(values):
        return False
    if not _number_rows(values) and (name.lower() in ("#", "index") or not _are_different_numbers(values)):
        return True
    title = f"column {shorten(name, _SHOWN)}" if name else "column without a name"
    table.notes.append(f"{table.file}: the {title} numbers the rows, and was left out")
    return False


def _are_different_numbers(values: Sequence[str | None]) -> bool:
    """Return whether values are different whole numbers, such as the numbers of the rows of a larger table."""
    return len(set(values)) == len(values) and all(value and value.isdecimal() for value in values)


def _number_rows(values: Sequence[str | None]) -> bool:
    """Return whether the values of a column are the numbers of rows, from 0 or from 1."""
    return any(values == list(map(str, range(start, len(values) + start))) for start in (0, 1))
