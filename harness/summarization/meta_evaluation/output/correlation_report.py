"""Correlations and tests as tables, and as all there is to know of them; nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from harness.rendering.formats import Grid
from harness.rendering.reports import Report
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
    *("Williams t", "Williams p", "p (Holm)", "bootstrap p", "p (Holm)", "permutation p", "p (Holm)"),
    *("systems", "topics"),
)
_MORE_TITLES = (
    *("level", "coefficient", "of 1st", "of 2nd", "difference"),
    *("bootstrap p", "p (Holm)", "permutation p", "p (Holm)", "systems", "topics"),
)
_SYMBOLS = {PEARSON: "r", SPEARMAN: "rho", KENDALL: "tau"}
_NUMBERS = (
    *("judgement", "metric", "other_metric", "level", "measure", "value", "lower", "upper", "p", "p_holm"),
    *("systems", "topics", "reason", "signature"),
)


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read.

    Attributes:
        scores: Files of scores.
        judgements: Files of judgements.
        rouge: What of ROUGE's output was read.
    """

    scores: tuple[ScoreFile, ...]
    judgements: tuple[ScoreFile, ...]
    rouge: str


def report_meta_evaluation(found: MetaEvaluation, sources: Sources) -> Report:
    """Lay out what was found.

    Args:
        found: Correlations and differences.
        sources: What they are of.

    Returns:
        A table per judgement and level, and one of tests per judgement.
    """
    signature = _sign(found, sources)
    notes = write_notes(found, [*sources.scores, *sources.judgements])
    return Report(
        _tabulate(found),
        (*notes, f"Signature: {signature}"),
        Grid(_NUMBERS, (*_list_correlations(found, signature), *_list_differences(found, signature))),
        _record(found, sources, signature),
    )


def _sign(found: MetaEvaluation, sources: Sources) -> str:
    """One line that names everything that decides the numbers, the version last."""

    def shorten(files: Sequence[ScoreFile]) -> str:
        return ",".join(file.sha256[:_HASH_DIGITS] for file in files)

    settings = found.settings
    parts = (
        f"scores:{shorten(sources.scores)}",
        f"judgements:{shorten(sources.judgements)}",
        f"rouge:{sources.rouge}",
        f"systems:{settings.systems}",
        f"bootstrap:{settings.drawn}:{settings.resamples}/{settings.seed}",
        f"holm:{count_family(found.differences)}",
        f"version:{__version__}",
    )
    return "|".join(["meta-eval", *parts])


def _tabulate(found: MetaEvaluation) -> tuple[Grid, ...]:
    grids = []
    for judgement in dict.fromkeys(one.judgement for one in found.correlations):
        for level in found.settings.levels:
            rows = [one for one in found.correlations if (one.judgement, one.level) == (judgement, level)]
            header = (f"{judgement}, {level} level", *_TITLES, "systems", "topics")
            grids.append(Grid(header, tuple(_show_correlation(one) for one in rows)))
        differences = [one for one in found.differences if one.judgement == judgement]
        if tested := [one for one in differences if one.has_williams]:
            grids.append(Grid((f"{judgement}, differences", *_DIFFERENCE_TITLES), tuple(map(_show_tested, tested))))
        if others := [one for one in differences if not one.has_williams]:
            grids.append(Grid((f"{judgement}, other differences", *_MORE_TITLES), tuple(map(_show_other, others))))
    return tuple(grids)


def _show_correlation(one: Correlation) -> tuple[object, ...]:
    cells = (_show_value(one.values.get(name), one.intervals.get(name)) for name in COEFFICIENTS)
    return (one.metric, *cells, len(one.systems), len(one.topics))


def _show_tested(one: Difference) -> tuple[object, ...]:
    correlations = [f"{value:.3f}" for value in one.values] if one.values else [NOTHING] * 3
    t = NOTHING if one.williams.t is None else f"{one.williams.t:.2f}"
    return (
        f"{one.first} vs. {one.second}",
        *correlations,
        _show_value(one.difference, one.interval),
        *(t, _show_p(one.williams.p_value), _show_p(one.williams_holm)),
        *_show_resampled(one),
    )


