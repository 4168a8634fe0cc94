"""Wrappers of trainable objects. They hide methods that score, so that an object is trained before it scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.protocols import TextLearner, Trainable


class Untrained:
    """A wrapper that offers only the method `train` of an object.

    Args:
        learner: The object. If its `train` returns None, the object itself is the trained model.
    """

    def __init__(self, learner: Trainable) -> None:
        self._learner = learner

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Train the object on labelled pairs, and return the trained model."""
        return _choose_trained(self._learner, self._learner.train(pairs, labels))


class Unlearned:
    """A wrapper that offers only the method `learn` of an object, as `Untrained` does for `train`."""

    def __init__(self, learner: TextLearner) -> None:
        self._learner = learner

    def learn(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Train the object on texts, and return the trained model."""
        return _choose_trained(self._learner, self._learner.learn(texts))


def _choose_trained(learner: object, returned: object) -> object:
    return learner if returned is None else returned
