"""Common parts of the reports of systems: columns, the table of systems, notes on the pairs, the signature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from harness.pit.system_inputs import Inputs
from harness.pit.system_scores import Measured
from harness.rendering.formats import Grid
from pyramid_paraphrase import __version__

_HASH_DIGITS = 12


class Column(NamedTuple):
    """A metric in a table, with the precision and recall from which it is computed."""

    metric: str
    title: str
    rates: tuple[str, ...]


F1 = Column("f1", "F1", ("precision", "recall"))
PEARSON = Column("pearson", "Pearson", ())
TIE_SAFE_F1 = Column("max_f1", "max F1", ("max_f1_precision", "max_f1_recall"))
PUBLISHED_F1 = Column("published_max_f1", "published max F1", ("published_max_f1_precision", "published_max_f1_recall"))
COLUMNS = (F1, PEARSON, TIE_SAFE_F1, PUBLISHED_F1)

NOTES_ON_MAXIMA = {
    TIE_SAFE_F1: "max F1: the highest F1 of all cuts between distinct scores.",
    PUBLISHED_F1: "published max F1: the highest F1 of all cuts after any pair, as in the task's tables. Among pairs "
    "with equal scores, the later line comes first. A threshold cannot reach a cut between equal scores.",
}


def tabulate_systems(
    systems: Sequence[Measured], columns: Sequence[Column], remark_on: Callable[[Measured, str], str]
) -> Grid:
    """Lay out a row per system: each metric with a remark, and its precision and recall.

    Args:
        systems: The systems, in the order of the rows.
        columns: The metrics.
        remark_on: Function from a system and the name of a metric to the text after the value, which may be "".
    """
    header, rows = ["system"], []
    for column in columns:
        rates = ("P", "R")[: len(column.rates)]
        # These titles identify the columns even if a terminal divides them among several tables.
        header += [column.title, *(f"{rate} of {column.title}" for rate in rates)]
    for measured in systems:
        cells = [measured.system.name]
        for column in columns:
            cells.append(f"{measured.metrics[column.metric]:.3f} {remark_on(measured, column.metric)}".rstrip())
            cells += [f"{measured.metrics[rate]:.3f}" for rate in column.rates]
        rows.append(tuple(cells))
    return Grid(tuple(header), tuple(rows))


def note_pairs(inputs: Inputs) -> list[str]:
    """Write the notes on the number of pairs behind each metric, and on systems with scores outside 0 to 1."""
    pairs = _count_pairs(inputs)
    counts = f"{pairs['decided']:,}, {pairs['paraphrases']:,} of them paraphrases"
    out_of_range = [
        f"Scores outside 0 to 1, against the rules of the task: {system.output.out_of_range:,} of {system.name}."
        for system in inputs.systems
        if system.output.out_of_range
    ]
    return [
        f"Pairs: F1 and its maximum over {counts}; Pearson over {pairs['all']:,}, including debatable pairs.",
        *out_of_range,
    ]


def sign_report(inputs: Inputs, settings: Sequence[str]) -> str:
    """Return the signature: one line that names every setting that determines the numbers, the version last."""
    outputs = [f"output:{shorten_hash(system.source.sha256)}" for system in inputs.systems]
    labels = f"labels:{shorten_hash(inputs.source.sha256)}"
    return "|".join(["pit2015", labels, *outputs, *settings, f"version:{__version__}"])


def shorten_hash(sha256: str) -> str:
    """Return the digits of a hash that signatures contain."""
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
    """Describe the input files for the record of a report."""
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
