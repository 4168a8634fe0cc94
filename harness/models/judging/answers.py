"""The answers of a judge: what a reply in words says, and the score of each answer."""

from __future__ import annotations

import re
from enum import Enum


class Answer(float, Enum):
    """An answer. Its value is its score; scores below 0 stand for no answer."""

    YES = 1.0
    NO = 0.0
    REFUSAL = -1.0
    UNPARSABLE = -2.0


NO_ANSWERS = {"refusals": Answer.REFUSAL.value, "unparsable": Answer.UNPARSABLE.value}
"""Scores that stand for no answer, by the name under which results count them."""

MAX_REPLY_CHARACTERS = 1000
"""Only the beginning of a reply is read."""

_BEFORE_ANSWER = frozenset({"answer", "final", "is", "my", "the"})
_ANSWERS = {"yes": Answer.YES, "no": Answer.NO}
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


def parse_answer(reply: str) -> Answer:
    """Find the answer in a reply.

    A reply answers if its first word is yes or no, after words such as "the answer is". "Yes or no" is no answer, and
    neither is a yes or a no later in the reply: "I cannot say yes" refuses.

    Args:
        reply: The text that a model wrote.

    Returns:
        The answer; a refusal if the reply begins with a usual phrase of refusal, perhaps after an apology.
    """
    text = reply[:MAX_REPLY_CHARACTERS].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)
    while words and words[0] in _BEFORE_ANSWER:
        words.pop(0)
    if words and words[0] in _ANSWERS and not _names_both(words):
        return _ANSWERS[words[0]]
    if _refuses(" ".join(words)):
        return Answer.REFUSAL
    return Answer.UNPARSABLE


def _names_both(words: list[str]) -> bool:
    """Whether a reply begins like "yes or no", "yes and no" or "yes/no"."""
    following = next((word for word in words[1:] if word not in _JOINED), "")
    return following in _ANSWERS and following != words[0]


def _refuses(text: str) -> bool:
    for apology in ("i'm sorry", "i am sorry", "sorry", "but"):
        text = text.removeprefix(apology).lstrip()
    return text.startswith(_REFUSING)
