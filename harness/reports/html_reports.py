"""A report as one HTML file: tables, figures and mistakes. Facts about rows come from the scores in the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.evaluation.record import describe_versions, list_settings
from harness.metrics.measuring import rate_topics
from harness.metrics.table import find_main_metric, title_column
from harness.models.registry import MODEL, PERSON
from harness.rendering.pages import render_page
from harness.rendering.tables import DIGITS, NOTHING, format_interval
from harness.reports.analysis import choose_wording, find_mistakes, list_topics
from harness.reports.figures import SERIES, ScoredModel, format_score, show_figures, show_scatter_plots
from harness.reports.model_tables import Column, ModelRow, Table, align_scored_rows
from harness.reports.rows import Texts
from harness.reports.table_notes import write_notes
from harness.reports.text_reports import lay_out_further_numbers
from pyramid_paraphrase import __version__
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.rules.options import MATCHES, PAIR_CORPUS, PAPER_TESTS, QUESTIONS, find_configuration

MISTAKES = 10
"""Maximum number of rows per model and kind of mistake."""

_MOST_MODELS = 16
"""Maximum number of models with figures, topics and mistakes in a section, including shortcuts."""

_TOPIC_CAPTIONS = {
    "f1": "F of the pairs within each topic, at the model's threshold. Pairs across topics and topics without "
    "{positives} are left out.",
    "match_f1": "F of the fragments of each topic, at the model's threshold. Topics without {positives} are left out.",
    "success_rate": "Success rate on the questions of each topic.",
    "pearson": "Correlation of scores and grades within each topic.",
}
_MISTAKE_SCORES = {QUESTIONS: "Lead of the wrong option", MATCHES: "Highest score"}


def render_html(tables: Sequence[Table], texts: Texts | None = None) -> str:
    """Render a report.

    Args:
        tables: The tables of models.
        texts: The texts of rows, to be shown with mistakes. The texts are licensed. None shows no texts.

    Returns:
        An HTML page that loads no other file.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    sections, result_count = [], 0
    test_names: set[str] = set()
    titles = [", ".join(map(title_of, table.collections)) for table in tables]
    for number, (table, title) in enumerate(zip(tables, titles, strict=True)):
        if titles.count(title) > 1:  # tables of the same collections get numbers
            title = f"{title}, {titles[: number + 1].count(title)} of {titles.count(title)}"
        sections.append(_show_table(table, title, f"t{number}", texts))
        test_names |= table.fingerprints.keys()
        result_count += sum(len(row.results) for row in table.rows)
    return render_page(
        "report.html",
        title="Pyramid paraphrase: results",
        tables=sections,
        origins=sorted({find_configuration(name).origin for name in test_names}),
        shows_text=texts is not None,
        count=result_count,
        version=__version__,
    )


def _show_table(table: Table, title: str, prefix: str, texts: Texts | None) -> dict[str, Any]:
    # Only the columns that fit a phone: the main metric of each test, and all metrics of the paper.
    tests = [_show_test(table, name, f"{prefix}-{name}", texts) for name in table.test_names]
    targets = {(test["title"], name): address for test in tests for name, address, _ in test["mistakes"]}
    mains = {name: find_main_metric(find_configuration(name)).name for name in table.test_names}
    parts = []
    for part_title, columns in table.divide_columns():
        shown = columns
        if table.chosen is None:
            shown = [part for part in columns if part.test_name in PAPER_TESTS or part.metric == mains[part.test_name]]
        parts.append((part_title, _show_columns(table, shown, targets)))
    return {
        "title": title,
        "answer": table.answer(),
        "parts": parts,
        "all_numbers": _show_columns(table, table.columns(is_narrow=False), targets),
        "data": table.describe_data(),
        "intervals": table.describe_intervals(),
        "notes": write_notes(table),
        "further_numbers": [
            {"header": grid.header, "rows": [list(map(str, row)) for row in grid.rows]}
            for grid in lay_out_further_numbers(table)
        ],
        "tests": tests,
        "models": [{"name": row.name, "facts": list(_list_facts(row))} for row in table.ours],
    }


