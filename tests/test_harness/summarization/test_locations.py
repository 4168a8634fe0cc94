"""Files, folders and archives as locations of summaries and scores."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest
from helpers.annotations import tar, zipped
from helpers.messages import mentions

from harness.summarization.locations import decompress, read_files, require_text
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.sources import SourceFile

MEMBERS = {
    "eval/manual/content.table": b"scores",
    "eval/manual/.hidden": b"left out",
    "eval/manual2/other": b"another folder",
    "./eval/peers/D0701.M.250.A.15": b"a summary",
    "eval/peers/._D0701.M.250.A.15": b"left out",
}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "eval.tar.gz"
    path.write_bytes(tar(MEMBERS))
    return path


def names_of(location: object) -> list[str]:
    return [file.name for file in read_files(str(location))]


def test_a_file_a_folder_and_an_archive_hold_the_same(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "unpacked"
    for name, data in MEMBERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (tmp_path / "eval.zip").write_bytes(zipped(MEMBERS))
    expected = {
        "eval/manual/content.table": b"scores",
        "eval/manual2/other": b"another folder",
        "eval/peers/D0701.M.250.A.15": b"a summary",
    }
    for place in (folder, archive, tmp_path / "eval.zip"):
        read = {file.name.removeprefix(f"{place}/"): file.data for file in read_files(place)}
        assert read == expected
    path = f"{folder}/eval/manual/content.table"
    assert read_files(path) == [SourceFile(path, b"scores")]


def test_a_path_leads_into_an_archive(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path does not match a folder whose name only begins with it, and hidden files can be named explicitly."""
    monkeypatch.chdir(archive.parent)
    assert names_of("eval.tar.gz/eval/manual") == ["eval.tar.gz/eval/manual/content.table"]
    assert names_of("./eval.tar.gz//eval/peers/") == ["eval.tar.gz/eval/peers/D0701.M.250.A.15"]
    assert read_files("eval.tar.gz/eval/manual/.hidden") == [SourceFile("eval.tar.gz/eval/manual/.hidden", b"left out")]
    names = names_of("eval.tar.gz")
    assert len(names) == 3
    for name in names:
        assert names_of(name) == [name]


def test_archives_in_folders_and_archives_are_folders(tmp_path: Path) -> None:
    inner = tar({"a/b": b"1", "c": b"2"})
    (tmp_path / "outer.zip").write_bytes(zipped({"in/inner.tgz": inner, "in/d": b"3"}))
    outer = f"{tmp_path}/outer.zip"
    assert (
        names_of(tmp_path)
        == names_of(outer)
        == [f"{outer}/in/d", f"{outer}/in/inner.tgz/a/b", f"{outer}/in/inner.tgz/c"]
    )
    assert names_of(f"{outer}/in/inner.tgz") == [f"{outer}/in/inner.tgz/a/b", f"{outer}/in/inner.tgz/c"]
    assert read_files(f"{outer}/in/inner.tgz/a/b") == [SourceFile(f"{outer}/in/inner.tgz/a/b", b"1")]
    (tmp_path / "deep.zip").write_bytes(zipped({"outer.zip": (tmp_path / "outer.zip").read_bytes()}))
    with pytest.raises(LimitError, match=mentions("deep.zip/outer.zip/in/inner.tgz: ... 2 archives ... outer")):
        read_files(tmp_path / "deep.zip")


def test_members_are_named_like_files_in_a_folder(tmp_path: Path) -> None:
    inner = zipped({"./b": b"2", "/c//d": b"3"})
    (tmp_path / "outer.tgz").write_bytes(tar({"./a": b"1", "in/inner.zip": inner, "../../e": b"4"}))
    outer = f"{tmp_path}/outer.tgz"
    assert {file.name: file.data for file in read_files(outer)} == {
        f"{outer}/a": b"1",
        f"{outer}/in/inner.zip/b": b"2",
        f"{outer}/in/inner.zip/c/d": b"3",
        f"{outer}/../../e": b"4",
    }


def test_the_sample_is_a_place() -> None:
    assert "sample/S0101.pyr" in names_of("sample")


