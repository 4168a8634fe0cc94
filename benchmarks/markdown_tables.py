"""Markdown tables for the documents that `record.py` writes."""

from __future__ import annotations

from collections.abc import Sequence


def tabulate(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Render a table of Markdown cells, the first column aligned to the left, all others to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
