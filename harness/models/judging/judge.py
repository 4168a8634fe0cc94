"""A judge: it fills prompts with texts, and has something answer them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from harness.models.judging.prompts import Prompts, fill

Floats = npt.NDArray[np.float64]


class Respondent(Protocol):
    """Answers prompts."""

    def answer(self, prompts: list[str]) -> Any:  # noqa: ANN401
        """Answer prompts.

        Args:
            prompts: n prompts, each a question to be answered by yes or no.

        Returns:
            Shape (n,): the probability of yes in [0, 1], or the value of an `Answer`.
        """


class Judge:
    """Scores a pair of texts by the answer to a question about it.

    Args:
        respondent: What answers.
        prompts: The templates of the questions.
    """

    def __init__(self, respondent: Respondent, prompts: Prompts) -> None:
        self._respondent, self._prompts = respondent, prompts

    def score(self, pairs: list[tuple[str, str]]) -> Floats:
        """Score pairs; shape (n,). Each option of a question is asked about by itself, so their order has no effect."""
        return self._ask([fill(self._prompts.pair, first, second) for first, second in pairs])

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> Floats:
        """Score summaries; shape (n,)."""
        texts = [" ".join(sentences) for sentences in summaries]
        return self._ask([fill(self._prompts.summary, text, scu) for text, scu in zip(texts, scus, strict=True)])

    def _ask(self, prompts: list[str]) -> Floats:
        return np.asarray(self._respondent.answer(prompts), dtype=np.float64)
