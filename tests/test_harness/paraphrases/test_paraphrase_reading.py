"""The formats that tables of paraphrases come in, tables from SCUs, and the commands `paraphrases`: every flag."""

from __future__ import annotations

import gzip
import math
import os
import re
import shutil
from pathlib import Path

import pytest
from helpers.commands import Capture
from helpers.messages import mentions
from helpers.paraphrase_tables import ADJECTIVES, METEOR, MOSES, PPDB, TSV, write_wordnet

from harness.cli import main
from harness.files import lines
from harness.files.lines import Line
from harness.paraphrases.tables.clusters import align_stretches, choose_pyramids, list_entries, read_clusters
from harness.paraphrases.tables.formats import ParaphraseEntry, parse_moses, parse_ppdb
from harness.paraphrases.tables.reading import REASONS, open_table, read_table
from harness.paraphrases.tables.storage import digest_arrays
from harness.paraphrases.tables.wordnet import parse_pointers, parse_synset
from harness.support.progress import Progress
from pyramid_paraphrase import SAMPLE_DIR
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError, OptionError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu

ROWS = TSV.replace("phrase\tparaphrase\tprobability", "word\tsubstitute\tscore").replace("\t", ";").replace(".", ",")
SAYS_THE_SAME = {"ppdb": PPDB, "moses": MOSES, "tsv": TSV, "meteor": METEOR, "rows": ROWS}
CORRECT = "... line"
SCORE = "... --score"
REAL_WORDNET = Path("/usr/share/wordnet")


def run(*arguments: object) -> int:
    return main(["paraphrases", *map(str, arguments)])


def refuse(path: Path, content: str | bytes, **options: object) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((InputError, OptionError)) as caught:
        read_table(path, **options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", SAYS_THE_SAME)
def test_one_table_in_every_format(tmp_path: Path, name: str, packed: bool) -> None:
    path = tmp_path / ("mine.txt" + ".gz" * packed)
    data = SAYS_THE_SAME[name].encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    format_name, arrays, counts = read_table(path)
    left_out = sum(counts[reason] for reason in REASONS)
    assert (format_name, counts["entries read"] - left_out, len(arrays.paraphrases)) == (name, 5, 5)
    table = open_table(path)
    assert table.name == "mine"
    assert table.paraphrases_of(["kicked", "the", "bucket"])[0][0] == ("passed", "away")
    assert [round(p, 6) for _, p in table.paraphrases_of(["kicked", "the", "bucket"])] == [0.5, 0.2]
    assert table.paraphrases_of(["don", "t", "know"]) == [(("have", "no", "idea"), 0.125)]
    assert open_table(path, min_probability=0.3).paraphrases_of(["died"]) == []


def test_rows_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    header = "source,target,weight\n"
    assert re.search(mentions("t.csv, line 2: ... probability of at least 0"), refuse(path, f"{header}a,b,-1\n"))
    assert re.search(mentions("t.csv, line 2: 'much' is not a number"), refuse(path, f"{header}a,b,much\n"))
    assert re.search(mentions("t.csv: ... no column for paraphrase ... header"), refuse(path, "source,x,y\na,b,1\n"))
    assert re.search(mentions("t.csv, line 1: unknown format ... phrase and paraphrase"), refuse(path, "x,y\na,b\n"))


def test_probabilities_of_moses_and_of_lists_make_the_same_table(tmp_path: Path) -> None:
    digests = set()
    for name, text in (
        ("a.moses", MOSES),
        ("a.tsv", TSV),
        ("b.tsv", TSV.replace("\n", "\r\n")),
        ("c.tsv", "\ufeff" + TSV),
    ):
        (tmp_path / name).write_text(text, newline="")
        _, arrays, _ = read_table(tmp_path / name)
        digests.add(digest_arrays(arrays))
    assert len(digests) == 1


def line(text: str) -> Line:
    return Line("mine", 7, text)


@pytest.mark.parametrize(
    ("scores", "chosen", "probability"),
    [
        ("0.25", None, 0.25),
        ("0.1 0.25", None, 0.25),
        ("0.1 0.2 0.25 0.3", None, 0.25),
        ("0.1 0.2 0.25 0.3 2.718", None, 0.25),
        ("0.1 0.2 1e-05 0.3", 1, 0.1),
    ],
)
def test_which_score_of_moses_is_the_probability(scores: str, chosen: int | None, probability: float) -> None:
    assert parse_moses(line(f"a b ||| c ||| {scores} ||| 0-0"), chosen) == ParaphraseEntry(
        ("a", "b"), ("c",), probability
    )


def test_a_score_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=mentions("mine, line 7: ... 2 scores, ... --score is 3")):
        parse_moses(line("a ||| b ||| 1 1"), 3)


