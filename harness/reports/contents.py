"""What a report is made of: tables of models by numbers, one per data; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from harness.evaluation.results import Result
from harness.models.kinds import GROUPS, find_group
from harness.reports import paper
from pyramid_paraphrase.options import CONFIGURATION_NAMES, CONFIGURATIONS

METRIC_TITLES = {
    "accuracy": "accuracy",
    "f1": "F",
    "average_precision": "AP",
    "success_rate": "success rate",
    "mrr": "MRR",
    "pearson": "Pearson",
    "max_f1": "maximum F",
}
"""How metrics are called in tables."""

PUBLISHED = tuple(METRIC_TITLES)
"""The metrics that pages show."""

SHOWN = tuple(metric for metric in PUBLISHED if metric != "average_precision")
"""The papers' metrics, which tables of limited width show."""

PAPER_GROUP = "the paper (other data)"


class Column(NamedTuple):
    """A metric of a task."""

    task: str
    metric: str

    @property
    def title(self) -> str:
        """What stands above the column."""
        return f"{self.task} {METRIC_TITLES[self.metric]}"


@dataclass(frozen=True, slots=True)
class Row:
    """A model, or a row of the paper's table.

    Attributes:
        name: Name of the model.
        group: Which models it stands with.
        results: What its numbers are from, the latest last; none for the paper's.
        tasks: Metrics by task, as results hold them.
    """

    name: str
    group: str
    results: tuple[Result, ...]
    tasks: Mapping[str, Mapping[str, Any]]

    @property
    def is_ours(self) -> bool:
        """Whether it was measured on the table's data."""
        return bool(self.results)

    def value(self, column: Column) -> float | None:
        """The number in a column, if it has one."""
        value = self.tasks.get(column.task, {}).get(column.metric)
        return None if value is None else float(value)

    def interval(self, column: Column) -> tuple[float, float] | None:
        """Its interval, if it has one."""
        interval = self.tasks.get(column.task, {}).get("intervals", {}).get(column.metric)
        return None if interval is None else (interval[0], interval[1])


@dataclass(slots=True)
class Table:
    """Models that were measured on the same data.

    Attributes:
        collections: Names of the collections.
        fingerprints: Of the data, by task; numbers of other fingerprints are in other tables.
        rows: The models, by group.
    """

    collections: tuple[str, ...]
    fingerprints: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)

    @property
    def ours(self) -> list[Row]:
        """The rows that were measured on this data."""
        return [row for row in self.rows if row.is_ours]

    def columns(self, metrics: Sequence[str] = SHOWN) -> list[Column]:
        """The columns in which some row has a number, in the order of the configurations."""
        columns = [Column(row.name, metric) for row in CONFIGURATIONS for metric in row.metrics if metric in metrics]
        return [column for column in columns if any(row.value(column) is not None for row in self.ours)]

    def best(self, column: Column) -> float | None:
        """The highest number of a column, as it is shown; never one of the paper's."""
        values = [round(value, 3) for row in self.ours if (value := row.value(column)) is not None]
        return max(values, default=None)

    def is_best(self, row: Row, column: Column) -> bool:
        """Whether a row has the highest number of a column."""
        value = row.value(column)
        return row.is_ours and value is not None and round(value, 3) == self.best(column)

    def describe_data(self) -> str:
        """Collections and fingerprints, in a line."""
        tasks = sorted(self.fingerprints, key=CONFIGURATION_NAMES.index)
        prints = ", ".join(f"{task} {self.fingerprints[task][:12]}" for task in tasks)
        return f"{', '.join(self.collections)}: {prints}"

    def describe_intervals(self) -> str:
        """How the intervals were made; several ways are all told."""
        kinds = {
            (s["resamples"], s["seed"]) for row in self.ours for s in (r.record["statistics"] for r in row.results)
        }
        ways = " or ".join(f"{resamples:,} resamples, seed {seed}" for resamples, seed in sorted(kinds))
        return f"95 %, bootstrap over topics, {ways}"

    def notes(self) -> list[str]:
        """What a reader should know of single rows."""
        notes = [note for row in self.ours for note in (*_note_unknown(row), *_note_degenerate(row))]
        if len(self.ours) < len(self.rows):
            notes.append(f"The paper: {paper.SOURCE}; other data, so its numbers are not ranked with ours.")
        return notes


