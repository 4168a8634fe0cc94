"""The baselines that are trained on labelled pairs or on texts.

Logistic regression on the overlap in n-grams is the supervised baseline of SemEval-2015 Task 1 (Xu et al. 2015, section
5), with a cutoff of 0.5. Das and Smith (2009) use these features, which are from Wan et al. (2006). `das-smith` weighs
them as the organizers do. `overlap-svm` is the system with the highest F of the task (Eyecioglu and Keller 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces import kinds
from harness.models.interfaces.model import Model
from harness.models.kinds.baselines import Constant
from harness.stats.rounding import divide
from harness.support.arrays import Floats, Indices
from harness.support.errors import ModelError
from harness.text.stems import stem_word
from harness.text.words import Tokenizer
from pyramid_paraphrase.rules.ranges import PROBABILITY, Range

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


SIZES = (1, 2, 3)
"""Sizes of n-grams in words."""


def number_texts(texts: Iterable[str]) -> tuple[list[str], Indices]:
    """Number texts or words in the order of their first occurrences.

    Returns:
        The distinct texts, and the number of each text, an index into them.
    """
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), np.array(codes, dtype=np.int64)


def measure_overlap(texts: Sequence[Sequence[str]], pairs: Indices, *, distinct: bool = False) -> Floats:
    """Measure the overlap of pairs in n-grams of each of `SIZES`.

    The number of matches m is the sum over n-grams of the smaller of the two counts. With a n-grams in the first text
    and b n-grams in the second text, precision = m / a, recall = m / b and F = 2 m / (a + b). A quotient with a
    denominator of 0 is 0. If the texts are exchanged, precision and recall are exchanged.

    Args:
        texts: The words of each text.
        pairs: Indices of the texts of each pair, shape (n, 2).
        distinct: Whether each distinct n-gram of a text counts once.

    Returns:
        Shape (n, 9), in [0, 1]: for each of `SIZES`, precision, recall and F.
    """
    _, codes = number_texts(chain.from_iterable(texts))
    lengths = np.array(list(map(len, texts)), dtype=np.int64)
    columns = []
    for size in SIZES:
        counts = count_ngrams(codes, lengths, size)
        first, second, shared = count_shared(counts > 0 if distinct else counts, pairs)
        columns += [divide(shared, first), divide(shared, second), divide(2 * shared, first + second)]
    return np.stack(columns, axis=1)


def count_shared(counts: csr_matrix, pairs: Indices) -> tuple[Floats, Floats, Floats]:
    """Count the n-grams of the first text of each pair, of the second text, and of both, shape (n,) each.

    Args:
        counts: Shape (texts, distinct n-grams), numbers, or whether a text has an n-gram.
        pairs: Indices of the texts of each pair, shape (n, 2).
    """
    counts = counts.astype(np.float64)
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    shared = np.asarray(counts[pairs[:, 0]].minimum(counts[pairs[:, 1]]).sum(axis=1), dtype=np.float64).ravel()
    return totals[pairs[:, 0]], totals[pairs[:, 1]], shared


def count_ngrams(codes: Indices, lengths: Indices, size: int) -> csr_matrix:
    """Count the n-grams of each text.

    Args:
        codes: Numbers of the words of all texts, concatenated.
        lengths: Number of words of each text.
        size: Number of words of an n-gram, at least 1.

    Returns:
        Shape (texts, distinct n-grams). N-grams that extend over two texts have a column without counts.
    """
    import scipy.sparse as sp  # imported here, because importing it takes long

    owners = np.repeat(np.arange(len(lengths)), lengths)
    words = distinct = codes.max(initial=0) + 1
    ngrams = codes
    for following in range(1, size):
        # An n-gram is numbered by the number of its first n - 1 words and the number of its last word.
        values, ngrams = np.unique(ngrams[:-1] * words + codes[following:], return_inverse=True)
        distinct = len(values)
    last = max(0, len(owners) - size + 1)
    within = owners[:last] == owners[size - 1 :]
    entries = (np.ones(int(within.sum())), (owners[:last][within], ngrams[:last][within]))
    return sp.csr_matrix(entries, shape=(len(lengths), max(1, distinct)))


Measure = Callable[[Sequence[tuple[str, str]]], Floats]
"""A function from n pairs to their features, shape (n, features)."""

Fit = Callable[[Floats, Indices], Callable[[Floats], Floats]]
"""A function that fits a classifier to features and labels, and returns a function from features to scores."""

_INVERSE_PENALTY = 1.0
_TOLERANCE = 1e-10
_SIGMA = 10.0
"""Standard deviation of the prior of each weight in the organizers' baseline."""


