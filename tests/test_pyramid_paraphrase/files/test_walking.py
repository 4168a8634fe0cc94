"""The walk through files, folders and archives, on which all readers of archives are built."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.annotations import tar, zipped
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import inputs, limits
from pyramid_paraphrase.files.inputs import WalkedFile, describe_unopenable, walk_archive, walk_folder

INNER = zipped({"./b": b"2", "/c//d": b"3"})


def walk(file: WalkedFile) -> Iterator[tuple[str, str, bytes]]:
    """Yield the name, full name and content of all files in an archive and in the archives in it."""
    with file.open() as stream:
        if not file.is_archive:
            yield file.name, file.full_name, stream.read()
            return
        for member in walk_archive(file, stream):
            yield from walk(member)


@pytest.fixture
def archive(tmp_path: Path) -> WalkedFile:
    path = tmp_path / "outer.tgz"
    path.write_bytes(tar({"./a": b"1", "in/inner.zip": INNER, "../../e": b"4"}))
    return WalkedFile("outer.tgz", "outer.tgz", path)


def test_members_keep_their_names(archive: WalkedFile) -> None:
    assert list(walk(archive)) == [
        ("./a", "outer.tgz!./a", b"1"),
        ("./b", "outer.tgz!in/inner.zip!./b", b"2"),
        ("/c//d", "outer.tgz!in/inner.zip!/c//d", b"3"),
        ("../../e", "outer.tgz!../../e", b"4"),
    ]


def test_archives_are_nested_up_to_a_limit(archive: WalkedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ARCHIVE_DEPTH", 1)
    with pytest.raises(LimitError, match=mentions("outer.tgz!in/inner.zip: ... 1 archives ... outer")):
        list(walk(archive))


def test_archives_in_archives_have_the_limit_of_a_file(archive: WalkedFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", len(INNER))
    assert len(list(walk(archive))) == 4
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", len(INNER) - 1)
    with pytest.raises(LimitError, match=mentions("outer.tgz!in/inner.zip: ... 0 MiB ... Split")):
        list(walk(archive))


def test_the_limit_of_members_and_its_remedy_are_parameters(archive: WalkedFile) -> None:
    with archive.open() as stream:
        assert len(list(walk_archive(archive, stream, max_members=3))) == 3
    with archive.open() as stream, pytest.raises(LimitError, match=mentions("outer.tgz: ... 2 members")):
        list(walk_archive(archive, stream, max_members=2, remedy="do this"))


def test_links_in_archives_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar_file:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "file"
        tar_file.addfile(link)
        tar_file.addfile(tarfile.TarInfo("file"), io.BytesIO())
    archive = WalkedFile("a.tar", "a.tar", path)
    with archive.open() as stream:
        link_member, file_member = walk_archive(archive, stream)
    assert (link_member.is_regular, file_member.is_regular) == (False, True)
    with pytest.raises(InputError) as caught, link_member.open():
        pass
    assert str(caught.value) == str(describe_unopenable("a.tar!link"))


@pytest.mark.parametrize(
    ("follows_links", "expected"),
    [
        (True, {"f/a": True, "f/below/b": True, "f/linked/c": True, "f/nowhere": False, "f/pipe": False}),
        (False, {"f/a": True, "f/below/b": True, "f/nowhere": False, "f/pipe": False}),
    ],
)
def test_folders(tmp_path: Path, follows_links: bool, expected: dict[str, bool]) -> None:
    """A loop of links ends. Links to files and pipes are yielded in any case, and can be told from regular files."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    (folder / "below").mkdir(parents=True)
    elsewhere.mkdir()
    for path in (folder / "a", folder / "below" / "b", elsewhere / "c"):
        path.write_bytes(b"")
    (folder / "linked").symlink_to(elsewhere)
    (elsewhere / "loop").symlink_to(folder)
    (folder / "nowhere").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    files = {file.full_name: file.is_regular for file in walk_folder(folder, "f", follows_links=follows_links)}
    assert files == expected


def test_a_folder_with_two_links_is_walked_once(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "a").write_bytes(b"")
    for name in ("b", "c"):
        (folder / name).symlink_to(elsewhere)
    (file,) = walk_folder(folder, "f")
    assert file.name in ("b/a", "c/a")


def test_folders_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(InputError, match=mentions("missing: ... (No such file or directory) ... permissions")):
        list(walk_folder(missing, "missing"))
    assert list(walk_folder(missing, "missing", skips_unreadable=True)) == []


def test_errors_of_the_system_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"1")
    file = WalkedFile("a", "shown/a", tmp_path / "a")
    with pytest.raises(InputError, match=mentions(f"{tmp_path}/a: ... (broken disk) ... Check")), file.open():
        raise OSError(5, "broken disk")

    def refuse(path: Path) -> io.BytesIO:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(inputs, "open_input", refuse)
    with pytest.raises(InputError, match=mentions("a: ... (Permission denied) ... Check")), file.open():
        pass
