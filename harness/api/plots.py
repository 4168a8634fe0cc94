"""Figures of results and of comparisons: the charts of pages, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal, get_args

from harness.evaluation.comparing.comparison import ComparedMetric
from harness.evaluation.comparing.stability import measure_stability
from harness.metrics.table import find_main_metric, title_column
from harness.rendering.charts import Chart, draw_intervals, make_scale
from harness.rendering.pictures import plot_charts
from harness.reports.difference_reports import MOST_DRAWN, is_main, title_tests
from harness.reports.figures import draw_places, shorten, show_figures, show_scatter_plots
from harness.reports.html_reports import select_models
from harness.reports.model_tables import SECTIONS, Column, Table
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.rules.options import find_configuration

DifferencePlot = Literal["differences", "places"]
_PLOTS: tuple[DifferencePlot, ...] = get_args(DifferencePlot)

_NAME = 20
"""Maximum number of letters of a name in a pair of models."""

_COLOURS = dict(zip(SECTIONS, ("series-0", "series-2", "series-1", "muted", "series-5"), strict=True))
"""Colours of the sections of a table."""


def plot_values(tables: Sequence[Table]) -> Any:  # noqa: ANN401 - a figure of matplotlib
    """Plot the main metric of each test with its intervals, the models in the order of the table."""
    charts = []
    for table in tables:
        for test_name in table.test_names:
            column, rows = Column(test_name, find_main_metric(find_configuration(test_name)).name), []
            for row in table.sort_rows(test_name):
                if (value := row.value(column)) is not None:
                    rows.append((shorten(row.name), value, row.interval(column), row.section))  # noqa: PERF401
            kept = rows[:MOST_DRAWN]
            scale = make_scale(chain.from_iterable((value, *(interval or ())) for _, value, interval, _ in kept))
            title = f"{test_name} on {table.fingerprints[test_name][:12]}" if len(tables) > 1 else test_name
            chart = draw_intervals(kept, _COLOURS, scale, title_column(column.metric))
            charts.append((_title(title, len(rows)), chart))
    return plot_charts(charts)


def _title(title: str, count: int) -> str:
    return f"{title}: the first {MOST_DRAWN} of {count:,}" if count > MOST_DRAWN else title


def plot_scores(tables: Sequence[Table], test_name: str) -> Any:  # noqa: ANN401 - a figure of matplotlib
    """Plot the figures of the scores on a test, as on the page of a report.

    Raises:
        OptionError: If no table has the test.
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    names = dict.fromkeys(name for table in tables for name in table.test_names)
    if test_name not in names:
        raise unknown_name("task", test_name, names)
    charts: list[tuple[str, Chart]] = []
    for table in tables:
        if test_name in table.fingerprints:
            models, colours, _ = select_models(table, test_name)
            shown = show_figures(models, colours) if models else {"figures": [], "folded": []}
            metric = find_main_metric(find_configuration(test_name)).name
            figures = [*shown["figures"], *show_scatter_plots(models, metric), *shown["folded"]]
            charts += [(figure["title"], figure["chart"]) for figure in figures]
    if not charts:
        raise OptionError(f"no result has the scores of {test_name}. Evaluate a model on it")
    return plot_charts(charts)


def plot_comparisons(comparisons: Sequence[ComparedMetric], kind: DifferencePlot) -> Any:  # noqa: ANN401
    """Plot the comparisons in the main metrics of tests: the differences with their intervals, or the places of models.

    Raises:
        OptionError: If there is nothing to plot.
    """
    if kind not in _PLOTS:
        raise unknown_name("plot", kind, _PLOTS)
    draw = _draw_differences if kind == "differences" else _draw_places
    charts = []
    for compared, title in zip(comparisons, title_tests(comparisons), strict=True):
        if is_main(compared) and (drawn := draw(compared, title)):
            charts.append(drawn)
    if not charts:
        raise OptionError(f"there are no {kind} in the main metric of a test. Compare two or more models")
    return plot_charts(charts)


def _draw_differences(compared: ComparedMetric, title: str) -> tuple[str, Chart] | None:
    significant, other = "significant (Holm)", "not significant"
    rows = []
    for row in compared.differences[:MOST_DRAWN]:
        name = shorten(row.model)
        if not compared.against:
            name = f"{shorten(row.model, _NAME)} minus {shorten(row.first, _NAME)}"
        rows.append((name, row.difference, row.interval, significant if row.is_significant else other))
    if not rows:
        return None
    scale = make_scale([0.0, *chain.from_iterable((value, *interval) for _, value, interval, _ in rows)])
    colours = {significant: "series-0", other: "muted"}
    metric = title_column(compared.metric.name)
    x_title = f"{metric} minus {shorten(compared.against)}" if compared.against else f"difference in {metric}"
    return _title(title, len(compared.differences)), draw_intervals(rows, colours, scale, x_title, 0.0)


def _draw_places(compared: ComparedMetric, title: str) -> tuple[str, Chart] | None:
    stability = measure_stability(compared.standing)
    if len(stability) < 2:  # a place among others
        return None
    drawn = stability[:MOST_DRAWN]
    names = [compared.standing.members[row.number].name for row in drawn]
    return _title(title, len(stability)), draw_places(names, drawn)
