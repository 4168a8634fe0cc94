"""Tables in the forms that commands write: CSV, tab-separated text, Excel, JSON and JSON lines."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from harness.files.json_files import render_json
from pyramid_paraphrase.escaping import escape_csv
from pyramid_paraphrase.files.tab_separated import render_rows
from pyramid_paraphrase.files.workbooks import render_workbook

TABLE_FORMS = {"csv": ".csv", "tsv": ".tsv", "xlsx": ".xlsx", "json": ".json", "jsonl": ".jsonl"}
"""Forms of tables that commands write and read, and the suffixes of their files."""


def render_csv_rows(rows: Iterable[Sequence[object]]) -> str:
    """Render rows as CSV for a spreadsheet.

    Args:
        rows: Rows of cells. None becomes an empty cell. A text that a spreadsheet would interpret as a formula gets an
            apostrophe in front, so a program does not read the same text from the file.

    Returns:
        The lines. The last line has no line break.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([cell if cell is None else escape_csv(str(cell)) for cell in row] for row in rows)
    return text.getvalue().removesuffix("\n")


def render_table_file(form: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> str | bytes:
    """Render a table as a file.

    Args:
        form: One of `TABLE_FORMS`.
        names: Names of the columns.
        rows: Rows of cells: texts, numbers and None, which becomes an empty cell or null. Other cells become texts. A
            tuple stays a list in JSON.

    Returns:
        The content. Only that of Excel is bytes.

    Raises:
        OptionError: If Excel cannot have so many rows, or such a long text.
        MissingExtraError: If the form is Excel, and openpyxl is not installed.
    """
    return _RENDER[form](names, rows)


def render_sheet_file(form: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Render a table for people to fill in, as `render_table_file` does.

    CSV begins with a byte order mark, without which Excel reads letters wrongly.
    """
    content = render_table_file(form, names, rows)
    if isinstance(content, bytes):
        return content
    return (f"\ufeff{content}" if form == "csv" else content).encode()


def _render_tsv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return render_rows(names, (["" if cell is None else cell for cell in row] for row in rows))


def _simplify(cell: object) -> object:
    """Replace a cell that is neither a number nor None by a text. JSON and Excel have no infinite numbers."""
    if cell is None or (isinstance(cell, int | float) and math.isfinite(cell)):
        return cell
    return str(cell)


def _list_records(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[dict[str, object]]:
    for row in rows:
        cells = (list(cell) if isinstance(cell, tuple) else _simplify(cell) for cell in row)
        yield dict(zip(names, cells, strict=True))


_RENDER: dict[str, Callable[[Sequence[str], Iterable[Sequence[object]]], str | bytes]] = {
    "csv": lambda names, rows: f"{render_csv_rows([names, *rows])}\n",
    "tsv": _render_tsv,
    "xlsx": lambda names, rows: render_workbook("table", names, (map(_simplify, row) for row in rows)),
    "json": lambda names, rows: render_json(list(_list_records(names, rows))).decode(),
    "jsonl": lambda names, rows: "".join(f"{json.dumps(record)}\n" for record in _list_records(names, rows)),
}
