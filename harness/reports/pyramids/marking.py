"""Texts with marked spans, as HTML. Spans may overlap, so a text is cut at each of their ends."""

from __future__ import annotations

import html
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.pyramids.records import Part

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
        kind: Class of the marks that only spans of this kind cover, or "" for a class by the number of spans.
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
            name = f"d{min(depth[''], _DEEPEST)}" if "" in kinds else kinds[0]
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
