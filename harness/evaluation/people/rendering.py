"""Reports of the agreement of annotators in all formats, with disagreements as lists. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.evaluation.people import MOST_DISAGREEMENTS
from harness.evaluation.people.agreement import NUMBERS, join_answers
from harness.rendering.pages import render_page
from harness.rendering.reports import GRID_FORMATS, Grid, Report, render_report, require_text
from harness.support.terminal import show
from pyramid_paraphrase import __version__
from pyramid_paraphrase.escaping import escape_markdown

_LONGEST = 400
"""Number of characters of a text in the terminal and in Markdown. Longer texts end with a mark."""


def render_agreement(
    reports: Sequence[Report], form: str, *, most: int = MOST_DISAGREEMENTS, with_texts: bool = True
) -> str | bytes:
    """Render reports of agreement as one.

    Args:
        reports: The reports.
        form: One of `harness.rendering.reports.PAGE_FORMATS`. LaTeX has no disagreements. Pages and JSON have texts as
            they are; the terminal and Markdown shorten texts. JSON, CSV and similar tables list all disagreements.
        most: Maximum number of disagreements of a report, apart from JSON, CSV and similar tables.
        with_texts: Whether disagreements have their texts.

    Returns:
        The lines. The last line ends with a line break. Only Excel is bytes.
    """
    if not with_texts:
        reports = list(map(_remove_texts, reports))
    if form == "html":
        return render_page(
            "agreement.html", title="Pyramid paraphrase: agreement of annotators", reports=reports, most=most,
            join=join_answers, version=__version__,
            shows_text=any(part["texts"] for report in reports for part in report.record["disagreements"]),
        )  # fmt: skip
    if form == "json":
        return render_report(Report((), (), record={"reports": [report.record for report in reports]}), form)
    if form in GRID_FORMATS:
        rows = [row for report in reports for row in report.numbers.rows]
        return render_report(Report((), (), Grid(NUMBERS, tuple(rows))), form)
    parts = []
    for report in reports:
        parts.append(require_text(render_report(report, form)))
        if form != "latex":
            parts += _list_disagreements(report, form, most)
    return "\n".join(parts)


def _remove_texts(report: Report) -> Report:
    listed = [{**disagreement, "texts": []} for disagreement in report.record["disagreements"]]
    numbers = report.numbers._replace(rows=tuple((*row[:-1], None) for row in report.numbers.rows))
    return replace(report, numbers=numbers, record={**report.record, "disagreements": listed})


def _list_disagreements(report: Report, form: str, most: int) -> Iterator[str]:
    """Yield the disagreements of a report, each as some lines."""
    listed = report.record["disagreements"]
    if not listed:
        return
    is_markdown = form == "markdown"
    escape = escape_markdown if is_markdown else show
    more = f", {len(listed) - most:,} more with --rows, all in --output FILE.xlsx" if len(listed) > most else ""
    title = f"Disagreements: {min(len(listed), most):,} of {len(listed):,}{more}"
    yield f"**{title}**\n" if is_markdown else f"{title}\n"
    for disagreement in listed[:most]:
        lines = [f"{escape(disagreement['title'])}: {escape(join_answers(disagreement))}"]
        for role, text in disagreement["texts"]:
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
            lines.append(f"  {'* ' if is_markdown else ''}{escape(role)}: {escape(shown)}")
        yield ("* " if is_markdown else "") + "\n".join(lines) + "\n"
