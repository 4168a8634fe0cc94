"""The command `paraeval`: output, files, pages and errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.annotations import PYRAMID, parse_file
from helpers.messages import mentions
from helpers.summaries import write_summaries

from harness.cli import main
from harness.summarization.paraeval.texts import TopicTables
from pyramid_paraphrase import SAMPLE_DIR


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_summaries(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> int:
    return main(["paraeval", "--peers", "peers", "--references", "references", *arguments])


def test_systems_are_ranked_by_every_choice_of_tiers(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of D0101 system 1 has 6 of 10 words of A and 4 of 8 of B equal, and "destroyed" for "blew up" of A."""
    assert run("--table", "table.tsv", "--output", "scores.tsv", "--pairs", "pairs.tsv") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].split() == ["system", "summaries", "rouge_1", "para_only", "paraeval_2", "paraeval_3"]
    assert [line.split()[0] for line in out.splitlines()[1:4]] == ["1", "A", "2"]
    assert "paraeval|table:3667226e4776|min-probability:0|stem:no|stop-words:yes|jackknife:no|version:" in out
    assert re.search(mentions("note: peers/D0101.M.100.A.2 is empty"), err)
    assert (room / "scores.tsv").read_text().splitlines()[:3] == [
        "topic\tsystem\trouge_1\tpara_only\tparaeval_2\tparaeval_3",
        "D0101\tA\t0.375000\t0.125000\t0.375000\t0.500000",
        "D0101\t1\t0.555556\t0.111111\t0.555556\t0.666667",
    ]
    pairs = (room / "pairs.tsv").read_text().splitlines()
    assert pairs[0] == "topic\tsystem\treference\ttiers\twords\tphrases\tsynonyms\tequal\trecall\texact"
    assert "D0101\t1\tA\tparaeval_3\t10\t0\t2\t6\t0.800000\tyes" in pairs


def test_summaries_without_words_are_counted(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "peers" / "D0101.M.100.A.2").write_text("it was so", encoding="utf-8")
    assert run("--no-stop-words") == 0
    assert re.search(mentions("note: 1 of 8 summaries"), capsys.readouterr().err)


