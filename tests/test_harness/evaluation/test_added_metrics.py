"""Metrics of `evaluate` that a user names: their inputs, values, intervals, and what happens if they fail."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture, Run, run
from helpers.messages import mentions
from helpers.metric_modules import METRICS, write_metric
from helpers.results import split_tables
from helpers.scored_rows import make_split
from helpers.submissions import FORM, TESTS

from harness.api.evaluating import evaluate
from harness.evaluation.module_metrics import AddedMetric, load_metrics
from harness.evaluation.record import OtherMetric
from harness.evaluation.results import read_result
from harness.leaderboards.board import Board
from harness.leaderboards.checks import check_folder
from harness.leaderboards.verdicts import enter_submission
from harness.metrics.named_metrics import locate_metrics
from harness.metrics.rows import ScoredSplit
from harness.support.errors import MetricError
from pyramid_paraphrase.rules.options import GRADED_PAIRS, KINDS, MATCHES, PAIRS, QUESTIONS

ALL = [METRICS / name for name in ("accuracy", "matthews_correlation", "roc_auc", "pearsonr")]
TOPICS = [[0, 0], [0, 0], [1, 1], [1, 1], [0, 1]]
PAIR_ROWS = make_split(PAIRS, [0.9, 0.2, 0.8, 0.1, 0.6], [1, 0, 0, 0, 1], TOPICS, 2, 0.5)
QUESTION_ROWS = make_split(QUESTIONS, [[0.9, 0.1, 0.0], [0.2, 0.1, 0.7], [0.5, 0.5, 0.1]], [0, 1, 1], TOPICS[:3], 2)
GRADED_ROWS = make_split(GRADED_PAIRS, [0.1, 0.2, 0.4, 0.3, 0.5], [0, 1, 4, 2, 5], TOPICS, 2)
MATCH_ROWS = make_split(MATCHES, [[0.9, 0.1], [0.2, 0.1]], [0, -1], TOPICS[:2], 1, 0.5)


def measure_added(metrics: list[AddedMetric], split: ScoredSplit, resamples: int) -> dict[str, OtherMetric]:
    """Measure a split by the modules that fit it."""
    measured: dict[str, OtherMetric] = {}
    for metric in metrics:
        if split.kind in metric.kinds:
            measured |= metric.measure(split, resamples, 0)
    return measured


def measure(folder: Path, split: ScoredSplit, resamples: int = 20) -> dict[str, OtherMetric]:
    """Measure a split by the module in a folder."""
    return measure_added(load_metrics(locate_metrics([folder]), KINDS), split, resamples)


def test_the_features_of_a_module_decide_what_it_measures() -> None:
    """By hand. Pairs: 4 of 5 decisions at 0.5 are right, and 5 of 6 paraphrases score above another pair.

    Questions: the first option wins, the third, and the first of two that tie, so one of three answers is right.
    """
    metrics = load_metrics(locate_metrics(ALL), KINDS)
    assert {name: metric.value for name, metric in measure_added(metrics, PAIR_ROWS, 5).items()} == {
        "accuracy": 0.8,
        "matthews_correlation": 0.666667,  # (2 * 2 - 1 * 0) / sqrt(3 * 2 * 3 * 2)
        "roc_auc": 0.833333,
    }
    questions = measure_added(metrics, QUESTION_ROWS, 5)
    assert questions.keys() == {"accuracy", "matthews_correlation"}
    assert questions["accuracy"].value == 0.333333
    grades = measure_added(metrics, GRADED_ROWS, 5)
    assert grades.keys() == {"pearsonr", "pearsonr.p-value"}
    expected = np.corrcoef([0.1, 0.2, 0.4, 0.3, 0.5], [0, 1, 4, 2, 5])[0, 1]
    assert grades["pearsonr"].value == pytest.approx(expected, abs=1e-6)
    assert measure_added(metrics, MATCH_ROWS, 5) == {}


def test_a_result_has_the_values_and_intervals_of_named_metrics(tmp_path: Path) -> None:
    """Accuracy is also a metric of ours: the module gives the same value, and the same interval from all resamples."""
    named = evaluate("one-hot", "sample", ["binary", "ranking"], cache=False, resamples=200, metrics=ALL[:3])
    plain = evaluate("one-hot", "sample", ["binary", "ranking"], cache=False, resamples=200)
    binary = named.tests["binary"]
    assert binary.other_metrics["accuracy"].value == binary.metrics["accuracy"]
    assert binary.other_metrics["accuracy"].interval == binary.intervals["accuracy"]
    assert binary.other_metrics["matthews_correlation"].value == binary.metrics["mcc"]
    assert binary.other_metrics["matthews_correlation"].interval == binary.intervals["mcc"]
    assert binary.other_metrics["roc_auc"].value == pytest.approx(binary.metrics["roc_auc"], abs=1e-6)
    assert named.tests["ranking"].other_metrics.keys() == {"accuracy", "matthews_correlation"}
    written = read_result(named.write(tmp_path))
    assert written.record == named.record
    assert written.record.metric_modules == {metric.name: metric.sha256 for metric in locate_metrics(ALL[:3])}
    assert written.tasks["binary"]["other_metrics"]["accuracy"]["value"] == binary.metrics["accuracy"]
    # Without named metrics, a result is as it was, and lies in a file of its own.
    assert "metric" not in plain.signature
    assert {"metric_modules", "other_metrics"}.isdisjoint(json.loads(plain.content))
    assert "other_metrics" not in plain.tasks["binary"]
    assert plain.record.settings_hash != named.record.settings_hash
    assert dict(plain.tests["binary"].metrics) == dict(binary.metrics)


def test_named_metrics_change_neither_the_ranking_nor_the_best_models(capsys: Capture, tmp_path: Path) -> None:
    """This metric is best where the model calls nothing a paraphrase."""
    folder = write_metric(tmp_path / "no_share", "return {'no_share': predictions.count(0) / len(predictions)}")
    command = ["evaluate", "--data", "sample", "--task", "binary", "--resamples", "20", "--quiet", "--no-cache"]
    command += ["--model", "one-hot", "--model", "tf-idf"]
    tables = []
    for number, options in enumerate(([], ["--metric", str(folder)])):
        assert run(*command, *options, "--output", tmp_path / str(number)) == 0
        tables.append(capsys.readouterr().out)
    (plain,), (named,) = map(split_tables, tables)
    assert plain == named
    assert len(plain) == 7  # the header, two sections, two models and two shortcuts
    (other,) = (part.splitlines() for part in tables[1].split("\n\n") if part.startswith("other metrics"))
    assert other[0].split() == ["other", "metrics", "binary", "no_share"]
    assert len(other) == 5
    assert "*" not in "".join(other)
    assert "Models are not ranked by them" in " ".join(tables[1].split())


def test_leaderboards_ignore_named_metrics(board: Board) -> None:
    """The submission passes every check, and none of its named metrics is among the checked ones."""
    result = evaluate("one-hot", "sample", list(TESTS), cache=False, resamples=100, metrics=METRICS / "accuracy")
    folder = enter_submission(board, result, FORM)
    checked = check_folder(board, folder)
    assert checked.result.tests["ranking"].other_metrics.keys() == {"accuracy"}
    assert checked.tests["ranking"].metrics.keys() == {"success_rate", "mrr"}


def test_reports_in_all_formats_show_named_metrics(tmp_path: Path) -> None:
    from harness.api.collection import Results

    results = Results([evaluate("one-hot", "sample", "binary", cache=False, resamples=20, metrics=ALL[0])])
    value = results[0].tests["binary"].metrics["accuracy"]
    for suffix in ("csv", "md", "tex", "txt"):
        text = (results.report(tmp_path / f"table.{suffix}") or tmp_path / f"table.{suffix}").read_text()
        assert "accuracy" in text, suffix
        assert f"{value:.3f}" in text, suffix
    frame = results.to_pandas()
    assert frame[frame.metric == "other_metrics.accuracy"].value.tolist() == [value]


def test_a_stored_result_is_of_the_same_metrics_with_the_same_code(capsys: Capture, tmp_path: Path) -> None:
    folder = write_metric(tmp_path / "made", "return {'made': 0.25}")
    command = ["evaluate", "--data", "sample", "--task", "binary", "--model", "one-hot", "--resamples", "5", "--quiet"]
    command += ["--no-cache", "--output", str(tmp_path / "results")]

    def find(*options: str) -> tuple[bool, bool]:
        """Return whether all results were found, and whether the table has the metric."""
        assert run(*command, *options) == 0
        text = capsys.readouterr().out
        return "evaluated before" in text, "binary made" in text

    metric = ("--metric", str(folder))
    assert [find(*metric), find(*metric), find(), find(), find(*metric)] == [
        (False, True),
        (True, True),
        (False, False),
        (True, False),
        (True, True),
    ]
    write_metric(folder, "return {'made': 0.75}")
    assert find(*metric) == (False, True)
    assert list_values(tmp_path / "results" / "one-hot") == {0.25, 0.75}


def test_code_of_the_same_size_and_time_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python took the compiled files of the code before, whose source had the same size and second: 0.25 twice."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder, values = tmp_path / "made", []
    for script, value in (("0.25", "0.0"), ("0.50", "0.0"), ("0.50", "0.1")):
        write_metric(folder, f"from .part import VALUE; return {{'made': VALUE + {script}}}")
        (folder / "part.py").write_text(f"VALUE = {value}")
        for path in folder.glob("*.py"):
            os.utime(path, (1_700_000_000, 1_700_000_000))
        values.append(measure(folder, PAIR_ROWS)["made"].value)
    assert values == [0.25, 0.5, 0.6]
    assert sorted(path.name for path in folder.iterdir()) == ["made.py", "part.py"]


def list_values(folder: Path) -> set[float]:
    """Return the values of the metric `made` in all results of a folder."""
    tests = [read_result(path).tests["binary"] for path in folder.glob("*.json")]
    return {test.other_metrics["made"].value for test in tests if test.other_metrics}


@pytest.mark.full
def test_a_sweep_measures_by_named_metrics(tmp_path: Path, run_python: Run) -> None:
    models = tmp_path / "models.txt"
    models.write_text("one-hot\n")
    code = "import sys; from harness.cli import main; sys.exit(main(sys.argv[1:]))"
    command = ["sweep", models, "--data", "sample", "--task", "binary", "--workers", "1", "--resamples", "5", "--quiet"]
    done = run_python(code, *command, "--output", tmp_path / "sweep", "--metric", METRICS / "accuracy")
    assert done.returncode == 0, done.stderr
    assert "binary accuracy" in done.stdout
    (path,) = (tmp_path / "sweep" / "results" / "one-hot").glob("*.json")
    assert read_result(path).tests["binary"].other_metrics.keys() == {"accuracy"}


MISUSES = {
    "a text": ("return {'made': 'good'}", "made = 'good'. ... module that returns"),
    "a truth": ("return {'made': True}", "made = True. ... module that returns"),
    "an array": ("import numpy; return {'made': numpy.ones(3)}", "module that returns"),
    "not finite": ("return {'made': float('nan')}", "made = nan. ... module that returns"),
    "no mapping": ("return 0.5", "0.5. ... module that returns"),
    "no value": ("return {}", "{}. ... module that returns"),
    "no name": ("return {'a\\nb': 1.0}", "module that returns"),
    "an empty name": ("return {'': 1.0}", "name ''. ... module that returns"),
    "a colon in a name": ("return {'a:b': 1.0}", "name 'a:b'. ... module that returns"),
    "a long text": ("return 58 * 'x'", f"returned '{58 * 'x'}'. ... module that returns"),
    "a longer text": ("return 59 * 'x'", f"returned '{29 * 'x'}[...]{29 * 'x'}'. ... module that returns"),
    "a long name": ("return {51 * 'a': 1.0}", "module that returns"),
    "a number as a name": ("return {1: 1.0}", "name 1. ... module that returns"),
    "an error": ("raise KeyError('pos_label')", "(KeyError: 'pos_label'). Correct the module"),
}


@pytest.mark.parametrize(("body", "message"), MISUSES.values(), ids=MISUSES)
def test_a_module_that_gives_no_number(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(MetricError) as raised:
        measure(write_metric(tmp_path / "made", body), PAIR_ROWS)
    assert re.search(mentions(f"metric made: ... {message}"), str(raised.value))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            "import nothing_of_this_name",
            "metric made: ... (ModuleNotFoundError: No module named 'nothing_of_this_name') ... module",
        ),
        ("import evaluate", "/made/made.py ... evaluate.Metric"),
        (
            "import evaluate\nclass Made(evaluate.Metric): pass",
            "metric made: ... made (NotImplementedError: NotImplementedError) ... module",
        ),
    ],
)
def test_a_module_that_cannot_be_loaded(script: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "made.py").write_text(script)
    for _ in range(2):
        with pytest.raises(MetricError) as raised:
            load_metrics(locate_metrics([tmp_path / "made"]), KINDS)
        assert re.search(mentions(message), str(raised.value))


@pytest.mark.parametrize(("predictions", "references"), [("string", "string"), ("int32", "float64")])
def test_a_module_whose_features_fit_no_test(predictions: str, references: str, tmp_path: Path) -> None:
    folder = write_metric(tmp_path / "made", "return {'made': 1.0}", predictions, references)
    with pytest.raises(MetricError, match=mentions("metric made: ... features ... references")):
        load_metrics(locate_metrics([folder]), KINDS)


def test_a_module_that_fits_no_chosen_test_is_refused_before_a_model_is_loaded(capsys: Capture, tmp_path: Path) -> None:
    command = ["evaluate", "--data", "sample", "--task", "ranking", "--quiet", "--output", str(tmp_path)]
    assert run(*command, "--model", "one-hot", "--metric", METRICS / "roc_auc") == 2
    assert re.search(mentions("metric roc_auc: ... pairs, ... Add such a test"), capsys.readouterr().err)
    assert not list(tmp_path.rglob("*.json"))


def test_a_module_of_two_classes_measures_pairs_only(tmp_path: Path) -> None:
    """As the module f1 of the Hub, whose arithmetic refuses more than two classes."""
    body = "from sklearn.metrics import f1_score; return {'f1': f1_score(references, predictions)}"
    metrics = locate_metrics([write_metric(tmp_path / "f1", body)])
    loaded = load_metrics(metrics, [PAIRS, QUESTIONS])
    assert measure_added(loaded, PAIR_ROWS, 5)["f1"].value == 0.8  # 2 * 2 / (2 * 2 + 1)
    assert measure_added(loaded, QUESTION_ROWS, 5) == {}
    message = "metric f1: ... pairs, ... (on questions, ... multiclass ... Add such a test"
    with pytest.raises(MetricError, match=mentions(message)):
        load_metrics(metrics, [QUESTIONS])


_ALTERNATIVES = """
import datasets
import evaluate

