"""Errors that users see. Each names the place and the remedy."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

_MAX_PLACE, _MAX_REASON, _MAX_REMEDY, _MAX_MESSAGE = 700, 500, 600, 1900
"""Longest parts of a message, in characters. Names and contents of files are untrusted and can have any length."""


class PyramidParaphraseError(Exception):
    """Base of all errors for bad input. The message is one line with a remedy.

    Args:
        message: What is wrong, where, and what to do. Characters that are not printable are escaped. Of a
            very long message, the middle is left out.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_cite(message, _MAX_MESSAGE))


class InputError(PyramidParaphraseError):
    """A file or folder cannot be used.

    Args:
        file: Name of the file as the user knows it; ``archive.tar.gz!member`` for a member of an archive.
        reason: What is wrong, without a final full stop.
        remedy: What the user can do about it.
        line: Line in the file, 1-based; 0 if the error concerns no line.
    """

    def __init__(self, file: str, reason: str, remedy: str, line: int = 0) -> None:
        self.file, self.line = file, line
        self.reason, self.remedy = _cite(reason, _MAX_REASON), _cite(remedy, _MAX_REMEDY)
        super().__init__(f"{place(file, line)}: {self.reason}; {self.remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str, int]]:
        """Pickle by the constructor's arguments, so that the error survives worker processes."""
        return type(self), (self.file, self.reason, self.remedy, self.line)


class NoAnnotationError(InputError):
    """There are files, but none is a pyramid or a peer annotation."""


class LimitError(InputError):
    """An input is larger than one of the constants in `limits` allows."""


class StrictError(PyramidParaphraseError):
    """There are problems, and the caller accepts none."""


class OptionError(PyramidParaphraseError, ValueError):
    """An option or a configuration does not exist, or an option has a wrong value."""


class EmptyResultError(PyramidParaphraseError):
    """The input was read, but by the rules it has no rows."""


class NoBuildError(PyramidParaphraseError):
    """No data is named, and nothing was built before.

    Args:
        missing: What is missing. It is an attribute, because callers change the remedy.
        remedy: What the user can do about it.
    """

    def __init__(self, missing: str, remedy: str) -> None:
        self.missing, self.remedy = missing, remedy
        super().__init__(f"{missing}; {remedy}")

    def __reduce__(self) -> tuple[type[NoBuildError], tuple[str, str]]:
        """Pickle by the constructor's arguments, so that the error survives worker processes."""
        return type(self), (self.missing, self.remedy)


class OutputError(PyramidParaphraseError):
    """A result cannot be written."""


def cannot_read(path: str | os.PathLike[str], error: OSError, remedy: str) -> InputError:
    """Describe why something cannot be read.

    Args:
        path: The file or folder.
        error: The error of the system.
        remedy: What the user can do about it.

    Returns:
        An `InputError`, to be raised by the caller.
    """
    return InputError(str(path), f"cannot be read ({error.strerror or error})", remedy)


def cannot_write(path: str | os.PathLike[str], error: Exception) -> OutputError:
    """Describe why something cannot be written.

    Args:
        path: The file or folder.
        error: The error of the system.

    Returns:
        An `OutputError`, to be raised by the caller.
    """
    cause = getattr(error, "strerror", None) or error
    return OutputError(f"{path}: cannot be written ({cause}); check path and space")


def place(file: str, line: int = 0) -> str:
    """Name a file and a line, unless it is 0, for messages."""
    name = _cite(file, _MAX_PLACE)
    if not line:
        return name
    return f"{name}, line {line}"


def _cite(text: str, limit: int) -> str:
    """Make one printable line of limited length from a text."""
    return shorten(escape(shorten(text, limit)), limit)


def escape(text: str, keep: str = "") -> str:
    """Escape the characters of a text that are not printable, such as line feeds and control characters.

    Args:
        text: Any text.
        keep: Characters to leave as they are.

    Returns:
        The text with the escape sequences of Python, such as ``x1b`` after a backslash. Letters of any script stay.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else ascii(letter)[1:-1] for letter in text)


def shorten(text: str, limit: int) -> str:
    """Leave out the middle of a text that is too long for a message.

    Args:
        text: Any text.
        limit: Number of characters to keep, in addition to the mark "[...]".
    """
    if len(text) <= limit:
        return text
    tail = limit // 2
    return f"{text[: limit - tail]}[...]{text[-tail:]}"


def unknown_name(kind: str, name: object, valid_names: Iterable[str]) -> OptionError:
    """Describe a name that is not in a table, with the nearest valid name.

    Args:
        kind: The kind of the name, such as "configuration".
        name: The unknown name.
        valid_names: All names in the table.

    Returns:
        An `OptionError`, to be raised by the caller.
    """
    return OptionError(f"unknown {kind} '{name}'; {suggest_names(name, valid_names)}")


def suggest_names(name: object, valid_names: Iterable[str]) -> str:
    """List the names of a table for a message about an unknown name, with the nearest of them in front.

    Args:
        name: The name that was asked for.
        valid_names: The names there are.
    """
    names = sorted(valid_names)
    matches = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean '{matches[0]}'? " if matches else ""
    return f"{hint}there are: {', '.join(names)}"
