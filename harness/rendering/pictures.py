"""Files with pictures for papers, in a common style, by matplotlib. The same numbers always give the same file."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from harness.rendering.charts import Chart
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.files.extras import require

FORMATS = ("png", "svg", "pdf")
"""Formats of pictures. SVG and PDF can be scaled."""

INK, MUTED, GRID = "#1b1f24", "#59616b", "#dfe3e8"
"""Colours of text, of axes and of grid lines, as on the pages of reports in light mode."""

COLOURS = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b"),
    *("#7e57c2", "#9e9d24"),
)
"""Colours that most people can distinguish: the first seven are those of Okabe and Ito (2008)."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Shapes, for readers who cannot distinguish the colours."""

CHART_COLOURS = {
    "ink": INK,
    "muted": MUTED,
    "paraphrase": "#0072b2",
    "other": "#d55e00",
    "series-0": "#0072b2",
    "series-1": "#d55e00",
    "series-2": "#00795a",
    "series-3": "#b0568c",
    "series-4": "#8a6500",
    "series-5": "#6b46c1",
    "series-6": "#4a4f57",
    "series-7": "#a11d33",
}
"""The colours of `pages/page.css` in light mode, which charts of pages name."""

_MAX_NAME, _MAX_TITLE = 28, 60
_NOTEBOOK_DPI = 110
_COLUMNS, _LEGEND_COLUMNS = 2, 2
_UNITS = 100.0
"""Units of a chart of a page per inch. Letters of 14 units have 10 points."""

_TITLE, _AXIS, _LEGEND_LINE = 0.15, 0.38, 0.2
"""Heights in inches: of the title of a chart, of the labels and title of its axis, and of a line of its legend."""

_DASH = 0.5
"""Lengths of dashes in widths of the line, per unit of an image."""

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pyramid-paraphrase",
    "font.size": 10,
    "text.color": INK,
    # A name such as "$x" is not a formula.
    "text.parse_math": False,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "pdf.fonttype": 42,  # journals refuse type 3, matplotlib's default
    "axes.titlesize": 9,
}
_DARK_STYLE = {
    "figure.facecolor": "#14181d",
    "axes.facecolor": "#14181d",
    "text.color": "#e6e9ed",
    "axes.labelcolor": "#e6e9ed",
    "axes.edgecolor": "#a2abb6",
    "xtick.color": "#a2abb6",
    "xtick.labelcolor": "#e6e9ed",
    "ytick.color": "#a2abb6",
    "ytick.labelcolor": "#e6e9ed",
    "grid.color": "#323a44",
}
"""Changes of the style for dark pages, whose colours these are."""

_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
}
"""Metadata to leave out, because they depend on the date or the version of matplotlib."""


def parse_format(path: Path) -> str:
    """Return the format of a picture by the suffix of its file.

    Raises:
        OptionError: If the format is not one of `FORMATS`.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        suffixes = ", ".join(f".{name}" for name in FORMATS)
        raise OptionError(f"{path}: unsupported image format {path.suffix!r}. Use {suffixes}")
    return form


def make_figure(size: tuple[float, float], fill: Callable[[Any], None], *, is_dark: bool = False) -> Any:  # noqa: ANN401
    """Make a figure of matplotlib in the common style. A notebook shows it, also before `pyplot` is imported.

    Args:
        size: Width and height in inches.
        fill: Function that draws on the figure. "C0" and so on name `COLOURS`, which are lighter on dark pages where
            they have to be.
        is_dark: Whether the figure is for dark pages.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    figures = require("matplotlib.figure", "plots")
    with _common_style(is_dark=is_dark):
        figure = figures.Figure(figsize=size, layout="constrained")
        fill(figure)
    figure._repr_png_ = partial(render_figure, figure, "png", _NOTEBOOK_DPI)
    return figure


