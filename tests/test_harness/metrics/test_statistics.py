"""Bootstrap and comparison, compared with the direct computation on repeated rows."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from helpers.brute_force import flip_all
from helpers.comparisons import compare_scored
from helpers.scored_rows import make_split
from hypothesis import given
from hypothesis import strategies as st

from harness.evaluation.comparing.differences import compare_pair
from harness.evaluation.comparing.standings import MeasuredModel
from harness.metrics import measuring as measuring_module
from harness.metrics import pairs as pairs_module
from harness.metrics.choices import rate_reciprocal_rank, rate_success
from harness.metrics.graded_pairs import max_f1, pearson, resample_pearson
from harness.metrics.measuring import (
    _find_shares,
    find_positives,
    make_measure,
    measure_contributions,
    measure_topics,
)
from harness.metrics.metric import Metric
from harness.metrics.pairs import make_curve, measure_pairs
from harness.metrics.rows import ScoredSplit
from harness.metrics.table import METRICS
from harness.models.registry import MODEL
from harness.stats import bootstrap as bootstrap_module
from harness.stats.bootstrap import RESAMPLES, SEED, bootstrap, draw_weights, find_cells, find_intervals
from harness.stats.rounding import RoundedScores
from harness.stats.significance import correct_holm
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS

TOPICS = 3


@st.composite
def pairs(draw: st.DrawFn) -> ScoredSplit:
    rows = draw(
        st.lists(
            st.tuples(st.integers(-3, 3), st.integers(0, 1), st.integers(0, TOPICS - 1), st.integers(0, TOPICS - 1)),
            min_size=1,
            max_size=25,
        )
    )
    table = np.array(rows)
    return make_split(PAIRS, table[:, 0] / 4, table[:, 1], table[:, 2:], TOPICS, 0.125)


@given(pairs(), st.lists(st.integers(0, 3), min_size=TOPICS, max_size=TOPICS))
def test_weights_do_what_repeating_rows_does(scored: ScoredSplit, weights: list[int]) -> None:
    """A pair across topics is repeated w_a w_b times, one within a topic w_a times."""
    times = [weights[a] if a == b else weights[a] * weights[b] for a, b in scored.topics.tolist()]
    if sum(times) == 0:
        return
    scores, targets = np.repeat(scored.scores, times), np.repeat(scored.targets, times)
    expected = measure_pairs(make_curve(scores, targets), 0.125)
    computed = make_measure(scored)(np.array([weights], dtype=float))
    assert len(computed) == 8
    for name, values in computed.items():
        assert values[0] == pytest.approx(expected[name], abs=1e-12), name


@given(pairs(), st.data())
def test_weights_of_grades_do_what_repeating_rows_does(scored: ScoredSplit, data: st.DataObject) -> None:
    """If all rows with weight have equal scores or equal grades, the correlation is not defined, and counts as 0."""
    size = len(scored.targets)
    grades = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    weights = data.draw(st.lists(st.integers(0, 2), min_size=TOPICS, max_size=TOPICS))
    graded = replace(scored, targets=np.array(grades), threshold=None, kind=GRADED_PAIRS)
    times = [weights[a] if a == b else weights[a] * weights[b] for a, b in scored.topics.tolist()]
    scores, targets = np.repeat(scored.scores, times), np.repeat(grades, times)
    computed = make_measure(graded)(np.array([weights, weights], dtype=float))
    defined = len(set(scores.tolist())) > 1 and len(set(targets.tolist())) > 1
    assert computed["pearson"].tolist() == pytest.approx([pearson(scores, targets) if defined else 0.0] * 2, abs=1e-9)
    decided = targets != 3  # grade 3 is debatable, 4 and 5 are paraphrases
    labels = (targets[decided] > 3).astype(int)
    best = max_f1(make_curve(scores[decided], labels))["max_f1"] if decided.any() else 0.0
    assert computed["max_f1"].tolist() == pytest.approx([best] * 2, abs=1e-12)


def test_weights_of_one_give_the_metrics_themselves() -> None:
    random = np.random.default_rng(5)
    scores, targets = random.normal(size=2000).round(2), random.integers(0, 2, size=2000)
    scored = make_split(PAIRS, scores, targets, random.integers(0, 7, size=(2000, 2)), 7, 0.3)
    computed = make_measure(scored)(np.ones((1, 7)))
    expected = measure_pairs(make_curve(scores, targets), 0.3)
    assert len(computed) == 8
    for name, values in computed.items():
        assert values[0] == pytest.approx(expected[name]), name


def test_questions_are_weighted_by_their_topic() -> None:
    scores, answers = np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0]]), np.array([0, 0, 1])
    scored = make_split(QUESTIONS, scores, answers, np.array([[0, 0], [0, 0], [1, 1]]), 2)
    computed = make_measure(scored)(np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    assert computed["success_rate"] == pytest.approx([0.5, 0.5, 0.5, 0.0])
    assert computed["success_rate"][0] == pytest.approx(rate_success(scores, answers).mean())
    assert computed["mrr"] == pytest.approx([rate_reciprocal_rank(scores, answers).mean(), 0.75, 0.75, 0.0])


def test_one_pair_of_each_kind_is_enough_for_an_area() -> None:
    scored = make_split(PAIRS, np.array([1.0, 0.0]), np.array([1, 0]), np.zeros((2, 2), dtype=int), 1, 0.5)
    assert make_measure(scored)(np.ones((1, 1)))["roc_auc"].tolist() == [1.0]


def test_correlations_of_resamples_are_never_beyond_one() -> None:
    """The points lie on a rising or falling line, but floating point gives 1.0000000000000002."""
    scores, topics = np.array([0.8, 0.0, 0.1]), np.zeros((3, 2), dtype=int)
    for gold, expected in (([3.4, 1.0, 1.3], 1.0), ([-1.4, 1.0, 0.7], -1.0)):
        assert resample_pearson(scores, np.array(gold), topics, 1, np.ones((1, 1))).tolist() == [expected]


def test_rows_without_weight_do_not_count_for_the_range() -> None:
    """What is left after subtracting the mean's square is not 0 here; a row without weight scores more, one less."""
    scores, gold = np.array([0.014875, 0.014875, 0.014875, 0.816048, 0.0]), np.array([0.2, 0.4, 1.0, 0.6, 0.1])
    topics = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [2, 2]])
    computed = resample_pearson(scores, gold, topics, 3, np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    assert computed[0] == 0.0
    assert computed[1] == pytest.approx(np.corrcoef(scores, gold)[0, 1])


def test_a_resample_without_paraphrases_is_defined() -> None:
    scored = make_split(PAIRS, np.array([1.0, 0.0]), np.array([1, 0]), np.array([[0, 0], [1, 1]]), 2, 0.5)
    computed = make_measure(scored)(np.array([[0.0, 1.0]]))
    assert computed["f1"][0] == computed["average_precision"][0] == 0.0
    assert computed["roc_auc"][0] == 0.5


def test_draws_are_frozen() -> None:
    """Mersenne Twister with seed 0, as NumPy has frozen it: the same forever."""
    weights = draw_weights(4, 3, seed=0)
    assert weights.tolist() == [[2.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 4.0], [0.0, 2.0, 1.0, 1.0]]
    assert draw_weights(23, 1000, seed=1).sum(axis=1).tolist() == [23.0] * 1000


def test_a_part_of_the_draws_at_a_time_is_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus with a topic per pair once needed a table of topics times resamples, and the square of the topics."""
    random = np.random.default_rng(2)
    scored = make_split(
        PAIRS, random.normal(size=90), random.integers(0, 2, size=90), random.integers(0, 9, size=(90, 2)), 9, 0.1
    )
    graded = replace(scored, targets=random.integers(0, 6, size=90), threshold=None, kind=GRADED_PAIRS)
    for rows in (scored, graded):
        whole = make_measure(rows)(draw_weights(9, 50, 4))
        alone = make_measure(rows)(np.eye(9))
        with monkeypatch.context() as patch:
            patch.setattr(bootstrap_module, "_WEIGHTS_AT_ONCE", 30)
            patch.setattr(pairs_module, "_CUTS_AT_ONCE", 200)
            patch.setattr(measuring_module, "_TOPICS_AT_ONCE", 2)
            drawn, single = bootstrap(make_measure(rows), 9, 50, 4), measure_topics(rows)
        assert drawn.keys() == whole.keys() == single.keys()
        assert len(whole) > 1
        for name in whole:
            assert drawn[name] == pytest.approx(whole[name], abs=1e-12)
            assert single[name] == pytest.approx(alone[name], abs=1e-12)


@pytest.mark.parametrize(
    ("room", "topics", "resamples", "sizes"),
    [(30, 9, 8, [3, 3, 2]), (5, 9, 2, [1, 1]), (30, 3, 4, [4]), (9, 9, 2, [1, 1])],
)
def test_draws_fit_into_the_room_there_is(
    monkeypatch: pytest.MonkeyPatch, room: int, topics: int, resamples: int, sizes: list[int]
) -> None:
    """A block contains as many resamples as fit, but at least one."""
    monkeypatch.setattr(bootstrap_module, "_WEIGHTS_AT_ONCE", room)
    parts = list(bootstrap_module._draw_parts(topics, resamples, 0))
    assert [len(part) for part in parts] == sizes
    assert np.concatenate(parts).sum(axis=1).tolist() == [topics] * resamples


@pytest.mark.parametrize(("room", "sizes"), [(12, [3, 3, 1]), (11, [2, 2, 2, 1]), (1, [1] * 7), (100, [7])])
def test_curves_fit_into_the_room_there_is(monkeypatch: pytest.MonkeyPatch, room: int, sizes: list[int]) -> None:
    """Three distinct scores of paraphrases and the end make four cuts per resample."""
    monkeypatch.setattr(pairs_module, "_CUTS_AT_ONCE", room)
    cells = find_cells(np.zeros((4, 2), int), 1)
    cuts = pairs_module.WeightedCuts(np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, True, False]), cells)
    assert [len(block["roc_auc"]) for block in cuts.rate_order(np.ones((7, 1)))] == sizes


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_sums_of_rows_are_those_of_numpy(columns: int) -> None:
    """Two columns are added as one column of complex numbers."""
    rows = np.array([[0.1, 1e300, -0.0, 7.0], [0.2, 3.0, 0.0, 1e-9], [0.3, -1e300, 5.0, 0.1]])[:, :columns].copy()
    assert pairs_module._accumulate(rows).tolist() == np.cumsum(rows, axis=0).tolist()
    assert pairs_module._accumulate(np.zeros((0, columns))).shape == (0, columns)


@pytest.mark.full
def test_memory_of_many_topics_is_bounded() -> None:
    """Regression test: with a topic per pair, metrics by topic needed a table of 7 GB."""
    count = 30_000
    topics = np.repeat(np.arange(count)[:, None], 2, axis=1)
    scored = make_split(PAIRS, np.arange(count) / count, np.arange(count) % 2, topics, count, 0.5)
    tracemalloc.start()
    computed = compare_scored(scored, scored, list_named("accuracy"), 200, 0)["accuracy"]
    assert len(measure_topics(scored)["accuracy"]) == count
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (computed.value, computed.won, computed.tied, computed.lost) == (0.5, 0, 256, 0)  # groups of topics
    assert peak < 600e6


def test_intervals_contain_the_middle() -> None:
    assert find_intervals({"f1": np.arange(1001) / 1000}) == {"f1": (0.025, 0.975)}


def test_intervals_are_rounded_to_six_decimals() -> None:
    assert find_intervals({"f1": np.full(9, 0.12345678)}) == {"f1": (0.123457, 0.123457)}


def test_five_topics_are_enough_for_a_p_value() -> None:
    """Of 32 sums with flipped signs, 2 are as far from 0 as the sum of five equal differences."""
    weak, strong = make_questions([[False] * 3] * 5), make_questions([[True] * 3] * 5)
    compared = compare_scored(weak, strong, list_named("mrr"), 99, 0)["mrr"]
    assert compared == ("first", "second", 0.5, 1.0, 0.5, (0.5, 0.5), 0.0625, 5, 0, 0, 0.0625)
    four = [make_questions([[right] * 3] * 4) for right in (False, True)]
    assert compare_scored(*four, list_named("mrr"), 99, 0)["mrr"].p_value == 1.0


def test_topics_are_counted_by_their_contributions_to_the_difference() -> None:
    """Topic 0 loses a row, topic 1 wins one, and topic 2 has equal rows. A pair across topics counts in both of them.

    With the pairs across topics, the contributions of the four topics are -76, 79, 30 and 65, divided by 343: by hand,
    with the formula of `measure_contributions`.
    """
    topics = np.array([[0, 0], [0, 0], [1, 1], [2, 2], [0, 3], [1, 3], [3, 2]])
    labels = np.array([1, 1, 1, 1, 1, 1, 1])
    weak = make_split(PAIRS, np.array([1.0, 1, 0, 1, 1, 0, 0]), labels, topics, 4, 0.5)
    strong = make_split(PAIRS, np.array([1.0, 0, 1, 1, 1, 1, 1]), labels, topics, 4, 0.5)
    computed = compare_scored(weak, strong, list_named("accuracy"), 9, 0)["accuracy"]
    assert (computed.first_value, computed.value, computed.difference) == (0.571429, 0.857143, 0.285714)
    assert (computed.won, computed.tied, computed.lost) == (3, 0, 1)
    parts = [measure_contributions(split)["accuracy"] for split in (weak, strong)]
    assert (parts[1] - parts[0]).tolist() == pytest.approx([-76 / 343, 79 / 343, 30 / 343, 65 / 343], abs=1e-8)
    weak, strong = (make_split(PAIRS, split.scores[:4], labels[:4], topics[:4], 3, 0.5) for split in (weak, strong))
    within = compare_scored(weak, strong, list_named("accuracy"), 9, 0)["accuracy"]
    assert (within.difference, within.won, within.tied, within.lost) == (0, 1, 1, 1)


@pytest.mark.parametrize(("is_higher_better", "counts"), [(True, (2, 3, 1)), (False, (1, 3, 2))])
def test_topics_that_are_equal_to_six_decimals_are_tied(is_higher_better: bool, counts: tuple[int, ...]) -> None:
    """Contributions have nine decimals, of which the last ones are noise."""
    metric = replace(list_named("accuracy")[0], higher_is_better=is_higher_better)
    parts = np.array([0.0, 4e-7, -4e-7, 6e-7, -6e-7, 0.1])
    first, second = (
        MeasuredModel("m", MODEL, {"accuracy": 1.0}, {"accuracy": values}, lambda: {"accuracy": np.ones(1)})
        for values in (np.zeros(6), parts)
    )
    computed = compare_pair(first, second, metric)
    assert (computed.won, computed.tied, computed.lost) == counts


def test_curves_may_be_left_out() -> None:
    scored = make_split(PAIRS, np.array([1.0, 0.0]), np.array([1, 0]), np.array([[0, 0], [0, 0]]), 1, 0.5)
    names = {"f1", "precision", "recall", "accuracy", "mcc", "kappa"}
    weights = np.ones((1, 1))
    assert (
        make_measure(scored)(weights).keys()
        == measure_topics(scored).keys()
        == names | {"average_precision", "roc_auc"}
    )
    assert make_measure(scored, with_curves=False)(weights).keys() == names
    assert measure_topics(scored, with_curves=False).keys() == names


def test_holm() -> None:
    """By hand: 0.01 x 4, then 0.02 x 3, 0.03 x 2 and 0.04 x 1, none below the one before."""
    assert correct_holm([0.04, 0.01, 0.03, 0.02]) == [0.06, 0.04, 0.06, 0.06]
    assert correct_holm([0.5, 0.9]) == [1.0, 1.0]
    assert correct_holm([0.6, 0.9]) == [1.0, 1.0]
    assert correct_holm([3e-9, 2e-5]) == [6e-9, 2e-5]  # six decimals made them 0, less than before correction
    assert correct_holm([]) == []


def list_named(*names: str) -> list[Metric]:
    """Rows of the table of metrics."""
    return [metric for metric in METRICS if metric.name in names]


def make_questions(right: list[list[bool]]) -> ScoredSplit:
    """Questions with two options, by topic whether each is answered."""
    flat = [(topic, answered) for topic, answers in enumerate(right) for answered in answers]
    scores = np.array([[1.0, 0.0] if answered else [0.0, 1.0] for _, answered in flat])
    topics = np.array([[topic, topic] for topic, _ in flat])
    return make_split(QUESTIONS, scores, np.zeros(len(flat), dtype=int), topics, len(right))


def test_a_model_compared_with_itself() -> None:
    scored = make_questions([[True, False], [True], [False]])
    computed = compare_scored(scored, scored, list_named("success_rate"), 200, 0)["success_rate"]
    assert computed == ("first", "second", 0.5, 0.5, 0.0, (0.0, 0.0), 1.0, 0, 3, 0, 1.0)


def test_few_topics_give_no_significance() -> None:
    """Regression test: with one topic, all resamples are equal, and every difference had the smallest p-value."""
    weak, strong = make_questions([[False] * 50] * 4), make_questions([[True] * 50] * 4)
    assert compare_scored(weak, strong, list_named("mrr"), 100, 0)["mrr"].p_value == 1.0


def sum_topics(first: ScoredSplit, other: ScoredSplit) -> npt.NDArray[np.float64]:
    """By how many answers another model is better on each topic."""
    gains = rate_success(other.scores, other.targets) - rate_success(first.scores, first.targets)
    return np.bincount(first.topics[:, 0], gains)


def test_a_clear_difference_is_found() -> None:
    random = np.random.default_rng(3)
    weak = make_questions([list(random.random(30) < 0.4) for _ in range(20)])
    strong = make_questions([list(random.random(30) < 0.7) for _ in range(20)])
    computed = compare_scored(weak, strong, list_named("success_rate", "mrr"), 1000, 0)["success_rate"]
    assert 0.2 < computed.difference < 0.4
    assert computed.interval[0] > 0.1
    assert computed.p_value == pytest.approx(flip_all(sum_topics(weak, strong)), rel=0.01)
    assert computed.p_value < 1e-4  # of 1,000 resamples none could be below 1 / 1001
    assert computed.won > 15
    back = compare_scored(strong, weak, list_named("success_rate"), 1000, 0)["success_rate"]
    assert (back.difference, back.won, back.lost) == (-computed.difference, computed.lost, computed.won)


def test_p_values_are_those_of_chance_where_there_is_only_chance() -> None:
    """Few differences between models that differ only by chance are significant."""
    random = np.random.default_rng(11)
    called = 0
    for _ in range(100):
        one, two = (make_questions([list(random.random(10) < 0.5) for _ in range(20)]) for _ in range(2))
        called += compare_scored(one, two, list_named("success_rate"), 500, 0)["success_rate"].p_value < 0.05
    assert 0 < called < 15


def compare_gains(gains: list[list[float]], topics: list[int] | None = None) -> float:
    """P-value of a model that answers some questions of each topic, against one that answers none."""
    right = [[gain > 0 for gain in answers] for answers in gains]
    weak = make_questions([[False] * len(answers) for answers in right])
    strong = make_questions(right)
    if topics is not None:
        named = np.repeat(np.array(topics), [len(answers) for answers in right])
        spread = np.stack([named, named], axis=1)
        weak, strong = (replace(scored, topics=spread, topic_count=99) for scored in (weak, strong))
    return compare_scored(weak, strong, list_named("success_rate"), 5, 0)["success_rate"].p_value


@pytest.mark.parametrize(
    ("gains", "p_value"),
    [
        ([[1, 1]], 1.0),  # one topic
        ([[1]] * 4, 1.0),  # fewer than MIN_TOPICS
        ([[1]] * 5, 0.0625),  # MIN_TOPICS: 2 of 2^5
        ([[1]] * 8, 0.0078125),  # 2 of 2^8
        ([[1]] * 5 + [[0]] * 20, 0.0625),  # topics on which both are equal add nothing, however many
        ([[0]] * 6, 1.0),  # equal everywhere
        ([[1, 0, 0], [1, 1, 0], [1], [0], [1], [1]], 0.0625),  # all of five topics, however large each is
    ],
)
def test_p_values_of_clear_wins(gains: list[list[float]], p_value: float) -> None:
    """P-values were tested through leaderboards alone. By hand: 2 / 2^n for n topics that all agree."""
    assert compare_gains(gains) == pytest.approx(p_value, abs=1e-12)


def test_topics_without_rows_do_not_count() -> None:
    """Topics without rows in the test are not evidence: of 99 topic names, five have rows."""
    assert compare_gains([[1]] * 5, [3, 4, 50, 51, 98]) == pytest.approx(0.0625, abs=1e-12)


def test_no_rows() -> None:
    """Six topics without rows give no evidence."""
    empty = make_split(PAIRS, np.zeros(0), np.zeros(0, dtype=int), np.zeros((0, 2), dtype=int), 6, 0.5)
    assert measure_contributions(empty)["f1"].shape == (0,)
    computed = compare_scored(empty, empty, list_named("f1", "average_precision"), 5, 0)
    assert {(row.difference, row.p_value, row.won) for row in computed.values()} == {(0.0, 1.0, 0)}


def test_contributions_to_a_mean_are_sums_of_topics() -> None:
    """Ties, and topics of 1 to 40 questions: the test is that of swapping the answers of a topic, exactly."""
    random = np.random.RandomState(4)
    topics = np.repeat(np.arange(9), [1, 2, 3, 5, 8, 13, 21, 30, 40])
    scored = make_split(
        QUESTIONS, random.randint(3, size=(123, 4)) / 4, np.zeros(123, dtype=int), np.stack([topics] * 2, 1), 9
    )
    computed = measure_contributions(scored)
    for name, rate in (("success_rate", rate_success), ("mrr", rate_reciprocal_rank)):
        assert computed[name] == pytest.approx(np.bincount(topics, rate(scored.scores, scored.targets)) / 123, abs=2e-9)
    other = replace(scored, scores=random.randint(3, size=(123, 4)) / 4)
    by_hand = flip_all(sum_topics(scored, other))
    result = compare_scored(scored, other, list_named("success_rate"), 5, 0)["success_rate"]
    assert by_hand <= result.p_value <= by_hand * 1.02
    assert 0.01 < by_hand < 0.99


@pytest.mark.parametrize("name", ["f1", "average_precision", "accuracy", "max_f1", "pearson"])
def test_contributions_of_pairs_sum_to_the_metric(name: str) -> None:
    """So the sum of the differences that are flipped is the difference of the models, pairs across topics or not."""
    random = np.random.RandomState(5)
    scores, topics = random.randn(4000).round(2), np.sort(random.randint(12, size=(4000, 2)), axis=1)
    kind = GRADED_PAIRS if name in ("max_f1", "pearson") else PAIRS
    targets = np.clip(np.rint(scores + random.randn(4000)), 0, 5 if kind == GRADED_PAIRS else 1).astype(int)
    scored = make_split(kind, scores, targets, topics, 12, None if kind == GRADED_PAIRS else 0.4)
    computed = measure_contributions(scored)[name]
    whole = make_measure(scored)(np.ones((1, 12)))[name][0]
    assert computed.sum() == pytest.approx(whole, abs=1e-7)


def test_many_topics_are_merged() -> None:
    """A topic per pair would take a table of topics times topics."""
    count = 1000
    topics = np.repeat(np.arange(count)[:, None], 2, axis=1)
    scored = make_split(PAIRS, np.arange(count) / count, np.arange(count) % 2, topics, count, 0.5)
    computed = measure_contributions(scored)["accuracy"]
    assert computed.shape == (256,)
    assert computed.sum() == pytest.approx(0.5)
    assert computed[0] == pytest.approx(2 / count)  # of rows 0 to 3, which score below the threshold, two are negative


def test_equal_models_in_other_scales_are_equal() -> None:
    """Half the scores give the same order: a difference of 1e-17 in a sum must not become a p-value below 1."""
    random = np.random.RandomState(6)
    one = make_split(
        PAIRS, random.randn(900).round(3), random.randint(2, size=900), random.randint(8, size=(900, 2)), 8, 0.2
    )
    other = replace(one, scores=one.scores / 2, threshold=0.1)
    assert {
        row.p_value for row in compare_scored(one, other, list_named("f1", "average_precision"), 5, 0).values()
    } == {1.0}


def test_the_share_of_a_topic_is_that_of_the_rows_a_metric_averages() -> None:
    """Means over rows count every row; F counts paraphrases, which are the grades 4 and 5."""
    topics = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    scored = make_split(PAIRS, RoundedScores(np.linspace(0, 1, 5)), np.array([0, 1, 1, 0, 1]), topics, 2, 0.5)
    assert _find_shares(scored, ["accuracy"])["accuracy"].tolist() == [0.5, 0.5]
    assert _find_shares(scored, ["f1"])["f1"].tolist() == [0.5, 0.5]
    uneven = replace(scored, targets=np.array([1, 1, 0, 0, 1]))
    assert _find_shares(uneven, ["accuracy"])["accuracy"].tolist() == [0.5, 0.5]
    assert _find_shares(uneven, ["f1"])["f1"].tolist() == pytest.approx([2 / 3, 1 / 3])
    graded = replace(scored, targets=np.array([5, 4, 3, 1, 4]), kind=GRADED_PAIRS, threshold=None)
    assert _find_shares(graded, ["pearson"])["pearson"].tolist() == [0.5, 0.5]
    assert _find_shares(graded, ["max_f1"])["max_f1"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert _find_shares(replace(uneven, targets=np.zeros(5, np.int64)), ["f1"])["f1"].tolist() == [0.5, 0.5]


def test_contributions_have_nine_decimals() -> None:
    """Further digits are noise of the numerical derivative, and equal models must tie."""
    random = np.random.RandomState(5)
    scores, topics = random.randn(300).round(2), np.sort(random.randint(7, size=(300, 2)), axis=1)
    scored = make_split(PAIRS, RoundedScores(scores), (scores + random.randn(300) > 0).astype(int), topics, 7, 0.1)
    contributions = measure_contributions(scored)["f1"]
    assert np.round(contributions, 9).tolist() == contributions.tolist()
    assert np.round(contributions, 8).tolist() != contributions.tolist()


def test_slopes_are_accurate_to_nine_decimals() -> None:
    """With the weights v and w, F is v / (v + w): the first topic has the only paraphrase that is found, of three."""
    topics = np.array([[0, 0], [1, 1], [1, 1]])
    scored = make_split(PAIRS, RoundedScores(np.array([1.0, 0.0, 0.0])), np.array([1, 1, 1]), topics, 2, 0.5)
    exact = [1 / 4 + 1 / 2 * 1 / 3, -1 / 4 + 1 / 2 * 2 / 3]
    assert measure_contributions(scored)["f1"].tolist() == np.round(exact, 9).tolist()


def test_paraphrases_and_matched_texts_are_positive() -> None:
    topics = [[0, 0]] * 3
    matches = make_split(MATCHES, [[0.5, 0.25]] * 3, [-1, 0, 1], topics, 1, 0.5)
    assert find_positives(matches).tolist() == [False, True, True]
    assert find_positives(make_split(GRADED_PAIRS, [0.5] * 3, [2, 3, 4], topics, 1)).tolist() == [False, False, True]
    assert find_positives(make_split(PAIRS, [0.5] * 3, [1, 0, 1], topics, 1, 0.5)).tolist() == [True, False, True]


def test_the_bootstrap_of_reports_has_the_defaults_of_the_commands() -> None:
    """`--resamples` and `--seed`, as docs/statistics.md has them."""
    assert (RESAMPLES, SEED) == (1000, 0)
