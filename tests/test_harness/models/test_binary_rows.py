"""Plausibility of the rows of binary word vectors, byte by byte."""

from __future__ import annotations

import numpy as np
import pytest

from harness.models.files.binary_rows import find_odd_words, find_rest, is_plausible, name_other_numbers

ROW = np.array([0.5, -1.5, 0.25], dtype="<f4").tobytes()


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([1e10, -1e-40], True),
        ([-1e10], True),
        ([1.01e10], False),
        ([0.0, 1e-30], True),
        ([0.99e-30], False),
        ([0.0, -0.0], True),
        ([1.0, np.nan], False),
        ([1.0, -np.inf], False),
    ],
)
def test_the_largest_number_is_within_bounds(numbers: list[float], expected: bool) -> None:
    assert is_plausible(np.array(numbers)) is expected


@pytest.mark.parametrize(("code", "name"), [(">f4", "big-endian numbers"), ("<f8", "numbers of 64 bits")])
def test_eight_numbers_show_how_they_are_stored(code: str, name: str) -> None:
    """Sevenths have no short binary notation, as numbers of trained vectors."""
    numbers = (np.arange(1, 9) / 7).astype(code)
    assert name_other_numbers(numbers.tobytes()) == name
    assert name_other_numbers(numbers[:7].tobytes()) == ""


def read_rest(rest: bytes) -> bytes | None:
    """Read the rest of a word, its blank and its row as far as they fill whole numbers."""
    data = rest + b" " + ROW
    return find_rest(data[: len(data) // 4 * 4])


def test_the_rest_of_a_word_has_no_control_characters() -> None:
    """The rest and its blank have the size of two numbers, so that only the bytes of the rest decide."""
    rests = {byte: b"york" + bytes([byte]) + b"ee" for byte in range(256) if byte != ord(" ")}
    found = {byte for byte, rest in rests.items() if read_rest(rest) == rest}
    assert set(rests) - found == {*range(32), 127}


def test_the_rest_of_a_word_has_at_most_eighty_bytes() -> None:
    assert read_rest(80 * b"y") == 80 * b"y"
    assert read_rest(81 * b"y") is None


def test_words_with_bytes_of_numbers_are_odd() -> None:
    odd = {byte for byte in range(256) if find_odd_words([b"the ", bytes([byte]) + b" ", b"storm "]) == [1]}
    assert odd == {*range(32), *range(127, 256), *b":;<=>?@"} - {ord("\n")}
    words = [b"\n", b"hit ", "\u00c0 ".encode(), "\U0010ffff ".encode(), b"\xc3 ", b"\x01\xc3\xa9 ", b"\xa9 "]
    assert find_odd_words(words) == [4, 5, 6]
    assert find_odd_words(words[:4]) == []
