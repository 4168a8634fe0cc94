"""Errors that users see. Each message names the place, the problem and the remedy."""

from __future__ import annotations

import copyreg
import difflib
import errno
import os
from collections.abc import Iterable
from typing import Any

from pyramid_paraphrase.escaping import escape

_MAX_PLACE, _MAX_REASON, _MAX_REMEDY, _MAX_MESSAGE = 700, 500, 600, 1900
"""Longest parts of a message, in characters. Names and contents of files are untrusted and can have any length."""

_SPACE, _PERMISSIONS, _PLACE = "check the free space", "check the permissions", "check the path"
_OTHER_PATH = "another file or folder is at this path. Use another path"
_REMEDIES = {
    "ENOSPC": _SPACE,
    "EDQUOT": _SPACE,
    "EFBIG": "raise the limit on the size of files (ulimit -f), or use another disk",
    "EACCES": _PERMISSIONS,
    "EPERM": _PERMISSIONS,
    "EROFS": "use a path on another disk, because this one is read-only",
    "EEXIST": _OTHER_PATH,
    "ENOTEMPTY": _OTHER_PATH,
    "ENOTDIR": _OTHER_PATH,
    "EISDIR": _OTHER_PATH,
    "ENAMETOOLONG": "use a shorter name",
    "ENOENT": _PLACE,
    "ELOOP": _PLACE,
    "EMFILE": "raise the limit of open files (ulimit -n)",
    "ENFILE": "close other programs, because the system has too many open files",
    "EAGAIN": "raise the limit of processes (ulimit -u)",
}
"""Remedies for errors of the system when something is written, by their names in `errno`."""


class PyramidParaphraseError(Exception):
    """Base class of all errors for bad input. The message is one line with a remedy.

    Args:
        message: The place, the problem and the remedy. Characters that are not printable are escaped. The middle of a
            very long message is left out.
    """

    def __init__(self, message: str) -> None:
        super().__init__(_cite(message, _MAX_MESSAGE))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message and the attributes, so that an error with other parameters survives worker processes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class InputError(PyramidParaphraseError):
    """A file or folder cannot be used.

    Args:
        file: Name of the file as the user knows it. A member of an archive is ``archive.tar.gz!member``.
        reason: The problem, without a final full stop.
        remedy: What the user can do about it: an imperative without a final full stop. The message begins it with a
            capital letter.
        line: Line in the file, 1-based, or 0 if the error does not concern a line.
    """

    def __init__(self, file: str, reason: str, remedy: str, line: int = 0) -> None:
        self.file, self.line = file, line
        self.reason, self.remedy = _cite(reason, _MAX_REASON), _cite(remedy, _MAX_REMEDY)
        super().__init__(f"{place(file, line)}: {join_remedy(self.reason, self.remedy)}")


class NoAnnotationError(InputError):
    """There are files, but none of them is a pyramid or a peer annotation."""


class LimitError(InputError):
    """An input is larger than one of the constants in `limits` allows."""


class StrictError(PyramidParaphraseError):
    """The annotation files have problems, and the caller does not accept any."""


class OptionError(PyramidParaphraseError, ValueError):
    """An option or a configuration does not exist, or an option has a wrong value."""


class EmptyResultError(PyramidParaphraseError):
    """The input was read, but the rules of the test exclude all rows."""


class NoBuildError(PyramidParaphraseError):
    """The caller named no data, and there is no earlier build.

    Args:
        missing: Description of the missing data. It is an attribute, because callers replace the remedy.
        remedy: What the user can do about it.
    """

    def __init__(self, missing: str, remedy: str) -> None:
        self.missing, self.remedy = missing, remedy
        super().__init__(join_remedy(missing, remedy))


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
    return OutputError(join_remedy(f"{path}: cannot be written ({cause})", advise_writing(error)))


def cannot_remove(path: str | os.PathLike[str], error: OSError) -> OutputError:
    """Describe why a file or a folder cannot be removed, as `cannot_write` does."""
    return OutputError(join_remedy(f"{path}: cannot be removed ({error.strerror})", advise_writing(error)))


def advise_writing(error: BaseException, other: str = "check the path and the free space") -> str:
    """Return what the user can do about an error of the system when something is written.

    Args:
        error: The error.
        other: The remedy for all other errors.
    """
    name = errno.errorcode.get(getattr(error, "errno", None) or 0, "")
    return _REMEDIES.get(name, other)


def join_remedy(problem: str, remedy: str) -> str:
    """Return "PROBLEM. Remedy", the form of all messages.

    Args:
        problem: The place and the problem, without a final full stop.
        remedy: An imperative without a final full stop. It may begin with a lowercase letter.
    """
    return f"{problem}. {remedy[:1].upper()}{remedy[1:]}"


def place(file: str, line: int = 0) -> str:
    """Return the name of a file, and of a line unless it is 0, for messages."""
    name = _cite(file, _MAX_PLACE)
    if not line:
        return name
    return f"{name}, line {line}"


def _cite(text: str, limit: int) -> str:
    """Make a text fit for a message: one printable line of at most `limit` characters and the mark "[...]"."""
    return shorten(escape(shorten(text, limit)), limit)


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
    """Describe a name that is not valid, with the most similar valid name.

    Args:
        kind: The kind of the name, such as "configuration".
        name: The unknown name.
        valid_names: All valid names.

    Returns:
        An `OptionError`, to be raised by the caller.
    """
    return OptionError(join_remedy(f"unknown {kind} '{name}'", suggest_names(name, valid_names)))


CLOSE = 0.75
"""Lowest similarity of a suggestion for a path or a collection. A lower one suggests unrelated names."""


def suggest_names(name: object, valid_names: Iterable[str]) -> str:
    """List the valid names for a message about an unknown name. The most similar valid name comes first.

    Args:
        name: The unknown name.
        valid_names: All valid names.
    """
    names = sorted(valid_names)
    choices = ", ".join(names)
    if similar := find_similar(str(name), names):
        return f"did you mean '{similar}'? Choose from: {choices}"
    return f"choose from: {choices}"


def find_similar(name: str, names: Iterable[str], least: float = 0.6) -> str:
    """Find the name that is most similar to an unknown name.

    Args:
        name: The unknown name.
        names: The other names.
        least: The lowest similarity, in [0, 1], as `difflib` computes it. The default is also its default.

    Returns:
        The most similar name, or "" if no name is similar.
    """
    return next(iter(difflib.get_close_matches(name, list(names), n=1, cutoff=least)), "")
