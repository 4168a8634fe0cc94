"""Word vectors: one matrix in every format and compression, and refused files. The bytes are written by hand."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
import struct
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.models.files import vector_files
from harness.models.files.vector_files import WordVectors, read_word_vectors
from pyramid_paraphrase.errors import InputError, LimitError, OptionError

VECTORS: dict[str, tuple[float, ...]] = {
    "the": (0.5, -1.0, 2.0),
    ",": (0.25, 0.0, 1e-3),
    "Haus": (1.0, 2.0, 3.0),
    "na\u00efve": (-0.125, 4.0, 5.5),
    "7": (6.0, 7.0, 8.0),
}
ROWS = "the 0.5 -1.0 2.0\n, 0.25 0.0 1e-3\nHaus 1 2 3\nna\u00efve -0.125 4.0 5.5\n7 6 7 8\n".encode()


def binary(vectors: dict[str, tuple[float, ...]], end: bytes = b"\n") -> bytes:
    rows = [word.encode() + b" " + struct.pack(f"<{len(row)}f", *row) + end for word, row in vectors.items()]
    return b"%d %d\n" % (len(vectors), len(next(iter(vectors.values())))) + b"".join(rows)


def zipped(*names: str, data: bytes = ROWS) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data if not name.endswith("/") else b"")
    return stream.getvalue()


FILES = {
    "glove": ROWS,
    "glove without a last line end": ROWS[:-1],
    "word2vec-text": b"5 3\n" + ROWS,
    "word2vec-text with BOM, CRLF and blank lines": b"\xef\xbb\xbf5 3\r\n" + ROWS.replace(b"\n", b"\r\n") + b"\r\n\n",
    "word2vec-text by fastText": b"5 3\n" + ROWS.replace(b"\n", b" \n"),
    "word2vec-text with tabs": b"5\t3\n" + ROWS.replace(b" ", b"\t"),
    "glove with tabs after words": b"\n".join(line.replace(b" ", b"\t", 1) for line in ROWS.split(b"\n")),
    "word2vec-binary": binary(VECTORS),
    "word2vec-binary without line ends": binary(VECTORS, b""),
}
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in two members": lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:]),
    "bzip2": bz2.compress,
    "zip": lambda data: zipped("folder/", "folder/v.txt", data=data),
}


def read(path: Path, data: bytes, wanted: Collection[str] = tuple(VECTORS), layout: str = "auto") -> WordVectors:
    (path / "v").write_bytes(data)
    return read_word_vectors(path / "v", wanted, format=layout)


def refuse(path: Path, data: bytes, wanted: Collection[str] = tuple(VECTORS), layout: str = "auto") -> str:
    """Return the error message without the folder, which differs in every run."""
    with pytest.raises(InputError) as caught:
        read(path, data, wanted, layout)
    return str(caught.value).replace(f"{path}{os.sep}", "")


def as_dict(vectors: WordVectors) -> dict[str, tuple[float, ...]]:
    return {word: tuple(map(float, vectors.matrix[row])) for word, row in vectors.rows.items()}


def single(vectors: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    return {word: tuple(map(float, np.array(row, np.float32))) for word, row in vectors.items()}


BLOCKS = (1, 7, 1 << 16)


@pytest.mark.parametrize("name", FILES)
def test_all_formats_give_the_same_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Pairwise: every format with every compression, and both with every size of a block."""
    for number, pack in enumerate(PACKINGS.values(), list(FILES).index(name)):
        monkeypatch.setattr(vector_files, "BLOCK_BYTES", BLOCKS[number % len(BLOCKS)])
        vectors = read(tmp_path, pack(FILES[name]))
        assert as_dict(vectors) == single(VECTORS)
        assert list(vectors.rows) == list(VECTORS)
        assert (vectors.matrix.dtype, vectors.matrix.shape, vectors.dimension) == (np.float32, (5, 3), 3)
        assert vectors.format == name.split()[0]
        assert read(tmp_path, FILES[name], layout=vectors.format).rows == vectors.rows


