"""Logistic regression on the overlap in n-grams, the supervised baseline of the paraphrase literature.

Das and Smith (2009) use these features, after Wan et al. (2006); SemEval-2015 Task 1 (Xu et al. 2015, section 5) has
the model as its supervised baseline, with 0.5 as the cutoff.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.trained.ngram_overlap import code_texts, measure_overlap, recode
from harness.support.errors import ModelError
from harness.text.porter import stem_word
from harness.text.tokenizers import Tokenizer

Floats = npt.NDArray[np.float64]

_INVERSE_PENALTY = 1.0
_TOLERANCE = 1e-10


class OverlapRegression:
    """Learns how likely pairs of an overlap are paraphrases.

    The features are those of `measure_features`, each brought to mean 0 and variance 1 on the training pairs.
    The weights minimise the logistic loss plus half their squared norm (C = 1 in scikit-learn's terms, its default);
    Newton's method finds them to more decimals than scores have, without chance.

    The order of a pair counts: precision and recall, which have weights of their own, change places with it.

    Args:
        tokenize: Text to words in lower case.
    """

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> FittedRegression:
        """Learn from pairs.

        Raises:
            ModelError: If all pairs have the same label.
        """
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        if len(np.unique(labels)) < 2:
            raise ModelError("logistic-regression: needs pairs of both labels to learn from; train it on other pairs")
        regression = LogisticRegression(C=_INVERSE_PENALTY, solver="newton-cholesky", tol=_TOLERANCE)
        fitted = make_pipeline(StandardScaler(), regression).fit(measure_features(pairs, self._tokenize), labels)
        return FittedRegression(fitted, self._tokenize)


class FittedRegression:
    """Scores pairs by the probability that they are paraphrases.

    Args:
        pipeline: A fitted pipeline of scikit-learn.
        tokenize: Text to words in lower case, the same as for the training pairs.
    """

    def __init__(self, pipeline: Any, tokenize: Tokenizer) -> None:  # noqa: ANN401
        self._pipeline, self._tokenize = pipeline, tokenize

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Estimate probabilities; shape (n,)."""
        return np.asarray(self._pipeline.predict_proba(measure_features(pairs, self._tokenize))[:, 1])


def measure_features(pairs: Sequence[tuple[str, str]], tokenize: Tokenizer) -> Floats:
    """Measure the overlap of pairs in words, then in stems (Porter 1980).

    Args:
        pairs: n pairs, at least one.
        tokenize: Text to words in lower case.

    Returns:
        Shape (n, 18): precision, recall and F of 1-, 2- and 3-grams of words, then of stems.
    """
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(text, len(numbers)) for text in pair] for pair in pairs]
    words = code_texts([tokenize(text) for text in numbers])
    stems = recode(words, [stem_word(word) for word in words.words])
    compared = np.array(rows, dtype=np.int64)
    return np.hstack([measure_overlap(words, compared), measure_overlap(stems, compared)])
