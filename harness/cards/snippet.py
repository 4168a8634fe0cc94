"""A model's numbers as a text for people, to paste into a card."""

from __future__ import annotations

from collections.abc import Sequence

from harness.cards.numbers import TITLES, Number, list_numbers
from harness.evaluation.results import Result
from harness.rendering.tables import format_interval
from harness.support.names import slug
from pyramid_paraphrase.builder import CITATIONS
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.options import PYRAMIDS


def render_snippet(results: Sequence[Result]) -> str:
    """Render the numbers as Markdown: values with intervals, data, signatures, how to cite.

    Args:
        results: One or more, of one model.

    Returns:
        A section of a README.

    Raises:
        CardError: If the results do not fit each other.
    """
    numbers = list_numbers(results)
    rows = [f"| `{one.task}` | {TITLES[one.metric]} | {one.value:.3f} | {_format_interval(one)} |" for one in numbers]
    prints = dict.fromkeys(f"`{number.task}` `{number.fingerprint[:12]}`" for number in numbers)
    data = f"Data: {', '.join(_list_collections(results))}; fingerprints {', '.join(prints)}."
    lines = [
        "## Pyramid paraphrase",
        "",
        "| test | metric | value | interval |",
        "| --- | --- | ---: | --- |",
        *rows,
        "",
        f"{data} Numbers compare only between equal fingerprints. {_describe_statistics(results)}",
        "",
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
    interval = number.result.tasks[number.task]["intervals"].get(number.metric)
    return format_interval(interval, "-")


def _list_collections(results: Sequence[Result]) -> list[str]:
    names = dict.fromkeys(name for result in results for name in result.record["dataset"]["collections"])
    return [title if (title := title_of(name)) != name else slug(name) for name in names]


def _describe_statistics(results: Sequence[Result]) -> str:
    kinds = dict.fromkeys(
        (one["confidence"], one["resamples"]) for one in (result.record["statistics"] for result in results)
    )
    described = [f"{confidence * 100:g} %, bootstrap over topics, {count:,} resamples" for confidence, count in kinds]
    return f"Intervals: {'; '.join(described)}."
