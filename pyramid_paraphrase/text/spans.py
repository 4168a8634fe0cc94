"""Locate the text of an annotated part. In a few real files, its offsets are slightly wrong."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

_QUADRATIC_LABEL, _QUADRATIC_TEXT = 100, 30_000
"""Up to these lengths of label and text, CPython's `str.find` can take time proportional to their product."""


class Location(NamedTuple):
    """A span of the text, and the kind of problem if the offsets of the part were repaired."""

    start: int
    end: int
    problem: str | None


class TextIndex:
    """A text in which parts are located.

    Attributes:
        text: The text.
        steps: Upper bound on the comparisons of characters in all searches so far. Correct offsets need no search. All
            searches together can take time proportional to the number of distinct labels times the length of the text,
            so callers limit the steps.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    @cached_property
    def _reversed(self) -> str:
        return self.text[::-1]

    @cached_property
    def _solid(self) -> tuple[TextIndex, array[int]]:
        """The text without whitespace, and the offset of each of its characters in the text."""
        offsets = array("q", (offset for offset, char in enumerate(self.text) if not char.isspace()))
        return TextIndex("".join(self.text.split())), offsets

    def says(self, label: str, start: int, end: int) -> bool:
        """Return whether the text from ``start`` to ``end`` equals a label."""
        # Offsets can be far apart, so the text between them is not copied.
        return start >= 0 and min(end, len(self.text)) - start == len(label) and self.text.startswith(label, start)

    def locate(self, label: str, start: int, end: int) -> Location | None:
        """Locate a part.

        The part is at its offsets, otherwise at the nearest occurrence of its text, otherwise at the nearest occurrence
        ignoring whitespace.

        Args:
            label: The part's text in the annotation, not blank.
            start: Start offset in the annotation, negative if there is none.
            end: End offset in the annotation, exclusive.

        Returns:
            The location, or None if the text does not contain the part.
        """
        if self.says(label, start, end):
            return Location(start, end, None)
        exact = self.find_nearest(label, start)
        if exact >= 0:
            return Location(exact, exact + len(label), "part-moved")
        solid_text, offsets = self._solid
        solid_label = "".join(label.split())
        solid_start = solid_text.find_nearest(solid_label, bisect_left(offsets, start))
        self.steps += solid_text.steps
        solid_text.steps = 0
        if solid_start < 0:
            return None
        last = offsets[solid_start + len(solid_label) - 1]
        return Location(offsets[solid_start], last + 1, "part-whitespace")

    def find_nearest(self, label: str, start: int) -> int:
        """Return the offset of the occurrence nearest to ``start``, or -1. In a tie, the earlier occurrence."""
        size, place = len(self.text), max(start, 0)
        self.steps += 2 * (size + min(len(label), _QUADRATIC_LABEL) * min(size, _QUADRATIC_TEXT))
        after = self.text.find(label, place)
        # Search the reversed text, because `str.find` is linear for long texts and `str.rfind` can be quadratic.
        reversed_start = self._reversed.find(label[::-1], max(size - place - len(label), 0))
        before = size - reversed_start - len(label) if reversed_start >= 0 else -1
        if before < 0 or after < 0:
            return max(before, after)
        return before if start - before <= after - start else after
