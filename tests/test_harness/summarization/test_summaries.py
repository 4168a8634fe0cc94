"""Summaries: names and content of files, and the references that they are compared with."""

from __future__ import annotations

import codecs
import gzip
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from helpers.annotations import tar
from helpers.checkout import REAL_SUMMARIES, needs_real_summaries
from helpers.messages import mentions
from helpers.scu_labels import write_scu_labels
from helpers.summaries import PEERS, write_summaries

from harness.files.columns import parse_columns
from harness.summarization.naming import SINGLE_REFERENCE, list_readings, parse_pattern, parse_summary_name
from harness.summarization.reading import SummarySource, read_peers_and_references, read_summaries
from harness.summarization.references import divide_counts, pair_summaries, pool_references, repeat_references
from harness.summarization.row_files import PEER_FIELDS
from harness.summarization.summaries import Summary, note_files
from harness.summarization.summary_scores import SummaryScore, render_means, render_scores
from harness.text.stems import STOP_WORDS, stem_words
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.words import split_alphanumeric


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # DUC 2007, DUC 2003, TAC 2008 (two sets of a topic), DUC 2002 (a single document).
        ("D0701.M.250.A.15", ("D0701", "15")),
        ("ROUGE/peers/D30042.M.100.T.A", ("D30042", "A")),
        ("D0801-B.M.100.A.7", ("D0801-B", "7")),
        ("D061.P.100.J.15.AP880911-0016.txt", ("D061.AP880911-0016", "15")),
        ("system 3/storm.txt", ("storm", "system 3")),
        ("system/storm.v2", ("storm.v2", "system")),
        ("storm.system.txt", ("storm", "system")),
        ("storm.TXT", None),
        ("storm", None),
        (".txt", None),
    ],
)
def test_names_tell_topic_and_author(name: str, expected: tuple[str, str] | None) -> None:
    assert parse_summary_name(name) == expected


def test_a_reference_needs_no_author() -> None:
    assert parse_summary_name("storm.txt", SINGLE_REFERENCE) == ("storm", "reference")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("{topic}_{author}.txt", "storm_mine.txt", [("storm", "mine")]),
        ("{topic}_{author}.txt", "any/folder/storm_mine.txt", [("storm", "mine")]),
        ("{author}/{topic}.txt", "out/my.system/storm.v2.txt", [("storm.v2", "my.system")]),
        ("{author}/run-{topic}/summary", "mine/run-storm/summary", [("storm", "mine")]),
        ("{topic}.txt", "storm.txt", [("storm", "")]),
        ("decoded.{topic}.{author}", "decoded.7.mine", [("7", "mine")]),
        # The text between the fields occurs several times; the first and the last way are told.
        ("{topic}_{author}.txt", "a_b_c_d.txt", [("a", "b_c_d"), ("a_b_c", "d")]),
        ("{topic}__{author}", "a___b", [("a", "_b"), ("a_", "b")]),
        # A field is never empty, and holds no "/".
        ("{topic}_{author}.txt", "_mine.txt", []),
        ("{topic}_{author}.txt", "storm_.txt", []),
        ("{topic}_{author}.txt", "storm.txt", []),
        ("{topic}_{author}.txt", "storm/_mine.txt", []),
        ("{author}/{topic}.txt", "storm.txt", []),
        ("a{topic}a", "a", []),
        ("aa{topic}aa", "aaa", []),
        ("{topic}.txt", "storm.TXT", []),
    ],
)
def test_patterns_tell_topic_and_author(pattern: str, path: str, expected: list[tuple[str, str]]) -> None:
    readings = list_readings(parse_pattern(pattern), path)
    assert [(fields["topic"], fields.get("author", "")) for fields in readings] == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("summary.txt", "{topic} once"),
        ("{author}.txt", "{topic} once"),
        ("{topic}/{topic}.txt", "{topic} once"),
        ("{author}/{topic}/{author}", "{author} at most once"),
        ("{topic}{author}", "no text between"),
        ("{topic}_{system}", "field other"),
        ("{topic}}", "field other"),
        ("/{topic}", "without a name"),
        ("{author}\\{topic}_a.txt", "by '/'"),
        ("../{topic}", "without a name"),
        ("{topic}/", "without a name"),
    ],
)
def test_invalid_patterns(pattern: str, reason: str) -> None:
    with pytest.raises(OptionError, match=mentions(f"'{pattern}' ... {reason}")):
        parse_pattern(pattern)


def test_a_pattern_names_files(tmp_path: Path) -> None:
    for name in ("storm_A.txt", "storm_B.txt", "flood_A.txt"):
        (tmp_path / name).write_text("It rained.")
    summaries = read_summaries(tmp_path, pattern=parse_pattern("{topic}_{author}.txt"))[0]
    assert [summary[:2] for summary in summaries] == [("flood", "A"), ("storm", "A"), ("storm", "B")]


def read_peers(location: Path, pattern: str) -> list[Summary]:
    summaries, _ = read_summaries(location, pattern=pattern)
    return summaries


def read_references(
    location: Path, pattern: str | None = None, columns: Mapping[str, str] | None = None
) -> list[Summary]:
    source = SummarySource(location, pattern, columns or {})
    _, references, _ = read_peers_and_references(source, source)
    return references


@pytest.mark.parametrize(("read", "author"), [(read_peers, "peer"), (read_references, "reference")])
def test_a_pattern_needs_no_author(read: Callable[..., list[Summary]], author: str, tmp_path: Path) -> None:
    (tmp_path / "storm.txt").write_text("It rained.")
    (summary,) = read(tmp_path, pattern=parse_pattern("{topic}.txt"))
    assert (summary.topic, summary.author) == ("storm", author)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("README", "README: README ... {topic}_{author}.txt ... move"),
        # The pattern sees the path below the folder alone, which the message must tell.
        ("gold/README", "gold/README: gold/README ... {topic}_{author}.txt ... move"),
        ("a_b_c.txt", "a_b_c.txt: ... {topic}_{author}.txt ... (topic a by b_c or topic a_b by c) ... JSON ... CSV"),
        ("a\tb_c.txt", "a\\tb_c.txt: ... printed ... Rename"),
    ],
)
def test_files_that_do_not_fit_the_pattern(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "storm_A.txt").write_text("It rained.")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("It rained.")
    with pytest.raises(InputError) as error:
        read_summaries(tmp_path, pattern=parse_pattern("{topic}_{author}.txt"))
    assert re.search(mentions(message), str(error.value))


ROWS = (
    '{"topic": "storm", "author": "mine", "text": "It rained. Nobody was hurt."}\n'
    "\n"
    '{"topic": 7, "author": "mine", "text": "It\\u00a0rained.\\nNobody was. Hurt.", "more": [null]}\n'
)
TABLE = (
    '\ufefftopic,author,text\r\nstorm,mine,"It rained. Nobody was hurt."\r\n'
    '7,mine,"It  rained.\r\nNobody was. Hurt."\r\n'
)


