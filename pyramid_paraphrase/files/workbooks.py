"""The sheets of Excel workbooks, which are untrusted archives of XML."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pyramid_paraphrase.errors import InputError, LimitError, OptionError
from pyramid_paraphrase.escaping import escape, restore_tsv
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import allow_expansion, open_zip, read_bounded, refusing_damage
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.files.inputs import open_input
from pyramid_paraphrase.files.tab_separated import Rows

_ZIP = b"PK\x03\x04"
_END = b"PK\x05\x06"
_CONTENTS = b"xl/workbook.xml"
_SAVE = "save the sheet as CSV, and use that file"
_ENTITIES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_TOO_MANY = "has too many cells"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The earliest date of a member of an archive."""

_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")
_NEVER = rb"\g<1>1980-01-01T00:00:00Z"
_MAX_TEXT = 32_767
_OTHER_FORM = "Write .csv, .tsv or .jsonl instead"
_MEASURED_ROWS, _WIDEST = 1000, 60
"""Number of rows that decide about the width of a column, and the greatest width, in characters."""

MAX_CELLS = 10_000_000
"""Maximum number of cells of a file, which bounds the memory of its tables."""

MAX_ROWS = 1 << 20
"""Maximum number of rows of a sheet in Excel."""

_FORMULA = re.compile(
    rb"<(?:\w+:)?c\b([^<>]*)>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>\s*|<(?:\w+:)?v>\s*</(?:\w+:)?v>\s*)?</(?:\w+:)?c>"
)
"""A cell with a formula, but no value."""


def is_workbook(data: bytes) -> bool:
    """Return whether the content of a file is a workbook of Excel (.xlsx, .xlsm)."""
    return data.startswith(_ZIP) and _CONTENTS in data


def refuse_cut_archive(file: str, data: bytes) -> None:
    """Refuse the content of a workbook, or of another archive of ZIP, whose end is missing.

    Raises:
        InputError: If it has no list of its members, which is at the end.
    """
    if data.startswith(_ZIP) and _END not in data:
        raise InputError(file, "is a damaged Excel file or archive, whose end is missing", "copy or download it again")


def is_workbook_at(path: Path) -> bool:
    """Return whether a file is a workbook of Excel. Nothing happens if the path cannot be read as a file."""
    with suppress(OSError, InputError), open_input(path) as stream:
        if stream.peek(4).startswith(_ZIP):
            return is_workbook(read_bounded(stream, limits.MAX_FILE_BYTES, str(path)))
    return False


