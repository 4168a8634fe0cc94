"""Tables of models by metrics, one table per data set. This module arranges numbers and computes none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Literal, NamedTuple, get_args

from harness.evaluation.comparing.comparison import align_rows, group_by_model
from harness.evaluation.comparing.standings import (
    HOW_BEST_IS_FOUND,
    NO_BETTER,
    Member,
    Standing,
    answer,
    choose_decisive,
    make_standing,
    order_tests,
)
from harness.evaluation.records.record import (
    CUT_PAIRS,
    CUT_TEXTS,
    CUT_TOKENS,
    PAIRS_READ,
    SINGLE_CHARACTERS,
    UNKNOWN_PAIRS,
    UNKNOWN_TEXTS,
    UNKNOWN_TOKENS,
    WITHOUT_WORDS,
    ZERO_VECTORS,
    ModelRecord,
    OtherMetric,
    Record,
    TestRecord,
)
from harness.evaluation.results import Result
from harness.metrics.measuring import make_measure, measure_contributions
from harness.metrics.rows import DIFFERENT, ROUNDED, UNDECIDED, ScoredRows, ScoredSplit
from harness.metrics.table import find_main_metric, find_metric, list_published, title_column
from harness.models.interfaces.protocols import MAX_TOKENS, PROMPT
from harness.models.interfaces.scores import NO_ANSWERS, Outcome
from harness.models.judging.judge import MIN_PROBABILITY
from harness.models.registry import MODEL, ROLES, Role, find_group, find_role
from harness.rendering.tables import count_of
from harness.reports import paper
from harness.reports.analysis import choose_wording, count_ties
from harness.stats.bootstrap import RESAMPLES, SEED, Floats, Samples, bootstrap
from harness.stats.significance import can_be_significant
from harness.text.words import WordCounts
from pyramid_paraphrase.errors import escape, shorten
from pyramid_paraphrase.rules.options import PAIRS, find_configuration

PAPER_GROUP = "the paper (other data)"
SECTIONS = (*ROLES, PAPER_GROUP)
"""Sections of a table: the roles of models, and the numbers of the paper."""

_FLAGGED_ANSWERS = {
    Outcome.BY_WORDS: "by the words of the reply, because the server lists no probabilities that determine the answer",
    Outcome.IMPROBABLE: f"although all answers together have less than {MIN_PROBABILITY:.0%} of the probability "
    "of a reply",
}
"""How a judge gave the answers that results count under these names."""

PAPER_TESTS_TITLE = "The tests of the paper, on which a shortcut can score high"

_PROMPT_OPTIONS = frozenset({"prompt", "prompt_name"})
_MOST_NAMES = 10
_SHOWN_PROMPT = 60
"""Number of characters of a prompt in a note."""

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


def _sign_of(column: Column) -> int:
    """Return 1 if higher numbers of a column are better, otherwise -1."""
    metric = find_metric(column.metric)
    return 1 if metric is None else metric.sign


@dataclass(frozen=True, slots=True)
class Row:
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
    """

    collections: tuple[str, ...]
    fingerprints: dict[str, str] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    order: Order = "score"
    standings: dict[Column, Standing] = field(default_factory=dict)

    def agrees(self, collections: tuple[str, ...], fingerprints: Mapping[str, str]) -> bool:
        """Return whether the collections are the same and no test has a different fingerprint."""
        if self.collections != collections:
            return False
        return all(
            self.fingerprints.get(name, fingerprint) == fingerprint for name, fingerprint in fingerprints.items()
        )

    @property
    def ours(self) -> list[Row]:
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

    def divide_columns(self) -> list[tuple[str, list[Column]]]:
        """Divide the columns of limited width: the tests that decide, and the paper's tests with a title."""
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

    def sort_rows(self, test_name: str, order: Order | None = None) -> list[Row]:
        """Return the rows with numbers for a test, sorted by its main metric or by name.

        Args:
            test_name: Name of the configuration.
            order: The order. If None, the order of the table.
        """
        rows = [row for row in self.rows if test_name in row.test_names]
        main = Column(test_name, find_main_metric(find_configuration(test_name)).name)
        return _sort_rows(rows, order or self.order, main)

    def _find_member(self, row: Row, column: Column) -> tuple[Standing | None, int]:
        """Return the standing of a column, and the index of a row in it. None if the row is not a member."""
        standing = self.standings.get(column)
        names = [member.name for member in standing.members] if standing and row.is_ours else []
        return (standing, names.index(row.name)) if row.name in names else (None, -1)

    def judge(self, row: Row, column: Column) -> tuple[bool | None, bool | None]:
        """Return whether the model of a row is one of the best, and whether it beats the best shortcut.

        Both are None if the data cannot decide it, and for rows that do not compete.
        """
        standing, number = self._find_member(row, column)
        if standing is None or not row.competes:
            return None, None
        return (standing.is_best(number) if standing.has_marks else None), standing.beats_shortcut(number)

    def name_shortcut(self, column: Column) -> str:
        """Return the name of the best shortcut by the metric of a column, or "" without shortcuts."""
        standing = self.standings.get(column)
        if standing is None or standing.shortcut is None:
            return ""
        return standing.members[standing.shortcut].name

    def answer(self) -> tuple[str, ...]:
        """Answer which model is best, and whether it is more than a shortcut, as `standings.answer` does."""
        return answer([self.find_standing(name) for name in self.test_names])

    def find_standing(self, test_name: str) -> Standing:
        """Return the standing of a test by its main metric."""
        return self.standings[Column(test_name, find_main_metric(find_configuration(test_name)).name)]

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

    def notes(self) -> list[str]:
        """Write notes on tests with few topics or a single class, on marks of the best models, and on single rows."""
        notes = [*self._note_few_topics(), *self._note_single_class(), *self._note_fitted_class()]
        if self.other_columns():
            notes.append(
                f"Other metrics: modules of evaluate. Models are not ranked by them. {self._describe_modules()}."
            )
        notes += self._note_marks()
        notes += self.model_notes()
        if len(self.ours) < len(self.rows):
            notes.append(f"The paper: {paper.SOURCE}. Its data are different, so its numbers are not ranked with ours.")
        return notes

    def _note_marks(self) -> Iterator[str]:
        """Explain the marks of cells, as far as there are any."""
        marks = [self.judge(row, column) for row in self.ours for column in self.standings]
        if any(is_best is not None for is_best, _ in marks):
            yield f"* or bold: {HOW_BEST_IS_FOUND}."
        if any(beats_shortcut is False for _, beats_shortcut in marks):
            yield f"= or not above: {NO_BETTER}."

    def model_notes(self) -> list[str]:
        """Write the notes on single models: what they did not read, did not decide, or answered in another way."""
        notes = _note_words(self.ours)
        for row in self.ours:
            notes += [
                *_note_unknown(row),
                *note_texts(row.name, row.results[-1].record),
                *_note_answers(row),
                *_note_server(row),
                *_note_ties(row),
                *_note_degenerate(row),
            ]
        return notes

    def _describe_modules(self) -> str:
        """List the metrics that users named, each with the beginning of the hash of its code."""
        modules = set()
        for row in self.ours:
            for result in row.results:
                modules |= set(result.record.metric_modules.items())
        return ", ".join(f"{name} {sha256[:12]}" for name, sha256 in sorted(modules))

    def _note_few_topics(self) -> list[str]:
        counts: dict[str, int] = {}
        for row in self.ours:
            counts |= {name: test.counts["topics"] for name, test in row.tests.items() if "topics" in test.counts}
        names_by_count: dict[int, list[str]] = {}
        for name in self.test_names:
            if name in counts and not can_be_significant(counts[name]):
                names_by_count.setdefault(counts[name], []).append(name)
        notes = []
        for count, names in names_by_count.items():
            topics = count_of(count, "topic")
            notes.append(f"{', '.join(names)}: {topics}, too few for reliable intervals and significant differences.")
        return notes

    def _note_single_class(self) -> list[str]:
        """Note tests whose test split has only positives, or none, because metrics are then 0 or 1 by definition."""
        notes = []
        for name in self.test_names:
            test = next(row.tests[name] for row in self.ours if name in row.tests)
            wording = choose_wording(name)
            positives = test.counts.get("paraphrases", test.counts.get("matched"))
            if positives is None:
                continue  # another kind of test, or a result that another program wrote
            if positives == 0:
                notes.append(f"{name}: has no {wording.positives} to find, so F is 0 for every model.")
            elif positives == test.counts.get("test"):
                notes.append(f"{name}: has only {wording.positives}, so classifying every row as one gives F = 1.")
        return notes

    def _note_fitted_class(self) -> list[str]:
        """Note tests of pairs whose thresholds are fitted on pairs of a single class, which says nothing about it."""
        notes = []
        for name in self.test_names:
            results = [row.find_result(name) for row in self.ours]
            rows = next((result.rows[name] for result in results if result and name in result.rows), None)
            if rows is None or rows.kind != PAIRS:
                continue
            targets = rows.fitted_on()[1]
            if targets.size and targets.min() == targets.max():
                content = "only paraphrases" if targets[0] else "no paraphrases"
                notes.append(
                    f"{name}: its split {rows.fit_split} has {content}, so thresholds fitted on it are arbitrary."
                )
        return notes


