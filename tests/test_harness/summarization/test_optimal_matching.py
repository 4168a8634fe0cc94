"""The first tier of ParaEval, compared with the figures of the paper and with brute force."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from harness.summarization.paraeval import bounds as bounds_module
from harness.summarization.paraeval import optimal_matching
from harness.summarization.paraeval.bounds import (
    WORD,
    Bounds,
    StageOption,
    Stages,
    _repair,
    _solve_relaxed,
    make_stages,
    relax,
)
from harness.summarization.paraeval.bounds import rate as rate_value
from harness.summarization.paraeval.optimal_matching import _divide, _search, choose_candidates, choose_greedily
from harness.summarization.paraeval.texts import StretchMatch


def candidate(start: int, length: int, peer_start: int, peer_length: int) -> StretchMatch:
    return StretchMatch(start, start + length, peer_start, peer_start + peer_length, length)


def rate(chosen: Iterable[StretchMatch]) -> tuple[int, int]:
    """Return the number of matched words of the reference, and minus the number of words of the peer."""
    sizes = [(match.gain, match.peer_start - match.peer_end) for match in chosen]
    return sum(gain for gain, _ in sizes), sum(minus_peer for _, minus_peer in sizes)


def try_all(candidates: list[StretchMatch]) -> tuple[int, int]:
    best = (0, 0)

    def extend(rest: list[StretchMatch], ours: frozenset[int], theirs: frozenset[int], gain: int) -> None:
        nonlocal best
        best = max(best, (gain, -len(theirs)))
        for index, choice in enumerate(rest):
            mine, yours = set(range(choice.start, choice.end)), set(range(choice.peer_start, choice.peer_end))
            if not mine & ours and not yours & theirs:
                extend(rest[index + 1 :], ours | mine, theirs | yours, gain + choice.gain)

    extend(candidates, frozenset(), frozenset(), 0)
    return best


# Figure 4 of Zhou et al. (2006): r2 contains r1 and p1 = r2 matches more than p2 = r1, so that a local search takes p1
# for r2; then comes r3, of which p1 matches still more. Figure 5: the best choice matches 12 words of the reference.
R1, R2, R3 = (1, 5), (0, 6), (10, 7)
P1, P2 = (0, 6), (8, 4)
P2_R1, P1_R2, P1_R3 = candidate(*R1, *P2), candidate(*R2, *P1), candidate(*R3, *P1)


def test_the_scenario_of_figure_4_is_solved_as_in_figure_5() -> None:
    assert choose_candidates([P1_R2, P2_R1, P1_R3]) == ((P2_R1, P1_R3), True)
    assert rate([P2_R1, P1_R3])[0] == 12


def test_a_local_search_takes_the_larger_match_of_the_first_sentence() -> None:
    """In figure 4, it takes p1 for r2. In one sentence, the largest match of all comes first."""
    assert choose_greedily([P1_R3, P1_R2, P2_R1], (10, 20)) == [P1_R2]
    assert choose_greedily([P1_R3, P1_R2, P2_R1], (20,)) == [P2_R1, P1_R3]


def test_a_local_search_breaks_ties_by_words_of_the_peer_and_by_order() -> None:
    short, long, later = candidate(0, 2, 0, 2), candidate(0, 2, 4, 3), candidate(1, 2, 0, 2)
    assert choose_greedily([later, long, short], (3,)) == [short]


def test_before_the_third_phrase_the_larger_match_is_best() -> None:
    assert choose_candidates([P1_R2, P2_R1]) == ((P1_R2,), True)


def test_of_equal_matches_the_one_that_takes_fewer_words_of_the_peer_is_chosen() -> None:
    short, long = candidate(0, 2, 0, 2), candidate(0, 2, 4, 3)
    assert choose_candidates([long, short]) == ((short,), True)


def test_nothing_to_choose_from() -> None:
    assert choose_candidates([]) == ((), True)


def test_stages_by_hand() -> None:
    """The first two stretches of the peer share no word with others, and have one bit each. The last two overlap."""
    apart, adjacent = candidate(0, 2, 0, 2), candidate(0, 2, 2, 2)
    around, within = candidate(5, 1, 4, 3), candidate(5, 1, 5, 2)
    stages = make_stages([apart, adjacent, around, within])
    assert stages.options == (
        (StageOption(1, rate_value([apart]), (0b1, 0b10), ((0,), (1,)), (apart, adjacent)),),
        (
            StageOption(2, rate_value([around]), (0b11100,), ((2, 3, 4),), (around,)),
            StageOption(2, rate_value([within]), (0b11000,), ((3, 4),), (within,)),
        ),
    )
    assert (stages.wanted, stages.bit_count) == ((0b11111, 0b11100, 0), 5)


small = st.builds(candidate, st.integers(0, 12), st.integers(1, 4), st.integers(0, 12), st.integers(1, 4))


@given(st.lists(small, max_size=11, unique=True))
def test_no_choice_matches_more(candidates: list[StretchMatch]) -> None:
    chosen, is_exact = choose_candidates(candidates)
    assert is_exact
    assert rate(chosen) == try_all(sorted(candidates))


@given(st.lists(small, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(candidates: list[StretchMatch], chance: random.Random) -> None:
    shuffled = chance.sample(candidates, len(candidates))
    assert choose_candidates(shuffled) == choose_candidates(candidates)


@given(st.lists(small, max_size=30), st.lists(st.integers(1, 12), max_size=3))
def test_a_local_search_never_matches_more_than_the_optimum(candidates: list[StretchMatch], ends: list[int]) -> None:
    chosen, exact = choose_greedily(candidates, sorted(ends)), choose_candidates(candidates)[0]
    assert rate(chosen)[0] <= rate(exact)[0]
    for start, end in (("start", "end"), ("peer_start", "peer_end")):
        words = [word for match in chosen for word in range(getattr(match, start), getattr(match, end))]
        assert len(set(words)) == len(words)


@given(st.lists(small, max_size=30))
def test_no_word_is_taken_twice(candidates: list[StretchMatch]) -> None:
    chosen, _ = choose_candidates(candidates, max_states=2)
    ours = [word for choice in chosen for word in range(choice.start, choice.end)]
    theirs = [word for choice in chosen for word in range(choice.peer_start, choice.peer_end)]
    assert len(ours) == len(set(ours))
    assert len(theirs) == len(set(theirs))


def test_phrases_of_which_many_stand_on_both_sides_are_matched_exactly() -> None:
    """Twelve stretches in each text that all match each other have 12! choices, but one state per number of them."""
    everything = [candidate(3 * ours, 2, 3 * theirs, 2) for ours in range(12) for theirs in range(12)]
    chosen, is_exact = choose_candidates(everything, max_states=13)
    assert is_exact
    assert rate(chosen) == (24, -24)


def solve_by_integer_programming(candidates: list[StretchMatch], *, in_parts: bool = False) -> float:
    """Return the maximum number of matched words of the reference, by HiGHS. Parts of candidates may be chosen."""
    places: dict[tuple[str, int], int] = {}
    cells = []
    for column, choice in enumerate(candidates):
        words = [("reference", word) for word in range(choice.start, choice.end)]
        words += [("peer", word) for word in range(choice.peer_start, choice.peer_end)]
        cells += [(places.setdefault(word, len(places)), column) for word in words]
    matrix = np.zeros((len(places), len(candidates)))
    matrix[tuple(zip(*cells, strict=True))] = 1
    gains = np.array([choice.gain for choice in candidates], float)
    once = optimize.LinearConstraint(matrix, ub=np.ones(len(places)))
    are_integers = np.full(len(gains), int(not in_parts))
    solution = optimize.milp(-gains, constraints=once, integrality=are_integers, bounds=optimize.Bounds(0, 1))
    words = -(solution.fun or 0)
    return words if in_parts else round(words)


def is_search_exact(stages: Stages, max_states: int) -> bool:
    _, is_exact = _search(stages, max_states)
    return is_exact


@pytest.mark.parametrize("seed", range(12))
def test_parts_that_need_prices_are_solved_exactly(seed: int) -> None:
    """Many candidates overlap, so that the first search has too few states."""
    chance = random.Random(seed)
    hard = [
        candidate(chance.randrange(30), chance.randint(2, 4), chance.randrange(30), chance.randint(2, 3))
        for _ in range(70)
    ]
    chosen, is_exact = choose_candidates(hard)
    assert is_exact
    assert not is_search_exact(make_stages(sorted(set(hard))), 64)
    assert rate(chosen)[0] == solve_by_integer_programming(sorted(set(hard)))


@pytest.mark.parametrize("seed", range(8))
def test_prices_give_almost_the_lowest_bound(seed: int) -> None:
    """The lowest bound of all prices is the solution in parts (Geoffrion 1974)."""
    chance = random.Random(seed)
    candidates = sorted(
        {
            candidate(chance.randrange(30), chance.randint(1, 4), chance.randrange(12), chance.randint(1, 3))
            for _ in range(60)
        }
    )
    both, best = relax(make_stages(candidates), 0)
    without_prices, bound = (bounds.limit_gain(0, 0) / WORD for bounds in both)
    lowest = solve_by_integer_programming(candidates, in_parts=True)
    assert lowest - 0.001 <= bound <= 1.006 * lowest < without_prices
    assert sum(choice.gain for choice in best) >= solve_by_integer_programming(candidates) - 1


def crowd(seed: int, count: int, words: int) -> list[StretchMatch]:
    """Many candidates for few words: few states do not suffice for the best choice, even with prices."""
    chance = random.Random(seed)
    return [
        candidate(chance.randrange(words), chance.randint(2, 5), chance.randrange(words), chance.randint(2, 5))
        for _ in range(count)
    ]


def test_a_bounded_search_is_marked_and_its_choice_is_feasible() -> None:
    hard = crowd(5, 150, 40)
    chosen, is_exact = choose_candidates(hard, max_states=1)
    assert not is_exact
    assert 0 < rate(chosen)[0] <= solve_by_integer_programming(sorted(set(hard)))


def test_large_parts_keep_fewer_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of 10,000 candidates took minutes, because it had as many states as a part of 100 candidates."""
    kept: list[int] = []

    def search(stages: Stages, max_states: int, *bounds: object) -> tuple[tuple[StretchMatch, ...], bool]:
        kept.append(max_states)
        return _search(stages, max_states, *bounds)  # type: ignore[arg-type]

    monkeypatch.setattr(optimal_matching, "_search", search)
    monkeypatch.setattr(optimal_matching, "MAX_STEPS", 1500)
    hard = crowd(5, 150, 40)
    _, is_exact = choose_candidates(hard)
    assert not is_exact
    assert max(kept) == 1500 // len(set(hard)) == 10


