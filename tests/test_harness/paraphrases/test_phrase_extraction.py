"""Phrase tables from aligned parallel text: against the definition, by hand, and by the command."""

from __future__ import annotations

import gzip
import os
import re
import signal
import tempfile
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture
from helpers.messages import mentions
from helpers.moses_oracle import Points, Spans, list_spans, make_table
from helpers.parallel_text import ALIGNMENTS, SOURCE, TARGET, write_text
from helpers.work import kill_own_process
from hypothesis import given
from hypothesis import strategies as st

from harness.cli import main
from harness.paraphrases import parallel_text, sorting
from harness.paraphrases.extraction import building, phrase_pairs
from harness.paraphrases.extraction.building import build_phrase_table
from harness.paraphrases.extraction.packing import Layout
from harness.paraphrases.extraction.phrase_pairs import extract_spans
from harness.paraphrases.extraction.scoring import ExtractionRules, Scoring, write_lines
from harness.paraphrases.parallel_text import ParallelText, read_chunks
from pyramid_paraphrase.errors import EmptyResultError, InputError, OutputError
from pyramid_paraphrase.files import limits


def run(*arguments: object) -> int:
    return main(["paraphrases", "extract", *map(str, arguments)])


@st.composite
def aligned(draw: st.DrawFn) -> tuple[list[tuple[int, int]], int, int]:
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    points = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    return draw(st.lists(points, max_size=9)), n, m


def find_spans(points: list[tuple[int, int]], n: int, m: int, max_words: int) -> list[Spans]:
    """The spans of a single sentence pair."""
    unique = sorted({(there, here) for here, there in points})
    links = np.array([[here for _, here in unique], [there for there, _ in unique]], int)
    starts = [np.array([0, length]) for length in (n, m)]
    rows = [spans.T for spans in extract_spans(starts, links, max_words)]
    return [(a, a + b, c, c + d) for a, b, c, d in np.concatenate([np.zeros((0, 4), int), *rows]).tolist()]


@given(pair=aligned(), max_words=st.integers(1, 7))
def test_spans_are_those_of_the_definition(pair: tuple[list[tuple[int, int]], int, int], max_words: int) -> None:
    points, n, m = pair
    spans = find_spans(points, n, m, max_words)
    assert len(spans) == len(set(spans))
    assert set(spans) == list_spans(points, n, m, max_words)


def test_unaligned_words_belong_to_both_neighbours_or_none() -> None:
    """ "er geht | ja | nicht" and "he does not go": "ja" and "does" are unaligned, "geht nicht" is reversed."""
    source, target = "er geht ja nicht".split(), "he does not go".split()
    spans = find_spans([(0, 0), (1, 3), (3, 2)], 4, 4, 7)
    pairs = {(" ".join(source[a:b]), " ".join(target[c:d])) for a, b, c, d in spans}
    assert pairs == {
        ("er", "he"),
        ("er", "he does"),
        ("nicht", "not"),
        ("ja nicht", "not"),
        ("nicht", "does not"),
        ("ja nicht", "does not"),
        ("geht", "go"),
        ("geht ja", "go"),
        ("geht ja nicht", "not go"),
        ("geht ja nicht", "does not go"),
        ("er geht ja nicht", "he does not go"),
    }


_TEXT = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["das", "der", "die"]), min_size=1, max_size=6),
        st.lists(st.sampled_from(["the", "it", "a"]), min_size=1, max_size=6),
    ).flatmap(
        lambda pair: st.tuples(
            st.just(pair[0]),
            st.just(pair[1]),
            st.frozensets(
                st.tuples(st.integers(0, len(pair[0]) - 1), st.integers(0, len(pair[1]) - 1)), min_size=1, max_size=6
            ),
        )
    ),
    min_size=1,
    max_size=8,
)


