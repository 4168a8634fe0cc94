"""Symmetrization of word alignments: one alignment from the links in both directions, written in Pharaoh format.

The methods are those of Och and Ney (2003) and of Koehn, Och and Marcu (2003). Their descriptions do not define the
order of all steps. We use the order of Moses' program symal, so that the results are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from harness.files.writing import temporary_folder, writing_lines
from harness.paraphrases.alignment.eflomal import align_text
from harness.paraphrases.alignment.parallel_text import DirectedPair, Link, read_direction
from pyramid_paraphrase.errors import EmptyResultError, InputError

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


_SAME_TEXT = "use the alignments of the same text in both directions"


class Aligned(NamedTuple):
    """Counts of the sentence pairs and links that were read and written.

    Attributes:
        sentence_pairs: Number of sentence pairs.
        left_out: Number of sentence pairs that were not aligned, by reason.
        forward: Number of links from source to target.
        reverse: Number of links from target to source.
        shared: Number of links in both directions.
        written: Number of links of the symmetrized alignment.
    """

    sentence_pairs: int
    left_out: dict[str, int]
    forward: int
    reverse: int
    shared: int
    written: int


def build_alignments(
    source: Path, target: Path, output: Path, method: Method = DEFAULT_METHOD, temporary: Path | None = None
) -> Aligned:
    """Align parallel text with eflomal, symmetrize the alignments, and write them to a file.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        output: File to write.
        method: The method of symmetrization.
        temporary: Folder for temporary files. If None, the folder of the output.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no words are aligned.
        OutputError: If a file cannot be written.
    """
    with temporary_folder(output, temporary) as folder:
        files = align_text(source, target, folder)
        aligned = combine_directions(files.forward, files.reverse, output, method)
    return aligned._replace(left_out=dict(sorted(files.left_out.items())))


def combine_directions(forward: Path, reverse: Path, output: Path, method: Method = DEFAULT_METHOD) -> Aligned:
    """Symmetrize the alignments in two files, and write them to a third file.

    Args:
        forward: Alignments from source to target, in Pharaoh format or an A3 file of GIZA++. Plain or compressed.
        reverse: Alignments from target to source.
        output: File to write.
        method: The method of symmetrization.

    Raises:
        InputError: If a file cannot be read, or the files do not belong to the same text.
        EmptyResultError: If no words are aligned.
        OutputError: If the file cannot be written.
    """
    counts, sentence_pairs = Counter[str](), 0
    with writing_lines(output) as file:
        for first, second in _read_in_parallel(forward, reverse):
            links = symmetrize(first.links, second.links, method)
            file.write(b" ".join(b"%d-%d" % link for link in links) + b"\n")
            sentence_pairs += 1
            forward_links, reverse_links = set(first.links), set(second.links)
            counts.update(forward=len(forward_links), reverse=len(reverse_links))
            counts.update(shared=len(forward_links & reverse_links), written=len(links))
        if not counts["written"]:
            reason = f"{forward}: no links remain after symmetrization"
            raise EmptyResultError(f"{reason}. Use alignments with links, or --symmetrize union")
    return Aligned(sentence_pairs, {}, counts["forward"], counts["reverse"], counts["shared"], counts["written"])


def _read_in_parallel(forward: Path, reverse: Path) -> Iterator[tuple[DirectedPair, DirectedPair]]:
    """Yield the alignments of each sentence pair in both directions.

    Raises:
        InputError: If the numbers of sentence pairs or the lengths of sentences differ.
    """
    directions = read_direction(forward, reverse=False), read_direction(reverse, reverse=True)
    for count, (first, second) in enumerate(zip_longest(*directions)):
        if first is None or second is None:
            shorter, longer = (forward, reverse) if first is None else (reverse, forward)
            reason = f"has fewer sentence pairs than {longer}: it ends after sentence pair {count:,}"
            raise InputError(str(shorter), reason, _SAME_TEXT)
        if first.lengths and second.lengths and first.lengths != second.lengths:
            expected, lengths = (f"{pair[0]} and {pair[1]}" for pair in (first.lengths, second.lengths))
            reason = f"source and target have {lengths} words, but {expected} words in {forward}, line {first.line}"
            remedy = f"{_SAME_TEXT}, and check that --forward and --reverse are not swapped"
            raise InputError(str(reverse), reason, remedy, second.line)
        yield first, second