@pytest.mark.parametrize("name", FILES)
def test_only_wanted_words_are_kept_in_the_order_of_the_file(tmp_path: Path, name: str) -> None:
    wanted = ["7", "absent", "", "the", "haus", "half \ud800", "New York"]
    assert as_dict(read(tmp_path, FILES[name], wanted)) == {"the": (0.5, -1.0, 2.0), "7": (6.0, 7.0, 8.0)}
    nothing = read(tmp_path, FILES[name], {"absent"})
    assert (nothing.rows, nothing.matrix.shape, nothing.matrix.dtype) == ({}, (0, 3), np.float32)


@pytest.mark.parametrize("packing", PACKINGS)
def test_progress_adds_up_to_the_size_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: str
) -> None:
    monkeypatch.setattr(vector_files, "BLOCK_BYTES", 7)
    data = PACKINGS[packing](ROWS)
    (tmp_path / "v").write_bytes(data)
    steps: list[int] = []
    read_word_vectors(tmp_path / "v", (), progress=steps.append)
    assert sum(steps) == len(data)
    assert min(steps) >= 0


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1)
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
PLAUSIBLE = st.floats(2**-20, 2**20, width=32) | st.floats(-(2**20), -(2**-20), width=32) | st.just(0.0)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, dict[str, tuple[float, ...]]]:
    """Draw a form of a file and its rows. Binary rows have values that vectors have, because others are refused."""
    kind = draw(st.sampled_from(["glove", "text", "binary", "packed"]))
    values = [PLAUSIBLE if kind in ("binary", "packed") else FLOATS] * draw(st.integers(1, 5))
    return kind, draw(st.dictionaries(WORDS, st.tuples(*values), min_size=1, max_size=12))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), st.integers(1, 40))
def test_what_is_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: tuple[str, dict[str, tuple[float, ...]]], block: int
) -> None:
    kind, vectors = table
    monkeypatch.setattr(vector_files, "BLOCK_BYTES", block)
    rows = "".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in vectors.items()).encode()
    header = f"{len(vectors)} {len(next(iter(vectors.values())))}\n".encode()
    data = {"glove": rows, "text": header + rows, "binary": binary(vectors), "packed": binary(vectors, b"")}[kind]
    layout = "auto" if kind in ("glove", "text") else "word2vec-binary"
    assert as_dict(read(tmp_path, data, vectors, layout)) == vectors


def test_the_first_row_of_a_word_counts_and_later_rows_are_not_parsed(tmp_path: Path) -> None:
    assert as_dict(read(tmp_path, b"a 1 2\na 3 4\na 5\nb 6 7\nc x y\n", "a")) == {"a": (1.0, 2.0)}
    twice = b"2 1\na " + struct.pack("<f", 1) + b"a " + struct.pack("<f", np.nan)
    assert as_dict(read(tmp_path, twice, "a", "word2vec-binary")) == {"a": (1.0,)}


def test_odd_bytes_elsewhere_do_no_harm(tmp_path: Path) -> None:
    data = b"caf\xe9 1 2\n\xff\xfe\x00 3 4\n 5 6\na\x85b 7 8\nna\xc3\xafve 9 10\n"
    assert as_dict(read(tmp_path, data, {"na\u00efve", "5", "a"})) == {"na\u00efve": (9.0, 10.0)}


BLANKS = b"at 1 2 3\nat name@example.org 4 5 6\n. . . 7 8 9\nNew York 1 1 1\nNew 2 2 2\nat infinity 0 0 0\n"


def test_words_with_blanks_are_not_their_first_part(tmp_path: Path) -> None:
    """GloVe's glove.840B has rows such as `at name@domain.com 0.1 ...`, which are not rows of "at"."""
    assert as_dict(read(tmp_path, BLANKS, {"New", ".", "at"})) == {"at": (1.0, 2.0, 3.0), "New": (2.0, 2.0, 2.0)}
    phrases = {"New York": (1.0, 1.0, 1.0), ". . .": (7.0, 8.0, 9.0)}
    assert as_dict(read(tmp_path, BLANKS, phrases)) == phrases
    assert as_dict(read(tmp_path, BLANKS.replace(b"York ", b"York\t"), phrases)) == phrases


