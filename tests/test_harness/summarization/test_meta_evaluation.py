"""Meta-evaluation of metrics of summaries: blocks, correlations, tests of differences."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.summhay import write_summhay
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from harness.stats.correlation import Williams, compare_correlations
from harness.summarization.meta_evaluation import correlations, resampling
from harness.summarization.meta_evaluation.correlations import (
    COEFFICIENTS,
    average_topics,
    correlate_rows,
    correlate_summaries,
    correlate_systems,
)
from harness.summarization.meta_evaluation.evaluation import CorrelationDifference, evaluate_metrics
from harness.summarization.meta_evaluation.formats import parse_scores
from harness.summarization.meta_evaluation.inputs import read_score_files
from harness.summarization.meta_evaluation.resampling import (
    CorrelationSettings,
    can_resample,
    find_bootstrap_p,
    find_interval_around,
    swap_systems,
)
from harness.summarization.meta_evaluation.scores import MeasureScores, align_scores
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.sources import SourceFile

Floats = npt.NDArray[np.float64]
TIED = arrays(np.float64, (4, 6), elements=st.integers(0, 4).map(float))


def make_scores(name: str, table: list[list[float | None]], systems: str = "12345678") -> MeasureScores:
    """Make the scores of a measure from a table with a row per topic. None is a missing score."""
    values = {
        (f"D{topic}", system): value
        for topic, row in enumerate(table)
        for system, value in zip(systems, row, strict=False)
        if value is not None
    }
    return MeasureScores(name, f"{name}.tsv", values)


def test_coefficients_by_hand() -> None:
    """1 2 3 4 and 1 3 2 4: r = rho = 4 / 5, and five pairs of six agree: (5 - 1) / 6; turned around, minus that.

    With a tie, 1 1 2 3 and 1 2 3 4: rho is r of the ranks 1.5 1.5 3 4 and 1 2 3 4, 4.5 / sqrt(4.5 * 5); five pairs
    agree and one is tied: 5 / sqrt(5 * 6).
    """
    x = np.array([[1.0, 2, 3, 4], [4, 3, 2, 1], [1, 1, 2, 3], [1, 1, 1, 1]])
    y = np.array([[1.0, 3, 2, 4], [1, 3, 2, 4], [1, 2, 3, 4], [1, 2, 3, 4]])
    correlations = correlate_rows(x, y)
    assert correlations["pearson"][:2] == pytest.approx([0.8, -0.8])
    assert correlations["spearman"][:3] == pytest.approx([0.8, -0.8, math.sqrt(0.9)])
    assert correlations["kendall"][:3] == pytest.approx([2 / 3, -2 / 3, 5 / math.sqrt(30)])
    assert all(np.isnan(correlations[name][3]) for name in COEFFICIENTS)


def test_agreement_is_1_at_most() -> None:
    """sqrt(3) * sqrt(3) is 2.9999999999999996 in floating point, and 3 divided by it exceeds 1."""
    x = np.array([[1.0, 2, 3], [3, 2, 1]])
    assert correlate_rows(x, x[[0, 0]])["kendall"].tolist() == [1.0, -1.0]


@given(TIED, TIED)
def test_coefficients_are_those_of_scipy(x: Floats, y: Floats) -> None:
    correlations = correlate_rows(x, y)
    for row, (one, other) in enumerate(zip(x, y, strict=True)):
        if len(set(one)) == 1 or len(set(other)) == 1:
            assert all(np.isnan(correlations[name][row]) for name in COEFFICIENTS)
            continue
        for name, function in (
            ("pearson", stats.pearsonr),
            ("spearman", stats.spearmanr),
            ("kendall", stats.kendalltau),
        ):
            assert correlations[name][row] == pytest.approx(function(one, other).statistic, abs=1e-12)


def test_many_systems_agree_as_few_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting gives the same values as all pairs, with ties and constant rows. Pairs of 1,000 systems took 30 s."""
    x, y = np.random.RandomState(4).randint(6, size=(2, 5, 300)).astype(float)
    x[4] = 1
    taus = correlate_rows(x, y)["kendall"]
    monkeypatch.setattr(correlations, "_MOST_PAIRED", 300)
    assert taus == pytest.approx(correlate_rows(x, y)["kendall"], abs=1e-12, nan_ok=True)
    assert np.isnan(taus).tolist() == [False] * 4 + [True]