def describe_versions(versions: Mapping[str, str]) -> str:
    """Names and versions of libraries, in a line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def make_tables(results: Sequence[Result], *, with_paper: bool = False) -> list[Table]:
    """Put results into tables, so that all numbers of a column are of the same data.

    Args:
        results: Of the same model, task and data, the latest counts.
        with_paper: Whether the paper's numbers stand below those of `binary` and `ranking`.

    Returns:
        Tables with their rows in groups: baselines, static vectors, sentence encoders, ..., shortcuts; the paper last.
    """
    tables: list[tuple[Table, list[Result]]] = []
    for result in results:
        members = _find_table(tables, result)
        members.append(result)
    for table, members in tables:
        table.rows = _make_rows(members)
        if with_paper and any(task in table.fingerprints for task, _ in paper.COLUMNS):
            table.rows += _make_paper_rows()
    return [table for table, _ in tables]


def _find_table(tables: list[tuple[Table, list[Result]]], result: Result) -> list[Result]:
    collections = tuple(result.record["dataset"]["collections"])
    own = {task: metrics["fingerprint"] for task, metrics in result.tasks.items()}
    for table, members in tables:
        known = table.fingerprints
        if table.collections == collections and all(known.get(task, own[task]) == own[task] for task in own):
            known |= own
            return members
    tables.append((Table(collections, own), []))
    return tables[-1][1]


def _make_rows(results: Iterable[Result]) -> list[Row]:
    """A row per model; what was evaluated twice counts as it was the last time."""
    models: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        models.setdefault((result.model, result.record["model"]["fingerprint"]), []).append(result)
    names = [name for name, _ in models]
    rows = []
    for (name, fingerprint), own in models.items():
        shown = name if names.count(name) == 1 else f"{name} [{fingerprint[:8]}]"
        dated = sorted(own, key=_date)
        last = {task: result for result in dated for task in result.tasks}
        used = tuple(result for result in dated if any(one is result for one in last.values()))
        tasks = {task: result.tasks[task] for task, result in last.items()}
        rows.append(Row(shown, find_group(used[-1].record["model"]["kind"]), used, tasks))
    return sorted(rows, key=lambda row: GROUPS.index(row.group))


def _date(result: Result) -> str:
    return str(result.record["time"]["date"])


def _make_paper_rows() -> list[Row]:
    rows = []
    for name, numbers in paper.TABLE1.items():
        tasks: dict[str, dict[str, float]] = {}
        for (task, metric), number in zip(paper.COLUMNS, numbers, strict=True):
            tasks.setdefault(task, {})[metric] = number
        rows.append(Row(name, PAPER_GROUP, (), tasks))
    return rows


def _note_unknown(row: Row) -> list[str]:
    unknown = row.results[-1].record["model"]["out_of_vocabulary"]
    if not unknown:
        return []
    return [f"{row.name}: {unknown['tokens']:.1%} of the words and {unknown['texts']:.1%} of the texts have no vector."]


def _note_degenerate(row: Row) -> list[str]:
    """F can be that of a model that says the same of every pair."""
    notes = []
    for task, metrics in row.tasks.items():
        if "f1" in metrics and metrics["recall"] == 1 and metrics["precision"] == metrics["positive_share"]:
            notes.append(f"{row.name}: calls every row of {task} a paraphrase; its F is that of doing so.")
        if metrics.get("f1") == 0:
            notes.append(f"{row.name}: finds no paraphrase of {task} at its threshold.")
    return notes
