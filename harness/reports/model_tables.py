"""Tables of models by metrics, one table per data set. This module arranges numbers and computes none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple, get_args

from harness.evaluation.comparing.comparison import align_rows, group_by_model, measure_model
from harness.evaluation.comparing.standings import Standing, answer, choose_decisive, make_standing, order_tests
from harness.evaluation.record import OtherMetric, TestRecord
from harness.evaluation.results import Result
from harness.metrics.measuring import measure_f1_at_share
from harness.metrics.rows import ScoredRows
from harness.metrics.table import find_main_metric, find_metric, list_published, title_column
from harness.models.registry import MODEL, ROLES, Role, find_group, find_role
from harness.stats.bootstrap import RESAMPLES, SEED
from harness.support.progress import Progress
from pyramid_paraphrase.rules.options import BINARY, RANKING, find_configuration

PAPER = "Baumel et al. (2016), table 1, on DUC 2005 to 2007"

TABLE1 = {
    "random": (0.041, 0.247, 0.522),
    "one-hot": (0.263, 0.640, 0.772),
    "word2vec, Google News": (0.423, 0.670, 0.789),
    "word2vec, BOW2": (0.395, 0.617, 0.753),
    "word2vec, BOW5": (0.404, 0.629, 0.763),
    "word2vec, dependencies": (0.391, 0.600, 0.740),
    "GloVe": (0.379, 0.630, 0.764),
    "Open IE": (0.425, 0.657, 0.778),
}
"""F, success rate and mean reciprocal rank by name of the model."""

PAPER_SHARE = 8_390 / (8_390 + 189_229)
"""Share of paraphrases among the pairs of the paper (section 3)."""

PAPER_COLUMNS = ((BINARY, "f1"), (RANKING, "success_rate"), (RANKING, "mrr"))
"""Test and metric of each number in a row of `TABLE1`."""

PAPER_GROUP = "the paper (other data)"
SECTIONS = (*ROLES, PAPER_GROUP)
"""Sections of a table: the roles of models, and the numbers of the paper."""

PAPER_TESTS_TITLE = "The tests of the paper, on which a shortcut can score high"

Order = Literal["score", "name"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""Orders of the rows within each section of a table: the best score first, or by name."""


class Column(NamedTuple):
    """A column of a table: a metric of a test."""

    test_name: str
    metric: str

    @property
    def title(self) -> str:
        """The title above the column."""
        return f"{self.test_name} {title_column(self.metric)}"


