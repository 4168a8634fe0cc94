"""Candidates of the first tier, grouped into stages by the word of the reference that they begin with."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

WORD = 1 << 20
"""Value of a matched word of the reference. A word of the peer costs 1, so that peer words only break ties."""

_Stretch = tuple[int, int]
"""Index of the first word of a stretch of the peer, and the index after its last word."""


class Candidate(NamedTuple):
    """A stretch of a reference and one of a peer that are paraphrases.

    Attributes:
        start: Index of its first word in the reference.
        end: Index after its last word in the reference.
        peer_start: Index of its first word in the peer.
        peer_end: Index after its last word in the peer.
        gain: Number of words of the reference that it matches.
    """

    start: int
    end: int
    peer_start: int
    peer_end: int
    gain: int

    @property
    def value(self) -> int:
        """Value in the optimization. Among candidates with equal gains, fewer peer words give a higher value."""
        return self.gain * WORD - (self.peer_end - self.peer_start)


class Option(NamedTuple):
    """A candidate, or several interchangeable candidates.

    Attributes:
        following: Index of the first stage after its last word.
        value: Value of each of its candidates.
        masks: For each candidate, the mask of the bits that it takes.
        bits: For each candidate, the indices of these bits.
        candidates: The candidates, each with another stretch of the peer.
    """

    following: int
    value: int
    masks: tuple[int, ...]
    bits: tuple[tuple[int, ...], ...]
    candidates: tuple[Candidate, ...]


class Stages(NamedTuple):
    """Candidates of a part, grouped for dynamic programming.

    Attributes:
        options: For each stage, its options.
        wanted: For each stage and for the end, the mask of the bits that options of this or a later stage take.
    """

    options: tuple[tuple[Option, ...], ...]
    wanted: tuple[int, ...]

    @property
    def bit_count(self) -> int:
        """Number of bits of a state."""
        return self.wanted[0].bit_length()


class _Placed(NamedTuple):
    """The sorted bits of a stretch of the peer, and whether it shares no word with another stretch."""

    bits: tuple[int, ...]
    is_isolated: bool


def make_stages(candidates: Sequence[Candidate]) -> Stages:
    """Group candidates into stages and options.

    A bit of a state represents a word of the peer, or an isolated stretch, which shares no word with another stretch.
    Isolated stretches are interchangeable if they occur in the same candidates. Interchangeable stretches form one
    option, and are taken in order.

    Args:
        candidates: At least one candidate, sorted.
    """
    starts = sorted({candidate.start for candidate in candidates})
    options: list[list[Option]] = [[] for _ in starts]
    for start, option in _make_options(candidates, starts):
        options[bisect_left(starts, start)].append(option)
    wanted = [0]
    for stage_options in reversed(options):
        masks = chain.from_iterable(option.masks for option in stage_options)
        wanted.append(reduce(or_, masks, wanted[-1]))
    return Stages(tuple(map(tuple, options)), tuple(wanted[::-1]))


def _make_options(candidates: Sequence[Candidate], starts: Sequence[int]) -> Iterable[tuple[int, Option]]:
    by_stretch: dict[_Stretch, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_stretch[candidate.peer_start, candidate.peer_end].append(candidate)
    placed = _assign_bits(sorted(by_stretch))
    groups: dict[object, list[_Stretch]] = defaultdict(list)
    for stretch, (_, is_isolated) in placed.items():
        key = _find_group_key(stretch, by_stretch[stretch]) if is_isolated else stretch
        groups[key].append(stretch)
    for stretches in groups.values():
        bits = tuple(placed[stretch].bits for stretch in stretches)
        masks = tuple(map(_make_mask, bits))
        for interchangeable in zip(*(by_stretch[stretch] for stretch in stretches), strict=True):
            first = interchangeable[0]
            yield first.start, Option(bisect_left(starts, first.end), first.value, masks, bits, interchangeable)


def _find_group_key(stretch: _Stretch, candidates: Iterable[Candidate]) -> object:
    """Return a key that is equal for interchangeable stretches: their candidates in the reference, and their length."""
    start, end = stretch
    return tuple((candidate.start, candidate.end, candidate.gain) for candidate in candidates), end - start


def _make_mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def _assign_bits(stretches: Sequence[_Stretch]) -> dict[_Stretch, _Placed]:
    """Assign bits to the words of sorted stretches. An isolated stretch needs only one bit."""
    bit_of_word: dict[int, int] = {}
    placed = {}
    highest_end = 0
    for index, (start, end) in enumerate(stretches):
        is_last = index + 1 == len(stretches)
        is_isolated = highest_end <= start and (is_last or stretches[index + 1][0] >= end)
        words = (start,) if is_isolated else range(start, end)
        bits = tuple(bit_of_word.setdefault(word, len(bit_of_word)) for word in words)
        placed[start, end] = _Placed(bits, is_isolated)
        highest_end = max(highest_end, end)
    return placed
