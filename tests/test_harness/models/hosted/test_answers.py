"""The parts of an answer that all services share: its JSON, the name of the model, and the number of tokens."""

from __future__ import annotations

import pytest

from harness.models.hosted.answers import AnswerError, find_name, find_tokens, parse_json


def test_a_body_is_a_json_object() -> None:
    assert parse_json(b'{"model": "m"}') == {"model": "m"}
    assert parse_json(b'["m"]') == {}


@pytest.mark.parametrize("body", [b"", b"<html>", b"\xff", b"[" * 100_000])
def test_a_body_that_is_not_json_is_an_error(body: bytes) -> None:
    """Deeply nested brackets raise a RecursionError in the library."""
    with pytest.raises(AnswerError, match="JSON"):
        parse_json(body)


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
