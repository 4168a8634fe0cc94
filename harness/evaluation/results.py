"""The result of an evaluation: a JSON file, and a file with the scores of all rows per test."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from harness.evaluation.record import (
    COUNTS_OF_PAIRS,
    COUNTS_OF_TEXTS,
    PACKAGE,
    PAIRS_READ,
    SCHEMA_VERSION,
    SHARE,
    Record,
    ScoresFile,
    TestRecord,
    result_stem,
)
from harness.evaluation.score_files import REMEDY, ScoreParser, StoredScores, render_scores
from harness.files.json_files import Json, make_record, parse_json, render_json
from harness.files.writing import expand_home, make_folder, write_files
from harness.metrics.measuring import measure_split
from harness.metrics.metric import Metric
from harness.metrics.rows import ScoredRows
from harness.metrics.table import find_metric, list_published
from harness.rendering.tables import format_value
from harness.support.errors import ComparisonError
from harness.support.names import slug
from harness.support.progress import Progress
from pyramid_paraphrase.errors import InputError, cannot_write
from pyramid_paraphrase.escaping import escape
from pyramid_paraphrase.files.inputs import exists, is_folder, read_bytes
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, PAIRS, Kind, find_configuration

_RELEASE = r"[\w.+!-]{1,50}"
_OTHER_PARTS = ("threshold", "intervals", "fingerprint", "options", "counts")

METRIC_TOLERANCE = 2e-6
"""Largest accepted error of a metric. Results have six decimals, and the last decimal depends on the machine."""

MAX_JSON_BYTES = 1 << 20


@dataclass(frozen=True, repr=False)
class Result:
    """The result of one model on one dataset.

    Attributes:
        record: The content of the JSON file, with types.
        rows: The scored rows of each test.
        files: The content of the file of scores of each test.
        content: The JSON file, in the form of all JSON files of this program. A result that was read keeps its
            bytes, because leaderboards contain the hashes of results.
        path: The JSON file that the result was read from. Empty if it was not read.
        notes: What the numbers do not show, a sentence each, such as the number of texts that the model cut. Only the
            result of `harness.evaluate` has notes. Tables of results write the same notes.
    """

    record: Record
    rows: Mapping[str, ScoredRows]
    files: Mapping[str, bytes]
    content: bytes
    path: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.record.model.name

    def __repr__(self) -> str:
        """Name the place, and list the main metrics of each test with their intervals, and the notes."""
        numbers: dict[str, list[str]] = {test_name: [] for test_name in self.tests}
        for test_name, metric, value, interval in self._list_main_metrics():
            numbers[test_name].append(f"{metric.name} {format_value(value, interval)}")
        lines = [f"  {test_name}: {', '.join(shown)}" for test_name, shown in numbers.items()]
        return "\n".join(map(escape, [f"Result of {self.place}", *lines, *self.notes]))

    def _repr_html_(self) -> str:
        """Return the same as a table for a notebook."""
        from harness.rendering.reports import Cell, Grid, Report, render_report, require_text  # rarely needed

        rows: list[tuple[object, ...]] = []
        for test_name, metric, value, interval in self._list_main_metrics():
            rows.append((test_name, metric.title, Cell(value, interval)))
        grid = Grid(("test", "metric", "value and 95 % interval"), tuple(rows), title=f"Result of {self.place}")
        return require_text(render_report(Report((grid,), self.notes), "notebook"))

    def _list_main_metrics(self) -> Iterator[tuple[str, Metric, float, tuple[float, float] | None]]:
        """Yield the main metrics of each test: the test, the metric, its value and its interval."""
        for test_name, test in self.tests.items():
            for metric in list_published(find_configuration(test_name)):
                if metric.is_in_narrow_tables and metric.name in test.metrics:
                    yield test_name, metric, test.metrics[metric.name], test.intervals.get(metric.name)

    @property
    def place(self) -> str:
        """The model's name, and the path if the result was read from a file, for messages."""
        return f"{self.model} ({self.path})" if self.path else self.model

    @property
    def tests(self) -> Mapping[str, TestRecord]:
        """The numbers by name of the configuration, such as ``result.tests["ranking"].metrics["success_rate"]``."""
        return self.record.tests

    @cached_property
    def tasks(self) -> Mapping[str, Any]:
        """The same as plain values, such as ``result.tasks["ranking"]["success_rate"]``.

        The value of each test is a mapping with all metrics, the threshold of pairs, and the keys "intervals",
        "fingerprint", "options" and "counts". With metrics that the user named, "other_metrics" has the value and the
        interval of each.
        """
        tasks = {}
        for test_name, test in self.tests.items():
            intervals = {name: list(ends) for name, ends in test.intervals.items()}
            parts = {"fingerprint": test.fingerprint, "options": test.options, "counts": test.counts}
            tasks[test_name] = {**test.numbers, "intervals": intervals, **parts}
            if test.other_metrics:
                others = {name: asdict(metric) for name, metric in test.other_metrics.items()}
                tasks[test_name]["other_metrics"] = others
        return tasks

    @property
    def signature(self) -> str:
        """One line that names every setting that determines the numbers."""
        return self.record.signature

    def write(self, folder: str | os.PathLike[str]) -> Path:
        """Write the result. The JSON file is written last, so a result with a JSON file is complete.

        Args:
            folder: The folder that contains a folder per model.

        Returns:
            The JSON file, ``<folder>/<model>/<dataset fingerprint[:12]>-<settings hash[:8]>.json``.

        Raises:
            OutputError: If a file cannot be written.
        """
        stem = result_stem(self.record)
        target = make_folder(Path(folder) / slug(self.model))
        try:
            path = target / f"{stem}.json"
            contents = {target / self.tests[test_name].scores.file: data for test_name, data in self.files.items()}
            write_files({**contents, path: self.content})
        except OSError as error:
            raise cannot_write(folder, error) from None
        return path


