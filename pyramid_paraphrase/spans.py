"""Where the text of an annotated part really lies: its offsets are slightly wrong in a few real files."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple


class Location(NamedTuple):
    """A span of the text and the kind of problem its repair is, or None."""

    start: int
    end: int
    problem: str | None


class TextIndex:
    """A text that parts are looked up in."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _solid(self) -> tuple[str, list[int]]:
        """The text without whitespace, and the offset of each of its characters in the text."""
        offsets = [offset for offset, char in enumerate(self.text) if not char.isspace()]
        return "".join(self.text[offset] for offset in offsets), offsets

    def locate(self, label: str, start: int, end: int) -> Location | None:
        """Find a part: at its offsets, else at the nearest occurrence, else at the nearest ignoring whitespace.

        Args:
            label: The part's text as the annotation repeats it, not blank.
            start: First offset the annotation gives; negative if it gives none.
            end: Offset after the last character.

        Returns:
            Its place, or None if the text nowhere says that.
        """
        if start >= 0 and self.text[start:end] == label:
            return Location(start, end, None)
        exact = _nearest(self.text, label, start)
        if exact >= 0:
            return Location(exact, exact + len(label), "part-moved")
        solid_text, offsets = self._solid
        solid_label = "".join(label.split())
        found = _nearest(solid_text, solid_label, bisect_left(offsets, start))
        if found < 0:
            return None
        return Location(offsets[found], offsets[found + len(solid_label) - 1] + 1, "part-whitespace")


def _nearest(text: str, wanted: str, start: int) -> int:
    """Offset of the occurrence that begins nearest to ``start`` (the earlier of two), or -1."""
    after = text.find(wanted, max(start, 0))
    before = text.rfind(wanted, 0, max(start, 0) + len(wanted))
    if before < 0 or after < 0:
        return max(before, after)
    return before if start - before <= after - start else after
