"""Tab-separated lists that users write: phrase, paraphrase and optional probability."""

from __future__ import annotations

from harness.files.lines import Line, parse_estimate
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase

NAMES = ("phrase", "paraphrase", "probability")
_LEAST_COLUMNS = 2
_REMEDY = "write how probable the paraphrase is, or leave out the column"
_CERTAIN = 1.0
"""The probability of paraphrases in a list without probabilities."""


def looks_tab_separated(line: str) -> bool:
    """Whether a line may belong to a list."""
    return "\t" in line


def parse_tab_separated(line: Line) -> ParaphraseEntry | None:
    """Read a line.

    Returns:
        The entry, or None for the names of the columns in the first line.

    Raises:
        InputError: If the line has other columns, or the last column is not a number of at least 0.
    """
    cells = [cell.strip() for cell in line.text.split("\t")]
    if not _LEAST_COLUMNS <= len(cells) <= len(NAMES):
        remedy = f"give {', '.join(NAMES[:2])} and, if you like, {NAMES[2]}"
        raise line.refuse(f"has {len(cells)} columns divided by tabs, and 2 or 3 are due", remedy)
    if line.number == 1 and [cell.lower() for cell in cells] == [*NAMES[: len(cells)]]:
        return None
    probability = _CERTAIN
    if len(cells) == len(NAMES):
        probability = parse_estimate(cells[2], line, _REMEDY)
    return ParaphraseEntry(parse_phrase(cells[0]), parse_phrase(cells[1]), probability)
