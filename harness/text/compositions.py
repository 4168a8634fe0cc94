"""Ways to compose the vectors of words into the vector of a text.

A text consists of the words w_1, ..., w_n, with repetitions, and v(w) is the vector of the word w. Words without a
vector are left out. The similarity of two texts is the cosine of their vectors, which does not depend on their lengths.
Therefore a sum and a mean are the same composition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Floats
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.words import is_function_word, normalize_word

Singles = npt.NDArray[np.float32]

Weights = Callable[[str], float]
"""A function that returns the weight of a word."""

SIF_SMOOTHING = 1e-3
"""The parameter a of SIF, from Arora et al. (2017)."""

DIRECTION_DECIMALS = 8
"""Decimals of the first principal component. Its last digits depend on the linear algebra library and the number of
threads, and rounding makes the results equal."""

_LEAST_SHARE = 1e-6
"""If the removal of a component leaves less than this share of the length of a vector, it leaves a rounding error."""

_FREQUENCIES = "wordfreq"


def select_content_words(words: Sequence[str]) -> list[str]:
    """Keep the words that are not in the list of function words of this benchmark (`pyramid_paraphrase.words`)."""
    return [word for word in words if not is_function_word(word)]


def weigh_equally(texts: Iterable[Sequence[str]]) -> Weights:
    """Give each word the weight 1."""
    del texts
    return lambda _: 1.0


def weigh_by_idf(texts: Iterable[Sequence[str]]) -> Weights:
    """Weigh words by their inverse document frequency in the texts (Sparck Jones 1972).

    The weight is ln((1 + N) / (1 + N(w))) + 1, where N is the number of texts and N(w) the number of texts with the
    word w, in any case. This is the smoothed form of scikit-learn, which `tf-idf` also uses.
    """
    counts: Counter[str] = Counter()
    text_count = 0
    for words in texts:
        counts.update(set(map(normalize_word, words)))
        text_count += 1
    return lambda word: float(np.log((1 + text_count) / (1 + counts[normalize_word(word)]))) + 1


def weigh_by_probability(texts: Iterable[Sequence[str]]) -> Weights:
    """Weigh words by a / (a + p(w)), the smooth inverse frequency of Arora et al. (2017), equation 3.

    a is `SIF_SMOOTHING`. p(w) is the relative frequency of the word w in English, in any case, from the package
    wordfreq. It is 0 for words that the package does not contain, so their weight is 1.

    Raises:
        MissingExtraError: If wordfreq is not installed.
    """
    del texts
    find_frequency = require(_FREQUENCIES, _FREQUENCIES).word_frequency
    return lambda word: SIF_SMOOTHING / (SIF_SMOOTHING + find_frequency(normalize_word(word), "en"))


def add(vectors: Floats, weights: Floats) -> Floats:
    """Add the weighted vectors: the sum of weight(w_i) v(w_i).

    Args:
        vectors: Vectors of the words of a text, shape (n, dimension).
        weights: Weights of the words, shape (n,).

    Returns:
        Shape (dimension,). Zeros if n is 0.
    """
    return np.asarray((vectors * weights[:, np.newaxis]).sum(axis=0))


def add_unit_vectors(vectors: Floats, weights: Floats) -> Floats:
    """Add the weighted vectors of unit length: the sum of weight(w_i) v(w_i) / |v(w_i)|.

    The length of a word's vector depends on the frequency of the word (Schakel and Wilson 2015). This composition
    removes its effect. Arguments and result are as for `add`.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return add(vectors / np.where(norms > 0, norms, 1), weights)


def average(vectors: Floats, weights: Floats) -> Floats:
    """Average the weighted vectors: 1/n times the sum of weight(w_i) v(w_i). Arguments and result are as for `add`."""
    return add(vectors, weights) / max(len(vectors), 1)


def take_extremes(vectors: Floats, weights: Floats) -> Floats:
    """Concatenate the maximum and the minimum of each dimension: max_i v(w_i) and min_i v(w_i) (De Boom et al. 2016).

    The maximum alone would depend on the sign of each dimension, which is arbitrary in word embeddings.

    Args:
        vectors: Vectors of the words of a text, shape (n, dimension).
        weights: Not used.

    Returns:
        Shape (2 dimension,). Zeros if n is 0.
    """
    del weights
    if not len(vectors):
        return np.zeros(2 * vectors.shape[1])
    return np.concatenate([vectors.max(axis=0), vectors.min(axis=0)])


def remove_first_component(vectors: Singles) -> Singles:
    """Subtract from each vector x its projection u u^T x / u^T u (Arora et al. 2017, algorithm 1).

    u is the first principal component of the vectors of all texts, without centering: the first singular vector of the
    matrix with a row per text. The result does not depend on its sign. One thread computes u, and u is rounded to
    `DIRECTION_DECIMALS`, so the result does not depend on the number of threads. If the two largest singular values
    are equal, u is arbitrary. A vector becomes zero if the subtraction leaves only rounding errors.

    Args:
        vectors: Shape (texts, dimension).

    Returns:
        The same shape.
    """
    from threadpoolctl import threadpool_limits  # imported here, because few models need it

    exact = vectors.astype(np.float64)
    with threadpool_limits(1):
        # The eigenvalues are the squared singular values, in ascending order.
        _, components = np.linalg.eigh(exact.T @ exact)
    direction = np.round(components[:, -1], DIRECTION_DECIMALS)
    shares = (exact * direction).sum(axis=1) / (direction * direction).sum()
    residuals = exact - np.outer(shares, direction)
    is_kept = np.linalg.norm(residuals, axis=1) > _LEAST_SHARE * np.linalg.norm(exact, axis=1)
    return np.where(is_kept[:, np.newaxis], residuals, 0.0).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Composition:
    """A way to compose the vectors of words into the vector of a text.

    Attributes:
        select: Function that selects the words of a text.
        weigh: Function that returns the weights of words, given the words of all texts.
        pool: Function that computes the vector of a text from the vectors of its words, shape (n, dimension), and their
            weights, shape (n,). The dimension of the result does not depend on n.
        finish: Function that computes the final vectors of all texts, shape (texts, dimension).
        is_transductive: Whether the vector of a text depends on the other texts.
        extra: The extra of this project that the composition needs. Empty if it needs none.
    """

    select: Callable[[Sequence[str]], list[str]] = list
    weigh: Callable[[Iterable[Sequence[str]]], Weights] = weigh_equally
    pool: Callable[[Floats, Floats], Floats] = add
    finish: Callable[[Singles], Singles] = np.asarray
    is_transductive: bool = False
    extra: str = ""


SUM = "sum"
"""The default: the normalized sum of the vectors of the words (Baumel et al. 2016, section 4)."""

COMPOSITIONS = {
    SUM: Composition(),
    "unit-sum": Composition(pool=add_unit_vectors),
    "idf": Composition(weigh=weigh_by_idf, is_transductive=True),
    "sif": Composition(
        weigh=weigh_by_probability,
        pool=average,
        finish=remove_first_component,
        is_transductive=True,
        extra=_FREQUENCIES,
    ),
    "content-words": Composition(select=select_content_words),
    "max-min": Composition(pool=take_extremes),
}
"""All compositions by their names in specs. The default comes first."""
