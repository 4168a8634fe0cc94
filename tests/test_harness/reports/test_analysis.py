"""The analysis of scores for pages, on arrays that can be checked by eye, and its invariants."""

from __future__ import annotations

import dataclasses
import gzip

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.score_files import parse_scores
from harness.metrics.choices import rate_success
from harness.metrics.measuring import rate_topics
from harness.metrics.pairs import make_curve
from harness.metrics.rows import ScoredRows
from harness.reports import analysis
from harness.stats.rounding import round_scores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS


def pairs(scores: list[float], labels: list[int], topics: list[tuple[int, int]] | None = None) -> ScoredRows:
    count = len(scores)
    ends = np.array(topics or [(0, 0)] * count, dtype=np.int64).reshape(count, 2)
    names = tuple(f"T{number}" for number in range(int(ends.max()) + 1))
    ids = [f"{number:02d}" for number in range(count)]
    return ScoredRows(
        kind=PAIRS,
        ids=ids,
        is_test=np.ones(count, bool),
        targets=np.array(labels),
        topics=ends,
        topic_names=names,
        scores=round_scores(scores),
    )


def questions(scores: list[list[float]], answers: list[int]) -> ScoredRows:
    template = pairs([0.0] * len(answers), answers)
    return dataclasses.replace(template, kind=QUESTIONS, scores=round_scores(scores))


def test_spread_scores() -> None:
    edges, positives, negatives = analysis.spread_scores(pairs([0, 0, 1, 4], [0, 1, 1, 1]))
    assert (edges[0], edges[-1], len(edges)) == (0, 4, analysis.BINS + 1)
    assert negatives[0] == 1
    assert [positives[place] for place in (0, 10, 39)] == pytest.approx([1 / 3] * 3)
    assert positives.sum() == pytest.approx(1)


@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [0, 1]])
def test_constant_scores_and_empty_classes_are_spread(labels: list[int]) -> None:
    _, positives, negatives = analysis.spread_scores(pairs([3, 3], labels))
    assert (positives.sum(), negatives.sum()) == (float(1 in labels), float(0 in labels))


def test_trace_precision() -> None:
    recall, precision = analysis.trace_precision(pairs([9, 8, 8, 7, 6], [1, 0, 1, 0, 1]))
    assert recall.tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    assert precision.tolist() == pytest.approx([1, 2 / 3, 3 / 5])
    reached = [analysis.reach_precision(recall, precision, level) for level in (0.3, 0.4, 1.0)]
    assert reached == pytest.approx([1, 2 / 3, 3 / 5])


def test_without_paraphrases_there_is_no_curve() -> None:
    recall, precision = analysis.trace_precision(pairs([2, 1], [0, 0]))
    assert len(recall) == len(precision) == 0
    assert analysis.reach_precision(recall, precision, 0.1) is None


def test_a_thinned_curve_keeps_its_ends() -> None:
    long = np.linspace(0, 1, 1001)
    recall, precision = analysis.thin_curve(long, 1 - long)
    assert (len(recall), recall[0], recall[-1]) == (analysis.CURVE_POINTS, 0, 1)
    assert np.array_equal(precision, 1 - recall)
    assert analysis.thin_curve(long[:3], long[:3])[0].tolist() == long[:3].tolist()


def test_share_ranks() -> None:
    # First; tied with one other at the second and third rank.
    scored_rows = questions([[9, 1, 2, 3], [5, 7, 5, 1]], [0, 2])
    assert analysis.share_ranks(scored_rows).tolist() == [0.5, 0.25, 0.25, 0]


def test_rate_topics() -> None:
    # T0: one of two found, F 2/3. T1: no paraphrase. T2: only pairs across topics.
    scored_rows = pairs([1, 0, 1, 1], [1, 1, 0, 1], [(0, 0), (0, 0), (1, 1), (1, 2)])
    values = rate_topics(scored_rows.test_split(0.5))
    listed = {metric: [] for metric in values}
    for metric, *cells in analysis.list_topics(scored_rows, values):
        listed[metric].append(tuple(cells))
    assert listed["f1"] == [("T0", pytest.approx(2 / 3), 2), ("T1", None, 1), ("T2", None, 0)]
    # All rows count, so the topic without a paraphrase has a value: its pair is called a paraphrase.
    assert listed["accuracy"] == [("T0", 0.5, 2), ("T1", 0, 1), ("T2", None, 0)]
    # No topic has both a paraphrase and another pair.
    assert listed["roc_auc"] == [("T0", None, 2), ("T1", None, 1), ("T2", None, 0)]
    assert listed["average_precision"][0] == ("T0", 1, 2)
    assert analysis.count_across(scored_rows) == 1
    asked = dataclasses.replace(
        questions([[1, 0], [0, 1], [1, 1]], [0, 0, 1]), topics=np.array([[0, 0], [1, 1], [1, 1]])
    )
    asked = dataclasses.replace(asked, topic_names=("T0", "T1"))
    listed_answers = analysis.list_topics(asked, rate_topics(asked.test_split(None)))
    assert [*listed_answers][:2] == [("success_rate", "T0", 1, 1), ("success_rate", "T1", 0.25, 2)]


def test_rate_topics_names_those_of_the_test_split() -> None:
    scored_rows = dataclasses.replace(pairs([1, 1], [1, 1], [(0, 0), (1, 1)]), is_test=np.array([False, True]))
    values = rate_topics(scored_rows.test_split(0.5))
    assert [*analysis.list_topics(scored_rows, {"f1": values["f1"]})] == [("f1", "T1", 1, 1)]


