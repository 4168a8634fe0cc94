"""Accuracies of metrics: against definitions that compare pair by pair, and at the edges."""

from __future__ import annotations

import json
import re
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import run
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.stats.significance import find_clusters
from harness.summarization.meta_evaluation import accuracies
from harness.summarization.meta_evaluation.accuracies import ACCURACY, CALIBRATED, HELD_OUT, MEASURES, SOFT
from harness.summarization.meta_evaluation.correlations import SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.resampling import swap_systems
from harness.support.arrays import Floats

ONCE = np.ones((1, 2))
METRIC = np.array([[0.9, 0.5, 0.4, 0.1], [0.7, 0.6, 0.6, 0.2]])
PEOPLE = np.array([[4.0, 3.0, 3.0, 1.0], [3.0, 4.0, 2.0, 2.0]])
"""Means by people: 3.5, 3.5, 2.5, 1.5. Means by the metric: 0.8, 0.55, 0.5, 0.15. One pair of six is tied by people."""

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=12, max_size=12).map(
    lambda values: np.reshape(values, (3, 4))
)
GRADES = st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=12, max_size=12).map(lambda v: np.reshape(v, (3, 4)))
DRAWS = st.lists(st.integers(0, 2), min_size=3, max_size=3)
SYSTEMS = st.lists(st.integers(0, 3), min_size=4, max_size=4)


def measure(
    level: str, name: str, metric: Floats, judgement: Floats, topics: object = None, systems: object = None
) -> float:
    """Measure one accuracy, of drawn topics and systems or of all."""
    weights = np.ones(len(metric)) if topics is None else np.bincount(np.array(topics), minlength=len(metric))
    drawn = None if systems is None else np.array([systems])
    return float(MEASURES[level][name](metric, judgement, weights[None].astype(float), drawn)[0])


def test_four_systems() -> None:
    """All five untied pairs of systems are in the same order. The p-values of both topics are multiples of a quarter.

    Within topics: of 12 pairs, people tie 2. At epsilon 0, the metric agrees with people on 8 and ties a wrong pair.
    Calling differences up to 0.1 ties makes one of the ties right, and one order wrong, so epsilon stays 0.
    """
    assert measure(SYSTEM, ACCURACY, METRIC, PEOPLE) == 1.0
    assert measure(SUMMARY, ACCURACY, METRIC, PEOPLE) == pytest.approx((5 / 5 + 3 / 5) / 2)
    assert accuracies.find_epsilon(METRIC, PEOPLE) == 0.0
    assert measure(SUMMARY, CALIBRATED, METRIC, PEOPLE) == pytest.approx((5 / 6 + 3 / 6) / 2)
    assert accuracies.find_epsilon(METRIC[:1], PEOPLE[:1]) == pytest.approx(0.1)
    assert measure(SUMMARY, CALIBRATED, METRIC[:1], PEOPLE[:1]) == 1.0


