"""Baselines that are trained: features, factorization, and scores of new pairs."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

import harness.models.kinds.wtmf as factorization
from harness.models.interfaces.kinds import GROUPS
from harness.models.interfaces.model import LEARNING, Ability, Coverage, Scorer
from harness.models.kinds.trained_baselines import measure_features, measure_overlap, measure_sets
from harness.models.kinds.wtmf import (
    Wtmf,
    WtmfEncoder,
    WtmfSettings,
    _group_rows,
    factorize,
    make_orthogonal,
    solve_rows,
)
from harness.models.loading import load_model
from harness.models.registry import find_group
from harness.models.specs import parse_spec
from harness.stats.similarities import COSINE, compare_vectors, normalize
from harness.support.errors import ModelError
from harness.text.stems import stem_word
from harness.text.words import in_lower_case, load_tokenizer
from pyramid_paraphrase.errors import InputError, OptionError

PAIRS = [
    ("Storms flooded two towns.", "Two towns were flooded by storms"),
    ("Nobody was hurt there", "No one there was hurt"),
    ("Storms flooded two towns.", "Prices of oil rose again"),
    ("Oil costs more than last year", "Nobody was hurt there"),
]
LABELS = np.array([1, 1, 0, 0])
TRAINED = ("majority", "logistic-regression", "das-smith", "overlap-svm", "wtmf", "ormf")

words_of = in_lower_case(load_tokenizer("own"))
texts_of_words = st.lists(st.lists(st.sampled_from("abc"), max_size=8), min_size=2, max_size=6)


def test_features_by_hand() -> None:
    """Counted on paper: shared n-grams, by those of the first text, by those of the second, twice by those of both."""
    pair = ("The storm hit two towns.", "The storms hit the two towns there.")
    words = [4 / 5, 4 / 7, 8 / 12, 1 / 4, 1 / 6, 2 / 10, 0, 0, 0]
    stems = [5 / 5, 5 / 7, 10 / 12, 3 / 4, 3 / 6, 6 / 10, 1 / 3, 1 / 5, 2 / 8]
    assert measure_features([pair], words_of) == pytest.approx(np.array([words + stems]))
    back = [4 / 7, 4 / 5, 8 / 12, 1 / 6, 1 / 4, 2 / 10, 0, 0, 0]
    assert measure_features([pair, pair[::-1]], words_of)[1, :9] == pytest.approx(back)


def test_repeated_ngrams_count_as_often_as_both_texts_have_them() -> None:
    overlap = measure_overlap([["no"] * 3, ["no"] * 2], np.array([[0, 1]]))
    assert overlap == pytest.approx(np.array([[2 / 3, 2 / 2, 4 / 5, 1 / 2, 1 / 1, 2 / 3, 0, 0, 0]]))


def test_no_ngram_reaches_from_one_text_into_the_next() -> None:
    overlap = measure_overlap([["a"], ["b"], ["a", "b"], []], np.array([[0, 2], [3, 2], [3, 3]]))
    assert overlap == pytest.approx(np.array([[1, 1 / 2, 2 / 3, *[0] * 6], [0] * 9, [0] * 9]))
    assert measure_features([("", "...")], words_of).tolist() == [[0.0] * 18]


@given(texts_of_words)
def test_overlap_is_that_of_a_plain_count(texts: list[list[str]]) -> None:
    pairs = np.array([[0, 1], [1, 0], [len(texts) - 1, 0], [1, 1]])
    for (first, second), row in zip(pairs, measure_overlap(texts, pairs).tolist(), strict=True):
        assert row == pytest.approx(
            [value for size in (1, 2, 3) for value in overlap(texts[first], texts[second], size)]
        )


def overlap(first: list[str], second: list[str], size: int) -> list[float]:
    """Remove the n-grams of the second text from a list, one by one."""
    first_ngrams, second_ngrams = (
        list(zip(*(text[start:] for start in range(size)), strict=False)) for text in (first, second)
    )
    remaining, shared = list(second_ngrams), 0
    for ngram in first_ngrams:
        if ngram in remaining:
            remaining.remove(ngram)
            shared += 1
    precision = shared / len(first_ngrams) if first_ngrams else 0.0
    recall = shared / len(second_ngrams) if second_ngrams else 0.0
    return [precision, recall, 2 * precision * recall / (precision + recall) if shared else 0.0]


def test_stems_are_porters() -> None:
    """The examples of the paper's own text (Porter 1980): steps 1a, 1b, and all of them."""
    stems = {"ponies": "poni", "hopping": "hop", "generalizations": "gener", "oscillators": "oscil"}
    assert {word: stem_word(word) for word in stems} == stems


