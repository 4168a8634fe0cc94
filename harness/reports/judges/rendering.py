"""Reports of judges of presence in all formats, and the figure of their reliability. Nothing is computed here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from harness.rendering.pages import render_page
from harness.rendering.pictures import COLOURS, MARKERS, MUTED, draw_picture, shorten_name
from harness.rendering.reports import GRID_FORMATS, Cell, Grid, Report, render_report, require_text
from harness.rendering.tables import count_of, join_some
from harness.reports.judges.measuring import COLUMNS, FITTED, OWN, JudgedModel, JudgedTest, list_bins
from harness.reports.table_notes import note_models
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OptionError

_NUMBERS_HEADER = ("model", "group", "kind", "part", "metric", "value", "lower", "upper", "rows", "fingerprint")
_BIN = "reliability"
"""Prefix of the names of shares of present SCUs by bin, in CSV."""

_NO_SYSTEMS = (
    "Scores of systems: missing, because results do not name the systems. Add --data SOURCE, the data that the models "
    "were evaluated on."
)

_FEW_TOPICS = 5
"""With fewer topics to fit on, a note warns of thresholds and fitted probabilities."""

_PANELS, _PANEL_SIZE, _MOST_PANELS = 4, 2.5, 48
_LARGEST_POINT = 70.0


def render_judges(tests: Sequence[JudgedTest], form: str) -> str | bytes:
    """Render judges.

    Args:
        tests: The judges of each test.
        form: terminal, notebook, markdown, latex, html, or one of `GRID_FORMATS` (a row per number, with the
            reliability by bin).

    Returns:
        The lines. The last line ends with a line break.
    """
    reports = [Report(tuple(_lay_out(test)), tuple(_write_notes(test)), tabulate_judges(test)) for test in tests]
    if form in GRID_FORMATS:
        rows = [row for report in reports for row in report.numbers.rows]
        return render_report(Report((), (), Grid(_NUMBERS_HEADER, tuple(rows))), form)
    if form == "html":
        return render_page(
            "judges.html",
            title="Pyramid paraphrase: judges",
            tests=[{"title": ", ".join(test.table.collections), "rows": test.rows} for test in tests],
            reports=reports,
            version=__version__,
        )
    return "\n".join(require_text(render_report(report, form)) for report in reports)


def _lay_out(test: JudgedTest) -> Iterator[Grid]:
    for part, columns in COLUMNS.items():
        rows: list[tuple[object, ...]] = []
        for section, members in groupby(test.judges, key=lambda judge: judge.row.section):
            rows.append((section,))
            rows += [(judge.row.name, *(judge.cells.get(name, Cell(None)) for name in columns)) for judge in members]
        yield Grid((part, *columns.values()), tuple(rows))


def _write_notes(test: JudgedTest) -> Iterator[str]:
    yield f"Data: {test.table.describe_data()}."
    yield (
        f"Decisions: {count_of(test.rows, 'row')} of the test split. A judge finds an SCU if its score is at least the "
        f"threshold, which is fitted on {count_of(test.fitted_rows, 'other row')} or the model's own. kappa and alpha: "
        "agreement of decisions and labels beyond chance, as of two annotators."
    )
    yield (
        f"Probabilities: {OWN} ones are given by the model, and {FITTED} ones follow from its scores by isotonic "
        f"regression on the {count_of(test.fitted_rows, 'other row')}. Brier: mean squared error. ECE: expected "
        "calibration error, ten bins. It has no interval, because resamples are biased upwards."
    )
    if test.fitted_topics < _FEW_TOPICS:
        yield (
            f"Thresholds and fitted probabilities rest on {count_of(test.fitted_topics, 'topic')}, which may differ "
            "from the others. Look at AP and AUC first."
        )
    if test.systems is None or test.topics is None:
        yield _NO_SYSTEMS
    else:
        weights = ", by weight" if test.is_weighted else ""
        yield (
            f"Scores of systems: {count_of(test.systems, 'system')}, {count_of(test.topics, 'topic')}. The share of "
            f"SCUs that the judge finds in a summary{weights}, correlated with the share that people found, as by "
            "meta-eval: means of systems, and summaries within topics."
        )
    problems: dict[str, list[str]] = {}
    for judge in test.judges:
        if judge.problem:
            problems.setdefault(judge.problem, []).append(judge.row.name)
    for problem, names in problems.items():
        yield f"Scores of systems by {join_some(names)}: {problem}."
    yield f"Intervals: {test.table.describe_intervals()}. Those of scores of systems are over topics and systems."
    yield from note_models(test.table.ours)


def tabulate_judges(test: JudgedTest) -> Grid:
    """List all numbers of judges, a row per number, and the bins of their reliability."""
    rows: list[tuple[object, ...]] = []
    for judge in test.judges:
        facts = (judge.row.name, judge.row.group, judge.row.results[-1].record.model.kind)
        for part, columns in COLUMNS.items():
            for name in columns:
                if (cell := judge.cells.get(name)) is not None and cell.value is not None:
                    lower, upper = cell.interval or (None, None)
                    rows.append((*facts, part, name, cell.value, lower, upper, test.rows, test.fingerprint))
        for source, curve in judge.reliability.items():
            for bounds, count, mean, share in list_bins(curve):
                numbers = {"mean": mean, "share": share}
                for name, value in numbers.items():
                    metric = f"{_BIN}.{source}.{bounds}.{name}"
                    rows.append((*facts, _BIN, metric, round(value, 6), None, None, count, test.fingerprint))
    return Grid(_NUMBERS_HEADER, tuple(rows))


def draw_reliability(tests: Sequence[JudgedTest], form: str = "png") -> bytes:
    """Draw the share of present SCUs by the probability of a judge, a panel per judge.

    Args:
        tests: The judges of each test.
        form: One of `pictures.FORMATS`.

    Returns:
        The content of the image file.

    Raises:
        MissingExtraError: If matplotlib is not installed.
        OptionError: If there are too many judges for a figure.
    """
    judges = [(test, judge) for test in tests for judge in test.judges if judge.reliability]
    if not 0 < len(judges) <= _MOST_PANELS:
        reason = f"{count_of(len(judges), 'judge')} with probabilities do not fit a figure"
        raise OptionError(f"{reason} of 1 to {_MOST_PANELS} panels. Name other results")
    columns = min(_PANELS, len(judges))
    rows = math.ceil(len(judges) / columns)

    def fill(figure: Any) -> None:  # noqa: ANN401
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, (test, judge) in zip(panels, judges, strict=False):
            _draw_panel(axes, judge)
            data = f"\n{', '.join(test.table.collections)}" if len(tests) > 1 else ""
            axes.set_title(f"{shorten_name(judge.row.name)}{shorten_name(data) if data else ''}")
            axes.tick_params(labelbottom=True)
        for axes in panels[len(judges) :]:
            axes.set_visible(False)
        panels[0].set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        figure.supxlabel("probability that the SCU is present", fontsize=10)
        figure.supylabel("share of present SCUs", fontsize=10)
        by_label: Mapping[str, Any] = {}
        for axes in panels[: len(judges)]:
            handles, labels = axes.get_legend_handles_labels()
            by_label = {**dict(zip(labels, handles, strict=True)), **by_label}
        figure.legend(by_label.values(), by_label.keys(), loc="outside upper center", ncols=len(by_label))

    return draw_picture((0.6 + _PANEL_SIZE * columns, 0.9 + _PANEL_SIZE * rows), form, fill)


def _draw_panel(axes: Any, judge: JudgedModel) -> None:  # noqa: ANN401
    """Draw the bins of a judge. The area of a point is the share of the rows in its bin."""
    axes.plot((0, 1), (0, 1), color=MUTED, linewidth=1, linestyle=":")
    looks = {OWN: (COLOURS[1], MARKERS[1], "the model's own"), FITTED: (COLOURS[0], MARKERS[0], "fitted on validation")}
    for source, curve in judge.reliability.items():
        colour, marker, label = looks[source]
        bins = list(list_bins(curve))
        total = sum(count for _, count, *_ in bins)
        means, shares = [mean for *_, mean, _ in bins], [share for *_, share in bins]
        sizes = [4 + _LARGEST_POINT * count / total for _, count, *_ in bins]
        axes.plot(means, shares, color=colour, linewidth=1, alpha=0.6)
        axes.scatter(means, shares, s=sizes, color=colour, marker=marker, label=label)
