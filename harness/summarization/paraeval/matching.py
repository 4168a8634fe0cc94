"""A reference and a peer compared in three tiers (section 5 of Zhou et al. 2006).

Each tier matches words that those before it left. Only the sum counts, so that with few paraphrases the third, equal
words, decides; with none the score is the recall of ROUGE-1. It may be less than that if there are some: a match of the
first two tiers may take words of the peer that more words of the reference equal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.optimal_matching import Solution, choose_candidates
from harness.summarization.paraeval.prepared_texts import Stretch, Text
from harness.summarization.paraeval.stages import Candidate
from pyramid_paraphrase.errors import LimitError

PHRASES, SYNONYMS, WORDS = TIERS = 1, 2, 3
"""Paraphrases of several words on both sides; those with a single word on at least one; equal words."""

MAX_CANDIDATES = 1_000_000
"""Pairs of stretches that the first tier chooses from; more would need gigabytes. Summaries of a page have some 100."""


class Match(NamedTuple):
    """A stretch of the reference that a stretch of the peer matches.

    Attributes:
        tier: One of `TIERS`.
        start: Its first word in the reference, counted from 0.
        end: The word behind its last.
        peer_start: Its first word in the peer.
        peer_end: The word behind its last.
        gain: How many of its words in the reference count.
    """

    tier: int
    start: int
    end: int
    peer_start: int
    peer_end: int
    gain: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """What of a reference is matched by a peer.

    Attributes:
        matches: By their place in the reference.
        total: How many words of the reference count.
        is_exact: Whether nothing better could have been chosen in the first tier; see `optimal_matching.MAX_STATES`.
    """

    matches: tuple[Match, ...]
    total: int
    is_exact: bool

    def matched(self, tier: int | None = None) -> int:
        """How many words of the reference are matched, in one tier or in all."""
        return sum(match.gain for match in self.matches if tier in (None, match.tier))


class Pair:
    """A reference and a peer, of which the parts that several choices of tiers share are computed once.

    Args:
        reference: The reference.
        peer: The peer; both prepared for the same tables and by the same rules.
        tables: Says which phrases are paraphrases.
    """

    def __init__(self, reference: Text, peer: Text, tables: Sequence[ParaphraseTable]) -> None:
        self._reference, self._peer, self._tables = reference, peer, tables
        self._matched: dict[tuple[bool, bool], tuple[list[Match], _Free]] = {}

    def align(self, tiers: Collection[int] = TIERS) -> Alignment:
        """Compare them.

        Args:
            tiers: Which of `TIERS` there are.

        Returns:
            What is matched.
        """
        phrases, synonyms = PHRASES in tiers, SYNONYMS in tiers
        matches, free = self._matched.get((phrases, synonyms)) or self._match(phrases=phrases, synonyms=synonyms)
        found = sorted([*matches, *(_match_equal(free) if WORDS in tiers else [])], key=lambda match: match.start)
        return Alignment(tuple(found), self._reference.total, not phrases or self._optimum.is_exact)

    def _match(self, *, phrases: bool, synonyms: bool) -> tuple[list[Match], _Free]:
        """Match paraphrases, and say what is left; kept, since several choices of tiers begin with the same."""
        free = _Free(self._reference, self._peer)
        matches = [free.take(PHRASES, candidate) for candidate in (self._optimum.chosen if phrases else ())]
        if synonyms:
            matches += _match_greedily((link for link in self._links if link.is_synonym), free)
        self._matched[phrases, synonyms] = matches, free
        return matches, free

    def list_phrases(self) -> list[Candidate]:
        """What the first tier chooses from.

        Raises:
            LimitError: If that is more than `MAX_CANDIDATES`.
        """
        links = [link for link in self._links if not link.is_synonym]
        if sum(len(link.ours) * len(link.theirs) for link in links) > MAX_CANDIDATES:
            reason = f"matches phrases in more than {MAX_CANDIDATES:,} ways"
            raise LimitError("a summary", reason, "give shorter summaries, or only probable paraphrases")
        found = {candidate for link in links for candidate in self._combine(link)}
        return sorted(found)

    def _combine(self, link: _Link) -> Iterator[Candidate]:
        for start, end in link.ours:
            if gain := self._reference.count(start, end):
                for peer_start, peer_end in link.theirs:
                    yield Candidate(start, end, peer_start, peer_end, gain)

    @cached_property
    def _optimum(self) -> Solution:
        return choose_candidates(self.list_phrases())

    @cached_property
    def _links(self) -> list[_Link]:
        return [
            _Link((number, right), ours[left], theirs[right])
            for number, (table, ours, theirs) in enumerate(
                zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True)
            )
            for left, right in table.match_phrases(_numbers(ours), _numbers(theirs)).tolist()
        ]


class _Link(NamedTuple):
    """A phrase of the reference and one of the peer that paraphrase each other, and where they stand.

    Attributes:
        peer_phrase: Which one of the peer it is: table and number.
        ours: Where the one stands in the reference, in order, at least once; always the same words.
        theirs: Where the other stands in the peer, likewise.
    """

    peer_phrase: tuple[int, int]
    ours: tuple[Stretch, ...]
    theirs: tuple[Stretch, ...]

    @property
    def is_synonym(self) -> bool:
        """Whether it is for the second tier."""
        return any(end - start == 1 for start, end in (self.ours[0], self.theirs[0]))


def _numbers(phrases: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.fromiter(phrases, dtype=np.int64)


class _Free:
    """Which words of both sides are not matched yet."""

    def __init__(self, reference: Text, peer: Text) -> None:
        self.reference, self.peer = reference, peer
        self.ours = [True] * len(reference.words)
        self.theirs = [True] * len(peer.words)

    def has_ours(self, stretch: Stretch) -> bool:
        return all(self.ours[slice(*stretch)])

    def has_theirs(self, stretch: Stretch) -> bool:
        return all(self.theirs[slice(*stretch)])

    def take(self, tier: int, candidate: Candidate) -> Match:
        start, end, peer_start, peer_end, _ = candidate
        self.ours[start:end] = [False] * (end - start)
        self.theirs[peer_start:peer_end] = [False] * (peer_end - peer_start)
        return Match(tier, *candidate)


class _Wish(NamedTuple):
    """A stretch of the reference that looks for one of the peer; the least goes first.

    Attributes:
        minus_gain: Minus the words of the reference that are matched.
        lost: Words of both sides that could equal one on the other.
        taken: Words of the peer that are taken.
        ours: The stretch.
    """

    minus_gain: int
    lost: int
    taken: int
    ours: Stretch


def _match_greedily(links: Iterable[_Link], free: _Free) -> list[Match]:
    """Match what gains most first, and of that, what takes fewest words that could equal one on the other side.

    Every stretch of the reference looks for the first free one of the peer, so that phrases which stand n times on
    either side take n steps, not n * n.
    """
    waiting: dict[tuple[int, int], list[Stretch]] = {}
    wishes: dict[_Wish, list[list[Stretch]]] = defaultdict(list)
    equal = _count_equal(free)
    for link in links:
        queue = waiting.setdefault(link.peer_phrase, list(reversed(link.theirs)))
        (start, end), (peer_start, peer_end) = link.ours[0], link.theirs[0]
        words = [*free.reference.words[start:end], *free.peer.words[peer_start:peer_end]]
        lost = sum(word in equal for word in words)
        for ours in link.ours:
            if free.has_ours(ours) and (gain := free.reference.count(*ours)):
                wishes[_Wish(-gain, lost, peer_end - peer_start, ours)].append(queue)
    matches = []
    for wish in sorted(wishes):
        queues = wishes[wish] if free.has_ours(wish.ours) else []
        if nearest := min((queue[-1] for queue in queues if _skip_taken(queue, free)), default=None):
            matches.append(free.take(SYNONYMS, Candidate(*wish.ours, *nearest, -wish.minus_gain)))
    return matches


def _skip_taken(queue: list[Stretch], free: _Free) -> bool:
    """Drop what is taken from the end of a queue, and say whether anything is left."""
    while queue and not free.has_theirs(queue[-1]):
        queue.pop()
    return bool(queue)


def _count_equal(free: _Free) -> Counter[str]:
    """Free words that both sides have, and how often both do."""
    ours = Counter(word for word, is_free in zip(free.reference.words, free.ours, strict=True) if is_free)
    theirs = Counter(word for word, is_free in zip(free.peer.words, free.theirs, strict=True) if is_free)
    return ours & theirs


def _match_equal(free: _Free) -> list[Match]:
    places: dict[str, list[int]] = defaultdict(list)
    for index, (word, is_free) in reversed(list(enumerate(zip(free.peer.words, free.theirs, strict=True)))):
        if is_free:
            places[word].append(index)
    matches = []
    for index, (word, is_free) in enumerate(zip(free.reference.words, free.ours, strict=True)):
        if is_free and free.reference.count(index, index + 1) and places[word]:
            place = places[word].pop()
            matches.append(Match(WORDS, index, index + 1, place, place + 1, 1))
    return matches
