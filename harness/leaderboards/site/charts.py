"""Charts of a leaderboard: dot plots of scores, and scatter plots of matched against unmatched tests.

The functions return values for the template `charts.html`, which draws them as plain markup.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from typing import Any

import numpy as np

from harness.evaluation.comparing.stability import measure_stability
from harness.evaluation.comparing.standings import make_standing
from harness.leaderboards.board import RankedTest
from harness.leaderboards.candidates import Candidate
from harness.leaderboards.history import RANKED, History
from harness.leaderboards.rankings import NEAR_PERFECT, RankedModel, Ranking
from harness.leaderboards.site.entries import IMPLAUSIBLE, SHORTCUT, Entry, title_collections, title_tests
from harness.metrics.table import find_main_metric, title_column
from harness.rendering.charts import (
    SERIES_DASHES,
    Chart,
    Scale,
    Shape,
    make_chart,
    make_log_scale,
    make_scale,
    place_labels,
)
from harness.rendering.tables import format_interval
from pyramid_paraphrase.rules.options import find_configuration

MOST_MODELS = 25
"""Maximum number of models in a chart, in addition to the shortcuts."""

_STEP = 0.01
"""Shortest step between ticks. Metrics are between -1 and 1."""

_MOST_DAYS, _MOST_POINTS, _SHIFTS = 4, 30, 120
"""Maximum numbers of days with a label and of days in a chart, and the share of the time by which lines are shifted, as
1 / share."""

_MATCHED = "_matched"
_FEWEST_MODELS = 2
_MOST_LABELS, _LONGEST_LABEL = 12, 24
_SIZE, _LEFT = 420, 54
"""Side length of a scatter plot, and its left margin."""


def hide_rows(rows: Iterable[Mapping[str, Any]], view: str) -> list[dict[str, Any]]:
    """Hide the rows that a view does not contain, and all models but the first `MOST_MODELS`.

    Args:
        rows: Rows of a dot plot or points of a scatter plot, the highest score first.
        view: The view.

    Returns:
        All rows. Hidden rows are kept, because filters can show them.
    """
    limited, models = [], 0
    for row in rows:
        is_hidden = view not in row["views"]
        if row["entry"].status != SHORTCUT:
            models += not is_hidden
            is_hidden |= models > MOST_MODELS
        limited.append({**row, "is_hidden": is_hidden})
    return limited


def count_models(rows: Iterable[Mapping[str, Any]], view: str) -> int:
    """Count the models of a view, including hidden models, without shortcuts."""
    return sum(view in row["views"] and row["entry"].status != SHORTCUT for row in rows)


def make_dot_plot(
    models: Sequence[RankedModel], metric: str, entries: Mapping[tuple[str, str], Entry]
) -> dict[str, Any] | None:
    """Make a dot plot, with the score and the interval of a model in each row.

    Args:
        models: Models and shortcuts on one test, in the order of the rows.
        metric: Name of the ranking metric.
        entries: Entries by `RankedModel.identity`.

    Returns:
        The rows and the ticks, or None if there are no models. Positions are percentages of the width. The mark of a
        row is the status of the entry, or "implausible". The ends of its line are those of the interval, or the score
        if there is no interval.
    """
    if not models:
        return None
    values: list[float] = []
    for model in models:
        values += [model.metrics[metric], *model.intervals.get(metric, ())]
    scale = make_scale(values, _STEP)

    def place(value: float) -> str:
        return f"{100 * scale.place(value):.2f}%"

    dots = []
    for model in models:
        entry, value, interval = entries[model.identity], model.metrics[metric], model.intervals.get(metric)
        lower, upper = interval or (value, value)
        dots.append(
            {
                "entry": entry,
                "mark": IMPLAUSIBLE if model.is_implausible else entry.status,
                "views": model.views,
                "best_views": model.best_views,
                "place": place(value),
                "lower": place(lower),
                "upper": place(upper),
                "value": f"{value:.3f}",
                "interval": format_interval(interval),
                "is_hidden": False,
            }
        )
    return {"dots": dots, "ticks": [(place(tick), label) for tick, label in scale.ticks]}


def list_matched(rankings: Sequence[Ranking]) -> Iterator[tuple[Ranking, Ranking]]:
    """List the tests that have a ranking, and whose matched counterpart on the same data also has a ranking.

    Yields:
        The ranking on the test, and the ranking on its counterpart.
    """
    by_test = {(ranking.test.configuration, ranking.test.collections): ranking for ranking in rankings}
    for (name, collections), ranking in by_test.items():
        counterpart = by_test.get((f"{name}{_MATCHED}", collections))
        if counterpart is not None:
            yield ranking, counterpart


def make_scatter_plot(
    ranking: Ranking, counterpart: Ranking, entries: Mapping[tuple[str, str], Entry], view: str
) -> dict[str, Any] | None:
    """Make a scatter plot of the models that have a rank on both tests, and of the shortcuts.

    Args:
        ranking: The ranking on the test of the horizontal axis.
        counterpart: The ranking on the test of the vertical axis.
        entries: Entries by `RankedModel.identity`.
        view: The view that is visible first.

    Returns:
        The chart, the points, and the diagonal of equal scores. None if fewer than two models are on both tests. The
        mark of a point is the status of its entry, or "implausible" if its numbers on one of the tests are. Its label
        is None if there is no room for it.
    """
    matched_models = {model.identity: model for model in counterpart.models}
    pairs = []
    for model in ranking.models:
        matched = matched_models.get(model.identity)
        if matched is not None and set(model.views) & set(matched.views):
            pairs.append((model, matched, model.metrics[ranking.metric], matched.metrics[counterpart.metric]))
    if sum(not model.candidate.is_shortcut for model, *_ in pairs) < _FEWEST_MODELS:
        return None
    scale = make_scale(chain.from_iterable(scores for _, _, *scores in pairs), _STEP)
    name, matched_name = ranking.test.configuration, counterpart.test.configuration
    chart = Chart(scale, scale, name, matched_name, _LEFT, _SIZE, _SIZE)
    points = []
    for model, matched, score, matched_score in pairs:
        entry, is_implausible = entries[model.identity], model.is_implausible or matched.is_implausible
        points.append(
            {
                "entry": entry,
                "mark": IMPLAUSIBLE if is_implausible else entry.status,
                "views": [view for view in model.views if view in matched.views],
                "x": chart.place_x(score),
                "y": chart.place_y(matched_score),
                "title": f"{entry.name}: {score:.3f} and {matched_score:.3f}",
            }
        )
    return {
        "name": name,
        "matched_name": matched_name,
        "collections": title_collections(ranking.test),
        "chart": chart,
        "diagonal": chart.trace((end, end) for end in (scale.low, scale.high)),
        "points": _add_labels(hide_rows(points, view), chart),
    }


def make_size_plot(ranking: Ranking, entries: Mapping[tuple[str, str], Entry], view: str) -> dict[str, Any] | None:
    """Make a scatter plot of the scores of models by the numbers of their parameters.

    Args:
        ranking: The ranking.
        entries: Entries by `RankedModel.identity`.
        view: The view that is visible first.

    Returns:
        As `make_scatter_plot`, without a diagonal, and with the number of models whose size is not known. None if fewer
        than two models of the view have a size.
    """
    shown = [model for model in ranking.models if model.views and not model.candidate.is_shortcut]
    sized = [(model, entries[model.identity].parameters) for model in shown]
    known = [(model, size) for model, size in sized if size]
    if sum(view in model.views for model, _ in known) < _FEWEST_MODELS:
        return None
    scores = make_scale([model.metrics[ranking.metric] for model, _ in known], _STEP)
    sizes = make_log_scale([size for _, size in known])
    chart = Chart(sizes, scores, "parameters", title_column(ranking.metric), _LEFT, _SIZE, _SIZE)
    points = []
    for model, size in known:
        entry, score = entries[model.identity], model.metrics[ranking.metric]
        points.append(
            {
                "entry": entry,
                "mark": IMPLAUSIBLE if model.is_implausible else entry.status,
                "views": model.views,
                "x": chart.place_x(math.log10(size)),
                "y": chart.place_y(score),
                "title": f"{entry.name}: {size:,} parameters, {score:.3f}",
            }
        )
    return {
        "name": "number of parameters",
        "matched_name": chart.y_title,
        "chart": chart,
        "diagonal": "",
        "points": _add_labels(hide_rows(points, view), chart),
        "unknown": len(sized) - len(known),
    }


def _add_labels(points: Sequence[Mapping[str, Any]], chart: Chart) -> list[dict[str, Any]]:
    """Label shortcuts and the best models."""
    visible = [point for point in points if not point["is_hidden"]]
    ordered = sorted(visible, key=lambda point: point["entry"].status != SHORTCUT)
    texts = [_shorten(point["entry"].name) if place < _MOST_LABELS else "" for place, point in enumerate(ordered)]
    placed = place_labels([(point["x"], point["y"], text) for point, text in zip(ordered, texts, strict=True)], chart)
    labels: dict[str, dict[str, Any]] = {}
    for point, label in zip(ordered, placed, strict=True):
        if label is not None:
            labels[point["entry"].key] = dict(zip(("x", "y", "anchor", "text"), label, strict=True))
    return [{**point, "label": labels.get(point["entry"].key)} for point in points]


def _shorten(name: str) -> str:
    """Shorten a name to the part after its last slash, without the organization of a name on the Hub."""
    text = name.rpartition("/")[2] or name
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def draw_timeline(days: Sequence[date], places: Mapping[str, Mapping[date, tuple[int, int, int]]]) -> Chart:
    """Draw the places of models over time, with a line per model and the intervals of their places.

    Args:
        days: The days on which places changed, at least two.
        places: At most eight models: by name and day, the place and the ends of its interval.
    """
    first, last = days[0].toordinal(), days[-1].toordinal()
    step = (len(days) - 1) / (_MOST_DAYS - 1)
    marked = {days[round(step * number)] for number in range(_MOST_DAYS)} if len(days) > _MOST_DAYS else set(days)
    ticks = [(day.toordinal(), day.isoformat()) for day in sorted(marked)]
    lowest = max(high for by_day in places.values() for _, _, high in by_day.values())
    numbers = make_scale((1, max(lowest, 2)), 1)
    upside_down = Scale(numbers.high, 0.5, tuple(tick for tick in numbers.ticks if tick[0] >= 1))
    span = last - first
    days_scale = Scale(first - span / 20, last + span / 10, tuple(ticks))  # room for shifted lines and the last label
    chart = make_chart(days_scale, upside_down, "date", "place")
    shapes = []
    for series, (name, by_day) in enumerate(places.items()):
        shift = (series - len(places) / 2) * span / _SHIFTS  # so that intervals do not cover each other
        points = [(day.toordinal() + shift, *by_day[day]) for day in days if day in by_day]
        whiskers = "".join(chart.trace([(x, low), (x, high)]) for x, _, low, high in points)
        style = f"stroke-dasharray: {SERIES_DASHES[series]}" if series else ""
        shapes += [
            Shape("line", f"series-{series}", whiskers, style="stroke-width: 1; stroke-opacity: .6"),
            Shape("line", f"series-{series}", chart.trace((x, place) for x, place, _, _ in points), name, style),
            Shape("points", f"series-{series}", chart.dot((x, place) for x, place, _, _ in points)),
        ]
    return chart._replace(shapes=shapes)


def show_timelines(
    tests: Sequence[RankedTest], candidates: Sequence[Candidate], history: History
) -> Iterator[tuple[str, Chart, list[tuple[object, ...]], int, int]]:
    """Show the places of models after each day with a decision, for tests on which they changed.

    Args:
        tests: The tests of the leaderboard.
        candidates: Its accepted submissions, with those that others replaced.
        history: Its decisions.

    Yields:
        The title of a test, the chart of at most eight models, its numbers, how many models it omits, and the number of
        all days if it omits some.
    """
    days = sorted({decision.date for decision in history.history})
    shown_days = days
    if len(days) > _MOST_POINTS:
        shown_days = days[:1] + [days[len(days) * number // _MOST_POINTS - 1] for number in range(2, _MOST_POINTS + 1)]
    for test, (title, _) in zip(tests, title_tests(tests), strict=True):
        metric = find_main_metric(find_configuration(test.configuration))
        on_test = [candidate for candidate in candidates if candidate.has_test(test)]
        models = [candidate.models[test.configuration] for candidate in on_test]
        if len(days) < 2 or not models or test.superseded:
            continue
        standing = make_standing(test.configuration, metric, models, np.zeros((len(models), len(models)), dtype=bool))
        places: dict[str, dict[date, tuple[int, int, int]]] = {}
        for day in shown_days:
            states = {decision.submission: decision.action for decision in history.history if decision.date <= day}
            decided = {decision.submission for decision in history.history}
            numbers = [
                number
                for number, candidate in enumerate(on_test)
                if (candidate.is_reproduced or standing.value(number) < NEAR_PERFECT)
                and (states.get(candidate.name) in RANKED or candidate.name not in decided)
            ]
            for row in measure_stability(standing.select(numbers)):
                latest = history.find_latest(on_test[numbers[row.number]].name)
                places.setdefault(latest, {})[date.fromisoformat(day)] = (row.place, *row.interval)
        names = {candidate.name: candidate.record.model.name for candidate in on_test}
        last = date.fromisoformat(days[-1])
        today = sorted((by_day[last][0], name) for name, by_day in places.items() if last in by_day)
        lines = {names.get(name, name): places[name] for _, name in today[: len(SERIES_DASHES)]}
        if lines:
            rows: list[tuple[object, ...]] = [
                (name, day, *place) for name, by_day in lines.items() for day, place in sorted(by_day.items())
            ]
            dates = [date.fromisoformat(day) for day in shown_days]
            omitted_days = len(days) if len(shown_days) < len(days) else 0
            yield title, draw_timeline(dates, lines), rows, len(today) - len(lines), omitted_days
