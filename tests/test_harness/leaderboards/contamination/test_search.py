"""Search of corpora in all forms: the same texts are found, and whatever is not read is counted."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.messages import mentions

from harness.leaderboards.contamination import corpora
from harness.leaderboards.contamination.grams import GramIndex, hash_text
from harness.leaderboards.contamination.search import SearchedFile, hash_corpus, search_corpus
from pyramid_paraphrase.errors import EmptyResultError, InputError

SALT = b"salt"
TEXTS = (
    "The old mill by the river was sold to a museum in May",
    "Rain fell on caf\u00e9s in the north",
    "The mill was sold",
    "This sentence is in no corpus, as far as anybody knows",
)
RECORDS: list[dict[str, Any]] = [
    {"id": "a b c d", "text": f"News: {TEXTS[0]}.", "n": 5, "more": None},
    {"id": "e f g h", "text": "", "more": {"list": ["x", [TEXTS[1].upper()]], "flag": True}},
    {"id": "i j k l", "text": "The mill", "more": {"next": "was sold"}},  # not in one text
    {"id": "m n o p", "text": "The  mill\n\u00a0was sold"},
]
IN_TEXT, IN_MORE, NOWHERE = {0, 2}, {1}, 3


def search(
    *paths: Path, fields: Sequence[str] = (), workers: int = 1
) -> tuple[set[int], Counter[str], list[SearchedFile]]:
    """Return which of the texts are found, the counts, and the files."""
    hashes = [hash_text(text, SALT) for text in TEXTS]
    files, counts = search_corpus(GramIndex(hashes, [SALT] * len(TEXTS)), paths, fields, workers)
    owners = np.repeat(np.arange(len(TEXTS)), [len(part) for part in hashes])
    return {int(owners[hit]) for file in files for hit in file.found}, counts, files


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def render_lines() -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)


def render_parquet(**options: str) -> bytes:
    more = [None, ["x", TEXTS[1].upper()], ["was sold"], []]
    columns = {
        "id": pa.array([record["id"] for record in RECORDS]).dictionary_encode(),
        "text": pa.array([record["text"] for record in RECORDS], pa.large_string()),
        "n": pa.array([1, 2, 3, 4]),
        "more": pa.array([[{"value": text} for text in texts or []] for texts in more]),
    }
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, row_group_size=2, **options)
    return file.getvalue()


def zip_file(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("corpus.txt", data)
    return file.getvalue()


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, "zstd", asbytes=True))


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "two members of gzip": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "two streams of xz": lambda data: lzma.compress(data[:99]) + b"\0" * 4 + lzma.compress(data[99:]),
    "zstd": zstd,
    "two frames of zstd": lambda data: zstd(data[:99]) + zstd(data[99:]),
    "zip": zip_file,
}


@pytest.mark.parametrize("form", COMPRESSIONS)
def test_compressed_files(tmp_path: Path, form: str) -> None:
    file = write(tmp_path / "corpus", COMPRESSIONS[form](render_lines()))
    found, counts, files = search(file)
    assert (found, counts) == (IN_TEXT | IN_MORE, {})
    assert files[0].sha256 == search(write(tmp_path / "plain", render_lines()))[2][0].sha256
    text = "\n".join([TEXTS[0], TEXTS[1], TEXTS[2]]) * 3
    assert search(write(tmp_path / "text", COMPRESSIONS[form](text.encode())))[:2] == ({0, 1, 2}, {})


@pytest.mark.parametrize(
    ("name", "content", "searched_lines"),
    [
        ("lines", render_lines(), 0),
        ("lines of Windows, with a mark", b"\xef\xbb\xbf" + render_lines().replace(b"\n", b"\r\n"), 0),
        ("one line", json.dumps(RECORDS).encode(), 0),
        ("document", json.dumps(RECORDS, indent=1).encode(), 0),
        ("nested document", json.dumps({"data": RECORDS}, indent=2).encode(), 0),
        ("parquet", render_parquet(), 0),
        ("compressed parquet", render_parquet(compression="zstd"), 0),
        ("lines, some of them damaged", render_lines() + b'{"text": NaN}\n{"text"\n', 2),
    ],
)
def test_forms_of_records(tmp_path: Path, name: str, content: bytes, searched_lines: int) -> None:
    file = write(tmp_path / name, content)
    found, counts, _ = search(file)
    assert found == IN_TEXT | IN_MORE
    assert counts == ({corpora.NOT_JSON: searched_lines} if searched_lines else {})


def test_fields(tmp_path: Path) -> None:
    for name, content in (
        ("lines", render_lines()),
        ("document", json.dumps(RECORDS, indent=1)),
        ("p", render_parquet()),
    ):
        file = write(tmp_path / name, content)
        found, counts, _ = search(file, fields=["text"])
        assert (found, counts) == (IN_TEXT, {}), name
        assert search(file, fields=["text", "more"])[0] == IN_TEXT | IN_MORE, name
        assert search(file, fields=["missing"])[:2] == (set(), {corpora.WITHOUT_FIELD: 4}), name


def test_texts_go_across_lines_but_texts_of_records_do_not(tmp_path: Path) -> None:
    wrapped = TEXTS[0].replace(" ", "\n  ")
    assert search(write(tmp_path / "text", wrapped))[0] == {0}
    records = "".join(json.dumps({"word": word}) + "\n" for word in TEXTS[0].split())
    assert search(write(tmp_path / "lines", records))[0] == set()


def test_folders(tmp_path: Path) -> None:
    """Hidden files are counted. Files that are no text are named, and the others are searched."""
    folder = tmp_path / "corpus"
    for name in ("b", "a/deep", ".git"):
        (folder / name).mkdir(parents=True)
    write(folder / "a/deep/one.txt", TEXTS[0])
    write(folder / "b/two.jsonl.gz", gzip.compress(render_lines()))
    write(folder / ".git/three.txt", TEXTS[NOWHERE])
    write(folder / "b/.hidden", TEXTS[NOWHERE])
    write(folder / "b/picture", b"\x89PNG\0\0")
    write(folder / "b/paper.pdf", b"%PDF-1.7 ")
    write(folder / "b/wide.txt", TEXTS[NOWHERE].encode("utf-16"))
    write(folder / "b/archive.tar", bytes(1024))
    write(folder / "b/empty", b"")
    found, counts, files = search(folder)
    assert (found, counts) == ({0, 1, 2}, {corpora.HIDDEN: 2})
    problems = {Path(file.name).name: bool(file.problem) for file in files}
    assert list(problems) == ["one.txt", "archive.tar", "empty", "paper.pdf", "picture", "two.jsonl.gz", "wide.txt"]
    assert [name for name, problem in problems.items() if problem] == [
        "archive.tar",
        "paper.pdf",
        "picture",
        "wide.txt",
    ]
    for file in files:
        if file.problem:
            assert file.name in file.problem


def test_what_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=mentions(str(tmp_path / "missing"))):
        search(tmp_path / "missing")
    with pytest.raises(EmptyResultError, match=mentions(str(tmp_path))):
        search(tmp_path)


def test_bytes_that_are_not_utf8_are_counted(tmp_path: Path) -> None:
    data = TEXTS[0].encode() + b"\xff\n" + TEXTS[1].encode("latin-1") + b"\n" + TEXTS[2].encode() + "\ufffd".encode()
    assert search(write(tmp_path / "text", data))[:2] == ({0, 2}, {corpora.NOT_UTF8: 2})
    line = b'{"text": "' + TEXTS[1].encode("latin-1") + b'"}\n'
    assert search(write(tmp_path / "lines", render_lines() + line))[1] == {
        corpora.NOT_UTF8: 1,
        corpora.NOT_JSON: 1,
    }


@pytest.mark.parametrize("form", ["gzip", "bzip2", "xz", "zstd"])
def test_truncated_files_are_read_as_far_as_possible(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "_CHUNK_BYTES", 1 << 16)
    noise = random.Random(0)
    lines = [" ".join(noise.choices(["stone", "water", "tree", "road", "wind"], k=200)) for _ in range(600)]
    data = "\n".join([TEXTS[0], *lines, TEXTS[2]]).encode()
    file = write(tmp_path / "corpus", COMPRESSIONS[form](data)[:-500])
    found, _, (searched,) = search(file)
    assert found <= {0}
    assert str(file) in searched.problem
    if form != "bzip2":
        assert found == {0}


def test_a_bomb_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    for form in ("gzip", "bzip2", "xz", "zstd", "zip"):
        file = write(tmp_path / form, COMPRESSIONS[form](b"a " * (2 << 20)))
        _, _, (searched,) = search(file)
        assert "200" in searched.problem


def test_xz_that_needs_much_memory_is_a_problem(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}]
    file = write(tmp_path / "corpus.xz", lzma.compress(b"some text", filters=filters))
    _, _, (searched,) = search(file)
    assert str(file) in searched.problem


@pytest.mark.parametrize("position", [0, 3, 100])
def test_damaged_parquet_is_a_problem(tmp_path: Path, position: int) -> None:
    data = bytearray(render_parquet())
    data[-60 - position : -40 - position] = bytes(20)
    file = write(tmp_path / "corpus.parquet", bytes(data))
    _, _, (searched,) = search(file)
    assert not searched.problem or str(file) in searched.problem
    assert search(write(tmp_path / "short.parquet", render_parquet()[:50]))[2][0].problem


def test_long_lines_are_searched_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "MAX_RECORD_BYTES", 2_000)
    monkeypatch.setattr(corpora, "_CHUNK_BYTES", 300)
    long = json.dumps({"text": f"{'stone ' * 1_000}{TEXTS[2]}. {'water ' * 1_000}"})
    file = write(tmp_path / "lines", f"{json.dumps({'text': TEXTS[0]})}\n{long}\n{json.dumps({'text': TEXTS[1]})}\n")
    found, counts, _ = search(file)
    assert found == {0, 1, 2}
    assert list(counts) == [corpora.TOO_LONG]
    assert counts[corpora.TOO_LONG] > 5


def test_deep_json_is_searched_as_text(tmp_path: Path) -> None:
    line = "[" * 100_000 + json.dumps(TEXTS[0]) + "]" * 100_000
    found, counts, _ = search(write(tmp_path / "lines", render_lines() + line.encode() + b"\n"))
    assert found == {0, 1, 2}
    assert counts == {corpora.NOT_JSON: 1}


@pytest.mark.parametrize("kind", ["text", "lines"])
def test_parts_of_a_file_find_what_the_whole_file_contains(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of any size begin at any place of a line, and between the words of a text."""
    lines = [f"line {number} has water and stone" for number in range(40)]
    lines[20:20] = TEXTS[0].split() if kind == "text" else [TEXTS[0]]
    lines[30:30] = [TEXTS[1], "", TEXTS[2]]
    content = "\n".join(json.dumps({"text": line}) if kind == "lines" else line for line in lines) + "\n"
    file = write(tmp_path / "corpus", content)
    whole = search(file)[2][0]
    assert whole.words == (40 * 6 + 13 + 7 + 4) + (44 - 1 if kind == "lines" else 0)
    for size in range(1, 300, 7):
        for chunk in (1, 17, 1_000):
            monkeypatch.setattr(corpora, "_PART_BYTES", size)
            monkeypatch.setattr(corpora, "_CHUNK_BYTES", chunk)
            found, _, (searched,) = search(file)
            assert found == {0, 1, 2}, (size, chunk)
            if kind == "text":
                assert searched.words == whole.words, (size, chunk)


def test_the_outcome_does_not_depend_on_the_number_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "_PART_BYTES", 200)
    for number, text in enumerate(TEXTS[:3]):
        write(tmp_path / f"{number}.txt", f"{'water and stone ' * 40}\n{text}\n{'wind ' * 100}")
    write(tmp_path / "broken", b"a\0b")
    alone, together = search(tmp_path), search(tmp_path, workers=2)
    assert alone == together
    assert alone[0] == {0, 1, 2}


def test_the_hash_of_a_corpus_depends_on_its_words_only(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    write(tmp_path / "one/a", TEXTS[0])
    write(tmp_path / "one/b", TEXTS[1])
    write(tmp_path / "two/x", gzip.compress(TEXTS[1].encode()))
    write(tmp_path / "two/y", TEXTS[0])
    write(tmp_path / "three/a", TEXTS[0])
    write(tmp_path / "three/b", TEXTS[2])
    first, second, third = (hash_corpus(search(tmp_path / name)[2]) for name in ("one", "two", "three"))
    assert first == second != third
