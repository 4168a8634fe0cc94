"""Ways to run a command: in this process, or in one of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.cli import main

Capture = pytest.CaptureFixture[str]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Room(NamedTuple):
    """Where other processes run: an empty folder but for one file, and an environment with caches of its own."""

    folder: Path
    environment: dict[str, str]


def run(*arguments: object) -> int:
    """Run a command in this process, and return its exit status."""
    return main([str(argument) for argument in arguments])
