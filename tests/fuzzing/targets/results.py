"""Results: JSON files and their scores, and the commands that show them."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from fuzzing.cases import Case, read_case
from fuzzing.chance import Chance
from fuzzing.command_line import run_command
from fuzzing.mutations.lines import mutate_table
from fuzzing.mutations.packing import compress, mutate_compressed
from fuzzing.mutations.values import mutate_json
from fuzzing.oracle import OUTPUT
from fuzzing.target import Arguments, Target
from harness.evaluation.results import Result, read_results
from harness.evaluation.results import make_result as remake_result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.evaluation.score_files import parse_key, parse_scores
from harness.models.loading import load_model
from pyramid_paraphrase.catalog import SAMPLE_DIR
from pyramid_paraphrase.publishing.export import render_key

TESTS = ("binary", "ranking")
DATE = "2026-01-01T00:00:00+00:00"
SCORES_PATTERN = "*.csv.gz"

_MATCHES = b"id,split,match,topics,score0,score1\na,validation,0,T1,0.5,nan\nb,test,-1,T2,0.5,0.25\n"

mutate_scores = mutate_compressed(mutate_table(","))

_PYRAMIDS = ("S0101.pyr", "S0102.pyr", "S0103.pyr")
_KEEP_WRONG = 0.15
"""Probability that a hash is left wrong after the file was changed."""


def list_sources() -> list[Path]:
    """List a few pyramids for tests, so that each input takes little time."""
    return [SAMPLE_DIR / name for name in _PYRAMIDS]


@cache
def load_small_suite() -> Suite:
    """Build the tests of the results that are seeds."""
    return load_suite(list_sources(), TESTS)


@cache
def make_result(spec: str) -> Result:
    """Evaluate a model. The result does not depend on the date or on time measurements."""
    result = evaluate_model(load_model(spec), load_small_suite(), Settings(20, quiet=True))
    time = replace(result.record.time, date=DATE, wall_seconds=1.0, model_seconds=1.0, per_second=1.0)
    return remake_result(replace(result.record, time=time), result.rows)


def _make_results() -> Sequence[Case]:
    cases = []
    for specs in (("one-hot",), ("one-hot", "length")):
        with tempfile.TemporaryDirectory() as name:
            for spec in specs:
                make_result(spec).write(name)
            cases.append(read_case(Path(name)))
    return cases


def repair_hashes(case: Case, chance: Chance) -> Case:
    """Write the hashes of changed scores into their results, so that the scores are read."""
    for name, data in case.plain_files().items():
        if not name.endswith(".json") or chance.happens(_KEEP_WRONG):
            continue
        folder = name.rpartition("/")[0]
        try:
            record = json.loads(data)
            entries = [test["scores"] for test in record["tests"].values()]
            hashes = [_find_hash(case, folder, entry) for entry in entries]
            for entry, new_hash in zip(entries, hashes, strict=True):
                entry["sha256"] = new_hash or entry["sha256"]
            case = case.with_file(name, (json.dumps(record, indent=1) + "\n").encode()) if any(hashes) else case
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue
    return case


def _find_hash(case: Case, folder: str, entry: dict[str, str]) -> str:
    """Return the hash of scores if a result contains a different hash, otherwise nothing."""
    data = case.plain_files().get(f"{folder}/{entry['file']}")
    digest = hashlib.sha256(data).hexdigest() if data is not None else ""
    return digest if digest != entry["sha256"] else ""


def show_results(folder: Path, arguments: Arguments) -> object:
    """Read results, and run the commands that show and compare them."""
    del arguments
    results = read_results([folder])
    page = run_command(["report", str(folder), "--format", "html", "--output", f"{OUTPUT}/report.html"])
    table = run_command(["report", str(folder)])
    compared = run_command(["compare", *(result.path for result in results), "--resamples", "20"])
    return [result.record for result in results], page, table, compared


def _make_items() -> Sequence[Case]:
    result = make_result("one-hot")
    scores = [Case({"items.csv.gz": data}) for data in result.files.values()]
    keys = [Case({"key.csv.gz": render_key(test)}) for test in load_small_suite().tests]
    return [*scores, Case({"items.csv.gz": compress(_MATCHES)}), *keys]


def parse_score_file(folder: Path, arguments: Arguments) -> object:
    """Parse the scores of a result, or the key of a test."""
    del arguments
    (path,) = sorted(folder.iterdir())
    parse = parse_scores if path.name.startswith("items") else parse_key
    return parse(path.read_bytes(), path.name)


TARGETS = (
    Target(
        "results",
        show_results,
        _make_results,
        (("*.json", mutate_json), (SCORES_PATTERN, mutate_scores)),
        repair=repair_hashes,
    ),
    Target("items", parse_score_file, _make_items, (("*", mutate_scores),), has_tree=False),
)
