"""Names of models that look alike."""

from __future__ import annotations

import re

_LETTERS = str.maketrans({"1": "l", "i": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_MARKS = re.compile(r"[^a-z0-9]+")


def find_skeleton(name: str) -> str:
    """Return a name without differences that are easily overlooked.

    The method is that of Unicode Technical Standard 39. Names on leaderboards are ASCII, so a few replacements suffice:
    case, punctuation and spaces, I, l and 1, O and 0, and pairs of letters that look like another letter.

    Args:
        name: Name of a model, in the characters that leaderboards allow.

    Returns:
        A text that is equal for names that look alike. It is not a valid name.
    """
    skeleton = _MARKS.sub("-", name.casefold()).strip("-")
    for pair, letter in _PAIRS:
        skeleton = skeleton.replace(pair, letter)
    return skeleton.translate(_LETTERS)
