"""The numbers of a model as readable text, to paste into a card."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain

from harness.cards.numbers import Number, list_numbers
from harness.evaluation.results import Result
from harness.rendering.formats import escape_markdown
from harness.rendering.tables import NOTHING, format_interval
from harness.reports.model_tables import note_texts
from harness.support.names import slug
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import escape
from pyramid_paraphrase.options import CITATIONS, PYRAMIDS


def render_snippet(results: Sequence[Result]) -> str:
    """Render the numbers as Markdown: values with intervals, data, signatures, and the citation.

    Args:
        results: One or more results of one model.

    Returns:
        A section of a README.

    Raises:
        CardError: If the results are not from one model, or not of different tests.
    """
    numbers = list_numbers(results)
    rows = [
        f"| `{number.test_name}` | {number.metric.title} | {number.value:.3f} | {_format_interval(number)} |"
        for number in numbers
    ]
    prints = dict.fromkeys(f"`{number.test_name}` `{number.fingerprint[:12]}`" for number in numbers)
    data = f"Data: {', '.join(_list_collections(results))}; fingerprints {', '.join(prints)}."
    lines = [
        "## Pyramid paraphrase",
        "",
        "| test | metric | value | interval |",
        "| --- | --- | ---: | --- |",
        *rows,
        "",
        f"{data} Numbers are comparable only if the fingerprints are equal. {_describe_statistics(results)}",
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
