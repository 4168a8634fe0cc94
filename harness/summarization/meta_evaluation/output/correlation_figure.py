"""A picture of correlations with their intervals: a line per metric, a panel per judgement and level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from harness.rendering.pictures import COLOURS, MARKERS, MUTED, draw_picture, shorten_name
from harness.rendering.tables import count_of
from harness.summarization.meta_evaluation.agreement import Correlation
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation
from pyramid_paraphrase.errors import OptionError

_LABELS = {"pearson": "Pearson r", "spearman": "Spearman rho", "kendall": "Kendall tau-b"}
_COLUMNS = 3
_PANEL_WIDTH, _LETTER = 3.3, 0.08
"""Inches: of a panel, and of a letter beside it."""

_LINE, _FRAME = 0.42, 0.85
"""Inches that a metric takes, and what is above and below all of a panel."""

_MAX_NAME = 48
_MAX_HEIGHT = 300
"""Inches; a file of pixels could not be much higher."""

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
        OptionError: If there is too much for a picture.
    """
    panels: dict[tuple[str, str], list[Correlation]] = {}
    for one in found.correlations:
        panels.setdefault((one.judgement, one.level), []).append(one)
    levels = len(found.settings.levels)
    columns = levels if levels > 1 else min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    names = [shorten_name(one.metric, _MAX_NAME) for one in next(iter(panels.values()))]
    size = (
        0.5 + _LETTER * max(map(len, names)) + _PANEL_WIDTH * columns,
        0.4 + rows * (_FRAME + _LINE * max(len(names), 2)),
    )
    if size[1] > _MAX_HEIGHT:
        raise OptionError(f"{count_of(len(panels), 'panel')} are too many to draw; give fewer --metrics and --criteria")

    def fill(figure: Any) -> None:  # noqa: ANN401
        figure.get_layout_engine().set(w_pad=0.1)
        cells = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, ((judgement, level), correlations) in zip(cells, panels.items(), strict=False):
            _draw_panel(axes, correlations)
            axes.set_title(f"{shorten_name(judgement, _MAX_NAME)}\n{level} level{_count(correlations)}")
            axes.tick_params(labelbottom=True)
        for axes in cells[len(panels) :]:
            axes.set_visible(False)
        cells[0].set(xlim=(_find_left(found.correlations), 1.02), ylim=(len(names) - 0.5, -0.5))
        cells[0].set_yticks(range(len(names)), names)
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
            axes.text(0.05, place, "none", color=MUTED, va="center", transform=axes.get_yaxis_transform())
    axes.axvline(0, color=MUTED, linewidth=1)
    axes.grid(axis="y", visible=False)


def _find_left(correlations: Sequence[Correlation]) -> float:
    """Where the axis begins: at 0, or at the fifth below the lowest value or end of an interval."""
    values = [value for one in correlations for value in one.values.values()]
    ends = [end for one in correlations for interval in one.intervals.values() for end in interval]
    lowest = min([0.0, *values, *ends])
    return math.floor(lowest * 5) / 5 - 0.02
