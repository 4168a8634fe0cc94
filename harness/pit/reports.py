"""Scores and comparisons of systems as tables, and as all there is to know of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from harness.pit.comparison import EXACT_UP_TO, MIN_SYSTEMS, Correlation, correlate_rankings, rank_systems
from harness.pit.inputs import PAIRS, Inputs, Units
from harness.pit.scoring import Measured, measure_systems, measure_with_intervals
from harness.rendering.formats import Grid
from harness.rendering.reports import Report
from harness.rendering.tables import count_of, format_interval
from harness.stats.bootstrap import CONFIDENCE
from pyramid_paraphrase import __version__


class _Column(NamedTuple):
    """A metric that is shown, with the precision and recall that it comes of."""

    metric: str
    title: str
    rates: tuple[str, ...]


_F1 = _Column("f1", "F1", ("precision", "recall"))
_PEARSON = _Column("pearson", "Pearson", ())
_TIE_SAFE = _Column("max_f1", "max F1", ("max_f1_precision", "max_f1_recall"))
_PUBLISHED = _Column("published_max_f1", "published max F1", ("published_max_f1_precision", "published_max_f1_recall"))
_TITLES = {column.metric: column.title for column in (_F1, _PEARSON, _TIE_SAFE, _PUBLISHED)}
_NOTES = {
    _TIE_SAFE: "max F1: the highest of all cuts between distinct scores.",
    _PUBLISHED: "published max F1: the highest of all cuts after any pair, as in the task's tables; of equal scores "
    "the later line comes first, and no threshold reaches what a cut among them gains.",
}
_NOTHING = "-"
_HASH_DIGITS = 12


def report_scores(inputs: Inputs, resamples: int, seed: int) -> Report:
    """Score systems, with intervals.

    Args:
        inputs: The systems, in the order in which they are shown.
        resamples: Of the bootstrap.
        seed: Of the bootstrap.

    Returns:
        A table of the systems.
    """
    systems = measure_with_intervals(inputs, resamples, seed)
    units, columns = inputs.units, (_F1, _PEARSON, _TIE_SAFE, _PUBLISHED)
    drawn = {"unit": units.kind, "units": units.count, "resamples": resamples, "seed": seed, "confidence": CONFIDENCE}
    data = [f"data:{_shorten(units.source.sha256)}"] if units.source else []
    signature = _sign(inputs, [*data, f"bootstrap:{units.kind}:{resamples}/{seed}"])
    notes = (
        *_describe_pairs(inputs),
        *_note_intervals(units, resamples, seed),
        *_NOTES.values(),
        f"Signature: {signature}",
    )
    entries = [{**_describe(one), "intervals": dict(one.intervals)} for one in systems]
    record = {**_describe_inputs(inputs, signature), "statistics": drawn, "systems": entries}
    return Report((_tabulate(systems, columns, _show_interval),), notes, _list_scores(systems, signature), record)


def _note_intervals(units: Units, resamples: int, seed: int) -> list[str]:
    drawn = f"bootstrap over {units.count:,} {units.kind}, {resamples:,} resamples, seed {seed}"
    notes = [f"Intervals: 95 %, {drawn}; each resample has a maximum of F of its own."]
    if units.kind == PAIRS:
        notes.append("Pairs of one topic are not independent; name the task's test.data to draw topics.")
    return notes


def _show_interval(one: Measured, metric: str) -> str:
    return format_interval(one.intervals.get(metric))


def _list_scores(systems: Sequence[Measured], signature: str) -> Grid:
    rows = [
        (one.system.name, metric, value, *one.intervals.get(metric, (None, None)), signature)
        for one in systems
        for metric, value in one.metrics.items()
    ]
    return Grid(("system", "metric", "value", "lower", "upper", "signature"), tuple(rows))


def report_comparison(inputs: Inputs, *, published: bool = False) -> Report:
    """Compare systems as table 3 of Xu et al. (2015) does, and correlate their rankings.

    Args:
        inputs: The systems.
        published: Whether the maximum of F is that of the task's tables, rather than one that a threshold reaches.

    Returns:
        A table of the systems, sorted by F1, and one of the correlations.
    """
    columns = (_F1, _PEARSON, _PUBLISHED if published else _TIE_SAFE)
    measured, ranks = _rank(measure_systems(inputs), columns)
    correlations = correlate_rankings(measured, [column.metric for column in columns])
    signature = _sign(inputs, [f"maximum:{columns[-1].metric}"])
    table = _tabulate(measured, columns, lambda one, metric: f"({ranks[one.system.name][metric]})")
    notes = (
        *_describe_pairs(inputs),
        "In parentheses: rank among these systems; what is equal to three decimals shares one.",
        _NOTES[columns[-1]],
        *_note_correlations(correlations, len(measured)),
        f"Signature: {signature}",
    )
    entries = [{**_describe(one), "ranks": ranks[one.system.name]} for one in measured]
    found = [one._asdict() for one in correlations]
    record = {**_describe_inputs(inputs, signature), "systems": entries, "correlations": found}
    numbers = (*_list_ranks(measured, ranks, signature), *_list_correlations(correlations, signature))
    return Report(
        (table, *([_tabulate_correlations(correlations)] if correlations else [])),
        notes,
        Grid(("system", "metric", "value", "rank", "p_value", "signature"), numbers),
        record,
    )


def _rank(systems: Sequence[Measured], columns: Sequence[_Column]) -> tuple[list[Measured], dict[str, dict[str, int]]]:
    """The systems sorted by the first metric, and the ranks of each by all."""
    ranks: dict[str, dict[str, int]] = {one.system.name: {} for one in systems}
    for column in columns:
        found = rank_systems([one.metrics[column.metric] for one in systems])
        for one, rank in zip(systems, found, strict=True):
            ranks[one.system.name][column.metric] = rank
    first = columns[0].metric
    return sorted(systems, key=lambda one: (ranks[one.system.name][first], one.system.name)), ranks


def _tabulate(systems: Sequence[Measured], columns: Sequence[_Column], remark: Callable[[Measured, str], str]) -> Grid:
    """A row per system: each metric with a remark on it, and the rates behind it."""
    header, rows = ["system"], []
    for column in columns:
        header += [column.title, *("P", "R")[: len(column.rates)]]
    for one in systems:
        cells = [one.system.name]
        for column in columns:
            cells.append(f"{one.metrics[column.metric]:.3f} {remark(one, column.metric)}".rstrip())
            cells += [f"{one.metrics[rate]:.3f}" for rate in column.rates]
        rows.append(tuple(cells))
    return Grid(tuple(header), tuple(rows))


def _tabulate_correlations(correlations: Sequence[Correlation]) -> Grid:
    rows = []
    for one in correlations:
        values = (one.spearman, one.spearman_p, one.kendall, one.kendall_p)
        shown = (_NOTHING if value is None else f"{value:.3f}" for value in values)
        rows.append((f"{_TITLES[one.first]} and {_TITLES[one.second]}", *shown))
    return Grid(("rankings by", "Spearman", "p", "Kendall tau-b", "p"), tuple(rows))


def _note_correlations(correlations: Sequence[Correlation], systems: int) -> list[str]:
    if not correlations:
        return [f"Rankings of {count_of(systems, 'system')} are not correlated; give {MIN_SYSTEMS} or more."]
    way = f"exact, over all orders of {systems} systems" if systems <= EXACT_UP_TO else "approximate, by scipy"
    notes = [f"p: two-sided, {way}; not corrected for being several."]
    tied = any(one.spearman is None for one in correlations)
    return [*notes, f"{_NOTHING}: by one of the two, all systems share a rank."] if tied else notes


def _list_ranks(
    systems: Sequence[Measured], ranks: Mapping[str, Mapping[str, int]], signature: str
) -> list[tuple[object, ...]]:
    return [
        (one.system.name, metric, value, ranks[one.system.name].get(metric), None, signature)
        for one in systems
        for metric, value in one.metrics.items()
    ]


def _list_correlations(correlations: Sequence[Correlation], signature: str) -> list[tuple[object, ...]]:
    return [
        (None, f"{kind} {one.first} {one.second}", value, None, p_value, signature)
        for one in correlations
        for kind, value, p_value in (
            ("spearman", one.spearman, one.spearman_p),
            ("kendall", one.kendall, one.kendall_p),
        )
    ]


def _sign(inputs: Inputs, settings: Sequence[str]) -> str:
    """One line that names everything that decides the numbers, the version last."""
    outputs = [f"output:{_shorten(system.source.sha256)}" for system in inputs.systems]
    labels = f"labels:{_shorten(inputs.source.sha256)}"
    return "|".join(["pit2015", labels, *outputs, *settings, f"version:{__version__}"])


def _shorten(sha256: str) -> str:
    return sha256[:_HASH_DIGITS]


def _describe_pairs(inputs: Inputs) -> list[str]:
    pairs = _count_pairs(inputs)
    counts = f"{pairs['decided']:,}, {pairs['paraphrases']:,} of them paraphrases"
    beyond = [
        f"Not as the task asks: {count_of(one.output.out_of_range, 'score')} of {one.name} beyond 0 to 1."
        for one in inputs.systems
        if one.output.out_of_range
    ]
    return [f"Pairs: F1 and its maximum over {counts}; Pearson over {pairs['all']:,}, with debatable ones.", *beyond]


def _count_pairs(inputs: Inputs) -> dict[str, int]:
    labels = inputs.labels
    paraphrases = int((labels.labels == 1).sum())
    return {"all": len(labels.labels), "decided": int(labels.decided.sum()), "paraphrases": paraphrases}


def _describe(one: Measured) -> dict[str, Any]:
    system = one.system
    beyond = system.output.out_of_range
    return {"name": system.name, **system.source._asdict(), "out_of_range": beyond, "metrics": dict(one.metrics)}


def _describe_inputs(inputs: Inputs, signature: str) -> dict[str, Any]:
    return {
        "task": "pit2015",
        "version": __version__,
        "signature": signature,
        "labels": inputs.source._asdict(),
        "data": inputs.units.source._asdict() if inputs.units.source else None,
        "pairs": _count_pairs(inputs),
    }