TEXT, NUMBER = datasets.Value("string"), datasets.Value("int32")


class Made(evaluate.Metric):
    def _info(self):
        features = [
            {"predictions": TEXT, "references": TEXT},
            {"predictions": NUMBER, "references": TEXT},
            {"predictions": NUMBER, "prediction_scores": NUMBER, "references": NUMBER},
            {"predictions": NUMBER, "references": NUMBER, "weights": NUMBER},
            {"prediction_scores": datasets.Value("float32"), "references": NUMBER},
        ]
        return evaluate.MetricInfo(description="", citation="", features=[datasets.Features(row) for row in features])

    def _compute(self, prediction_scores, references):
        return {"made": 1.0}
"""


def test_the_first_features_with_two_columns_of_numbers_are_the_input(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "made.py").write_text(_ALTERNATIVES)
    (metric,) = load_metrics(locate_metrics([tmp_path / "made"]), KINDS)
    assert (metric.kinds, metric.column) == ((PAIRS,), "prediction_scores")


def test_names_of_values(tmp_path: Path) -> None:
    letters = "AMZamz059_.-"
    measured = measure(
        write_metric(tmp_path / "made", f"return {{**dict.fromkeys('{letters}', 1.0), 50 * 'a': 1.0}}"), PAIR_ROWS
    )
    assert list(measured) == [f"made.{name}" for name in (*letters, "a" * 50)]


def test_questions_are_tried_with_four_options_one_of_which_is_never_right(tmp_path: Path) -> None:
    """The options of the trial, and a number that NumPy draws first with the seed 0."""
    body = "return {'made': 1.0 / ((predictions, references, numpy.random.randint(1000)) == TRIAL)}"
    imports = "import numpy; TRIAL = ([0, 1, 2, 3], [0, 1, 2, 2], 684)"
    (metric,) = load_metrics(locate_metrics([write_metric(tmp_path / "made", f"{imports}; {body}")]), KINDS)
    assert metric.kinds == (PAIRS, QUESTIONS)


_WITH_FILES = """
import datasets
import evaluate


