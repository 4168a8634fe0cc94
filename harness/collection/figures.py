"""A picture of a simulated collection: what each method found, and how topics differ (Xu et al. 2015, figures 2, 3)."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.collection.simulation import Pool, Yield, measure_shares
from harness.extras import require
from pyramid_paraphrase.errors import OptionError

FORMATS = ("png", "svg", "pdf")

_INK, _MUTED, _GRID, _PLAIN, _FILTERED = "#1b1f24", "#59616b", "#dfe3e8", "#d55e00", "#0072b2"
"""Colours of the pages of reports, in the light."""

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pyramid-paraphrase",
    "font.size": 10,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _MUTED,
    "xtick.color": _MUTED,
    "xtick.labelcolor": _INK,
    "ytick.color": _MUTED,
    "ytick.labelcolor": _INK,
    "grid.color": _GRID,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def parse_format(path: Path) -> str:
    """Tell a picture's format by the end of its name.

    Raises:
        OptionError: If it is none of `FORMATS`.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise OptionError(f"{path}: no picture is called so; let it end in {', '.join('.' + one for one in FORMATS)}")
    return form


def draw_collection(pool: Pool, yields: Sequence[Yield], form: str) -> bytes:
    """Draw how many paraphrases each method found, and how their share differs among topics.

    Args:
        pool: What could be asked.
        yields: What was found.
        form: One of `FORMATS`.

    Returns:
        The file; the same for the same numbers.
    """
    matplotlib, figures = require("matplotlib", "plots"), require("matplotlib.figure", "plots")
    file = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()  # a user's own settings would give another picture
        matplotlib.rcParams.update(_STYLE)
        figure = figures.Figure(figsize=(9.2, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_yields(left, yields)
        _draw_shares(right, pool)
        figure.savefig(file, format=form, dpi=150, metadata=_METADATA[form])
    return file.getvalue()


_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
}
"""What would be different on another day or with another version."""


def _draw_yields(axes: Any, yields: Sequence[Yield]) -> None:  # noqa: ANN401
    means = np.array([one.paraphrases.mean() for one in yields])
    ends = np.array([one.interval for one in yields]).T
    errors = np.maximum([means - ends[0], ends[1] - means], 0)
    colours = [_FILTERED if one.method.filters else _PLAIN for one in yields]
    places = np.arange(len(yields))
    axes.barh(places, means, xerr=errors, color=colours, height=0.62, ecolor=_INK, capsize=3)
    for place, mean, end in zip(places, means, ends[1], strict=True):
        axes.annotate(f"{mean:,.0f}", (max(mean, end), place), (5, 0), textcoords="offset points", va="center")
    axes.set_yticks(places, [one.method.name for one in yields])
    axes.invert_yaxis()
    axes.margins(x=0.14)
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set(xlabel="paraphrases found (95 % of runs)", xlim=(0, None))


def _draw_shares(axes: Any, pool: Pool) -> None:  # noqa: ANN401
    for label, chosen, colour in (
        ("all pairs", np.ones_like(pool.salient), _PLAIN),
        ("after the sentence filter", pool.salient, _FILTERED),
    ):
        shares = np.sort(measure_shares(pool, chosen))[::-1]
        axes.stairs(shares, np.linspace(0, 1, len(shares) + 1), baseline=None, color=colour, linewidth=1.6, label=label)
    axes.set(xlabel="share of topics, the richest first", ylabel="share of paraphrases", xlim=(0, 1), ylim=(0, 1.02))
    axes.legend()
