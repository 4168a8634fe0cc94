"""The first tier of ParaEval, compared with the figures of the paper and with brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from harness.summarization.paraeval import optimal_matching
from harness.summarization.paraeval.bounds import relax
from harness.summarization.paraeval.optimal_matching import Solution, _search, choose_candidates
from harness.summarization.paraeval.stages import WORD, Candidate, Option, Stages, make_stages


def candidate(start: int, length: int, peer_start: int, peer_length: int) -> Candidate:
    return Candidate(start, start + length, peer_start, peer_start + peer_length, length)


def rate(solution: Solution) -> tuple[int, int]:
    """Return the number of matched words of the reference, and minus the number of words of the peer."""
    peer = sum(choice.peer_end - choice.peer_start for choice in solution.chosen)
    return sum(choice.gain for choice in solution.chosen), -peer


def try_all(candidates: list[Candidate]) -> tuple[int, int]:
    best = (0, 0)

    def extend(rest: list[Candidate], ours: frozenset[int], theirs: frozenset[int], gain: int) -> None:
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
    solution = choose_candidates([P1_R2, P2_R1, P1_R3])
    assert solution == Solution((P2_R1, P1_R3), True)
    assert rate(solution)[0] == 12


def test_before_the_third_phrase_the_larger_match_is_best() -> None:
    assert choose_candidates([P1_R2, P2_R1]) == Solution((P1_R2,), True)


def test_of_equal_matches_the_one_that_takes_fewer_words_of_the_peer_is_chosen() -> None:
    short, long = candidate(0, 2, 0, 2), candidate(0, 2, 4, 3)
    assert choose_candidates([long, short]).chosen == (short,)


def test_nothing_to_choose_from() -> None:
    assert choose_candidates([]) == Solution((), True)


def test_stages_by_hand() -> None:
    """The first two stretches of the peer share no word with others, and have one bit each. The last two overlap."""
    apart, adjacent = candidate(0, 2, 0, 2), candidate(0, 2, 2, 2)
    around, within = candidate(5, 1, 4, 3), candidate(5, 1, 5, 2)
    stages = make_stages([apart, adjacent, around, within])
    assert stages.options == (
        (Option(1, apart.value, (0b1, 0b10), ((0,), (1,)), (apart, adjacent)),),
        (
            Option(2, around.value, (0b11100,), ((2, 3, 4),), (around,)),
            Option(2, within.value, (0b11000,), ((3, 4),), (within,)),
        ),
    )
    assert (stages.wanted, stages.bit_count) == ((0b11111, 0b11100, 0), 5)


small = st.builds(candidate, st.integers(0, 12), st.integers(1, 4), st.integers(0, 12), st.integers(1, 4))


@given(st.lists(small, max_size=11, unique=True))
def test_no_choice_matches_more(candidates: list[Candidate]) -> None:
    solution = choose_candidates(candidates)
    assert solution.is_exact
    assert rate(solution) == try_all(sorted(candidates))


@given(st.lists(small, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_does_not_matter(candidates: list[Candidate], chance: random.Random) -> None:
    shuffled = chance.sample(candidates, len(candidates))
    assert choose_candidates(shuffled) == choose_candidates(candidates)


@given(st.lists(small, max_size=30))
def test_no_word_is_taken_twice(candidates: list[Candidate]) -> None:
    chosen = choose_candidates(candidates, max_states=2).chosen
    ours = [word for choice in chosen for word in range(choice.start, choice.end)]
    theirs = [word for choice in chosen for word in range(choice.peer_start, choice.peer_end)]
    assert len(ours) == len(set(ours))
    assert len(theirs) == len(set(theirs))


def test_phrases_of_which_many_stand_on_both_sides_are_matched_exactly() -> None:
    """Twelve stretches in each text that all match each other have 12! choices, but one state per number of them."""
    everything = [candidate(3 * ours, 2, 3 * theirs, 2) for ours in range(12) for theirs in range(12)]
    solution = choose_candidates(everything, max_states=13)
    assert solution.is_exact
    assert rate(solution) == (24, -24)


def solve_by_integer_programming(candidates: list[Candidate], *, in_parts: bool = False) -> float:
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


@pytest.mark.parametrize("seed", range(12))
def test_parts_that_need_prices_are_solved_exactly(seed: int) -> None:
    """Many candidates overlap, so that the first search has too few states."""
    chance = random.Random(seed)
    hard = [
        candidate(chance.randrange(30), chance.randint(2, 4), chance.randrange(30), chance.randint(2, 3))
        for _ in range(70)
    ]
    solution = choose_candidates(hard)
    assert solution.is_exact
    assert not _search(make_stages(sorted(set(hard))), 64).is_exact
    assert rate(solution)[0] == solve_by_integer_programming(sorted(set(hard)))


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
    relaxed = relax(make_stages(candidates), 0)
    without_prices, bound = (bounds.limit_gain(0, 0) / WORD for bounds in relaxed.bounds)
    lowest = solve_by_integer_programming(candidates, in_parts=True)
    assert lowest - 0.001 <= bound <= 1.006 * lowest < without_prices
    assert sum(choice.gain for choice in relaxed.best) >= solve_by_integer_programming(candidates) - 1


def crowd(seed: int, count: int, words: int) -> list[Candidate]:
    """Many candidates for few words: few states do not suffice for the best choice, even with prices."""
    chance = random.Random(seed)
    return [
        candidate(chance.randrange(words), chance.randint(2, 5), chance.randrange(words), chance.randint(2, 5))
        for _ in range(count)
    ]


def test_a_bounded_search_is_marked_and_its_choice_is_feasible() -> None:
    hard = crowd(5, 150, 40)
    bounded = choose_candidates(hard, max_states=1)
    assert not bounded.is_exact
    assert 0 < rate(bounded)[0] <= solve_by_integer_programming(sorted(set(hard)))


def test_large_parts_keep_fewer_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of 10,000 candidates took minutes, because it had as many states as a part of 100 candidates."""
    kept: list[int] = []

    def search(stages: Stages, max_states: int, *bounds: object) -> Solution:
        kept.append(max_states)
        return _search(stages, max_states, *bounds)  # type: ignore[arg-type]

    monkeypatch.setattr(optimal_matching, "_search", search)
    monkeypatch.setattr(optimal_matching, "MAX_STEPS", 1500)
    hard = crowd(5, 150, 40)
    assert not choose_candidates(hard).is_exact
    assert max(kept) == 1500 // len(set(hard)) == 10