ABOVE_ONE = {
    "moses": "a ||| b ||| 1.5\nc ||| d ||| 1.000001\ne ||| e ||| 7\nf ||| g ||| 1\nh ||| i ||| 0.5\n",
    "tsv": "a\tb\t1.5\nc\td\t1.000001\ne\te\t7\nf\tg\t1\nh\ti\t0.5\n",
    "meteor": "1.5\na\nb\n1.000001\nc\nd\n7\ne\ne\n1\nf\ng\n0.5\nh\ni\n",
    "ppdb": "".join(
        f"[X] ||| {pair} ||| p(e|f)={value}\n"
        for pair, value in (
            ("a ||| b", "-0.405465"),  # -ln 1.5
            ("c ||| d", "-1000"),  # its exponential is too large for a number
            ("e ||| e", "-2"),
            ("f ||| g", "0"),
            ("h ||| i", "0.693147"),  # -ln 0.5
        )
    ),
}


@pytest.mark.parametrize("name", ABOVE_ONE)
def test_a_probability_above_1_is_taken_as_1_and_counted(tmp_path: Path, capsys: Capture, name: str) -> None:
    """Entries that are left out for another reason are counted, too. A probability of exactly 1 is not counted."""
    (tmp_path / "mine").write_text(ABOVE_ONE[name])
    assert run("compile", tmp_path / "mine", "--output", tmp_path / "table") == 0
    report = capsys.readouterr().out
    assert re.search(rf"^{name} +5 +4 ", report, re.MULTILINE)
    assert re.search(r"repaired +reason\n +3  probability above 1, replaced by 1\n", report)
    table = open_table(tmp_path / "table")
    probabilities = [table.paraphrases_of([word])[0][1] for word in "acfh"]
    assert probabilities == pytest.approx([1, 1, 1, 0.5])


def test_a_negative_zero_is_stored_as_zero() -> None:
    """Of -0.0, other bytes would be stored than of 0."""
    assert math.copysign(1, parse_moses(line("a ||| b ||| -0.0")).probability) == 1


def test_lines_of_ppdb() -> None:
    """The line of 2.0 has the features, without others, that its files have."""
    features = "PPDB2.0Score=5.22 -logp(e1|e2)=2.3 -logp(e2|e1)=1.5 -logp(e2|e1,LHS)=1.4"
    second = f"[NN] ||| car ||| auto ||| {features} ||| 0-0 ||| "
    parsed = parse_ppdb(line(second + "Equivalence"))
    assert parsed == ParaphraseEntry(("car",), ("auto",), math.exp(-1.5))
    assert parse_ppdb(line(second + "Exclusion")) == "labelled Exclusion or Independent"
    assert parse_ppdb(line(second + "Independent")) == "labelled Exclusion or Independent"
    assert parse_ppdb(line("[X] ||| a [NP,1] ||| b [NP,1] ||| p(e|f)=1")) == "a pattern with gaps, not a phrase"
    rounded = parse_ppdb(line("[X] ||| a ||| b |||p(e|f)=-0.00001||| 0-0"))
    assert rounded == ParaphraseEntry(("a",), ("b",), 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ||| b", f"... at least 3 columns separated by |||, found 2. {CORRECT}"),
        ("a ||| b ||| ", f"... 1, 2, 4 or 5 scores, found 0. {SCORE}"),
        ("a ||| b ||| 1 1 1", f"... 1, 2, 4 or 5 scores, found 3. {SCORE}"),
        ("a ||| b ||| -0.1", f"... -0.1 ... 0 to 1. {SCORE}"),
        ("a ||| b ||| nan", f"'nan' {SCORE}"),
        ("a ||| b ||| inf", f"'inf' {SCORE}"),
        ("a ||| b ||| 0_1", f"'0_1' {SCORE}"),
        ("a ||| b ||| \u0660.\u0665", rf"'\u0660.\u0665' {SCORE}"),
        ("[X] ||| a ||| b", f"... at least 4 columns separated by |||, found 3. {CORRECT}"),
        ("[X] ||| a ||| b ||| p(f|e)=1", "... neither p(e|f) nor -logp(e2|e1). ... unmodified file of PPDB"),
        ("[X] ||| a ||| b ||| p(e|f)=NA", f"'NA' {CORRECT}"),
        ("[X] ||| a ||| b ||| p(e|f)=nan", f"'nan' {CORRECT}"),
    ],
)
def test_lines_that_are_refused(text: str, message: str) -> None:
    parse = parse_ppdb if text.startswith("[") else parse_moses
    with pytest.raises(InputError) as caught:
        parse(line(text))
    assert re.search(mentions(f"mine, line 7: {message}"), str(caught.value))


