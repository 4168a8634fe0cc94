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
        side: Side of the phrase table that contains the phrases and paraphrases. The other side contains the pivots.
        max_words: Maximum number of words of a phrase.
        min_translation_probability: Minimum probability of a translation, in each direction.
        min_probability: Minimum probability of a paraphrase.
        max_paraphrases: Maximum number of paraphrases of a phrase. The most probable ones are kept.
        keep: Names of the disabled filters.
        has_probabilities: Whether paraphrases have probabilities. Otherwise all have probability 1.
    """

    side: Side = "target"
    max_words: int = 7
    min_translation_probability: float = 0.001
    min_probability: float = 0.01
    max_paraphrases: int = 100
    keep: frozenset[str] = frozenset()
    has_probabilities: bool = True


def keep_all_pairs(side: Side) -> PivotRules:
    """Return the rules that keep all pairs of phrases that share a translation (Zhou et al., 2006)."""
    return PivotRules(side, _UNLIMITED, 0.0, 0.0, _UNLIMITED, frozenset(NAMES), has_probabilities=False)
