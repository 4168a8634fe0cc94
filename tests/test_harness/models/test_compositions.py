"""Ways to compose word vectors, on vectors that can be checked by eye."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from harness.text.compositions import (
    COMPOSITIONS,
    add,
    add_unit_vectors,
    average,
    remove_first_component,
    select_content_words,
    take_extremes,
    weigh_by_idf,
    weigh_by_probability,
    weigh_equally,
)

TEXTS = [["The", "storm", "hit", "the", "town"], ["storm"], ["the", "Storm", "ended"]]
VECTORS = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]])
NO_VECTORS, NO_WEIGHTS = np.zeros((0, 3)), np.zeros(0)


def test_sum() -> None:
    assert add(VECTORS, np.ones(2)).tolist() == [3, 4, 2]
    assert add(VECTORS, np.array([1.0, 0.5])).tolist() == [3, 4, 1]
    assert weigh_equally(TEXTS)("the") == 1


def test_unit_sum() -> None:
    assert add_unit_vectors(VECTORS, np.ones(2)).tolist() == [0.6, 0.8, 1]
    assert add_unit_vectors(VECTORS / 10, np.ones(2)).tolist() == pytest.approx([0.6, 0.8, 1])
    assert add_unit_vectors(np.zeros((1, 3)), np.ones(1)).tolist() == [0, 0, 0]


def test_average() -> None:
    assert average(VECTORS, np.array([1.0, 0.5])).tolist() == [1.5, 2, 0.5]
    assert average(VECTORS[:1], np.ones(1)).tolist() == [3, 4, 0]


def test_extremes() -> None:
    assert take_extremes(np.array([[3.0, -1.0], [2.0, 5.0]]), np.ones(2)).tolist() == [3, 5, 2, -1]


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_a_text_without_known_words_is_zero_in_the_dimension_of_the_others(name: str) -> None:
    pool = COMPOSITIONS[name].pool
    assert not pool(NO_VECTORS, NO_WEIGHTS).any()
    assert pool(NO_VECTORS, NO_WEIGHTS).shape == pool(VECTORS, np.ones(2)).shape


def test_idf() -> None:
    """All three texts have "storm": ln(4/4) + 1. One text has "town": ln(4/2) + 1. No text has "flood": ln(4/1) + 1."""
    weigh = weigh_by_idf(TEXTS)
    assert [weigh(word) for word in ("storm", "STORM", "town", "flood")] == pytest.approx(
        [1, 1, 1.6931471806, 2.3862943611]
    )


def test_idf_is_that_of_the_baseline() -> None:
    vectorizer = TfidfVectorizer(analyzer=lambda words: [word.lower() for word in words]).fit(TEXTS)
    weigh = weigh_by_idf(TEXTS)
    words = vectorizer.get_feature_names_out().tolist()
    assert len(words) == 5
    assert vectorizer.idf_.tolist() == pytest.approx([weigh(word) for word in words])


def test_frequent_words_weigh_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.001 / (0.001 + 0.004), and 1 for a word that has no frequency in English."""
    frequencies = {("the", "en"): 0.004}
    package = SimpleNamespace(word_frequency=lambda word, language: frequencies.get((word, language), 0.0))
    monkeypatch.setitem(sys.modules, "wordfreq", package)
    weigh = weigh_by_probability([])
    assert weigh("The") == pytest.approx(0.2)
    assert weigh("xyzzy") == 1.0


@pytest.mark.needs("wordfreq")
def test_weights_of_sif() -> None:
    """By wordfreq 3.1.1, p(the) is 0.0537 and p(storm) 0.0000457."""
    weigh = weigh_by_probability(TEXTS)
    weights = [weigh(word) for word in ("the", "The", "storm", "zyzzyvax")]
    assert weights == pytest.approx([0.001 / 0.0547, 0.001 / 0.0547, 0.001 / 0.0010457, 1])


def test_content_words() -> None:
    """ "US" is a name, and "us" is a pronoun."""
    assert select_content_words(["The", "US", "helped", "us", "n\u2019t", "storm"]) == ["US", "helped", "storm"]


def test_removal_of_the_first_component() -> None:
    """The squares and products of the four rows sum to [[16, 10], [10, 16]], whose first eigenvector is (1, 1)."""
    vectors = np.array([[1, 1], [2, 2], [1, -1], [3, 1], [1, 3]], dtype=np.float32)
    assert remove_first_component(vectors).tolist() == pytest.approx(
        np.array([[0, 0], [0, 0], [1, -1], [1, -1], [-1, 1]])
    )


def test_nothing_is_left_of_parallel_texts() -> None:
    """Without the bound on rounding errors, their cosine would be that of two rounding errors."""
    vectors = np.array([[0.3, 0.1, 0.7]], dtype=np.float32) * np.array([[1], [2], [5]], dtype=np.float32)
    assert remove_first_component(vectors).tolist() == np.zeros((3, 3)).tolist()
    assert remove_first_component(np.zeros((2, 3), dtype=np.float32)).tolist() == np.zeros((2, 3)).tolist()


def make_vectors() -> np.ndarray:
    random = np.random.default_rng(0)
    return (random.normal(size=(400, 50)) + random.normal(size=50)).astype(np.float32)


def test_removal_does_not_depend_on_the_order_of_texts() -> None:
    """Another order of texts changes the order of sums, as more threads would."""
    vectors = make_vectors()
    order = np.random.default_rng(1).permutation(len(vectors))
    assert np.array_equal(remove_first_component(vectors)[order], remove_first_component(vectors[order]))


def test_removal_is_that_of_the_authors() -> None:
    """The code of Arora et al. (2017), `SIF_embedding.py`, computes the component by `TruncatedSVD`, like this test."""
    vectors = make_vectors()
    svd = TruncatedSVD(n_components=1, algorithm="arpack", random_state=0).fit(vectors.astype(np.float64))
    expected = vectors - vectors.dot(svd.components_.T) * svd.components_
    assert np.abs(remove_first_component(vectors) - expected).max() < 1e-6


def test_which_compositions_depend_on_the_other_texts() -> None:
    assert [name for name, composition in COMPOSITIONS.items() if composition.is_transductive] == ["idf", "sif"]
