"""Figures of correlations, with a point per source and method, and the files with a figure and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from harness.paraphrases.dimple.meta_evaluation import RecognitionCorrelation, RecognitionEvaluation, list_compared_sets
from harness.paraphrases.dimple.metrics import METRICS
from harness.paraphrases.dimple.reports import (
    FILE_FORMATS,
    render_differences_csv,
    render_sets_csv,
    report_correlations,
)
from harness.rendering.pictures import COLOURS, MARKERS, MUTED, draw_picture, shorten_name
from harness.rendering.reports import render_report, require_text
from harness.rendering.tables import count_of

_LEGEND = 100
"""Number of characters that fit into a line of the legend."""


def draw_correlations(evaluation: RecognitionEvaluation, form: str = "png") -> bytes:
    """Draw the share of recognized pairs against each metric at the largest k, a row of plots per corpus.

    Args:
        evaluation: The sets and the correlations. A set is a point. A correlation is written above the plot and drawn
            as a least-squares line.
        form: One of `pictures.FORMATS`.

    Returns:
        The content of the image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    scores, corpora = evaluation.scores, evaluation.corpora
    methods = [shorten_name(means.method) for means in scores.methods]
    k = max(scores.cuts)
    columns = count_columns(methods)
    size = (3 * len(METRICS), 0.6 + math.ceil(len(methods) / columns) * 0.22 + 2.6 * len(corpora))

    def fill(figure: Any) -> None:  # noqa: ANN401
        cells = figure.subplots(len(corpora), len(METRICS), sharey="row", sharex=True, squeeze=False)
        for row, corpus in zip(cells, corpora, strict=True):
            for axes, metric in zip(row, METRICS, strict=True):
                _draw(axes, evaluation, corpus, metric)
                axes.set_title(_describe(evaluation.correlations[corpus, metric, k]))
            row[0].set_ylabel(f"{shorten_name(corpus)}\nshare of pairs {evaluation.share}")
        for axes, metric in zip(cells[-1], METRICS, strict=True):
            axes.set_xlabel(f"{metric}@{k}, {shorten_name(scores.judgment.name)} judgment")
        handles, _ = cells[0][0].get_legend_handles_labels()
        figure.legend(handles, methods, loc="outside lower center", ncols=columns)

    return draw_picture(size, form, fill)


def render_files(evaluation: RecognitionEvaluation) -> dict[str, bytes]:
    """Render the tables and the figure of a meta-evaluation.

    Returns:
        The contents of the files by their names.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    report = report_correlations(evaluation)
    tables = {}
    for suffix, form in FILE_FORMATS.items():
        tables[f"correlations.{suffix}"] = require_text(render_report(report, form))
    tables["sets.csv"] = f"{render_sets_csv(evaluation)}\n"
    tables["differences.csv"] = f"{render_differences_csv(evaluation)}\n"
    contents = {name: table.encode() for name, table in tables.items()}
    return contents | {f"correlations.{form}": draw_correlations(evaluation, form) for form in ("png", "pdf")}


def count_columns(names: Sequence[str]) -> int:
    """Compute the number of columns that fit into a legend of names."""
    return max(1, min(len(names), _LEGEND // (max(map(len, names)) + 6)))


def _draw(axes: Any, evaluation: RecognitionEvaluation, corpus: str, metric: str) -> None:  # noqa: ANN401
    scores = evaluation.scores
    k = max(scores.cuts)
    compared = list_compared_sets(scores, evaluation.recognitions[corpus], evaluation.share)
    all_points: list[tuple[float, float]] = []
    for number, means in enumerate(scores.methods):
        points = [
            (set_scores.values[metric, k], share) for set_scores, share in compared if set_scores.method == means.method
        ]
        all_points += points
        colour, marker = choose_look(number)
        # White edges separate overlapping points.
        look = {"color": colour, "marker": marker, "s": 30, "alpha": 0.8, "edgecolors": "white", "linewidths": 0.5}
        # Methods are numbered, because matplotlib omits labels that start with "_" from legends.
        axes.scatter(*np.array(points).reshape(-1, 2).T, label=f"method {number}", **look)
    x, y = np.array(all_points).reshape(-1, 2).T
    if len(x) and x.min() < x.max():
        ends = np.array([x.min(), x.max()])
        slope, intercept = np.polyfit(x, y, 1)
        axes.plot(ends, slope * ends + intercept, color=MUTED, linewidth=1, linestyle="--", zorder=1)
    # The range contains the highest value. It is the same for all metrics, so that plots are comparable.
    highest = max(set_scores.values[name, k] for set_scores, name in product(scores.sets, METRICS))
    end = next(end for end in (0.2, 0.4, 0.6, 0.8, 1.0) if highest <= end)
    ticks = [end * part / 4 for part in range(5)]  # few, because the ends of neighbouring plots are close
    axes.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
    axes.set(xlim=(-0.03 * end, 1.03 * end))


def choose_look(number: int) -> tuple[str, str]:
    """Choose the colour and the shape of a method's points. 80 methods differ in at least one of them."""
    return COLOURS[number % len(COLOURS)], MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]


def _describe(correlation: RecognitionCorrelation) -> str:
    sets = count_of(correlation.sets, "set")
    if correlation.value is None or correlation.p_value is None or correlation.interval is None:
        return f"no correlation\n{sets}"
    value, lower, upper = (f"{round(number, 2) + 0.0:.2f}" for number in (correlation.value, *correlation.interval))
    p_value = "p < 0.001" if correlation.p_value < 0.001 else f"p = {correlation.p_value:.3f}"
    return f"r = {value} [{lower}, {upper}]\n{p_value}, {sets}".replace("-", "\N{MINUS SIGN}")
