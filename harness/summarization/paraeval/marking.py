"""A reference and a peer with their matches marked, as in figure 3 of Zhou et al. (2006)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from harness.summarization.paraeval.matching import WORDS, Alignment
from harness.summarization.paraeval.prepared_texts import Stretch
from pyramid_paraphrase.words import find_words


class Mark(NamedTuple):
    """A matched stretch of words.

    Attributes:
        start: Index of its first word.
        end: Index after its last word.
        tier: The tier that matches it.
        link: The number of the match, the same in both summaries, or 0 for equal words, which need no number.
    """

    start: int
    end: int
    tier: int
    link: int


class Piece(NamedTuple):
    """A stretch of text. Its tier and link are 0 if it is not matched."""

    text: str
    tier: int = 0
    link: int = 0


Line = tuple[Piece, ...]


class MarkedPair(NamedTuple):
    """A reference and a peer, sentence by sentence."""

    reference: tuple[Line, ...]
    peer: tuple[Line, ...]


def mark_pair(reference: Sequence[str], peer: Sequence[str], alignment: Alignment) -> MarkedPair:
    """Mark the matches of a reference and a peer.

    Args:
        reference: Sentences of the reference.
        peer: Sentences of the peer.
        alignment: The matches. Links are numbered in the order of the reference.

    Returns:
        The complete texts of both summaries, with marks.
    """
    reference_marks, peer_marks = [], []
    link_count = 0
    for match in alignment.matches:
        link = 0
        if match.tier != WORDS:
            link_count += 1
            link = link_count
        reference_marks.append(Mark(match.start, match.end, match.tier, link))
        peer_marks.append(Mark(match.peer_start, match.peer_end, match.tier, link))
    return MarkedPair(tuple(_mark_sentences(reference, reference_marks)), tuple(_mark_sentences(peer, peer_marks)))


def _mark_sentences(sentences: Sequence[str], marks: Iterable[Mark]) -> Iterator[Line]:
    marks_by_start = {mark.start: mark for mark in marks}
    offset = 0
    for sentence in sentences:
        words = find_words(sentence)
        places: list[tuple[Stretch, Mark]] = []
        for index, word in enumerate(words):
            if mark := marks_by_start.get(offset + index):
                places.append(((word.start, words[mark.end - 1 - offset].end), mark))
        yield tuple(_split_at_marks(sentence, places))
        offset += len(words)


def _split_at_marks(text: str, places: Iterable[tuple[Stretch, Mark]]) -> Iterator[Piece]:
    position = 0
    for (start, end), mark in places:
        if start > position:
            yield Piece(text[position:start])
        yield Piece(text[start:end], mark.tier, mark.link)
        position = end
    if position < len(text):
        yield Piece(text[position:])
