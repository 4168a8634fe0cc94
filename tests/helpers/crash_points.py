"""Kill a command before each of its file operations, and check the remaining files and the next run."""

from __future__ import annotations

import builtins
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pyramid_paraphrase.files.atomic
from pyramid_paraphrase.files.atomic import _make_name

SECONDS_PER_RUN = 60
"""Time limit in seconds, after which the system ends a hanging run."""

USERS_FILE = ".pyramid-paraphrase-notes.tmp"
"""A hidden file of a user, whose name looks like that of a temporary file."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_WITHIN_TEMPORARY = re.compile(r"(/\.pyramid-paraphrase-[^/]*\.tmp)/.*")
_PLACE_OF_FOLDER = {"os.remove": 1, "os.rmdir": 1, "os.mkdir": 2, "os.chmod": 2, "os.utime": 3, "os.rename": 2}
"""File operations that Python reports, with the index of the argument for the open folder of a relative path."""

Snapshot = dict[str, bytes]
# ruff: noqa: ANN401 - stands in for functions of the standard library, which take anything


def kill_everywhere(
    command: Callable[[], int],
    template: Path,
    room: Path,
    units: tuple[str, ...] = (),
    check: Callable[[], None] = lambda: None,
) -> int:
    """Run a command once for each of its file operations, and kill it before this operation. Then run it again.

    After a kill, each unit must have its earlier content, or the content after a complete run. After the next run, all
    files must be as after a complete run: no temporary files remain, even from earlier runs.

    Args:
        command: The command. It works within the room, and returns 0 for success.
        template: The content of the room before a run.
        room: A path that does not exist.
        units: Files and folders, relative to the room, that are replaced atomically.
        check: Further assertions about the room after a kill.

    Returns:
        The number of file operations.
    """
    _prepare(template, room)
    before = take_snapshot(room)
    operations = _run(command, room)
    after = take_snapshot(room)
    temporary = [
        name for name in after if ".pyramid-paraphrase-" in name and name.rstrip("/").endswith((".tmp", ".old"))
    ]
    temporary = [name for name in temporary if not name.endswith(USERS_FILE)]
    assert not temporary, f"a complete run leaves {temporary}"
    assert len(operations) > 2, f"the command is killed before {operations} only"
    for number, operation in enumerate(operations):
        _prepare(template, room)
        _run(command, room, kill_at=number)
        left = take_snapshot(room)
        for unit in units:
            is_whole = _cut(left, unit) in (_cut(before, unit), _cut(after, unit))
            assert is_whole, f"{unit} is neither old nor new after a kill before {operation}"
        check()
        _run(command, room)
        again = take_snapshot(room)
        changed = [name for name in {**after, **again} if again.get(name) != after.get(name)]
        assert not changed, f"another run after a kill before {operation} makes other files: {changed}"
    return len(operations)


def take_snapshot(folder: Path) -> Snapshot:
    """Return the contents of all files, the targets of all links, and the names of all folders, without lock files."""
    snapshot = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            snapshot[name] = os.fsencode(path.readlink())
        elif path.is_dir():
            snapshot[f"{name}/"] = b""
        elif path.suffix != ".lock":
            snapshot[name] = path.read_bytes()
    return snapshot


def leave_abandoned(folder: Path) -> None:
    """Put the files of a killed run and a hidden file of a user into a folder."""
    (folder / _make_name()).write_text("half a file: abandoned")
    abandoned = folder / _make_name()
    abandoned.mkdir()
    (abandoned / "abandoned").write_text("part of a folder")
    (folder / USERS_FILE).write_text("of the user")


def _prepare(template: Path, room: Path) -> None:
    if room.exists():
        shutil.rmtree(room)
    shutil.copytree(template, room, symlinks=True)


def _cut(snapshot: Snapshot, unit: str) -> Snapshot:
    return {name: data for name, data in snapshot.items() if name.rstrip("/") == unit or name.startswith(unit + "/")}


def _run(command: Callable[[], int], room: Path, kill_at: int | None = None) -> list[str]:
    """Run a command in a fork of this process, which has imported all modules, and return its file operations."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pytest-xdist has threads, which the child does not need
        child = os.fork()
    if child == 0:
        os.close(reader)
        _be_child(command, room, kill_at, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if kill_at is not None:
        assert os.WIFSIGNALED(status), f"not killed: {said.decode()}"
        assert os.WTERMSIG(status) == signal.SIGKILL, f"ended by signal {os.WTERMSIG(status)}: {said.decode()}"
        return []
    assert status == 0, said.decode() or f"status {status}"
    operations: list[str] = json.loads(said)
    return operations


def _be_child(command: Callable[[], int], room: Path, kill_at: int | None, pipe: int) -> None:
    """Run the command and end the process. After an exception, pytest would run in both processes."""
    status = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS_PER_RUN)
        with pytest.MonkeyPatch.context() as patch:
            output = (room.parent / "output.txt").open("w", encoding="utf-8")
            patch.setattr(sys, "stdout", output)
            patch.setattr(sys, "stderr", output)
            watcher = _Watcher(room, kill_at)
            watcher.install(patch)
            status = command()
            output.close()
        said = (room.parent / "output.txt").read_text(encoding="utf-8") if status else json.dumps(watcher.operations)
        os.write(pipe, said.encode())
    except BaseException:
        os.write(pipe, traceback.format_exc().encode())
        status = 1
    finally:
        os._exit(status)


