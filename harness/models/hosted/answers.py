"""Common parts of the answers of servers: JSON within limits, the name of the model, and the number of tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

REMEDY = "The server is at fault. Report the problem to its operator, or use another server"
"""The remedy if an answer of the right form cannot be used."""

CHECK_ADDRESS = "Check the option url, which often ends in /v1, and the name of the model"
"""The remedy if an answer has another form. It may be from another service at the same address."""


TOO_LARGE = "If the vectors are very long, send fewer texts with batch_size. Otherwise, use another server"
"""The remedy if an answer is larger than the request allows."""

MAX_TOKENS = 10**12
"""Largest accepted number of tokens of an answer."""

_MORE_BYTES = 1 << 20
"""Bytes of an answer besides the values that were requested."""

_DIGITS = 18
"""Whole numbers with more digits become floating-point numbers, infinite ones beyond double precision. Python computes
with a number of any length, but refuses to read or to show a very long one."""


class Size(NamedTuple):
    """The largest answer to a request. Parsed values take up to 50 times the bytes of the answer.

    Attributes:
        values: Number of values: numbers, texts, lists, objects and the names in objects.
        bytes_per_value: Mean number of bytes of a value.
    """

    values: int
    bytes_per_value: int

    @property
    def bytes(self) -> int:
        """Number of bytes."""
        return self.values * self.bytes_per_value + _MORE_BYTES


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

    Raises:
        AnswerError: If the body is not JSON, or has more values.
    """
    if count_values(content) > most_values:
        raise AnswerError(f"returns more than the {most_values:,} values that can answer the request", remedy=TOO_LARGE)
    try:
        value = json.loads(content, parse_int=parse_integer)
    except (ValueError, RecursionError):
        raise AnswerError("returns an answer that is not JSON", remedy=CHECK_ADDRESS) from None
    return value if isinstance(value, dict) else {}


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


def find_tokens(value: Mapping[str, Any]) -> int | None:
    """Return the number of tokens, including generated tokens, or None if the answer does not contain it.

    Raises:
        AnswerError: If the number is too large for an answer.
    """
    usage = value.get("usage")
    if isinstance(usage, dict):
        for name in ("total_tokens", "prompt_tokens"):
            tokens = usage.get(name)
            if isinstance(tokens, int | float) and tokens > MAX_TOKENS:
                raise AnswerError(f"reports more than {MAX_TOKENS:,} tokens in {name}")
            if type(tokens) is int and tokens >= 0:
                return tokens
    return None
