"""What labels and outputs share: two columns, a line per pair."""

from __future__ import annotations

from harness.files.tab_separated import decode
from pyramid_paraphrase.errors import InputError

MAX_BYTES = 1 << 18
"""Size of labels or of an output, for some 20,000 pairs: bounds the memory of resampling pairs."""


def split_columns(data: bytes, name: str, remedy: str) -> list[tuple[str, str]]:
    """Divide lines by their tab.

    Args:
        data: What a file holds; lines end in a line feed, the last one may do without, and a carriage return before
            it is left out.
        name: Its name, for errors.
        remedy: What to do if it cannot be used.

    Returns:
        Both columns, line by line.

    Raises:
        InputError: If it is empty, no UTF-8, or a line has other columns; it names the line.
    """
    lines = decode(data, name, remedy).removesuffix("\n").split("\n")
    if lines == [""]:
        raise InputError(name, "is empty", remedy)
    rows = []
    for number, line in enumerate(lines, 1):
        columns = line.removesuffix("\r").split("\t")
        if len(columns) != 2:
            raise InputError(name, f"has {len(columns)} columns, and 2 divided by a tab are due", remedy, number)
        rows.append((columns[0], columns[1]))
    return rows
