"""Answers of judges, short to write and to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.models.interfaces.scores import Outcome, Scores, make_scores

Answer = float | Outcome | tuple[float, Outcome]
"""A score, the reason why there is none, or a score and how it was found."""


def make_answers(answers: Sequence[Answer]) -> Scores:
    """Make the scores of pairs or summaries."""
    values, outcomes = list[float](), list[Outcome]()
    for answer in answers:
        if isinstance(answer, Outcome):
            value, outcome = 0.5, answer
        elif isinstance(answer, tuple):
            value, outcome = answer
        else:
            value, outcome = answer, Outcome.ANSWERED
        values.append(value)
        outcomes.append(outcome)
    return make_scores(values, outcomes)


def list_answers(batches: Iterable[tuple[Sequence[int], Scores]], digits: int = 6) -> list[float | str]:
    """List the scores of batches in the order of the pairs, rounded, or why there is none."""
    answers: dict[int, float | str] = {}
    for indices, scores in batches:
        for index, value, outcome in zip(indices, scores.values.tolist(), scores.outcomes.tolist(), strict=True):
            is_missing = value != value
            answers[index] = Outcome(outcome).label if is_missing else round(value, digits)
    return [answers[index] for index in range(len(answers))]
