"""A picture of what correlations are made of: a point per source and method."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

from harness.dimple.gains import METRICS
from harness.dimple.meta_evaluation import Correlation, Extrinsic
from harness.dimple.recognition import GAINED
from harness.dimple.scores import Scores
from harness.extras import require

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Colours that most people tell apart (Okabe and Ito 2008), and shapes for those who do not."""

_MAX_NAME = 28
_STYLE = {
    "font.size": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "pyramid-paraphrase",
    # A name such as "$x" is no formula.
    "text.parse_math": False,
}


def draw_correlations(
    scores: Scores, extrinsic: Sequence[Extrinsic], correlations: Sequence[Correlation], share: str, form: str = "png"
) -> bytes:
    """Draw what is recognized by each metric at the largest k, a row of pictures per corpus.

    Args:
        scores: Of the lists.
        extrinsic: Per corpus, what is recognized.
        correlations: Of both; they are written above the points.
        share: What is recognized, one of `recognition.SHARES`.
        form: "png" or "svg".

    Returns:
        The picture.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    matplotlib = require("matplotlib", "plots")
    figures, agg = require("matplotlib.figure", "plots"), require("matplotlib.backends.backend_agg", "plots")
    out = io.BytesIO()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a user's own settings would give another picture
        matplotlib.rcParams.update(_STYLE)
        methods = [one.method for one in scores.methods]
        legend = math.ceil(len(methods) / 4) * 0.22
        size = (3 * len(METRICS), 0.6 + legend + 2.5 * len(extrinsic))
        figure = figures.Figure(figsize=size, layout="constrained", dpi=150)
        agg.FigureCanvasAgg(figure)
        cells = figure.subplots(len(extrinsic), len(METRICS), sharey="row", sharex=True, squeeze=False)
        for row, corpus in zip(cells, extrinsic, strict=True):
            for axes, metric in zip(row, METRICS, strict=True):
                _draw(axes, scores, corpus, metric, share)
                axes.set_title(_describe(corpus.corpus, metric, max(scores.cuts), correlations))
            row[0].set_ylabel(f"{_shorten(corpus.corpus)}: {_describe_share(share)}")
        for axes, metric in zip(cells[-1], METRICS, strict=True):
            axes.set_xlabel(f"{metric}@{max(scores.cuts)}, {scores.judgment.name}")
        handles, _ = cells[0][0].get_legend_handles_labels()
        figure.legend(handles, [_shorten(name) for name in methods], loc="outside lower center", ncols=4)
        figure.savefig(out, format=form, metadata={"Software": None} if form == "png" else {"Date": None})
    return out.getvalue()


def _draw(axes: Any, scores: Scores, corpus: Extrinsic, metric: str, share: str) -> None:  # noqa: ANN401
    key = metric, max(scores.cuts)
    for number, method in enumerate(one.method for one in scores.methods):
        points = [
            (one.values[key], value)
            for one, recognition in zip(scores.sets, corpus.sets, strict=True)
            if one.method == method and (value := recognition.share(share)) is not None
        ]
        colour, marker = _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]
        across, up = zip(*points, strict=True) if points else ((), ())
        # Names that start with "_" would be left out of a legend.
        axes.scatter(across, up, s=26, c=colour, marker=marker, alpha=0.75, linewidths=0, label=f"method {number}")
    axes.set(xlim=(-0.03, 1.03))


def _describe(corpus: str, metric: str, k: int, correlations: Sequence[Correlation]) -> str:
    (one,) = (row for row in correlations if (row.corpus, row.metric, row.k) == (corpus, metric, k))
    if one.value is None or one.p_value is None:
        return "no correlation"
    return f"r = {one.value:.2f}, {'p < 0.001' if one.p_value < 0.001 else f'p = {one.p_value:.3f}'}"


def _describe_share(share: str) -> str:
    return "share gained" if share == GAINED else "share recognized"


def _shorten(name: str) -> str:
    shown = "".join(character if character.isprintable() else "\ufffd" for character in name)
    return shown if len(shown) <= _MAX_NAME else shown[: _MAX_NAME - 1] + "…"
