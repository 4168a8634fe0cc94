"""Runs of models for a leaderboard: its shortcuts, and submissions again, to verify that they produced their scores."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from harness.evaluation.record import ModelRecord
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.files.json_files import Amount, Date, JsonRecord, Sha256, read_record, render_json
from harness.files.writing import write_file
from harness.leaderboards.board import REPRODUCTIONS, Board, refuse_link, write_board
from harness.leaderboards.checks import Submission
from harness.leaderboards.contamination.prints import render_prints
from harness.metrics.measuring import measure_rows
from harness.models.loading import load_model
from harness.models.registry import KIND_BY_NAME, KINDS, list_shortcuts
from harness.models.specs import parse_spec
from harness.stats.rounding import DECIMALS
from harness.support.errors import LeaderboardError
from pyramid_paraphrase.files.inputs import exists
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

_MAX_BYTES = 1 << 16
_REMEDY = "run `pyramid-paraphrase leaderboard reproduce` again"

TOLERANCE = 0.002
"""Largest accepted difference of a metric. Scores near the threshold can change with the order of sums on a machine."""

_MAX_QUOTED = 100
_HUB_NAME = r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}"
_CHECKED_FIELDS = ("name", "kind", "options", "dimension", "parameters")
"""Fields of the description of a model that the site shows and that a run determines."""


class Reproduction(JsonRecord, frozen=True, tag_field="format", tag=1):
    """The outcome of running a submission again.

    Attributes:
        result_sha256: SHA-256 of the result of the submission, as `hash_record` computes it.
        largest_difference: Largest difference of any metric of any test.
        date: Date of the run, in ISO format.
        versions: Versions of Python and the libraries.
    """

    result_sha256: Sha256
    largest_difference: Amount
    date: Date
    versions: Mapping[str, Annotated[str, Meta(max_length=100)]]


def locate_reproduction(board: Board, name: str) -> Path:
    """Return the path of the record of a reproduction, by the name of the submission."""
    return board.folder / REPRODUCTIONS / f"{name}.json"


def read_reproduction(board: Board, submission: Submission) -> Reproduction | None:
    """Read the record of a reproduction.

    Returns:
        The record, or None if there is none, or if it is of an earlier result of the submission.

    Raises:
        InputError: If the record is damaged, or not a file.
        LeaderboardError: If it is a symbolic link.
    """
    path = locate_reproduction(board, submission.name)
    refuse_link(path)
    if not exists(path):
        return None
    kind = "record of a reproduction"
    reproduction = read_record(path, Reproduction, kind=kind, limit=_MAX_BYTES, remedy=_REMEDY)
    if reproduction.result_sha256 != hash_record(submission.result.content):
        return None
    return reproduction


def hash_record(content: bytes) -> str:
    """Return the SHA-256 of the content of a result, which does not depend on the line ends of its file.

    It also identifies the scores, because a result contains their hashes.
    """
    return hashlib.sha256(content).hexdigest()


def choose_spec(submission: Submission, maintainer_spec: str | None) -> str:
    """Return the spec of the maintainer, or the spec of the submission if it is safe.

    Args:
        submission: The submission.
        maintainer_spec: The spec that the maintainer gave, or None for the spec of the submission.

    Returns:
        The spec to run.

    Raises:
        LeaderboardError: If the spec of the submission could run code of its author, or names a model that is not
            public.
    """
    if maintainer_spec is not None:
        return maintainer_spec
    model = submission.result.record.model
    location = submission.name
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
    options = chain.from_iterable(kind.options for kind in KINDS)
    code_options = [option.name for option in options if option.runs_code]
    if any(model.options.get(name) or name in model.spec for name in code_options):
        return "runs code of its author. Inspect this code"
    kind = KIND_BY_NAME.get(model.kind)
    if kind is not None and kind.find_recipient is not None:
        return "was computed by a server. Get access to the server"
    if not _is_public(model.kind, model.spec):
        return "was evaluated from files of its author. Get these files"
    return ""


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


def compare_runs(submission: Submission, rerun: Result) -> float:
    """Compare a submission with the result of a new run.

    Returns:
        The largest difference of any metric.

    Raises:
        LeaderboardError: If another model was run, or a metric differs by more than `TOLERANCE`.
    """
    location = submission.name
    _require_same_model(submission, rerun)
    differences: dict[str, float] = {}
    for test_name, checked_test in submission.tests.items():
        measured = measure_rows(rerun.rows[test_name])
        for metric, submitted in checked_test.metrics.items():
            if metric != "threshold":  # not a metric: it is on the scale of the scores
                differences[f"{metric} of {test_name}"] = abs(measured[metric] - submitted)
    worst = max(differences, key=lambda name: differences[name])
    if differences[worst] > TOLERANCE:
        reason = f"{worst} differs by {differences[worst]:.6f}, more than the allowed {TOLERANCE}"
        raise LeaderboardError(f"{location}: not reproduced: {reason}. Ask the author how the model was run")
    return round(differences[worst], DECIMALS)


def _require_same_model(submission: Submission, rerun: Result) -> None:
    location = submission.name
    submitted, rerun_model = submission.result.record.model, rerun.record.model
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


def require_same_tests(submission: Submission, fingerprints: Mapping[str, str]) -> None:
    """Check, before a model is run, that the data have the fingerprints of the submission.

    Args:
        submission: The submission.
        fingerprints: Fingerprints of the data, by name of the test.

    Raises:
        LeaderboardError: If the data differ.
    """
    location, tests = submission.name, submission.result.tests
    for test_name in submission.tests:
        expected, actual = tests[test_name].fingerprint, fingerprints[test_name]
        if actual != expected:
            reason = f"is a result of {test_name} {expected[:12]}, but the data give {actual[:12]}"
            raise LeaderboardError(f"{location}: {reason}. Name the data of the leaderboard with --data")


def write_reproduction(board: Board, submission: Submission, rerun: Result, largest: float) -> Path:
    """Record that a submission was reproduced.

    Returns:
        The file of the record.

    Raises:
        OutputError: If it cannot be written.
    """
    path = locate_reproduction(board, submission.name)
    record = Reproduction(
        result_sha256=hash_record(submission.result.content),
        largest_difference=largest,
        date=rerun.record.time.date[:10],
        versions=rerun.record.versions,
    )
    write_file(path, render_json(msgspec.to_builtins(record)))
    return path


def set_up(
    folder: Path,
    title: str,
    data: Source | Sequence[Source] | None,
    test_names: Sequence[str],
    *,
    link: str | None = None,
    superseded: str | None = None,
) -> Board:
    """Make a leaderboard, or add tests of more data to an existing one.

    Args:
        folder: Folder of the leaderboard.
        title: Its title. If the title is empty, an existing leaderboard keeps its title.
        data: Annotation files, "sample", or a built folder, local or on the Hub ("ORG/NAME"). None for the last build.
        test_names: Names of configurations that are made from pyramids.
        link: As for `write_board`.
        superseded: As for `write_board`.

    Returns:
        The leaderboard, with the results of the shortcuts and the hashes of the texts.

    Raises:
        PyramidParaphraseError: If a test is not made from pyramids, the data cannot be used, or the leaderboard cannot
            be written.
    """
    if unsupported := [name for name in test_names if name not in PYRAMID_TESTS]:
        raise LeaderboardError(f"leaderboards support {', '.join(PYRAMID_TESTS)}. Omit {', '.join(unsupported)}")
    suite = load_suite(data, test_names)
    results = [evaluate_model(load_model(spec), suite, Settings()) for spec in list_shortcuts(test_names)]
    hashes = {rows.test.fingerprint: render_prints(suite.texts, rows) for rows in suite.rows}
    return write_board(folder, title, suite.tests, results, link=link, superseded=superseded, hashes=hashes)