def test_lists_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    columns, remedy = "... 2 or 3 tab-separated columns, found", "... phrase, paraphrase and optionally probability"
    assert re.search(mentions(f"t.tsv, line 2: {columns} 4. {remedy}"), refuse(path, "a\tb\nc\td\t1\te\n"))
    assert re.search(mentions(f"t.tsv, line 3: {columns} 1. {remedy}"), refuse(path, "a\tb\n\nc\n"))
    assert re.search(mentions("t.tsv, line 1: 'much' ... column"), refuse(path, "a\tb\tmuch\n"))
    assert re.search(mentions("t.tsv, line 2: ... UTF-8"), refuse(path, b"a\tb\n\xff\tc\n"))
    assert re.search(mentions("t.tsv, line 1: ... zero bytes ... UTF-8"), refuse(path, "a\tb\n".encode("utf-16-le")))
    assert re.search(mentions("t.tsv: ... empty ... entries"), refuse(path, ""))
    assert re.search(mentions("t.tsv: ... no usable paraphrases"), refuse(path, "Phrase\tParaphrase\n"))
    same = "no usable paraphrases (1 with the same words on both sides; 1 without words on one side)"
    assert re.search(mentions(f"t.tsv: ... {same}"), refuse(path, "a\tA\n!\tb\n"))
    improbable = mentions("t.tsv: ... no usable paraphrases (1 below the minimum probability)")
    assert re.search(improbable, refuse(path, "a\tb\t0.1\n", min_probability=0.2))
    unknown = refuse(path, "a b\n")
    assert re.search(mentions("t.tsv, line 1: unknown format ... moses"), unknown)
    assert all(f"{name} (" in unknown for name in ("ppdb", "moses", "tsv", "meteor"))
    assert re.search(mentions(f"t.tsv, line 1: {columns} 1. {remedy}"), refuse(path, "a b\n", input_format="tsv"))
    assert re.search(mentions("'csv' ... 'tsv' ... meteor, moses"), refuse(path, "a\tb\n", input_format="csv"))
    assert re.search(mentions("t.tsv: --score ... moses, not to tsv. Omit --score"), refuse(path, "a\tb\n", score=1))


def test_tables_of_meteor_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t"
    entries = "... three lines per entry: probability, phrase, paraphrase"
    first = "0.5\na\nb\n"
    assert re.search(mentions(f"t, line 4: 'c' {entries}"), refuse(path, first + "c\nd\n0.5\n"))
    assert re.search(mentions(f"t, line 4: ... -0.5 ... 0 to 1. {entries}"), refuse(path, first + "-0.5\nc\nd\n"))
    assert re.search(mentions(f"t, line 4: 'nan' {entries}"), refuse(path, first + "nan\nc\nd\n"))
    incomplete = "... three lines, found the end of the file."
    assert re.search(mentions(f"t, line 5: {incomplete} {entries}"), refuse(path, "\n" + first + "0.5\nc\n"))
    with pytest.raises(OptionError, match="--score"):
        read_table(path, score=1)


def test_blank_lines_of_meteor(tmp_path: Path) -> None:
    """Between entries they are skipped. Within an entry, a blank line is a phrase without a word."""
    (tmp_path / "t").write_text("\n0.5\na\nb\n\n\n0.25\n\n7\n0.125\n8\n9\n\n")
    format_name, _, counts = read_table(tmp_path / "t")
    assert (format_name, counts) == ("meteor", {"entries read": 3, "without words on one side": 1})
    assert open_table(tmp_path / "t").paraphrases_of(["8"]) == [(("9",), 0.125)]


