"""The JSON form of a record."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from harness.evaluation.records.record import (
    SHARE,
    DataRecord,
    HardwareRecord,
    ModelRecord,
    OtherMetric,
    OutOfVocabulary,
    Record,
    ScoresFile,
    StatisticsRecord,
    TestRecord,
    TimeRecord,
    UsageRecord,
)
from harness.evaluation.records.signing import PACKAGE
from harness.files.json_files import Json, check_schema
from harness.metrics.table import find_metric
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.rules.kinds import PAIRS
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, find_configuration

SCHEMA_VERSION = 2
REMEDY = "use a file that `pyramid-paraphrase evaluate` wrote"
_SCHEMA = "evaluation/result.schema.json"
_RELEASE = r"[\w.+!-]{1,50}"
_LATER_FIELDS = ("effective", "text_counts")
_OTHER_PARTS = ("threshold", "intervals", "fingerprint", "options", "counts")


def render_record(record: Record) -> dict[str, Json]:
    """Return the JSON value of a record."""
    value: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "model": _render_model(record.model),
        "dataset": {**asdict(record.dataset), "collections": list(record.dataset.collections)},
        "tests": {name: _render_test(test) for name, test in record.tests.items()},
        "statistics": asdict(record.statistics),
        "versions": dict(record.versions),
        "hardware": asdict(record.hardware),
        "time": asdict(record.time),
        "signature": record.signature,
        "settings_hash": record.settings_hash,
    }
    if record.usage is not None:  # only for models on servers, and not in results of earlier releases
        value["usage"] = _render_usage(record.usage)
    if record.metric_modules:  # only with metrics that the user named
        value["metric_modules"] = dict(record.metric_modules)
    return value


def _render_model(model: ModelRecord) -> dict[str, Json]:
    """Render a model. Fields that results of earlier releases do not have are left out if they are empty."""
    rendered = asdict(model)
    return {name: value for name, value in rendered.items() if value or name not in _LATER_FIELDS}


def _render_usage(usage: UsageRecord) -> dict[str, Json]:
    rendered: dict[str, Json] = {"requests": usage.requests, "tokens": usage.tokens, "cost": usage.cost}
    if usage.models:
        rendered["models"] = list(usage.models)
    return rendered


def _render_test(test: TestRecord) -> dict[str, Json]:
    rendered: dict[str, Json] = {
        "kind": test.kind.name,
        "fingerprint": test.fingerprint,
        "options": dict(test.options),
        "counts": dict(test.counts),
        "metrics": dict(test.metrics),
    }
    if test.threshold is not None:
        rendered["threshold"] = test.threshold
    rendered["intervals"] = {name: list(ends) for name, ends in test.intervals.items()}
    rendered["scores"] = asdict(test.scores)
    if test.other_metrics:
        rendered["other_metrics"] = {name: _render_other(metric) for name, metric in test.other_metrics.items()}
    return rendered


def _render_other(metric: OtherMetric) -> Json:
    if metric.interval is None:
        return {"value": metric.value}
    return {"value": metric.value, "interval": list(metric.interval)}


def check_value(value: Mapping[str, Json], name: str) -> None:
    """Check the JSON value of a record that is about to be written.

    Raises:
        InputError: If the value is not valid. The message names the place.
    """
    check_schema(value, _SCHEMA, name, "result", REMEDY)


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
    check_schema(value, _SCHEMA, name, "result", REMEDY)
    _require_known_names(value["tests"], value, name)
    for test_name, test in value["tests"].items():
        if fault := _find_fault(test, find_configuration(test_name).kind.name):
            raise InputError(name, f"is not a valid result: tests.{test_name}.{fault}", REMEDY)
    return _make_record(value)


def _refuse_later(value: Mapping[str, Any], version: int, name: str) -> InputError:
    release = _find_release(value)
    writer = f"{PACKAGE} {release}" if release else f"a later release of {PACKAGE}"
    reason = f"has schema version {version}, written by {writer}, but this release reads versions up to"
    return InputError(name, f"{reason} {SCHEMA_VERSION}", _find_remedy(release))


def _find_release(value: Mapping[str, Any]) -> str:
    """Return the release that wrote a result, or "" if the result does not contain it as a short plain text."""
    versions = value.get("versions")
    release = versions.get(PACKAGE) if isinstance(versions, dict) else None
    if isinstance(release, str) and re.fullmatch(_RELEASE, release, re.ASCII):
        return release
    return ""


def _find_remedy(release: str) -> str:
    if not release:
        return f"install a later release of {PACKAGE}"
    return f"install {PACKAGE} {release} or a later release"


def _require_known_names(tests: Collection[str], value: Mapping[str, Any], name: str) -> None:
    """Check that this release supports all tests of a result.

    Raises:
        InputError: If a test is unknown.
    """
    for test_name in tests:
        if test_name not in CONFIGURATION_NAMES:
            reason = f"is a result of {test_name}, a test that this release does not support"
            raise InputError(name, reason, _find_remedy(_find_release(value)))


def _find_fault(test: Mapping[str, Any], kind: str) -> str:
    """Describe the first invalid value of a test with its field, or "" if all values are valid.

    Args:
        test: The test, valid by the schema.
        kind: Name of the kind of its configuration.
    """
    if test["kind"] != kind:
        return f"kind: is {test['kind']}, but must be {kind}"
    for metric_name, value in test["metrics"].items():
        if fault := _find_fault_of_metric(metric_name, (value,), kind):
            return f"metrics.{metric_name}: {fault}"
    for metric_name, (lower, upper) in test["intervals"].items():
        if fault := _find_fault_of_metric(metric_name, (lower, upper), kind):
            return f"intervals.{metric_name}: {fault}"
        if lower > upper:
            return f"intervals.{metric_name}: the lower end {lower} is above the upper end {upper}"
    return _find_fault_of_other(test.get("other_metrics", {}))


def _find_fault_of_other(metrics: Mapping[str, Any]) -> str:
    """Describe the first invalid value of the metrics that the user named, or "" if all values are valid."""
    intervals = {name: metric["interval"] for name, metric in metrics.items() if "interval" in metric}
    for metric_name, (lower, upper) in intervals.items():
        if lower > upper:
            return f"other_metrics.{metric_name}: the lower end {lower} is above the upper end {upper}"
    return ""


def _find_fault_of_metric(metric_name: str, values: tuple[float, ...], kind: str) -> str:
    """Describe why a test of a kind cannot have a metric with these values, or "" if it can.

    The names of other parts of a test are not valid names of metrics. All other unknown names are taken for metrics of
    later releases.
    """
    metric = find_metric(metric_name)
    if metric_name in _OTHER_PARTS or (metric_name == SHARE and kind != PAIRS.name):
        return f"is not a metric of {kind}"
    if metric is None:
        return ""
    if metric.kind.name != kind:
        return f"is not a metric of {kind}"
    for value in values:
        if not metric.low <= value <= metric.high:
            return f"{value} is not between {metric.low:g} and {metric.high:g}"
    return ""


def _make_record(value: Mapping[str, Any]) -> Record:
    """Make a record from a valid value."""
    dataset = value["dataset"]
    return Record(
        model=_make_model(value["model"]),
        dataset=DataRecord(**{**dataset, "collections": tuple(dataset["collections"])}),
        tests={name: _make_test(name, test) for name, test in value["tests"].items()},
        statistics=StatisticsRecord(**value["statistics"]),
        versions=value["versions"],
        hardware=HardwareRecord(**value["hardware"]),
        time=TimeRecord(**value["time"]),
        signature=value["signature"],
        settings_hash=value["settings_hash"],
        usage=_make_usage(value["usage"]) if "usage" in value else None,
        metric_modules=value.get("metric_modules", {}),
    )


def _make_usage(value: Mapping[str, Any]) -> UsageRecord:
    return UsageRecord(value["requests"], value["tokens"], value["cost"], tuple(value.get("models", ())))


def _make_model(value: Mapping[str, Any]) -> ModelRecord:
    shares = value["out_of_vocabulary"]
    out_of_vocabulary = OutOfVocabulary(**shares) if shares else None
    return ModelRecord(**{**value, "out_of_vocabulary": out_of_vocabulary})


def _make_test(name: str, value: Mapping[str, Any]) -> TestRecord:
    return TestRecord(
        kind=find_configuration(name).kind,
        fingerprint=value["fingerprint"],
        options=value["options"],
        counts=value["counts"],
        metrics=value["metrics"],
        threshold=value.get("threshold"),
        intervals={name: (lower, upper) for name, (lower, upper) in value["intervals"].items()},
        scores=ScoresFile(**value["scores"]),
        other_metrics={name: _make_other(metric) for name, metric in value.get("other_metrics", {}).items()},
    )


def _make_other(value: Mapping[str, Any]) -> OtherMetric:
    if "interval" not in value:
        return OtherMetric(value["value"], None)
    lower, upper = value["interval"]
    return OtherMetric(value["value"], (lower, upper))
