"""A picture of what correlations are made of: a point per source and method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.paraphrases.dimple.gains import METRICS
from harness.paraphrases.dimple.meta_evaluation import Correlation, Extrinsic
from harness.paraphrases.dimple.scores import Scores
from harness.rendering.pictures import COLOURS, MARKERS, MUTED, draw_picture, shorten_name
from harness.rendering.tables import count_of

_LEGEND = 100
"""How many letters a line of the legend has room for."""


def draw_correlations(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str, form: str = "png"
) -> bytes:
    """Draw what is recognized by each metric at the largest k, a row of pictures per corpus.

    Args:
        scores: Of the lists.
        extrinsic: Per corpus, what is recognized.
        correlations: Of both; they are written above the points, and drawn as lines of least squares.
        share: What is recognized, one of `recognition.SHARES`.
        form: One of `pictures.FORMATS`.

    Returns:
        The picture.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    methods, k = [shorten_name(one.method) for one in scores.methods], max(scores.cuts)
    columns = count_columns(methods)
    size = (3 * len(METRICS), 0.6 + math.ceil(len(methods) / columns) * 0.22 + 2.6 * len(extrinsic))

    def fill(figure: Any) -> None:  # noqa: ANN401
        cells = figure.subplots(len(extrinsic), len(METRICS), sharey="row", sharex=True, squeeze=False)
        for row, corpus in zip(cells, extrinsic, strict=True):
            for axes, metric in zip(row, METRICS, strict=True):
                _draw(axes, scores, corpus, metric, share)
                axes.set_title(_describe(corpus.corpus, metric, k, correlations))
            row[0].set_ylabel(f"{shorten_name(corpus.corpus)}\nshare of pairs {share}")
        for axes, metric in zip(cells[-1], METRICS, strict=True):
            axes.set_xlabel(f"{metric}@{k}, {shorten_name(scores.judgment.name)} judgment")
        handles, _ = cells[0][0].get_legend_handles_labels()
        figure.legend(handles, methods, loc="outside lower center", ncols=columns)

    return draw_picture(size, form, fill)


def count_columns(names: Sequence[str]) -> int:
    """How many columns a legend of names has room for."""
    return max(1, min(len(names), _LEGEND // (max(map(len, names)) + 6)))


def _draw(axes: Any, scores: Scores, corpus: Extrinsic, metric: str, share: str) -> None:  # noqa: ANN401
    key, all_points = (metric, max(scores.cuts)), []
    for number, method in enumerate(one.method for one in scores.methods):
        points = [
            (one.values[key], value)
            for one, recognition in zip(scores.sets, corpus.sets, strict=True)
            if one.method == method and one.count and (value := recognition.share(share)) is not None
        ]
        all_points += points
        across, up = zip(*points, strict=True) if points else ((), ())
        # The edges tell points apart that lie upon each other; names that start with "_" would not be in a legend.
        colour, marker = choose_look(number)
        look = {"color": colour, "marker": marker, "s": 30, "alpha": 0.8, "edgecolors": "white", "linewidths": 0.5}
        axes.scatter(across, up, label=f"method {number}", **look)
    _draw_line(axes, np.array(all_points).reshape(-1, 2))
    # Few, for the ends of neighbours are close; the same for all metrics, so that they compare.
    highest = max(one.values[name, max(scores.cuts)] for one in scores.sets for name in METRICS)
    end = next(end for end in (0.2, 0.4, 0.6, 0.8, 1.0) if highest <= end)
    ticks = [end * part / 4 for part in range(5)]
    axes.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
    axes.set(xlim=(-0.03 * end, 1.03 * end))


def choose_look(number: int) -> tuple[str, str]:
    """Colour and shape of a method's points; 64 methods differ in one of them."""
    return COLOURS[number % len(COLOURS)], MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]


def _draw_line(axes: Any, points: np.ndarray) -> None:  # noqa: ANN401
    across, up = points.T
    if len(points) and across.min() < across.max():
        ends = np.array([across.min(), across.max()])
        slope, start = np.polyfit(across, up, 1)
        axes.plot(ends, slope * ends + start, color=MUTED, linewidth=1, linestyle="--", zorder=1)


def _describe(corpus: str, metric: str, k: int, correlations: Sequence[Correlation]) -> str:
    (one,) = (row for row in correlations if (row.corpus, row.metric, row.k) == (corpus, metric, k))
    sets = count_of(one.sets, "set")
    if one.value is None or one.p_value is None or one.interval is None:
        return f"no correlation\n{sets}"
    value, lower, upper = (f"{round(number, 2) + 0.0:.2f}" for number in (one.value, *one.interval))
    p_value = "p < 0.001" if one.p_value < 0.001 else f"p = {one.p_value:.3f}"
    return f"r = {value} [{lower}, {upper}]\n{p_value}, {sets}".replace("-", "\N{MINUS SIGN}")
