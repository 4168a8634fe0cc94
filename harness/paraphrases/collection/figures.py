"""Figures of collections (Xu et al. 2015): votes and grades, yields of methods, differences of topics, and PINC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from harness.paraphrases.collection.simulation import Pool, Yield, measure_shares
from harness.rendering.pictures import COLOURS, INK, draw_picture
from harness.rendering.tables import count_of

_PLAIN, _FILTERED = COLOURS[1], COLOURS[0]
_FEWEST_WITHOUT_DECIMALS = 10
"""Numbers of paraphrases below this limit are shown with one decimal."""


def draw_votes(table: Mapping[tuple[int, int], Sequence[int]], form: str) -> bytes:
    """Draw the number of items by votes and by grades as a heat map (figure 1).

    Args:
        table: Numbers of items with each grade, by the number of yes votes and of all votes.
        form: One of `pictures.FORMATS`.

    Returns:
        The content of the image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """
    counts = np.array(list(table.values()))

    def fill(figure: Any) -> None:  # noqa: ANN401
        axes = figure.subplots()
        axes.imshow(counts, cmap="Blues", origin="lower", aspect="auto", vmin=0)
        for (row, column), count in np.ndenumerate(counts):
            colour = "white" if 2 * count > counts.max() else INK
            axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour)
        axes.grid(visible=False)
        axes.set_xticks(range(counts.shape[1]))
        axes.set_yticks(range(len(table)), [f"{yes} of {votes}" for yes, votes in table])
        axes.set(xlabel="grade of the expert", ylabel="votes for a paraphrase")

    return draw_picture((5.2, 1.6 + 0.3 * len(table)), form, fill)


def draw_collection(
    pool: Pool,
    yields: Sequence[Yield],
    pairs: int,
    form: str,
    pinc_by_votes: Mapping[float, Sequence[float]] | None = None,
) -> bytes:
    """Draw the number of paraphrases that each method finds, and the share of paraphrases in each topic.

    Args:
        pool: The pairs that can be asked about.
        yields: The yields of the methods.
        pairs: Number of pairs that each method asks about.
        form: One of `pictures.FORMATS`.
        pinc_by_votes: PINC of pairs by the number of votes for a paraphrase, which a third part then shows.

    Returns:
        The content of the image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
    """

    def fill(figure: Any) -> None:  # noqa: ANN401
        parts = figure.subplots(1, 3 if pinc_by_votes else 2)
        _draw_yields(parts[0], yields, pairs)
        _draw_shares(parts[1], pool)
        if pinc_by_votes:
            _draw_pinc(parts[2], pinc_by_votes)

    return draw_picture((13.2 if pinc_by_votes else 9.2, 3.2), form, fill)


def _draw_pinc(axes: Any, pinc_by_votes: Mapping[float, Sequence[float]]) -> None:  # noqa: ANN401
    votes = sorted(pinc_by_votes)
    medians = {"color": INK, "linewidth": 1.6}
    axes.boxplot([pinc_by_votes[count] for count in votes], positions=votes, medianprops=medians, showfliers=False)
    axes.grid(visible=False, axis="x")
    axes.set(xlabel="votes for a paraphrase", ylabel="PINC of the pairs", ylim=(0, 1.02))


def _draw_yields(axes: Any, yields: Sequence[Yield], pairs: int) -> None:  # noqa: ANN401
    methods = [method_yield.method for method_yield in yields]
    means = np.array([method_yield.paraphrases.mean() for method_yield in yields])
    lower, upper = np.array([method_yield.interval for method_yield in yields]).T
    errors = np.maximum([means - lower, upper - means], 0)
    colours = [_FILTERED if method.filters else _PLAIN for method in methods]
    positions = np.arange(len(yields))
    axes.barh(positions, means, xerr=errors, color=colours, height=0.62, ecolor=INK, capsize=3)
    for position, mean, end in zip(positions, means, upper, strict=True):
        label = f"{mean:,.0f}" if mean >= _FEWEST_WITHOUT_DECIMALS else f"{mean:.1f}"
        axes.annotate(label, (max(mean, end), position), (5, 0), textcoords="offset points", va="center")
    axes.set_yticks(positions, [method.name for method in methods])
    axes.invert_yaxis()
    axes.margins(x=0.18)
    axes.grid(visible=False, axis="y")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    asked = f"among {count_of(pairs, 'pair')} in questions (mean, 95 % of runs)"
    axes.set(xlabel=f"paraphrases found\n{asked}", xlim=(0, max(1, axes.get_xlim()[1])))


def _draw_shares(axes: Any, pool: Pool) -> None:  # noqa: ANN401
    for label, chosen, colour in (
        ("all pairs", np.ones_like(pool.salient), _PLAIN),
        ("after the sentence filter", pool.salient, _FILTERED),
    ):
        shares = np.sort(measure_shares(pool, chosen))[::-1]
        axes.stairs(shares, np.linspace(0, 1, len(shares) + 1), baseline=None, color=colour, linewidth=1.6, label=label)
    axes.set(
        xlabel="share of topics, most paraphrases first",
        ylabel="share of paraphrases in a topic",
        xlim=(0, 1),
        ylim=(0, 1.02),
    )
    axes.legend()
