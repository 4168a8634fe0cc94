"""Counts of a corpus per collection, the completeness of collections, and the summary of a corpus."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyramid_paraphrase.catalog import Collection, Expected, find_collection
from pyramid_paraphrase.pyramids.problems import describe
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Problem, Pyramid

_HEADER = ("collection", "pyramids", "SCUs", "contributors", "peers")


class CollectionCounts(NamedTuple):
    """Counts of the records of one collection in a corpus."""

    collection: Collection
    summaries: int
    counts: Expected


def count_collections(pyramids: Iterable[Pyramid], annotations: Iterable[PeerAnnotation]) -> list[CollectionCounts]:
    """Count the records of each collection.

    Args:
        pyramids: The pyramids of a corpus.
        annotations: Its peer annotations.

    Returns:
        Counts of the collections that have a pyramid, in the order of their first pyramids.
    """
    members: dict[Collection, list[Pyramid]] = {}
    for pyramid in pyramids:
        members.setdefault(find_collection(pyramid.id), []).append(pyramid)
    peers = Counter(find_collection(annotation.pyramid.id) for annotation in annotations)
    return [_count(collection, part, peers[collection]) for collection, part in members.items()]


def _count(collection: Collection, pyramids: Sequence[Pyramid], peer_annotations: int) -> CollectionCounts:
    counts = Expected(
        pyramids=len(pyramids),
        scus=sum(len(pyramid.scus) for pyramid in pyramids),
        contributors=sum(pyramid.contributor_count for pyramid in pyramids),
        peer_annotations=peer_annotations,
        topics=len({pyramid.topic for pyramid in pyramids}),
    )
    return CollectionCounts(collection, sum(len(pyramid.summaries) for pyramid in pyramids), counts)


def describe_parts(collections: Iterable[CollectionCounts]) -> str:
    """Name the collections with missing topics.

    Returns:
        A sentence such as "Part of a collection: 12 of 23 topics of duc2007-main.", or "" if no topic is missing.
    """
    parts = []
    for row in collections:
        topics, expected = row.counts.topics, row.collection.expected
        if expected is not None and topics < expected.topics:
            parts.append(f"{topics:,} of {expected.topics:,} topics of {row.collection.name}")
    return f"Part of a collection: {', '.join(parts)}." if parts else ""


def render_summary(collections: Sequence[CollectionCounts], problems: Sequence[Problem]) -> str:
    """Render the counts of a corpus as lines of text."""
    rows = [_HEADER, *_list_rows(collections)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers in rows:
        cells = [name.ljust(widths[0])]
        cells += [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join(cells))
    return "\n".join([*lines, _describe_problems(problems)])


def render_summary_html(collections: Sequence[CollectionCounts], problems: Sequence[Problem]) -> str:
    """Render the counts of a corpus as a table in HTML."""
    header = "".join(f"<th>{title}</th>" for title in _HEADER)
    rows = [
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in _list_rows(collections)
    ]
    table = "\n".join(["<table>", f"<thead><tr>{header}</tr></thead>", "<tbody>", *rows, "</tbody>", "</table>"])
    return f"{table}\n<p>{html.escape(_describe_problems(problems))}</p>"


def _list_rows(collections: Sequence[CollectionCounts]) -> list[tuple[str, ...]]:
    rows = []
    for row in collections:
        counts = (row.counts.pyramids, row.counts.scus, row.counts.contributors, row.counts.peer_annotations)
        rows.append((row.collection.name, *(f"{count:,}" for count in counts)))
    return rows


def _describe_problems(problems: Sequence[Problem]) -> str:
    return f"Problems: {describe(problems)}"
