"""Scores of models and shortcuts on `presence`, by label and as automatic pyramid scores.

usage: presence.py REALSUMM SOURCE MODEL      (SOURCE: pyramids of DUC 2007; MODEL: as for models.py)
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from markdown_tables import tabulate
from models import MODEL_NAME

from harness.cli import main
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.rendering.tables import format_interval
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import read_score_files
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from pyramid_paraphrase.rules.options import PRESENCE

_SHORTCUTS = ("length", "overlap", "frequency")
_SPECS = (*_SHORTCUTS, "one-hot", "tf-idf")
_METRICS = {"f1": "F", "average_precision": "AP", "roc_auc": "AUC"}


def render_labels(realsumm: Path, source: str, model: str) -> str:
    """Render a Markdown table of metrics per label, with intervals over topics."""
    specs = (*_SPECS, f"{model},name={MODEL_NAME}")
    suites = {"REALSumm": load_suite(realsumm, PRESENCE), "DUC 2007": load_suite(source, PRESENCE)}
    columns = [f"{title}, {metric}" for title in suites for metric in _METRICS.values()]
    rows = []
    for spec in specs:
        loaded = load_model(spec)
        cells = []
        for suite in suites.values():
            result = evaluate_model(loaded, suite, Settings(quiet=True))
            cells += [_show(result, metric) for metric in _METRICS]
        rows.append([loaded.name, *cells])
    return tabulate(["model", *columns], rows)


def _show(result: Result, metric: str) -> str:
    test = result.tests[PRESENCE]
    return f"{test.metrics[metric]:.3f} {format_interval(test.intervals[metric])}"


def render_scores(realsumm: Path, model: str) -> str:
    """Render a Markdown table of the agreement with people on REALSumm: automatic pyramid scores, ROUGE and length."""
    specs = ("length", "overlap", "one-hot", "tf-idf", f"{model},name={MODEL_NAME}")
    with tempfile.TemporaryDirectory() as folder:
        soft, rouge = Path(folder, "soft.tsv"), Path(folder, "rouge.tsv")
        models = [argument for spec in specs for argument in ("--model", spec)]
        _run("soft-pyramid", "--pyramids", realsumm, "--peers", realsumm, *models, "--output", soft)
        _run("rouge", "--peers", realsumm, "--references", realsumm, "--output", rouge)
        files = [*read_score_files([soft, rouge]), *read_score_files([realsumm])]
    *metrics, human = [scores for file in files for scores in file.scores if scores.name != "pyramid"]
    evaluation = evaluate_metrics(metrics, [human], CorrelationSettings())
    cells: dict[str, list[str]] = {}
    for correlation in evaluation.correlations:
        for name in COEFFICIENTS:
            value = f"{correlation.values[name]:.3f} {format_interval(correlation.intervals.get(name))}"
            cells.setdefault(correlation.metric, []).append(value)
    columns = [f"{name}, {level}" for level in (SYSTEM, SUMMARY) for name in ("r", "rho", "tau")]
    return tabulate(["score", *columns], [[name, *values] for name, values in cells.items()])


def _run(*arguments: str | Path) -> None:
    """Run a command of the package without showing its output."""
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        status = main(list(map(str, arguments)))
    if status:
        raise SystemExit(printed.getvalue())


def _show_all(arguments: Sequence[str]) -> None:
    realsumm, source, model = arguments
    print(render_labels(Path(realsumm), source, model), end="\n\n")
    print(render_scores(Path(realsumm), model))


if __name__ == "__main__":
    _show_all(sys.argv[1:])
