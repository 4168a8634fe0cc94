"""Figures of pages of reports: charts of the scores of models on a test, with their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np

from harness.evaluation.comparing.stability import RankStability
from harness.evaluation.record import TRANSFER, TestRecord, describe_metric
from harness.evaluation.transfers import FALSE_ALARMS
from harness.metrics.rows import ScoredRows
from harness.metrics.table import title_column
from harness.models.kinds.baselines import OVERLAP
from harness.rendering.charts import (
    BAR,
    FRAME,
    SERIES_DASHES,
    Chart,
    Shape,
    draw_intervals,
    make_categories,
    make_chart,
    make_log_scale,
    make_scale,
    place_labels,
)
from harness.rendering.tables import count_of, format_value
from harness.reports import analysis
from harness.reports.analysis import Wording
from harness.reports.model_tables import ModelRow
from harness.stats.rounding import DECIMALS, find_decimals
from harness.support.arrays import Floats
from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.rules.options import GRADED_PAIRS, MATCHES, PAIRS, QUESTIONS

Curve = tuple[Floats, Floats]
"""Recall and precision."""

SERIES = 8
"""Maximum number of models that can be distinguished in a chart."""

_BEFORE_FOLD = 4
"""Number of figures of single models that are visible without unfolding."""

_RECALL_LEVELS = tuple(level / 10 for level in range(1, 11))

_SHADES = (0.95, 0.6, 0.35, 0.15)
_DOTTED, _DASHED = "stroke-dasharray: 1 3", "stroke-dasharray: 6 4"
_BAR_HEIGHT = 0.8
"""Height of a bar as a share of its height with its gap."""

_SHARES = make_scale((0, 1))


class ScoredModel(NamedTuple):
    """A model on a test.

    Attributes:
        row: The model's row in the table.
        test: The numbers of the model on the test.
        rows: The scored rows of the model on the test.
        wording: Names of the rows, if they have labels.
    """

    row: ModelRow
    test: TestRecord
    rows: ScoredRows
    wording: Wording

    @property
    def name(self) -> str:
        """The name that the table shows."""
        return self.row.name


def show_figures(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> dict[str, Any]:
    """Lay out the figures of a test, which depend on the kind of its rows.

    Args:
        models: The models.
        colours: Numbers of colours, from 0 to below `SERIES`, by the names of the models that figures with a line per
            model show.

    Returns:
        Values for the template of the page: figures, further figures that are folded, and notes.
    """
    return _SHOW[models[0].rows.kind](models, colours)


def show_scatter_plots(models: Sequence[ScoredModel], metric: str) -> Iterator[dict[str, Any]]:
    """Lay out scatter plots of the main metric: by the number of parameters, and by false alarms on other pairs.

    Args:
        models: The models on a test.
        metric: Name of the metric.
    """
    sizes = {model.name: model.row.results[-1].record.model.parameters for model in models}
    if figure := _scatter(models, metric, "parameters", sizes):
        yield figure
    names = dict.fromkeys(name for model in models for name in model.test.other_metrics)
    for name in names:
        if name.startswith(TRANSFER) and name.endswith(FALSE_ALARMS):
            alarms = {model.name: model.test.other_metrics.get(name) for model in models}
            values = {model: None if alarm is None else alarm.value for model, alarm in alarms.items()}
            if figure := _scatter(models, metric, describe_metric(name), values):
                yield figure


def _scatter(
    models: Sequence[ScoredModel], metric: str, title: str, values: Mapping[str, float | None]
) -> dict[str, Any] | None:
    """Make a scatter plot of a metric by another number. None if fewer than two models have the number."""
    is_size = title == "parameters"
    shown = [(model, value) for model in models if (value := values[model.name]) is not None and (value or not is_size)]
    if len(shown) < 2:
        return None
    scores = [model.test.metrics[metric] for model, _ in shown]
    numbers = [value for _, value in shown]
    scale = make_log_scale(numbers) if is_size else make_scale(numbers)
    chart = make_chart(scale, make_scale(scores), title, title_column(metric))
    points = [(math.log10(value) if is_size else value, score) for value, score in zip(numbers, scores, strict=True)]
    shapes = []
    for colour, competes in (("muted", False), ("series-0", True)):
        members = [model.row.competes is competes for model, _ in shown]
        shapes.append(Shape("points", colour, chart.dot(compress(points, members))))
    places = [(chart.place_x(x), chart.place_y(y)) for x, y in points]
    texts = [(x, y, shorten(model.name)) for (x, y), (model, _) in zip(places, shown, strict=True)]
    labels = [label for label in place_labels(texts, chart) if label is not None]
    unknown = len(models) - len(shown)
    rows = [
        [model.name, f"{value:,}" if is_size else f"{value:.3f}", f"{score:.3f}"]
        for (model, value), score in zip(shown, scores, strict=True)
    ]
    return _make_figure(
        f"{chart.y_title[0].upper()}{chart.y_title[1:]} by {title}",
        f"Not known for {count_of(unknown, 'model')}." if unknown else "",
        chart._replace(shapes=shapes, labels=labels),
        ["model", title, chart.y_title],
        rows,
    )


def _make_figure(
    title: str, caption: str, chart: Chart, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> dict[str, Any]:
    return {"title": title, "caption": caption, "chart": chart, "numbers": {"header": header, "rows": rows}}


def _describe_missing(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> str:
    """Return a note if a figure does not show all models, otherwise an empty text."""
    if all(model.name in colours for model in models):
        return ""
    return " Only the best models and the shortcuts are shown."


def _format_numbers(numbers: Iterable[float]) -> list[str]:
    return [f"{number:.3f}" for number in numbers]


def format_score(score: float, rows: ScoredRows) -> str:
    """Format a score with three decimals, or as in 1.20e-07 if the scores of the rows are very small or large."""
    if find_decimals(rows.scores) == DECIMALS:
        return f"{score:.3f}"
    return f"{score:.2e}"


def _draw_series(name: str, number: int, path: str) -> Shape:
    style = f"stroke-dasharray: {SERIES_DASHES[number]}" if number else ""
    return Shape("line", f"series-{number}", path, name, style)


# Pairs with labels: precision by recall, and the scores of each model.


def _show_pairs(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> dict[str, Any]:
    curves = {model.name: analysis.trace_precision(model.rows) for model in models if model.name in colours}
    share = analysis.share_paraphrases(models[0].rows)
    caption = f"Dotted: {share:.3f}, the share of {models[0].wording.positives}. It is the precision of chance."
    rows = []
    for name, curve in curves.items():
        levels = (analysis.reach_precision(*curve, level) for level in _RECALL_LEVELS)
        rows.append([name, *map(format_value, levels)])
    precision = _make_figure(
        "Precision by recall",
        caption + _describe_missing(models, colours),
        draw_precision({name: analysis.thin_curve(*curve) for name, curve in curves.items()}, colours, share),
        ["recall at least", *(f"{level:.1f}" for level in _RECALL_LEVELS)],
        rows,
    )
    spreads = [*map(_show_distribution, models)]
    return {"figures": [precision, *spreads[:_BEFORE_FOLD]], "folded": spreads[_BEFORE_FOLD:], "notes": []}


def draw_precision(curves: Mapping[str, Curve], colours: Mapping[str, int], share: float) -> Chart:
    """Draw precision by recall, with a line per model. The dotted line is the precision of chance."""
    chart = make_chart(_SHARES, _SHARES, "recall", "precision")
    shapes = [Shape("line", "muted", chart.trace([(0, share), (1, share)]), style=_DOTTED)]
    for name, (recall, precision) in curves.items():
        shapes.append(_draw_series(name, colours[name], chart.trace(zip(recall, precision, strict=True))))
    return chart._replace(shapes=shapes)


def _show_distribution(model: ScoredModel) -> dict[str, Any]:
    edges, positives, negatives = analysis.spread_scores(model.rows)
    threshold, wording = model.test.threshold, model.wording
    assert threshold is not None  # pairs with labels and matches have a threshold
    rows = []
    for ends, *shares in zip(pairwise(edges), positives, negatives, strict=True):
        rows.append([" to ".join(format_score(end, model.rows) for end in ends), *_format_numbers(shares)])
    shown_threshold = format_score(threshold, model.rows)
    return _make_figure(
        model.name,
        f"Scores of {wording.positives} and of {wording.negatives}. Threshold: {shown_threshold}.",
        draw_distribution(edges, positives, negatives, threshold, wording),
        ["score", wording.positives, wording.negatives],
        rows,
    )


def draw_distribution(edges: Floats, positives: Floats, negatives: Floats, threshold: float, wording: Wording) -> Chart:
    """Draw the distributions of the scores of positives and negatives, with the threshold."""
    scores, shares_of_rows = make_scale((edges[0], edges[-1])), make_scale((0, max(positives.max(), negatives.max())))
    chart = make_chart(scores, shares_of_rows, "score", "share of rows")
    shapes = []
    for colour, name, shares in (("paraphrase", wording.positives, positives), ("other", wording.negatives, negatives)):
        corners = [(edges[0], 0.0)]
        for ends, share in zip(pairwise(edges), shares, strict=True):
            corners += [(end, share) for end in ends]
        shapes.append(Shape("area", colour, chart.trace([*corners, (edges[-1], 0.0)]), name))
    if edges[0] <= threshold <= edges[-1]:
        line = chart.trace((threshold, end) for end in (chart.y.low, chart.y.high))
        shapes.append(Shape("line", "ink", line, "threshold", _DASHED))
    return chart._replace(shapes=shapes)


# Questions: the rank of the right option, and success by shared words.


def _show_questions(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> dict[str, Any]:
    shown, notes = [_show_ranks(models)], []
    # By kind, because a model of another kind can also have the name "overlap".
    rows_by_kind = {model.row.results[-1].record.model.kind: model.rows for model in models}
    if OVERLAP.name in rows_by_kind:
        shown.append(_show_overlaps(models, colours, rows_by_kind[OVERLAP.name]))
    else:
        remedy = f"also report the result of {OVERLAP.name}"
        notes.append(f"To see success by the words that question and answer share, {remedy}.")
    return {"figures": shown, "folded": [], "notes": notes}


def _show_ranks(models: Sequence[ScoredModel]) -> dict[str, Any]:
    shares = {model.name: analysis.share_ranks(model.rows) for model in models}
    options = len(next(iter(shares.values())))
    rows = models[0].rows
    rated = "questions" if rows.kind == QUESTIONS else models[0].wording.positives
    return _make_figure(
        "Rank of the right option",
        f"Share of the {rated}. Tied options share their ranks. Dotted: rank 1 by chance.",
        draw_ranks(shares, analysis.chance_of_first(rows), rated),
        ["model", *(f"rank {rank}" for rank in range(1, options + 1))],
        [[name, *_format_numbers(model_shares)] for name, model_shares in shares.items()],
    )


def draw_ranks(ranks: Mapping[str, Floats], chance: float, rated: str) -> Chart:
    """Draw the shares of the ranks of the right option, with a bar per model. The dotted line is rank 1 by chance."""
    names = make_categories({number: shorten(name) for number, name in enumerate(ranks)}, is_reversed=True)
    chart = make_chart(_SHARES, names, f"share of {rated}", "", FRAME + BAR * len(ranks))
    table = np.array(list(ranks.values()))
    ends = np.cumsum(table, axis=1)
    starts, half = ends - table, _BAR_HEIGHT / 2
    shapes = []
    for rank in range(table.shape[1]):
        bars = []
        for number, (start, end) in enumerate(zip(starts[:, rank], ends[:, rank], strict=True)):
            corners = [(start, number - half), (end, number - half), (end, number + half), (start, number + half)]
            bars.append(chart.trace(corners))
        shade = _SHADES[min(rank, len(_SHADES) - 1)]
        shapes.append(Shape("bars", "series-0", "".join(bars), f"rank {rank + 1}", f"fill-opacity: {shade}"))
    line = chart.trace((chance, end) for end in (chart.y.low, chart.y.high))
    shapes.append(Shape("line", "ink", line, style=_DOTTED))
    return chart._replace(shapes=shapes)


def draw_places(names: Sequence[str], stability: Sequence[RankStability]) -> Chart:
    """Draw the places of models with their intervals, the best model first."""
    most = max(row.interval[1] for row in stability)
    scale = make_scale((1, max(most, 2)), 1)
    ticks = tuple((max(tick, 1), label if tick else "1") for tick, label in scale.ticks)
    places = scale._replace(low=0.5, high=scale.high + 0.5, ticks=ticks)
    group = "95 % interval"
    rows = [(shorten(name), row.place, row.interval, group) for name, row in zip(names, stability, strict=True)]
    return draw_intervals(rows, {group: "series-0"}, places, "place")


def shorten(name: str, length: int = 26) -> str:
    """Shorten a long name, and escape it.

    The middle is cut, because names of one organization have the same beginning.
    """
    printable = escape(name)
    if len(printable) <= length:
        return printable
    half = length // 2
    return f"{printable[: half - 1]}…{printable[-half:]}"


def _show_overlaps(models: Sequence[ScoredModel], colours: Mapping[str, int], overlap: ScoredRows) -> dict[str, Any]:
    rates = {model.name: analysis.rate_overlaps(model.rows, overlap) for model in models if model.name in colours}
    header, rows = ["words (questions)"], []
    for name, model_rates in rates.items():
        header[1:] = [f"{_name_word_count(words)} ({questions:,})" for words, (_, questions) in model_rates.items()]
        rows.append([name, *_format_numbers(success for success, _ in model_rates.values())])
    return _make_figure(
        "Success by shared words",
        "Distinct words that question and answer share." + _describe_missing(models, colours),
        draw_overlaps(rates, colours),
        header,
        rows,
    )


def draw_overlaps(rates: Mapping[str, Mapping[int, tuple[float, int]]], colours: Mapping[str, int]) -> Chart:
    """Draw success by the number of words that question and answer share, with a line per model."""
    word_counts = sorted(set[int]().union(*rates.values()))
    names = make_categories({words: _name_word_count(words) for words in word_counts})
    chart = make_chart(names, _SHARES, "words that question and answer share", "success rate")
    shapes = []
    for name, model_rates in rates.items():
        points = [(words, success) for words, (success, _) in model_rates.items()]
        line = _draw_series(name, colours[name], chart.trace(points))
        shapes += [line, Shape("points", line.colour, chart.dot(points))]
    return chart._replace(shapes=shapes)


def _name_word_count(words: int) -> str:
    """Name a number of shared words. `MANY_WORDS` means this number or more."""
    return f"{words}+" if words == analysis.MANY_WORDS else str(words)


# Matches: the rank of the right option, and the highest scores of rows with a right option and of others.


def _show_matches(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> dict[str, Any]:
    del colours  # no figure has a line per model
    spreads = []
    for model in models:
        spread = _show_distribution(model._replace(rows=analysis.ask_for_any(model.rows)))
        spread["caption"] = f"Highest score of a row. {spread['caption']}"
        spreads.append(spread)
    shown = [_show_ranks(models), *spreads[:_BEFORE_FOLD]]
    return {"figures": shown, "folded": spreads[_BEFORE_FOLD:], "notes": []}


# Pairs with grades: the scores of each model by grade.


def _show_grades(models: Sequence[ScoredModel], colours: Mapping[str, int]) -> dict[str, Any]:
    del colours  # each model has its own figure, because the scales of scores differ
    shown = []
    for model in models:
        spreads, rows = analysis.spread_by_grade(model.rows), []
        for grade, pairs, quartiles in spreads:
            scores = (format_score(quartile, model.rows) for quartile in quartiles)
            rows.append([str(grade), f"{pairs:,}", *scores])
        caption = "Median score by grade. The band contains the middle half of the pairs."
        header = ["grade", "pairs", "lower quartile", "median", "upper quartile"]
        shown.append(_make_figure(model.name, caption, draw_grades(spreads), header, rows))
    return {"figures": shown[:_BEFORE_FOLD], "folded": shown[_BEFORE_FOLD:], "notes": []}


def draw_grades(spreads: Sequence[tuple[int, int, Sequence[float]]]) -> Chart:
    """Draw the median score by grade, with a band for the middle half of the pairs.

    Args:
        spreads: Grades, numbers of pairs, and the three quartiles of their scores.
    """
    scale = make_scale(score for *_, quartiles in spreads for score in quartiles)
    chart = make_chart(make_categories({grade: str(grade) for grade, *_ in spreads}), scale, "grade", "score")
    lower, median, upper = ([(grade, quartiles[number]) for grade, _, quartiles in spreads] for number in range(3))
    shapes = [
        Shape("area", "paraphrase", chart.trace([*lower, *reversed(upper)])),
        Shape("line", "paraphrase", chart.trace(median)),
        Shape("points", "paraphrase", chart.dot(median)),
    ]
    return chart._replace(shapes=shapes)


_SHOW = {PAIRS: _show_pairs, QUESTIONS: _show_questions, GRADED_PAIRS: _show_grades, MATCHES: _show_matches}
