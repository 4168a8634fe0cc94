"""Parse names of documents and files: topic, document set, summarizer, peer, annotator."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_DOCUMENT = re.compile(
    r"(?P<topic>[A-Za-z]+[0-9]+)(?:-(?P<set>[A-Za-z0-9]+))?\.M\.[0-9]+\.[A-Za-z0-9]+\.(?P<writer>[A-Za-z0-9]+)"
)
_PEER_FILE = re.compile(r"(?:(?P<annotator>[0-9]+)\.)?" + _DOCUMENT.pattern + r"(?:\.pan)?", re.IGNORECASE)


class DocumentName(NamedTuple):
    """Parts of a name such as ``D0743-A.M.100.J.B``: topic "D0743", set "A" ("" if none), summarizer "B"."""

    topic: str
    set: str
    summarizer: str


class PeerName(NamedTuple):
    """Parts of a file name such as ``100.D0601.M.250.A.1.pan``: annotator "100" ("" if none), peer "1"."""

    annotator: str
    peer: str


def parse_document_name(name: str) -> DocumentName | None:
    """Parse the name in the heading of a model summary. Return None if it has another form."""
    match = _DOCUMENT.fullmatch(name.strip())
    if match is None:
        return None
    return DocumentName(match["topic"], match["set"] or "", match["writer"])


def parse_peer_name(file: str) -> PeerName | None:
    """Parse the file name of a peer annotation. Return None if it has another form."""
    match = _PEER_FILE.fullmatch(re.split(r"[/!]", file)[-1])
    if match is None:
        return None
    return PeerName(match["annotator"] or "", match["writer"])


@lru_cache(maxsize=1 << 14)
def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return a key for natural order: "D9" before "D10", peer "2" before "13"."""
    return tuple((len(piece) if piece.isdigit() else 0, piece) for piece in re.split(r"([0-9]+)", name) if piece)