def draw_picture(size: tuple[float, float], form: str, fill: Callable[[Any], None], *, is_dark: bool = False) -> bytes:
    """Draw a picture in the common style.

    Args:
        size: Width and height in inches.
        form: One of `FORMATS`.
        fill: Function that draws on a figure, as for `make_figure`.
        is_dark: Whether the picture is for dark pages.

    Returns:
        The content of the file. The same numbers give the same content.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    return render_figure(make_figure(size, fill, is_dark=is_dark), form)


def render_figure(figure: Any, form: str, dpi: int = 200) -> bytes:  # noqa: ANN401
    """Return a figure of `make_figure` as the content of a file in one of `FORMATS`."""
    file = io.BytesIO()
    with _common_style():
        figure.savefig(file, format=form, dpi=dpi, metadata=_METADATA[form])
    return file.getvalue()


@contextmanager
def _common_style(*, is_dark: bool = False) -> Iterator[None]:
    matplotlib = require("matplotlib", "plots")
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that the font does not have are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        matplotlib.rcdefaults()  # a user's own settings would change the picture
        colours = ["#ffffff" if is_dark and colour == "#000000" else colour for colour in COLOURS]
        cycle = {"axes.prop_cycle": f"cycler('color', {colours})"}
        matplotlib.rcParams.update(_STYLE | cycle | (_DARK_STYLE if is_dark else {}))
        yield


def plot_charts(charts: Sequence[tuple[str, Chart]]) -> Any:  # noqa: ANN401
    """Draw charts of pages as one figure of matplotlib, in two columns.

    Args:
        charts: Titles and charts.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    columns = min(len(charts), _COLUMNS)
    rows = [charts[start : start + columns] for start in range(0, len(charts), columns)]
    legends = [max(_count_legend_lines(chart) for _, chart in row) for row in rows]
    heights = [
        max(chart.height for _, chart in row) / _UNITS + _TITLE + _LEGEND_LINE * lines
        for row, lines in zip(rows, legends, strict=True)
    ]

    def fill(figure: Any) -> None:  # noqa: ANN401
        cells = figure.subplots(len(rows), columns, squeeze=False, height_ratios=heights)
        for axes in cells.ravel()[len(charts) :]:
            axes.set_visible(False)
        for axes, (title, chart) in zip(cells.ravel(), charts, strict=False):
            _draw_chart(axes, chart)
            axes.set_title(shorten_name(title, _MAX_TITLE), loc="left")

    return make_figure((columns * max(chart.width for _, chart in charts) / _UNITS, sum(heights)), fill)


def _draw_chart(axes: Any, chart: Chart) -> None:  # noqa: ANN401
    """Draw a chart. The axes have the units of its SVG image, because these are the units of its paths."""
    axes.set(xlim=[*map(chart.place_x, (chart.x.low, chart.x.high))], xlabel=chart.x_title)
    axes.set(ylim=[*map(chart.place_y, (chart.y.low, chart.y.high))], ylabel=chart.y_title)
    axes.set_xticks([chart.place_x(tick) for tick, _ in chart.x.ticks], [label for _, label in chart.x.ticks])
    axes.set_yticks([chart.place_y(tick) for tick, _ in chart.y.ticks], [label for _, label in chart.y.ticks])
    axes.grid(visible=bool(chart.y_title), axis="y")
    for shape in chart.shapes:
        colour, style = CHART_COLOURS[shape.colour], _parse_style(shape.style)
        label = shorten_name(shape.name)  # of the first part only, so that the legend has it once
        for part in shape.path.split("M")[1:]:
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", part.removesuffix("h0"))]
            xs, ys = numbers[::2], numbers[1::2]
            if shape.look == "points":
                axes.plot(xs, ys, "o", color=colour, markersize=5, label=label, clip_on=False)
            elif shape.look == "line":
                axes.plot(xs, ys, color=colour, linewidth=1.5, label=label, **style)
            else:
                alpha = {"alpha": 0.35} if shape.look == "area" else {}
                axes.fill(xs, ys, color=colour, label=label, linewidth=0, **(alpha | style))
            label = ""
    for x, y, anchor, text in chart.labels:
        axes.text(x, y, text, ha="left" if anchor == "start" else "right", fontsize=8)
    if any(shape.name for shape in chart.shapes):
        transforms, figure = require("matplotlib.transforms", "plots"), axes.figure
        below = axes.transAxes + transforms.ScaledTranslation(0, -_AXIS, figure.dpi_scale_trans)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=_LEGEND_COLUMNS)


def _count_legend_lines(chart: Chart) -> int:
    return -(-sum(bool(shape.name) for shape in chart.shapes) // _LEGEND_COLUMNS)


def _parse_style(style: str) -> dict[str, Any]:
    """Return the arguments of matplotlib for the properties in CSS that charts have."""
    name, _, value = style.partition(": ")
    if name == "stroke-dasharray":
        return {"linestyle": (0, [float(length) * _DASH for length in value.split()])}
    return {"alpha": float(value)} if name == "fill-opacity" else {}


def shorten_name(name: str, longest: int = _MAX_NAME) -> str:
    """Shorten a name, so that it fits next to or below a picture, and escape it."""
    printable = escape(name)
    if len(printable) <= longest:
        return printable
    return printable[: longest - 1] + "…"
