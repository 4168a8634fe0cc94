"""SuperPAL as pyramids: topics, sentences and spans, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.aligned_corpora import ALIGNMENTS, list_texts, make_superpal, require_offsets
from helpers.messages import mentions

from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.records import OVERLAPS, Relation
from pyramid_paraphrase.reading import read_corpus


def test_a_topic_is_a_pyramid(tmp_path: Path) -> None:
    """Propositions of documents that are aligned with one proposition of a summary make an SCU with it."""
    (tmp_path / "dev.csv").write_bytes(make_superpal())
    corpus = read_corpus(tmp_path)
    (pyramid,) = corpus.pyramids
    assert pyramid.id == "superpal:Tarn_1"
    assert find_collection(pyramid.id).name == "superpal"
    assert [summary.summarizer for summary in pyramid.summaries] == ["summary", "2.txt", "10.txt"]
    assert list_texts(pyramid) == [
        ["Ice closed Tarn", "of Tarn froze.", "Tarn was icebound"],
        ["and boats sank", "Boats went down"],
    ]
    assert pyramid.relations == ()
    accounts = corpus.accounts
    assert (accounts.contributors_read, accounts.relations_read, accounts.relations_used) == (5, 3, 3)
    require_offsets(corpus)


def test_line_breaks_of_windows_count_once(tmp_path: Path) -> None:
    """As in the distributed files, where offsets after a line break would be off by one otherwise."""
    (tmp_path / "dev.csv").write_bytes(make_superpal())
    expected = read_corpus(tmp_path).pyramids
    (tmp_path / "dev.csv").write_bytes(b"\xef\xbb\xbf" + make_superpal(ending="\r\n"))
    assert read_corpus(tmp_path).pyramids == expected


def test_overlapping_propositions_are_not_opposed(tmp_path: Path) -> None:
    longer = ALIGNMENTS[0]._replace(summary_pieces=["Ice closed Tarn, and"], document_sentence="It froze.",
                                    document_start=200, document_pieces=["It froze."])  # fmt: skip
    (tmp_path / "dev.csv").write_bytes(make_superpal((*ALIGNMENTS, longer)))
    (pyramid,) = read_corpus(tmp_path).pyramids
    assert pyramid.relations == (Relation(OVERLAPS, "1", "2", False),)


def test_topics_of_several_files_are_put_together(tmp_path: Path) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal(ALIGNMENTS[:2]))
    (tmp_path / "test.csv").write_bytes(make_superpal(ALIGNMENTS[1:]))
    (tmp_path / "other.csv").write_bytes(make_superpal(topic="Zarn"))
    corpus = read_corpus(tmp_path)
    assert [(pyramid.id, len(pyramid.scus)) for pyramid in corpus.pyramids] == [
        ("superpal:Tarn_1", 2), ("superpal:Zarn", 2),
    ]  # fmt: skip
    assert corpus.files["superpal:Tarn_1"].endswith("dev.csv")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b"docSentText",
            b"docText",
            "dev.csv, line 1: ... 0 columns ... docSentText ... 1 ... pyramid-paraphrase download superpal",
        ),
        (
            b"database",
            b"topic",
            "dev.csv, line 1: ... 2 columns ... topic ... 1 ... pyramid-paraphrase download superpal",
        ),
        (
            b",summary,",
            b",+,",
            "dev.csv, line 3: ... summaryFile '+' ... 80 letters",
        ),
        (
            b",2.txt,",
            b",\x1f,",
            "dev.csv, line 3: ... documentFile '\\x1f' ... 80 letters",
        ),
        (b"\nMultiNews", b"\n,MultiNews", "dev.csv, line 3: ... row ... pyramid-paraphrase download superpal"),
        (
            b"Tarn was icebound.",
            b"Tarn was \x00." + b"x" * 131_072,
            "dev.csv, line 4: ... CSV ... limit ... pyramid-paraphrase download superpal",
        ),
        (b"Tarn_1", b"Tarn-1", "dev.csv, line 3: ... topic 'Tarn-1' ... 40 letters"),
        (b",40,", b",x,", "dev.csv, line 3: ... scuSentCharIdx 'x' ... offset"),
        (
            b'"40, 55"',
            b'"40-55"',
            "dev.csv, line 3: ... summarySpanOffsets '40-55' ... '3, 12;20, 31'",
        ),
        (
            b'"40, 55"',
            b'"40, 99"',
            "dev.csv, line 3: summarySpanOffsets: span 40, 99 ... pyramid-paraphrase download superpal",
        ),
        (
            b'"40, 55"',
            b'"39, 55"',
            "dev.csv, line 3: summarySpanOffsets: span 39, 55 ... pyramid-paraphrase download superpal",
        ),
        (
            b'"40, 55"',
            b'"40, 55;50, 57"',
            "dev.csv, line 3: summarySpanOffsets: span 50, 57 ... pyramid-paraphrase download superpal",
        ),
        (
            b'"40, 55"',
            b'"43, 44"',
            "dev.csv, line 3: summarySpanOffsets: span 43, 44 ... pyramid-paraphrase download superpal",
        ),
        (
            b"Ice closed Tarn",
            b"Ice shuts Tarn!",
            "dev.csv, line 4: ... 40 ... pyramid-paraphrase download superpal",
        ),
        (
            b"MultiNews,Tarn_1",
            b'"MultiNews,Tarn_1',
            "dev.csv, line 2: ... CSV ... pyramid-paraphrase download superpal",
        ),
        (b"Tarn was icebound", b"Tarn was \xff", "dev.csv, line 4: ... UTF-8 ... pyramid-paraphrase download superpal"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
    data = make_superpal()
    assert old in data
    (tmp_path / "dev.csv").write_bytes(data.replace(old, new, 1))
    with pytest.raises(InputError, match=mentions(message)):
        read_corpus(tmp_path / "dev.csv")


@pytest.mark.parametrize(
    "spans",
    [
        "", "40", "40, ", ", 55", "40; 55", "40,  55", "40, 55;", ";40, 55", "40, 55; 57, 58", "40, 55;57",
        "-40, 55", "4[, 55", "4{, 55", "40, 5]", "0000000040, 55", "40, 0000000055", "\u0664\u0660, 55",
    ],
)  # fmt: skip
def test_spans_have_one_form(tmp_path: Path, spans: str) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal().replace(b'"40, 55"', f'"{spans}"'.encode(), 1))
    with pytest.raises(InputError, match=mentions("dev.csv, line 3: ... summarySpanOffsets ' ... '3, 12;20, 31'")):
        read_corpus(tmp_path / "dev.csv")


@pytest.mark.parametrize(
    ("spans", "texts"),
    [
        ("40,55", ["Ice closed Tarn"]),
        ("000000040, 000000055", ["Ice closed Tarn"]),
        ("51,55;40,43", ["Ice", "Tarn"]),
        ("40, 45;45, 50", ["Ice c", "losed"]),
    ],
)
def test_spans_are_parts(tmp_path: Path, spans: str, texts: list[str]) -> None:
    """In the order of the text, also if they touch."""
    (tmp_path / "dev.csv").write_bytes(make_superpal(ALIGNMENTS[:1]).replace(b'"40, 55"', f'"{spans}"'.encode()))
    (pyramid,) = read_corpus(tmp_path).pyramids
    assert [part.text for part in pyramid.scus[0].contributors[0].parts] == texts


def test_names_of_topics(tmp_path: Path) -> None:
    longest = "AKaz09_." * 5
    (tmp_path / "dev.csv").write_bytes(make_superpal(topic=longest))
    assert [pyramid.id for pyramid in read_corpus(tmp_path).pyramids] == [f"superpal:{longest}"]
    for name in ("", f"{longest}x", "1:7", "1 7"):
        (tmp_path / "dev.csv").write_bytes(make_superpal(topic=name))
        with pytest.raises(InputError, match=mentions(f"dev.csv, line 3: ... topic '{name}'. ... 40 letters")):
            read_corpus(tmp_path)


def test_names_of_texts(tmp_path: Path) -> None:
    """Summaries come first, whatever the texts are called."""
    longest = "AKaz09_. -" * 8
    (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document=longest)]))
    (pyramid,) = read_corpus(tmp_path).pyramids
    assert [summary.summarizer for summary in pyramid.summaries] == ["summary", longest]
    for name in ("", f"{longest}x", "1:7", "1,7"):
        (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document=name)]))
        with pytest.raises(InputError, match=mentions(f"dev.csv, line 2: ... documentFile '{name}' ... 80 letters")):
            read_corpus(tmp_path)


@pytest.mark.parametrize(("start", "is_read"), [(999_999_900, True), (1_000_000_000, False)])
def test_offsets_have_nine_digits(tmp_path: Path, start: int, is_read: bool) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document_start=start)]))
    if is_read:
        assert len(read_corpus(tmp_path).pyramids) == 1
        return
    with pytest.raises(InputError, match=mentions(f"dev.csv, line 2: ... docSentCharIdx '{start}' ... offset")):
        read_corpus(tmp_path)


def test_a_short_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal() + b"MultiNews,Tarn_1,summary\n")
    with pytest.raises(InputError, match=mentions("dev.csv, line 6: ... row ... pyramid-paraphrase download superpal")):
        read_corpus(tmp_path)


def test_overlapping_sentences_are_refused(tmp_path: Path) -> None:
    """Otherwise a proposition could be in the pyramid twice, and be opposed to itself."""
    moved = ALIGNMENTS[0]._replace(document_start=8, document_sentence="The harbour of", document_pieces=["of"])
    (tmp_path / "dev.csv").write_bytes(make_superpal((*ALIGNMENTS, moved)))
    with pytest.raises(
        InputError, match=mentions("dev.csv: ... 7 ... 8 ... 2.txt ... pyramid-paraphrase download superpal")
    ):
        read_corpus(tmp_path)
    after = moved._replace(document_start=7 + len(ALIGNMENTS[0].document_sentence))
    (tmp_path / "dev.csv").write_bytes(make_superpal((*ALIGNMENTS, after)))
    assert len(read_corpus(tmp_path).pyramids) == 1


def test_relations_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two topics has one relation: two propositions of a sentence overlap."""
    longer = ALIGNMENTS[0]._replace(summary_pieces=["Ice closed Tarn, and"], document_sentence="It froze.",
                                    document_start=200, document_pieces=["It froze."])  # fmt: skip
    for topic in ("Tarn", "Zarn"):
        (tmp_path / f"{topic}.csv").write_bytes(make_superpal((*ALIGNMENTS, longer), topic))
    monkeypatch.setattr(limits, "MAX_RELATIONS", 2)
    read_corpus(tmp_path)
    monkeypatch.setattr(limits, "MAX_RELATIONS", 1)
    with pytest.raises(LimitError, match=mentions("Zarn.csv: ... 1 relations ... corpus")):
        read_corpus(tmp_path)