@given(pairs=_TEXT, max_words=st.sampled_from([1, 2, 7, 9, 64]), row_bytes=st.sampled_from([1, 500, 1 << 20]))
def test_tables_are_those_of_the_definitions(
    pairs: list[tuple[list[str], list[str], Points]], max_words: int, row_bytes: int
) -> None:
    """Probabilities, lexical weights, alignments and counts, whatever fits into memory."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrase_pairs, "MAX_ROW_BYTES", row_bytes)
        patch.setattr(sorting, "SAMPLE_EVERY", 2)
        source, target = ("".join(f"{' '.join(pair[side])}\n" for pair in pairs) for side in (0, 1))
        points = "".join(f"{' '.join(f'{i}-{j}' for i, j in sorted(pair[2]))}\n" for pair in pairs)
        text = write_text(Path(name), source, target, points)
        rules = ExtractionRules(max_words)
        try:
            build_phrase_table(text, Path(name, "table"), rules)
            lines = Path(name, "table").read_text().splitlines()
        except EmptyResultError:
            lines = []
    entries = make_table(pairs, max_words)
    assert len(lines) == len(entries)
    for line, entry in zip(lines, entries, strict=True):
        source, target, scores, alignment, counts = line.split(" ||| ")
        assert (source, target, alignment) == (entry.source, entry.target, entry.alignment)
        assert tuple(map(int, counts.split())) == entry.counts
        assert [float(score) for score in scores.split()] == pytest.approx(entry.scores, rel=6e-6)


def test_lexical_weights_by_hand(tmp_path: Path) -> None:
    """Koehn, Och and Marcu (2003), on two sentence pairs.

    "geht" is linked to "does" and "go" once and to "go" once, "er" to "he" twice, "nicht" to "not" once; "ja" is
    unaligned once. w(go|geht) = 2/3, w(does|geht) = 1/3, w(geht|go) = w(geht|does) = 1, w(ja|NULL) = 1. "geht ja" for
    "does go" weighs 1/3 x 2/3 = 2/9 in one direction, and (1 + 1)/2 x 1 = 1 in the other.
    """
    text = write_text(tmp_path, "er geht ja\ner geht nicht\n", "he does go\nhe go not\n", "0-0 1-1 1-2\n0-0 1-1 2-2\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    lines = (tmp_path / "table").read_text().splitlines()
    assert "geht ja ||| does go ||| 0.5 1 1 0.222222 ||| 0-0 0-1 ||| 2 1 1" in lines
    assert "geht ||| go ||| 1 1 0.5 0.666667 ||| 0-0 ||| 1 2 1" in lines
    assert "er geht nicht ||| he go not ||| 1 1 1 0.666667 ||| 0-0 1-1 2-2 ||| 1 1 1" in lines
    assert len(lines) == 10


def test_translation_probabilities_are_rounded_as_moses_prints_them(tmp_path: Path) -> None:
    """3/1280 = 0.00234375 is 0.0023437 by Perl's `%.7f`, and 0.0023438 by numpy's rounding.

    "f" is linked to "b" in 3 of its 1,280 sentence pairs.
    """
    text = write_text(tmp_path, "f\n" * 1280, "b\n" * 3 + "a\n" * 1277, "0-0\n" * 1280)
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    assert (tmp_path / "table").read_text().splitlines()[1] == (
        "f ||| b ||| 1 1 0.00234375 0.0023437 ||| 0-0 ||| 3 1280 3"
    )


def test_of_alignments_as_frequent_the_last_counts_in_each_direction(tmp_path: Path) -> None:
    """ "a b" for "x y" is aligned as 0-0 1-0 0-1 and as 1-0 0-1 1-1, each once.

    Sets of source words of x and y: ({0, 1}, {0}) and ({1}, {0, 1}), of which the second is greater. Sets of target
    words of a and b: ({0, 1}, {0}) and ({1}, {0, 1}), of which the second is greater, too. w(x|a) = 1/3, w(x|b) = 2/3,
    w(y|a) = 2/3, w(y|b) = 1/3: 2/3 x (2/3 + 1/3)/2 = 1/3.
    """
    text = write_text(tmp_path, "a b\na b\n", "x y\nx y\n", "0-0 1-0 0-1\n1-0 0-1 1-1\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    assert (tmp_path / "table").read_text() == "a b ||| x y ||| 1 0.333333 1 0.333333 ||| 1-0 0-1 1-1 ||| 2 2 2\n"


def test_a_table_by_hand(tmp_path: Path, capsys: Capture) -> None:
    """das: three times, as "the" once and as "a" twice; "the" is also die, once. Probabilities are such shares."""
    text = write_text(tmp_path, "das\nDas\ndas\ndie\n", "the\na\nA\nthe\n", "0-0\n0-0\n0-0\n0-0\n")
    table = tmp_path / "new" / "table"
    assert run(*text, "--output", table, "--workers", 1) == 0
    assert table.read_text() == (
        "das ||| a ||| 1 1 0.666666667 0.666667 ||| 0-0 ||| 2 3 2\n"
        "das ||| the ||| 0.5 0.5 0.333333333 0.333333 ||| 0-0 ||| 2 3 1\n"
        "die ||| the ||| 0.5 0.5 1 1 ||| 0-0 ||| 2 1 1\n"
    )
    assert capsys.readouterr().out == (
        "                number\n"
        "sentence pairs       4\n"
        "phrase pairs         4\n"
        "  distinct           3\n"
        "  written            3\n"
        f"{table}\n"
    )
    assert list(table.parent.iterdir()) == [table]


@pytest.mark.parametrize("character", ["\r", "\v", "\f", "\xa0", "\u2028", "\x85"])
def test_only_spaces_and_tabs_divide_words(tmp_path: Path, character: str) -> None:
    """fast_align and Moses read such a character as a part of a word. Otherwise, link 1-1 would belong to "b"."""
    word = f"a{character}b"
    text = write_text(tmp_path, f"{word} c\n", "x\ty \n", "0-0 1-1\n")
    text.source.write_bytes(f"{word} c\r\n".encode())
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    lines = (tmp_path / "table").read_bytes().decode().split("\n")
    assert [line.split(" ||| ")[:2] for line in lines[:-1]] == [[word, "x"], [f"{word} c", "x y"], ["c", "y"]]


def test_the_last_word_of_a_vocabulary_may_end_in_white_space(tmp_path: Path) -> None:
    text = write_text(tmp_path, "", "z . x y .\n", "0-0 1-1 2-2 3-3 4-4\n")
    text.source.write_bytes(b"c . a b\r .\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1, "--max-words", 1) == 0
    lines = (tmp_path / "table").read_bytes().split(b"\n")
    assert [line.split(b" ||| ")[0] for line in lines[:-1]] == [b".", b"a", b"b\r", b"c"]


def test_rare_pairs_are_left_out_after_they_were_counted(tmp_path: Path, capsys: Capture) -> None:
    text = write_text(tmp_path, "das\nDas\ndas\ndie\n", "the\na\nA\nthe\n", "0-0\n0-0\n0-0\n0-0\n")
    assert run(*text, "--output", tmp_path / "table", "--min-count", 2, "--workers", 1) == 0
    assert (tmp_path / "table").read_text() == "das ||| a ||| 1 1 0.666666667 0.666667 ||| 0-0 ||| 2 3 2\n"
    assert re.search(r"^  left out: fewer than 2 occurrences +2$", capsys.readouterr().out, re.MULTILINE)
    assert run(*text, "--output", tmp_path / "none", "--min-count", 3, "--workers", 1) == 2
    assert re.search(mentions("3 times ... --min-count"), capsys.readouterr().err)
    assert not (tmp_path / "none").exists()


def test_case_and_length_can_be_chosen(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    flags = ("--keep-case", "--max-words", 1, "--workers", 1, "--temporary", tmp_path / "new")
    assert run(*text, "--output", tmp_path / "table", *flags) == 0
    assert list((tmp_path / "new").iterdir()) == []
    lines = (tmp_path / "table").read_text().splitlines()
    assert len(lines) == 8
    assert lines[0] == "Land ||| country ||| 1 1 1 1 ||| 0-0 ||| 2 2 2"
    assert "das ||| The ||| 1 1 0.5 0.5 ||| 0-0 ||| 1 2 1" in lines


def test_neither_processes_nor_memory_nor_compression_change_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small chunks in one process and in two processes, then with few rows in memory."""
    count = 60
    text = write_text(tmp_path, SOURCE * count, TARGET * count, ALIGNMENTS * count)
    monkeypatch.setattr(parallel_text, "CHUNK_BYTES", 500)
    two = build_phrase_table(text, tmp_path / "two.gz", ExtractionRules(), workers=2)
    packed = ParallelText(*(tmp_path / f"{path.name}.gz" for path in text))
    for path, compressed in zip(text, packed, strict=True):
        compressed.write_bytes(gzip.compress(path.read_bytes()))
    one = build_phrase_table(packed, tmp_path / "one.gz", ExtractionRules(), temporary=tmp_path / "elsewhere")
    assert one == two
    # 28 spans of seven words, and 3 of two, which are among them
    assert one == {"sentence pairs": 2 * count, "phrase pairs": 31 * count, "distinct": 28, "written": 28}
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    monkeypatch.setattr(phrase_pairs, "MAX_ROW_BYTES", 400)
    monkeypatch.setattr(sorting, "SAMPLE_EVERY", 3)
    assert build_phrase_table(text, tmp_path / "little", ExtractionRules()) == two
    assert (tmp_path / "little").read_bytes() == gzip.decompress((tmp_path / "two.gz").read_bytes())
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert b"text" not in (tmp_path / "one.gz").read_bytes()[:20]
    # RFC 1952: a member begins with ID1, ID2, CM and FLG. Then MTIME is 0, so that results have the same bytes.
    assert (tmp_path / "one.gz").read_bytes()[:8] == b"\x1f\x8b\x08\0" + bytes(4)
    first = gzip.decompress((tmp_path / "one.gz").read_bytes()).split(b" ||| ")[:3]
    assert first[:2] == [b"das", b"the"]
    assert first[2].split()[::2] == [b"0.666666667", b"1"]  # "the" is das twice and der once


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("chunk_bytes", [1, 3_000])
def test_tables_depend_on_neither_workers_nor_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, chunk_bytes: int
) -> None:
    text = write_text(tmp_path, SOURCE * 20, TARGET * 20, ALIGNMENTS * 20)
    build_phrase_table(text, tmp_path / "whole", ExtractionRules())
    monkeypatch.setattr(parallel_text, "CHUNK_BYTES", chunk_bytes)
    build_phrase_table(text, tmp_path / "divided", ExtractionRules(), workers=workers)
    assert (tmp_path / "divided").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize(
    "step",
    ["building.encode_chunk", "phrase_pairs.extract_rows", "phrase_pairs.count_part", "building._render_range"],
)
def test_a_worker_that_is_killed_is_an_error_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, step: str
) -> None:
    """As by the system when memory runs out. The table that was there remains."""
    monkeypatch.setattr(parallel_text, "CHUNK_BYTES", 100)
    monkeypatch.setattr(phrase_pairs, "MAX_ROW_BYTES", 100)
    monkeypatch.setattr(sorting, "SAMPLE_EVERY", 2)
    monkeypatch.setattr(f"harness.paraphrases.extraction.{step}", kill_own_process)
    text = write_text(tmp_path, SOURCE * 9, TARGET * 9, ALIGNMENTS * 9)
    (tmp_path / "table").write_text("a table")
    assert run(*text, "--output", tmp_path / "table", "--workers", 2) == 2
    message = "killed ... --workers"
    assert re.search(mentions(message), capsys.readouterr().err)
    assert (tmp_path / "table").read_text() == "a table"
    assert {path.name for path in tmp_path.iterdir()} == {"text.de", "text.en", "text.align", "table"}


