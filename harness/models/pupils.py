"""Wrappers of objects that can learn and perhaps score: they hide the scoring, so that the objects learn first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.protocols import TextLearner, Trainable


class Untrained:
    """Offers only the method of an object that learns from labelled pairs.

    Args:
        learner: The object. If its `train` returns None, the object itself has learned.
    """

    def __init__(self, learner: Trainable) -> None:
        self._learner = learner

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Let the object learn, and return the object that has learned."""
        return _choose_learned(self._learner, self._learner.train(pairs, labels))


class Unlearned:
    """Offers only the method of an object that learns from texts; see `Untrained`."""

    def __init__(self, learner: TextLearner) -> None:
        self._learner = learner

    def learn(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Let the object learn, and return the object that has learned."""
        return _choose_learned(self._learner, self._learner.learn(texts))


def _choose_learned(learner: object, returned: object) -> object:
    return learner if returned is None else returned
