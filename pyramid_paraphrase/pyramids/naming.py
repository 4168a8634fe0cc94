"""Parse names of documents and files: topic, document set, summarizer, peer, annotator."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

_DOCUMENT = re.compile(
    r"(?P<topic>[A-Za-z]+[0-9]+)(?:-(?P<set>[A-Za-z0-9]+))?\.M\.[0-9]+\.[A-Za-z0-9]+\.(?P<writer>[A-Za-z0-9]+)"
)
_ZEROS = re.compile(r"(?<![0-9.])0+(?=[0-9])")
_PEER_FILE = re.compile(
    r"(?:(?P<annotator>[0-9]+)\.)?" + _DOCUMENT.pattern + r"(?:\.(?:pan|pyr|sep|xml))?", re.IGNORECASE
)


def parse_document_name(name: str) -> tuple[str, str, str] | None:
    """Parse the name in the heading of a model summary, such as ``D0743-A.M.100.J.B``.

    Returns:
        The topic "D0743", the document set "A" ("" if none) and the summarizer "B", or None if the name has another
        form.
    """
    match = _DOCUMENT.fullmatch(name.strip())
    return match and (match["topic"], match["set"] or "", match["writer"])


def parse_peer_name(file: str) -> tuple[str, str] | None:
    """Parse the file name of a peer annotation, such as ``100.D0601.M.250.A.1.pan``.

    Annotators can save a peer annotation under any name. DucView's README asks for ``.pyr``.

    Returns:
        The annotator "100" ("" if none) and the peer "1", or None if the name has another form.
    """
    match = _PEER_FILE.fullmatch(re.split(r"[/!]", file)[-1])
    return match and (match["annotator"] or "", match["writer"])


def strip_zeros(name: str) -> str:
    """Remove the zeros before a number, such as "01". Other names do not change."""
    return name.lstrip("0") or "0" if name.isascii() and name.isdigit() else name


def unify_numbers(sources: Iterable[Iterable[tuple[str, str]]]) -> dict[str, str]:
    """Find the names of peers that are the same number with other zeros before it.

    In DUC 2006, the peers of a single topic have such names: "01" there is peer "1" of all other topics. Names that
    occur in the same topic of a source belong to different peers and stay.

    Args:
        sources: Topics and names of peers, by source.

    Returns:
        For each name that changes, the spelling with the most topics.
    """
    places = _find_places(sources)
    unified = {}
    for peers in _group_apart(places, strip_zeros):
        chosen = max(peers, key=lambda peer: (len(places[peer]), -len(peer)))
        unified.update({peer: chosen for peer in sorted(peers) if peer != chosen})
    return unified


def note_similar(sources: Iterable[Iterable[tuple[str, str]]]) -> list[str]:
    """Write a note on names that may be meant as one: they differ only in case, width, or zeros before numbers.

    Args:
        sources: Topics and names of peers, by source. Names that occur in the same topic of a source are left out.
    """
    groups = _group_apart(_find_places(sources), _fold)
    if not groups:
        return []
    listed = "; ".join(", ".join(sorted(peers, key=natural_key)) for peers in groups)
    return [f"Names that differ only in case, width or zeros are different systems: {listed}"]


def _find_places(sources: Iterable[Iterable[tuple[str, str]]]) -> dict[str, set[tuple[int, str]]]:
    """Find the topics of each peer, with the numbers of their sources."""
    places: dict[str, set[tuple[int, str]]] = {}
    for number, pairs in enumerate(sources):
        for topic, peer in pairs:
            places.setdefault(peer, set()).add((number, topic))
    return places


def _group_apart(places: Mapping[str, set[tuple[int, str]]], key: Callable[[str], str]) -> list[list[str]]:
    """Group names with equal keys. Names that occur in the same place belong to different peers and are left out."""
    spellings: dict[str, list[str]] = {}
    for peer in places:
        spellings.setdefault(key(peer), []).append(peer)
    groups = []
    for peers in spellings.values():
        all_places = set().union(*(places[peer] for peer in peers))
        if len(peers) > 1 and len(all_places) == sum(len(places[peer]) for peer in peers):
            groups.append(peers)
    return groups


def _fold(name: str) -> str:
    return _ZEROS.sub("", unicodedata.normalize("NFKC", name).casefold())


def note_unified(unified: Mapping[str, str]) -> list[str]:
    """Write a note on names that `unify_numbers` changes, if there are any."""
    if not unified:
        return []
    changes = ", ".join(f"{name} as {unified[name]}" for name in sorted(unified, key=natural_key))
    return [f"Names that differ in zeros before a number are one system: {changes}"]


@lru_cache(maxsize=1 << 14)
def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return a key for natural order: "D9" before "D10", peer "2" before "13"."""
    return tuple((len(piece) if piece.isdigit() else 0, piece) for piece in re.split(r"([0-9]+)", name) if piece)