def test_sums_over_topics_are_exact() -> None:
    """The mean of 0 and a millionth is half a millionth, which is rounded to the even 0."""
    assert average_topics(np.array([[0.0], [1e-6]]), np.ones((1, 2))).tolist() == [[0.0]]


def test_a_difference_of_nothing_has_no_sign() -> None:
    none = CorrelationDifference("j", "a", "b", "system", "pearson", 4, 2, (0.5, 0.5 + 1e-9, 1.0)).difference
    assert none == 0
    assert math.copysign(1, none) == 1


@given(TIED, TIED, st.integers(0, 3))
def test_weights_are_repetitions_of_topics(x: Floats, y: Floats, again: int) -> None:
    weights = np.ones((1, 4))
    weights[0, again] += 2
    repeated = [np.concatenate([values, values[[again, again]]]) for values in (x, y)]
    for correlate in (correlate_systems, correlate_summaries):
        weighted, plain = correlate(x, y, weights), correlate(*repeated, np.ones((1, 6)))
        for name in COEFFICIENTS:
            assert weighted[name] == pytest.approx(plain[name], abs=1e-12, nan_ok=True)


def test_ties_of_means_depend_on_no_order() -> None:
    """0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in its last bit, but the systems are tied."""
    values = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    means = average_topics(values, np.ones((1, 3)))
    assert means.tolist() == [[0.2, 0.2]]


def test_the_levels_differ() -> None:
    """On one of two topics r = 1, on the other r = -1. The average is 0, but the means of systems agree."""
    metric = np.array([[1.0, 2, 3], [0.3, 0.2, 0.1]])
    judgement = np.array([[1.0, 2, 3], [1.1, 1.2, 1.3]])
    whole = np.ones((1, 2))
    assert correlate_summaries(metric, judgement, whole)["pearson"][0] == pytest.approx(0)
    assert correlate_systems(metric, judgement, whole)["pearson"][0] == pytest.approx(1)


def test_a_block_is_complete() -> None:
    """System 3 has one of three topics and is left out, then topic D1 without system 2. One measure has system 4."""
    one = make_scores("a", [[1, 2, 3, 9], [1, None, None, 9], [1, 2, None, 9]])
    other = make_scores("b", [[5, 6, 7], [5, 6, 7], [5, 6, 7], [5, 6, 7]])
    block = align_scores([one, other])
    assert (block.systems, block.topics) == (("1", "2"), ("D0", "D2"))
    assert block.values.tolist() == [[[1, 2], [1, 2]], [[5, 6], [5, 6]]]
    assert block.left_out == {
        "lacking_systems": ("4",),
        "sparse_systems": ("3",),
        "lacking_topics": ("D3",),
        "incomplete_topics": ("D1",),
    }


def test_who_counts() -> None:
    one = make_scores("a", [[1, 2, 3, 4]], "1M0b")
    assert align_scores([one]).systems == ("0", "1")
    assert align_scores([one], "human").systems == ("M", "b")
    assert align_scores([one], "all").systems == ("M", "b", "0", "1")
    named = MeasureScores("a", "a.tsv", {("D1", "my-system"): 1.0})
    assert align_scores([named]).systems == ("my-system",)


def test_williams() -> None:
    """Steiger (1980), case A: t = -0.89 and p = 0.37, as the package psych for R documents it.

    With 5 systems, K = 0.0515 and t = 0.1 sqrt(4 * 1.85) / sqrt(0.206 + 0.7225 * 0.003375) = 0.595836; the two-sided
    p for 2 degrees of freedom is 1 - t / sqrt(2 + t^2) = 0.611734. With 4 systems, the fewest, t = 0.1 sqrt(3 * 1.85) /
    sqrt(0.309 + 0.7225 * 0.003375) = 0.422144, and the two-sided p for 1 degree is 1 - 2 atan(t) / pi = 0.745703.
    """
    assert compare_correlations(0.4, 0.5, 0.1, 103) == Williams(-0.89128, 0.374919)
    assert compare_correlations(0.9, 0.8, 0.85, 5) == Williams(0.595836, 0.611734)
    assert compare_correlations(0.9, 0.8, 0.85, 4) == Williams(0.422144, 0.745703)