def test_what_is_left_out_is_counted(tmp_path: Path, capsys: Capture) -> None:
    long = " ".join(["wort"] * 101)
    text = write_text(tmp_path, f"ja\n\n{long}\na|||b\nja\n", "yes\nyes\nyes\nyes\nyes\n", "0-0\n\n0-0\n0-0\n\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    assert (tmp_path / "table").read_text() == "ja ||| yes ||| 1 0.5 1 0.5 ||| 0-0 ||| 1 1 1\n"
    assert capsys.readouterr().out.splitlines()[1:6] == [
        "sentence pairs                                           5",
        "  left out: with an empty sentence                       1",
        "  left out: with a sentence of more than 100 words       1",
        "  left out: with ||| in a word                           1",
        "  left out: without alignment                            1",
    ]


def test_a_hundred_words_are_read_and_bars_of_the_target_are_not(tmp_path: Path, capsys: Capture) -> None:
    long = " ".join(["wort"] * 100)
    text = write_text(tmp_path, f"ja\n{long}\nja\n", "yes\nyes\na|||b\n", "0-0\n0-0\n0-0\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 0
    report = capsys.readouterr().out
    assert re.findall(r"left out: (.+?) +(\d+)$", report, re.MULTILINE) == [("with ||| in a word", "1")]


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            "0-0\n0-0 7-1\n",
            "line 2: link 7-1 ... source of 2 and a target of 2 words. ... from 0",
        ),
        ("0-0\n1-\n", "line 2: '1-' ... link of two words. ... 0-0 1-2"),
        ("0-0 \u00e9\n0-0\n", r"line 1: '\xe9' ... link of two words. ... 0-0 1-2"),
    ],
)
def test_malformed_alignments(tmp_path: Path, capsys: Capture, points: str, message: str) -> None:
    text = write_text(tmp_path, points=points)
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 2
    assert re.search(mentions(f"{text.alignments}, {message}"), capsys.readouterr().err)
    assert {path.name for path in tmp_path.iterdir()} == {"text.de", "text.en", "text.align"}


