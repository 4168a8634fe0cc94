"""Reference results: compact storage, and comparison with the results of a user."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.messages import mentions

import harness
from harness.cli import main
from harness.evaluation.comparing.references import FOLDER, add_rows, list_references, read_records, write_references
from harness.evaluation.results import Result
from harness.metrics.rows import ScoredRows
from harness.stats.rounding import RoundedScores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.corpus import Corpus

Capture = pytest.CaptureFixture[str]

TESTS = ("binary", "ranking", "peers")


def evaluate(spec: str, tests: tuple[str, ...] = TESTS) -> Result:
    return harness.evaluate(spec, data="sample", tasks=tests, resamples=10)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    results = [evaluate("one-hot"), evaluate("tf-idf")]
    write_references(results, tmp_path)
    (file,) = tmp_path.iterdir()  # both models share its rows
    assert file.name == f"{results[0].record.dataset.fingerprint[:12]}-sample.npz"
    read = read_records(tmp_path)
    assert [result.content for result in read] == [result.content for result in results]
    assert [result.record for result in read] == [result.record for result in results]
    assert [(dict(result.rows), result.path) for result in read] == [({}, str(file))] * 2
    for stored, result in zip(add_rows(read), results, strict=True):
        assert list(stored.rows) == list(result.rows) == list(TESTS)
        for test_name, rows in stored.rows.items():
            assert_equal(rows, result.rows[test_name])


def assert_equal(stored: ScoredRows, rows: ScoredRows) -> None:
    """Every field has the same type, shape and values. Scores have the same bits, but for the sign of NaN."""
    for name in ("kind", "ids", "topic_names", "fit_split"):
        assert getattr(stored, name) == getattr(rows, name)
    for name in ("is_test", "targets", "topics", "scores"):
        array, expected = getattr(stored, name), getattr(rows, name)
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        assert np.array_equal(array, expected, equal_nan=name == "scores")


def test_thresholds_that_are_fitted_on_train(tmp_path: Path) -> None:
    """As in tests made from pair corpora, which have their own splits."""
    result = evaluate("one-hot", ("binary",))
    rows = dataclasses.replace(result.rows["binary"], fit_split="train")
    write_references([dataclasses.replace(result, rows={"binary": rows})], tmp_path)
    (stored,) = add_rows(read_records(tmp_path))
    assert_equal(stored.rows["binary"], rows)


def test_each_data_set_has_a_file(tmp_path: Path) -> None:
    """Results are sorted by fingerprint of the data set and by model, and those of a data set keep its tests."""
    results = [evaluate(spec, tests) for spec in ("tf-idf", "one-hot") for tests in (("binary",), ("ranking",))]
    write_references(results, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    stored = add_rows(read_records(tmp_path))
    places = [(result.record.dataset.fingerprint, result.model) for result in stored]
    assert places == sorted((result.record.dataset.fingerprint, result.model) for result in results)
    for result in stored:
        (expected,) = (each for each in results if (each.model, list(each.tests)) == (result.model, list(result.tests)))
        (test_name,) = expected.tests
        assert_equal(result.rows[test_name], expected.rows[test_name])


def test_the_files_are_the_same_each_time(tmp_path: Path) -> None:
    results = [evaluate("one-hot"), evaluate("tf-idf")]
    for name, order in (("first", results), ("second", results[::-1])):
        folder = tmp_path / name
        folder.mkdir()
        write_references(order, folder)
    first, second = ({file.name: file.read_bytes() for file in folder.iterdir()} for folder in tmp_path.iterdir())
    assert first == second


def test_results_on_other_rows_are_refused(tmp_path: Path) -> None:
    first, second = evaluate("one-hot", ("ranking",)), evaluate("tf-idf", ("ranking",))
    rows = second.rows["ranking"]
    other_rows = dataclasses.replace(rows, ids=["00" * 32, *rows.ids[1:]])
    with pytest.raises(ValueError, match=mentions("tf-idf: ... rows of ranking ... one-hot ... missing rows: 1")):
        write_references([first, dataclasses.replace(second, rows={"ranking": other_rows})], tmp_path)
    assert not list(tmp_path.iterdir())


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    results = [evaluate("one-hot,name=x", ("ranking",)), evaluate("tf-idf,name=x", ("ranking",))]
    with pytest.raises(ValueError, match=mentions("same name: x, x")):
        write_references(results, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("score", [0.1234565, 2147.483648, -2147.483648, -2147.483649])
def test_scores_that_cannot_be_stored_exactly_are_refused(tmp_path: Path, score: float) -> None:
    """The numbers of a millionth from -(2 ** 31) + 1 to 2 ** 31 - 1 can be stored."""
    with pytest.raises(ValueError, match=mentions("more than 6 decimals")):
        write_references([with_score(score)], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("score", [-2147.483647, -0.000001, 0.0, 0.123457, 2147.483647])
def test_scores_are_stored_exactly(tmp_path: Path, score: float) -> None:
    write_references([with_score(score)], tmp_path)
    (stored,) = add_rows(read_records(tmp_path))
    assert stored.rows["ranking"].scores[3, 2] == score


def with_score(score: float) -> Result:
    result = evaluate("one-hot", ("ranking",))
    rows = result.rows["ranking"]
    scores = rows.scores.copy()
    scores[3, 2] = score
    return dataclasses.replace(result, rows={"ranking": dataclasses.replace(rows, scores=RoundedScores(scores))})


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: data[:0],
    "cut": lambda data: data[: len(data) // 2],
    "changed": lambda data: data.replace(data[1000:1010], bytes(10)),
    "without its first bytes": lambda data: data[100:200],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    write_references([evaluate("one-hot", ("ranking",))], tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    with pytest.raises(InputError, match=mentions(f"{file.name}: is damaged ... Install the package again")):
        read_records(tmp_path)


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


def test_other_rows_have_no_reference(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One line says so, and nothing is added."""
    write_references([evaluate("tf-idf", ("ranking",))], tmp_path)
    assert list_references([evaluate("one-hot", ("binary",))], tmp_path) == []
    assert re.search(mentions("same rows as sample binary b80dc816ce66. ... on sample"), caplog.messages[-1])


