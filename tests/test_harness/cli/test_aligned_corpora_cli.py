"""The commands on aligned corpora: a folder of PropSegmEnt, and a file of SuperPAL."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.aligned_corpora import MONTHS, align_town, make_harbour, make_superpal, make_town
from helpers.commands import Capture, Run, run
from helpers.messages import mentions
from helpers.submissions import FLAGS

from harness.models.loading import load_model
from harness.summarization.soft_pyramid import score_soft_pyramids, select_scus
from harness.summarization.summaries import Summary
from harness.support.progress import Progress
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.reading import read_corpus


def write_propsegment(folder: Path) -> Path:
    return make_town().write(folder / "propsegment")


def write_superpal(folder: Path) -> Path:
    path = folder / "dev.csv"
    path.write_bytes(make_superpal(align_town()))
    return path


WRITERS = {"propsegment": write_propsegment, "superpal": write_superpal}


@pytest.fixture(params=WRITERS)
def town(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reports on a town as PropSegmEnt and as SuperPAL, in an empty working directory with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return WRITERS[request.param](tmp_path)


def test_inspect_counts_relations_and_everything_left_out(capsys: Capture, tmp_path: Path) -> None:
    """The counts of `make_harbour`: of 11 propositions and 8 relations, 7 each are used."""
    assert run("inspect", make_harbour().write(tmp_path / "harbour"), "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["propsegment", "1", "2", "5", "7", "0", "-"]
    assert "Files: 3 annotations (3 used, 0 repeated, 0 left out), 0 other files." in lines
    flow = lines[lines.index("read          in all  used  left out") + 1 :][:3]
    assert [row.split() for row in flow] == [
        ["scus", "5", "5", "0"],
        ["contributors", "11", "7", "4"],
        ["relations", "8", "7", "1"],
    ]
    assert "harbour/document_clusters.dev.json: not-reference: SCU -: 1 in cluster 17" in lines
    assert "harbour/propositions.dev.json: relation-without-text: SCU -: 1 in cluster 18" in lines


def test_inspect_without_problems(capsys: Capture, town: Path) -> None:
    assert run("inspect", town) == 0
    out = capsys.readouterr().out
    relations = {"propsegment": "48", "dev.csv": "24"}[town.name]
    assert ["relations", relations, relations, "0"] in [line.split() for line in out.splitlines()]
    assert out.endswith("No problems.\n")


@pytest.mark.parametrize("command", ["inspect", "build"])
def test_strict_reading_names_the_file(capsys: Capture, tmp_path: Path, command: str) -> None:
    assert run(command, make_harbour().write(tmp_path / "harbour"), "--strict") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.search(
        mentions("harbour/document_clusters.dev.json: not-compared: 1 in cluster 17. ... without strict"), captured.err
    )
    assert re.search(
        mentions(
            "harbour/document_clusters.dev.json: ... relation-without-text 1, without-text 2). ... without strict"
        ),
        captured.err,
    )


def test_strict_reading_accepts_what_is_sound(town: Path) -> None:
    assert run("inspect", town, "--strict") == 0


def test_scores_need_peers(capsys: Capture, town: Path) -> None:
    assert run("score", town) == 2
    assert re.search(mentions("(.pan) ... sources. Add"), capsys.readouterr().err)


def test_build_and_evaluate(capsys: Capture, town: Path) -> None:
    """A built folder has the rows, and so the results, of the files that it was built from."""
    assert run("build", town, "--output", "built") == 0
    configurations = json.loads(Path("built", "manifest.json").read_text())["configurations"]
    capsys.readouterr()
    for data in (town, "built"):
        assert run("evaluate", "--model", "one-hot", "--data", data, "--quiet") == 0
    out = capsys.readouterr().out
    collection = {"propsegment": "propsegment", "dev.csv": "superpal"}[town.name]
    names = ("ranking_matched", "binary_matched", "binary", "ranking")  # the paper's tests come last
    prints = ", ".join(f"{name} {configurations[name]['fingerprint'][:12]}" for name in names)
    assert " ".join(out.split()).count(f"Data: {collection}: {prints}. Intervals: ") == 2
    rows = [line for line in out.splitlines() if line.startswith("  one-hot")]
    assert len(rows) == 8
    assert rows[:4] == rows[4:]


def test_a_leaderboard(capsys: Capture, town: Path) -> None:
    assert run("leaderboard", "init", "board", "--data", town, "--task", "binary,ranking", "--title", "Town") == 0
    assert run("evaluate", "--model", "one-hot", "--data", town, "--output", "all") == 0
    (of_all_tests,) = Path("all", "one-hot").glob("*.json")
    capsys.readouterr()
    assert run("submit", of_all_tests, "--to", "board", *FLAGS, "--saw-test-data", "no") == 2
    message = capsys.readouterr().err
    assert re.search(mentions(".json: ... binary_matched ... --task binary,ranking"), message)
    assert re.search(mentions(".json: ... binary_matched ... --task binary,ranking"), message)
    assert run("evaluate", "--model", "one-hot", "--data", town, "--task", "binary,ranking") == 0
    (result,) = Path("results", "one-hot").glob("*.json")
    assert run("submit", result, "--to", "board", *FLAGS, "--saw-test-data", "no") == 0
    capsys.readouterr()
    assert run("leaderboard", "check", "board") == 0
    assert "1 of 1 submission passed every check." in capsys.readouterr().out


def test_streaming_gives_the_rows_of_the_files(run_fork: Run, town: Path) -> None:
    code = """
