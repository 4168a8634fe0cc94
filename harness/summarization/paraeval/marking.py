"""Two summaries with what matches marked, as in figure 3 of Zhou et al. (2006)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from harness.summarization.paraeval.matching import WORDS, Alignment
from harness.summarization.paraeval.prepared_texts import Stretch
from harness.text.words import place_words


class Mark(NamedTuple):
    """A stretch of words that is matched.

    Attributes:
        first: Its first word.
        behind: The word behind its last.
        tier: In which tier.
        link: A number that both sides share; 0 for equal words, which need none.
    """

    first: int
    behind: int
    tier: int
    link: int


class Piece(NamedTuple):
    """A stretch of text; tier and link are 0 where nothing matches."""

    text: str
    tier: int = 0
    link: int = 0


Line = tuple[Piece, ...]


class MarkedPair(NamedTuple):
    """A reference and a peer, sentence by sentence."""

    reference: tuple[Line, ...]
    peer: tuple[Line, ...]


def mark_pair(reference: Sequence[str], peer: Sequence[str], alignment: Alignment) -> MarkedPair:
    """Mark what matches.

    Args:
        reference: Sentences of the reference.
        peer: Sentences of the peer.
        alignment: What matches; links are numbered by their place in the reference.

    Returns:
        Both, with all of their text.
    """
    ours, theirs, links = [], [], 0
    for match in alignment.matches:
        links += match.tier != WORDS
        link = links if match.tier != WORDS else 0
        ours.append(Mark(match.start, match.end, match.tier, link))
        theirs.append(Mark(match.peer_start, match.peer_end, match.tier, link))
    return MarkedPair(tuple(_mark(reference, ours)), tuple(_mark(peer, theirs)))


def _mark(sentences: Sequence[str], marks: Iterable[Mark]) -> Iterator[Line]:
    waiting = {mark.first: mark for mark in marks}
    offset = 0
    for sentence in sentences:
        text = unicodedata.normalize("NFC", sentence)
        words = place_words(text)
        own = [waiting[offset + index] for index in range(len(words)) if offset + index in waiting]
        places: list[tuple[Stretch, Mark]] = [
            ((words[mark.first - offset].start, words[mark.behind - 1 - offset].end), mark) for mark in own
        ]
        yield tuple(_cut(text, places))
        offset += len(words)


def _cut(text: str, places: Iterable[tuple[Stretch, Mark]]) -> Iterator[Piece]:
    reached = 0
    for (start, end), mark in places:
        if start > reached:
            yield Piece(text[reached:start])
        yield Piece(text[start:end], mark.tier, mark.link)
        reached = end
    if reached < len(text):
        yield Piece(text[reached:])
