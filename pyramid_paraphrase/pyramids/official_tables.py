"""NIST's tables of pyramid scores, from DUC 2005 to TAC 2011: rows without titles of columns, divided by blanks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pyramid_paraphrase.errors import InputError

MODIFIED_PYRAMID, ORIGINAL_PYRAMID = "pyramid_modified", "pyramid"
"""Names of the modified and the original pyramid score, which NIST published and `pyramid_scores` computes."""

JACKKNIFED_PYRAMID = "pyramid_modified_jackknife"
"""Name of the modified score by pyramids of three summaries, by which TAC compares systems with people."""

CONTENT, OVERALL, QUALITY = "content_responsiveness", "overall_responsiveness", "linguistic_quality"
"""Names of judgements. Content and overall responsiveness are different questions to the assessors."""

SCUS, REPETITIONS = "scus", "repetitions"
"""Names of the numbers of matched SCUs, and of contributors that match an SCU again."""

_SCORED = (MODIFIED_PYRAMID, SCUS, REPETITIONS)
_JUDGED = (*(f"{QUALITY}_{number}" for number in range(1, 6)), CONTENT)
_OF_THREE = (JACKKNIFED_PYRAMID, QUALITY, OVERALL)
_ANNOTATOR = _CREATOR = ""

_OF_PEERS: Mapping[int, tuple[str, ...]] = {
    5: _SCORED,
    6: (ORIGINAL_PYRAMID, *_SCORED),  # DUC 2005: processed_pans.txt
    7: (*_SCORED, _ANNOTATOR, _CREATOR),  # DUC 2006 and 2007, a summary that was not judged
    8: (*_SCORED, _ANNOTATOR, _CREATOR, CONTENT),  # update task of DUC 2007
    9: (*_SCORED, _ANNOTATOR, *_OF_THREE),  # TAC 2008: manual.peer
    10: (*_SCORED, _ANNOTATOR, _CREATOR, *_OF_THREE),  # TAC 2009 to 2011: manual.peer.A and .B
    11: (*_SCORED, *_JUDGED),  # main task of DUC 2007
    12: (*_SCORED, *[""] * 6, CONTENT),
    13: (*_SCORED, _ANNOTATOR, _CREATOR, *_JUDGED),  # DUC 2006
}
"""The columns after topic and summarizer by the number of all columns. Columns without a name are not read."""

_OF_PEOPLE: Mapping[int, tuple[str, ...]] = {
    7: (SCUS, _ANNOTATOR, *_OF_THREE),  # TAC 2008: manual.model
    8: (SCUS, _ANNOTATOR, _CREATOR, *_OF_THREE),  # TAC 2009 to 2011: manual.model.A and .B
}
"""The same for tables of the summaries that people wrote. Their third column is a number of SCUs."""

_KEYS = 2
_NOT_JUDGED = (5, 7)
_WITH_UNJUDGED_ROWS = (7, 8, 11, 12, 13)
"""Widths of tables whose rows have only `_NOT_JUDGED` columns where assessors did not judge a summary."""

_SCORES = frozenset({MODIFIED_PYRAMID, ORIGINAL_PYRAMID, JACKKNIFED_PYRAMID})
_COUNTS = frozenset({SCUS, REPETITIONS})
_REMEDY = "use NIST's table, such as 2007_modified_scores.txt"
_RENAME = "keep NIST's name of the file, such as manual.model or 2007_modified_scores.txt"

_WHOLE, _NUMBER = re.compile("[0-9]{1,9}"), re.compile(r"[0-9]{1,9}(?:\.[0-9]*)?|\.[0-9]+")

Row = tuple[int, str, str, dict[str, float]]
"""Line of the file, topic, summarizer, and values by name of the column."""


def looks_official(line: str) -> bool:
    """Return whether a line may be a row of such a table: the topic has a number, and the third column is one."""
    cells = line.split()
    has_width = min(_OF_PEERS) <= len(cells) <= max(_OF_PEERS)
    return has_width and bool(re.search("[0-9]", cells[0]) and _NUMBER.fullmatch(cells[_KEYS]))


def parse_official_rows(lines: Sequence[tuple[int, str]], name: str) -> Iterator[Row]:
    """Read a table.

    Args:
        lines: The lines that are not blank, with their numbers.
        name: Name of the file. It says whether the table is of systems or of people. Without such a name, the values of
            the whole file decide.

    Yields:
        The rows. Numbers that name the topics of DUC 2005 get its letter, as in all other files.

    Raises:
        InputError: If there are no rows, a row does not have the columns of the others, or a cell is not a number. A
            number of SCUs is not accepted as a score.
    """
    if name.endswith(".avg"):
        reason = "contains means of summarizers, and no scores of single summaries"
        raise InputError(name, reason, f"use the table {name.removesuffix('.avg').rpartition('/')[2]}")
    rows = [(number, _split_row(line, name, number)) for number, line in lines]
    if not rows:
        raise InputError(name, "contains no scores", _REMEDY)
    layouts = _choose_layouts(rows, name)
    for number, cells in rows:
        columns = layouts.get(len(cells))
        if columns is None:
            reason = f"expected {' or '.join(map(str, sorted(layouts)))} columns, found {len(cells)}"
            raise InputError(name, reason, _REMEDY, number)
        values = {
            column: _parse_cell(cell, column, name, number)
            for column, cell in zip(columns, cells[_KEYS:], strict=True)
            if column
        }
        topic = cells[0]
        if ORIGINAL_PYRAMID in columns and _WHOLE.fullmatch(topic):
            topic = f"D{topic}"
        yield number, topic, cells[1], values


def _split_row(line: str, name: str, number: int) -> list[str]:
    """Divide a line into as many cells as a table of some year has."""
    if len(line.splitlines()) > 1:
        reason = "contains a character that some programs treat as the end of a line, such as a vertical tab"
        raise InputError(name, reason, _REMEDY, number)
    cells = line.split()
    if len(cells) not in _OF_PEERS:
        reason = "expected the columns pyramid, peer, modified score, number of SCUs and number of repetitions"
        raise InputError(name, reason, _REMEDY, number)
    return cells


def _choose_layouts(rows: Sequence[tuple[int, list[str]]], name: str) -> dict[int, tuple[str, ...]]:
    """Choose the columns of the rows by their number: those that fit most rows."""
    counts = Counter(len(cells) for _, cells in rows)
    allowed = {width: {width, *_NOT_JUDGED} if width in _WITH_UNJUDGED_ROWS else {width} for width in sorted(counts)}
    main = max(allowed, key=lambda width: sum(counts[fitting] for fitting in allowed[width]))
    if main in _OF_PEOPLE and _is_of_people([cells[_KEYS] for _, cells in rows], name):
        return {main: _OF_PEOPLE[main]}
    return {width: _OF_PEERS[width] for width in allowed[main] if width <= main}


def _is_of_people(cells: Sequence[str], name: str) -> bool:
    """Decide whether the third column contains numbers of SCUs. Scores have decimals."""
    base = name.replace("!", "/").rpartition("/")[2].lower()
    if "manual.model" in base:
        return True
    if "manual.peer" in base or "modified_scores" in base or not all(map(_WHOLE.fullmatch, cells)):
        return False
    if max(map(int, cells)) <= 1:
        raise InputError(name, "the third column may contain scores of systems or numbers of SCUs of people", _RENAME)
    return True


def _parse_cell(cell: str, column: str, name: str, number: int) -> float:
    """Convert a cell into a number."""
    pattern, expected = (_WHOLE, "a whole number") if column in _COUNTS else (_NUMBER, "a number")
    if not pattern.fullmatch(cell):
        raise InputError(name, f"expected {expected} as {column}, found {cell!r}", _REMEDY, number)
    if column in _SCORES and _WHOLE.fullmatch(cell) and int(cell) > 1:
        raise InputError(name, f"{cell} is not a score. Numbers of SCUs have no decimals", _RENAME, number)
    return float(cell)
