"""Hand-written rows with scores."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.metrics.rows import ScoredSplit
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.rules.options import Kind


def make_split(
    kind: Kind,
    scores: npt.ArrayLike,
    targets: npt.ArrayLike,
    topics: npt.ArrayLike,
    topic_count: int,
    threshold: float | None = None,
) -> ScoredSplit:
    """Make the scored rows of a test split."""
    return ScoredSplit(
        kind=kind,
        targets=np.asarray(targets, dtype=np.int64),
        topics=np.asarray(topics, dtype=np.int64),
        scores=RoundedScores(np.asarray(scores, dtype=np.float64)),
        topic_count=topic_count,
        threshold=threshold,
    )
