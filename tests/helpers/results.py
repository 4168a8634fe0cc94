"""Helpers for tests of results: what their JSON files hold, changed."""

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
    """The result with a changed JSON file, and with other scores of some tests; names and hashes stay as they are."""
    value = json.loads(result.content)
    edit(value)
    record = parse_record(value, "an edited result")
    return dataclasses.replace(result, record=record, content=render_json(value), rows={**result.rows, **rows})
