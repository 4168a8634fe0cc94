"""Tables of models for the terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.evaluation.comparing.standings import AND_BEATS_SHORTCUT, order_tests
from harness.evaluation.record import (
    CUT_PAIRS,
    CUT_TEXTS,
    CUT_TOKENS,
    TRANSFER,
    ZERO_VECTORS,
    OtherMetric,
    describe_metric,
)
from harness.evaluation.results import Result
from harness.metrics.measuring import rate_topics
from harness.metrics.table import list_metrics, title_column
from harness.models.interfaces.scores import MISSING
from harness.rendering.reports import (
    GRID_FORMATS,
    LATEX_PAGE,
    TABLE_FORMATS,
    Cell,
    Grid,
    Report,
    SafeMarkdown,
    measure_latex,
    render_report,
    require_text,
)
from harness.rendering.tables import DIGITS, count_of, join_some
from harness.reports.analysis import TOPICS_HEADER, count_across, list_topics
from harness.reports.model_tables import PAPER_SHARE, Column, ModelRow, Table, align_scored_rows
from harness.reports.table_notes import write_notes
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.rules.options import BINARY, find_configuration

_NUMBERS_HEADER = (
    *("model", "group", "kind", "dimension", "parameters", "memory_mib", "per_second"),
    *("task", "metric", "value", "lower", "upper", "is_best", "beats_shortcut", "fingerprint", "signature"),
    *("cut_inputs", "cut_tokens", "zero_vectors", "no_answers", "effective", "training_data"),
)

OTHER = "other_metrics"
"""Prefix of the names of metrics that users named, in CSV."""

PAPER_PREFIX = "paper_share"
"""Prefix of the names of F at the paper's share of paraphrases, in CSV."""

FORMATS = {**TABLE_FORMATS, "html": ".html"}
"""Formats of tables of models, and the suffixes of their files."""


def render_tables(tables: Sequence[Table], form: str) -> str | bytes:
    """Render tables of models, each followed by notes on its data.

    Args:
        tables: The tables.
        form: terminal, notebook, markdown, latex, or one of `GRID_FORMATS`, which have all metrics, with a row per
            number. There, the numbers of the paper have neither kind nor fingerprint.

    Returns:
        The lines. The last line ends with a line break.
    """
    if form in GRID_FORMATS:
        return render_report(Report((), (), tabulate_numbers(tables)), form)
    return "\n".join(require_text(render_report(_report_table(table, form), form)) for table in tables)


def choose_columns(tables: Sequence[Table], names: Sequence[str]) -> None:
    """Choose the columns of tables and their order.

    Args:
        tables: Tables of models, which are changed. A table has those of the columns that are on its data.
        names: The test and the metric of each column, as Markdown or CSV print them, such as "ranking MRR".

    Raises:
        OptionError: If no table has a column.
    """
    known: dict[str, Column] = {}
    titles = dict[str, None]()
    for table in tables:
        for test_name in table.test_names:
            for metric in list_metrics(find_configuration(test_name).kind):
                column = Column(test_name, metric.name)
                if any(row.value(column) is not None for row in table.ours):
                    known |= dict.fromkeys((f"{test_name} {metric.name}", column.title), column)
                    titles[column.title] = None
    chosen = dict[Column, None]()
    for name in names:
        if name not in known:
            raise unknown_name("column", name, titles)
        chosen[known[name]] = None
    for table in tables:
        has_values = (column for column in chosen if any(row.value(column) is not None for row in table.ours))
        table.chosen = tuple(has_values)


def _report_table(table: Table, form: str) -> Report:
    notes = [f"Data: {table.describe_data()}.", f"Intervals: {table.describe_intervals()}.", *write_notes(table)]
    grids = []
    for title, columns in table.divide_columns():
        header = ("Model" if form == "latex" else "model", *(SafeMarkdown(column.title) for column in columns))
        parts = [_lay_out(table, header, table.list_rows(columns), columns)]
        if form == "terminal" and table.chosen is None:  # several tests side by side would be too wide
            parts = []
            for test_name, test_columns in groupby(columns, key=lambda column: column.test_name):
                columns_of_test = list(test_columns)
                header = (test_name, *(title_column(column.metric) for column in columns_of_test))
                parts.append(_lay_out(table, header, table.sort_rows(test_name), columns_of_test))
        grids += [parts[0]._replace(title=title), *parts[1:]]
    if table.chosen is None:
        grids += lay_out_further_numbers(table)
    if form == "latex":
        return Report(tuple(grids), tuple(_comment(table, grids, notes)), caption=tuple(_write_caption(table)))
    return Report(tuple(grids), tuple(notes), answer=table.answer())