@pytest.mark.parametrize(
    ("data", "layout", "dimension"),
    [
        (b"the 5\na 6\n", "glove", 1),
        (b"5 7\nthe 3\n6 1\n", "glove", 1),
        (b"2 1\nthe 3\n6 1\n", "word2vec-text", 1),
        (b"1 2\nthe 3 4\n", "word2vec-text", 2),
        (b"the 5\na 1 2 3\nb 1 2 3\n", "glove", 3),
        (b"1 2 3\n4 5 6\n", "glove", 2),
        (b"0 4\n", "word2vec-text", 4),
        (b"1 2\nx " + struct.pack("<2f", 0.1, 0.1), "word2vec-binary", 2),
        (b"1 2\n\xe9 0.1 0.2", "word2vec-text", 2),
    ],
)
def test_formats_are_detected_by_content(tmp_path: Path, data: bytes, layout: str, dimension: int) -> None:
    vectors = read(tmp_path, data, ())
    assert (vectors.format, vectors.dimension) == (layout, dimension)


CORRECT = ". ... correct this row"
AGAIN = ". ... compare its size"
FIRST_LINE = ". ... correct its first line"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a 1 2\nb 1\n", "v, line 2: 'b' ... 1 instead of 2 values" + CORRECT),
        (b"a 1 2\nc 1 2\nb 1 2 3\n", "v, line 3: 'b' ... 3 instead of 2 values" + CORRECT),
        (b"2 1\na 1 2\nb 1 2\n", "v, line 2: 'a' ... 2 instead of 1 values ... dimension in the first line"),
        (b"a 1 2\nb\r\n", "v, line 2: 'b' ... 0 instead of 2 values" + CORRECT),
        (b"a 1 2\n\nb 1 x\n", "v, line 3: 'b' ... 'x', ... not a number" + CORRECT),
        (b"a 1 2\nb 1_0 2\n", "v, line 2: 'b' ... '1_0', ... not a number" + CORRECT),
        (b"a 1 2\nb 1 nan\n", "v, line 2: 'b' ... not finite" + CORRECT),
        (b"a 1 2\nb 1 inf\n", "v, line 2: 'b' ... not finite" + CORRECT),
        (b"2 2\na 1 2\nb 1 1e39\n", "v, line 3: 'b' ... single precision ... Multiply all values"),
        (b"a 0 0\nb 1e-60 0\n", "v, line 2: 'b' ... single precision ... Multiply all values"),
        (b"a 1 2\nc 1", "v, line 2: ... ends within this row" + AGAIN),
        (b"a 1 2\nb 1 x", "v, line 2: 'b' ... 'x', ... not a number" + CORRECT),
        (b"3 2\na 1 2\nc 1 2\n", "v: ... 2 rows, ... first line says 3" + FIRST_LINE),
        (b"1 2\na 1 2\nc 1 2\n", "v: ... 2 rows, ... first line says 1" + FIRST_LINE),
        (binary({"a": (1, 2), "b": (np.inf, 0)}), "v: 'b' in row 2 of 2 ... not finite" + CORRECT),
        (binary({"a": (1, 2), "c": (1, 2)})[:-2], "v: ends in row 2 of 2" + AGAIN),
        (binary({"a": (1, 2)}) + b"x", "v: ... more rows, ... first line says 1" + FIRST_LINE),
        (binary({"a": (1, 2)}) + b"c" + b" " * 9, "v: ... more rows, ... first line says 1" + FIRST_LINE),
    ],
)
def test_invalid_rows(tmp_path: Path, data: bytes, message: str) -> None:
    assert re.search(mentions(message), refuse(tmp_path, data, ("a", "b")))


