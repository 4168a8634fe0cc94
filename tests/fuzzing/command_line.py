"""Run the command line within this process, and check its output."""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Sequence
from typing import NamedTuple

from fuzzing.oracle import MAX_MESSAGE, OUTPUT
from fuzzing.target import require
from harness.cli import EXIT_BAD_INPUT, main

PREFIX = "pyramid-paraphrase: "
_USAGE = f"{PREFIX}error:"


class Said(NamedTuple):
    """The outcome of a command.

    Attributes:
        status: The exit status.
        output: The text on standard output.
        errors: The text on standard error.
        files: The names and contents of files in the output folder.
    """

    status: int
    output: str
    errors: str
    files: tuple[tuple[str, bytes], ...]


def run_command(arguments: Sequence[str]) -> Said:
    """Run a command line.

    Raises:
        BrokenPromiseError: If the status is neither 0 nor 2, or 2 without a message, or if output is not printable.
    """
    output, errors = _make_stream("strict"), _make_stream("backslashreplace")
    handlers = list(logging.getLogger().handlers)
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = main(arguments)
        except SystemExit as error:  # argparse
            status = int(error.code or 0)
        finally:
            _forget_handlers(handlers)
    said = Said(status, _read(output), _read(errors), tuple(_read_outputs()))
    _require_clean(said)
    return said


def _make_stream(errors: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, newline="")


def _read(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def _forget_handlers(kept: Sequence[logging.Handler]) -> None:
    """Remove new handlers of logging, which write to a stream of this command."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        if handler not in kept:
            root.removeHandler(handler)


def _read_outputs() -> list[tuple[str, bytes]]:
    files = []
    for parent, folders, names in os.walk(OUTPUT):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(parent, name), "rb") as file:  # noqa: PTH118, PTH123
                files.append((os.path.join(parent, name), file.read()))  # noqa: PTH118
    return files


def _require_clean(said: Said) -> None:
    require(said.status in (0, EXIT_BAD_INPUT), f"the exit status is 0 or {EXIT_BAD_INPUT}, and not {said.status}")
    require(bool(said.errors.strip()) or said.status == 0, "a command that fails says why")
    for stream, text in (("output", said.output), ("errors", said.errors)):
        for line in text.split("\n"):
            require(line.replace("\t", " ").isprintable(), f"each line of the {stream} is printable: {line[:200]!a}")
    for line in said.errors.split("\n"):
        if line.startswith(PREFIX) and not line.startswith(_USAGE):  # usage errors repeat the text of the user
            require(len(line) <= MAX_MESSAGE + len(PREFIX), f"a message has at most {MAX_MESSAGE:,} characters")