def test_the_statistic_of_nearly_equal_correlations_has_no_sign() -> None:
    assert str(compare_correlations(0.5, 0.5 + 1e-9, 0.1, 9).t) == "0.0"


@given(arrays(np.float64, (3, 9), elements=st.integers(-50, 50).map(float)))
def test_williams_turns_with_its_metrics(table: Floats) -> None:
    """Exchanging the metrics changes only the sign. So does negating the judgement."""
    if any(len(set(row)) == 1 for row in table):
        return
    first, second, between = (stats.pearsonr(table[i], table[j]).statistic for i, j in ((0, 2), (1, 2), (0, 1)))
    straight, swapped = compare_correlations(first, second, between, 9), compare_correlations(second, first, between, 9)
    turned = compare_correlations(-first, -second, between, 9)
    if straight.t is None:
        assert (swapped.t, turned.t) == (None, None)
        return
    assert swapped.t == turned.t == pytest.approx(-straight.t)
    assert straight.p_value == swapped.p_value == turned.p_value
    assert 0 <= (straight.p_value or 0) <= 1
    assert compare_correlations(first, first, between, 9).t == 0


def test_where_williams_is_not_defined() -> None:
    """Metrics that correlate by 1 give 0 / 0. With r = 1 and r = 0.5, t = 0.5 sqrt(12 / 0.0703125)."""
    assert compare_correlations(0.9, 0.8, 0.85, 3).reason == "fewer than 4 systems"
    assert compare_correlations(0.9, 0.9, 1.0, 9).reason == "the metrics correlate with each other by 1"
    assert compare_correlations(0.9, -0.9, -1.0, 9).reason == "the metrics correlate with each other by -1"
    assert compare_correlations(0.5, -0.5, 0.5, 9).reason == "the correlations leave no room for chance"
    # The judgement is the difference of the metrics. A rounding error of the spread gave t = 63470019 and p = 1e-45.
    assert compare_correlations(0.1, -0.1, 0.98, 9).reason == "the correlations leave no room for chance"
    assert compare_correlations(1.0, 0.5, 0.5, 9).t == 6.531973


def test_metrics_of_which_one_is_the_judgement() -> None:
    """Metric "same" correlates by 1 in every resample, so the difference depends on metric "noise" alone."""
    chance = np.random.RandomState(3).randint(1, 6, size=(8, 6)).astype(float)
    judgement = make_scores("people", chance.tolist())
    same, noise = make_scores("same", (2 * chance).tolist()), make_scores("noise", chance[:, ::-1].tolist())
    evaluation = evaluate_metrics([same, noise], [judgement], CorrelationSettings(resamples=200, drawn="topics"))
    first, second = evaluation.correlations[:2]
    assert first.values == {"pearson": 1.0, "spearman": 1.0, "kendall": 1.0}
    assert first.intervals["kendall"] == (1.0, 1.0)
    means = chance.mean(axis=0)
    assert second.values["pearson"] == pytest.approx(stats.pearsonr(means, means[::-1]).statistic, abs=1e-6)
    difference = evaluation.differences[0]
    assert (difference.level, difference.coefficient) == ("system", "pearson")
    assert difference.values == (1.0, second.values["pearson"], second.values["pearson"])
    assert difference.difference == pytest.approx(1 - second.values["pearson"], abs=1e-6)
    assert difference.interval is not None
    assert difference.interval[0] > 0
    drawn = [chance[rows].mean(axis=0) for rows in np.random.RandomState(0).randint(8, size=(200, 8))]
    apart = np.array([1 - stats.pearsonr(means_of_draw, means_of_draw[::-1]).statistic for means_of_draw in drawn])
    extreme = (np.abs(apart - apart.mean()) >= 1 - second.values["pearson"] - 1e-6).sum()
    assert difference.bootstrap_p == difference.bootstrap_holm == pytest.approx((1 + extreme) / 201, abs=1e-6)