GIVE = "... word2vec's, GloVe's or fastText's format"
NO_ROWS = f"v: ... no rows of a word {GIVE}"
PICKLE = (
    "v: is a pickle ( ... python -c"
    " \"from gensim.models import KeyedVectors; KeyedVectors.load('v').save_word2vec_format('vectors.txt')\""
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "v: is empty. Get"),
        (b"\xef\xbb\xbf\r\n", "v: is empty. Get"),
        (gzip.compress(b"", mtime=0), "v: is empty. Get"),
        (b"\x80\x04\x95\x00", PICKLE),
        (gzip.compress(b"\x80\x02}q\x00.", mtime=0), PICKLE),
        (b"\x93NUMPY\x01\x00", f"v: ... NumPy array {GIVE}"),
        (struct.pack("<q", 2) + b'{"a":1}', "v: ... safetensors file ... folder"),
        (
            b"GGUF\x03\0\0\0",
            "v: ... GGUF file ... `llama-server -m ... v --port 8080` ... hosted-judge:v ... endpoint:",
        ),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80", "v: ... PyTorch file ... folder"),
        (b'{\n  "version": "1.0"}', "v: ... JSON file ... folder"),
        (b"\x89HDF\r\n\x1a\n", f"v: ... HDF5 file {GIVE}"),
        (bytes(257) + b"ustar", "v: ... tar archive. Unpack it"),
        (zipped("archive/data.pkl", "archive/data/0"), "v: ... PyTorch file ... folder"),
        (zipped("m/config.json", "m/weights"), "v: ... archive of a model. Unpack it ... folder"),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "v: ... Excel ... CSV"),
        (
            zipped("a.txt", "b.txt"),
            "v: ... 1 file in the archive, found 2. Unpack it",
        ),
        (zipped(), "v: ... 1 file in the archive, found 0. Unpack it"),
        (b"Dear reader,\nthis is no file of vectors.\n", NO_ROWS),
        (b"a,0.1,0.2\n", NO_ROWS),
        (b"3 0\na\n", NO_ROWS),
        (b"\n" * 20 + b"a 1 2", NO_ROWS),
        (b"\x89PNG\r\n\x1a\n\x00\x00", NO_ROWS),
        (b"1 4097\na 1 2\n", f"v: ... 4,096 values {GIVE}"),
        (b"a" + b" 1" * 4_097, f"v: ... 4,096 values {GIVE}"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, data: bytes, message: str) -> None:
    assert re.search(mentions(message), refuse(tmp_path, data))


def test_small_files_cannot_become_large(tmp_path: Path) -> None:
    """Every text gets a vector of the file's dimension: a row of 65,536 values in 262 kB took 3.1 GiB on DUC 2007."""
    assert read(tmp_path, binary({"a": (0,) * 4_096}), "a").dimension == 4_096
    assert re.search(mentions("v: ... 4,096 values ... word vectors"), refuse(tmp_path, binary({"a": (0,) * 65_536})))
    packed = gzip.compress(b"1000000 2\n" + b"a 1 2\n" * 1_000_000)
    assert re.search(mentions("v: ... 200 times ... unpack"), refuse(tmp_path, packed))


def test_the_first_mebibyte_may_come_from_any_number_of_bytes() -> None:
    """A size equal to the limit is accepted, and one more byte is refused. The compressed file counts 0 bytes here."""
    size = 1 << 20
    raw = io.BytesIO()
    assert sum(map(len, vector_files._read_chunks([io.BytesIO(bytes(size))], raw, "v", None))) == size
    with pytest.raises(LimitError, match=mentions("v: ... 200 times ... unpack")):
        list(vector_files._read_chunks([io.BytesIO(bytes(size + 1))], raw, "v", None))


def test_lines_and_words_have_limits(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=mentions("v, line 1: ... 4 MiB ... word vectors")):
        read(tmp_path, b"a" * (5 << 20))
    with pytest.raises(LimitError, match=mentions("v, line 13: ... 4 MiB ... word vectors")):
        read(tmp_path, b"a 1 2\n" * 12 + b"1 " * (5 << 19))
    with pytest.raises(LimitError) as caught:
        read(tmp_path, binary({"a": (1, 2), "b" * 70_000: (3, 4)}))
    assert re.search(mentions("v: row 2 ... 65,536 bytes ... 'word2vec-binary'"), str(caught.value))


