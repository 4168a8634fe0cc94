"""What the reply of a judge says."""

from __future__ import annotations

import pytest

from harness.models.judging.answers import NO_ANSWERS, Answer, parse_answer


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("yes", Answer.YES),
        ("  Yes. There is no difference.", Answer.YES),
        ("**YES**", Answer.YES),
        ("__Yes__", Answer.YES),
        ("_'Yes'_", Answer.YES),
        ("\n- The final answer is: yes", Answer.YES),
        ("No, the second adds a number.", Answer.NO),
        ("no, or at least not quite", Answer.NO),
        ('{"answer": "no"}', Answer.NO),
        ("I can't help with that.", Answer.REFUSAL),
        ("I\N{RIGHT SINGLE QUOTATION MARK}m sorry, but I cannot say yes to this.", Answer.REFUSAL),
        ("Sorry, I am unable to compare them.", Answer.REFUSAL),
        ("As an AI model, I have no opinion.", Answer.REFUSAL),
        ("", Answer.UNPARSABLE),
        ("   ...", Answer.UNPARSABLE),
        ("Yes or no? Hard to say.", Answer.UNPARSABLE),
        ("no/yes", Answer.UNPARSABLE),
        ("Yes and no.", Answer.UNPARSABLE),
        ("Yes and/or no.", Answer.UNPARSABLE),
        ("The sentences say the same, so yes.", Answer.UNPARSABLE),
        ("Yesterday's sentence", Answer.UNPARSABLE),
        ("Note that both say so", Answer.UNPARSABLE),
        ("the answer is", Answer.UNPARSABLE),
        ("Sorry", Answer.UNPARSABLE),
        (" " * 998 + "yes", Answer.UNPARSABLE),
        (" " * 997 + "yes", Answer.YES),
    ],
)
def test_replies(reply: str, answer: Answer) -> None:
    assert parse_answer(reply) is answer


def test_only_what_is_no_answer_scores_below_zero() -> None:
    assert NO_ANSWERS == {"refusals": -1.0, "unparsable": -2.0}
    assert {answer.value for answer in Answer if answer.value >= 0} == {0.0, 1.0}
