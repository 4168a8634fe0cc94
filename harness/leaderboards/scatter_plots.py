"""Scatter plots of the scores of models on a test and on its matched counterpart, as plain markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from harness.leaderboards.chart_limits import STEP, hide_rows
from harness.leaderboards.entries import IMPLAUSIBLE, SHORTCUT, Entry, identify_entry, list_views
from harness.leaderboards.judging.rankings import Ranking
from harness.leaderboards.titles import title_collections
from harness.rendering.charts import LETTER, Frame, make_scale

_MATCHED = "_matched"
_FEWEST_MODELS = 2
_MOST_LABELS, _LONGEST_LABEL = 12, 24
_LINE = 17.0
"""Height of a line in a label, in units of the SVG image."""

_SIZE, _LEFT = 420, 54
"""Side length of the plot, and its left margin."""

_GAP = 8.0


class Label(NamedTuple):
    """The name of a model next to its point.

    Attributes:
        x: Position of its start or end.
        y: Position of its baseline.
        anchor: "start" if x is the position of its start, or "end".
        text: The name, shortened.
    """

    x: float
    y: float
    anchor: str
    text: str


class Point(NamedTuple):
    """A model in a scatter plot.

    Attributes:
        entry: The entry.
        mark: Name of its mark: its status, or "implausible" if its numbers on one of the tests are implausible.
        views: Views in which the plot shows it.
        x: Position on the horizontal axis.
        y: Position on the vertical axis.
        title: Name and scores.
        label: Its label, or None if there is no room for it.
        is_hidden: Whether the point is hidden until the visitor changes the filters.
    """

    entry: Entry
    mark: str
    views: tuple[str, ...]
    x: float
    y: float
    title: str
    label: Label | None = None
    is_hidden: bool = False


class ScatterPlot(NamedTuple):
    """A scatter plot with the same scale on both axes.

    Attributes:
        name: Name of the test on the horizontal axis.
        matched_name: Name of the test on the vertical axis.
        collections: Titles of the collections of both tests.
        frame: The area between the axes.
        diagonal: SVG path of the line of equal scores.
        points: Models and shortcuts.
    """

    name: str
    matched_name: str
    collections: str
    frame: Frame
    diagonal: str
    points: tuple[Point, ...]


class _Pair(NamedTuple):
    """A model on both tests: its entry, its mark, its views, and its two scores."""

    entry: Entry
    mark: str
    views: tuple[str, ...]
    score: float
    matched_score: float


class _Box(NamedTuple):
    """The area of a point or a label."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, box: _Box) -> bool:
        """Return whether two boxes overlap."""
        return self.left < box.right and box.left < self.right and self.top < box.bottom and box.top < self.bottom


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
) -> ScatterPlot | None:
    """Make a scatter plot of the models that have a rank on both tests, and of the shortcuts.

    Args:
        ranking: The ranking on the test of the horizontal axis.
        counterpart: The ranking on the test of the vertical axis.
        entries: Entries by `identify_entry`.
        view: The initial view of the page.

    Returns:
        The plot, or None if fewer than two models are on both tests.
    """
    pairs = [*_list_pairs(ranking, counterpart, entries)]
    if sum(pair.entry.status != SHORTCUT for pair in pairs) < _FEWEST_MODELS:
        return None
    scale = make_scale([pair.score for pair in pairs] + [pair.matched_score for pair in pairs], STEP)
    frame = Frame(scale, scale, _LEFT, _SIZE, _SIZE)
    points = hide_rows([_make_point(pair, frame) for pair in pairs], view)
    return ScatterPlot(
        name=ranking.test.configuration,
        matched_name=counterpart.test.configuration,
        collections=title_collections(ranking.test),
        frame=frame,
        diagonal=frame.trace((end, end) for end in (scale.low, scale.high)),
        points=_add_labels(points, frame),
    )


def _list_pairs(ranking: Ranking, counterpart: Ranking, entries: Mapping[tuple[str, str], Entry]) -> Iterator[_Pair]:
    matched_models = {identify_entry(model): model for model in counterpart.models}
    for model in ranking.models:
        matched = matched_models.get(identify_entry(model))
        if matched is None:
            continue
        views = tuple(view for view in list_views(model) if view in list_views(matched))
        if views:
            scores = model.metrics[ranking.metric], matched.metrics[counterpart.metric]
            entry = entries[identify_entry(model)]
            mark = IMPLAUSIBLE if model.is_implausible or matched.is_implausible else entry.status
            yield _Pair(entry, mark, views, *scores)


def _make_point(pair: _Pair, frame: Frame) -> Point:
    title = f"{pair.entry.name}: {pair.score:.3f} and {pair.matched_score:.3f}"
    place = frame.place_x(pair.score), frame.place_y(pair.matched_score)
    return Point(pair.entry, pair.mark, pair.views, *place, title)


def _add_labels(points: Sequence[Point], frame: Frame) -> tuple[Point, ...]:
    """Label shortcuts and the best models, if their labels overlap no other label and no point."""
    visible_points = [point for point in points if not point.is_hidden]
    half = _GAP / 2
    taken = [_Box(point.x - half, point.y - half, point.x + half, point.y + half) for point in visible_points]
    labels: dict[str, Label] = {}
    for point in sorted(visible_points, key=lambda point: point.entry.status != SHORTCUT)[:_MOST_LABELS]:
        for label, box in _list_label_places(point, frame):
            if not any(map(box.overlaps, taken)):
                labels[point.entry.key] = label
                taken.append(box)
                break
    return tuple(point._replace(label=labels.get(point.entry.key)) for point in points)


def _list_label_places(point: Point, frame: Frame) -> Iterator[tuple[Label, _Box]]:
    """List the positions for a label within the plot: right and left of the point."""
    text = _shorten(point.entry.name)
    width = LETTER * len(text)
    starts = (("start", point.x + _GAP, point.x + _GAP), ("end", point.x - _GAP, point.x - _GAP - width))
    for anchor, start, left in starts:
        if left >= frame.left and left + width <= frame.width:
            box = _Box(left, point.y - _LINE / 2, left + width, point.y + _LINE / 2)
            yield Label(start, point.y + _LINE * 0.3, anchor, text), box


def _shorten(name: str) -> str:
    """Shorten a name to the part after its last slash, without the organization of a name on the Hub."""
    text = name.rpartition("/")[2] or name
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"
