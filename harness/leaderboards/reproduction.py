"""Running a submission again: the only proof that its scores are the model's."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import LeaderboardError
from harness.files import write_file
from harness.leaderboards.board import REPRODUCTIONS, SUBMISSIONS, Board
from harness.leaderboards.checks import Checked
from harness.models.kinds import KINDS
from harness.results import Result, check_schema, parse_json, read_bytes, result_stem

FORMAT = 1
TOLERANCE = 0.002
"""By how much each metric may be off: other machines sum in other orders, and a few rows lie at the edge."""

_MAX_BYTES = 1 << 16
_REMEDY = "run `pyramid-paraphrase leaderboard reproduce` again"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came out when a submission was run again.

    Attributes:
        largest_difference: Of any metric of any task.
        date: When, in ISO format.
        versions: Of Python and the libraries.
    """

    largest_difference: float
    date: str
    versions: Mapping[str, str]


def choose_spec(checked: Checked, given: str | None) -> str:
    """The spec to run a submission by: what the maintainer says, or what the submission does if that is safe.

    Args:
        checked: The submission.
        given: What the maintainer typed, if anything.

    Returns:
        A spec.

    Raises:
        LeaderboardError: If the submission's own would run its code, or name no model that all can get.
    """
    if given is not None:
        return given
    model = checked.submission.result.record["model"]
    where = checked.submission.name
    if model["options"].get("trust_remote_code") or "trust_remote_code" in model["spec"]:
        raise LeaderboardError(f"{where}: wants to run code of its author; look at it, and name the model by --model")
    takes_name = {kind.name: kind.takes_name for kind in KINDS}.get(model["kind"])
    on_hub = re.fullmatch(r"(sentence-transformers|cross-encoder):[\w.-]+/[\w.-]+(,.*)?", model["spec"])
    if takes_name is None or (takes_name and not on_hub):
        raise LeaderboardError(f"{where}: was evaluated from files of its author; get them, and name them by --model")
    return str(model["spec"])


def compare_runs(checked: Checked, again: Result) -> float:
    """Compare a submission with what came out when it was run again.

    Returns:
        The largest difference of any metric.

    Raises:
        LeaderboardError: If it was another model, or something came out that differs by more than `TOLERANCE`.
    """
    where, record = checked.submission.name, checked.submission.result.record
    if again.record["model"]["fingerprint"] != record["model"]["fingerprint"]:
        prints = f"{again.record['model']['fingerprint'][:12]}, not {record['model']['fingerprint'][:12]}"
        raise LeaderboardError(f"{where}: another model was run: {prints}; name the right one by --model")
    differences = {
        f"{metric} of {task}": abs(again.tasks[task][metric] - value)
        for task in checked.items
        for metric, value in _list_metrics(record["tasks"][task])
    }
    worst = max(differences, key=lambda name: differences[name])
    if differences[worst] > TOLERANCE:
        reason = f"{worst} differs by {differences[worst]:.6f}, and {TOLERANCE} is allowed"
        raise LeaderboardError(f"{where}: is not reproduced: {reason}; ask its author how the model was run")
    return round(differences[worst], 6)


def _list_metrics(metrics: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The metrics; a threshold is none, and as large as scores happen to be."""
    return [(name, value) for name, value in metrics.items() if isinstance(value, float) and name != "threshold"]


def write_reproduction(board: Board, checked: Checked, again: Result, largest: float) -> Path:
    """Record that a submission was reproduced.

    Returns:
        Where it is recorded.

    Raises:
        OutputError: If it cannot be written.
    """
    path = board.folder / REPRODUCTIONS / f"{checked.submission.name}.json"
    record = {
        "format": FORMAT,
        "result_sha256": _hash_result(board, checked),
        "largest_difference": largest,
        "date": str(again.record["time"]["date"])[:10],
        "versions": dict(again.record["versions"]),
    }
    write_file(path, (json.dumps(record, indent=1) + "\n").encode())
    return path


def read_reproduction(board: Board, checked: Checked) -> Reproduction | None:
    """What is recorded of a submission; None if nothing is, or it was of another result than is there now.

    Raises:
        InputError: If the record is damaged.
    """
    path = board.folder / REPRODUCTIONS / f"{checked.submission.name}.json"
    if not path.is_file():
        return None
    value = parse_json(read_bytes(path, _MAX_BYTES, _REMEDY), str(path), _REMEDY)
    check_schema(value, "leaderboards/reproduction.schema.json", str(path), "record of a reproduction", _REMEDY)
    if value["result_sha256"] != _hash_result(board, checked):
        return None
    return Reproduction(value["largest_difference"], value["date"], value["versions"])


def _hash_result(board: Board, checked: Checked) -> str:
    name = f"{result_stem(checked.submission.result.record)}.json"
    return hashlib.sha256((board.folder / SUBMISSIONS / checked.submission.name / name).read_bytes()).hexdigest()
