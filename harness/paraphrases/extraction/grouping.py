"""Sorting and counting more lines than memory holds: sorted runs in temporary files, merged as they are read.

All is bytes, whose order is that of their code points, and whole numbers, whose sums do not depend on any order: what
comes out is the same however the lines were divided among runs, processes or machines.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from harness.files.writing import make_folder
from pyramid_paraphrase import temporary
from pyramid_paraphrase.errors import cannot_write

MAX_KEYS = 500_000
"""Distinct keys that are counted in memory, about 100 MiB, before they become a run."""

MAX_KEY_BYTES = 64 << 20
"""Bytes of these keys, which are fewer where words are long."""

MAX_BUFFER_BYTES = 64 << 20
"""Bytes of lines, and what Python adds to them, that are sorted in memory before they become a run."""

MAX_OPEN_RUNS = 64
"""Runs that are merged at once; more become fewer first."""

_LINE_OVERHEAD = 48
_RUN_BUFFER = 1 << 18


class Tally:
    """Counts keys, in memory as long as they fit.

    Args:
        folder: Where runs may be written.
        max_keys: Distinct keys in memory; `MAX_KEYS` if None.
    """

    def __init__(self, folder: Path, max_keys: int | None = None) -> None:
        self._folder = folder
        self._max_keys = max_keys or MAX_KEYS
        self._counts: dict[bytes, int] = {}
        self._size = 0
        self.runs: list[Path] = []

    def add(self, key: bytes, count: int = 1) -> None:
        """Count a key, which holds no line feed."""
        known = self._counts.get(key)
        if known is not None:
            self._counts[key] = known + count
            return
        self._counts[key] = count
        self._size += len(key)
        if len(self._counts) >= self._max_keys or self._size > MAX_KEY_BYTES:
            self.spill()

    def spill(self) -> None:
        """Make a run of what is in memory."""
        if self._counts:
            self.runs.append(write_run(self._folder, _render_counts(self._counts)))
            self._counts.clear()
            self._size = 0

    def sums(self) -> Iterator[tuple[bytes, int]]:
        """Every key with its count, in order; what was in memory is given up."""
        rest = _render_counts(self._counts)
        self._counts.clear()
        return sum_runs(self._folder, self.runs, rest)


def _render_counts(counts: dict[bytes, int]) -> list[bytes]:
    return sorted(b"%b\t%d\n" % item for item in counts.items())


class LineSorter:
    """Sorts lines, in memory as long as they fit.

    Args:
        folder: Where runs may be written.
        max_bytes: How much of them is in memory; `MAX_BUFFER_BYTES` if None.
    """

    def __init__(self, folder: Path, max_bytes: int | None = None) -> None:
        self._folder = folder
        self._max_bytes = max_bytes or MAX_BUFFER_BYTES
        self._lines: list[bytes] = []
        self._size = 0
        self._runs: list[Path] = []

    def add(self, line: bytes) -> None:
        """Take a line that ends in a line feed."""
        self._lines.append(line)
        self._size += len(line) + _LINE_OVERHEAD
        if self._size > self._max_bytes:
            self._runs.append(write_run(self._folder, sorted(self._lines)))
            self._lines, self._size = [], 0

    def sorted_lines(self) -> Iterator[bytes]:
        """All lines in order."""
        self._lines.sort()
        return merge_runs(self._folder, self._runs, self._lines)


def sum_runs(folder: Path, runs: list[Path], rest: Iterable[bytes] = ()) -> Iterator[tuple[bytes, int]]:
    """Every key of runs of a `Tally` with the sum of its counts, in order.

    Args:
        folder: Where the runs are, and more may be written.
        runs: What `Tally` wrote; they are gone afterwards.
        rest: Lines as in a run.
    """
    lines = merge_runs(folder, runs, rest)
    for key, counted in groupby((line.rpartition(b"\t") for line in lines), itemgetter(0)):
        yield key, sum(int(parts[2]) for parts in counted)


def group_sums(sums: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, list[tuple[bytes, int]]]]:
    """Group sums, whose keys are two texts divided by a tab, by the first: each with all second ones and their sums."""
    parted = ((*key.partition(b"\t"), total) for key, total in sums)
    for first, group in groupby(parted, itemgetter(0)):
        yield first, [(second, total) for _, _, second, total in group]


def merge_runs(folder: Path, runs: list[Path], rest: Iterable[bytes] = ()) -> Iterator[bytes]:
    """All lines of sorted runs in order; the runs are removed at the end.

    Args:
        folder: Where more runs may be written.
        runs: What `write_run` wrote.
        rest: More lines, sorted.
    """
    while len(runs) > MAX_OPEN_RUNS:
        some, runs = runs[:MAX_OPEN_RUNS], runs[MAX_OPEN_RUNS:]
        runs = [*runs, write_run(folder, merge_runs(folder, some))]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb", buffering=_RUN_BUFFER)) for path in runs]
        yield from merge(*files, rest)
    for path in runs:
        path.unlink()


def write_run(folder: Path, lines: Iterable[bytes]) -> Path:
    """Write sorted lines to a new file.

    Raises:
        OutputError: If it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb", buffering=_RUN_BUFFER) as file:
            file.writelines(lines)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return Path(name)


@contextmanager
def temporary_folder(output: Path, folder: Path | None) -> Iterator[Path]:
    """A folder for runs, which is removed with all in it, whatever happens.

    Args:
        output: What is made; beside it, where there is room for much, is the folder.
        folder: Where else it is to be.

    Raises:
        OutputError: If it cannot be made.
    """
    parent = make_folder(folder or output.parent)
    temporary.remove_abandoned(parent)
    with ExitStack() as stack:
        try:
            made = stack.enter_context(temporary.temporary_folder(parent))
        except OSError as error:
            raise cannot_write(parent, error) from None
        yield made
