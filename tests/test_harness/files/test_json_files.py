"""Untrusted JSON files: patterns of schemas match whole texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.messages import mentions

from harness.files.json_files import check_schema, parse_json
from pyramid_paraphrase.errors import InputError

SCHEMAS = sorted((ROOT / "harness").rglob("*.schema.json"))


def test_all_schemas_are_looked_at() -> None:
    names = ("accepted", "leaderboard", "reproduction", "result", "submission")
    assert sorted(path.name for path in SCHEMAS) == [f"{name}.schema.json" for name in names]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_patterns_of_schemas_are_of_whole_texts(path: Path) -> None:
    """Other validators search for a pattern anywhere in a text. Ours matches the whole text."""
    patterns = re.findall(r'"pattern": "(.*?)"[,}\n]', path.read_text())
    assert patterns
    assert all(pattern.startswith("^") and pattern.endswith("$") for pattern in patterns)


def test_a_line_break_at_the_end_is_part_of_a_text() -> None:
    schema = "leaderboards/files/accepted.schema.json"
    check_schema({"format": 1, "accepted": {"a": "0" * 64}}, schema, "x.json", "list", "no remedy")
    with pytest.raises(InputError, match=r"^x\.json: is not a valid list: accepted\.a: .* does not match "):
        check_schema({"format": 1, "accepted": {"a": "0" * 64 + "\n"}}, schema, "x.json", "list", "no remedy")


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