def test_p_values_are_corrected_by_test() -> None:
    """Three differences of two metrics each: Holm multiplies the smallest p-value by 3."""
    chance = np.random.RandomState(5).rand(7, 3, 6).round(3)
    metrics = [make_scores(f"m{number}", (chance[number % 7] * 1.0).tolist()) for number in range(3)]
    evaluation = evaluate_metrics(
        metrics, [make_scores("people", chance[4].tolist())], CorrelationSettings(("system",))
    )
    tested = [difference for difference in evaluation.differences if difference.has_williams]
    assert len(tested) == 3
    williams = sorted((difference.williams.p_value, difference.williams_holm) for difference in tested)
    assert williams[0][1] == pytest.approx(min(1, 3 * (williams[0][0] or 0)), abs=1e-6)
    # Three topics are too few for the bootstrap.
    assert {difference.bootstrap_p for difference in evaluation.differences} == {None}
    assert {bool(correlation.intervals) for correlation in evaluation.correlations} == {False}


def test_the_bootstrap_draws_topics() -> None:
    """Topics are drawn here from the same random stream. The correlations of their means are centred on the value."""
    chance = np.random.RandomState(11).rand(2, 6, 5).round(4)
    metric, judgement = (make_scores(name, table.tolist()) for name, table in zip("mj", chance, strict=True))
    evaluation = evaluate_metrics(
        [metric], [judgement], CorrelationSettings(("system",), resamples=50, seed=4, drawn="topics")
    )
    drawn = np.random.RandomState(4).randint(6, size=(50, 6))
    expected = [stats.kendalltau(*np.round(chance[:, rows].mean(axis=1), 6)).statistic for rows in drawn]
    value = stats.kendalltau(*np.round(chance.mean(axis=1), 6)).statistic
    ends = np.quantile(expected, (0.025, 0.975)) - np.mean(expected) + value
    assert evaluation.correlations[0].intervals["kendall"] == pytest.approx(tuple(ends), abs=1e-6)


def test_the_bootstrap_of_a_difference() -> None:
    """One metric nearly ranks as people do, the other the other way around. No two correlations differ by more than 2.

    Topics are drawn here from the same random stream.
    """
    people = np.random.RandomState(7).rand(6, 5).round(3)
    noise = np.random.RandomState(107).rand(2, 6, 5).round(3)
    tables = np.stack([people + noise[0] / 2, noise[1] / 2 - people, people]).round(6)
    first, second, judgement = (make_scores(name, table.tolist()) for name, table in zip("abj", tables, strict=True))
    settings = CorrelationSettings(("system",), resamples=50, seed=4, drawn="topics")
    difference = evaluate_metrics([first, second], [judgement], settings).differences[0]

    def subtract(rows: npt.NDArray[np.int64]) -> float:
        one, other, gold = tables[:, rows].mean(axis=1)
        return float(stats.pearsonr(one, gold).statistic - stats.pearsonr(other, gold).statistic)

    value = subtract(np.arange(6))
    drawn = np.array([subtract(rows) for rows in np.random.RandomState(4).randint(6, size=(50, 6))])
    lower, upper = np.quantile(drawn, (0.025, 0.975)) - drawn.mean() + value
    assert upper > 2
    assert difference.interval == (pytest.approx(lower, abs=2e-6), 2.0)


def test_what_can_be_drawn() -> None:
    """Five topics and five systems, each only if they are drawn."""
    five, four = (align_scores([make_scores("a", [[*range(count)]])]) for count in (5, 4))
    assert can_resample(five, 5, CorrelationSettings())
    assert not can_resample(five, 4, CorrelationSettings())
    assert not can_resample(four, 5, CorrelationSettings())
    assert can_resample(five, 4, CorrelationSettings(drawn="systems"))
    assert can_resample(four, 5, CorrelationSettings(drawn="topics"))


def test_a_p_value_counts_what_is_as_far_from_the_mean() -> None:
    """The mean is 0.5. Of four, four are at least 0.1 from it, two are at least 0.2, and none 0.3."""
    drawn = np.array([0.3, 0.4, 0.6, 0.7])
    assert [find_bootstrap_p(value, drawn) for value in (0.1, -0.2, 0.3)] == [1.0, 0.6, 0.2]


