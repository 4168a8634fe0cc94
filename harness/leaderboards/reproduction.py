"""Running a submission again: the only proof that its scores are the model's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from harness.evaluation.measuring import measure_items
from harness.evaluation.results import Result
from harness.files.json_files import render_json
from harness.files.writing import write_file
from harness.leaderboards.files.board import Board
from harness.models.kinds import KINDS, parse_spec
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.inputs import exists

if TYPE_CHECKING:
    from harness.leaderboards.judging.checks import Checked
from harness.leaderboards.files.reproductions import FORMAT, hash_record, locate_reproduction

TOLERANCE = 0.002
"""By how much each metric may be off: other machines sum in other orders, and a few rows lie at the edge."""

_ON_HUB = ("sentence-transformers", "cross-encoder")
_HUB_NAME = r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}"
_SHOWN = ("name", "kind", "options", "dimension", "parameters")
"""What the site shows of a model that can be seen from running it."""


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
    if not _is_for_all(model["kind"], model["spec"]):
        raise LeaderboardError(f"{where}: was evaluated from files of its author; get them, and name them by --model")
    spec = parse_spec(model["spec"])
    if spec.kind.name != model["kind"] or (spec.kind.takes_name and exists(spec.model)):
        reason = "names what lies in the working directory, which may run code"
        raise LeaderboardError(f"{where}: {reason}; run it elsewhere, or name the model by --model")
    return str(model["spec"])


def _is_for_all(kind: str, spec: str) -> bool:
    """Whether a spec is of the kind it should be, and names a model of the Hub if that kind needs a name."""
    takes_name = {row.name: row.takes_name for row in KINDS}.get(kind)
    if takes_name is None or (takes_name and kind not in _ON_HUB):
        return False
    wanted = f"{kind}:{_HUB_NAME}" if takes_name else re.escape(kind)
    return re.fullmatch(f"{wanted}(,.*)?", spec, re.ASCII) is not None


def compare_runs(checked: Checked, again: Result) -> float:
    """Compare a submission with what came out when it was run again.

    Returns:
        The largest difference of any metric.

    Raises:
        LeaderboardError: If it was another model, or something came out that differs by more than `TOLERANCE`.
    """
    where = checked.submission.name
    _require_same_model(checked, again)
    differences: dict[str, float] = {}
    for task, (_, said, _) in checked.tasks.items():
        found = measure_items(again.items[task])
        # A threshold is no metric, and as large as scores happen to be.
        differences |= {f"{name} of {task}": abs(found[name] - said[name]) for name in said if name != "threshold"}
    worst = max(differences, key=lambda name: differences[name])
    if differences[worst] > TOLERANCE:
        reason = f"{worst} differs by {differences[worst]:.6f}, and {TOLERANCE} is allowed"
        raise LeaderboardError(f"{where}: is not reproduced: {reason}; ask its author how the model was run")
    return round(differences[worst], 6)


def _require_same_model(checked: Checked, again: Result) -> None:
    where, said, found = checked.submission.name, checked.submission.result.record["model"], again.record["model"]
    if found["fingerprint"] != said["fingerprint"]:
        prints = f"{found['fingerprint'][:12]}, not {said['fingerprint'][:12]}"
        raise LeaderboardError(f"{where}: another model was run: {prints}; name by --model what was {said['spec']}")
    for what in _SHOWN:
        if found[what] != said[what]:
            reason = f"{what} of the model is said to be {str(said[what])[:100]}, and is {str(found[what])[:100]}"
            raise LeaderboardError(f"{where}: {reason}; ask its author to correct that, or name the model by --model")


def require_same_tests(checked: Checked, fingerprints: Mapping[str, str]) -> None:
    """Check, before a model is run, that the data are those of the submission.

    Args:
        checked: The submission.
        fingerprints: Of the data, by task.

    Raises:
        LeaderboardError: If they are other data.
    """
    where, record = checked.submission.name, checked.submission.result.record
    for task in checked.tasks:
        wanted, found = record["tasks"][task]["fingerprint"], fingerprints[task]
        if found != wanted:
            reason = f"is of {task} {wanted[:12]}, and the data have {found[:12]}"
            raise LeaderboardError(f"{where}: {reason}; give the data of the leaderboard by --data")


def write_reproduction(board: Board, checked: Checked, again: Result, largest: float) -> Path:
    """Record that a submission was reproduced.

    Returns:
        Where it is recorded.

    Raises:
        OutputError: If it cannot be written.
    """
    path = locate_reproduction(board, checked.submission.name)
    record = {
        "format": FORMAT,
        "result_sha256": hash_record(checked.submission.result.record),
        "largest_difference": largest,
        "date": str(again.record["time"]["date"])[:10],
        "versions": dict(again.record["versions"]),
    }
    write_file(path, render_json(record))
    return path