def list_settings(model: ModelRecord) -> Iterator[tuple[str, str]]:
    """List the options of a model, and the settings of its configuration that took effect, each with a title."""
    for name, value in sorted(model.options.items()):
        yield f"Option {name}", str(value)
    for name, value in model.effective.items():
        yield f"Configuration: {name}", str(value)


def describe_versions(versions: Mapping[str, str]) -> str:
    """List the names and versions of libraries in one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def make_tables(results: Sequence[Result], *, with_paper: bool = False, order: Order = "score") -> list[Table]:
    """Arrange results in tables, so that all numbers of a column are on the same data.

    Args:
        results: The results. If several results have the same model, test and data, the latest one counts. The best
            models are marked.
        with_paper: Whether to add the rows of the paper to tables with `binary` or `ranking`.
        order: The order of the rows within each section.

    Returns:
        The tables.

    Raises:
        ComparisonError: If the scored rows of a model do not match the fingerprint.
    """
    groups = _group_by_data(results)
    for table, members in groups:
        table.rows, table.order = _make_rows(members), order
        if with_paper and any(test_name in table.fingerprints for test_name, _ in paper.COLUMNS):
            table.rows += _make_paper_rows()
        table.rows = _sort_rows(table.rows, order, *table.columns()[:1])
        for test_name in table.test_names:
            table.standings |= _compare_rows(table, test_name)
    return [table for table, _ in groups]


def _sort_rows(rows: Iterable[Row], order: Order, *columns: Column) -> list[Row]:
    """Sort rows by section, then by columns if the order is by score, then by name. Empty cells come last."""

    def key(row: Row) -> tuple[object, ...]:
        values: list[float] = []
        if order == "score":
            for column in columns:
                value = row.value(column)
                values.append(float("inf") if value is None else -_sign_of(column) * value)
        return SECTIONS.index(row.section), values, row.name

    return sorted(rows, key=key)


def _compare_rows(table: Table, test_name: str) -> dict[Column, Standing]:
    """Compare the rows with scores of a test by each metric."""
    splits = [
        (row, rows.test_split(row.tests[test_name].threshold)) for row, rows in align_scored_rows(table, test_name)
    ]
    measured = [(row, measure_contributions(split), _make_resampler(split)) for row, split in splits]
    standings = {}
    for metric in list_published(find_configuration(test_name)):
        column, members = Column(test_name, metric.name), []
        for row, contributions, resample in measured:
            value = row.value(column)
            if value is not None and row.role is not None:
                draw = partial(_get_samples, resample, metric.name)
                members.append(Member(row.name, row.role, value, contributions[metric.name], draw))
        standings[column] = make_standing(test_name, metric, members)
    return standings


def _make_resampler(split: ScoredSplit) -> Callable[[], Samples]:
    """Make a function that computes the metrics on resamples when it is first called."""
    return cache(lambda: bootstrap(make_measure(split), split.topic_count, RESAMPLES, SEED))


def _get_samples(resample: Callable[[], Samples], metric: str) -> Floats:
    return resample()[metric]


def align_scored_rows(table: Table, test_name: str) -> Iterator[tuple[Row, ScoredRows]]:
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


def _make_rows(results: Iterable[Result]) -> list[Row]:
    """Make a row per model. If a model was evaluated on a test several times, the latest evaluation counts."""
    return [_make_row(title, model_results) for title, model_results in group_by_model(results).items()]


def _make_row(title: str, results: Sequence[Result]) -> Row:
    """Make the row of a model from its results, the latest last."""
    latest: dict[str, Result] = {}
    for result in results:
        latest |= dict.fromkeys(result.tests, result)
    used_ids = {id(result) for result in latest.values()}
    used = tuple(result for result in results if id(result) in used_ids)
    tests = {test_name: result.tests[test_name] for test_name, result in latest.items()}
    return Row(title, find_group(used[-1].record.model.kind), used, tests)


def _make_paper_rows() -> list[Row]:
    rows = []
    for name, numbers in paper.TABLE1.items():
        quoted: dict[str, dict[str, float]] = {}
        for (test_name, metric), number in zip(paper.COLUMNS, numbers, strict=True):
            quoted.setdefault(test_name, {})[metric] = number
        rows.append(Row(name, PAPER_GROUP, results=(), tests={}, quoted=quoted))
    return rows


def _note_unknown(row: Row) -> list[str]:
    unknown = row.results[-1].record.model.out_of_vocabulary
    if unknown is None:
        return []
    return [f"{row.name}: {unknown.tokens:.1%} of the words and {unknown.texts:.1%} of the texts have no vector."]


def _note_words(rows: Iterable[Row]) -> list[str]:
    """Note texts without words, and texts in which single characters are the words, once for all models."""
    names_by_line: dict[str, list[str]] = {}
    for row in rows:
        record = row.results[-1].record
        counts = record.model.text_counts
        words = WordCounts(record.dataset.texts, counts.get(WITHOUT_WORDS, 0), counts.get(SINGLE_CHARACTERS, 0))
        for line in words.describe():
            names_by_line.setdefault(line, []).append(row.name)
    return [f"{', '.join(names)}: {line}." for line, names in names_by_line.items()]


def note_texts(name: str, record: Record) -> list[str]:
    """Note the prompt of a model's configuration, the texts or pairs that it cut, and the texts with a zero vector.

    Args:
        name: Name of the model.
        record: The result of the model.
    """
    notes = []
    effective, options = record.model.effective, record.model.options
    if PROMPT in effective and not options.keys() & _PROMPT_OPTIONS:
        prompt = escape(shorten(str(effective[PROMPT]), _SHOWN_PROMPT))
        notes.append(f"{name}: its configuration puts the prompt '{prompt}' before every text.")
    counts, texts = record.model.text_counts, record.dataset.texts
    inputs = {CUT_TEXTS: f"of {texts:,} texts", CUT_PAIRS: f"of {counts.get(PAIRS_READ, 0):,} pairs of texts"}
    for key, total in inputs.items():
        if key in counts:
            lost = count_of(counts.get(CUT_TOKENS, 0), "token")
            length = f" to {effective[MAX_TOKENS]} tokens" if MAX_TOKENS in effective else ""
            notes.append(f"{name}: {counts[key]:,} {total} were cut{length} ({lost} lost).")
    for key, total in ((UNKNOWN_TEXTS, inputs[CUT_TEXTS]), (UNKNOWN_PAIRS, inputs[CUT_PAIRS])):
        if key in counts:
            notes.append(f"{name}: the vocabulary of its tokenizer contains no token of {counts[key]:,} {total}.")
    if UNKNOWN_TOKENS in counts:
        unknown = f"does not contain {count_of(counts[UNKNOWN_TOKENS], 'token')} of its inputs"
        notes.append(f"{name}: the vocabulary of its tokenizer {unknown}.")
    if ZERO_VECTORS in counts:
        causes = "no known word, or a failure of the model"
        notes.append(f"{name}: the vectors of {counts[ZERO_VECTORS]:,} of {texts:,} texts are zero ({causes}).")
    return notes


def _note_server(row: Row) -> list[str]:
    """Note the names under which a server reported its model, if the requested name is not the only one."""
    names = {name for result in row.results if result.record.usage for name in result.record.usage.models}
    if not names:
        return []
    shown = ", ".join(f"'{escape(shorten(name, _SHOWN_PROMPT))}'" for name in sorted(names)[:_MOST_NAMES])
    return [f"{row.name}: the server reports the model as {shown}."]


def _note_ties(row: Row) -> list[str]:
    """Note tests on most rows of which a model cannot decide, because all options have the same score."""
    notes = []
    for test_name in row.tests:
        result = row.find_result(test_name)
        if result is None or test_name not in result.rows or result.rows[test_name].kind == PAIRS:
            continue  # a model that scores all pairs the same calls all of them paraphrases, or none
        if UNDECIDED in row.tests[test_name].counts:
            continue  # has a note of its own
        ties = count_ties(result.rows[test_name])
        if ties.tied > ties.rows / 2:
            scored = "options" if result.rows[test_name].kind.has_options else "rows"
            share = f"in {ties.tied:,} of {ties.rows:,} rows of {test_name}, all {scored} have the same rounded score"
            notes.append(f"{row.name}: {share}, so the model decides nothing there.")
    return notes


def _note_degenerate(row: Row) -> list[str]:
    """Note models that give equal scores, classify every row as positive, or find no positive."""
    notes = []
    for test_name, test in row.tests.items():
        metrics, positive = test.metrics, choose_wording(test_name).positive
        if UNDECIDED in test.counts:
            compared = "of the options of each row" if find_configuration(test_name).kind.has_options else "of all rows"
            notes.append(f"{row.name}: the scores {compared} of {test_name} are equal, so its numbers show ties only.")
        if DIFFERENT in test.counts and ROUNDED in test.counts:
            numbers = f"{test.counts[DIFFERENT]:,} different scores of {test_name}, and {test.counts[ROUNDED]:,}"
            notes.append(f"{row.name}: gives {numbers} after rounding, which makes ties of the others.")
        share = metrics.get("positive_share")
        is_every_pair = share is not None and metrics.get("recall") == 1 and metrics.get("precision") == share
        if is_every_pair or _classifies_every_match(test):
            notes.append(f"{row.name}: classifies every row of {test_name} as a {positive}, which determines its F.")
        if metrics.get("f1", metrics.get("match_f1")) == 0:
            notes.append(f"{row.name}: finds no {positive} of {test_name} at its threshold.")
    return notes


def _classifies_every_match(test: TestRecord) -> bool:
    """Return whether a model names an option for every row of matches: its right options divided by its precision."""
    precision, recall = test.metrics.get("match_precision"), test.metrics.get("match_recall")
    matched, rows = test.counts.get("matched"), test.counts.get("test")
    if not precision or recall is None or matched is None or rows is None:
        return False  # other programs may write results without some of the numbers
    return abs(recall * matched / precision - rows) < 1 / 2


def _note_answers(row: Row) -> list[str]:
    """Note how often a judge gave no answer, or gave its answer in another way than the spec says."""
    notes = []
    for test_name, test in row.tests.items():
        counts = {reason.label: test.counts[reason.label] for reason in NO_ANSWERS if test.counts.get(reason.label)}
        if counts:
            reasons = ", ".join(f"{reason}: {count:,}" for reason, count in counts.items())
            total = f"{sum(counts.values()):,}"
            notes.append(f"{row.name}: {total} times without an answer in {test_name} ({reasons}), counted as wrong.")
        for outcome, description in _FLAGGED_ANSWERS.items():
            if count := test.counts.get(outcome.label):
                notes.append(f"{row.name}: answers {count_of(count, 'time')} in {test_name} {description}.")
    return notes
