"""The report of correlations and tests: tables, notes, numbers and record, without any computation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, format_p, format_value
from harness.stats.bootstrap import CONFIDENCE
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, KENDALL, PEARSON, SPEARMAN, TITLES
from harness.summarization.meta_evaluation.evaluation import CorrelationDifference, MetaEvaluation, MetricCorrelation
from harness.summarization.meta_evaluation.inputs import ScoredLocation
from harness.summarization.meta_evaluation.notes import count_family, write_notes
from pyramid_paraphrase import __version__

_HASH_DIGITS = 12
_DIFFERENCE_TITLES = (
    *("r of 1st", "r of 2nd", "r of both", "difference"),
    *("Williams t", "Williams p", "Williams p (Holm)", "bootstrap p", "bootstrap p (Holm)"),
    *("permutation p", "permutation p (Holm)"),
)
_OTHER_TITLES = (
    *("level", "coefficient", "of 1st", "of 2nd", "difference"),
    *("bootstrap p", "bootstrap p (Holm)", "permutation p", "permutation p (Holm)"),
)
_SYMBOLS = {PEARSON: "r", SPEARMAN: "rho", KENDALL: "tau"}
_NUMBERS = (
    *("judgement", "metric", "other_metric", "level", "measure", "value", "lower", "upper", "p", "p_holm"),
    *("systems", "topics", "reason", "signature"),
)


def report_meta_evaluation(
    evaluation: MetaEvaluation, scores: Sequence[ScoredLocation], judgements: Sequence[ScoredLocation], rouge: str
) -> Report:
    """Lay out correlations and differences.

    Args:
        evaluation: Correlations and differences.
        scores: The files of scores that were read.
        judgements: The files of judgements that were read.
        rouge: The value that was read from ROUGE's output, one of `rouge.ROUGE_VALUES`.

    Returns:
        The report. It has a table per judgement and level, and tables of the tests per judgement. The tables leave out
        undefined differences. The numbers and the record contain all differences.
    """
    settings = evaluation.settings
    signature = "|".join(
        (
            "meta-eval",
            f"scores:{_shorten_hashes(scores)}",
            f"judgements:{_shorten_hashes(judgements)}",
            f"rouge:{rouge}",
            f"systems:{settings.systems}",
            f"bootstrap:{settings.drawn}:{settings.resamples}/{settings.seed}",
            f"holm:{count_family(evaluation.differences)}",
            f"version:{__version__}",
        )
    )
    notes = (*write_notes(evaluation, [*scores, *judgements]), f"Signature: {signature}")
    unified = {"unified_systems": dict(evaluation.unified_systems)} if evaluation.unified_systems else {}
    record = {
        "kind": "meta-evaluation",
        "version": __version__,
        "signature": signature,
        "scores": [_describe_file(file) for file in scores],
        "judgements": [_describe_file(file) for file in judgements],
        "rouge": rouge,
        "systems": settings.systems,
        "other_systems": list(evaluation.excluded_systems),
        **unified,
        "statistics": {
            "unit": settings.drawn,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
        },
        "correlations": [_list_fields(correlation) for correlation in evaluation.correlations],
        "differences": [_describe_difference(difference) for difference in evaluation.differences],
    }
    numbers = Grid(_NUMBERS, tuple((*row, signature) for row in _list_numbers(evaluation)))
    return Report(_tabulate(evaluation), notes, numbers, record)


def _shorten_hashes(files: Sequence[ScoredLocation]) -> str:
    return ",".join(file.sha256[:_HASH_DIGITS] for file in files)


def _tabulate(evaluation: MetaEvaluation) -> tuple[Grid, ...]:
    grids = []
    for judgement in dict.fromkeys(correlation.judgement for correlation in evaluation.correlations):
        for level in evaluation.settings.levels:
            header = (f"{judgement}, {level} level", *TITLES.values(), "systems", "topics")
            rows = []
            for correlation in evaluation.correlations:
                if (correlation.judgement, correlation.level) == (judgement, level):
                    values = [
                        format_value(correlation.values.get(name), correlation.intervals.get(name))
                        for name in COEFFICIENTS
                    ]
                    counts = (len(correlation.systems), len(correlation.topics))
                    rows.append((correlation.metric, *values, *counts))
            grids.append(Grid(header, tuple(rows)))
        grids += _tabulate_differences(judgement, evaluation)
    return tuple(grids)


def _tabulate_differences(judgement: str, evaluation: MetaEvaluation) -> Iterator[Grid]:
    with_williams, without_williams = [], []
    for difference in evaluation.differences:
        if difference.judgement != judgement or difference.values is None:
            continue
        metrics = f"{difference.first} vs. {difference.second}"
        first, second, between = (f"{value:.3f}" for value in difference.values)
        value = format_value(difference.difference, difference.interval)
        resampled = (
            *(_show_p(difference.bootstrap_p), _show_p(difference.bootstrap_holm)),
            *(_show_p(difference.permutation_p), _show_p(difference.permutation_holm)),
        )
        if difference.has_williams:
            t, p_value, _ = difference.williams
            williams = (NOTHING if t is None else f"{t:.2f}", _show_p(p_value), _show_p(difference.williams_holm))
            with_williams.append((metrics, first, second, between, value, *williams, *resampled))
        else:
            coefficient = _SYMBOLS[difference.coefficient]
            without_williams.append((metrics, difference.level, coefficient, first, second, value, *resampled))
    if with_williams:
        yield Grid((f"{judgement}, differences", *_DIFFERENCE_TITLES), tuple(with_williams))
    if without_williams:
        yield Grid((f"{judgement}, other differences", *_OTHER_TITLES), tuple(without_williams), keys=3)


def _show_p(value: float | None) -> str:
    return NOTHING if value is None else format_p(value)


def _list_numbers(evaluation: MetaEvaluation) -> Iterator[tuple[object, ...]]:
    """Yield the rows of all numbers, without the signature."""
    for correlation in evaluation.correlations:
        names = (correlation.judgement, correlation.metric, None, correlation.level)
        counts = (len(correlation.systems), len(correlation.topics), correlation.reason)
        for name in COEFFICIENTS:
            lower, upper = correlation.intervals.get(name, (None, None))
            yield *names, name, correlation.values.get(name), lower, upper, None, None, *counts
    for difference in evaluation.differences:
        pair = (difference.judgement, difference.first, difference.second, difference.level)
        sizes = (difference.systems, difference.topics)
        suffix = "" if difference.coefficient == PEARSON else f"_{difference.coefficient}"
        if difference.has_williams:
            t, p_value, reason = difference.williams
            williams = ("williams_t", t, None, None, p_value, difference.williams_holm)
            yield *pair, *williams, *sizes, difference.reason or reason
        value, (lower, upper) = difference.difference, difference.interval or (None, None)
        bootstrap = (value, lower, upper, difference.bootstrap_p, difference.bootstrap_holm)
        yield *pair, f"difference{suffix}", *bootstrap, *sizes, difference.reason
        if evaluation.settings.draws_systems:
            permutation = (value, None, None, difference.permutation_p, difference.permutation_holm)
            yield *pair, f"permutation{suffix}", *permutation, *sizes, difference.reason


def _describe_file(file: ScoredLocation) -> dict[str, Any]:
    measures = [scores.name for scores in file.scores]
    record: dict[str, Any] = {
        "source": file.source,
        "sha256": file.sha256,
        "measures": measures,
        "files_left_out": file.left_out,
    }
    judged = {
        scores.name: {"lowest": scores.judgements[0], "highest": scores.judgements[1], "judges": scores.judges or None}
        for scores in file.scores
        if scores.judgements != (1, 1)
    }
    if judged:
        record["judgements_per_summary"] = judged
    if file.unified_peers:
        record["unified_peers"] = dict(file.unified_peers)
    return record


def _describe_difference(difference: CorrelationDifference) -> dict[str, Any]:
    first, second, between = difference.values or (None, None, None)
    values = {"first": first, "second": second, "between": between}
    return {**_list_fields(difference), "values": values, "williams": difference.williams._asdict()}


def _list_fields(row: MetricCorrelation | CorrelationDifference) -> dict[str, Any]:
    """Map names of fields to values. `dataclasses.asdict` would copy the values, with thousands of topic names."""
    return {field.name: getattr(row, field.name) for field in fields(row)}
