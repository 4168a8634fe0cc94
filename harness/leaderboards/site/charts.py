"""Charts of a leaderboard: dot plots of scores, and scatter plots of matched against unmatched tests.

The functions return values for the template `charts.html`, which draws them as plain markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from harness.leaderboards.rankings import RankedModel, Ranking
from harness.leaderboards.site.entries import IMPLAUSIBLE, SHORTCUT, Entry, title_collections
from harness.rendering.charts import LETTER, Chart, make_scale
from harness.rendering.tables import format_interval

MOST_MODELS = 25
"""Maximum number of models in a chart, in addition to the shortcuts."""

_STEP = 0.01
"""Shortest step between ticks. Metrics are between -1 and 1."""

_MATCHED = "_matched"
_FEWEST_MODELS = 2
_MOST_LABELS, _LONGEST_LABEL = 12, 24
_LINE = 17.0
"""Height of a line in a label, in units of the SVG image."""

_SIZE, _LEFT = 420, 54
"""Side length of a scatter plot, and its left margin."""

_GAP = 8.0


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


def _add_labels(points: Sequence[Mapping[str, Any]], chart: Chart) -> list[dict[str, Any]]:
    """Label shortcuts and the best models, right or left of their points.

    A label has to lie within the plot, and must overlap no other label and no point.
    """
    visible_points = [point for point in points if not point["is_hidden"]]
    half = _GAP / 2
    boxes = [(point["x"] - half, point["y"] - half, point["x"] + half, point["y"] + half) for point in visible_points]
    labels: dict[str, dict[str, Any]] = {}
    for point in sorted(visible_points, key=lambda point: point["entry"].status != SHORTCUT)[:_MOST_LABELS]:
        text = _shorten(point["entry"].name)
        width, x, y = LETTER * len(text), point["x"], point["y"]
        for anchor, start, left in (("start", x + _GAP, x + _GAP), ("end", x - _GAP, x - _GAP - width)):
            box = (left, y - _LINE / 2, left + width, y + _LINE / 2)
            is_within = left >= chart.left and left + width <= chart.width
            if is_within and not any(_overlap(box, taken) for taken in boxes):
                labels[point["entry"].key] = {"x": start, "y": y + _LINE * 0.3, "anchor": anchor, "text": text}
                boxes.append(box)
                break
    return [{**point, "label": labels.get(point["entry"].key)} for point in points]


def _overlap(first: tuple[float, float, float, float], second: tuple[float, float, float, float]) -> bool:
    """Return whether two areas overlap: their left, top, right and bottom ends."""
    left, top, right, bottom = first
    other_left, other_top, other_right, other_bottom = second
    return left < other_right and other_left < right and top < other_bottom and other_top < bottom


def _shorten(name: str) -> str:
    """Shorten a name to the part after its last slash, without the organization of a name on the Hub."""
    text = name.rpartition("/")[2] or name
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"
