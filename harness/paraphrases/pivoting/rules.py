"""The rules of pivoting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.paraphrases.pivoting.filters import NAMES

Side = Literal["source", "target"]

_UNLIMITED = 1 << 31


@dataclass(frozen=True)
class PivotRules:
    """The rules of pivoting.

    Attributes:
        side: Side of the phrase table that paraphrases are of.
        max_words: Largest number of words of a phrase.
        min_translation_probability: Smallest probability of a translation, in each direction.
        min_probability: Smallest probability of a paraphrase.
        max_paraphrases: Largest number of paraphrases of a phrase; the most probable ones are kept.
        keep: Names of the filters that are not used.
        has_probabilities: Whether paraphrases have probabilities; otherwise each has probability 1.
    """

    side: Side = "target"
    max_words: int = 7
    min_translation_probability: float = 0.001
    min_probability: float = 0.01
    max_paraphrases: int = 100
    keep: frozenset[str] = frozenset()
    has_probabilities: bool = True


def keep_all_pairs(side: Side) -> PivotRules:
    """Return the rules by which all phrases that share a translation are paraphrases (Zhou et al., 2006)."""
    return PivotRules(side, _UNLIMITED, 0.0, 0.0, _UNLIMITED, frozenset(NAMES), has_probabilities=False)