def test_formats_of_the_caller(tmp_path: Path) -> None:
    assert read(tmp_path, b"5 7\na 1\n", "a", "glove").format == "glove"
    for layout in ("word2vec-text", "word2vec-binary"):
        assert re.search(mentions(f"v, line 1: ... header ... '{layout}'"), refuse(tmp_path, ROWS, (), layout))
    with pytest.raises(OptionError) as caught:
        read(tmp_path, ROWS, (), "word2vec-txt")
    assert re.search(mentions("'word2vec-txt' ... 'word2vec-text' ... auto, fasttext-binary, glove"), str(caught.value))


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        (b"0 3", True),
        (b" \t0\t \t3\t \r", True),
        (b"0" * 18 + b" " + b"0" * 17 + b"3", True),
        (b"0" * 19 + b" 3", False),
        (b"0 " + b"0" * 18 + b"3", False),
        *(
            (line, False)
            for line in (b"t0 3", b"0t3", b"0 3t", b"0 3r", b"0,3", b"03", b"0 ", b" 3", b"-0 3", b"0 3 3")
        ),
    ],
)
def test_headers(tmp_path: Path, header: bytes, accepted: bool) -> None:
    """Two numbers of up to 18 digits, with blanks and tabs between and around, and nothing else."""
    if accepted:
        assert read(tmp_path, header + b"\n", (), "word2vec-text").dimension == 3
    else:
        assert re.search(
            mentions("v, line 1: ... header ... 'word2vec-text'"), refuse(tmp_path, header + b"\n", (), "word2vec-text")
        )


NUMBERS = ["1", "12", "1.", "1.5", "12.55", "+1", "-1", ".5", ".55", "1e5", "1E5", "1e+5", "1e-5", "1.5e-10", ".5E+10"]
NO_NUMBERS = ["+", ".", "e5", "1e", "1e+", "1x5", "--1", "1.2.3", "1e5e5", "1,5", "nan", "inf", "0x1", "d", "1d", "d1"]


def test_numbers_at_the_end_of_a_line() -> None:
    fields = (*NUMBERS, *NO_NUMBERS)
    counts = {field: vector_files._count_values(f"word {field} 7".encode()) for field in fields}
    assert counts == dict.fromkeys(NUMBERS, 2) | dict.fromkeys(NO_NUMBERS, 1)


def test_a_value_of_a_million_digits() -> None:
    """The time grew with the square of the digits: 24,000 took three seconds, a million would take hours."""
    assert vector_files._count_values(b"word " + b"9" * 1_000_000 + b"- 7") == 1


@pytest.mark.parametrize(
    ("byte", "is_binary"), [*((b, True) for b in (0, 1, 5, 8, 14, 20, 31)), (11, False), (65, False)]
)
def test_control_characters_indicate_binary_files(tmp_path: Path, byte: int, is_binary: bool) -> None:
    """Rows that are shorter than the header says are binary or text. Rows of one number need no header."""
    header = vector_files._HEADER.fullmatch(b"2 2")
    expected = "word2vec-binary" if is_binary else "glove"
    assert vector_files._guess_format(header, [b"a 1", b"b" + bytes([byte])]) == expected


