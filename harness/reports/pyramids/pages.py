"""Pages that show pyramids: the SCUs by weight, the marked summaries, and the marked peers with their scores."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from itertools import chain, count, groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from harness.rendering.inspection import UNMARKED
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of
from harness.reports.pyramids.marking import Span, fits, mark_text
from harness.support.names import slug
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import OTHER, find_collection, licence_of
from pyramid_paraphrase.pyramids.corpus import Corpus, describe_problems
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.pyramid_scores import find_inflated, score_peer, unify_peers
from pyramid_paraphrase.pyramids.records import (
    NON_MATCHING_UID,
    Contributor,
    PeerAnnotation,
    Pyramid,
    Scu,
)

INDEX = "index.html"
"""Name of the page that lists the others."""

SUFFIX = ".html"

_UNMATCHED, _FOREIGN = "no-scu", "foreign"
"""Classes of marks: text that matches no SCU, and text that matches an SCU which the pyramid of the page lacks."""


class _Item(NamedTuple):
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


class _Marker:
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

    def mark(self, text: str, sections: Sequence[tuple[int, int]], items: Sequence[_Item]) -> list[Markup]:
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
                place = max(bisect_right(starts, part.start) - 1, 0)
                while fits(part, text) and place < len(sections) and starts[place] < part.end:
                    spans[place].append(span)
                    place += 1
        first_marks: dict[int, int] = {}
        marked: set[int] = set()
        htmls = []
        for section, own_spans in zip(sections, spans, strict=True):
            html, ranges = mark_text(text, section, own_spans, self._next)
            htmls.append(html)
            for span, first, last in ranges:
                marked.add(span.owner)
                first_marks.setdefault(owners[span.owner], first)
                self.ranges.setdefault(span.group, []).append(f"{first}-{last}")
                self._next = max(self._next, last + 1)
        self.parts += len(owners)
        self.unmarked += len(owners) - len(marked)
        for owner, item in enumerate(items):
            joined = " … ".join(part.text for part in item.contributor.parts)
            self.places.setdefault(item.group, []).append((item.name, joined, first_marks.get(owner, 0)))
        return htmls


class PyramidPage(NamedTuple):
    """A page, and what it shows.

    Attributes:
        pyramid: The pyramid.
        html: The page.
        peers: Number of its peer annotations.
        parts: Number of parts of all texts.
        unmarked: Number of the parts that are not marked.
    """

    pyramid: Pyramid
    html: str
    peers: int
    parts: int
    unmarked: int


def render_pages(corpus: Corpus) -> dict[str, PyramidPage]:
    """Render a page for each pyramid of a corpus.

    Returns:
        The pages by the names of their files, in natural order of the ids of the pyramids.
    """
    names = unify_peers(corpus.annotations)
    annotations: dict[str, list[tuple[str, PeerAnnotation]]] = {}
    for annotation in corpus.annotations:
        named = names.get(annotation.peer, annotation.peer), annotation
        annotations.setdefault(annotation.pyramid.id, []).append(named)
    inflated = find_inflated(corpus.annotations)
    references = {pyramid.id for pyramid in corpus.reference_pyramids}
    problems = describe_problems(corpus.problems)
    pages: dict[str, PyramidPage] = {}
    for pyramid in sorted(corpus.all_pyramids, key=lambda pyramid: natural_key(pyramid.id)):
        peers = sorted(annotations.get(pyramid.id, ()), key=lambda peer: (natural_key(peer[0]), peer[1].annotator))
        page = _render_pyramid(
            pyramid,
            peers,
            problems,
            is_inflated=find_collection(pyramid.id).name in inflated,
            has_places=pyramid.id not in references,
        )
        pages[name_file(pyramid.id, pages)] = page
    return pages


def _find_licence(pyramid_id: str) -> str:
    """Return the licence of a pyramid's texts, or "" if its collection is unknown."""
    collection = find_collection(pyramid_id)
    return "" if collection == OTHER else licence_of(collection.name)


def name_file(title: str, taken: Container[str]) -> str:
    """Return the name of a file for a page, which no other page has, also where case does not matter."""
    stem = slug(title).lower()
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(name + SUFFIX for name in names if name + SUFFIX != INDEX and name + SUFFIX not in taken)


