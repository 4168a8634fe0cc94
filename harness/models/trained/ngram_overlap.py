"""How much two texts overlap in n-grams: precision, recall and F, for all pairs of a list at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.stats.arithmetic import divide

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

SIZES = (1, 2, 3)
"""How many words the n-grams have."""

MEASURES = ("precision", "recall", "f1")


class CodedTexts(NamedTuple):
    """Texts as numbers of their words, one after the other.

    Attributes:
        words: The distinct words.
        codes: The words of the texts as indices into `words`, shape (words in all texts,).
        lengths: How many words each text has, shape (texts,).
    """

    words: tuple[str, ...]
    codes: Indices
    lengths: Indices


def code_texts(texts: Sequence[Sequence[str]]) -> CodedTexts:
    """Number the words of texts.

    Args:
        texts: The words of each.

    Returns:
        The same as numbers.
    """
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(word, len(numbers)) for word in chain.from_iterable(texts)]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return CodedTexts(tuple(numbers), np.array(codes, dtype=np.int64), lengths)


def recode(texts: CodedTexts, forms: Sequence[str]) -> CodedTexts:
    """Replace each distinct word by another form, such as its stem; equal forms become one word.

    Args:
        texts: The texts.
        forms: A form for each of `texts.words`.

    Returns:
        The texts in these forms.
    """
    coded = code_texts([forms])
    return CodedTexts(coded.words, coded.codes[texts.codes], texts.lengths)


def measure_overlap(texts: CodedTexts, pairs: Indices) -> Floats:
    """Measure the overlap of pairs in n-grams of each of `SIZES`.

    The number of matches m is the sum over n-grams of the smaller of the two counts. With a n-grams in the first text
    and b in the second, precision = m / a, recall = m / b, F = 2 m / (a + b); a quotient with a denominator of zero is
    0. Precision and recall change places if the texts do.

    Args:
        texts: The distinct texts.
        pairs: Which of them are compared, shape (n, 2).

    Returns:
        Shape (n, 9): for each of `SIZES`, each of `MEASURES`; in [0, 1].
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
        size: How many words an n-gram has, at least 1.

    Returns:
        Shape (texts, distinct n-grams). N-grams that reach from one text into the next have a column without counts.
    """
    owners = np.repeat(np.arange(len(texts.lengths)), texts.lengths)
    codes, distinct = texts.codes, len(texts.words)
    for following in range(1, size):
        # An n-gram is an n-gram that is one word shorter, and the word that follows it.
        values, codes = np.unique(codes[:-1] * len(texts.words) + texts.codes[following:], return_inverse=True)
        distinct = len(values)
    last = max(0, len(owners) - size + 1)
    within = owners[:last] == owners[size - 1 :]
    entries = (np.ones(int(within.sum())), (owners[:last][within], codes[:last][within]))
    return sp.csr_matrix(entries, shape=(len(texts.lengths), max(1, distinct)))