def test_ten_lines_decide(tmp_path: Path) -> None:
    """Five rows of two values and five of one value: in a tie, the first row decides. Row eleven does not count."""
    data = b"a 1 2\n" * 5 + b"b 1\n" * 6
    assert read(tmp_path, data, ()).dimension == 2
    assert read(tmp_path, b"b 1\n" + data, ()).dimension == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        *((b"\x80" + bytes([protocol]), "pickle") for protocol in (2, 3, 4, 5)),
        *((b"\x80" + bytes([protocol]), "no rows of a word") for protocol in (1, 6)),
        (b"\x93NUMPX", "no rows of a word"),
        (struct.pack("<q", 0x0A0B0C0D0E) + b'{"', "safetensors file"),
        (struct.pack("<q", 2) + b"{a", "no rows of a word"),
        (b"\n" * 5 + bytes(3) + b'{"', "safetensors file"),
        (b"\n" * 257 + b"ustar", "tar archive"),
        (bytes(257) + b"ustax", "no rows of a word"),
        (b"\x89HDF\r", "no rows of a word"),
        (b"GGUF\n\0\0\0", "GGUF file"),
        (b"GGUF\3\0\0\1", "no rows of a word"),
        (b"GGUX\3\0\0\0", "no rows of a word"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19,", "pickle"),
        (b'\n { "a\nb" : 1}', "JSON file"),
        (b'{"a" 1}', "no rows of a word"),
        (b'{"": 1}', "no rows of a word"),
        (b'"a": b', "no rows of a word"),
    ],
)
def test_files_are_recognized_by_all_of_their_first_bytes(tmp_path: Path, data: bytes, reason: str) -> None:
    assert re.search(mentions(f"v: ... {reason}"), refuse(tmp_path, data))


def test_the_largest_dimension_is_accepted(tmp_path: Path) -> None:
    assert read(tmp_path, b"0 4096\n", ()).dimension == 4_096


def test_progress_through_a_file_of_several_reads_adds_up(tmp_path: Path) -> None:
    """The first read takes 65,536 bytes. This file has more than twice as many."""
    (tmp_path / "v").write_bytes(ROWS * 3000)
    steps: list[int] = []
    read_word_vectors(tmp_path / "v", (), progress=steps.append)
    assert len(steps) > 2
    assert sum(steps) == len(ROWS) * 3000 > 1 << 17