def test_parts_share_no_word_and_are_as_small_as_possible() -> None:
    """The first two stretches are adjacent in both texts, crosswise. The last candidate shares a word with neither."""
    first, second, last = candidate(0, 2, 2, 2), candidate(2, 2, 0, 2), candidate(6, 2, 6, 2)
    assert list(_divide([first, second, last])) == [[first], [second], [last]]
    by_reference, by_peer = candidate(1, 2, 8, 2), candidate(9, 2, 9, 2)
    assert list(_divide([first, by_reference, second, by_peer])) == [[first, by_reference, second, by_peer]]


def test_of_equal_choices_the_first_is_chosen() -> None:
    first, second = candidate(0, 2, 0, 2), candidate(0, 2, 1, 2)
    assert choose_candidates([second, first]) == ((first,), True)


# Two phrases of the reference compete for one of the peer, which is shorter. The value of each is 2 WORD - 1.
EARLIER, LATER = candidate(0, 2, 0, 1), candidate(2, 2, 0, 1)


def test_a_search_with_too_few_states_keeps_the_most_valuable() -> None:
    """The second phrase is a better choice, but one state forces the decision before it is seen."""
    longer = candidate(2, 3, 0, 1)
    stages = make_stages([EARLIER, longer])
    assert _search(stages, 1) == ((EARLIER,), False)
    assert _search(stages, 2) == ((longer,), True)