def test_logistic_regression_by_hand() -> None:
    """Two pairs, all features 1 in one and 0 in the other.

    Brought to mean 0 and variance 1 they are +1 and -1. So the weights are equal, the intercept is 0, and the sum s of
    the 18 weights minimizes 2 log(1 + exp(-s)) + s^2 / 36: s (1 + exp(s)) = 36, s = 2.566863, by bisection.
    """
    model = load_model("logistic-regression")
    same, other = ("one two three", "one two three"), ("one two three", "four five six")
    scorer = model.scorer.train([same, other], np.array([1, 0]))
    assert scorer.score([other, same]) == pytest.approx([0.071302, 0.928698], abs=1e-6)  # 1 / (1 + exp(s))
    assert model.cutoff == 0.5


def test_logistic_regression_is_calibrated_and_separates() -> None:
    """If the intercept is not penalized, the mean of the fitted probabilities is the share of paraphrases."""
    scorer = load_model("logistic-regression").scorer.train(PAIRS, LABELS)
    scores = scorer.score(PAIRS)
    assert scores.mean() == pytest.approx(0.5, abs=1e-9)
    assert (scores > 0.5).tolist() == [True, True, False, False]


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], [0, 0, 0, 0]])
def test_logistic_regression_needs_both_labels(labels: list[int]) -> None:
    message = "logistic-regression: ... same label. ... both labels"
    with pytest.raises(ModelError, match=mentions(message)):
        load_model("logistic-regression").scorer.train(PAIRS, np.array(labels))


def test_distinct_ngrams_count_once() -> None:
    """By hand: {no, yes} and {no}, so 1 of 2 and 1 of 1; {no no, no yes} and {no no}; {no no yes} and {no no no}."""
    pair = ("no no yes", "no no no")
    row = measure_features([pair], words_of, distinct=True)[0, :9]
    assert row == pytest.approx([1 / 2, 1, 2 / 3, 1 / 2, 1, 2 / 3, 0, 0, 0])
    assert measure_features([pair], words_of)[0, :3] == pytest.approx([2 / 3, 2 / 3, 2 / 3])


def test_sizes_of_sets_by_hand() -> None:
    """Words {a, bc} and {bc}; pairs of characters {a_, _b, bc} and {bc, c_, _b}. An empty text has none."""
    assert measure_sets([("A bc", "bc bc")], words_of).tolist() == [[2, 1, 1, 2, 3, 3, 2, 4]]
    assert measure_sets([("", "ab"), ("ab", "")], words_of).tolist() == [
        [0, 1, 0, 1, 0, 1, 0, 1],
        [1, 0, 0, 1, 1, 0, 0, 1],
    ]


def test_das_smith_by_hand() -> None:
    """Two pairs, all 18 features 1 in one and 0 in the other, which are not standardized.

    With equal weights of sum s and the intercept -s / 2, s minimizes 2 log(1 + exp(-s / 2)) + s^2 / 3600:
    s (1 + exp(s / 2)) = 1800, s = 10.312817, by bisection.
    """
    model = load_model("das-smith")
    same, other = ("one two three", "one two three"), ("one two three", "four five six")
    scorer = model.scorer.train([same, other], np.array([1, 0]))
    assert scorer.score([other, same]) == pytest.approx([0.005729, 0.994271], abs=1e-6)  # 1 / (1 + exp(s / 2))
    assert model.cutoff == 0.5


@pytest.mark.parametrize(("kernel", "expected"), [("linear", 1.0), ("rbf", 0.981684)])
def test_the_support_vector_machine_separates(kernel: str, expected: float) -> None:
    """Two pairs whose 8 features are 1 and -1 when they are standardized. The linear machine puts both on its margin.

    The radial kernel of the two is exp(-32 / 8), so that the weights of both pairs are at most C = 1: 1 - exp(-4).
    """
    model = load_model(f"overlap-svm,kernel={kernel}")
    same, other = ("one two", "one two"), ("one", "three four five")
    scorer = model.scorer.train([other, same], np.array([0, 1]))
    assert scorer.score([same, other]) == pytest.approx([expected, -expected], abs=1e-3)
    assert model.cutoff == 0.0
    assert (model.name == "overlap-svm") == (kernel == "linear")
    reverse = load_model("overlap-svm").scorer.train(PAIRS[::-1], LABELS[::-1])
    assert reverse.score(PAIRS).tolist() == load_model("overlap-svm").scorer.train(PAIRS, LABELS).score(PAIRS).tolist()