def test_a_list_without_probabilities_is_certain(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("a b\tc\nc\td\t0.5\n")
    assert open_table(tmp_path / "t.tsv").paraphrases_of(["a", "b"]) == [(("c",), 1.0)]


def test_a_bomb_of_few_lines_is_refused(tmp_path: Path) -> None:
    """Of 600 KB that became 600 lines of a million bytes, 2.6 GiB of memory were made before anybody looked."""
    lines = (b"a " * 500_000 + b"\tb\n") * 5
    bomb = mentions("t.tsv: ... 200 times ... unpack")
    assert re.search(bomb, refuse(tmp_path / "t.tsv", gzip.compress(lines)))


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.tsv"
    bomb = gzip.compress(b"a\tb\n" * 200_000 + b"c\td\n" * 300_000)
    assert re.search(mentions("t.tsv: ... 200 times ... unpack"), refuse(path, bomb))
    long = b"a\tb\n" + b"c" * (1 << 20) + b"\td\n"
    assert re.search(mentions("t.tsv, line 2: ... 1,048,576 bytes. ... table of paraphrases"), refuse(path, long))
    monkeypatch.setattr(limits, "MAX_TEXT_LINE_BYTES", 1 << 10)
    with pytest.raises(LimitError):
        open_table(path)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    packed = gzip.compress(TSV.encode())
    assert re.search(
        mentions("t: ... damaged archive ( ... download the file again"), refuse(tmp_path / "t", packed[:-9])
    )
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path, message in (
        (tmp_path / "none", "no such file ... Check the path"),
        (tmp_path / "pipe", "... pipe or a device"),
        (
            tmp_path / "folder",
            "... folder without data.noun, data.verb, data.adj, data.adv. Use a file, or the folder of WordNet",
        ),
    ):
        with pytest.raises(InputError) as caught:
            open_table(path)
        assert re.search(mentions(f"{path}: {message}"), str(caught.value))


def test_words_of_a_synset_paraphrase_each_other(tmp_path: Path) -> None:
    format_name, arrays, counts = read_table(write_wordnet(tmp_path / "wn"))
    assert (format_name, counts["entries read"], len(arrays.paraphrases)) == ("wordnet", 8, 8)
    table = open_table(tmp_path / "wn")
    assert table.name == "wn"
    assert table.paraphrases_of(["motor", "car"]) == [(("car",), 1.0)]
    assert table.paraphrases_of(["alive"]) == [(("live",), 1.0), (("living",), 1.0)]
    assert table.paraphrases_of(["thing"]) == []


def test_relations_of_wordnet_are_chosen(tmp_path: Path) -> None:
    """A hypernym is a paraphrase of its hyponyms: "thing" of "car". Each derived form has a pointer of its own."""
    folder = write_wordnet(tmp_path / "wn")
    (folder / "data.verb").write_text(
        "00000009 30 v 02 drive 0 motor 2 002 + 00000001 n 0202 @ 00000009 v 0000 00 | go\n"
    )
    (folder / "data.adv").write_text(r"00000009 02 r 01 vividly 0 001 \ 00000001 s 0102 | so" + "\n")
    table = open_table(f"{folder},relations=hypernyms")
    assert table.name == "wn (hypernyms)"
    assert table.paraphrases_of(["motor", "car"]) == [(("thing",), 1.0)]
    assert table.paraphrases_of(["thing"]) == []
    assert table.paraphrases_of(["thing"], reverse=True) == [(("car",), 1.0), (("motor", "car"), 1.0)]
    assert table.paraphrases_of(["drive"]) == [(("motor",), 1.0)]  # the synset is its own hypernym
    table = open_table(f"{folder},relations=derived")
    assert table.paraphrases_of(["motor"]) == [(("motor", "car"), 1.0)]
    assert table.paraphrases_of(["vividly"]) == [(("living",), 1.0)]
    assert table.entry_count == 2
    _, arrays, counts = read_table(f"{folder},relations=derived+synonyms+hypernyms")
    assert (counts["entries read"], len(arrays.paraphrases)) == (10 + 2 + 6, 14)
    assert "above 1" not in " ".join(counts)  # all probabilities are 1
    assert open_table(f"{folder},relations=hypernyms+derived").name == "wn (hypernyms+derived)"
    assert open_table(f"{folder},relations=synonyms").fingerprint == open_table(folder).fingerprint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("00000002 n 0000", "00000003 n 0000"), "data.noun, line 2: ... points to a word ... all files"),
        (("00000002 n 0000", "00000002 v 0000"), "data.noun, line 2: ... points to a word ... all files"),
        (("n 0000", "n 0302"), "data.noun, line 2: ... points to a word"),
        (("n 0000", "n 0003"), "data.noun, line 2: ... points to a word"),
        (("001 @", "002 @"), "data.noun, line 2: ... invalid pointers"),
        (("001 @", "999999999999 @"), "data.noun, line 2: ... invalid pointers"),
        (("001 @", "x @"), "data.noun, line 2: ... invalid pointers"),
        (("n 0000", "n 000"), "data.noun, line 2: ... invalid pointers"),
    ],
)
def test_wrong_pointers_of_wordnet_are_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    folder = write_wordnet(tmp_path / "wn")
    text = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(text.replace(*change, 1))
    with pytest.raises(InputError, match=mentions(message)):
        read_table(f"{folder},relations=hypernyms")
    read_table(folder)  # synonyms need no pointers


