"""Candidates in stages, and upper bounds on the value that further candidates can add, by Lagrangian relaxation.

A stage is a word of the reference that candidates begin with. A choice may take no word of the peer twice. The
relaxation drops this constraint: every word of the peer has a price (its Lagrange multiplier), and a choice pays for
each word that it takes. The best relaxed choice is found in one pass over the stages. For any prices, its value plus
the sum of prices is an upper bound on the value of all feasible choices. The subgradient method finds prices with a low
bound. The relaxed choice of each round is repaired to a feasible choice, whose value is a lower bound. Prices and
values are integers, so that sums are exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

from harness.summarization.paraeval.texts import Stretch, StretchMatch

WORD = 1 << 20
"""Value of a matched word of the reference. A word of the peer costs 1, so that peer words only break ties."""

_ROUNDS = 150
"""Maximum number of rounds of the subgradient method."""

_STEP_DECAY = 0.93
"""Factor of the step size after a round that did not lower the bound."""

_Choice = tuple[StretchMatch, tuple[int, ...]]
"""A candidate, and the bits that it takes."""


class StageOption(NamedTuple):
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
    candidates: tuple[StretchMatch, ...]


class Stages(NamedTuple):
    """Candidates of a part, grouped for dynamic programming.

    Attributes:
        options: For each stage, its options.
        wanted: For each stage and for the end, the mask of the bits that options of this or a later stage take.
    """

    options: tuple[tuple[StageOption, ...], ...]
    wanted: tuple[int, ...]

    @property
    def bit_count(self) -> int:
        """Number of bits of a state."""
        return self.wanted[0].bit_length()


def rate(chosen: Iterable[StretchMatch]) -> int:
    """Return the value of candidates in the optimization. Among equal gains, fewer peer words give a higher value."""
    return sum(match.gain * WORD - (match.peer_end - match.peer_start) for match in chosen)


def make_stages(candidates: Sequence[StretchMatch]) -> Stages:
    """Group candidates into stages and options.

    A bit of a state represents a word of the peer, or an isolated stretch, which shares no word with another stretch.
    Isolated stretches are interchangeable if they occur in the same candidates. Interchangeable stretches form one
    option, and are taken in order.

    Args:
        candidates: At least one candidate, sorted.
    """
    starts = sorted({candidate.start for candidate in candidates})
    by_stretch: dict[Stretch, list[StretchMatch]] = defaultdict(list)
    for candidate in candidates:
        by_stretch[candidate.peer_start, candidate.peer_end].append(candidate)
    bits_of, isolated = _assign_bits(sorted(by_stretch))
    groups: dict[object, list[Stretch]] = defaultdict(list)
    for stretch in bits_of:
        key: object = stretch
        if stretch in isolated:
            # Interchangeable stretches have equal candidates in the reference, and an equal length.
            in_reference = tuple((candidate.start, candidate.end, candidate.gain) for candidate in by_stretch[stretch])
            key = in_reference, stretch[1] - stretch[0]
        groups[key].append(stretch)
    options: list[list[StageOption]] = [[] for _ in starts]
    for stretches in groups.values():
        bits = tuple(bits_of[stretch] for stretch in stretches)
        masks = tuple(map(_make_mask, bits))
        for interchangeable in zip(*(by_stretch[stretch] for stretch in stretches), strict=True):
            first = interchangeable[0]
            option = StageOption(bisect_left(starts, first.end), rate([first]), masks, bits, interchangeable)
            options[bisect_left(starts, first.start)].append(option)
    wanted = [0]
    for stage_options in reversed(options):
        masks_of_stage = chain.from_iterable(option.masks for option in stage_options)
        wanted.append(reduce(or_, masks_of_stage, wanted[-1]))
    return Stages(tuple(map(tuple, options)), tuple(wanted[::-1]))


def _make_mask(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def _assign_bits(stretches: Sequence[Stretch]) -> tuple[dict[Stretch, tuple[int, ...]], set[Stretch]]:
    """Assign bits to the words of sorted stretches. An isolated stretch needs only one bit.

    Returns:
        The sorted bits of each stretch, and the isolated stretches, which share no word with another stretch.
    """
    bit_of_word: dict[int, int] = {}
    bits_of, isolated = {}, set()
    highest_end = 0
    for index, (start, end) in enumerate(stretches):
        is_last = index + 1 == len(stretches)
        words: Iterable[int] = range(start, end)
        if highest_end <= start and (is_last or stretches[index + 1][0] >= end):
            isolated.add((start, end))
            words = (start,)
        bits_of[start, end] = tuple(bit_of_word.setdefault(word, len(bit_of_word)) for word in words)
        highest_end = max(highest_end, end)
    return bits_of, isolated


class Bounds:
    """Upper bounds on the value that can be added to a state, for given prices.

    Args:
        stages: The candidates.
        prices: Price of each bit, 0 or more.
        profits: For each stage and for the end, the highest profit of a relaxed choice of this and later stages.
    """

    def __init__(self, stages: Stages, prices: Sequence[int], profits: Sequence[int]) -> None:
        # Lookup tables: for each byte of a mask, the price of each of its values.
        self._byte_prices: list[list[int]] = []
        for start in range(0, len(prices), 8):
            sums = [0]  # of each subset of bits; the index is the mask of the subset
            for price in prices[start : start + 8]:
                sums += [subset_sum + price for subset_sum in sums]
            self._byte_prices.append(sums)
        self._limits = [profit + self._price(mask) for profit, mask in zip(profits, stages.wanted, strict=True)]

    def limit_gain(self, stage: int, mask: int) -> int:
        """Return an upper bound on the gain from a state: the highest profit plus the price of the bits still free."""
        return self._limits[stage] - self._price(mask)

    def _price(self, mask: int) -> int:
        octets = mask.to_bytes(len(self._byte_prices), "little")
        return sum(prices[octet] for prices, octet in zip(self._byte_prices, octets, strict=True))


def relax(
    stages: Stages, floor: int, max_rounds: int = _ROUNDS
) -> tuple[tuple[Bounds, Bounds], tuple[StretchMatch, ...]]:
    """Find prices with low bounds, and a good feasible choice.

    Args:
        stages: The candidates.
        floor: Value of a feasible choice. The step size is proportional to its distance from the bound (Polyak).
        max_rounds: Maximum number of rounds, at least 1. More than `_ROUNDS` has no effect.

    Returns:
        Bounds with prices of 0 and bounds with the prices that give the lowest bound on all stages. Then the best
        feasible choice, in order of the reference.
    """
    ranked = _rank(stages)
    prices = [0] * stages.bit_count
    profits, choices = _solve_relaxed(stages, prices)
    free_bounds = Bounds(stages, prices, profits)
    bound = lowest = profits[0]
    best_prices, best_profits = prices, profits
    best: tuple[StretchMatch, ...] = ()
    step_scale = 1.0
    for _ in range(min(_ROUNDS, max_rounds)):
        best = max(best, _repair(choices, ranked), key=rate)
        floor = max(floor, rate(best))
        # The subgradient: the excess uses of each bit. A price of 0 cannot fall, so its slope is at least 0.
        uses = Counter(chain.from_iterable(bits for _, bits in choices))
        slopes = [uses[bit] - 1 if uses[bit] > 1 or price else 0 for bit, price in enumerate(prices)]
        squared_norm = sum(slope * slope for slope in slopes)
        if not squared_norm or lowest < floor + 1:
            break
        step_size = step_scale * (bound - floor) / squared_norm
        prices = [max(0, round(price + step_size * slope)) for price, slope in zip(prices, slopes, strict=True)]
        profits, choices = _solve_relaxed(stages, prices)
        bound = profits[0] + sum(prices)
        if bound < lowest:
            lowest, best_prices, best_profits = bound, prices, profits
        else:
            step_scale *= _STEP_DECAY
    return (free_bounds, Bounds(stages, best_prices, best_profits)), tuple(sorted(best))


def _solve_relaxed(stages: Stages, prices: Sequence[int]) -> tuple[list[int], list[_Choice]]:
    """Find the most profitable relaxed choice, by dynamic programming from the last stage to the first.

    Returns:
        The profits, as in `Bounds`, and the choice, which may take a bit several times, and pays for each time.
    """
    end = len(stages.options)
    profits = [0] * (end + 1)
    # The best step at a stage: the next stage, and the candidate of the step, if any.
    steps: list[tuple[int, _Choice | None]] = [(stage + 1, None) for stage in range(end)]
    for stage in reversed(range(end)):
        profits[stage] = profits[stage + 1]
        for option in stages.options[stage]:
            for bits, candidate in zip(option.bits, option.candidates, strict=True):
                profit = option.value - sum(prices[bit] for bit in bits) + profits[option.following]
                if profit > profits[stage]:
                    profits[stage], steps[stage] = profit, (option.following, (candidate, bits))
    choices: list[_Choice] = []
    stage = 0
    while stage < end:
        stage, choice = steps[stage]
        if choice is not None:
            choices.append(choice)
    return profits, choices


def _rank(stages: Stages) -> list[_Choice]:
    """List all candidates with their bits, the most valuable first."""
    choices: list[_Choice] = []
    for option in chain.from_iterable(stages.options):
        choices += zip(option.candidates, option.bits, strict=True)

    def by_value(choice: _Choice) -> tuple[int, StretchMatch]:
        candidate, _ = choice
        return -rate([candidate]), candidate

    return sorted(choices, key=by_value)


def _repair(relaxed: Sequence[_Choice], ranked: Sequence[_Choice]) -> tuple[StretchMatch, ...]:
    """Make a relaxed choice feasible: keep candidates whose words are free, then add candidates greedily by value."""
    chosen: list[StretchMatch] = []
    reference_words: set[int] = set()
    peer_bits: set[int] = set()
    for candidate, bits in [*relaxed, *ranked]:
        words = range(candidate.start, candidate.end)
        if reference_words.isdisjoint(words) and peer_bits.isdisjoint(bits):
            chosen.append(candidate)
            reference_words.update(words)
            peer_bits.update(bits)
    return tuple(chosen)
