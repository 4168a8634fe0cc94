"""Messages of errors, which are shown on terminals and quote untrusted text."""

from __future__ import annotations

import pickle

import pytest

from harness.support.errors import (
    LeaderboardError,
    ModelError,
    describe_cause,
    describe_lack_of_memory,
    is_out_of_memory,
)
from harness.support.extras import MissingExtraError
from pyramid_paraphrase.errors import InputError, LimitError, NoBuildError, OptionError, PyramidParaphraseError


@pytest.mark.parametrize("kind", [LeaderboardError, ModelError, OptionError])
def test_every_message_is_one_printable_line_of_bounded_length(kind: type[PyramidParaphraseError]) -> None:
    """A file called ``x\\ny`` made a message of two lines, and a model spec of 5,000 letters was repeated whole."""
    message = str(kind("x\ny\x1b[2J" + "z" * 5000 + ": cannot be read. Check the path"))
    assert message.isprintable()
    assert message.startswith("x\\ny\\x1b[2Jzzz")
    assert message.endswith("cannot be read. Check the path")
    assert len(message) < 2000


@pytest.mark.parametrize(
    ("message", "described"),
    [
        ("missing field `vocab` at line 1", "missing field"),
        ("invalid offset for tensor `a`", "invalid offset"),
        ("a\n b", "a b"),
        ("", "ValueError"),
    ],
)
def test_causes_name_nothing_that_differs_from_run_to_run(message: str, described: str) -> None:
    """Libraries in Rust look for faults in the order of a hash table, and name the first one."""
    assert describe_cause(ValueError(message)) == described


@pytest.mark.parametrize(
    "error",
    [
        InputError("a.pyr", "no text", "give one", 3),
        LimitError("a", "large", "split"),
        NoBuildError("no data", "build"),
        MissingExtraError("submitit", "slurm"),
    ],
)
def test_errors_survive_worker_processes(error: PyramidParaphraseError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_a_lack_of_memory_is_found_behind_the_error_of_a_library() -> None:
    """SciPy 1.12 raises a `TypeError` from the `MemoryError` of NumPy, and the model was said to be broken."""
    error = TypeError("missing argument")
    assert not is_out_of_memory(error)
    error.__cause__ = MemoryError("Unable to allocate 9.59 MiB")
    assert is_out_of_memory(error)
    assert describe_lack_of_memory(error).startswith("memory ran out (MemoryError: Unable to allocate 9.59 MiB). ")


def test_causes_that_form_a_circle_are_searched_once() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert not is_out_of_memory(first)