def test_relations_that_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_wordnet(tmp_path / "wn")
    with pytest.raises(
        OptionError, match=mentions("relation ... 'antonyms' ... 'synonyms' ... derived, hypernyms, synonyms")
    ):
        open_table(f"{folder},relations=synonyms+antonyms")
    (tmp_path / "t.tsv").write_text("a\tb\n")
    with pytest.raises(OptionError, match=mentions("t.tsv: ... WordNet ... Omit ,relations=hypernyms")):
        open_table(tmp_path / "t.tsv,relations=hypernyms")
    (tmp_path / "t,relations=x").write_text("a\tb\n")
    assert open_table(tmp_path / "t,relations=x").paraphrases_of(["a"]) == [(("b",), 1.0)]
    monkeypatch.setattr("harness.paraphrases.tables.wordnet.MAX_SYNSETS", 2)
    with pytest.raises(LimitError, match=mentions("wn: ... 2 synsets")):
        open_table(f"{folder},relations=hypernyms")
    assert open_table(folder).entry_count == 8
    monkeypatch.setattr("harness.paraphrases.tables.wordnet.MAX_SYNSETS", 3)
    assert open_table(f"{folder},relations=hypernyms").entry_count == 2


def test_commands_take_relations(capsys: Capture, tmp_path: Path) -> None:
    """One place reads the names of tables for all commands."""
    folder = write_wordnet(tmp_path / "wn")
    assert run("compile", f"{folder},relations=hypernyms", "--output", tmp_path / "x.table") == 0
    assert run("show", f"{folder},relations=hypernyms", "car") == 0
    assert "thing" in capsys.readouterr().out
    converted = tmp_path / "lists.jsonl"
    arguments = ("--sources", "car", "--output", str(converted))
    assert main(["dimple", "convert", f"{folder},relations=hypernyms", *arguments]) == 0
    assert '"thing"' in converted.read_text()
    assert run("compile", f"{folder},relations=hypernyms", "--output", folder / "data.noun") == 2


@pytest.mark.parametrize("change", [("00000001 00", "1 00"), ("a 03", "a 0z"), ("a 03", "a 00"), ("a 03", "a ff")])
def test_lines_that_are_no_synset_are_refused(change: tuple[str, str]) -> None:
    assert parse_synset(line(ADJECTIVES.splitlines()[1])) == ["alive", "living", "live"]
    with pytest.raises(InputError) as caught:
        parse_synset(line(ADJECTIVES.splitlines()[1].replace(*change)))
    assert re.search(mentions("mine, line 7: ... synset of WordNet"), str(caught.value))


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("00000001 00 s 02 fit(ip) 0 set 1 000", ["fit", "set"]),
        ("00000001 00 s 02 main(a) 0 awake(p) 0 000", ["main", "awake"]),
        ("00000001 00 n 02 a(ap) 0 b(p)c 1 000", ["a(ap)", "b(p)c"]),
        ("00000001 00 r 01 so 0 000", ["so"]),
        ("00000001 30 v 0c " + "go 0 " * 12 + "000 00", ["go"] * 12),
        ("00000001 30 v 1f " + "go 0 " * 31 + "000 00", ["go"] * 31),
    ],
)
def test_words_of_synsets(head: str, words: list[str]) -> None:
    """The number of words is hexadecimal, and so are their ids."""
    assert parse_synset(line(f"{head} | gloss")) == parse_synset(line(head)) == words
    assert parse_pointers(line(f"{head} | gloss")) == []


