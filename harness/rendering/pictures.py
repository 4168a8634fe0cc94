"""Files with pictures for papers, in a common style, by matplotlib. The same numbers always give the same file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.support.extras import require
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.escaping import escape

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

_MAX_NAME = 28

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


def draw_picture(size: tuple[float, float], form: str, fill: Callable[[Any], None], *, is_dark: bool = False) -> bytes:
    """Draw a picture in the common style.

    Args:
        size: Width and height in inches.
        form: One of `FORMATS`.
        fill: Function that draws on a figure of matplotlib. "C0" and so on name `COLOURS`, which are lighter on dark
            pages where they have to be.
        is_dark: Whether the picture is for dark pages.

    Returns:
        The content of the file. The same numbers give the same content.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    matplotlib, figures = require("matplotlib", "plots"), require("matplotlib.figure", "plots")
    file = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Letters that the font does not have are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        matplotlib.rcdefaults()  # a user's own settings would change the picture
        colours = ["#ffffff" if is_dark and colour == "#000000" else colour for colour in COLOURS]
        cycle = {"axes.prop_cycle": f"cycler('color', {colours})"}
        matplotlib.rcParams.update(_STYLE | cycle | (_DARK_STYLE if is_dark else {}))
        figure = figures.Figure(figsize=size, layout="constrained")
        fill(figure)
        figure.savefig(file, format=form, dpi=200, metadata=_METADATA[form])
    return file.getvalue()


def shorten_name(name: str, longest: int = _MAX_NAME) -> str:
    """Shorten a name, so that it fits next to or below a picture, and escape it."""
    printable = escape(name)
    if len(printable) <= longest:
        return printable
    return printable[: longest - 1] + "…"