def _find_main_column(test_name: str) -> Column:
    return Column(test_name, find_main_metric(find_configuration(test_name)).name)


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model, or a row of the paper's table.

    Attributes:
        name: Name of the model.
        group: Title of the group of the model.
        results: The results with the numbers of the row, the latest last. Empty for rows of the paper.
        tests: The numbers of the results by test. Empty for rows of the paper.
        quoted: The numbers of the paper by test and metric. Empty for measured models.
    """

    name: str
    group: str
    results: tuple[Result, ...]
    tests: Mapping[str, TestRecord]
    quoted: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def is_ours(self) -> bool:
        """Whether the model was measured on the data of the table."""
        return bool(self.results)

    @property
    def section(self) -> str:
        """The one of `SECTIONS` in which the table shows the row."""
        return self.role or PAPER_GROUP

    @property
    def role(self) -> Role | None:
        """What the model is compared as. None for rows of the paper, which are not compared."""
        return find_role(self.results[-1].record.model.kind) if self.results else None

    @property
    def competes(self) -> bool:
        """Whether the row can be one of the best models of its table."""
        return self.role == MODEL

    @property
    def test_names(self) -> list[str]:
        """Names of the tests for which the row has numbers."""
        return [*self.tests, *self.quoted]

    def numbers(self, test_name: str) -> Mapping[str, float]:
        """Return the metrics and the threshold of a test by their names. Empty if the row has no numbers for it."""
        if test_name in self.tests:
            return self.tests[test_name].numbers
        return self.quoted.get(test_name, {})

    def value(self, column: Column) -> float | None:
        """Return the number in a column, or None if there is no number."""
        value = self.numbers(column.test_name).get(column.metric)
        if value is None:
            return None
        return float(value)

    def interval(self, column: Column) -> tuple[float, float] | None:
        """Return the interval of the number in a column, or None if there is no interval."""
        if column.test_name not in self.tests:
            return None
        return self.tests[column.test_name].intervals.get(column.metric)

    def other_metrics(self, test_name: str) -> Mapping[str, OtherMetric]:
        """Return the metrics that the user named, by name. Empty if the row has none for the test."""
        if test_name not in self.tests:
            return {}
        return self.tests[test_name].other_metrics

    def find_result(self, test_name: str) -> Result | None:
        """Return the result with the metrics of a test, or None if the row has no result for the test."""
        test = self.tests.get(test_name)
        if test is None:
            return None
        return next((result for result in self.results if result.tests.get(test_name) is test), None)


@dataclass(slots=True)
class Table:
    """Models that were measured on the same data.

    Attributes:
        collections: Names of the collections.
        fingerprints: Fingerprints of the data, by test. Numbers with other fingerprints are in other tables.
        rows: The models, in the order of `SECTIONS`, within a section by the main metric of the first test, or by name.
        order: The order of the rows.
        standings: The comparisons of the rows by column. Rows without scores of rows are not among the members.
        chosen: The columns that the user chose, in this order. None for the columns that fit the format.
        digits: Number of digits after the point. None for 3, and for all digits in CSV.
        at_paper_share: F on `binary` at the share of paraphrases in the paper, by name of the row, as
            `measure_f1_at_share` returns it. Only with the rows of the paper, and for rows with scores of rows.
    """

    collections: tuple[str, ...]
    fingerprints: dict[str, str] = field(default_factory=dict)
    rows: list[ModelRow] = field(default_factory=list)
    order: Order = "score"
    chosen: tuple[Column, ...] | None = None
    digits: int | None = None
    standings: dict[Column, Standing] = field(default_factory=dict)
    at_paper_share: dict[str, dict[str, float]] = field(default_factory=dict)

    def agrees(self, collections: tuple[str, ...], fingerprints: Mapping[str, str]) -> bool:
        """Return whether the collections are the same and no test has a different fingerprint."""
        if self.collections != collections:
            return False
        return all(
            self.fingerprints.get(name, fingerprint) == fingerprint for name, fingerprint in fingerprints.items()
        )

    @property
    def ours(self) -> list[ModelRow]:
        """The rows that were measured on this data, without the rows of the paper."""
        return [row for row in self.rows if row.is_ours]

    def columns(self, *, is_narrow: bool = True) -> list[Column]:
        """List the columns in which a measured row has a number, in the order of `order_tests`.

        Args:
            is_narrow: Whether the table has limited width and shows only the metrics of the papers.
        """
        ours, columns = self.ours, []
        for test_name in self.test_names:
            for metric in list_published(find_configuration(test_name)):
                column = Column(test_name, metric.name)
                has_place = metric.is_in_narrow_tables or not is_narrow
                if has_place and any(row.value(column) is not None for row in ours):
                    columns.append(column)
        return columns

    def list_rows(self, columns: Sequence[Column]) -> list[ModelRow]:
        """List the rows that have a number in one of the columns."""
        return [row for row in self.rows if any(row.value(column) is not None for column in columns)]

    def divide_columns(self) -> list[tuple[str, list[Column]]]:
        """Divide the columns of limited width: the tests that decide, and the paper's with a title, or those chosen."""
        if self.chosen is not None:
            return [("", list(self.chosen))] if self.chosen else []
        decisive, columns = choose_decisive(self.test_names), self.columns()
        parts = {
            "": [column for column in columns if column.test_name in decisive],
            PAPER_TESTS_TITLE: [column for column in columns if column.test_name not in decisive],
        }
        return [(title, part) for title, part in parts.items() if part]

    def other_columns(self) -> list[Column]:
        """List the metrics that users named and that a row has, in the order of the tests and of the rows."""
        columns: dict[Column, None] = {}
        for test_name in self.test_names:
            for row in self.ours:
                columns |= dict.fromkeys(Column(test_name, name) for name in row.other_metrics(test_name))
        return list(columns)

    @property
    def test_names(self) -> list[str]:
        """Names of the tests, in the order of `order_tests`."""
        return order_tests(self.fingerprints)

    def sort_rows(self, test_name: str, order: Order | None = None) -> list[ModelRow]:
        """Return the rows with numbers for a test, sorted by its main metric or by name.

        Args:
            test_name: Name of the configuration.
            order: The order. If None, the order of the table.
        """
        rows = [row for row in self.rows if test_name in row.test_names]
        return _sort_rows(rows, order or self.order, _find_main_column(test_name))

    def judge(self, row: ModelRow, column: Column) -> tuple[bool | None, bool | None]:
        """Return whether the model of a row is one of the best, and whether it beats the best shortcut.

        Both are None if the data cannot decide it, and for rows that do not compete.
        """
        standing = self.standings.get(column)
        number = None if standing is None or not row.competes else standing.find(row.name)
        if standing is None or number is None:
            return None, None
        return (standing.is_best(number) if standing.has_marks else None), standing.beats_shortcut(number)

    def answer(self) -> tuple[str, ...]:
        """Answer which model is best, and whether it is more than a shortcut, as `standings.answer` does."""
        return answer([self.find_standing(name) for name in self.test_names])

    def find_standing(self, test_name: str) -> Standing:
        """Return the standing of a test by its main metric."""
        return self.standings[_find_main_column(test_name)]

    def describe_data(self) -> str:
        """Name the collections and fingerprints, in one line."""
        prints = ", ".join(f"{name} {self.fingerprints[name][:12]}" for name in self.test_names)
        return f"{', '.join(self.collections)}: {prints}"

    def describe_intervals(self) -> str:
        """Describe the bootstrap of the intervals. If results have different settings, list all settings."""
        settings = set()
        for row in self.ours:
            for result in row.results:
                statistics = result.record.statistics
                settings.add((statistics.resamples, statistics.seed))
        described = " or ".join(f"{resamples:,} resamples, seed {seed}" for resamples, seed in sorted(settings))
        return f"95 %, bootstrap over topics, {described}"


