"""Weighted textual matrix factorization (Guo and Diab 2012), the unsupervised baseline of SemEval-2015 Task 1.

Short texts have few words, so the words that a text lacks say something about its meaning, too. The matrix of texts and
words is therefore factorized with all its cells: cells of words that a text has weigh 1, all others much less.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from harness.models.trained.factorization import Floats, Penalties, factorize, solve_rows
from harness.support.errors import ModelError
from harness.text.tokenizers import Tokenizer

_SEED = 0


class WtmfSettings(NamedTuple):
    """Settings of a factorization.

    Attributes:
        dimension: Dimension of the vectors.
        regularization: Weight of the squared norms of the vectors, above 0.
        missing_weight: Weight of words that a text does not have, in [0, 1].
        iterations: How often texts and words are solved in turns.
    """

    dimension: int
    regularization: float
    missing_weight: float
    iterations: int

    @property
    def penalties(self) -> Penalties:
        """The terms that are minimised beside the error of observed cells."""
        return Penalties(self.missing_weight, self.regularization)


class Wtmf:
    """Learns vectors of words from texts.

    A cell is the number of times that a text has a word times ln(N / n), where n of the N texts have it. The vectors
    of words start as normal random numbers. The order of the texts does not count.

    Args:
        tokenize: Text to words in lower case.
        settings: Of the factorization.

    Attributes:
        settings: The settings.
    """

    def __init__(self, tokenize: Tokenizer, settings: WtmfSettings) -> None:
        self._tokenize, self.settings = tokenize, settings

    def learn(self, texts: list[str]) -> WtmfEncoder:
        """Learn from distinct texts.

        Raises:
            ModelError: If they have no words.
        """
        words, weights, cells = lay_out_cells([self._tokenize(text) for text in sorted(texts)])
        if not words:
            raise ModelError("wtmf: there is no word in the texts to learn from; give it others")
        start = np.random.RandomState(_SEED).standard_normal((len(words), self.settings.dimension))
        _, vectors = factorize(cells, start, self.settings.penalties, self.settings.iterations)
        return WtmfEncoder(words, vectors, weights, self._tokenize, self.settings.penalties)


def lay_out_cells(texts: list[list[str]]) -> tuple[tuple[str, ...], Floats, sp.csr_matrix]:
    """Make the matrix of texts and words.

    Args:
        texts: The words of each.

    Returns:
        The distinct words in alphabetical order, their inverse document frequencies, and a matrix of shape (texts,
        words).
    """
    words = tuple(sorted(set(chain.from_iterable(texts))))
    counts = count_words(texts, {word: number for number, word in enumerate(words)})
    weights = np.log(len(texts) / np.bincount(counts.indices, minlength=len(words)))
    return words, weights, weigh_counts(counts, weights)


class WtmfEncoder:
    """Gives a text the vector that is best for given vectors of words.

    Args:
        words: The words that have a vector.
        word_vectors: Their vectors, shape (words, dimension).
        weights: Inverse document frequencies, shape (words,).
        tokenize: Text to words in lower case.
        penalties: As the vectors of words were learned with.

    Attributes:
        words: As above.
        word_vectors: As above. Words that occur in similar texts have similar vectors.
    """

    def __init__(
        self, words: tuple[str, ...], word_vectors: Floats, weights: Floats, tokenize: Tokenizer, penalties: Penalties
    ) -> None:
        self.words, self.word_vectors = words, word_vectors
        self._weights, self._tokenize, self._penalties = weights, tokenize, penalties
        self._numbers = {word: number for number, word in enumerate(words)}

    def encode(self, texts: list[str]) -> Floats:
        """Solve for the vector of each text; shape (n, dimension), zero for texts without a known word."""
        counts = count_words([self._tokenize(text) for text in texts], self._numbers)
        return solve_rows(weigh_counts(counts, self._weights), self.word_vectors, self._penalties)


def count_words(texts: list[list[str]], numbers: Mapping[str, int]) -> sp.csr_matrix:
    """Count the known words of texts.

    Args:
        texts: The words of each.
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
    """Multiply each column by its weight. Cells that are stored stay stored, even if the weight is 0."""
    return sp.csr_matrix((counts.data * weights[counts.indices], counts.indices, counts.indptr), shape=counts.shape)
