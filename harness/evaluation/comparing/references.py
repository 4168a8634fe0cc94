"""Reference results: their compact storage, and the selection of those that can be compared with given results.

A file of NumPy arrays (.npz) contains the results on a data set. The array `models.names` names the models, and
`models.results` is a text: a JSON list of their results, in the same order. Each test has arrays such as `binary.ids`:
those of its rows, which all models share, and `binary.scores`, the scores of all models in millionths. Their bytes of
equal significance follow each other, because the low bytes cannot be compressed, and the others can.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from msgspec import structs

from harness.evaluation.results import Result, parse_record
from harness.files.json_files import parse_json, render_json
from harness.files.writing import write_files
from harness.metrics.rows import Key, ScoredRows, align, make_scored_rows
from harness.stats.rounding import DECIMALS, RoundedScores, round_scores
from harness.support.names import slug
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.rules.options import Kind, find_configuration

_DIGITS = 12
_UNITS = 10**DECIMALS
_MISSING = np.iinfo(np.int32).min
"""Stands for NaN, behind the last option of a row."""

_ID = "V32"
"""The bytes of a SHA-256."""

_REMEDY = "install the package again"
FOLDER = Path(__file__).parent / "reference_results"
"""The reference results of the package, which `benchmarks/reference_results.py` writes."""

MARK = "reference"
"""Ending of the names of reference models, in parentheses."""

_NO_REFERENCE = "no reference result has the same rows as %s. There are references for the default rules on %s"
_logger = make_logger(__name__)


def write_references(results: Iterable[Result], folder: Path) -> None:
    """Write results. The same results give the same bytes.

    Args:
        results: The results, with their scores: of models with different names, all on the tests of some data sets.
        folder: An existing folder. No file in it is removed.

    Raises:
        ValueError: If two results on a test have different rows, if two models on the same tests have the same name, or
            if scores have more than `DECIMALS` decimals or are above 2,147.
        OSError: If a file cannot be written.
    """
    ordered = sorted(results, key=lambda result: (result.record.dataset.fingerprint, slug(result.model)))
    files = {}
    for fingerprint, members in groupby(ordered, lambda result: result.record.dataset.fingerprint):
        group = list(members)
        collections = slug("-".join(group[0].record.dataset.collections))
        files[folder / f"{fingerprint[:_DIGITS]}-{collections}.npz"] = _render_file(group)
    write_files(files)


def _render_file(results: Sequence[Result]) -> bytes:
    """Render the results of several models on the same tests."""
    models = [result.model for result in results]
    if len(set(models)) < len(models):
        raise ValueError(f"two of the models on the same tests have the same name: {', '.join(models)}")
    values = [json.loads(result.content) for result in results]
    arrays: dict[str, Any] = {"models.results": np.array(json.dumps(values)), "models.names": np.array(models)}
    for test_name in results[0].tests:
        key, rows = results[0].rows[test_name], []  # in the order of the first result
        for result in results:
            try:
                rows.append(align(result.rows[test_name], key))
            except ValueError as error:
                reason = f"the rows of {test_name} differ from those of {results[0].model}"
                raise ValueError(f"{result.place}: {reason}: {error}") from None
        arrays |= {
            f"{test_name}.ids": np.frombuffer(bytes.fromhex("".join(key.ids)), _ID),
            f"{test_name}.is_test": key.is_test,
            f"{test_name}.fit_split": np.array(key.fit_split),
            f"{test_name}.targets": key.targets,
            f"{test_name}.topics": key.topics,
            f"{test_name}.topic_names": np.array(key.topic_names),
            f"{test_name}.scores": _pack_scores(rows),
        }
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _pack_scores(rows: Sequence[ScoredRows]) -> npt.NDArray[np.uint8]:
    scores = np.stack([model_rows.scores for model_rows in rows])
    with np.errstate(invalid="ignore"):  # numbers out of range are refused below
        units = np.where(np.isnan(scores), _MISSING, np.rint(scores * _UNITS)).astype("<i4")
    if not np.array_equal(_scale(units), scores, equal_nan=True):
        raise ValueError(f"scores have more than {DECIMALS} decimals or are too large, and cannot be stored")
    return np.ascontiguousarray(units.reshape(-1, 1).view(np.uint8).T)


def _scale(units: npt.NDArray[np.int32]) -> RoundedScores:
    return round_scores(np.where(units == _MISSING, np.nan, units / _UNITS))


def read_records(folder: Path) -> list[Result]:
    """Read the numbers of all results, without scores, sorted by data set and model.

    Raises:
        InputError: If a file is damaged.
    """
    results = []
    for path in sorted(folder.glob("*.npz")):
        text = str(_load(path, "models.")["results"])
        results += [
            Result(parse_record(value, str(path)), {}, {}, render_json(value), str(path))
            for value in parse_json(text.encode(), str(path), _REMEDY)
        ]
    return results


def add_rows(results: Iterable[Result]) -> list[Result]:
    """Read the scored rows of all tests of results.

    Args:
        results: Results of `read_records`, sorted in the same way. They may lack some of their tests.

    Returns:
        The results with rows. Results on the same test share the arrays of its rows.

    Raises:
        InputError: If a file is damaged.
    """
    complete = []
    for place, members in groupby(results, lambda result: result.path):
        path, group = Path(place), list(members)
        models = _load(path, "models.")["names"].tolist()
        names = dict.fromkeys(test_name for result in group for test_name in result.tests)
        rows = {name: _read_rows(path, name, find_configuration(name).kind, models) for name in names}
        for result in group:
            chosen = {test_name: rows[test_name][result.model] for test_name in result.tests}
            complete.append(replace(result, rows=chosen))
    return complete


def _read_rows(path: Path, test_name: str, kind: Kind, models: Sequence[str]) -> dict[str, ScoredRows]:
    """Return the rows of a test by name of the model."""
    arrays = _load(path, f"{test_name}.")
    key = Key(
        kind=kind,
        ids=[row_id.hex() for row_id in arrays["ids"].tolist()],
        is_test=arrays["is_test"],
        targets=arrays["targets"],
        topics=arrays["topics"],
        topic_names=tuple(arrays["topic_names"].tolist()),
        fit_split=str(arrays["fit_split"]),
    )
    units = np.ascontiguousarray(arrays["scores"].T).view("<i4")
    tables = _scale(units).reshape(len(models), len(key.ids), -1)
    if not kind.has_options:
        tables = tables[:, :, 0]
    return {model: make_scored_rows(key, RoundedScores(table)) for model, table in zip(models, tables, strict=True)}


def _load(path: Path, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a file whose names begin with a prefix, by the rest of their names."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name.removeprefix(prefix): arrays[name] for name in arrays.files if name.startswith(prefix)}
    except (OSError, EOFError, ValueError, BadZipFile, zlib.error) as error:
        raise InputError(str(path), f"is damaged ({error})", _REMEDY) from None


def list_references(results: Sequence[Result], folder: Path = FOLDER) -> list[Result]:
    """List the reference results on the same rows as given results. If there are none, log a warning.

    Args:
        results: Results of any models.
        folder: The folder of the reference results.

    Returns:
        A result per reference model and dataset, with the tests that have the same fingerprint in one of the results.
        The names of the models mark them as references. Tests are omitted if `results` contains a result of the same
        model on them.
    """
    tests, own_tests = set[tuple[str, str]](), set[tuple[str, tuple[str, str]]]()
    descriptions: dict[str, None] = {}
    for result in results:
        for name, fingerprint in _list_tests(result):
            tests.add((name, fingerprint))
            own_tests.add((result.record.model.fingerprint, (name, fingerprint)))
            descriptions[f"{_name_data(result)} {name} {fingerprint[:_DIGITS]}"] = None
    references, all_references = [], read_records(folder)
    has_same_rows = False
    for reference in all_references:
        shared_tests = [test for test in _list_tests(reference) if test in tests]
        has_same_rows |= bool(shared_tests)
        model = reference.record.model.fingerprint
        names = [name for name, fingerprint in shared_tests if (model, (name, fingerprint)) not in own_tests]
        if names:
            chosen = {name: reference.tests[name] for name in names}
            references.append(replace(reference, record=structs.replace(reference.record, tests=chosen)))
    if not has_same_rows:
        data_names = sorted({_name_data(reference) for reference in all_references})
        _logger.warning(_NO_REFERENCE, ", ".join(descriptions), ", ".join(data_names))
    marked = []
    for reference in add_rows(references):
        named = structs.replace(reference.record.model, name=f"{reference.model} ({MARK})")
        marked.append(replace(reference, record=structs.replace(reference.record, model=named)))
    return marked


def _list_tests(result: Result) -> list[tuple[str, str]]:
    """List the name and the fingerprint of each test of a result."""
    return [(name, test.fingerprint) for name, test in result.tests.items()]


def _name_data(result: Result) -> str:
    return " and ".join(result.record.dataset.collections)
