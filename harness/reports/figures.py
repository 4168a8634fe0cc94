"""Charts of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.rendering.charts import Chart, Shape, make_categories, make_frame, make_scale
from harness.rendering.pictures import replace_unprintable
from harness.reports.analysis import MANY_WORDS, Distribution, GradeSpread, OverlapRate, Wording

Floats = npt.NDArray[np.float64]
Curve = tuple[Floats, Floats]
"""Recall and precision."""

SERIES = 8
"""Maximum number of models that can be distinguished in a chart."""

_SHADES = (0.95, 0.6, 0.35, 0.15)
_DOTTED, _DASHED = "stroke-dasharray: 1 3", "stroke-dasharray: 6 4"
_DASHES = ("", "7 3", "7 2 2 2", "2 3", "13 3", "6 2 2 2 2 2", "2 5", "5 5")
"""Lengths of the dashes of each model, for readers who cannot distinguish the colours."""

_FRAME, _BAR, _BAR_HEIGHT = 60, 28, 0.8
"""Heights of a chart of bars: of all but the bars, of a bar with its gap, and of a bar as a share of it."""

_SHARES = make_scale((0, 1))


class Series(NamedTuple):
    """A model with the same colour in all charts.

    Attributes:
        number: Index of the colour, from 0 to below `SERIES`.
        name: Name of the model.
    """

    number: int
    name: str


def draw_distribution(spread: Distribution, threshold: float, wording: Wording) -> Chart:
    """Draw the distributions of the scores of positives and negatives, with the threshold."""
    highest = max(spread.positives.max(), spread.negatives.max())
    frame = make_frame(make_scale((spread.edges[0], spread.edges[-1])), make_scale((0, highest)))
    shapes = []
    for colour, name, shares in (
        ("paraphrase", wording.positives, spread.positives),
        ("other", wording.negatives, spread.negatives),
    ):
        corners = [(spread.edges[0], 0.0)]
        for ends, share in zip(pairwise(spread.edges), shares, strict=True):
            corners += [(end, share) for end in ends]
        shapes.append(Shape("area", colour, frame.trace([*corners, (spread.edges[-1], 0.0)]), name))
    if spread.edges[0] <= threshold <= spread.edges[-1]:
        line = frame.trace((threshold, end) for end in (frame.y.low, frame.y.high))
        shapes.append(Shape("line", "ink", line, "threshold", _DASHED))
    return Chart(frame, "score", "share of rows", shapes)


def draw_grades(spreads: Sequence[GradeSpread]) -> Chart:
    """Draw the median score by grade, with a band for the middle half of the pairs."""
    scores = [score for spread in spreads for score in spread.quartiles]
    frame = make_frame(make_categories({spread.grade: str(spread.grade) for spread in spreads}), make_scale(scores))
    lower, median, upper = ([(spread.grade, spread.quartiles[number]) for spread in spreads] for number in range(3))
    shapes = [
        Shape("area", "paraphrase", frame.trace([*lower, *reversed(upper)])),
        Shape("line", "paraphrase", frame.trace(median)),
        Shape("points", "paraphrase", frame.dot(median)),
    ]
    return Chart(frame, "grade", "score", shapes)


def draw_precision(curves: Mapping[Series, Curve], share: float) -> Chart:
    """Draw precision by recall, with a line per model. The dotted line is the precision of chance."""
    frame = make_frame(_SHARES, _SHARES)
    shapes = [Shape("line", "muted", frame.trace([(0, share), (1, share)]), style=_DOTTED)]
    for series, (recall, precision) in curves.items():
        shapes.append(_draw_series(series, frame.trace(zip(recall, precision, strict=True))))
    return Chart(frame, "recall", "precision", shapes)


def draw_ranks(ranks: Mapping[str, Floats], chance: float, rated: str) -> Chart:
    """Draw the shares of the ranks of the right option, with a bar per model. The dotted line is rank 1 by chance."""
    names = make_categories({number: _shorten(name) for number, name in enumerate(ranks)}, is_reversed=True)
    frame = make_frame(_SHARES, names, _FRAME + _BAR * len(ranks))
    table = np.array(list(ranks.values()))
    ends = np.cumsum(table, axis=1)
    starts, half = ends - table, _BAR_HEIGHT / 2
    shapes = []
    for rank in range(table.shape[1]):
        bars = []
        for number, (start, end) in enumerate(zip(starts[:, rank], ends[:, rank], strict=True)):
            corners = [(start, number - half), (end, number - half), (end, number + half), (start, number + half)]
            bars.append(frame.trace(corners))
        shade = _SHADES[min(rank, len(_SHADES) - 1)]
        shapes.append(Shape("bars", "series-0", "".join(bars), f"rank {rank + 1}", f"fill-opacity: {shade}"))
    line = frame.trace((chance, end) for end in (frame.y.low, frame.y.high))
    shapes.append(Shape("line", "ink", line, style=_DOTTED))
    return Chart(frame, f"share of {rated}", "", shapes)


def draw_overlaps(rates: Mapping[Series, Mapping[int, OverlapRate]]) -> Chart:
    """Draw success by the number of words that question and answer share, with a line per model."""
    word_counts = sorted(set[int]().union(*rates.values()))
    frame = make_frame(make_categories({words: name_word_count(words) for words in word_counts}), _SHARES)
    shapes = []
    for series, model_rates in rates.items():
        points = [(words, rate.success) for words, rate in model_rates.items()]
        line = _draw_series(series, frame.trace(points))
        shapes += [line, Shape("points", line.colour, frame.dot(points))]
    return Chart(frame, "words that question and answer share", "success rate", shapes)


def name_word_count(words: int) -> str:
    """Name a number of shared words. `MANY_WORDS` means this number or more."""
    return f"{words}+" if words == MANY_WORDS else str(words)


def _draw_series(series: Series, path: str) -> Shape:
    style = f"stroke-dasharray: {_DASHES[series.number]}" if series.number else ""
    return Shape("line", f"series-{series.number}", path, series.name, style)


def _shorten(name: str, length: int = 26) -> str:
    """Shorten a long name and replace unprintable characters.

    The middle is cut, because names of one organization have the same beginning.
    """
    printable = replace_unprintable(name)
    if len(printable) <= length:
        return printable
    half = length // 2
    return f"{printable[: half - 1]}…{printable[-half:]}"
