"""Untrusted JSON files: what is not JSON, too large or ambiguous is refused."""

from __future__ import annotations

import re

import pytest
from helpers.messages import mentions

from harness.files.json_files import parse_json
from pyramid_paraphrase.errors import InputError


def test_json_that_is_not_text() -> None:
    with pytest.raises(InputError, match=mentions("x.json: ... UTF-8. Write it again")):
        parse_json(b'{"a": "\xff"}', "x.json", "write it again")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "JSON ( ... , column 2)"),
        ('{\n"a" 1}', "JSON ... line 2, column 5"),
        (" ", "empty"),
        ('{"a": NaN}', "number NaN ... not finite"),
        ('{"a": 1e999}', "number 1e999 ... not finite"),
        ('{"a": 12345678901234567890}', "number 12345678901234567890 ... too large"),
        (f'{{"a": {"9" * 5000}}}', "number 9999999999[...]9999999999 ... too large"),
        ("[" * 100_000, "20 deep"),
        ("[" * 21 + "]" * 21, "20 deep"),
        # Parsers disagree on the value of a repeated key. The last value was used without a warning.
        ('{"a": 1, "b": 2, "b": 3}', "'b'"),
        ('[{"a": {"c": 1, "c": 1}}]', "'c'"),
        ('{"a": "\\ud83d"}', "\\ud83d"),
    ],
)
def test_json_that_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InputError) as error:
        parse_json(text.encode(), "x.json", "write it again")
    assert str(error.value).startswith("x.json: ")
    assert re.search(mentions(reason), str(error.value))
    assert str(error.value).endswith(". Write it again")
