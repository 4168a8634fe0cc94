"""The report of correlations and tests: tables, notes, numbers and record, without any computation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from harness.rendering.reports import Grid, Report
from harness.rendering.tables import format_interval, format_p
from harness.stats.bootstrap import CONFIDENCE
from harness.summarization.meta_evaluation.agreement import Correlation
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, KENDALL, PEARSON, SPEARMAN
from harness.summarization.meta_evaluation.differences import Difference
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation
from harness.summarization.meta_evaluation.inputs import ScoreFile
from harness.summarization.meta_evaluation.output.correlation_notes import NOTHING, count_family, write_notes
from harness.summarization.meta_evaluation.resampling import Interval
from pyramid_paraphrase import __version__

_HASH_DIGITS = 12
_TITLES = ("Pearson r", "Spearman rho", "Kendall tau-b")
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


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that were read.

    Attributes:
        scores: Files of scores.
        judgements: Files of judgements.
        rouge: The value that was read from ROUGE's output, one of `rouge.ROUGE_VALUES`.
    """

    scores: tuple[ScoreFile, ...]
    judgements: tuple[ScoreFile, ...]
    rouge: str


def report_meta_evaluation(evaluation: MetaEvaluation, sources: Sources) -> Report:
    """Lay out correlations and differences.

    Args:
        evaluation: Correlations and differences.
        sources: The files that were read.

    Returns:
        The report. It has a table per judgement and level, and tables of the tests per judgement. The tables leave out
        undefined differences. The numbers and the record contain all differences.
    """
    signature = _sign(evaluation, sources)
    notes = write_notes(evaluation, [*sources.scores, *sources.judgements])
    return Report(
        _tabulate(evaluation),
        (*notes, f"Signature: {signature}"),
        Grid(_NUMBERS, (*_list_correlations(evaluation, signature), *_list_differences(evaluation, signature))),
        _record(evaluation, sources, signature),
    )


def _sign(evaluation: MetaEvaluation, sources: Sources) -> str:
    """Return the signature: all settings that can change the numbers, with the version last."""

    def shorten(files: Sequence[ScoreFile]) -> str:
        return ",".join(file.sha256[:_HASH_DIGITS] for file in files)

    settings = evaluation.settings
    parts = (
        f"scores:{shorten(sources.scores)}",
        f"judgements:{shorten(sources.judgements)}",
        f"rouge:{sources.rouge}",
        f"systems:{settings.systems}",
        f"bootstrap:{settings.drawn}:{settings.resamples}/{settings.seed}",
        f"holm:{count_family(evaluation.differences)}",
        f"version:{__version__}",
    )
    return "|".join(["meta-eval", *parts])


def _tabulate(evaluation: MetaEvaluation) -> tuple[Grid, ...]:
    grids = []
    for judgement in dict.fromkeys(correlation.judgement for correlation in evaluation.correlations):
        for level in evaluation.settings.levels:
            header = (f"{judgement}, {level} level", *_TITLES, "systems", "topics")
            rows = tuple(
                _show_correlation(correlation)
                for correlation in evaluation.correlations
                if (correlation.judgement, correlation.level) == (judgement, level)
            )
            grids.append(Grid(header, rows))
        grids += _tabulate_differences(judgement, evaluation)
    return tuple(grids)


def _tabulate_differences(judgement: str, evaluation: MetaEvaluation) -> Iterator[Grid]:
    differences = [
        difference
        for difference in evaluation.differences
        if difference.judgement == judgement and difference.values is not None
    ]
    with_williams = [_show_difference_with_williams(row) for row in differences if row.has_williams]
    without_williams = [_show_difference(row) for row in differences if not row.has_williams]
    if with_williams:
        yield Grid((f"{judgement}, differences", *_DIFFERENCE_TITLES), tuple(with_williams))
    if without_williams:
        yield Grid((f"{judgement}, other differences", *_OTHER_TITLES), tuple(without_williams), keys=3)


def _show_correlation(correlation: Correlation) -> tuple[object, ...]:
    cells = (_show_value(correlation.values.get(name), correlation.intervals.get(name)) for name in COEFFICIENTS)
    return (correlation.metric, *cells, len(correlation.systems), len(correlation.topics))