def test_the_dimensions_of_ormf_are_orthogonal() -> None:
    """The closest such vectors keep the squared norm. Those of `wtmf` have other angles and lengths."""
    texts = list(dict.fromkeys(text for pair in PAIRS for text in pair))
    wtmf, ormf = (
        load_model(f"{kind},dimension=3,regularization=0.1").scorer.learn(texts).word_vectors
        for kind in ("wtmf", "ormf")
    )
    products = ormf.T @ ormf
    assert products == pytest.approx(np.eye(3) * products[0, 0], abs=1e-9)
    assert products[0, 0] > 0.1
    assert abs(wtmf.T @ wtmf - np.diag(np.diag(wtmf.T @ wtmf))).max() > 0.01
    closest = make_orthogonal(wtmf)
    assert (closest**2).sum() == pytest.approx((wtmf**2).sum())
    assert make_orthogonal(closest) == pytest.approx(closest)
    with pytest.raises(ModelError, match=mentions("ormf: ... no words")):
        load_model("ormf").scorer.learn(["..."])


def test_a_factorization_learns_from_other_texts(tmp_path: Path) -> None:
    """Two of four words of the scored texts are in the file, and one text of the two has none of them."""
    (tmp_path / "other.txt").write_text("storms flooded towns\n\nstorms passed\ntowns slept\ntowns slept\n")
    spec = f"wtmf,dimension=2,regularization=0.1,texts={tmp_path / 'other.txt'}"
    model = load_model(spec)
    assert model.abilities == {Ability.ENCODE}
    assert model.scorer.words == ("flooded", "passed", "slept", "storms", "towns")
    vectors = model.scorer.encode(["storms towns", "two lamps"])
    assert vectors[0].any()
    assert not vectors[1].any()
    assert model.find_coverage() == Coverage(0.5, 0.5)
    sha256 = hashlib.sha256((tmp_path / "other.txt").read_bytes()).hexdigest()
    assert model.options["texts"] == f"other.txt@{sha256[:12]}"
    assert model.spec.endswith(",texts=other.txt")
    same = Wtmf(words_of, model.scorer._settings).learn(["storms flooded towns", "storms passed", "towns slept"])
    assert same.word_vectors.tolist() == model.scorer.word_vectors.tolist()
    (tmp_path / "other.txt").write_text("storms flooded towns\n")
    assert load_model(spec).fingerprint != model.fingerprint
    assert "texts" not in load_model("wtmf").options
    (tmp_path / "other.txt").write_text(" \n")
    with pytest.raises(InputError, match=mentions("other.txt: ... no text. ... one text per line")):
        load_model(spec)
    with pytest.raises(InputError, match=mentions("missing.txt: ... one text per line")):
        load_model(f"wtmf,texts={tmp_path / 'missing.txt'}")


@pytest.mark.parametrize(("labels", "expected"), [([1, 1, 0], 1.0), ([0, 1, 0], 0.0), ([1, 0], 1.0)])
def test_majority(labels: list[int], expected: float) -> None:
    model = load_model("majority")
    scorer = model.scorer.train(PAIRS[: len(labels)], np.array(labels))
    assert scorer.score(PAIRS).tolist() == [expected] * 4
    assert model.cutoff == 0.5
    with pytest.raises(ModelError, match=mentions("majority: ... no training pairs. Train")):
        model.scorer.train([], np.array([], dtype=np.int64))


@pytest.mark.parametrize("spec", TRAINED)
def test_the_trained_model_depends_only_on_the_pairs(spec: str) -> None:
    """Neither earlier training nor the order of pairs changes the result."""
    scorer = load_model(spec).scorer
    assert load_model(spec).abilities <= LEARNING
    first = score(teach(scorer, PAIRS, LABELS))
    teach(scorer, PAIRS[:3], LABELS[:3])
    assert score(teach(scorer, PAIRS, LABELS)).tolist() == first.tolist()
    assert score(teach(scorer, PAIRS[::-1], LABELS[::-1])) == pytest.approx(first, abs=1e-9)


