"""Files of scores that commands write, and what `meta-eval` reads from them."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, SCUS, SUMMARIES, peer_file, pyramid_element, tar
from helpers.commands import Capture
from helpers.messages import mentions

from harness.cli import main
from harness.cli.outputs import encode
from harness.summarization.meta_evaluation.inputs import read_score_files
from harness.summarization.summary_scores import SummaryScore, render_scores

WORDS = "a small ferry crossed the cold lake at night while most people on the island slept".split()
TOPICS, SYSTEMS = ("S0101", "S0102", "S0103"), ("one", "two", "three")
WRITERS = {
    "rouge": ["--peers", "peers.jsonl", "--references", "references.jsonl"],
    "paraeval": ["--peers", "peers.jsonl", "--references", "references.jsonl", "--stem"],
    "soft-pyramid": ["--peers", "peers.jsonl", "--pyramids", "sample", "--model", "one-hot", "--no-cache"],
    "score": ["sample"],
    "score --rule ducview": ["sample"],
}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Summaries of topics of the sample: the systems have more and more words of the references."""
    monkeypatch.chdir(tmp_path)
    peers, references = [], []
    for number, topic in enumerate(TOPICS):
        references.append({"topic": topic, "author": "anna", "text": " ".join(WORDS)})
        for place, system in enumerate(SYSTEMS, 1):
            text = " ".join(WORDS[number : number + 4 * place])
            peers.append({"topic": topic, "author": system, "text": text})
    for name, rows in (("peers", peers), ("references", references)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize("command", WRITERS)
def test_every_form_that_a_command_writes_is_read(command: str, room: Path, capsys: Capture) -> None:
    """Only tab-separated tables were written, `score` wrote none, and no command wrote for Excel."""
    forms = ["tsv", "csv", "json", "jsonl", *(["xlsx"] if find_spec("openpyxl") else [])]
    names = [*(f"scores.{form}" for form in forms), "scores.txt", "scores", "SCORES.JSON"]
    for name in names:
        assert main([*command.split(), *WRITERS[command], "--output", name]) == 0
    assert Path("scores.tsv").read_bytes() == Path("scores.txt").read_bytes() == Path("scores").read_bytes()
    assert Path("scores.tsv").read_text().startswith("topic\tsystem\t")
    assert Path("scores.csv").read_text().startswith("topic,system,")
    assert json.loads(Path("scores.json").read_text()) == json.loads(Path("SCORES.JSON").read_text())
    by_name = {}
    for name in names[: len(forms)]:
        (file,) = read_score_files([name])
        by_name[name] = {measure.name: dict(measure.values) for measure in file.scores}
        assert file.notes == ()
    for name in names[1 : len(forms)]:
        assert by_name[name] == by_name["scores.tsv"]
    assert {topic for values in by_name["scores.tsv"].values() for topic, _ in values} >= set(TOPICS)
    capsys.readouterr()
    assert main(["meta-eval", "scores.json", "--judgements", "scores.csv", "--resamples", "5", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["scores"][0]["measures"] == list(by_name["scores.tsv"])
    if not command.startswith("score"):  # the sample has two systems, and a correlation needs three
        same = [row for row in report["correlations"] if row["metric"] == row["judgement"] and row["values"]]
        assert {row["values"]["pearson"] for row in same} == {1.0}


def test_pyramid_scores_are_those_of_the_annotations(room: Path) -> None:
    assert main(["score", "sample", "--output", "p.csv"]) == 0
    (written,), (read,) = read_score_files(["p.csv"]), read_score_files(["sample"])
    for in_file, computed in zip(written.scores, read.scores, strict=True):  # files have six decimals
        assert in_file.name == computed.name
        assert in_file.values == {key: round(value, 6) for key, value in computed.values.items()}
    assert main(["score", "sample", "--output", "d.csv", "--rule", "ducview"]) == 0
    names = ("pyramid_quality", "pyramid_coverage", "pyramid_comprehensive")
    assert Path("d.csv").read_text().startswith(f"topic,system,{','.join(names)}\nS0101,1,")


def test_the_mean_of_several_annotations_is_written(room: Path, capsys: Capture) -> None:
    """Peer 7 has 3 of 5 for one annotator, and 5 of 5 for the other annotator."""
    matched = {
        ("1", "(3) The mill was destroyed by fire"): [["A mill burned"]],
        ("2", "(2) No one suffered an injury"): [["a fire at a mill"]],
        ("0", "Whatever matches none"): [["The weather was fine"]],
    }
    text = "A mill burned.\nIt was a fire at a mill.\nThe weather was fine."
    second = peer_file(pyramid_element(SUMMARIES, SCUS), text, matched)
    files = {"D0901-A.pyr": PYRAMID, f"100.{PEER_NAME}": PEER, f"200.{PEER_NAME}": second}
    Path("a.tar.gz").write_bytes(tar(files))
    assert main(["score", "a.tar.gz", "--output", "p.tsv"]) == 0
    assert Path("p.tsv").read_text() == "topic\tsystem\tpyramid_modified\tpyramid\nD0901-A\t7\t0.800000\t0.800000\n"
    assert re.search(mentions("note: 1 further annotation ... p.tsv ... means"), capsys.readouterr().err)


@pytest.mark.parametrize(
    "form", ["tsv", "csv", "json", "jsonl", pytest.param("xlsx", marks=pytest.mark.needs("openpyxl"))]
)
def test_names_and_numbers_of_any_kind(form: str, tmp_path: Path) -> None:
    names = ("=1+1", 'a "b"', "x,y", "x;y", "-", "'=2", "été", "01", "@me")
    scores = [
        SummaryScore(topic, system, {"small": 1.5e-9 * place, "a,b": place / 3})
        for topic in names
        for place, system in enumerate(names)
    ]
    scores[0] = SummaryScore(*scores[0][:2], {"small": 0.0})
    path = tmp_path / f"s.{form}"
    path.write_bytes(encode(render_scores(scores, ["small", "a,b"], form)))
    (file,) = read_score_files([path])
    small, other = file.scores
    assert (small.name, other.name) == ("small", "a,b")
    assert other.values == {score[:2]: round(score.values["a,b"], 6) for score in scores[1:]}
    assert small.enlarge().values == {score[:2]: round(score.values["small"] * 1e7, 6) for score in scores}


@pytest.mark.parametrize("command", WRITERS)
def test_scores_are_not_written_in_other_forms(command: str, room: Path, capsys: Capture) -> None:
    assert main([*command.split(), *WRITERS[command], "--output", "scores.xls"]) == 2
    message = "scores.xls: ... '.xls'. Use .csv, .tsv, .xlsx, .json, .jsonl"
    assert re.search(mentions(message), capsys.readouterr().err)
    assert not Path("scores.xls").exists()


@pytest.mark.parametrize("command", WRITERS)
def test_scores_are_printed_instead_of_the_means(command: str, room: Path, capsys: Capture) -> None:
    arguments = [*command.split(), *WRITERS[command]]
    assert main([*arguments, "--output", "scores.csv"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--format", "csv"]) == 0
    assert capsys.readouterr().out == Path("scores.csv").read_text()
    assert main([*arguments, "--format", "csv", "--output", "scores.txt"]) == 0
    assert Path("scores.txt").read_bytes() == Path("scores.csv").read_bytes()
    assert main([*arguments, "--format", "xlsx"]) == 2
    assert re.search(mentions("--format xlsx ... Add --output FILE"), capsys.readouterr().err)


def test_scores_do_not_replace_the_annotations(room: Path, capsys: Capture) -> None:
    Path("a.txt").write_bytes(PEER)
    assert main(["score", "a.txt", "--output", "a.txt"]) == 2
    assert re.search(mentions("a.txt: ... input. Use another path for --output"), capsys.readouterr().err)
    assert Path("a.txt").read_bytes() == PEER
