"""The answers in replies of judges."""

from __future__ import annotations

import pytest

from harness.models.interfaces.scores import Outcome
from harness.models.judging.judge import (
    MAX_CHOICES,
    MIN_PROBABILITY,
    number_choices,
    parse_answer,
    read_token,
    share_among,
    split_reply,
)

YES, NO = 0, 1


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("yes", YES),
        ("  Yes. There is no difference.", YES),
        ("**YES**", YES),
        ("__Yes__", YES),
        ("_'Yes'_", YES),
        ("\n- The final answer is: yes", YES),
        ("No, the second adds a number.", NO),
        ("no, or at least not quite", NO),
        ('{"answer": "no"}', NO),
        ("I can't help with that.", Outcome.REFUSALS),
        ("I\N{RIGHT SINGLE QUOTATION MARK}m sorry, but I cannot say yes to this.", Outcome.REFUSALS),
        ("Sorry, I am unable to compare them.", Outcome.REFUSALS),
        ("As an AI model, I have no opinion.", Outcome.REFUSALS),
        ("", Outcome.UNPARSABLE),
        ("   ...", Outcome.UNPARSABLE),
        ("Yes or no? Hard to say.", Outcome.UNPARSABLE),
        ("no/yes", Outcome.UNPARSABLE),
        ("Yes and no.", Outcome.UNPARSABLE),
        ("Yes and/or no.", Outcome.UNPARSABLE),
        ("The sentences say the same, so yes.", Outcome.UNPARSABLE),
        ("Yesterday's sentence", Outcome.UNPARSABLE),
        ("Note that both say so", Outcome.UNPARSABLE),
        ("the answer is", Outcome.UNPARSABLE),
        ("Sorry", Outcome.UNPARSABLE),
        (" " * 998 + "yes", Outcome.UNPARSABLE),
        (" " * 997 + "yes", YES),
        ("<think>\nNo, they say yes twice.\n</think>\n\nYes.", YES),
        ("The words differ." * 100 + "</think>no", NO),
        ("<think>\nYes, it seems", Outcome.UNPARSABLE),
    ],
)
def test_replies(reply: str, answer: int | Outcome) -> None:
    assert parse_answer(reply) is answer


FINAL = "<|channel|>final<|message|>"


@pytest.mark.parametrize(
    "end", ["</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "\u25c1/think\u25b7", FINAL]
)
def test_a_thought_ends_with_a_mark(end: str) -> None:
    assert split_reply(f"No, no.{end}No?{end} Yes.") == ["yes"]


@pytest.mark.parametrize(
    "mark",
    [
        "< and >",
        "/think>",
        "</think ",
        "</reasoning ",
        "/THINK]",
        "[/THINK",
        "[THINK]",
        "\u25c1/think",
        "/think\u25b7",
        FINAL[1:],
        FINAL[:-1],
        "<|channel|>final<",
        "<|channel",
        ">final<|message|>",
        "message|>",
    ],
)
def test_similar_marks_end_no_thought(mark: str) -> None:
    assert split_reply(f"yes {mark} no")[0] == "yes"


def test_an_apostrophe_belongs_to_a_word() -> None:
    assert split_reply("We're 'sure': don't") == ["we're", "sure", "don't"]


def test_the_least_probability_of_an_answer() -> None:
    assert MIN_PROBABILITY == 0.01  # as docs/models.md says


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("1", 0),
        ("Option 3.", 2),
        ("The answer is number 4: it says the same.", 3),
        ("Sentence 2", 1),
        ("5", Outcome.UNPARSABLE),
        ("12", Outcome.UNPARSABLE),
        ("1 or 2", Outcome.UNPARSABLE),
        ("None of them", Outcome.UNPARSABLE),
        ("I cannot choose.", Outcome.REFUSALS),
    ],
)
def test_replies_that_number_an_option(reply: str, answer: int | Outcome) -> None:
    assert parse_answer(reply, number_choices(4)) is answer


def test_the_number_of_an_option_is_one_character() -> None:
    assert {len(word) for word in number_choices(MAX_CHOICES)} == {1}
    assert number_choices(3) == ("1", "2", "3")


def test_scores_of_choices() -> None:
    assert share_among(1, 3) == ([0.0, 1.0, 0.0], Outcome.ANSWERED)
    assert share_among(Outcome.REFUSALS, 2) == ([0.0, 0.0], Outcome.REFUSALS)


@pytest.mark.parametrize(
    ("token", "word"),
    [
        (" Yes", "yes"),
        ("\u2581Yes", "yes"),  # SentencePiece
        ("\u0120YES", "yes"),  # the space of GPT-2's byte-level tokenizer
        ("\u00e2\u0138\u0123no", "no"),  # the bytes E2 96 81 of U+2581, spelled by the same table
        ("<0x0A>", ""),
        ("<0x20>3", "3"),
        ("\u010a", ""),  # the line feed of GPT-2's tokenizer
        ("<0x59>es", "yes"),
        ("yes</w>", "yes"),
        ("_Yes_", "yes"),
        # The bytes C3 and 80, 9F, A0, A1, AD, AE, as byte-level tokenizers spell them. 7F, 80 to A0 and AD are shifted.
        ("\u00c3\u0122", "\u00e0"),  # in lower case
        ("\u00c3\u0141", "ss"),  # the case-folded sharp s
        ("\u00c3\u0142", "\u00e0"),
        ("\u00c3\u00a1", "\u00e1"),
        ("\u00c3\u0143", "\u00ed"),
        ("\u00c3\u00ae", "\u00ee"),
        ("\u0121yes", "yes"),
        ('"Yes"', "yes"),
        ("**No**", "no"),
        ("4)", "4"),
        ("\u2581", ""),
        ("", ""),
        ("Yes/No", "yes/no"),
        ("Yesterday", "yesterday"),
        ("\u010cesky", "esky"),  # read as a spelled carriage return, and not a choice in either case
        ("\u4e0d", "\u4e0d"),
    ],
)
def test_words_of_tokens(token: str, word: str) -> None:
    assert read_token(token) == word
