"""Readers with planted defects, which the fuzzer must find. Worker processes import this module."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.chance import Chance
from fuzzing.target import Arguments, Target

from pyramid_paraphrase.errors import InputError, PyramidParaphraseError

MARK = b"!"


def make_seeds() -> list[Case]:
    return [Case({"a/file.txt": b"nothing is wrong with this text", "b.txt": b"nor with this one"})]


def make_marked_seeds() -> list[Case]:
    return [Case({"a.txt": MARK})]


def add_mark(data: bytes, chance: Chance) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + MARK + data[at:]


def _is_marked(folder: Path) -> bool:
    return any(MARK in path.read_bytes() for path in folder.rglob("*.txt"))


def sound(folder: Path, arguments: Arguments) -> int:
    if _is_marked(folder):
        raise InputError("file.txt", "is marked", "remove the mark")
    return len(list(folder.rglob("*.txt")))


def raises(folder: Path, arguments: Arguments) -> None:
    if _is_marked(folder):
        raise ValueError("planted")


def loops(folder: Path, arguments: Arguments) -> None:
    while _is_marked(folder):
        pass


def allocates(folder: Path, arguments: Arguments) -> int:
    return len(bytearray(1 << 40)) if _is_marked(folder) else 0


def ends(folder: Path, arguments: Arguments) -> None:
    import os

    if _is_marked(folder):
        os.abort()


def waits(folder: Path, arguments: Arguments) -> None:
    import time

    if _is_marked(folder):
        time.sleep(1000)


class _RawError(PyramidParaphraseError):
    """An error that does not escape its message."""

    def __str__(self) -> str:
        return str(self.message)

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def tells_too_much(folder: Path, arguments: Arguments) -> None:
    if _is_marked(folder):
        raise _RawError("file\x1b[2J.txt: is marked; remove the mark")


def leaves_a_file(folder: Path, arguments: Arguments) -> None:
    if _is_marked(folder):
        (folder.parent / "temporary" / "left.tmp").write_bytes(b"")


def leaves_a_file_open(folder: Path, arguments: Arguments) -> None:
    blocks = _stream_blocks(folder / "b.txt")
    next(blocks)
    if _is_marked(folder):
        raise InputError("b.txt", "is marked", "remove the mark")
    blocks.close()


def _stream_blocks(path: Path) -> Generator[bytes, None, None]:
    with path.open("rb") as file:
        while True:
            yield file.read(1024)


def changes_its_input(folder: Path, arguments: Arguments) -> None:
    if _is_marked(folder):
        (folder / "b.txt").write_bytes(b"changed")


_calls: list[None] = []


def counts_its_calls(folder: Path, arguments: Arguments) -> int:
    _calls.append(None)
    return len(_calls)


def plant(run: object, name: str = "planted", seconds: float = 2.0) -> Target:
    return Target(name, run, make_seeds, (("*", add_mark),), has_tree=False, seconds=seconds)  # type: ignore[arg-type]
