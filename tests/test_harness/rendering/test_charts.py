"""Charts of pages: scales, positions and markup. Positions are computed by hand."""

from __future__ import annotations

import math
import re

import pytest

from harness.rendering.charts import (
    Chart,
    Scale,
    Shape,
    draw_intervals,
    make_categories,
    make_chart,
    make_log_scale,
    make_scale,
    place_labels,
)
from harness.rendering.pages import _environment, read_asset
from harness.rendering.pictures import COLOURS, GRID, INK, MUTED, shorten_name


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.3], ("0.30", "0.31")),
        ([0.3, 0.36], ("0.30", "0.31", "0.32", "0.33", "0.34", "0.35", "0.36")),
        ([0.3, 0.361], ("0.30", "0.32", "0.34", "0.36", "0.38")),
        ([0.2, 0.7], ("0.2", "0.3", "0.4", "0.5", "0.6", "0.7")),
        ([0.27, 1.0], ("0.2", "0.4", "0.6", "0.8", "1.0")),
        ([0.401, 0.449], ("0.40", "0.41", "0.42", "0.43", "0.44", "0.45")),
        ([-1.0, 1.0], ("-1.0", "-0.5", "0.0", "0.5", "1.0")),
        ([0.0, 0.0], ("0.00", "0.01")),
    ],
)
def test_scales_of_metrics_have_round_ticks(values: list[float], labels: tuple[str, ...]) -> None:
    scale = make_scale(values, 0.01)
    assert tuple(label for _, label in scale.ticks) == labels
    assert all(0 <= scale.place(value) <= 1 for value in values)
    assert [scale.place(scale.ticks[end][0]) for end in (0, -1)] == [0, 1]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.0, 1.0], ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")),
        ([0.0012, 0.0047], ("0.001", "0.002", "0.003", "0.004", "0.005")),
        ([-37.2, 118.0], ("-50", "0", "50", "100", "150")),
        ([0.0, 500_000.0], ("0", "100000", "200000", "300000", "400000", "500000")),
        ([0.0, 999_000.0], ("0", "2e+05", "4e+05", "6e+05", "8e+05", "1e+06")),
        ([0.0001, 0.0007], ("0.0001", "0.0002", "0.0003", "0.0004", "0.0005", "0.0006", "0.0007")),
        ([0.0008, 0.0012], ("0.0008", "0.0009", "0.0010", "0.0011", "0.0012")),
        ([0.00001, 0.00007], ("1e-05", "2e-05", "3e-05", "4e-05", "5e-05", "6e-05", "7e-05")),
        ([1e-9, 1.4e-9], ("1e-09", "1.1e-09", "1.2e-09", "1.3e-09", "1.4e-09")),
        ([1e9, 1e9 + 1], ("1000000000", "1000000000.2", "1000000000.4", "1000000000.6", "1000000000.8", "1000000001")),
        ([-1e300, 1e300], ("-1e+300", "-5e+299", "0", "5e+299", "1e+300")),
        ([0.0, 0.0], ("0", "1")),
        ([-5.0, -5.0], ("-5", "-4")),
        ([700.0, 700.0], ("700", "800")),
    ],
)
def test_scales_of_any_scores(values: list[float], labels: tuple[str, ...]) -> None:
    scale = make_scale(iter(values))
    assert tuple(label for _, label in scale.ticks) == labels
    assert all(0 <= scale.place(value) <= 1 for value in values)


@pytest.mark.parametrize("values", [(0.0, 0.60000003), (-0.00000003, 0.6)])
def test_less_than_a_millionth_of_a_step_needs_no_further_tick(values: tuple[float, float]) -> None:
    """It can be a rounding error, and it cannot be seen."""
    scale = make_scale(values)
    assert [label for _, label in scale.ticks] == ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([22_713_216], ("10M", "100M")),
        ([1000], ("1k", "10k")),
        ([64, 128_000, 7e9], ("10", "1k", "100k", "10M", "1B", "100B")),
        ([0.5, 3], ("1e-1", "1", "10")),
        ([1e14, 2e15], ("100T", "1e15", "1e16")),
    ],
)
def test_scales_of_sizes_have_powers_of_ten(values: list[float], labels: tuple[str, ...]) -> None:
    scale = make_log_scale(values)
    assert tuple(label for _, label in scale.ticks) == labels
    assert all(0 <= scale.place(math.log10(value)) <= 1 for value in values)
    assert [scale.place(scale.ticks[end][0]) for end in (0, -1)] == [0, 1]


def test_labels_of_points_keep_clear_of_each_other() -> None:
    chart = make_chart(make_scale((0, 1)), make_scale((0, 1)), "x", "y")
    points = [(200.0, 100.0, "first"), (205.0, 100.0, "second"), (440.0, 200.0, "at the border"), (60.0, 50.0, "")]
    first, second, border, nothing = place_labels(points, chart)
    assert first == (192.0, pytest.approx(105.1), "end", "first")  # the second point is to its right
    assert second == (213.0, pytest.approx(105.1), "start", "second")
    assert border == (432.0, pytest.approx(205.1), "end", "at the border")
    assert nothing is None
    assert place_labels([*points[:2], (209.0, 100.0, "third")], chart)[2] is None  # no room on either side
    assert place_labels([(60.0, 50.0, "a" * 70)], chart) == [None]  # longer than the plot