def test_pointers_of_synsets() -> None:
    """Numbers of words are hexadecimal. A satellite is an adjective."""
    targets = (
        "@i 00000012 n 0000",
        "@ 00000003 v 0a1f",
        "+ 00000004 s f09b",
        r"\ 00000005 a ceb8",
        "& 00000006 r 0d0a",
    )
    synset = f"00000001 03 n 01 go 0 005 {' '.join(targets)} | gloss @ 00000009 n 0000"
    assert parse_pointers(line(synset)) == [
        ("@i", ("n", "00000012"), (0, 0)),
        ("@", ("v", "00000003"), (10, 31)),
        ("+", ("a", "00000004"), (240, 155)),
        ("\\", ("a", "00000005"), (206, 184)),
        ("&", ("r", "00000006"), (13, 10)),
    ]
    for change in (("@i ", "@ii "), ("@i ", " "), ("n 0000", "n 00000"), ("a ceb8", "x ceb8"), ("00000012", "0000012")):
        with pytest.raises(InputError, match=mentions("mine, line 7: ... invalid pointers")):
            parse_pointers(line(synset.replace(*change)))


@pytest.mark.parametrize(
    "text",
    ["00000001 03 n 01 go", "00000001 03 n 01 go 0", "00000001 03 n 02 go 0 000 |", "00000001 03 n 011 go 0 000 |"],
)
def test_synsets_that_end_early_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=mentions("mine, line 7: ... synset of WordNet")):
        parse_synset(line(text))


@pytest.mark.skipif(not (REAL_WORDNET / "data.noun").is_file(), reason="WordNet's files are not in /usr/share/wordnet")
def test_the_real_wordnet(tmp_path: Path) -> None:
    """WordNet 3.0: n (n - 1) summed over the fourth fields of the lines, n, as `cut` and `uniq -c` give them."""
    _, _, counts = read_table(REAL_WORDNET)
    assert counts["entries read"] == 315_984
    _, _, counts = read_table(f"{REAL_WORDNET},relations=derived")
    assert counts["entries read"] == 74_717 + 8_023  # pointers with the symbols + and \\, by `grep`


def test_progress_is_told_all_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    monkeypatch.setattr(lines, "_STEP", 2)
    monkeypatch.setattr(Progress, "advance", lambda _, count: counts.append(count))
    (tmp_path / "t.tsv").write_text(TSV)
    read_table(tmp_path / "t.tsv", progress=Progress(visible=False))
    assert sum(counts) == len(TSV)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("the storm killed two goats", "the storm left two goats dead", [("killed", "left")]),
        (
            "the storm destroyed many houses there",
            "the storm tore down many houses there",
            [("destroyed", "tore down")],
        ),
        ("a storm in May killed goats", "a storm of May killed goats", []),
        ("a storm in May killed goats", "a storm ended May killed goats", []),
        # Half of the words of the shorter text are shared.
        ("the storm killed goats", "the rain drowned goats", [("storm killed", "rain drowned")]),
        ("the storm killed goats", "the rain drowned many goats", [("storm killed", "rain drowned many")]),
        # Words that recur often in a long text are shared, too.
        ("goats " * 100 + "died" + " goats" * 100, "goats " * 100 + "drowned" + " goats" * 100, [("died", "drowned")]),
        ("a storm took 30 big goats", "a storm took 20 small goats", []),
        ("a storm destroyed houses", "rain washed away houses and a bridge", []),
        ("storm destroyed houses", "rain destroyed houses", []),
    ],
)
def test_stretches_that_differ_between_shared_words(one: str, other: str, expected: list[tuple[str, str]]) -> None:
    pairs = [(words(left), words(right)) for left, right in expected]
    assert align_stretches(words(one), words(other)) == pairs