def teach(scorer: Scorer, pairs: list[tuple[str, str]], labels: np.ndarray) -> Scorer:
    if hasattr(scorer, "learn"):
        return scorer.learn(list(dict.fromkeys(text for pair in pairs for text in pair)))
    return scorer.train(pairs, labels)


def score(scorer: Scorer) -> np.ndarray:
    if hasattr(scorer, "score"):
        return scorer.score(PAIRS)
    unit = normalize(scorer.encode([text for pair in PAIRS for text in pair]))
    return compare_vectors(unit, np.arange(8).reshape(4, 2), COSINE)


def make_cells(seed: int, rows: int = 9, columns: int = 7) -> sp.csr_matrix:
    """Some cells, one of them an observed zero, a row and a column without any, a row with more than others."""
    random = np.random.RandomState(seed)
    observed = random.uniform(size=(rows, columns)) < 0.4
    observed[0], observed[1], observed[:, 2] = True, False, False
    places = np.argwhere(observed)
    values = random.uniform(1, 5, size=len(places))
    values[3] = 0
    return sp.csr_matrix((values, (places[:, 0], places[:, 1])), shape=(rows, columns))


def make_settings(missing_weight: float, regularization: float, iterations: int = 1) -> WtmfSettings:
    return WtmfSettings(1, regularization, missing_weight, iterations)


def measure_objective(
    cells: sp.csr_matrix, rows: np.ndarray, columns: np.ndarray, missing_weight: float, regularization: float
) -> float:
    """Sum the weighted squared errors of all cells, and the weighted squares of the factors."""
    weights = np.full(cells.shape, missing_weight)
    for row in range(cells.shape[0]):
        weights[row, cells.indices[cells.indptr[row] : cells.indptr[row + 1]]] = 1
    error = (weights * (rows @ columns.T - cells.toarray()) ** 2).sum()
    return float(error + regularization * ((rows**2).sum() + (columns**2).sum()))


def solve_by_the_book(cells: sp.csr_matrix, factors: np.ndarray, settings: WtmfSettings) -> np.ndarray:
    """Row by row with a weight for every cell: q = (F' W F + r I)^-1 F' W x."""
    weights = np.full(cells.shape, settings.missing_weight)
    for row in range(cells.shape[0]):
        weights[row, cells.indices[cells.indptr[row] : cells.indptr[row + 1]]] = 1
    identity = settings.regularization * np.eye(factors.shape[1])
    return np.array(
        [
            np.linalg.solve(factors.T @ np.diag(weight) @ factors + identity, factors.T @ np.diag(weight) @ values)
            for weight, values in zip(weights, cells.toarray(), strict=True)
        ]
    )


@pytest.mark.parametrize("missing_weight", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize("dimension", [1, 3, 12])
@pytest.mark.parametrize("bytes_at_once", [1, 1 << 18])
def test_factorization_by_the_book(
    monkeypatch: pytest.MonkeyPatch, missing_weight: float, dimension: int, bytes_at_once: int
) -> None:
    """With fewer and with more dimensions than a row has cells, row by row and many at once."""
    monkeypatch.setattr(factorization, "_BYTES_AT_ONCE", bytes_at_once)
    settings, cells = make_settings(missing_weight, 0.7, iterations=3), make_cells(1)
    start = np.random.RandomState(0).standard_normal((7, dimension))
    columns = start
    for _ in range(3):
        rows = solve_by_the_book(cells, columns, settings)
        columns = solve_by_the_book(cells.T.tocsr(), rows, settings)
    factors = factorize(cells, start, settings)
    assert factors[0] == pytest.approx(rows, abs=1e-9)
    assert factors[1] == pytest.approx(columns, abs=1e-9)
    assert not factors[0][1].any()


def test_the_objective_never_rises() -> None:
    settings, cells = make_settings(0.01, 0.5), make_cells(2)
    columns = np.random.RandomState(0).standard_normal((7, 3))
    values = [measure_objective(cells, np.zeros((9, 3)), columns, 0.01, 0.5)]
    for _ in range(20):
        rows = solve_rows(cells, columns, settings)
        values.append(measure_objective(cells, rows, columns, 0.01, 0.5))
        columns = solve_rows(cells.T.tocsr(), rows, settings)
        values.append(measure_objective(cells, rows, columns, 0.01, 0.5))
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(values))
    assert values[-1] < values[0] / 2


