"""The overlap of two texts in n-grams: precision, recall and F, for all pairs of a list at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.stats.rounding import divide

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

SIZES = (1, 2, 3)
"""Sizes of n-grams in words."""

MEASURES = ("precision", "recall", "f1")


class CodedTexts(NamedTuple):
    """Texts whose words are numbered. All texts are concatenated.

    Attributes:
        words: The distinct words.
        codes: The words of the texts as indices into `words`, shape (words in all texts,).
        lengths: Number of words of each text, shape (texts,).
    """

    words: tuple[str, ...]
    codes: Indices
    lengths: Indices


def code_texts(texts: Sequence[Sequence[str]]) -> CodedTexts:
    """Number the words of texts.

    Args:
        texts: The words of each text.

    Returns:
        The texts with numbered words.
    """
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(word, len(numbers)) for word in chain.from_iterable(texts)]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return CodedTexts(tuple(numbers), np.array(codes, dtype=np.int64), lengths)


def recode(texts: CodedTexts, forms: Sequence[str]) -> CodedTexts:
    """Replace each distinct word by another form, such as its stem. Equal forms become one word.

    Args:
        texts: The texts.
        forms: A form for each of `texts.words`.

    Returns:
        The texts with the forms as words.
    """
    coded = code_texts([forms])
    return CodedTexts(coded.words, coded.codes[texts.codes], texts.lengths)


def measure_overlap(texts: CodedTexts, pairs: Indices) -> Floats:
    """Measure the overlap of pairs in n-grams of each of `SIZES`.

    The number of matches m is the sum over n-grams of the smaller of the two counts. With a n-grams in the first text
    and b n-grams in the second text, precision = m / a, recall = m / b and F = 2 m / (a + b). A quotient with a
    denominator of 0 is 0. If the texts are exchanged, precision and recall are exchanged.

    Args:
        texts: The distinct texts.
        pairs: Indices of the texts of each pair, shape (n, 2).

    Returns:
        Shape (n, 9), in [0, 1]: for each of `SIZES`, all of `MEASURES`.
    """
    columns = []
    for size in SIZES:
        counts = count_ngrams(texts, size)
        totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        first, second = totals[pairs[:, 0]], totals[pairs[:, 1]]
        shared = np.asarray(counts[pairs[:, 0]].minimum(counts[pairs[:, 1]]).sum(axis=1), dtype=np.float64).ravel()
        columns += [divide(shared, first), divide(shared, second), divide(2 * shared, first + second)]
    return np.stack(columns, axis=1)


def count_ngrams(texts: CodedTexts, size: int) -> sp.csr_matrix:
    """Count the n-grams of each text.

    Args:
        texts: The texts.
        size: Number of words of an n-gram, at least 1.

    Returns:
        Shape (texts, distinct n-grams). N-grams that extend over two texts have a column without counts.
    """
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
    codes, distinct = texts.codes, len(texts.words)
    for following in range(1, size):
        # An n-gram is numbered by the number of its first n - 1 words and the number of its last word.
        values, codes = np.unique(codes[:-1] * len(texts.words) + texts.codes[following:], return_inverse=True)
        distinct = len(values)
    last = max(0, len(owners) - size + 1)
    within = owners[:last] == owners[size - 1 :]
    entries = (np.ones(int(within.sum())), (owners[:last][within], codes[:last][within]))
    return sp.csr_matrix(entries, shape=(len(texts.lengths), max(1, distinct)))