def test_an_interval_is_centred_and_cut() -> None:
    """Of 0, 1 ... 40 the middle 95 % is from 1 to 39, and the mean is 20: 0.19 on both sides of the value."""
    drawn = np.arange(41.0) / 100
    assert find_interval_around(0.5, drawn) == (0.31, 0.69)
    assert find_interval_around(0.9, drawn) == (0.71, 1.0)
    assert find_interval_around(-0.9, drawn) == (-1.0, -0.71)
    assert find_interval_around(1.9, drawn, widest=2.0) == (1.71, 2.0)


def test_zero_has_no_sign() -> None:
    """Pearson's r of these means is -7e-17 in floating point."""
    assert str(find_interval_around(-1e-9, np.zeros(3))) == "(0.0, 0.0)"
    metric, people = make_scores("metric", [[0.1, 0.2, 0.3, 0.4]]), make_scores("people", [[0.1, 0.3, 0.3, 0.1]])
    assert str(evaluate_metrics([metric], [people]).correlations[0].values["pearson"]) == "0.0"


def test_intervals_contain_their_values() -> None:
    """Resampling adds noise to means: plain percentiles ended at 0.984 for a value of 0.987."""
    stream = np.random.RandomState(10)
    quality = np.arange(8.0) / 2
    metric, people = (make_scores(name, (quality + stream.randn(6, 8)).tolist()) for name in ("metric", "people"))
    (found,) = evaluate_metrics([metric], [people], CorrelationSettings(("system",), drawn="topics")).correlations
    drawn = np.random.RandomState(0).randint(6, size=(1000, 6))
    table = np.array(
        [[[measure.values[f"D{row}", str(n)] for n in range(1, 9)] for row in range(6)] for measure in (metric, people)]
    )
    blurred = [stats.pearsonr(*table[:, rows].mean(axis=1)).statistic for rows in drawn]
    assert np.quantile(blurred, 0.975) < found.values["pearson"]
    assert found.intervals["pearson"][0] < found.values["pearson"] < found.intervals["pearson"][1]


