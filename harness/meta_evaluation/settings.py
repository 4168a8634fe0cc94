"""What is computed of metrics and judgements."""

from __future__ import annotations

from dataclasses import dataclass

from harness.meta_evaluation.correlations import LEVELS
from pyramid_paraphrase.ranges import RESAMPLES, SEED


@dataclass(frozen=True, slots=True)
class Settings:
    """What is computed.

    Attributes:
        levels: At which, of `LEVELS`.
        systems: Which of them count, one of `blocks.SYSTEMS`.
        resamples: Of the bootstrap over topics.
        seed: Of the bootstrap.

    Raises:
        OptionError: If a number is out of range.
    """

    levels: tuple[str, ...] = tuple(LEVELS)
    systems: str = "automatic"
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        RESAMPLES.check("resamples", self.resamples)
        SEED.check("seed", self.seed)
