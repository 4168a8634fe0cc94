"""What a choice of candidates can still gain: words of the peer put up for sale, at prices that nobody gains much by.

Lagrangian relaxation: that no word of the peer is taken twice is not required, but paid for. The best choice then is
found in one pass over the stages, and whatever the prices are, no choice that is allowed is worth more. Prices are
found by subgradients; each round's choice, mended so that it is allowed, is one that the search need not fall below.
They are whole numbers, as values are, so that no sum depends on how a version of Python adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.summarization.paraeval.stages import Candidate, Stages

_ROUNDS = 150
"""How often prices are changed at most."""

_SLOWER = 0.93
"""How much less they are changed after a change that did not help."""


class Bounds:
    """What can be added to a state at most, given prices.

    Args:
        stages: The candidates.
        prices: Per bit, not negative.
        rest: Per stage, and for the end, what can be gained from there on, paid for.
    """

    def __init__(self, stages: Stages, prices: Sequence[int], rest: Sequence[int]) -> None:
        self._octets = [_sum_subsets(prices[start : start + 8]) for start in range(0, len(prices), 8)]
        self._most = [gain + self._pay(mask) for gain, mask in zip(rest, stages.wanted, strict=True)]

    def add(self, stage: int, mask: int) -> int:
        """More than which cannot be added to a state: the best that is for sale, and the worth of what it has left."""
        return self._most[stage] - self._pay(mask)

    def _pay(self, mask: int) -> int:
        octets = mask.to_bytes(len(self._octets), "little")
        return sum(sums[octet] for sums, octet in zip(self._octets, octets, strict=True))


class Relaxation(NamedTuple):
    """What comes of putting words up for sale.

    Attributes:
        bounds: Without prices, and with the prices that bound the whole most.
        best: The best choice that was allowed, by place in the reference.
    """

    bounds: tuple[Bounds, Bounds]
    best: tuple[Candidate, ...]


_Choice = tuple[Candidate, tuple[int, ...]]
"""A candidate, and the bits that it takes."""


class _Step(NamedTuple):
    """What is best to do at a stage: where it leads, what is bought, and which candidate that is."""

    following: int
    bits: tuple[int, ...]
    candidate: Candidate | None


class _Sale(NamedTuple):
    """The best choice if words are for sale.

    Attributes:
        rest: As in `Bounds`.
        taken: Per bit, how often it is bought.
        bought: The candidates, and their bits.
    """

    rest: tuple[int, ...]
    taken: tuple[int, ...]
    bought: tuple[_Step, ...]

    def total(self, prices: Sequence[int]) -> int:
        """What no choice that is allowed is worth more than."""
        return self.rest[0] + sum(prices)


def relax(stages: Stages, floor: int, max_rounds: int = _ROUNDS) -> Relaxation:
    """Find prices, and a good choice.

    Args:
        stages: The candidates.
        floor: What some choice is known to be worth; steps are as long as that is far (Polyak).
        max_rounds: How often prices are changed, if it is less often than usual; at least once.
    """
    ranked = _rank(stages)
    prices = [0] * stages.bit_count
    sale = _sell(stages, prices)
    free = Bounds(stages, prices, sale.rest)
    least, kept = sale.total(prices), (prices, sale)
    best: tuple[Candidate, ...] = ()
    step = 1.0
    for _ in range(min(_ROUNDS, max_rounds)):
        best = max(best, _mend(sale, ranked), key=_rate)
        floor = max(floor, _rate(best))
        slopes = [taken - 1 if taken > 1 or price else 0 for taken, price in zip(sale.taken, prices, strict=True)]
        length = sum(slope * slope for slope in slopes)
        if not length or least < floor + 1:
            break
        pace = step * (sale.total(prices) - floor) / length
        prices = [max(0, round(price + pace * slope)) for price, slope in zip(prices, slopes, strict=True)]
        sale = _sell(stages, prices)
        if sale.total(prices) < least:
            least, kept = sale.total(prices), (prices, sale)
        else:
            step *= _SLOWER
    return Relaxation((free, Bounds(stages, kept[0], kept[1].rest)), tuple(sorted(best)))


def _rate(chosen: Sequence[Candidate]) -> int:
    return sum(one.value for one in chosen)


def _sell(stages: Stages, prices: Sequence[int]) -> _Sale:
    end = len(stages.options)
    rest = [0] * (end + 1)
    steps = [_Step(stage + 1, (), None) for stage in range(end)]
    for stage in reversed(range(end)):
        rest[stage] = rest[stage + 1]
        for option in stages.options[stage]:
            for bits, candidate in zip(option.bits, option.candidates, strict=True):
                profit = option.value - sum(prices[bit] for bit in bits) + rest[option.following]
                if profit > rest[stage]:
                    rest[stage], steps[stage] = profit, _Step(option.following, bits, candidate)
    taken, bought, stage = [0] * len(prices), [], 0
    while stage < end:
        if steps[stage].candidate is not None:
            bought.append(steps[stage])
        for bit in steps[stage].bits:
            taken[bit] += 1
        stage = steps[stage].following
    return _Sale(tuple(rest), tuple(taken), tuple(bought))


def _rank(stages: Stages) -> list[_Choice]:
    """All candidates with their bits, the most valuable first."""
    choices = (
        (candidate, bits)
        for options in stages.options
        for option in options
        for bits, candidate in zip(option.bits, option.candidates, strict=True)
    )
    return sorted(choices, key=lambda one: (-one[0].value, one[0]))


def _mend(sale: _Sale, ranked: Sequence[_Choice]) -> tuple[Candidate, ...]:
    """Keep what can be kept of a choice, and add what then can be added, the most valuable first."""
    bought = [(step.candidate, step.bits) for step in sale.bought if step.candidate is not None]
    chosen: list[Candidate] = []
    ours: set[int] = set()
    theirs: set[int] = set()
    for candidate, bits in [*bought, *ranked]:
        words = range(candidate.start, candidate.end)
        if ours.isdisjoint(words) and theirs.isdisjoint(bits):
            chosen.append(candidate)
            ours.update(words)
            theirs.update(bits)
    return tuple(chosen)


def _sum_subsets(prices: Sequence[int]) -> list[int]:
    """The price of each set of bits, in the order of the numbers that they make."""
    sums = [0]
    for price in prices:
        sums += [one + price for one in sums]
    return sums
