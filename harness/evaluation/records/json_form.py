"""The JSON form of a record."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from harness.evaluation.records.record import SCHEMA_VERSION, SHARE, Record, TestRecord
from harness.evaluation.records.signing import PACKAGE
from harness.files.json_files import Json, make_record
from harness.metrics.table import find_metric
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, PAIRS, Kind, find_configuration

REMEDY = "use a file that `pyramid-paraphrase evaluate` wrote"
_RELEASE = r"[\w.+!-]{1,50}"
_OTHER_PARTS = ("threshold", "intervals", "fingerprint", "options", "counts")


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
        raise _refuse_later(value, version, name)
    record = make_record(value, Record, name, "result", REMEDY)
    _require_known_names(record, name)
    for test_name, test in record.tests.items():
        for fault in _list_faults(test, find_configuration(test_name).kind):
            raise InputError(name, f"is not a valid result: tests.{test_name}.{fault}", REMEDY)
    return record


def _refuse_later(value: Mapping[str, Any], version: int, name: str) -> InputError:
    release = _find_release(value.get("versions"))
    writer = f"{PACKAGE} {release}" if release else f"a later release of {PACKAGE}"
    reason = f"has schema version {version}, written by {writer}, but this release reads versions up to"
    return InputError(name, f"{reason} {SCHEMA_VERSION}", _find_remedy(release))


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


def _require_known_names(record: Record, name: str) -> None:
    """Check that this release supports all tests of a result.

    Raises:
        InputError: If a test is unknown.
    """
    for test_name in record.tests:
        if test_name not in CONFIGURATION_NAMES:
            reason = f"is a result of {test_name}, a test that this release does not support"
            raise InputError(name, reason, _find_remedy(_find_release(record.versions)))


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
    for metric_name, value in test.metrics.items():
        yield from (f"metrics.{metric_name}: {fault}" for fault in _list_faults_of_metric(metric_name, (value,), kind))
    for metric_name, ends in test.intervals.items():
        faults = (*_list_faults_of_metric(metric_name, ends, kind), *_list_faults_of_ends(ends))
        yield from (f"intervals.{metric_name}: {fault}" for fault in faults)
    for metric_name, metric in test.other_metrics.items():
        ends = metric.interval or (0, 0)
        yield from (f"other_metrics.{metric_name}: {fault}" for fault in _list_faults_of_ends(ends))


def _list_faults_of_ends(ends: tuple[float, float]) -> Iterator[str]:
    lower, upper = ends
    if lower > upper:
        yield f"the lower end {lower} is above the upper end {upper}"


def _list_faults_of_metric(metric_name: str, values: tuple[float, ...], kind: Kind) -> Iterator[str]:
    """Describe why a test of a kind cannot have a metric with these values.

    The names of other parts of a test are not valid names of metrics. All other unknown names are taken for metrics of
    later releases.
    """
    metric = find_metric(metric_name)
    low, high = -math.inf, math.inf
    if metric_name == SHARE:
        low, high = 0, 1
    elif metric is not None:
        low, high = metric.low, metric.high
    is_of_kind = kind == PAIRS if metric_name == SHARE else metric is None or metric.kind == kind
    if metric_name in _OTHER_PARTS or not is_of_kind:
        yield f"is not a metric of {kind.name}"
    for value in values:
        if not low <= value <= high:
            yield f"{value} is not between {low:g} and {high:g}"
