"""A report as one HTML file: tables, figures, mistakes. All that is said of rows comes from the scores of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.evaluation.comparison import align_items
from harness.evaluation.items import Items
from harness.evaluation.results import Result
from harness.rendering.pages import render_page
from harness.rendering.tables import NOTHING, format_interval
from harness.reports import svg_figures
from harness.reports.analysis import (
    MANY_WORDS,
    Mistake,
    find_mistakes,
    rate_overlaps,
    rate_topics,
    reach_precision,
    share_ranks,
    spread_by_grade,
    spread_scores,
    thin_curve,
    trace_precision,
)
from harness.reports.model_tables import METRIC_TITLES, PUBLISHED, Column, Row, Table, describe_versions
from harness.reports.row_texts import Texts
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.options import (
    BINARY,
    CONFIGURATION_NAMES,
    PAIRS,
    PYRAMID_TESTS,
    RANKING,
    SIMILARITY,
    find_configuration,
)

MISTAKES = 10
"""How many rows are listed per model and kind of mistake."""

_OVERLAP = "overlap"
_SHORTCUTS = "shortcuts"


class Scored(NamedTuple):
    """A model on a task.

    Attributes:
        row: The model's row in the table.
        metrics: Its metrics on the task, as results hold them.
        items: Its scores on the task.
    """

    row: Row
    metrics: Mapping[str, Any]
    items: Items


def render_html(tables: Sequence[Table], texts: Texts | None = None) -> str:
    """Render a report.

    Args:
        tables: What it shows.
        texts: The texts of rows, to be shown with mistakes; they are licensed.

    Returns:
        HTML with everything inside.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        ComparisonError: If the texts are of other data than the tables, or models were scored on other rows than their
            fingerprint says.
    """
    return render_page(
        "report.html",
        title="Pyramid paraphrase: results",
        tables=[
            _show_table(table, title, f"t{number}", texts)
            for number, (table, title) in enumerate(zip(tables, _title_tables(tables), strict=True))
        ],
        has_pyramids=any(task in PYRAMID_TESTS for table in tables for task in table.fingerprints),
        shows_text=texts is not None,
        count=sum(len(row.results) for table in tables for row in table.rows),
        version=__version__,
    )


def _title_tables(tables: Sequence[Table]) -> list[str]:
    """The collections of each table; of those with the same ones, also which it is."""
    titles = [", ".join(map(title_of, table.collections)) for table in tables]
    return [
        title if titles.count(title) == 1 else f"{title}, {titles[: number + 1].count(title)} of {titles.count(title)}"
        for number, title in enumerate(titles)
    ]


def _show_table(table: Table, title: str, prefix: str, texts: Texts | None) -> dict[str, Any]:
    columns = table.columns(PUBLISHED)
    tasks = [task for task in CONFIGURATION_NAMES if task in table.fingerprints]
    return {
        "title": title,
        "columns": [{"task": column.task, "metric": METRIC_TITLES[column.metric]} for column in columns],
        "rows": [_show_row(table, row, columns) for row in table.rows],
        "data": table.describe_data(),
        "intervals": table.describe_intervals(),
        "notes": table.notes(),
        "tasks": [_show_task(table, task, f"{prefix}-{task}", texts) for task in tasks],
        "models": [{"name": row.name, "facts": list(_list_facts(row))} for row in table.ours],
    }


def _show_row(table: Table, row: Row, columns: Sequence[Column]) -> dict[str, Any]:
    dimension = row.results[-1].record["model"]["dimension"] if row.is_ours else None
    classes = "elsewhere" if not row.is_ours else "shortcut" if row.group == _SHORTCUTS else ""
    return {
        "name": row.name,
        "group": row.group,
        "is_ours": row.is_ours,
        "dimension": "" if dimension is None else dimension,
        "classes": classes,
        "cells": [_show_cell(table, row, column) for column in columns],
    }


def _show_cell(table: Table, row: Row, column: Column) -> dict[str, Any]:
    value, interval = row.value(column), row.interval(column)
    if value is None:
        return {"value": NOTHING, "exact": "", "interval": "", "is_best": False}
    return {
        "value": f"{value:.3f}",
        # Sorting never ranks the paper's numbers with ours.
        "exact": value if row.is_ours else "",
        "interval": format_interval(interval),
        "is_best": table.is_best(row, column),
    }


def _show_task(table: Table, task: str, identifier: str, texts: Texts | None) -> dict[str, Any]:
    models = list(_list_scored(table, task))
    configuration = find_configuration(task)
    show = _SHOW[configuration.task]
    metric = _TOPIC_METRICS[configuration.task]
    # A topic of a pair corpus is no more than a sentence.
    topics = {"names": [], "rows": []} if configuration.origin == PAIRS else _show_topics(models, metric)
    if texts is not None:
        texts.require(task, table.fingerprints[task])
    return {
        "id": identifier,
        "title": task,
        "description": f"{configuration.title}.",
        **show(models, _choose_series(table, task), identifier),
        "topics_caption": _TOPIC_CAPTIONS[metric],
        "topics": topics,
        "mistake_score": "Lead of the wrong option" if configuration.task == RANKING else "Score",
        "mistakes": [(model.row.name, _show_mistakes(model, texts)) for model in models],
    }


def _list_scored(table: Table, task: str) -> Iterator[Scored]:
    """The models of a task, all with the same rows in the same order."""
    key: Items | None = None
    for row in table.ours:
        for result in row.results:
            if task in result.tasks and result.tasks[task] is row.tasks[task]:
                items = result.items[task] if key is None else align_items(result, task, key)
                key = key or items
                yield Scored(row, row.tasks[task], items)


_TOPIC_CAPTIONS = {
    "f1": "F of the pairs within each topic, at the model's threshold; pairs across topics count nowhere here, nor do "
    "topics without paraphrases.",
    "success_rate": "Success rate on the questions of each topic.",
    "pearson": "Correlation of scores and grades within each topic.",
}
_TOPIC_METRICS = {BINARY: "f1", RANKING: "success_rate", SIMILARITY: "pearson"}


def _choose_series(table: Table, task: str) -> dict[str, svg_figures.Series]:
    """Models that figures with a line per model show: the first ones, and the shortcuts in any case.

    The first models of a table have the same colours for every task; others get what is left.
    """
    own = {row.name: number for number, row in enumerate(_limit(table.ours))}
    names = [row.name for row in _limit([row for row in table.ours if task in row.tasks])]
    free = iter(sorted(set(range(svg_figures.SERIES)) - {own[name] for name in names if name in own}))
    return {name: svg_figures.Series(own[name] if name in own else next(free), name) for name in names}


def _limit(rows: Sequence[Row]) -> list[Row]:
    """As many rows as one figure tells apart, with all shortcuts, which come last."""
    shortcuts = [row for row in rows if row.group == _SHORTCUTS]
    others = [row for row in rows if row.group != _SHORTCUTS]
    return [*others[: svg_figures.SERIES - len(shortcuts)], *shortcuts]


def _show_pairs(models: Sequence[Scored], series: Mapping[str, svg_figures.Series], identifier: str) -> dict[str, Any]:
    lines = {series[model.row.name]: trace_precision(model.items) for model in models if model.row.name in series}
    share = models[0].metrics["positive_share"]
    precision = {
        "title": "Precision by recall",
        "caption": f"Dotted: {share:.3f}, the share of paraphrases, which chance reaches."
        + _tell_missing(models, series),
        "svg": svg_figures.draw_precision(
            {one: thin_curve(*line) for one, line in lines.items()}, share, f"{identifier}-pr"
        ),
        "numbers": _tabulate_precision(lines),
    }
    spreads = [_show_distribution(model, f"{identifier}-d{number}") for number, model in enumerate(models)]
    return {"figures": [precision, *spreads], "notes": []}


def _tell_missing(models: Sequence[Scored], series: Mapping[str, svg_figures.Series]) -> str:
    missing = sum(model.row.name not in series for model in models)
    return f" {missing} more in the tables only." if missing else ""


def _tabulate_precision(
    lines: Mapping[svg_figures.Series, tuple[svg_figures.Floats, svg_figures.Floats]],
) -> dict[str, Any]:
    levels = [level / 10 for level in range(1, 11)]
    rows = []
    for line, curve in lines.items():
        reached = [reach_precision(*curve, level) for level in levels]
        rows.append([line.name, *(NOTHING if value is None else f"{value:.3f}" for value in reached)])
    return {"header": ["recall at least", *(f"{level:.1f}" for level in levels)], "rows": rows}


def _show_distribution(model: Scored, name: str) -> dict[str, Any]:
    spread, threshold = spread_scores(model.items), model.metrics["threshold"]
    bins = zip(spread.edges[:-1], spread.edges[1:], spread.paraphrases, spread.others, strict=True)
    return {
        "title": model.row.name,
        "caption": f"Scores of paraphrases and of other pairs; threshold {threshold:.3f}.",
        "svg": svg_figures.draw_distribution(spread, threshold, name),
        "numbers": {
            "header": ["score", "paraphrases", "other pairs"],
            "rows": [[f"{low:.3f} to {high:.3f}", f"{yes:.3f}", f"{no:.3f}"] for low, high, yes, no in bins],
        },
    }


def _show_questions(
    models: Sequence[Scored], series: Mapping[str, svg_figures.Series], identifier: str
) -> dict[str, Any]:
    ranks = {model.row.name: share_ranks(model.items) for model in models}
    options = len(next(iter(ranks.values())))
    shown = [
        {
            "title": "Rank of the right option",
            "caption": "Share of the questions; ties are shared. Dotted: rank 1 by chance.",
            "svg": svg_figures.draw_ranks(ranks, f"{identifier}-r"),
            "numbers": {
                "header": ["model", *(f"rank {rank + 1}" for rank in range(options))],
                "rows": [[name, *(f"{share:.3f}" for share in shares)] for name, shares in ranks.items()],
            },
        }
    ]
    # By kind: whoever calls a model of another kind "overlap" has other scores.
    kinds = {model.row.results[-1].record["model"]["kind"]: model.items for model in models}
    overlap = kinds.get(_OVERLAP)
    if overlap is None:
        note = f"Give the result of {_OVERLAP}, too, to see success by the words that question and answer share."
        return {"figures": shown, "notes": [note]}
    shown.append(_show_overlaps(models, series, overlap, identifier))
    return {"figures": shown, "notes": []}


def _show_grades(models: Sequence[Scored], series: Mapping[str, svg_figures.Series], identifier: str) -> dict[str, Any]:
    del series  # scores of models are on scales of their own, so that each has a figure
    return {
        "figures": [_show_model_by_grade(model, f"{identifier}-g{number}") for number, model in enumerate(models)],
        "notes": [],
    }


def _show_model_by_grade(model: Scored, name: str) -> dict[str, Any]:
    spread = spread_by_grade(model.items)
    return {
        "title": model.row.name,
        "caption": "Median score by grade; the band holds the middle half of the pairs.",
        "svg": svg_figures.draw_grades(spread, name),
        "numbers": {
            "header": ["grade", "pairs", "lower quartile", "median", "upper quartile"],
            "rows": [[str(one.grade), f"{one.pairs:,}", *(f"{end:.3f}" for end in one.quartiles)] for one in spread],
        },
    }


_SHOW = {BINARY: _show_pairs, RANKING: _show_questions, SIMILARITY: _show_grades}


def _show_overlaps(
    models: Sequence[Scored], series: Mapping[str, svg_figures.Series], overlap: Items, identifier: str
) -> dict[str, Any]:
    rates = {
        series[model.row.name]: rate_overlaps(model.items, overlap) for model in models if model.row.name in series
    }
    counts = {count: number for values in rates.values() for count, (_, number) in values.items()}
    header = [f"{count}{'+' if count == MANY_WORDS else ''} ({counts[count]:,})" for count in sorted(counts)]
    rows = [[line.name, *(f"{values[count][0]:.3f}" for count in sorted(counts))] for line, values in rates.items()]
    return {
        "title": "Success by shared words",
        "caption": "Distinct words that question and answer share." + _tell_missing(models, series),
        "svg": svg_figures.draw_overlaps(rates, f"{identifier}-o"),
        "numbers": {"header": ["words (questions)", *header], "rows": rows},
    }


def _show_topics(models: Sequence[Scored], metric: str) -> dict[str, Any]:
    values = {model.row.name: rate_topics(model.items, metric, model.metrics.get("threshold")) for model in models}
    topics = sorted({topic for rates in values.values() for topic in rates})
    rows = [(topic, [rates.get(topic) for rates in values.values()]) for topic in topics]
    return {"names": list(values), "rows": rows}


def _show_mistakes(model: Scored, texts: Texts | None) -> list[tuple[str, list[dict[str, Any]]]]:
    found = find_mistakes(model.items, model.metrics.get("threshold"), MISTAKES)
    return [
        (kind, [_show_mistake(mistake, model.metrics["fingerprint"], texts) for mistake in mistakes])
        for kind, mistakes in found.items()
    ]


def _show_mistake(mistake: Mistake, fingerprint: str, texts: Texts | None) -> dict[str, Any]:
    shown = mistake._asdict()
    return shown if texts is None else shown | {"texts": texts.of_row(fingerprint, mistake.row_id)}


def _list_facts(row: Row) -> Iterator[tuple[str, str]]:
    """What there is to know of a model and its runs."""
    model = row.results[-1].record["model"]
    yield "Kind", model["kind"]
    yield "Named as", model["spec"]
    yield "Fingerprint", model["fingerprint"]
    if model["parameters"]:
        yield "Parameters", f"{model['parameters']:,}"
    for name, value in sorted(model["options"].items()):
        yield f"Option {name}", str(value)
    for result in row.results:
        yield from _list_run_facts(result)


def _list_run_facts(result: Result) -> Iterator[tuple[str, str]]:
    hardware, times = result.record["hardware"], result.record["time"]
    yield "Signature", result.signature
    yield "Evaluated", times["date"]
    yield "Computed on", f"{hardware['device']} ({hardware['processor']}, {hardware['cores']} cores)"
    if times["per_second"]:
        yield "Speed", f"{times['per_second']:,.0f} texts per second"
    yield "Versions", describe_versions(result.record["versions"])
