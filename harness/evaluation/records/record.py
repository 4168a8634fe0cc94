"""The content of a result: a model, the data, the numbers, and how they were computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.files.json_files import Json
from pyramid_paraphrase.rules.kinds import Kind

SHARE = "positive_share"
"""Name of the share of paraphrases, which is stored with the metrics of pairs."""

CUT_TEXTS, CUT_PAIRS, CUT_TOKENS = "cut_texts", "cut_pairs", "cut_tokens"
"""Numbers of distinct texts, or pairs of texts, that are longer than the model reads, and of the tokens cut off."""

UNKNOWN_TEXTS, UNKNOWN_PAIRS, UNKNOWN_TOKENS = "unknown_texts", "unknown_pairs", "unknown_tokens"
"""Numbers of distinct texts, or pairs of texts, without a token that the vocabulary of the model contains, and of all
tokens that it does not contain."""

PAIRS_READ = "pairs"
"""Number of distinct pairs of texts. It is stored with the numbers of cut and of unknown pairs."""

ZERO_VECTORS = "zero_vectors"
"""Number of distinct texts whose vector is zero."""

_BYTES_OF_FLOAT32 = 4
_BYTES = {"float16": 2, "bfloat16": 2, "int8": 1}
"""Bytes per parameter, for every precision other than float32."""


@dataclass(frozen=True, slots=True)
class OutOfVocabulary:
    """Shares of distinct texts that have no vector, each in [0, 1].

    Attributes:
        tokens: Share of the words without a vector, each word as often as it occurs.
        texts: Share of the texts in which no word has a vector.
    """

    tokens: float
    texts: float


WITHOUT_WORDS = "without_words"
"""Number of distinct texts without a word that the model compares. Encoders have zero vectors for these texts."""

SINGLE_CHARACTERS = "single_characters"
"""Number of distinct texts in which single characters are the words, because they have no blanks between words."""


@dataclass(frozen=True, slots=True)
class ModelRecord:
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
    """

    name: str
    kind: str
    spec: str
    fingerprint: str
    options: Mapping[str, Json]
    dimension: int | None
    parameters: int | None
    out_of_vocabulary: OutOfVocabulary | None
    effective: Mapping[str, Json] = field(default_factory=dict)
    text_counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def memory_mib(self) -> float | None:
        """Memory of the parameters in MiB, in the precision in which the model computes. None without parameters."""
        if self.parameters is None:
            return None
        return self.parameters * _BYTES.get(str(self.options.get("dtype")), _BYTES_OF_FLOAT32) / 2**20


@dataclass(frozen=True, slots=True)
class DataRecord:
    """The data that the model was evaluated on.

    Attributes:
        name: Name of the dataset.
        data_version: Version of the rules by which tests are made.
        fingerprint: SHA-256 over the fingerprints of the tests that were loaded.
        collections: Names of the collections, sorted.
        texts: Number of distinct texts.
    """

    name: str
    data_version: str
    fingerprint: str
    collections: tuple[str, ...]
    texts: int


@dataclass(frozen=True, slots=True)
class ScoresFile:
    """The score file of one test, in the folder of the JSON file of the result.

    Attributes:
        file: Name of the file.
        sha256: SHA-256 of the compressed file.
    """

    file: str
    sha256: str


@dataclass(frozen=True, slots=True)
class OtherMetric:
    """The value of a metric that the user named. Models are never ranked by it.

    Attributes:
        value: The value.
        interval: Lower and upper end, or None if the metric is not defined on every resample.
    """

    value: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class TestRecord:
    """The numbers of a model on one test.

    Attributes:
        kind: The kind of the test.
        fingerprint: SHA-256 over the rows of the test.
        options: The rules by which the test is made.
        counts: Numbers of rows by split, of topics, and of paraphrases. For a judge, also of pairs without an answer.
        metrics: Values by name of the metric, with the share of paraphrases. Other releases may have other metrics.
        threshold: Lowest score that is called a paraphrase or a match, or None if the kind of test has no threshold.
        intervals: Lower and upper end by name of the metric. Some metrics have none.
        scores: The score file. Its fields are empty until `make_result` has rendered the scores.
        other_metrics: Values of metrics that the user named, by name.
    """

    kind: Kind
    fingerprint: str
    options: Mapping[str, Json]
    counts: Mapping[str, int]
    metrics: Mapping[str, float]
    threshold: float | None
    intervals: Mapping[str, tuple[float, float]]
    scores: ScoresFile = ScoresFile("", "")
    other_metrics: Mapping[str, OtherMetric] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[str, float]:
        """The metrics and the threshold by name. The share of paraphrases, a property of the data, comes last."""
        numbers = {name: value for name, value in self.metrics.items() if name != SHARE}
        if self.threshold is not None:
            numbers["threshold"] = self.threshold
        if SHARE in self.metrics:
            numbers[SHARE] = self.metrics[SHARE]
        return numbers


@dataclass(frozen=True, slots=True)
class StatisticsRecord:
    """The settings of the bootstrap.

    Attributes:
        confidence: Confidence of the intervals, in (0, 1).
        resamples: Number of resamples.
        seed: Random seed.
        unit: The unit that is drawn: "topic".
    """

    confidence: float
    resamples: int
    seed: int
    unit: str


@dataclass(frozen=True, slots=True)
class HardwareRecord:
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
    cores: int
    memory_gib: float
    platform: str


@dataclass(frozen=True, slots=True)
class TimeRecord:
    """When the evaluation ended, and how long it took.

    Attributes:
        date: Time at which the evaluation ended, in ISO format, UTC.
        wall_seconds: Seconds of the whole evaluation.
        model_seconds: Seconds of the model.
        encoded: Number of texts, pairs or options that the model computed.
        per_second: `encoded` per second of the model, or None if the model computed nothing.
    """

    date: str
    wall_seconds: float
    model_seconds: float
    encoded: int
    per_second: float | None


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """The usage of the server of a model. Texts with stored vectors are not included.

    Attributes:
        requests: Number of requests that were sent, including repeated requests.
        tokens: Number of tokens that the server counted, or None if it does not count tokens.
        cost: Price of the tokens, in the currency of the user's price, or None if the price is unknown.
        models: Names under which the server reported the model, except the requested name.
    """

    requests: int
    tokens: int | None
    cost: float | None
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
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
        metric_modules: SHA-256 of the code of each metric that the user named, by name.
    """

    model: ModelRecord
    dataset: DataRecord
    tests: Mapping[str, TestRecord]
    statistics: StatisticsRecord
    versions: Mapping[str, str]
    hardware: HardwareRecord
    time: TimeRecord
    signature: str = ""
    settings_hash: str = ""
    usage: UsageRecord | None = None
    metric_modules: Mapping[str, str] = field(default_factory=dict)