def test_rate_overlaps() -> None:
    model = questions([[1, 0], [0, 1], [1, 1], [1, 0]], [0, 0, 0, 1])
    overlap = questions([[2, 9], [2, 9], [6, 9], [9, 8]], [0, 0, 0, 1])
    assert analysis.rate_overlaps(model, overlap) == {2: (0.5, 2), 6: (0.25, 2)}


def test_find_mistakes() -> None:
    scored_rows = pairs([5, 7, 7, 1, 2, 9], [0, 0, 0, 1, 1, 1], [(0, 0), (0, 1), (1, 1), (0, 0), (0, 0), (0, 0)])
    mistakes = analysis.find_mistakes(scored_rows, 4, 2)
    assert mistakes == {
        "pairs classified as paraphrases": [("01", "T0 T1", 7), ("02", "T1", 7)],
        "paraphrases not found": [("03", "T0", 1), ("04", "T0", 2)],
    }
    asked = questions([[1, 3, 0], [2, 2, 0], [0, 1, 0]], [0, 0, 2])
    assert analysis.find_mistakes(asked, None, 5) == {"questions answered wrongly": [("00", "T0", 2), ("02", "T0", 1)]}


# Few distinct scores, so that most lists have ties.
quarters = st.integers(-4, 4).map(lambda value: value / 4)
some_pairs = st.lists(st.tuples(quarters, st.integers(0, 1)), min_size=1, max_size=30)
some_questions = st.lists(st.tuples(st.tuples(*[quarters] * 4), st.integers(0, 3)), min_size=1, max_size=20)


@given(some_questions)
def test_ranks_agree_with_the_success_rate(rows: list[tuple[tuple[float, ...], int]]) -> None:
    scored_rows = questions([list(scores) for scores, _ in rows], [answer for _, answer in rows])
    shares = analysis.share_ranks(scored_rows)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == pytest.approx(rate_success(scored_rows.scores, scored_rows.targets).mean())


@given(some_pairs)
def test_points_lie_on_the_curve(rows: list[tuple[float, int]]) -> None:
    scored_rows = pairs([score for score, _ in rows], [label for _, label in rows])
    curve = make_curve(scored_rows.scores, scored_rows.targets)
    positives = max(int(curve.true_positives[-1]), 1)
    known = {(hits / positives, hits / said) for hits, said in zip(curve.true_positives, curve.said, strict=True)}
    recall, precision = analysis.trace_precision(scored_rows)
    assert set(zip(recall.tolist(), precision.tolist(), strict=True)) <= known
    assert (np.diff(recall) > 0).all()
    if scored_rows.targets.any():
        assert recall[-1] == 1


@given(some_pairs, quarters, st.integers(1, 5))
def test_mistakes_are_wrong_and_sorted(rows: list[tuple[float, int]], threshold: float, count: int) -> None:
    scored_rows = pairs([score for score, _ in rows], [label for _, label in rows])
    mistakes = analysis.find_mistakes(scored_rows, threshold, count)
    false_positives, missed = mistakes["pairs classified as paraphrases"], mistakes["paraphrases not found"]
    labels = dict(zip(scored_rows.ids, scored_rows.targets.tolist(), strict=True))
    assert all(score >= threshold and labels[row_id] == 0 for row_id, _, score in false_positives)
    assert all(score < threshold and labels[row_id] == 1 for row_id, _, score in missed)
    keys = [(-score, row_id) for row_id, _, score in false_positives]
    assert keys == sorted(keys)
    keys = [(score, row_id) for row_id, _, score in missed]
    assert keys == sorted(keys)
    wrong = sum((score >= threshold) != bool(label) for score, label in rows)
    assert len(false_positives) + len(missed) == wrong or count in (len(false_positives), len(missed))


def test_scores_that_are_read_are_rounded() -> None:
    """A file with more decimals gave a tie in the success rate and no tie in the ranks."""
    text = "id,split,target,topics,score0,score1\na,test,0,T0,0.12345601,0.12345649\n"
    scored_rows = parse_scores(gzip.compress(text.encode()), "x.csv.gz")
    assert scored_rows.scores.tolist() == [[0.123456, 0.123456]]
    assert analysis.share_ranks(scored_rows).tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match=mentions("x.csv.gz, line 2: ... range ... Evaluate")):
        parse_scores(gzip.compress(text.replace("0.12345601", "1e308").encode()), "x.csv.gz")


def test_rows_on_which_a_model_cannot_decide() -> None:
    """A row with a single option is no decision, and options after the last one do not count."""
    tied = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.1], [0.0, 0.0, 0.0]]
    assert questions(tied, [0, 1, 2]).count_ties() == (2, 3)
    padded = [[0.5, np.nan, np.nan], [0.5, 0.5, np.nan], [0.5, 0.1, np.nan]]
    matches = dataclasses.replace(questions(padded, [0, 1, 0]), kind=MATCHES)
    assert matches.count_ties() == (1, 2)
    grades = dataclasses.replace(pairs([0.5, 0.5], [1, 4]), kind=GRADED_PAIRS)
    assert grades.count_ties() == (2, 2)
    assert dataclasses.replace(grades, scores=round_scores([0.5, 0.6])).count_ties() == (0, 2)
    only_first = dataclasses.replace(questions(tied, [0, 1, 2]), is_test=np.array([True, False, False]))
    assert only_first.count_ties() == (1, 1)