class Made(evaluate.Metric):
    def _info(self):
        number = datasets.Value("int32")
        features = datasets.Features({"predictions": number, "references": number})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _download_and_prepare(self, dl_manager):
        self.value = 0.25

    def _compute(self, predictions, references):
        return {"made": self.value}
"""


def test_a_module_prepares_its_files(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "made.py").write_text(_WITH_FILES)
    assert measure(tmp_path / "made", PAIR_ROWS)["made"].value == 0.25


def test_the_interval_of_one_resample(tmp_path: Path) -> None:
    folder = write_metric(tmp_path / "made", "return {'made': 0.5}")
    assert measure(folder, PAIR_ROWS, 1) == {"made": OtherMetric(0.5, (0.5, 0.5))}


def test_a_score_at_the_threshold_is_a_paraphrase() -> None:
    split = dataclasses.replace(PAIR_ROWS, threshold=0.6)
    assert measure(METRICS / "accuracy", split)["accuracy"].value == 0.8


def test_warnings_in_trials_and_resamples_are_not_shown(tmp_path: Path) -> None:
    """The trial has four rows and the test three. Warnings are errors here."""
    body = "import warnings; len(predictions) == 3 or warnings.warn('few rows'); return {'made': 1.0}"
    measured = measure(write_metric(tmp_path / "made", body), QUESTION_ROWS)
    assert measured == {"made": OtherMetric(1.0, (1.0, 1.0))}


def test_code_that_changes_after_its_hash_was_taken_is_not_run(tmp_path: Path) -> None:
    metrics = locate_metrics([write_metric(tmp_path / "made", "return {'made': 1.0}")])
    write_metric(tmp_path / "made", "return {'made': 0.0}")
    with pytest.raises(MetricError, match=mentions("metric made: ... started ... Run")):
        load_metrics(metrics, KINDS)


def test_a_metric_that_fails_on_a_resample_has_no_interval(caplog: pytest.LogCaptureFixture) -> None:
    """Topic 1 has no paraphrase, so a resample of topic 1 alone has no area under the ROC curve."""
    with caplog.at_level(logging.WARNING):
        measured = measure(METRICS / "roc_auc", PAIR_ROWS)
    assert measured["roc_auc"].interval is None
    assert re.search(mentions("metric roc_auc ... no interval for pairs, ... resample"), caplog.text)


def test_scores_that_become_equal_in_single_precision_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    scores = [100.000001, 100.0, 1.0, 2.0, 3.0]
    split = make_split(PAIRS, scores, [1, 0, 1, 0, 1], TOPICS, 2, 0.5)
    with caplog.at_level(logging.WARNING):
        measure(METRICS / "roc_auc", split)
    assert re.search(mentions("metric roc_auc ... float32, ... equal"), caplog.text)
    caplog.clear()
    measure(METRICS / "roc_auc", PAIR_ROWS)
    assert "float32" not in caplog.text


def test_a_module_that_draws_numbers_gives_the_same_result_in_each_run(tmp_path: Path) -> None:
    folder = write_metric(tmp_path / "made", "import numpy; return {'made': numpy.random.rand()}")
    np.random.seed(1)  # noqa: NPY002 - the generator that modules use
    first = measure(folder, PAIR_ROWS)
    np.random.seed(2)  # noqa: NPY002
    state = np.random.get_state()  # noqa: NPY002
    assert measure(folder, PAIR_ROWS) == first
    assert np.array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002
