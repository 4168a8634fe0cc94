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

from harness.paraeval.optimal_matching import Solution, choose_candidates
from harness.paraeval.stages import Candidate
from harness.paraeval.texts import Text
from harness.paraphrase_tables.table import ParaphraseTable

PHRASES, SYNONYMS, WORDS = TIERS = 1, 2, 3
"""Paraphrases of several words on both sides; those with a single word on at least one; equal words."""


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

    def align(self, tiers: Collection[int] = TIERS) -> Alignment:
        """Compare them.

        Args:
            tiers: Which of `TIERS` there are.

        Returns:
            What is matched.
        """
        free = _Free(self._reference, self._peer)
        solution = self._optimum if PHRASES in tiers else Solution((), True)
        matches = [free.take(PHRASES, candidate) for candidate in solution.chosen]
        if SYNONYMS in tiers:
            matches += _match_greedily(self._synonyms, free)
        if WORDS in tiers:
            matches += _match_equal(free)
        return Alignment(
            tuple(sorted(matches, key=lambda match: match.start)), self._reference.total, solution.is_exact
        )

    def list_phrases(self) -> list[Candidate]:
        """What the first tier chooses from."""
        return [one for one in self._candidates if not _is_synonym(one)]

    @cached_property
    def _optimum(self) -> Solution:
        return choose_candidates(self.list_phrases())

    @cached_property
    def _synonyms(self) -> list[Candidate]:
        return [one for one in self._candidates if _is_synonym(one)]

    @cached_property
    def _candidates(self) -> list[Candidate]:
        found: set[Candidate] = set()
        for table, ours, theirs in zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True):
            for left, right in table.match_phrases(_numbers(ours), _numbers(theirs)).tolist():
                found.update(self._combine(ours[left], theirs[right]))
        return sorted(found)

    def _combine(self, ours: Iterable[tuple[int, int]], theirs: Sequence[tuple[int, int]]) -> Iterator[Candidate]:
        for start, end in ours:
            if gain := self._reference.count(start, end):
                for peer_start, peer_end in theirs:
                    yield Candidate(start, end, peer_start, peer_end, gain)


def _numbers(phrases: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.fromiter(phrases, dtype=np.int64)


def _is_synonym(candidate: Candidate) -> bool:
    return min(candidate.end - candidate.start, candidate.peer_end - candidate.peer_start) == 1


class _Free:
    """Which words of both sides are not matched yet."""

    def __init__(self, reference: Text, peer: Text) -> None:
        self.reference, self.peer = reference, peer
        self.ours = [True] * len(reference.words)
        self.theirs = [True] * len(peer.words)

    def allows(self, candidate: Candidate) -> bool:
        start, end, peer_start, peer_end, _ = candidate
        return all(self.ours[start:end]) and all(self.theirs[peer_start:peer_end])

    def take(self, tier: int, candidate: Candidate) -> Match:
        start, end, peer_start, peer_end, _ = candidate
        self.ours[start:end] = [False] * (end - start)
        self.theirs[peer_start:peer_end] = [False] * (peer_end - peer_start)
        return Match(tier, *candidate)


def _match_greedily(candidates: Iterable[Candidate], free: _Free) -> list[Match]:
    """Match what gains most first, and of that, what takes fewest words that could equal one on the other side."""
    possible = [candidate for candidate in candidates if free.allows(candidate)]
    equal = _count_equal(free)

    def cost(one: Candidate) -> tuple[int, int, int]:
        words = [*free.reference.words[one.start : one.end], *free.peer.words[one.peer_start : one.peer_end]]
        return -one.gain, sum(word in equal for word in words), one.peer_end - one.peer_start

    possible.sort(key=lambda one: (*cost(one), one))
    return [free.take(SYNONYMS, one) for one in possible if free.allows(one)]


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
