"""Symmetrization of word alignments: links from source to target and from target to source become one alignment.

The methods are those of Och and Ney (2003) and of Koehn, Och and Marcu (2003). Where their description leaves the order
of steps open, the order is that of Moses' program symal, so that the results are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Set
from enum import Enum
from typing import NamedTuple

Link = tuple[int, int]
"""The place of a source word and the place of a target word."""

_Cell = tuple[int, int]
"""A link turned round, the place of the target word first: the order in which links are visited."""

_STEPS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""The way from a cell to each of its neighbours, in the order in which they are visited."""


class _Final(Enum):
    """The links that the final step adds."""

    NONE = "none"
    EITHER_UNALIGNED = "one of the two words is unaligned"
    BOTH_UNALIGNED = "both words are unaligned"


class _Growth:
    """Links that grow from the intersection of two directions.

    Args:
        forward: Cells of the alignment from source to target.
        reverse: Cells of the alignment from target to source.
    """

    def __init__(self, forward: Set[_Cell], reverse: Set[_Cell]) -> None:
        self._forward, self._reverse = forward, reverse
        self.cells = sorted(forward & reverse)
        self._targets = {target for target, _ in self.cells}
        self._sources = {source for _, source in self.cells}

    def add_neighbours(self) -> None:
        """Add neighbours of links that are in the union and have an unaligned word, until there are no more."""
        union = self._forward | self._reverse
        while self._visit_cells(union):
            pass

    def _visit_cells(self, union: Set[_Cell]) -> bool:
        """Visit the cells in their order, also those that are added behind the current one."""
        place, before = 0, len(self.cells)
        while place < len(self.cells):
            target, source = self.cells[place]
            for down, right in _STEPS:
                cell = (target + down, source + right)
                if cell in union and not (cell[0] in self._targets and cell[1] in self._sources):
                    place += self._add(cell) <= place
            place += 1
        return len(self.cells) > before

    def add_rest(self, final: _Final) -> None:
        """Add links of one direction that have unaligned words, first those from source to target."""
        for rest in (self._forward - self._reverse, self._reverse - self._forward):
            for target, source in sorted(rest):
                aligned = (target in self._targets) + (source in self._sources)
                if aligned == 0 or (aligned == 1 and final is _Final.EITHER_UNALIGNED):
                    self._add((target, source))

    def _add(self, cell: _Cell) -> int:
        """Add a cell, and return its place."""
        place = bisect_left(self.cells, cell)
        self.cells.insert(place, cell)
        self._targets.add(cell[0])
        self._sources.add(cell[1])
        return place


def _grow(forward: Set[_Cell], reverse: Set[_Cell], final: _Final) -> list[_Cell]:
    growth = _Growth(forward, reverse)
    growth.add_neighbours()
    if final is not _Final.NONE:
        growth.add_rest(final)
    return growth.cells


class Method(NamedTuple):
    """A method of symmetrization.

    Attributes:
        name: Its name among the options.
        select: Selects cells of the two directions, sorted.
    """

    name: str
    select: Callable[[Set[_Cell], Set[_Cell]], list[_Cell]]


METHODS = (
    Method("intersection", lambda forward, reverse: sorted(forward & reverse)),
    Method("union", lambda forward, reverse: sorted(forward | reverse)),
    Method("grow-diag", lambda forward, reverse: _grow(forward, reverse, _Final.NONE)),
    Method("grow-diag-final", lambda forward, reverse: _grow(forward, reverse, _Final.EITHER_UNALIGNED)),
    Method("grow-diag-final-and", lambda forward, reverse: _grow(forward, reverse, _Final.BOTH_UNALIGNED)),
)
DEFAULT_METHOD = METHODS[-1]


def symmetrize(forward: Iterable[Link], reverse: Iterable[Link], method: Method = DEFAULT_METHOD) -> list[Link]:
    """Symmetrize the alignments of a sentence pair in two directions.

    Args:
        forward: Links of an aligner from source to target, which links each target word to one source word at most.
        reverse: Links of an aligner from target to source.
        method: The method.

    Returns:
        Links, sorted by target and source.
    """
    cells = method.select({(j, i) for i, j in forward}, {(j, i) for i, j in reverse})
    return [(source, target) for target, source in cells]
