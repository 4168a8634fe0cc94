"""Symmetrization of word alignments on a matrix of words, written from the description, for comparison.

Koehn, Och and Marcu (2003): Begin with the intersection. Add neighbours (also diagonal) that are in the union and
connect a so far unaligned word, until there are no more. Then add links of each direction with unaligned words: `final`
requires one unaligned word, `final-and` two. The order is that of Moses' symal: rows are target words, cells are
visited row by row, a cell added behind the current cell is visited in the same pass, and the links from source to
target come first in the final step.
"""

from __future__ import annotations

from collections.abc import Collection

Link = tuple[int, int]


def symmetrize_by_matrix(forward: Collection[Link], reverse: Collection[Link], name: str) -> set[Link]:
    columns = 1 + max((source for source, _ in [*forward, *reverse]), default=-1)
    rows = 1 + max((target for _, target in [*forward, *reverse]), default=-1)
    forward_links = [[(source, target) in forward for source in range(columns)] for target in range(rows)]
    reverse_links = [[(source, target) in reverse for source in range(columns)] for target in range(rows)]
    if name == "union":
        kept = [[a or b for a, b in zip(*pair, strict=True)] for pair in zip(forward_links, reverse_links, strict=True)]
    else:
        kept = [
            [a and b for a, b in zip(*pair, strict=True)] for pair in zip(forward_links, reverse_links, strict=True)
        ]
    if name.startswith("grow-diag"):
        grow(kept, forward_links, reverse_links)
    if "final" in name:
        finish(kept, forward_links, reverse_links, both=name.endswith("and"))
        finish(kept, reverse_links, forward_links, both=name.endswith("and"))
    return {(source, target) for target in range(rows) for source in range(columns) if kept[target][source]}


def grow(kept: list[list[bool]], first: list[list[bool]], second: list[list[bool]]) -> None:
    changed = True
    while changed:
        changed = False
        for row in range(len(kept)):
            for column in range(len(kept[row])):
                if kept[row][column]:
                    changed |= add_around(kept, first, second, row, column)


def add_around(
    kept: list[list[bool]], first: list[list[bool]], second: list[list[bool]], row: int, column: int
) -> bool:
    up, left, down, right = (row - 1, column), (row, column - 1), (row + 1, column), (row, column + 1)
    corners = [(row - 1, column - 1), (row - 1, column + 1), (row + 1, column - 1), (row + 1, column + 1)]
    added = False
    for y, x in [up, left, down, right, *corners]:
        inside = 0 <= y < len(kept) and 0 <= x < len(kept[0])
        if inside and (first[y][x] or second[y][x]) and (is_free_row(kept, y) or is_free_column(kept, x)):
            kept[y][x] = added = True
    return added


def finish(kept: list[list[bool]], first: list[list[bool]], second: list[list[bool]], *, both: bool) -> None:
    for y in range(len(kept)):
        for x in range(len(kept[y])):
            free = is_free_row(kept, y) + is_free_column(kept, x)
            if first[y][x] and not second[y][x] and free >= 1 + both:
                kept[y][x] = True


def is_free_row(kept: list[list[bool]], y: int) -> bool:
    return not any(kept[y])


def is_free_column(kept: list[list[bool]], x: int) -> bool:
    return not any(row[x] for row in kept)
