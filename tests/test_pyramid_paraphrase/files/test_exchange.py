"""The exchange of two paths on systems of other kinds, whose C library is made up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pyramid_paraphrase.files import atomic


@pytest.fixture(autouse=True)
def _forget_the_system_call() -> Iterator[None]:
    atomic._find_system_call.cache_clear()
    yield
    atomic._find_system_call.cache_clear()


class Swap:
    """The function `renamex_np` of macOS, which records its arguments and returns a given value."""

    argtypes: tuple[Any, ...] = ()

    def __init__(self, value: int) -> None:
        self.value = value
        self.calls: list[tuple[object, ...]] = []

    def __call__(self, *arguments: object) -> int:
        self.calls.append(arguments)
        return self.value


@pytest.mark.parametrize(("value", "is_exchanged"), [(0, True), (-1, False)])
def test_macos(monkeypatch: pytest.MonkeyPatch, value: int, *, is_exchanged: bool) -> None:
    """RENAME_SWAP is 0x00000002 in sys/stdio.h of macOS. The function returns -1 for an error."""
    swap = Swap(value)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(atomic.ctypes, "CDLL", lambda _: SimpleNamespace(renamex_np=swap))
    assert atomic.exchange(Path("a"), Path("b")) == is_exchanged
    assert swap.calls == [(b"a", b"b", 2)]


@pytest.mark.parametrize("platform", ["linux", "darwin", "freebsd14"])
def test_a_library_without_the_function(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(atomic.ctypes, "CDLL", lambda _: SimpleNamespace())
    assert not atomic.exchange(Path("a"), Path("b"))


@pytest.mark.parametrize("error", [OSError, TypeError])
def test_a_system_without_c_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: type[Exception]) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr(atomic.ctypes, "CDLL", fail)
    for name in "ab":
        (tmp_path / name).write_text(name)
    assert not atomic.exchange(tmp_path / "a", tmp_path / "b")
    assert [(tmp_path / name).read_text() for name in "ab"] == ["a", "b"]
