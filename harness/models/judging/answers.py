"""The answers of a judge: the choice that a reply names, and the scores of replies without an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum


class NoAnswer(float, Enum):
    """Reasons why there is no answer. The value replaces a score. Scores of answers are at least 0."""

    REFUSAL = -1.0
    UNPARSABLE = -2.0


NO_ANSWERS = {"refusals": NoAnswer.REFUSAL.value, "unparsable": NoAnswer.UNPARSABLE.value}
"""Scores that mean that there is no answer, by the name under which results count them."""

YES_OR_NO = ("yes", "no")
"""The choices of a question about a pair."""

MAX_CHOICES = 9
"""Maximum number of options of a question. Options are numbered by one digit, which is one token."""

MAX_REPLY_CHARACTERS = 1000
"""Number of characters at the beginning of a reply that are parsed."""

_BEFORE_ANSWER = frozenset({"answer", "final", "is", "my", "number", "option", "sentence", "the"})
_JOINED = frozenset({"and", "or"})
_REFUSING = (
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i will not",
    "i'm not able",
    "i am not able",
    "i'm unable",
    "i am unable",
    "i must decline",
    "as an ai",
)


def number_choices(count: int) -> tuple[str, ...]:
    """Return the numbers of options as choices, starting at 1.

    Args:
        count: Number of options, at most `MAX_CHOICES`.
    """
    return tuple(str(number) for number in range(1, count + 1))


def parse_answer(reply: str, choices: Sequence[str] = YES_OR_NO) -> int | NoAnswer:
    """Find the answer in a reply.

    The answer is the first word of the reply, if it is a choice. Words such as "the answer is" may precede it. "Yes or
    no" is not an answer, and neither is a yes or no later in the reply: "I cannot say yes" is a refusal.

    Args:
        reply: The text that a model generated.
        choices: Words in lower case.

    Returns:
        The index of the choice, or the reason why there is no answer. The reply is a refusal if it begins with a common
        phrase of refusal, which an apology may precede.
    """
    text = reply[:MAX_REPLY_CHARACTERS].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)
    while words and words[0] in _BEFORE_ANSWER:
        words.pop(0)
    if words and words[0] in choices and not _names_several(words, choices):
        return choices.index(words[0])
    if _refuses(" ".join(words)):
        return NoAnswer.REFUSAL
    return NoAnswer.UNPARSABLE


def _names_several(words: Sequence[str], choices: Sequence[str]) -> bool:
    """Return whether a reply begins with several choices, such as "yes or no", "yes and no" or "yes/no"."""
    following = next((word for word in words[1:] if word not in _JOINED), "")
    return following in choices and following != words[0]


def _refuses(text: str) -> bool:
    for apology in ("i'm sorry", "i am sorry", "sorry", "but"):
        text = text.removeprefix(apology).lstrip()
    return text.startswith(_REFUSING)


def share_among(answer: int | NoAnswer, count: int) -> list[float]:
    """Return the scores of choices: 1 for the answer and 0 for the others, or the value of the `NoAnswer` for all."""
    if isinstance(answer, NoAnswer):
        return [answer.value] * count
    return [float(choice == answer) for choice in range(count)]