class PairClassifier:
    """A trainable model that classifies pairs by features of their two texts.

    The score can depend on the order of a pair: precision and recall have different weights, and are exchanged if the
    texts are exchanged.

    Args:
        name: Name of the kind, for messages.
        measure: Function that measures the features.
        fit: Function that fits the classifier.
    """

    def __init__(self, name: str, measure: Measure, fit: Fit) -> None:
        self._name, self._measure, self._fit = name, measure, fit

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> FittedClassifier:
        """Train on labelled pairs.

        Raises:
            ModelError: If all pairs have the same label.
        """
        if len(np.unique(labels)) < 2:
            reason = f"{self._name}: all training pairs have the same label"
            raise ModelError(f"{reason}. Use training pairs with both labels")
        return FittedClassifier(self._measure, self._fit(self._measure(pairs), labels))


class FittedClassifier:
    """A scorer of pairs by a classifier.

    Args:
        measure: Function that measures the features, the same as for the training pairs.
        decide: Function from features to scores.
    """

    def __init__(self, measure: Measure, decide: Callable[[Floats], Floats]) -> None:
        self._measure, self._decide = measure, decide

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Compute probabilities, or other scores of the classifier, shape (n,)."""
        return np.asarray(self._decide(self._measure(pairs)))


def fit_regression(features: Floats, labels: Indices, sigma: float | None = None) -> Callable[[Floats], Floats]:
    """Fit a logistic regression, whose scores are probabilities.

    Newton's method finds the weights without randomness, to more decimals than scores have. The intercept is not
    penalized.

    Args:
        features: Shape (n, features).
        labels: Shape (n,).
        sigma: Standard deviation of the prior of each weight: the logistic loss plus the squared norm of the weights
            divided by 2 sigma^2 is minimized. None to standardize the features to mean 0 and variance 1 first, and to
            add half of the squared norm (C = 1 in scikit-learn's terms, its default).

    Returns:
        Function from features to the probabilities of a paraphrase.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    penalty = _INVERSE_PENALTY if sigma is None else sigma**2
    regression = LogisticRegression(C=penalty, solver="newton-cholesky", tol=_TOLERANCE)
    steps: list[Any] = [StandardScaler(), regression] if sigma is None else [regression]
    fitted = make_pipeline(*steps).fit(features, labels)
    return lambda rows: np.asarray(fitted.predict_proba(rows)[:, 1])


def fit_svm(features: Floats, labels: Indices, kernel: str) -> Callable[[Floats], Floats]:
    """Fit a support vector machine (C = 1), whose scores are distances from the margin, positive for paraphrases.

    The features are standardized. The pairs are sorted, so that the result does not depend on their order.

    Args:
        features: Shape (n, features).
        labels: Shape (n,).
        kernel: "linear" or "rbf".

    Returns:
        Function from features to scores.
    """
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    order = np.lexsort((labels, *features.T))
    fitted = make_pipeline(StandardScaler(), SVC(kernel=kernel)).fit(features[order], labels[order])
    return lambda rows: np.asarray(fitted.decision_function(rows))


def measure_features(pairs: Sequence[tuple[str, str]], tokenize: Tokenizer, *, distinct: bool = False) -> Floats:
    """Measure the overlap of pairs in words, then in stems (Porter 1980).

    Args:
        pairs: n pairs, at least one.
        tokenize: Function that divides a text into words in lower case.
        distinct: Whether each distinct n-gram of a text counts once.

    Returns:
        Shape (n, 18): precision, recall and F of 1-, 2- and 3-grams of words, then of stems.
    """
    texts, indices = number_texts(chain.from_iterable(pairs))
    words = list(map(tokenize, texts))
    stems = [list(map(stem_word, text)) for text in words]
    overlaps = [measure_overlap(forms, indices.reshape(-1, 2), distinct=distinct) for forms in (words, stems)]
    return np.hstack(overlaps)


def measure_sets(pairs: Sequence[tuple[str, str]], tokenize: Tokenizer) -> Floats:
    """Measure the sizes of sets of words and of sets of character bigrams (Eyecioglu and Keller 2015).

    Args:
        pairs: n pairs, at least one.
        tokenize: Function that divides a text into words in lower case.

    Returns:
        Shape (n, 8): the number of distinct words of the first text, of the second one, of both, and of either; then
        of pairs of neighbouring characters in lower case, blanks included.
    """
    texts, indices = number_texts(chain.from_iterable(pairs))
    columns = []
    for units, size in ((list(map(tokenize, texts)), 1), ([list(text.lower()) for text in texts], 2)):
        _, codes = number_texts(chain.from_iterable(units))
        counts = count_ngrams(codes, np.array(list(map(len, units)), dtype=np.int64), size)
        first, second, shared = count_shared(counts > 0, indices.reshape(-1, 2))
        columns += [first, second, shared, first + second - shared]
    return np.stack(columns, axis=1)


CUTOFF = 0.5
"""Lowest score at which a classifier calls a pair a paraphrase."""


class Majority:
    """A model that predicts the most frequent training label for all pairs."""

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Constant:
        """Count the labels.

        Returns:
            A scorer that gives all pairs 1 if at least half of the training pairs are paraphrases, otherwise 0.

        Raises:
            ModelError: If there are no pairs.
        """
        if not pairs:
            raise ModelError("majority: there are no training pairs. Train on at least one pair")
        return Constant(float(2 * int(labels.sum()) >= len(labels)))


def load_factorization(spec: kinds.Spec, *, orthogonal: bool = False) -> Model:
    """Make an unsupervised baseline: untrained, or learned from the texts that the spec names.

    Args:
        spec: The spec.
        orthogonal: Whether the dimensions are orthogonal.
    """
    from harness.models.kinds.wtmf import Wtmf, WtmfSettings  # imported here, because scipy takes long

    values = {name: value for name, value in spec.settings.items() if name in WtmfSettings._fields}
    settings = WtmfSettings(**values, orthogonal=orthogonal)
    content = {name: value for name, value in spec.settings.items() if name != kinds.TEXTS.name}
    texts = spec.settings[kinds.TEXTS.name]
    if texts is None:
        return kinds.describe_words(
            spec, lambda tokenize: Wtmf(tokenize, settings, spec.kind.name), content=content, options=content
        )
    content[kinds.TEXTS.name] = str(texts)
    model = kinds.describe_words(
        spec,
        lambda tokenize: Wtmf(tokenize, settings, spec.kind.name).learn(list(dict.fromkeys(texts.lines))),
        content=content,
        options=content,
    )
    return replace(model, find_coverage=lambda: model.scorer.unknown)


def _describe_classifier(
    spec: kinds.Spec, measure: Callable[[Sequence[tuple[str, str]], Tokenizer], Floats], fit: Fit, cutoff: float
) -> Model:
    """Describe an untrained classifier of features that depend on words."""
    return kinds.describe_words(
        spec,
        lambda tokenize: PairClassifier(spec.kind.name, lambda pairs: measure(pairs, tokenize), fit),
        cutoff=cutoff,
    )


MAJORITY = kinds.ModelKind(
    name="majority",
    meaning="the most frequent label of the training pairs",
    group="chance",
    load=lambda spec: kinds.describe_model(spec, Majority(), cutoff=CUTOFF),
    options=(kinds.TRAIN_ON,),
    tests=kinds.ONLY_PAIRS,
)
LOGISTIC_REGRESSION = kinds.ModelKind(
    name="logistic-regression",
    meaning="logistic regression on the overlap in n-grams of words and stems",
    group="trained baselines",
    load=lambda spec: _describe_classifier(spec, measure_features, fit_regression, CUTOFF),
    options=(kinds.TOKENIZER, kinds.TRAIN_ON),
    tests=kinds.ONLY_PAIRS,
)
DAS_SMITH = kinds.ModelKind(
    name="das-smith",
    meaning="logistic regression of SemEval-2015 task 1, on the overlap in distinct n-grams of words and stems",
    group="trained baselines",
    load=lambda spec: _describe_classifier(
        spec, partial(measure_features, distinct=True), partial(fit_regression, sigma=_SIGMA), CUTOFF
    ),
    options=(kinds.TOKENIZER, kinds.TRAIN_ON),
    tests=kinds.ONLY_PAIRS,
)
OVERLAP_SVM = kinds.ModelKind(
    name="overlap-svm",
    meaning="support vector machine on the overlap in words and in pairs of characters",
    group="trained baselines",
    load=lambda spec: _describe_classifier(
        spec, measure_sets, partial(fit_svm, kernel=spec.settings["kernel"]), cutoff=0.0
    ),
    options=(kinds.TOKENIZER, kinds.make_choice("kernel", ("linear", "rbf")), kinds.TRAIN_ON),
    tests=kinds.ONLY_PAIRS,
)
_FACTORIZATION_OPTIONS = (
    kinds.TOKENIZER,
    # The next three defaults are from Guo and Diab (2012).
    kinds.make_number("dimension", Range(1, 1000), 100),
    kinds.make_number("regularization", Range(0.001, 1_000_000, is_whole=False), 20.0),
    kinds.make_number("missing_weight", PROBABILITY, 0.01),
    kinds.make_number("iterations", Range(1, 1000), 20),
    kinds.TEXTS,
    kinds.SIMILARITY,
)
WTMF = kinds.ModelKind(
    name="wtmf",
    meaning="weighted textual matrix factorization of all texts",
    example="wtmf,dimension=50,iterations=10",
    group="trained baselines",
    load=load_factorization,
    options=_FACTORIZATION_OPTIONS,
)
ORMF = kinds.ModelKind(
    name="ormf",
    meaning="the same factorization with orthogonal dimensions",
    group="trained baselines",
    load=partial(load_factorization, orthogonal=True),
    options=_FACTORIZATION_OPTIONS,
)