def _show_difference_with_williams(difference: Difference) -> tuple[object, ...]:
    williams = difference.williams
    return (
        f"{difference.first} vs. {difference.second}",
        *_show_correlations(difference),
        _show_value(difference.difference, difference.interval),
        _show_t(williams.t),
        _show_p(williams.p_value),
        _show_p(difference.williams_holm),
        *_show_resampled(difference),
    )


def _show_difference(difference: Difference) -> tuple[object, ...]:
    first, second, _ = _show_correlations(difference)
    return (
        f"{difference.first} vs. {difference.second}",
        *(difference.level, _SYMBOLS[difference.coefficient]),
        *(first, second),
        _show_value(difference.difference, difference.interval),
        *_show_resampled(difference),
    )


def _show_correlations(difference: Difference) -> tuple[str, str, str]:
    if difference.values is None:
        return NOTHING, NOTHING, NOTHING
    first, second, between = difference.values
    return f"{first:.3f}", f"{second:.3f}", f"{between:.3f}"


def _show_resampled(difference: Difference) -> tuple[object, ...]:
    return (
        _show_p(difference.bootstrap_p),
        _show_p(difference.bootstrap_holm),
        _show_p(difference.permutation_p),
        _show_p(difference.permutation_holm),
    )


def _show_value(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.3f} {format_interval(interval)}".rstrip()


def _show_t(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


def _show_p(value: float | None) -> str:
    return NOTHING if value is None else format_p(value)


def _list_correlations(evaluation: MetaEvaluation, signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for correlation in evaluation.correlations:
        names = (correlation.judgement, correlation.metric, None, correlation.level)
        counts = (len(correlation.systems), len(correlation.topics), correlation.reason, signature)
        for name in COEFFICIENTS:
            lower, upper = correlation.intervals.get(name, (None, None))
            rows.append((*names, name, correlation.values.get(name), lower, upper, None, None, *counts))
    return rows


def _list_differences(evaluation: MetaEvaluation, signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for difference in evaluation.differences:
        names = (difference.judgement, difference.first, difference.second, difference.level)
        counts = (difference.systems, difference.topics)
        suffix = "" if difference.coefficient == PEARSON else f"_{difference.coefficient}"
        if difference.has_williams:
            test, reason = difference.williams, difference.reason or difference.williams.reason
            williams = ("williams_t", test.t, None, None, test.p_value, difference.williams_holm)
            rows.append((*names, *williams, *counts, reason, signature))
        value, (lower, upper) = difference.difference, difference.interval or (None, None)
        bootstrap = (value, lower, upper, difference.bootstrap_p, difference.bootstrap_holm)
        rows.append((*names, f"difference{suffix}", *bootstrap, *counts, difference.reason, signature))
        if evaluation.settings.draws_systems:
            permutation = (value, None, None, difference.permutation_p, difference.permutation_holm)
            rows.append((*names, f"permutation{suffix}", *permutation, *counts, difference.reason, signature))
    return rows


def _record(evaluation: MetaEvaluation, sources: Sources, signature: str) -> Mapping[str, Any]:
    settings = evaluation.settings
    unified = {"unified_systems": dict(evaluation.unified_systems)} if evaluation.unified_systems else {}
    return {
        "kind": "meta-evaluation",
        "version": __version__,
        "signature": signature,
        "scores": [_describe_file(file) for file in sources.scores],
        "judgements": [_describe_file(file) for file in sources.judgements],
        "rouge": sources.rouge,
        "systems": settings.systems,
        "other_systems": list(evaluation.excluded_systems),
        **unified,
        "statistics": {
            "unit": settings.drawn,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
        },
        "correlations": [_describe_correlation(correlation) for correlation in evaluation.correlations],
        "differences": [_describe_difference(difference) for difference in evaluation.differences],
    }


def _describe_file(file: ScoreFile) -> dict[str, Any]:
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


def _describe_correlation(correlation: Correlation) -> dict[str, Any]:
    return {**_list_fields(correlation), "left_out": correlation.left_out._asdict()}


def _describe_difference(difference: Difference) -> dict[str, Any]:
    first, second, between = difference.values or (None, None, None)
    values = {"first": first, "second": second, "between": between}
    return {**_list_fields(difference), "values": values, "williams": difference.williams._asdict()}


def _list_fields(row: Correlation | Difference) -> dict[str, Any]:
    """Map names of fields to values. `dataclasses.asdict` would copy the values, with thousands of topic names."""
    return {field.name: getattr(row, field.name) for field in fields(row)}
