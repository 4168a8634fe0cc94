"""Weighted textual matrix factorization (Guo and Diab 2012), the unsupervised baseline of SemEval-2015 Task 1.

Short texts have few words, so missing words also contain information about the meaning. Therefore the matrix of texts
and words is factorized with all its cells, by alternating least squares. The weight of a cell is 1 if the text contains
the word, and much less otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from threadpoolctl import ThreadpoolController

from harness.models.interfaces.model import Coverage
from harness.support.arrays import Floats, Indices
from harness.support.errors import ModelError
from harness.text.words import Tokenizer

_BYTES_AT_ONCE = 1 << 18
"""Size of the factors that are gathered at once, so that they fit into the processor's cache."""


class WtmfSettings(NamedTuple):
    """Settings of a factorization.

    Attributes:
        dimension: Dimension of the vectors.
        regularization: Weight of the squared norms of the factors, above 0.
        missing_weight: Weight of the squared value of a missing cell, of a word that a text does not contain, in
            [0, 1]. The weight of an observed cell is 1.
        iterations: Number of iterations, at least 1. Each iteration solves for texts, then for words.
        orthogonal: Whether the dimensions are orthogonal (OrMF, Guo, Liu and Diab 2014): after each iteration, the
            vectors of words are replaced by the closest ones whose dimensions are orthogonal and equally long.
    """

    dimension: int
    regularization: float
    missing_weight: float
    iterations: int
    orthogonal: bool = False


def factorize(cells: sp.csr_matrix, start: Floats, settings: WtmfSettings) -> tuple[Floats, Floats]:
    """Factorize a matrix by alternating least squares. Each iteration solves for the rows, then for the columns.

    Args:
        cells: Shape (rows, columns). All stored cells are observed, including zeros.
        start: Initial factors of the columns, shape (columns, dimension).
        settings: Weights of the other terms, and the number of iterations.

    Returns:
        Factors of the rows, shape (rows, dimension), and of the columns, shape (columns, dimension). The factors of the
        columns are optimal for the factors of the rows, unless they are made orthogonal.
    """
    transposed = sp.csr_matrix(cells.T)
    columns = start
    for _ in range(settings.iterations):
        rows = solve_rows(cells, columns, settings)
        columns = solve_rows(transposed, rows, settings)
        if settings.orthogonal:
            columns = make_orthogonal(columns)
    return rows, columns


def make_orthogonal(factors: Floats) -> Floats:
    """Find the closest factors whose dimensions are orthogonal and equally long, by the polar decomposition.

    With the singular value decomposition F = U S V', these are s U V', where s^2 is the mean of the squared singular
    values. The squared norm of all factors stays the same.

    Args:
        factors: Shape (n, dimension).
    """
    with _control_threads().limit(limits=1, user_api="blas"):
        left, values, right = np.linalg.svd(factors, full_matrices=False)
        return np.asarray(np.sqrt(np.mean(values**2)) * (left @ right))


def solve_rows(cells: sp.csr_matrix, factors: Floats, settings: WtmfSettings) -> Floats:
    """Find the factors of rows that are optimal for given factors of columns.

    The factors of row i are (sum_j w_ij f_j f_j' + r I)^-1 sum_j w_ij x_ij f_j, where f_j are the factors of column j
    and r is the regularization. All rows share A = m F'F + r I, where m is the weight of missing cells (Hu, Koren and
    Volinsky 2008). Let A = L L' be the Cholesky decomposition, and let V be the rows of F L'^-1 for the columns in
    which row i has cells. Then the factors of row i are L'^-1 z, where

    z = (I + (1 - m) V'V)^-1 V'x = V' (I + (1 - m) V V')^-1 x.

    By the Woodbury identity, the size of this system is the dimension or the number of cells, whichever is smaller.
    Rows with the same number of cells are solved together. A single thread is used, because the systems are so small
    that several threads would mainly wait for each other.

    Args:
        cells: Shape (rows, columns). All stored cells are observed, including zeros.
        factors: Factors of the columns, shape (columns, dimension).
        settings: Weights of the other terms.

    Returns:
        Shape (rows, dimension). Zeros for rows without cells.
    """
    dimension = factors.shape[1]
    solutions = np.zeros((cells.shape[0], dimension))
    with _control_threads().limit(limits=1, user_api="blas"):
        common = settings.missing_weight * (factors.T @ factors) + settings.regularization * np.eye(dimension)
        lower = np.linalg.cholesky(common)
        whitened = scipy.linalg.solve_triangular(lower, factors.T, lower=True).T.copy()
        for rows, places in _group_rows(cells, dimension):
            gathered = whitened[cells.indices[places]]
            solutions[rows] = _solve_same_size(gathered, cells.data[places], 1 - settings.missing_weight)
        return np.asarray(scipy.linalg.solve_triangular(lower, solutions.T, lower=True, trans="T").T)


