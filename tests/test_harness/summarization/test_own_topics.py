"""Correlations of systems that lack some of the topics, such as people, who each wrote about a part of them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.commands import Capture, run, unwrap
from helpers.nist_tables import make_aesop, make_manual
from helpers.summary_scores import HUMANS, SYSTEMS
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from harness.summarization.meta_evaluation import correlations
from harness.summarization.meta_evaluation.correlations import (
    COEFFICIENTS,
    average_topics,
    correlate_rows,
    correlate_swapped,
    correlate_weighted,
)
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.resampling import CorrelationSettings, can_resample, swap_systems
from harness.summarization.meta_evaluation.scores import (
    MEANS,
    Block,
    MeasureScores,
    align_scores,
    choose_means,
)

Floats = npt.NDArray[np.float64]
TIED = arrays(np.float64, (5, 7), elements=st.integers(0, 4).map(float))
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
}


def make_scores(name: str, table: Floats, systems: Sequence[str] = "ABC12345") -> MeasureScores:
    """Make the scores of a measure from a table with a row per topic. NaN is a missing score."""
    values = {
        (f"D{topic}", system): float(value)
        for topic, row in enumerate(table)
        for system, value in zip(systems, row, strict=False)
        if not np.isnan(value)
    }
    return MeasureScores(name, f"{name}.tsv", values)


def make_gaps(seed: int, topics: int = 8, systems: int = 8) -> tuple[Floats, Floats, Floats]:
    """Make two metrics and judgements. The first three systems, which are people, lack half of the topics."""
    tables = np.random.RandomState(seed).rand(3, topics, systems).round(3)
    for person in range(3):
        tables[:, (np.arange(topics) + person) % 2 == 0, person] = np.nan
    first, second, judgement = tables
    return first, second, judgement


def correlate(first: Floats, second: Floats, name: str) -> float:
    """Correlate the values that are not missing, by scipy."""
    kept = ~np.isnan(first) & ~np.isnan(second)
    return float(FUNCTIONS[name](first[kept], second[kept]).statistic)


@given(TIED, TIED, arrays(np.bool_, (5, 7)))
def test_missing_values_do_not_count(x: Floats, y: Floats, missing: npt.NDArray[np.bool_]) -> None:
    x, y = (np.where(missing, np.nan, values) for values in (x, y))
    computed = correlate_rows(x, y)
    for row, (left, right) in enumerate(zip(x, y, strict=True)):
        left, right = left[~missing[row]], right[~missing[row]]
        if (missing.any() and len(left) < 3) or len(set(left)) < 2 or len(set(right)) < 2:
            assert all(np.isnan(computed[name][row]) for name in COEFFICIENTS)
            continue
        for name, function in FUNCTIONS.items():
            assert computed[name][row] == pytest.approx(function(left, right).statistic, abs=1e-12)


def repeat(values: Floats, weights: Floats) -> Floats:
    """Repeat each column as often as each row of weights says, shape (n, sum of weights)."""
    return np.array([np.repeat(values, weight) for weight in weights.astype(int)])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_weighted_systems_are_repeated_systems(missing: float) -> None:
    """1,200 samples each: whole ranks and signs give the same ranks and pairs as systems that are written out."""
    stream = np.random.RandomState(7)
    x, y = stream.randint(9, size=(2, 4, 12)) / 7
    x[3], y[2, :8] = stream.normal(size=12), 1
    is_missing = stream.rand(4, 12) < missing
    x[is_missing] = y[is_missing] = np.nan
    weights = np.array([np.bincount(stream.randint(12, size=12), minlength=12) for _ in range(300)], dtype=float)
    weights[0] = [12, *[0] * 11]  # a single system has no correlation
    weighted, defined = correlate_weighted(x, y, weights), 0
    for topic in range(4):
        expected = correlate_rows(repeat(x[topic], weights), repeat(y[topic], weights))
        for name in COEFFICIENTS:
            np.testing.assert_allclose(weighted[name][:, topic], expected[name], rtol=0, atol=1e-12)
        defined += int((~np.isnan(expected["kendall"])).sum())
    assert 1_000 < defined < 1_200


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_swapped_systems_are_systems_with_other_scores(missing: float) -> None:
    """400 samples: products of a quarter of the size give the correlations of scores that are written out."""
    stream = np.random.RandomState(8)
    scores = stream.randint(9, size=(3, 4, 12)) / 7
    scores[:, stream.rand(4, 12) < missing] = np.nan
    metric, other, judgement = scores
    swapped = stream.randint(2, size=(100, 12)) == 1
    for by_name, (one, two) in zip(
        correlate_swapped(metric, other, judgement, swapped), ((metric, other), (other, metric)), strict=True
    ):
        for topic in range(4):
            written_out = np.where(swapped, two[topic], one[topic])
            expected = correlate_rows(written_out, np.broadcast_to(judgement[topic], written_out.shape))
            for name in COEFFICIENTS:
                np.testing.assert_allclose(by_name[name][:, topic], expected[name], rtol=0, atol=1e-12)


def test_weights_beyond_single_precision_are_exact() -> None:
    """5,000 copies of one of three systems make 15,002 pairs, and their products more than 2^24."""
    weights = np.array([[5000.0, 2, 1]])
    x, y = np.array([[1.0, 2, 3]]), np.array([[1.0, 3, 2]])
    agreement = 5000 * 2 + 5000 - 2
    assert correlate_weighted(x, y, weights)["kendall"].tolist() == [[pytest.approx(agreement / 15_002, abs=1e-15)]]


def test_many_systems_with_missing_values(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.random.RandomState(4).randint(6, size=(2, 5, 300)).astype(float)
    for values in (x, y):
        values[np.random.RandomState(5).rand(5, 300) < 0.3] = np.nan
    taus = correlate_rows(x, y)["kendall"]
    assert taus == pytest.approx([correlate(left, right, "kendall") for left, right in zip(x, y, strict=True)])
    monkeypatch.setattr(correlations, "_MOST_PAIRED", 300)
    assert correlate_rows(x, y)["kendall"] == pytest.approx(taus, abs=1e-12)


def test_means_over_own_topics() -> None:
    """The second system has only the first topic, which the second weighting leaves out."""
    values = np.array([[0.1, 0.5], [0.4, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        means = average_topics(values, np.array([[1.0, 1.0], [0.0, 2.0], [3.0, 1.0]]))
    assert means[:, 0].tolist() == [0.25, 0.4, 0.175]
    assert means[:, 1].tolist() == pytest.approx([0.5, np.nan, 0.5], nan_ok=True)


def test_means_over_different_numbers_of_topics_may_be_tied() -> None:
    """0.1 + 0.2 is 0.30000000000000004, but 0.1 + 0.2 + 0.3 over 3 and 0.1 + 0.3 over 2 are both 0.2."""
    values = np.array([[0.1, 0.1, 0.2], [0.2, np.nan, np.nan], [0.3, 0.3, np.nan]])
    assert average_topics(values, np.ones((1, 3))).tolist() == [[0.2, 0.2, 0.2]]


def test_means_over_own_topics_are_not_rounded() -> None:
    """Among people, whose means are close, six decimals changed r in its fifth decimal."""
    first = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, np.nan], [1e-6, 2e-6, np.nan]])
    means = average_topics(first, np.ones((1, 3)))
    assert means[0] == pytest.approx([1e-6 / 3, 2e-6 / 3, 0.5], rel=1e-12)


def test_all_summaries_are_in_the_block() -> None:
    """The block of complete means leaves out system 3 and topic D1. Topic D2 has the judgement of one system."""
    metric = make_scores("m", np.array([[1, 2, 3], [1, 4, np.nan], [5, np.nan, np.nan]]), "123")
    judgement = make_scores("j", np.array([[5, 6, 8, 1], [5, 6, np.nan, 1], [7, 8, 9, 1], [1, 1, 1, 1]]), "1234")
    block = align_scores([metric, judgement], means="own-topics")
    assert (block.systems, block.topics) == (("1", "2", "3"), ("D0", "D1", "D2"))
    nan = np.nan
    expected = [[[1, 2, 3], [1, 4, nan], [5, nan, nan]], [[5, 6, 8], [5, 6, nan], [7, nan, nan]]]
    np.testing.assert_array_equal(block.values, expected)
    assert block.left_out == {
        "lacking_systems": ("4",),
        "sparse_systems": (),
        "lacking_topics": ("D3",),
        "incomplete_topics": (),
    }
    assert block.count_topics() == (1, 3)
    small = block.drop_small_topics()
    assert (small.systems, small.topics, small.count_topics()) == (("1", "2", "3"), ("D0",), None)
    assert small.values.tolist() == [[[1, 2, 3]], [[5, 6, 8]]]
    assert small.left_out == {**block.left_out, "small_topics": ("D1", "D2")}
    assert small.drop_small_topics() is small
    centred = align_scores([metric, judgement], means="centred").values
    # The mean of 5, 6 and 8 is 6.333333 to six decimals.
    expected = [[[-1, 0, 1], [-1.5, 1.5, nan], [0, nan, nan]]]
    expected += [[[-1.333333, -0.333333, 1.666667], [-0.5, 0.5, nan], [0, nan, nan]]]
    np.testing.assert_array_equal(centred, expected)


def test_systems_without_a_topic_at_the_summary_level() -> None:
    """Persons A and B each wrote about one topic of their own, which has no other summary."""
    table = np.full((4, 5), np.nan)
    table[:2, 2:] = [[1, 2, 3], [2, 3, 1]]
    table[2, 0], table[3, 1] = 5, 6
    block = align_scores([make_scores("m", table, "AB123")], "all", "own-topics").drop_small_topics()
    assert (block.systems, block.topics) == (("1", "2", "3"), ("D0", "D1"))
    assert block.left_out["small_topics"] == ("D2", "D3")
    alone = make_scores("m", table, "AB123")
    system, summary = evaluate_metrics([alone], [alone], CorrelationSettings(systems="human")).correlations
    assert (system.reason, summary.reason) == ("fewer than 3 systems", "no topic has scores of 3 systems")
    assert summary.systems == ()
    (_, summary) = evaluate_metrics([alone], [alone], CorrelationSettings(systems="all")).correlations
    assert summary.values == {"pearson": 1.0, "spearman": 1.0, "kendall": 1.0}
    assert (summary.systems, summary.left_out["small_topics"]) == (("1", "2", "3"), ("D2", "D3"))


def test_the_choice_of_means() -> None:
    """People are those with scores and judgements, among the compared systems."""
    table = np.ones((2, 3))
    people, systems = make_scores("m", table, "A12"), make_scores("j", table, "123")
    assert choose_means([people], [people], "all") == "own-topics"
    assert choose_means([people], [people], "human") == "own-topics"
    assert choose_means([people], [people], "automatic") == "complete"
    assert choose_means([people], [systems], "all") == "complete"
    assert choose_means([systems], [people], "human") == "complete"


@pytest.mark.parametrize("means", MEANS[1:])
def test_complete_scores_have_the_same_correlations(means: str) -> None:
    """Of means over all topics, differences from the topics' means are these means minus a constant.

    Means of five topics and of eight systems are exact to six decimals.
    """
    tables = np.random.RandomState(3).rand(3, 5, 8).round(3)
    first, second, judgement = (make_scores(name, table, "12345678") for name, table in zip("mnj", tables, strict=True))
    complete = evaluate_metrics([first, second], [judgement], CorrelationSettings(resamples=40, means="complete"))
    other = evaluate_metrics([first, second], [judgement], CorrelationSettings(resamples=40, means=means))
    assert len(complete.correlations) == 4
    for row, other_row in zip(complete.correlations, other.correlations, strict=True):
        assert other_row.values == row.values
        assert other_row.topics_per_system is None
        for name in COEFFICIENTS:
            assert other_row.intervals[name] == row.intervals[name]
    for difference, other_difference in zip(complete.differences, other.differences, strict=True):
        assert other_difference.bootstrap_p == difference.bootstrap_p
        assert other_difference.permutation_p == difference.permutation_p


def average(tables: Sequence[Floats]) -> list[Floats]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # systems without a drawn topic
        return [np.nanmean(table, axis=0) for table in tables]


@pytest.mark.parametrize("drawn", ["topics", "systems", "both"])
def test_resamples_of_own_topics(drawn: str) -> None:
    """Expected values by scipy, one resample at a time. Rows and columns are drawn from the same random streams."""
    metric, _, judgement = make_gaps(8)
    settings = CorrelationSettings(systems="all", resamples=40, seed=4, drawn=drawn)
    system, summary = evaluate_metrics([make_scores("m", metric)], [make_scores("j", judgement)], settings).correlations
    topics = np.random.RandomState(4).randint(8, size=(40, 8))
    systems = np.random.RandomState([4, 1]).randint(8, size=(40, 8))
    if drawn == "topics":
        systems = np.tile(np.arange(8), (40, 1))
    if drawn == "systems":
        topics = np.tile(np.arange(8), (40, 1))
    assert system.systems == tuple("ABC12345")
    pairs = [
        [table[rows][:, columns] for table in (metric, judgement)]
        for rows, columns in zip(topics, systems, strict=True)
    ]
    by_system = [correlate(*average(pair), "spearman") for pair in pairs]
    ends = np.quantile(by_system, (0.025, 0.975)) - np.mean(by_system) + system.values["spearman"]
    assert system.intervals["spearman"] == pytest.approx(tuple(np.clip(ends, -1, 1)), abs=2e-6)
    by_summary = [np.mean([correlate(*rows, "kendall") for rows in zip(*pair, strict=True)]) for pair in pairs]
    ends = np.quantile(by_summary, (0.025, 0.975)) - np.mean(by_summary) + summary.values["kendall"]
    assert summary.intervals["kendall"] == pytest.approx(tuple(np.clip(ends, -1, 1)), abs=2e-6)
    assert system.topics_per_system == summary.topics_per_system == (4, 8)
    assert system.values["pearson"] == pytest.approx(correlate(*average([metric, judgement]), "pearson"), abs=1e-6)


@pytest.mark.parametrize("level", ["system", "summary"])
def test_swapping_systems_with_own_topics(level: str) -> None:
    """Expected values by scipy, one permutation at a time, on standardized scores, from the same random stream."""
    tables = np.stack(make_gaps(9))
    rows = np.nanmean(tables, axis=1, keepdims=True) if level == "system" else tables
    x, y, gold = (rows - np.nanmean(rows, axis=2, keepdims=True)) / np.nanstd(rows, axis=2, keepdims=True)

    def subtract(swapped: npt.NDArray[np.bool_]) -> float:
        first, second = np.where(swapped, y, x), np.where(swapped, x, y)
        taus = [[correlate(*pair, "kendall") for pair in zip(side, gold, strict=True)] for side in (first, second)]
        return float(np.mean(taus[0]) - np.mean(taus[1]))

    swaps = np.random.RandomState([7, 2]).randint(2, size=(60, 8)) == 1
    observed = subtract(np.zeros(8, dtype=bool))
    extreme = sum(abs(subtract(swapped)) >= abs(observed) - 1e-9 for swapped in swaps)
    assert swap_systems(tables, level, 60, 7)["kendall"] == pytest.approx((1 + extreme) / 61, abs=1e-6)


def test_resamples_of_blocks_with_other_gaps_are_apart() -> None:
    """The difference of two metrics is on the summaries of both. Resamples of one metric's own summaries are others."""
    first, second, judgement = make_gaps(5)
    second[2, 5] = np.nan
    settings = CorrelationSettings(systems="all", resamples=30)
    judged, thinned = make_scores("j", judgement), np.where(np.isnan(second), np.nan, first)
    together = evaluate_metrics([make_scores("m", first), make_scores("n", second)], [judged], settings)
    apart = evaluate_metrics([make_scores("m", thinned), make_scores("n", second)], [judged], settings)
    assert together.differences == apart.differences
    assert together.correlations[0].intervals != apart.correlations[0].intervals
    assert together.correlations[1] == apart.correlations[1]