def test_interchangeable_phrases_have_one_state_per_number_of_taken_phrases() -> None:
    """Before the last of twelve phrases, 0 to 11 are taken."""
    stages = make_stages([candidate(3 * ours, 2, 3 * theirs, 2) for ours in range(12) for theirs in range(12)])
    assert is_search_exact(stages, 12)
    assert not is_search_exact(stages, 11)


def test_a_search_with_bounds_keeps_states_that_can_reach_the_needed_value() -> None:
    """Without prices, the upper bound is the value of both phrases, although only one can be chosen."""
    stages = make_stages([EARLIER, LATER])
    (without_prices, _), _ = relax(stages, 0)
    assert _search(stages, 64, [without_prices], 2 * (2 * WORD - 1)) == ((EARLIER,), True)
    assert _search(stages, 64, [without_prices], 2 * (2 * WORD - 1) + 1) == ((), True)


def watch(
    patch: pytest.MonkeyPatch, best: tuple[StretchMatch, ...], *results: tuple[tuple[StretchMatch, ...], bool]
) -> list[int]:
    """Replace the searches by their results, and return the list that receives their limits."""
    bounds, _ = relax(make_stages([EARLIER]), 0)
    remaining = iter(results)
    limits: list[int] = []

    def search(_: Stages, max_states: int, *bounds_and_needed: Any) -> tuple[tuple[StretchMatch, ...], bool]:  # noqa: ANN401
        limits.extend([max_states, *bounds_and_needed[1:]])
        return next(remaining)

    def relax_part(_: Stages, floor: int, max_rounds: int) -> tuple[tuple[Bounds, Bounds], tuple[StretchMatch, ...]]:
        limits.extend([floor, max_rounds])
        return bounds, best

    patch.setattr(optimal_matching, "_search", search)
    patch.setattr(optimal_matching, "relax", relax_part)
    return limits


