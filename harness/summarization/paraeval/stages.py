"""Candidates of the first tier laid out as stages: each begins with a word of the reference."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

WORD = 1 << 20
"""What a matched word of the reference is worth, in words of the peer: they only decide between equals."""


class Candidate(NamedTuple):
    """A stretch of a reference and one of a peer that are paraphrases.

    Attributes:
        start: Its first word in the reference, counted from 0.
        end: The word behind its last.
        peer_start: Its first word in the peer.
        peer_end: The word behind its last.
        gain: How many words of the reference are matched by it.
    """

    start: int
    end: int
    peer_start: int
    peer_end: int
    gain: int

    @property
    def value(self) -> int:
        """What it adds, so that of equal gains the one that takes fewer words of the peer is worth more."""
        return self.gain * WORD - (self.peer_end - self.peer_start)


class Option(NamedTuple):
    """A candidate, or several of which it does not matter which is taken.

    Attributes:
        following: The stage behind its last word.
        value: What it adds.
        masks: Per stretch of the peer, the bits of a state that it takes.
        bits: The same, as numbers of bits.
        candidates: Per stretch of the peer.
    """

    following: int
    value: int
    masks: tuple[int, ...]
    bits: tuple[tuple[int, ...], ...]
    candidates: tuple[Candidate, ...]


class Stages(NamedTuple):
    """Candidates, ready to be chosen from.

    Attributes:
        options: Per stage, what can be chosen.
        wanted: Per stage, and for the end, the bits that an option from there on takes.
    """

    options: tuple[tuple[Option, ...], ...]
    wanted: tuple[int, ...]

    @property
    def bit_count(self) -> int:
        """How many bits a state has."""
        return self.wanted[0].bit_length()


def make_stages(candidates: Sequence[Candidate]) -> Stages:
    """Lay out candidates.

    A bit of a state stands for a word of the peer, or for a stretch that shares words with no other. Of such
    stretches, those that all the same candidates want are members of one option, to be taken in order.

    Args:
        candidates: Sorted, at least one.
    """
    starts = sorted({one.start for one in candidates})
    options: list[list[Option]] = [[] for _ in starts]
    for start, option in _make_options(candidates, starts):
        options[bisect_left(starts, start)].append(option)
    wanted = [0]
    for choices in reversed(options):
        wanted.append(reduce(or_, (mask for option in choices for mask in option.masks), wanted[-1]))
    return Stages(tuple(map(tuple, options)), tuple(wanted[::-1]))


def _make_options(candidates: Sequence[Candidate], starts: Sequence[int]) -> Iterable[tuple[int, Option]]:
    bits = _assign_bits(sorted({(one.peer_start, one.peer_end) for one in candidates}))
    wishes: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
    for one in candidates:
        wishes[one.peer_start, one.peer_end].append(one)
    alike: dict[object, list[tuple[int, int]]] = defaultdict(list)
    for stretch, (_, is_apart) in bits.items():
        sought = tuple((one.start, one.end, one.gain) for one in wishes[stretch])
        alike[(sought, stretch[1] - stretch[0]) if is_apart else stretch].append(stretch)
    for stretches in alike.values():
        taken = tuple(bits[stretch][0] for stretch in stretches)
        masks = tuple(sum(1 << bit for bit in one) for one in taken)
        for same in zip(*(wishes[stretch] for stretch in stretches), strict=True):
            one = same[0]
            yield one.start, Option(bisect_left(starts, one.end), one.value, masks, taken, same)


def _assign_bits(stretches: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[tuple[int, ...], bool]]:
    """The bits of each stretch of the peer, sorted, and whether it shares words with no other."""
    numbers: dict[int, int] = {}
    found = {}
    reached = -1
    for index, (start, end) in enumerate(stretches):
        is_last = index + 1 == len(stretches)
        is_apart = reached <= start and (is_last or stretches[index + 1][0] >= end)
        words = (start,) if is_apart else range(start, end)
        found[start, end] = tuple(numbers.setdefault(word, len(numbers)) for word in words), is_apart
        reached = max(reached, end)
    return found
