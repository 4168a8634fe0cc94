"""Selection of the reference results that can be compared with given results, because they have the same rows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness.evaluation.reference.storage import add_rows, read_records
from harness.evaluation.results import Result

FOLDER = Path(__file__).parent / "data"
"""The reference results of the package, which `benchmarks/reference_results.py` writes."""

MARK = "reference"
"""Ending of the names of reference models, in parentheses."""

_DIGITS = 12
_NO_REFERENCE = "no reference result has the same rows as %s. There are references for the default rules on %s"

_logger = logging.getLogger(__name__)


class _Test(NamedTuple):
    """The identity of a test.

    Attributes:
        name: Name of the configuration.
        fingerprint: Fingerprint of the rows.
    """

    name: str
    fingerprint: str


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
    tests, own_tests = set[_Test](), set[tuple[str, _Test]]()
    for result in results:
        for test in _list_tests(result):
            tests.add(test)
            own_tests.add((result.record.model.fingerprint, test))
    references, all_references = [], read_records(folder)
    has_same_rows = False
    for reference in all_references:
        shared_tests = [test for test in _list_tests(reference) if test in tests]
        has_same_rows |= bool(shared_tests)
        model = reference.record.model.fingerprint
        names = [test.name for test in shared_tests if (model, test) not in own_tests]
        if names:
            chosen = {name: reference.tests[name] for name in names}
            references.append(replace(reference, record=replace(reference.record, tests=chosen)))
    if not has_same_rows:
        data_names = sorted({_name_data(reference) for reference in all_references})
        _logger.warning(_NO_REFERENCE, ", ".join(_describe_tests(results)), ", ".join(data_names))
    return [_mark(reference) for reference in add_rows(references)]


def _list_tests(result: Result) -> list[_Test]:
    return [_Test(name, test.fingerprint) for name, test in result.tests.items()]


def _mark(reference: Result) -> Result:
    record = reference.record
    model = replace(record.model, name=f"{record.model.name} ({MARK})")
    return replace(reference, record=replace(record, model=model))


def _describe_tests(results: Sequence[Result]) -> list[str]:
    """Describe each distinct test of the results by its data, name and fingerprint."""
    tests: dict[str, None] = {}
    for result in results:
        for name, test in result.tests.items():
            tests[f"{_name_data(result)} {name} {test.fingerprint[:_DIGITS]}"] = None
    return list(tests)


def _name_data(result: Result) -> str:
    return " and ".join(result.record.dataset.collections)
