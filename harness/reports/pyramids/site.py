"""All pages of some files: a page per pyramid, a page per two pyramids of the same summaries, and a list of them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import chain, combinations, count
from typing import NamedTuple

from harness.rendering.pages import render_page
from harness.reports.pyramids.comparing import Comparison, compare_pyramids
from harness.reports.pyramids.pages import PyramidPage, render_pyramid
from harness.support.names import slug
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import find_collection
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.pyramids.corpus import Corpus, describe_problems
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.pyramid_scores import find_inflated, unify_peers
from pyramid_paraphrase.pyramids.records import PeerAnnotation, Pyramid
from pyramid_paraphrase.pyramids.sources import base_name
from pyramid_paraphrase.words import find_words

INDEX = "index.html"
"""Name of the page that lists the others."""

SUFFIX = ".html"

MOST_COMPARED = 10
"""Most pyramids of the same summaries that are compared, each with each other."""


class Site(NamedTuple):
    """Pages by the names of their files, and the page that lists them.

    Attributes:
        pages: The pages of pyramids, in natural order of their titles.
        comparisons: The pages that compare two pyramids.
        listing: The list, whose name is `INDEX`.
        notes: Notes on pyramids that are not compared.
    """

    pages: dict[str, PyramidPage]
    comparisons: dict[str, Comparison]
    listing: str
    notes: list[str]


def render_site(corpora: Mapping[str, Corpus]) -> Site:
    """Render the pages of the pyramids of corpora.

    Args:
        corpora: Corpora by name. Names are in the titles of pages. The name of a single corpus can be "".
    """
    problems = describe_problems(chain.from_iterable(corpus.problems for corpus in corpora.values()))
    pages: dict[str, PyramidPage] = {}
    for name, corpus in corpora.items():
        for page in _render_corpus(name, corpus, problems):
            pages[_name_file(page.title, pages)] = page
    comparisons, notes = _compare_all(corpora, pages, problems)
    rows = [(name, page, find_collection(page.pyramid.id)) for name, page in pages.items()]
    listing = render_page(
        "pyramids.html",
        title="Pyramids",
        rows=rows,
        comparisons=comparisons,
        notes=notes,
        problems=problems,
        version=__version__,
    )
    return Site(pages, comparisons, listing, notes)


def _compare_all(
    corpora: Mapping[str, Corpus], pages: Container[str], problems: str
) -> tuple[dict[str, Comparison], list[str]]:
    """Render a page for each two pyramids of the same summaries.

    Args:
        corpora: Corpora by name.
        pages: Names of files that are taken.
        problems: Description of the problems of all files.

    Returns:
        The pages by the names of their files, and notes on pyramids that are not compared.
    """
    comparisons: dict[str, Comparison] = {}
    notes = []
    for title, pyramids in _group_pyramids(corpora):
        if len(pyramids) > MOST_COMPARED:
            notes.append(f"{title}: {MOST_COMPARED} of {len(pyramids)} pyramids of the same summaries are compared")
        for first, second in combinations(pyramids[:MOST_COMPARED], 2):
            try:
                comparison = compare_pyramids(title, first, second, problems)
            except LimitError as error:
                notes.append(f"{title}: {first[0]} and {second[0]} are not compared: {error.reason}")
                continue
            name = _name_file(f"{title}-{first[0]}-{second[0]}", pages, comparisons)
            comparisons[name] = comparison
    return comparisons, notes


def _render_corpus(name: str, corpus: Corpus, problems: str) -> list[PyramidPage]:
    """Render a page for each pyramid of a corpus, in natural order of their ids."""
    names = unify_peers(corpus.annotations)
    annotations: dict[str, list[tuple[str, PeerAnnotation]]] = {}
    for annotation in corpus.annotations:
        named = names.get(annotation.peer, annotation.peer), annotation
        annotations.setdefault(annotation.pyramid.id, []).append(named)
    inflated = find_inflated(corpus.annotations)
    references = {pyramid.id for pyramid in corpus.reference_pyramids}
    pages = []
    for pyramid in sorted(corpus.all_pyramids, key=lambda pyramid: natural_key(pyramid.id)):
        page = render_pyramid(
            f"{pyramid.id} ({name})" if name else pyramid.id,
            pyramid,
            sorted(annotations.get(pyramid.id, ()), key=lambda peer: (natural_key(peer[0]), peer[1].annotator)),
            problems,
            is_inflated=find_collection(pyramid.id).name in inflated,
            has_places=pyramid.id not in references,
        )
        pages.append(page)
    return pages


def _name_file(title: str, *taken: Container[str]) -> str:
    """Return the name of a file for a page, which is not taken, also where case does not matter."""
    stem = slug(title).lower()
    names = chain([stem], (f"{stem}-{number}" for number in count(2)))
    files = (name + SUFFIX for name in names)
    return next(file for file in files if not any(file in others for others in ((INDEX,), *taken)))


def _group_pyramids(corpora: Mapping[str, Corpus]) -> list[tuple[str, list[tuple[str, Pyramid]]]]:
    """Find pyramids of summaries with the same words.

    Returns:
        For each of these summaries, their title and at least two pyramids. A pyramid has the name of its corpus or file
        or, if it is not the only pyramid of that name, its id.
    """
    groups: dict[tuple[tuple[str, ...], ...], list[tuple[str, Pyramid]]] = {}
    for name, corpus in corpora.items():
        for pyramid in corpus.pyramids:
            sections = (pyramid.text[summary.start : summary.end] for summary in pyramid.summaries)
            words = tuple(tuple(word for word, _, _ in find_words(section)) for section in sections)
            stem = base_name(corpus.files[pyramid.id]).rpartition(".")[0]
            if any(words):
                groups.setdefault(words, []).append((name or stem, pyramid))
    found = []
    for members in groups.values():
        if len(members) > 1:
            if len({name for name, _ in members}) < len(members):
                members = [(pyramid.id, pyramid) for _, pyramid in members]
            ids = {pyramid.id for _, pyramid in members}
            found.append((ids.pop() if len(ids) == 1 else members[0][1].topic, members))
    return sorted(found, key=lambda group: natural_key(group[0]))
