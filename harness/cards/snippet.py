"""The numbers of a model as readable text, to paste into a card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain

from harness.cards.numbers import Number, list_numbers
from harness.evaluation.comparing.standings import choose_decisive, order_tests
from harness.evaluation.results import Result
from harness.metrics.measuring import measure_chance
from harness.rendering.reports import escape_markdown
from harness.rendering.tables import NOTHING, format_interval
from harness.reports.model_tables import PAPER_TESTS_TITLE, Column, Table, make_tables
from harness.reports.table_notes import note_texts
from harness.support.names import slug
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import escape
from pyramid_paraphrase.rules.options import CITATIONS, PYRAMIDS

_COMPARABLE = "Numbers are comparable only if the fingerprints are equal."
_CHANCE = "Chance: the same score for all rows."


def render_snippet(results: Sequence[Result], others: Sequence[Result] = ()) -> str:
    """Render the numbers as Markdown: the answer, values with intervals, best shortcut and chance, and the citation.

    Args:
        results: One or more results of one model.
        others: Results of other models and of shortcuts, with which it is compared.

    Returns:
        A section of a README.

    Raises:
        CardError: If the results are not from one version of a model, or not of different tests.
    """
    numbers, tables = list_numbers(results), make_tables([*results, *others])
    decisive = choose_decisive(dict.fromkeys(number.test_name for number in numbers))
    prints = dict.fromkeys(f"`{number.test_name}` `{number.fingerprint[:12]}`" for number in numbers)
    data = f"Data: {', '.join(_list_collections(results))}; fingerprints {', '.join(prints)}."
    lines = [
        "## Pyramid paraphrase",
        "",
        *(line for table in tables for text in table.answer() for line in (escape_markdown(text), "")),
        *_tabulate([number for number in numbers if number.test_name in decisive], tables),
        *_tabulate([number for number in numbers if number.test_name not in decisive], tables, PAPER_TESTS_TITLE),
        f"{data} {_COMPARABLE} {_describe_statistics(results)} {_CHANCE}{_describe_missing(numbers, tables)}",
        "",
        *_describe_configurations(results),
        "Signature, to be quoted with the numbers:",
        "",
        *dict.fromkeys(f"    {result.signature}" for result in results),
        "",
        "The tests follow this paper:",
        "",
        "```bibtex",
        CITATIONS[PYRAMIDS],
        "```",
    ]
    return "\n".join(lines)


def _tabulate(numbers: Sequence[Number], tables: Sequence[Table], title: str = "") -> list[str]:
    """Lay out numbers as lines of a table, in the order of the tests, with an empty line after it."""
    if not numbers:
        return []
    lines = [f"{title}:", ""] if title else []
    lines += [
        "| test | metric | value | interval | best shortcut | chance |",
        "| --- | --- | ---: | --- | --- | ---: |",
    ]
    order = order_tests({number.test_name for number in numbers})
    for number in sorted(numbers, key=lambda number: order.index(number.test_name)):
        chance = measure_chance(number.result.rows[number.test_name])[number.metric.name]
        cells = (
            f"`{number.test_name}`",
            number.metric.title,
            f"{number.value:.3f}",
            _format_interval(number),
            escape_markdown(_show_shortcut(number, tables)) or NOTHING,
            f"{chance:.3f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def _show_shortcut(number: Number, tables: Sequence[Table]) -> str:
    """Show the best shortcut by the metric of a number, and whether the model fails to beat it.

    Returns:
        A text, or "" without results of shortcuts on the data of the number.
    """
    column = Column(number.test_name, number.metric.name)
    table = next(table for table in tables if table.fingerprints.get(number.test_name) == number.fingerprint)
    standing = table.standings[column]
    if standing.shortcut is None:
        return ""
    row = next(row for row in table.rows if row.name == number.result.model)
    _, beats_shortcut = table.judge(row, column)
    failure = ", not significantly worse" if beats_shortcut is False else ""
    return f"{standing.show(standing.shortcut)}{failure}"


def _describe_missing(numbers: Sequence[Number], tables: Sequence[Table]) -> str:
    if all(_show_shortcut(number, tables) for number in numbers):
        return ""
    return " Results of shortcuts are missing: `evaluate` writes them next to the result of the model."


def _format_interval(number: Number) -> str:
    interval = number.test.intervals.get(number.metric.name)
    return format_interval(interval, NOTHING)


def _describe_configurations(results: Sequence[Result]) -> list[str]:
    """Describe the settings of the model's configuration, and the texts that it did not read as they are, as lines."""
    lines: dict[str, None] = {}
    for result in results:
        record = result.record
        settings = [f"{name} `{_quote(value)}`" for name, value in record.model.effective.items()]
        if settings:
            lines[f"Settings of the model's configuration: {', '.join(settings)}."] = None
        lines |= dict.fromkeys(escape_markdown(escape(note)) for note in note_texts(record.model.name, record))
    return [line for text in lines for line in (text, "")]


def _quote(value: object) -> str:
    """Render a value of an untrusted configuration as JSON within a code span of Markdown."""
    return escape(json.dumps(value, ensure_ascii=False)).replace("`", "'")


def _list_collections(results: Sequence[Result]) -> list[str]:
    names = chain.from_iterable(result.record.dataset.collections for result in results)
    return [_name_collection(name) for name in dict.fromkeys(names)]


def _name_collection(name: str) -> str:
    """Return the title of a collection. Unknown names are untrusted, so characters with a meaning in Markdown go."""
    title = title_of(name)
    return slug(name.encode("ascii", "replace").decode()) if title == name else title


def _describe_statistics(results: Sequence[Result]) -> str:
    descriptions = []
    for result in results:
        statistics = result.record.statistics
        percent, resamples = 100 * statistics.confidence, statistics.resamples
        descriptions.append(f"{percent:g} %, bootstrap over topics, {resamples:,} resamples")
    return f"Intervals: {'; '.join(dict.fromkeys(descriptions))}."