def make_result(record: Record, rows: Mapping[str, ScoredRows]) -> Result:
    """Add the names and hashes of the files of scores to a record, and check it.

    Raises:
        InputError: If the record is not valid, which is a bug in this program.
    """
    stem = result_stem(record)
    rendered = {name: render_scores(scored_rows) for name, scored_rows in rows.items()}
    tests = {}
    for test_name, test in record.tests.items():
        scores = ScoresFile(f"{stem}.{test_name}.csv.gz", hashlib.sha256(rendered[test_name]).hexdigest())
        tests[test_name] = replace(test, scores=scores)
    complete = replace(record, tests=tests)
    return Result(complete, dict(rows), rendered, render_json(render_record(complete, stem)))


def read_results(paths: Sequence[str | os.PathLike[str]], progress: Progress | None = None) -> list[Result]:
    """Read several results. Their rows share all arrays that are equal, and score files are read again when needed.

    Args:
        paths: JSON files, or folders that contain them at any depth, in the order of paths.
        progress: A progress bar.

    Raises:
        InputError: If a path does not exist, a file is not a result, or a folder contains no result.
    """
    files = [file for path in paths for file in _list_files(expand_home(path))]
    # Two threads, because decompression and parsing release the interpreter lock.
    with progress or Progress(visible=False) as bar, ThreadPoolExecutor(2) as pool:
        results = pool.map(partial(_read_checked, ScoreParser()), files)
        return list(bar.track(results, "read results", len(files)))


def read_single_result(path: str, fits: Callable[[Result], bool]) -> Result:
    """Read a file or a folder with a single result, or with a single result that fits.

    Args:
        path: The file or folder.
        fits: Returns whether a result fits. If no result fits, all count.

    Raises:
        ComparisonError: If there are several.
        InputError: If a file is not a result.
    """
    results = read_results([path])
    fitting = list(filter(fits, results)) or results
    if len(fitting) > 1:
        paths = ", ".join(result.path for result in fitting)
        raise ComparisonError(f"{path}: contains several results: {paths}. Use a single result")
    return fitting[0]


