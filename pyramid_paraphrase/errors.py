"""The errors a user of the package can meet, each with its place and its remedy."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable

_MAX_PLACE, _MAX_REASON, _MAX_REMEDY, _MAX_MESSAGE = 700, 500, 600, 1900
"""Longest parts of a message, in characters: names and contents of files are untrusted and can be of any length."""


class PyramidParaphraseError(Exception):
    """Base of all errors raised for bad input; its message is one line that a user can act on.

    Args:
        message: What is wrong, where, and what to do. Characters that are not printable are escaped. Of a
            very long message, the middle is cut out.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_cite(message, _MAX_MESSAGE))


class InputError(PyramidParaphraseError):
    """A file or folder cannot be used.

    Args:
        file: Name of the file as the user would find it; archive members read ``archive.tar.gz!member``.
        reason: What is wrong, without a final full stop.
        remedy: What the user can do about it.
        line: Line in the file, 1-based, or 0 where no line applies.
    """

    def __init__(self, file: str, reason: str, remedy: str, line: int = 0) -> None:
        self.file, self.line = file, line
        self.reason, self.remedy = _cite(reason, _MAX_REASON), _cite(remedy, _MAX_REMEDY)
        super().__init__(f"{place(file, line)}: {self.reason}; {self.remedy}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, str, str, int]]:
        """Pickle by the constructor's arguments, so that the error survives worker processes."""
        return type(self), (self.file, self.reason, self.remedy, self.line)


class NoAnnotationError(InputError):
    """A place holds files, and none of them is a pyramid or a peer annotation."""


class LimitError(InputError):
    """An input is larger than one of the constants in `limits` allows."""


class StrictError(PyramidParaphraseError):
    """Problems were found and the caller asked for none."""


class OptionError(PyramidParaphraseError, ValueError):
    """An option, or the name of a configuration, is not one of those there are."""


class EmptyResultError(PyramidParaphraseError):
    """The input was read, but the rules leave no row of it."""


class NoBuildError(PyramidParaphraseError):
    """No data was named, and none was built before.

    Args:
        missing: What is not there; kept, for the remedy depends on where the user is.
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
        path: What was to be read.
        error: What the system said.
        remedy: What the user can do about it.

    Returns:
        An `InputError`, to be raised by the caller.
    """
    return InputError(str(path), f"cannot be read ({error.strerror or error})", remedy)


def cannot_write(path: str | os.PathLike[str], error: Exception) -> OutputError:
    """Describe why something cannot be written.

    Args:
        path: What was to be written.
        error: What the system said.

    Returns:
        An `OutputError`, to be raised by the caller.
    """
    cause = getattr(error, "strerror", None) or error
    return OutputError(f"{path}: cannot be written ({cause}); check path and space")


def place(file: str, line: int = 0) -> str:
    """Name a place in a file, for messages."""
    name = _cite(file, _MAX_PLACE)
    return f"{name}, line {line}" if line else name


def _cite(text: str, limit: int) -> str:
    """Make one printable line of limited length from a text."""
    return shorten(escape(shorten(text, limit)), limit)


def escape(text: str, keep: str = "") -> str:
    """Escape the characters of a text that are not printable, such as line feeds and control characters.

    Args:
        text: Any text.
        keep: Characters to leave as they are.

    Returns:
        The text with the escape sequences of Python, such as ``x1b`` after a backslash; letters of any script stay.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in keep else ascii(letter)[1:-1] for letter in text)


def shorten(text: str, limit: int) -> str:
    """Cut the middle out of a text that is too long for a message.

    Args:
        text: Any text.
        limit: How many characters are kept, in addition to the mark "[...]".
    """
    if len(text) <= limit:
        return text
    tail = limit // 2
    return f"{text[: limit - tail]}[...]{text[-tail:]}"


def unknown_name(what: str, name: object, known: Iterable[str]) -> OptionError:
    """Describe a name that is not in a table, with the nearest one that is.

    Args:
        what: The kind of thing, such as "configuration".
        name: The name that was asked for.
        known: The names there are.

    Returns:
        An `OptionError`, to be raised by the caller.
    """
    return OptionError(f"unknown {what} '{name}'; {suggest_names(name, known)}")


def suggest_names(name: object, known: Iterable[str]) -> str:
    """List the names of a table for a message about an unknown name, with the nearest of them in front.

    Args:
        name: The name that was asked for.
        known: The names there are.
    """
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"{hint}there are: {', '.join(names)}"
