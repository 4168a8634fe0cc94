"""Common parts of the answers of servers: JSON, the name of the model, and the number of tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

REMEDY = "The server is at fault. Report the problem to its operator, or use another server"
"""The remedy if an answer of the right form cannot be used."""

CHECK_ADDRESS = "Check the option url, which often ends in /v1, and the name of the model"
"""The remedy if an answer has another form. It may be from another service at the same address."""


class AnswerError(Exception):
    """An answer cannot be used. The message continues a sentence that begins with the address of the server.

    Attributes:
        words: The server's own words about a failure. They may quote texts and keys. Empty if it says nothing.
        remedy: A sentence that tells the user what to do.
    """

    def __init__(self, reason: str, words: str = "", remedy: str = REMEDY) -> None:
        super().__init__(reason)
        self.words, self.remedy = words, remedy


def parse_json(content: bytes) -> Mapping[str, Any]:
    """Parse the body of an answer.

    Raises:
        AnswerError: If the body is not JSON.
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise AnswerError("returns an answer that is not JSON", remedy=CHECK_ADDRESS) from None
    return value if isinstance(value, dict) else {}


def find_name(value: Mapping[str, Any]) -> str:
    """Return the name of the model that a server used, or an empty text if the answer does not name it."""
    name = value.get("model")
    return name if isinstance(name, str) else ""


def find_tokens(value: Mapping[str, Any]) -> int | None:
    """Return the number of tokens, including generated tokens, or None if the answer does not contain it."""
    usage = value.get("usage")
    if isinstance(usage, dict):
        for name in ("total_tokens", "prompt_tokens"):
            tokens = usage.get(name)
            if type(tokens) is int and tokens >= 0:
                return tokens
    return None
