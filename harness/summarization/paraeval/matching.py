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

import numpy as np

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.optimal_matching import choose_candidates, choose_greedily
from harness.summarization.paraeval.texts import PHRASES, SYNONYMS, TIERS, WORDS, PreparedText, Stretch, StretchMatch
from pyramid_paraphrase.errors import LimitError

MAX_CANDIDATES = 1_000_000
"""Maximum number of candidates of the first tier. More would need gigabytes. Summaries of a page have about 100."""


class Pair:
    """A reference and a peer. Results that several choices of tiers share are computed once.

    Args:
        reference: The reference.
        peer: The peer, prepared for the same tables and by the same settings.
        tables: Tables of paraphrases.
    """

    def __init__(self, reference: PreparedText, peer: PreparedText, tables: Sequence[ParaphraseTable]) -> None:
        self._reference, self._peer, self._tables = reference, peer, tables
        self._matched: dict[tuple[bool, bool, bool], tuple[list[StretchMatch], _Free]] = {}

    def align(self, tiers: Collection[int] = TIERS, *, greedy: bool = False) -> tuple[list[StretchMatch], bool]:
        """Match the words of both summaries.

        Args:
            tiers: The tiers to use, from `TIERS`.
            greedy: Whether to choose the phrases of the first tier greedily.

        Returns:
            The matches in the order of the reference, and whether the choice in the first tier is proven to be optimal:
            see `optimal_matching.MAX_STATES`. A greedy choice is, if it matches as many words as a proven optimum.
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
            is_exact &= sum(match.gain for match in self._greedy) == sum(match.gain for match in optimum)
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
            probability = table.rate_phrases(left, right)
            if probability is not None and (best is None or probability > best[1]):
                best = table.name, probability
        return best

    def list_phrases(self) -> list[StretchMatch]:
        """List the candidates of the first tier.

        Raises:
            LimitError: If there are more than `MAX_CANDIDATES`.
        """
        links, _ = self._links
        sides = [
            (self._reference.phrases[number][in_reference], self._peer.phrases[number][in_peer])
            for number, in_reference, in_peer in links
        ]
        if sum(len(stretches) * len(peer_stretches) for stretches, peer_stretches in sides) > MAX_CANDIDATES:
            reason = f"matches phrases in more than {MAX_CANDIDATES:,} ways"
            raise LimitError("a summary", reason, "use shorter summaries, or raise --min-probability")
        candidates: set[StretchMatch] = set()
        for stretches, peer_stretches in sides:
            for stretch in stretches:
                if gain := self._reference.count(*stretch):
                    candidates.update(StretchMatch(*stretch, *peer_stretch, gain) for peer_stretch in peer_stretches)
        return sorted(candidates)

    @cached_property
    def _optimum(self) -> tuple[list[StretchMatch], bool]:
        chosen, is_exact = choose_candidates(self._candidates)
        return list(chosen), is_exact

    @cached_property
    def _greedy(self) -> list[StretchMatch]:
        return choose_greedily(self._candidates, self._reference.sentence_ends)

    @cached_property
    def _candidates(self) -> list[StretchMatch]:
        return self.list_phrases()

    @cached_property
    def _links(self) -> tuple[list[tuple[int, int, int]], list[tuple[int, int, int]]]:
        """The paraphrases of the first and of the second tier, in which at least one phrase is a single word.

        A paraphrase is the number of a table, the phrase of the reference, and the phrase of the peer.
        """
        phrases: list[tuple[int, int, int]] = []
        synonyms: list[tuple[int, int, int]] = []
        stretches_by_table = zip(self._tables, self._reference.phrases, self._peer.phrases, strict=True)
        for number, (table, in_reference, in_peer) in enumerate(stretches_by_table):
            left, right = (np.fromiter(stretches, dtype=np.int64) for stretches in (in_reference, in_peer))
            for phrase, peer_phrase in table.match_phrases(left, right).tolist():
                firsts = in_reference[phrase][0], in_peer[peer_phrase][0]
                links = synonyms if any(end - start == 1 for start, end in firsts) else phrases
                links.append((number, phrase, peer_phrase))
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


def _match_greedily(links: Iterable[tuple[int, int, int]], free: _Free) -> list[StretchMatch]:
    """Match links greedily: the highest gain first, and among equal gains the fewest words lost for the third tier.

    Every stretch of the reference takes the first free stretch of the peer from a queue per phrase. Phrases that occur
    n times in both texts then take n steps instead of n * n.
    """
    queues_by_phrase: dict[tuple[int, int], list[Stretch]] = {}
    # A request for a stretch of the peer: minus the gain, the number of words of both phrases that are free in both
    # texts, so that the third tier could match them, the number of words of the peer, and the stretch of the reference.
    queues_by_request: dict[tuple[int, int, int, Stretch], list[list[Stretch]]] = defaultdict(list)
    equal = set(compress(free.reference.words, free.in_reference))
    equal.intersection_update(compress(free.peer.words, free.in_peer))
    for number, reference_phrase, peer_phrase in links:
        stretches = free.reference.phrases[number][reference_phrase]
        peer_stretches = free.peer.phrases[number][peer_phrase]
        queue = queues_by_phrase.setdefault((number, peer_phrase), list(reversed(peer_stretches)))
        # All occurrences of a phrase have the same words.
        (start, end), (peer_start, peer_end) = stretches[0], peer_stretches[0]
        words = [*free.reference.words[start:end], *free.peer.words[peer_start:peer_end]]
        lost = sum(word in equal for word in words)
        for stretch in stretches:
            if free.has_in_reference(stretch) and (gain := free.reference.count(*stretch)):
                queues_by_request[-gain, lost, peer_end - peer_start, stretch].append(queue)
    matches = []
    for request in sorted(queues_by_request):
        minus_gain, _, _, stretch = request
        if not free.has_in_reference(stretch):
            continue
        first_free = (queue[-1] for queue in queues_by_request[request] if _skip_taken(queue, free))
        if first := min(first_free, default=None):
            match = StretchMatch(*stretch, *first, -minus_gain, SYNONYMS)
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