def test_only_bytes_that_were_read_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks from a buffer read nothing from the file. Only the last report may be 0."""
    monkeypatch.setattr(vector_files, "BLOCK_BYTES", 7)
    (tmp_path / "v").write_bytes(gzip.compress(ROWS * 50))
    steps: list[int] = []
    read_word_vectors(tmp_path / "v", (), progress=steps.append)
    assert min(steps[:-1], default=1) > 0


def test_values_are_shown_up_to_forty_characters(tmp_path: Path) -> None:
    message = f"v, line 2: 'b' ... '{'x' * 40}', ... not a number{CORRECT}"
    assert re.search(mentions(message), refuse(tmp_path, b"a 1 2\nb 1 " + b"x" * 50 + b"\n", "ab"))


def test_blank_lines_and_a_missing_last_line_break_do_not_change_the_number_of_rows(tmp_path: Path) -> None:
    for data in (b"1 2\n \na 1 2\n", b"1 2\n\na 1 2", b"1 2\na 1 2\n\n  \n", b"1 2\na 1 2\n\t"):
        assert as_dict(read(tmp_path, data, "a")) == {"a": (1.0, 2.0)}
    assert re.search(mentions("v: ... 2 rows, ... first line says 1"), refuse(tmp_path, b"1 2\na 1 2\nb 1 2", "a"))


@pytest.mark.parametrize(("size", "accepted"), [(64, True), (65, False)])
def test_a_line_is_as_long_as_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, accepted: bool
) -> None:
    monkeypatch.setattr(vector_files, "MAX_LINE_BYTES", 64)
    data = b"a 1\n" * 10 + b"b" * (size - 2) + b" 1"
    if accepted:
        assert as_dict(read(tmp_path, data, "a")) == {"a": (1.0,)}
    else:
        with pytest.raises(LimitError, match=mentions("v, line 11: ... 0 MiB ... word vectors")):
            read(tmp_path, data, "a")


@pytest.mark.parametrize(("size", "error"), [((1 << 16) - 1, InputError), (1 << 16, LimitError)])
def test_a_first_line_as_long_as_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, error: type[InputError]
) -> None:
    """The sample is at least as long. A shorter file of one word has no rows."""
    monkeypatch.setattr(vector_files, "MAX_LINE_BYTES", 1 << 16)
    with pytest.raises(InputError) as caught:
        read(tmp_path, b"a" * size)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (b"abc" + b"d", "row 1 has a word longer than 4 bytes"),
        (b"abc", "ends in row 1 of 1"),
        (b" " + bytes(7), "ends in row 1 of 1"),
        (b"abc " + bytes(8), ""),
        (b"abcd " + bytes(8), "row 1 has a word longer than 4 bytes"),
    ],
)
def test_words_of_binary_files_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: bytes, reason: str
) -> None:
    """A word and the blank after it have four bytes here."""
    monkeypatch.setattr(vector_files, "MAX_WORD_BYTES", 4)
    if reason:
        assert reason in refuse(tmp_path, b"1 2\n" + rows, (), "word2vec-binary")
    else:
        assert read(tmp_path, b"1 2\n" + rows, (), "word2vec-binary").dimension == 2


def test_binary_files_with_an_empty_word_or_without_rows(tmp_path: Path) -> None:
    data = binary({"": (1.0, 2.0), "a": (3.0, 4.0)}, b"")
    assert as_dict(read(tmp_path, data, "a", "word2vec-binary")) == {"a": (3.0, 4.0)}
    assert read(tmp_path, b"0 2\n", "a", "word2vec-binary").rows == {}


@pytest.mark.parametrize("cut", [5, 15, -9, -1])
@pytest.mark.parametrize("packing", ["gzip", "zip"])
def test_truncated_archives_are_refused(tmp_path: Path, packing: str, cut: int) -> None:
    message = refuse(tmp_path, PACKINGS[packing](ROWS)[:cut])
    assert re.search(mentions("v: ... damaged archive ( ... size"), message)
    assert re.search(mentions("v: ... damaged archive ( ... size"), message)


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(ROWS))
    packed[-6] ^= 1
    assert re.search(mentions("v: ... damaged archive (CRC check failed ... size"), refuse(tmp_path, bytes(packed)))
    assert re.search(
        mentions("v: ... (Compressed file ended before ... size"), refuse(tmp_path, bz2.compress(ROWS)[:-5])
    )
    packed = bytearray(bz2.compress(ROWS))
    packed[30] ^= 1
    assert re.search(mentions("v: ... (Invalid data stream). Check its permissions"), refuse(tmp_path, bytes(packed)))
    packed = bytearray(zipped("v.txt"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.index(mark) + offset] |= 1
    assert re.search(mentions("v: ... encrypted archive. ... password"), refuse(tmp_path, bytes(packed)))


def test_paths_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions("is a folder. Use the file with the vectors")):
        read_word_vectors(tmp_path, ())
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=mentions("pipe: ... pipe ... content")):
        read_word_vectors(tmp_path / "pipe", ())
    for path in (tmp_path / "missing", Path("nul\0byte")):
        with pytest.raises(InputError, match=r"no such file\. Check the path$"):
            read_word_vectors(path, ())
    with pytest.raises(InputError, match=mentions("(File name too long). Check its permissions")):
        read_word_vectors(Path("x" * 300), ())


MATRIX = np.random.default_rng(3).uniform(-1, 1, (8, 25))


def packed(words: Collection[bytes], code: str = "<f4") -> bytes:
    rows = [word + b" " + row.astype(code).tobytes() for word, row in zip(words, MATRIX, strict=True)]
    return b"%d %d\n" % (len(rows), MATRIX.shape[1]) + b"".join(rows)


@pytest.mark.parametrize("block", [1, 150, 1 << 16])
@pytest.mark.parametrize("phrase", [b"new york", b"new yor", b"new yo", b"new y", b"new york city", b"new ", b" "])
@pytest.mark.parametrize("wanted", [["new"], ["coast"], ["new york", "coast"]])
def test_binary_rows_of_words_with_a_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phrase: bytes, wanted: list[str], block: int
) -> None:
    """gensim writes such words. "new" got the letters of "york" as a number, and the row of "coast" was lost."""
    monkeypatch.setattr(vector_files, "BLOCK_BYTES", block)
    words = [b"the", b"storm:", b"hit", phrase, b"coast", b"new", b"city", b"port"]
    if phrase == b" " and wanted == ["new"]:
        assert read(tmp_path, packed(words), wanted).rows == {"new": 0}
        return
    message = refuse(tmp_path, packed(words), wanted)
    assert re.search(mentions(f"v: row 4 of 8 ... '{phrase.decode()}' ... blank ... text"), message)


def test_binary_rows_of_words_with_a_blank_do_not_matter_to_other_words(tmp_path: Path) -> None:
    words = [b"the", b"storm", b"hit", b"new york", b"coast", b"new", b"city", b"port"]
    vectors = read(tmp_path, packed(words), ["the", "hit", "city", "port", "inland"])
    assert as_dict(vectors) == single({words[row].decode(): tuple(MATRIX[row]) for row in (0, 2, 6, 7)})


def test_binary_rows_after_line_breaks_of_windows_are_read(tmp_path: Path) -> None:
    """All words but the first were unknown."""
    rows = [word.encode() + b" " + row.astype("<f4").tobytes() for word, row in zip("abc", MATRIX[:3], strict=True)]
    vectors = read(tmp_path, b"3 25\r\n" + b"\r\n".join(rows), "abc")
    assert as_dict(vectors) == single({"a": tuple(MATRIX[0]), "b": tuple(MATRIX[1]), "c": tuple(MATRIX[2])})


def test_binary_numbers_may_have_the_bytes_of_line_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = struct.unpack("<f", b"\r\n\n?")[0]
    vectors = dict.fromkeys("abc", (number,) * 5)
    for block in range(1, 41):
        monkeypatch.setattr(vector_files, "BLOCK_BYTES", block)
        assert as_dict(read(tmp_path, binary(vectors), vectors, "word2vec-binary")) == vectors


def test_binary_rows_of_odd_words_are_read(tmp_path: Path) -> None:
    """word2vec cuts long words within a character. Words in Latin-1 and words with "=" or ":" occur, too."""
    words = [b"http://t", b"=", b"caf\xe9", b"cut\xc3", "\u043c\u0438\u0440".encode(), b"\x85", b"\x01", b"port"]
    vectors = read(tmp_path, packed(words), ["http://t", "=", "\u043c\u0438\u0440", "\x01", "port"])
    assert [vectors.rows[word] for word in ("http://t", "=", "\u043c\u0438\u0440", "\x01", "port")] == [0, 1, 2, 3, 4]
    assert np.array_equal(vectors.matrix, MATRIX[[0, 1, 4, 6, 7]].astype(np.float32))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed([b"a"] * 8, ">f4"), "v: 'a' in row 1 of 8 has big-endian ... little-endian"),
        (packed([b"a"] * 8, "<f8"), "v: 'a' in row 1 of 8 has numbers of 64 bits ... 32 bits"),
        (packed([b"a"] * 8)[:18] + b"\x7f" + packed([b"a"] * 8)[19:], "v: 'a' in row 1 of 8 has the largest value"),
        (packed([b"a"] * 8).replace(b" 25", b" 80"), "v: 'a' in row 1 of 8 has the largest value ... dimension"),
        (binary({"a": (0.5, -2e10)}), "v: 'a' in row 1 of 1 has the largest value -2e+10 ... dimension"),
        (binary({"a": (1e-31, 0)}), "v: 'a' in row 1 of 1 has the largest value 1e-31 ... dimension"),
    ],
)
def test_binary_rows_that_cannot_be_vectors(tmp_path: Path, data: bytes, message: str) -> None:
    assert re.search(mentions(message), refuse(tmp_path, data, "a", "word2vec-binary"))


def test_bounds_of_binary_rows(tmp_path: Path) -> None:
    vectors = {"a": (1e10, 0.0), "b": (1e-29, -0.0), "c": (0.0, 0.0)}
    assert as_dict(read(tmp_path, binary(vectors), "abc", "word2vec-binary")) == single(vectors)
