"""Ranked lists from tab-separated tables: a header, and a paraphrase per line."""

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
"""Names of the columns, in any order."""

_REMEDY = f"let the first line name columns, of {', '.join(COLUMNS)}, divided by tabs"
_VOTES = "give votes as a fraction, such as 2/3, or one by one, such as 1,1,0"


def read_table(path: str | os.PathLike[str]) -> list[RankedList]:
    """Read ranked lists from a table.

    Args:
        path: A file of UTF-8 text. Quotes have no meaning in a cell. Empty cells are left out.

    Returns:
        The lists, checked as those of JSON lines are.

    Raises:
        InputError: If the file cannot be read, or has other columns or a line with errors.
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
            raise InputError(file, f"unknown column '{name}', {suggest_names(name, COLUMNS)}", _REMEDY, 1)
    for name in _REQUIRED:
        if name not in columns:
            raise InputError(file, f"has no column {name}", _REMEDY, 1)
    if len(set(columns)) < len(columns):
        raise InputError(file, "names a column twice", _REMEDY, 1)
    if sum(name in columns for name in JUDGMENTS) == 1:
        raise InputError(file, "has votes of one judgment only", "give both columns, strict and lenient, or none", 1)
    return columns


def _parse_row(text: str, columns: Sequence[str], file: str, line: int) -> dict[str, Any]:
    cells = [cell.strip() for cell in text.split("\t")]
    if len(cells) != len(columns):
        reason = f"has {len(cells)} columns, and the first line names {len(columns)}"
        raise InputError(file, reason, "divide them by tabs", line)
    row: dict[str, Any] = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
    votes = {name: _parse_votes(row.pop(name), file, line) for name in JUDGMENTS if name in row}
    if "rank" in row:
        if not re.fullmatch(r"[0-9]{1,9}", row["rank"]):
            raise InputError(file, "rank is no whole number above 0", "give the position in the list, from 1 on", line)
        row["rank"] = int(row["rank"])
    if votes:
        row["votes"] = votes
    return row


def _parse_votes(text: str, file: str, line: int) -> list[int]:
    """Parse the votes of a cell. A fraction does not tell who accepts, so the first annotators are taken."""
    if fraction := re.fullmatch(r"([0-9]{1,3})/([1-9][0-9]{0,2})", text):
        accepting, annotators = int(fraction[1]), int(fraction[2])
        if accepting > annotators:
            raise InputError(file, f"'{text}' is more than all annotators", _VOTES, line)
        return [1] * accepting + [0] * (annotators - accepting)
    if not re.fullmatch(r"[01](,[01])*", text):
        raise InputError(file, f"'{text[:40]}' are no votes", _VOTES, line)
    return [int(vote) for vote in text.split(",")]
