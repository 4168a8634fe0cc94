"""Documents of other programs that users pass in place of a text."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from helpers.messages import mentions

from pyramid_paraphrase import load
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import refuse_document, refuse_document_at

OPEN_DOCUMENT = "application/vnd.oasis.opendocument."


def zipped(**contents: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


DOCUMENTS = {
    "excel.xlsx": (zipped(_rels="", xl__workbook="<a/>"), "Excel"),
    "openpyxl.xlsx": (zipped(docProps="<a/>" * 99, xl__theme__theme1="<a/>"), "Excel"),
    "calc.ods": (zipped(mimetype=OPEN_DOCUMENT + "spreadsheet"), "Excel ... spreadsheet"),
    "writer.odt": (zipped(mimetype=OPEN_DOCUMENT + "text"), "Word"),
    "word.docx": (zipped(_rels="", word__document="<a/>"), "Word"),
    "old.xls": (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(9), "Excel"),
    "report.pdf": (b"%PDF-1.7\n", "PDF"),
    "rows.parquet": (b"PAR1" + bytes(9), "Parquet"),
    "letter.rtf": (b"{\\rtf1\\ansi A bridge.}", "RTF"),
}
ARCHIVES = {
    "a.7z": (bytes.fromhex("377abcaf271c"), "7z ... Unpack"),
    "a.rar": (b"Rar!\x1a\x07\x01\0", "RAR ... Unpack"),
    "a.xz": (bytes.fromhex("fd377a585a00"), "xz ... Unpack"),
    "a.zst": (bytes.fromhex("28b52ffd"), "zstd ... Unpack"),
    "a.pyr": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n", "Git LFS ... git lfs pull"),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_of_other_programs(tmp_path: Path, name: str) -> None:
    data, kind = DOCUMENTS[name]
    pattern = mentions(f"{name}: ... {kind} ... UTF-8 ... CSV")
    with pytest.raises(InputError, match=pattern):
        refuse_document(name, data)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=pattern):
        refuse_document_at(tmp_path / name)
    with pytest.raises(InputError, match=pattern):
        load("ranking", tmp_path / name)
    with pytest.raises(InputError, match=pattern):
        load("pairs", tmp_path / name)


@pytest.mark.parametrize("name", ARCHIVES)
def test_files_from_which_the_text_has_to_be_fetched(tmp_path: Path, name: str) -> None:
    """A pointer of Git LFS is text, and was scored as a summary."""
    data, message = ARCHIVES[name]
    (tmp_path / name).write_bytes(data)
    for use in (lambda: refuse_document(name, data), lambda: load("ranking", tmp_path / name)):
        with pytest.raises(InputError, match=mentions(f"{name}: ... {message}")):
            use()


def test_other_files_are_no_documents(tmp_path: Path) -> None:
    """A word processor's magic number inside of a text, and archives of other files, are not meant."""
    for data in (b"", b"a %PDF-1.7", zipped(words="xl/"), zipped(word__list="a"), zipped(a=OPEN_DOCUMENT), b"PK\3\4"):
        refuse_document("a", data)
    refuse_document_at(tmp_path)
    refuse_document_at(tmp_path / "missing")
