"""Sorted lists of phrases in files. Phrases are read only when they are needed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import map_array, save_arrays

SAMPLE_EVERY = 64
"""One in this number of phrases is sampled to divide them evenly."""


class PhraseList(NamedTuple):
    """Distinct phrases in files, sorted by their bytes.

    Attributes:
        path: Common beginning of the paths of the files.
        sample: One in `SAMPLE_EVERY` phrases.
    """

    path: Path
    sample: list[bytes]


def write_phrases(path: Path, phrases: Sequence[bytes]) -> PhraseList:
    """Write a list of phrases, which must be sorted."""
    save_arrays(_ends_path(path), [np.cumsum([0, *map(len, phrases)], dtype=np.int64)])
    save_arrays(_text_path(path), [np.frombuffer(b"".join(phrases), np.uint8)])
    return PhraseList(path, list(phrases[::SAMPLE_EVERY]))


def remove_phrases(path: Path) -> None:
    """Remove the files of a list."""
    _ends_path(path).unlink()
    _text_path(path).unlink()


def _ends_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-ends")


def _text_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-text")


class PhraseReader(Sequence[bytes]):
    """A memory-mapped list of phrases."""

    def __init__(self, path: Path) -> None:
        self._ends = map_array(_ends_path(path))
        self._text = map_array(
            _text_path(path)
        ).data  # slices of a memoryview are several times faster than slices of an array

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, position: int) -> bytes:  # type: ignore[override]
        return self._text[self._ends[position] : self._ends[position + 1]].tobytes()

    def read(self, positions: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the phrases at some positions."""
        text = self._text
        for start, stop in zip(self._ends[positions].tolist(), self._ends[positions + 1].tolist(), strict=True):
            yield text[start:stop].tobytes()

    def find(self, low: bytes | None, high: bytes | None) -> tuple[int, int]:
        """Find the first position and the end (exclusive) of the phrases from `low` to `high`, without `high`.

        The value None means no bound.
        """
        first = 0 if low is None else bisect_left(self, low)
        return first, len(self) if high is None else bisect_left(self, high)
