"""The reports: scores of systems with intervals, and the ranks of systems with the correlation of the rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.pit import scoring
from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, count_of, format_interval
from harness.stats.bootstrap import CONFIDENCE
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
        notes.append("Pairs of the same topic are not independent. To draw topics, add --data test.data.")
    statistics = {
        "unit": inputs.unit,
        "units": inputs.unit_count,
        "resamples": resamples,
        "seed": seed,
        "confidence": CONFIDENCE,
    }
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
        {**_describe_inputs(inputs, signature), "statistics": statistics, "systems": entries},
    )


def report_rankings(inputs: scoring.Inputs, *, published: bool = False) -> Report:
    """Compare systems as table 3 of Xu et al. (2015) does, and correlate their rankings.

    Args:
        inputs: The systems.
        published: Whether the maximum of F is that of the task's tables, instead of a maximum that a threshold reaches.

    Returns:
        A table of the systems, sorted by F1, and a table of the correlations.
    """

    def by_rank(system: scoring.System) -> tuple[float, str]:
        return -round(system.metrics["f1"], scoring.SHOWN_DECIMALS), system.name

    maximum = _PUBLISHED if published else _MAX_F1
    metrics = ("f1", "pearson", maximum)
    systems = sorted(scoring.measure_systems(inputs), key=by_rank)
    ranks = {metric: scoring.rank_systems([system.metrics.get(metric) for system in systems]) for metric in metrics}
    ranks_by_system = {
        system.name: dict(zip(metrics, system_ranks, strict=True))
        for system, *system_ranks in zip(systems, *ranks.values(), strict=True)
    }
    correlations = scoring.correlate_rankings(ranks)
    signature = _sign(inputs, [f"maximum:{maximum}"])
    tables = [_tabulate(systems, metrics, lambda system, metric: f"({ranks_by_system[system.name][metric]})")]
    if correlations:
        tables.append(_tabulate_correlations(correlations))
    notes = (
        *_note_pairs(inputs),
        "In parentheses: rank among these systems. Systems that are equal to three decimals share a rank.",
        _NOTES_ON_MAXIMA[maximum],
        *_note_correlations(correlations, sum(system.has_scores for system in systems), len(systems)),
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
    }
    header = ("system", "metric", "value", "rank", "p_value", "signature")
    return Report(tuple(tables), notes, Grid(header, tuple(rows)), record)


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
            cells.append(f"{system.metrics[metric]:.3f} {remark_on(system, metric)}".rstrip())
            cells += [f"{system.metrics[rate]:.3f}" for rate in rates]
        rows.append(tuple(cells))
    return Grid(tuple(header), tuple(rows))


def _tabulate_correlations(correlations: Sequence[Mapping[str, Any]]) -> Grid:
    rows = []
    for correlation in correlations:
        (first, _), (second, _) = _COLUMNS[correlation["first"]], _COLUMNS[correlation["second"]]
        values = (correlation[name] for name in ("spearman", "spearman_p", "kendall", "kendall_p"))
        cells = (NOTHING if value is None else f"{value:.3f}" for value in values)
        rows.append((f"{first} and {second}", *cells))
    return Grid(("rankings by", "Spearman", "p", "Kendall tau-b", "p"), tuple(rows))


def _note_correlations(correlations: Sequence[Mapping[str, Any]], systems: int, total: int) -> list[str]:
    """Write the notes on correlations of the systems with scores, which may be fewer than the total."""
    if not correlations:
        count = count_of(systems, "system") if systems == total else f"{count_of(systems, 'system')} with scores"
        return [f"No correlations: there are {count}, and correlations need {scoring.MIN_SYSTEMS}."]
    is_exact = systems <= scoring.EXACT_UP_TO
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
