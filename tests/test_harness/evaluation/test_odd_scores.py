"""Models with very small or large scores: a positive factor changes no order, so it changes no metric."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.submissions import make_board
from msgspec.structs import force_setattr

import harness
from harness.evaluation.results import Result, read_result
from harness.leaderboards.checks import check_result
from harness.reports.error_analysis import decide
from harness.reports.html_reports import render_html
from harness.reports.model_tables import make_tables
from harness.reports.table_notes import write_notes
from harness.support.errors import LeaderboardError, ModelError

Pairs = list[tuple[str, str]]

FACTORS = [1e-310, 1e-200, 1e-7, 1e12, 1e200, 1e298]


def count_shared(pairs: Pairs) -> np.ndarray[Any, Any]:
    """Count the words that two texts share."""
    return np.array([len(set(first.split()) & set(second.split())) for first, second in pairs], dtype=np.float64)


def scale_pairs(factor: float) -> object:
    return SimpleNamespace(score=lambda pairs: count_shared(pairs) * factor)


def scale_summaries(factor: float) -> object:
    def score(scus: list[str], summaries: list[list[str]]) -> Any:  # noqa: ANN401
        return count_shared([(scu, " ".join(texts)) for scu, texts in zip(scus, summaries, strict=True)]) * factor

    return SimpleNamespace(score_summaries=score)


def evaluate(model: object, *tests: str, output: Path | None = None) -> Result:
    return harness.evaluate(model, "sample", list(tests), name="m", cache=False, resamples=20, output=output)


@pytest.mark.parametrize(
    ("make", "test_name"),
    [
        (scale_pairs, "binary"),
        (scale_pairs, "ranking"),
        (scale_pairs, "presence"),
        (scale_summaries, "presence"),
    ],
)
def test_a_factor_changes_no_metric(make: Callable[[float], object], test_name: str) -> None:
    """Scores of the size 1e-7 were rounded to six decimals: nearly all were ties, and the success rate was .266."""
    expected = evaluate(make(1.0), test_name).tests[test_name]
    for factor in FACTORS:
        scaled = evaluate(make(factor), test_name).tests[test_name]
        assert (scaled.metrics, scaled.intervals) == (expected.metrics, expected.intervals)
    if test_name == "ranking":
        assert expected.metrics["success_rate"] == 0.589642  # origin: case of a user, counted without this package


@pytest.mark.parametrize("factor", FACTORS)
def test_results_with_small_and_large_scores_are_read_back(factor: float, tmp_path: Path) -> None:
    """Rows, metrics and thresholds that are computed from the files are those of the evaluation."""
    written = evaluate(scale_pairs(factor), "binary", "ranking", output=tmp_path)
    read = read_result(written.path)
    assert read.content == written.content
    for name, rows in read.rows.items():
        assert rows.scores.tolist() == written.rows[name].scores.tolist()
    board = make_board(tmp_path / "board")
    if factor > 1e9:
        with pytest.raises(LeaderboardError, match=mentions("binary ... 1,000,000,000 ... evaluate")):
            check_result(board, read)
    else:
        assert check_result(board, read)["binary"].metrics["threshold"] == written.tests["binary"].threshold


def test_six_decimals_are_written_unless_they_lose_scores(tmp_path: Path) -> None:
    lines = {}
    for factor in (1.0, 0.001, 1e-7, 1e20):
        data = evaluate(scale_pairs(factor), "binary").files["binary"]
        lines[factor] = {line.rsplit(",")[-1] for line in gzip.decompress(data).decode().splitlines()[1:]}
    assert "3.000000" in lines[1.0]
    assert "0.003000" in lines[0.001]
    assert "3.00000e-07" in lines[1e-7]
    assert "3.0000000000000e+20" in lines[1e20]


def test_scores_that_rounding_merges_are_counted(tmp_path: Path) -> None:
    """On an offset, or beside a much larger score, all scores became ties, and nothing said so."""
    board = make_board(tmp_path / "board")
    changes = {"offset": lambda v: 1 - v * 1e-9, "outlier": lambda v: np.where(v == v.max(), 1e9, v * 1e-9)}
    for name, change in changes.items():
        model = SimpleNamespace(score=lambda pairs, change=change: change(count_shared(pairs)))
        result = evaluate(model, "binary", "ranking")
        table = make_tables([result])[0]
        for test_name in ("binary", "ranking"):
            counts = result.tests[test_name].counts
            assert counts["different_scores"] > 4 * counts["rounded_scores"] > 0, name
            numbers = f"{counts['different_scores']} different scores of {test_name} ... {counts['rounded_scores']} "
            assert re.search(mentions(f"m: ... {numbers} ... ties"), "\n".join(write_notes(table)))
        assert check_result(board, result).keys() == {"binary", "ranking"}


def test_cosines_that_rounding_merges_are_counted() -> None:
    """The cosines of vectors far from the origin are all near 1, and were ties."""

    def encode(texts: list[str]) -> np.ndarray[Any, Any]:
        return np.array([[1e5, text.count("e")] for text in texts])

    counts = [evaluate(SimpleNamespace(encode=encode), name).tests[name].counts for name in ("ranking", "binary")]
    assert all(count["rounded_scores"] == 1 < count["different_scores"] for count in counts)
    learner = SimpleNamespace(learn=lambda _: SimpleNamespace(encode=encode))
    assert evaluate(learner, "ranking").tests["ranking"].counts == counts[0]
    assert evaluate(learner, "ranking", "binary").tests["binary"].counts == counts[1]


def test_the_threshold_of_small_scores_must_follow_from_them(tmp_path: Path) -> None:
    board, result = make_board(tmp_path / "board"), evaluate(scale_pairs(-1e-7), "binary", "ranking")
    claimed = result.tests["binary"]
    assert claimed.threshold == -9.5e-07
    force_setattr(claimed, "threshold", -8.5e-07)
    with pytest.raises(LeaderboardError, match=mentions("threshold of binary is -8.5e-07 ... -9.5e-07")):
        check_result(board, result)


def test_scores_beyond_the_largest_are_refused() -> None:
    """Differences of such scores could be infinite."""
    with pytest.raises(ModelError, match=mentions("m: ... row ... of ranking ... 1e+300 ... Divide")):
        evaluate(scale_pairs(1e301), "ranking")
    with pytest.raises(ModelError, match=mentions("m: ... row ... of ranking ... not finite")):
        evaluate(SimpleNamespace(score=lambda pairs: [float("inf")] * len(pairs)), "ranking")


@pytest.mark.parametrize("factor", [1e-310, 1e-7, 1e200])
@pytest.mark.parametrize("test_name", ["ranking", "presence"])
def test_a_factor_changes_no_margin(factor: float, test_name: str) -> None:
    """The most confident errors stay the same."""
    results = [evaluate(scale_pairs(scale), test_name) for scale in (1.0, factor)]
    expected, scaled = (decide(make_tables([result])[0], test_name) for result in results)
    assert expected is not None
    assert scaled is not None
    assert scaled.margins["m"] == pytest.approx(expected.margins["m"])
    assert max(expected.margins["m"]) > 1


@pytest.mark.parametrize("factor", [1e-310, 1e-7, 1e200])
def test_reports_show_small_and_large_scores(factor: float) -> None:
    """A threshold of 3.5e-7 was shown as 0.000, and no question seemed to be answered wrongly."""
    results = [evaluate(scale_pairs(scale), "ranking", "presence") for scale in (1.0, factor)]
    pages = [render_html(make_tables([result])) for result in results]
    assert "Threshold: 3.500." in pages[0]
    assert f"Threshold: {3.5 * factor:.2e}." in pages[1]
    assert pages[1].count("answered wrongly by m") == pages[0].count("answered wrongly by m") == 1
    wrong = [len(re.findall("<td><code>", page)) for page in pages]
    assert wrong[0] == wrong[1] > 0


def make_encoder(factor: float) -> object:
    """Make an encoder whose dot product counts shared letters."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return SimpleNamespace(
        encode=lambda texts: np.array([[text.count(letter) * factor for letter in alphabet] for text in texts])
    )


def test_small_dot_products_are_kept_apart() -> None:
    plain, small = (
        harness.evaluate(make_encoder(factor), "sample", "ranking", similarity="dot", resamples=5, cache=False)
        for factor in (1.0, 2.0**-13)
    )
    assert small.tests["ranking"].metrics == plain.tests["ranking"].metrics


@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_vectors_beyond_single_precision_have_only_a_cosine(factor: float) -> None:
    """They are rescaled row by row, which changes dot products and distances."""
    plain, scaled = (
        harness.evaluate(make_encoder(value), "sample", "ranking", resamples=5, cache=False) for value in (1.0, factor)
    )
    assert scaled.tests["ranking"].metrics == plain.tests["ranking"].metrics
    for similarity in ("dot", "euclidean", "manhattan"):
        with pytest.raises(ModelError, match=mentions(f"similarity={similarity}. Use similarity=cosine")):
            harness.evaluate(make_encoder(factor), "sample", "ranking", similarity=similarity, cache=False)
