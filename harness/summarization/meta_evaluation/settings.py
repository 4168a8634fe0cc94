"""Settings of the evaluation of metrics."""

from __future__ import annotations

from dataclasses import dataclass

from harness.summarization.meta_evaluation.correlations import LEVELS
from pyramid_paraphrase.rules.ranges import RESAMPLES, SEED

TOPICS, SYSTEMS, BOTH = UNITS = ("topics", "systems", "both")
"""Units that resamples draw. Units that are not drawn are fixed."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the evaluation of metrics.

    Attributes:
        levels: Levels of correlations, from `LEVELS`.
        systems: The systems to compare, one of `blocks.SYSTEMS`.
        resamples: Number of bootstrap resamples, and number of permutations.
        seed: Random seed of the bootstrap and the permutations.
        drawn: Units that resamples draw, one of `UNITS`. The default is both units, because a metric is chosen to score
            new systems on new topics.

    Raises:
        OptionError: If a number is out of range.
    """

    levels: tuple[str, ...] = tuple(LEVELS)
    systems: str = "automatic"
    resamples: int = 1000
    seed: int = 0
    drawn: str = BOTH

    def __post_init__(self) -> None:
        RESAMPLES.check("resamples", self.resamples)
        SEED.check("seed", self.seed)

    @property
    def draws_topics(self) -> bool:
        """Whether resamples draw topics."""
        return self.drawn != SYSTEMS

    @property
    def draws_systems(self) -> bool:
        """Whether resamples draw systems."""
        return self.drawn != TOPICS