def test_a_report_without_references_is_written(
    tmp_path: Path, capsys: Capture, caplog: pytest.LogCaptureFixture
) -> None:
    """Before, the command ended in an error."""
    output = str(tmp_path / "results")
    harness.evaluate("one-hot", data="sample", tasks=["peers"], output=output)
    assert main(["report", output]) == 0
    expected = capsys.readouterr().out
    assert "one-hot" in expected
    caplog.clear()
    assert main(["report", output, "--with", "reference"]) == 0
    assert capsys.readouterr().out == expected
    (message,) = caplog.messages
    assert re.search(mentions("sample peers ... duc2007-main, propsegment, sample, superpal"), message)


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

    results = add_rows(read_records(FOLDER))
    assert len(results) == 4 * 13  # ten models of packages and three baselines on each data set
    for result in results:
        assert len(result.rows) == len(result.tests) == 4
        for test_name, rows in result.rows.items():
            stored, computed = result.tests[test_name].numbers, measure_rows(rows)
            assert computed == pytest.approx(stored)


def test_stored_results_name_the_training_data_of_their_models() -> None:
    """As the cards of all-MiniLM-L6-v2 and all-mpnet-base-v2 do."""
    for result in read_records(FOLDER):
        names = result.record.model.training_data
        has_card = result.model in ("MiniLM", "all-mpnet-base-v2")
        assert (len(names), {"snli", "multi_nli", "embedding-data/QQP"} <= set(names)) == (21 * has_card, has_card)


def test_the_package_has_results_on_duc_2007(real: Corpus) -> None:
    """The fingerprints are those of the current rules, on the real archive."""
    from pyramid_paraphrase.building.build import build_test

    stored = {test.fingerprint for record in read_records(FOLDER) for test in record.tests.values()}
    for name in ("binary", "ranking", "binary_matched", "ranking_matched"):
        assert build_test(real, name).fingerprint in stored
