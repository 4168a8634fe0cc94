"""Arrays in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.files.arrays import (
    TextList,
    load_arrays,
    load_rows,
    map_array,
    map_rows,
    remove_texts,
    save_arrays,
    save_rows,
    save_texts,
)
from pyramid_paraphrase.errors import OutputError


def test_arrays_are_read_in_their_order(tmp_path: Path) -> None:
    arrays = [np.array([1.5, 2.5]), np.array([], np.int64), np.array([[1, 2]], np.uint8)]
    save_arrays(tmp_path / "arrays", arrays)
    for array, read in zip(arrays, load_arrays(tmp_path / "arrays", 3), strict=True):
        assert (read.dtype, read.shape, read.tolist()) == (array.dtype, array.shape, array.tolist())
    assert map_array(tmp_path / "arrays").tolist() == [1.5, 2.5]


def test_rows_are_read_and_mapped(tmp_path: Path) -> None:
    rows = np.arange(6, dtype=np.uint64).reshape(3, 2)
    save_rows(tmp_path / "rows", rows[:, ::-1])
    assert map_rows(tmp_path / "rows", 2).tolist() == [[1, 0], [3, 2], [5, 4]]
    assert load_rows(tmp_path / "rows", 2, 1, 3).tolist() == [[3, 2], [5, 4]]
    save_rows(tmp_path / "empty", rows[:0])
    assert map_rows(tmp_path / "empty", 2).shape == (0, 2)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    with pytest.raises(OutputError, match=str(folder)):
        save_arrays(folder / "arrays", [np.zeros(1)])
    with pytest.raises(OutputError, match=str(folder)):
        save_rows(folder / "rows", np.zeros((1, 1), np.uint64))


def test_texts_are_looked_up_by_their_order(tmp_path: Path) -> None:
    save_texts(tmp_path / "list", [b"a", b"bc", b"d"])
    texts = TextList.open(tmp_path / "list")
    assert list(texts) == [b"a", b"bc", b"d"]
    assert list(texts.read(np.array([2, 1]))) == [b"d", b"bc"]
    assert [texts.find(text) for text in (b"", b"a", b"b", b"bc", b"e")] == [0, 0, 1, 1, 3]
    remove_texts(tmp_path / "list")
    assert list(tmp_path.iterdir()) == []
