"""The table with a line per set of paraphrases, from which all correlations follow."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from helpers.ranked_paraphrases import LISTS, make_table, write_pairs

from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.meta_evaluation import (
    RECOGNIZED,
    RecognitionEvaluation,
    meta_evaluate,
)
from harness.paraphrases.dimple.positive_pairs import read_positive_pairs
from harness.paraphrases.dimple.reports import render_sets_csv, report_correlations
from harness.paraphrases.dimple.scores import judge, score_lists

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
