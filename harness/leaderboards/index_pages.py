"""The first page of a leaderboard: an overview of all tests, charts, and a ranking per test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from harness.evaluation.comparing.standings import answer
from harness.leaderboards.chart_limits import MOST_MODELS, count_models, hide_rows
from harness.leaderboards.dot_plots import make_dot_plot
from harness.leaderboards.entries import (
    REPRODUCED,
    SELF_REPORTED,
    VIEW_ALL,
    VIEW_REPRODUCED,
    Entry,
    choose_view,
    identify_entry,
    list_best_views,
    list_views,
)
from harness.leaderboards.judging.rankings import NEAR_PERFECT, RankedModel, Ranking
from harness.leaderboards.reproduction import TOLERANCE
from harness.leaderboards.scatter_plots import list_matched, make_scatter_plot
from harness.leaderboards.titles import Title, title_tests
from harness.metrics.metric import Metric
from harness.metrics.table import list_published, title_column
from harness.rendering.pages import render_page
from harness.rendering.tables import count_of, format_interval
from harness.stats.significance import SIGNIFICANCE
from pyramid_paraphrase import __version__
from pyramid_paraphrase.rules.options import find_configuration

Entries = Mapping[tuple[str, str], Entry]


class _Ranks(NamedTuple):
    """The ranks of a model on one test, for both views.

    Attributes:
        reproduced: Rank among reproduced models, or None if it has none.
        all: Rank among all models, or None if it has none.
        best_views: Views in which it is one of the best.
    """

    reproduced: int | None
    all: int | None
    best_views: tuple[str, ...]


class _OverviewRow(NamedTuple):
    """A model on all tests.

    Attributes:
        entry: The entry.
        views: Views in which it has a rank on any test.
        cells: For each test, its rounded score, its exact score, its ranks, and the name of the best shortcut if the
            model does not beat it, or None if it has no score on the test.
    """

    entry: Entry
    views: tuple[str, ...]
    cells: tuple[tuple[str, float, _Ranks, str] | None, ...]


def render_index(rankings: Sequence[Ranking], entries: Entries, refused: int, title: str) -> str:
    """Render the first page.

    Args:
        rankings: The rankings of all tests.
        entries: Entries by `identify_entry`.
        refused: Number of refused submissions.
        title: Title of the leaderboard.

    Returns:
        HTML.
    """
    view, titles = choose_view(rankings), title_tests([ranking.test for ranking in rankings])
    statuses = [entry.status for entry in entries.values()]
    matched = [make_scatter_plot(*pair, entries, view) for pair in list_matched(rankings)]
    return render_page(
        "leaderboard.html",
        title=title,
        version=__version__,
        view=view,
        answers=_answer(rankings, titles),
        reproduced=statuses.count(REPRODUCED),
        self_reported=statuses.count(SELF_REPORTED),
        refused=count_of(refused, "submission") if refused else "",
        groups=sorted({entry.group for entry in entries.values()}),
        overview=_list_overview(rankings, entries),
        rankings=[
            _show_ranking(ranking, f"r{number}", test_title, entries, view)
            for number, (ranking, test_title) in enumerate(zip(rankings, titles, strict=True))
        ],
        scatter_plots=[plot for plot in matched if plot is not None],
        count_models=count_models,
        most=MOST_MODELS,
        significance=SIGNIFICANCE,
        tolerance=TOLERANCE,
        near_perfect=NEAR_PERFECT,
    )


def _answer(rankings: Sequence[Ranking], titles: Sequence[Title]) -> dict[str, tuple[str, ...]]:
    """Answer which model is best, by view of the page."""
    shown = [title.short for title in titles]
    return {
        VIEW_REPRODUCED: answer([ranking.reproduced for ranking in rankings], shown),
        VIEW_ALL: answer([ranking.all for ranking in rankings], shown),
    }


def _list_overview(rankings: Sequence[Ranking], entries: Entries) -> list[_OverviewRow]:
    """List all entries in the order of their scores on the first test. Entries without a score on it come last."""
    by_test = [{identify_entry(model): model for model in ranking.models} for ranking in rankings]
    identities = dict.fromkeys(identity for models in by_test for identity in models)
    rows = []
    for identity in identities:
        models = [models.get(identity) for models in by_test]
        views = {view for model in models if model for view in list_views(model)}
        cells = [
            None if model is None else _show_score(ranking, model)
            for ranking, model in zip(rankings, models, strict=True)
        ]
        rows.append(_OverviewRow(entries[identity], tuple(sorted(views)), tuple(cells)))
    return rows


def _show_score(ranking: Ranking, model: RankedModel) -> tuple[str, float, _Ranks, str]:
    value = model.metrics[ranking.metric]
    not_above = ranking.shortcut if model.beats_shortcut is False else ""
    return f"{value:.3f}", value, _show_ranks(model), not_above


def _show_ranks(model: RankedModel) -> _Ranks:
    return _Ranks(model.rank_among_reproduced, model.rank_among_all, list_best_views(model))


def _show_ranking(ranking: Ranking, identifier: str, test_title: Title, entries: Entries, view: str) -> dict[str, Any]:
    configuration = find_configuration(ranking.test.configuration)
    metrics = list_published(configuration) if ranking.models else ()
    plotted = [model for model in ranking.models if list_views(model)]
    plot = make_dot_plot(plotted, ranking.metric, entries)
    return {
        "id": identifier,
        "title": test_title,
        "question": configuration.title,
        "fingerprint": ranking.test.fingerprint,
        "metric": title_column(ranking.metric),
        "shortcut": ranking.shortcut,
        "columns": [metric.column_title for metric in metrics],
        "rows": [_show_row(model, metrics, entries) for model in ranking.models],
        "plot": None if plot is None else plot._replace(dots=hide_rows(plot.dots, view)),
        "lacks_reproduced": view == VIEW_REPRODUCED and choose_view([ranking]) != view,
    }


def _show_row(model: RankedModel, metrics: Sequence[Metric], entries: Entries) -> dict[str, Any]:
    entry = entries[identify_entry(model)]
    return {
        "entry": entry,
        "views": list_views(model),
        "ranks": _show_ranks(model),
        "cells": [_show_cell(model, metric.name) for metric in metrics],
        "beats": {True: "yes", False: "no", None: ""}[model.beats_shortcut],
        "is_implausible": model.is_implausible,
    }


def _show_cell(model: RankedModel, metric: str) -> tuple[str, float, str]:
    value = model.metrics[metric]
    return f"{value:.3f}", value, format_interval(model.intervals.get(metric))
