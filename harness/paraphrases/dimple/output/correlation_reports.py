"""Correlations as a report, in the layout of tables 2 and 3 of Shima and Mitamura (2011). It computes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from harness.paraphrases.dimple.gains import list_columns, name_column
from harness.paraphrases.dimple.meta_evaluation import SIGNIFICANT, Correlation, MetaEvaluation
from harness.paraphrases.dimple.recognition import GAINED, RECOGNIZED
from harness.rendering.formats import Grid, grid_csv
from harness.rendering.reports import Report
from harness.rendering.tables import count_of, format_p
from pyramid_paraphrase import __version__

_UNDEFINED = "-"
_SHARES = {
    RECOGNIZED: "pairs recognized by stem or paraphrase",
    GAINED: "pairs recognized by a paraphrase and not by the stem",
}
_NUMBERS_HEADER = (
    *("corpus", "judgment", "model", "share", "metric", "k", "sets"),
    *("r", "lower", "upper", "p", "significant", "reason"),
)

FILE_FORMATS = {"csv": "csv", "md": "markdown", "tex": "latex"}
"""Formats of files of correlations, by the suffix of the file name."""


def report_correlations(evaluation: MetaEvaluation, *, with_details: bool = False) -> Report:
    """Build a report with a row per corpus and a column per metric and k.

    Args:
        evaluation: The correlations, and the scores and counts that they are computed from.
        with_details: Whether a second table shows each correlation with its interval and p-value.

    Returns:
        The report. Its JSON record is empty, because correlations are not written as JSON.
    """
    tables = [_tabulate_corpora(evaluation)]
    if with_details:
        tables.append(_tabulate_details(evaluation))
    rows = tuple(_list_numbers(evaluation, correlation) for correlation in evaluation.correlations)
    return Report(tuple(tables), tuple(_write_notes(evaluation)), Grid(_NUMBERS_HEADER, rows), {})


def _tabulate_corpora(evaluation: MetaEvaluation) -> Grid:
    columns = list_columns(evaluation.scores.cuts)
    cells = {
        (correlation.corpus, correlation.metric, correlation.k): format_correlation(correlation)
        for correlation in evaluation.correlations
    }
    rows = []
    for recognition in evaluation.recognitions:
        values = (cells[recognition.corpus, metric, k] for metric, k in columns)
        rows.append((recognition.corpus, f"{recognition.pairs:,}", *values))
    return Grid(("corpus", "pairs", *map(name_column, columns)), tuple(rows))


def format_correlation(correlation: Correlation) -> str:
    """Format a correlation with two decimals, with * if it is significant. A rounded 0 has no sign."""
    if correlation.value is None:
        return _UNDEFINED
    mark = "*" if correlation.is_significant else ""
    return f"{round(correlation.value, 2) + 0.0:.2f}{mark}"


def _tabulate_details(evaluation: MetaEvaluation) -> Grid:
    rows = []
    for correlation in evaluation.correlations:
        cells = _show_details(correlation)
        rows.append((correlation.corpus, correlation.metric, str(correlation.k), *cells))
    return Grid(("corpus", "metric", "k", "r", "95 % interval", "p"), tuple(rows), keys=3)


def _show_details(correlation: Correlation) -> tuple[str, str, str]:
    if correlation.value is None or correlation.interval is None or correlation.p_value is None:
        return _UNDEFINED, _UNDEFINED, _UNDEFINED
    numbers = (correlation.value, *correlation.interval)
    value, lower, upper = (f"{round(number, 3) + 0.0:+.3f}" for number in numbers)  # -0.0004 becomes +0.000
    return value, f"[{lower}, {upper}]", format_p(correlation.p_value)


def _write_notes(evaluation: MetaEvaluation) -> Iterator[str]:
    share = _SHARES[evaluation.share]
    yield f"Pearson's r of each metric with the share of {share} (*: p < {SIGNIFICANT}, not corrected)."
    yield from _count_sets(evaluation)
    reasons = (
        f"{correlation.corpus}, {name_column((correlation.metric, correlation.k))}: not defined, {correlation.reason}"
        for correlation in evaluation.correlations
        if correlation.reason
    )
    yield from dict.fromkeys(reasons)
    yield f"Judgment: {evaluation.scores.judgment.description}."
    yield render_signature(evaluation)


def _count_sets(evaluation: MetaEvaluation) -> Iterator[str]:
    """Describe for each corpus how many sets are compared, and how many are left out for which reason."""
    compared = {correlation.corpus: correlation.sets for correlation in evaluation.correlations}
    sets = evaluation.scores.sets
    empty = sum(not set_scores.count for set_scores in sets)
    for recognition in evaluation.recognitions:
        used = compared[recognition.corpus]
        left_out = []
        if missing := len(sets) - empty - used:
            left_out.append(f"{missing} without a pair that contains the source")
        if empty:
            left_out.append(f"{empty} without paraphrases")
        line = f"{recognition.corpus}: {count_of(used, 'set')}."
        if left_out:
            line += f" Left out: {', '.join(left_out)}."
        yield line


def render_signature(evaluation: MetaEvaluation) -> str:
    """Render the signature: one line with all settings that decide the correlations."""
    pairs = "|".join(f"{recognition.corpus}:{recognition.fingerprint[:12]}" for recognition in evaluation.recognitions)
    return f"dimple-meta|pairs:{pairs}|share:{evaluation.share}|{evaluation.scores.settings}|version:{__version__}"


def _list_numbers(evaluation: MetaEvaluation, correlation: Correlation) -> tuple[object, ...]:
    judgment = evaluation.scores.judgment
    significant = "yes" if correlation.is_significant else "no"
    if correlation.value is None:
        significant = ""
    ends = correlation.interval or (None, None)
    return (
        *(correlation.corpus, judgment.name, judgment.model, evaluation.share),
        *(correlation.metric, correlation.k, correlation.sets),
        *(correlation.value, *ends, correlation.p_value, significant, correlation.reason),
    )


def render_sets_csv(evaluation: MetaEvaluation) -> str:
    """Render a CSV line per corpus, source and method, with the counts of recognized pairs and all metrics."""
    scores = evaluation.scores
    columns = list_columns(scores.cuts)
    header = (
        *("corpus", "source", "method", "paraphrases", "judgment", "model"),
        *("pairs", "by_stem", "by_paraphrase", RECOGNIZED, GAINED, *map(name_column, columns)),
    )
    judgment = (scores.judgment.name, scores.judgment.model)
    rows: list[tuple[object, ...]] = []
    for corpus in evaluation.recognitions:
        for set_scores, counts in zip(scores.sets, corpus.sets, strict=True):
            names = (corpus.corpus, set_scores.source, set_scores.method, set_scores.count)
            shares = (counts.share(RECOGNIZED), counts.share(GAINED))
            values = (set_scores.values[column] for column in columns)
            rows.append((*names, *judgment, *counts, *shares, *values))
    return grid_csv(Grid(header, tuple(rows)))
