"""Upper bounds on the value that further candidates can add to a choice, by Lagrangian relaxation.

A choice may take no word of the peer twice. The relaxation drops this constraint: every word of the peer has a price
(its Lagrange multiplier), and a choice pays for each word that it takes. The best relaxed choice is found in one pass
over the stages. For any prices, its value plus the sum of prices is an upper bound on the value of all feasible
choices. The subgradient method finds prices with a low bound. The relaxed choice of each round is repaired to a
feasible choice, whose value is a lower bound. Prices and values are integers, so that sums are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from harness.summarization.paraeval.stages import Candidate, Stages

_ROUNDS = 150
"""Maximum number of rounds of the subgradient method."""

_STEP_DECAY = 0.93
"""Factor of the step size after a round that did not lower the bound."""


class Bounds:
    """Upper bounds on the value that can be added to a state, for given prices.

    Args:
        stages: The candidates.
        prices: Price of each bit, 0 or more.
        profits: For each stage and for the end, the highest profit of a relaxed choice of this and later stages.
    """

    def __init__(self, stages: Stages, prices: Sequence[int], profits: Sequence[int]) -> None:
        # Lookup tables: for each byte of a mask, the price of each of its values.
        self._byte_prices = [_sum_subsets(prices[start : start + 8]) for start in range(0, len(prices), 8)]
        self._limits = [profit + self._price(mask) for profit, mask in zip(profits, stages.wanted, strict=True)]

    def limit_gain(self, stage: int, mask: int) -> int:
        """Return an upper bound on the gain from a state: the highest profit plus the price of the bits still free."""
        return self._limits[stage] - self._price(mask)

    def _price(self, mask: int) -> int:
        octets = mask.to_bytes(len(self._byte_prices), "little")
        return sum(prices[octet] for prices, octet in zip(self._byte_prices, octets, strict=True))


class Relaxation(NamedTuple):
    """The result of a relaxation.

    Attributes:
        bounds: Bounds with prices of 0, and bounds with the prices that give the lowest bound on all stages.
        best: The best feasible choice, in order of the reference.
    """

    bounds: tuple[Bounds, Bounds]
    best: tuple[Candidate, ...]


_Choice = tuple[Candidate, tuple[int, ...]]
"""A candidate, and the bits that it takes."""


class _Step(NamedTuple):
    """The best step at a stage: the next stage, the bits that the step takes, and its candidate, if any."""

    following: int
    bits: tuple[int, ...]
    candidate: Candidate | None


class _RelaxedChoice(NamedTuple):
    """The best choice of the relaxation, which may take a bit several times, and pays for each time.

    Attributes:
        profits: As in `Bounds`.
        uses: For each bit, the number of times that it is taken.
        choices: The candidates with their bits.
    """

    profits: tuple[int, ...]
    uses: tuple[int, ...]
    choices: tuple[_Choice, ...]

    def bound(self, prices: Sequence[int]) -> int:
        """Return an upper bound on the value of any feasible choice."""
        return self.profits[0] + sum(prices)


def relax(stages: Stages, floor: int, max_rounds: int = _ROUNDS) -> Relaxation:
    """Find prices with low bounds, and a good feasible choice.

    Args:
        stages: The candidates.
        floor: Value of a feasible choice. The step size is proportional to its distance from the bound (Polyak).
        max_rounds: Maximum number of rounds, at least 1. More than `_ROUNDS` has no effect.
    """
    ranked = _rank(stages)
    prices = [0] * stages.bit_count
    relaxed = _solve_relaxed(stages, prices)
    free_bounds = Bounds(stages, prices, relaxed.profits)
    bound = lowest = relaxed.bound(prices)
    best_prices, best_profits = prices, relaxed.profits
    best: tuple[Candidate, ...] = ()
    step_scale = 1.0
    for _ in range(min(_ROUNDS, max_rounds)):
        best = max(best, _repair(relaxed, ranked), key=_rate)
        floor = max(floor, _rate(best))
        slopes = _find_slopes(relaxed.uses, prices)
        squared_norm = sum(slope * slope for slope in slopes)
        if not squared_norm or lowest < floor + 1:
            break
        step_size = step_scale * (bound - floor) / squared_norm
        prices = [max(0, round(price + step_size * slope)) for price, slope in zip(prices, slopes, strict=True)]
        relaxed = _solve_relaxed(stages, prices)
        bound = relaxed.bound(prices)
        if bound < lowest:
            lowest, best_prices, best_profits = bound, prices, relaxed.profits
        else:
            step_scale *= _STEP_DECAY
    return Relaxation((free_bounds, Bounds(stages, best_prices, best_profits)), tuple(sorted(best)))


def _find_slopes(uses: Sequence[int], prices: Sequence[int]) -> list[int]:
    """Return the subgradient: the excess uses of each bit. A price of 0 cannot fall, so its slope is at least 0."""
    return [count - 1 if count > 1 or price else 0 for count, price in zip(uses, prices, strict=True)]


def _rate(chosen: Sequence[Candidate]) -> int:
    return sum(candidate.value for candidate in chosen)


def _solve_relaxed(stages: Stages, prices: Sequence[int]) -> _RelaxedChoice:
    """Find the most profitable relaxed choice, by dynamic programming from the last stage to the first."""
    end = len(stages.options)
    profits = [0] * (end + 1)
    steps = [_Step(stage + 1, (), None) for stage in range(end)]
    for stage in reversed(range(end)):
        profits[stage] = profits[stage + 1]
        for option in stages.options[stage]:
            for bits, candidate in zip(option.bits, option.candidates, strict=True):
                profit = option.value - sum(prices[bit] for bit in bits) + profits[option.following]
                if profit > profits[stage]:
                    profits[stage], steps[stage] = profit, _Step(option.following, bits, candidate)
    choices = _follow(steps)
    uses = [0] * len(prices)
    for _, bits in choices:
        for bit in bits:
            uses[bit] += 1
    return _RelaxedChoice(tuple(profits), tuple(uses), tuple(choices))


def _follow(steps: Sequence[_Step]) -> list[_Choice]:
    """Collect the candidates of the steps from the first stage to the end."""
    choices: list[_Choice] = []
    stage = 0
    while stage < len(steps):
        following, bits, candidate = steps[stage]
        if candidate is not None:
            choices.append((candidate, bits))
        stage = following
    return choices


def _rank(stages: Stages) -> list[_Choice]:
    """List all candidates with their bits, the most valuable first."""
    choices: list[_Choice] = []
    for option in chain.from_iterable(stages.options):
        choices += zip(option.candidates, option.bits, strict=True)

    def by_value(choice: _Choice) -> tuple[int, Candidate]:
        candidate, _ = choice
        return -candidate.value, candidate

    return sorted(choices, key=by_value)


def _repair(relaxed: _RelaxedChoice, ranked: Sequence[_Choice]) -> tuple[Candidate, ...]:
    """Make a relaxed choice feasible: keep candidates whose words are free, then add candidates greedily by value."""
    chosen: list[Candidate] = []
    reference_words: set[int] = set()
    peer_bits: set[int] = set()
    for candidate, bits in [*relaxed.choices, *ranked]:
        words = range(candidate.start, candidate.end)
        if reference_words.isdisjoint(words) and peer_bits.isdisjoint(bits):
            chosen.append(candidate)
            reference_words.update(words)
            peer_bits.update(bits)
    return tuple(chosen)


def _sum_subsets(prices: Sequence[int]) -> list[int]:
    """Sum the prices of each subset of bits. The index of a sum is the mask of its subset."""
    sums = [0]
    for price in prices:
        sums += [subset_sum + price for subset_sum in sums]
    return sums
