"""What the reports of systems have in common: columns, the table of systems, notes on the pairs, the signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from harness.pit.system_inputs import Inputs
from harness.pit.system_scores import Measured
from harness.rendering.formats import Grid
from harness.rendering.tables import count_of
from pyramid_paraphrase import __version__

_HASH_DIGITS = 12


class Column(NamedTuple):
    """A metric that is shown, with the precision and recall that it is computed from."""

    metric: str
    title: str
    rates: tuple[str, ...]


F1 = Column("f1", "F1", ("precision", "recall"))
PEARSON = Column("pearson", "Pearson", ())
TIE_SAFE_F1 = Column("max_f1", "max F1", ("max_f1_precision", "max_f1_recall"))
PUBLISHED_F1 = Column("published_max_f1", "published max F1", ("published_max_f1_precision", "published_max_f1_recall"))
COLUMNS = (F1, PEARSON, TIE_SAFE_F1, PUBLISHED_F1)

NOTES_ON_MAXIMA = {
    TIE_SAFE_F1: "max F1: the highest of all cuts between distinct scores.",
    PUBLISHED_F1: "published max F1: the highest of all cuts after any pair, as in the task's tables; of equal scores "
    "the later line comes first, and no threshold reaches what a cut among them gains.",
}


def tabulate_systems(
    systems: Sequence[Measured], columns: Sequence[Column], remark_on: Callable[[Measured, str], str]
) -> Grid:
    """Lay out a row per system: each metric with a remark on it, and the precision and recall behind it.

    Args:
        systems: In the order of the rows.
        columns: The metrics.
        remark_on: From a system and the name of a metric to the text behind its value, which may be "".
    """
    header, rows = ["system"], []
    for column in columns:
        rates = ("P", "R")[: len(column.rates)]
        # A title that tells the columns apart also where a terminal divides them among several tables.
        header += [column.title, *(f"{rate} of {column.title}" for rate in rates)]
    for measured in systems:
        cells = [measured.system.name]
        for column in columns:
            cells.append(f"{measured.metrics[column.metric]:.3f} {remark_on(measured, column.metric)}".rstrip())
            cells += [f"{measured.metrics[rate]:.3f}" for rate in column.rates]
        rows.append(tuple(cells))
    return Grid(tuple(header), tuple(rows))


def note_pairs(inputs: Inputs) -> list[str]:
    """Say over how many pairs the metrics are, and which systems gave scores beyond 0 to 1."""
    pairs = _count_pairs(inputs)
    counts = f"{pairs['decided']:,}, {pairs['paraphrases']:,} of them paraphrases"
    out_of_range = [
        f"Not as the task asks: {count_of(system.output.out_of_range, 'score')} of {system.name} beyond 0 to 1."
        for system in inputs.systems
        if system.output.out_of_range
    ]
    return [
        f"Pairs: F1 and its maximum over {counts}; Pearson over {pairs['all']:,}, with debatable ones.",
        *out_of_range,
    ]


def sign_report(inputs: Inputs, settings: Sequence[str]) -> str:
    """Name everything that decides the numbers in one line, the version last."""
    outputs = [f"output:{shorten_hash(system.source.sha256)}" for system in inputs.systems]
    labels = f"labels:{shorten_hash(inputs.source.sha256)}"
    return "|".join(["pit2015", labels, *outputs, *settings, f"version:{__version__}"])


def shorten_hash(sha256: str) -> str:
    """Return the digits of a hash that signatures hold."""
    return sha256[:_HASH_DIGITS]


def describe_system(measured: Measured) -> dict[str, Any]:
    """Describe a system and its metrics for the record of a report."""
    system = measured.system
    return {
        "name": system.name,
        **system.source._asdict(),
        "out_of_range": system.output.out_of_range,
        "metrics": dict(measured.metrics),
    }


def describe_inputs(inputs: Inputs, signature: str) -> dict[str, Any]:
    """Describe what was read for the record of a report."""
    topics = inputs.units.source
    data = topics._asdict() if topics else None
    return {
        "task": "pit2015",
        "version": __version__,
        "signature": signature,
        "labels": inputs.source._asdict(),
        "data": data,
        "pairs": _count_pairs(inputs),
    }


def _count_pairs(inputs: Inputs) -> dict[str, int]:
    labels = inputs.labels
    paraphrases = int((labels.labels == 1).sum())
    return {"all": len(labels.labels), "decided": int(labels.decided.sum()), "paraphrases": paraphrases}