class _Watcher:
    """Counts the operations on files of a room, and kills its own process before one of them.

    The same operation on the same path counts once, so that the number of pieces of a written file does not matter.
    Within a temporary folder, the same operation on any path counts once.
    """

    def __init__(self, room: Path, kill_at: int | None) -> None:
        self.room, self.kill_at, self.is_busy = str(room), kill_at, False
        self.operations: list[str] = []
        self._seen: set[str] = set()

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for module in (builtins, io):
            patch.setattr(module, "open", self._watch_writing(io.open))
        patch.setattr(sqlite3, "connect", self._watch_database(sqlite3.connect))
        exchange = pyramid_paraphrase.files.atomic.exchange

        def watched(first: Path, second: Path) -> bool:
            self.reach("exchange", str(second))
            return exchange(first, second)

        patch.setattr(pyramid_paraphrase.files.atomic, "exchange", watched)
        sys.addaudithook(self._hear)

    def reach(self, kind: str, path: str) -> None:
        operation = f"{kind} {path}"
        point = _WITHIN_TEMPORARY.sub(r"\1/", operation)
        if point in self._seen or not path.startswith(self.room) or path.endswith(".lock"):
            return
        self._seen.add(point)
        if len(self.operations) == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        self.operations.append(operation)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_busy:
            return
        self.is_busy = True
        try:
            if event == "open":
                path, _, flags = arguments
                if isinstance(path, str | bytes | os.PathLike) and isinstance(flags, int) and flags & _WRITING:
                    self.reach(event, _locate(path, -1))
            elif event in _PLACE_OF_FOLDER:
                self.reach(event, _locate(arguments[0], arguments[_PLACE_OF_FOLDER[event]]))
        finally:
            self.is_busy = False

    def _watch_writing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Add a point to each written file, when half of its first piece is on disk."""

        def watched(file: Any, mode: str = "r", *arguments: Any, **keywords: Any) -> Any:
            stream = real(file, mode, *arguments, **keywords)
            if not set(mode) & set("wax+"):
                return stream
            path, write = _locate(file, -1), stream.write

            def write_in_halves(data: Any) -> Any:
                half = len(data) // 2
                written = write(data[:half])
                stream.flush()
                self.reach("write the rest", path)
                return written + write(data[half:])

            stream.write = write_in_halves
            return stream

        return watched

    def _watch_database(self, real: Callable[..., Any]) -> Callable[..., Any]:
        watcher = self

        class Connection(sqlite3.Connection):
            def execute(self, statement: str, *arguments: Any) -> Any:
                watcher.reach(statement, watcher.room)
                return super().execute(statement, *arguments)

            def executemany(self, statement: str, *arguments: Any) -> Any:
                watcher.reach(statement, watcher.room)
                return super().executemany(statement, *arguments)

            def executescript(self, statements: str) -> Any:
                watcher.reach(statements, watcher.room)
                return super().executescript(statements)

            def commit(self) -> None:
                watcher.reach(f"commit after {len(watcher.operations)} operations", watcher.room)
                super().commit()

        return lambda *arguments, **keywords: real(*arguments, factory=Connection, **keywords)


def _locate(path: Any, folder: int) -> str:
    """Return the absolute path of an open file, or of a path relative to an open folder (-1: working directory)."""
    if isinstance(path, int):
        return str(Path(f"/proc/self/fd/{path}").readlink())
    start = Path(f"/proc/self/fd/{folder}").readlink() if folder >= 0 else Path.cwd()
    return os.path.normpath(start / os.fsdecode(path))
