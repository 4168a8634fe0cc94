"""The first tier: which paraphrases of several words to match so that most words of the reference are (section 5.2).

Every candidate pairs a stretch of the reference with a stretch of the peer. Wanted are candidates that share no word,
on either side, and match most. Zhou et al. (2006) go through the sentences of the reference, remembering what of the
peer is taken. Here it is done in steps, each of which keeps the result exact. Candidates that no chain of shared words
connects do not touch each other, and are solved apart. In a connected part the stages are the words of the reference
that a candidate begins with, and a state is what is taken of those words of the peer that a later candidate could still
want. Where there are many states, those are left out that cannot lead to anything better than what is known; see
`bounds`. Where there still are too many, the most promising are kept, and the result says that it may not be the best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from harness.summarization.paraeval.bounds import Bounds, relax
from harness.summarization.paraeval.stages import WORD, Candidate, Stages, make_stages

MAX_STATES = 1000
"""States of a stage beyond which only the most promising are kept, so that the match may not be the best there is."""

MAX_STEPS = 1_000_000
"""States of a stage times candidates of a connected part, beyond which fewer states are kept: seconds, not hours.

So it does where a part has more than 1,000 candidates. Those of summaries of a page have far fewer; texts of thousands
of words in which phrases of the table recur have more.
"""

_FEW_STATES = 64
"""Enough for nearly all; elsewhere what is found with so few tells what else is not worth trying."""


class Solution(NamedTuple):
    """Candidates that share no word, by place in the reference; and whether no other choice matches more words."""

    chosen: tuple[Candidate, ...]
    is_exact: bool


class _Chain(NamedTuple):
    """What was chosen on the way to a state, last first."""

    before: _Chain | None
    candidate: Candidate


_State = tuple[int, "_Chain | None"]
"""What is matched so far, and how."""


def choose_candidates(candidates: Iterable[Candidate], max_states: int = MAX_STATES) -> Solution:
    """Choose candidates so that most words of the reference are matched, none of either side twice.

    Of choices that match as many, one that takes few words of the peer is made; the fewest, unless there are very many.

    Args:
        candidates: In any order; the result does not depend on it.
        max_states: How many states are kept of a stage; fewer in large parts, see `MAX_STEPS`.

    Returns:
        The choice, exact unless a stage had more states.
    """
    parts = [_solve(part, max_states) for part in _divide(sorted(set(candidates)))]
    chosen = sorted(candidate for part in parts for candidate in part.chosen)
    return Solution(tuple(chosen), all(part.is_exact for part in parts))


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


def _solve(part: list[Candidate], max_states: int) -> Solution:
    if len(part) == 1:
        return Solution(tuple(part), True)
    stages = make_stages(part)
    most = max(1, min(max_states, MAX_STEPS // len(part)))
    few = min(_FEW_STATES, most)
    best = _search(stages, few)
    if best.is_exact:
        return best
    relaxed = relax(stages, _rate(best), max(1, MAX_STEPS // len(part)))
    best = max(best, Solution(relaxed.best, False), key=_rate)
    for states in dict.fromkeys((few, most)):
        matched = sum(one.gain for one in best.chosen)
        found = _search(stages, states, relaxed.bounds, (2 * matched + 1) * WORD // 2)
        best = max(best, found, key=_rate)._replace(is_exact=found.is_exact)
        if best.is_exact:
            break
    return best


def _rate(solution: Solution) -> int:
    return sum(one.value for one in solution.chosen)


def _search(stages: Stages, max_states: int, bounds: Sequence[Bounds] = (), needed: int = 0) -> Solution:
    """Go through the stages, keeping the best way to each state.

    With bounds, only what may become worth as much as is needed is followed; the choice is empty if nothing does.
    """
    layers: list[dict[int, _State]] = [{} for _ in stages.wanted]
    layers[0][0] = 0, None
    is_exact = True
    for stage in range(len(stages.options)):
        promises = [
            (value + min((bound.add(stage, mask) for bound in bounds), default=0), mask, (value, chain))
            for mask, (value, chain) in layers[stage].items()
        ]
        layers[stage] = {}
        promises = [one for one in promises if not bounds or one[0] >= needed]
        if len(promises) > max_states:
            is_exact = False
            promises = sorted(promises, key=lambda one: (-one[0], one[1]))[:max_states]
        _advance(stages, stage, [one[1:] for one in promises], layers)
    _, chain = max(layers[-1].values(), key=itemgetter(0), default=(0, None))
    return Solution(tuple(_unroll(chain)), is_exact)


def _unroll(chain: _Chain | None) -> Iterable[Candidate]:
    while chain is not None:
        yield chain.candidate
        chain = chain.before


def _advance(stages: Stages, stage: int, states: Sequence[tuple[int, _State]], layers: list[dict[int, _State]]) -> None:
    """Extend all states of a stage by each option, and by none."""
    skipped, still = layers[stage + 1], stages.wanted[stage + 1]
    for mask, state in states:
        _keep(skipped, mask & still, state)
    for option in stages.options[stage]:
        target, wanted = layers[option.following], stages.wanted[option.following]
        for mask, (value, chain) in states:
            for taken, candidate in zip(option.masks, option.candidates, strict=True):
                if not mask & taken:
                    _keep(target, (mask | taken) & wanted, (value + option.value, _Chain(chain, candidate)))
                    break


def _keep(layer: dict[int, _State], mask: int, state: _State) -> None:
    known = layer.get(mask)
    if known is None or state[0] > known[0]:
        layer[mask] = state
