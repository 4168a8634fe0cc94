"""External sorting and counting of lines: sorted runs in temporary files, and a k-way merge of the runs.

Lines are bytes, and counts are whole numbers, whose sums do not depend on the order. So the result does not depend on
how the lines were divided among runs, processes or machines.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from pyramid_paraphrase.errors import cannot_write

MAX_KEYS = 500_000
"""Largest number of distinct keys in memory, about 100 MiB; then they become a run."""

MAX_KEY_BYTES = 64 << 20
"""Largest number of bytes of these keys, which bounds memory where words are long."""

MAX_BUFFER_BYTES = 64 << 20
"""Largest number of bytes of lines in memory, with Python's overhead; then they become a run."""

MAX_OPEN_RUNS = 64
"""Largest number of runs that are merged at once; of more runs, some are merged into one first."""

_LINE_OVERHEAD = 48
_RUN_BUFFER = 1 << 18


class Tally:
    """Counts keys, in memory as long as they fit, otherwise in runs.

    Args:
        folder: Folder for runs.
        max_keys: Largest number of distinct keys in memory; `MAX_KEYS` if None.
    """

    def __init__(self, folder: Path, max_keys: int | None = None) -> None:
        self._folder = folder
        self._max_keys = max_keys or MAX_KEYS
        self._counts: dict[bytes, int] = {}
        self._size = 0
        self.runs: list[Path] = []

    def add(self, key: bytes, count: int = 1) -> None:
        """Count a key, which contains no line feed."""
        counted_before = self._counts.get(key)
        if counted_before is not None:
            self._counts[key] = counted_before + count
            return
        self._counts[key] = count
        self._size += len(key)
        if len(self._counts) >= self._max_keys or self._size > MAX_KEY_BYTES:
            self.spill()

    def spill(self) -> None:
        """Write the keys in memory to a run."""
        if self._counts:
            self.runs.append(write_run(self._folder, _render_counts(self._counts)))
            self._counts.clear()
            self._size = 0

    def sums(self) -> Iterator[tuple[bytes, int]]:
        """Return every key with its count, sorted, and forget the keys in memory."""
        lines_in_memory = _render_counts(self._counts)
        self._counts.clear()
        return sum_runs(self._folder, self.runs, lines_in_memory)


def _render_counts(counts: dict[bytes, int]) -> list[bytes]:
    return sorted(b"%b\t%d\n" % item for item in counts.items())


class LineSorter:
    """Sorts lines, in memory as long as they fit, otherwise in runs.

    Args:
        folder: Folder for runs.
        max_bytes: Largest number of bytes of lines in memory; `MAX_BUFFER_BYTES` if None.
    """

    def __init__(self, folder: Path, max_bytes: int | None = None) -> None:
        self._folder = folder
        self._max_bytes = max_bytes or MAX_BUFFER_BYTES
        self._lines: list[bytes] = []
        self._size = 0
        self._runs: list[Path] = []

    def add(self, line: bytes) -> None:
        """Add a line that ends in a line feed."""
        self._lines.append(line)
        self._size += len(line) + _LINE_OVERHEAD
        if self._size > self._max_bytes:
            self._runs.append(write_run(self._folder, sorted(self._lines)))
            self._lines, self._size = [], 0

    def sorted_lines(self) -> Iterator[bytes]:
        """Return all lines, sorted."""
        self._lines.sort()
        return merge_runs(self._folder, self._runs, self._lines)


def sum_runs(folder: Path, runs: list[Path], lines_in_memory: Iterable[bytes] = ()) -> Iterator[tuple[bytes, int]]:
    """Sum the counts of every key in runs of a `Tally`, sorted by key.

    Args:
        folder: Folder of the runs, where more may be written.
        runs: Runs that `Tally` wrote; they are removed.
        lines_in_memory: Further lines as in a run.
    """
    lines = merge_runs(folder, runs, lines_in_memory)
    for key, counted in groupby((line.rpartition(b"\t") for line in lines), itemgetter(0)):
        yield key, sum(int(parts[2]) for parts in counted)


def group_sums(sums: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, list[tuple[bytes, int]]]]:
    """Group sums, whose keys are two texts divided by a tab, by the first text: each with all second texts and sums."""
    parted = ((*key.partition(b"\t"), total) for key, total in sums)
    for first, group in groupby(parted, itemgetter(0)):
        yield first, [(second, total) for _, _, second, total in group]


def merge_runs(folder: Path, runs: list[Path], lines_in_memory: Iterable[bytes] = ()) -> Iterator[bytes]:
    """Merge sorted runs (k-way merge); the runs are removed at the end.

    Args:
        folder: Folder for more runs.
        runs: Runs that `write_run` wrote.
        lines_in_memory: Further lines, sorted.
    """
    while len(runs) > MAX_OPEN_RUNS:
        first_runs, runs = runs[:MAX_OPEN_RUNS], runs[MAX_OPEN_RUNS:]
        runs = [*runs, write_run(folder, merge_runs(folder, first_runs))]
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb", buffering=_RUN_BUFFER)) for path in runs]
        yield from merge(*files, lines_in_memory)
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
