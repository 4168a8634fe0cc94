"""What is computed of metrics and judgements."""

from __future__ import annotations

from dataclasses import dataclass

from harness.meta_evaluation.correlations import LEVELS


@dataclass(frozen=True, slots=True)
class Settings:
    """What is computed.

    Attributes:
        levels: At which, of `LEVELS`.
        systems: Which of them count, one of `blocks.SYSTEMS`.
        resamples: Of the bootstrap over topics.
        seed: Of the bootstrap.
    """

    levels: tuple[str, ...] = tuple(LEVELS)
    systems: str = "automatic"
    resamples: int = 1000
    seed: int = 0