def test_categories_have_half_a_step_at_both_ends() -> None:
    labels = {0: "none", 1: "one", 3: "more"}
    assert make_categories(labels) == Scale(-0.5, 3.5, tuple(labels.items()))
    assert make_categories(labels, is_reversed=True) == Scale(3.5, -0.5, tuple(labels.items()))


def test_positions_are_between_the_axes() -> None:
    """From 60 to 86 across, and from 52 to 12 up."""
    chart = Chart(make_scale((0, 1)), make_scale((10, 20)), "x", "y", 60, 100, 100)
    assert [chart.place_x(value) for value in (0, 0.25, 1 / 3, 1)] == [60, 66.5, 68.7, 86]
    assert [chart.place_y(value) for value in (10, 12.5, 40 / 3, 20)] == [52, 42, 38.7, 12]
    assert chart.trace([(0, 10), (0.25, 12.5)]) == "M60 52L66.5 42"
    assert chart.trace([]) == ""
    assert chart.dot([(0, 10), (0.25, 12.5)]) == "M60 52h0M66.5 42h0"


def test_a_margin_has_room_for_the_longest_label() -> None:
    chart = make_chart(make_scale((0, 1)), make_categories({0: "a", 1: "abcd"}), "share", "", 90)
    assert (chart.left, chart.width, chart.height) == (62, 460, 90)


def test_a_chart_is_drawn() -> None:
    chart = make_chart(make_scale((0, 1)), make_scale((0, 1)), "recall", "precision")
    shapes = [
        Shape("line", "series-3", chart.trace([(0, 0), (1, 1)]), "<x>", "stroke-dasharray: 2 3"),
        Shape("points", "series-3", chart.dot([(1, 1)])),
        Shape("area", "other", chart.trace([(0, 0), (1, 0), (1, 1)]), "area"),
    ]
    markup = draw(chart._replace(shapes=shapes))
    assert re.findall(r'<path class="(?!grid)([^>]+)"/>', markup) == [
        'line" style="--colour: var(--series-3); stroke-dasharray: 2 3" d="M54.5 222L446 12',
        'points" style="--colour: var(--series-3)" d="M446 12h0',
        'area" style="--colour: var(--other)" d="M54.5 222L446 222L446 12',
        'line" style="--colour: var(--series-3); stroke-dasharray: 2 3" d="M1 6H35',
        'area" style="--colour: var(--other)" d="M1 1H35V11H1Z',
    ]
    assert re.findall(r"</svg>([^<]+)</li>", markup) == ["&lt;x&gt;", "area"]
    assert "recall →" in markup
    assert "precision →" in markup
    assert markup.count('class="grid"') == 12


def test_names_on_an_axis_have_no_grid_lines() -> None:
    markup = draw(make_chart(make_scale((0, 1)), make_categories({0: "<x>", 1: "y"}), "share", ""))
    assert markup.count('class="grid"') == 6
    assert ">&lt;x&gt;</text>" in markup
    assert "rotate" not in markup


def draw(chart: Chart) -> str:
    template = _environment().from_string('{% import "charts.html" as charts %}{{ charts.chart(chart) }}')
    return template.render(chart=chart)


def test_files_with_pictures_have_the_colours_of_pages() -> None:
    """Those of pages in light mode. Colours of series differ: on pages, they need more contrast."""
    light = read_asset("page.css").partition("}")[0]
    for name, colour in (("ink", INK), ("muted", MUTED), ("grid", GRID), ("series-0", COLOURS[0])):
        assert f"--{name}: {colour};" in light


def test_names_next_to_pictures_are_escaped_and_short() -> None:
    assert shorten_name("a\u202eb\u200b") == r"a\u202eb\u200b"
    assert shorten_name("x" * 28) == "x" * 28
    assert shorten_name("x" * 29) == "x" * 27 + "\u2026"


def test_intervals_by_hand() -> None:
    """The area of three rows is 84 units high, from 12 on, so the middles of the rows are at 26, 54 and 82."""
    rows = [("a", 0.5, (0.0, 1.0), "models"), ("b" * 40, 1.0, None, "shortcuts"), ("c", 0.0, (0.0, 0.5), "models")]
    colours = {"models": "series-0", "people": "series-2", "shortcuts": "muted"}
    chart = draw_intervals(rows, colours, Scale(0.0, 1.0, ((0.0, "0"), (1.0, "1"))), "F", line=0.5)
    left, right = 32 + 7.5 * 40, 32 + 7.5 * 40 + 250
    middle = (left + right) / 2
    line, models, model_points, shortcuts, shortcut_points = chart.shapes
    assert line.path == f"M{middle:g} 96L{middle:g} 12"
    assert (models.name, models.colour) == ("models", "series-0")
    assert models.path == f"M{left:g} 26L{right:g} 26M{left:g} 82L{middle:g} 82"
    assert model_points.path == f"M{middle:g} 26h0M{left:g} 82h0"
    assert (shortcuts.path, shortcut_points.path) == ("", f"M{right:g} 54h0")
    assert (chart.height, chart.width) == (144, right + 14)
