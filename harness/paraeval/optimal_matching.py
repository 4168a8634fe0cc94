"""The first tier: which paraphrases of several words to match so that most words of the reference are (section 5.2).

Every candidate pairs a stretch of the reference with a stretch of the peer. Wanted are candidates that share no word,
on either side, and match most. Zhou et al. (2006) go through the sentences of the reference, remembering what of the
peer is taken. Here it is done in three steps, each of which keeps the result exact. Candidates that no chain of shared
words connects do not touch each other, and are solved apart. In a connected part the stages are the words of the
reference that a candidate begins with, and a state is what is taken of those words of the peer that a later candidate
could still want. And stretches of the peer that all the same candidates want are taken in order, since it does not
matter which.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

MAX_STATES = 20_000
"""States of a stage beyond which only the best are kept, so that the match may not be the best there is."""

_FIRST_STATES = 64
"""Enough for nearly all: what is found with so few bounds what else is worth trying."""

_WORD = 1 << 24
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


class Solution(NamedTuple):
    """Candidates that share no word, by place in the reference; and whether no other choice matches more."""

    chosen: tuple[Candidate, ...]
    is_exact: bool


class _Option(NamedTuple):
    """A candidate, or several of which it does not matter which is taken.

    Attributes:
        following: The stage behind its last word.
        value: What it adds.
        masks: Per stretch of the peer, the bits of a state that it takes.
        candidates: Per stretch of the peer.
    """

    following: int
    value: int
    masks: tuple[int, ...]
    candidates: tuple[Candidate, ...]


class _Chain(NamedTuple):
    """What was chosen on the way to a state, last first."""

    before: _Chain | None
    candidate: Candidate


_State = tuple[int, "_Chain | None"]
"""What is matched so far, and how."""


class _Stages(NamedTuple):
    """A connected part, ready to be solved.

    Attributes:
        options: Per stage, what can be chosen.
        wanted: Per stage, and for the end, the bits that an option from there on takes.
        rest: Per stage, and for the end, more than which cannot be added from there on.
    """

    options: tuple[tuple[_Option, ...], ...]
    wanted: tuple[int, ...]
    rest: tuple[int, ...]


class _Found(NamedTuple):
    value: int
    chain: _Chain | None
    is_exact: bool


def choose_candidates(candidates: Iterable[Candidate], max_states: int = MAX_STATES) -> Solution:
    """Choose candidates so that most words of the reference are matched, none of either side twice.

    Of choices that match as many, one that takes fewest words of the peer is made.

    Args:
        candidates: In any order; the result does not depend on it.
        max_states: How many states are kept of a stage.

    Returns:
        The choice, exact unless a stage had more states.
    """
    chosen: list[Candidate] = []
    is_exact = True
    for part in _divide(sorted(set(candidates))):
        found = _solve(part, max_states)
        is_exact = is_exact and found.is_exact
        chain = found.chain
        while chain is not None:
            chosen.append(chain.candidate)
            chain = chain.before
    return Solution(tuple(sorted(chosen)), is_exact)


def _divide(candidates: Sequence[Candidate]) -> Iterable[list[Candidate]]:
    """Put together candidates that a chain of shared words connects."""
    parents: dict[tuple[bool, int], tuple[bool, int]] = {}

    def find(word: tuple[bool, int]) -> tuple[bool, int]:
        while (parent := parents.setdefault(word, word)) != word:
            parents[word] = word = parents[parent]
        return word

    for one in candidates:
        root = find((False, one.start))
        words = [(False, index) for index in range(one.start + 1, one.end)]
        words += [(True, index) for index in range(one.peer_start, one.peer_end)]
        for word in words:
            parents[find(word)] = root
    parts: dict[tuple[bool, int], list[Candidate]] = defaultdict(list)
    for one in candidates:
        parts[find((False, one.start))].append(one)
    return parts.values()


def _solve(part: list[Candidate], max_states: int) -> _Found:
    if len(part) == 1:
        return _Found(_value(part[0]), _Chain(None, part[0]), True)
    stages = _make_stages(part)
    first = _search(stages, min(_FIRST_STATES, max_states), -1)
    if first.is_exact or max_states <= _FIRST_STATES:
        return first
    second = _search(stages, max_states, first.value)
    best = second if second.value > first.value else first
    return best._replace(is_exact=second.is_exact)


def _value(candidate: Candidate) -> int:
    return candidate.gain * _WORD - (candidate.peer_end - candidate.peer_start)


def _make_stages(part: list[Candidate]) -> _Stages:
    starts = sorted({one.start for one in part})
    options: list[list[_Option]] = [[] for _ in starts]
    for start, option in _make_options(part, starts):
        options[bisect_left(starts, start)].append(option)
    wanted, rest = [0], [0]
    for stage in reversed(range(len(starts))):
        bits, best = wanted[-1], rest[-1]
        for option in options[stage]:
            for mask in option.masks:
                bits |= mask
            best = max(best, option.value + rest[len(starts) - option.following])
        wanted.append(bits)
        rest.append(best)
    return _Stages(tuple(map(tuple, options)), tuple(wanted[::-1]), tuple(rest[::-1]))


def _make_options(part: list[Candidate], starts: list[int]) -> Iterable[tuple[int, _Option]]:
    """Make one option of candidates whose stretches of the peer are alike in all that matters."""
    masks = _assign_bits(sorted({(one.peer_start, one.peer_end) for one in part}))
    wishes: dict[tuple[int, int], list[Candidate]] = defaultdict(list)
    for one in part:
        wishes[one.peer_start, one.peer_end].append(one)
    alike: dict[object, list[tuple[int, int]]] = defaultdict(list)
    for stretch, (_, is_apart) in masks.items():
        sought = tuple((one.start, one.end, one.gain) for one in wishes[stretch])
        alike[(sought, stretch[1] - stretch[0]) if is_apart else stretch].append(stretch)
    for stretches in alike.values():
        for same in zip(*(wishes[stretch] for stretch in stretches), strict=True):
            one = same[0]
            bits = tuple(masks[stretch][0] for stretch in stretches)
            yield one.start, _Option(bisect_left(starts, one.end), _value(one), bits, same)


def _assign_bits(stretches: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[int, bool]]:
    """The bits of each stretch of the peer, sorted, and whether it shares words with no other."""
    bits: dict[int, int] = {}
    found = {}
    reached = -1
    for index, (start, end) in enumerate(stretches):
        is_last = index + 1 == len(stretches)
        is_apart = reached <= start and (is_last or stretches[index + 1][0] >= end)
        words = (start,) if is_apart else range(start, end)
        mask = 0
        for word in words:
            mask |= 1 << bits.setdefault(word, len(bits))
        found[start, end] = mask, is_apart
        reached = max(reached, end)
    return found


def _search(stages: _Stages, max_states: int, floor: int) -> _Found:
    """Go through the stages, keeping the best way to each state; only what may exceed the floor is followed."""
    last = len(stages.options)
    layers: list[dict[int, _State]] = [{} for _ in range(last + 1)]
    layers[0][0] = 0, None
    is_exact = True
    for stage in range(last):
        states = [(mask, state) for mask, state in layers[stage].items() if state[0] + stages.rest[stage] > floor]
        layers[stage] = {}
        if len(states) > max_states:
            is_exact = False
            states = sorted(states, key=lambda one: (-one[1][0], one[0]))[:max_states]
        _advance(stages, stage, states, layers)
    value, chain = max(layers[last].values(), key=itemgetter(0), default=(-1, None))
    return _Found(value, chain, is_exact)


def _advance(stages: _Stages, stage: int, states: list[tuple[int, _State]], layers: list[dict[int, _State]]) -> None:
    """Extend all states of a stage by each option, and by none."""
    skipped, still = layers[stage + 1], stages.wanted[stage + 1]
    for mask, state in states:
        _keep(skipped, mask & still, state)
    for option in stages.options[stage]:
        target, wanted = layers[option.following], stages.wanted[option.following]
        for mask, (value, chain) in states:
            for bits, candidate in zip(option.masks, option.candidates, strict=True):
                if not mask & bits:
                    _keep(target, (mask | bits) & wanted, (value + option.value, _Chain(chain, candidate)))
                    break


def _keep(layer: dict[int, _State], mask: int, state: _State) -> None:
    known = layer.get(mask)
    if known is None or state[0] > known[0]:
        layer[mask] = state
