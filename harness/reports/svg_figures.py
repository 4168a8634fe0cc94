"""Figures as SVG for a page: their colours are the page's, light or dark, and they fit any width."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

from harness.rendering.pictures import make_style
from harness.reports.analysis import MANY_WORDS, Distribution, GradeSpread
from harness.support.extras import require

Floats = npt.NDArray[np.float64]

SERIES = 8
"""How many models one figure tells apart."""


class Series(NamedTuple):
    """A model that has the same colour in all figures.

    Attributes:
        number: Of the colour, below `SERIES`.
        name: Name of the model.
    """

    number: int
    name: str


_COLOURS = {
    name: f"#0000{number:02x}"
    for number, name in enumerate(
        ["ink", "muted", "grid", "paraphrase", "other", *(f"series-{index}" for index in range(SERIES))], start=1
    )
}
"""Placeholders for the page's colours, which no figure would have by chance."""

_ROLES = {colour: role for role, colour in _COLOURS.items()}
_COLOUR = re.compile("|".join(_ROLES))
_REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
_MARKED = ("style", "clip-path", "{http://www.w3.org/1999/xlink}href")
"""Attributes that hold colours or references."""

_ANY_LABEL = "label:"
"""In front of names while matplotlib decides what is in a legend: it leaves out those that start with "_"."""

_SHADES = (0.95, 0.6, 0.35, 0.15)
_DASHES = ("-", "--", "-.", ":", (0, (8, 2)), (0, (4, 1, 1, 1, 1, 1)), (0, (1, 2.5)), (0, (3, 3)))
_WIDTH, _HEIGHT = 4.6, 2.7
_STYLE = {
    **make_style(_COLOURS["ink"], _COLOURS["muted"], _COLOURS["grid"]),
    "axes.facecolor": "none",
    "figure.facecolor": "none",
}
_SVG = "{http://www.w3.org/2000/svg}"


def draw_distribution(spread: Distribution, threshold: float, name: str) -> str:
    """Draw how the scores of paraphrases and of other pairs are spread, with the threshold between them."""
    with _axes(name) as (axes, out):
        for label, shares in (("paraphrase", spread.paraphrases), ("other", spread.others)):
            shown = {"paraphrase": "paraphrases", "other": "other pairs"}[label]
            axes.stairs(shares, spread.edges, fill=True, color=_COLOURS[label], alpha=0.45, label=shown)
            axes.stairs(shares, spread.edges, color=_COLOURS[label], linewidth=1.2)
        if spread.edges[0] <= threshold <= spread.edges[-1]:
            axes.axvline(threshold, color=_COLOURS["ink"], linestyle="--", linewidth=1.2, label="threshold")
        axes.set(xlabel="score", ylabel="share of pairs", ylim=(0, None))
        _add_legend(axes, 3)
    return out[0]


def draw_grades(spread: Sequence[GradeSpread], name: str) -> str:
    """Draw the median score by grade, in the band of the middle half."""
    with _axes(name) as (axes, out):
        grades = [one.grade for one in spread]
        lower, median, upper = zip(*(one.quartiles for one in spread), strict=True)
        axes.fill_between(grades, lower, upper, color=_COLOURS["paraphrase"], alpha=0.3, linewidth=0)
        axes.plot(grades, median, color=_COLOURS["paraphrase"], marker="o", markersize=4, linewidth=1.6)
        axes.set_xticks(grades)
        axes.set(xlabel="grade", ylabel="score")
    return out[0]


def draw_precision(curves: Mapping[Series, tuple[Floats, Floats]], share: float, name: str) -> str:
    """Draw precision by recall, a line per model; the dotted line is what chance would reach."""
    with _axes(name, _HEIGHT + _legend_height(len(curves))) as (axes, out):
        for series, (recall, precision) in curves.items():
            axes.plot(recall, precision, **_line(series))
        axes.axhline(share, color=_COLOURS["muted"], linestyle=":", linewidth=1)
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
        _add_legend(axes, 2)
    return out[0]


