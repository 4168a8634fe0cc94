"""Scores of texts by a model, the mask of missing answers of a judge, and rules that combine both orders of a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class DirectionRule(NamedTuple):
    """A rule that combines the scores of both orders of a pair.

    Attributes:
        name: Name of the rule in a spec and in results.
        combine: Function of the scores of pairs in the given order and in reverse order. It returns one score per pair.
    """

    name: str
    combine: Callable[[Floats, Floats], Floats]


def _average(forward: Floats, backward: Floats) -> Floats:
    return (forward + backward) / 2


DIRECTION_RULES = (
    DirectionRule("minimum", np.minimum),
    DirectionRule("mean", _average),
    DirectionRule("product", np.multiply),
)
"""All rules. The first rule, minimum, follows from the definition: paraphrases entail each other."""


Bools = npt.NDArray[np.bool_]


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
    """All answers together have a probability below `judging.answers.MIN_PROBABILITY`, so their shares say little."""

    @property
    def label(self) -> str:
        """The name under which results count this outcome."""
        return self.name.lower()


COUNTED = tuple(outcome for outcome in Outcome if outcome is not Outcome.ANSWERED)
"""The outcomes that results count."""

NO_ANSWERS = (Outcome.REFUSALS, Outcome.UNPARSABLE, Outcome.CUT)
"""The outcomes without an answer."""


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
    def is_missing(self) -> Bools:
        """Shape (n,), whether there is no answer."""
        return np.isin(self.outcomes, NO_ANSWERS)

    @property
    def is_unusable(self) -> Bools:
        """Shape (n,), whether there is no answer, or one of almost no probability."""
        return np.isin(self.outcomes, (*NO_ANSWERS, Outcome.IMPROBABLE))

    def count(self, outcome: Outcome) -> int:
        """Count the scores with an outcome."""
        return int((self.outcomes == outcome).sum())

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
