"""Selection of the reference results that can be compared with given results, because they have the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from harness.evaluation.reference.storage import read_records, read_rows
from harness.evaluation.results import Result
from harness.support.errors import ComparisonError

FOLDER = Path(__file__).parent / "data"
"""The reference results of the package, which `benchmarks/reference_results.py` writes."""

MARK = "reference"
"""Ending of the names of reference models, in parentheses."""

_DIGITS = 12


class _Test(NamedTuple):
    """The identity of a test.

    Attributes:
        name: Name of the configuration.
        fingerprint: Fingerprint of the rows.
    """

    name: str
    fingerprint: str


def list_references(results: Sequence[Result], folder: Path = FOLDER) -> list[Result]:
    """List the reference results on the same rows as given results.

    Args:
        results: Results of any models.
        folder: The folder of the reference results.

    Returns:
        A result per reference model and dataset, with the tests that have the same fingerprint in one of the results.
        The names of the models mark them as references. Tests are omitted if `results` contains a result of the same
        model on them.

    Raises:
        ComparisonError: If no reference result has one of the fingerprints.
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
            references.append(_choose_tests(reference, names, folder))
    if not has_same_rows:
        raise ComparisonError(_explain_missing(results, all_references))
    return references


def _list_tests(result: Result) -> list[_Test]:
    return [_Test(name, test.fingerprint) for name, test in result.tests.items()]


def _choose_tests(reference: Result, test_names: Sequence[str], folder: Path) -> Result:
    """Read the scores of some tests of a reference result, and omit its other tests."""
    record = reference.record
    model = replace(record.model, name=f"{record.model.name} ({MARK})")
    chosen = replace(record, model=model, tests={name: record.tests[name] for name in test_names})
    return replace(reference, record=chosen, rows=read_rows(folder, reference, test_names))


def _explain_missing(results: Sequence[Result], references: Sequence[Result]) -> str:
    tests: dict[str, None] = {}
    for result in results:
        for name, test in result.tests.items():
            tests[f"{_name_data(result)} {name} {test.fingerprint[:_DIGITS]}"] = None
    data_names = sorted({_name_data(reference) for reference in references})
    reason = f"no reference result has the same rows as {', '.join(tests)}"
    remedy = f"Evaluate on {' or '.join(data_names)} with the default rules, or omit --with {MARK}"
    return f"{reason}. {remedy}"


def _name_data(result: Result) -> str:
    return " and ".join(result.record.dataset.collections)