def _list_files(path: Path) -> list[Path]:
    if not exists(path):
        raise InputError(str(path), "no such file or folder", "check the path")
    if not is_folder(path):
        return [path]
    files = sorted(path.rglob("*.json"))
    if not files:
        raise InputError(str(path), "contains no result", REMEDY)
    return files


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result and its scores, and check that they belong together.

    Args:
        path: The JSON file.

    Returns:
        The result.

    Raises:
        InputError: If a file is missing, damaged, too large, or does not belong to the result, or if a metric does not
            follow from the scores.
    """
    return _read_checked(ScoreParser(), path)


def _read_checked(parser: ScoreParser, path: str | os.PathLike[str]) -> Result:
    numbers = read_numbers(path)
    result = read_scores(Path(numbers.path), numbers.record, numbers.content, parser=parser)
    for test_name, test in result.tests.items():
        measured = measure_split(result.rows[test_name].test_split(test.threshold))
        for name in sorted(measured.keys() & test.metrics.keys()):
            if abs(test.metrics[name] - measured[name]) > METRIC_TOLERANCE:
                reason = f"{name} of {test_name} is {test.metrics[name]}, but its scores give {measured[name]}"
                raise InputError(numbers.path, reason, REMEDY)
    return dataclasses.replace(result, files=StoredScores(Path(numbers.path), numbers.tests))


def read_numbers(path: str | os.PathLike[str]) -> Result:
    """Read the JSON file of a result, which is enough for tables.

    Args:
        path: The JSON file.

    Returns:
        The result, without rows and without the content of its score files.

    Raises:
        InputError: If the file is missing, damaged or too large.
    """
    file = expand_home(path)
    data = read_bytes(file, MAX_JSON_BYTES, REMEDY)
    value = parse_json(data, str(file), REMEDY)
    return Result(parse_record(value, str(file)), {}, {}, render_json(value), str(file))


def read_scores(
    file: Path,
    record: Record,
    content: bytes,
    limits: Mapping[str, int] | None = None,
    parser: ScoreParser | None = None,
) -> Result:
    """Read the score files that a record names, from the folder of its JSON file.

    Args:
        file: The JSON file of the record.
        record: The content of that file, with types.
        content: The content of that file, in the form of all JSON files of this program.
        limits: Maximum size of each test's score file in bytes, compressed or not. None for the general limits.
        parser: The parser of other results, with which the rows can share arrays.

    Returns:
        The result.

    Raises:
        InputError: If a file is missing, damaged, too large, or does not match the record.
    """
    rows: dict[str, ScoredRows] = {}
    rendered: dict[str, bytes] = {}
    parser = parser or ScoreParser()
    for test_name, test in record.tests.items():
        rows[test_name], rendered[test_name] = parser.read(file, test.scores, (limits or {}).get(test_name))
        if rows[test_name].kind.name != test.kind:
            raise InputError(str(file), "does not have the scores of all its tests", REMEDY)
    return Result(record, rows, rendered, content, str(file))


def render_record(record: Record, name: str) -> dict[str, Json]:
    """Return the JSON value of a record.

    Args:
        record: The record.
        name: Name of its file, for errors.

    Raises:
        InputError: If a value of the record is not valid. The message names the place.
    """
    value: dict[str, Json] = msgspec.to_builtins(record)
    make_record(value, Record, name, "result", REMEDY)
    return value


def parse_record(value: Any, name: str) -> Record:  # noqa: ANN401
    """Parse a JSON value.

    Args:
        value: The content of the JSON file of a result. It is not trusted.
        name: Name of the file, for messages.

    Raises:
        InputError: If it is not the content of a result, or if a later release wrote it.
    """
    version = value.get("schema_version") if isinstance(value, dict) else None
    if type(version) is int and version > SCHEMA_VERSION:
        release = _find_release(value.get("versions"))
        writer = f"{PACKAGE} {release}" if release else f"a later release of {PACKAGE}"
        reason = f"has schema version {version}, written by {writer}, but this release reads versions up to"
        raise InputError(name, f"{reason} {SCHEMA_VERSION}", _find_remedy(release))
    record = make_record(value, Record, name, "result", REMEDY)
    for test_name in record.tests:
        if test_name not in CONFIGURATION_NAMES:
            reason = f"is a result of {test_name}, a test that this release does not support"
            raise InputError(name, reason, _find_remedy(_find_release(record.versions)))
    for fault in _list_impossible_counts(record):
        raise InputError(name, f"is not a valid result: model.text_counts.{fault}", REMEDY)
    for test_name, test in record.tests.items():
        for fault in _list_faults(test, find_configuration(test_name).kind):
            raise InputError(name, f"is not a valid result: tests.{test_name}.{fault}", REMEDY)
    return record


def _list_impossible_counts(record: Record) -> Iterator[str]:
    """Describe the numbers of texts, or of pairs of texts, that are larger than the number of all of them."""
    counts = record.model.text_counts
    for key, count in counts.items():
        total = record.dataset.texts if key in COUNTS_OF_TEXTS else counts.get(PAIRS_READ, 0)
        if key in (*COUNTS_OF_TEXTS, *COUNTS_OF_PAIRS) and count > total:
            yield f"{key}: is {count:,}, more than all {total:,}"


def _find_release(versions: object) -> str:
    """Return the release that wrote a result, or "" if the result does not contain it as a short plain text."""
    release = versions.get(PACKAGE) if isinstance(versions, dict) else None
    if isinstance(release, str) and re.fullmatch(_RELEASE, release, re.ASCII):
        return release
    return ""


def _find_remedy(release: str) -> str:
    if not release:
        return f"install a later release of {PACKAGE}"
    return f"install {PACKAGE} {release} or a later release"


def _list_faults(test: TestRecord, kind: Kind) -> Iterator[str]:
    """Describe the invalid values of a test that its type does not refuse, each with its field.

    Args:
        test: The test.
        kind: The kind of its configuration.
    """
    if test.kind != kind.name:
        yield f"kind: is {test.kind}, but must be {kind.name}"
    elif kind.fits_threshold and test.threshold is None:
        yield f"threshold: is missing, but a test of {kind.name} has a threshold"
    elif not kind.fits_threshold and test.threshold is not None:
        yield f"threshold: is {test.threshold}, but a test of {kind.name} has no threshold"
    numbers: list[tuple[str, str, str, tuple[float, ...]]]
    numbers = [("metrics", name, name, (value,)) for name, value in test.metrics.items()]
    numbers += [("intervals", name, name, ends) for name, ends in test.intervals.items()]
    numbers += [("other_metrics", name, "", metric.interval or ()) for name, metric in test.other_metrics.items()]
    for part, name, metric_name, values in numbers:
        yield from (f"{part}.{name}: {fault}" for fault in _list_faults_of_metric(metric_name, values, kind))


def _list_faults_of_metric(metric_name: str, values: tuple[float, ...], kind: Kind) -> Iterator[str]:
    """Describe why a test of a kind cannot have a metric with these values: one value, or the ends of an interval.

    The names of other parts of a test are not valid names of metrics. All other unknown names are taken for metrics of
    later releases.
    """
    metric = find_metric(metric_name)
    low, high, is_of_kind = -math.inf, math.inf, True
    if metric_name == SHARE:
        low, high, is_of_kind = 0, 1, kind == PAIRS
    elif metric is not None:
        low, high, is_of_kind = metric.low, metric.high, metric.kind == kind
    if metric_name in _OTHER_PARTS or not is_of_kind:
        yield f"is not a metric of {kind.name}"
    for value in values:
        if not low <= value <= high:
            yield f"{value} is not between {low:g} and {high:g}"
    if values and values[0] > values[-1]:
        yield f"the lower end {values[0]} is above the upper end {values[-1]}"
