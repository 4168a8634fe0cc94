"""A figure of recalls by equal words and with paraphrases, as figure 6 of Zhou et al. (2006): people and systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from harness.rendering.pictures import COLOURS, INK, MARKERS, draw_picture, shorten_name
from harness.rendering.tables import count_of
from harness.summarization.references import Comparison
from harness.summarization.summary_scores import SummaryScore
from pyramid_paraphrase.errors import OptionError

_PEOPLE, _SYSTEMS = "people", "systems"

_MARGIN, _AUTHOR, _HEIGHT = 1.2, 0.24, 3.2
"""In inches: width of the axis and the gap of a panel, width of an author, and height of the figure without names."""

_LETTER = 0.07
"""Height in inches of a letter of the vertical names below a panel."""

_MIN_WIDTH = 5.5
"""Minimum width in inches, in which the legend has room."""

_MAX_WIDTH = 300
"""Maximum width in inches. A pixel image cannot be much wider."""

_LOOKS = ((INK, MARKERS[0]), (COLOURS[5], MARKERS[1]))
"""Colours and shapes of the two scores, dark and light as in the paper."""

_SHIFT = 0.18
"""Distance of the points of a score from the middle of their author, in units of the distance between authors."""


def draw_recalls(
    comparisons: Sequence[Comparison], scores: Sequence[SummaryScore], names: Sequence[str], form: str = "png"
) -> bytes:
    """Draw the scores of all summaries, a panel for people and a panel for systems. Lines are means.

    Args:
        comparisons: The summaries. Their authors are people if they wrote a reference of the topic.
        scores: The score of each summary.
        names: One or two names of scores, such as "rouge_1" and "paraeval_3". The last one sorts the authors.
        form: One of `pictures.FORMATS`.

    Returns:
        The content of the image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        OptionError: If the figure would be too wide.
    """
    panels: dict[str, dict[str, list[SummaryScore]]] = {_PEOPLE: defaultdict(list), _SYSTEMS: defaultdict(list)}
    for comparison, score in zip(comparisons, scores, strict=True):
        panels[_PEOPLE if comparison.is_reference else _SYSTEMS][score.author].append(score)
    drawn = {title: by_author for title, by_author in panels.items() if by_author}
    widths = [_MARGIN + _AUTHOR * len(by_author) for by_author in drawn.values()]
    if sum(widths) > _MAX_WIDTH:
        number = count_of(sum(map(len, drawn.values())), "author")
        raise OptionError(f"{number} of summaries are too many for a figure. Omit --plot, or use fewer --peers")
    longest = max(len(shorten_name(author)) for by_author in drawn.values() for author in by_author)

    def fill(figure: Any) -> None:  # noqa: ANN401
        cells = figure.subplots(1, len(drawn), sharey=True, squeeze=False, gridspec_kw={"width_ratios": widths})[0]
        for axes, (title, by_author) in zip(cells, drawn.items(), strict=True):
            _draw_panel(axes, by_author, names)
            axes.set(title=f"{title}: {len(by_author):,}", xlabel="author of summaries")
        cells[0].set_ylabel("recall of the words of references")
        cells[0].set_ylim(bottom=0)
        handles, labels = cells[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(names))

    return draw_picture((max(sum(widths), _MIN_WIDTH), _HEIGHT + _LETTER * longest), form, fill)


def _draw_panel(axes: Any, by_author: Mapping[str, Sequence[SummaryScore]], names: Sequence[str]) -> None:  # noqa: ANN401
    def average(author: str, name: str) -> float:
        return fmean(score.values[name] for score in by_author[author])

    authors = sorted(by_author, key=lambda author: (-average(author, names[-1]), author))
    for number, (name, (colour, marker)) in enumerate(zip(names, _LOOKS, strict=False)):
        shift = (2 * number - len(names) + 1) * _SHIFT
        points = [
            (place + shift, score.values[name]) for place, author in enumerate(authors) for score in by_author[author]
        ]
        # Points at 0 are above the axis, which would cut them.
        look = {"color": colour, "marker": marker, "s": 12, "alpha": 0.6, "linewidths": 0, "clip_on": False}
        axes.scatter(*zip(*points, strict=True), label=f"{name} (line: mean)", zorder=3, **look)
        means = [average(author, name) for author in authors]
        axes.plot([place + shift for place in range(len(authors))], means, color=colour, linewidth=1.2)
    axes.set_xticks(range(len(authors)), list(map(shorten_name, authors)), rotation=90)
    axes.set_xlim(-0.6, len(authors) - 0.4)
    axes.grid(axis="x", visible=False)