def test_missing_locations(tmp_path: Path, archive: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.tar").write_bytes(tar({}, "w"))
    for place, reason in (
        (f"{tmp_path}/nothing", "no such file or folder"),
        (f"{archive}/eval/man", "no such file or folder"),
        (f"{archive}/eval/manual/content.table/x", "no such file or folder"),
        (f"{tmp_path}/empty", "contains no files"),
        (f"{tmp_path}/empty.tar", "contains no files"),
    ):
        with pytest.raises(InputError, match=mentions(f"{place}: {reason} ... ARCHIVE/PATH")):
            read_files(place)
    with pytest.raises(InputError, match=mentions("'': ... ARCHIVE/PATH")):
        read_files("")
    with pytest.raises(InputError, match=mentions("usable path ... Check the path")):
        read_files("a" * 300)


def test_unreadable_locations(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "damaged.tar.gz").write_bytes(archive.read_bytes()[:-20])
    with pytest.raises(InputError, match=mentions("damaged.tar.gz: ... damaged ... size")):
        read_files(tmp_path / "damaged.tar.gz")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "link").symlink_to("nowhere")
    with pytest.raises(InputError, match=mentions("folder/link: ... link ... Replace")):
        read_files(tmp_path / "folder")
    with pytest.raises(InputError, match=mentions("folder/link: ... link ... Replace")):
        read_files(tmp_path / "folder" / "link")
    with pytest.raises(InputError, match=mentions("/dev/null: ... pipe ... content")):
        read_files(os.devnull)
    (tmp_path / "links.tar").write_bytes(linked())
    with pytest.raises(InputError, match=mentions("links.tar/link: ... link ... Replace")):
        read_files(tmp_path / "links.tar")
    monkeypatch.setattr(limits, "MAX_MEMBERS", 2)
    with pytest.raises(LimitError, match=mentions("unpacked: ... 2 files")):
        read_files(fill(tmp_path / "unpacked", 3))
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 2)
    with pytest.raises(LimitError, match=mentions("one/0: ... 0 MiB ... Split")):
        read_files(fill(tmp_path / "one", 1))


def test_the_limit_of_files_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit applies to folders and to archives, which count their entries separately."""
    monkeypatch.setattr(limits, "MAX_MEMBERS", 2)
    folder, archive = fill(tmp_path / "folder", 3), tmp_path / "a.tar.gz"
    archive.write_bytes(tar({str(number): b"1" for number in range(3)}))
    for place in (folder, archive):
        assert len(read_files(place, 3)) == 3
        with pytest.raises(LimitError, match=mentions(f"{place.name}: ... 2 ... Do this")):
            read_files(place, 2, "do this")


def test_the_size_of_all_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mebibyte = 1 << 20
    for name in "ab":
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(bytes(mebibyte)))
    files = read_files(str(tmp_path))
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", 2 * mebibyte)
    assert [(file.name[-4:], len(file.data)) for file in decompress(files)] == [("a.gz", mebibyte), ("b.gz", mebibyte)]
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", 2 * mebibyte - 1)
    with pytest.raises(LimitError, match=mentions(f"{tmp_path}/b.gz: ... 1 MiB ... fewer systems")):
        list(decompress(files))
    size = sum(len(file.data) for file in files)
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size)
    assert read_files(str(tmp_path)) == files
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", size - 1)
    with pytest.raises(LimitError, match=mentions(f"{tmp_path}: ... 0 MiB ... folder within")):
        read_files(str(tmp_path))


def test_files_that_are_not_compressed_stay(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    files = read_files(str(tmp_path))
    assert list(decompress(files)) == files


def test_files_without_text_are_refused() -> None:
    require_text(SourceFile("f", b"a\nb"))
    with pytest.raises(InputError, match=mentions("f, line 2: ... text ... UTF-8")):
        require_text(SourceFile("f", b"a\nb\0\n"))
    with pytest.raises(InputError, match=mentions("f: ... PDF ... CSV")):
        require_text(SourceFile("f", b"%PDF-1.7\0"))


def test_folders_without_permission_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(InputError, match=mentions("closed/a: ... (Permission denied) ... permissions")):
        read_files("closed/a")


def test_a_member_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "twice.tar").write_bytes(tar({"a": b"1", "./a": b"2"}, "w"))
    with pytest.raises(InputError, match=mentions("twice.tar/a: occurs ... Remove")):
        read_files(tmp_path / "twice.tar")


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is closed to the superuser")
def test_a_file_without_permission(tmp_path: Path) -> None:
    (tmp_path / "closed").write_bytes(b"")
    (tmp_path / "closed").chmod(0)
    with pytest.raises(InputError, match=r"closed: cannot be read \(Permission denied\)\. Check the file"):
        read_files(tmp_path / "closed")


def fill(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / str(number)).write_bytes(b"abc")
    return folder


def linked() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        entry = tarfile.TarInfo("link")
        entry.type, entry.linkname = tarfile.SYMTYPE, "elsewhere"
        archive.addfile(entry)
    return stream.getvalue()
