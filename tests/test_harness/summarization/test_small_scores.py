"""Scores of summaries of any size."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions
from scipy import stats

from harness.cli import main
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, correlate_rows, correlate_systems
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import ScoredLocation, choose_measures
from harness.summarization.meta_evaluation.scores import ScoreCollector
from harness.summarization.summary_scores import SummaryScore, render_scores


def collect(values: list[float]) -> list[float]:
    collector = ScoreCollector("x.tsv")
    for number, value in enumerate(values):
        collector.add("m", ("T1", str(number)), value)
    (scores,) = collector.finish()
    return list(scores.enlarge().values.values())


@pytest.mark.parametrize("factor", [1e-300, 1e-20, 1e-7, 1e-4, 1e-2])
def test_small_scores_are_enlarged(factor: float) -> None:
    """Scores of the size 1e-7 were rounded to six decimals: all systems were tied, and correlations undefined."""
    assert collect([1.25 * factor, -5 * factor, 0.0]) == [0.125, -0.5, 0.0]


def test_other_scores_keep_their_digits() -> None:
    assert collect([0.12345678, 4e-7]) == [0.12345678, 4e-7]
    assert collect([0.0, -0.0]) == [0.0, 0.0]


@pytest.mark.parametrize("divisor", [1, 100, 130])
def test_r_is_that_of_numpy_for_scores_of_any_size(divisor: float) -> None:
    """Scores up to 0.0028 had four digits, and means six decimals: r was wrong in its fourth and sixth decimals."""
    random = np.random.RandomState(4)
    tables = [random.rand(20, 12) * 0.03 + 0.25, random.rand(20, 12)]
    tables[1] += tables[0] * 20
    tables[0] /= divisor
    measures = []
    for table in tables:
        collector = ScoreCollector("f")
        for (topic, system), value in np.ndenumerate(table):
            collector.add("m", (str(topic), str(system)), float(value))
        measures += collector.finish()
    by_level = {row.level: row.values for row in evaluate_metrics(measures[:1], measures[1:]).correlations}
    means = [table.mean(axis=0) for table in tables]
    assert by_level["system"]["pearson"] == round(np.corrcoef(*means)[0, 1], 6)
    by_topic = [np.corrcoef(*rows)[0, 1] for rows in zip(*tables, strict=True)]
    assert by_level["summary"]["pearson"] == round(np.mean(by_topic), 6)
    assert by_level["system"]["kendall"] == round(stats.kendalltau(*means).statistic, 6)


def test_scores_in_two_files_are_enlarged_together() -> None:
    """The systems of one file have scores below 0.1, the people of the other file have not."""
    files = []
    for name, value in (("1", 0.05), ("A", 0.5)):
        collector = ScoreCollector(f"{name}.tsv")
        collector.add("m", ("T1", name), value)
        files.append(ScoredLocation(f"{name}.tsv", name, tuple(collector.finish())))
    (united,) = choose_measures(files, None, "metric")
    assert united.enlarge().values == {("T1", "1"): 0.05, ("T1", "A"): 0.5}


def test_ties_are_those_of_six_decimals() -> None:
    """1/3 of each topic, and 0, 1/2 and 1/2, are the same mean. Pearson's r alone is computed from more decimals."""
    metric = np.array([[1 / 3, 0.0, 0.7, 0.8], [1 / 3, 0.5, 0.7, 0.9], [1 / 3, 0.5, 0.7, 0.9 + 1e-9]])
    values = correlate_systems(metric, np.arange(12.0).reshape(3, 4), np.ones((1, 3)))
    assert values["kendall"] == pytest.approx(5 / np.sqrt(5 * 6))
    constant = np.array([[0.5, 0.5 + 1e-8, 0.5 - 1e-8]])
    assert all(np.isnan(correlate_rows(constant, np.array([[1.0, 2.0, 4.0]]))[name][0]) for name in COEFFICIENTS)


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
