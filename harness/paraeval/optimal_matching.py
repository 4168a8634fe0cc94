"""The first tier: which paraphrases of several words to match so that most words of the reference are (section 5.2).

Every candidate pairs a stretch of the reference with a stretch of the peer. Wanted are candidates that share no word,
on either side, and match most. Zhou et al. (2006) go through the sentences of the reference, remembering what of the
peer is taken. Here it is done in three steps, each of which keeps the result exact. Candidates that no chain of shared
words connects do not touch each other, and are solved apart. In a connected part the stages are the words of the
reference that a candidate begins with, and a state is what is taken of those words of the peer that a later candidate
could still want. And stretches of the peer that all the same candidates want are taken in order, since it does not
matter which. Where that leaves too many states, words of the peer are given prices (the dual of the linear program in
which candidates may be chosen in part), and states are left out that could not be best even if words could be bought at
these prices, rather than once each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import itemgetter, or_
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

MAX_STATES = 20_000
"""States of a stage beyond which only the best are kept, so that the match may not be the best there is."""

_FIRST_STATES = 64
"""Enough for nearly all: what is found with so few bounds what else is worth trying."""

_WORD = 1 << 20
"""What a matched word of the reference is worth, in words of the peer: they only decide between equals."""

_SLACK = 1e-3
"""More than what sums of prices are off by rounding; values are whole numbers."""


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
    """

    options: tuple[tuple[_Option, ...], ...]
    wanted: tuple[int, ...]


class _Bounds:
    """What can be added to a state at most: the best of what is left if bits are bought at their prices, and sold.

    That is a bound whatever the prices are, as long as none is negative.

    Args:
        stages: The part.
        prices: Per bit.
    """

    def __init__(self, stages: _Stages, prices: Sequence[float]) -> None:
        self._prices = prices
        rest = [0.0]
        for options in reversed(stages.options):
            profits = (
                option.value - min(map(self._pay, option.masks)) + rest[len(stages.options) - option.following]
                for option in options
            )
            rest.append(max(rest[-1], *profits))
        self._most = [most + self._pay(mask) for most, mask in zip(reversed(rest), stages.wanted, strict=True)]

    def add(self, stage: int, mask: int) -> float:
        """More than which cannot be added to a state."""
        return self._most[stage] - self._pay(mask)

    def _pay(self, mask: int) -> float:
        return sum(price for bit, price in enumerate(self._prices) if mask >> bit & 1)


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
    first = _search(stages, min(_FIRST_STATES, max_states), [], -1)
    if first.is_exact or max_states <= _FIRST_STATES:
        return first
    bounds = [_Bounds(stages, [0.0] * stages.wanted[0].bit_length()), _Bounds(stages, _find_prices(stages))]
    second = _search(stages, max_states, bounds, first.value)
    best = second if second.value > first.value else first
    return best._replace(is_exact=second.is_exact)


def _value(candidate: Candidate) -> int:
    return candidate.gain * _WORD - (candidate.peer_end - candidate.peer_start)


def _make_stages(part: list[Candidate]) -> _Stages:
    starts = sorted({one.start for one in part})
    options: list[list[_Option]] = [[] for _ in starts]
    for start, option in _make_options(part, starts):
        options[bisect_left(starts, start)].append(option)
    wanted = [0]
    for choices in reversed(options):
        wanted.append(reduce(or_, (mask for option in choices for mask in option.masks), wanted[-1]))
    return _Stages(tuple(map(tuple, options)), tuple(wanted[::-1]))


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


def _find_prices(stages: _Stages) -> list[float]:
    """What the bits are worth if candidates may be chosen in part; all 0 if that cannot be found."""
    choices = [(option, mask) for options in stages.options for option in options for mask in option.masks]
    bit_count = stages.wanted[0].bit_length()
    stage_of = [stage for stage, options in enumerate(stages.options) for option in options for _ in option.masks]
    cells = [
        *((bit, column) for column, (_, mask) in enumerate(choices) for bit in range(bit_count) if mask >> bit & 1),
        *(
            (bit_count + stage, column)
            for column, (option, _) in enumerate(choices)
            for stage in range(stage_of[column], option.following)
        ),
    ]
    rows, columns = zip(*cells, strict=True)
    matrix = csr_array((np.ones(len(cells)), (rows, columns)))
    values = np.array([option.value / _WORD for option, _ in choices])
    found = linprog(-values, A_ub=matrix, b_ub=np.ones(matrix.shape[0]), method="highs")
    if found.status != 0:
        return [0.0] * bit_count
    return [max(0.0, -price) * _WORD for price in found.ineqlin.marginals[:bit_count].tolist()]


def _search(stages: _Stages, max_states: int, bounds: Sequence[_Bounds], floor: int) -> _Found:
    """Go through the stages, keeping the best way to each state; only what may exceed the floor is followed."""
    last = len(stages.options)
    layers: list[dict[int, _State]] = [{} for _ in range(last + 1)]
    layers[0][0] = 0, None
    is_exact = True
    for stage in range(last):
        states = list(layers[stage].items())
        layers[stage] = {}
        for bound in bounds:
            states = [one for one in states if one[1][0] + bound.add(stage, one[0]) + _SLACK >= floor + 1]
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
