"""Helpers for tests of results: changes of their JSON files, and the tables of a terminal."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from harness.evaluation.records.json_form import parse_record
from harness.evaluation.results import Result
from harness.files.json_files import render_json
from harness.metrics.rows import ScoredRows
from harness.reports.model_tables import SECTIONS

Edit = Callable[[dict[str, Any]], object]


def edit_result(result: Result, edit: Edit, **rows: ScoredRows) -> Result:
    """Return the result with a changed JSON file, and other scores of some tests. Names and hashes do not change."""
    value = json.loads(result.content)
    edit(value)
    record = parse_record(value, "an edited result")
    return dataclasses.replace(result, record=record, content=render_json(value), rows={**result.rows, **rows})


def split_tables(text: str) -> list[list[str]]:
    """Return the lines of each table with sections in the output for a terminal, without the paragraphs around them."""
    parts = [part.splitlines() for part in text.split("\n\n")]
    return [lines for lines in parts if set(SECTIONS) & set(lines[1:3])]  # below one or two lines of titles
