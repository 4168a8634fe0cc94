"""Reports of errors of models, in all formats. This module formats numbers and computes none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from harness.evaluation.comparing.standings import answer
from harness.rendering.pages import render_page
from harness.rendering.reports import Grid, Report, render_report, require_text
from harness.rendering.tables import NOTHING, Prose, count_of, format_value, join_some
from harness.reports.error_analysis import ErrorAnalysis
from harness.reports.rows import Texts
from harness.support.terminal import show
from pyramid_paraphrase import __version__

MOST_ROWS = 10
"""Default maximum number of rows per test in tables and pages."""

_FEWEST_ROWS, _SMALLEST_SHARE = 20, 0.02
"""Rows with a common property are named in a finding if they are as many, and such a share of all rows."""

_ID_DIGITS = 12
_MOST_NAMES = 10
_FACTS = ("row", "topics", "kind", "words", "shared_words", "scu_weight", "parts", "collections", "types")
_HEADER = ("task", *_FACTS, "group", "alike")
_NOTES = (
    "Error rates: shares of the rows that a model gets wrong. A tie between options counts in part.",
    "Rows: the most confident errors come first.",
    "Groups: rows about the same SCUs, which have nearly the same texts. The first row of each group is listed.",
    "Alike: number of further rows of the group.",
)
_NOTE_ON_TYPES = (
    "Type: how a negative or a distractor differs from the text that it does not paraphrase. A question counts for the "
    "type of each of its distractors."
)
_NOTE_ON_ANNOTATIONS = (
    "SCU weight: the lower weight of two SCUs. Parts: the number of parts of the text with the most parts. Labels have "
    "no parts."
)
_OPTIONAL_COLUMNS = {"SCU weight": "scu_weight", "parts": "parts"}
"""Titles and names of the columns that have values only for rows of annotations."""


def render_errors(
    analyses: Sequence[ErrorAnalysis], form: str, *, most_rows: int = MOST_ROWS, texts: Texts | None = None
) -> str | bytes:
    """Render errors.

    Args:
        analyses: The errors on each test.
        form: terminal, notebook, markdown, latex or html, or json or one of `GRID_FORMATS`, which list all rows.
        most_rows: Maximum number of rows per test in tables and pages.
        texts: The texts of rows, for all formats but Markdown and LaTeX. The texts are licensed. None shows no texts.

    Returns:
        The lines. The last line ends with a line break.
    """
    paragraphs = (*map(_find, analyses), *answer([analysis.decisions.standing for analysis in analyses]))
    notes = [*_NOTES]
    if any(part.dimension == "type" for analysis in analyses for part in analysis.slices):
        notes.append(_NOTE_ON_TYPES)
    if any(map(_list_optional_titles, analyses)):
        notes.append(_NOTE_ON_ANNOTATIONS)
    if form == "html":
        return render_page(
            "errors.html",
            title="Pyramid paraphrase: errors",
            answer=paragraphs,
            tests=[_show_test(analysis, most_rows, texts) for analysis in analyses],
            notes=notes,
            shows_text=texts is not None,
            version=__version__,
        )
    tables: list[Grid] = []
    for analysis in analyses:
        tables += [_lay_out_slices(analysis), _lay_out_rows(analysis, most_rows)]
    notes = [*map(_describe_selection, analyses), *notes]
    record = {"answer": list(paragraphs), "tests": [_record(analysis, texts) for analysis in analyses]}
    report = Report(tuple(tables), tuple(notes), tabulate_rows(analyses, texts), record, paragraphs)
    rendered = render_report(report, form)
    if form == "terminal" and texts is not None:
        return require_text(rendered) + "\n" + "\n".join(_list_texts(analyses, most_rows, texts)) + "\n"
    return rendered


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _find(analysis: ErrorAnalysis) -> str:
    """State how many rows models get wrong, and on which rows with a common property they err most and least."""
    whole, *parts = analysis.slices
    names = analysis.wrong or tuple(whole.error_rates)
    rates = join_some([f"{name} {_percent(whole.error_rates[name])}" for name in names])
    sentences = [f"Wrong on {analysis.decisions.test_name}, {count_of(whole.rows, 'row')}: {rates}."]
    conditions = [f"right for {join_some(analysis.right)}"] if analysis.right else []
    if len(analysis.wrong) > 1 or (analysis.right and analysis.wrong):
        conditions.append(f"wrong for {join_some(analysis.wrong) if analysis.right else 'all of them'}")
    if conditions:
        share = _percent(analysis.selected_count / whole.rows)
        sentences.append(f"{analysis.selected_count:,} ({share}) are {' and '.join(conditions)}.")
    rated = []
    for part in parts:
        if part.rows >= max(_FEWEST_ROWS, _SMALLEST_SHARE * whole.rows):
            rate = sum(part.error_rates[name] for name in names) / len(names)
            rated.append((rate, f"{part.dimension}: {part.value} ({_percent(rate)} of {part.rows:,})"))
    if rated and min(rated)[0] < max(rated)[0]:
        whose = "Mean error rates are" if len(names) > 1 else "The error rate is"
        sentences.append(f"{whose} highest for {max(rated)[1]}, and lowest for {min(rated)[1]}.")
    return " ".join(sentences)


def _list_optional_titles(analysis: ErrorAnalysis) -> list[str]:
    """List the titles of the optional columns with a value in any selected row."""
    rows = [_name_facts(analysis, row) for row, *_ in analysis.selected]
    return [title for title, name in _OPTIONAL_COLUMNS.items() if any(row[name] is not None for row in rows)]


def _describe_selection(analysis: ErrorAnalysis) -> str:
    """Describe the selected rows and their number."""
    share = f"{analysis.selected_count:,} of {count_of(len(analysis.facts), 'row')}"
    parts = [f"Selected of {analysis.decisions.test_name}: {share}, in {count_of(len(analysis.selected), 'group')}."]
    if analysis.right:
        parts.append(f"Right: {join_some(analysis.right, _MOST_NAMES)}.")
    if analysis.wrong:
        parts.append(f"Wrong: {join_some(analysis.wrong, _MOST_NAMES)}.")
    return " ".join(parts)


def _lay_out_slices(analysis: ErrorAnalysis) -> Grid:
    """Lay out the error rates of all models by properties of rows."""
    names = list(analysis.slices[0].error_rates)
    rows: list[tuple[object, ...]] = []
    for dimension, slices in groupby(analysis.slices, key=lambda part: part.dimension):
        rows.append((dimension,))
        for part in slices:
            rates = (part.error_rates[name] for name in names)
            rows.append((part.value, part.rows, part.selected, *map(format_value, rates)))
    return Grid((f"{analysis.decisions.test_name}, error rate", "rows", "selected", *names), tuple(rows))


def _lay_out_rows(analysis: ErrorAnalysis, most_rows: int) -> Grid:
    """Lay out the first row of each group of selected rows, with the first digits of its id."""
    titles = _list_optional_titles(analysis)
    rows = []
    for row, *others in analysis.selected[:most_rows]:
        facts = _name_facts(analysis, row)
        numbers = (facts["words"], facts["shared_words"], *_show_optional(facts, titles), len(others))
        rows.append((facts["row"][:_ID_DIGITS], facts["topics"], Prose(facts["kind"]), *numbers))
    header = (f"{analysis.decisions.test_name}, rows", "topics", "kind", "words", "shared words", *titles, "alike")
    return Grid(header, tuple(rows))


def _show_optional(facts: Mapping[str, Any], titles: Sequence[str]) -> list[int | str]:
    numbers = (facts[_OPTIONAL_COLUMNS[title]] for title in titles)
    return [NOTHING if number is None else number for number in numbers]


def _name_facts(analysis: ErrorAnalysis, row: int) -> dict[str, Any]:
    """Return the values of the columns of `_FACTS`."""
    decisions, facts = analysis.decisions, analysis.facts[row]
    numbers = (facts.words, facts.shared, facts.weight, facts.parts)
    values = (decisions.ids[row], decisions.topics[row], facts.kind, *numbers)
    return dict(zip(_FACTS, (*values, facts.collections, ", ".join(facts.types)), strict=True))


def _list_credits(analysis: ErrorAnalysis, row: int) -> dict[str, float]:
    """Return the share of a row that each model gets right, in [0, 1], by the name of the model."""
    return {name: float(model_credits[row]) for name, model_credits in analysis.decisions.credits.items()}


def _list_texts(analyses: Sequence[ErrorAnalysis], most_rows: int, texts: Texts) -> Iterator[str]:
    for analysis in analyses:
        decisions = analysis.decisions
        for row, *_ in analysis.selected[:most_rows]:
            row_id = decisions.ids[row]
            yield f"\n{decisions.test_name} {row_id[:_ID_DIGITS]}"
            for role, text in texts.of_row(decisions.fingerprint, row_id):
                yield f"  {role}: {show(text)}"


def tabulate_rows(analyses: Sequence[ErrorAnalysis], texts: Texts | None = None) -> Grid:
    """List all selected rows, with the credit of each model, in [0, 1]: 1 if the model is right, 0 if it is wrong.

    With texts, the last column has the texts of a row, each after its role, divided by vertical bars.
    """
    names: dict[str, None] = {}
    for analysis in analyses:
        if analysis.selected:
            names |= dict.fromkeys(analysis.decisions.credits)
    rows: list[tuple[object, ...]] = []
    for analysis in analyses:
        for number, group in enumerate(analysis.selected, start=1):
            for row in group:
                facts, row_credits = _name_facts(analysis, row).values(), _list_credits(analysis, row)
                cells = [analysis.decisions.test_name, *facts, number, len(group) - 1, *map(row_credits.get, names)]
                if texts is not None:
                    row_texts = texts.of_row(analysis.decisions.fingerprint, analysis.decisions.ids[row])
                    cells.append(" | ".join(f"{role}: {text}" for role, text in row_texts))
                rows.append(tuple(cells))
    return Grid((*_HEADER, *names, *(["texts"] if texts is not None else [])), tuple(rows))


def tabulate_slices(analyses: Sequence[ErrorAnalysis]) -> Grid:
    """List all slices, with a row per slice and model."""
    rows: list[tuple[object, ...]] = []
    for analysis in analyses:
        for part in analysis.slices:
            for name, rate in part.error_rates.items():
                rows.append(
                    (analysis.decisions.test_name, part.dimension, part.value, part.rows, part.selected, name, rate)
                )
    return Grid(("task", "dimension", "value", "rows", "selected", "model", "error_rate"), tuple(rows))


def _record(analysis: ErrorAnalysis, texts: Texts | None) -> dict[str, Any]:
    return {
        "task": analysis.decisions.test_name,
        "fingerprint": analysis.decisions.fingerprint,
        "right": list(analysis.right),
        "wrong": list(analysis.wrong),
        "rows": len(analysis.facts),
        "selected": analysis.selected_count,
        "slices": [part._asdict() for part in analysis.slices],
        "groups": [
            [{**_name_facts(analysis, row), "credits": _list_credits(analysis, row)} for row in group]
            for group in analysis.selected
        ],
        **({} if texts is None else {"texts": _collect_texts(analysis, texts)}),
    }


def _collect_texts(analysis: ErrorAnalysis, texts: Texts) -> dict[str, list[tuple[str, str]]]:
    """Return the texts of all selected rows, each with its role, by the id of the row."""
    ids = [analysis.decisions.ids[row] for group in analysis.selected for row in group]
    return {row_id: texts.of_row(analysis.decisions.fingerprint, row_id) for row_id in ids}


def _show_test(analysis: ErrorAnalysis, most_rows: int, texts: Texts | None) -> dict[str, Any]:
    titles, rows = _list_optional_titles(analysis), []
    for row, *others in analysis.selected[:most_rows]:
        facts = _name_facts(analysis, row)
        row_texts = [] if texts is None else texts.of_row(analysis.decisions.fingerprint, facts["row"])
        optional = _show_optional(facts, titles)
        rows.append({"facts": facts, "optional": optional, "alike": len(others), "texts": row_texts})
    return {
        "title": analysis.decisions.test_name,
        "selection": _describe_selection(analysis),
        "names": list(analysis.slices[0].error_rates),
        "slices": [part._asdict() for part in analysis.slices],
        "optional_titles": titles,
        "rows": rows,
    }
