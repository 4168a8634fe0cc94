"""Permutation test of the difference of two correlations. It swaps the scores of systems between two metrics."""

from __future__ import annotations

import numpy as np

from harness.stats.rounding import DECIMALS, divide, round_scores
from harness.summarization.meta_evaluation.correlations import (
    COEFFICIENTS,
    SYSTEM,
    Floats,
    average_defined,
    correlate_rows,
)
from harness.summarization.meta_evaluation.resampling import SLACK

_CELLS_AT_ONCE = 1 << 19
"""Maximum number of permutations times scores of a metric to correlate at a time, to limit memory."""


def swap_systems(scores: Floats, level: str, permutations: int, seed: int) -> dict[str, float]:
    """Test whether one metric agrees better with a judgement than another, by random permutations of systems.

    Under the null hypothesis that both metrics are equally good, all scores of a system may be swapped between them
    (Perm-Systems of Deutsch, Dror and Roth 2021). Before the swaps, scores are standardized to a mean of 0 and a
    standard deviation of 1: the means of systems at the system level, the scores within each topic at the summary
    level. The two-sided p-value is

        (1 + number of permutations with at least as large a difference) / (1 + number of permutations).

    Permutations of topics or of single summaries (Perm-Inputs, Perm-Both) are not available. At the system level, they
    average out the consistent errors of each metric about a system, so that they reject the null hypothesis too often
    (benchmarks/meta_resampling.py).

    Args:
        scores: Shape (3, topics, systems): the scores of the two metrics and the judgement, in this order.
        level: One of `correlations.LEVELS`.
        permutations: Number of permutations.
        seed: Random seed.

    Returns:
        P-values by coefficient, without coefficients that are not defined for the observed scores.
    """
    rows = scores.mean(axis=1, keepdims=True) if level == SYSTEM else scores
    x, y, gold = (_standardize(measure) for measure in rows)
    stream = np.random.RandomState([seed, 2])  # independent of the streams of the bootstrap
    observed = _subtract(x, y, gold, np.zeros((1, x.shape[1]), dtype=bool))
    extreme = dict.fromkeys(COEFFICIENTS, 0)
    step = max(1, _CELLS_AT_ONCE // x.size)
    for start in range(0, permutations, step):
        swapped = stream.randint(2, size=(min(step, permutations - start), x.shape[1])) == 1
        for name, differences in _subtract(x, y, gold, swapped).items():
            extreme[name] += int((np.abs(differences) >= np.abs(observed[name]) - SLACK).sum())
    return {
        name: round((1 + extreme[name]) / (1 + permutations), DECIMALS)
        for name in COEFFICIENTS
        if not np.isnan(observed[name][0])
    }


def _standardize(rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return round_scores(divide(centred, centred.std(axis=1, keepdims=True)))


def _subtract(x: Floats, y: Floats, gold: Floats, swapped: np.ndarray) -> dict[str, Floats]:
    """Subtract the correlations of two metrics after swaps.

    Args:
        x: Scores of the first metric, shape (topics, systems), standardized.
        y: Scores of the second metric.
        gold: Scores of the judgement.
        swapped: Shape (n, systems), the systems whose scores each permutation swaps.

    Returns:
        Differences by coefficient, shape (n,).
    """
    shape = (len(swapped), *x.shape)
    repeated = np.broadcast_to(gold, shape).reshape(-1, x.shape[1])
    choices = np.broadcast_to(swapped[:, None, :], shape)

    def correlate(metric: Floats, swapped_metric: Floats) -> dict[str, Floats]:
        mixed = np.where(choices, swapped_metric, metric).reshape(-1, x.shape[1])
        correlations = correlate_rows(mixed, repeated)
        return {name: average_defined(values.reshape(len(swapped), -1)) for name, values in correlations.items()}

    first, second = correlate(x, y), correlate(y, x)
    return {name: first[name] - second[name] for name in COEFFICIENTS}
