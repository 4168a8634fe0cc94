"""The report of correlations and tests: tables, numbers and the record."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, format_p, format_value
from harness.stats.bootstrap import CONFIDENCE
from harness.stats.significance import SIGNIFICANCE, find_clusters
from harness.summarization.meta_evaluation.accuracies import TITLES
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, PEARSON, SYSTEM
from harness.summarization.meta_evaluation.inputs import ScoredLocation
from harness.summarization.meta_evaluation.notes import count_family, write_notes
from harness.summarization.meta_evaluation.scores import CENTRED, COMPLETE, OWN_TOPICS
from pyramid_paraphrase import __version__

if TYPE_CHECKING:
    from harness.summarization.meta_evaluation.evaluation import (
        CorrelationDifference,
        MetaEvaluation,
        MetricCorrelation,
    )

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
_SYMBOLS = dict(zip(COEFFICIENTS, ("r", "rho", "tau"), strict=True))
NUMBERS = (
    *("judgement", "metric", "other_metric", "level", "measure", "value", "lower", "upper", "p", "p_holm"),
    *("systems", "topics", "reason"),
)
"""Titles of the columns of `list_numbers`."""

_OPTIONAL = frozenset({"topics_per_system", "chance", "epsilon"})
_MEANS = {
    OWN_TOPICS: "Means over each system's own topics",
    CENTRED: "Means over each system's own topics of differences from the topics' means",
}
"""Titles of tables with systems that lack some of the topics."""


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
    chosen_means = {} if settings.means == COMPLETE else {"means": settings.means}
    signature = "|".join(
        (
            "meta-eval",
            f"scores:{_shorten_hashes(scores)}",
            f"judgements:{_shorten_hashes(judgements)}",
            f"rouge:{rouge}",
            f"systems:{settings.systems}",
            *(f"coefficients:{','.join(names)}" for names in [settings.coefficients] if names != COEFFICIENTS),
            *(f"means:{means}" for means in chosen_means.values()),
            f"bootstrap:{settings.drawn}:{settings.resamples}/{settings.seed}",
            f"holm:{count_family(evaluation.differences)}",
            f"version:{__version__}",
        )
    )
    notes = (*write_notes(evaluation, [*scores, *judgements]), f"Signature: {signature}")
    unified = {"unified_systems": dict(evaluation.unified_systems)} if evaluation.unified_systems else {}
    if evaluation.matched_topics:
        unified["matched_topics"] = dict(evaluation.matched_topics)
    uncompared = {"uncompared": list(evaluation.uncompared)} if evaluation.uncompared else {}
    record = {
        "kind": "meta-evaluation",
        "version": __version__,
        "signature": signature,
        "scores": [file.describe() for file in scores],
        "judgements": [file.describe() for file in judgements],
        "rouge": rouge,
        "systems": settings.systems,
        **chosen_means,
        "other_systems": list(evaluation.excluded_systems),
        **unified,
        **uncompared,
        "statistics": {
            "unit": settings.drawn,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
        },
        "correlations": [_list_fields(correlation, _OPTIONAL) for correlation in evaluation.correlations],
        "differences": [_describe_difference(difference) for difference in evaluation.differences],
    }
    numbers = Grid((*NUMBERS, "signature"), tuple((*row, signature) for row in list_numbers(evaluation)))
    return Report(tabulate(evaluation), notes, numbers, record)


def _shorten_hashes(files: Sequence[ScoredLocation]) -> str:
    return ",".join(file.sha256[:_HASH_DIGITS] for file in files)


def tabulate(evaluation: MetaEvaluation) -> tuple[Grid, ...]:
    """Lay out a table per judgement and level, and the tests of differences per judgement."""
    grids = []
    for judgement in dict.fromkeys(correlation.judgement for correlation in evaluation.correlations):
        for level in evaluation.settings.levels:
            title = _MEANS.get(evaluation.settings.means or COMPLETE, "") if level == SYSTEM else ""
            names = evaluation.settings.list_names(level)
            header = (f"{judgement}, {level} level", *(TITLES[name] for name in names), "systems", "topics")
            header = header if evaluation.has_topics else header[:-1]
            rows = []
            for correlation in evaluation.correlations:
                if (correlation.judgement, correlation.level) == (judgement, level):
                    values = [
                        format_value(correlation.values.get(name), correlation.intervals.get(name)) for name in names
                    ]
                    row = (correlation.metric, *values, len(correlation.systems), len(correlation.topics))
                    rows.append(row[: len(header)])
            if names:
                grids.append(Grid(header, tuple(rows), title=title))
        grids += [*_tabulate_differences(judgement, evaluation), *_tabulate_clusters(judgement, evaluation)]
    return tuple(grids)


def _tabulate_differences(judgement: str, evaluation: MetaEvaluation) -> Iterator[Grid]:
    with_williams, without_williams = [], []
    for difference in evaluation.differences:
        if difference.judgement != judgement or difference.values is None:
            continue
        metrics = f"{difference.first} vs. {difference.second}"
        first, second, between = map(format_value, difference.values)
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
            coefficient = _SYMBOLS.get(difference.coefficient, difference.coefficient)
            without_williams.append((metrics, difference.level, coefficient, first, second, value, *resampled))
    if with_williams:
        yield Grid((f"{judgement}, differences", *_DIFFERENCE_TITLES), tuple(with_williams))
    if without_williams:
        yield Grid((f"{judgement}, other differences", *_OTHER_TITLES), tuple(without_williams), keys=3)


def _tabulate_clusters(judgement: str, evaluation: MetaEvaluation) -> Iterator[Grid]:
    """Lay out which metrics cannot be told apart, if the user chose coefficients."""
    settings, rows = evaluation.settings, []
    for level, name in product(settings.levels, settings.coefficients):
        values = {
            row.metric: row.values[name]
            for row in evaluation.correlations
            if (row.judgement, row.level) == (judgement, level) and name in row.values
        }
        p_values = {
            frozenset((row.first, row.second)): row.bootstrap_p
            for row in evaluation.differences
            if (row.judgement, row.level, row.coefficient) == (judgement, level, name) and row.bootstrap_p is not None
        }
        if p_values:
            different = [pair for pair, p_value in p_values.items() if p_value < SIGNIFICANCE]
            clusters = find_clusters(sorted(values, key=lambda metric: (-values[metric], metric)), different)
            numbered = [f"{number}: {', '.join(cluster)}" for number, cluster in enumerate(clusters, 1)]
            rows.append((level, TITLES[name], "; ".join(numbered)))
    if rows and settings.coefficients != COEFFICIENTS:
        yield Grid((f"{judgement}, level", "coefficient", "clusters of metrics, best first"), tuple(rows), keys=3)


def _show_p(value: float | None) -> str:
    return NOTHING if value is None else format_p(value)


def list_numbers(evaluation: MetaEvaluation) -> Iterator[tuple[object, ...]]:
    """Yield all numbers as rows of a table."""
    for correlation in evaluation.correlations:
        names = (correlation.judgement, correlation.metric, None, correlation.level)
        counts = (len(correlation.systems), len(correlation.topics), correlation.reason)
        for name in evaluation.settings.list_names(correlation.level):
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


def _describe_difference(difference: CorrelationDifference) -> dict[str, Any]:
    first, second, between = difference.values or (None, None, None)
    values = {"first": first, "second": second, "between": between}
    return {**_list_fields(difference), "values": values, "williams": difference.williams._asdict()}


def _list_fields(row: MetricCorrelation | CorrelationDifference, optional: Collection[str] = ()) -> dict[str, Any]:
    """Map names of fields to values, without optional fields that are None. `dataclasses.asdict` would copy values."""
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: value for name, value in values.items() if value is not None or name not in optional}
