"""Output to terminals. No other module writes to a terminal.

Names, labels and cells come from untrusted files. Their control characters could move the cursor, clear the screen
or change the order of letters. Their line feeds could forge lines of a report. Two steps prevent this: code that
lays out a report escapes each value with `show`, and `say` escapes all remaining control characters.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import IO, Any

from pyramid_paraphrase.escaping import escape

_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""Escape sequence for the colour of text on a terminal (Select Graphic Rendition)."""


def show(value: object, keep: str = "") -> str:
    """Escape control characters, line separators, changes of direction and zero-width characters.

    Args:
        value: An untrusted value, such as the name of a file.
        keep: Characters to keep although they are not printable.

    Returns:
        The text of the value in one line. Letters of any script are kept.
    """
    return escape(str(value), keep)


def say(text: str, stream: IO[str] | None = None, *, coloured: bool = False) -> None:
    """Print lines.

    Args:
        text: The lines. Untrusted values in them must have been escaped with `show`, because line feeds are kept.
        stream: The stream. If None, standard output.
        coloured: Whether the text contains colours of this program, which are kept.
    """
    parts = [text]
    if coloured:
        parts = _COLOUR.split(text)  # texts and colours alternate
    parts[::2] = [show(part, keep="\n") for part in parts[::2]]
    _write("".join(parts), stream)


def report(error: Exception) -> None:
    """Print an error in one line on the standard error stream, and log its cause."""
    if error.__cause__:
        logging.getLogger(__name__).info("caused by", exc_info=error.__cause__)
    say(f"pyramid-paraphrase: {show(error)}", sys.stderr)


def emit(text: str) -> None:
    """Print a document that programs may read. On a terminal it is escaped, in a file or a pipe it is unchanged."""
    if sys.stdout.isatty():
        text = show(text, keep="\n\t")
    _write(text, None)


def _write(text: str, stream: IO[str] | None) -> None:
    print(text, file=stream)


class _Formatter(logging.Formatter):
    """A formatter of log records: one line per message, several lines only for a traceback."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        return show(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - the name that logging calls
        return show(super().formatException(ei), keep="\n")


def log_to_terminal(level: int) -> None:
    """Write log messages of a level and above to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter("%(levelname)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=level)
