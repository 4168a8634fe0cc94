"""The rows of a sheet: balanced, spread over topics, reproducible, and without hints at the labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from helpers.commands import Run
from helpers.messages import mentions

from harness.evaluation.layout import TextRows
from harness.evaluation.people.judgements import count_options
from harness.evaluation.people.sheets import choose_rows, make_form, render_sheet
from harness.evaluation.runner import Suite, load_suite
from pyramid_paraphrase.errors import EmptyResultError


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("sample", ["binary", "ranking"])


@pytest.fixture(scope="module")
def pairs(suite: Suite) -> TextRows:
    return suite.rows[0]


@pytest.fixture(scope="module")
def questions(suite: Suite) -> TextRows:
    return suite.rows[1]


Indices = npt.NDArray[np.int64]


def count_labels(rows: TextRows, places: Indices) -> list[int]:
    return np.bincount(rows.targets[places], minlength=2).tolist()


def count_by_topic(rows: TextRows, places: Indices, label: int) -> list[int]:
    places = places[rows.targets[places] == label]
    return sorted(Counter(rows.topics[places, 0].tolist()).values())


def test_half_of_the_pairs_are_positives(pairs: TextRows) -> None:
    assert count_labels(pairs, choose_rows(pairs, 100, 0)) == [50, 50]
    assert count_labels(pairs, choose_rows(pairs, 7, 0)) == [4, 3]
    assert pairs.is_test[choose_rows(pairs, 100, 0)].all()


def test_if_a_label_has_few_rows_both_labels_have_fewer_rows(pairs: TextRows) -> None:
    positives = np.flatnonzero((pairs.targets == 1) & pairs.is_test)
    few = replace(
        pairs, is_test=pairs.is_test & ((pairs.targets == 0) | np.isin(np.arange(len(pairs.ids)), positives[:9]))
    )
    assert count_labels(few, choose_rows(few, 100, 0)) == [9, 9]
    assert count_labels(few, choose_rows(few, 19, 0)) == [10, 9]
    with pytest.raises(EmptyResultError, match=mentions("binary ... no positive pairs ... other data")):
        choose_rows(replace(pairs, is_test=pairs.is_test & (pairs.targets == 0)), 10, 0)


def test_every_topic_gives_as_many_rows(pairs: TextRows, questions: TextRows) -> None:
    """The sample has eight topics: 40 pairs of a label are five of each, and 42 are one more of two of them."""
    places = choose_rows(pairs, 80, 0)
    assert [count_by_topic(pairs, places, label) for label in (0, 1)] == [[5] * 8] * 2
    assert len(np.unique(pairs.topics[places, 0])) == 8
    assert count_by_topic(pairs, choose_rows(pairs, 84, 3), 1) == [5] * 6 + [6] * 2
    topics = questions.topics[choose_rows(questions, 24, 0), 0]
    assert np.bincount(topics).tolist() == [3] * 8


def test_a_sheet_of_more_rows_than_there_are_has_all(questions: TextRows) -> None:
    places = choose_rows(questions, 10_000, 0)
    assert sorted(places.tolist()) == np.flatnonzero(questions.is_test).tolist()


def test_another_seed_gives_other_rows_in_another_order(pairs: TextRows) -> None:
    ids = [[pairs.ids[place] for place in choose_rows(pairs, 20, seed)] for seed in (0, 0, 1)]
    assert ids[0] == ids[1]
    assert len({*ids[0]} & {*ids[2]}) < 10


def test_neither_order_nor_id_reveals_the_label(pairs: TextRows) -> None:
    """If the hashes of the choice also decided the order, positives would have higher hashes and come last."""
    places, halves = [], []
    for seed in range(40):
        labels = pairs.targets[choose_rows(pairs, 40, seed)]
        places.append(np.flatnonzero(labels).mean())
        halves.append(labels[:20].sum())
    # The mean of 20 of 40 places has the standard deviation 1.8; that of 40 such means is 0.29.
    assert abs(np.mean(places) - 19.5) < 1.2
    assert len(set(halves)) > 3
    places = choose_rows(pairs, 200, 0)
    is_low = np.array([pairs.ids[place] < "8" for place in places])
    assert abs(is_low[pairs.targets[places] == 1].mean() - 0.5) < 0.15


def test_a_sheet_has_no_column_that_reveals_the_label(suite: Suite, pairs: TextRows) -> None:
    """Exchanging all labels changes the choice of the rows, but no other byte of the sheet."""
    places = choose_rows(pairs, 30, 0)
    form = make_form(pairs.test.configuration, count_options(pairs))
    exchanged = replace(pairs, targets=1 - pairs.targets)
    assert render_sheet(pairs, suite.texts, places, form) == render_sheet(exchanged, suite.texts, places, form)


@pytest.mark.full
def test_sheets_do_not_depend_on_the_process(run_python: Run) -> None:
    code = """if True:
        from harness.evaluation.people.sheets import choose_rows
        from harness.evaluation.runner import load_suite
        rows = load_suite("sample", "binary").rows[0]
        print([rows.ids[place] for place in choose_rows(rows, 30, 5)])"""
    printed = [run_python(code, PYTHONHASHSEED=seed).stdout for seed in ("0", "1")]
    assert printed[0] == printed[1]
    assert printed[0].count("'") == 60
