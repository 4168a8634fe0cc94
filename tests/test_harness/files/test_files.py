"""Atomic replacement of files, and temporary files of running and killed processes."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.files.writing import create_file, real_path, replacing, write_file, write_files
from pyramid_paraphrase.errors import OutputError, cannot_write
from pyramid_paraphrase.files import atomic
from pyramid_paraphrase.files.atomic import _make_name, remove_abandoned, temporary_file, temporary_folder

needs_locks = pytest.mark.skipif(atomic.fcntl is None, reason="this system has no flock")


@needs_locks
def test_files_of_a_running_writer_are_not_removed(tmp_path: Path) -> None:
    """The file stays locked when it is closed, and until it is renamed."""
    with temporary_file(tmp_path) as (path, file), temporary_folder(tmp_path) as folder:
        (folder / "part").write_text("of a folder")
        remove_abandoned(tmp_path)
        with file:
            file.write(b"whole")
        remove_abandoned(tmp_path)
        assert path.read_bytes() == b"whole"
        assert (folder / "part").exists()
    assert list(tmp_path.iterdir()) == []


@needs_locks
def test_only_files_of_our_killed_runs_are_removed(tmp_path: Path) -> None:
    name = _make_name()
    (tmp_path / name).write_text("")
    (tmp_path / _make_name()).mkdir()
    digits = name.split("-")[2]
    kept = [
        ".hidden", name.replace(digits, "0" * 8),  # of another machine, whose locks may be invisible here
        name + "~", name.replace(".tmp", ".txt"), "x" + name, ".pyramid-paraphrase-notes.tmp", ".out.json.k3j4h5g6",
    ]  # fmt: skip
    for kept_name in kept:
        (tmp_path / kept_name).write_text("of the user")
    (tmp_path / "target").write_text("of the user")
    (tmp_path / _make_name()).symlink_to(tmp_path / "target")
    remove_abandoned(tmp_path)
    links = [path.name for path in tmp_path.iterdir() if path.is_symlink()]
    assert len(links) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "target", *links])


@needs_locks
def test_files_of_another_user_are_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / _make_name()).write_text("")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    remove_abandoned(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


@needs_locks
def test_a_file_that_is_taken_for_abandoned_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Race: another process looks after a file or folder is made and before it is locked."""
    real, calls = atomic.lock, []

    def lock_late(handle: int) -> None:
        calls.append(handle)
        if len(calls) in (1, 3):
            remove_abandoned(tmp_path)
        real(handle)

    monkeypatch.setattr(atomic, "lock", lock_late)
    with temporary_file(tmp_path) as (path, _):
        assert path.exists()
    with temporary_folder(tmp_path) as folder:
        assert folder.is_dir()
    assert len(calls) == 4


def test_a_system_without_locks_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "fcntl", None)
    (tmp_path / _make_name()).write_text("")
    write_file(tmp_path / "out", b"content")
    with temporary_folder(tmp_path):
        pass
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of Unix")
def test_permissions_of_files(tmp_path: Path) -> None:
    """A new file is readable by everyone. A file that is replaced keeps its permissions."""
    (tmp_path / "private").write_text("")
    (tmp_path / "private").chmod(0o600)
    write_files({tmp_path / "private": b"1", tmp_path / "new": b"2"})
    with replacing(tmp_path / "streamed") as file:
        file.write(b"3")
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"private": 0o600, "new": 0o644, "streamed": 0o644}


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    """Temporary names were longer than the names of the files."""
    name = "x" * 255
    write_file(tmp_path / name, b"content")
    assert (tmp_path / name).read_bytes() == b"content"


@pytest.mark.parametrize("write", [lambda path: write_file(path, b""), lambda path: replacing(path).__enter__()])
def test_a_name_that_is_too_long_is_an_error(tmp_path: Path, write: Callable[[Path], object]) -> None:
    """`paraphrases compile --output` with a name of 400 characters ended in a traceback."""
    with pytest.raises(OutputError, match=mentions("long ... shorter name")):
        write(tmp_path / ("9" * 400))
    assert list(tmp_path.iterdir()) == []


def test_where_one_file_cannot_be_written_none_is_changed(tmp_path: Path) -> None:
    (tmp_path / "first").write_bytes(b"old")
    with pytest.raises(OSError, match="nowhere"):
        write_files({tmp_path / "first": b"new", tmp_path / "nowhere" / "second": b"new"})
    assert (tmp_path / "first").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_link_to_itself_has_a_path(tmp_path: Path) -> None:
    """`Path.resolve` ends in a RuntimeError on it, as `leaderboard check loop` and `rouge --output loop` did."""
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to("file")
    assert real_path(tmp_path / "loop" / "x") == tmp_path.resolve() / "loop" / "x"
    assert real_path(tmp_path / "link") == tmp_path.resolve() / "file"


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "Check the free space"),
        (errno.EFBIG, "Raise the limit on the size of files"),
        (errno.EDQUOT, "Check the free space"),
        (errno.ENFILE, "Close other programs"),
        (errno.EACCES, "Check the permissions"),
        (errno.EROFS, "Use a path on another disk"),
        (errno.ENOTEMPTY, "Use another path"),
        (errno.EISDIR, "Use another path"),
        (errno.ENAMETOOLONG, "Use a shorter name"),
        (errno.ENOENT, "Check the path"),
        (errno.EMFILE, "Raise the limit of open files"),
        (errno.EIO, "Check the path and the free space"),
    ],
)
def test_the_remedy_for_an_output_follows_from_the_error_of_the_system(number: int, remedy: str) -> None:
    """Every error led to "Check the path and the free space", even if another process had made the folder."""
    reason = os.strerror(number)
    error = cannot_write("out", OSError(number, reason))
    assert re.fullmatch(mentions(f"out: cannot be written ({reason}). ... {remedy}") + ".*", str(error))
    assert ("free" in str(error)) == ("free" in remedy)


@pytest.mark.parametrize("has_links", [True, False])
def test_a_file_is_created_only_where_nothing_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    """On a file system without hard links, such as FAT, the system refuses to make them."""

    def refuse_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", refuse_links)
    target = tmp_path / "new" / "file"
    create_file(target, b"first")
    for place in (target, target.parent):
        with pytest.raises(FileExistsError):
            create_file(place, b"second")
    assert target.read_bytes() == b"first"
    assert list(tmp_path.rglob("*")) == [target.parent, target]
    assert target.stat().st_nlink == 1
    with pytest.raises(OutputError, match=mentions("long ... shorter name")):
        create_file(tmp_path / ("9" * 400), b"")