def _write_caption(table: Table) -> Iterator[str]:
    """Write a short caption, and sentences on the marks of a table."""
    yield f"Results on {', '.join(map(title_of, table.collections))}"
    marks = [table.judge(row, column) for row in table.ours for _, part in table.divide_columns() for column in part]
    if any(is_best for is_best, _ in marks):
        has_shortcuts = any(beats_shortcut is not None for _, beats_shortcut in marks)
        yield f"Bold: no model is significantly better{AND_BEATS_SHORTCUT if has_shortcuts else ''}."
    if any(beats_shortcut is False for _, beats_shortcut in marks):
        yield "=: the best shortcut is not significantly worse."


def _comment(table: Table, grids: Sequence[Grid], notes: Sequence[str]) -> Iterator[str]:
    """Write two comments for the source of a paper: the data, and what is left out or too wide there."""
    data, intervals, *others = notes
    yield f"{data} {intervals}"
    signatures = sum(len(row.results) for row in table.ours)
    notes_left = f"the answer, {count_of(len(others), 'note')} (--format markdown)"
    left_out = f"Not here: {notes_left}, {count_of(signatures, 'signature')} (CSV)."
    wide = [grid for grid in grids if measure_latex(grid) > LATEX_PAGE]
    if wide:
        left_out += f" {count_of(len(wide), 'table')} may be wider than a page: choose fewer columns by --columns."
    yield left_out


def _lay_out(table: Table, header: tuple[str, ...], rows: Sequence[ModelRow], columns: Sequence[Column]) -> Grid:
    cells: list[tuple[object, ...]] = []
    for section, members in groupby(rows, key=lambda row: row.section):
        cells.append((section,))
        for row in members:
            numbers = []
            for column in columns:
                is_best, beats_shortcut = table.judge(row, column)
                fails = beats_shortcut is False
                value, interval = row.value(column), row.interval(column)
                digits = DIGITS if table.digits is None else table.digits
                numbers.append(Cell(value, interval, bool(is_best), fails_shortcut=fails, digits=digits))
            cells.append((row.name, *numbers))
    return Grid(header, tuple(cells))


def lay_out_further_numbers(table: Table) -> list[Grid]:
    """Lay out F at the paper's share of paraphrases, the metrics that users named, and the sets of other pairs.

    Returns:
        A grid for each of them, for sets of other pairs one per test, if there are such numbers. The models are in the
        order of the table, and none is marked.
    """
    return [*_lay_out_paper_share(table), *_lay_out_other_metrics(table)]


def _lay_out_paper_share(table: Table) -> Iterator[Grid]:
    rows = []
    for row in table.sort_rows(BINARY):
        if values := table.at_paper_share.get(row.name) if row.is_ours else None:
            cells = (
                row.numbers(BINARY)["f1"],
                *(values[name] for name in ("f1_at_share", "best_f1", "best_f1_at_share")),
            )
            rows.append((row.name, *(f"{value:.4f}" for value in cells)))
    if rows:
        share = f"{PAPER_SHARE:.2%}"
        yield Grid((f"{BINARY}, {share} positives", "F", f"F at {share}", "best F", f"best F at {share}"), tuple(rows))


def _lay_out_other_metrics(table: Table) -> Iterator[Grid]:
    """Lay out metrics that users named in one grid, and sets of other pairs in a grid for each test."""
    parts: dict[str, list[Column]] = {}
    titles: dict[Column, str] = {}
    for column in table.other_columns():
        title, titles[column] = "other metrics", f"{column.test_name} {column.metric}"
        if column.metric.startswith(TRANSFER):
            title, titles[column] = f"threshold of {column.test_name}", describe_metric(column.metric)
        parts.setdefault(title, []).append(column)
    for title, columns in parts.items():
        rows = []
        for row in table.ours:
            cells = [row.other_metrics(column.test_name).get(column.metric) for column in columns]
            if any(cells):
                rows.append((row.name, *map(_show_other_metric, columns, cells)))
        yield Grid((title, *(SafeMarkdown(titles[column]) for column in columns)), tuple(rows))


def _show_other_metric(column: Column, metric: OtherMetric | None) -> Cell | str:
    """Show the value of a metric. The numbers of missing answers are the values on other pairs without an interval."""
    if metric is None:
        return Cell(None)
    if column.metric.startswith(TRANSFER) and metric.interval is None:
        return f"{metric.value:,.0f}"
    return Cell(metric.value, metric.interval)


