"""Reproduction of a submission: its model is run again, to verify that it produced the scores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from harness.evaluation.records.record import ModelRecord
from harness.evaluation.results import Result
from harness.files.json_files import render_json
from harness.files.writing import write_file
from harness.leaderboards.files.board import Board
from harness.leaderboards.files.reproductions import Reproduction, hash_record, locate_reproduction
from harness.metrics.measuring import measure_rows
from harness.models.interfaces.kinds import NameForm
from harness.models.registry import KIND_BY_NAME, KINDS
from harness.models.specs import parse_spec
from harness.stats.rounding import DECIMALS
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.files.inputs import exists

if TYPE_CHECKING:
    from harness.leaderboards.judging.checks import Checked

TOLERANCE = 0.002
"""Largest accepted difference of a metric. Scores near the threshold can change with the order of sums on a machine."""

_MAX_QUOTED = 100
_HUB_NAME = r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}"
_CHECKED_FIELDS = ("name", "kind", "options", "dimension", "parameters")
"""Fields of the description of a model that the site shows and that a run determines."""


def choose_spec(checked: Checked, maintainer_spec: str | None) -> str:
    """Return the spec of the maintainer, or the spec of the submission if it is safe.

    Args:
        checked: The submission.
        maintainer_spec: The spec that the maintainer gave, or None for the spec of the submission.

    Returns:
        The spec to run.

    Raises:
        LeaderboardError: If the spec of the submission could run code of its author, or names a model that is not
            public.
    """
    if maintainer_spec is not None:
        return maintainer_spec
    model = checked.submission.result.record.model
    location = checked.submission.name
    if obstacle := find_obstacle(model):
        raise LeaderboardError(f"{location}: {obstacle}, and name the model with --model")
    spec = parse_spec(model.spec)
    if spec.kind.name != model.kind or (spec.kind.has_name and exists(spec.model)):
        reason = "refers to a file in the working directory, which may run code"
        raise LeaderboardError(f"{location}: {reason}. Change to another directory, or name the model with --model")
    return model.spec


def find_obstacle(model: ModelRecord) -> str:
    """Return the reason why a model cannot be run from its spec alone.

    Args:
        model: The description of the model in a submitted result.

    Returns:
        The reason and the first part of the remedy, or "" if there is no obstacle.
    """
    if any(model.options.get(name) or name in model.spec for name in _list_code_options()):
        return "runs code of its author. Inspect this code"
    if _is_on_server(model.kind):
        return "was computed by a server. Get access to the server"
    if not _is_public(model.kind, model.spec):
        return "was evaluated from files of its author. Get these files"
    return ""


def _list_code_options() -> set[str]:
    """Return the names of the options that allow a model to run code of its author."""
    options = chain.from_iterable(kind.options for kind in KINDS)
    return {option.name for option in options if option.runs_code}


def _is_on_server(kind: str) -> bool:
    row = KIND_BY_NAME.get(kind)
    return row is not None and row.name_form is NameForm.ON_SERVER


def _is_public(kind: str, spec: str) -> bool:
    """Return whether a spec is of a kind, and names a model of the Hub if the kind needs a name."""
    row = KIND_BY_NAME.get(kind)
    if row is None or not row.is_reproducible:
        return False
    if any(f",{option.name}=" in spec for option in row.options if option.names_file):
        return False
    pattern = re.escape(kind)
    if row.has_name:
        pattern += f":{_HUB_NAME}"
    return re.fullmatch(f"{pattern}(,.*)?", spec, re.ASCII) is not None


def compare_runs(checked: Checked, rerun: Result) -> float:
    """Compare a submission with the result of a new run.

    Returns:
        The largest difference of any metric.

    Raises:
        LeaderboardError: If another model was run, or a metric differs by more than `TOLERANCE`.
    """
    location = checked.submission.name
    _require_same_model(checked, rerun)
    differences: dict[str, float] = {}
    for test_name, checked_test in checked.tests.items():
        measured = measure_rows(rerun.rows[test_name])
        for metric, submitted in checked_test.metrics.items():
            if metric != "threshold":  # not a metric: it is on the scale of the scores
                differences[f"{metric} of {test_name}"] = abs(measured[metric] - submitted)
    worst = max(differences, key=lambda name: differences[name])
    if differences[worst] > TOLERANCE:
        reason = f"{worst} differs by {differences[worst]:.6f}, more than the allowed {TOLERANCE}"
        raise LeaderboardError(f"{location}: not reproduced: {reason}. Ask the author how the model was run")
    return round(differences[worst], DECIMALS)


def _require_same_model(checked: Checked, rerun: Result) -> None:
    location = checked.submission.name
    submitted, rerun_model = checked.submission.result.record.model, rerun.record.model
    if rerun_model.fingerprint != submitted.fingerprint:
        prints = f"expected fingerprint {submitted.fingerprint[:12]}, found {rerun_model.fingerprint[:12]}"
        remedy = f"Name the model {submitted.spec} with --model, with the files and options that its author evaluated"
        raise LeaderboardError(f"{location}: another model was run: {prints}. {remedy}")
    for field in _CHECKED_FIELDS:
        claimed_value, actual_value = getattr(submitted, field), getattr(rerun_model, field)
        if actual_value != claimed_value:
            claimed, actual = str(claimed_value)[:_MAX_QUOTED], str(actual_value)[:_MAX_QUOTED]
            reason = f"{field} of the model is {claimed} in the submission, but {actual} in this run"
            remedy = "Ask the author to correct it, or name the model with --model"
            raise LeaderboardError(f"{location}: {reason}. {remedy}")


def require_same_tests(checked: Checked, fingerprints: Mapping[str, str]) -> None:
    """Check, before a model is run, that the data have the fingerprints of the submission.

    Args:
        checked: The submission.
        fingerprints: Fingerprints of the data, by name of the test.

    Raises:
        LeaderboardError: If the data differ.
    """
    location, tests = checked.submission.name, checked.submission.result.tests
    for test_name in checked.tests:
        expected, actual = tests[test_name].fingerprint, fingerprints[test_name]
        if actual != expected:
            reason = f"is a result of {test_name} {expected[:12]}, but the data give {actual[:12]}"
            raise LeaderboardError(f"{location}: {reason}. Name the data of the leaderboard with --data")


def write_reproduction(board: Board, checked: Checked, rerun: Result, largest: float) -> Path:
    """Record that a submission was reproduced.

    Returns:
        The file of the record.

    Raises:
        OutputError: If it cannot be written.
    """
    path = locate_reproduction(board, checked.submission.name)
    record = Reproduction(
        result_sha256=hash_record(checked.submission.result.content),
        largest_difference=largest,
        date=rerun.record.time.date[:10],
        versions=rerun.record.versions,
    )
    write_file(path, render_json(msgspec.to_builtins(record)))
    return path
