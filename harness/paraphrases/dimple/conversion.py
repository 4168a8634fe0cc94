"""Ranked lists from tab-separated tables with a header line and one paraphrase per line."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from harness.files.tab_separated import read_lines
from harness.files.writing import expand_home
from harness.paraphrases.dimple.lists import JUDGMENTS, RankedList, make_lists, parse_ranked_paraphrase
from pyramid_paraphrase.errors import InputError, suggest_names

_REQUIRED = ("source", "method", "paraphrase", "rank")
COLUMNS = (*_REQUIRED, *JUDGMENTS, "sentence")
"""Names of the columns, which may be in any order."""

_REMEDY = f"name the columns in the first line, separated by tabs, from {', '.join(COLUMNS)}"
_VOTES = "write votes as a fraction, such as 2/3, or as a list, such as 1,1,0"


def read_table(path: str | os.PathLike[str]) -> list[RankedList]:
    """Read ranked lists from a tab-separated table.

    Args:
        path: A UTF-8 text file. Quotes have no special meaning. Empty cells are ignored.

    Returns:
        The lists, after the same checks as for JSON lines.

    Raises:
        InputError: If the file cannot be read, has wrong columns, or a line is invalid.
    """
    file, lines = str(path), read_lines(expand_home(path), _REMEDY)
    columns = _parse_header(lines[0], file)
    entries = []
    for number, text in enumerate(lines[1:], 2):
        if text.strip():
            entries.append(parse_ranked_paraphrase(_parse_row(text, columns, file, number), file, number))
    return make_lists(entries, file)


def _parse_header(text: str, file: str) -> Sequence[str]:
    columns = [name.strip() for name in text.split("\t")]
    for name in columns:
        if name not in COLUMNS:
            raise InputError(file, f"unknown column '{name}'", suggest_names(name, COLUMNS), 1)
    for name in _REQUIRED:
        if name not in columns:
            raise InputError(file, f"missing column {name}", _REMEDY, 1)
    if len(set(columns)) < len(columns):
        raise InputError(file, "a column name occurs twice", _REMEDY, 1)
    if sum(name in columns for name in JUDGMENTS) == 1:
        raise InputError(file, "has only one of the columns strict and lenient", "use both columns or neither", 1)
    return columns


def _parse_row(text: str, columns: Sequence[str], file: str, line: int) -> dict[str, Any]:
    cells = [cell.strip() for cell in text.split("\t")]
    if len(cells) != len(columns):
        reason = f"expected {len(columns)} columns, found {len(cells)}"
        raise InputError(file, reason, "separate the columns by tabs", line)
    row: dict[str, Any] = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
    votes = {name: _parse_votes(row.pop(name), file, line) for name in JUDGMENTS if name in row}
    if "rank" in row:
        if not re.fullmatch(r"[0-9]{1,9}", row["rank"]):
            raise InputError(
                file, "rank is not a positive whole number", "number the paraphrases of a list from 1", line
            )
        row["rank"] = int(row["rank"])
    if votes:
        row["votes"] = votes
    return row


def _parse_votes(text: str, file: str, line: int) -> list[int]:
    """Parse the votes in a cell. A fraction does not say which annotators accept, so the first ones are assumed."""
    if fraction := re.fullmatch(r"([0-9]{1,3})/([1-9][0-9]{0,2})", text):
        accepting, annotators = int(fraction[1]), int(fraction[2])
        if accepting > annotators:
            raise InputError(file, f"'{text}' has more votes than annotators", _VOTES, line)
        return [1] * accepting + [0] * (annotators - accepting)
    if not re.fullmatch(r"[01](,[01])*", text):
        raise InputError(file, f"'{text[:40]}' is not a valid list of votes", _VOTES, line)
    return [int(vote) for vote in text.split(",")]