def test_few_systems_of_a_topic_cannot_be_drawn() -> None:
    """Ten people, of whom four wrote about each topic: most resamples of a topic would have two persons or fewer."""
    present = np.array([[1.0] * 5, [1, 1, 1, 1, np.nan]])
    block = Block(tuple("abcde"), ("1", "2"), np.stack([present, present]), {})
    settings = CorrelationSettings(drawn="systems")
    assert can_resample(block, 2, settings)
    assert not can_resample(block, 2, settings, "summary")
    assert can_resample(block, 5, CorrelationSettings(drawn="topics"), "summary")
    six = np.array([[1.0] * 6, [1, 1, 1, 1, np.nan, np.nan]])
    assert can_resample(Block(tuple("abcdef"), ("1", "2"), np.stack([six, six]), {}), 2, settings, "summary")


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "manual.peer.A").write_text(make_manual("A", SYSTEMS))
    (tmp_path / "manual.model.A").write_text(make_manual("A", HUMANS))
    (tmp_path / "aesop_allpeers_A").write_text(make_aesop("A"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


JUDGED = ("aesop_allpeers_A", "--judgements", "manual.peer.A", "manual.model.A", "--metrics", "baseline")


@pytest.mark.parametrize(
    ("flags", "system", "summary"),
    [
        (("--systems", "all"), [0.8196, 0.5586, 0.488], [0.3003, 0.3128, 0.2697]),
        (("--systems", "all", "--means", "centred"), [0.9166, 0.7857, 0.619], [0.3003, 0.3128, 0.2697]),
        ((), [0.9407, 0.5, 0.4], [0.2722, 0.22, 0.2]),
        (("--means", "own-topics"), [0.9407, 0.5, 0.4], [0.2722, 0.22, 0.2]),
    ],
    ids=["own topics", "centred", "complete", "own topics of systems"],
)
def test_people_among_systems(
    room: Path, capsys: Capture, flags: tuple[str, ...], system: list[float], summary: list[float]
) -> None:
    """Expected values by scipy from the same tables. Person B wrote about half of the topics, too few before."""
    command = ("meta-eval", *JUDGED, "--criteria", "overall_responsiveness", "--resamples", 20, *flags)
    assert run(*command, "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    rows = report["correlations"]
    for row, expected in zip(rows, (system, summary), strict=True):
        assert list(row["values"].values()) == pytest.approx(expected, abs=6e-5)
    means = flags[-1].replace("all", "own-topics") if flags else None
    assert report.get("means") == means
    assert (f"|means:{means}|" in report["signature"]) == bool(means)
    assert run(*command) == 0
    output = unwrap(capsys.readouterr().out)
    titles = {"own-topics": "Means over each system's own topics", None: "overall_responsiveness, system level"}
    titles["centred"] = f"{titles['own-topics']} of differences from the topics' means"
    assert output.splitlines()[0].split("  ")[0] == titles[means]
    has_people = "--systems" in flags
    assert [len(row["systems"]) for row in rows] == [7 if has_people else 5] * 2
    assert [row.get("topics_per_system") for row in rows] == [[3, 6] if has_people else None] * 2
    assert ("Topics per system: 3 to 6." in output) == has_people


def test_complete_means_of_people_leave_some_out(room: Path, capsys: Capture) -> None:
    flags = ("--systems", "all", "--means", "complete", "--criteria", "overall_responsiveness", "--format", "json")
    (room / "manual.model.A").write_text((room / "manual.model.A").read_text().replace("D0902-A B", "D0902-A C"))
    assert run("meta-eval", *JUDGED, *flags, "--resamples", 20) == 0
    row = json.loads(capsys.readouterr().out)["correlations"][0]
    assert row["left_out"]["sparse_systems"] == ["B"]
    assert row["systems"] == ["A", *SYSTEMS]


def test_notes_on_few_people(room: Path, capsys: Capture) -> None:
    """Three people wrote about each of seven topics but the last, about which two of them wrote."""
    rows = [(topic, person) for topic in range(7) for person in range(6) if (topic + person) % 2 == 0]
    table = [
        f"D{topic}\t{'ABCDEF'[person]}\t{(2 * topic * person + person * person) % 7}\t{person}\n"
        for topic, person in rows[:-1]
    ]
    (room / "people.tsv").write_text("topic\tsystem\tgood\tbad\n" + "".join(table))
    (room / "judged.tsv").write_text("topic\tsystem\trating\tbad\n" + "".join(table))
    command = ("meta-eval", "people.tsv", "--judgements", "judged.tsv", "--systems", "human", "--metrics", "good")
    assert run(*command, "--criteria", "bad", "--resamples", 20) == 0
    output = unwrap(capsys.readouterr().out)
    assert "1 topic with fewer than 3 systems at the summary level (D6)." in output
    note = "require at least 5 systems per topic on average, at the summary level. Add --resample topics to treat"
    assert note in output
    assert run(*command, "--criteria", "bad", "--resamples", 20, "--resample", "topics") == 0
    assert "require at least 5" not in capsys.readouterr().out
