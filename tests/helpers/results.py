"""Helpers for tests of results: changes of their JSON files."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from harness.evaluation.records.json_form import parse_record
from harness.evaluation.results import Result
from harness.files.json_files import render_json
from harness.metrics.rows import ScoredRows

Edit = Callable[[dict[str, Any]], object]


def edit_result(result: Result, edit: Edit, **rows: ScoredRows) -> Result:
    """Return the result with a changed JSON file, and other scores of some tests. Names and hashes do not change."""
    value = json.loads(result.content)
    edit(value)
    record = parse_record(value, "an edited result")
    return dataclasses.replace(result, record=record, content=render_json(value), rows={**result.rows, **rows})
