"""Reports of scores and of correlations, in the layout of Shima and Mitamura (2011). Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.files.hashing import hash_values
from harness.paraphrases.dimple.meta_evaluation import (
    CLAIM,
    GAINED,
    RECOGNIZED,
    SIGNIFICANT,
    RecognitionCorrelation,
    RecognitionEvaluation,
)
from harness.paraphrases.dimple.metrics import list_columns, name_column
from harness.paraphrases.dimple.quality import AUTOMATIC
from harness.paraphrases.dimple.scores import DimpleScores
from harness.rendering.reports import Grid, Report, grid_csv
from harness.rendering.tables import count_of, format_p, format_value
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE
from pyramid_paraphrase import __version__

_SCORE_COLUMNS = ("judgment", "model", "source", "method", "paraphrases", "metric", "k", "value", "lower", "upper")


def report_scores(scores: DimpleScores) -> Report:
    """Build a report with a table of all lists and a table of the means of each method."""
    intervals = f"Intervals: none, because they require at least {MIN_TOPICS} sources."
    if scores.has_intervals:
        intervals = f"Intervals: 95 %, bootstrap over sources, {scores.resamples:,} resamples, seed {scores.seed}."
    judgment: dict[str, Any] = {"name": scores.judgment.name, "model": scores.judgment.model}
    if scores.judgment.scale:
        judgment["scale"] = scores.judgment.scale
    if scores.judgment.name == AUTOMATIC and scores.zeros:
        judgment["zero_qualities"] = scores.zeros
    columns = scores.columns
    rows, sets, methods = [], [], []
    for set_scores in scores.sets:
        names = {"source": set_scores.source, "method": set_scores.method, "paraphrases": set_scores.count}
        sets.append(names | {"values": _name_columns(set_scores.values)})
        rows.append((*names.values(), *(format_value(set_scores.values[column]) for column in columns)))
    for means in scores.methods:
        names = {"method": means.method, "sources": means.sources}
        methods.append(names | {"values": _name_columns(means.values), "intervals": _name_columns(means.intervals)})
    return Report(
        tables=(
            Grid(("source", "method", "paraphrases", *map(name_column, columns)), tuple(rows), keys=2),
            _tabulate_means(scores),
        ),
        notes=(*_describe_judgment(scores), intervals, scores.signature),
        numbers=Grid(_SCORE_COLUMNS, tuple(_list_score_numbers(scores))),
        record={
            "signature": scores.signature,
            "judgment": judgment,
            "sets": sets,
            "methods": methods,
        },
    )


def _describe_judgment(scores: DimpleScores) -> Iterator[str]:
    """Describe the judgment, and warn of qualities and columns of 0, which may be a fault of the scale of a model."""
    judgment = scores.judgment
    yield f"Judgment: {judgment.description}."
    if judgment.name == AUTOMATIC and scores.zeros:
        reason = "to the model, the sentence without the source is no further than the one with the paraphrase"
        yield f"Q is 0 for {scores.zeros} of {count_of(scores.rated, 'paraphrase')}: {reason}."
    columns = list_columns(scores.cuts)
    zero = [name_column(column) for column in columns if not any(row.values[column] for row in scores.sets)]
    if zero:
        remedy = ""
        if judgment.name == AUTOMATIC:
            remedy = " Fit the scale of the model to votes with --fit-votes, or use a model of the kind entailment."
        yield f"0 for all lists: {', '.join(zero)}.{remedy}"


def _name_columns(values: Mapping[tuple[str, int], Any]) -> dict[str, Any]:
    return {name_column(column): value for column, value in values.items()}


def _tabulate_means(scores: DimpleScores) -> Grid:
    rows = []
    for means in scores.methods:
        sources = f"{means.sources} of {scores.source_count}"
        for metric in scores.metrics:
            cells = [format_value(means.values[metric, k], means.intervals[metric, k]) for k in scores.cuts]
            rows.append((means.method, sources, metric, *cells))
    return Grid(("method", "sources", "mean", *(f"k = {k}" for k in scores.cuts)), tuple(rows), keys=3)


def _list_score_numbers(scores: DimpleScores) -> Iterator[tuple[object, ...]]:
    """List the values of all sets, which have no intervals, then the means of all methods, which have no source."""
    judgment = (scores.judgment.name, scores.judgment.model)
    for set_scores in scores.sets:
        names = (set_scores.source, set_scores.method, set_scores.count)
        for (metric, k), value in set_scores.values.items():
            yield (*judgment, *names, metric, k, value, None, None)
    for means in scores.methods:
        for (metric, k), value in means.values.items():
            ends = means.intervals[metric, k] or (None, None)
            yield (*judgment, None, means.method, None, metric, k, value, *ends)


_UNDEFINED = "-"
_SHARES = {
    RECOGNIZED: "pairs recognized by stem or paraphrase",
    GAINED: "pairs recognized by a paraphrase and not by the stem",
}
_CORRELATION_COLUMNS = (
    *("corpus", "judgment", "model", "share", "metric", "k", "sets"),
    *("r", "lower", "upper", "p", "significant", "reason"),
)

FILE_FORMATS = {"csv": "csv", "md": "markdown", "tex": "latex"}
"""Formats of files of correlations, by the suffix of the file name."""


def report_correlations(evaluation: RecognitionEvaluation, *, with_details: bool = False) -> Report:
    """Build a report with a row per corpus and a column per metric and k.

    Args:
        evaluation: The correlations, and the scores and counts that they are computed from.
        with_details: Whether further tables show each correlation and each difference with its interval and p-value.

    Returns:
        The report. Its JSON record is empty, because correlations are not written as JSON.
    """
    columns = evaluation.scores.columns
    rows = []
    for corpus, pairs in evaluation.corpora.items():
        values = (format_correlation(evaluation.correlations[corpus, metric, k]) for metric, k in columns)
        rows.append((corpus, f"{len(pairs):,}", *values))
    tables = [Grid(("corpus", "pairs", *map(name_column, columns)), tuple(rows))]
    if with_details:
        tables += [_tabulate_details(evaluation), _tabulate_differences(evaluation)]
    numbers = Grid(_CORRELATION_COLUMNS, tuple(_list_correlation_numbers(evaluation)))
    return Report(tuple(tables), tuple(_write_correlation_notes(evaluation)), numbers, {})


def format_correlation(correlation: RecognitionCorrelation) -> str:
    """Format a correlation with two decimals, with * if it is significant. A rounded 0 has no sign."""
    if correlation.value is None:
        return _UNDEFINED
    mark = "*" if correlation.is_significant else ""
    return f"{round(correlation.value, 2) + 0.0:.2f}{mark}"


def _tabulate_details(evaluation: RecognitionEvaluation) -> Grid:
    rows = []
    for (corpus, metric, k), correlation in evaluation.correlations.items():
        cells = [_UNDEFINED] * 3
        if correlation.value is not None and correlation.interval is not None and correlation.p_value is not None:
            numbers = (correlation.value, *correlation.interval)
            value, lower, upper = (f"{round(number, 3) + 0.0:+.3f}" for number in numbers)  # -0.0004 becomes +0.000
            cells = [value, f"[{lower}, {upper}]", format_p(correlation.p_value)]
        rows.append((corpus, metric, str(k), *cells))
    return Grid(("corpus", "metric", "k", "r", "95 % interval", "p"), tuple(rows), keys=3)


def _tabulate_differences(evaluation: RecognitionEvaluation) -> Grid:
    rows = []
    for (corpus, k, first, second), difference in evaluation.differences.items():
        cells = [_UNDEFINED] * 5
        if difference.value is not None:
            cells[0] = f"{round(difference.value, 3) + 0.0:+.3f}"
        if difference.interval is not None:
            lower, upper = (f"{round(end, 3) + 0.0:+.3f}" for end in difference.interval)
            cells[1] = f"[{lower}, {upper}]"
        williams = difference.williams
        if williams.t is not None and williams.p_value is not None and difference.p_holm is not None:
            cells[2:] = [f"{williams.t:.2f}", format_p(williams.p_value), format_p(difference.p_holm)]
        rows.append((corpus, str(k), f"{second} - {first}", *cells))
    return Grid(("corpus", "k", "r of", "difference", "95 % interval", "t", "p", "p (Holm)"), tuple(rows), keys=3)


def render_differences_csv(evaluation: RecognitionEvaluation) -> str:
    """Render a CSV line per corpus, k, metric and metric that is better by the paper's claim."""
    header = (
        *("corpus", "k", "metric", "better_metric", "share", "difference", "lower", "upper", "undefined_resamples"),
        *("williams_t", "williams_p", "williams_p_holm", "reason"),
    )
    rows: list[tuple[object, ...]] = []
    for (corpus, k, first, second), difference in evaluation.differences.items():
        ends = difference.interval or (None, None)
        t, p_value, reason = difference.williams
        values = (difference.value, *ends, difference.undefined, t, p_value, difference.p_holm, reason)
        rows.append((corpus, k, first, second, evaluation.share, *values))
    return grid_csv(Grid(header, tuple(rows)))


