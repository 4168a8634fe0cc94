"""Texts with marked spans, as HTML. Spans may overlap, so a text is cut at each of their ends."""

from __future__ import annotations

import html
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.pyramids.records import Contributor, Part

_DEEPEST = 3
"""Most spans at a place that have a style of their own."""


class Span(NamedTuple):
    """A span of a text to mark.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        owner: Number of its contributor, by which the caller knows it.
        group: Number of its SCU, or 0 if the page has no SCU for it.
        title: The text before it, such as "7.2" for the second part of a contributor of the SCU 7, or "".
        kind: Class of its marks, or "" for a class by the number of spans of this kind.
    """

    start: int
    end: int
    owner: int
    group: int
    title: str
    kind: str = ""


def fits(part: Part, text: str) -> bool:
    """Return whether a part is at its offsets in a text, apart from whitespace. Otherwise it must not be marked."""
    return 0 <= part.start < part.end <= len(text) and text[part.start : part.end].split() == part.text.split() != []


def mark_text(
    text: str, section: tuple[int, int], spans: Iterable[Span], first: int
) -> tuple[Markup, list[tuple[Span, int, int]]]:
    """Mark spans in a section of a text.

    Args:
        text: The text.
        section: Start and end of the section. Whitespace at its ends is not shown.
        spans: The spans. What lies outside of the section is ignored.
        first: Number of the first mark. The id of mark 7 is "m7".

    Returns:
        The section as HTML. Then each span that overlaps it, with the numbers of its first and last mark.
    """
    text = text.replace("\t", " ")
    low, high = section
    low += len(text[low:high]) - len(text[low:high].lstrip())
    high = low + len(text[low:high].rstrip())
    clipped = (span._replace(start=max(span.start, low), end=min(span.end, high)) for span in spans)
    inside = [span for span in clipped if span.start < span.end]
    # Longer spans first, so that the title of a whole comes before the titles of its parts.
    inside.sort(key=lambda span: (span.start, -span.end, span.group, span.title))
    changes: dict[int, list[tuple[str, int]]] = {low: [], high: []}
    for span in inside:
        changes.setdefault(span.start, []).append((span.kind, 1))
        changes.setdefault(span.end, []).append((span.kind, -1))
    # A whole text without invisible characters is shown as it is. Its pieces could begin with a combining mark.
    is_plain = escape(text[low:high], "\n") == text[low:high]
    titles: dict[int, str] = {}
    for span in inside:
        titles[span.start] = titles.get(span.start, "") + _link(span)
    depth: dict[str, int] = {}
    number, numbers, pieces = first, {}, []
    for start, end in pairwise(sorted(changes)):
        for kind, change in changes[start]:
            depth[kind] = depth.get(kind, 0) + change
        numbers[start] = number
        piece = html.escape(text[start:end] if is_plain else escape(text[start:end], "\n"))
        kinds = [kind for kind, count in depth.items() if count]
        if kinds:
            name = " ".join(kind or f"d{min(depth[''], _DEEPEST)}" for kind in sorted(kinds))
            piece = f'<mark id="m{number}" class="{name}">{titles.get(start, "")}{piece}</mark>'
            number += 1
        pieces.append(piece)
    numbers[high] = number
    marked = Markup("".join(pieces))  # noqa: S704 - all texts in it are escaped above
    return marked, [(span, numbers[span.start], numbers[span.end] - 1) for span in inside]


def _link(span: Span) -> str:
    """Return the title of a span as a link to its SCU, if it has one."""
    if not span.title:
        return ""
    title = html.escape(escape(span.title))
    return f'<a class="ref" href="#u{span.group}">{title}</a>' if span.group else f'<span class="ref">{title}</span>'


class Item(NamedTuple):
    """A contributor to mark in a text.

    Attributes:
        group: Number of its SCU on the page, or 0.
        title: The title of its marks.
        name: The name of its summary.
        contributor: The contributor.
        kind: The class of its marks, as of `Span`.
    """

    group: int
    title: str
    name: str
    contributor: Contributor
    kind: str = ""


class Marker:
    """Marks the texts of a page. Marks are numbered in the order of the page.

    Attributes:
        places: The contributors of each SCU, by its number: name of the summary, text, and number of the first mark, or
            0 if no part is marked.
        ranges: The first and the last mark of each part, by the number of the SCU.
        parts: Number of all parts.
        unmarked: Number of the parts that are not marked, because their texts are not at their offsets.
    """

    def __init__(self) -> None:
        self._next = 1
        self.places: dict[int, list[tuple[str, str, int]]] = {}
        self.ranges: dict[int, list[str]] = {}
        self.parts = self.unmarked = 0

    def mark(self, text: str, sections: Sequence[tuple[int, int]], items: Sequence[Item]) -> list[Markup]:
        """Mark contributors in the sections of a text, which are in its order. Return the sections as HTML."""
        starts = [start for start, _ in sections]
        spans: list[list[Span]] = [[] for _ in sections]
        owners: list[int] = []
        for owner, item in enumerate(items):
            parts = item.contributor.parts
            for number, part in enumerate(parts, 1):
                title = f"{item.title}.{number}" if len(parts) > 1 and item.title else item.title
                span = Span(part.start, part.end, len(owners), item.group, title, item.kind)
                owners.append(owner)
                if fits(part, text):
                    first = max(bisect_right(starts, part.start) - 1, 0)
                    for place in range(first, bisect_left(starts, part.end)):
                        spans[place].append(span)
        first_marks: dict[int, int] = {}
        marked: set[int] = set()
        htmls = []
        for section, own_spans in zip(sections, spans, strict=True):
            marked_text, ranges = mark_text(text, section, own_spans, self._next)
            htmls.append(marked_text)
            for span, first, last in ranges:
                marked.add(span.owner)
                first_marks.setdefault(owners[span.owner], first)
                self.ranges.setdefault(span.group, []).append(f"{first}-{last}")
                self._next = max(self._next, last + 1)
        self.parts += len(owners)
        self.unmarked += len(owners) - len(marked)
        for owner, item in enumerate(items):
            listed = item.name, join_parts(item.contributor), first_marks.get(owner, 0)
            self.places.setdefault(item.group, []).append(listed)
        return htmls


def join_parts(contributor: Contributor) -> str:
    """Return the text of a contributor, with dots between its parts."""
    return " … ".join(part.text for part in contributor.parts)
