"""The table with a line per set of paraphrases, from which all correlations follow."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.ranked_paraphrases import LISTS, make_table, write_pairs

from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.meta_evaluation import (
    CLAIM,
    RECOGNIZED,
    RecognitionDifference,
    RecognitionEvaluation,
    list_compared_sets,
    meta_evaluate,
)
from harness.paraphrases.dimple.positive_pairs import read_positive_pairs
from harness.paraphrases.dimple.reports import render_sets_csv, report_correlations
from harness.paraphrases.dimple.scores import judge, score_lists
from harness.stats.bootstrap import draw_weights
from harness.stats.correlation import Williams

SINGLE = [("they reached it", "it was reached by them")]


@pytest.fixture
def evaluation(tmp_path: Path) -> RecognitionEvaluation:
    """All lists, correlated with two corpora. The second one has a pair for a single source."""
    (tmp_path / "table.tsv").write_text(make_table())
    lists = convert_table(tmp_path / "table.tsv", [])[0]
    scores = score_lists(lists, judge("strict"), cuts=(1, 5))
    corpora = {"own": read_positive_pairs([write_pairs(tmp_path / "pairs")]), "single": SINGLE}
    return meta_evaluate(scores, lists, corpora, RECOGNIZED)


def test_a_line_per_corpus_and_set(evaluation: RecognitionEvaluation) -> None:
    """For "found", the pairs and the recognized ones are counted by eye. EP@5 of pivot: (1 + 2/3) / 5."""
    rows = list(csv.DictReader(io.StringIO(render_sets_csv(evaluation))))
    assert len(rows) == 2 * 10  # the list of "reached" by forms is empty
    by_set = {(row["corpus"], row["source"], row["method"]): row for row in rows}
    found = by_set["own", "found", "pivot"]
    assert [found[name] for name in ("paraphrases", "pairs", "by_stem", "by_paraphrase")] == ["3", "3", "1", "1"]
    assert found["judgment"] == "strict"
    assert [float(found[name]) for name in ("recognized", "gained")] == pytest.approx([2 / 3, 1 / 3], abs=1e-6)
    assert [float(found[name]) for name in ("EP@1", "EP@5")] == pytest.approx([1, 1 / 3], abs=1e-6)
    assert by_set["own", "reached", "forms"]["paraphrases"] == "0"
    assert by_set["single", "found", "pivot"]["recognized"] == ""
    assert {row["source"] for row in rows if row["method"] == "pivot"} == {source for source, _ in LISTS}


def test_correlations_follow_from_the_lines(evaluation: RecognitionEvaluation) -> None:
    rows = list(csv.DictReader(io.StringIO(render_sets_csv(evaluation))))
    own = [row for row in rows if row["corpus"] == "own" and row["paraphrases"] != "0"]
    expected = np.corrcoef([float(row["EP@5"]) for row in own], [float(row["recognized"]) for row in own])[0, 1]
    assert evaluation.correlations["own", "EP", 5].value == pytest.approx(expected, abs=1e-5)


def test_notes_count_the_sets_that_are_left_out(evaluation: RecognitionEvaluation) -> None:
    notes = "\n".join(report_correlations(evaluation).notes)
    assert "own: 9 sets. Left out: 1 without paraphrases." in notes
    assert "single: 1 set. Left out: 8 without a pair" in notes


def test_differences_by_williams_and_by_drawing_sources(evaluation: RecognitionEvaluation) -> None:
    """The formula of Graham and Baldwin (2014) for nine sets. In a resample, a source is repeated with all its sets."""
    compared = list_compared_sets(evaluation.scores, evaluation.recognitions["own"], RECOGNIZED)
    share = [value for _, value in compared]
    first, second = ([row.values[metric, 5] for row, _ in compared] for metric in ("EP", "DIMPLE"))
    low, high, between = (np.corrcoef(pair)[0, 1] for pair in ((first, share), (second, share), (first, second)))
    determinant = 1 - low**2 - high**2 - between**2 + 2 * low * high * between
    error = 2 * determinant * 8 / 6 + (low + high) ** 2 / 4 * (1 - between) ** 3
    difference = evaluation.differences["own", 5, "EP", "DIMPLE"]
    assert difference.value == pytest.approx(high - low, abs=1e-6)
    assert difference.williams.t == pytest.approx((high - low) * np.sqrt(8 * (1 + between) / error), abs=1e-5)
    sources = sorted({row.source for row, _ in compared})
    places = [sources.index(row.source) for row, _ in compared]
    values = []
    for weights in draw_weights(5, 1000, 0).astype(int):
        rows = np.repeat(np.array([first, second, share]), weights[places], axis=1)
        if all(len(set(row)) > 1 for row in rows.tolist()):
            values.append(np.corrcoef(rows)[1, 2] - np.corrcoef(rows)[0, 2])
    assert difference.undefined == 1000 - len(values)
    assert difference.interval == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=2e-6)
    assert evaluation.differences["single", 5, "EP", "DIMPLE"].value is None


def test_differences_of_few_sources_have_no_interval(tmp_path: Path) -> None:
    (tmp_path / "table.tsv").write_text(make_table())
    lists = [ranked for ranked in convert_table(tmp_path / "table.tsv", [])[0] if ranked.source != "reached"]
    pairs = {"own": read_positive_pairs([write_pairs(tmp_path / "pairs")])}
    evaluation = meta_evaluate(score_lists(lists, judge("strict"), cuts=(5,)), lists, pairs)
    assert [difference.interval for difference in evaluation.differences.values()] == [None] * 3
    assert [difference.undefined for difference in evaluation.differences.values()] == [0] * 3
    assert "intervals over sources require at least 5 sources." in " ".join(report_correlations(evaluation).notes)


def test_a_difference_needs_both_correlations(tmp_path: Path) -> None:
    """No form of a source is new, so EPR is 0 for all four lists. EP and DIMPLE differ by "has found"."""
    (tmp_path / "table.tsv").write_text(make_table())
    lists = [ranked for ranked in convert_table(tmp_path / "table.tsv", [])[0] if ranked.method == "forms"]
    pairs = {"own": read_positive_pairs([write_pairs(tmp_path / "pairs")])}
    evaluation = meta_evaluate(score_lists(lists, judge("strict"), cuts=(5,)), lists, pairs)
    values = {names[2:]: difference.value for names, difference in evaluation.differences.items()}
    assert values == {("EP", "EPR"): None, ("EPR", "DIMPLE"): None, ("EP", "DIMPLE"): 0.0}


@pytest.mark.parametrize(
    ("value", "p_value", "interval", "directions"),
    [
        (0.2, 0.0499, (0.1, 0.3), (1, 1)),
        (-0.2, 0.0499, (-0.3, -0.1), (-1, -1)),
        (0.2, 0.05, (0.0, 0.3), (0, 0)),
        (-0.2, None, (-0.3, 0.0), (0, 0)),
        (0.2, None, None, (0, 0)),
    ],
)
def test_directions_of_differences(
    value: float, p_value: float | None, interval: tuple[float, float] | None, directions: tuple[int, int]
) -> None:
    difference = RecognitionDifference(value, Williams(1.0, 0.01), p_value, interval)
    assert (difference.direction, difference.interval_direction) == directions


def test_the_sentence_on_the_claim_counts_rows_and_directions(evaluation: RecognitionEvaluation) -> None:
    """At k = 1 the order holds. At k = 5 it does not, because EPR is below EP."""
    up = RecognitionDifference(0.2, Williams(3.0, 0.001), 0.01, (0.1, 0.3), 7)
    down = RecognitionDifference(-0.2, Williams(-3.0, 0.001), 0.01, (-0.3, -0.1))
    unsure = RecognitionDifference(0.1, Williams(0.5, 0.6), 0.9, (-0.1, 0.3))
    values = (up, unsure, up, down, up, unsure)
    keys = [("own", k, *names) for k in (1, 5) for names in CLAIM]
    notes = report_correlations(replace(evaluation, differences=dict(zip(keys, values, strict=True)))).notes
    (claim,) = (note for note in notes if note.startswith("EP < EPR < DIMPLE"))
    assert "this order in 1 of 2 combinations of corpus and k; differences in this direction" in claim
    assert "significant: 3 of 6, against it: 1 (Williams' test, p < 0.05 after Holm's correction)" in claim
    assert claim.endswith("intervals over sources are above 0 for 3 of 6, and below for 1.")
    assert "Up to 7 of 1,000 resamples are left out: a correlation is not defined." in notes


def test_p_values_of_differences_are_corrected_together(evaluation: RecognitionEvaluation) -> None:
    p_values = [row.williams.p_value for row in evaluation.differences.values() if row.williams.p_value is not None]
    corrected = [row.p_holm for row in evaluation.differences.values() if row.p_holm is not None]
    assert len(p_values) == len(corrected) == 6
    assert min(corrected) == pytest.approx(min(1.0, 6 * min(p_values)), abs=1e-6)
