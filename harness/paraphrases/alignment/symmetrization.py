"""Symmetrization of word alignments: one alignment from the links in both directions.

The methods are those of Och and Ney (2003) and of Koehn, Och and Marcu (2003). Their descriptions do not define the
order of all steps. We use the order of Moses' program symal, so that the results are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Set
from enum import Enum
from typing import NamedTuple

Link = tuple[int, int]
"""The position of a source word and the position of a target word, from 0."""

_Cell = tuple[int, int]
"""A link with the target position first. Links are visited in the order of cells."""

_STEPS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Offsets from a cell to its neighbours, in the order of visits."""


class _Final(Enum):
    """Condition on the words of the links that the final step adds."""

    NONE = "none"
    EITHER_UNALIGNED = "one of the two words is unaligned"
    BOTH_UNALIGNED = "both words are unaligned"


class _Growth:
    """Links that grow from the intersection of both directions.

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
        """Add neighbours of links that are in the union and have an unaligned word, until none can be added."""
        union = self._forward | self._reverse
        while self._visit_cells(union):
            pass

    def _visit_cells(self, union: Set[_Cell]) -> bool:
        """Visit the cells in order, including cells that are added after the current cell.

        Returns:
            Whether cells were added.
        """
        position, count_before = 0, len(self.cells)
        while position < len(self.cells):
            target, source = self.cells[position]
            for down, right in _STEPS:
                cell = (target + down, source + right)
                if cell in union and not (cell[0] in self._targets and cell[1] in self._sources):
                    position += self._add(cell) <= position
            position += 1
        return len(self.cells) > count_before

    def add_final_links(self, final: _Final) -> None:
        """Add links of a single direction that have unaligned words, first from source to target, then in reverse."""
        for links_of_direction in (self._forward - self._reverse, self._reverse - self._forward):
            for target, source in sorted(links_of_direction):
                aligned = (target in self._targets) + (source in self._sources)
                if aligned == 0 or (aligned == 1 and final is _Final.EITHER_UNALIGNED):
                    self._add((target, source))

    def _add(self, cell: _Cell) -> int:
        """Add a cell, and return its position."""
        position = bisect_left(self.cells, cell)
        self.cells.insert(position, cell)
        self._targets.add(cell[0])
        self._sources.add(cell[1])
        return position


def _grow(forward: Set[_Cell], reverse: Set[_Cell], final: _Final) -> list[_Cell]:
    """Grow the intersection (grow-diag), then apply the final step."""
    growth = _Growth(forward, reverse)
    growth.add_neighbours()
    if final is not _Final.NONE:
        growth.add_final_links(final)
    return growth.cells


class Method(NamedTuple):
    """A method of symmetrization.

    Attributes:
        name: Its name as an option value.
        select: A function that selects cells of both directions, and returns them sorted.
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
        forward: Links from source to target. Aligners link each target word to at most one source word.
        reverse: Links from target to source.
        method: The method.

    Returns:
        Links, sorted by target and source.
    """
    cells = method.select({(j, i) for i, j in forward}, {(j, i) for i, j in reverse})
    return [(source, target) for target, source in cells]