def test_resamples_may_be_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million resamples of few topics took a gigabyte. Computed one at a time, the values are the same."""
    table = np.random.RandomState(1).rand(6, 5).round(3)
    metrics = [make_scores("m", table.tolist()), make_scores("n", table[:, ::-1].tolist())]
    judgement = make_scores("j", (table**2).round(3).tolist())
    whole = evaluate_metrics(metrics, [judgement], CorrelationSettings(resamples=50))
    monkeypatch.setattr(resampling, "_CELLS_AT_ONCE", 1)
    assert evaluate_metrics(metrics, [judgement], CorrelationSettings(resamples=50)) == whole


def test_constant_sides() -> None:
    """Topic D0 has equal judgements. It is part of the system level, but not of the summary level."""
    metric = make_scores("metric", [[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    judgement = make_scores("people", [[4, 4, 4], [1, 2, 3], [1, 2, 3]])
    system, summary = evaluate_metrics([metric], [judgement]).correlations
    assert (len(system.topics), system.constant_topics) == (3, ())
    assert (summary.topics, summary.constant_topics) == (("D1", "D2"), ("D0",))
    assert summary.values["pearson"] == 0.75
    flat = make_scores("flat", [[4, 4, 4]] * 3)
    evaluation = evaluate_metrics([flat, metric], [judgement])
    assert {correlation.reason for correlation in evaluation.correlations if correlation.metric == "flat"} == {
        "all systems have equal scores or equal judgements, to 6 decimals"
    }
    assert (
        evaluation.differences[0].reason
        == "all systems have equal scores by one metric or equal judgements, to 6 decimals"
    )


def test_equal_scores_take_two_systems() -> None:
    """A single system has the same score as all systems, which says nothing about the topic."""
    for count, constant_topics in ((1, ()), (2, ("D0",))):
        metric = make_scores("metric", [[1, 1][:count], [1, 2][:count]])
        people = make_scores("people", [[1, 2][:count], [1, 2][:count]])
        _, summary = evaluate_metrics([metric], [people]).correlations
        assert (len(summary.systems), summary.constant_topics) == (count, constant_topics)


def test_resamples_without_a_correlation_are_counted() -> None:
    """Systems differ only on topic D0, and some of the resamples do not contain it."""
    table: list[list[float | None]] = [[1, 2, 3], *([[1, 1, 1]] * 4)]
    evaluation = evaluate_metrics(
        [make_scores("m", table)], [make_scores("j", table)], CorrelationSettings(("system",), drawn="topics")
    )
    drawn = np.random.RandomState(0).randint(5, size=(1000, 5))
    assert evaluation.correlations[0].undefined_resamples == (drawn != 0).all(axis=1).sum() > 0
    assert evaluation.correlations[0].intervals["pearson"] == (1.0, 1.0)
    first = next(seed for seed in range(9) if (np.random.RandomState(seed).randint(5, size=5) != 0).all())
    metrics = [make_scores(name, table) for name in "mn"]
    once = evaluate_metrics(
        metrics, [make_scores("j", table)], CorrelationSettings(("system",), seed=first, resamples=1, drawn="topics")
    )
    assert (once.correlations[0].undefined_resamples, once.correlations[0].intervals) == (1, {})
    assert once.differences[0].bootstrap_p is None


def test_too_little() -> None:
    two = make_scores("two", [[1, 2], [1, 2]])
    other = make_scores("other", [[1, 3], [1, 2]])
    evaluation = evaluate_metrics([two, other], [make_scores("people", [[1, 2], [1, 2]])])
    assert {correlation.reason for correlation in evaluation.correlations} == {"fewer than 3 systems"}
    assert evaluation.differences[0].reason == "fewer than 3 systems"
    gaps = make_scores("gaps", [[1, None, 2], [None, 1, 2], [1, 2, None], [2, 1, None]])
    evaluation = evaluate_metrics([gaps], [make_scores("people", [[1, 2, 3]] * 4)])
    assert {correlation.reason for correlation in evaluation.correlations} == {
        "no topic has a summary by each of 3 systems. Fill in the missing scores"
    }
    apart = make_scores("apart", [[1, 2, 3]], "567")
    evaluation = evaluate_metrics([two, apart], [make_scores("people", [[1, 2], [1, 2]])])
    assert [correlation.reason for correlation in evaluation.correlations[:2]] == [
        "fewer than 3 systems",
        "no summary in common",
    ]


PEOPLE = {("D1", "A"): 1.0, ("D2", "B"): 2.0, ("D3", "C"): 3.0}


@pytest.mark.parametrize(
    ("scored", "judged", "systems", "message"),
    [
        # Each person wrote about a topic of their own. The message said "use the same topic and system names".
        (
            PEOPLE,
            PEOPLE,
            "human",
            "(--systems human): ... half of 3 topics (A, B, C have fewer) ... --means own-topics",
        ),
        (PEOPLE, PEOPLE, "automatic", "leaves out all ... (A, B, C), because a name of one letter ... --systems all"),
        (
            {("D1", "2"): 1.0, ("D1", "1"): 1.0},
            {("D1", "B"): 1.0, ("D1", "A"): 1.0},
            "all",
            "no system has both ... system 1 ... system A",
        ),
        ({("D1", "1"): 1.0}, {("d1", "1"): 1.0}, "all", "no topic has both ... topic D1 ... topic d1"),
        (
            {("D0", "0"): 1.0, ("D1", "1"): 1.0, ("D2", "2"): 1.0},
            {("D1", "2"): 1.0, ("D2", "1"): 1.0},
            "all",
            "no summary has both ... topic D1 and system 1 occur in both",
        ),
    ],
)
def test_why_nothing_can_be_compared(
    scored: dict[tuple[str, str], float], judged: dict[tuple[str, str], float], systems: str, message: str
) -> None:
    settings = CorrelationSettings(systems=systems, means="complete")
    with pytest.raises(ComparisonError, match=mentions(message)):
        evaluate_metrics([MeasureScores("m", "", scored)], [MeasureScores("j", "", judged)], settings)


def test_the_reason_for_a_single_metric_without_systems() -> None:
    """The other metric is compared. The reason for this one was "no summary in common"."""
    people = make_scores("people", [[1, 2, 3]] * 3)
    single = make_scores("single", [[1, None, None], [None, 2, None], [None, None, 3]])
    evaluation = evaluate_metrics([make_scores("all", [[1, 2, 3]] * 3), single], [people])
    reasons = {correlation.metric: correlation.reason for correlation in evaluation.correlations}
    assert reasons == {"all": "", "single": "no system has scores for at least half of 3 topics (1, 2, 3 have fewer)"}


@pytest.mark.parametrize("divider", ["\v", "\f", "\r", "\x1c", "\x85", "\u2028"])
def test_rows_end_at_line_feeds_only(divider: str) -> None:
    """A vertical tab in a line of NIST's table split the line into two rows, which caused a traceback."""
    rows = f"D1 1 0.5 1 0\nD1 2 0.5 1 0{divider}D1 3 0.5 1 0\n"
    with pytest.raises(InputError, match=mentions("t, line 2: ... programs ... 2007_modified_scores.txt")):
        parse_scores(SourceFile("t", rows.encode()))


