"""Markdown tables for the documents that `record.py` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence


def tabulate(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Render a table of Markdown cells, the first column aligned to the left, all others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def leave_out(text: str, columns: str = "", rows: str = "", tables: str = "") -> str:
    """Shorten the tables of a text.

    Args:
        text: Markdown whose parts are separated by empty lines. Cells contain no "|".
        columns: A pattern for the whole titles of columns to leave out.
        rows: A pattern for the beginnings of the lines of rows to leave out.
        tables: A pattern for the beginnings of the headers of tables to leave out.
    """
    parts = []
    for part in text.split("\n\n"):
        lines = part.splitlines()
        if not part.startswith("| "):
            parts.append(part)
        elif not (tables and re.match(tables, lines[0])):
            titles = _split_row(lines[0])
            kept = [place for place, title in enumerate(titles) if not (columns and re.fullmatch(columns, title))]
            lines = [*lines[:2], *(line for line in lines[2:] if not (rows and re.match(rows, line)))]
            parts.append("\n".join(f"| {' | '.join(_split_row(line)[place] for place in kept)} |" for line in lines))
    return "\n\n".join(parts)


def _split_row(line: str) -> list[str]:
    return line.removeprefix("| ").removesuffix(" |").split(" | ")
