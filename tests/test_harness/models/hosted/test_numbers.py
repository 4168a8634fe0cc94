"""Every number that is read from an answer of a server, with values that are no usable numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from harness.models.hosted.answers import AnswerError, find_tokens, parse_json
from harness.models.hosted.chat import parse_reply
from harness.models.hosted.embeddings import parse_answer

MANY = "9" * 19
VALUES = (
    *("1e400", "-1e400", "NaN", "Infinity", "-Infinity", "-0", "-0.0", "-1", "1.5", "1e18", MANY, "9" * 5000),
    *("true", "false", "null", '"7"', "[7]", '{"value": 7}'),
)


def read_vector(value: Mapping[str, Any]) -> object:
    return parse_answer(value, 1).tolist()[0][0]


def read_shares(value: Mapping[str, Any]) -> object:
    return parse_reply(value)[0]


Read = Callable[[Mapping[str, Any]], object]
FIELDS: Mapping[str, tuple[str, Read, Mapping[str, object]]] = {
    "value of a vector": (
        '{"data": [{"index": 0, "embedding": [VALUE]}]}',
        read_vector,
        {"-0": 0.0, "-0.0": 0.0, "-1": -1.0, "1.5": 1.5, "1e18": 1e18, MANY: 1e19},
    ),
    "index of a vector": ('{"data": [{"index": VALUE, "embedding": [2]}]}', read_vector, {"-0": 2.0}),
    "log probability": (
        """{"choices": [{"message": {"content": "Yes"}, "logprobs": {"content": [{"token": "Yes", "top_logprobs": [
        {"token": "Yes", "logprob": -0.5}, {"token": "No", "logprob": VALUE}]}]}}]}""",
        read_shares,
        {"-1e400": [1.0, 0.0], "-Infinity": [1.0, 0.0], "-1": pytest.approx([0.622459, 0.377541], abs=1e-6)},
    ),
}
"""The answer, the function that reads the field, and the values that can be used, with what is read. -0 is 0. The share
of yes is 1 / (1 + e^-0.5). Two probabilities whose sum is above 1 are refused."""

REFUSED = {"1e400", "Infinity", "1e18", MANY, "9" * 5000}
"""Numbers of tokens beyond 10^12. All others that are not whole numbers from 0 on count as none."""


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("text", VALUES)
def test_a_number_is_used_or_refused(field: str, text: str) -> None:
    template, read, usable = FIELDS[field]
    value = parse_json(template.replace("VALUE", text).encode(), 100)
    if text in usable:
        assert read(value) == usable[text]
    else:
        with pytest.raises(AnswerError):
            read(value)


@pytest.mark.parametrize("name", ["total_tokens", "prompt_tokens"])
@pytest.mark.parametrize("text", VALUES)
def test_a_number_of_tokens_is_used_refused_or_missing(name: str, text: str) -> None:
    value = parse_json(b'{"usage": {"%s": %s}}' % (name.encode(), text.encode()), 100)
    if text in REFUSED:
        with pytest.raises(AnswerError, match=name):
            find_tokens(value)
    else:
        assert find_tokens(value) == (0 if text == "-0" else None)


@pytest.mark.parametrize("text", VALUES)
def test_numbers_that_are_not_read_do_not_count(text: str) -> None:
    """The time of an answer, the number of a choice, and anything that no interface defines."""
    vectors = '{"created": VALUE, "x": VALUE, "data": [{"index": 0, "embedding": [2], "created": VALUE}]}'
    assert read_vector(parse_json(vectors.replace("VALUE", text).encode(), 100)) == 2
    reply = '{"created": VALUE, "choices": [{"index": VALUE, "x": VALUE, "message": {"content": "No"}}]}'
    assert read_shares(parse_json(reply.replace("VALUE", text).encode(), 100)) == [0.0, 1.0]


def test_the_values_are_json() -> None:
    """They reach the functions as numbers, except for the last six."""
    numbers = [json.loads(text, parse_int=float) for text in VALUES]
    assert [type(number) is float for number in numbers] == [True] * 12 + [False] * 6
