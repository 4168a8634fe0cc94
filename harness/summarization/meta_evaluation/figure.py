"""A figure of correlations with their intervals: a line per metric, a panel per judgement and level."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from harness.rendering.pictures import MARKERS, MUTED, make_figure, render_figure, shorten_name
from harness.rendering.tables import count_of
from harness.summarization.meta_evaluation.accuracies import TITLES
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS
from harness.summarization.meta_evaluation.resampling import CorrelationSettings
from pyramid_paraphrase.errors import OptionError

if TYPE_CHECKING:
    from harness.summarization.meta_evaluation.evaluation import MetaEvaluation, MetricCorrelation

_COLUMNS = 3
_PANEL_WIDTH, _LETTER = 3.3, 0.08
"""Widths in inches: of a panel, and of a letter of the names on its left."""

_LINE, _MARKER, _FRAME = 0.42, 0.105, 1.05
"""Heights in inches: of the line of a metric, of a coefficient in it, and of the title and axis of a panel together."""

_MAX_NAME = 48
_MAX_HEIGHT = 300
"""Maximum height in inches. A pixel image cannot be much higher."""

_GAP = 0.24
"""Largest distance between the coefficients of a metric, in units of the distance between metrics."""


def draw_correlations(evaluation: MetaEvaluation, form: str = "png", *, is_dark: bool = False) -> bytes:
    """Draw the figure of `plot_correlations`, and return the content of the file in one of `pictures.FORMATS`."""
    return render_figure(plot_correlations(evaluation, is_dark=is_dark), form)


def plot_correlations(evaluation: MetaEvaluation, *, is_dark: bool = False) -> Any:  # noqa: ANN401
    """Plot correlations.

    Args:
        evaluation: Correlations.
        is_dark: Whether the figure is for dark pages.

    Returns:
        A figure of matplotlib.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        OptionError: If the figure would be too high.
    """
    panels: dict[tuple[str, str], list[MetricCorrelation]] = defaultdict(list)
    for correlation in evaluation.correlations:
        panels[correlation.judgement, correlation.level].append(correlation)
    levels = len(evaluation.settings.levels)
    columns = levels if levels > 1 else min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    places = {name: place for place, name in enumerate(dict.fromkeys(row.metric for row in evaluation.correlations))}
    names = [shorten_name(name, _MAX_NAME) for name in places]
    width = 0.5 + _LETTER * max(map(len, names)) + _PANEL_WIDTH * columns
    line = max(_LINE, _MARKER * len(evaluation.settings.coefficients))
    height = 0.4 + rows * (_FRAME + line * max(len(names), 2))
    if height > _MAX_HEIGHT:
        raise OptionError(
            f"{count_of(len(panels), 'panel')} are too many for a figure. Use fewer --metrics or --criteria"
        )

    numbers = [0.0]
    for correlation in evaluation.correlations:
        numbers += [*correlation.values.values(), *chain.from_iterable(correlation.intervals.values())]
    left = math.floor(min(numbers) * 5) / 5 - 0.02  # the multiple of 0.2 below the lowest number

    def fill(figure: Any) -> None:  # noqa: ANN401
        figure.get_layout_engine().set(w_pad=0.1)
        cells = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, ((judgement, level), correlations) in zip(cells, panels.items(), strict=False):
            _draw_panel(
                axes, evaluation.settings, [(places[correlation.metric], correlation) for correlation in correlations]
            )
            axes.set_title(f"{shorten_name(judgement, _MAX_NAME)}\n{level} level{_describe_counts(correlations)}")
            axes.tick_params(labelbottom=True)
            axes.set_xlabel(_name_axis(evaluation))
        for axes in cells[len(panels) :]:
            axes.set_visible(False)
        cells[0].set(xlim=(left, 1.02), ylim=(len(names) - 0.5, -0.5))
        cells[0].set_yticks(range(len(names)), names)
        handles: dict[str, Any] = {}
        for axes in cells[: len(panels)]:
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=min(len(handles), 4))

    return make_figure((width, height), fill, is_dark=is_dark)


def _name_axis(evaluation: MetaEvaluation) -> str:
    kinds = {"correlation" if name in COEFFICIENTS else "accuracy" for name in evaluation.settings.coefficients}
    has_intervals = any(correlation.intervals for correlation in evaluation.correlations)
    return " or ".join(sorted(kinds, reverse=True)) + (" (line: 95 % interval)" if has_intervals else "")


def _describe_counts(correlations: Sequence[MetricCorrelation]) -> str:
    """Return the numbers of systems and topics that count, or "" if they differ between metrics."""
    counts = {(len(correlation.systems), len(correlation.topics)) for correlation in correlations}
    if len(counts) > 1:
        return ""
    ((systems, topics),) = counts
    return f", {count_of(systems, 'system')}, {count_of(topics, 'topic')}"


def _draw_panel(
    axes: Any,  # noqa: ANN401
    settings: CorrelationSettings,
    correlations: Sequence[tuple[int, MetricCorrelation]],
) -> None:
    gap = min(_GAP, 0.72 / len(settings.coefficients))
    for number, name in enumerate(settings.coefficients):
        defined = [(line, correlation) for line, correlation in correlations if name in correlation.values]
        if not defined:
            continue
        shift = (number - (len(settings.coefficients) - 1) / 2) * gap
        # Markers are above the axes, which would cut those at both ends.
        look = {"marker": MARKERS[number], "markersize": 5, "linestyle": "none", "clip_on": False, "zorder": 3}
        values = [correlation.values[name] for _, correlation in defined]
        axes.plot(values, [line + shift for line, _ in defined], color=f"C{number}", label=TITLES[name], **look)
        for line, correlation in defined:
            if name in correlation.intervals:
                ends, height = correlation.intervals[name], line + shift
                axes.plot(ends, (height, height), color=f"C{number}", linewidth=1.4, alpha=0.7)
    for line, correlation in correlations:
        if not correlation.values:
            axes.text(0.05, line, "none", color=MUTED, va="center", transform=axes.get_yaxis_transform())
    axes.axvline(0, color=MUTED, linewidth=1)
    axes.grid(axis="y", visible=False)
