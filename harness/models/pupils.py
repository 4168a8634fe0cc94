"""Objects that can learn, and perhaps score, too: without having learned, they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from harness.models.protocols import TextLearner, Trainable


class Untrained:
    """Shows of an object nothing but that it learns from labelled pairs.

    Args:
        learner: The object; if what it returns is None, it itself has learned.
    """

    def __init__(self, learner: Trainable) -> None:
        self._learner = learner

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Let the object learn, and return what has."""
        learned = self._learner.train(pairs, labels)
        return self._learner if learned is None else learned


class Unlearned:
    """Shows of an object nothing but that it learns from texts; as `Untrained`."""

    def __init__(self, learner: TextLearner) -> None:
        self._learner = learner

    def learn(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Let the object learn, and return what has."""
        learned = self._learner.learn(texts)
        return self._learner if learned is None else learned
