"""Cohen's and Fleiss' kappa and Krippendorff's alpha: published examples, other programs, and undefined values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, v_measure_score

from harness.stats.agreement import compare_clusters, compute_alpha, compute_fleiss_kappa, compute_kappa

Answers = list[tuple[int, int]]

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses; how many chose each diagnosis.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units, missing answers.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def count(rows: list[list[int]], categories: int) -> np.ndarray:
    """Numbers of answers, shape (items, categories)."""
    return np.array([[row.count(category) for category in range(categories)] for row in rows])


def alpha_of(counts: np.ndarray) -> float:
    """Alpha by `compute_alpha` from the answers to each item."""
    sizes = counts.sum(axis=1)
    counts, sizes = counts[sizes >= 2], sizes[sizes >= 2]
    coincidences = ((counts * (counts - 1)).sum(axis=1) / (sizes - 1)).sum()
    return float(compute_alpha(coincidences, counts.sum(axis=0)))


def fleiss_of(counts: np.ndarray) -> float:
    people = int(counts[0].sum())
    return float(compute_fleiss_kappa((counts * (counts - 1)).sum(), counts.sum(axis=0), people))


def kappa_of(rows: Answers, categories: int) -> float:
    given_answers = [np.bincount(column, minlength=categories) for column in zip(*rows, strict=True)]
    return float(compute_kappa(np.array(sum(first == second for first, second in rows)), *given_answers))


def test_kappa_by_hand() -> None:
    """Ten items, both say yes to 4 and no to 3: p = 0.7; yes 6 and 5 of 10: e = 0.3 + 0.2 = 0.5; kappa = 0.4."""
    kappa = compute_kappa(np.array([7]), np.array([[4, 6]]), np.array([[5, 5]]))
    assert kappa.tolist() == [pytest.approx(0.4)]


def test_kappa_of_constant_answers() -> None:
    """The same answer throughout: not defined. Opposite answers: as by chance, 0. One constant: 0, too."""
    agreed, yes = np.array([5, 0, 2, 5, 0]), np.array([[5, 5], [5, 0], [5, 2], [0, 0], [0, 0]])
    shared = np.array([5, 5, 5, 5, 0])
    first, second = (np.stack([shared - column, column], axis=-1) for column in yes.T)
    kappa = compute_kappa(agreed, first, second)
    assert np.isnan(kappa).tolist() == [True, False, False, True, True]
    assert kappa[1:3].tolist() == [0.0, 0.0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_kappa_agrees_with_scikit_learn(rows: Answers) -> None:
    kappa = kappa_of(rows, 4)
    first, second = zip(*rows, strict=True)
    if len({*first, *second}) == 1:
        assert np.isnan(kappa)  # where scikit-learn warns
    else:
        assert kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_fleiss_kappa_of_psychiatric_diagnoses() -> None:
    """Fleiss (1971), page 381: 0.430. R's package irr and statsmodels 0.15 give 0.4302445."""
    counts = np.array([[int(digit) for digit in word] for word in DIAGNOSES.split()])
    assert counts.shape == (30, 5)
    assert set(counts.sum(axis=1)) == {6}
    assert fleiss_of(counts) == pytest.approx(0.4302445, abs=1e-7)


def test_alpha_of_answers_with_gaps() -> None:
    """Krippendorff (2011): nominal alpha 0.743. PyPI's krippendorff 0.9.0 gives 0.743421052631579."""
    rows = [[int(c) for c in unit if c.isdigit()] for unit in zip(*OBSERVERS, strict=True)]
    assert [len(row) for row in rows] == [3, 4, 4, 4, 4, 4, 4, 4, 4, 3, 2, 1]
    assert alpha_of(count(rows, 6)) == pytest.approx(0.743421052631579, abs=1e-12)


def test_alpha_of_two_people_by_hand() -> None:
    """yes yes, no no, yes no: 2 + 2 coincidences of 6 answers, 3 of each: (5 * 4 - 12) / (30 - 12) = 4/9."""
    assert alpha_of(np.array([[0, 2], [2, 0], [1, 1]])) == pytest.approx(4 / 9)


@pytest.mark.parametrize("counts", [[[0, 3], [0, 3]], [[0, 1], [1, 0]], [[0, 0]]])
def test_alpha_is_not_defined_if_all_answers_are_equal_or_alone(counts: list[list[int]]) -> None:
    assert np.isnan(alpha_of(np.array(counts)))


def test_fleiss_kappa_is_not_defined_if_all_answers_are_equal() -> None:
    assert np.isnan(fleiss_of(np.array([[0, 3], [0, 3]])))
    assert np.isnan(compute_fleiss_kappa(np.array(0), np.array([0, 0]), 3))


@given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=12))
def test_alpha_and_fleiss_kappa_differ_by_the_correction_for_small_samples(rows: list[list[int]]) -> None:
    """Without missing answers, 1 - alpha = (1 - kappa) (n - 1) / n with n answers (Krippendorff 2004)."""
    counts = count(rows, 3)
    alpha, kappa, answers = alpha_of(counts), fleiss_of(counts), counts.sum()
    if len({answer for row in rows for answer in row}) == 1:
        assert np.isnan(alpha)
        assert np.isnan(kappa)
    else:
        assert 1 - alpha == pytest.approx((1 - kappa) * (answers - 1) / answers)


def test_clusters_by_hand() -> None:
    """Of five items, {1, 2, 3} and {4, 5} are {1, 2}, {3, 4} and {5} in the second division.

    B-cubed precision: (1 + 1 + 1/2 + 1/2 + 1) / 5; recall: (2/3 + 2/3 + 1/3 + 1/2 + 1/2) / 5.
    """
    values = compare_clusters([0, 0, 0, 1, 1], [7, 7, 2, 2, 9])
    assert (values["b_cubed_precision"], values["b_cubed_recall"]) == (0.8, 0.533333)
    assert values["b_cubed"] == 0.64


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20))
def test_clusters_as_sklearn_and_as_the_definition(items: list[tuple[int, int]]) -> None:
    """V is that of scikit-learn 1.7, and B-cubed the mean over items, as Bagga and Baldwin (1998) define it."""
    first, second = zip(*items, strict=True)
    values = compare_clusters(first, second)
    assert values["v_measure"] == pytest.approx(v_measure_score(first, second), abs=1e-6)
    shares = [sum(a == c and b == d for c, d in items) / sum(b == d for _, d in items) for a, b in items]
    assert values["b_cubed_precision"] == pytest.approx(sum(shares) / len(items), abs=1e-6)
    exchanged = compare_clusters(second, first)
    assert exchanged["b_cubed_recall"] == values["b_cubed_precision"]
    assert (exchanged["b_cubed"], exchanged["v_measure"]) == (values["b_cubed"], values["v_measure"])


def test_no_items_have_no_agreement() -> None:
    assert np.isnan(list(compare_clusters([], []).values())).all()
