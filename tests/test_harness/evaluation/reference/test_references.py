"""Reference results: compact storage, and comparison with the results of a user."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

import harness
from harness.cli import main
from harness.evaluation.reference.selection import FOLDER, list_references
from harness.evaluation.reference.storage import read_records, read_rows, write_references
from harness.evaluation.results import Result
from harness.support.errors import ComparisonError
from pyramid_paraphrase.pyramids.corpus import Corpus

Capture = pytest.CaptureFixture[str]

TESTS = ("binary", "ranking", "peers")


def evaluate(spec: str, tests: tuple[str, ...] = TESTS) -> Result:
    return harness.evaluate(spec, data="sample", tasks=tests, resamples=10)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    results = [evaluate("one-hot"), evaluate("tf-idf")]
    write_references(results, tmp_path)
    rows = [file.name for file in tmp_path.glob("*.rows.csv.gz")]
    assert len(rows) == 3  # both models share them
    read = read_records(tmp_path)
    assert [result.content for result in read] == [result.content for result in results]
    for stored, result in zip(read, results, strict=True):
        stored_rows = read_rows(tmp_path, stored, TESTS)
        assert list(stored_rows) == list(result.rows) == list(TESTS)
        for test_name, scored in stored_rows.items():
            expected = result.rows[test_name]
            assert scored.ids == expected.ids
            assert scored.targets.tolist() == expected.targets.tolist()
            assert np.array_equal(scored.scores, expected.scores, equal_nan=True)


def test_the_files_are_the_same_each_time(tmp_path: Path) -> None:
    result = evaluate("one-hot")
    for folder in (tmp_path / "first", tmp_path / "second"):
        folder.mkdir()
        write_references([result], folder)
    first, second = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in tmp_path.iterdir())
    assert first == second


def test_results_on_other_rows_are_refused(tmp_path: Path) -> None:
    result = evaluate("one-hot", ("ranking",))
    test = dataclasses.replace(
        result.tests["ranking"], fingerprint=evaluate("tf-idf", ("binary",)).tests["binary"].fingerprint
    )
    damaged = dataclasses.replace(result, record=dataclasses.replace(result.record, tests={"ranking": test}))
    with pytest.raises(ValueError, match=mentions("one-hot: ... rows of ranking")):
        write_references([evaluate("tf-idf", ("binary",)), damaged], tmp_path)
    assert not list(tmp_path.iterdir())


def test_only_tests_with_the_same_fingerprint_are_chosen(tmp_path: Path) -> None:
    write_references([evaluate("one-hot"), evaluate("tf-idf")], tmp_path)
    (reference,) = list_references([evaluate("one-hot", ("ranking",))], tmp_path)
    assert (reference.model, list(reference.tests), list(reference.rows)) == (
        "tf-idf (reference)",
        ["ranking"],
        ["ranking"],
    )


def test_a_model_is_not_its_own_reference(tmp_path: Path) -> None:
    """No reference is added, and there is no error."""
    result = evaluate("one-hot", ("ranking",))
    write_references([result], tmp_path)
    assert list_references([result], tmp_path) == []


def test_a_model_is_a_reference_on_tests_without_its_own_result(tmp_path: Path) -> None:
    """Another model of the user was evaluated on them."""
    write_references([evaluate("one-hot")], tmp_path)
    results = [evaluate("one-hot", ("ranking",)), evaluate("tf-idf", ("binary", "ranking"))]
    (reference,) = list_references(results, tmp_path)
    assert (reference.model, list(reference.tests)) == ("one-hot (reference)", ["binary"])


def test_other_rows_have_no_reference(tmp_path: Path) -> None:
    write_references([evaluate("tf-idf", ("ranking",))], tmp_path)
    with pytest.raises(ComparisonError, match=mentions("same rows ... sample binary b80dc816ce66. Evaluate on sample")):
        list_references([evaluate("one-hot", ("binary",))], tmp_path)


def test_the_package_has_results_on_the_sample(tmp_path: Path, capsys: Capture) -> None:
    output = str(tmp_path / "results")
    harness.evaluate("char-ngrams,name=mine", data="sample", tasks=["ranking"], output=output)
    assert main(["report", output, "--with", "reference"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "(reference)" in line]
    assert {"one-hot", "tf-idf", "MiniLM"} <= set(names)
    assert main(["compare", output, "--with", "reference", "--against", "mine", "--format", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert "one-hot (reference)" in compared["comparisons"][0]["values"]


def test_results_have_references_in_python() -> None:
    results = harness.evaluate(["one-hot"], data="sample", tasks=["ranking"], resamples=10).with_references()
    assert results["MiniLM (reference)"].tests["ranking"].metrics["success_rate"] > 0.8


def test_stored_metrics_follow_from_stored_scores() -> None:
    """Every number of the package is recomputed from the stored scores."""
    from harness.metrics.measuring import measure_rows

    records = read_records(FOLDER)
    assert len(records) >= 12
    for record in records:
        stored_rows = read_rows(FOLDER, record, list(record.tests))
        assert len(stored_rows) == len(record.tests) > 0
        for test_name, rows in stored_rows.items():
            assert measure_rows(rows) == pytest.approx(record.tests[test_name].numbers)


def test_the_package_has_results_on_duc_2007(real: Corpus) -> None:
    """The fingerprints are those of the current rules, on the real archive."""
    from pyramid_paraphrase.building.build import build_test

    stored = {test.fingerprint for record in read_records(FOLDER) for test in record.tests.values()}
    for name in ("binary", "ranking", "binary_matched", "ranking_matched"):
        assert build_test(real, name).fingerprint in stored
