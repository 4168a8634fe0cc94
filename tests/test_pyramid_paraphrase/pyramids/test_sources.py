"""Files, folders and archives, benign and hostile."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, tar, zipped
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.ducview import iter_annotations
from pyramid_paraphrase.pyramids.sources import (
    SourceFiles,
    read_score_table,
    resolve_source,
)
from pyramid_paraphrase.reading import read_files

MEMBERS = {"eval/pyr/x.pyr": PYRAMID, f"eval/pan/{PEER_NAME}": PEER, "eval/README": b"read me"}


def read(path: Path, name: str, data: bytes) -> SourceFiles:
    (path / name).write_bytes(data)
    return read_files([path / name])


def refuse(path: Path, name: str, data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(path, name, data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("e.tar.gz", tar(MEMBERS)),
        ("e.tgz", tar(MEMBERS)),
        ("E.TAR", tar(MEMBERS, "w:")),
        ("e.zip", zipped(MEMBERS)),
        ("outer.zip", zipped({"inner.tgz": tar(MEMBERS)})),
    ],
)
def test_archives_of_every_kind_hold_the_same(tmp_path: Path, name: str, data: bytes) -> None:
    files = read(tmp_path, name, data)
    assert [file.name.split("!")[-1] for file in files.annotations] == sorted(MEMBERS)[1:]
    assert {file.data for file in files.annotations} == {PYRAMID, PEER}
    assert files.other_files == 1
    assert [(file.name, file.size) for file in files.inputs] == [(name, len(data))]
    assert (files.rejected, files.skipped) == ([], [])


def test_any_mixture_in_any_order_is_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "x.pyr").write_bytes(PYRAMID)
    (folder / "more.zip").write_bytes(zipped({PEER_NAME: PEER}))
    (tmp_path / "all.tgz").write_bytes(tar(MEMBERS))
    digests = {
        read_files(sources).digest
        for sources in (
            [folder],
            [tmp_path / "all.tgz"],
            [folder / "more.zip", folder / "deep"],
            [folder / "deep", folder / "more.zip"],
        )
    }
    assert len(digests) == 1
    assert len(list(iter_annotations(read_files([folder, tmp_path / "all.tgz"]).annotations))) == 2


def test_annotations_without_a_suffix_are_known_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "D0801-A.M.100.A.4").write_bytes(PEER)
    (tmp_path / "D0801-A.M.100.A.5").write_bytes(PEER.decode().encode("utf-16-be"))
    (tmp_path / "notes.txt").write_text("about <pyramid> files")
    (tmp_path / "._x.pyr").write_bytes(b"\x00\x05\x16\x07 what macOS writes")
    files = read_files([tmp_path])
    names = [f"{tmp_path.name}/D0801-A.M.100.A.{peer}" for peer in (4, 5)]
    assert [file.name for file in files.annotations] == names
    assert files.other_files == 2


def test_score_tables_are_found(tmp_path: Path) -> None:
    files = read(tmp_path, "e.zip", zipped({**MEMBERS, "scoring/2007_modified_scores.txt": b"D1 1 0.5 1 0"}))
    assert [file.name for file in files.score_tables] == ["e.zip!scoring/2007_modified_scores.txt"]
    tables = {"manual/manual.peer": b"", "manual.peer.A": b"", "manual/manual.peer.avg": b"", "manual.model": b""}
    found = read(tmp_path, "t.zip", zipped({**MEMBERS, **tables})).score_tables
    assert sorted(file.name for file in found) == ["t.zip!manual.peer.A", "t.zip!manual/manual.peer"]
    assert read_score_table(tmp_path / "e.zip").name == "e.zip"
    with pytest.raises(InputError, match=mentions("directory ... 2007_modified_scores.txt")):
        read_score_table(tmp_path)


def test_home_and_sample_are_resolved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "x.pyr").write_bytes(PYRAMID)
    assert resolve_source("~/x.pyr") == tmp_path / "x.pyr"
    assert resolve_source("sample").name == "sample_corpus"


@pytest.mark.parametrize("name", ["../../escaped.pyr", "/tmp/escaped.pyr"])
def test_member_names_are_labels_and_no_paths(tmp_path: Path, name: str) -> None:
    for archive, data in {"a.tgz": tar({name: PYRAMID}), "a.zip": zipped({name: PYRAMID})}.items():
        assert [file.data for file in read(tmp_path, archive, data).annotations] == [PYRAMID]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tgz", "a.zip"]
    assert not Path("/tmp/escaped.pyr").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_in_archives_are_not_followed(tmp_path: Path, kind: bytes) -> None:
    stream = io.BytesIO(tar({"x.pyr": PYRAMID}, "w:"))
    with tarfile.open(fileobj=stream, mode="a") as archive:
        link = tarfile.TarInfo("evil.pyr")
        link.type, link.linkname = kind, "/etc/passwd"
        archive.addfile(link)
    files = read(tmp_path, "a.tar", stream.getvalue())
    assert len(files.annotations) == 1
    assert [(problem.kind, problem.file) for problem in files.skipped] == [("member-skipped", "a.tar!evil.pyr")]


def test_links_in_zip_archives_are_not_followed(tmp_path: Path) -> None:
    stream = io.BytesIO(zipped({"x.pyr": PYRAMID}))
    with zipfile.ZipFile(stream, "a") as archive:
        link = zipfile.ZipInfo("evil.pyr")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert [problem.kind for problem in read(tmp_path, "a.zip", stream.getvalue()).skipped] == ["member-skipped"]


@pytest.mark.parametrize("name", ["bomb.tgz", "bomb.zip"])
def test_bombs_are_defused(tmp_path: Path, name: str) -> None:
    members = {f"{i}.pyr": bytes(8 * limits.MEBIBYTE) for i in range(4)}
    message = refuse(tmp_path, name, tar(members) if name.endswith("tgz") else zipped(members))
    assert re.search(mentions(f"{name}: ... 200 times ... unpack"), message)


def test_a_bomb_that_is_nothing_but_zeros(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("huge.txt")
    entry.size = 1 << 30
    header = entry.tobuf()
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = squeezer.compress(header) + b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(64)) + squeezer.flush()
    assert re.search(mentions("huge.tgz: ... 200 times ... unpack"), refuse(tmp_path, "huge.tgz", data))


def test_files_have_a_limit(tmp_path: Path) -> None:
    data = b"<pyramid>" + random.Random(0).randbytes(100) + bytes(limits.MAX_FILE_BYTES)
    assert re.search(mentions("big.pyr: ... 64 MiB. Split"), refuse(tmp_path, "big.pyr", data))
    assert re.search(
        mentions("big.tar!big.pyr: ... 64 MiB. Split"), refuse(tmp_path, "big.tar", tar({"big.pyr": data}, "w:"))
    )


@pytest.mark.full
def test_members_have_a_limit(tmp_path: Path) -> None:
    members = {f"{number}.txt": b"" for number in range(limits.MAX_MEMBERS + 1)}
    with pytest.raises(LimitError, match=mentions("many.tar: ... 20,000 members. Split")):
        read(tmp_path, "many.tar", tar(members, "w:"))


def test_nesting_has_a_limit(tmp_path: Path) -> None:
    data = zipped({"2.zip": zipped({"3.zip": zipped({"x.pyr": PYRAMID})})})
    assert re.search(mentions("1.zip!2.zip!3.zip: ... 2 archives ... outer"), refuse(tmp_path, "1.zip", data))


@pytest.mark.parametrize("cut", [10, 300, 512, 700, -9, -1, -12_000])
@pytest.mark.parametrize("name", ["a.tgz", "a.tar", "a.zip"])
def test_truncated_archives_are_refused(tmp_path: Path, name: str, cut: int) -> None:
    data = {"a.tgz": tar(MEMBERS), "a.tar": tar(MEMBERS, "w:"), "a.zip": zipped(MEMBERS)}[name]
    if name == "a.tar" and cut in (-9, -1):
        return  # only padding is missing
    cut_data = data[:cut] if abs(cut) < len(data) else data[: len(data) // 2]
    message = refuse(tmp_path, name, cut_data)
    assert re.search(mentions(f"{name}: ... damaged archive ( ... size"), message)


def test_a_damaged_archive_within_a_folder_leaves_the_rest(tmp_path: Path) -> None:
    (tmp_path / "bad.tgz").write_bytes(tar(MEMBERS)[:-20])
    (tmp_path / "x.pyr").write_bytes(PYRAMID)
    files = read_files([tmp_path])
    assert [file.data for file in files.annotations] == [PYRAMID]
    assert [error.file for error in files.rejected] == [f"{tmp_path.name}/bad.tgz"]


def test_a_bad_member_of_an_archive_leaves_the_rest(tmp_path: Path) -> None:
    big = b"<pyramid>" + bytes(limits.MAX_FILE_BYTES)
    members = {
        "x.pyr": PYRAMID,
        "docs.zip": b"no zip",
        "deep.zip": zipped({"2.zip": zipped({"3.zip": b""})}),
        "big.pyr": big,
    }
    files = read(tmp_path, "all.tar", tar(members, "w:"))
    assert [file.data for file in files.annotations] == [PYRAMID]
    assert sorted(error.file for error in files.rejected) == [
        "all.tar!big.pyr",
        "all.tar!deep.zip!2.zip",
        "all.tar!docs.zip",
    ]


def test_pipes_and_linked_folders(tmp_path: Path) -> None:
    """Opening a pipe would block. A linked folder belongs to the data, and a loop of links ends."""
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    os.mkfifo(folder / "pipe.pyr")
    os.mkfifo(folder / "pipe")
    (elsewhere / "x.pyr").write_bytes(PYRAMID)
    (folder / "linked").symlink_to(elsewhere)
    (elsewhere / "loop").symlink_to(folder)
    files = read_files([folder])
    assert [file.name for file in files.annotations] == ["folder/linked/x.pyr"]
    assert [problem.file for problem in files.skipped] == ["folder/pipe.pyr"]
    assert files.other_files == 1
    with pytest.raises(InputError, match=mentions("folder/pipe: no such file ... path")):
        read_files([folder / "pipe"])


@pytest.mark.parametrize("path", ["~nobody-of-that-name/x", "x" * 300, "nul\0byte"])
def test_paths_that_cannot_be(path: str) -> None:
    with pytest.raises(InputError, match="Check the path"):
        read_files([path])


def test_mutilated_zip_archives_are_refused_or_read(tmp_path: Path) -> None:
    """Whatever zipfile raises on damage is explained: LZMAError, IndexError and UnicodeDecodeError once were not."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("\u00e9.pyr", PYRAMID)
    rng, whole = random.Random(0), stream.getvalue()
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(InputError):
            read(tmp_path, "a.zip", bytes(data))


