"""The baselines that are trained on labelled pairs or on texts.

Logistic regression on the overlap in n-grams is the supervised baseline of SemEval-2015 Task 1 (Xu et al. 2015, section
5), with a cutoff of 0.5. Das and Smith (2009) use these features, which are from Wan et al. (2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def measure_overlap(texts: Sequence[Sequence[str]], pairs: Indices) -> Floats:
    """Measure the overlap of pairs in n-grams of each of `SIZES`.

    The number of matches m is the sum over n-grams of the smaller of the two counts. With a n-grams in the first text
    and b n-grams in the second text, precision = m / a, recall = m / b and F = 2 m / (a + b). A quotient with a
    denominator of 0 is 0. If the texts are exchanged, precision and recall are exchanged.

    Args:
        texts: The words of each text.
        pairs: Indices of the texts of each pair, shape (n, 2).

    Returns:
        Shape (n, 9), in [0, 1]: for each of `SIZES`, precision, recall and F.
    """
    _, codes = number_texts(chain.from_iterable(texts))
    lengths = np.array(list(map(len, texts)), dtype=np.int64)
    columns = []
    for size in SIZES:
        counts = count_ngrams(codes, lengths, size)
        totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        first, second = totals[pairs[:, 0]], totals[pairs[:, 1]]
        shared = np.asarray(counts[pairs[:, 0]].minimum(counts[pairs[:, 1]]).sum(axis=1), dtype=np.float64).ravel()
        columns += [divide(shared, first), divide(shared, second), divide(2 * shared, first + second)]
    return np.stack(columns, axis=1)


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


_INVERSE_PENALTY = 1.0
_TOLERANCE = 1e-10


class OverlapRegression:
    """A trainable model that estimates the probability of a paraphrase from the overlap of two texts.

    The features are those of `measure_features`, standardized to mean 0 and variance 1 on the training pairs. The
    weights minimize the logistic loss plus half their squared norm (C = 1 in scikit-learn's terms, its default).
    Newton's method finds them without randomness, to more decimals than scores have.

    The score depends on the order of a pair: precision and recall have different weights, and are exchanged if the
    texts are exchanged.

    Args:
        tokenize: Function that divides a text into words in lower case.
    """

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> FittedRegression:
        """Train on labelled pairs.

        Raises:
            ModelError: If all pairs have the same label.
        """
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        if len(np.unique(labels)) < 2:
            reason = "logistic-regression: all training pairs have the same label"
            raise ModelError(f"{reason}. Use training pairs with both labels")
        regression = LogisticRegression(C=_INVERSE_PENALTY, solver="newton-cholesky", tol=_TOLERANCE)
        fitted = make_pipeline(StandardScaler(), regression).fit(measure_features(pairs, self._tokenize), labels)
        return FittedRegression(fitted, self._tokenize)


class FittedRegression:
    """A scorer of pairs by the probability that they are paraphrases.

    Args:
        pipeline: A fitted pipeline of scikit-learn.
        tokenize: Function that divides a text into words in lower case, the same as for the training pairs.
    """

    def __init__(self, pipeline: Any, tokenize: Tokenizer) -> None:  # noqa: ANN401
        self._pipeline, self._tokenize = pipeline, tokenize

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Estimate probabilities, shape (n,)."""
        return np.asarray(self._pipeline.predict_proba(measure_features(pairs, self._tokenize))[:, 1])


def measure_features(pairs: Sequence[tuple[str, str]], tokenize: Tokenizer) -> Floats:
    """Measure the overlap of pairs in words, then in stems (Porter 1980).

    Args:
        pairs: n pairs, at least one.
        tokenize: Function that divides a text into words in lower case.

    Returns:
        Shape (n, 18): precision, recall and F of 1-, 2- and 3-grams of words, then of stems.
    """
    texts, indices = number_texts(chain.from_iterable(pairs))
    words = list(map(tokenize, texts))
    stems = [list(map(stem_word, text)) for text in words]
    return np.hstack([measure_overlap(forms, indices.reshape(-1, 2)) for forms in (words, stems)])


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


def load_wtmf(spec: kinds.Spec) -> Model:
    """Make the untrained unsupervised baseline."""
    from harness.models.kinds.wtmf import Wtmf, WtmfSettings  # imported here, because scipy takes long

    settings = WtmfSettings(**{name: spec.settings[name] for name in WtmfSettings._fields})
    return kinds.describe_words(spec, lambda tokenize: Wtmf(tokenize, settings))


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
    load=lambda spec: kinds.describe_words(spec, OverlapRegression, cutoff=CUTOFF),
    options=(kinds.TOKENIZER, kinds.TRAIN_ON),
    tests=kinds.ONLY_PAIRS,
)
WTMF = kinds.ModelKind(
    name="wtmf",
    meaning="weighted textual matrix factorization of all texts",
    example="wtmf,dimension=50,iterations=10",
    group="trained baselines",
    load=load_wtmf,
    options=(
        kinds.TOKENIZER,
        # The next three defaults are from Guo and Diab (2012).
        kinds.make_number("dimension", Range(1, 1000), 100),
        kinds.make_number("regularization", Range(0.001, 1_000_000, is_whole=False), 20.0),
        kinds.make_number("missing_weight", PROBABILITY, 0.01),
        kinds.make_number("iterations", Range(1, 1000), 20),
        kinds.SIMILARITY,
    ),
)
