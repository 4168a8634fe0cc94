"""What models and baselines reach on all four tests, and beside the paper's table 1.

usage: models.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)
"""

from __future__ import annotations

import functools
import sys

from markdown_tables import tabulate

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.models.registry import list_shortcuts
from harness.reports.model_tables import make_tables
from harness.reports.paper import COLUMNS, TABLE1
from harness.reports.text_reports import render_tables
from pyramid_paraphrase.options import PYRAMID_TESTS

BASELINES = ("constant", "random", "length", "overlap", "options-only", "one-hot", "tf-idf", "char-ngrams")
MODEL_NAME = "MiniLM"
_MAIN = {"binary": "f1", "ranking": "success_rate", "binary_matched": "f1", "ranking_matched": "success_rate"}


@functools.cache
def evaluate_all(source: str, model: str) -> dict[str, Result]:
    """Evaluate the baselines and a model on all tests."""
    suite = load_suite(source, PYRAMID_TESTS)
    specs = {**{name: name for name in BASELINES}, MODEL_NAME: f"{model},name={MODEL_NAME}"}
    return {name: evaluate_model(load_model(spec), suite, Settings(quiet=True)) for name, spec in specs.items()}


def render(source: str, model: str) -> str:
    """Render the main metric of each test with its interval."""
    results = evaluate_all(source, model)
    rows = [[name, *(_with_interval(results[name], *column) for column in _MAIN.items())] for name in results]
    return tabulate(["model", *(f"`{test_name}`, {_TITLES[metric]}" for test_name, metric in _MAIN.items())], rows)


def render_example(source: str, model: str) -> str:
    """Render what `evaluate` prints."""
    suite = load_suite(source)
    specs = ("one-hot", f"{model},name=sentence-transformers/all-MiniLM-L6-v2", *list_shortcuts(PYRAMID_TESTS))
    results = [evaluate_model(load_model(spec), suite, Settings()) for spec in specs]
    return f"```\n{render_tables(make_tables(results), 'terminal')}```"


def render_shortcuts(source: str, model: str) -> str:
    """Render the main metric of each test for what needs no understanding, and for what it is compared with."""
    results = evaluate_all(source, model)
    shown = ("length", "overlap", "options-only", "one-hot", MODEL_NAME)
    rows = [[name, *(_value(results[name], *column) for column in _MAIN.items())] for name in shown]
    return tabulate(["scorer", *(f"`{test_name}`" for test_name in _MAIN)], rows)


def render_beside_paper(source: str, model: str) -> str:
    """Render the paper's three columns: ours, and the paper's where it has the row."""
    results = evaluate_all(source, model)
    rows = []
    for name in dict.fromkeys([*TABLE1, *results]):
        ours = [_value(results[name], test_name, metric) if name in results else "" for test_name, metric in COLUMNS]
        paper = [f"{value:.3f}" for value in TABLE1[name]] if name in TABLE1 else [""] * 3
        rows.append([name, *(cell for both in zip(ours, paper, strict=True) for cell in both)])
    titles = [f"{_TITLES[metric]}, {whose}" for _, metric in COLUMNS for whose in ("ours", "paper")]
    return tabulate(["model", *titles], rows)


_TITLES = {"f1": "F", "success_rate": "success", "mrr": "MRR"}


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