def test_encrypted_archives_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"x.pyr": PYRAMID}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    assert re.search(mentions("a.zip: ... encrypted archive. ... password"), refuse(tmp_path, "a.zip", bytes(data)))


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("propsegment", "run `pyramid-paraphrase download propsegment`"),
        ("propsegmnet", "Did you mean 'propsegment'?"),
        ("sampel", "Did you mean 'sample'?"),
    ],
)
def test_names_of_collections_in_place_of_files(name: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        read_files([name])
    assert re.search(mentions(f"{name}: no such file ... {remedy}"), str(caught.value))


def test_missing_empty_and_useless_sources_say_what_to_give(tmp_path: Path) -> None:
    remedy = "Use pyramids (.pyr, .pan) or content units ... .tar.gz, .tgz, .tar, .zip"
    pairs = "test pairs, pit_identification or pit_similarity"
    missing = tmp_path / "missing"
    with pytest.raises(InputError) as caught:
        read_files([missing])
    assert re.search(mentions(f"{missing}: no such file ... Check the path"), str(caught.value))
    with pytest.raises(InputError) as caught:
        read_files([tmp_path])
    assert re.search(mentions(f"{tmp_path}: empty. {remedy} ... {pairs}"), str(caught.value))
    (tmp_path / "nothing.jsonl").write_bytes(b"")
    with pytest.raises(InputError, match=mentions(f"{tmp_path}/nothing.jsonl: empty. {remedy}")):
        read_files([tmp_path / "nothing.jsonl"])
    (tmp_path / "nothing.jsonl").unlink()
    with pytest.raises(InputError, match=mentions("'': ... path ... .tar.gz")):
        read_files([""])
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(InputError) as caught:
        read_files([tmp_path])
    assert re.search(mentions(f"{tmp_path}: ... no pyramid ... {remedy} ... {pairs}"), str(caught.value))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "x.pyr").write_bytes(PYRAMID)
    (tmp_path / "x.pyr").chmod(0)
    with pytest.raises(InputError, match=mentions("x.pyr: ... Permission denied ... Check")):
        read_files([tmp_path / "x.pyr"])
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(InputError, match=mentions("closed: ... (Permission denied). Check its permissions")):
        read_files([tmp_path / "closed"])
