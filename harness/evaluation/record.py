"""The content of a result: a model, the data, the numbers, and how they were computed.

Fields are in the order of the JSON file. The signature, the hash of the settings and the name of the files are derived
from the other fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from harness.files.hashing import hash_values
from harness.files.json_files import (
    Amount,
    Count,
    Json,
    JsonRecord,
    Line,
    Name,
    PositiveCount,
    Sha256,
    ShortLine,
)
from harness.models.interfaces.model import MAX_DATASETS, Coverage

SCHEMA_VERSION = 2

SHARE = "positive_share"
"""Name of the share of paraphrases, which is stored with the metrics of pairs."""

TRANSFER = "transfer."
"""Beginning of the names of sets of other pairs, and of their metrics."""

CUT_TEXTS, CUT_PAIRS, CUT_TOKENS = "cut_texts", "cut_pairs", "cut_tokens"
"""Numbers of distinct texts, or pairs of texts, that are longer than the model reads, and of the tokens cut off."""

UNKNOWN_TEXTS, UNKNOWN_PAIRS, UNKNOWN_TOKENS = "unknown_texts", "unknown_pairs", "unknown_tokens"
"""Numbers of distinct texts, or pairs of texts, without a token that the vocabulary of the model contains, and of all
tokens that it does not contain."""

PAIRS_READ = "pairs"
"""Number of distinct pairs of texts. It is stored with the numbers of cut and of unknown pairs."""

ZERO_VECTORS = "zero_vectors"
"""Number of distinct texts whose vector is zero."""

_FEW, _AT_MOST_FEW = Meta(min_length=1, max_length=50), Meta(max_length=50)
_OtherName = Annotated[
    str,
    Meta(pattern=r"^[A-Za-z0-9_.-]{1,101}\Z", description="a name of at most 101 letters a to z, digits, _, . and -"),
]

_BYTES_OF_FLOAT32 = 4
_BYTES = {"float16": 2, "bfloat16": 2, "int8": 1}
"""Bytes per parameter, for every precision other than float32."""

WITHOUT_WORDS = "without_words"
"""Number of distinct texts without a word that the model compares. Encoders have zero vectors for these texts."""

SINGLE_CHARACTERS = "single_characters"
"""Number of distinct texts in which single characters are the words, because they have no blanks between words."""

COUNTS_OF_TEXTS = (CUT_TEXTS, UNKNOWN_TEXTS, ZERO_VECTORS, WITHOUT_WORDS, SINGLE_CHARACTERS)
COUNTS_OF_PAIRS = (CUT_PAIRS, UNKNOWN_PAIRS)
"""Numbers of distinct texts, which are at most that of all texts, and of pairs, at most `PAIRS_READ`."""

PACKAGE = "pyramid-paraphrase"
_HASHED_VERSION = 1


class ModelRecord(JsonRecord, frozen=True):
    """The model that was evaluated.

    Attributes:
        name: Its name in tables and paths.
        kind: Name of its kind, such as "sentence-transformers". Other releases may have other kinds.
        spec: The spec that the user typed.
        fingerprint: SHA-256 over everything that determines its scores.
        options: Its options.
        dimension: Dimension of its vectors, or None if it makes none.
        parameters: Number of parameters, or None if it has none in the usual sense.
        out_of_vocabulary: Shares of words and texts without a vector, or None if the model has no vocabulary.
        effective: Settings that took effect without an option, such as the prompt and the maximum length of a
            configuration. Empty if the model has none, and in results of earlier releases.
        text_counts: Numbers of texts that the model did not read as they are, by `CUT_TEXTS` and the other names below.
            Numbers of 0 are left out.
        training_data: Names of the data on which it was trained, according to its model card at the time of the
            evaluation. Empty if it names none, and in results of earlier releases.
    """

    name: ShortLine
    kind: Annotated[str, Meta(min_length=1, max_length=50)]
    spec: Annotated[str, Meta(max_length=20_000)]
    fingerprint: Sha256
    options: Mapping[str, Any]
    dimension: PositiveCount | None
    parameters: Count | None
    out_of_vocabulary: Coverage | None
    effective: Annotated[Mapping[Name, str | int | bool], _FEW] = {}
    text_counts: Annotated[Mapping[Name, PositiveCount], _FEW] = {}
    training_data: Annotated[tuple[ShortLine, ...], Meta(min_length=1, max_length=MAX_DATASETS)] = ()

    @property
    def memory_mib(self) -> float | None:
        """Memory of the parameters in MiB, in the precision in which the model computes. None without parameters."""
        if self.parameters is None:
            return None
        return self.parameters * _BYTES.get(str(self.options.get("dtype")), _BYTES_OF_FLOAT32) / 2**20


class DataRecord(JsonRecord, frozen=True):
    """The data that the model was evaluated on.

    Attributes:
        name: Name of the dataset.
        data_version: Version of the rules by which tests are made.
        fingerprint: SHA-256 over the fingerprints of the tests that were loaded.
        collections: Names of the collections, sorted.
        texts: Number of distinct texts.
    """

    name: Literal["pyramid_paraphrase"]
    data_version: str
    fingerprint: Sha256
    collections: tuple[Line, ...]
    texts: PositiveCount


class ScoresFile(JsonRecord, frozen=True):
    """The score file of one test, in the folder of the JSON file of the result.

    Attributes:
        file: Name of the file.
        sha256: SHA-256 of the compressed file.
    """

    file: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.csv\.gz\Z", description="the name of a file that ends in .csv.gz"
        ),
    ]
    sha256: Sha256


class OtherMetric(JsonRecord, frozen=True):
    """The value of a metric that the user named. Models are never ranked by it.

    Attributes:
        value: The value.
        interval: Lower and upper end, or None if the metric is not defined on every resample.
    """

    value: float
    interval: tuple[float, float] | None = None


class TestRecord(JsonRecord, frozen=True, kw_only=True):
    """The numbers of a model on one test.

    Attributes:
        kind: Name of the kind of the test.
        fingerprint: SHA-256 over the rows of the test.
        options: The rules by which the test is made.
        counts: Numbers of rows by split, of topics, and of paraphrases. For a judge, also of pairs without an answer.
        metrics: Values by name of the metric, with the share of paraphrases. Other releases may have other metrics.
        threshold: Lowest score that is called a paraphrase or a match, or None if the kind of test has no threshold.
        intervals: Lower and upper end by name of the metric. Some metrics have none.
        scores: The score file. Its fields are empty until `make_result` has rendered the scores.
        other_metrics: Values of metrics that the user named, by name, and of sets of other pairs, whose names begin
            with `TRANSFER`.
    """

    kind: Annotated[str, Meta(pattern=r"^[a-z]+( [a-z]+)*\Z", max_length=50)]
    fingerprint: Sha256
    options: Mapping[str, Any]
    counts: Mapping[str, Count]
    metrics: Annotated[Mapping[Name, float], _AT_MOST_FEW]
    threshold: float | None = None
    intervals: Annotated[Mapping[Name, tuple[float, float]], _AT_MOST_FEW]
    scores: ScoresFile
    other_metrics: Annotated[Mapping[_OtherName, OtherMetric], _FEW] = {}

    @property
    def numbers(self) -> dict[str, float]:
        """The metrics and the threshold by name. The share of paraphrases, a property of the data, comes last."""
        numbers = {name: value for name, value in self.metrics.items() if name != SHARE}
        if self.threshold is not None:
            numbers["threshold"] = self.threshold
        if SHARE in self.metrics:
            numbers[SHARE] = self.metrics[SHARE]
        return numbers


class StatisticsRecord(JsonRecord, frozen=True):
    """The settings of the bootstrap.

    Attributes:
        confidence: Confidence of the intervals, in (0, 1).
        resamples: Number of resamples.
        seed: Random seed.
        unit: The unit that is drawn: "topic".
    """

    confidence: Annotated[float, Meta(gt=0, lt=1)]
    resamples: PositiveCount
    seed: Count
    unit: Literal["topic"]


class HardwareRecord(JsonRecord, frozen=True):
    """The machine that computed the result.

    Attributes:
        device: Device of the model, such as "cpu" or "cuda:0".
        device_name: Name of that device.
        processor: Name of the processor.
        cores: Number of cores that the process could use.
        memory_gib: Memory of the machine in GiB.
        platform: Operating system and architecture.
    """

    device: str
    device_name: str
    processor: str
    cores: PositiveCount
    memory_gib: Amount
    platform: str


class TimeRecord(JsonRecord, frozen=True):
    """When the evaluation ended, and how long it took.

    Attributes:
        date: Time at which the evaluation ended, in ISO format, UTC.
        wall_seconds: Seconds of the whole evaluation.
        model_seconds: Seconds of the model.
        encoded: Number of texts, pairs or options that the model computed.
        per_second: `encoded` per second of the model, or None if the model computed nothing.
    """

    date: str
    wall_seconds: Amount
    model_seconds: Amount
    encoded: Count
    per_second: Amount | None


class UsageRecord(JsonRecord, frozen=True):
    """The usage of the server of a model. Texts with stored vectors are not included.

    Attributes:
        requests: Number of requests that were sent, including repeated requests.
        tokens: Number of tokens that the server counted, or None if it does not count tokens.
        cost: Price of the tokens, in the currency of the user's price, or None if the price is unknown.
        models: Names under which the server reported the model, except the requested name.
    """

    requests: Count
    tokens: Count | None
    cost: Amount | None
    models: Annotated[tuple[ShortLine, ...], Meta(min_length=1, max_length=10)] = ()


class Record(JsonRecord, frozen=True, kw_only=True, tag_field="schema_version", tag=SCHEMA_VERSION):
    """The content of a result.

    Attributes:
        model: The model.
        dataset: The data.
        tests: Numbers by name of the configuration.
        statistics: Settings of the bootstrap.
        versions: Versions of Python and libraries by name.
        hardware: The machine.
        time: Date and durations.
        signature: A line that names every setting that determines the numbers. Empty until `sign_record` makes it.
        settings_hash: SHA-256 of the settings that determine the numbers. Empty until `sign_record` makes it.
        usage: The usage of the server of the model, or None without a server.
        metric_modules: SHA-256 of the code of each metric that the user named, and of the pairs of each set of other
            pairs, by name.
    """

    model: ModelRecord
    dataset: DataRecord
    tests: Annotated[Mapping[Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,49}\Z")], TestRecord], Meta(min_length=1)]
    statistics: StatisticsRecord
    versions: Mapping[str, str]
    hardware: HardwareRecord
    time: TimeRecord
    signature: Line
    settings_hash: Sha256
    usage: UsageRecord | None = None
    metric_modules: Annotated[Mapping[_OtherName, Sha256], _FEW] = {}


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


def describe_metric(name: str) -> str:
    """Return the title of another metric, such as "snli: false alarms" for "transfer.snli.false_alarms"."""
    if not name.startswith(TRANSFER):
        return name
    chosen, _, metric = name.removeprefix(TRANSFER).rpartition(".")
    return f"{chosen}: {metric.replace('_', ' ')}"


def list_settings(model: ModelRecord) -> Iterator[tuple[str, str]]:
    """List options, the settings of the configuration that took effect, and training data, each with a title."""
    for name, value in sorted(model.options.items()):
        yield f"Option {name}", str(value)
    for name, value in model.effective.items():
        yield f"Configuration: {name}", str(value)
    if model.training_data:
        yield "Training data, according to the model card", ", ".join(model.training_data)


def describe_versions(versions: Mapping[str, str]) -> str:
    """List the names and versions of libraries in one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