def draw_ranks(ranks: Mapping[str, Floats], name: str) -> str:
    """Draw how often the right option has each rank, a bar per model."""
    options = len(next(iter(ranks.values())))
    with _axes(name, 1.1 + 0.28 * len(ranks)) as (axes, out):
        labels = [_shorten(label) for label in ranks]
        # A bar by its number: labels that are the same once shortened would fall together.
        places, table = np.arange(len(ranks)), np.array(list(ranks.values()))
        left = np.zeros(len(ranks))
        for rank in range(options):
            shade = {"color": _COLOURS["series-0"], "alpha": _SHADES[min(rank, len(_SHADES) - 1)]}
            axes.barh(places, table[:, rank], left=left, label=f"rank {rank + 1}", **shade)
            left = left + table[:, rank]
        axes.axvline(1 / options, color=_COLOURS["ink"], linestyle=":", linewidth=1)
        axes.set(xlabel="share of questions", xlim=(0, 1))
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        _add_legend(axes, 4)
    return out[0]


def draw_overlaps(rates: Mapping[Series, Mapping[int, tuple[float, int]]], name: str) -> str:
    """Draw success by the number of words that question and answer share, a line per model."""
    with _axes(name, _HEIGHT + _legend_height(len(rates))) as (axes, out):
        for series, values in rates.items():
            axes.plot(list(values), [rate for rate, _ in values.values()], marker="o", markersize=4, **_line(series))
        counts = sorted({count for values in rates.values() for count in values})
        axes.set_xticks(counts, [f"{count}+" if count == MANY_WORDS else str(count) for count in counts])
        axes.set(xlabel="words that question and answer share", ylabel="success rate", ylim=(0, 1.02))
        _add_legend(axes, 2)
    return out[0]


def _line(series: Series) -> dict[str, Any]:
    """A colour and a kind of dashes per model, for those who cannot tell colours apart."""
    dashes = _DASHES[series.number]
    colour = _COLOURS[f"series-{series.number}"]
    return {"label": _ANY_LABEL + _shorten(series.name), "color": colour, "linestyle": dashes, "linewidth": 1.6}


def _legend_height(entries: int) -> float:
    return 0.2 * ((entries + 1) // 2)


def _shorten(name: str, length: int = 26) -> str:
    """What of a name fits: its ends, as models of one organization begin alike; of characters, what SVG can hold."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in name)
    half = length // 2
    return shown if len(shown) <= length else f"{shown[: half - 1]}…{shown[-half:]}"


def _add_legend(axes: Any, columns: int) -> None:  # noqa: ANN401
    handles, labels = axes.get_legend_handles_labels()
    places = list(map(str, range(len(labels))))
    legend = axes.figure.legend(
        handles, places, loc="outside lower center", ncols=columns, handlelength=2.2, columnspacing=1.2
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_text(label.removeprefix(_ANY_LABEL))


@contextmanager
def _axes(name: str, height: float = _HEIGHT) -> Iterator[tuple[Any, list[str]]]:
    """Axes to draw on; what was drawn is in the list afterwards."""
    matplotlib = require("matplotlib", "plots")
    figures, svg = require("matplotlib.figure", "plots"), require("matplotlib.backends.backend_svg", "plots")
    out: list[str] = []
    file = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # a user's own settings would give other figures
        matplotlib.rcParams.update(_STYLE)
        # The page's fonts have what matplotlib's, by which it measures, may not.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        figure = figures.Figure(figsize=(_WIDTH, height), layout="constrained")
        yield figure.add_subplot(), out
        # Not savefig, which draws everything twice to find a layout that one drawing finds as well.
        svg.FigureCanvasSVG(figure).print_svg(file, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    out.append(_embed(file.getvalue(), name))


def _embed(svg: bytes, name: str) -> str:
    """Make an SVG file part of a page: without a size and colours of its own, and with ids that occur nowhere else.

    Args:
        svg: What matplotlib wrote.
        name: What its ids start with.

    Returns:
        An element for HTML, hidden from screen readers: a figure has a caption and its numbers as a table.
    """
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))
    for unwanted in root.findall(f"{_SVG}metadata"):
        root.remove(unwanted)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    used = {own for _, _, value in _list_marked(root) for own in _REFERENCE.findall(value)}
    for element in root.iter():
        own = str(element.attrib.pop("id", ""))
        if own in used:
            element.set("id", f"{name}-{own}")
    for element, attribute, value in _list_marked(root):
        moved = _REFERENCE.sub(lambda found: found[0].replace("#", f"#{name}-"), value)
        element.set(attribute, _COLOUR.sub(lambda found: f"var(--{_ROLES[found[0]]})", moved))
    root.set("aria-hidden", "true")
    return etree.tostring(root, encoding="unicode")


def _list_marked(root: etree._Element) -> list[tuple[etree._Element, str, str]]:
    return [
        (element, attribute, str(element.get(attribute)))
        for element in root.iter()
        for attribute in _MARKED
        if attribute in element.attrib
    ]
