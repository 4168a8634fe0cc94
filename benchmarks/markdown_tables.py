"""Markdown tables for the documents that `record.py` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence


def tabulate(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Render a table of Markdown cells, the first column aligned to the left, all others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def leave_out(text: str, columns: str = "", rows: str = "", parts: str = "") -> str:
    """Shorten a text, above all its tables.

    Args:
        text: Markdown whose parts are separated by empty lines. Cells contain no "|".
        columns: A pattern for the whole titles of columns to leave out.
        rows: A pattern for the beginnings of the lines of rows to leave out.
        parts: A pattern for the beginnings of paragraphs, lists and tables to leave out.
    """
    kept_parts = []
    for part in text.split("\n\n"):
        if parts and re.match(parts, part):
            continue
        lines = part.splitlines()
        if part.startswith("| "):
            titles = _split_row(lines[0])
            places = [place for place, title in enumerate(titles) if not (columns and re.fullmatch(columns, title))]
            lines = [*lines[:2], *(line for line in lines[2:] if not (rows and re.match(rows, line)))]
            lines = [f"| {' | '.join(_split_row(line)[place] for place in places)} |" for line in lines]
        kept_parts.append("\n".join(lines))
    return "\n\n".join(kept_parts)


def _split_row(line: str) -> list[str]:
    return line.removeprefix("| ").removesuffix(" |").split(" | ")