@cache
def _control_threads() -> ThreadpoolController:
    return ThreadpoolController()


def _group_rows(cells: sp.csr_matrix, dimension: int) -> Iterator[tuple[Indices, Indices]]:
    """Yield rows with the same number of cells, shape (n,), and the indices of their cells, shape (n, cells)."""
    counts = np.diff(cells.indptr)
    order = np.argsort(counts, kind="stable")
    ranked = counts[order]
    for size in np.unique(counts[counts > 0]).tolist():
        group = order[slice(*np.searchsorted(ranked, [size, size + 1]))]
        step = max(1, _BYTES_AT_ONCE // (size * dimension * 8))
        for start in range(0, len(group), step):
            rows = group[start : start + step]
            yield rows, cells.indptr[rows].astype(np.int64)[:, None] + np.arange(size)


def _solve_same_size(gathered: Floats, values: Floats, extra: float) -> Floats:
    """Solve rows with the same number of cells.

    Args:
        gathered: V of each row, shape (n, cells, dimension).
        values: x of each row, shape (n, cells).
        extra: Weight of an observed cell minus the weight of a missing cell.

    Returns:
        z of each row, shape (n, dimension).
    """
    across = gathered.transpose(0, 2, 1)
    cells, dimension = gathered.shape[1:]
    target = values[:, :, None]
    if cells <= dimension:
        solved = np.linalg.solve(np.eye(cells) + extra * (gathered @ across), target)
        return np.asarray((across @ solved)[:, :, 0])
    return np.asarray(np.linalg.solve(np.eye(dimension) + extra * (across @ gathered), across @ target)[:, :, 0])


_SEED = 0


class Wtmf:
    """A trainable model that learns vectors of words from texts.

    The value of a cell is the number of occurrences of a word in a text times ln(N / n), where N is the number of texts
    and n the number of texts with the word. The vectors of words are initialized with normal random numbers. The result
    does not depend on the order of the texts.

    Args:
        tokenize: Function that divides a text into words in lower case.
        settings: Settings of the factorization.
        name: Name of the kind, for messages.

    Attributes:
        settings: The settings.
    """

    def __init__(self, tokenize: Tokenizer, settings: WtmfSettings, name: str = "wtmf") -> None:
        self._tokenize, self.settings, self._name = tokenize, settings, name

    def learn(self, texts: list[str]) -> WtmfEncoder:
        """Train on distinct texts.

        Raises:
            ModelError: If the texts contain no words.
        """
        words, weights, cells = lay_out_cells([self._tokenize(text) for text in sorted(texts)])
        if not words:
            raise ModelError(f"{self._name}: the training texts contain no words. Use other texts")
        start = np.random.RandomState(_SEED).standard_normal((len(words), self.settings.dimension))
        _, vectors = factorize(cells, start, self.settings)
        return WtmfEncoder(words, vectors, weights, self._tokenize, self.settings)


def lay_out_cells(texts: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], Floats, sp.csr_matrix]:
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
        settings: The settings with which the vectors of words were learned.

    Attributes:
        words: The words that have a vector.
        word_vectors: The vectors of the words. Words that occur in similar texts have similar vectors.
        unknown: The share of words without a vector in the texts that were encoded last.
    """

    def __init__(
        self, words: tuple[str, ...], word_vectors: Floats, weights: Floats, tokenize: Tokenizer, settings: WtmfSettings
    ) -> None:
        self.words, self.word_vectors = words, word_vectors
        self._weights, self._tokenize, self._settings = weights, tokenize, settings
        self._numbers = {word: number for number, word in enumerate(words)}
        self.unknown = Coverage(0, 0)

    def encode(self, texts: list[str]) -> Floats:
        """Solve for the vector of each text, shape (n, dimension). The vectors of texts without a known word are 0."""
        tokens = [self._tokenize(text) for text in texts]
        counts = count_words(tokens, self._numbers)
        total = sum(map(len, tokens))
        if total:
            without = int(np.count_nonzero(np.diff(counts.indptr) == 0))
            self.unknown = Coverage((total - float(counts.sum())) / total, without / len(texts))
        return solve_rows(weigh_counts(counts, self._weights), self.word_vectors, self._settings)


def count_words(texts: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> sp.csr_matrix:
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