def _show_other(one: Difference) -> tuple[object, ...]:
    correlations = [f"{value:.3f}" for value in one.values[:2]] if one.values else [NOTHING] * 2
    return (
        f"{one.first} vs. {one.second}",
        *(one.level, _SYMBOLS[one.coefficient]),
        *correlations,
        _show_value(one.difference, one.interval),
        *_show_resampled(one),
    )


def _show_resampled(one: Difference) -> tuple[object, ...]:
    p_values = (one.bootstrap_p, one.bootstrap_holm, one.permutation_p, one.permutation_holm)
    return (*map(_show_p, p_values), one.systems, one.topics)


def _show_value(value: float | None, interval: Interval | None) -> str:
    return NOTHING if value is None else f"{value:.3f} {format_interval(interval)}".rstrip()


def _show_p(value: float | None) -> str:
    return NOTHING if value is None else format_p(value)


def _list_correlations(found: MetaEvaluation, signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in found.correlations:
        counts = (len(one.systems), len(one.topics), one.reason, signature)
        for name in COEFFICIENTS:
            ends = one.intervals.get(name, (None, None))
            rows.append(
                (one.judgement, one.metric, None, one.level, name, one.values.get(name), *ends, None, None, *counts)
            )
    return rows


def _list_differences(found: MetaEvaluation, signature: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in found.differences:
        names = (one.judgement, one.first, one.second, one.level)
        counts, ends = (one.systems, one.topics), one.interval or (None, None)
        suffix = "" if one.coefficient == PEARSON else f"_{one.coefficient}"
        if one.has_williams:
            test, reason = one.williams, one.reason or one.williams.reason
            tested = ("williams_t", test.t, None, None, test.p_value, one.williams_holm)
            rows.append((*names, *tested, *counts, reason, signature))
        drawn = (f"difference{suffix}", one.difference, *ends, one.bootstrap_p, one.bootstrap_holm)
        rows.append((*names, *drawn, *counts, one.reason, signature))
        if found.settings.draws_systems:
            swapped = (f"permutation{suffix}", one.difference, None, None, one.permutation_p, one.permutation_holm)
            rows.append((*names, *swapped, *counts, one.reason, signature))
    return rows


def _record(found: MetaEvaluation, sources: Sources, signature: str) -> Mapping[str, Any]:
    settings = found.settings
    return {
        "kind": "meta-evaluation",
        "version": __version__,
        "signature": signature,
        "scores": [_describe(file) for file in sources.scores],
        "judgements": [_describe(file) for file in sources.judgements],
        "rouge": sources.rouge,
        "systems": settings.systems,
        "other_systems": list(found.others),
        "statistics": {
            "unit": settings.drawn,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
        },
        "correlations": [_describe_correlation(one) for one in found.correlations],
        "differences": [_describe_difference(one) for one in found.differences],
    }


def _describe(file: ScoreFile) -> dict[str, Any]:
    measures = [scores.name for scores in file.scores]
    return {"source": file.source, "sha256": file.sha256, "measures": measures, "files_left_out": file.left_out}


def _describe_correlation(one: Correlation) -> dict[str, Any]:
    return {**_list_fields(one), "left_out": one.left_out._asdict()}


def _describe_difference(one: Difference) -> dict[str, Any]:
    named = dict(zip(("first", "second", "between"), one.values or (None, None, None), strict=True))
    return {**_list_fields(one), "values": named, "williams": one.williams._asdict()}


def _list_fields(one: Correlation | Difference) -> dict[str, Any]:
    """Map names of fields to values, which `dataclasses.asdict` would copy: thousands of names of topics."""
    return {field.name: getattr(one, field.name) for field in fields(one)}