def test_errors_of_processes_are_told_as_they_are(tmp_path: Path, capsys: Capture) -> None:
    text = write_text(tmp_path, points="0-0\n9-9\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 2) == 2
    assert re.search(mentions(f"{text.alignments}, line 2: ... 9-9 ... range"), capsys.readouterr().err)
    assert {path.name for path in tmp_path.iterdir()} == {"text.de", "text.en", "text.align"}


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    text = write_text(tmp_path, target="the council\n")
    with pytest.raises(InputError) as caught:
        list(read_chunks(text))
    assert re.search(mentions(f"{text.target}: ... {text.source}: ... line 1"), str(caught.value))
    assert "one line per sentence pair" in str(caught.value)
    text = write_text(tmp_path, points=ALIGNMENTS + "0-0\n")
    with pytest.raises(InputError, match=mentions("text.de: ... text.align ... 2 ... pair")):
        list(read_chunks(text))


def test_pieces_are_bounded_by_their_alignments_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand short sentences with a megabyte of links each were in memory at the same time."""
    monkeypatch.setattr(parallel_text, "CHUNK_BYTES", 100)
    text = write_text(tmp_path, "a\n" * 4, "b\n" * 4, ("0-0 " * 30 + "\n") * 4)
    assert [(first, len(lines)) for first, lines, _ in read_chunks(text)] == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 0)]


def test_a_file_may_be_nothing_but_a_mark_of_byte_order(tmp_path: Path) -> None:
    text = write_text(tmp_path, "\ufeff", "the\n", "0-0\n")
    assert [lines for _, lines, _ in read_chunks(text)] == [[(b"", b"the\n", b"0-0\n")]]


def test_files_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    text = write_text(tmp_path)
    assert run(tmp_path, text.target, text.alignments, "--output", tmp_path / "table") == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{tmp_path}: is a folder"), error)
    assert "one line per sentence pair" in error
    assert run(tmp_path / "nothing", text.target, text.alignments, "--output", tmp_path / "table") == 2
    assert re.search(mentions(f"{tmp_path}/nothing: no such file"), capsys.readouterr().err)
    text.target.write_bytes(TARGET.splitlines(keepends=True)[0].encode() + b"\xff\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 2
    assert re.search(mentions(f"{text.target}, line 2: ... UTF-8"), capsys.readouterr().err)
    text = write_text(tmp_path)
    monkeypatch.setattr(limits, "MAX_TEXT_LINE_BYTES", 10)
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 2
    error = capsys.readouterr().err
    assert re.search(mentions(f"{text.source}, line 1: ... 10 bytes"), error)
    assert "one line per sentence pair" in error


def test_what_editors_add_is_no_word(tmp_path: Path) -> None:
    """A byte order mark, tabs, carriage returns, and no line feed at the end."""
    text = write_text(tmp_path, "\ufeffdas\tLand\r\n", "the country", "0-0\t1-1\r\n")
    assert run(*text, "--output", tmp_path / "table", "--max-words", 1, "--workers", 1) == 0
    table = (tmp_path / "table").read_text()
    assert table == ("das ||| the ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\nland ||| country ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n")


def test_canonically_equal_words_are_one_word(tmp_path: Path) -> None:
    """Text from macOS has decomposed letters. Its words were other words, and probabilities were divided."""
    text = write_text(tmp_path, "\u00c9t\u00e9\ne\u0301te\u0301\n", "summer\nsummer\n", "0-0\n0-0\n")
    for flags, phrases in (((), ["\u00e9t\u00e9"]), (("--keep-case",), ["\u00c9t\u00e9", "\u00e9t\u00e9"])):
        assert run(*text, "--output", tmp_path / "table", "--workers", 1, *flags) == 0
        lines = (tmp_path / "table").read_text().splitlines()
        assert [line.split(" ||| ")[0] for line in lines] == phrases


def test_text_without_phrase_pairs(tmp_path: Path, capsys: Capture) -> None:
    text = write_text(tmp_path, points="\n\n")
    assert run(*text, "--output", tmp_path / "table", "--workers", 1) == 2
    message = "no phrase pair ... 2 sentence pairs, 2 left out without alignment ... together"
    assert re.search(mentions(f"{text.source}: {message}"), capsys.readouterr().err)


def test_inputs_are_not_overwritten(tmp_path: Path, capsys: Capture) -> None:
    text = write_text(tmp_path)
    assert run(*text, "--output", text.alignments) == 2
    assert re.search(mentions(f"{text.alignments}: ... also an input ... --output"), capsys.readouterr().err)
    (tmp_path / "folder").mkdir()
    assert run(*text, "--output", tmp_path / "folder", "--workers", 1) == 2
    assert re.search(mentions(f"{tmp_path / 'folder'}: ... regular file. Use another path"), capsys.readouterr().err)


def test_what_is_terminated_leaves_nothing_behind(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batch systems and `kill` send SIGTERM. By default, Python exits without cleaning up."""
    before = signal.getsignal(signal.SIGTERM)
    text = write_text(tmp_path)

    def be_terminated(*_: object) -> None:
        assert len(list((tmp_path / "new").iterdir())) == 1
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(building, "_count_parts", be_terminated)
    assert run(*text, "--output", tmp_path / "new" / "table", "--workers", 1) == 143
    assert re.search(mentions("stopped"), capsys.readouterr().err)
    assert list((tmp_path / "new").iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before


SMALL_LAYOUT = Layout(max_words=1, word_bits=9)
"""A phrase is a word, so that a row is: target, source, alignment, then the numbers."""


def test_occurrences_are_counted_by_hand() -> None:
    """The target 1 occurs with two sources, three times and twice. The target 2 occurs once."""
    rows = [[1, 5, 1, 2, 0], [2, 4, 1, 1, 0], [1, 3, 1, 2, 0], [1, 5, 1, 1, 0]]
    assert phrase_pairs.count_rows(np.array(rows, np.uint64), SMALL_LAYOUT).tolist() == [
        [1, 3, 1, 2, 5, 2, 0],
        [2, 4, 1, 1, 1, 1, 0],
        [1, 5, 1, 3, 5, 2, 0],
    ]


def test_pairs_are_counted_by_their_counts_up_to_ten() -> None:
    rows = np.zeros((7, 7), np.uint64)
    rows[:, 3] = [1, 1, 2, 9, 10, 11, 50]
    statistics = phrase_pairs.describe_pairs(rows, SMALL_LAYOUT)
    assert (statistics.pairs, statistics.occurrences) == (7, 84)
    assert statistics.count_sizes.tolist() == [0, 2, 1, 0, 0, 0, 0, 0, 0, 1, 1]


def test_lines_that_cannot_be_written(tmp_path: Path) -> None:
    rows = np.array([[1, 1, 1, 1, 1, 1, 0]], np.uint64)
    scoring = Scoring(tmp_path, SMALL_LAYOUT, ExtractionRules(), 1, (0, 1), compressed=False)
    with pytest.raises(OutputError, match=mentions(f"{tmp_path}: ... (No such file or directory) ... path")):
        write_lines(rows, tmp_path / "gone" / "lines", scoring)
