"""Standard streams that are full, closed or not read, and signals that end a command."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.commands import Capture, make_environment, run
from helpers.messages import mentions

import pyramid_paraphrase

FULL = re.compile(mentions("pyramid-paraphrase: standard output: ... free space") + r"\n")
COMMAND = f"{sys.executable} -m harness.cli"

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")


def run_in_shell(folder: Path, line: str) -> tuple[int, str]:
    """Run a line, and return its exit status and its standard error."""
    completed = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=make_environment(folder), stderr=subprocess.PIPE, text=True, check=False
    )
    return completed.returncode, completed.stderr


@needs_full
@pytest.mark.parametrize("command", ["models", "--help", "--version", "inspect sample --list", "cache list"])
def test_full_standard_output(tmp_path: Path, command: str) -> None:
    """Commands ended with a traceback, or with status 120 and a message of Python about an ignored exception."""
    status, message = run_in_shell(tmp_path, f"{COMMAND} {command} > /dev/full")
    assert (status, bool(FULL.fullmatch(message))) == (2, True), message


@needs_full
def test_files_are_complete_if_standard_output_is_full(tmp_path: Path) -> None:
    """The last line of a command names its file."""
    lines = [f"{COMMAND} paraphrases clusters sample --output {name}" for name in ("a.table", "b.table")]
    assert run_in_shell(tmp_path, f"{lines[0]} > /dev/full")[0] == 2
    assert run_in_shell(tmp_path, f"{lines[1]} > /dev/null")[0] == 0
    assert (tmp_path / "a.table").read_bytes() == (tmp_path / "b.table").read_bytes()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("models >&-", 0),
        ("models <&- >&- 2>&-", 0),
        ("--version >&-", 0),
        ("inspect nothing >&- 2>&-", 2),
        ("inspect --nonsense 2>&-", 2),
        pytest.param("inspect nothing 2> /dev/full", 2, marks=needs_full),
        pytest.param("inspect nothing > /dev/full 2>&1", 2, marks=needs_full),
        pytest.param("models > /dev/full 2>&1", 2, marks=needs_full),
        ("models | true; exit ${PIPESTATUS[0]}", 141),
        ("evaluate --help | true; exit ${PIPESTATUS[0]}", 141),
        ("inspect nothing 2>&1 | true; exit ${PIPESTATUS[0]}", 2),
    ],
)
def test_streams_that_are_closed_full_or_not_read(tmp_path: Path, line: str, expected: int) -> None:
    """A closed standard output was an AttributeError, and an unread one looked like success."""
    status, message = run_in_shell(tmp_path, f"{COMMAND} {line}")
    assert (status, "Traceback" in message, "ignored" in message) == (expected, False, False), message


def test_a_file_does_not_take_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """A library that prints to standard output would write into the file."""
    code = (
        "import os, sys; from harness.support.terminal import standard_streams\n"
        "with standard_streams():\n"
        "    sys.exit(os.open('file', os.O_CREAT | os.O_WRONLY) < 3)"
    )
    assert run_in_shell(tmp_path, f'{sys.executable} -c "{code}" <&- >&- 2>&-')[0] == 0


@pytest.mark.parametrize(("handler", "expected"), [(signal.SIG_DFL, 129), (signal.SIG_IGN, 0)])
def test_a_terminal_that_is_closed(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, handler: signal.Handlers, expected: int
) -> None:
    """SIGHUP ended the process at once, which left temporary files. `nohup` ignores it, so that commands continue."""

    def read_corpus(*_: object, **__: object) -> object:
        os.kill(os.getpid(), signal.SIGHUP)
        return pyramid_paraphrase.read_corpus("sample")

    monkeypatch.setattr("harness.cli.dataset.read_corpus", read_corpus)
    before = signal.signal(signal.SIGHUP, handler)
    try:
        assert run("inspect", "sample") == expected
        assert signal.getsignal(signal.SIGHUP) is handler
    finally:
        signal.signal(signal.SIGHUP, before)
    assert bool(re.search(mentions("stopped"), capsys.readouterr().err)) == (expected == 129)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_library_that_replaces_the_exception_of_a_signal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    """matplotlib turned SIGTERM into "ValueError: Invalid bounding box", and the command ended with a traceback."""

    def draw(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(number)  # `os.kill` may stop another thread first
        except BaseException:
            raise ValueError("Invalid bounding box") from None

    monkeypatch.setattr("harness.cli.dataset.read_corpus", draw)
    before = signal.getsignal(number)
    assert run("inspect", "sample") == status
    assert re.fullmatch(mentions("pyramid-paraphrase: stopped") + "\n", capsys.readouterr().err)
    assert signal.getsignal(number) is before
