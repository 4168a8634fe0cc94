"""SuperPAL as pyramids: topics, sentences and spans, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.aligned_corpora import ALIGNMENTS, list_texts, make_superpal, require_offsets

from pyramid_paraphrase import limits
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.records import OVERLAPS, Relation


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
        (b"docSentText", b"docText", r"dev\.csv, line 1: has 0 columns named docSentText, expected 1\. Get the"),
        (b"database", b"topic", r"dev\.csv, line 1: has 2 columns named topic, expected 1"),
        (
            b",summary,",
            b",+,",
            r"dev\.csv, line 3: has the invalid summaryFile '\+'\. Use a name of at most 80 letters",
        ),
        (
            b",2.txt,",
            b",\x1f,",
            r"dev\.csv, line 3: has the invalid documentFile '\\x1f'\. Use a name of at most 80 letters",
        ),
        (b"\nMultiNews", b"\n,MultiNews", r"dev\.csv, line 3: has a row with too few or too many columns"),
        (b"Tarn was icebound.", b"Tarn was \x00." + b"x" * 131_072, r"dev\.csv, line 4: is not a valid CSV file \("),
        (b"Tarn_1", b"Tarn-1", r"dev\.csv, line 3: has the invalid topic 'Tarn-1'\. Use a name of at most 40 letters"),
        (b",40,", b",x,", r"dev\.csv, line 3: has the invalid scuSentCharIdx 'x'\. Use the character"),
        (
            b'"40, 55"',
            b'"40-55"',
            r"dev\.csv, line 3: has the invalid summarySpanOffsets '40-55'\. Write spans",
        ),
        (b'"40, 55"', b'"40, 99"', r"dev\.csv, line 3: summarySpanOffsets: span 40, 99 is outside of the sentence"),
        (b'"40, 55"', b'"39, 55"', r"dev\.csv, line 3: summarySpanOffsets: span 39, 55 is outside of the sentence"),
        (
            b'"40, 55"',
            b'"40, 55;50, 57"',
            r"dev\.csv, line 3: summarySpanOffsets: span 50, 57 is outside of",
        ),
        (b'"40, 55"', b'"43, 44"', r"dev\.csv, line 3: summarySpanOffsets: span 43, 44 is outside of the sentence"),
        (
            b"Ice closed Tarn",
            b"Ice shuts Tarn!",
            r"dev\.csv, line 4: has a sentence at 40 of summary that differs from an earlier row",
        ),
        (b"MultiNews,Tarn_1", b'"MultiNews,Tarn_1', r"dev\.csv, line 2: is not a valid CSV file \("),
        (b"Tarn was icebound", b"Tarn was \xff", r"dev\.csv, line 4: is not UTF-8"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
    data = make_superpal()
    assert old in data
    (tmp_path / "dev.csv").write_bytes(data.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
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
    with pytest.raises(
        InputError, match=r"line 3: has the invalid summarySpanOffsets '.*'\. Write spans like '3, 12;20, 31'"
    ):
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
        with pytest.raises(InputError, match=f"line 3: has the invalid topic '{name}'. Use a name of at most 40"):
            read_corpus(tmp_path)


def test_names_of_texts(tmp_path: Path) -> None:
    """Summaries come first, whatever the texts are called."""
    longest = "AKaz09_. -" * 8
    (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document=longest)]))
    (pyramid,) = read_corpus(tmp_path).pyramids
    assert [summary.summarizer for summary in pyramid.summaries] == ["summary", longest]
    for name in ("", f"{longest}x", "1:7", "1,7"):
        (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document=name)]))
        with pytest.raises(
            InputError, match=f"line 2: has the invalid documentFile '{name}'. Use a name of at most 80 letters"
        ):
            read_corpus(tmp_path)


@pytest.mark.parametrize(("start", "is_read"), [(999_999_900, True), (1_000_000_000, False)])
def test_offsets_have_nine_digits(tmp_path: Path, start: int, is_read: bool) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal([ALIGNMENTS[1]._replace(document_start=start)]))
    if is_read:
        assert len(read_corpus(tmp_path).pyramids) == 1
        return
    with pytest.raises(
        InputError, match=f"line 2: has the invalid docSentCharIdx '{start}'. Use the character offset of the"
    ):
        read_corpus(tmp_path)


def test_a_short_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dev.csv").write_bytes(make_superpal() + b"MultiNews,Tarn_1,summary\n")
    with pytest.raises(InputError, match=r"dev\.csv, line 6: has a row with too few or too many columns"):
        read_corpus(tmp_path)


def test_overlapping_sentences_are_refused(tmp_path: Path) -> None:
    """Otherwise a proposition could be in the pyramid twice, and be opposed to itself."""
    moved = ALIGNMENTS[0]._replace(document_start=8, document_sentence="The harbour of", document_pieces=["of"])
    (tmp_path / "dev.csv").write_bytes(make_superpal((*ALIGNMENTS, moved)))
    with pytest.raises(InputError, match=r"dev\.csv: has overlapping sentences at 7 and 8 of 2\.txt\. Get the file"):
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
    with pytest.raises(LimitError, match=r"Zarn\.csv: more than 1 relations between propositions up to this file"):
        read_corpus(tmp_path)
