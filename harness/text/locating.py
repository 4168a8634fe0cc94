"""Search for texts in passages by their words. Like a proposition, a text may consist of pieces of a passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pyramid_paraphrase.errors import LimitError

MAX_STEPS = 1_000_000
"""Limit on the occurrences of words that all searches of one locator compare, so that they take a few seconds at most.
The contributors of DUC 2007 need 120,000."""


class _Step(NamedTuple):
    """The best way to match the first words of a text if the last of these words is at a given position.

    Attributes:
        pieces: Number of runs of neighbouring words.
        distance: Minus the position of the first word. With a later first word, the match is shorter.
        position: Position of the last word.
        previous: The way to match the words before the last word.
    """

    pieces: int
    distance: int
    position: int
    previous: _Step | None


def _rank(step: _Step) -> tuple[int, int]:
    return step.pieces, step.distance


class WordLocator:
    """Locates texts in passages.

    Args:
        passages: The words of each passage. They are numbered continuously: the first word of a passage follows the
            last word of the previous passage.
        name: Name of the file that contains the passages, for messages.

    Attributes:
        steps: Number of occurrences of words that have been compared.
    """

    def __init__(self, passages: Iterable[Sequence[str]], name: str) -> None:
        self._name = name
        self.steps = 0
        self._passages: list[dict[str, list[int]]] = []
        first = 0
        for passage in passages:
            positions_by_word: dict[str, list[int]] = {}
            for position, word in enumerate(passage, first):
                positions_by_word.setdefault(word, []).append(position)
            self._passages.append(positions_by_word)
            first += len(passage)

    def locate(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """Locate a text: all of its words, in order, within one passage.

        Args:
            words: The words of the text.

        Returns:
            The numbers of the words of each match, ascending. These are the matches with the fewest pieces, which are
            runs of neighbouring words, and of these, the shortest matches from the first to the last word, in the order
            of their last words. Empty if no passage contains the words in this order. If several matches end at the
            same word, only one is returned.

        Raises:
            LimitError: If the searches take more than `MAX_STEPS` steps.
        """
        if not words:
            return []
        steps: list[_Step] = []
        for positions_by_word in self._passages:
            if not all(word in positions_by_word for word in words):
                continue
            first, *following = [positions_by_word[word] for word in words]
            self.steps += sum(map(len, (first, *following)))
            if self.steps > MAX_STEPS:
                reason = f"contains more than {MAX_STEPS:,} occurrences of words of the test's texts"
                raise LimitError(self._name, reason, "use a smaller file, or a smaller test")
            steps_of_passage = [_Step(1, -position, position, None) for position in first]
            for positions in following:
                steps_of_passage = _match_next(steps_of_passage, positions)
            steps += steps_of_passage
        sizes = [(step.pieces, step.position + step.distance) for step in steps]
        best = min(sizes, default=None)
        return [_list_positions(step) for step, size in zip(steps, sizes, strict=True) if size == best]


def _match_next(steps: Sequence[_Step], positions: Iterable[int]) -> list[_Step]:
    """Match one more word at each of its positions (dynamic programming, in linear time).

    Args:
        steps: The best ways to match the words so far, in the order of their positions.
        positions: The positions of the next word, ascending.

    Returns:
        The best ways to match the words so far and the next word, in the order of their positions.
    """
    next_steps = []
    best: _Step | None = None  # of the steps that end before the previous word, so that a new piece begins
    place = 0
    for position in positions:
        while place < len(steps) and steps[place].position < position - 1:
            best = steps[place] if best is None else min(best, steps[place], key=_rank)
            place += 1
        candidates = []
        if place < len(steps) and steps[place].position == position - 1:
            candidates.append(steps[place]._replace(position=position, previous=steps[place]))
        if best is not None:
            candidates.append(_Step(best.pieces + 1, best.distance, position, best))
        if candidates:
            next_steps.append(min(candidates, key=_rank))
    return next_steps


def _list_positions(step: _Step | None) -> tuple[int, ...]:
    """List the positions of the words in ascending order."""
    positions = []
    while step is not None:
        positions.append(step.position)
        step = step.previous
    return tuple(reversed(positions))
