"""Charts of pages: round ticks, and positions between two axes. `pages/charts.html` draws them as SVG.

Pages need no library for drawing, and their charts have the colours of the page, light or dark. Files with pictures are
drawn by `pictures`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

TOP, RIGHT, BOTTOM = 12, 14, 48
"""Margins of charts, in units of the SVG image. The font size is 14 units."""

LETTER = 7.5
"""Width of a letter."""

_WIDTH, _HEIGHT = 460, 270
_THOUSANDS = ("", "k", "M", "B", "T")
_LINE, _POINT_GAP = 17.0, 8.0
"""Height of a line in a label, and its distance from its point."""

_LABEL_GAP = 32
"""Space on the left of the labels of the vertical axis, for its title."""

_MOST_STEPS = 6
"""Maximum number of steps. More labels would overlap on a phone."""

_MOST_DECIMALS, _MOST_DIGITS = 4, 6
"""Longest labels that are not written as in 1.2e-07."""


SERIES_DASHES = ("", "7 3", "7 2 2 2", "2 3", "13 3", "6 2 2 2 2 2", "2 5", "5 5")
"""Lengths of the dashes of each model, for readers who cannot distinguish the colours."""


class Scale(NamedTuple):
    """A scale of an axis.

    Attributes:
        low: The value at its start.
        high: The value at its end.
        ticks: Its ticks: values and labels.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return the position of a value as a share of the length of the scale."""
        return (value - self.low) / (self.high - self.low)


def make_scale(values: Iterable[float], finest: float = 0.0) -> Scale:
    """Make the scale with the finest round steps that contains all values. It begins and ends at a tick.

    Args:
        values: At least one finite value.
        finest: Shortest step: a power of ten, or 0 for any step.

    Returns:
        A scale of at most `_MOST_STEPS` steps.
    """
    values = list(values)
    low, high = min(values), max(values)
    shortest = max(finest, (high - low) / _MOST_STEPS) or max(abs(high), 1.0)
    power = math.floor(math.log10(shortest))
    while True:
        for factor in (1, 2, 5):
            step = factor * 10.0**power
            # Rounded before floor and ceil, because 0.3 / 0.1 is slightly less than 3.
            first = math.floor(round(low / step, 6))
            last = max(math.ceil(round(high / step, 6)), first + 1)
            if last - first <= _MOST_STEPS:
                ticks = [round(number * step, max(-power, 0)) for number in range(first, last + 1)]
                return Scale(ticks[0], ticks[-1], tuple(zip(ticks, _format_ticks(ticks, -power), strict=True)))
        power += 1


def _format_ticks(ticks: Sequence[float], decimals: int) -> list[str]:
    """Format ticks with some decimals, or as in 1.2e-07 if these would be too long."""
    largest = max(map(abs, ticks))
    if decimals <= _MOST_DECIMALS and largest < 10**_MOST_DIGITS:
        return [f"{tick:.{max(decimals, 0)}f}" for tick in ticks]
    digits = math.floor(math.log10(largest)) + decimals + 1
    return [f"{tick:.{max(digits, 1)}g}" for tick in ticks]


def make_categories(labels: Mapping[int, str], *, is_reversed: bool = False) -> Scale:
    """Make a scale of rising whole numbers that have labels, with half a step before the first and after the last.

    Args:
        labels: The labels by number.
        is_reversed: Whether the first number is at the end, as at the top of a vertical axis.
    """
    ends = min(labels) - 0.5, max(labels) + 0.5
    low, high = ends[::-1] if is_reversed else ends
    return Scale(low, high, tuple(labels.items()))


def make_log_scale(values: Iterable[float]) -> Scale:
    """Make a scale of the decimal logarithms of positive values, with ticks at powers of ten.

    Args:
        values: At least one positive value.

    Returns:
        A scale that begins and ends at a tick. Its ticks have labels such as "1M" for a million.
    """
    logarithms = [math.log10(value) for value in values]
    low = math.floor(min(logarithms))
    high = max(math.ceil(max(logarithms)), low + 1)
    step = math.ceil((high - low) / _MOST_STEPS)
    high = low + step * math.ceil((high - low) / step)
    ticks = [(float(power), _shorten_power(power)) for power in range(low, high + 1, step)]
    return Scale(float(low), float(high), tuple(ticks))


def _shorten_power(power: int) -> str:
    """Format a power of ten, such as "100k" or "1B"."""
    if not 0 <= power < 3 * len(_THOUSANDS):
        return f"1e{power}"
    return f"{10 ** (power % 3)}{_THOUSANDS[power // 3]}"


def place_labels(
    points: Sequence[tuple[float, float, str]], chart: Chart
) -> list[tuple[float, float, str, str] | None]:
    """Place the labels of points, right or left of them.

    A label has to lie within the plot, and must overlap no other label and no point.

    Args:
        points: Positions in the chart, and texts. The first ones get theirs first, and points without a text none.
        chart: The chart.

    Returns:
        For each point the position of the start or the end of its label, which of them it is ("start" or "end"), and
        the text. None if there is no room.
    """
    half = _POINT_GAP / 2
    boxes = [(x - half, y - half, x + half, y + half) for x, y, _ in points]
    labels: list[tuple[float, float, str, str] | None] = []
    for x, y, text in points:
        width, label = LETTER * len(text), None
        right, left = x + _POINT_GAP, x - _POINT_GAP
        for anchor, end, start in (("start", right, right), ("end", left, left - width)):
            box = (start, y - _LINE / 2, start + width, y + _LINE / 2)
            is_within = start >= chart.left and start + width <= chart.width
            if text and is_within and not any(_overlap(box, taken) for taken in boxes):
                label = (end, y + _LINE * 0.3, anchor, text)
                boxes.append(box)
                break
        labels.append(label)
    return labels


def _overlap(first: tuple[float, float, float, float], second: tuple[float, float, float, float]) -> bool:
    """Return whether two areas overlap: their left, top, right and bottom ends."""
    left, top, right, bottom = first
    other_left, other_top, other_right, other_bottom = second
    return left < other_right and other_left < right and top < other_bottom and other_top < bottom


class Shape(NamedTuple):
    """A shape of a chart.

    Attributes:
        look: Class in the style sheet: "line", "area" or "points".
        colour: Name of a colour of the style sheet, such as "series-0".
        path: SVG path.
        name: Name in the legend. Empty for shapes that are not in the legend.
        style: Further properties in CSS.
    """

    look: str
    colour: str
    path: str
    name: str = ""
    style: str = ""


class Chart(NamedTuple):
    """A chart: the area between its axes, and the shapes in it. Lengths are in units of the SVG image.

    Attributes:
        x: Scale of the horizontal axis.
        y: Scale of the vertical axis.
        x_title: Title of the horizontal axis.
        y_title: Title of the vertical axis. Without one, the axis has names, and no grid lines.
        left: Left margin.
        width: Width of the chart.
        height: Height of the chart.
        shapes: Its shapes, the lowest first.
        labels: Its labels, from `place_labels`.
    """

    x: Scale
    y: Scale
    x_title: str
    y_title: str
    left: float
    width: float = _WIDTH
    height: float = _HEIGHT
    shapes: Sequence[Shape] = ()
    labels: Sequence[tuple[float, float, str, str]] = ()

    def place_x(self, value: float) -> float:
        """Return the position of a value on the horizontal axis."""
        return round(self.left + self.x.place(value) * (self.width - self.left - RIGHT), 1)

    def place_y(self, value: float) -> float:
        """Return the position of a value on the vertical axis."""
        return round(self.height - BOTTOM - self.y.place(value) * (self.height - TOP - BOTTOM), 1)

    def trace(self, points: Iterable[tuple[float, float]]) -> str:
        """Return the SVG path through points, empty without points."""
        places = [f"{self.place_x(x):g} {self.place_y(y):g}" for x, y in points]
        return f"M{'L'.join(places)}" if places else ""

    def dot(self, points: Iterable[tuple[float, float]]) -> str:
        """Return an SVG path with a line of length 0 at each point. Its round ends make it a dot."""
        return "".join(f"M{self.place_x(x):g} {self.place_y(y):g}h0" for x, y in points)


def make_chart(x: Scale, y: Scale, x_title: str, y_title: str, height: float = _HEIGHT) -> Chart:
    """Make a chart without shapes, with a margin for the labels of the vertical axis."""
    left = _LABEL_GAP + LETTER * max(len(label) for _, label in y.ticks)
    return Chart(x, y, x_title, y_title, left, height=height)


FRAME, BAR = 60, 28
"""Heights of a chart of bars or intervals: of all but the bars, and of a bar with its gap."""

_PLOT = 250
"""Minimum width of the area between the axes of intervals, beside long names."""


def draw_intervals(
    rows: Sequence[tuple[str, float, tuple[float, float] | None, str]],
    colours: Mapping[str, str],
    x: Scale,
    x_title: str,
    line: float | None = None,
) -> Chart:
    """Draw values with their intervals, a row each, the first at the top.

    Args:
        rows: Name, value, interval, and group of each row. Names are escaped.
        colours: Colours of the groups by their names in the legend.
        x: Scale of the values.
        x_title: Title of the values.
        line: The value of a dotted line.
    """
    names = make_categories({number: name for number, (name, *_) in enumerate(rows)}, is_reversed=True)
    chart = make_chart(x, names, x_title, "", FRAME + BAR * len(rows))
    chart = chart._replace(width=max(chart.width, chart.left + _PLOT + RIGHT))
    shapes = []
    if line is not None:
        ends = chart.trace((line, end) for end in (chart.y.low, chart.y.high))
        shapes.append(Shape("line", "ink", ends, style="stroke-dasharray: 1 3"))
    for group, colour in colours.items():
        members = [number for number, row in enumerate(rows) if row[-1] == group]
        if not members:
            continue
        intervals = [(number, rows[number][2] or ()) for number in members]
        path = "".join(chart.trace((end, number) for end in ends) for number, ends in intervals)
        dots = chart.dot((rows[number][1], number) for number in members)
        shapes += [Shape("line", colour, path, group), Shape("points", colour, dots)]
    return chart._replace(shapes=shapes)
