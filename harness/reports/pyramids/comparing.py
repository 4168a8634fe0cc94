"""A page that shows two people's pyramids of the same summaries next to each other, with their disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from harness.evaluation.people.agreement import Row, list_places, locate_words, match_scus
from harness.evaluation.people.pyramids import MarkedSummaries, Marking, join_scus, mark
from harness.evaluation.people.report import AGREEMENTS, report_agreement
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING
from harness.reports.pyramids.marking import Item, Marker, join_parts
from harness.reports.pyramids.pages import rank_scus
from pyramid_paraphrase import __version__
from pyramid_paraphrase.pyramids.records import Pyramid

ONLY = "only"
"""Class of marks: text that the SCU of one person contains, and the SCU of the other person does not."""


class _Side(NamedTuple):
    """One person's pyramid, in the words of the summaries.

    Attributes:
        name: The name of the person.
        pyramid: The pyramid.
        marking: Its contributors and SCUs as numbers of words.
        scus: The words of each SCU, by its index in the pyramid.
        numbers: The number of each SCU on the page of the pyramid, by its index.
    """

    name: str
    pyramid: Pyramid
    marking: Marking
    scus: dict[int, frozenset[int]]
    numbers: dict[int, int]


class Comparison(NamedTuple):
    """A page that compares two pyramids.

    Attributes:
        title: The pyramids.
        names: The people.
        html: The page.
        values: The coefficients of agreement by title, as `annotate pyramids` prints them.
    """

    title: str
    names: tuple[str, str]
    html: str
    values: dict[str, float | None]


def compare_pyramids(title: str, first: tuple[str, Pyramid], second: tuple[str, Pyramid], problems: str) -> Comparison:
    """Render a page that compares two pyramids of summaries with the same words.

    Args:
        title: Title of the summaries.
        first: Name of a person, and their pyramid, whose text is shown.
        second: The same of the other person.
        problems: Description of the problems of all files.

    Raises:
        LimitError: If the summaries are too long.
    """
    words, marking = mark(first[1])
    sides = [_make_side(*first, marking), _make_side(*second, mark(second[1])[1])]
    group = MarkedSummaries(first[1], words, {side.name: side.marking for side in sides})
    report = report_agreement([group], [])
    values = {AGREEMENTS[name]: report.record["agreement"][0][name] for name in AGREEMENTS}
    rows = match_scus(sides[0].scus, sides[1].scus)
    groups = _group_rows(rows, sides)
    ordered = list(chain.from_iterable(members for _, members in groups))
    marker = Marker()
    columns = _mark_columns(sides, ordered, marker)
    html = render_page(
        "pyramid_pair.html",
        "pyramid",
        title=f"{title}: {sides[0].name} and {sides[1].name}",
        names=[side.name for side in sides],
        values=values,
        explanation=report.notes[-1],
        groups=[
            (heading, [_show_row(ordered.index(row) + 1, row, sides, marker) for row in members])
            for heading, members in groups
        ],
        summaries=[
            (summary.summarizer, list(zip((side.name for side in sides), texts, strict=True)))
            for summary, *texts in zip(first[1].summaries, *columns, strict=True)
        ],
        problems=problems,
        version=__version__,
    )
    return Comparison(title, (sides[0].name, sides[1].name), html, values)


def _make_side(name: str, pyramid: Pyramid, marking: Marking) -> _Side:
    numbers = {index: number for number, index in enumerate(rank_scus(pyramid.scus), 1)}
    return _Side(name, pyramid, marking, join_scus(marking), numbers)


def _group_rows(rows: Iterable[Row], sides: Sequence[_Side]) -> list[tuple[str, list[Row]]]:
    """Divide rows by agreement, and sort them by the numbers of their SCUs. Groups without rows are left out."""
    different: list[Row] = []
    only: tuple[list[Row], list[Row]] = ([], [])
    same: list[Row] = []
    for row in rows:
        if row.first is None or row.second is None:
            only[row.first is None].append(row)
        elif row.shared < 1:
            different.append(row)
        else:
            same.append(row)

    def rank(row: Row) -> tuple[int, int]:
        own = [side.numbers[index] for side, index in zip(sides, row[:2], strict=True) if index is not None]
        return own[0], own[-1]

    groups = [("In both, but not with the same words", different)]
    groups += [(f"Only in the pyramid of {side.name}", members) for side, members in zip(sides, only, strict=True)]
    groups.append(("The same in both", same))
    return [(heading, sorted(members, key=rank)) for heading, members in groups if members]


def _mark_columns(sides: Sequence[_Side], rows: Sequence[Row], marker: Marker) -> list[list[Any]]:
    """Mark the SCUs of each person in the text of the first pyramid, and return the summaries of each as HTML."""
    text = sides[0].pyramid.text
    sections = [(summary.start, summary.end) for summary in sides[0].pyramid.summaries]
    places = list_places(sides[0].pyramid)
    columns = []
    for own, side in enumerate(sides):
        row_of = {row[own]: number for number, row in enumerate(rows, 1) if row[own] is not None}
        items = []
        for scu, words in zip(side.marking.scus, side.marking.contributors, strict=True):
            number = row_of[scu]
            row = rows[number - 1]
            other = row.first if own else row.second
            contributor = locate_words(words, places, text)
            items.append(Item(number, str(side.numbers[scu]), side.name, contributor))
            differing = words if other is None else words - sides[1 - own].scus[other]
            if differing:
                items.append(Item(0, "", side.name, locate_words(differing, places, text), ONLY))
        columns.append(marker.mark(text, sections, items))
    return columns


def _show_row(number: int, row: Row, sides: Sequence[_Side], marker: Marker) -> dict[str, Any]:
    """Return a row for the template."""
    shown: list[dict[str, Any]] = []
    marks = [mark for _, _, mark in marker.places.get(number, ())]
    for side, index, other in zip(sides, (row.first, row.second), (row.second, row.first), strict=True):
        if index is not None:
            scu = side.pyramid.scus[index]
            count = len(scu.contributors)
            names = ["+".join(contributor.summarizers) or NOTHING for contributor in scu.contributors]
            places = zip(names, map(join_parts, scu.contributors), marks[:count], strict=True)
            marks = marks[count:]
            shown.append({"side": side, "number": side.numbers[index], "scu": scu, "places": list(places)})
            continue
        other_side = sides[side is sides[0]]
        words = frozenset() if other is None else other_side.scus[other]
        overlapping = sorted(side.numbers[scu] for scu, own_words in side.scus.items() if own_words & words)
        shown.append({"side": side, "scu": None, "overlapping": overlapping})
    ranges = " ".join(marker.ranges.get(number, ()))
    return {"number": number, "sides": shown, "shared": row.shared, "marks": ranges}