@pytest.mark.parametrize(("name", "text"), [("a.jsonl", ROWS), ("b.json", ROWS), ("c.CSV", TABLE)])
def test_rows_are_read(name: str, text: str, tmp_path: Path) -> None:
    """A text of one line is divided into sentences. In a text of several lines, each line is a sentence."""
    (tmp_path / name).write_bytes(text.encode())
    assert [summary[:3] for summary in read_summaries(tmp_path / name)[0]] == [
        ("storm", "mine", ("It rained.", "Nobody was hurt.")),
        ("7", "mine", ("It rained.", "Nobody was. Hurt.")),
    ]


@pytest.mark.parametrize(("name", "text"), [("a.jsonl.gz", ROWS), ("b.CSV.GZ", TABLE)])
def test_rows_may_be_compressed(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert [summary.topic for summary in read_summaries(tmp_path / name)[0]] == ["storm", "7"]


def test_rows_are_limited_after_decompression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = '{"topic": "%s", "text": "' + 1000 * "y" + '"}'
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress((row % name).encode()))
    monkeypatch.setattr(limits, "MAX_KEPT_BYTES", 2000)
    with pytest.raises(LimitError, match=mentions("b.jsonl.gz: ... 0 MiB ... systems")):
        read_summaries(tmp_path)


def test_names_of_columns_may_have_blanks_around_them(tmp_path: Path) -> None:
    """Authors in a column " author" (with a space) were ignored."""
    (tmp_path / "rows.csv").write_text("topic, text, author\nstorm,It rained.,mine\n")
    assert read_summaries(tmp_path / "rows.csv")[0][0][:3] == ("storm", "mine", ("It rained.",))


def test_rows_lie_in_archives_and_beside_files(tmp_path: Path) -> None:
    archive = tmp_path / "all.tar.gz"
    archive.write_bytes(tar({"x/rows.jsonl": ROWS.encode(), "x/flood.A.txt": b"It rained."}))
    assert len(read_summaries(archive)[0]) == 3
    assert len(read_summaries(archive / "x" / "rows.jsonl")[0]) == 2


SHARED = [
    {"id": "d1", "model": "a", "summary": "It rained.", "reference": "Rain fell."},
    {"id": "d1", "model": "b", "summary": "It snowed.", "reference": "Rain fell."},
    {"id": "d2", "model": "a", "summary": "A fox ran.", "reference": "A fox fled."},
]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("all.json", json.dumps(SHARED)),
        ("all.tsv", "\n".join("\t".join(row) for row in [SHARED[0], *(row.values() for row in SHARED)])),
        ("all.csv", "\n".join(";".join(row) for row in [SHARED[0], *(row.values() for row in SHARED)])),
    ],
)
def test_peers_and_references_may_be_in_one_table(name: str, text: str, tmp_path: Path) -> None:
    """The column of systems does not name the authors of references, and an equal reference counts once."""
    (tmp_path / name).write_text(text)
    source = SummarySource(tmp_path / name)
    peers, references, notes = read_peers_and_references(source, source)
    assert [(peer.topic, peer.author, *peer.sentences) for peer in peers] == [
        ("d1", "a", "It rained."),
        ("d1", "b", "It snowed."),
        ("d2", "a", "A fox ran."),
    ]
    assert [(reference.topic, reference.author, *reference.sentences) for reference in references] == [
        ("d1", "reference", "Rain fell."),
        ("d2", "reference", "A fox fled."),
    ]
    peer_note, reference_note, left_out = notes
    assert re.search(mentions("topic=id,author=model,text=summary ... --columns"), peer_note)
    assert re.search(mentions("text=reference ... --reference-columns"), reference_note)
    assert re.search(mentions("1 reference equal ... topic ... once"), left_out)


def test_references_in_a_list_have_numbers(tmp_path: Path) -> None:
    record = {"topic": "d1", "text": "It rained.", "references": ["Rain fell.", "Rain came down."]}
    (tmp_path / "all.jsonl").write_text(json.dumps(record))
    references = read_references(tmp_path / "all.jsonl")
    assert [(reference.author, *reference.sentences) for reference in references] == [
        ("reference-1", "Rain fell."),
        ("reference-2", "Rain came down."),
    ]


def test_rows_need_no_author_and_columns_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "storm", "system": "mine", "highlights": "It rained.", "text": "No."}')
    columns = parse_columns("topic=id, text=highlights", PEER_FIELDS)
    (peer,) = read_summaries(tmp_path / "rows.jsonl", columns=columns)[0]
    (reference,) = read_references(tmp_path / "rows.jsonl", columns=columns)
    assert peer[:3] == ("storm", "mine", ("It rained.",))
    assert reference[:2] == ("storm", "reference")
    columns = parse_columns("topic=id,author=system", PEER_FIELDS)
    assert read_summaries(tmp_path / "rows.jsonl", columns=columns)[0][0][:3] == ("storm", "mine", ("No.",))


