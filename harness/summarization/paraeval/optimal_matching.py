"""The first tier: the choice of paraphrases of several words that matches most words of the reference (section 5.2).

Every candidate pairs a stretch of the reference with a stretch of the peer. The chosen candidates must not share a word
in either text, and must match as many words of the reference as possible. Zhou et al. (2006) go through the sentences
of the reference, and record the words of the peer that are taken. This module solves the same problem exactly:

1. Union-find divides the candidates into parts that share no words. Each part is solved independently.
2. Dynamic programming solves a part. A stage is a word of the reference that a candidate begins with. A state is the
   set of taken words of the peer, restricted to words that a later candidate could take.
3. If a stage has many states, branch and bound discards states that cannot lead to a better choice than the best choice
   so far. See `bounds`.
4. If there are still too many states, beam search keeps the most promising states, and the result is marked as not
   exact.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from harness.summarization.paraeval.bounds import WORD, Bounds, Stages, make_stages, rate, relax
from harness.summarization.paraeval.texts import StretchMatch

MAX_STATES = 1000
"""Maximum number of states of a stage. With more states, beam search is used, and the match may not be the best."""

MAX_STEPS = 1_000_000
"""Maximum number of states of a stage times candidates of a part, which limits the time to seconds.

It reduces the number of states in parts of more than 1,000 candidates. Summaries of a page have far smaller parts.
Texts of thousands of words that repeat phrases of the table have larger parts.
"""

_FEW_STATES = 64
"""States of the first search. They suffice for nearly all parts. Its result is a lower bound for further searches."""


_State = tuple[int, Any]
"""The value of the candidates chosen so far, and these candidates: the last one and the list of the earlier ones, or
None. Linked lists of many states share their beginnings."""

_BoundedState = tuple[int, int, _State]
"""Minus the upper bound on the final value of a state, its mask, and the state. The first states are the best.