def _render_pyramid(
    pyramid: Pyramid,
    peers: Sequence[tuple[str, PeerAnnotation]],
    problems: str,
    *,
    is_inflated: bool,
    has_places: bool,
) -> PyramidPage:
    """Render the page of a pyramid.

    Args:
        pyramid: The pyramid.
        peers: Names and annotations of its peers.
        problems: Description of the problems of all files.
        is_inflated: Whether original scores are hidden.
        has_places: Whether contributors of peers are places. Otherwise a contributor that is a whole text says only
            that the summary expresses the SCU.
    """
    marker = _Marker()
    # Sorting is stable: SCUs of the same weight stay in the order of the file.
    scus = sorted(pyramid.scus, key=lambda scu: (-scu.weight, -len(scu.contributors)))
    items = []
    for number, scu in enumerate(scus, 1):
        for contributor in scu.contributors:
            name = "+".join(contributor.summarizers) or NOTHING
            items.append(_Item(number, str(number), name, contributor))
    sections = [(summary.start, summary.end) for summary in pyramid.summaries]
    htmls = marker.mark(pyramid.text, sections, items)
    summaries = list(zip((summary.summarizer for summary in pyramid.summaries), htmls, strict=True))
    shown_peers = [_show_peer(name, annotation, scus, marker, has_places=has_places) for name, annotation in peers]
    everyone = sorted({summary.summarizer for summary in pyramid.summaries}, key=natural_key)
    rows = [_show_scu(number, scu, everyone, shown_peers, marker) for number, scu in enumerate(scus, 1)]
    tiers = [(weight, list(members)) for weight, members in groupby(rows, key=lambda row: row["scu"].weight)]
    html = render_page(
        "pyramid.html",
        "pyramid",
        title=pyramid.id,
        facts=[
            count_of(len(summaries), "model summary").replace("summarys", "summaries"),
            count_of(len(scus), "SCU"),
            count_of(pyramid.contributor_count, "contributor"),
        ],
        licence=_find_licence(pyramid.id),
        tiers=tiers,
        summaries=summaries,
        peers=shown_peers,
        foreign=sum(peer["foreign"] for peer in shown_peers),
        unmarked=marker.unmarked,
        parts=marker.parts,
        inflated=f"{UNMARKED}. The original score would be too high" if is_inflated and peers else "",
        problems=problems,
        version=__version__,
    )
    return PyramidPage(pyramid, html, len(peers), marker.parts, marker.unmarked)


def _show_peer(
    name: str, annotation: PeerAnnotation, scus: Sequence[Scu], marker: _Marker, *, has_places: bool
) -> dict[str, Any]:
    """Return a peer for the template, and mark its text.

    An SCU of the annotation is the SCU of the page with the same uid, if both have the same label.
    """
    numbers = {(scu.uid, scu.label): number for number, scu in enumerate(scus, 1)}
    labels = {scu.uid: scu.label for scu in annotation.pyramid.scus}
    title = f"{name} (annotator {annotation.annotator})" if annotation.annotator else name
    items, expressed, foreign, unmatched = [], set(), [], []
    for is_partial, scu in [*((False, scu) for scu in annotation.scus), *((True, scu) for scu in annotation.partial)]:
        if scu.uid == NON_MATCHING_UID:
            unmatched += [contributor.text for contributor in scu.contributors]
            items += [_Item(0, "", title, contributor, _UNMATCHED) for contributor in scu.contributors]
            continue
        label = scu.label or labels.get(scu.uid, "")
        number = numbers.get((scu.uid, label), 0)
        if number == 0:
            foreign.append((scu.uid, label, " … ".join(contributor.text for contributor in scu.contributors)))
            items += [_Item(0, "?", title, contributor, _FOREIGN) for contributor in scu.contributors]
            continue
        if not is_partial:
            expressed.add(number)
        own_title = f"peer {title}, in part" if is_partial else f"peer {title}"
        contributors = [one for one in scu.contributors if has_places or one.text != " ".join(annotation.text.split())]
        items += [_Item(number, str(number), own_title, contributor) for contributor in contributors]
        if not contributors:
            marker.places.setdefault(number, []).append((own_title, "", 0))
    [html] = marker.mark(annotation.text, [(0, len(annotation.text))], items)
    score = score_peer(annotation)
    missing = [number for number in range(1, len(scus) + 1) if number not in expressed]
    return {
        "title": title,
        "html": html,
        "score": score,
        "expressed": expressed,
        "missing": missing,
        "foreign": len(foreign),
        "foreign_scus": foreign,
        "unmatched": unmatched,
    }


def _show_scu(
    number: int, scu: Scu, summarizers: Sequence[str], peers: Sequence[Mapping[str, Any]], marker: _Marker
) -> dict[str, Any]:
    """Return an SCU for the template."""
    own = {name for contributor in scu.contributors for name in contributor.summarizers}
    with_it = [peer["title"] for peer in peers if number in peer["expressed"]]
    return {
        "number": number,
        "scu": scu,
        "marks": " ".join(marker.ranges.get(number, ())),
        "places": marker.places.get(number, ()),
        "without": [name for name in summarizers if name not in own],
        "peers": with_it,
        "peers_without": [peer["title"] for peer in peers if peer["title"] not in with_it],
    }


def render_index(pages: Mapping[str, PyramidPage], problems: str) -> str:
    """Render the page that lists all pages of a folder."""
    rows = [(name, page, find_collection(page.pyramid.id)) for name, page in pages.items()]
    return render_page("pyramids.html", title="Pyramids", rows=rows, problems=problems, version=__version__)