def test_a_factorization_by_hand() -> None:
    """One text with one word, x = 3, one dimension, no chance: q = 3 p / (p^2 + r), for p = 2 and r = 2 that is 1."""
    cells = sp.csr_matrix([[3.0]])
    rows, columns = factorize(cells, np.array([[2.0]]), make_settings(0.01, 2.0))
    assert (rows.tolist(), columns.tolist()) == ([[pytest.approx(1)]], [[pytest.approx(1)]])  # 3 q / (q^2 + 2)


def test_rows_are_grouped_by_their_number_of_cells() -> None:
    """Rows with 2, 0, 1 and 2 cells: the cells 0 and 1, none, 2, and 3 and 4."""
    cells = sp.csr_matrix([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]])
    groups = [(rows.tolist(), places.tolist()) for rows, places in _group_rows(cells, 5)]
    assert groups == [([2], [[2]]), ([0, 3], [[0, 1], [3, 4]])]


def test_rows_are_solved_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several threads would mainly wait for each other."""
    limits: list[dict[str, object]] = []

    def limit(_: object, **settings: object) -> nullcontext[None]:
        limits.append(settings)
        return nullcontext()

    monkeypatch.setattr(ThreadpoolController, "limit", limit)
    solve_rows(make_cells(1), np.ones((7, 2)), make_settings(0.01, 0.5))
    assert limits == [{"limits": 1, "user_api": "blas"}]


def test_vectors_of_words_start_with_the_random_numbers_of_seed_0() -> None:
    """The columns of the cells are the words in alphabetical order, and the rows are the texts."""
    settings = WtmfSettings(dimension=2, regularization=0.1, missing_weight=0.01, iterations=1)
    learned = Wtmf(words_of, settings).learn(["b a", "a c"])
    cells = np.log([[1, 2, 1], [1, 1, 2]])  # "a" is in both texts, so its weight is 0
    observed = sp.csr_matrix((cells[[0, 0, 1, 1], [0, 1, 0, 2]], ([0, 0, 1, 1], [0, 1, 0, 2])), shape=(2, 3))
    # The first numbers of a normal distribution that NumPy's RandomState draws with the seed 0.
    start = np.array([[1.764052, 0.400157], [0.978738, 2.240893], [1.867558, -0.977278]])
    _, expected = factorize(observed, start, make_settings(0.01, 0.1))
    assert learned.word_vectors == pytest.approx(expected, abs=1e-5)


def train_wtmf(pairs: list[tuple[str, str]] = PAIRS, **settings: float) -> WtmfEncoder:
    defaults = {"dimension": 5, "regularization": 0.1, "missing_weight": 0.01, "iterations": 20}
    chosen = WtmfSettings(**{**defaults, **settings})
    return Wtmf(words_of, chosen).learn(list({text for pair in pairs for text in pair}))


def test_wtmf_weighs_words_by_how_few_texts_have_them() -> None:
    """Of three distinct texts, "a" is in all, "b" in two, "c" in one: ln 1, ln 3/2, ln 3. A text has "c" twice."""
    encoder = train_wtmf([("a b", "a b c c"), ("a", "a b")], missing_weight=1.0, regularization=0.001)
    cells = np.log([[1, 3 / 2, 1], [1, 3 / 2, 9], [1, 1, 1]])
    rebuilt = encoder.encode(["a b", "A B; c c!", "a"]) @ encoder.word_vectors.T
    assert encoder.words == ("a", "b", "c")
    assert rebuilt == pytest.approx(cells, abs=0.01)


def test_wtmf_skips_words_that_it_does_not_know() -> None:
    encoder = train_wtmf()
    vectors = encoder.encode(["Two towns", "two unheard unseen towns", "", "unheard", "two two"])
    assert vectors.shape == (5, 5)
    assert vectors[0].tolist() == pytest.approx(vectors[1].tolist())
    assert not vectors[2:4].any()
    assert encoder.encode([]).shape == (0, 5)


def test_wtmf_has_a_vector_per_word_of_the_training_texts() -> None:
    encoder = train_wtmf()
    assert len(encoder.words) == 22
    assert list(encoder.words) == sorted({word for pair in PAIRS for text in pair for word in words_of(text)})
    assert encoder.word_vectors.shape == (22, 5)
    unit = normalize(encoder.word_vectors)
    nearest_words = [encoder.words[number] for number in np.argsort(-unit @ unit[encoder.words.index("storms")])]
    assert set(nearest_words[:4]) == {"storms", "flooded", "two", "towns"}


def test_wtmf_does_not_depend_on_the_order_of_texts() -> None:
    wtmf = load_model("wtmf").scorer
    expected = wtmf.learn(["a b c", "b c d", "a d"]).word_vectors
    assert wtmf.learn(["a d", "b c d", "a b c"]).word_vectors.tolist() == expected.tolist()


@pytest.mark.parametrize("texts", [[], ["", "..."]])
def test_wtmf_needs_words(texts: list[str]) -> None:
    with pytest.raises(ModelError, match=mentions("wtmf: ... no words. ... other texts")):
        load_model("wtmf").scorer.learn(texts)


COUNT_THREADS = """
import numpy as np, scipy.linalg, scipy.sparse as sp
from harness.models.kinds.wtmf import WtmfSettings, factorize
random = np.random.RandomState(0)
cells = sp.csr_matrix(random.uniform(size=(300, 200)) * (random.uniform(size=(300, 200)) < 0.1))
cells[:, 0] = 1.0
rows, _ = factorize(sp.csr_matrix(cells), random.standard_normal((200, 100)), WtmfSettings(100, 0.1, 0.01, 5))
rows /= np.linalg.norm(rows, axis=1, keepdims=True)
print(np.round(rows[:150] @ rows[150:].T, 6).tobytes().hex())
"""


def test_wtmf_is_the_same_with_any_number_of_threads() -> None:
    outputs = []
    for threads in ("1", "2"):
        numbers = {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        outputs.append(
            subprocess.run([sys.executable, "-W", "ignore", "-c", COUNT_THREADS], env=numbers, stdout=-1).stdout
        )
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


def test_kinds() -> None:
    assert GROUPS[:2] == ("baselines", "trained baselines")
    assert {name: find_group(name) for name in TRAINED if name != "majority"} == dict.fromkeys(
        ["logistic-regression", "das-smith", "overlap-svm", "wtmf", "ormf"], "trained baselines"
    )
    assert find_group("majority") == "chance"  # it learns, but reads no text
    assert load_model("wtmf").cutoff is None
    defaults = {"dimension": 100, "regularization": 20.0, "missing_weight": 0.01, "iterations": 20}
    assert load_model("wtmf").options == {"tokenizer": "own", **defaults}
    usual = "wtmf,dimension=100,regularization=20,missing_weight=1e-2,iterations=20,tokenizer=own"
    assert parse_spec(usual).title == "wtmf"
    assert load_model(usual).fingerprint == load_model("wtmf").fingerprint
    specs = [*TRAINED, *(f"wtmf,{name}=1" for name in WtmfSettings._fields[:4])]
    assert len({load_model(spec).fingerprint for spec in specs}) == 10
    assert load_model("wtmf,regularization=2.5,dimension=50").name == "wtmf (dimension=50, regularization=2.5)"
    trained = load_model("wtmf,dimension=3,iterations=2").scorer.learn([text for pair in PAIRS for text in pair])
    assert trained.word_vectors.shape == (22, 3)


@pytest.mark.needs("spacy")
@pytest.mark.parametrize("spec", ["wtmf", "logistic-regression"])
def test_the_papers_tokenizer(spec: str) -> None:
    model = load_model(f"{spec},tokenizer=spacy")
    assert model.options["tokenizer"] == "spacy"
    assert model.fingerprint != load_model(spec).fingerprint
    assert score(teach(model.scorer, PAIRS, LABELS)).shape == (4,)


@pytest.mark.parametrize(
    ("option", "remedy"),
    [
        ("dimension=0", "Use a whole number from 1 to 1000"),
        ("dimension=2.5", "Use a whole number from 1 to 1000"),
        ("iterations=1001", "Use a whole number from 1 to 1000"),
        ("regularization=0", "Use a number from 0.001 to 1000000"),
        ("regularization=inf", "Use a number from 0.001 to 1000000"),
        ("missing_weight=nan", "Use a number from 0 to 1"),
        ("missing_weight=1.5", "Use a number from 0 to 1"),
    ],
)
def test_options_out_of_range(option: str, remedy: str) -> None:
    name, _, value = option.partition("=")
    with pytest.raises(OptionError, match=mentions(f"option {name} ... '{value}'. {remedy}")):
        load_model(f"wtmf,{option}")
