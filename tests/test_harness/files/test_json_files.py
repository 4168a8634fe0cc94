"""JSON files of strangers: patterns of schemas match whole texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.checkout import ROOT

from harness.files.json_files import check_schema
from pyramid_paraphrase.errors import InputError

SCHEMAS = sorted((ROOT / "harness").rglob("*.schema.json"))


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_patterns_of_schemas_are_of_whole_texts(path: Path) -> None:
    """Other validators search for a pattern anywhere in a text; ours matches the whole text."""
    patterns = re.findall(r'"pattern": "(.*?)"[,}\n]', path.read_text())
    assert patterns
    assert all(pattern.startswith("^") and pattern.endswith("$") for pattern in patterns)


def test_a_line_break_at_the_end_is_part_of_a_text() -> None:
    schema = "leaderboards/files/accepted.schema.json"
    check_schema({"format": 1, "accepted": {"a": "0" * 64}}, schema, "x.json", "list", "no remedy")
    with pytest.raises(InputError, match=r"^x\.json: is no list: accepted\.a: .* does not match "):
        check_schema({"format": 1, "accepted": {"a": "0" * 64 + "\n"}}, schema, "x.json", "list", "no remedy")