NOTHING = ((), False)


def test_searches_of_a_hard_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first search has 64 states, further searches need one more word of the reference than the best choice."""
    limits = watch(monkeypatch, (), ((EARLIER,), False), NOTHING, NOTHING)
    assert choose_candidates([EARLIER, LATER]) == ((EARLIER,), False)
    # 64, then the floor 2 WORD - 1 and 1,000,000 / 2 rounds, then two searches for 2.5 words.
    assert limits == [64, 2_097_151, 500_000, 64, 2_621_440, 1000, 2_621_440]


def test_the_repaired_choice_counts_if_it_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search follows the one that proves the choice."""
    limits = watch(monkeypatch, (LATER,), NOTHING, ((), True))
    assert choose_candidates([EARLIER, LATER]) == ((LATER,), True)
    assert limits == [64, 0, 500_000, 64, 2_621_440]


def test_a_part_of_very_many_candidates_has_fewer_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000,000 / 9,901 is 100.99."""
    limits = watch(monkeypatch, (), NOTHING, NOTHING, NOTHING)
    choose_candidates(candidate(0, 1, start, 1) for start in range(9901))
    assert limits == [64, 0, 100, 64, 524_288, 100, 524_288]


def test_a_part_has_at_least_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_matching, "MAX_STEPS", 1)
    limits = watch(monkeypatch, (), NOTHING, NOTHING)
    choose_candidates([EARLIER, LATER])
    assert limits == [1, 0, 1, 1, 524_288]


VALUE = 2_097_151
"""Value of each of the two phrases that compete, 2 WORD - 1."""

OTHERWISE = candidate(0, 2, 1, 2)
"""The earlier phrase also matches another, longer phrase of the peer, with a value of VALUE - 1."""


def test_bounds_without_prices_count_all_phrases() -> None:
    (bounds, _), _ = relax(make_stages([EARLIER, LATER]), 0)
    assert [bounds.limit_gain(stage, 0) for stage in range(3)] == [2 * VALUE, VALUE, 0]
    assert [bounds.limit_gain(stage, 1) for stage in range(2)] == [2 * VALUE, VALUE]


def test_a_price_in_one_round() -> None:
    """The bound is 2 V, the repaired choice V, and the subgradient 1, so that the first step is (2 V - V) / 1 = V.

    At this price neither phrase is worth its word. The bound is the price, which is the value of the best choice.
    """
    (_, bounds), best = relax(make_stages([EARLIER, LATER]), 0, 1)
    assert best == (EARLIER,)
    assert [bounds.limit_gain(stage, 0) for stage in range(3)] == [VALUE, VALUE, 0]
    assert [bounds.limit_gain(stage, 1) for stage in range(2)] == [0, 0]


def test_a_word_that_is_not_taken_too_often_has_no_price() -> None:
    """The other word of the peer is not taken in the first round. At the price V, it is better for the first phrase."""
    (_, bounds), _ = relax(make_stages([EARLIER, OTHERWISE, LATER]), 0, 1)
    assert [bounds.limit_gain(0, mask) for mask in range(4)] == [2 * VALUE - 1, VALUE - 1, 2 * VALUE - 1, VALUE - 1]


def test_prices_that_do_not_lower_the_bound_are_dropped() -> None:
    """Both words of the reference are best matched by the word 2 of the peer, with values of WORD - 2 and WORD - 1.

    Its price becomes WORD - 1, the difference of the bound 2 WORD - 3 and the first value. Then only the other phrase
    for the later word remains, and the bound is WORD - 2 plus the price, as before.
    """
    earlier, other, later = candidate(4, 1, 1, 2), candidate(5, 1, 0, 2), candidate(5, 1, 2, 1)
    (free, bounds), _ = relax(make_stages([earlier, other, later]), 0, 1)
    assert [bounds.limit_gain(stage, 0) for stage in range(3)] == [2 * WORD - 3, WORD - 1, 0]
    assert [free.limit_gain(stage, 0) for stage in range(3)] == [2 * WORD - 3, WORD - 1, 0]


def test_choices_are_repaired_by_the_most_valuable_phrases() -> None:
    """Both phrases take the same word of the peer. For the later phrase, two other stretches of the peer are free."""
    best, worse = candidate(2, 2, 1, 2), candidate(2, 2, 2, 3)
    _, repaired = relax(make_stages([EARLIER, LATER, best, worse]), 0, 1)
    assert repaired == (EARLIER, best)


def test_a_phrase_that_gains_nothing_is_not_taken() -> None:
    stages = make_stages([EARLIER, LATER])
    assert _solve_relaxed(stages, [VALUE]) == ([0, 0, 0], [])
    assert _solve_relaxed(stages, [VALUE - 1]) == ([2, 1, 0], [(EARLIER, (0,)), (LATER, (0,))])


@pytest.mark.parametrize(
    ("floor", "bound", "rounds"),
    [
        (0, VALUE, 2),  # the second round begins with a bound of V and a choice of V
        (2 * VALUE - 1, 2 * VALUE - 1, 2),  # the bound is 1 more than the floor, and falls by 1
        (2 * VALUE, 2 * VALUE, 1),
    ],
)
def test_rounds_end_when_the_bound_is_reached(
    monkeypatch: pytest.MonkeyPatch, floor: int, bound: int, rounds: int
) -> None:
    repaired = count_repairs(monkeypatch)
    (_, bounds), _ = relax(make_stages([EARLIER, LATER]), floor)
    assert bounds.limit_gain(0, 0) == bound
    assert len(repaired) == rounds


def count_repairs(patch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that receives the relaxed choice of each round."""
    repaired: list[object] = []

    def repair(relaxed: Any, ranked: Any) -> tuple[StretchMatch, ...]:  # noqa: ANN401
        repaired.append(relaxed)
        return _repair(relaxed, ranked)

    patch.setattr(bounds_module, "_repair", repair)
    return repaired


def test_at_most_150_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any two of three stretches of the peer share a word: one can be chosen, but one and a half in parts."""
    repaired = count_repairs(monkeypatch)
    circle = [candidate(0, 2, 0, 2), candidate(2, 2, 1, 2), candidate(4, 2, 0, 3)]
    relax(make_stages(circle), 0)
    assert len(repaired) == 150
    relax(make_stages(circle), 0, 3)
    assert len(repaired) == 153