def _show_columns(table: Table, columns: Sequence[Column], targets: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Lay out columns of a table for the template.

    Args:
        table: The table.
        columns: The columns.
        targets: Ids of the lists of mistakes, by names of tests and models. Values lead to them.
    """
    rows = []
    for row in table.list_rows(columns):
        classes, costs = "elsewhere", [_show_number(None)] * 4
        if row.is_ours:
            model, per_second = row.results[-1].record.model, row.results[-1].record.time.per_second
            numbers = (model.dimension, model.parameters, model.memory_mib, per_second)
            classes, costs = "" if row.role in (MODEL, PERSON) else "shortcut", [*map(_show_number, numbers)]
        rows.append(
            {
                "name": row.name,
                "group": row.group,
                "label": "" if row.competes else row.section,
                "is_ours": row.is_ours,
                "classes": classes,
                "cells": [
                    {**_show_cell(table, row, column), "target": targets.get((column.test_name, row.name), "")}
                    for column in columns
                ],
                "costs": costs,
            }
        )
    titles = [{"test_name": column.test_name, "metric": title_column(column.metric)} for column in columns]
    return {"columns": titles, "rows": rows}


def _show_number(number: float | None) -> dict[str, Any]:
    """Format a number of a model, which is empty if it is not known."""
    if number is None:
        return {"value": "", "exact": ""}
    return {"value": f"{number:,.0f}", "exact": number}


def _show_cell(table: Table, row: ModelRow, column: Column) -> dict[str, Any]:
    value, interval = row.value(column), row.interval(column)
    if value is None:
        return {"value": NOTHING, "exact": "", "interval": "", "is_best": False, "not_above": ""}
    is_best, beats_shortcut = table.judge(row, column)
    digits = DIGITS if table.digits is None else table.digits
    return {
        "value": f"{value:.{digits}f}",
        # Numbers of the paper have no sort key, so that sorting does not rank them with measured numbers.
        "exact": value if row.is_ours else "",
        "interval": format_interval(interval, digits=digits),
        "is_best": bool(is_best),
        "not_above": table.standings[column].shortcut_name if beats_shortcut is False else "",
    }


def _list_facts(row: ModelRow) -> Iterator[tuple[str, str]]:
    """List the facts about a model and its runs, each with its title."""
    model = row.results[-1].record.model
    yield "Kind", model.kind
    yield "Named as", model.spec
    yield "Fingerprint", model.fingerprint
    if model.parameters:
        yield "Parameters", f"{model.parameters:,}"
    yield from list_settings(model)
    for result in row.results:
        hardware, times = result.record.hardware, result.record.time
        yield "Signature", result.signature
        yield "Evaluated", times.date
        yield "Computed on", f"{hardware.device} ({hardware.processor}, {hardware.cores} cores)"
        if times.per_second:
            yield "Speed", f"{times.per_second:,.0f} texts per second"
        yield "Versions", describe_versions(result.record.versions)


# The section about a test: figures, values by topic, and mistakes.


def _show_test(table: Table, test_name: str, identifier: str, texts: Texts | None) -> dict[str, Any]:
    """Lay out the section about a test.

    Args:
        table: The table of the models.
        test_name: Name of the configuration.
        identifier: Prefix of the ids of all elements of the section.
        texts: The texts of rows, to be shown with mistakes if they belong to the test. None shows no texts.

    Returns:
        Values for the template of the page.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    models, colours, omitted = select_models(table, test_name)
    wording = choose_wording(test_name)
    configuration = find_configuration(test_name)
    kind = configuration.kind
    metric = find_main_metric(configuration).name
    topics: dict[str, Any] = {"names": [], "rows": []}
    if configuration.origin != PAIR_CORPUS:  # a topic of a pair corpus is only a sentence
        topics = _show_topics(models, metric)
    if texts is not None and not texts.has_test(table.fingerprints[test_name]):
        texts = None
    figures = show_figures(models, colours)
    figures["figures"][1:1] = show_scatter_plots(models, metric)
    return {
        "id": identifier,
        "title": test_name,
        "description": f"{configuration.title}.",
        "omitted": omitted,
        **figures,
        "topics_caption": _TOPIC_CAPTIONS.get(metric, "").format(positives=wording.positives),
        "topics": topics,
        "shows_text": texts is not None,
        "mistake_score": _MISTAKE_SCORES.get(kind, "Score"),
        "mistakes": [
            (model.name, f"{identifier}-m{number}", _show_mistakes(model, texts)) for number, model in enumerate(models)
        ],
    }


def select_models(table: Table, test_name: str) -> tuple[list[ScoredModel], dict[str, int], int]:
    """Select the models of the figures of a test.

    Args:
        table: The table of the models.
        test_name: Name of the configuration.

    Returns:
        The best models and all shortcuts, in this order, their colours for `show_figures`, and the number of models
        that are left out.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    ranked = [row for row in table.sort_rows(test_name, "score") if row.is_ours]
    scored_rows = {row.name: rows for row, rows in align_scored_rows(table, test_name)}
    wording = choose_wording(test_name)
    models = [
        ScoredModel(row, row.tests[test_name], scored_rows[row.name], wording) for row in _limit(ranked, _MOST_MODELS)
    ]
    return models, _choose_colours(table, test_name), len(ranked) - len(models)


def _choose_colours(table: Table, test_name: str) -> dict[str, int]:
    """Choose the models for figures with a line per model, the best models and all shortcuts, and their colours.

    The first models of a table have the same colours for every test. All other models get the remaining colours.
    """
    numbers = {row.name: number for number, row in enumerate(_limit(table.ours, SERIES))}
    test_rows = [row for row in table.sort_rows(test_name, "score") if row.is_ours]
    names = [row.name for row in _limit(test_rows, SERIES)]
    free = iter(sorted(set(range(SERIES)) - {numbers[name] for name in names if name in numbers}))
    return {name: numbers[name] if name in numbers else next(free) for name in names}


def _limit(rows: Sequence[ModelRow], most: int) -> list[ModelRow]:
    """Return a limited number of rows. Those that do not compete are kept in any case, and come last."""
    kept = [row for row in rows if not row.competes][-most:]
    models = [row for row in rows if row.competes]
    return [*models[: most - len(kept)], *kept]


def _show_topics(models: Sequence[ScoredModel], metric: str) -> dict[str, Any]:
    values = {}
    for model in models:
        rated = rate_topics(model.rows.test_split(model.test.threshold), with_curves=False)
        listed = list_topics(model.rows, {metric: rated[metric]})
        values[model.name] = {topic: value for _, topic, value, _ in listed if value is not None}
    topics = sorted(set[str]().union(*values.values()))
    columns = [map(model_values.get, topics) for model_values in values.values()]
    return {"names": list(values), "rows": list(zip(topics, zip(*columns, strict=True), strict=True))}


def _show_mistakes(model: ScoredModel, texts: Texts | None) -> list[tuple[str, list[dict[str, Any]]]]:
    sections = []
    for kind, mistakes in find_mistakes(model.rows, model.test.threshold, MISTAKES, model.wording).items():
        rows = []
        for row_id, topics, score in mistakes:
            row_texts = [] if texts is None else texts.of_row(model.test.fingerprint, row_id)
            shown = format_score(score, model.rows)
            rows.append({"row_id": row_id, "topics": topics, "score": shown, "texts": row_texts})
        sections.append((kind, rows))
    return sections