@pytest.mark.parametrize("drawn", ["topics", "systems", "both"])
def test_drawn_units(drawn: str) -> None:
    """Resamples once drew only topics. Here, rows and columns are drawn from the same random streams."""
    chance = np.random.RandomState(8).rand(2, 6, 7).round(3)
    metric, judgement = (make_scores(name, table.tolist()) for name, table in zip("mj", chance, strict=True))
    evaluation = evaluate_metrics([metric], [judgement], CorrelationSettings(resamples=40, seed=4, drawn=drawn))
    topics = np.random.RandomState(4).randint(6, size=(40, 6))
    systems = np.random.RandomState([4, 1]).randint(7, size=(40, 7))
    if drawn == "topics":
        systems = np.tile(np.arange(7), (40, 1))
    if drawn == "systems":
        topics = np.tile(np.arange(6), (40, 1))
    tables = [chance[:, rows][:, :, columns] for rows, columns in zip(topics, systems, strict=True)]
    by_system = [stats.spearmanr(*table.mean(axis=1).round(6)).statistic for table in tables]
    by_summary = [np.mean([stats.kendalltau(*pair).statistic for pair in table.transpose(1, 0, 2)]) for table in tables]
    for level, name, expected in ((0, "spearman", by_system), (1, "kendall", by_summary)):
        correlation = evaluation.correlations[level]
        ends = np.quantile(expected, (0.025, 0.975)) - np.mean(expected) + correlation.values[name]
        assert correlation.intervals[name] == pytest.approx(tuple(np.clip(ends, -1, 1)), abs=2e-6)


def test_intervals_for_other_systems_are_wider() -> None:
    """With forty topics, the means of ten systems are precise, but other systems could agree better or worse."""
    stream = np.random.RandomState(2)
    quality, error = stream.randn(2, 10)
    metric = make_scores("m", (quality + error + stream.randn(40, 10)).tolist())
    people = make_scores("p", (quality + stream.randn(40, 10)).tolist())
    widths = {}
    for drawn in ("topics", "systems", "both"):
        settings = CorrelationSettings(("system",), resamples=200, drawn=drawn)
        lower, upper = evaluate_metrics([metric], [people], settings).correlations[0].intervals["pearson"]
        widths[drawn] = upper - lower
    assert widths["topics"] < widths["systems"] < widths["both"]


def test_few_systems_cannot_be_drawn() -> None:
    """Most resamples of four systems contain three or fewer systems, and two systems always lie on a line."""
    table = np.random.RandomState(3).rand(3, 8, 4).round(3)
    first, second, judgement = (make_scores(name, part.tolist()) for name, part in zip("abj", table, strict=True))
    evaluation = evaluate_metrics([first, second], [judgement], CorrelationSettings(resamples=9))
    assert {bool(correlation.intervals) for correlation in evaluation.correlations} == {False}
    assert {correlation.undefined_resamples for correlation in evaluation.correlations} == {0}
    assert {(difference.bootstrap_p, difference.permutation_p) for difference in evaluation.differences} == {
        (None, None)
    }
    evaluation = evaluate_metrics([first, second], [judgement], CorrelationSettings(resamples=9, drawn="topics"))
    assert {bool(correlation.intervals) for correlation in evaluation.correlations} == {True}
    few = evaluate_metrics([first, second], [judgement], CorrelationSettings(("system",), resamples=9, drawn="systems"))
    assert {difference.bootstrap_p for difference in few.differences} == {None}


