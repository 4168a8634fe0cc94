"""Output to terminals. No other module writes to a terminal.

Names, labels and cells come from untrusted files. Their control characters could move the cursor, clear the screen
or change the order of letters. Their line feeds could forge lines of a report. Two steps prevent this: code that
lays out a report escapes each value with `show`, and `say` escapes all remaining control characters.
"""

from __future__ import annotations

import logging
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import IO, Any

from pyramid_paraphrase.errors import cannot_write
from pyramid_paraphrase.escaping import escape

WIDTH = 80
"""Maximum number of characters per line of notes, and of tables where no other width is known."""

_WHOLE_LINE = 1_000_000
_width: ContextVar[int] = ContextVar("the width of tables", default=WIDTH)

_quiet: ContextVar[bool] = ContextVar("whether hints and progress are hidden", default=False)

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


@contextmanager
def table_width(chosen: int | None) -> Iterator[None]:
    """Let tables have a width within the block: the chosen one, or that of standard output.

    Tables on a terminal have its width, and tables in a file are not divided. Pipes and other streams get `WIDTH`,
    because their readers may have a terminal.
    """
    token = _width.set(chosen or _find_width_of_output())
    try:
        yield
    finally:
        _width.reset(token)


@contextmanager
def quieted(is_chosen: bool) -> Iterator[None]:
    """Hide hints and progress within the block, if the user chose it."""
    token = _quiet.set(is_chosen)
    try:
        yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Return whether hints and progress are hidden."""
    return _quiet.get()


def _find_width_of_output() -> int:
    with suppress(OSError, ValueError):  # a stream in memory has no descriptor, and a closed one raises a ValueError
        if sys.stdout.isatty():
            return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH
        if stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
            return _WHOLE_LINE
    return WIDTH


def widen_tables() -> None:
    """Do not divide tables until the end of the block of `table_width`, because they go to a file."""
    _width.set(_WHOLE_LINE)


def find_width() -> int:
    """Return the maximum number of characters per line of a table. Outside of commands, it is `WIDTH`."""
    return _width.get()


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


def hint(text: str, stream: IO[str] | None = None) -> None:
    """Print lines as `say` does, unless `--quiet` is set. They state what to do next, never a number or a doubt."""
    if not is_quiet():
        say(text, stream)


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


def show_help(text: str, stream: IO[str]) -> None:
    """Print a help text or the usage of a command. It ends with a line feed, and contains no untrusted value."""
    _write(text, stream, end="")
    flush()


def _write(text: str, stream: IO[str] | None, end: str = "\n") -> None:
    """Write a text. If standard error cannot be written, nothing happens, because no other place can report it."""
    if stream is sys.stderr:
        with suppress(OSError):
            print(text, file=stream, end=end)
        return
    with _explaining_failure():
        print(text, file=stream, end=end)


def flush() -> None:
    """Write the part of the output that is still in memory."""
    with _explaining_failure():
        sys.stdout.flush()


@contextmanager
def _explaining_failure() -> Iterator[None]:
    """Explain why standard output cannot be written.

    Raises:
        BrokenPipeError: If no program reads it.
        OutputError: If it cannot be written for another reason, for example because the disk is full.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write("standard output", error) from None


@contextmanager
def standard_streams() -> Iterator[None]:
    """Open the standard streams that are closed, and at the end drop the output that cannot be written.

    A closed stream, as after ``>&-`` in a shell, becomes the null device. Otherwise, a file that the command opens
    could get the number of the stream, and a library could print into it. Output that cannot be written is dropped,
    because Python would try to write it again at exit, and fail with another message.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), "w" if flags else "r", encoding="utf-8"))
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Formatter(logging.Formatter):
    """A formatter of log records: one line per message, several lines only for a traceback.

    A record with the attribute `is_note` is about the input, and begins as other notes of commands do.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        prefix = "note" if getattr(record, "is_note", False) else record.levelname
        return show(f"{prefix}: {super().formatMessage(record)}")

    def formatException(self, ei: Any) -> str:  # noqa: ANN401, N802 - the name that logging calls
        return show(super().formatException(ei), keep="\n")


def log_to_terminal(level: int) -> None:
    """Write log messages of a level and above to standard error, and warnings of libraries as log messages."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    logging.basicConfig(handlers=[handler], level=level)
    logging.captureWarnings(True)  # Python would print texts from files in them as they are
