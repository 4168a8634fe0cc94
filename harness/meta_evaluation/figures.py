"""A picture of correlations with their intervals: a line per metric, a panel per judgement and level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from harness.meta_evaluation.agreement import Correlation
from harness.meta_evaluation.correlations import COEFFICIENTS
from harness.meta_evaluation.evaluation import MetaEvaluation
from harness.pictures import COLOURS, MARKERS, MUTED, draw_picture, shorten_name
from harness.tables import count_of

_LABELS = {"pearson": "Pearson r", "spearman": "Spearman rho", "kendall": "Kendall tau-b"}
_COLUMNS = 3
_PANEL_WIDTH, _LABEL_WIDTH = 3.2, 1.8
_LINE, _FRAME = 0.42, 0.85
"""Inches that a metric takes, and what is above and below all of a panel."""

_GAP = 0.24
"""How far the coefficients of a metric are apart, a metric taking 1."""


def draw_correlations(found: MetaEvaluation, form: str = "png") -> bytes:
    """Draw correlations.

    Args:
        found: What is drawn.
        form: One of `pictures.FORMATS`.

    Returns:
        The picture.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    panels: dict[tuple[str, str], list[Correlation]] = {}
    for one in found.correlations:
        panels.setdefault((one.judgement, one.level), []).append(one)
    levels = len(found.settings.levels)
    columns = levels if levels > 1 else min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    metrics = len(next(iter(panels.values())))
    size = (_LABEL_WIDTH + _PANEL_WIDTH * columns, 0.4 + rows * (_FRAME + _LINE * max(metrics, 2)))

    def fill(figure: Any) -> None:  # noqa: ANN401
        cells = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, ((judgement, level), correlations) in zip(cells, panels.items(), strict=False):
            _draw_panel(axes, correlations)
            axes.set_title(f"{shorten_name(judgement)}\n{level} level{_count(correlations)}")
            axes.tick_params(labelbottom=True)
        for axes in cells[len(panels) :]:
            axes.set_visible(False)
        handles, labels = cells[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(COEFFICIENTS))

    return draw_picture(size, form, fill)


def _count(correlations: Sequence[Correlation]) -> str:
    """How many systems and topics count, if as many for all metrics."""
    counts = {(len(one.systems), len(one.topics)) for one in correlations}
    if len(counts) > 1:
        return ""
    ((systems, topics),) = counts
    return f", {count_of(systems, 'system')}, {count_of(topics, 'topic')}"


def _draw_panel(axes: Any, correlations: Sequence[Correlation]) -> None:  # noqa: ANN401
    places = range(len(correlations))
    for number, name in enumerate(COEFFICIENTS):
        shift = (number - 1) * _GAP
        look = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 5, "linestyle": "none"}
        drawn = [(place + shift, one) for place, one in zip(places, correlations, strict=True) if one.values]
        axes.plot([one.values[name] for _, one in drawn], [place for place, _ in drawn], label=_LABELS[name], **look)
        for place, one in drawn:
            if name in one.intervals:
                axes.plot(one.intervals[name], (place, place), color=COLOURS[number], linewidth=1.4, alpha=0.7)
    for place, one in zip(places, correlations, strict=True):
        if not one.values:
            axes.text(0.02, place, "none", color=MUTED, va="center", transform=axes.get_yaxis_transform())
    lowest = min((min(ends) for one in correlations for ends in one.intervals.values()), default=0.0)
    lowest = min([lowest, *(value for one in correlations for value in one.values.values())])
    if lowest < 0:
        axes.axvline(0, color=MUTED, linewidth=1)
    left = min(axes.get_xlim()[0] if axes.lines else 0.0, math.floor(lowest * 5) / 5, 0.0)
    axes.set(xlim=(left if lowest < 0 else 0.0, 1.02), ylim=(len(correlations) - 0.5, -0.5))
    axes.set_yticks(list(places), [shorten_name(one.metric) for one in correlations])
    axes.grid(axis="y", visible=False)
