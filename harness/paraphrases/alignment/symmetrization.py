"""Symmetrization of word alignments: one alignment from the links in both directions, written in Pharaoh format.

The methods are those of Och and Ney (2003) and of Koehn, Och and Marcu (2003). Their descriptions do not define the
order of all steps. We use the order of Moses' program symal, so that the results are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from harness.files.writing import temporary_folder, writing_lines
from harness.paraphrases.alignment.eflomal import align_text
from harness.paraphrases.alignment.parallel_text import Link, read_direction
from pyramid_paraphrase.errors import EmptyResultError, InputError

_Cell = tuple[int, int]
"""A link with the target position first. Links are visited in the order of cells."""

_STEPS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""Offsets from a cell to its neighbours, in the order of visits."""


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
        count_before = -1
        while count_before < len(self.cells):
            position, count_before = 0, len(self.cells)
            # Cells that are added after the current cell are visited, too.
            while position < len(self.cells):
                target, source = self.cells[position]
                for down, right in _STEPS:
                    cell = (target + down, source + right)
                    if cell in union and not (cell[0] in self._targets and cell[1] in self._sources):
                        position += self._add(cell) <= position
                position += 1

    def add_final_links(self, most_aligned: int) -> None:
        """Add links of a single direction that have unaligned words, first from source to target, then in reverse.

        Args:
            most_aligned: Maximum number of the two words of such a link that are already aligned.
        """
        for links_of_direction in (self._forward - self._reverse, self._reverse - self._forward):
            for target, source in sorted(links_of_direction):
                if (target in self._targets) + (source in self._sources) <= most_aligned:
                    self._add((target, source))

    def _add(self, cell: _Cell) -> int:
        """Add a cell, and return its position."""
        position = bisect_left(self.cells, cell)
        self.cells.insert(position, cell)
        self._targets.add(cell[0])
        self._sources.add(cell[1])
        return position


def _grow(forward: Set[_Cell], reverse: Set[_Cell], most_aligned: int | None = None) -> list[_Cell]:
    """Grow the intersection (grow-diag), then add final links, unless `most_aligned` is None."""
    growth = _Growth(forward, reverse)
    growth.add_neighbours()
    if most_aligned is not None:
        growth.add_final_links(most_aligned)
    return growth.cells


METHODS: Mapping[str, Callable[[Set[_Cell], Set[_Cell]], list[_Cell]]] = {
    "intersection": lambda forward, reverse: sorted(forward & reverse),
    "union": lambda forward, reverse: sorted(forward | reverse),
    "grow-diag": _grow,
    "grow-diag-final": partial(_grow, most_aligned=1),
    "grow-diag-final-and": partial(_grow, most_aligned=0),
}
"""Functions that select cells of both directions, and return them sorted."""

DEFAULT_METHOD = "grow-diag-final-and"


def symmetrize(forward: Iterable[Link], reverse: Iterable[Link], method: str = DEFAULT_METHOD) -> list[Link]:
    """Symmetrize the alignments of a sentence pair in two directions.

    Args:
        forward: Links from source to target. Aligners link each target word to at most one source word.
        reverse: Links from target to source.
        method: One of `METHODS`.

    Returns:
        Links, sorted by target and source.
    """
    cells = METHODS[method]({(j, i) for i, j in forward}, {(j, i) for i, j in reverse})
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
    source: Path, target: Path, output: Path, method: str = DEFAULT_METHOD, temporary: Path | None = None
) -> Aligned:
    """Align parallel text with eflomal, symmetrize the alignments, and write them to a file.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        output: File to write.
        method: The method of symmetrization, one of `METHODS`.
        temporary: Folder for temporary files. If None, the folder of the output.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no words are aligned.
        OutputError: If a file cannot be written.
    """
    with temporary_folder(output, temporary) as folder:
        forward, reverse, left_out = align_text(source, target, folder)
        aligned = combine_directions(forward, reverse, output, method)
    return aligned._replace(left_out=dict(sorted(left_out.items())))


def combine_directions(forward: Path, reverse: Path, output: Path, method: str = DEFAULT_METHOD) -> Aligned:
    """Symmetrize the alignments in two files, and write them to a third file.

    Args:
        forward: Alignments from source to target, in Pharaoh format or an A3 file of GIZA++. Plain or compressed.
        reverse: Alignments from target to source.
        output: File to write.
        method: The method of symmetrization, one of `METHODS`.

    Raises:
        InputError: If a file cannot be read, or the files do not belong to the same text.
        EmptyResultError: If no words are aligned.
        OutputError: If the file cannot be written.
    """
    counts, sentence_pairs = Counter[str](), 0
    with writing_lines(output) as file:
        for forward_links, reverse_links in _read_in_parallel(forward, reverse):
            links = symmetrize(forward_links, reverse_links, method)
            file.write(b" ".join(b"%d-%d" % link for link in links) + b"\n")
            sentence_pairs += 1
            counts.update(forward=len(forward_links), reverse=len(reverse_links))
            counts.update(shared=len(forward_links & reverse_links), written=len(links))
        if not counts["written"]:
            reason = f"{forward}: no links remain after symmetrization"
            raise EmptyResultError(f"{reason}. Use alignments with links, or --symmetrize union")
    return Aligned(sentence_pairs, {}, counts["forward"], counts["reverse"], counts["shared"], counts["written"])


def _read_in_parallel(forward: Path, reverse: Path) -> Iterator[tuple[set[Link], set[Link]]]:
    """Yield the links of each sentence pair in both directions.

    Raises:
        InputError: If the numbers of sentence pairs or the lengths of sentences differ.
    """
    directions = read_direction(forward, reverse=False), read_direction(reverse, reverse=True)
    for count, (first, second) in enumerate(zip_longest(*directions)):
        if first is None or second is None:
            shorter, longer = (forward, reverse) if first is None else (reverse, forward)
            reason = f"has fewer sentence pairs than {longer}: it ends after sentence pair {count:,}"
            raise InputError(str(shorter), reason, _SAME_TEXT)
        first_line, forward_links, expected = first
        line, reverse_links, lengths = second
        if expected and lengths and expected != lengths:
            words, expected_words = (f"{source} and {target}" for source, target in (lengths, expected))
            reason = f"source and target have {words} words, but {expected_words} words in {forward}, line {first_line}"
            remedy = f"{_SAME_TEXT}, and check that --forward and --reverse are not swapped"
            raise InputError(str(reverse), reason, remedy, line)
        yield set(forward_links), set(reverse_links)
