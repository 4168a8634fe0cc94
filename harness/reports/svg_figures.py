"""Figures as SVG for a page. They use the colours of the page, light or dark, and fit any width."""

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

from harness.rendering.pictures import make_style, replace_unprintable
from harness.reports.analysis import MANY_WORDS, Distribution, GradeSpread, OverlapRate
from harness.reports.wording import Wording
from harness.support.extras import require

Floats = npt.NDArray[np.float64]
Curve = tuple[Floats, Floats]
"""Recall and precision."""

SERIES = 8
"""Maximum number of models that can be distinguished in a figure."""


class Series(NamedTuple):
    """A model with the same colour in all figures.

    Attributes:
        number: Index of the colour, from 0 to below `SERIES`.
        name: Name of the model.
    """

    number: int
    name: str


_ROLE_NAMES = ("ink", "muted", "grid", "paraphrase", "other", *(f"series-{index}" for index in range(SERIES)))
_COLOURS = {role: f"#0000{number:02x}" for number, role in enumerate(_ROLE_NAMES, start=1)}
"""Placeholders for the colours of the page. Figures do not contain these colours otherwise."""

_ROLES = {colour: role for role, colour in _COLOURS.items()}
_COLOUR = re.compile("|".join(_ROLES))
_REFERENCE = re.compile(r"(?:^|url\()#([^)]+)")
_MARKED = ("style", "clip-path", "{http://www.w3.org/1999/xlink}href")
"""Attributes that contain colours or references."""

_ANY_LABEL = "label:"
"""Prefix of names in legends, because matplotlib leaves out names that start with "_"."""

_SHADES = (0.95, 0.6, 0.35, 0.15)
_DASHES = ("-", "--", "-.", ":", (0, (8, 2)), (0, (4, 1, 1, 1, 1, 1)), (0, (1, 2.5)), (0, (3, 3)))
_WIDTH, _HEIGHT = 4.6, 2.7
_STYLE = {
    **make_style(_COLOURS["ink"], _COLOURS["muted"], _COLOURS["grid"]),
    "axes.facecolor": "none",
    "figure.facecolor": "none",
}
_SVG = "{http://www.w3.org/2000/svg}"


def draw_distribution(spread: Distribution, threshold: float, wording: Wording, name: str) -> str:
    """Draw the distributions of the scores of positives and negatives, with the threshold."""
    with _axes(name) as (axes, out):
        for role, label, shares in (
            ("paraphrase", wording.positives, spread.positives),
            ("other", wording.negatives, spread.negatives),
        ):
            axes.stairs(shares, spread.edges, fill=True, color=_COLOURS[role], alpha=0.45, label=label)
            axes.stairs(shares, spread.edges, color=_COLOURS[role], linewidth=1.2)
        if spread.edges[0] <= threshold <= spread.edges[-1]:
            axes.axvline(threshold, color=_COLOURS["ink"], linestyle="--", linewidth=1.2, label="threshold")
        axes.set(xlabel="score", ylabel="share of rows", ylim=(0, None))
        _add_legend(axes, 3)
    return out[0]


def draw_grades(spreads: Sequence[GradeSpread], name: str) -> str:
    """Draw the median score by grade, with a band for the middle half of the pairs."""
    with _axes(name) as (axes, out):
        grades = [spread.grade for spread in spreads]
        lower, median, upper = zip(*(spread.quartiles for spread in spreads), strict=True)
        axes.fill_between(grades, lower, upper, color=_COLOURS["paraphrase"], alpha=0.3, linewidth=0)
        axes.plot(grades, median, color=_COLOURS["paraphrase"], marker="o", markersize=4, linewidth=1.6)
        axes.set_xticks(grades)
        axes.set(xlabel="grade", ylabel="score")
    return out[0]


def draw_precision(curves: Mapping[Series, Curve], share: float, name: str) -> str:
    """Draw precision by recall, with a line per model. The dotted line is the precision of chance."""
    with _axes(name, _HEIGHT + _legend_height(len(curves))) as (axes, out):
        for series, (recall, precision) in curves.items():
            axes.plot(recall, precision, **_line(series))
        axes.axhline(share, color=_COLOURS["muted"], linestyle=":", linewidth=1)
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
        _add_legend(axes, 2)
    return out[0]


