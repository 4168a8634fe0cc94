"""Archives that need too much memory or time for their size, and damage that libraries do not explain."""

from __future__ import annotations

import gzip
import io
import os
import re
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.annotations import PYRAMID, tar, zipped
from helpers.messages import mentions

from harness.evaluation.results import read_results
from harness.paraphrases.tables.reading import read_table
from harness.summarization.locations import read_files as read_located_files
from pyramid_paraphrase.errors import InputError, LimitError, PyramidParaphraseError
from pyramid_paraphrase.files import inputs, limits
from pyramid_paraphrase.files.inputs import open_input, read_bytes
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.pyramids.sources import SourceFiles, read_score_table
from pyramid_paraphrase.reading import read_files

READERS = (lambda path: read_files([path]), read_located_files, read_pair_corpus)
"""All that read archives."""


def read(folder: Path, name: str, data: bytes) -> SourceFiles:
    (folder / name).write_bytes(data)
    return read_files([folder / name])


def header(name: str, kind: bytes, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def records(values: Sequence[tuple[str, str]]) -> bytes:
    """Records of a PAX header, each of which begins with its own length."""
    lines = b""
    for key, value in values:
        record_end = f" {key}={value}\n".encode()
        size = next(
            size for size in range(len(record_end), len(record_end) + 9) if len(str(size)) + len(record_end) == size
        )
        lines += str(size).encode() + record_end
    return lines


def pax(kind: bytes, values: Sequence[tuple[str, str]]) -> bytes:
    lines = records(values)
    return header("pax", kind, len(lines)) + padded(lines)


FILE = header("x.pyr", tarfile.REGTYPE, len(PYRAMID)) + padded(PYRAMID)
END = bytes(1024)


@pytest.mark.full
@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_names_and_records_of_tar_archives_have_a_limit(tmp_path: Path, kind: bytes) -> None:
    """tarfile reads a header as a whole: a name of 600 MB in an archive of 3.6 MB took 1.8 GiB."""
    size = 32 * limits.MEBIBYTE
    data = header("long", kind, size) + b"1" * size + FILE + END
    tracemalloc.start()
    try:
        with pytest.raises(LimitError, match=mentions("a.tar: ... header ... 16 KiB ... unpack")):
            read(tmp_path, "a.tar", data)
        assert tracemalloc.get_traced_memory()[1] < size + 2 * limits.MEBIBYTE  # its own bytes, held by this test
    finally:
        tracemalloc.stop()


def test_many_headers_before_one_member_have_a_limit(tmp_path: Path) -> None:
    """tarfile calls itself for each of them: RecursionError was not explained."""
    with pytest.raises(InputError, match=mentions("a.tar: ... header ... 16 KiB ... unpack")):
        read(tmp_path, "a.tar", pax(tarfile.XHDTYPE, [("comment", "x")]) * 3000 + FILE + END)


def test_records_for_all_members_have_a_limit(tmp_path: Path) -> None:
    """Each member gets a copy of them, and they may grow before every member."""
    steps = [pax(tarfile.XGLTYPE, [(f"key{step}.{number}", "") for number in range(400)]) + FILE for step in range(3)]
    with pytest.raises(LimitError, match=mentions("a.tar: ... 1,000 global header records ... unpack")):
        read(tmp_path, "a.tar", b"".join(steps) + END)


@pytest.mark.parametrize("name", ["x" * 3000 + ".pyr", "\u00e9" * 2000 + ".pyr"])
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_names_are_still_read(tmp_path: Path, name: str, form: int) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", format=form) as archive:
        for member in (name, "y.pyr"):
            entry = tarfile.TarInfo(member)
            entry.size = len(PYRAMID)
            archive.addfile(entry, io.BytesIO(PYRAMID))
    names = {file.name for file in read(tmp_path, "a.tgz", stream.getvalue()).annotations}
    assert names == {f"a.tgz!{name}", "a.tgz!y.pyr"}


def test_a_member_cannot_be_larger_than_its_archive_may_become(tmp_path: Path) -> None:
    """tarfile read on after the end of the archive, 10 KiB at a time, up to the size that a header claims."""
    huge = bytearray(header("x.pyr", tarfile.REGTYPE, 0))
    huge[124:136] = b"\x80" + (1 << 80).to_bytes(11, "big")
    huge[148:156] = b" " * 8
    huge[148:156] = b"%06o\0 " % sum(huge)
    with pytest.raises(LimitError, match=mentions("a.tar: ... 200 times ... unpack")):
        read(tmp_path, "a.tar", bytes(huge) + FILE + END)


def test_files_with_holes_are_left_out(tmp_path: Path) -> None:
    """A map of holes takes no bytes of the archive, and 60 MB of memory each."""
    sparse = [("GNU.sparse.size", "60000000"), ("GNU.sparse.numblocks", "1"), ("GNU.sparse.map", "60000000,0")]
    hole = pax(tarfile.XHDTYPE, sparse) + header("hole.pyr", tarfile.REGTYPE, 0)
    source_files = read(tmp_path, "a.tar", hole + FILE + END)
    assert [file.name for file in source_files.annotations] == ["a.tar!x.pyr"]
    assert [problem.file for problem in source_files.skipped] == ["a.tar!hole.pyr"]


@pytest.mark.parametrize("value", ["1e999", "x", ""])
def test_damaged_maps_of_holes(tmp_path: Path, value: str) -> None:
    """tarfile raises ValueError for them, which was not explained."""
    data = pax(tarfile.XHDTYPE, [("GNU.sparse.map", value)]) + FILE + FILE + END
    (tmp_path / "a.tar").write_bytes(data)
    for reader in READERS:
        with pytest.raises(InputError, match=r"a\.tar"):
            reader(tmp_path / "a.tar")


def damage_offset(data: bytes) -> bytes:
    """Let the directory of a zip archive begin before the file does."""
    end = data.rindex(b"PK\5\6")
    size, offset = struct.unpack("<LL", data[end + 12 : end + 20])
    return data[: end + 12] + struct.pack("<LL", size + len(data), offset) + data[end + 20 :]


def damage_lzma(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    whole = bytearray(stream.getvalue())
    place = whole.index(b"a.toks") + len(b"a.toks") + 4  # the properties of the filter
    whole[place : place + 5] = b"\xff" * 5
    return bytes(whole)


CORPUS = {"train/a.toks": b"a b\n" * 99, "train/b.toks": b"a c\n" * 99, "train/sim.txt": b"1\n" * 99}


@pytest.mark.parametrize("data", [damage_offset(zipped(CORPUS)), damage_lzma(CORPUS)], ids=["offset", "lzma"])
def test_damaged_zip_archives_of_any_reader(tmp_path: Path, data: bytes) -> None:
    """Pair corpora ended in an OSError, because only the reader of annotations explained it."""
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    for reader in READERS:
        with pytest.raises(InputError, match=r"a\.zip"):
            reader(path)


def test_directories_of_zip_archives_have_a_limit(tmp_path: Path) -> None:
    """zipfile makes an object for each entry before they can be counted: 46 MB took 450 MiB."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, *[0] * 8, 1, *[0] * 6) + b"x"
    count = limits.MAX_DIRECTORY_BYTES // len(entry) + 1
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count & 0xFFFF, count & 0xFFFF, count * len(entry), 0, 0)
    with pytest.raises(LimitError, match=mentions("a.zip: ... directory ... 8 MiB ... Split")):
        read(tmp_path, "a.zip", entry * count + end)


def test_archives_in_archives_count_for_the_outer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each inner archive could expand 200 times, and so 40,000 times the outer one."""
    monkeypatch.setattr(limits, "RATIO_FLOOR_BYTES", 1024)
    monkeypatch.setattr(limits, "MAX_RATIO", 6)
    inner = tar({"x.pyr": PYRAMID, "notes.txt": os.urandom(20_000) + bytes(80_000)})
    assert read(tmp_path, "a.tgz", inner).other_files == 1
    with pytest.raises(LimitError, match=mentions("a.zip: ... 6 times ... unpack")):
        read(tmp_path, "a.zip", zipped({"1.tgz": inner, "2.tgz": inner}))


def test_all_that_is_kept_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty annotations of 63 MiB in a small archive took 1.4 GiB. Leaving out one of them is not a remedy."""
    members = {f"{number}.pyr": PYRAMID for number in range(4)}
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", 3 * len(PYRAMID))
    with pytest.raises(LimitError, match=mentions("a.zip!3.pyr: ... 0 MiB ... annotations ... Read fewer")):
        read(tmp_path, "a.zip", zipped(members))
    with pytest.raises(LimitError, match=mentions("a.zip: ... 0 MiB ... all files ... Name a folder")):
        read_located_files(tmp_path / "a.zip")
    nested = tmp_path / "nested"
    nested.mkdir()
    (nested / "b.zip").write_bytes(zipped({"c.zip": zipped(members)}))
    with pytest.raises(
        LimitError, match=mentions("nested/b.zip!c.zip!3.pyr: ... 0 MiB ... annotations ... Read fewer")
    ):
        read_files([nested])
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "pairs.zip").write_bytes(zipped({name: data * 40 for name, data in CORPUS.items()}))
    with pytest.raises(LimitError, match=mentions("corpus/pairs.zip: ... 0 MiB ... total ... one split")):
        read_pair_corpus(corpus / "pairs.zip")


def test_no_reader_waits_for_a_pipe(tmp_path: Path) -> None:
    """`report`, `pit score` and `score --official` waited forever for a named pipe without a writer."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = "pipe: ... pipe ... content"
    for reader in (
        open_input,
        read_score_table,
        lambda path: read_results([path]),
        lambda path: read_bytes(path, 1, ""),
    ):
        with pytest.raises(InputError, match=mentions(message)):
            reader(pipe)
    with pytest.raises(InputError, match=mentions("/dev/null: ... pipe ... content")):
        open_input("/dev/null")
    with pytest.raises(IsADirectoryError):
        open_input(tmp_path)


def test_a_file_that_has_nothing_to_say_yet_cannot_be_read() -> None:
    """`inspect /` ended in an AttributeError: reading /proc/kmsg, which is a regular file, gave None."""
    end, other_end = os.pipe()
    os.set_blocking(end, False)
    with inputs._Reader(io.FileIO(end)) as file, io.FileIO(other_end, "wb"), pytest.raises(BlockingIOError):
        file.read(1)


@pytest.mark.full
def test_digits_in_the_records_of_an_archive_have_a_limit(tmp_path: Path) -> None:
    """Python 3.11.7 needs time quadratic in the digits. Fuzzing found 433 records in a file of 14 KB: 11 seconds."""
    member = header("x.txt", tarfile.REGTYPE, 0)
    usual = (pax(tarfile.XHDTYPE, [("mtime", "1234567890.123456789")]) + member) * 2000
    digits = pax(tarfile.XHDTYPE, [("comment", "1" * 4000)]) + member  # 16 million each, and 200 million are allowed
    assert len(read(tmp_path, "a.tar", usual + digits * 12 + FILE + END).annotations) == 1
    message = mentions("a.tar: ... digits ... headers ... unpack")
    with pytest.raises(LimitError, match=message):
        read(tmp_path, "a.tar", usual + digits * 13 + FILE + END)
    inner = digits * 7 + FILE + END
    half = header("b.tar", tarfile.REGTYPE, len(inner)) + padded(inner)
    with pytest.raises(LimitError, match=message):
        read(tmp_path, "a.tar", half * 2 + END)


@pytest.mark.parametrize("members", [1, 2], ids=["first", "later"])
def test_names_in_gzip_headers_have_a_limit(tmp_path: Path, members: int) -> None:
    """The library reads them byte by byte: a name of 100 MB took eight seconds, and was never shown."""
    (tmp_path / "corpus").mkdir()
    places = (tmp_path / "x.tar.gz", tmp_path / "corpus" / "train.data.gz", tmp_path / "x.tsv.gz")
    readers = (read_files, lambda paths: read_pair_corpus(paths[0].parent), lambda paths: read_table(paths[0]))
    for length, refused in ((16_000, False), (200_000, True)):
        data = gzip.compress(b"")[:3] + b"\x08" + bytes(6) + b"x" * length + b"\0" + gzip.compress(b"")[10:]
        for path, reader in zip(places, readers, strict=True):
            path.write_bytes((gzip.compress(b"") * (members - 1)) + data)
            with pytest.raises(PyramidParaphraseError) as caught:  # if only since nothing else is in it
                reader([path])
            message = mentions(f"{path.name}: ... gzip header ... 16 KiB ... Compress")
            assert bool(re.search(message, str(caught.value))) == refused
