"""Error classes of `harness`, in addition to the classes of `pyramid_paraphrase.errors`."""

from __future__ import annotations

import os
import re

from pyramid_paraphrase.errors import PyramidParaphraseError, advise_writing, join_remedy, shorten

_CAUSE_LENGTH = 200
_MOST_CAUSES = 10
MEMORY_REMEDY = "Compute fewer models at a time (sweep --workers), or use a machine with more memory"

_THREAD_REMEDY = "Raise the limits of processes (ulimit -u) and of memory (ulimit -v)"


class ModelError(PyramidParaphraseError):
    """A model cannot be loaded, or its output cannot be used."""


class MetricError(PyramidParaphraseError):
    """A metric that a user named cannot be loaded, or its output cannot be used."""


class ComparisonError(PyramidParaphraseError):
    """Results cannot be compared."""


class LeaderboardError(PyramidParaphraseError):
    """A leaderboard, or a submission to one, cannot be accepted."""


class DownloadError(PyramidParaphraseError):
    """A collection cannot be downloaded."""


class CardError(PyramidParaphraseError):
    """No model card can be made from the results."""


_ANY_NAME = re.compile(r"(?<=missing field) `.*| for tensor `.*")
"""Parts of library messages that vary between runs: they name any one of several missing fields or wrong tensors."""


def describe_cause(error: BaseException) -> str:
    """Return the message of a library's error in one line of limited length. It is the same in each run."""
    text = _ANY_NAME.sub("", " ".join(str(error).split()))
    return shorten(text or type(error).__name__, _CAUSE_LENGTH)


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether an error or one of its causes says that memory ran out, on the processor or on a device."""
    return _find_memory_error(error) is not None


def describe_lack_of_memory(error: BaseException) -> str:
    """Describe an error for which `is_out_of_memory` is true, and name the remedy."""
    cause = _find_memory_error(error) or error
    return f"memory ran out ({type(cause).__name__}: {describe_cause(cause)}). {MEMORY_REMEDY}"


def _find_memory_error(error: BaseException | None) -> BaseException | None:
    """Return the first memory error in the chain of causes. SciPy 1.12 replaces NumPy's error by a `TypeError`."""
    for _ in range(_MOST_CAUSES):  # causes can form a cycle
        if error is None or isinstance(error, MemoryError):
            return error
        # The class of `torch` covers only GPUs. It is recognized by name, because importing `torch` is slow.
        is_of_device = type(error).__name__ == "OutOfMemoryError"
        if is_of_device or (isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)):
            return error
        if isinstance(error, ImportError) and "failed to map segment" in str(error):  # of a library's shared object
            return error
        error = error.__cause__
    return None


def describe_limit(error: Exception) -> PyramidParaphraseError | None:
    """Describe an error that the system causes, not the program, such as a full disk or too little memory.

    Args:
        error: An error that no other code expected.

    Returns:
        The description, or None if the error has another cause.
    """
    if is_out_of_memory(error):
        cause = describe_cause(_find_memory_error(error) or error)
        return PyramidParaphraseError(f"memory ran out ({cause}). Use less data, or a machine with more memory")
    if isinstance(error, OSError) and error.strerror:
        place = error.filename or "a file or a connection"
        if isinstance(place, bytes):
            place = os.fsdecode(place)
        remedy = advise_writing(error, other="run the command again with --verbose to see the cause")
        return PyramidParaphraseError(join_remedy(f"{place}: cannot be used ({error.strerror})", remedy))
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        return PyramidParaphraseError(f"no further thread can be started. {_THREAD_REMEDY}")
    return None