def make_tables(
    results: Sequence[Result], *, with_paper: bool = False, order: Order = "score", progress: Progress | None = None
) -> list[Table]:
    """Arrange results in tables, so that all numbers of a column are on the same data.

    Args:
        results: The results. If several results have the same model, test and data, the latest one counts. The best
            models are marked.
        with_paper: Whether to add the rows of the paper to tables with `binary` or `ranking`.
        order: The order of the rows within each section.
        progress: A progress bar.

    Returns:
        The tables.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    groups = _group_by_data(results)
    for table, members in groups:
        table.rows, table.order = _make_rows(members), order
        if with_paper and any(test_name in table.fingerprints for test_name, _ in PAPER_COLUMNS):
            for row, scored_rows in align_scored_rows(table, BINARY):
                table.at_paper_share[row.name] = measure_f1_at_share(scored_rows, PAPER_SHARE)
            table.rows += _make_paper_rows()
        table.rows = _sort_rows(table.rows, order, *table.columns()[:1])
        for test_name in table.test_names:
            table.standings |= _compare_rows(table, test_name, progress or Progress(visible=False))
    return [table for table, _ in groups]


def _sort_rows(rows: Iterable[ModelRow], order: Order, *columns: Column) -> list[ModelRow]:
    """Sort rows by section, then by columns if the order is by score, then by name. Empty cells come last."""

    def key(row: ModelRow) -> tuple[object, ...]:
        values: list[float] = []
        if order == "score":
            for column in columns:
                value, metric = row.value(column), find_metric(column.metric)
                sign = 1 if metric is None else metric.sign
                values.append(float("inf") if value is None else -sign * value)
        return SECTIONS.index(row.section), values, row.name

    return sorted(rows, key=key)


def _compare_rows(table: Table, test_name: str, progress: Progress) -> dict[Column, Standing]:
    """Compare the rows with scores of a test by each metric."""
    models = []
    aligned, step = align_scored_rows(table, test_name), f"compare models on {test_name}"
    for row, rows in progress.track(aligned, step, len(table.ours)):
        assert row.role is not None  # rows of the paper have no scores
        test = row.tests[test_name]
        select_split = partial(rows.test_split, test.threshold)
        models.append(measure_model(row.name, row.role, test.numbers, select_split, RESAMPLES, SEED))
    standings = {}
    for metric in list_published(find_configuration(test_name)):
        members = [model for model in models if metric.name in model.metrics]
        standings[Column(test_name, metric.name)] = make_standing(test_name, metric, members)
    return standings


def align_scored_rows(table: Table, test_name: str) -> Iterator[tuple[ModelRow, ScoredRows]]:
    """Yield the models of a test with their scored rows, all with the same rows in the same order.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    key: ScoredRows | None = None  # the rows of the first model
    for row in table.ours:
        result = row.find_result(test_name)
        if result is None or test_name not in result.rows:
            continue
        if key is None:
            key = result.rows[test_name]
        yield row, align_rows(result, test_name, key)


def _group_by_data(results: Iterable[Result]) -> list[tuple[Table, list[Result]]]:
    """Divide results among new tables. Each result goes to the first table whose data agree with its data."""
    groups: list[tuple[Table, list[Result]]] = []
    for result in results:
        collections = result.record.dataset.collections
        fingerprints = {test_name: test.fingerprint for test_name, test in result.tests.items()}
        agreeing = (group for group in groups if group[0].agrees(collections, fingerprints))
        group = next(agreeing, None)
        if group is None:
            group = (Table(collections), [])
            groups.append(group)
        table, members = group
        table.fingerprints |= fingerprints
        members.append(result)
    return groups


def _make_rows(results: Iterable[Result]) -> list[ModelRow]:
    """Make a row per model. If a model was evaluated on a test several times, the latest evaluation counts."""
    rows = []
    for title, model_results in group_by_model(results).items():  # the latest last
        latest: dict[str, Result] = {}
        for result in model_results:
            latest |= dict.fromkeys(result.tests, result)
        used_ids = {id(result) for result in latest.values()}
        used = tuple(result for result in model_results if id(result) in used_ids)
        tests = {test_name: result.tests[test_name] for test_name, result in latest.items()}
        rows.append(ModelRow(title, find_group(used[-1].record.model.kind), used, tests))
    return rows


def _make_paper_rows() -> list[ModelRow]:
    rows = []
    for name, numbers in TABLE1.items():
        quoted: dict[str, dict[str, float]] = {}
        for (test_name, metric), number in zip(PAPER_COLUMNS, numbers, strict=True):
            quoted.setdefault(test_name, {})[metric] = number
        rows.append(ModelRow(name, PAPER_GROUP, results=(), tests={}, quoted=quoted))
    return rows
