"""Logistic regression on the overlap in n-grams, the supervised baseline of the paraphrase literature.

Das and Smith (2009) use these features, which are from Wan et al. (2006). The model is the supervised baseline of
SemEval-2015 Task 1 (Xu et al. 2015, section 5), with a cutoff of 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.trained.ngram_overlap import code_texts, measure_overlap, recode
from harness.support.errors import ModelError
from harness.text.stems import stem_word
from harness.text.words import Tokenizer

Floats = npt.NDArray[np.float64]

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
    numbers: dict[str, int] = {}
    indices = [numbers.setdefault(text, len(numbers)) for text in chain.from_iterable(pairs)]
    words = code_texts([tokenize(text) for text in numbers])
    stems = recode(words, [stem_word(word) for word in words.words])
    indexed_pairs = np.array(indices, dtype=np.int64).reshape(-1, 2)
    return np.hstack([measure_overlap(words, indexed_pairs), measure_overlap(stems, indexed_pairs)])
