"""The reports: scores of systems with intervals, and the ranks of systems with the correlation of the rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.evaluation.comparing.differences import Difference
from harness.pit import comparison, scoring
from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, count_of, format_interval, format_p, format_value
from harness.stats.bootstrap import CONFIDENCE, RESAMPLES, SEED
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE, correct_holm, find_lowest_p
from pyramid_paraphrase import __version__

_HASH_DIGITS = 12
_MAX_F1, _PUBLISHED = "max_f1", "published_max_f1"
_COLUMNS = {
    "f1": ("F1", ("precision", "recall")),
    "pearson": ("Pearson", ()),
    _MAX_F1: ("max F1", ("max_f1_precision", "max_f1_recall")),
    _PUBLISHED: ("published max F1", ("published_max_f1_precision", "published_max_f1_recall")),
}
"""The title of each metric in tables, and the precision and recall from which it is computed."""

_NOTES_ON_MAXIMA = {
    _MAX_F1: "max F1: the highest F1 of all cuts between distinct scores.",
    _PUBLISHED: "published max F1: the highest F1 of all cuts after any pair, as in the task's tables. Among pairs "
    "with equal scores, the later line comes first. A threshold cannot reach a cut between equal scores.",
}


def report_scores(inputs: scoring.Inputs, resamples: int, seed: int) -> Report:
    """Score systems, with intervals.

    Args:
        inputs: The systems, in the order of the table.
        resamples: Number of resamples of the bootstrap.
        seed: Random seed of the bootstrap.

    Returns:
        A table of the systems.
    """
    systems = scoring.measure_systems(inputs, resamples, seed)
    settings = [f"bootstrap:{inputs.unit}:{resamples}/{seed}"]
    if inputs.data:
        settings.insert(0, f"data:{_shorten_hash(inputs.data)}")
    signature = _sign(inputs, settings)
    drawn = f"bootstrap over {inputs.unit_count:,} {inputs.unit}, {resamples:,} resamples, seed {seed}"
    notes = [*_note_pairs(inputs), f"Intervals: 95 %, {drawn}. Each resample has its own maximum of F."]
    if inputs.unit == scoring.PAIRS:
        notes.append("Pairs of the same topic are not independent. To draw topics, add --test-data test.data.")
    entries = [{**_describe_system(system), "intervals": dict(system.intervals)} for system in systems]
    rows = []
    for system in systems:
        for metric, value in system.metrics.items():
            lower, upper = system.intervals.get(metric, (None, None))
            rows.append((system.name, metric, value, lower, upper, signature))
    return Report(
        (_tabulate(systems, tuple(_COLUMNS), lambda system, metric: format_interval(system.intervals.get(metric))),),
        (*notes, *_NOTES_ON_MAXIMA.values(), f"Signature: {signature}"),
        Grid(("system", "metric", "value", "lower", "upper", "signature"), tuple(rows)),
        {
            **_describe_inputs(inputs, signature),
            "statistics": _describe_statistics(inputs, resamples, seed),
            "systems": entries,
        },
    )


def report_rankings(
    inputs: scoring.Inputs,
    *,
    published: bool = False,
    against: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Report:
    """Compare systems as table 3 of Xu et al. (2015) does, correlate their rankings, and test their differences.

    Args:
        inputs: The systems. Differences are tested if the topics of the pairs are known.
        published: Whether the maximum of F is that of the task's tables, instead of a maximum that a threshold reaches.
        against: Name of the system that all others are compared with. None for all pairs of systems.
        resamples: Number of resamples of the bootstrap for the intervals of differences.
        seed: Random seed of the bootstrap.

    Returns:
        A table of the systems, sorted by F1, a table of the correlations, and a table of the differences.

    Raises:
        OptionError: If `against` is not the name of a system, or the topics are not known.
    """

    def by_rank(system: scoring.System) -> tuple[float, str]:
        return -round(system.metrics["f1"], comparison.SHOWN_DECIMALS), system.name

    maximum = _PUBLISHED if published else _MAX_F1
    metrics = ("f1", "pearson", maximum)
    systems = sorted(scoring.measure_systems(inputs), key=by_rank)
    ranks = {metric: comparison.rank_systems([system.metrics.get(metric) for system in systems]) for metric in metrics}
    ranks_by_system = {
        system.name: dict(zip(metrics, system_ranks, strict=True))
        for system, *system_ranks in zip(systems, *ranks.values(), strict=True)
    }
    correlations = comparison.correlate_rankings(ranks)
    tests = comparison.compare_systems(inputs, resamples, seed, against)
    signature = _sign(inputs, [f"maximum:{maximum}", *_list_settings(inputs, against, resamples, seed)])
    tested = _report_differences(tests, inputs, resamples, seed, signature)
    tables = [_tabulate(systems, metrics, lambda system, metric: f"({ranks_by_system[system.name][metric]})")]
    if correlations:
        tables.append(_tabulate_correlations(correlations))
    notes = (
        *_note_pairs(inputs),
        "In parentheses: rank among these systems. Systems that are equal to three decimals share a rank.",
        _NOTES_ON_MAXIMA[maximum],
        *_note_correlations(correlations, sum(system.has_scores for system in systems), len(systems)),
        *tested.notes,
        f"Signature: {signature}",
    )
    rows: list[tuple[object, ...]] = []
    for system in systems:
        for metric, value in system.metrics.items():
            rows.append((system.name, metric, value, ranks_by_system[system.name].get(metric), None, signature))
    for correlation in correlations:
        for name in ("spearman", "kendall"):
            compared = f"{name} {correlation['first']} {correlation['second']}"
            rows.append((None, compared, correlation[name], None, correlation[f"{name}_p"], signature))
    record = {
        **_describe_inputs(inputs, signature),
        "systems": [{**_describe_system(system), "ranks": ranks_by_system[system.name]} for system in systems],
        "correlations": correlations,
        **tested.record,
    }
    header = ("system", "metric", "value", "rank", "p_value", "signature", *tested.numbers.header)
    rows = [(*row, *[None] * len(tested.numbers.header)) for row in rows]
    numbers = Grid(header, (*rows, *tested.numbers.rows))
    return Report((*tables, *tested.tables), notes, numbers, record)


def _list_settings(inputs: scoring.Inputs, against: str | None, resamples: int, seed: int) -> list[str]:
    """List the parts of the signature that only tests of differences need."""
    if inputs.data is None:
        return []
    settings = [f"data:{_shorten_hash(inputs.data)}", f"bootstrap:{inputs.unit}:{resamples}/{seed}"]
    baselines = [system for system in inputs.systems if system.name == against]
    return settings + [f"against:{_shorten_hash(system.source)}" for system in baselines]


def _report_differences(
    tests: Mapping[str, Sequence[Difference]], inputs: scoring.Inputs, resamples: int, seed: int, signature: str
) -> Report:
    """Report the tested differences: a table, notes, columns and rows of numbers, and fields of the record.

    Without topics, there is only a note.
    """
    if inputs.data is None:
        note = (
            "Differences are not tested: pairs of the same topic are not independent. To test topics, add --test-data."
        )
        return Report((), (note,), Grid((), ()), {})
    rows: list[tuple[object, ...]] = []
    records = []
    for metric, differences in tests.items():
        for pair in differences:
            lower, upper = pair.interval
            shared = (f"difference {metric}", pair.difference, None, pair.p_value, signature)
            rows.append((pair.model, *shared, pair.first, lower, upper, pair.corrected))
            records.append(
                {
                    "metric": metric,
                    "first": pair.first,
                    "system": pair.model,
                    "difference": pair.difference,
                    "lower": lower,
                    "upper": upper,
                    "p_value": pair.p_value,
                    "p_holm": pair.corrected,
                    "is_significant": pair.is_significant,
                    "won": pair.won,
                    "tied": pair.tied,
                    "lost": pair.lost,
                }
            )
    record = {"statistics": _describe_statistics(inputs, resamples, seed), "differences": records}
    numbers = Grid(("against", "lower", "upper", "p_holm"), tuple(rows))
    if not records:
        return Report((), (), numbers, record)
    notes = _note_differences(max(map(len, tests.values())), inputs, resamples, seed)
    tables = [_tabulate_differences(metric, differences) for metric, differences in tests.items() if differences]
    return Report(tuple(tables), tuple(notes), numbers, record)


def _describe_statistics(inputs: scoring.Inputs, resamples: int, seed: int) -> dict[str, Any]:
    return {
        "unit": inputs.unit,
        "units": inputs.unit_count,
        "resamples": resamples,
        "seed": seed,
        "confidence": CONFIDENCE,
    }


def _tabulate_differences(metric: str, differences: Sequence[Difference]) -> Grid:
    """Lay out a row per difference in a metric: the second system of the pair minus the first."""
    rows = []
    for pair in differences:
        mark = " *" if pair.is_significant else ""
        lower, upper = pair.interval
        interval = f"[{lower:+.3f}, {upper:+.3f}]"
        topics = f"{pair.won}/{pair.tied}/{pair.lost}"
        compared = f"{pair.model} minus {pair.first}"
        rows.append((compared, f"{pair.difference:+.3f}{mark}", interval, format_p(pair.corrected), topics))
    title, _ = _COLUMNS[metric]
    return Grid((f"difference in {title}", "value", "interval", "p", "topics won/tied/lost"), tuple(rows))


def _note_differences(count: int, inputs: scoring.Inputs, resamples: int, seed: int) -> list[str]:
    """Write the notes on the tests of some differences in the same metric."""
    units = count_of(inputs.unit_count, "topic")
    notes = [
        f"Intervals of differences: 95 %, paired bootstrap over {units}, {resamples:,} resamples, seed {seed}.",
        "p of differences: two-sided sign-flip test over topics, corrected by Holm's method within a metric.",
        f"*: p < {SIGNIFICANCE}. Won, tied, lost: topics whose part of the difference is positive, 0 or negative.",
    ]
    lowest = find_lowest_p(inputs.unit_count) if inputs.unit_count >= MIN_TOPICS else 1.0
    (corrected,) = correct_holm([lowest], count)
    if corrected > SIGNIFICANCE:
        notes.append(
            f"With {units} and {count_of(count, 'difference')}, p cannot be below {format_p(corrected)}, so no "
            "difference can be significant. Compare fewer systems, or all with one by --against."
        )
    return notes


def _tabulate(
    systems: Sequence[scoring.System], metrics: Sequence[str], remark_on: Callable[[scoring.System, str], str]
) -> Grid:
    """Lay out a row per system: each metric with a remark, which may be "", and its precision and recall."""
    header, rows = ["system"], []
    for metric in metrics:
        title, rates = _COLUMNS[metric]
        # These titles identify the columns even if a terminal divides them among several tables.
        header += [title, *(f"{rate} of {title}" for rate in ("P", "R")[: len(rates)])]
    for system in systems:
        cells = [system.name]
        for metric in metrics:
            _, rates = _COLUMNS[metric]
            if metric not in system.metrics:
                cells += [NOTHING] * (1 + len(rates))
                continue
            cells.append(f"{format_value(system.metrics[metric])} {remark_on(system, metric)}".rstrip())
            cells += [format_value(system.metrics[rate]) for rate in rates]
        rows.append(tuple(cells))
    return Grid(tuple(header), tuple(rows))


def _tabulate_correlations(correlations: Sequence[Mapping[str, Any]]) -> Grid:
    rows = []
    for correlation in correlations:
        (first, _), (second, _) = _COLUMNS[correlation["first"]], _COLUMNS[correlation["second"]]
        values = (correlation[name] for name in ("spearman", "spearman_p", "kendall", "kendall_p"))
        rows.append((f"{first} and {second}", *map(format_value, values)))
    return Grid(("rankings by", "Spearman", "p", "Kendall tau-b", "p"), tuple(rows))


def _note_correlations(correlations: Sequence[Mapping[str, Any]], systems: int, total: int) -> list[str]:
    """Write the notes on correlations of the systems with scores, which may be fewer than the total."""
    if not correlations:
        count = count_of(systems, "system") if systems == total else f"{count_of(systems, 'system')} with scores"
        return [f"No correlations: there are {count}, and correlations need {comparison.MIN_SYSTEMS}."]
    is_exact = systems <= comparison.EXACT_UP_TO
    method = f"exact, over all orders of {systems} systems" if is_exact else "approximate, by scipy"
    notes = [f"p: two-sided, {method}. Not corrected for multiple tests."]
    if any(correlation["spearman"] is None for correlation in correlations):
        notes.append(f"{NOTHING}: all systems share a rank by one of the two metrics.")
    return notes


def _note_pairs(inputs: scoring.Inputs) -> list[str]:
    """Write the notes on the pairs behind each metric, on scores outside 0 to 1, and on systems without scores."""
    pairs = _count_pairs(inputs)
    counts = f"{pairs['decided']:,}, {pairs['paraphrases']:,} of them paraphrases"
    out_of_range = [
        f"Scores outside 0 to 1, against the rules of the task: {system.out_of_range:,} of {system.name}."
        for system in inputs.systems
        if system.out_of_range
    ]
    return [
        f"Pairs: F1 and its maximum over {counts}; Pearson over {pairs['all']:,}, including debatable pairs.",
        *out_of_range,
        *(
            f"Sub-task A alone: {system.name}. All its scores are {system.scores[0]:.4f}, so only its decisions count."
            for system in inputs.systems
            if not system.has_scores
        ),
    ]


def _sign(inputs: scoring.Inputs, settings: Sequence[str]) -> str:
    """Return the signature: one line that names every setting that determines the numbers, the version last."""
    outputs = [f"output:{_shorten_hash(system.source)}" for system in inputs.systems]
    labels = f"labels:{_shorten_hash(inputs.source)}"
    return "|".join(["pit2015", labels, *outputs, *settings, f"version:{__version__}"])


def _shorten_hash(source: Mapping[str, str]) -> str:
    return source["sha256"][:_HASH_DIGITS]


def _describe_system(system: scoring.System) -> dict[str, Any]:
    return {
        "name": system.name,
        **system.source,
        "out_of_range": system.out_of_range,
        "metrics": dict(system.metrics),
    }


def _describe_inputs(inputs: scoring.Inputs, signature: str) -> dict[str, Any]:
    return {
        "task": "pit2015",
        "version": __version__,
        "signature": signature,
        "labels": inputs.source,
        "data": inputs.data,
        "pairs": _count_pairs(inputs),
    }


def _count_pairs(inputs: scoring.Inputs) -> dict[str, int]:
    paraphrases = int((inputs.labels == 1).sum())
    return {"all": len(inputs.labels), "decided": int(inputs.decided.sum()), "paraphrases": paraphrases}
