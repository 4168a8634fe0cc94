"""Arrays and lists of texts in temporary files: a process writes a file, and other processes read it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramid_paraphrase.errors import cannot_write


def save_arrays(path: Path, arrays: Sequence[NDArray[Any]]) -> None:
    """Write arrays one after another.

    Raises:
        OutputError: If the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            for values in arrays:
                np.save(file, values, allow_pickle=False)
    except OSError as error:
        raise cannot_write(path.parent, error) from None


def load_arrays(path: Path, count: int) -> list[NDArray[Any]]:
    """Read a number of arrays that `save_arrays` wrote."""
    with path.open("rb") as file:
        return [np.load(file, allow_pickle=False) for _ in range(count)]


def map_array(path: Path) -> NDArray[Any]:
    """Map the only array of a file into memory, which processes share."""
    return np.load(path, mmap_mode="r", allow_pickle=False)


def save_rows(path: Path, rows: NDArray[np.uint64]) -> None:
    """Write rows of 64-bit numbers.

    Raises:
        OutputError: If the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            np.ascontiguousarray(rows).tofile(file)
    except OSError as error:
        raise cannot_write(path.parent, error) from None


def load_rows(path: Path, width: int, first: int, behind: int) -> NDArray[np.uint64]:
    """Load the rows from `first` to before `behind` of a file that `save_rows` wrote."""
    count = (behind - first) * width
    return np.fromfile(path, np.uint64, count, offset=8 * width * first).reshape(-1, width)


def map_rows(path: Path, width: int) -> NDArray[np.uint64]:
    """Map rows that `save_rows` wrote into memory."""
    if not path.stat().st_size:
        return np.zeros((0, width), np.uint64)
    return np.memmap(path, np.uint64, "r").reshape(-1, width)


class TextList(Sequence[bytes]):
    """Sorted texts in arrays. Only the texts that are looked up are read from a mapped file.

    Args:
        ends: Start of the first text in `text`, and the end of each text.
        text: All texts, concatenated.
    """

    def __init__(self, ends: NDArray[Any], text: NDArray[np.uint8]) -> None:
        self._ends = ends
        self._text = text.data  # slices of a memoryview are several times faster than slices of an array

    @classmethod
    def open(cls, path: Path) -> TextList:
        """Map the list of texts that `save_texts` wrote into memory."""
        return cls(map_array(name_part(path, "ends")), map_array(name_part(path, "text")))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, position: int) -> bytes:  # type: ignore[override]
        return self._text[self._ends.item(position) : self._ends.item(position + 1)].tobytes()

    def read(self, positions: NDArray[np.int64]) -> Iterator[bytes]:
        """Yield the texts at some positions."""
        text = self._text
        for start, stop in zip(self._ends[positions].tolist(), self._ends[positions + 1].tolist(), strict=True):
            yield text[start:stop].tobytes()

    def find(self, text: bytes) -> int:
        """Return the position of the first text that is not less than a text."""
        return bisect_left(range(len(self)), text, key=self.__getitem__)


def name_part(path: Path, content: str) -> Path:
    """Return the path of a file with a part of the content that belongs to a common path."""
    return path.with_name(f"{path.name}-{content}")


def save_texts(path: Path, texts: Sequence[bytes]) -> None:
    """Write a list of texts, sorted by their bytes, to two files.

    Raises:
        OutputError: If a file cannot be written.
    """
    save_arrays(name_part(path, "ends"), [np.cumsum([0, *map(len, texts)], dtype=np.int64)])
    save_arrays(name_part(path, "text"), [np.frombuffer(b"".join(texts), np.uint8)])


def remove_texts(path: Path) -> None:
    """Remove the files of a list of texts."""
    name_part(path, "ends").unlink()
    name_part(path, "text").unlink()
