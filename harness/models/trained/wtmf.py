"""Weighted textual matrix factorization (Guo and Diab 2012), the unsupervised baseline of SemEval-2015 Task 1.

Short texts have few words, so missing words also contain information about the meaning. Therefore the matrix of texts
and words is factorized with all its cells. The weight of a cell is 1 if the text contains the word, and much less
otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from harness.models.trained.factorization import Floats, Penalties, factorize, solve_rows
from harness.support.errors import ModelError
from harness.text.words import Tokenizer

_SEED = 0


class WtmfSettings(NamedTuple):
    """Settings of a factorization.

    Attributes:
        dimension: Dimension of the vectors.
        regularization: Weight of the squared norms of the vectors, above 0.
        missing_weight: Weight of words that a text does not contain, in [0, 1].
        iterations: Number of iterations. Each iteration solves for texts, then for words.
    """

    dimension: int
    regularization: float
    missing_weight: float
    iterations: int

    @property
    def penalties(self) -> Penalties:
        """The weights of the terms that are minimized in addition to the error of observed cells."""
        return Penalties(self.missing_weight, self.regularization)


class Wtmf:
    """A trainable model that learns vectors of words from texts.

    The value of a cell is the number of occurrences of a word in a text times ln(N / n), where N is the number of texts
    and n the number of texts with the word. The vectors of words are initialized with normal random numbers. The result
    does not depend on the order of the texts.

    Args:
        tokenize: Function that divides a text into words in lower case.
        settings: Settings of the factorization.

    Attributes:
        settings: The settings.
    """

    def __init__(self, tokenize: Tokenizer, settings: WtmfSettings) -> None:
        self._tokenize, self.settings = tokenize, settings

    def learn(self, texts: list[str]) -> WtmfEncoder:
        """Train on distinct texts.

        Raises:
            ModelError: If the texts contain no words.
        """
        words, weights, cells = lay_out_cells([self._tokenize(text) for text in sorted(texts)])
        if not words:
            raise ModelError("wtmf: the training texts contain no words. Use other texts")
        start = np.random.RandomState(_SEED).standard_normal((len(words), self.settings.dimension))
        _, vectors = factorize(cells, start, self.settings.penalties, self.settings.iterations)
        return WtmfEncoder(words, vectors, weights, self._tokenize, self.settings.penalties)


def lay_out_cells(texts: list[list[str]]) -> tuple[tuple[str, ...], Floats, sp.csr_matrix]:
    """Make the matrix of texts and words.

    Args:
        texts: The words of each text.

    Returns:
        The distinct words in alphabetical order, their inverse document frequencies, and a matrix of shape (texts,
        words).
    """
    words = tuple(sorted(set(chain.from_iterable(texts))))
    counts = count_words(texts, {word: number for number, word in enumerate(words)})
    weights = np.log(len(texts) / np.bincount(counts.indices, minlength=len(words)))
    return words, weights, weigh_counts(counts, weights)


class WtmfEncoder:
    """An encoder that gives a text the optimal vector for given vectors of words.

    Args:
        words: The words that have a vector.
        word_vectors: The vectors of the words, shape (words, dimension).
        weights: Inverse document frequencies of the words, shape (words,).
        tokenize: Function that divides a text into words in lower case.
        penalties: The penalties with which the vectors of words were learned.

    Attributes:
        words: The words that have a vector.
        word_vectors: The vectors of the words. Words that occur in similar texts have similar vectors.
    """

    def __init__(
        self, words: tuple[str, ...], word_vectors: Floats, weights: Floats, tokenize: Tokenizer, penalties: Penalties
    ) -> None:
        self.words, self.word_vectors = words, word_vectors
        self._weights, self._tokenize, self._penalties = weights, tokenize, penalties
        self._numbers = {word: number for number, word in enumerate(words)}

    def encode(self, texts: list[str]) -> Floats:
        """Solve for the vector of each text, shape (n, dimension). The vectors of texts without a known word are 0."""
        counts = count_words([self._tokenize(text) for text in texts], self._numbers)
        return solve_rows(weigh_counts(counts, self._weights), self.word_vectors, self._penalties)


def count_words(texts: list[list[str]], numbers: Mapping[str, int]) -> sp.csr_matrix:
    """Count the known words of texts.

    Args:
        texts: The words of each text.
        numbers: The column of each known word.

    Returns:
        Shape (texts, known words).
    """
    columns: list[int] = []
    starts = [0]
    for text in texts:
        columns += [numbers[word] for word in text if word in numbers]
        starts.append(len(columns))
    entries = (np.ones(len(columns)), np.array(columns, dtype=np.int64), np.array(starts, dtype=np.int64))
    counts = sp.csr_matrix(entries, shape=(len(texts), len(numbers)))
    counts.sum_duplicates()
    return counts


def weigh_counts(counts: sp.csr_matrix, weights: Floats) -> sp.csr_matrix:
    """Multiply each column by its weight. Stored cells remain stored, even if the weight is 0."""
    return sp.csr_matrix((counts.data * weights[counts.indices], counts.indices, counts.indptr), shape=counts.shape)