def read_sheets(file: str, data: bytes, max_cells: int) -> tuple[list[tuple[str, Rows]], list[str]]:
    """Read the visible sheets of a workbook.

    Numbers are texts without a zero after the decimal point. Formulas have the values that the file stores. The first
    one of merged cells has their value. Empty cells are "".

    Args:
        file: Name of the file, for errors.
        data: Its content.
        max_cells: Maximum number of cells of all sheets.

    Returns:
        The name of each sheet with the file, and its rows with their numbers, all of the same length; and notes about
        hidden sheets.

    Raises:
        InputError: If the workbook is damaged, contains a definition of entities, or has a formula without a value.
        LimitError: If it expands too much, or has too many cells.
        MissingExtraError: If openpyxl is not installed.
    """
    openpyxl = require("openpyxl", "excel")
    refuse_cut_archive(file, data)
    sheets = []
    try:
        with refusing_damage(file):
            _check_members(file, data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and charts, which are not read
            workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            visible = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
            for sheet in visible:
                name = file if len(visible) == 1 else f"{file}, sheet {sheet.title}"
                rows = _read_rows(name, sheet, max_cells)
                max_cells -= sum(len(cells) for _, cells in rows)
                sheets.append((name, rows))
    except InputError:
        raise
    except Exception as error:  # damaged archives and damaged XML raise many types
        raise InputError(file, f"is damaged, or not an Excel file ({type(error).__name__})", _SAVE) from None
    hidden = [sheet.title for sheet in workbook.worksheets if sheet not in visible]
    notes = [f"{file}: the hidden sheet {title} was left out" for title in hidden]
    return sheets, notes


def _check_members(file: str, data: bytes) -> None:
    """Check the members before they are parsed: their expanded size, definitions of entities, formulas without values.

    Text is a value, also if it is empty, which a formula such as =IF(A1="","",A1) gives.
    """
    formulas: list[bytes] = []
    with open_zip(io.BytesIO(data), file) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
        if size > min(allow_expansion(len(data)), limits.MAX_FILE_BYTES):
            raise LimitError(file, f"expands to {size:,} bytes, which is too large for its size", _SAVE)
        for entry in archive.infolist():
            with archive.open(entry) as stream:
                content = stream.read().replace(b"\0", b"")  # UTF-16 has zero bytes
            if _ENTITIES.search(content):
                raise InputError(file, f"contains a definition of entities ({entry.filename})", _SAVE)
            formulas += [cell for cell in _FORMULA.findall(content) if b't="str"' not in cell]
    if formulas:
        place = re.search(rb'\br="(\w+)"', formulas[0])
        example = f", such as {place[1].decode()}" if place else ""
        reason = f"has {len(formulas):,} formulas without values{example}"
        raise InputError(file, reason, "open it in a spreadsheet program, which computes them, and save it again")


def _read_rows(name: str, sheet: Any, max_cells: int) -> Rows:  # noqa: ANN401
    """Read the rows of a sheet, without empty columns around them."""
    rows: Rows = []
    count = 0
    sheet.reset_dimensions()  # the stated size is untrusted
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > MAX_ROWS:
            raise LimitError(name, f"has more than {MAX_ROWS:,} rows", _SAVE)
        cells = [_show(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if (count := count + len(cells)) > max_cells:
            raise LimitError(name, _TOO_MANY, _SAVE)
        if cells or (rows and rows[-1][1]):  # the first one of empty rows divides tables
            rows.append((number, list(cells)))
    filled = [cells for _, cells in rows if cells]
    left = min(map(_count_empty, filled), default=0)
    width = max(map(len, filled), default=0)
    if len(filled) * (width - left) > max_cells:
        raise LimitError(name, _TOO_MANY, _SAVE)
    return [(number, cells and [*cells[left:], *[""] * (width - len(cells))]) for number, cells in rows]


def _count_empty(cells: list[str | None]) -> int:
    return next(place for place, cell in enumerate(cells) if cell)


def _show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return restore_tsv(str(value).strip())


def render_workbook(
    title: str,
    header: Sequence[str],
    rows: Iterable[Iterable[object]],
    others: Mapping[str, Iterable[Iterable[object]]] = MappingProxyType({}),
) -> bytes:
    """Render a sheet of Excel with a fixed header and a filter. No text becomes a formula, a number or a date.

    Args:
        title: Name of the sheet.
        header: Column titles.
        rows: Rows of cells: texts, numbers and None. Invisible characters of texts are escaped.
        others: Rows of further sheets by name, the first of which is the header.

    Returns:
        The content of the file. The same cells always give the same bytes.

    Raises:
        OptionError: If there are more rows than a sheet has, or a text is longer than a cell of Excel.
        MissingExtraError: If openpyxl is not installed.
    """
    openpyxl = require("openpyxl", "excel")
    workbook = openpyxl.Workbook(write_only=True)
    workbook.properties.created = workbook.properties.modified = datetime(*_EARLIEST)
    for name, all_rows in {title: chain([header], rows), **others}.items():
        checked = [list(map(_check_cell, row)) for row in all_rows]  # openpyxl cannot stop within a sheet
        if len(checked) > MAX_ROWS:
            raise OptionError(f"a sheet of Excel has at most {MAX_ROWS:,} rows. {_OTHER_FORM}")
        _write_sheet(workbook.create_sheet(name), checked)
    written, fixed = io.BytesIO(), io.BytesIO()
    workbook.save(written)
    with zipfile.ZipFile(written) as source, zipfile.ZipFile(fixed, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():  # without the time of writing
            content = _MODIFIED.sub(_NEVER, source.read(entry))
            target.writestr(zipfile.ZipInfo(entry.filename, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return fixed.getvalue()


def _write_sheet(sheet: Any, rows: Sequence[list[Any]]) -> None:  # noqa: ANN401
    """Write rows, of which the first one stays visible. A column is as wide as its longest cell, within bounds."""
    cells, names = require("openpyxl.cell", "excel"), require("openpyxl.utils", "excel")
    width = len(rows[0])
    for place in range(width):
        longest = max(len(str(row[place])) for row in rows[:_MEASURED_ROWS])
        sheet.column_dimensions[names.get_column_letter(place + 1)].width = min(max(longest + 2, 8), _WIDEST)
    sheet.freeze_panes = "A2"
    if width:
        sheet.auto_filter.ref = f"A1:{names.get_column_letter(width)}{len(rows)}"
    for row in rows:
        for place, value in enumerate(row):
            if isinstance(value, str):
                row[place] = cell = cells.WriteOnlyCell(sheet, value)
                cell.data_type = "s"  # a text that begins with "=" would be a formula
        sheet.append(row)


def _check_cell(value: object) -> object:
    """Escape a text, and check its length. Return other values unchanged."""
    if not isinstance(value, str):
        return value
    text = escape(value)
    if restore_tsv(text) != text:  # readers remove an apostrophe in front of a formula
        text = f"'{text}"
    if len(text) > _MAX_TEXT:
        raise OptionError(f"a text has {len(text):,} characters, and a cell of Excel {_MAX_TEXT:,}. {_OTHER_FORM}")
    return text
