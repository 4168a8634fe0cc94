"""A judge: it fills prompts with texts, and has something answer them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from harness.models.judging.prompts import Prompts, fill

Floats = npt.NDArray[np.float64]


Answers = Iterator[tuple[list[int], Floats]]
"""Answers in batches: indices of prompts, each once over all batches, and the score of each prompt."""


class Respondent(Protocol):
    """Answers prompts."""

    def answer(self, prompts: list[str]) -> Answers:
        """Answer prompts.

        Args:
            prompts: n prompts, each a question to be answered by yes or no.

        Yields:
            Batches of answers. A score is the probability of yes in [0, 1], or the value of an `Answer`.
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
        return _collect(self.score_batches(pairs), len(pairs))

    def score_batches(self, pairs: list[tuple[str, str]]) -> Answers:
        """Score pairs in batches; see `BatchScorer`."""
        return self._respondent.answer([fill(self._prompts.pair, first, second) for first, second in pairs])

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> Floats:
        """Score summaries; shape (n,)."""
        return _collect(self.score_summary_batches(scus, summaries), len(scus))

    def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> Answers:
        """Score summaries in batches; see `BatchScorer`."""
        texts = [" ".join(sentences) for sentences in summaries]
        return self._respondent.answer(
            [fill(self._prompts.summary, text, scu) for text, scu in zip(texts, scus, strict=True)]
        )


def _collect(answers: Answers, count: int) -> Floats:
    """Bring the scores of batches into the order of the prompts."""
    scores = np.full(count, np.nan)
    for indices, values in answers:
        scores[indices] = values
    return scores
