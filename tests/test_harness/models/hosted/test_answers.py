"""The parts of an answer that all services share: its JSON, the name of the model, and the number of tokens."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from harness.models.hosted.answers import WHOLE, AnswerError, count_values, find_name, find_tokens, parse_json


def test_a_body_is_a_json_object() -> None:
    assert parse_json(b'{"model": "m"}', 10) == {"model": "m"}
    assert parse_json(b'["m"]', 10) == {WHOLE: ["m"]}
    assert parse_json(b"null", 10) == {WHOLE: None}


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000])
def test_a_body_that_is_not_json_is_an_error(body: bytes) -> None:
    """Deeply nested brackets raise a RecursionError in the library."""
    with pytest.raises(AnswerError, match="JSON"):
        parse_json(body, 200_000)


@pytest.mark.parametrize(
    "body", [b'{"a": 1, "a": 2}', b'{"data": [{"index": 0, "index": 0}]}', b'{"a": {}, "\\u0061": {}}']
)
def test_a_name_with_two_values_is_an_error(body: bytes) -> None:
    """The last value counted, in silence."""
    with pytest.raises(AnswerError, match="a name has two values"):
        parse_json(body, 100)


def test_names_of_models() -> None:
    assert find_name({"model": "m-2024"}) == "m-2024"
    assert find_name({"model": 5}) == find_name({}) == ""


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 7, "prompt_tokens": 5}, 7),
        ({"prompt_tokens": 5}, 5),
        ({"total_tokens": 0}, 0),
        ({"total_tokens": -1, "prompt_tokens": 5}, 5),
        ({"total_tokens": True}, None),
        ({"total_tokens": 7.0}, None),
        ({}, None),
        ([7], None),
        (None, None),
    ],
)
def test_numbers_of_tokens(usage: object, tokens: int | None) -> None:
    """Only whole numbers that are not negative count. `True` is an int in Python."""
    assert find_tokens({"usage": usage}) == tokens
    assert find_tokens({}) is None


@pytest.mark.parametrize("name", ["total_tokens", "prompt_tokens"])
@pytest.mark.parametrize("tokens", [b"1" + b"0" * 12 + b"1", b"1" + b"0" * 400, b"9" * 5000, b"1e30", b"Infinity"])
def test_impossible_numbers_of_tokens(name: str, tokens: bytes) -> None:
    """A price times such a number is beyond floating-point numbers, and Python refuses to print 5000 digits."""
    value = parse_json(b'{"usage": {"%s": %s}}' % (name.encode(), tokens), 10)
    with pytest.raises(AnswerError, match=mentions(f"1,000,000,000,000 tokens ... {name}")):
        find_tokens(value)
    assert find_tokens({"usage": {name: 10**12}}) == 10**12


@pytest.mark.parametrize(
    ("body", "values"),
    [(b"5", 1), (b"[]", 2), (b"[1, 2]", 3), (b'{"a": [{}, {}]}', 7), (b'["a, b: c"]', 4), (b"{" * 1000, 1001)],
)
def test_values_are_counted_before_they_are_made(body: bytes, values: int) -> None:
    """The number is an upper bound: marks in texts count, and empty objects and lists count twice."""
    assert count_values(body) == values
    with pytest.raises(AnswerError, match=mentions(f"more than the {values - 1:,} values")):
        parse_json(body, values - 1)


def test_whole_numbers_have_limited_digits() -> None:
    digits = b"0" * 400
    numbers = parse_json(b'{"n": [999999999999999999, 1000000000000000000, -12345678901234567890, 1%s]}' % digits, 9)
    assert numbers["n"] == [999999999999999999, 1e18, -1.2345678901234567e19, float("inf")]
    assert list(map(type, numbers["n"])) == [int, float, float, float]