def pyramid(name: str, *scus: tuple[str, ...]) -> Pyramid:
    return Pyramid(
        name,
        name.split("-")[0],
        (),
        "",
        (),
        tuple(
            Scu(str(uid), "", tuple(Contributor((Part(text, 0, 1, "A"),)) for text in texts))
            for uid, texts in enumerate(scus)
        ),
    )


PYRAMIDS = (
    pyramid("D0901-A", ("the storm destroyed many houses", "the storm tore down many houses")),
    pyramid("D0901-B", ("it rained", "rain fell", "it rained")),
    pyramid("D0902", ("they destroyed the old bridge", "they blew up the old bridge"), ("alone",)),
)


def test_clusters_give_whole_contributors_and_what_differs() -> None:
    """Two SCUs have paraphrases of "destroyed", one each: a half. Whole contributors have one paraphrase."""
    entries = {(" ".join(one), " ".join(other)): value for one, other, value in list_entries(PYRAMIDS)}
    assert entries == {
        ("the storm destroyed many houses", "the storm tore down many houses"): 1.0,
        ("the storm tore down many houses", "the storm destroyed many houses"): 1.0,
        ("destroyed", "tore down"): 0.5,
        ("tore down", "destroyed"): 1.0,
        ("it rained", "rain fell"): 1.0,
        ("rain fell", "it rained"): 1.0,
        ("they destroyed the old bridge", "they blew up the old bridge"): 1.0,
        ("they blew up the old bridge", "they destroyed the old bridge"): 1.0,
        ("destroyed", "blew up"): 0.5,
        ("blew up", "destroyed"): 1.0,
    }


@pytest.mark.parametrize(
    ("without", "left"),
    [
        ((), ["D0901-A", "D0901-B", "D0902"]),
        (("D0901",), ["D0902"]),
        (("D0901-B",), ["D0902"]),
        (("D0902", "D0901"), []),
    ],
)
def test_topics_are_left_out_with_all_their_sets(without: tuple[str, ...], left: list[str]) -> None:
    assert [pyramid.id for pyramid in choose_pyramids(PYRAMIDS, without)] == left


def test_a_pyramid_that_joins_topics_goes_with_each() -> None:
    joined = pyramid("D0901+D0902")
    assert choose_pyramids([joined, PYRAMIDS[2]], ["D0901"]) == [PYRAMIDS[2]]
    assert choose_pyramids([joined, PYRAMIDS[0]], ["D0901+D0902"]) == []


def test_leaving_out_all_topics_is_named_as_the_reason() -> None:
    with pytest.raises(EmptyResultError, match=mentions("--without ... pyramids of other topics")):
        read_clusters(PYRAMIDS, ["D0901", "D0902"])


def test_pyramids_without_paraphrases() -> None:
    for pyramids in ([], [pyramid("D0901")]):
        with pytest.raises(EmptyResultError, match=mentions("two contributors ... Add pyramids")):
            read_clusters(pyramids)


def test_the_sample_gives_paraphrases(sample: Corpus) -> None:
    every = list_entries(sample.pyramids)
    fewer = list_entries(choose_pyramids(sample.pyramids, ["S0101"]))
    assert 0 < len(fewer) < len(every)
    assert all(0 < one.probability <= 1 for one in every)


def test_compile_says_what_is_kept_and_why_not(capsys: Capture, tmp_path: Path) -> None:
    source, target = tmp_path / "mine.moses.gz", tmp_path / "mine.table"
    source.write_bytes(
        gzip.compress((MOSES + "! ||| a ||| 1\na ||| A ||| 1\ndied ||| passed away ||| 1 1 0.24 1\n").encode())
    )
    assert run("compile", source, "--output", target, "--min-probability", 0.2) == 0
    digest = open_table(target).fingerprint[:12]
    assert capsys.readouterr().out == (
        "format  entries read  kept  phrases  fingerprint\n"
        f"moses              8     4        3  {digest}\n"
        "\n"
        "left out  reason\n"
        "       1  below the minimum probability\n"
        "       1  repeated (the highest probability is kept)\n"
        "       1  with the same words on both sides\n"
        "       1  without words on one side\n"
        f"\n{target}\n"
    )


def test_compile_takes_another_score_and_the_name_of_a_format(capsys: Capture, tmp_path: Path) -> None:
    source, target = tmp_path / "mine.moses", tmp_path / "mine.table"
    source.write_text(MOSES)
    assert run("compile", source, "--output", target, "--score", 1, "--input-format", "moses") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[3] == "No entries were left out."
    assert re.search(mentions("note: both sides ... same language."), err)
    assert "`pivot`" in err
    assert run("show", target, "passed away") == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["died", "0.1000"]


