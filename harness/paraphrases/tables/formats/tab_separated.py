"""Tab-separated lists of users: phrase, paraphrase and optional probability."""

from __future__ import annotations

from harness.files.lines import Line, parse_estimate
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase

NAMES = ("phrase", "paraphrase", "probability")
_LEAST_COLUMNS = 2
_REMEDY = "write the probability of the paraphrase, or omit the column"
_CERTAIN = 1.0
"""Probability of paraphrases in lists without probabilities."""


def looks_tab_separated(line: str) -> bool:
    """Return whether a line may belong to a tab-separated list."""
    return "\t" in line


def parse_tab_separated(line: Line) -> ParaphraseEntry | None:
    """Parse a line of a tab-separated list.

    Returns:
        The entry, or None for a header in the first line.

    Raises:
        InputError: If the line does not have 2 or 3 columns, or the third column is not a number of at least 0.
    """
    cells = [cell.strip() for cell in line.text.split("\t")]
    if not _LEAST_COLUMNS <= len(cells) <= len(NAMES):
        remedy = f"use the columns {', '.join(NAMES[:2])} and optionally {NAMES[2]}"
        raise line.refuse(f"expected 2 or 3 tab-separated columns, found {len(cells)}", remedy)
    if line.number == 1 and [cell.lower() for cell in cells] == [*NAMES[: len(cells)]]:
        return None
    probability = _CERTAIN
    if len(cells) == len(NAMES):
        probability = parse_estimate(cells[2], line, _REMEDY)
    return ParaphraseEntry(parse_phrase(cells[0]), parse_phrase(cells[1]), probability)
