"""The answers of a judge: the choice that a reply names, and the reasons why a reply has no answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.models.interfaces.scores import Outcome

MIN_PROBABILITY = 0.01
"""Lowest probability of all choices together at which a judge's next token counts as an answer.

Below this bound, at least 99 % of the probability belongs to other tokens, so the model does not answer with its next
token, and the share of yes among the rest says little. A model that thinks first gave yes and no 2e-6 together. Their
six forms each would have 4e-4 together if all of 32,000 tokens were equally probable.
"""

VERSION = 3
"""Version of the rules by which replies and tokens are read. Stored answers of another version are not used."""

YES_OR_NO = ("yes", "no")
"""The choices of a question about a pair."""

MAX_CHOICES = 9
"""Maximum number of options of a question. Options are numbered by one digit, which is one token."""

MAX_REPLY_CHARACTERS = 1000
"""Number of characters at the beginning of a reply that are parsed."""

_END_OF_THOUGHT = re.compile(
    r"</(?:think|thinking|thought|reasoning)>|\[/THINK]|\u25c1/think\u25b7|<\|channel\|>final<\|message\|>"
)
"""What models that think first write between a thought and the reply."""

_SPELLED_BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")
_END_OF_WORD = "</w>"
_AROUND_WORD = re.compile(r"^[\W_]+|[\W_]+$")
_SHIFTED_BYTES = (*range(33), *range(127, 161), 173)
_BYTES = {chr(byte): byte for byte in set(range(256)).difference(_SHIFTED_BYTES)}
_BYTES |= {chr(256 + place): byte for place, byte in enumerate(_SHIFTED_BYTES)}
"""The bytes by the characters with which byte-level tokenizers spell them (`bytes_to_unicode` of GPT-2)."""

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


def parse_answer(reply: str, choices: Sequence[str] = YES_OR_NO) -> int | Outcome:
    """Find the answer in a reply.

    The answer is the first word of the reply, if it is a choice. Words such as "the answer is" may precede it. "Yes or
    no" is not an answer, and neither is a yes or no later in the reply: "I cannot say yes" is a refusal.

    Args:
        reply: The text that a model generated.
        choices: Words in lower case.

    Returns:
        The index of the choice, or the outcome without an answer. The reply is a refusal if it begins with a common
        phrase of refusal, which an apology may precede.
    """
    words = split_reply(reply)
    while words and words[0] in _BEFORE_ANSWER:
        words.pop(0)
    if words and words[0] in choices and not _names_several(words, choices):
        return choices.index(words[0])
    if _refuses(" ".join(words)):
        return Outcome.REFUSALS
    return Outcome.UNPARSABLE


def split_reply(reply: str) -> list[str]:
    """Return the words at the beginning of a reply in lower case.

    A thought at the beginning of the reply, up to "</think>" or a mark with the same meaning, is skipped.
    """
    conclusion = _END_OF_THOUGHT.split(reply)[-1]
    text = conclusion[:MAX_REPLY_CHARACTERS].casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return re.findall(r"[^\W_]+(?:'[^\W_]+)?", text)


def read_token(token: str) -> str:
    """Return the word of a token in lower case, without the marks of tokenizers and without marks around the word.

    Servers list tokens as text (" Yes") or as in the vocabulary: with U+2581 or U+0120 for a space, as the bytes of a
    byte-level tokenizer, as "<0x20>", or with "</w>" at the end of a word. Quotation marks and markup do not count.

    Returns:
        The word. Empty for a token of blanks and marks.
    """
    text = _SPELLED_BYTE.sub(lambda match: chr(int(match[1], 16)), token[:MAX_REPLY_CHARACTERS])
    text = text.removesuffix(_END_OF_WORD)
    if all(character in _BYTES for character in text):
        text = bytes(_BYTES[character] for character in text).decode("utf-8", errors="replace")
    return _AROUND_WORD.sub("", text).casefold()


def _names_several(words: Sequence[str], choices: Sequence[str]) -> bool:
    """Return whether a reply begins with several choices, such as "yes or no", "yes and no" or "yes/no"."""
    following = next((word for word in words[1:] if word not in _JOINED), "")
    return following in choices and following != words[0]


def _refuses(text: str) -> bool:
    for apology in ("i'm sorry", "i am sorry", "sorry", "but"):
        text = text.removeprefix(apology).lstrip()
    return text.startswith(_REFUSING)


def share_among(answer: int | Outcome, count: int) -> tuple[list[float], Outcome]:
    """Return the shares of choices and the outcome: 1 for the answer and 0 for the others, 0 for all without answer."""
    if isinstance(answer, Outcome):
        return [0.0] * count, answer
    return [float(choice == answer) for choice in range(count)], Outcome.ANSWERED