def test_compile_refuses_what_it_cannot_do(capsys: Capture, tmp_path: Path) -> None:
    source, target = tmp_path / "mine.tsv", tmp_path / "mine.table"
    source.write_text(TSV)
    assert run("compile", source, "--output", source) == 2
    assert re.search(mentions("mine.tsv: ... also an input ... --output"), capsys.readouterr().err)
    assert run("compile", source, "--output", target) == 0
    assert run("compile", target, "--output", tmp_path / "again.table") == 2
    assert re.search(mentions(f"{target}: ... compiled"), capsys.readouterr().err)
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(target.read_bytes()))
    with pytest.raises(InputError, match=mentions("packed.gz, line 1: ... UTF-8")):
        open_table(packed)
    for text in ("1.5", "nan", "-1"):
        with pytest.raises(SystemExit):
            run("compile", source, "--output", target, f"--min-probability={text}")
        assert re.search(mentions("compile ... --min-probability ... 0 ... 1"), capsys.readouterr().err)


def test_no_file_of_a_folder_is_replaced_by_its_table(capsys: Capture, tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wn")
    assert run("compile", folder, "--output", folder / "data.adj") == 2
    assert re.search(mentions("wn/data.adj: ... also an input ... --output"), capsys.readouterr().err)
    for _ in range(2):
        assert run("compile", folder, "--output", folder / "wn.table") == 0
    shutil.copytree(SAMPLE_DIR, tmp_path / "pyramids")
    capsys.readouterr()
    pyramid = next((tmp_path / "pyramids").rglob("*.pyr"))
    assert run("clusters", tmp_path / "pyramids", "--output", pyramid) == 2
    assert re.search(mentions(f"{pyramid.name}: ... also an input ... --output"), capsys.readouterr().err)


def test_clusters_of_the_sample(capsys: Capture, tmp_path: Path) -> None:
    sizes = []
    for without in ([], ["--without", "S0101", "S0102"]):
        assert run("clusters", "sample", "--output", tmp_path / "scus.table", *without) == 0
        name, read, kept, *_ = capsys.readouterr().out.splitlines()[1].split()
        assert (name, read) == ("clusters", kept)
        sizes.append(int(kept))
    assert sizes[0] > sizes[1] > 0
    assert run("clusters", "sample", "--output", tmp_path / "scus.table", "--without", "S1") == 2
    assert re.search(mentions("'S1' ... S0101, S0102"), capsys.readouterr().err)
    everything = [f"S010{number}" for number in range(1, 9)]
    assert run("clusters", "sample", "--output", tmp_path / "scus.table", "--without", *everything) == 2
    assert re.search(mentions("SCU ... pyramids"), capsys.readouterr().err)


def test_show(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text(TSV)
    assert run("show", tmp_path / "mine.tsv", "Kicked the bucket!", "--top", 1) == 0
    digest = open_table(tmp_path / "mine.tsv").fingerprint[:12]
    assert capsys.readouterr().out == (
        "paraphrases  probability\n"
        "passed away       0.5000\n"
        "\n"
        f"'kicked the bucket' in mine {digest}: 2 paraphrases, 0 phrases that it paraphrases.\n"
    )
    assert run("show", tmp_path / "mine.tsv", "passing away") == 2
    error = "no paraphrases of 'passing away'. Try --stem, or other forms of the words\n"
    assert capsys.readouterr().err.endswith(error)
    assert run("show", tmp_path / "mine.tsv", "\U0001f44d!") == 2
    assert re.search(mentions("'\U0001f44d!' has no words ... Look up"), capsys.readouterr().err)
    assert run("show", tmp_path / "mine.tsv", "passing away", "--stem") == 0
    assert capsys.readouterr().out.splitlines()[3:6] == [
        "phrases that it paraphrases  probability",
        "kicked the bucket                 0.5000",
        "died                              0.2500",
    ]
    assert run("show", tmp_path / "mine.tsv", "nothing", "--stem") == 2
    assert capsys.readouterr().err.endswith("no paraphrases of 'nothing'. Try other forms of the words\n")
