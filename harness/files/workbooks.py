"""The sheets of Excel workbooks, which are untrusted archives of XML."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.files.json_tables import Rows
from harness.support.extras import require
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import describe_expansion, open_zip, read_bounded, refusing_damage
from pyramid_paraphrase.files.inputs import open_input

_ZIP = b"PK\x03\x04"
_CONTENTS = "xl/workbook.xml"
_SAVE = "save the sheet as CSV, and use that file"
_ENTITIES = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
_MAX_EMPTY = 1_000
"""Number of empty rows in sequence after which a sheet ends."""


def is_workbook(data: bytes) -> bool:
    """Return whether the content of a file is a workbook of Excel (.xlsx, .xlsm)."""
    if not data.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _CONTENTS in archive.NameToInfo
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        return False


def is_workbook_at(path: Path) -> bool:
    """Return whether a file is a workbook of Excel. Nothing happens if the path cannot be read as a file."""
    with suppress(OSError, InputError), open_input(path) as stream:
        if stream.peek(4).startswith(_ZIP):
            return is_workbook(read_bounded(stream, limits.MAX_FILE_BYTES, str(path)))
    return False


def read_sheets(file: str, data: bytes, max_cells: int) -> Iterator[tuple[str, Rows]]:
    """Read the visible sheets of a workbook that are not empty.

    Args:
        file: Name of the file, for errors.
        data: Its content.
        max_cells: Maximum number of cells of all sheets.

    Yields:
        The name of a sheet with the file, and its rows with their numbers. Numbers are texts without a zero after the
        decimal point, and formulas have the values that Excel stored. Empty cells are "".

    Raises:
        InputError: If the workbook is damaged or contains a definition of entities.
        LimitError: If it expands too much, or has too many cells.
        MissingExtraError: If openpyxl is not installed.
    """
    openpyxl = require("openpyxl", "excel")
    with refusing_damage(file):
        _check_members(file, data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and charts, which are not read
            workbook = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            sheets = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
            for sheet in sheets:
                name = file if len(sheets) == 1 else f"{file}, sheet {sheet.title}"
                rows = _read_rows(name, sheet, max_cells)
                max_cells -= sum(len(cells) for _, cells in rows)
                yield name, rows
    except (InputError, GeneratorExit):
        raise
    except Exception as error:  # damaged XML raises many types
        raise InputError(file, f"cannot be read as an Excel file ({type(error).__name__})", _SAVE) from None


def _check_members(file: str, data: bytes) -> None:
    """Check the expanded size of the members, and that no member defines entities, before they are parsed."""
    with open_zip(io.BytesIO(data), file) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > limits.MAX_FILE_BYTES:
            raise describe_expansion(file)
        for entry in archive.infolist():
            if not entry.is_dir() and entry.filename.endswith((".xml", ".rels")):
                with archive.open(entry) as stream:
                    content = stream.read(limits.MAX_FILE_BYTES + 1)
                if len(content) > entry.file_size:
                    raise describe_expansion(file)
                if _ENTITIES.search(content.replace(b"\0", b"")):  # UTF-16 has zero bytes
                    raise InputError(file, f"contains a definition of entities ({entry.filename})", _SAVE)


def _read_rows(name: str, sheet: Any, max_cells: int) -> Rows:  # noqa: ANN401
    """Read the rows of a sheet that are not empty, without empty cells at their ends."""
    rows: Rows = []
    sheet.reset_dimensions()  # the stated size is untrusted
    empty = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        cells = [_show(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            max_cells -= len(cells)
            if max_cells < 0:
                raise LimitError(name, "has too many cells", _SAVE)
            rows.append((number, list(cells)))
        empty = 0 if cells else empty + 1
        if empty > _MAX_EMPTY:
            break
    return rows


def _show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return str(int(value))
    return str(value).strip()
