"""Hashes of files, and the memory of the hashes of large files."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from harness.files import hashing
from harness.files.hashing import hash_file, hash_values, locate_memory

SIZE = 8 << 20
"""Size from which hashes are remembered."""

ZEROS = hashlib.sha256(bytes(SIZE)).hexdigest()
ONES = hashlib.sha256(b"1" * SIZE).hexdigest()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder and an empty memory. The files of a test were changed a minute ago, on a usual file system."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    now = time.time
    monkeypatch.setattr(hashing.time, "time", lambda: now() + 60)
    monkeypatch.setattr(hashing, "_describe_mount", lambda _: "ext4 /dev/sda1 rw,errors=remount-ro")
    return tmp_path


def make_file(folder: Path, content: bytes) -> Path:
    """Write a file with a fixed time of modification."""
    path = folder / "file"
    path.write_bytes(content)
    os.utime(path, ns=(0, 10**18))
    return path


def remembered() -> str:
    return locate_memory().read_text() if locate_memory().exists() else ""


def replace_memory(text: str) -> None:
    locate_memory().write_text(text)


def test_a_large_file_is_hashed_once(folder: Path) -> None:
    path = make_file(folder, bytes(SIZE))
    assert hash_file(path) == ZEROS
    assert remembered().split()[1:] == [ZEROS]
    replace_memory(remembered().replace(ZEROS, "f" * 64))  # shows that the content is not read again
    assert hash_file(path) == "f" * 64


def test_a_file_of_the_same_name_size_and_time_is_hashed_again(folder: Path) -> None:
    """A program that copies files with their times, such as `cp -p`, replaces a checkpoint by another one."""
    assert hash_file(make_file(folder, bytes(SIZE))) == ZEROS
    path = make_file(folder, b"1" * SIZE)
    assert hash_file(path) == ONES
    other = folder / "other"
    other.write_bytes(bytes(SIZE))
    os.utime(other, ns=(0, 10**18))
    other.replace(path)
    assert hash_file(path) == ZEROS


def test_small_files_and_files_that_were_just_changed_are_not_remembered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hash_file(make_file(folder, bytes(SIZE - 1))) == hashlib.sha256(bytes(SIZE - 1)).hexdigest()
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    assert hash_file(make_file(folder, bytes(SIZE))) == ZEROS
    assert remembered() == ""


@pytest.mark.parametrize(
    "mount",
    [
        "squashfs /dev/loop0 ro,errors=continue",  # an image of a container: a new image can have the old times
        "ext4 /dev/loop0 ro",
        "fuse.sshfs host:/models rw,user_id=0",
        "overlay overlay rw,lowerdir=/image",
        "vfat /dev/sdb1 rw",
        "",
    ],
)
def test_nothing_is_remembered_where_a_change_may_not_change_the_times(
    folder: Path, monkeypatch: pytest.MonkeyPatch, mount: str
) -> None:
    """A model in a container was replaced by another one of the same size, and the program showed the old result."""
    monkeypatch.setattr(hashing, "_describe_mount", lambda _: mount)
    assert hash_file(make_file(folder, bytes(SIZE))) == ZEROS
    assert remembered() == ""


@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="only Linux describes mounts in /proc")
def test_the_file_system_of_an_open_file_is_found() -> None:
    with Path("/proc/self/mountinfo").open() as file:
        assert hashing._describe_mount(file.fileno()).split()[0] == "proc"
    assert hashing._describe_mount(-1) == ""


@pytest.mark.parametrize(
    ("described", "mounts", "expected"),
    [
        ("mnt_id:\t29", "29 1 8:1 / /a- rw shared:1 - xfs /dev/b rw", "xfs /dev/b rw"),
        ("last_mnt_id:\t30\nmnt_id:\t31 mflags:0\nmnt_id:  29", "29 1 8:1 / /a rw - xfs - rw", "xfs - rw"),
        (
            "mnt_id:\t29",
            "129 1 8:1 / /a rw - ext4 b rw\n291 1 8:2 / /a rw - ext4 c rw\n29 1 8:3 / / rw - xfs d ro",
            "xfs d ro",
        ),
        ("mnt_id:\t29", "129 1 8:1 / /a rw - ext4 b rw\n291 1 8:2 / /a rw - ext4 c rw", ""),
        ("pos:\t29", "29 1 8:1 / /a rw - xfs b rw", ""),
    ],
)
def test_the_mount_of_a_file_is_found_by_its_number(
    monkeypatch: pytest.MonkeyPatch, described: str, mounts: str, expected: str
) -> None:
    files = {"/proc/self/fdinfo/7": f"pos:\t0\n{described}\nino:\t5\n", "/proc/self/mountinfo": f"{mounts}\n"}
    monkeypatch.setattr(Path, "read_bytes", lambda path: files[str(path)].encode())
    assert hashing._describe_mount(7) == expected


def test_a_file_that_changes_while_it_is_read_is_not_remembered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_file(folder, bytes(SIZE))
    sha256 = hashlib.sha256

    def change() -> object:
        make_file(folder, bytes(SIZE))
        return sha256()

    monkeypatch.setattr(hashing.hashlib, "sha256", change)
    assert hash_file(path) == ZEROS
    assert remembered() == ""


@pytest.mark.parametrize("text", ["", "\0\n", "1-2-3-4-5 abc\n", "x" * 70, "\ufeff1-1-1-1-1 " + "0" * 64])
def test_a_damaged_memory_is_ignored_and_replaced(folder: Path, text: str) -> None:
    path = make_file(folder, bytes(SIZE))
    locate_memory().parent.mkdir(parents=True)
    replace_memory(text)
    assert hash_file(path) == ZEROS
    assert remembered().split()[1:] == [ZEROS]


def test_a_memory_that_cannot_be_written_is_not_needed(folder: Path) -> None:
    path = make_file(folder, bytes(SIZE))
    locate_memory().mkdir(parents=True)
    assert hash_file(path) == ZEROS


def test_the_latest_5000_hashes_are_kept(folder: Path) -> None:
    locate_memory().parent.mkdir(parents=True)
    hexadecimal = "0123456789abcdef"
    replace_memory("".join(f"{number:x}-{hexadecimal}-1-1-1 {hexadecimal * 4}\n" for number in range(5000)))
    hash_file(make_file(folder, bytes(SIZE)))
    lines = remembered().splitlines()
    assert len(lines) == 5000
    assert lines[0] == f"1-{hexadecimal}-1-1-1 {hexadecimal * 4}"
    assert lines[-1].endswith(ZEROS)


def test_a_file_is_remembered_ten_seconds_after_its_change(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_file(folder, bytes(SIZE))
    changed = path.stat().st_ctime
    monkeypatch.setattr(hashing.time, "time", lambda: changed + 9.5)
    hash_file(path)
    assert remembered() == ""
    monkeypatch.setattr(hashing.time, "time", lambda: changed + 10)
    hash_file(path)
    assert remembered().split()[1:] == [ZEROS]


def test_a_time_before_1970_has_no_sign(folder: Path) -> None:
    """A sign would look like the mark between two values."""
    path = make_file(folder, bytes(SIZE))
    os.utime(path, ns=(0, -1))
    hash_file(path)
    assert remembered().split("-")[3] == "f" * 16


def test_the_order_of_keys_does_not_matter() -> None:
    expected = hashlib.sha256(b'{"a":[2,null],"b":1}').hexdigest()
    assert hash_values({"b": 1, "a": [2, None]}) == hash_values({"a": [2, None], "b": 1}) == expected
