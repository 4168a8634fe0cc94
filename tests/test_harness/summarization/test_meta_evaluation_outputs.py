"""The outputs of `meta-eval` are checked before the computation. In Python, they are views of an object."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.summary_scores import write_scores

from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.scores import MeasureScores


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_scores(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*arguments: object) -> int:
    return run("meta-eval", "scores.tsv", "--judgements", "content.table", *arguments)


@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("names", ["good,,noise", "", "good,"])
def test_names_are_not_empty(names: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        evaluate("--metrics", names)
    assert caught.value.code == 2
    assert "--metrics" in capsys.readouterr().err


def test_a_figure_has_a_known_format(room: Path, capsys: Capture) -> None:
    assert evaluate("--plot", "figure.gif") == 2
    assert ".svg" in capsys.readouterr().err
    assert not (room / "figure.gif").exists()


@pytest.mark.usefixtures("with_pip")
def test_a_figure_without_matplotlib(room: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert evaluate("--plot", "figure.svg", "--output", "report.md") == 2
    assert "[plots]'" in capsys.readouterr().err
    assert not (room / "report.md").exists()


def test_a_notebook_and_a_data_frame_have_the_numbers() -> None:
    """Three systems in two topics. The metric ranks the systems as people do, and the other one turns them around."""
    ratings = {(topic, system): float(rating) for topic in ("D1", "D2") for rating, system in enumerate("123")}
    opposite = {place: -rating for place, rating in ratings.items()}
    metrics = [MeasureScores("<m>", "m.tsv", ratings), MeasureScores("opposite", "m.tsv", opposite)]
    evaluation = evaluate_metrics(metrics, [MeasureScores("rating", "r.tsv", ratings)])
    page = evaluation._repr_html_()
    assert '<tr><td style="text-align: left">&lt;m&gt;</td><td>1.000' in page
    assert "<m>" not in page
    assert "<p>Systems: automatic.</p>" in page
    frame = evaluation.to_pandas()
    values = frame[frame.other_metric.isna() & (frame.level == "system") & (frame.measure == "pearson")]
    assert dict(zip(values.metric, values.value, strict=True)) == {"<m>": 1.0, "opposite": -1.0}
    assert list(values.systems) == [3, 3]
