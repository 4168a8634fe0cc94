"""Arrays of digests: their content and their order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.building import rows
from pyramid_paraphrase.building.rows import make_digest_array, order_digests


def test_an_array_has_the_digests_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests are collected in parts. The last part is smaller."""
    monkeypatch.setattr(rows, "_DIGESTS_AT_ONCE", 2)
    pieces = [bytes([number]) * 32 for number in range(5)]
    array = make_digest_array(iter(pieces), 5)
    assert [row.tobytes() for row in array] == pieces
    assert make_digest_array([b"ab", b"cd"], 2, size=2).tolist() == [[97, 98], [99, 100]]
    assert make_digest_array([], 0).shape == (0, 32)


@pytest.mark.parametrize(
    ("tails", "order"),
    [
        (["a2", "a1"], [1, 0]),
        (["b1", "b2", "a1"], [2, 0, 1]),
        # Only the last two, in the order of digests, begin with the same eight bytes.
        (["b2", "a1", "b1"], [1, 2, 0]),
        (["b1", "a1", "b1"], [1, 0, 2]),
    ],
)
def test_the_first_eight_bytes_may_be_equal(tails: list[str], order: list[int]) -> None:
    """Each digest is seven zeros, a letter and a digit."""
    pieces = [b"\0" * 7 + tail.encode() for tail in tails]
    assert order_digests(make_digest_array(pieces, len(pieces), 9)).tolist() == order


@given(st.lists(st.binary(min_size=10, max_size=10).map(lambda end: b"\xff\0\xff\0\xff\0" + end)))
def test_digests_are_ordered_as_their_hexadecimal_digits_are(pieces: list[bytes]) -> None:
    array = make_digest_array(pieces, len(pieces), 16)
    assert order_digests(array).tolist() == sorted(range(len(pieces)), key=lambda row: pieces[row].hex())
