"""Choose the reference results that compare with some results: those of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.evaluation.reference.storage import read_records, read_rows
from harness.evaluation.results import Result
from harness.support.errors import ComparisonError

FOLDER = Path(__file__).parent / "data"
"""The reference results of the package, which `benchmarks/reference_results.py` writes."""

MARK = "reference"
"""What names of reference models end in, in parentheses."""

_DIGITS = 12


def list_references(results: Sequence[Result], folder: Path = FOLDER) -> list[Result]:
    """List the reference results on the rows of some results.

    Args:
        results: Results of any models.
        folder: The folder of the reference results.

    Returns:
        A result per reference model and data, with the tests on which the fingerprint of one of the results is the
        same. The models are named as references. A model that is among the results itself is left out.

    Raises:
        ComparisonError: If no reference result has one of the fingerprints.
    """
    fingerprints = {(name, test.fingerprint) for result in results for name, test in result.tests.items()}
    models = {result.record.model.fingerprint for result in results}
    references, known = [], read_records(folder)
    has_same_rows = False
    for reference in known:
        names = [name for name, test in reference.tests.items() if (name, test.fingerprint) in fingerprints]
        has_same_rows |= bool(names)
        if names and reference.record.model.fingerprint not in models:
            references.append(_choose_tests(reference, names, folder))
    if not has_same_rows:
        raise ComparisonError(_explain_missing(results, known))
    return references


def _choose_tests(reference: Result, test_names: Sequence[str], folder: Path) -> Result:
    """Read the scores of some tests of a reference result, and leave the other tests out."""
    record = reference.record
    model = replace(record.model, name=f"{record.model.name} ({MARK})")
    chosen = replace(record, model=model, tests={name: record.tests[name] for name in test_names})
    return replace(reference, record=chosen, rows=read_rows(folder, reference, test_names))


def _explain_missing(results: Sequence[Result], references: Sequence[Result]) -> str:
    tests: dict[str, None] = {}
    for result in results:
        for name, test in result.tests.items():
            tests[f"{_name_data(result)} {name} {test.fingerprint[:_DIGITS]}"] = None
    known = sorted({_name_data(reference) for reference in references})
    reason = f"no reference result is of the same rows as {', '.join(tests)}"
    remedy = f"evaluate on {' or '.join(known)} by the default rules, or leave out --with {MARK}"
    return f"{reason}; {remedy}"


def _name_data(result: Result) -> str:
    return " and ".join(result.record.dataset.collections)