def tabulate_numbers(tables: Sequence[Table]) -> Grid:
    """List all numbers of tables, a row per model, test and metric."""
    rows: list[dict[str, object]] = []
    for table in tables:
        for row in table.rows:
            rows += _list_numbers(table, row)
    return Grid(_NUMBERS_HEADER, tuple(tuple(map(row.get, _NUMBERS_HEADER)) for row in rows))


def tabulate_topics(tables: Sequence[Table]) -> tuple[Grid, list[str]]:
    """List the values of all models by topic, a row per model, test, metric and topic.

    Args:
        tables: Tables of models.

    Returns:
        The rows, without values where a topic has none. Then notes: how many pairs count for no topic, and which models
        are left out because their scores are not there.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    rows: list[tuple[object, ...]] = []
    notes: list[str] = []
    for table in tables:
        for test_name in table.test_names:
            rated, across, fingerprint = set[str](), "", table.fingerprints[test_name]
            for row, scored_rows in align_scored_rows(table, test_name):
                rated.add(row.name)
                values = rate_topics(scored_rows.test_split(row.tests[test_name].threshold))
                listed = list_topics(scored_rows, values)
                rows += [(row.name, test_name, fingerprint, *cells) for cells in listed]
                if pairs := count_across(scored_rows):
                    total = count_of(int(scored_rows.is_test.sum()), "pair")
                    across = f"{pairs:,} of {total} are of two topics, and count for no topic"
            if across:
                notes.append(f"{test_name} {fingerprint[:12]}: {across}")
            lacking = [row.name for row in table.ours if test_name in row.tests and row.name not in rated]
            if lacking:
                notes.append(f"{test_name} {fingerprint[:12]}: left out without scores of rows: {join_some(lacking)}")
    return Grid(("model", "task", "fingerprint", *TOPICS_HEADER), tuple(rows)), notes


def _list_numbers(table: Table, row: ModelRow) -> Iterator[dict[str, object]]:
    """List the numbers of a row of a table. Each has the columns of `_NUMBERS_HEADER` that are known."""
    columns = table.chosen
    if columns is None:
        columns = tuple(Column(name, metric) for name in order_tests(row.test_names) for metric in row.numbers(name))
    for test_name, columns_of_test in groupby(columns, key=lambda column: column.test_name):
        facts: dict[str, object] = {"model": row.name, "group": row.group, "task": test_name}
        result = row.find_result(test_name)
        if result is not None:
            facts |= _list_facts(result, test_name)
        for column in columns_of_test:
            if (number := row.value(column)) is not None:
                is_best, beats_shortcut = table.judge(row, column)
                marks = {"is_best": is_best, "beats_shortcut": beats_shortcut}
                yield {**facts, "metric": column.metric, **_show_numbers(table, number, row.interval(column)), **marks}
        others = {} if table.chosen is not None else _list_others(table, row, test_name)
        for name, (value, interval) in others.items():
            yield {**facts, "metric": name, **_show_numbers(table, value, interval)}


def _list_others(table: Table, row: ModelRow, test_name: str) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """List the numbers besides the metrics of a test: their names, values and intervals."""
    others = row.other_metrics(test_name).items()
    listed = {f"{OTHER}.{name}": (other.value, other.interval) for name, other in others}
    shares = table.at_paper_share.get(row.name, {}) if row.is_ours and test_name == BINARY else {}
    return listed | {f"{PAPER_PREFIX}.{name}": (value, None) for name, value in shares.items()}


def _show_numbers(table: Table, value: float, interval: tuple[float, float] | None) -> dict[str, object]:
    """Show a number and its interval with the digits of a table, or with all of them."""
    numbers = zip(("value", "lower", "upper"), (value, *(interval or ())), strict=False)
    if table.digits is None:
        return dict(numbers)
    return {name: f"{number:.{table.digits}f}" for name, number in numbers}


def _list_facts(result: Result, test_name: str) -> dict[str, object]:
    """List the facts about a model and its result on a test by the names of their columns."""
    model, test = result.record.model, result.tests[test_name]
    counts = model.text_counts
    return {
        "kind": model.kind,
        "dimension": model.dimension,
        "parameters": model.parameters,
        "memory_mib": model.memory_mib,
        "per_second": result.record.time.per_second,
        "fingerprint": test.fingerprint,
        "signature": result.signature,
        "cut_inputs": counts.get(CUT_TEXTS, counts.get(CUT_PAIRS)),
        "cut_tokens": counts.get(CUT_TOKENS),
        "zero_vectors": counts.get(ZERO_VECTORS),
        "no_answers": sum(test.counts.get(reason.label, 0) for reason in MISSING) or None,
        "effective": json.dumps(model.effective, ensure_ascii=False) if model.effective else None,
        "training_data": ", ".join(model.training_data) or None,
    }
