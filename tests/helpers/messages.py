"""Patterns for messages, which do not depend on the wording."""

from __future__ import annotations

import re


def mentions(text: str) -> str:
    r"""Return a pattern for messages that mention some texts, in their order and in one line.

    Args:
        text: The place, the values at fault and the remedy, as they are in the message, with " ... " between them:
            "anna.csv, line 3: ... 'maybe' ... Write yes or no". A text does not match a part of a word or number.

    Returns:
        A regular expression, for `re.search` and the parameter `match` of `pytest.raises`.
    """
    return ".*".join(rf"{_edge(part[0], '<!')}{re.escape(part)}{_edge(part[-1], '!')}" for part in text.split(" ... "))


def _edge(character: str, side: str) -> str:
    """Return an assertion that a word does not continue on one side of its first or last character."""
    return rf"(?{side}\w)" if character.isalnum() else ""
