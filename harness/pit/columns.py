"""The lines of label files and outputs: two columns, and a line per pair."""

from __future__ import annotations

from harness.files.tab_separated import decode
from pyramid_paraphrase.errors import InputError

MAX_BYTES = 1 << 18
"""Maximum size of a label file or an output, for some 20,000 pairs. It bounds the memory of resampling pairs."""


def split_columns(data: bytes, name: str, remedy: str) -> list[tuple[str, str]]:
    """Divide the lines of a file into two tab-separated columns.

    Args:
        data: Content of the file. Lines end in a line feed, which is optional after the last line. A carriage return
            before it is ignored.
        name: Name of the file, for messages.
        remedy: Advice if the file cannot be used.

    Returns:
        Both columns, line by line.

    Raises:
        InputError: If the file is empty or not UTF-8, or if a line does not have two columns. The message names the
            line.
    """
    lines = decode(data, name, remedy).removesuffix("\n").split("\n")
    if lines == [""]:
        raise InputError(name, "is empty", remedy)
    rows = []
    for number, line in enumerate(lines, 1):
        columns = line.removesuffix("\r").split("\t")
        if len(columns) != 2:
            raise InputError(name, f"expected 2 tab-separated columns, found {len(columns)}", remedy, number)
        rows.append((columns[0], columns[1]))
    return rows
