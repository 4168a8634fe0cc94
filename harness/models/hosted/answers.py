"""Answers of servers: JSON within limits, and the words, numbers and names in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

REMEDY = "The server is at fault. Report the problem to its operator, or use another server"
"""The remedy if an answer of the right form cannot be used."""

CHECK_ADDRESS = "Check the option url, which often ends in /v1, and the name of the model"
"""The remedy if an answer has another form. It may be from another service at the same address."""


TOO_LARGE = (
    "If the vectors are very long, send fewer texts with batch_size, and in batches with requests_per_batch. "
    "Otherwise, use another server"
)
"""The remedy if an answer is larger than the request allows."""

MAX_TOKENS = 10**12
"""Largest accepted number of tokens of an answer."""

WHOLE = ""
"""The name under which an answer is found that is another value than an object, such as a list."""

_DIGITS = 18
"""Whole numbers with more digits become floating-point numbers, infinite ones beyond double precision. Python computes
with a number of any length, but refuses to read or to show a very long one."""


class AnswerError(Exception):
    """An answer cannot be used. The message continues a sentence that begins with the address of the server.

    Attributes:
        words: The server's own words about a failure. They may quote texts and keys. Empty if it says nothing.
        remedy: A sentence that tells the user what to do.
    """

    def __init__(self, reason: str, words: str = "", remedy: str = REMEDY) -> None:
        super().__init__(reason)
        self.words, self.remedy = words, remedy


def parse_json(content: bytes | bytearray, most_values: int) -> Mapping[str, Any]:
    """Parse the body of an answer.

    Args:
        content: The body.
        most_values: Largest accepted number of values.

    Returns:
        The object. If it is another value, an object that contains it as `WHOLE`.

    Raises:
        AnswerError: If the body is not JSON, has more values, or an object has a name twice.
    """
    if count_values(content) > most_values:
        raise AnswerError(f"returns more than the {most_values:,} values that can answer the request", remedy=TOO_LARGE)
    try:
        value = json.loads(content, parse_int=parse_integer, object_pairs_hook=_make_object)
    except (ValueError, RecursionError):
        raise AnswerError("returns an answer that is not JSON", remedy=CHECK_ADDRESS) from None
    return value if isinstance(value, dict) else {WHOLE: value}


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object of names and values. Of two values with one name, programs use the first, the last or both."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise AnswerError("returns JSON in which a name has two values")
    return value


def count_values(content: bytes | bytearray) -> int:
    """Return an upper bound on the number of values in JSON, names included. Marks in texts count, too."""
    return 1 + sum(map(content.count, (b",", b":", b"[", b"{")))


def parse_integer(text: str) -> int | float:
    """Parse a whole number in JSON. A number with more than 18 digits becomes a floating-point number."""
    return int(text) if len(text) <= _DIGITS else float(text)


def find_name(value: Mapping[str, Any]) -> str:
    """Return the name of the model that a server used, or an empty text if the answer does not name it."""
    name = value.get("model")
    return name if isinstance(name, str) else ""


_TOKENS = (
    ("usage", "total_tokens"),
    ("usage", "prompt_tokens"),
    ("meta", "billed_units", "input_tokens"),
    ("usageMetadata", "promptTokenCount"),
    ("inputTextTokenCount",),
)
"""Where servers put the number of tokens, in this order: OpenAI's interface, Cohere, Gemini, and Titan on Bedrock."""


def find_tokens(value: Mapping[str, Any]) -> int | None:
    """Return the number of tokens, including generated tokens, or None if the answer does not contain it.

    Raises:
        AnswerError: If the number is too large for an answer.
    """
    for place in _TOKENS:
        tokens: object = value
        for name in place:
            tokens = tokens.get(name) if isinstance(tokens, Mapping) else None
        if isinstance(tokens, int | float) and tokens > MAX_TOKENS:
            raise AnswerError(f"reports more than {MAX_TOKENS:,} tokens in {place[-1]}")
        if type(tokens) is int and tokens >= 0:
            return tokens
    return None


_WORDS = ("message", "detail", "error", "errors", "msg", "Message", "title", "reason")
"""Where servers put their words about an error, in this order."""

_NESTED, _MOST_DETAILS, MOST_CHARACTERS = 5, 10, 100_000
"""Number of objects and lists, one in the other, in which the words of an error are looked for, number of errors in a
list, and number of characters of words that are read."""

_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)
_TITLE = re.compile(r"<title>([^<]+)", re.IGNORECASE)


def find_words(body: object, depth: int = _NESTED) -> str:
    """Return the words of an error. Empty if there are none. Of an HTML page, these are its title.

    Args:
        body: The body of an answer, or the value of "error" in it. FastAPI's errors are a list with a message each.
        depth: Number of objects and lists, one in the other, to look into.
    """
    if isinstance(body, str):
        title = _TITLE.search(body[:MOST_CHARACTERS])
        return (title[1] if title else "") if _PAGE.match(body) else cut_words(body)
    if depth == 0:
        return ""
    if isinstance(body, list):
        return "; ".join(filter(None, [find_words(entry, depth - 1) for entry in body[:_MOST_DETAILS]]))
    if not isinstance(body, Mapping):
        return ""
    words = next(filter(None, (find_words(body.get(name), depth - 1) for name in _WORDS)), "")
    if words and "loc" in body:
        place = body["loc"]
        words = f"{'.'.join(map(str, place)) if isinstance(place, list) else place}: {words}"
    return words


def cut_words(words: str) -> str:
    """Return the beginning of words that are very long, up to a blank: a part of a key would not be recognized."""
    return words if len(words) <= MOST_CHARACTERS else words[:MOST_CHARACTERS].rpartition(" ")[0]
