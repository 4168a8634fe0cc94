"""JSON schemas of results and of the files of leaderboards, made of the types that check these files."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from harness.evaluation.record import Record
from harness.files.json_files import JsonRecord
from harness.leaderboards.audits.audits import Audit
from harness.leaderboards.board import Description
from harness.leaderboards.contamination.prints import Prints
from harness.leaderboards.forms import Form
from harness.leaderboards.history import History
from harness.leaderboards.reproduction import Reproduction

RECORDS: dict[str, type[JsonRecord]] = {
    "accepted": History,
    "audit": Audit,
    "hashes": Prints,
    "leaderboard": Description,
    "reproduction": Reproduction,
    "result": Record,
    "submission": Form,
}
"""Types of records, by the names of their schemas."""


def render_schema(record_type: type[JsonRecord]) -> bytes:
    """Render the JSON schema of a type of records."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(record_type)}
    return (json.dumps(_adapt(schema), indent=2) + "\n").encode()


def _adapt(node: Any) -> Any:  # noqa: ANN401
    r"""Write patterns as other programs read them, with $ for \Z, and refuse null in place of an absent field."""
    if isinstance(node, list):
        return [_adapt(part) for part in node]
    if not isinstance(node, dict):
        return node
    if "default" in node and "anyOf" in node:
        [node] = [option for option in node["anyOf"] if option.get("type") != "null"]
    if "pattern" in node:
        node = {**node, "pattern": node["pattern"].replace(r"\Z", "$")}
    return {name: _adapt(part) for name, part in node.items() if name != "default"}
