"""Dot plots: the score of each model with its interval, one row per model, as plain markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.leaderboards.chart_limits import STEP
from harness.leaderboards.entries import IMPLAUSIBLE, Entry, identify_entry, list_best_views, list_views
from harness.leaderboards.judging.rankings import RankedModel
from harness.rendering.charts import Scale, make_scale
from harness.rendering.tables import format_interval


class Dot(NamedTuple):
    """A row of a dot plot. Positions are percentages of the width.

    Attributes:
        entry: The entry.
        mark: Name of its mark: its status, or "implausible".
        views: Views in which the plot shows it.
        best_views: Views in which it is one of the best.
        place: Position of the score.
        lower: Position of the lower end of its interval, or of the score if there is no interval.
        upper: Position of the upper end of its interval, or of the score.
        value: The score.
        interval: The interval, or "" if there is none.
        is_hidden: Whether the row is hidden until the visitor changes the filters.
    """

    entry: Entry
    mark: str
    views: tuple[str, ...]
    best_views: tuple[str, ...]
    place: str
    lower: str
    upper: str
    value: str
    interval: str
    is_hidden: bool = False


class DotPlot(NamedTuple):
    """A dot plot.

    Attributes:
        dots: Its rows, the highest score first.
        ticks: Positions and labels of the ticks.
    """

    dots: tuple[Dot, ...]
    ticks: tuple[tuple[str, str], ...]


def make_dot_plot(
    models: Sequence[RankedModel], metric: str, entries: Mapping[tuple[str, str], Entry]
) -> DotPlot | None:
    """Make a dot plot.

    Args:
        models: Models and shortcuts on one test, in the order of the rows.
        metric: Name of the ranking metric.
        entries: Entries by `identify_entry`.

    Returns:
        The plot, or None if there are no models.
    """
    if not models:
        return None
    scale = make_scale(_list_values(models, metric), STEP)
    dots = [_make_dot(model, metric, scale, entries[identify_entry(model)]) for model in models]
    ticks = tuple((format_place(scale.place(tick)), label) for tick, label in scale.ticks)
    return DotPlot(tuple(dots), ticks)


def _make_dot(model: RankedModel, metric: str, scale: Scale, entry: Entry) -> Dot:
    value, interval = model.metrics[metric], model.intervals.get(metric)
    lower, upper = interval or (value, value)
    return Dot(
        entry=entry,
        mark=IMPLAUSIBLE if model.is_implausible else entry.status,
        views=list_views(model),
        best_views=list_best_views(model),
        place=format_place(scale.place(value)),
        lower=format_place(scale.place(lower)),
        upper=format_place(scale.place(upper)),
        value=f"{value:.3f}",
        interval=format_interval(interval),
    )


def _list_values(models: Sequence[RankedModel], metric: str) -> Iterator[float]:
    for model in models:
        yield model.metrics[metric]
        yield from model.intervals.get(metric, ())


def format_place(share: float) -> str:
    """Format a share of a length as a percentage for SVG."""
    return f"{100 * share:.2f}%"