def _describe_claim(evaluation: RecognitionEvaluation) -> Iterator[str]:
    """Describe what is found of the paper's claim, in a sentence, and the resamples left out."""
    differences = evaluation.differences
    by_row: dict[tuple[str, int], list[float]] = {}
    for (corpus, k, *_), difference in differences.items():
        if difference.value is not None:
            by_row.setdefault((corpus, k), []).append(difference.value)
    if not by_row:
        return
    ordered = sum(len(values) == len(CLAIM) and min(values) > 0 for values in by_row.values())
    tested = [difference.direction for difference in differences.values() if difference.p_holm is not None]
    drawn = [difference.interval_direction for difference in differences.values() if difference.interval is not None]
    rows = count_of(len(by_row), "combination")
    finding = f"EP < EPR < DIMPLE: the correlations have this order in {ordered} of {rows} of corpus and k"
    tests = f"differences in this direction that are significant: {tested.count(1)} of {len(tested)}, against it"
    williams = f"Williams' test, p < {SIGNIFICANCE} after Holm's correction"
    intervals = (
        f"intervals over sources are above 0 for {drawn.count(1)} of {len(drawn)}, and below for {drawn.count(-1)}"
    )
    if not drawn:
        intervals = f"intervals over sources require at least {MIN_TOPICS} sources"
    yield f"{finding}; {tests}: {tested.count(-1)} ({williams}); {intervals}."
    if undefined := max(difference.undefined for difference in differences.values()):
        yield f"Up to {undefined:,} of {evaluation.resamples:,} resamples are left out: a correlation is not defined."