def test_differences_of_each_coefficient_at_each_level() -> None:
    """Earlier, only Pearson's r at the system level was tested."""
    chance = np.random.RandomState(6).rand(3, 9, 8).round(3)
    first, second, judgement = (make_scores(name, part.tolist()) for name, part in zip("abj", chance, strict=True))
    evaluation = evaluate_metrics([first, second], [judgement], CorrelationSettings(resamples=99))
    kinds = [(level, name) for level in ("system", "summary") for name in COEFFICIENTS]
    assert [(difference.level, difference.coefficient) for difference in evaluation.differences] == kinds
    values = {
        (correlation.metric, correlation.level, name): correlation.values[name]
        for correlation in evaluation.correlations
        for name in COEFFICIENTS
    }
    for difference in evaluation.differences:
        expected = (
            values["a", difference.level, difference.coefficient]
            - values["b", difference.level, difference.coefficient]
        )
        assert difference.difference == pytest.approx(expected, abs=2e-6)
        assert difference.bootstrap_p == difference.bootstrap_holm  # one difference per level and coefficient
        assert 0 < (difference.permutation_p or 0) <= 1
        assert (
            (difference.williams.p_value is not None)
            == difference.has_williams
            == (difference == evaluation.differences[0])
        )


@pytest.mark.parametrize("level", ["system", "summary"])
def test_swapping_systems(level: str) -> None:
    """Expected values by scipy, one permutation at a time, on standardized scores, from the same random stream."""
    chance = np.random.RandomState(9).rand(3, 4, 6).round(3)
    rows = chance.mean(axis=1, keepdims=True) if level == "system" else chance
    x, y, gold = (rows - rows.mean(axis=2, keepdims=True)) / rows.std(axis=2, keepdims=True)

    def subtract(swapped: npt.NDArray[np.bool_]) -> float:
        one, other = np.where(swapped, y, x), np.where(swapped, x, y)
        taus = [[stats.kendalltau(*pair).statistic for pair in zip(side, gold, strict=True)] for side in (one, other)]
        return float(np.mean(taus[0]) - np.mean(taus[1]))

    swaps = np.random.RandomState([7, 2]).randint(2, size=(60, 6)) == 1
    observed = subtract(np.zeros(6, dtype=bool))
    extreme = sum(abs(subtract(swapped)) >= abs(observed) - 1e-9 for swapped in swaps)
    p_values = swap_systems(chance, level, 60, 7)
    assert p_values["kendall"] == pytest.approx((1 + extreme) / 61, abs=1e-6)
    copy = np.stack([chance[0], 3 * chance[0] + 1, chance[2]])  # the same metric in other units
    assert swap_systems(copy, level, 60, 7)["pearson"] == 1.0


def test_permutations_may_be_measured_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.RandomState(9).rand(3, 4, 6).round(3)
    whole = swap_systems(chance, "summary", 60, 7)
    for cells in (1, 7 * 24):
        monkeypatch.setattr(resampling, "_CELLS_AT_ONCE", cells)
        assert swap_systems(chance, "summary", 60, 7) == whole


def test_a_constant_metric_has_no_permutations() -> None:
    chance = np.random.RandomState(9).rand(3, 4, 6).round(3)
    chance[0] = 0.5
    assert swap_systems(chance, "summary", 60, 7) == {}


def test_judges_of_a_corpus_are_metrics_beside_people(tmp_path: Path) -> None:
    """The file of SummHay has the coverage of each summary by people and by models."""
    path = write_summhay(tmp_path / "summhay")
    (metrics,), (judgements,) = read_score_files([path]), read_score_files([path], are_judgements=True)
    assert [measure.name for measure in metrics.scores] == ["prompted_big"]
    coverage = next(measure for measure in judgements.scores if measure.name == "coverage")
    judge = metrics.scores[0].values
    assert (judge["summhay:harbour:s2", "two"], coverage.values["summhay:harbour:s2", "two"]) == (0.75, 0.75)
    assert judge.keys() == coverage.values.keys()
    assert len(judge) == 4