import sys
import pyramid_paraphrase
from datasets import load_dataset
for name in ("binary", "ranking"):
    for split, rows in load_dataset("pyramid_paraphrase", name, data_files=sys.argv[1:], streaming=True).items():
        print(name, split, *(row["id"] for row in rows))
"""
    files = [town] if town.is_file() else sorted(town.iterdir())
    result = run_fork(code, *files)
    assert result.returncode == 0, result.stderr
    corpus = read_corpus(*files)
    expected = []
    for name in ("binary", "ranking"):
        for split, tables in build_test(corpus, name).splits.items():
            expected.append([name, split, *(value for table in tables for value in table["id"].to_pylist())])
    assert sorted(line.split() for line in result.stdout.splitlines()) == sorted(expected)


def test_soft_pyramids(capsys: Capture, town: Path) -> None:
    """The topic of a summary is the id of the pyramid; its SCUs need no labels."""
    pyramid = read_corpus(town).pyramids[0]
    folder = Path("peers")
    folder.mkdir()
    text = f"The old ferry of Tarn burned down in {MONTHS[0]}."
    (folder / f"{pyramid.id}.1").write_text(text)
    (folder / "propsegment.1").write_text(text)
    options = ("--pyramids", town, "--peers", folder, "--no-cache", "--output", "scores.tsv")
    assert run("soft-pyramid", "--model", "one-hot", *options) == 0
    assert re.search(mentions("note: 1 topic ... no pyramid, and no scores"), capsys.readouterr().err)
    (row,) = (line.split("\t") for line in Path("scores.tsv").read_text().splitlines() if pyramid.id in line)
    scus_of = {Summary(pyramid.id, "1", (text,), "1"): select_scus(pyramid.scus, "1")}
    (expected,) = score_soft_pyramids(load_model("one-hot"), scus_of, bar=Progress(visible=False))
    assert row == [pyramid.id, "1", f"{expected:.6f}"]


def test_summaries_of_other_topics_have_no_soft_pyramid(capsys: Capture, town: Path) -> None:
    """The message shows the name that the files of summaries must have."""
    Path("peers").mkdir()
    Path("peers", "Tarn.1").write_text("The ferry burned down.")
    assert run("soft-pyramid", "--model", "one-hot", "--pyramids", town, "--peers", "peers", "--no-cache") == 2
    pyramid_id = read_corpus(town).pyramids[0].id
    message = f"Tarn, ... {pyramid_id}. ... topic names"
    assert re.search(mentions(message), capsys.readouterr().err)


def test_a_table_of_paraphrases_is_made_of_aligned_propositions(capsys: Capture, town: Path) -> None:
    assert run("paraphrases", "clusters", town, "--output", "town.table") == 0
    capsys.readouterr()
    assert run("paraphrases", "show", "town.table", "the old ferry of tarn burned down in april") == 0
    assert "in april fire destroyed the old ferry of tarn" in capsys.readouterr().out


def test_a_corpus_without_pyramids_is_no_data(capsys: Capture, tmp_path: Path) -> None:
    """A file of SuperPAL without rows: the message once had empty lists of names."""
    (tmp_path / "dev.csv").write_bytes(make_superpal([]))
    assert run("inspect", tmp_path) == 0
    capsys.readouterr()
    for command in (("build",), ("evaluate", "--model", "one-hot", "--data")):
        assert run(*command, tmp_path) == 2
        assert re.search(mentions("no pyramids. ... pyramid-paraphrase inspect"), capsys.readouterr().err)
