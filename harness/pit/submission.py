"""Conversion of a model's result to an output in the format of the organizers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.evaluation.results import Result
from harness.pit.outputs import Output
from harness.support.errors import ComparisonError

IDENTIFICATION, SIMILARITY = "pit_identification", "pit_similarity"
_SMALL = 0.1


def make_output(result: Result) -> Output:
    """Make an output from a model's scores of all test pairs and its decisions.

    Args:
        result: A result on both tests.

    Returns:
        The decision on each pair and its score, in the order of `test.data`. The decisions are those of the
        identification test. That test omits debatable pairs, which are decided by the same threshold. `scale` scales
        scores that are out of range or small.

    Raises:
        ComparisonError: If the model was not evaluated on both tests.
    """
    missing = [name for name in (IDENTIFICATION, SIMILARITY) if name not in result.tests]
    if missing:
        remedy = f"Evaluate the model with --task {IDENTIFICATION},{SIMILARITY}"
        raise ComparisonError(f"{result.place}: was not evaluated on {' and '.join(missing)}. {remedy}")
    rows, threshold = result.rows[SIMILARITY], result.tests[IDENTIFICATION].threshold
    assert threshold is not None  # pairs with labels have a threshold
    order = np.argsort(rows.ids)  # ids are line numbers
    # If vectors depend on the other texts of a test, both tests have different scores of the same pair. Decisions then
    # follow from the scores of the identification test.
    scores = dict(zip(rows.ids, rows.scores.tolist(), strict=True))
    scores |= zip(result.rows[IDENTIFICATION].ids, result.rows[IDENTIFICATION].scores.tolist(), strict=True)
    decisions = np.array([scores[row_id] >= threshold for row_id in rows.ids])
    return Output(decisions[order], scale(rows.scores[order]))


def scale(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale scores linearly to the range from 0 to 1, if any score is outside this range or all are below 0.1.

    The order of the scores and their correlations do not change. An output has four decimals, which would make ties of
    small scores.

    Args:
        scores: Shape (n,), finite.

    Returns:
        The same shape. Zeros if all scores are equal, and are out of range or below 0.1.
    """
    low, high = scores.min(), scores.max()
    if low >= 0 and _SMALL <= high <= 1:
        return scores
    if low == high:
        return np.zeros_like(scores)
    return (scores - low) / (high - low)
