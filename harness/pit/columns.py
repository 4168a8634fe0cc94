"""The lines of labels and outputs: two columns, a line per pair."""

from __future__ import annotations

from harness.files.tab_separated import decode
from pyramid_paraphrase.errors import InputError

MAX_BYTES = 1 << 18
"""Size of labels or of an output, for some 20,000 pairs: bounds the memory of resampling pairs."""


def split_columns(data: bytes, name: str, remedy: str) -> list[tuple[str, str]]:
    """Divide lines by their tab.

    Args:
        data: Content of a file. Lines end in a line feed, which the last line may lack; a carriage return before it is
            ignored.
        name: Its name, for errors.
        remedy: Advice if the file cannot be used.

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
