"""Comparison of a reference and a peer in three tiers (section 5 of Zhou et al. 2006).

Each tier matches words that earlier tiers left unmatched. The score is the sum of all tiers. Without paraphrases, the
third tier, equal words, gives the recall of ROUGE-1. With paraphrases, the score can be lower than that, because a
match of the first two tiers may take words of the peer that are equal to more words of the reference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import compress
from operator import itemgetter

import numpy as np

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.optimal_matching import choose_candidates, choose_greedily
from harness.summarization.paraeval.texts import (
    PHRASES,
    SYNONYMS,
    TIERS,
    WHOLE,
    WORDS,
    PreparedText,
    Stretch,
    StretchMatch,
)
from pyramid_paraphrase.errors import LimitError

MAX_CANDIDATES = 1_000_000
"""Maximum number of candidates of the first tier. More would need gigabytes. Summaries of a page have about 100."""


_Link = tuple[int, int, int, int]
"""A paraphrase: number of its table, phrase of the reference, phrase of the peer, and weight of a word."""


class Pair:
    """A reference and a peer. Results that several choices of tiers share are computed once.

    Args:
        reference: The reference.
        peer: The peer, prepared for the same tables and by the same settings.
        tables: Tables of paraphrases.
        weighted: Whether the words of a paraphrase count with its probability. The first tier is then the choice with
            the highest sum of the weights of words.
    """

    def __init__(
        self,
        reference: PreparedText,
        peer: PreparedText,
        tables: Sequence[ParaphraseTable],
        *,
        weighted: bool = False,
    ) -> None:
        self._reference, self._peer, self._tables, self._weighted = reference, peer, tables, weighted
        self._matched: dict[tuple[bool, bool, bool], tuple[list[StretchMatch], _Free]] = {}

    def align(self, tiers: Collection[int] = TIERS, *, greedy: bool = False) -> tuple[list[StretchMatch], bool]:
        """Match the words of both summaries.

        Args:
            tiers: The tiers to use, from `TIERS`.
            greedy: Whether to choose the phrases of the first tier greedily.

        Returns:
            The matches in the order of the reference, and whether the choice in the first tier is proven to be optimal:
            see `optimal_matching.MAX_STATES`. A greedy choice is, if it is worth as much as a proven optimum.
        """
        phrases, synonyms = PHRASES in tiers, SYNONYMS in tiers
        key = (phrases, synonyms, greedy)
        if key not in self._matched:
            self._matched[key] = self._match_paraphrases(phrases=phrases, synonyms=synonyms, greedy=greedy)
        paraphrases, free = self._matched[key]
        equal_words = _match_equal(free) if WORDS in tiers else []
        return sorted([*paraphrases, *equal_words]), not phrases or self._is_exact(greedy=greedy)

    def _is_exact(self, *, greedy: bool) -> bool:
        optimum, is_exact = self._optimum
        if greedy:
            is_exact &= sum(match.credit for match in self._greedy) == sum(match.credit for match in optimum)
        return is_exact

    def _match_paraphrases(self, *, phrases: bool, synonyms: bool, greedy: bool) -> tuple[list[StretchMatch], _Free]:
        """Match phrases and synonyms, and return the matches and the free words."""
        free = _Free(self._reference, self._peer)
        matches: list[StretchMatch] = []
        if phrases:
            matches = self._greedy if greedy else self._optimum[0]
            for match in matches:
                free.take(match)
        if synonyms:
            _, links = self._links
            matches = [*matches, *_match_greedily(links, free)]
        return matches, free

    def find_entry(self, match: StretchMatch) -> tuple[str, float] | None:
        """Find the most probable entry that allows a match.

        Returns:
            The name of its table and its probability, or None if the match is of equal words.
        """
        if match.tier == WORDS:
            return None
        best = None
        for table, in_reference, in_peer in zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True):
            left = [phrase for phrase, stretches in in_reference.items() if (match.start, match.end) in stretches]
            right = [phrase for phrase, stretches in in_peer.items() if (match.peer_start, match.peer_end) in stretches]
            pairs = table.match_phrases(left, right)
            if len(pairs):
                probability = float(table.rate_pairs(pairs).max())
                if best is None or probability > best[1]:
                    best = table.name, probability
        return best

    def list_phrases(self) -> list[StretchMatch]:
        """List the candidates of the first tier.

        Raises:
            LimitError: If there are more than `MAX_CANDIDATES`.
        """
        links, _ = self._links
        sides = [
            (self._reference.phrases[number][in_reference], self._peer.phrases[number][in_peer], weight)
            for number, in_reference, in_peer, weight in links
        ]
        if sum(len(stretches) * len(peer_stretches) for stretches, peer_stretches, _ in sides) > MAX_CANDIDATES:
            reason = f"matches phrases in more than {MAX_CANDIDATES:,} ways"
            raise LimitError("a summary", reason, "use shorter summaries, or raise --min-probability")
        # Several entries may match the same stretches. The most probable one counts.
        candidates: dict[tuple[Stretch, Stretch], StretchMatch] = {}
        for stretches, peer_stretches, weight in sorted(sides, key=itemgetter(2)):
            for stretch in stretches:
                if (gain := self._reference.count(*stretch)) and weight:
                    for peer_stretch in peer_stretches:
                        match = StretchMatch(*stretch, *peer_stretch, gain, weight=weight)
                        candidates[stretch, peer_stretch] = match
        return sorted(candidates.values())

    @cached_property
    def _optimum(self) -> tuple[list[StretchMatch], bool]:
        chosen, is_exact = choose_candidates(self._candidates)
        return self._restore(chosen), is_exact

    @cached_property
    def _greedy(self) -> list[StretchMatch]:
        return self._restore(choose_greedily(self._candidates, self._reference.sentence_ends))

    def _restore(self, chosen: Iterable[StretchMatch]) -> list[StretchMatch]:
        """Return chosen candidates with their own gains."""
        if not self._weighted:
            return list(chosen)
        return [match._replace(gain=match.gain // match.weight) for match in chosen]

    @cached_property
    def _candidates(self) -> list[StretchMatch]:
        """The candidates of the first tier. With weights, their gain is their credit, which the choice maximizes."""
        candidates = self.list_phrases()
        if self._weighted:
            candidates = [candidate._replace(gain=candidate.credit) for candidate in candidates]
        return candidates

    @cached_property
    def _links(self) -> tuple[list[_Link], list[_Link]]:
        """The paraphrases of the first and of the second tier, in which at least one phrase is a single word."""
        phrases: list[_Link] = []
        synonyms: list[_Link] = []
        stretches_by_table = zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True)
        for number, (table, in_reference, in_peer) in enumerate(stretches_by_table):
            left, right = (np.fromiter(stretches, dtype=np.int64) for stretches in (in_reference, in_peer))
            pairs = table.match_phrases(left, right)
            weights = np.full(len(pairs), WHOLE)
            if self._weighted:
                weights = np.rint(table.rate_pairs(pairs).astype(np.float64) * WHOLE).astype(np.int64)
            for (phrase, peer_phrase), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
                firsts = in_reference[phrase][0], in_peer[peer_phrase][0]
                links = synonyms if any(end - start == 1 for start, end in firsts) else phrases
                links.append((number, phrase, peer_phrase, weight))
        return phrases, synonyms


class _Free:
    """The words of a reference and a peer that are not matched yet."""

    def __init__(self, reference: PreparedText, peer: PreparedText) -> None:
        self.reference, self.peer = reference, peer
        self.in_reference = [True] * len(reference.words)
        self.in_peer = [True] * len(peer.words)

    def has_in_reference(self, stretch: Stretch) -> bool:
        return all(self.in_reference[slice(*stretch)])

    def take(self, match: StretchMatch) -> None:
        self.in_reference[match.start : match.end] = [False] * (match.end - match.start)
        self.in_peer[match.peer_start : match.peer_end] = [False] * (match.peer_end - match.peer_start)


def _match_greedily(links: Iterable[_Link], free: _Free) -> list[StretchMatch]:
    """Match links greedily: the highest credit first, and among equal ones the fewest words lost for the third tier.

    Every stretch of the reference takes the first free stretch of the peer from a queue per phrase. Phrases that occur
    n times in both texts then take n steps instead of n * n.
    """
    queues_by_phrase: dict[tuple[int, int], list[Stretch]] = {}
    # A request for a stretch of the peer: minus the credit, the number of words of both phrases that are free in both
    # texts, so that the third tier could match them, the number of words of the peer, and the stretch of the reference.
    queues_by_request: dict[tuple[int, int, int, Stretch], list[list[Stretch]]] = defaultdict(list)
    equal = set(compress(free.reference.words, free.in_reference))
    equal.intersection_update(compress(free.peer.words, free.in_peer))
    for number, reference_phrase, peer_phrase, weight in links:
        stretches = free.reference.phrases[number][reference_phrase]
        peer_stretches = free.peer.phrases[number][peer_phrase]
        queue = queues_by_phrase.setdefault((number, peer_phrase), list(reversed(peer_stretches)))
        # All occurrences of a phrase have the same words.
        (start, end), (peer_start, peer_end) = stretches[0], peer_stretches[0]
        words = [*free.reference.words[start:end], *free.peer.words[peer_start:peer_end]]
        lost = sum(word in equal for word in words)
        for stretch in stretches:
            if free.has_in_reference(stretch) and (credit := weight * free.reference.count(*stretch)):
                queues_by_request[-credit, lost, peer_end - peer_start, stretch].append(queue)
    matches = []
    for request in sorted(queues_by_request):
        minus_credit, _, _, stretch = request
        if not free.has_in_reference(stretch):
            continue
        first_free = (queue[-1] for queue in queues_by_request[request] if _skip_taken(queue, free))
        if first := min(first_free, default=None):
            gain = free.reference.count(*stretch)
            match = StretchMatch(*stretch, *first, gain, SYNONYMS, -minus_credit // gain)
            free.take(match)
            matches.append(match)
    return matches


def _skip_taken(queue: list[Stretch], free: _Free) -> bool:
    """Remove stretches with taken words from the end of a queue, and return whether any stretch is left."""
    while queue and not all(free.in_peer[slice(*queue[-1])]):
        queue.pop()
    return bool(queue)


def _match_equal(free: _Free) -> list[StretchMatch]:
    """Match the free words of the reference from left to right, each with the first free equal word of the peer."""
    indices: dict[str, list[int]] = defaultdict(list)
    for index, (word, is_free) in reversed(list(enumerate(zip(free.peer.words, free.in_peer, strict=True)))):
        if is_free:
            indices[word].append(index)
    matches = []
    for index, (word, is_free) in enumerate(zip(free.reference.words, free.in_reference, strict=True)):
        if is_free and free.reference.count(index, index + 1) and indices[word]:
            peer_index = indices[word].pop()
            matches.append(StretchMatch(index, index + 1, peer_index, peer_index + 1, 1, WORDS))
    return matches
