"""Numbers of phrases in the order of their bytes, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.files.arrays import save_texts
from harness.paraphrases.pivoting import reading
from harness.paraphrases.pivoting.reading import (
    Numbering,
    divide_phrases,
    number_range,
)
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PivotRules

SAMPLE = [f"{number:04}".encode() for number in range(3000)]


def test_ranges_have_65536_phrases_of_which_one_in_64_is_sampled() -> None:
    assert list(divide_phrases([SAMPLE[::2], SAMPLE[1::2]])) == [
        (0, None, b"1024"),
        (1, b"1024", b"2048"),
        (2, b"2048", None),
    ]


def test_a_range_has_at_least_one_sampled_phrase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_PHRASES", 1)
    assert list(divide_phrases([[b"a", b"c"], [b"b", b"c"]])) == [(0, None, b"b"), (1, b"b", b"c"), (2, b"c", None)]


def write_lists(folder: Path) -> list[Path]:
    """Write the phrases of two chunks."""
    paths = [folder / "0", folder / "1"]
    for path, phrases in zip(paths, ([b"a", b"c", b"e"], [b"b", b"c"]), strict=True):
        save_texts(path, phrases)
    return paths


def test_phrases_of_two_ranges_have_numbers(tmp_path: Path) -> None:
    lists = write_lists(tmp_path)
    ranges = [number_range(phrases, lists, PivotRules()) for phrases in ((0, None, b"c"), (1, b"c", None))]
    assert [(size, starts.tolist()) for _, size, starts in ranges] == [(2, [0, 1, 2]), (2, [0, 2, 3])]
    numbering = Numbering(ranges)
    assert [numbering.number_chunk(chunk).tolist() for chunk in (0, 1)] == [[0, 2, 3], [1, 2]]
    for numbers, phrases in (([1, 2, 3], [b"b", b"c", b"e"]), ([0], [b"a"]), ([3], [b"e"]), ([], [])):
        assert numbering.read_phrases(np.array(numbers, np.int64)) == phrases
    whole = Numbering([number_range((2, None, None), lists, PivotRules())])
    for numbers in ([0, 1, 2, 3], [1, 3]):
        keys = numbering.read_keys(np.array(numbers))
        assert keys.shape == (len(PAIR_FILTERS), len(numbers))
        assert keys.tolist() == whole.read_keys(np.array(numbers)).tolist()


def test_no_phrases(tmp_path: Path) -> None:
    numbering = Numbering([number_range((0, None, None), write_lists(tmp_path), PivotRules())])
    assert numbering.read_phrases(np.zeros(0, np.int64)) == []
    assert numbering.read_keys(np.zeros(0, np.int64)).shape == (len(PAIR_FILTERS), 0)
