"""Scores of texts by a model, the outcomes of a judge's answers, and rules that combine both orders of a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Flags, Floats

DIRECTION_RULES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "minimum": np.minimum,
    "mean": lambda forward, backward: (forward + backward) / 2,
    "product": np.multiply,
}
"""Rules that combine the scores of pairs in the given order and in reverse order, by their names in specs and results.

The first rule, minimum, follows from the definition: paraphrases entail each other.
"""


class Outcome(IntEnum):
    """What a judge answered. Stored scores contain the values."""

    ANSWERED = 0
    REFUSALS = 1
    UNPARSABLE = 2
    CUT = 3
    """The reply reached its maximum number of tokens before it gave an answer."""

    BY_WORDS = 4
    """A judge on a server answered in words, although the spec asks for probabilities."""

    IMPROBABLE = 5
    """All answers together have a probability below `judging.judge.MIN_PROBABILITY`, so their shares say little."""

    ABSENT = 6
    """A file of predictions has no row with the texts, or no answer in the row."""

    @property
    def label(self) -> str:
        """The name under which results count this outcome."""
        return self.name.lower()


COUNTED = tuple(outcome for outcome in Outcome if outcome is not Outcome.ANSWERED)
"""The outcomes that results count."""

NO_ANSWERS = (Outcome.REFUSALS, Outcome.UNPARSABLE, Outcome.CUT)
"""The outcomes of judges without an answer."""

MISSING = (*NO_ANSWERS, Outcome.ABSENT)
"""All outcomes without an answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of n pairs, summaries or questions.

    Attributes:
        values: Shape (n,), or (n, k) for questions with k options, not rounded. NaN where there is no answer. They may
            include NaN and infinity elsewhere, too, if a model is faulty.
        outcomes: Shape (n,), an `Outcome` each. Models that are not judges have answers only.
        computed: Number of values that the model computed. The others came from the store.
    """

    values: Floats
    outcomes: npt.NDArray[np.uint8]
    computed: int = 0

    @property
    def is_missing(self) -> Flags:
        """Shape (n,), whether there is no answer."""
        return np.isin(self.outcomes, MISSING)

    @property
    def is_unusable(self) -> Flags:
        """Shape (n,), whether there is no answer, or one of almost no probability."""
        return np.isin(self.outcomes, (*MISSING, Outcome.IMPROBABLE))

    def count_unusual(self) -> dict[str, int]:
        """Count the scores by label of their outcome, without the usual one and without outcomes that do not occur."""
        counts = {outcome.label: int((self.outcomes == outcome).sum()) for outcome in COUNTED}
        return {label: count for label, count in counts.items() if count}

    def select(self, places: Sequence[int] | npt.NDArray[np.int64]) -> Scores:
        """Return the scores at some places, which may repeat."""
        return Scores(self.values[places], self.outcomes[places], self.computed)


def make_scores(shares: npt.ArrayLike, outcomes: Sequence[Outcome] | npt.NDArray[np.uint8] | None = None) -> Scores:
    """Make scores from shares or other values, and from outcomes. All are answers by default."""
    values = np.array(shares, dtype=np.float64)
    if outcomes is None:
        outcomes = np.zeros(len(values), dtype=np.uint8)
    scores = Scores(values, np.asarray(outcomes, dtype=np.uint8))
    values[scores.is_missing] = np.nan
    return scores
