"""Values derived from a record: its signature, the hash of its settings, and the name of its files."""

from __future__ import annotations

import re

from msgspec.structs import asdict, replace

from harness.evaluation.records.record import Record
from harness.files.hashing import hash_values
from harness.files.json_files import Json

PACKAGE = "pyramid-paraphrase"
_HASHED_VERSION = 1


def sign_record(record: Record) -> Record:
    """Return a record with its signature and the hash of its settings."""
    return replace(record, signature=make_signature(record), settings_hash=hash_settings(record))


def make_signature(record: Record) -> str:
    """Make the line that names every setting that determines the numbers of a record, the version last."""
    model, statistics = record.model, record.statistics
    options = [f"{key}:{_shorten(str(value))}" for key, value in sorted(model.options.items())]
    tests = [f"{name}:{test.fingerprint[:12]}" for name, test in record.tests.items()]
    metrics = [f"metric:{name}:{sha256[:12]}" for name, sha256 in sorted(record.metric_modules.items())]
    bootstrap = f"bootstrap:{statistics.resamples}/{statistics.seed}"
    parts = [f"data:{record.dataset.data_version}", *tests, f"model:{model.kind}:{model.fingerprint[:12]}"]
    return "|".join([*parts, *options, *metrics, bootstrap, f"version:{record.versions.get(PACKAGE)}"])


def _shorten(value: str) -> str:
    """Return a short plain value as it is, and the beginning of the SHA-256 of any other value."""
    if re.fullmatch(r"[\w.-]{1,40}", value):
        return value
    return hash_values(value)[:12]


def hash_settings(record: Record) -> str:
    """Compute the SHA-256 over everything, except the data, that determines the numbers of a record."""
    decisive: dict[str, Json] = {
        "model": record.model.fingerprint,
        "tasks": sorted(record.tests),
        "statistics": asdict(record.statistics),
        # Files are named by this hash. It is the same in all versions of the schema, so that the files of a new
        # evaluation replace those of an old one.
        "schema": _HASHED_VERSION,
    }
    if record.metric_modules:
        decisive["metrics"] = dict(record.metric_modules)
    return hash_values(decisive)


def result_stem(record: Record) -> str:
    """Return the name of the files of a result, without a suffix."""
    return f"{record.dataset.fingerprint[:12]}-{record.settings_hash[:8]}"