Without bounds, it is minus the present value.
"""


def choose_candidates(
    candidates: Iterable[StretchMatch], max_states: int = MAX_STATES
) -> tuple[tuple[StretchMatch, ...], bool]:
    """Choose candidates that match the most words of the reference, and share no word in either text.

    Among choices that match equally many words, the choice with the fewest words of the peer is preferred. This is
    guaranteed only if no search used bounds.

    Args:
        candidates: Candidates in any order. The result does not depend on the order.
        max_states: Maximum number of states of a stage. Large parts have fewer states, see `MAX_STEPS`.

    Returns:
        The choice, in order of the reference, and whether it is proven to be optimal: no stage had more states.
    """
    all_chosen: list[StretchMatch] = []
    all_exact = True
    for part in _divide(sorted(set(candidates))):
        chosen, is_exact = _solve(part, max_states)
        all_chosen += chosen
        all_exact &= is_exact
    return tuple(sorted(all_chosen)), all_exact


def choose_greedily(candidates: Iterable[StretchMatch], sentence_ends: Sequence[int]) -> list[StretchMatch]:
    """Choose candidates without search, to compare with `choose_candidates`.

    This is the local search of section 5.2 of Zhou et al. (2006), who do not say how ties are broken: sentence by
    sentence of the reference, the candidate that matches the most words first. Of candidates that match equally many
    words, the one with the fewest words of the peer is preferred, and then the first one.

    Args:
        candidates: Candidates in any order.
        sentence_ends: For each sentence of the reference, the index after its last word.

    Returns:
        The choice, in order of the reference.
    """

    def rank(candidate: StretchMatch) -> tuple[int, int, int, StretchMatch]:
        sentence = bisect_right(sentence_ends, candidate.start)
        return sentence, -candidate.gain, candidate.peer_end - candidate.peer_start, candidate

    taken, peer_taken = set[int](), set[int]()
    chosen = []
    for candidate in sorted(candidates, key=rank):
        words = range(candidate.start, candidate.end)
        peer_words = range(candidate.peer_start, candidate.peer_end)
        if taken.isdisjoint(words) and peer_taken.isdisjoint(peer_words):
            taken.update(words)
            peer_taken.update(peer_words)
            chosen.append(candidate)
    return sorted(chosen)


def _divide(candidates: Sequence[StretchMatch]) -> Iterable[list[StretchMatch]]:
    """Divide candidates into parts that share no words, by union-find over the words of both sides."""
    # A word is a pair: whether it is in the peer, and its index.
    parents: dict[tuple[bool, int], tuple[bool, int]] = {}

    def find(word: tuple[bool, int]) -> tuple[bool, int]:
        while (parent := parents.setdefault(word, word)) != word:
            parents[word] = word = parents[parent]  # path halving
        return word

    for candidate in candidates:
        root = find((False, candidate.start))
        words = [(False, index) for index in range(candidate.start + 1, candidate.end)]
        words += [(True, index) for index in range(candidate.peer_start, candidate.peer_end)]
        for word in words:
            parents[find(word)] = root
    parts: dict[tuple[bool, int], list[StretchMatch]] = defaultdict(list)
    for candidate in candidates:
        parts[find((False, candidate.start))].append(candidate)
    return parts.values()


def _solve(part: list[StretchMatch], allowed_states: int) -> tuple[Sequence[StretchMatch], bool]:
    """Choose candidates of a part, and return whether the choice is proven to be optimal."""
    if len(part) == 1:
        return part, True
    stages = make_stages(part)
    most_states = max(1, min(allowed_states, MAX_STEPS // len(part)))
    few_states = min(_FEW_STATES, most_states)
    best, is_exact = _search(stages, few_states)
    if is_exact:
        return best, True
    bounds, repaired = relax(stages, rate(best), max(1, MAX_STEPS // len(part)))
    best = max(best, repaired, key=rate)
    for max_states in dict.fromkeys((few_states, most_states)):
        matched = sum(candidate.gain for candidate in best)
        # The value of a choice is higher than this with one more matched word, and lower with equally many words.
        needed = (2 * matched + 1) * WORD // 2
        chosen, is_exact = _search(stages, max_states, bounds, needed)
        best = max(best, chosen, key=rate)
        if is_exact:
            break
    return best, is_exact


def _search(
    stages: Stages, max_states: int, bounds: Sequence[Bounds] = (), needed: int = 0
) -> tuple[tuple[StretchMatch, ...], bool]:
    """Go through the stages, and keep the best chain of candidates that leads to each state.

    With bounds, states are discarded if the upper bound on their final value is below `needed`. The choice is empty if
    no state remains.

    Returns:
        The best choice, and whether all states were kept.
    """
    layers: list[dict[int, _State]] = [{} for _ in stages.wanted]
    layers[0][0] = 0, None
    is_exact = True
    for stage in range(len(stages.options)):
        bounded_states: list[_BoundedState] = []
        for mask, state in layers[stage].items():
            highest = state[0] + min((bound.limit_gain(stage, mask) for bound in bounds), default=0)
            if not bounds or highest >= needed:
                bounded_states.append((-highest, mask, state))
        layers[stage] = {}  # free its memory
        if len(bounded_states) > max_states:
            is_exact = False
            bounded_states = sorted(bounded_states)[:max_states]  # no two states have the same mask
        _advance(stages, stage, [(mask, state) for _, mask, state in bounded_states], layers)
    _, chain = layers[-1].get(0, (0, None))  # no bit is wanted at the end
    chosen = []
    while chain is not None:
        candidate, chain = chain
        chosen.append(candidate)
    return tuple(chosen), is_exact


def _advance(stages: Stages, stage: int, states: Sequence[tuple[int, _State]], layers: list[dict[int, _State]]) -> None:
    """Extend all states of a stage by each option, and by no option."""
    skipped, still_wanted = layers[stage + 1], stages.wanted[stage + 1]
    for mask, state in states:
        _keep(skipped, mask & still_wanted, state)
    for option in stages.options[stage]:
        target, wanted = layers[option.following], stages.wanted[option.following]
        for mask, (value, chain) in states:
            for taken, candidate in zip(option.masks, option.candidates, strict=True):
                if not mask & taken:
                    _keep(target, (mask | taken) & wanted, (value + option.value, (candidate, chain)))
                    break


def _keep(layer: dict[int, _State], mask: int, state: _State) -> None:
    best = layer.get(mask)
    if best is None or state[0] > best[0]:
        layer[mask] = state
