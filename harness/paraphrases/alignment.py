"""Word alignment of parallel text: by the program eflomal, or from files of two directions, symmetrized.

We call the command line of eflomal (Östling and Tiedemann, 2016) instead of the Python package for three reasons. It is
under the GNU General Public License. Its memory is freed when the program ends. Any installation on the path can be
used. eflomal takes its random numbers from the operating system and has no seed, so two runs differ in some links.

The methods of symmetrization are those of Och and Ney (2003) and of Koehn, Och and Marcu (2003). Their descriptions do
not define the order of all steps. We use the order of Moses' program symal, so that the results are the same.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import partial
from pathlib import Path

from harness.files.writing import working_folder, writing_lines
from harness.paraphrases.parallel_text import (
    BLANK,
    LONG,
    MAX_SENTENCE_WORDS,
    SENTENCE_PAIRS,
    Link,
    join_items,
    parse_sentence,
    read_direction,
    read_in_parallel,
)
from harness.support.errors import describe_cause
from pyramid_paraphrase.errors import EmptyResultError, InputError, OptionError, cannot_write
from pyramid_paraphrase.files.extras import MissingExtraError, require_versions

PROGRAM = "eflomal-align"


def find_program() -> str:
    """Return the path of eflomal in the environment of this Python, otherwise the first one on the path.

    Raises:
        MissingExtraError: If eflomal is not installed.
        WrongVersionError: If the environment has eflomal in an unsupported version.
    """
    require_versions("align")
    program = shutil.which(PROGRAM, path=str(Path(sys.executable).parent)) or shutil.which(PROGRAM)
    if program is None:
        raise MissingExtraError("eflomal", "align")
    return program


def align_text(source: Path, target: Path, folder: Path) -> tuple[Path, Path, Counter[str]]:
    """Align parallel text in both directions with eflomal.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        folder: Folder for the files that eflomal reads and writes.

    Returns:
        Alignments in Pharaoh format from source to target, and from target to source. And the number of sentence pairs
        that were not aligned, by reason. Their lines are blank.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no sentence pair can be aligned.
        OptionError: If eflomal fails.
        OutputError: If a temporary file cannot be written.
    """
    program = find_program()
    sides = folder / "source", folder / "target"
    left_out = _write_numbers(source, target, *sides)
    forward, reverse = folder / "forward", folder / "reverse"
    _run([program, "-s", *map(str, (sides[0], "-t", sides[1], "-f", forward, "-r", reverse))])
    return forward, reverse, left_out


def _write_numbers(source: Path, target: Path, source_output: Path, target_output: Path) -> Counter[str]:
    """Write both sides with numbers instead of words, and blank lines for sentence pairs that are left out.

    eflomal reads numbers instead of words, because it would split words at some characters that we do not split at.

    Returns:
        Number of left-out sentence pairs, by reason.
    """
    left_out, aligned = Counter[str](), 0
    numbers = dict[bytes, int](), dict[bytes, int]()
    try:
        with source_output.open("wb") as source_file, target_output.open("wb") as target_file:
            for number, lines in enumerate(read_in_parallel(source, target), 1):
                pair = [
                    parse_sentence(line, str(path), number, keep_case=False)
                    for line, path in zip(lines, (source, target), strict=True)
                ]
                if reason := _find_reason(pair):
                    left_out[reason] += 1
                    pair = [[], []]
                else:
                    aligned += 1
                for words, ids, file in zip(pair, numbers, (source_file, target_file), strict=True):
                    file.write(b" ".join(b"%d" % ids.setdefault(word, len(ids)) for word in words) + b"\n")
    except OSError as error:
        raise cannot_write(source_output.parent, error) from None
    if not aligned:
        remedy = f"Use sentences of 1 to {MAX_SENTENCE_WORDS} words"
        raise EmptyResultError(f"{source}: no sentence pair can be aligned. {remedy}")
    return left_out


def _find_reason(pair: list[list[bytes]]) -> str:
    """Return the reason why a sentence pair is left out, or ""."""
    lengths = [len(words) for words in pair]
    if max(lengths) > MAX_SENTENCE_WORDS:
        return LONG
    return "" if min(lengths) else BLANK


def _run(command: list[str]) -> None:
    """Run eflomal, and kill it together with its child process if this process is interrupted.

    Raises:
        OptionError: If eflomal fails.
    """
    with subprocess.Popen(  # noqa: S603 - the program of the environment, and paths of temporary files
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            _, errors = process.communicate()
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        lines = errors.decode("utf-8", "replace").split("\n")
        last_line = next((line for line in reversed(lines) if line.strip()), f"exit status {process.returncode}")
        reason = describe_cause(RuntimeError(last_line))
        raise OptionError(f"{command[0]} failed: {reason}. Run it separately to find the cause, or use another aligner")


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


FORWARD, REVERSE = "links from source to target", "links from target to source"
SHARED, WRITTEN = "links in both directions", "links written"
"""Keys of counts of links."""


def build_alignments(
    source: Path, target: Path, output: Path, method: str = DEFAULT_METHOD, temporary: Path | None = None
) -> Counter[str]:
    """Align parallel text with eflomal, symmetrize the alignments, and write them to a file.

    Args:
        source: Sentences, one per line, with space-separated words. Plain or compressed.
        target: Translations of the sentences, in the same order.
        output: File to write.
        method: The method of symmetrization, one of `METHODS`.
        temporary: Folder for temporary files. If None, the folder of the output.

    Returns:
        The counts of `combine_directions`, and of sentence pairs that were not aligned because they are `BLANK` or
        `LONG`.

    Raises:
        MissingExtraError: If eflomal is not installed.
        InputError: If the text cannot be read, or the numbers of lines differ.
        EmptyResultError: If no words are aligned.
        OutputError: If a file cannot be written.
    """
    with working_folder(output, temporary) as folder:
        forward, reverse, left_out = align_text(source, target, folder)
        return left_out + combine_directions(forward, reverse, output, method)


def combine_directions(forward: Path, reverse: Path, output: Path, method: str = DEFAULT_METHOD) -> Counter[str]:
    """Symmetrize the alignments in two files, and write them to a third file.

    Args:
        forward: Alignments from source to target, in Pharaoh format or an A3 file of GIZA++. Plain or compressed.
        reverse: Alignments from target to source.
        output: File to write.
        method: The method of symmetrization, one of `METHODS`.

    Returns:
        Counts of `SENTENCE_PAIRS`, and of links: `FORWARD`, `REVERSE`, `SHARED` and `WRITTEN`.

    Raises:
        InputError: If a file cannot be read, or the files do not belong to the same text.
        EmptyResultError: If no words are aligned.
        OutputError: If the file cannot be written.
    """
    counts = Counter[str]()
    with writing_lines(output) as file:
        for forward_links, reverse_links in _read_in_parallel(forward, reverse):
            links = symmetrize(forward_links, reverse_links, method)
            file.write(b" ".join(b"%d-%d" % link for link in links) + b"\n")
            counts.update({SENTENCE_PAIRS: 1, FORWARD: len(forward_links), REVERSE: len(reverse_links)})
            counts.update({SHARED: len(forward_links & reverse_links), WRITTEN: len(links)})
        if not counts[WRITTEN]:
            reason = f"{forward}: no links remain after symmetrization"
            raise EmptyResultError(f"{reason}. Use alignments with links, or --symmetrize union")
    return counts


def _read_in_parallel(forward: Path, reverse: Path) -> Iterator[tuple[set[Link], set[Link]]]:
    """Yield the links of each sentence pair in both directions.

    Raises:
        InputError: If the numbers of sentence pairs or the lengths of sentences differ.
    """
    directions = read_direction(forward, reverse=False), read_direction(reverse, reverse=True)
    for first, second in join_items((forward, reverse), directions, "sentence pair", _SAME_TEXT):
        first_line, forward_links, expected = first
        line, reverse_links, lengths = second
        if expected and lengths and expected != lengths:
            words, expected_words = (f"{source} and {target}" for source, target in (lengths, expected))
            reason = f"source and target have {words} words, but {expected_words} words in {forward}, line {first_line}"
            remedy = f"{_SAME_TEXT}, and check that --forward and --reverse are not swapped"
            raise InputError(str(reverse), reason, remedy, line)
        yield set(forward_links), set(reverse_links)
