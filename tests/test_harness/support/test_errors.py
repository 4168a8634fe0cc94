"""Messages of errors, which are shown on terminals and quote untrusted text."""

from __future__ import annotations

import errno
import pickle
import re

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.support.errors import (
    LeaderboardError,
    ModelError,
    describe_cause,
    describe_lack_of_memory,
    is_out_of_memory,
)
from pyramid_paraphrase.errors import InputError, LimitError, NoBuildError, OptionError, PyramidParaphraseError
from pyramid_paraphrase.files.extras import MissingExtraError


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


def test_a_library_that_does_not_fit_into_memory() -> None:
    """The dynamic linker says so in its words. Another missing library is another error."""
    assert is_out_of_memory(ImportError("libscipy_openblas.so: failed to map segment from shared object"))
    assert not is_out_of_memory(ImportError("libx.so: cannot open shared object file: No such file or directory"))


def test_causes_that_form_a_circle_are_searched_once() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert not is_out_of_memory(first)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "/x/a"),
            "/x/a: ... (No space left on device). Check the free",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", b"/x/\xff"),
            "udcff ... (Permission denied). ... permissions",
        ),
        (OSError(errno.EMFILE, "Too many open files"), "a file or a connection: ... open files (ulimit -n)"),
        (OSError(errno.EIO, "Input/output error", "/x/a"), "/x/a: ... (Input/output error). ... --verbose"),
        (MemoryError(), "memory ran out ... more memory"),
        (RuntimeError("can't start new thread"), "thread ... (ulimit -u) ... (ulimit -v)"),
    ],
)
def test_limits_of_the_system_are_no_crashes(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    """A folder that disappeared, or a temporary directory that is full, ended some commands with a traceback."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("harness.cli.dataset.read_corpus", fail)
    assert run("inspect", "sample") == 2
    printed = capsys.readouterr().err
    assert re.search(mentions(message), printed)
    assert printed.count("\n") == 1


@pytest.mark.parametrize("error", [RuntimeError("a fault"), OSError("a fault"), KeyError("a fault")])
def test_faults_of_the_program_stay_crashes(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("harness.cli.dataset.read_corpus", fail)
    with pytest.raises(type(error), match="a fault"):
        run("inspect", "sample")
