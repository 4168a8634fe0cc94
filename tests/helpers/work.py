"""Functions for other processes, which can import this module by name, unlike test files."""

from __future__ import annotations

import os
import signal

from harness.support.workers import map_in_order
from pyramid_paraphrase.errors import LimitError, OutputError


def map_in_two_processes() -> list[int]:
    """Do a little work in two processes."""
    return list(map_in_order(abs, [-1, -2], 2))


def refuse_one(number: int) -> int:
    """Raise an error for the number 1, and return any other number."""
    if number == 1:
        raise LimitError("some file", "is too large", "make it smaller")
    return number


def kill_own_process(*_: object, **__: object) -> None:
    """Kill this process, as the system does when memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def exit_with_status_3(*_: object) -> None:
    """End this process at once, as the system does for many reasons."""
    os._exit(3)


def refuse_to_write(*_: object, **__: object) -> None:
    """Raise the error of a full disk."""
    raise OutputError("units/a.json: cannot be written (No space left on device). Check the path and the free space")
