"""Near copies: scores that rank the rows almost like the scores of another model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

NEAR_COPY = 0.95
"""Minimum rank correlation of near copies. On DUC 2007, different models (MiniLM, tf-idf, wtmf, one-hot,
character n-grams) reach at most 0.926 on pairs and 0.887 on questions. Variants of one model reach more: 0.998 with
another precision, 0.950 to 0.998 with 256 or 320 of 384 dimensions."""

_MODELS_AT_ONCE = 64


def rank_scores(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Rank scores so that the mean product of the ranks of two models is their rank correlation (Spearman's rho).

    The options of a question are ranked within the question. A number that is added to all options of a question does
    not change any metric, and would otherwise hide a copy.

    Args:
        scores: Shape (n,) for pairs, (n, options) for questions.

    Returns:
        Flat array of ranks with mean 0 and variance 1. Ties have their mean rank. All ranks are 0 if all scores are
        equal.
    """
    from scipy.stats import rankdata  # slow to import

    ranks = rankdata(scores, axis=-1)
    centred = (ranks - ranks.mean(axis=-1, keepdims=True)).ravel()
    deviation = centred.std()
    if deviation:
        centred /= deviation
    return np.asarray(centred, dtype=np.float32)


def find_near_copies(ranks: Sequence[npt.NDArray[np.float32]]) -> Iterator[tuple[int, int, float]]:
    """Find the pairs of models that are near copies.

    Args:
        ranks: The ranks of each model on one test, from `rank_scores`.

    Yields:
        Indices of two models whose rank correlation is `NEAR_COPY` or more, the smaller first, and the correlation.
    """
    starts = range(0, len(ranks), _MODELS_AT_ONCE)
    for start in starts:
        rows = _stack(ranks, start)
        for column_start in starts[start // _MODELS_AT_ONCE :]:
            correlations = rows @ _stack(ranks, column_start).T / rows.shape[1]
            for row, column in np.argwhere(correlations >= NEAR_COPY).tolist():
                first, second = start + row, column_start + column
                if first < second:
                    yield first, second, min(1.0, float(correlations[row, column]))


def _stack(ranks: Sequence[npt.NDArray[np.float32]], start: int) -> npt.NDArray[np.float32]:
    return np.stack(ranks[start : start + _MODELS_AT_ONCE])
