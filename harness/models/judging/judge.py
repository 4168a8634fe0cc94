"""A judge, which fills prompts with texts and passes them to a respondent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from harness.models.interfaces.scores import Scores
from harness.models.judging.answers import MAX_CHOICES, YES_OR_NO, number_choices
from harness.models.judging.prompts import Prompts, fill
from pyramid_paraphrase.errors import OptionError

Answers = Iterator[tuple[list[int], Scores]]
"""Batches of answers: indices of prompts, and the answers to them. Each index occurs once over all batches."""


class Respondent(Protocol):
    """A model that answers prompts."""

    def answer(self, prompts: list[str], choices: Sequence[str]) -> Answers:
        """Answer prompts.

        Args:
            prompts: n prompts. Each prompt is a question whose answer is one of the choices.
            choices: k words in lower case, which differ in their first token.

        Yields:
            Batches of answers, shape (prompts, k): the probabilities of the choices, which sum to 1 if there is an
            answer.
        """


class Judge:
    """A scorer that asks a respondent about each pair of texts.

    Args:
        respondent: The model that answers.
        prompts: The templates of the questions.

    Attributes:
        prompts: The templates of the questions.
        in_batches: See `Ability`.
    """

    in_batches = True

    def __init__(self, respondent: Respondent, prompts: Prompts) -> None:
        self._respondent, self.prompts = respondent, prompts

    def score_batches(self, pairs: list[tuple[str, str]]) -> Answers:
        """Score pairs in batches."""
        return self._ask([fill(self.prompts.pair, first, second) for first, second in pairs])

    def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> Answers:
        """Score summaries in batches."""
        texts = [" ".join(sentences) for sentences in summaries]
        return self._ask([fill(self.prompts.summary, text, scu) for text, scu in zip(texts, scus, strict=True)])

    def _ask(self, prompts: list[str]) -> Answers:
        """Ask questions with the answer yes or no, and yield the probability of yes as the score."""
        for indices, shares in self._respondent.answer(prompts, YES_OR_NO):
            yield indices, Scores(shares.values[:, 0], shares.outcomes)


class ChoosingJudge(Judge):
    """A judge that gets all options of a question together and chooses the right one."""

    def score_question_batches(self, questions: list[str], options: list[list[str]]) -> Answers:
        """Score options in batches by their probabilities. See `Ability.SCORE_QUESTIONS`.

        Raises:
            OptionError: If a question has more than `MAX_CHOICES` options.
        """
        count = len(options[0])
        if count > MAX_CHOICES:
            reason = f"questions=options supports at most {MAX_CHOICES} options per question, found {count}"
            raise OptionError(f"{reason}. Omit questions=options")
        prompts = [
            fill(self.prompts.question, question, _list_options(texts))
            for question, texts in zip(questions, options, strict=True)
        ]
        return self._respondent.answer(prompts, number_choices(count))


def _list_options(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}: {text}" for number, text in enumerate(texts, 1))