@pytest.mark.full
@pytest.mark.parametrize("command", ["paraeval", "rouge"])
def test_processes_change_nothing_in_the_output(
    room: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One process scored all summaries, which took more than 5 minutes for 20,000 summaries."""
    monkeypatch.setattr("harness.summarization.paraeval.scoring._SUMMARIES_PER_WORKER", 1)
    monkeypatch.setattr("harness.summarization.rouge._SUMMARIES_PER_WORKER", 1)
    outputs = []
    for workers in ("1", "2"):
        options = ["--table", "table.tsv", "--pyramids", "sample"] if command == "paraeval" else []
        options += ["--output", "scores.tsv", "--workers", workers]
        assert main([command, "--peers", "peers", "--references", "references", *options]) == 0
        outputs.append((capsys.readouterr().out, (room / "scores.tsv").read_bytes()))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("command", ["paraeval", "rouge", "soft-pyramid"])
def test_more_files_are_read_when_the_user_says_so(
    room: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders of more than 20,000 files were refused, and 500 systems on 100 topics have more."""
    options = {"soft-pyramid": ["--model", "one-hot", "--pyramids", "sample"]}
    arguments = [command, "--peers", "peers", *options.get(command, ["--references", "references"])]
    assert main([*arguments, "--max-files", "5"]) == 2
    assert re.search(mentions("peers: ... 5 files ... --max-files"), capsys.readouterr().err)
    if command != "soft-pyramid":  # whose summaries would need pyramids of their topics
        assert main([*arguments, "--max-files", "6"]) == 0


def test_without_a_table_there_is_rouge_1_alone(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--stem", "--no-stop-words") == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["system", "summaries", "rouge_1"]
    assert "paraeval|table:none|stem:porter|stop-words:no|jackknife:no|version:" in out


def test_tiers_are_chosen(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--table", "table.tsv", "--tiers", "3,2", "--tiers", "1", "--min-probability", "0.3") == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["system", "summaries", "tiers_2_3", "tiers_1"]
    assert "share of all words of all references  phrases  synonyms  equal words" in out.splitlines()
    (shares,) = (line.split() for line in out.splitlines() if line.startswith("tiers_2_3"))
    assert shares[1:3] == ["0.0000", "0.0000"]  # blew up: 0.25
    assert max(map(len, out.splitlines()[:-1])) <= 80


def test_references_are_left_out_in_turn(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """System 1, D0101: words 6 of 10 and 4 of 8; the mean of each alone. A has 3 of B's 8 either way."""
    assert run("--jackknife", "--output", "scores.tsv") == 0
    assert (room / "scores.tsv").read_text().splitlines()[1:3] == ["D0101\tA\t0.375000", "D0101\t1\t0.550000"]
    assert "jackknife:yes" in capsys.readouterr().out


def test_paraphrases_of_other_topics(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--pyramids", str(SAMPLE_DIR), "--tiers", "1,2,3") == 0
    out, err = capsys.readouterr()
    assert "paraeval|other-topics:" in out
    assert re.search(mentions("note: 2 topics without a pyramid ... D0101 ... all pyramids count. Use the same"), err)


def test_topics_with_another_name_than_their_pyramid_have_a_note() -> None:
    """The SCUs of the topic itself counted as paraphrases without a word, for example of topic "d0901-a"."""
    pyramid = parse_file(PYRAMID, "D0901-A.pyr").reading.pyramid
    tables = TopicTables((), [pyramid], stem=False, min_probability=0)
    assert tables.note_topics(["D0901-A", "D0901"]) == []
    assert len(tables.note_topics(["D0901-A", "d0901-a"])) == 1
    assert TopicTables((), (), stem=False, min_probability=0).note_topics(["d0901-a"]) == []


def test_a_summary_is_shown_with_its_matches(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--table", "table.tsv", "--show", "D0101", "1") == 0
    out = capsys.readouterr().out
    assert "A: 8 of 10 words" in out
    assert "  _The_ _storm_ (1 blew up) _the_ _old_ _bridge_.\n  Nobody _was_ hurt.\n" in out
    assert "  _The_ _old_ _bridge_ _was_ (1 destroyed) by _the_ _storm_.\n" in out
    assert out.endswith("paraeval_3: 0.6667\n")


def test_on_a_terminal_it_is_coloured(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert run("--table", "table.tsv", "--show", "D0101", "1") == 0
    assert "\x1b[36m(1 blew up)\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("--table", "table.tsv", "--show", "D0101", "1") == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_page_shows_it_too_and_obeys_no_text(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "peers" / "D0101.M.100.A.3").write_text("The storm & <x>the</x> bridge destroyed.\n")
    assert run("--table", "table.tsv", "--show", "D0101", "3", "--html", "page.html") == 0
    assert capsys.readouterr().out == "page.html\n"
    page = (room / "page.html").read_text()
    assert '<mark class="tier-2" title="match 1">destroyed<sub>1</sub></mark>' in page
    assert "<x>" not in page
    assert "&lt;x&gt;" in page


def test_tiers_differ_by_more_than_colour(room: Path) -> None:
    """Equal words were marked only by a tint, which is lost in print, in forced colours and on some screens."""
    assert run("--table", "table.tsv", "--show", "D0101", "1", "--html", "page.html") == 0
    borders = re.findall(r"\.tier-(\d) {[^}]*border(?:-bottom)?: \dpx (\w+)", (room / "page.html").read_text())
    assert borders == [("1", "solid"), ("2", "dashed"), ("3", "dotted")]


def test_greedy_phrases_are_scored_beside_the_optimum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scenario of figure 4: the first sentence takes "went up fast" with 3 words, which the second needs for 4."""
    monkeypatch.chdir(tmp_path)
    for folder, text in (
        ("peers/one", "Prices went up fast. Trade grew slowly."),
        ("peers/two", "Nothing of it."),
        ("references/gold", "Costs rose very quickly. Markets saw a steep climb."),
    ):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "t1.txt").write_text(text.replace(". ", ".\n"))
    entries = ("rose very quickly\twent up fast", "rose very\tgrew slowly", "saw a steep climb\twent up fast")
    (tmp_path / "table.tsv").write_text("".join(f"{entry}\t1\n" for entry in entries))
    options = ["--table", "table.tsv", "--tiers", "1,2,3", "--greedy", "--pairs", "pairs.tsv", "--output", "scores.csv"]
    assert run(*options) == 0
    assert (tmp_path / "scores.csv").read_text().splitlines() == [
        "topic,system,paraeval_3_greedy,paraeval_3",
        "t1,one,0.333333,0.666667",  # 3 and 6 of 9 words
        "t1,two,0.000000,0.000000",
    ]
    assert [line.split("\t")[3:] for line in (tmp_path / "pairs.tsv").read_text().splitlines()[1:3]] == [
        ["paraeval_3_greedy", "9", "3", "0", "0", "0.333333", "no"],
        ["paraeval_3", "9", "6", "0", "0", "0.666667", "yes"],
    ]
    out = capsys.readouterr().out
    assert (
        "paraeval_3_greedy: phrases match fewer words than in the optimum for 1 of 2 pairs, 3 instead of 6 words" in out
    )
    assert "The scores of 1 pair differ." in out
    assert "too many phrases" not in out


def test_every_match_is_written_with_its_place_and_probability(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several entries for a match, the most probable counts, in either direction. Places are numbers of words."""
    (room / "more.tsv").write_text("destroyed\tblew up\t0.7\n")
    assert run("--table", "table.tsv", "--table", "more.tsv", "--matches", "matches.tsv") == 0
    rows = [line.split("\t") for line in (room / "matches.tsv").read_text().splitlines()]
    assert rows[0] == [
        *("item", "topic", "system", "reference", "tier", "reference_start", "reference_end", "system_start"),
        *("system_end", "words", "reference_phrase", "system_phrase", "table", "probability", "weight"),
    ]
    assert [row[1:] for row in rows if row[4] == "phrases"] == [
        [
            *("D0102", "1", "A", "phrases", "3", "5", "4", "6", "3"),
            *("voted sanctions against", "imposed sanctions on", "table", "0.5", "1"),
        ]
    ]
    synonyms = [row for row in rows if row[4] == "synonyms"]
    assert [row[2:4] + row[5:9] for row in synonyms] == [
        ["A", "B", "6", "6", "3", "4"],
        ["1", "A", "3", "4", "5", "5"],
    ]
    assert {(*row[10:],) for row in synonyms} == {
        ("blew up", "destroyed", "more", "0.7", "1"),
        ("destroyed", "blew up", "more", "0.7", "1"),
    }
    assert ["Nobody", "hurt", ""] not in [row[10:13] for row in rows]
    assert ["mill", "mill", "", "", "1"] in [row[10:] for row in rows]
    assert [int(row[0]) for row in rows[1:]] == list(range(1, len(rows)))
    assert f"Matches of paraeval_3 written: {len(rows) - 1}" in capsys.readouterr().out


def test_matches_are_weighted_by_probabilities(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The words of D0101 that equal words match count as before, and "destroyed" for "blew up" 2 * 0.25."""
    (room / "table.tsv").write_text("blew up\tdestroyed\t0.25\n")
    (room / "sure.tsv").write_text("town\tcity\n")
    files = ("--output", "scores.tsv", "--pairs", "pairs.tsv", "--matches", "matches.tsv")
    assert run("--table", "table.tsv", "--table", "sure.tsv", "--weighted", *files) == 0
    out, err = capsys.readouterr()
    assert "|weights:probability|" in out
    assert "paraeval_3: 3 matched words of phrases and synonyms count as 0.8" in out
    assert err.splitlines()[-1].endswith(": sure")
    assert "D0101\t1\tA\tparaeval_3\t10\t0\t0.5\t6\t0.650000\tyes" in (room / "pairs.tsv").read_text().splitlines()
    # 10.5 of 18 words. Without --weighted, it is 12.
    assert "D0101\t1\t0.555556\t0.027778\t0.555556\t0.583333" in (room / "scores.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in (room / "matches.tsv").read_text().splitlines()[1:]]
    assert {(row[4], row[13], row[14]) for row in rows} == {("synonyms", "0.25", "0.25"), ("equal", "", "1")}
    assert run("--table", "table.tsv", "--weighted", "--show", "D0101", "1") == 0
    out = capsys.readouterr().out
    assert "6.5 of 10 words" in out
    assert out.count("weights of the words of matches: 1: 0.25\n") == 1
    assert run("--table", "table.tsv", "--weighted", "--show", "D0101", "1", "--html", "page.html") == 0
    page = (room / "page.html").read_text()
    assert page.count("1: 0.25.</p>") == 1
    assert "0.5 by synonyms" in page


@pytest.mark.needs("matplotlib")
def test_recalls_of_people_and_systems_are_drawn(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrote references, so A is a person. Of two scores, the first and the last --tiers are drawn."""
    assert run("--table", "table.tsv", "--plot", "x.svg") == 0
    picture = (room / "x.svg").read_text()
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert [text for text in shown if not re.fullmatch(r"[\d.]+", text)] == [
        *("A", "author of summaries", "recall of the words of references", "people: 1"),
        *("author of summaries", "systems: 2", "rouge_1 (line: mean)", "paraeval_3 (line: mean)"),
    ]
    assert [text for text in shown if text in {"1", "2"}] == ["1", "2"]  # the best first
    for form, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert run("--plot", f"x.{form}") == 0
        assert (room / f"x.{form}").read_bytes().startswith(start)
    monkeypatch.setattr("harness.summarization.paraeval.figure._MAX_WIDTH", 3)
    assert run("--plot", "y.png") == 2
    assert not (room / "y.png").exists()


def test_a_sheet_of_matches_is_judged(
    room: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Three people judge the pairs of phrases: 2, 2 and 1 of 3 are right. Texts on the sheet are not votes."""
    arguments = ("--table", "table.tsv", "--matches", "sheet.csv", "--sample", "128")
    assert run(*arguments, "--seed", "1") == 0
    assert "3 of 3 distinct pairs of matched paraphrases are on the sheet" in capsys.readouterr().out
    header, *lines = (room / "sheet.csv").read_text(encoding="utf-8-sig").splitlines()
    assert header == "item,reference_phrase,system_phrase,reference_sentence,system_sentence"
    (phrases,) = (line for line in lines if "sanctions" in line)
    assert phrases.split(",", 1)[1] == (
        "voted sanctions against,imposed sanctions on,The council voted sanctions against the mill.,"
        "The town council imposed sanctions on the mill."
    )
    answers = ("1,yes,1", "1,no,0", "0,yes,0")
    filled = [f"{line},{votes}" for line, votes in zip(lines, answers, strict=True)]
    (room / "filled.csv").write_text("\n".join([f"{header},ann,bob,eve", *filled]))
    assert main(["collection", "agreement", "filled.csv"]) == 0
    # Cohen's kappa: ann and bob -1/2, ann and eve 2/5, bob and eve 2/5.
    assert "Means over annotators: 55.6 % of votes are yes, kappa 0.100" in capsys.readouterr().out
    assert re.search(mentions("filled.csv: ... ann, bob, eve"), caplog.text)


def test_a_sheet_has_as_many_pairs_as_asked(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--table", "table.tsv", "--tiers", "1", "--matches", "sheet.csv", "--sample", "2") == 0
    assert "1 of 1 distinct pair of matched paraphrases are on the sheet" in capsys.readouterr().out
    sheets = set()
    for seed in range(5):
        assert run("--table", "table.tsv", "--matches", "sheet.csv", "--sample", "1", "--seed", str(seed)) == 0
        sheets.add((room / "sheet.csv").read_text(encoding="utf-8-sig").splitlines()[1])
    assert len(sheets) > 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["item,system_phrase", "1,blew up"], "sheet.csv: ... no vote. Add a column per annotator"),
        (["item,ann", "1,"], "sheet.csv: ... no vote. ... fill"),
    ],
)
def test_empty_sheets_are_refused(
    room: Path, capsys: pytest.CaptureFixture[str], lines: list[str], message: str
) -> None:
    """A table without any vote once ended in a TypeError."""
    (room / "sheet.csv").write_text("\n".join(lines))
    assert main(["collection", "agreement", "sheet.csv"]) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--greedy"], "--greedy ... tier 1. Add --table"),
        (["--greedy", "--table", "table.tsv", "--tiers", "2,3"], "--greedy ... tier 1. ... --tiers"),
        (["--plot", "x.gif"], "x.gif: ... .png, .svg"),
        (["--plot", "peers/x.png"], "peers/x.png: ... folder of summaries ... --plot"),
        (["--show", "D0101", "1", "--plot", "x.png"], "--show ... --plot"),
        (["--weighted"], "--weighted ... --table ... --pyramids"),
        (["--sample", "5"], "--sample ... --matches FILE"),
        (["--matches", "x.csv", "--sample", "5"], "no paraphrase is matched. ... --table ... --tiers"),
        (["--show", "D0101", "1", "--matches", "x.tsv"], "--show ... --matches"),
        (["--matches", "peers/x.tsv"], "peers/x.tsv: ... folder of summaries ... --matches"),
        (["--tiers", "1,3"], "--tiers 1 ... 2 require ... --table ... --pyramids"),
        (["--html", "x.html"], "--html ... show ... --show TOPIC SYSTEM"),
        (["--show", "D0101", "9"], "D0101 '9' ... 1, 2"),
        (["--show", "D0109", "1"], "'D0109' ... 'D0102' ... D0101, D0102"),
        (["--show", "D0101", "1", "--pairs", "x.tsv"], "--show ... --output ... --pairs"),
        (["--output", "x.tsv", "--pairs", "x.tsv"], "x.tsv: ... --output ... --pairs ... paths"),
        (["--pairs", "peers/D0101.M.100.A.1"], "peers/D0101.M.100.A.1: ... folder of summaries ... --pairs"),
        (
            ["--show", "D0101", "1", "--html", "references/x.html"],
            "references/x.html: ... folder of summaries ... --html",
        ),
        (["--table", "table.tsv", "--output", "table.tsv"], "table.tsv: ... also an input ... --output"),
        (["--table", "absent.tsv"], "absent.tsv: no such file ... Check the path"),
        (["--pyramids", "absent"], "absent: no such file ... path"),
    ],
)
def test_impossible_requests_are_refused(
    room: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run(*arguments) == 2
    assert re.search(mentions(message), capsys.readouterr().err)


def test_files_of_scores_are_written_together_or_not(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first file was written, although the second could not be written."""
    (room / "folder").mkdir()
    assert run("--table", "table.tsv", "--output", "scores.tsv", "--pairs", "folder") == 2
    assert re.search(mentions("folder: ... regular file. Use another path"), capsys.readouterr().err)
    assert not (room / "scores.tsv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tiers", "4"], "--tiers ... 1, 2 ... 3"),
        (["--tiers", "1,1"], "--tiers ... 1, 2 ... 3"),
        (["--min-probability", "1.5"], "pyramid-paraphrase ... --min-probability ... 0 ... 1"),
        (["--min-probability", "x"], "pyramid-paraphrase ... --min-probability ... 0 ... 1"),
    ],
)
def test_options_are_checked(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit):
        run(*arguments)
    assert re.search(mentions(message), capsys.readouterr().err)


def test_peers_must_have_references(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (room / "other").mkdir()
    (room / "other" / "storm.txt").write_text("It rained.")
    assert main(["paraeval", "--peers", "peers", "--references", "other"]) == 2
    assert re.search(mentions("reference ... --pattern"), capsys.readouterr().err)