ROW = '{"topic": "a", "author": "b", "text": "c"}\n'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", ROW + "{", "a.jsonl, line 2: ... JSON ... list of objects"),
        ("a.jsonl", ROW + "[]", "a.jsonl, line 2: ... JSON object ... list of objects"),
        ("a.json", '[\n{"topic": 1}\n]', "a.json: ... no column for text ... topic (1) ... --columns text="),
        ("a.jsonl", ROW + '{"topic": "x", "author": "b"}', "a.jsonl, line 2: has no text ... or remove"),
        ("a.jsonl", ROW + '{"topic": "x", "text": "c"}', "a.jsonl, line 2: author ... valid name ... printable"),
        ("a.jsonl", '{"topic": "x", "text": ""}\n' + ROW, "a.jsonl, line 1: author ... valid name ... printable"),
        ("a.jsonl", '{"topic": "x", "author": " ", "text": ""}', "a.jsonl, record 1: ... valid name. ... printable"),
        ("a.jsonl", '{"topic": "x", "author": "\\t", "text": ""}', "a.jsonl, record 1: ... valid name. ... printable"),
        ("a.jsonl", ROW + '{"topic": "x", "text": ["a"]}', "a.jsonl, line 1: text ... list. ... a row each"),
        # The last of two texts was scored in silence.
        ("a.jsonl", '{"topic": "x", "text": "a", "text": "b"}', "a.jsonl: ... 'text' ... list of objects"),
        ("a.csv", "topic,text\nx,y\nz,\0\n", "a.csv, line 3: ... not a text file"),
        ("a.csv", "topic,text\nx," + 140_000 * "y", "a.csv, line 2: ... CSV file (field larger ... as CSV"),
        ("a.jsonl", ROW + ROW, "a.jsonl, line 2: ... {author} in the pattern"),
        ("a.tsv", "topic\tscore\nx\t0.5\n", "a.tsv: ... no column for text ... score (0.5)"),
        ("a.jsonl.gz", "{}", "a.jsonl.gz: ... gzipped ... size"),
        ("a.jsonl", ROW + ROW, "a.jsonl, line 2: ... same topic a and author b ... line 1. ... authors"),
        ("a.jsonl", "\n", "a.jsonl: ... no rows"),
        ("a.jsonl", ROW.encode() + b"\xff", "a.jsonl, line 2: ... JSON"),
        ("a.csv", "", "a.csv: ... no rows"),
        ("a.csv", "\ntext\ny\n", "a.csv: ... no column for topic ... text (y) ... --columns topic="),
        ("a.csv", "topic,text\n\nx,y\nz\n", "a.csv, line 4: has no text"),
        ("a.csv", 'topic,text\nx,"y\n', "a.csv, line 2: ... CSV"),
        ("a.csv", "topic,text,text\nx,y,z\n", "a.csv, line 1: ... two columns text"),
        ("a.csv", 'topic,text\nx,"a\nb"\n ,y', "a.csv, line 4: topic ... valid name. ... printable"),
    ],
)
def test_rows_that_cannot_be_read(name: str, text: str | bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as error:
        read_summaries(tmp_path / name)
    assert re.search(mentions(message), str(error.value))


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_rows_are_limited(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LINES", 2)
    most = {"a.jsonl": '{"topic": "x", "text": "y"}\n\n', "a.csv": "topic,text\nx,y\n"}
    (tmp_path / name).write_text(most[name])
    assert len(read_summaries(tmp_path / name)[0]) == 1
    rows = {"a.jsonl": "\n" * 3, "a.csv": "topic,text\n" + "x,y\n" * 2}
    (tmp_path / name).write_text(rows[name])
    with pytest.raises(LimitError, match=mentions("2 lines ... Split")):
        read_summaries(tmp_path / name)


@pytest.mark.parametrize("text", ["topic", "topic=", "title=id", "topic=a,topic=", ""])
def test_invalid_columns(text: str) -> None:
    with pytest.raises(OptionError, match=mentions("topic=COLUMN, author=COLUMN, text=COLUMN")):
        parse_columns(text, PEER_FIELDS)


@pytest.mark.parametrize(
    ("peer", "reference", "expected"),
    [
        ("mine.txt", "theirs.txt", ("summary", "peer", "reference")),
        ("mine/storm.txt", "theirs/storm.txt", ("summary", "peer", "reference")),
        ("reference.txt", "peer", ("summary", "peer", "reference")),
        ("D1.M.9.A.1", "D1.M.9.A.B", ("D1", "1", "B")),
        ("storm.mine.txt", "flood.theirs.txt", ("storm", "mine", "theirs")),
        ("a/storm.v2.txt", "b/storm.v2.txt", ("storm", "v2", "reference")),
        ("a/storm.reference.txt", "b/storm.reference.txt", ("storm", "reference", "peer")),
    ],
)
def test_two_texts_need_no_names(tmp_path: Path, peer: str, reference: str, expected: tuple[str, ...]) -> None:
    for name in (peer, reference):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"It rained.\nSo says {name}.")
    peer_summaries, reference_summaries, _ = read_peers_and_references(
        SummarySource(tmp_path / peer), SummarySource(tmp_path / reference)
    )
    (comparison,), _ = pair_summaries(peer_summaries, reference_summaries)
    assert (comparison.peer.topic, comparison.peer.author, comparison.references[0].author) == expected
    assert comparison.peer.sentences == ("It rained.", f"So says {peer}.")
    assert comparison.references[0].topic == expected[0]


LINES = "The storm hit. It rained.\r\n\nA fox ran.\n"
"""Three lines. The second line is empty."""


def write_lines(folder: Path, **texts: str) -> Path:
    """Write texts into the files of a folder. "__" in a name stands for a subfolder."""
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def test_a_summary_per_line(tmp_path: Path) -> None:
    """The lines of both files were pooled into one summary each. Empty lines keep their place."""
    write_lines(tmp_path, hyp=LINES, ref="It stopped.<q>Late.\nNothing.\n\n")
    peers, references, read_notes = read_peers_and_references(
        SummarySource(tmp_path / "hyp.txt"), SummarySource(tmp_path / "ref.txt"), by_line=True
    )
    assert [summary[:3] for summary in peers] == [
        ("1", "peer", ("The storm hit.", "It rained.")),
        ("2", "peer", ()),
        ("3", "peer", ("A fox ran.",)),
    ]
    assert [summary[:3] for summary in references] == [
        ("1", "reference", ("It stopped.", "Late.")),
        ("2", "reference", ("Nothing.",)),
        ("3", "reference", ()),
    ]
    name = tmp_path.name
    assert read_notes[:2] == [f"{name}/hyp.txt, line 2 is empty", f"{name}/ref.txt, line 3 is empty"]
    comparisons, notes = pair_summaries(peers, references)
    assert [comparison.peer.topic for comparison in comparisons] == ["1", "2"]
    assert notes[-1] == f"{name}/hyp.txt, line 3 has no reference by other authors that has a text, and no score"


def test_tabs_between_references_of_a_line_have_a_note(tmp_path: Path) -> None:
    """Several references of a line were one long reference."""
    references = SummarySource(write_lines(tmp_path, ref="a\tb\nc\t\nd\te\tf"))
    *_, notes = read_peers_and_references(references, references, by_line=True)
    (note,) = set(notes)  # both locations have it
    assert re.search(mentions("ref.txt: 2 lines with tabs ... file per set of references"), note)


def test_systems_named_like_sets_of_references_have_a_note(tmp_path: Path) -> None:
    """Runs 0 and 1 of a system were scored without the references 0 and 1, as if people were compared."""
    peers = write_lines(tmp_path / "peers", **{"0": "a b\nc", "1": "a\nc"})
    references = write_lines(tmp_path / "references", **{"0": "a\nc", "1": "d\nc", "2": "e\nc"})
    peer_summaries, reference_summaries, _ = read_peers_and_references(
        SummarySource(peers), SummarySource(references), by_line=True
    )
    _, (note,) = pair_summaries(peer_summaries, reference_summaries)
    assert re.search(mentions("0.txt, line 1, ... 1.txt, line 1 were not compared ... Rename"), note)
    same_peers, same_references, _ = read_peers_and_references(
        SummarySource(references), SummarySource(references), by_line=True
    )
    _, notes = pair_summaries(same_peers, same_references)
    assert notes == []


def test_names_of_authors_and_topics(tmp_path: Path) -> None:
    """Names in different normal forms look equal. Names that differ in case or zeros may be meant as one system."""
    rows = [
        ("été", "s1"),
        ("e\u0301te\u0301 2", "e\u0301"),
        ("été", "\u00e9"),
        ("3", "S1"),
        ("3", "x-01"),
        ("4", "x-1"),
    ]
    lines = (json.dumps({"topic": topic, "author": author, "text": "a"}) + "\n" for topic, author in rows)
    (tmp_path / "rows.jsonl").write_text("".join(lines))
    summaries, notes = read_summaries(tmp_path / "rows.jsonl")
    assert {summary.topic for summary in summaries} == {"\u00e9t\u00e9", "\u00e9t\u00e9 2", "3", "4"}
    assert {summary.author for summary in summaries} == {"s1", "S1", "\u00e9", "x-01", "x-1"}
    assert notes == ["Names that differ only in case, width or zeros are different systems: S1, s1; x-1, x-01"]


def test_lines_of_old_systems_end_at_carriage_returns(tmp_path: Path) -> None:
    """All lines were read as one summary. Within other files, a carriage return is a part of a line."""
    (tmp_path / "hyp.txt").write_bytes(b"Rain fell.\rIt stopped.\r")
    (tmp_path / "ref.txt").write_bytes(b"Rain\rfell.\nIt stopped.\n")
    hyp, ref = SummarySource(tmp_path / "hyp.txt"), SummarySource(tmp_path / "ref.txt")
    peers, references, _ = read_peers_and_references(hyp, ref, by_line=True)
    assert [summary.sentences for summary in peers] == [("Rain fell.",), ("It stopped.",)]
    assert [summary.sentences for summary in references] == [("Rain", "fell."), ("It stopped.",)]
    with pytest.raises(OptionError, match=mentions("2 lines ... --by-line ... --by-file")):
        read_peers_and_references(hyp, hyp, by_line=None)


def test_several_files_with_a_summary_per_line(tmp_path: Path) -> None:
    """Each system and each set of references has a file. Lines end at line feeds only."""
    peers = write_lines(tmp_path / "peers", bart="a\nb\x0bc\u2028d\n", lead__first="e\nf", lead__last="g\nh")
    references = write_lines(tmp_path / "references", one="i\nj\n", two="k\nl\n")
    peer_summaries, reference_summaries, _ = read_peers_and_references(
        SummarySource(peers), SummarySource(references), by_line=True
    )
    comparisons, _ = pair_summaries(peer_summaries, reference_summaries)
    assert [(comparison.peer.topic, comparison.peer.author) for comparison in comparisons] == [
        ("1", "bart"), ("1", "lead/first"), ("1", "lead/last"), ("2", "bart"), ("2", "lead/first"), ("2", "lead/last"),
    ]  # fmt: skip
    assert [reference.sentences for reference in comparisons[3].references] == [("j",), ("l",)]
    assert [reference.author for reference in comparisons[3].references] == ["one", "two"]
    same = write_lines(tmp_path / "same", one="i\nj\n")
    assert read_peers_and_references(SummarySource(same), SummarySource(same), by_line=True)[0][0].author == "peer"


@pytest.mark.parametrize(
    ("first", "other", "message"),
    [
        (LINES, "a\nb\n", "ref.txt: has 2 lines, but ... hyp.txt has 3. Use ... line"),
        (LINES, "a\nb\nc\nd\n", "ref.txt: has 4 lines, but ... hyp.txt has 3. Use ... line"),
        (LINES, "a\nb\nc\n\n", "ref.txt: has 4 lines, but ... hyp.txt has 3. Remove empty lines"),
        (LINES, "", "ref.txt: has 0 lines, but ... hyp.txt has 3. Use ... line"),
        ("", "\n\n", "ref.txt: has 2 lines, but ... hyp.txt has 0. Remove empty lines"),
    ],
)
def test_files_with_a_summary_per_line_have_as_many_lines(first: str, other: str, message: str, tmp_path: Path) -> None:
    write_lines(tmp_path, hyp=first, ref=other)
    with pytest.raises(InputError) as error:
        read_peers_and_references(
            SummarySource(tmp_path / "hyp.txt"), SummarySource(tmp_path / "ref.txt"), by_line=True
        )
    assert re.search(mentions(message), str(error.value))


def test_lines_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SummarySource(write_lines(tmp_path, hyp=LINES))
    monkeypatch.setattr(limits, "MAX_LINES", 3)
    assert len(read_peers_and_references(source, source, by_line=True)[0]) == 3
    monkeypatch.setattr(limits, "MAX_LINES", 2)
    with pytest.raises(LimitError, match=mentions("hyp.txt: ... 2 lines ... Split")):
        read_peers_and_references(source, source, by_line=True)


def test_what_has_no_summary_per_line(tmp_path: Path) -> None:
    lines = SummarySource(write_lines(tmp_path / "lines", hyp=LINES))
    (tmp_path / "rows.jsonl").write_text(ROWS)
    for other in (tmp_path / "rows.jsonl", write_scu_labels(tmp_path / "labels")):
        with pytest.raises(OptionError, match=mentions("--by-line ... row. Omit --by-line")):
            read_peers_and_references(lines, SummarySource(other), by_line=True)
    for source in (
        lines._replace(pattern="{topic}.txt"),
        lines._replace(columns=parse_columns("topic=id", PEER_FIELDS)),
    ):
        with pytest.raises(OptionError, match=mentions("--by-line ... Omit patterns")):
            read_peers_and_references(lines, source, by_line=True)
    (tmp_path / "a.tsv").write_text("a\nb\nc\n")
    with pytest.raises(OptionError, match=mentions("--by-line ... row. Omit --by-line")):
        read_peers_and_references(SummarySource(tmp_path / "a.tsv"), lines, by_line=True)
    write_lines(tmp_path / "odd", **{"a\x1b": LINES, "b": LINES})
    with pytest.raises(InputError, match=mentions("printed ... Rename")):
        read_peers_and_references(SummarySource(tmp_path / "odd"), lines, by_line=True)


def test_files_that_may_have_a_summary_per_line(tmp_path: Path) -> None:
    """Files with the same number of lines are not guessed to be one summary each. Other texts have a note."""
    tagged = "<t> a </t>\n<t> b </t>\n<t> c </t>\n"
    write_lines(tmp_path, hyp=LINES, ref=tagged, other="a\nb", single="a", line="b\n", folder__a__x="a\nb\nc")
    hyp, ref, other, single, line = (
        SummarySource(tmp_path / f"{name}.txt") for name in ("hyp", "ref", "other", "single", "line")
    )
    for pair in ((hyp, ref), (SummarySource(tmp_path / "folder"), SummarySource(tmp_path / "folder"))):
        with pytest.raises(OptionError, match=mentions("3 lines ... --by-line ... --by-file")):
            read_peers_and_references(*pair, by_line=None)
        assert read_peers_and_references(*pair)[0][0].sentences[-1] in ("A fox ran.", "c")
    *_, notes = read_peers_and_references(hyp, other, by_line=None)
    expected = f"{tmp_path}/hyp.txt (3 lines) and {tmp_path}/other.txt (2 lines) were read as one summary each. Add"
    assert notes[-1].startswith(expected)
    assert read_peers_and_references(single, line, by_line=None)[2] == []
    (tmp_path / "see.html").write_text("<SUM>a\nb</SUM>")
    assert read_peers_and_references(SummarySource(tmp_path / "see.html"), hyp, by_line=None)[2] == []
    (tmp_path / "rows.jsonl").write_text(ROWS)
    rows = SummarySource(tmp_path / "rows.jsonl")
    assert len(read_peers_and_references(rows, rows, by_line=None)[0]) == 2
    marked = SummarySource(write_lines(tmp_path / "marked", a__x="<SUM>\na\nb\n</SUM>"))
    assert len(read_peers_and_references(marked, marked, by_line=None)[0]) == 1


def test_files_of_two_lines_may_have_a_summary_per_line(tmp_path: Path) -> None:
    """The first file is named. Files of which one has another number of lines are one summary each."""
    write_lines(tmp_path, **{"a__x.mine": "a\nb", "a__y.mine": "c\nd", "b__x.theirs": "a\nb"})
    a, b = SummarySource(tmp_path / "a"), SummarySource(tmp_path / "b")
    with pytest.raises(OptionError, match=mentions(f"{tmp_path}/a/x.mine.txt ... 2 lines ... --by-line")):
        read_peers_and_references(a, b, by_line=None)
    write_lines(tmp_path, **{"a__y.mine": "c"})
    assert len(read_peers_and_references(a, b, by_line=None)[0]) == 2


def test_two_texts_with_several_lines_have_a_note(tmp_path: Path) -> None:
    """Lines of markup do not count."""
    write_lines(tmp_path, two="a\nb", one="a", marked="<SUM>a\nb</SUM>")
    two, one, marked = (SummarySource(tmp_path / f"{name}.txt") for name in ("two", "one", "marked"))
    for peer, reference, counts in ((two, one, (2, 1)), (one, two, (1, 2))):
        (note,) = read_peers_and_references(peer, reference, by_line=None)[2]
        assert re.findall(r"\((\d+) line", note) == [str(count) for count in counts]
    for peer in (one, two):
        assert read_peers_and_references(peer, marked, by_line=None)[2] == []


def test_a_pattern_or_columns_of_one_of_two_locations_need_files(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"topic": "storm", "text": "It rained."}')
    write_lines(tmp_path, text="It rained.")
    rows, text = SummarySource(tmp_path / "rows.jsonl"), SummarySource(tmp_path / "text.txt")
    with pytest.raises(OptionError, match=mentions("--columns")):
        read_peers_and_references(rows, rows._replace(pattern="{topic}.txt"))
    with pytest.raises(OptionError, match=mentions("--pattern")):
        read_peers_and_references(text._replace(columns=parse_columns("topic=id", PEER_FIELDS)), text)


def test_notes_name_three_files() -> None:
    assert note_files("abc", "is empty", "are empty") == ["a, b, c are empty"]
    assert note_files("abcde", "is empty", "are empty") == ["a, b, c and 2 more are empty"]
    assert note_files(["x/y/z"], "is empty", "are empty") == ["y/z is empty"]
    assert note_files([], "is empty", "are empty") == []


def test_names_of_two_texts_are_printable(tmp_path: Path) -> None:
    for name in ("storm.\x1b", "storm.txt"):
        (tmp_path / name).write_text("It rained.")
    with pytest.raises(InputError, match=mentions("storm.\\x1b: ... printed ... Rename")):
        read_peers_and_references(SummarySource(tmp_path / "storm.\x1b"), SummarySource(tmp_path / "storm.txt"))


def test_a_pattern_or_a_folder_asks_for_names(tmp_path: Path) -> None:
    for name in ("mine.txt", "folder/theirs.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("It rained.")
    peer, reference = SummarySource(tmp_path / "mine.txt"), SummarySource(tmp_path / "folder" / "theirs.txt")
    with pytest.raises(InputError, match=mentions("mine.txt: ... author ... NIST ... AUTHOR/TOPIC.txt")):
        read_peers_and_references(peer, SummarySource(tmp_path / "folder"))
    with pytest.raises(InputError, match=mentions("mine.txt: ... author ... NIST ... AUTHOR/TOPIC.txt")):
        read_peers_and_references(peer, reference._replace(pattern=parse_pattern("{topic}.txt")))


def test_tags_around_sentences_of_references_are_no_words(tmp_path: Path) -> None:
    """REALSumm has these tags. They were read as words "t", and the recall of ROUGE-1 was an eighth too low."""
    tagged = "<t> Rain fell . </t> <t> It stopped . Later . </t>\n<t></t>\nA fox ran. It was caught."
    labels = write_scu_labels(tmp_path, {"references.txt": tagged})
    assert {summary.topic: summary.sentences for summary in read_references(labels)} == {
        "ferry": ("Rain fell .", "It stopped . Later ."),
        "fox_1": (),
        "mill": ("A fox ran.", "It was caught."),
    }


def test_a_pattern_or_names_of_columns_without_use(tmp_path: Path) -> None:
    """Patterns and columns without use were ignored silently. Peers may be rows and references files."""
    (tmp_path / "rows.jsonl").write_text('{"id": "storm", "topic": "storm", "text": "It rained."}')
    (tmp_path / "storm.a.txt").write_text("It rained.")
    pattern, columns = parse_pattern("{topic}.{author}.txt"), parse_columns("topic=id", PEER_FIELDS)
    labels = write_scu_labels(tmp_path / "labels")
    with pytest.raises(OptionError, match=mentions("units ... patterns")):
        read_summaries(labels, pattern=pattern)
    with pytest.raises(OptionError, match=mentions("units ... patterns")):
        read_summaries(labels, columns=columns)
    with pytest.raises(OptionError, match=mentions("effect ... --columns")):
        read_summaries(tmp_path / "rows.jsonl", pattern=pattern)
    with pytest.raises(OptionError, match=mentions("effect ... --pattern")):
        read_references(tmp_path / "storm.a.txt", columns=columns)
    peers, references, _ = read_peers_and_references(
        SummarySource(tmp_path / "rows.jsonl", pattern), SummarySource(tmp_path / "storm.a.txt", pattern)
    )
    assert peers[0].topic == references[0].topic == "storm"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    write_summaries(tmp_path)
    return tmp_path


def test_summaries_are_read_by_topic_and_author(room: Path) -> None:
    summaries, notes = read_summaries(room / "peers")
    assert [(summary.topic, summary.author) for summary in summaries] == [
        ("D0101", "A"), ("D0101", "1"), ("D0101", "2"), ("D0102", "A"), ("D0102", "1"), ("D0102", "2"),
    ]  # fmt: skip
    assert summaries[0].sentences == ("The storm blew up the old bridge.", "Nobody was hurt.")
    assert notes == ["peers/D0101.M.100.A.2 is empty"]


def test_authors_with_zeros_before_their_numbers_are_the_same(tmp_path: Path) -> None:
    for name in ("D1.M.9.A.1", "D2.M.9.A.1", "D3.M.9.A.01", "D3.M.9.A.2"):
        (tmp_path / name).write_text("Rain.")
    summaries, notes = read_summaries(tmp_path)
    assert [(summary.topic, summary.author) for summary in summaries] == [
        ("D1", "1"), ("D2", "1"), ("D3", "1"), ("D3", "2"),
    ]  # fmt: skip
    assert notes == ["Names that differ in zeros before a number are one system: 01 as 1"]


def test_an_archive_holds_the_same(room: Path) -> None:
    archive = room / "eval.tar.gz"
    archive.write_bytes(tar({f"eval/peers/{name}": text.encode() for name, text in PEERS.items()}))
    (from_archive, _), (from_folder, _) = read_summaries(f"{archive}/eval/peers"), read_summaries(room / "peers")
    assert [summary[:3] for summary in from_archive] == [summary[:3] for summary in from_folder]


def test_folders_of_authors(tmp_path: Path) -> None:
    for author in ("mine", "theirs"):
        (tmp_path / author).mkdir()
        (tmp_path / author / "storm.txt").write_text(f"It rained, says {author}.")
    summaries, _ = read_summaries(tmp_path)
    names = [(summary.topic, summary.author) for summary in summaries]
    assert names == [("storm", "mine"), ("storm", "theirs")]


@pytest.mark.parametrize(
    "text",
    [
        # As the summary evaluation environment (SEE) and NIST's own releases of 2002 mark summaries up.
        (
            '<html><head><title>D1.M.9.A.1</title></head><body bgcolor="white">\n<a name="1">[1]</a> '
            '<a href="#1" id=1>Rain  fell.</a>\n<a href="#0">top</a> '
            '<a name="2">[2]</a> <a href="#2" id=2>So &amp; so.</a></body></html>'
        ),
        '<SUM DOCSET="d1" SIZE="9">\nRain fell.\nSo &amp; so.\n</SUM>\n',
    ],
)
def test_markup_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "D1.M.9.A.1").write_text(text)
    assert read_summaries(tmp_path)[0][0].sentences == ("Rain fell.", "So & so.")


SEPARATED = [
    ("Rain fell.<q>It stopped. Later.", "removed 2 separators such as <q>"),
    ("<t> Rain fell. </t> <t> It stopped. Later. </t>", "removed 8 separators such as <t>"),
    ("<s>Rain fell.</s><s>It stopped. Later.</s>", "removed 8 separators such as <s>"),
    ("Rain fell.<n>It stopped. Later.<pad><PAD></S>", "removed 8 separators such as <n>"),
    ("[CLS] Rain fell. [SEP] It stopped. Later. [SEP]", "removed 6 separators such as [CLS]"),
    ("Rain fell. [X_SEP] It stopped. Later.", "removed 2 separators such as [X_SEP]"),
    ("[unused0] Rain fell. [unused12] It stopped. Later.", "removed 4 separators such as [unused0]"),
    ("<|im_start|>Rain fell.<eos>It stopped. Later.<|im_end|>", "removed 6 separators such as <|im_start|>"),
    ("<s id='a' num=1>Rain fell.</s><S num=2>It stopped. Later.</S>", "removed 8 separators such as <s id='a' num=1>"),
    ("@highlight Rain fell. @highlight It stopped. Later.", "removed 4 separators such as @highlight"),
    ("Rain fell. NEWLINE_CHAR It stopped. Later.", "removed 2 separators such as NEWLINE_CHAR"),
    ("Rain fell. [sep] It stopped. Later.", "removed 2 separators such as [sep]"),
    ("Rain fell.##SENT##It stopped. Later.", "removed 2 separators such as ##SENT##"),
    ("<sentence>Rain fell.</sentence><sos>It stopped. Later.<0x0A>", "removed 8 separators such as <sentence>"),
    ("Rain fell.\\nIt stopped. Later.\\r\\n", "removed 4 separators such as \\n"),
    ("<p>Rain fell.</p>It <!-- never -->stopped. Later.", "removed 6 HTML tags such as <p>"),
    ("<start_of_turn>Rain fell.<extra_id_0>It stopped. Later.", "removed 4 separators such as <start_of_turn>"),
    ("Rain fell.<br/><b>It</b> st<i class='x'>opp</i>ed. Later.", "removed 10 HTML tags such as <br/>"),
    ("Rain&nbsp;fell.\nIt stopped&period; Later&#46;", "replaced 6 character references such as &nbsp;"),
    ("Rain fell.\n\ufeffIt \ufeffstopped. Later.", "removed 4 byte order marks"),
]


@pytest.mark.parametrize(("text", "note"), SEPARATED)
def test_separators_and_markup_are_removed_and_counted(text: str, note: str, tmp_path: Path) -> None:
    """Separators that summarizers leave between sentences counted as words, except in one corpus."""
    sentences = ("Rain fell.", "It stopped. Later.")
    (tmp_path / "file.system").write_text(text)
    (tmp_path / "rows.jsonl").write_text(json.dumps({"topic": "row", "author": "system", "text": text}))
    summaries, notes = read_summaries(tmp_path)
    assert {summary.topic: summary.sentences for summary in summaries} == {"file": sentences, "row": sentences}
    assert notes == [f"{tmp_path}: {note} in 2 texts"]


def test_separators_are_removed_from_corpora_of_labels(tmp_path: Path) -> None:
    labels = write_scu_labels(tmp_path, {"references.txt": "Rain fell .[SEP]It stopped . Later .\n\nA fox ran."})
    source = SummarySource(labels)
    _, summaries, notes = read_peers_and_references(source, source)
    assert summaries[0].sentences == ("Rain fell .", "It stopped . Later .")
    assert notes[-1] == f"{tmp_path}: removed 1 separator such as [SEP] in 1 text"


@pytest.mark.parametrize(
    "text",
    [
        "A &unknown; sign & a &half sign at AT&T & [SEPARATE] [Sep] 1 < 2 > 0, a <b and c> d",
        "at <qq <http://x.y> <a@b.c>",
        r"the rate \nu of C:\new at a\nb, <!-- < --> ##SENT# ##",
        "NEWLINE_CHARS my@highlighter <0> < q > <q [unused] [unused1234] <| a |>",
    ],
)
def test_text_that_is_no_markup_is_kept(text: str, tmp_path: Path) -> None:
    (tmp_path / "file.system").write_text(text)
    summaries, notes = read_summaries(tmp_path)
    assert (summaries[0].sentences, notes) == ((text,), [])


def test_other_tags_count_as_words_with_a_note(tmp_path: Path) -> None:
    """ROUGE-1.5.5 counts them, and NIST published such scores."""
    (tmp_path / "a.system").write_text("Rain fell. </doc>")
    (tmp_path / "b.system").write_text("It <unk> <x y=1>.")
    summaries, notes = read_summaries(tmp_path)
    assert [summary.sentences for summary in summaries] == [("Rain fell. </doc>",), ("It <unk> <x y=1>.",)]
    assert notes == [f"{tmp_path}: counted 3 other tags such as </doc> in 2 texts as words"]


@pytest.mark.parametrize(
    ("text", "count", "example"),
    [
        ("the sto@@ rm h@@ it", 2, "sto@@"),
        ("\u2581the \u2581sto rm", 2, "\u2581the"),
        ("the\u0120storm\u0120hit", 2, "\u0120storm"),
        ("storm ##s hit ##ing", 2, "##s"),
    ],
)
def test_word_pieces_have_a_note(text: str, count: int, example: str, tmp_path: Path) -> None:
    """The output of a model before its tokenizer joined the words gave low scores without a note."""
    (tmp_path / "a.system").write_text(text)
    (tmp_path / "b.system").write_text("a@b @@ x@@y ## ##1 C## \u2581 #a\u2581 \u0120unju MA\u0120\u0120")
    summaries, (note,) = read_summaries(tmp_path)
    assert summaries[0].sentences == (text,)
    assert note.startswith(f"{tmp_path}: counted {count} word pieces such as {example} in 1 text as words. Join")


def test_separators_within_markup_are_removed(tmp_path: Path) -> None:
    (tmp_path / "D1.M.9.A.1").write_text("<SUM>Rain &lt;q&gt; fell.\nSo &amp;amp; so.</SUM><SUM>Late.</SUM>")
    summaries, notes = read_summaries(tmp_path)
    assert summaries[0].sentences == ("Rain", "fell.", "So & so.", "Late.")
    assert notes == [
        f"{tmp_path}: removed 1 separator such as <q> in 1 text",
        f"{tmp_path}: replaced 1 character reference such as &amp; in 1 text",
    ]


def test_text_that_was_escaped_several_times(tmp_path: Path) -> None:
    """Names of references such as "quot" counted as words, because only the outer reference was replaced."""
    (tmp_path / "a.system").write_text("&amp;quot;Rain&amp;amp;quot; fell &amp;lt;q&amp;gt; late. &amp;unknown;")
    summaries, notes = read_summaries(tmp_path)
    assert summaries[0].sentences == ('"Rain" fell', "late. &unknown;")
    assert notes[-1] == f"{tmp_path}: replaced 10 character references such as &amp; in 1 text"


def test_other_encodings_are_read_with_a_note(tmp_path: Path) -> None:
    for author, encoding in (("1", "utf-8-sig"), ("2", "cp1252"), ("3", "latin-1")):
        (tmp_path / author).mkdir()
        mark = codecs.BOM_UTF8 if author == "3" else b""
        (tmp_path / author / "café.txt").write_bytes(mark + "Café".encode(encoding))
    summaries, (note,) = read_summaries(tmp_path)
    assert {summary.sentences for summary in summaries} == {("Café",)}
    assert re.search(mentions("2/café.txt, 3/café.txt ... Windows-1252. Convert"), note)


def test_unicode_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """Editors of Windows write it. UTF-16 was refused as no text, though pyramids in UTF-16 are read."""
    for encoding in ("utf-16", "utf-32"):
        (tmp_path / f"{encoding}.1").write_bytes("Café.\nऔर कि\n".encode(encoding))
    (tmp_path / "be.1").write_bytes(codecs.BOM_UTF16_BE + "Café.\nऔर कि\n".encode("utf-16-be"))
    summaries, notes = read_summaries(tmp_path)
    assert [summary.sentences for summary in summaries] == [("Café.", "और कि")] * 3
    assert notes == []
    (tmp_path / "cut.1").write_bytes(codecs.BOM_UTF16_LE + b"\0\xd8")
    with pytest.raises(InputError, match=mentions("cut.1: ... UTF-16 ... Convert ... UTF-8")):
        read_summaries(tmp_path)


def test_text_outside_of_marked_sentences_is_counted(tmp_path: Path) -> None:
    """A sentence whose link has no number was dropped silently."""
    start = '<html><head><title>D1</title></head><body><a name="12">[12]</a> <a href="#12" id=12>Rain fell.</a>'
    (tmp_path / "D1.M.9.A.1").write_text(
        f'{start}<a name="2">[2]</a> <a href="#2">Later.</a> End. <b>Done.</b></body></html>'
    )
    (tmp_path / "D2.M.9.A.1").write_text("<SUM>Rain fell.</SUM>\n<NOTE>Late.</NOTE>")
    (tmp_path / "D3.M.9.A.1").write_text(f"{start}</body></html>")
    summaries, notes = read_summaries(tmp_path)
    assert [summary.sentences for summary in summaries] == [("Rain fell.",)] * 3
    assert notes == [f"{tmp_path}: ignored 4 outer texts in 2 texts, outside of the marked sentences"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"storm": b"Rain."}, "storm: ... author ... NIST ... AUTHOR/TOPIC.txt"),
        ({"D1.a\tb": b"Rain."}, "printed ... Rename"),
        ({"D1.\x1b[2J": b"Rain."}, "printed ... Rename"),
        ({"D1.\udcff": b"Rain."}, "printed ... Rename"),
        ({"D1.M.9.A.1": b"a\nb\0"}, "D1.M.9.A.1, line 2: ... text ... JSON ... CSV"),
        ({"D1.M.9.A.1": b"<html><p>a</p></html>"}, "D1.M.9.A.1, line 1: ... markup ... JSON ... '<'"),
        ({"D1.M.9.A.1": b"<unk> a"}, "D1.M.9.A.1, line 1: ... markup ... JSON ... '<'"),
        ({"D1.M.9.A.1": b"<!-- Rain. "}, "D1.M.9.A.1: ... markup ... (Document is empty). ... plain text"),
        ({"D1.M.9.A.1": b"<>"}, "D1.M.9.A.1, line 1: ... markup ... JSON ... '<'"),
        ({"D1.M.9.A.1": b"a", "D1.M.10.B.1": b"b"}, "D1.M.9.A.1: ... D1 ... author 1 ... D1.M.10.B.1 ... authors"),
    ],
)
def test_unreadable_summaries_are_refused(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as error:
        read_summaries(tmp_path)
    assert re.search(mentions(message), str(error.value))


def make(*names: str) -> list[Summary]:
    pairs = [name.split(".") for name in names]
    return [Summary(topic, author, ("Rain.",), f"{topic}.{author}") for topic, author in pairs]


def test_nobody_is_compared_with_themselves() -> None:
    comparisons, _ = pair_summaries(make("x.1", "x.A"), make("x.A", "x.B"))
    assert [[reference.author for reference in pair.references] for pair in comparisons] == [["A", "B"], ["B"]]
    assert [pair.is_reference for pair in comparisons] == [False, True]


def test_peers_that_are_references_are_noticed() -> None:
    references = make("x.A", "x.B", "y.A")
    assert repeat_references(make("x.1", "y.2"), references)  # all say "Rain."
    assert repeat_references(references, references)
    assert not repeat_references(make("x.1", "z.1"), references)
    empty = [Summary("x", "1", (), "x.1")]
    assert not repeat_references(empty, references)
    assert repeat_references([*empty, *make("x.2")], references)


def test_peers_without_a_reference_are_counted() -> None:
    comparisons, notes = pair_summaries(make("w.1", "x.1", "x.A", "y.1"), make("x.A"))
    assert [pair.peer.path for pair in comparisons] == ["x.1"]
    assert notes == ["w.1, x.A, y.1 have no reference by other authors, and no score"]


def test_leaving_out_a_reference_needs_two_but_for_those_who_wrote_one() -> None:
    comparisons, notes = pair_summaries(make("x.1", "x.A", "y.1", "y.A"), make("x.A", "x.B", "y.A"), jackknife=True)
    assert [pair.peer.path for pair in comparisons] == ["x.1", "x.A"]
    assert notes == ["y.1, y.A have fewer than two references by other authors, and no score"]


def test_jackknife_needs_two_references() -> None:
    """The message also said "use the same topic names", although the topics are the same."""
    with pytest.raises(EmptyResultError) as error:
        pair_summaries(make("x.1"), make("x.A"), jackknife=True)
    assert re.search(
        mentions("two references by other authors ... Omit --jackknife, or add references"), str(error.value)
    )
    assert "topic names" not in str(error.value)


def test_empty_references_of_a_topic_are_named_as_the_reason() -> None:
    """The message said "use the same topic names", although the topics are the same."""
    empty = Summary("x", "A", (), "x.A")
    references = [empty, *make("y.A")]
    with pytest.raises(EmptyResultError) as error:
        pair_summaries(make("x.1"), references)
    message = "all peers have no reference by other authors that has a text ... Add the texts of empty references"
    assert re.search(mentions(message), str(error.value))
    assert "topic names" not in str(error.value)
    _, notes = pair_summaries(make("x.1", "x.2", "y.1", "z.1"), references)
    assert notes == [
        "x.1, x.2 have no reference by other authors that has a text, and no score",
        "z.1 has no reference by other authors, and no score",
    ]


def test_the_reason_is_true_of_all_peers() -> None:
    """One peer has an empty reference and the own one, and the other has no reference at all."""
    references = [Summary("x", "B", (), "x.B"), *make("x.1", "y.A")]
    for peers in (make("x.1", "z.1"), make("z.1", "x.1")):
        with pytest.raises(EmptyResultError) as error:
            pair_summaries(peers, references)
        reason = "all peers have no reference by other authors that has a text"
        assert re.search(mentions(reason), str(error.value))
        for remedy in ("author names", "texts of empty references", "topic names"):
            assert remedy in str(error.value)


def test_empty_references_do_not_count() -> None:
    empty = [Summary("x", "A", (), "x.A")]
    with pytest.raises(
        EmptyResultError,
        match=mentions("x.A ... texts"),
    ):
        pair_summaries(make("x.1"), empty)


def test_peers_by_the_authors_of_references() -> None:
    """The message quotes a topic that both have, and shows that the author is the same."""
    peers, references = make("w.A", "x.A"), make("x.A", "y.B")
    with pytest.raises(EmptyResultError) as error:
        pair_summaries(peers, references)
    assert re.search(
        mentions("(x.A has topic x and author A, x.A has topic x and author A) ... peers"), str(error.value)
    )
    with pytest.raises(EmptyResultError, match=mentions("author ... --pattern")):
        pair_summaries(make("w.1"), references)


def test_recalls_are_pooled_and_left_out_in_turn() -> None:
    """3 of 10 and 1 of 2: together 4 of 12. With each left out in turn, the mean of 1/2 and 3/10."""
    counts = [(3, 10), (1, 2)]
    assert pool_references(counts, leave_out=False) == [[4, 12]]
    assert pool_references(counts, leave_out=True) == [[1, 2], [3, 10]]
    assert (divide_counts(3, 10), divide_counts(0, 0)) == (0.3, 0)


def test_words_are_those_of_rouge() -> None:
    assert split_alphanumeric("The U.S. can't re-use 1,200 of Café_Noir's") == [
        "the", "u", "s", "can", "t", "re", "use", "1", "200", "of", "café", "noir", "s",
    ]  # fmt: skip
    assert stem_words(["bombing", "was", "ties"]) == ["bomb", "was", "ti"]  # Porter (1980); three letters stay
    assert {"the", "n", "t"} < STOP_WORDS


def test_scores_are_written_in_natural_order() -> None:
    scores = [SummaryScore("D2", "10", {"a": 1 / 3}), SummaryScore("D2", "9", {"a": 0.5, "b": 1})]
    assert render_scores(scores, ["a", "b"]) == ("topic\tsystem\ta\tb\nD2\t9\t0.500000\t1.000000\nD2\t10\t0.333333\t\n")


def test_systems_are_averaged_best_first() -> None:
    """The mean of 0.5 and 1, and a single score. Then a note says that the means are over different topics."""
    scores = [SummaryScore("D1", "2", {"a": 0.5}), SummaryScore("D1", "1", {"a": 0}), SummaryScore("D2", "2", {"a": 1})]
    table, note = render_means(scores, "a").split("\n\n")
    assert table.splitlines() == ["system  summaries       a", "2               2  0.7500", "1               1  0.0000"]
    assert note == (
        "Systems have different numbers of summaries. Their means are over different topics, some easier than others."
    )


def test_equal_means_are_in_natural_order() -> None:
    """All have equal means by the metric that orders them, and one summary, so that there is no note."""
    scores = [SummaryScore("D1", author, {"a": 0.5, "b": value}) for author, value in (("10", 1), ("9", 0), ("2", 0))]
    assert [line.split() for line in render_means(scores, "a").splitlines()] == [
        ["system", "summaries", "a", "b"],
        ["2", "1", "0.5000", "0.0000"],
        ["9", "1", "0.5000", "0.0000"],
        ["10", "1", "0.5000", "1.0000"],
    ]


def test_the_middle_of_long_names_is_left_out() -> None:
    lines = render_means([SummaryScore("D1", "s" * 200, {"a": 0.5})], "a").splitlines()
    assert max(map(len, lines)) == 80
    assert "sss[...]sss" in "\n".join(lines)


def test_wide_tables_are_divided_and_repeat_the_systems() -> None:
    names = [f"{letter * 40}" for letter in "abcd"]
    text = render_means([SummaryScore("D1", "1", dict.fromkeys(names, 0.5))], names[0])
    tables = [table.splitlines()[0].split() for table in text.split("\n\n")]
    titles = [f"{letter * 14}[...]{letter * 13}" for letter in "abcd"]  # 27 characters of each name
    assert [table[:2] for table in tables] == [["system", "summaries"]] * len(tables)
    assert [title for table in tables for title in table[2:]] == titles
    assert len(tables) > 1


@needs_real_summaries
def test_nists_own_archive_is_read() -> None:
    """45 topics, of which each has summaries of 30 systems, 2 baselines and 4 people (README.mainEval)."""
    peers, notes = read_summaries(f"{REAL_SUMMARIES}/mainEval/ROUGE/peers")
    references, _ = read_summaries(f"{REAL_SUMMARIES}/mainEval/ROUGE/models")
    assert (len(peers), len(references)) == (45 * 36, 45 * 4)
    assert len({summary.topic for summary in peers}) == 45
    assert notes == [
        (
            "peers/D0713.M.250.C.D, peers/D0740.M.250.I.H are not UTF-8 and were read as Windows-1252. "
            "Convert other encodings to UTF-8"
        ),
        "peers/D0706.M.250.B.6 is empty",
        f"{REAL_SUMMARIES}/mainEval/ROUGE/peers: counted 18 other tags such as </doc> in 14 texts as words",
    ]
    comparisons, _ = pair_summaries(peers, references, jackknife=True)
    assert len(comparisons) == 45 * 36
    assert {len(comparison.references) for comparison in comparisons if comparison.is_reference} == {3}