def draw_ranks(ranks: Mapping[str, Floats], chance: float, rated: str, name: str) -> str:
    """Draw the shares of the ranks of the right option, with a bar per model. The dotted line is rank 1 by chance."""
    options = len(next(iter(ranks.values())))
    with _axes(name, 1.1 + 0.28 * len(ranks)) as (axes, out):
        labels = [_shorten(label) for label in ranks]
        # Bars are placed by number, because models with equal shortened labels would share a bar.
        places, table = np.arange(len(ranks)), np.array(list(ranks.values()))
        left = np.zeros(len(ranks))
        for rank in range(options):
            shade = {"color": _COLOURS["series-0"], "alpha": _SHADES[min(rank, len(_SHADES) - 1)]}
            axes.barh(places, table[:, rank], left=left, label=f"rank {rank + 1}", **shade)
            left = left + table[:, rank]
        axes.axvline(chance, color=_COLOURS["ink"], linestyle=":", linewidth=1)
        axes.set(xlabel=f"share of {rated}", xlim=(0, 1))
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        _add_legend(axes, 4)
    return out[0]


def draw_overlaps(rates: Mapping[Series, Mapping[int, OverlapRate]], name: str) -> str:
    """Draw success by the number of words that question and answer share, with a line per model."""
    with _axes(name, _HEIGHT + _legend_height(len(rates))) as (axes, out):
        word_counts: set[int] = set()
        for series, model_rates in rates.items():
            success = [rate for rate, _ in model_rates.values()]
            axes.plot(list(model_rates), success, marker="o", markersize=4, **_line(series))
            word_counts |= model_rates.keys()
        ticks = sorted(word_counts)
        axes.set_xticks(ticks, [*map(name_word_count, ticks)])
        axes.set(xlabel="words that question and answer share", ylabel="success rate", ylim=(0, 1.02))
        _add_legend(axes, 2)
    return out[0]


def name_word_count(words: int) -> str:
    """Name a number of shared words. `MANY_WORDS` means this number or more."""
    return f"{words}+" if words == MANY_WORDS else str(words)


def _line(series: Series) -> dict[str, Any]:
    """Choose the style of a line. Dashes distinguish models for readers who cannot distinguish the colours."""
    dashes = _DASHES[series.number]
    colour = _COLOURS[f"series-{series.number}"]
    return {"label": _ANY_LABEL + _shorten(series.name), "color": colour, "linestyle": dashes, "linewidth": 1.6}


def _legend_height(entries: int) -> float:
    return 0.2 * ((entries + 1) // 2)


def _shorten(name: str, length: int = 26) -> str:
    """Shorten a long name and replace unprintable characters, which are illegal in SVG.

    The middle is cut, because names of one organization have the same beginning.
    """
    printable = replace_unprintable(name)
    if len(printable) <= length:
        return printable
    half = length // 2
    return f"{printable[: half - 1]}…{printable[-half:]}"


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
    """Yield axes to draw on, and a list. After the block, the list contains the figure as SVG."""
    matplotlib = require("matplotlib", "plots")
    figures, svg = require("matplotlib.figure", "plots"), require("matplotlib.backends.backend_svg", "plots")
    out: list[str] = []
    file = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # a user's own settings would change the figures
        matplotlib.rcParams.update(_STYLE)
        # matplotlib measures text by its own font, which may not have all glyphs of the fonts of the page.
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")
        figure = figures.Figure(figsize=(_WIDTH, height), layout="constrained")
        yield figure.add_subplot(), out
        # `savefig` would draw the figure twice to find the layout. Here, drawing it once suffices.
        svg.FigureCanvasSVG(figure).print_svg(file, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    out.append(_embed(file.getvalue(), name))


def _embed(svg: bytes, name: str) -> str:
    """Convert an SVG file to an element of a page: without a fixed size, with the page's colours, and with unique ids.

    Args:
        svg: The file that matplotlib wrote.
        name: Prefix of the ids.

    Returns:
        An HTML element, hidden from screen readers, which read the caption and the table of numbers instead.
    """
    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True))
    for unwanted in root.findall(f"{_SVG}metadata"):
        root.remove(unwanted)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, "")
    attributes = list(_list_marked(root))
    referenced: set[str] = set()
    for _, _, value in attributes:
        referenced.update(_REFERENCE.findall(value))
    for element in root.iter():
        identifier = str(element.attrib.pop("id", ""))
        if identifier in referenced:
            element.set("id", f"{name}-{identifier}")
    for element, attribute, value in attributes:
        renamed = _REFERENCE.sub(lambda match: match[0].replace("#", f"#{name}-"), value)
        element.set(attribute, _COLOUR.sub(lambda match: f"var(--{_ROLES[match[0]]})", renamed))
    root.set("aria-hidden", "true")
    return etree.tostring(root, encoding="unicode")


def _list_marked(root: etree._Element) -> Iterator[tuple[etree._Element, str, str]]:
    """Yield the attributes that contain colours or references: element, name and value."""
    for element in root.iter():
        for attribute in _MARKED:
            if attribute in element.attrib:
                yield element, attribute, str(element.get(attribute))