@settings(max_examples=60)
@given(metric=SCORES, judgement=GRADES, topics=DRAWS, systems=SYSTEMS)
def test_pair_by_pair(metric: Floats, judgement: Floats, topics: list[int], systems: list[int]) -> None:
    """A pair of a system with itself does not count."""
    pairs = [(i, j) for i, j in combinations(systems, 2) if i != j]
    x, y = (values[topics].mean(axis=0).round(9) for values in (metric, judgement))
    untied = [(i, j) for i, j in pairs if y[i] != y[j]]
    value = measure(SYSTEM, ACCURACY, metric, judgement, topics, systems)
    if untied:
        assert value == pytest.approx(np.mean([(x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in untied]))
    else:
        assert np.isnan(value)
    value = measure(SUMMARY, CALIBRATED, metric, judgement, topics, systems)
    if not pairs:
        assert np.isnan(value)
        return
    right = [
        np.mean([judge(metric[t], *pair, epsilon) == judge(judgement[t], *pair, 0) for t in topics for pair in pairs])
        for epsilon in {0.0, *(abs(metric[t, i] - metric[t, j]) for t in topics for i, j in pairs)}
    ]
    assert value == pytest.approx(max(right))


def judge(scores: Floats, first: int, second: int, epsilon: float) -> float:
    """Return 0 for a tie, or the sign of the difference."""
    difference = scores[first] - scores[second]
    return 0.0 if abs(difference) <= epsilon else float(np.sign(difference))


@settings(max_examples=20)
@given(metric=SCORES, judgement=GRADES)
def test_held_out_epsilons(metric: Floats, judgement: Floats) -> None:
    """Each topic is judged with the smallest best epsilon of the two others."""
    values = []
    for topic in range(3):
        others = np.delete(np.arange(3), topic)
        epsilon = accuracies.find_epsilon(metric[others], judgement[others])
        pairs = combinations(range(4), 2)
        values += [judge(metric[topic], i, j, epsilon) == judge(judgement[topic], i, j, 0) for i, j in pairs]
    assert measure(SUMMARY, HELD_OUT, metric, judgement) == pytest.approx(np.mean(values))
    assert measure(SUMMARY, CALIBRATED, metric, judgement) >= measure(SUMMARY, HELD_OUT, metric, judgement) - 1e-9


@settings(max_examples=20, deadline=None)
@given(metric=SCORES, judgement=GRADES, order=st.permutations(range(4)))
def test_soft_accuracy(metric: Floats, judgement: Floats, order: list[int]) -> None:
    """All eight assignments of signs give the p-values, up to the noise of 20,000 random ones."""

    def find_p(values: Floats, i: int, j: int) -> float:
        differences = values[:, i] - values[:, j]
        sums = [np.dot(signs, differences) for signs in product((-1, 1), repeat=3)]
        return float(np.mean([(value > sum(differences)) + (value == sum(differences)) / 2 for value in sums]))

    pairs = list(combinations(range(4), 2))
    expected = 1 - np.mean([abs(find_p(metric, *pair) - find_p(judgement, *pair)) for pair in pairs])
    value = measure(SYSTEM, SOFT, metric, judgement)
    assert value == pytest.approx(expected, abs=0.01)
    assert measure(SYSTEM, SOFT, metric[:, order], judgement[:, order]) == pytest.approx(value, abs=1e-12)
    assert measure(SYSTEM, SOFT, judgement, judgement) == 1.0
    swapped = np.array([True, False, True, False])
    mixed = np.where(swapped, judgement, metric)
    by_table = accuracies.prepare_swaps(SYSTEM, SOFT, (metric, judgement), judgement)(swapped)
    assert by_table == pytest.approx(measure(SYSTEM, SOFT, mixed, judgement), abs=1e-12)


def test_several_draws_are_those_of_each_draw() -> None:
    """Resamples of topics alone, and of topics and systems. Soft accuracy has fewer flips for several draws."""
    weights = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    systems = np.array([[0, 1, 2, 3], [0, 0, 1, 3], [2, 1, 1, 2]])
    for level, measures in MEASURES.items():
        for name, compute in measures.items():
            if name == SOFT:
                continue
            for drawn in (None, systems):
                together = compute(METRIC, PEOPLE, weights, drawn)
                single = [
                    compute(METRIC, PEOPLE, weights[[n]], None if drawn is None else drawn[[n]])[0] for n in range(3)
                ]
                assert together == pytest.approx(single, nan_ok=True), (level, name)
    soft = MEASURES[SYSTEM][SOFT](METRIC, PEOPLE, weights, systems)
    assert soft.shape == (3,)
    assert np.all((soft >= 0) & (soft <= 1))


def test_agreement_has_the_chosen_names_in_their_order() -> None:
    sides = (METRIC, PEOPLE)
    assert list(accuracies.measure_agreement(SYSTEM, ("pearson",), sides, ONCE)) == ["pearson"]
    both = accuracies.measure_agreement(SYSTEM, (ACCURACY, "kendall"), sides, ONCE)
    assert list(both) == [ACCURACY, "kendall"]
    assert both[ACCURACY][0] == 1.0
    assert accuracies.list_names(SYSTEM, (CALIBRATED, SOFT, "pearson", ACCURACY)) == (SOFT, "pearson", ACCURACY)


def test_swapped_systems_have_the_scores_of_the_other_metric() -> None:
    swapped = np.array([True, False, False, True])
    mixed = np.where(swapped, PEOPLE, METRIC)
    for level, name in ((SYSTEM, ACCURACY), (SYSTEM, SOFT), (SUMMARY, CALIBRATED)):
        value = accuracies.prepare_swaps(level, name, (METRIC, PEOPLE), PEOPLE)(swapped)
        assert value == pytest.approx(measure(level, name, mixed, PEOPLE), abs=1e-12)


def test_edges() -> None:
    """A constant metric orders no pair, and a constant judgement has no order."""
    constant = np.ones_like(METRIC)
    assert measure(SYSTEM, ACCURACY, constant, PEOPLE) == 0.0
    assert measure(SUMMARY, CALIBRATED, constant, PEOPLE) == pytest.approx(2 / 12)
    assert accuracies.find_epsilon(constant, PEOPLE) == 0.0
    assert np.isnan(measure(SYSTEM, ACCURACY, METRIC, constant))
    assert measure(SUMMARY, CALIBRATED, METRIC, constant) == 1.0
    assert measure(SYSTEM, SOFT, constant, constant) == 1.0
    assert np.isnan(measure(SUMMARY, HELD_OUT, METRIC[:1], PEOPLE[:1]))
    two = slice(0, 2)
    assert measure(SYSTEM, ACCURACY, METRIC[:, 2:], PEOPLE[:, 2:]) == 1.0
    assert np.isnan(measure(SYSTEM, ACCURACY, METRIC[:, two], PEOPLE[:, two]))  # 3.5 both


def test_missing_cells() -> None:
    """A system without a topic has no pair there. The other pairs of the topic have its whole weight."""
    metric, people = METRIC.copy(), PEOPLE.copy()
    metric[1, 1] = people[1, 1] = np.nan
    assert measure(SUMMARY, ACCURACY, metric, people) == pytest.approx((5 / 5 + 2 / 2) / 2)
    assert measure(SUMMARY, CALIBRATED, metric, people) == pytest.approx((5 / 6 + 2 / 3) / 2)
    assert 0 <= measure(SYSTEM, SOFT, metric, people) <= 1


def test_levels_of_chance() -> None:
    """Two of 12 pairs are tied, so ordering the others at random is better than calling all pairs ties."""
    assert accuracies.find_chance(ACCURACY, METRIC, PEOPLE) == 0.5
    assert accuracies.find_chance(CALIBRATED, METRIC, PEOPLE) == pytest.approx(10 / 12 / 2)
    assert accuracies.find_chance(HELD_OUT, METRIC, np.ones_like(PEOPLE)) == 1.0
    by_metric, by_people = (
        accuracies.estimate_p_values(accuracies._subtract_pairs(values), accuracies.FLIPS)
        for values in (METRIC, PEOPLE)
    )
    expected = 1 - np.mean([abs(a - b) for a in by_people for b in (*by_metric, *(1 - by_metric))])
    assert accuracies.find_chance(SOFT, METRIC, PEOPLE) == pytest.approx(expected)


@pytest.mark.parametrize("decimals", [0, 6])
def test_flips_of_systems_are_flips_of_pairs(decimals: int) -> None:
    """The p-values of all pairs of 30 systems, with and without ties, are those that the pairs have by themselves."""
    values = np.random.RandomState(9).normal(size=(7, 30)).round(decimals)
    by_pair = accuracies.estimate_p_values(accuracies._subtract_pairs(values), 1000)
    by_system = accuracies.flip_systems(np.rint(values * 1e9), 1000)
    first, second = np.triu_indices(30, 1)
    assert by_system[first, second].tolist() == by_pair.tolist()
    assert by_system[second, first].tolist() == (1 - by_pair).tolist()
    assert len(np.unique(by_pair)) > 100


def test_clusters() -> None:
    different = {frozenset("ac"), frozenset("bd")}
    assert find_clusters("abcd", different) == [["a", "b"], ["c", "d"]]
    assert find_clusters("", different) == []


def test_swaps_tell_a_good_metric_from_noise() -> None:
    random = np.random.RandomState(1)
    people = random.rand(20, 12).round(1) + np.arange(12) / 4
    scores = np.array([people + random.rand(20, 12) / 9, random.rand(20, 12), people])
    for level, names in ((SYSTEM, (ACCURACY, SOFT)), (SUMMARY, (ACCURACY, CALIBRATED))):
        p_values = swap_systems(scores, level, 99, 0, names)
        assert tuple(p_values) == names
        assert max(p_values.values()) <= 0.05
        assert min(swap_systems(scores[[0, 0, 2]], level, 99, 0, names).values()) == 1.0


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    """Two metrics and a judgement of six systems on eight topics."""
    random = np.random.RandomState(2)
    scores, people = ["topic,system,good,noise"], ["topic,system,grade"]
    for topic, system in product(range(8), range(6)):
        grade = int(random.randint(1, 4)) + system // 2
        scores.append(f"t{topic},s{system},{grade + random.rand():.3f},{random.rand():.3f}")
        people.append(f"t{topic},s{system},{grade}")
    for name, lines in (("scores.csv", scores), ("people.csv", people)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path / "scores.csv", tmp_path / "people.csv"


def test_the_command(tables: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores, people = tables
    output = tmp_path / "r.json"
    names = "accuracy,tie-calibrated,soft-accuracy,pearson"
    command = ("meta-eval", scores, "--judgements", people, "--resamples", "20", "--coefficients", names)
    assert run(*command, "--output", output) == 0
    record = json.loads(output.read_text())
    first = record["correlations"][0]
    assert list(first["values"]) == ["accuracy", "soft-accuracy", "pearson"]
    assert first["chance"]["accuracy"] == 0.5
    by_summary = next(row for row in record["correlations"] if row["level"] == SUMMARY)
    assert list(by_summary["values"]) == list(by_summary["intervals"]) == ["accuracy", "tie-calibrated", "pearson"]
    assert by_summary["epsilon"] > 0
    assert run(*command) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "clusters of metrics, best first" in text
    assert "Epsilon is tuned on the same topics. Chance: " in text
    assert "coefficients:accuracy,tie-calibrated,soft-accuracy,pearson" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--coefficients", "tie"], "'tie' ... tie-calibrated"),
        (["--coefficients", "tie-calibrated", "--level", "system"], "tie-calibrated ... --level summary"),
        (["--coefficients", "accuracy,soft-accuracy", "--level", "summary"], "soft-accuracy ... --level system"),
    ],
)
def test_coefficients_that_do_not_fit(
    tables: tuple[Path, Path], options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, people = tables
    try:
        status = run("meta-eval", scores, "--judgements", people, *options)
    except SystemExit as error:  # of the parser
        status = error.code
    assert status != 0
    assert re.search(mentions(message), " ".join(capsys.readouterr().err.split()))
