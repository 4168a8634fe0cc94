"""Ways to run a command: in this process, or in a separate process."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.cli import main

Capture = pytest.CaptureFixture[str]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

HEED_INTERRUPTIONS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""Beginning of the code of a process that a test interrupts, because background processes of a shell ignore SIGINT."""


class Room(NamedTuple):
    """A place to run other processes: a folder with one file, and an environment with separate caches."""

    folder: Path
    environment: dict[str, str]


def run(*arguments: object) -> int:
    """Run a command in this process, and return its exit status."""
    return main([str(argument) for argument in arguments])


def unwrap(text: str) -> str:
    """Join the lines of each note of a report. All lines of a note except the first are indented."""
    return text.replace("\n  ", " ")


def name_caches(folder: Path) -> dict[str, str]:
    """Return environment variables that put all caches into a folder."""
    return {
        "HF_HOME": str(folder / "hf"),
        "HF_DATASETS_CACHE": str(folder / "hf" / "datasets"),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


def make_environment(folder: Path) -> dict[str, str]:
    """Return an environment for other processes, offline and with caches in a folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON"))}
    return clean | name_caches(folder) | {"HF_HUB_OFFLINE": "1"}


def read_everything(folder: Path) -> bytes:
    """Return the paths and contents of all files in a folder. Compressed files are also unpacked."""
    contents = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            contents += [str(path).encode(), data, gzip.decompress(data) if path.suffix == ".gz" else b""]
    return b"\n".join(contents)
