"""The command `dimple`: all options, output and errors. Lists derived from corpora."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture, unwrap
from helpers.messages import mentions
from helpers.ranked_paraphrases import make_table, write_pairs
from lxml import etree

from harness.cli import main
from harness.models.loading import load_model
from harness.paraphrases.dimple.derivation import (
    align_contributors,
    choose_sentence,
    draw_words,
    find_neighbours,
    list_vocabulary,
)
from harness.paraphrases.dimple.figures import choose_look, count_columns, draw_correlations
from harness.paraphrases.dimple.lists import read_lists
from harness.paraphrases.dimple.meta_evaluation import meta_evaluate
from harness.paraphrases.dimple.positive_pairs import read_positive_pairs
from harness.paraphrases.dimple.quality import AUTOMATIC
from harness.paraphrases.dimple.scores import judge, score_lists
from harness.support.errors import ModelError
from pyramid_paraphrase.pyramids.corpus import Corpus
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu


def run(*arguments: object) -> int:
    return main(["dimple", *map(str, arguments)])


@pytest.fixture
def lists(tmp_path: Path, capsys: Capture) -> Path:
    table = tmp_path / "lists.tsv"
    table.write_text(make_table())
    assert run("convert", table, "--output", tmp_path / "lists.jsonl") == 0
    assert capsys.readouterr().out == f"{tmp_path}/lists.jsonl: 18 paraphrases in 9 lists\n"
    return tmp_path / "lists.jsonl"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs")


def test_score(lists: Path, capsys: Capture) -> None:
    """EP@1 of pivot, strict: (1 + 1 + 1 + 1/3 + 1) / 5; the list of `reached` by forms is empty."""
    assert run("score", lists, "--k", "5,1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == "source method paraphrases EP@1 EP@5 EPR@1 EPR@5 DIMPLE@1 DIMPLE@5".split()
    assert lines[7].split() == "killed pivot 3 0.333 0.267 0.000 0.200 0.037 0.207".split()
    assert lines[10].split() == "reached forms 0 0.000 0.000 0.000 0.000 0.000 0.000".split()
    assert lines[13].startswith("pivot   5 of 5   EP      0.867 [0.600, 1.000]  0.")
    assert "Judgment: strict." in lines
    assert "Intervals: 95 %, bootstrap over sources, 1,000 resamples, seed 0." in lines
    assert lines[-1].startswith("dimple|lists:")
    assert "|judgment:strict|k:1,5|words:own|stems:porter|bootstrap:1000/0|version:" in lines[-1]


def test_phrases_without_words_are_counted(lists: Path, pairs: Path, capsys: Capture) -> None:
    lists.write_text(lists.read_text().replace("slew", "\u2694"), encoding="utf-8")
    texts = pairs / "train" / "a.toks"
    texts.write_text(texts.read_text().replace("a skilled smith", "\u2692"), encoding="utf-8")
    assert run("meta", lists, "--pairs", f"MSR={pairs}") == 0
    error = capsys.readouterr().err
    assert re.search(mentions("note: 1 of ... sources and paraphrases"), error)
    assert re.search(mentions("note: 1 of ... texts of MSR"), error)


def test_wide_tables_name_their_rows_again(lists: Path, capsys: Capture) -> None:
    """With three cuts, both tables are divided. The second parts had sources without methods, and methods twice."""
    assert run("score", lists) == 0
    tables = [[line.split() for line in table.splitlines()] for table in capsys.readouterr().out.split("\n\n")]
    assert tables[1][0] == ["source", "method", "DIMPLE@1", "DIMPLE@5", "DIMPLE@10"]
    assert [row[:2] for row in tables[1]] == [row[:2] for row in tables[0]]
    assert tables[3][0] == ["method", "sources", "mean", *"k = 10".split()]
    assert [row[:5] for row in tables[3][1:]] == [row[:5] for row in tables[2][1:]]


def test_score_as_csv_and_json(lists: Path, tmp_path: Path, capsys: Capture) -> None:
    flags = ("--judgment", "lenient", "--resamples", "50", "--seed", "3")
    assert run("score", lists, *flags, "--output", tmp_path / "a.csv") == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.csv\n"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert len(rows) == 12 * 9
    assert {row["judgment"] for row in rows} == {"lenient"}
    (mean,) = (
        row for row in rows if (row["source"], row["method"], row["metric"], row["k"]) == ("", "forms", "EP", "1")
    )
    assert mean["value"] == "0.633333"
    assert run("score", lists, "--format", "json", *flags) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["signature"].split("|")[-2] == "bootstrap:50/3"
    assert value["methods"][1]["values"]["EP@1"] == 0.633333
    assert [float(mean["lower"]), float(mean["upper"])] == value["methods"][1]["intervals"]["EP@1"]
    assert len(value["sets"]) == 10


def test_score_for_a_readme_and_for_a_paper(lists: Path, capsys: Capture) -> None:
    assert run("score", lists, "--format", "markdown", "--k", "1") == 0
    assert "| killed | pivot | 3 | 0.333 | 0.000 | 0.037 |" in capsys.readouterr().out.splitlines()
    assert run("score", lists, "--format", "latex", "--k", "1") == 0
    out = capsys.readouterr().out
    assert out.startswith("% needs \\usepackage{booktabs}\n% Judgment: strict.\n% Intervals: 95 %, bootstrap over so")
    assert r"killed & pivot & 3 & 0.333 & 0.000 & 0.037 \\" in out.splitlines()


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "csv", "json"])
def test_an_automatic_judgment_is_called_so_everywhere(lists: Path, capsys: Capture, form: str) -> None:
    assert run("score", lists, "--judgment", AUTOMATIC, "--model", "one-hot", "--format", form) == 0
    out = capsys.readouterr().out
    if form in ("terminal", "markdown", "latex"):
        fingerprint = str(load_model("one-hot").fingerprint)[:12]
        assert f"Judgment: automatic, by one-hot {fingerprint}, without human judgments." in out
        assert "judgment:automatic" in out
    elif form == "csv":
        assert {(row["judgment"], row["model"][:7]) for row in csv.DictReader(io.StringIO(out))} == {
            (AUTOMATIC, "one-hot")
        }
    else:
        assert json.loads(out)["judgment"]["name"] == AUTOMATIC


def test_an_automatic_score_by_hand(lists: Path, capsys: Capture) -> None:
    """ "divers found a wreck" shares 4 words with itself, and 3 without "found"; "discovered" brings none back."""
    assert run("score", lists, "--judgment", "automatic", "--model", "overlap", "--k", "1", "--format", "csv") == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    first = {row["metric"]: row["value"] for row in rows if (row["source"], row["method"]) == ("found", "pivot")}
    assert first == {"EP": "0.0", "EPR": "0.0", "DIMPLE": "0.0"}


def test_qualities_of_0_and_columns_of_0_are_noted(lists: Path, capsys: Capture) -> None:
    """Bags of words gave 0.000 for all lists, without a note. Four paraphrases contain the source, and restore it."""
    flags = ("--judgment", "automatic", "--model", "overlap")
    assert run("score", lists, *flags, "--k", "1") == 0
    out = unwrap(capsys.readouterr().out)
    assert "Q is 0 for 14 of 18 paraphrases: to the model, the sentence without the source is no further" in out
    assert "0 for all lists: EPR@1." in out
    assert "--fit-votes" in out
    assert run("score", lists, *flags, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["judgment"]["zero_qualities"] == 14
    assert run("score", lists) == 0
    assert "0 for all lists" not in capsys.readouterr().out


def test_the_scale_of_a_model_is_fitted_to_the_votes_of_other_lists(
    lists: Path, tmp_path: Path, capsys: Capture
) -> None:
    """The model compares letters, so it agrees with people who accept inflections, unlike those of `lists`."""
    voted = tmp_path / "voted.tsv"
    rows = ["source paraphrase strict lenient sentence"]
    for source, text, votes in (("killed", "killing", "1,1"), ("killed", "slew", "0,0"), ("told", "telling", "1,0")):
        rows.append(f"{source} {text} {votes} {votes} he@{source}@two")
    voted.write_text("\n".join(row.replace(" ", "\t").replace("@", " ") for row in rows))
    assert run("convert", voted, "--output", tmp_path / "voted.jsonl") == 0
    flags = ("--judgment", "automatic", "--model", "char-ngrams", "--fit-votes", tmp_path / "voted.jsonl")
    capsys.readouterr()
    assert run("score", lists, *flags, "--k", "1") == 0
    out = unwrap(capsys.readouterr().out)
    assert "on a scale fitted to 6 strict votes on 3 paraphrases of 2 sources" in out
    assert "without human judgments" not in out
    assert "Q is 0" not in out
    assert run("score", lists, *flags, "--format", "json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["judgment"]["scale"].startswith("on a scale fitted to 6 strict votes")
    assert re.search(r"\|model:char-ngrams [0-9a-f]{12} fitted to votes [0-9a-f]{12}\|", record["signature"])
    assert run("score", lists, *flags[:-1], lists) == 2
    assert re.search(mentions("--fit-votes: ... votes ... another model"), capsys.readouterr().err)
    assert run("score", lists, "--fit-votes", lists) == 2
    assert re.search(mentions("--fit-votes ... --judgment automatic ... --model"), capsys.readouterr().err)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--judgment", "automatic"), "--judgment automatic and --model SPEC require each other"),
        (("--model", "one-hot"), "--judgment automatic and --model SPEC require each other"),
    ],
)
def test_a_model_is_for_automatic_judgment(lists: Path, capsys: Capture, flags: tuple[str, ...], message: str) -> None:
    assert run("score", lists, *flags) == 2
    assert capsys.readouterr().err.startswith(f"pyramid-paraphrase: {message}")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "x", "--k", "0"),
        ("score", "x", "--k", "a"),
        ("count", "--pairs", "MSRPC"),
        ("count", "--pairs", "=x"),
        ("count", "--pairs", "a=x", "--sources", "told,told"),
        ("count", "--pairs", "a=x", "--sources", "told,,found"),
        ("meta", "x"),
        ("score", "x", "--resamples", "1000001"),
        ("meta", "x", "--pairs", "a=x", "--resamples", "1000001"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*arguments)
    assert caught.value.code == 2


def test_what_was_read_is_not_replaced(lists: Path, pairs: Path, tmp_path: Path, capsys: Capture) -> None:
    table, before = tmp_path / "lists.tsv", lists.read_bytes()
    for arguments, target in (
        (("convert", table), table),
        (("score", lists, "--format", "json"), lists),
        (("derive", "--pyramids", lists, "--vocabulary", pairs), lists),
    ):
        assert run(*arguments, "--output", target) == 2
        assert capsys.readouterr().err.endswith(f"{target}: is also an input. Use another path for --output\n")
    assert lists.read_bytes() == before
    assert table.read_text() == make_table()


def test_count(pairs: Path, capsys: Capture) -> None:
    """By eye; one of the two pairs with "Called" has it at the beginning only."""
    assert run("count", "--pairs", f"own={pairs}", "--sources", "found,called,sang") == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert table == [["source", "own"], ["found", "3"], ["called", "2"], ["sang", "2"], ["all", "13"]]
    assert run("count", "--pairs", f"own={pairs}") == 0
    assert len(capsys.readouterr().out.splitlines()) == 12


@pytest.mark.needs("matplotlib")
def test_meta(lists: Path, pairs: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "b.tsv").write_text("question_id\tresponse\tnugget\nq\tthey reached it\tit was reached by them\n")
    given = ("--pairs", f"own={pairs}", "--pairs", f"more={tmp_path / 'b.tsv'}", "--k", "1,5")
    assert run("meta", lists, *given, "--output", tmp_path / "meta") == 0
    lines = unwrap(capsys.readouterr().out).splitlines()
    assert lines[0].split() == "corpus pairs EP@1 EP@5 EPR@1 EPR@5 DIMPLE@1 DIMPLE@5".split()
    assert lines[2].split() == ["more", "1", *"------"]
    assert "Pearson's r of each metric with the share of pairs recognized by stem or paraphrase (*: p < 0.01, not" in (
        "\n".join(lines)
    )
    assert "own: 9 sets. Left out: 1 without paraphrases." in lines
    assert "|bootstrap:1000/0|version:" in "".join(lines)
    left_out = "8 without a pair that contains the source, 1 without paraphrases"
    assert f"more: 1 set. Left out: {left_out}." in lines
    assert "more, EP@1: not defined, fewer than 4 sets have a source in the corpus" in lines
    rows = list(csv.DictReader(io.StringIO((tmp_path / "meta" / "correlations.csv").read_text())))
    assert len(rows) == 12
    (claim,) = (line for line in lines if line.startswith("EP < EPR < DIMPLE: "))
    assert "of 2 combinations of corpus and k; differences" in claim
    differences = list(csv.DictReader(io.StringIO((tmp_path / "meta" / "differences.csv").read_text())))
    assert len(differences) == 12
    assert differences[-1]["reason"] == "a correlation is not defined"
    sets = list(csv.DictReader(io.StringIO((tmp_path / "meta" / "sets.csv").read_text())))
    own = [row for row in sets if row["corpus"] == "own" and row["paraphrases"] != "0"]
    expected = np.corrcoef([float(row["EP@5"]) for row in own], [float(row["recognized"]) for row in own])[0, 1]
    (row,) = (row for row in rows if (row["corpus"], row["metric"], row["k"]) == ("own", "EP", "5"))
    assert float(row["r"]) == pytest.approx(expected, abs=1e-6)
    assert lines[1].split()[3].rstrip("*") == f"{expected:.2f}"
    assert float(row["lower"]) < float(row["r"]) < float(row["upper"])
    assert {(row["judgment"], row["share"]) for row in rows} == {("strict", "recognized")}
    assert rows[-1]["reason"].startswith("fewer than 4 sets")
    assert (tmp_path / "meta" / "correlations.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "meta" / "correlations.pdf").read_bytes().startswith(b"%PDF")
    readme, paper = ((tmp_path / "meta" / f"correlations.{form}").read_text() for form in ("md", "tex"))
    assert readme.splitlines()[2].startswith(f"| own | 13 | {lines[1].split()[2]} | {expected:.2f}")
    assert f"own & 13 & {lines[1].split()[2]} & {expected:.2f}" in paper
    assert paper.startswith("% needs \\usepackage{booktabs}\n% Pearson's r of each metric with")
    assert str(tmp_path / "meta" / "sets.csv") in lines


def test_meta_of_what_paraphrases_gain(lists: Path, pairs: Path, capsys: Capture) -> None:
    flags = ("--judgment", "automatic", "--model", "char-ngrams", "--share", "gained")
    assert run("meta", lists, "--pairs", f"own={pairs}", *flags) == 0
    out = unwrap(capsys.readouterr().out)
    assert "share of pairs recognized by a paraphrase and not by the stem (*" in out
    assert "Judgment: automatic, by char-ngrams " in out
    assert "|share:gained|lists:" in out


@pytest.mark.usefixtures("with_pip")
def test_a_picture_without_matplotlib(
    lists: Path, pairs: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("meta", lists, "--pairs", f"own={pairs}", "--output", tmp_path / "meta") == 2
    assert re.search(mentions("matplotlib ... pip install 'pyramid-paraphrase[plots]'"), capsys.readouterr().err)


@pytest.mark.needs("matplotlib")
def test_pictures_are_the_same_each_time(lists: Path, pairs: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run("meta", lists, "--pairs", f"_own $x={pairs}", "--output", tmp_path / name) == 0
    for form in ("png", "pdf"):
        first, second = ((tmp_path / name / f"correlations.{form}").read_bytes() for name in ("a", "b"))
        assert first == second


@pytest.mark.needs("matplotlib")
def test_a_picture_as_svg_has_a_point_per_set(lists: Path, pairs: Path) -> None:
    found = read_lists([lists])
    scores = score_lists(found, judge("strict"))
    evaluation = meta_evaluate(scores, found, {"own": read_positive_pairs([pairs])})
    svg = draw_correlations(evaluation, "svg").decode()
    uses = etree.fromstring(svg.encode()).xpath("//*[starts-with(@id, 'PathCollection_')]//*[local-name() = 'use']")
    assert len(uses) == 3 * 9 + 2  # a point per metric and set, and those of the legend
    assert "share of pairs recognized" in svg
    assert "DIMPLE@10, strict judgment" in svg
    assert ", 9 sets" in svg


def test_long_names_of_methods_stay_within_the_picture() -> None:
    """A legend of four columns of 28 letters was wider than the picture."""
    assert [count_columns(["x" * length] * 9) for length in (3, 19, 28)] == [9, 4, 2]


def test_methods_of_a_picture_differ_in_colour_or_shape() -> None:
    """The ninth method once had the colour and shape of the first. The first eight differ in both."""
    looks = [choose_look(number) for number in range(80)]
    assert len(set(looks)) == 80
    assert len({colour for colour, _ in looks[:8]}) == len({marker for _, marker in looks[:8]}) == 8


@pytest.mark.needs("matplotlib")
def test_a_folder_that_is_a_file_is_told_before_anything_is_computed(
    lists: Path, pairs: Path, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "meta").touch()
    assert run("meta", lists, "--pairs", f"own={pairs}", "--output", tmp_path / "meta") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(mentions("meta: ... (File exists) ... another path"), captured.err)


def test_derive(pairs: Path, tmp_path: Path, tiny_model: Path, capsys: Capture) -> None:
    out = tmp_path / "derived.jsonl"
    flags = ("--sources", "found,to take", "--pyramids", "sample", "--vocabulary", pairs, "--least", "1")
    models = ("--neighbours", f"{tiny_model},name=tiny", "--neighbours", "char-ngrams")
    assert run("derive", *flags, *models, "--output", out) == 0
    found = {(one.source, one.method): one for one in read_lists([out])}
    assert {method for _, method in found} == {"scu", "tiny", "char-ngrams", "random"}
    assert " found " in found["found", "tiny"].paraphrases[0].sentence
    assert found["to take", "random"].paraphrases[0].sentence == ""
    assert all(1 <= len(one.paraphrases) <= 10 for one in found.values())
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(f"{out}: ")
    assert shown[1] == "scu: no list for to take"
    assert shown[2].startswith("Not in the vocabulary")
    assert shown[2].endswith(": to take")
    assert run("derive", *flags, "--neighbours", "one-hot", "--output", tmp_path / "other.jsonl") == 0
    assert "one-hot: no list for found, to take" in capsys.readouterr().out
    first = out.read_bytes()
    assert run("derive", *flags, *models, "--output", out) == 0
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ("--neighbours", "random"),
            "same name: scu, random, random. ... ,name=...",
        ),
        (("--neighbours", "overlap"), "overlap: ... encoder ... --neighbours"),
        (("--least", "99"), "no word ... 99 texts. ... --least"),
    ],
)
def test_what_cannot_be_derived(
    pairs: Path, tmp_path: Path, capsys: Capture, flags: tuple[str, ...], message: str
) -> None:
    base = ("--pyramids", "sample", "--vocabulary", pairs, "--least", "1", "--output", tmp_path / "x")
    assert run("derive", *base, *flags) == 2
    assert re.search(mentions(message), capsys.readouterr().err)
    assert not (tmp_path / "x").exists()


def make_pyramid(*scus: tuple[str, ...]) -> Pyramid:
    made = [
        Scu(str(number), "label", tuple(Contributor((Part(text, 0, len(text), "A"),)) for text in texts))
        for number, texts in enumerate(scus)
    ]
    return Pyramid("D1", "D1", (), "", (), tuple(made))


def test_words_are_aligned_within_scus() -> None:
    """ "slew": weight 1, 2 SCUs, 2 with the source: 2 / 4. "shot": weight 1/2, 1 SCU: 1 / 3. "dead": 2 SCUs: 1 / 4."""
    pyramid = make_pyramid(
        ("a storm killed goats", "a storm slew goats"),
        ("frost killed vines", "frost shot dead vines"),
        ("he slew it", "it is dead", "a skilled one"),
    )
    assert align_contributors([pyramid], "killed") == ["slew", "shot", "dead"]
    assert align_contributors([pyramid], "reached") == []


def test_scus_with_the_source_count_once_each() -> None:
    """One SCU has the source. "yell" and "zap": weight 1/2, 1 SCU: 1 / 2. "axe": weight 1, 4 SCUs: 2 / 5."""
    pyramid = make_pyramid(("storm killed", "storm axe", "storm zap yell"), ("axe",), ("axe",), ("axe",))
    assert align_contributors([pyramid], "killed") == ["yell", "zap", "axe"]


def test_sources_are_found_in_any_case_and_beside_marks() -> None:
    pyramid = make_pyramid(("Storms KILLED, goats", "Storms slew goats"))
    assert align_contributors([pyramid], "Killed") == ["slew"]


def test_sources_are_divided_at_blanks_only() -> None:
    """Characters of a text without blanks would be single words."""
    pyramid = make_pyramid(("今天 天气 不错", "今天 气象 不错"))
    assert align_contributors([pyramid], "天气") == ["气象"]
    assert draw_words("天气", ["天气", "地"]) == ["地"]


def test_neighbours_are_like_the_source_and_other_than_it() -> None:
    neighbours = find_neighbours(load_model("char-ngrams"), ["killed"], ["killed", "killing", "killer", "moon"])
    assert neighbours == [["killer", "killing"]]
    assert find_neighbours(load_model("one-hot"), ["to take"], ["take", "taken"]) == [[]]
    with pytest.raises(ModelError):
        find_neighbours(load_model("length"), ["killed"], ["moon"])


def test_vocabulary_chance_and_sentences() -> None:
    texts = ["the Frost of 1947", "frost and snow", "snow at noon", "noon"]
    assert list_vocabulary(texts, 2) == ["frost", "noon", "snow"]
    assert list_vocabulary(["किताब १", "नई किताब १"], 2) == ["किताब"]
    drawn = draw_words("frost", [*(f"word{letter}" for letter in "abcdefghijklmn"), "frost"])
    assert (len(drawn), "frost" in drawn) == (10, False)
    assert drawn != draw_words("snow", [f"word{letter}" for letter in "abcdefghijklmn"])
    # Its hash begins with c5b2, and that of "frost and snow" with fa93.
    assert choose_sentence("snow", texts) == choose_sentence("snow", texts[::-1]) == "snow at noon"
    assert choose_sentence("rain", texts) == ""


def test_the_sample_has_words_to_align(sample: Corpus) -> None:
    words = {word for scu in sample.pyramids[0].scus for one in scu.contributors for word in one.text.lower().split()}
    assert any(align_contributors(sample.pyramids[:1], word) for word in sorted(words) if word.isalpha())
