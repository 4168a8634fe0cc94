"""Pages that show pyramids: the SCUs by weight, the marked summaries, and the marked peers with their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from harness.rendering.inspection import UNMARKED
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, count_of
from harness.reports.pyramids.marking import Item, Marker
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import OTHER, find_collection, licence_of
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.pyramid_scores import score_peer
from pyramid_paraphrase.pyramids.records import NON_MATCHING_UID, PeerAnnotation, Pyramid, Scu

_UNMATCHED, _FOREIGN = "no-scu", "foreign"
"""Classes of marks: text that matches no SCU, and text that matches an SCU which the pyramid of the page lacks."""


class PyramidPage(NamedTuple):
    """A page, and what it shows.

    Attributes:
        title: Its title.
        pyramid: The pyramid.
        html: The page.
        peers: Number of its peer annotations.
        parts: Number of parts of all texts.
        unmarked: Number of the parts that are not marked.
    """

    title: str
    pyramid: Pyramid
    html: str
    peers: int
    parts: int
    unmarked: int


def _find_licence(pyramid_id: str) -> str:
    """Return the licence of a pyramid's texts, or "" if its collection is unknown."""
    collection = find_collection(pyramid_id)
    return "" if collection == OTHER else licence_of(collection.name)


def render_pyramid(
    title: str,
    pyramid: Pyramid,
    peers: Sequence[tuple[str, PeerAnnotation]],
    problems: str,
    *,
    is_inflated: bool,
    has_places: bool,
) -> PyramidPage:
    """Render the page of a pyramid.

    Args:
        title: Title of the page.
        pyramid: The pyramid.
        peers: Names and annotations of its peers.
        problems: Description of the problems of all files.
        is_inflated: Whether original scores are hidden.
        has_places: Whether contributors of peers are places. Otherwise a contributor that is a whole text says only
            that the summary expresses the SCU.
    """
    marker = Marker()
    scus = [pyramid.scus[index] for index in rank_scus(pyramid.scus)]
    items = []
    for number, scu in enumerate(scus, 1):
        for contributor in scu.contributors:
            name = "+".join(contributor.summarizers) or NOTHING
            items.append(Item(number, str(number), name, contributor))
    sections = [(summary.start, summary.end) for summary in pyramid.summaries]
    htmls = marker.mark(pyramid.text, sections, items)
    summaries = list(zip((summary.summarizer for summary in pyramid.summaries), htmls, strict=True))
    shown_peers = [_show_peer(name, annotation, scus, marker, has_places=has_places) for name, annotation in peers]
    everyone = sorted({summary.summarizer for summary in pyramid.summaries}, key=natural_key)
    rows = [_show_scu(number, scu, everyone, shown_peers, marker) for number, scu in enumerate(scus, 1)]
    numbers = {scu.uid: number for number, scu in enumerate(scus, 1)}
    for relation in sorted(pyramid.relations, key=lambda relation: (relation.kind, numbers[relation.hypothesis])):
        relations = rows[numbers[relation.premise] - 1]["relations"]
        relations.setdefault(relation.kind, []).append(numbers[relation.hypothesis])
    tiers = [(weight, list(members)) for weight, members in groupby(rows, key=lambda row: row["scu"].weight)]
    html = render_page(
        "pyramid.html",
        "pyramid",
        title=title,
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
        inflated=f"{UNMARKED}. The original score would be too high." if is_inflated and peers else "",
        problems=problems,
        version=__version__,
    )
    return PyramidPage(title, pyramid, html, len(peers), marker.parts, marker.unmarked)


def rank_scus(scus: Sequence[Scu]) -> list[int]:
    """Return the indices of SCUs in the order of the page: by weight, contributors, and place in the file."""
    return sorted(range(len(scus)), key=lambda index: (-scus[index].weight, -len(scus[index].contributors), index))


def _show_peer(
    name: str, annotation: PeerAnnotation, scus: Sequence[Scu], marker: Marker, *, has_places: bool
) -> dict[str, Any]:
    """Return a peer for the template, and mark its text.

    An SCU of the annotation is the SCU of the page with the same uid, if both have the same label.
    """
    numbers = {(scu.uid, scu.label): number for number, scu in enumerate(scus, 1)}
    labels = {scu.uid: scu.label for scu in annotation.pyramid.scus}
    title = f"{name} (annotator {annotation.annotator})" if annotation.annotator else name
    items, foreign, unmatched = [], [], []
    expressed: set[int] = set()
    partly: set[int] = set()
    whole_text = " ".join(annotation.text.split())
    for is_partial, scu in [*((False, scu) for scu in annotation.scus), *((True, scu) for scu in annotation.partial)]:
        if scu.uid == NON_MATCHING_UID:
            unmatched += [contributor.text for contributor in scu.contributors]
            items += [Item(0, "", title, contributor, _UNMATCHED) for contributor in scu.contributors]
            continue
        label = scu.label or labels.get(scu.uid, "")
        number = numbers.get((scu.uid, label), 0)
        if number == 0:
            foreign.append((scu.uid, label, " … ".join(contributor.text for contributor in scu.contributors)))
            items += [Item(0, "?", title, contributor, _FOREIGN) for contributor in scu.contributors]
            continue
        (partly if is_partial else expressed).add(number)
        own_title = f"peer {title}, in part" if is_partial else f"peer {title}"
        contributors = [contributor for contributor in scu.contributors if has_places or contributor.text != whole_text]
        items += [Item(number, str(number), own_title, contributor) for contributor in contributors]
        if not contributors:
            marker.places.setdefault(number, []).append((own_title, "", 0))
    [html] = marker.mark(annotation.text, [(0, len(annotation.text))], items)
    score = score_peer(annotation)
    missing = [number for number in range(1, len(scus) + 1) if number not in expressed | partly]
    return {
        "title": title,
        "html": html,
        "score": score,
        "counts": [count_of(score.scus, "SCU"), count_of(score.repetitions, "repetition")],
        "expressed": expressed,
        "missing": missing,
        "foreign": len(foreign),
        "foreign_scus": foreign,
        "unmatched": unmatched,
    }


def _show_scu(
    number: int, scu: Scu, summarizers: Sequence[str], peers: Sequence[Mapping[str, Any]], marker: Marker
) -> dict[str, Any]:
    """Return an SCU for the template."""
    own = {name for contributor in scu.contributors for name in contributor.summarizers}
    with_it = [peer["title"] for peer in peers if number in peer["expressed"]]
    return {
        "number": number,
        "scu": scu,
        "marks": " ".join(marker.ranges.get(number, ())),
        "places": marker.places.get(number, ()),
        "relations": {},
        "without": [name for name in summarizers if name not in own],
        "peers": with_it,
        "peers_without": [peer["title"] for peer in peers if number in peer["missing"]],
    }
