"""The rows of a test without their texts: what metrics need to know of a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.kinds import Kind

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a test; n rows. The base of every form that rows take on their way from a test to a result.

    Attributes:
        kind: The kind of the test.
        targets: Shape (n,): labels, 1 for paraphrases and 0 for others; indices of right options; or grades.
        topics: Shape (n, 2), indices of the topics of both sides; the same twice for questions.
    """

    kind: Kind
    targets: Indices
    topics: Indices


@dataclass(frozen=True, slots=True)
class ScoredSplit(Rows):
    """The rows of the test split with the scores of a model.

    Attributes:
        scores: Shape (n,) for pairs, (n, options) for questions.
        topic_count: Number of topics.
        threshold: The lowest score of the pairs that are called paraphrases; None if the kind has no threshold.
    """

    scores: RoundedScores
    topic_count: int
    threshold: float | None = None