def _write_correlation_notes(evaluation: RecognitionEvaluation) -> Iterator[str]:
    share = _SHARES[evaluation.share]
    yield f"Pearson's r of each metric with the share of {share} (*: p < {SIGNIFICANT}, not corrected)."
    yield from _count_sets(evaluation)
    reasons = (
        f"{corpus}, {name_column((metric, k))}: not defined, {correlation.reason}"
        for (corpus, metric, k), correlation in evaluation.correlations.items()
        if correlation.reason
    )
    yield from dict.fromkeys(reasons)
    yield from _describe_claim(evaluation)
    yield from _describe_judgment(evaluation.scores)
    yield render_signature(evaluation)


def _count_sets(evaluation: RecognitionEvaluation) -> Iterator[str]:
    """Describe for each corpus how many sets are compared, and how many are left out for which reason."""
    used = {corpus: correlation.sets for (corpus, *_), correlation in evaluation.correlations.items()}
    sets = evaluation.scores.sets
    empty = sum(not set_scores.count for set_scores in sets)
    for corpus in evaluation.corpora:
        missing = len(sets) - empty - used[corpus]
        reasons = {"without a pair that contains the source": missing, "without paraphrases": empty}
        left_out = ", ".join(f"{count} {reason}" for reason, count in reasons.items() if count)
        yield f"{corpus}: {count_of(used[corpus], 'set')}." + (f" Left out: {left_out}." if left_out else "")


def render_signature(evaluation: RecognitionEvaluation) -> str:
    """Render the signature: one line with all settings that decide the correlations."""
    pairs = "|".join(f"{corpus}:{hash_values(pairs)[:12]}" for corpus, pairs in evaluation.corpora.items())
    settings = (
        f"share:{evaluation.share}|{evaluation.scores.settings}|bootstrap:{evaluation.resamples}/{evaluation.seed}"
    )
    return f"dimple-meta|pairs:{pairs}|{settings}|version:{__version__}"


def _list_correlation_numbers(evaluation: RecognitionEvaluation) -> Iterator[tuple[object, ...]]:
    judgment = evaluation.scores.judgment
    for (corpus, metric, k), correlation in evaluation.correlations.items():
        significant = "yes" if correlation.is_significant else "no"
        if correlation.value is None:
            significant = ""
        ends = correlation.interval or (None, None)
        settings = (corpus, judgment.name, judgment.model, evaluation.share, metric, k, correlation.sets)
        yield (*settings, correlation.value, *ends, correlation.p_value, significant, correlation.reason)


def render_sets_csv(evaluation: RecognitionEvaluation) -> str:
    """Render a CSV line per corpus, source and method, with the counts of recognized pairs and all metrics."""
    scores = evaluation.scores
    columns = scores.columns
    header = (
        *("corpus", "source", "method", "paraphrases", "judgment", "model"),
        *("pairs", "by_stem", "by_paraphrase", RECOGNIZED, GAINED, *map(name_column, columns)),
    )
    judgment = (scores.judgment.name, scores.judgment.model)
    rows: list[tuple[object, ...]] = []
    for corpus, counts_of_sets in evaluation.recognitions.items():
        for set_scores, counts in zip(scores.sets, counts_of_sets, strict=True):
            names = (corpus, set_scores.source, set_scores.method, set_scores.count)
            shares = (counts.share(RECOGNIZED), counts.share(GAINED))
            values = (set_scores.values[column] for column in columns)
            rows.append((*names, *judgment, *counts, *shares, *values))
    return grid_csv(Grid(header, tuple(rows)))
