"""Comparison of a reference and a peer in three tiers (section 5 of Zhou et al. 2006).

Each tier matches words that earlier tiers left unmatched. The score is the sum of all tiers. Without paraphrases, the
third tier, equal words, gives the recall of ROUGE-1. With paraphrases, the score can be lower than that, because a
match of the first two tiers may take words of the peer that are equal to more words of the reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.optimal_matching import Solution, choose_candidates
from harness.summarization.paraeval.prepared_texts import Stretch, Text
from harness.summarization.paraeval.stages import Candidate
from pyramid_paraphrase.errors import LimitError

PHRASES, SYNONYMS, WORDS = TIERS = 1, 2, 3
"""Paraphrases of several words in both texts, paraphrases with a single word in at least one text, equal words."""

MAX_CANDIDATES = 1_000_000
"""Maximum number of candidates of the first tier. More would need gigabytes. Summaries of a page have about 100."""


class Match(NamedTuple):
    """A stretch of the reference that a stretch of the peer matches.

    Attributes:
        tier: One of `TIERS`.
        start: Index of its first word in the reference.
        end: Index after its last word in the reference.
        peer_start: Index of its first word in the peer.
        peer_end: Index after its last word in the peer.
        gain: Number of its words in the reference that count.
    """

    tier: int
    start: int
    end: int
    peer_start: int
    peer_end: int
    gain: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """The matches of a reference and a peer.

    Attributes:
        matches: The matches in the order of the reference.
        total: Number of words of the reference that count.
        is_exact: Whether the choice in the first tier is proven to be optimal. See `optimal_matching.MAX_STATES`.
    """

    matches: tuple[Match, ...]
    total: int
    is_exact: bool

    def matched(self, tier: int | None = None) -> int:
        """Return the number of words of the reference that a tier matches, or that all tiers match if it is None."""
        return sum(match.gain for match in self.matches if tier in (None, match.tier))


class Pair:
    """A reference and a peer. Results that several choices of tiers share are computed once.

    Args:
        reference: The reference.
        peer: The peer, prepared for the same tables and by the same rules.
        tables: Tables of paraphrases.
    """

    def __init__(self, reference: Text, peer: Text, tables: Sequence[ParaphraseTable]) -> None:
        self._reference, self._peer, self._tables = reference, peer, tables
        self._matched: dict[tuple[bool, bool], tuple[list[Match], _Free]] = {}

    def align(self, tiers: Collection[int] = TIERS) -> Alignment:
        """Match the words of both summaries.

        Args:
            tiers: The tiers to use, from `TIERS`.

        Returns:
            The matches.
        """
        phrases, synonyms = PHRASES in tiers, SYNONYMS in tiers
        if (phrases, synonyms) not in self._matched:
            self._matched[phrases, synonyms] = self._match_paraphrases(phrases=phrases, synonyms=synonyms)
        paraphrases, free = self._matched[phrases, synonyms]
        equal_words = _match_equal(free) if WORDS in tiers else []
        matches = sorted([*paraphrases, *equal_words], key=attrgetter("start"))
        return Alignment(tuple(matches), self._reference.total, not phrases or self._optimum.is_exact)

    def _match_paraphrases(self, *, phrases: bool, synonyms: bool) -> tuple[list[Match], _Free]:
        """Match phrases and synonyms, and return the matches and the free words."""
        free = _Free(self._reference, self._peer)
        matches = []
        if phrases:
            matches += [free.take(PHRASES, candidate) for candidate in self._optimum.chosen]
        if synonyms:
            matches += _match_greedily((link for link in self._links if link.is_synonym), free)
        return matches, free

    def list_phrases(self) -> list[Candidate]:
        """List the candidates of the first tier.

        Raises:
            LimitError: If there are more than `MAX_CANDIDATES`.
        """
        links = [link for link in self._links if not link.is_synonym]
        if sum(len(link.reference_stretches) * len(link.peer_stretches) for link in links) > MAX_CANDIDATES:
            reason = f"matches phrases in more than {MAX_CANDIDATES:,} ways"
            raise LimitError("a summary", reason, "use shorter summaries, or raise --min-probability")
        return sorted(set(chain.from_iterable(map(self._combine, links))))

    def _combine(self, link: _Link) -> Iterator[Candidate]:
        """Pair each stretch of a link in the reference with each stretch in the peer."""
        for start, end in link.reference_stretches:
            if gain := self._reference.count(start, end):
                for peer_start, peer_end in link.peer_stretches:
                    yield Candidate(start, end, peer_start, peer_end, gain)

    @cached_property
    def _optimum(self) -> Solution:
        return choose_candidates(self.list_phrases())

    @cached_property
    def _links(self) -> list[_Link]:
        links = []
        phrases_by_table = zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True)
        for number, (table, in_reference, in_peer) in enumerate(phrases_by_table):
            pairs = table.match_phrases(_make_array(in_reference), _make_array(in_peer)).tolist()
            for reference_phrase, peer_phrase in pairs:
                links.append(_Link((number, peer_phrase), in_reference[reference_phrase], in_peer[peer_phrase]))
        return links


class _Link(NamedTuple):
    """A phrase of the reference and a phrase of the peer that are paraphrases, and their occurrences.

    Attributes:
        peer_phrase: The phrase of the peer: index of the table and number in the table.
        reference_stretches: Occurrences of its phrase in the reference, in order, at least one.
        peer_stretches: Occurrences of its phrase in the peer, in order, at least one.
    """

    peer_phrase: tuple[int, int]
    reference_stretches: tuple[Stretch, ...]
    peer_stretches: tuple[Stretch, ...]

    @property
    def is_synonym(self) -> bool:
        """Whether it belongs to the second tier: at least one phrase is a single word."""
        return any(end - start == 1 for start, end in (self.reference_stretches[0], self.peer_stretches[0]))


def _make_array(phrases: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.fromiter(phrases, dtype=np.int64)


class _Free:
    """The words of a reference and a peer that are not matched yet."""

    def __init__(self, reference: Text, peer: Text) -> None:
        self.reference, self.peer = reference, peer
        self.in_reference = [True] * len(reference.words)
        self.in_peer = [True] * len(peer.words)

    def has_in_reference(self, stretch: Stretch) -> bool:
        return all(self.in_reference[slice(*stretch)])

    def has_in_peer(self, stretch: Stretch) -> bool:
        return all(self.in_peer[slice(*stretch)])

    def take(self, tier: int, candidate: Candidate) -> Match:
        start, end, peer_start, peer_end, _ = candidate
        self.in_reference[start:end] = [False] * (end - start)
        self.in_peer[peer_start:peer_end] = [False] * (peer_end - peer_start)
        return Match(tier, *candidate)


class _Request(NamedTuple):
    """A stretch of the reference to be matched with a stretch of the peer. The smallest request is handled first.

    Attributes:
        minus_gain: Minus the number of words of the reference that it matches.
        lost: Number of words of both phrases that are free in both texts, so that the third tier could match them.
        taken: Number of words of the peer that it takes.
        stretch: The stretch of the reference.
    """

    minus_gain: int
    lost: int
    taken: int
    stretch: Stretch


def _match_greedily(links: Iterable[_Link], free: _Free) -> list[Match]:
    """Match links greedily: the highest gain first, and among equal gains the fewest words lost for the third tier.

    Every stretch of the reference takes the first free stretch of the peer from a queue per phrase. Phrases that occur
    n times in both texts then take n steps instead of n * n.
    """
    queues_by_phrase: dict[tuple[int, int], list[Stretch]] = {}
    queues_by_request: dict[_Request, list[list[Stretch]]] = defaultdict(list)
    equal = _find_equal(free)
    for link in links:
        queue = queues_by_phrase.setdefault(link.peer_phrase, list(reversed(link.peer_stretches)))
        # All occurrences of a phrase have the same words.
        (start, end), (peer_start, peer_end) = link.reference_stretches[0], link.peer_stretches[0]
        words = [*free.reference.words[start:end], *free.peer.words[peer_start:peer_end]]
        lost = sum(word in equal for word in words)
        for stretch in link.reference_stretches:
            if free.has_in_reference(stretch) and (gain := free.reference.count(*stretch)):
                queues_by_request[_Request(-gain, lost, peer_end - peer_start, stretch)].append(queue)
    matches = []
    for request in sorted(queues_by_request):
        if not free.has_in_reference(request.stretch):
            continue
        first_free = (queue[-1] for queue in queues_by_request[request] if _skip_taken(queue, free))
        if first := min(first_free, default=None):
            matches.append(free.take(SYNONYMS, Candidate(*request.stretch, *first, -request.minus_gain)))
    return matches


def _skip_taken(queue: list[Stretch], free: _Free) -> bool:
    """Remove stretches with taken words from the end of a queue, and return whether any stretch is left."""
    while queue and not free.has_in_peer(queue[-1]):
        queue.pop()
    return bool(queue)


def _find_equal(free: _Free) -> set[str]:
    """Find the words that are free in both texts."""
    reference_words = set(compress(free.reference.words, free.in_reference))
    return reference_words.intersection(compress(free.peer.words, free.in_peer))


def _match_equal(free: _Free) -> list[Match]:
    """Match the free words of the reference from left to right, each with the first free equal word of the peer."""
    indices: dict[str, list[int]] = defaultdict(list)
    for index, (word, is_free) in reversed(list(enumerate(zip(free.peer.words, free.in_peer, strict=True)))):
        if is_free:
            indices[word].append(index)
    matches = []
    for index, (word, is_free) in enumerate(zip(free.reference.words, free.in_reference, strict=True)):
        if is_free and free.reference.count(index, index + 1) and indices[word]:
            peer_index = indices[word].pop()
            matches.append(Match(WORDS, index, index + 1, peer_index, peer_index + 1, 1))
    return matches
