"""Scores of summaries of any size."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.messages import mentions

from harness.cli import main
from harness.summarization.meta_evaluation.scores import ScoreCollector
from harness.summarization.summary_scores import SummaryScore, render_scores


def collect(values: list[float]) -> list[float]:
    collector = ScoreCollector("x.tsv")
    for number, value in enumerate(values):
        collector.add("m", ("T1", str(number)), value)
    (scores,) = collector.finish()
    return list(scores.values.values())


@pytest.mark.parametrize("factor", [1e-300, 1e-20, 1e-7, 1e-4])
def test_small_scores_are_enlarged(factor: float) -> None:
    """Scores of the size 1e-7 were rounded to six decimals: all systems were tied, and correlations undefined."""
    assert collect([1.25 * factor, -5 * factor, 0.0]) == [0.125, -0.5, 0.0]


def test_other_scores_are_rounded_as_before() -> None:
    assert collect([0.0012345678, 4e-7]) == [0.001235, 0.0]
    assert collect([0.0, -0.0]) == [0.0, 0.0]


def test_a_column_of_small_scores_has_significant_digits() -> None:
    scores = [SummaryScore("T", "1", {"a": 1.5e-9, "b": 0.0}), SummaryScore("T", "2", {"a": -2 / 3e5, "c": 0.001})]
    rows = [line.split("\t")[2:] for line in render_scores(scores, ["a", "b", "c", "d"]).splitlines()]
    assert rows[1:] == [["1.50000e-09", "0.000000", "", ""], ["-6.66667e-06", "", "0.001000", ""]]


def test_scores_that_rounding_merges_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values near 1 were ties, and the report said that all systems have equal scores."""
    summaries = [(topic, system) for topic in range(3) for system in range(5)]
    names = {"near.tsv": lambda value: 1 - value * 1e-8, "scores.tsv": float, "judgements.tsv": lambda value: value % 4}
    for name, change in names.items():
        rows = [f"T{topic}\t{system}\t{change(topic + 3 * system)}\n" for topic, system in summaries]
        (tmp_path / name).write_text(f"topic\tsystem\t{name.split('.')[0]}\n{''.join(rows)}")
    paths = [str(tmp_path / name) for name in names]
    assert main(["meta-eval", *paths[:2], "--judgements", paths[2], "--resamples", "10"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert re.search(mentions("near.tsv: near has 15 different values ... 1 after rounding ... Scale"), output)
    assert output.count("after rounding") == 1


def test_a_column_with_one_larger_score_has_decimals() -> None:
    scores = [SummaryScore("T", "1", {"a": 1.5e-9}), SummaryScore("T", "2", {"a": -0.5})]
    assert render_scores(scores, ["a"]).splitlines()[1:] == ["T\t1\t0.000000", "T\t2\t-0.500000"]
