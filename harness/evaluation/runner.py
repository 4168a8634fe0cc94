"""Evaluation of a model, from its spec to a result. This module also shows the progress."""

from __future__ import annotations

import dataclasses
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import structs

from harness.evaluation import record as records
from harness.evaluation.layout import TextRows, lay_out_tests, refuse_missing
from harness.evaluation.results import Result, make_result
from harness.evaluation.scoring import ScoredTests, score_tests
from harness.evaluation.transfers import TransferSet, list_identities, measure_transfers, require_tests
from harness.files.hashing import hash_values
from harness.metrics.measuring import choose_split, make_measure
from harness.metrics.named_metrics import NamedMetric
from harness.metrics.rows import UNDECIDED, ScoredRows, make_scored_rows
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Coverage, Model
from harness.models.kinds.baselines import CONSTANT
from harness.stats.bootstrap import CONFIDENCE, bootstrap, find_intervals
from harness.support.hardware import describe_hardware
from harness.support.progress import Progress
from harness.text.words import Tokenizer, WordCounts, count_words
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.extras import find_versions
from pyramid_paraphrase.hub import choose_default_tests
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.sources import Source
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, DATA_VERSION, TRAIN, VALIDATION
from pyramid_paraphrase.rules.propositions import sha256_of
from pyramid_paraphrase.rules.ranges import RESAMPLES, SEED

if TYPE_CHECKING:
    from harness.evaluation.module_metrics import AddedMetric
    from pyramid_paraphrase.building.built_tests import BuiltTest

DEFAULT_RESAMPLES = 1000
_DIGITS_OF_COST = 9


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests that models are evaluated on, laid out once for all models."""

    texts: list[str]
    rows: list[TextRows]
    _word_counts: dict[Tokenizer, WordCounts] = field(default_factory=dict, compare=False)

    def count_words(self, divide: Tokenizer) -> WordCounts:
        """Count the texts whose words say little, once for all models that divide texts in the same way."""
        if divide not in self._word_counts:
            self._word_counts[divide] = count_words(self.texts, divide)
        return self._word_counts[divide]

    @property
    def tests(self) -> tuple[BuiltTest, ...]:
        """The tests, without their layout."""
        return tuple(rows.test for rows in self.rows)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the fingerprints of the tests."""
        return sha256_of(*sorted(test.fingerprint for test in self.tests))

    def for_processes(self) -> Suite:
        """Return the suite for worker processes, with only those tables that models can learn from."""
        rows = []
        for part in self.rows:
            splits = {name: list(tables) for name, tables in part.test.splits.items() if name in (TRAIN, VALIDATION)}
            rows.append(dataclasses.replace(part, test=dataclasses.replace(part.test, splits=splits)))
        return Suite(self.texts, rows)


def load_suite(data: Source | Sequence[Source] | None = None, tasks: str | Sequence[str] | None = None) -> Suite:
    """Load the tests to evaluate on.

    Args:
        data: Annotation files, "sample", or a built folder on this machine or on the Hub ("ORG/NAME"). None for the
            last build.
        tasks: Names of configurations. None for the choice of `choose_default_tests`.

    Returns:
        The suite.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    from pyramid_paraphrase.loading import load_tests

    return Suite(*lay_out_tests(load_tests(list_test_names(data, tasks), data)))


def list_test_names(data: Source | Sequence[Source] | None, tasks: str | Sequence[str] | None) -> list[str]:
    """List the tests to evaluate on, each once. Arguments and errors are the same as for `load_suite`."""
    if tasks is None:
        tasks = choose_default_tests(data)
    names = [tasks] if isinstance(tasks, str) else list(dict.fromkeys(tasks))
    if not names:
        raise OptionError(f"no task given. Choose from: {', '.join(CONFIGURATION_NAMES)}")
    return names


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an evaluation.

    Attributes:
        resamples: Number of bootstrap resamples.
        seed: Random seed of the bootstrap.
        store: Store for embeddings and scores. None for no store.
        resume: Whether to use stored embeddings and scores.
        quiet: Whether to show no progress.
        send_text_to: Hosts of other machines to which texts may be sent, as for `load_model`.
        metrics: Modules of `evaluate` that measure the tests that they fit, in addition to our metrics.
        transfers: Sets of other pairs, to which the thresholds of tests of pairs are applied.

    Raises:
        OptionError: If a number is out of range.
    """

    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0
    store: ModelStore | None = None
    resume: bool = True
    quiet: bool = False
    send_text_to: tuple[str, ...] = ()
    metrics: tuple[NamedMetric, ...] = ()
    transfers: tuple[TransferSet, ...] = ()

    def __post_init__(self) -> None:
        RESAMPLES.check("resamples", self.resamples)
        SEED.check("seed", self.seed)


def _require_thresholds(suite: Suite, settings: Settings, *, fitted: bool, takes_cutoff: bool) -> None:
    """Check that thresholds can be fitted, and that there is one for the pairs of transfers.

    Raises:
        EmptyResultError: If a threshold is fitted, and there are no rows to fit it on.
        OptionError: If there are transfers, and no test of pairs.
    """
    for rows in suite.rows:
        if fitted and not rows.can_fit:
            raise refuse_missing(rows.test, [rows.fit_split], takes_cutoff=takes_cutoff)
    if settings.transfers:
        require_tests(suite.rows)


def evaluate_model(model: Model, suite: Suite, settings: Settings, progress: Progress | None = None) -> Result:
    """Evaluate a loaded model on loaded tests.

    Args:
        model: The model.
        suite: The tests.
        settings: Settings of the evaluation.
        progress: A progress bar. If None, a new one.

    Raises:
        ModelError: If the model fails, or if its output cannot be used.
        EmptyResultError: If it needs a threshold, and there are no rows to fit it on.
        OptionError: If there are transfers, and no test of pairs.
    """
    _require_thresholds(suite, settings, fitted=model.cutoff is None, takes_cutoff="cutoff" in model.options)
    started, earlier_usage = time.perf_counter(), model.find_usage() if model.find_usage else None
    added = load_named_metrics(suite, settings)
    with progress or Progress(visible=not settings.quiet) as bar:
        scores = score_tests(
            model, suite.texts, suite.rows, store=settings.store, resume=settings.resume, listen=bar.follow
        )
        scored_rows: dict[str, ScoredRows] = {}
        measured: dict[str, records.TestRecord] = {}
        transfers: dict[str, dict[str, records.OtherMetric]] = {}
        if settings.transfers:
            transfers = measure_transfers(
                model,
                suite.texts,
                [rows for rows in suite.rows if rows.name in scores.by_test],
                settings.transfers,
                resamples=settings.resamples,
                seed=settings.seed,
                store=settings.store,
                resume=settings.resume,
                listen=bar.follow,
            )
        bar.start("intervals", len(scores.by_test))
        for rows in suite.rows:
            if rows.name in scores.by_test:
                row_scores = scores.by_test[rows.name]
                scored = scored_rows[rows.name] = make_scored_rows(rows, row_scores.values)
                counts = {**scored.count(), **row_scores.counts}
                undecided = scored.count_undecided()
                if undecided and model.kind != CONSTANT.name:
                    counts[UNDECIDED] = undecided
                test = _measure_test(rows.test, scored, counts, settings, model.cutoff, added)
                others = {**test.other_metrics, **transfers.get(rows.name, {})}
                measured[rows.name] = structs.replace(test, other_metrics=others)
                bar.advance(1)
    usage = None
    if model.find_usage is not None and earlier_usage is not None:
        used = model.find_usage().since(earlier_usage)
        cost = None if used.cost is None else round(used.cost, _DIGITS_OF_COST)
        usage = records.UsageRecord(used.requests, used.tokens, cost, used.other_names)
    record = records.Record(
        model=_describe_model(model, suite, scores, scored_rows),
        dataset=records.DataRecord(
            name=NAME,
            data_version=DATA_VERSION,
            fingerprint=suite.fingerprint,
            collections=tuple(sorted(set(chain.from_iterable(test.collections for test in suite.tests)))),
            texts=len(suite.texts),
        ),
        tests=measured,
        statistics=records.StatisticsRecord(CONFIDENCE, settings.resamples, settings.seed, unit="topic"),
        versions={"python": platform.python_version(), **find_versions(), records.PACKAGE: __version__},
        hardware=records.HardwareRecord(**describe_hardware(model.device)),
        time=_make_times(scores, started),
        signature="",
        settings_hash="",
        usage=usage,
        metric_modules={metric.name: metric.sha256 for metric in settings.metrics}
        | list_identities(settings.transfers),
    )
    return make_result(records.sign_record(record), scored_rows)


def load_named_metrics(suite: Suite, settings: Settings) -> Sequence[AddedMetric]:
    """Load the metrics that the user named. Call this before hours of computing, so that errors come early.

    Raises:
        MetricError: If a metric cannot be loaded, or fits none of the tests.
    """
    if not settings.metrics:
        return ()
    from harness.evaluation.module_metrics import load_metrics  # imports `evaluate`

    return load_metrics(settings.metrics, {test.configuration.kind for test in suite.tests})


def _measure_test(
    test: BuiltTest,
    rows: ScoredRows,
    counts: Mapping[str, int],
    settings: Settings,
    cutoff: float | None,
    added: Sequence[AddedMetric],
) -> records.TestRecord:
    """Compute the metrics of a test with their intervals, without the names of the score file.

    Raises:
        MetricError: If a metric that the user named fails.
    """
    from harness.evaluation.module_metrics import publish_metrics  # imports `evaluate`

    split = choose_split(rows, cutoff)
    other_metrics: dict[str, records.OtherMetric] = {}
    for metric in added:
        if split.kind in metric.kinds:
            other_metrics |= metric.measure(split, settings.resamples, settings.seed)
    samples = bootstrap(make_measure(split), split.topic_count, settings.resamples, settings.seed)
    return records.TestRecord(
        kind=rows.kind.name,
        fingerprint=test.fingerprint,
        options=test.rules,
        counts=counts,
        metrics=publish_metrics(split),
        threshold=split.threshold,
        intervals=find_intervals(samples),
        scores=records.ScoresFile("", ""),
        other_metrics=other_metrics,
    )


def _describe_model(
    model: Model, suite: Suite, scores: ScoredTests, scored_rows: Mapping[str, ScoredRows]
) -> records.ModelRecord:
    """Describe a model and what it did with the distinct texts."""
    coverage = model.find_coverage() if model.find_coverage else None
    text_counts = _count_texts(scores, coverage, len(suite.texts))
    if model.divide is not None:  # texts whose words say little
        words = suite.count_words(model.divide)
        text_counts[records.SINGLE_CHARACTERS] = words.single_characters
        if model.abilities.isdisjoint((Ability.ENCODE, Ability.LEARN)):  # encoders have zero vectors for other texts
            text_counts[records.WITHOUT_WORDS] = words.without_words
    options = dict(model.options)
    directions = {test: row_scores.direction for test, row_scores in scores.by_test.items() if row_scores.direction}
    if directions:  # the rule that combines the scores of both orders of a pair, test by test
        options["direction"] = ", ".join(f"{test}: {rule}" for test, rule in directions.items())
    fingerprint = model.fingerprint
    if fingerprint is None:  # an object in memory is identified by its scores
        fingerprint = hash_values({name: rows.scores.tolist() for name, rows in scored_rows.items()})
    return records.ModelRecord(
        name=model.name,
        kind=model.kind,
        spec=model.spec,
        fingerprint=fingerprint,
        options=options,
        dimension=scores.dimension,
        parameters=model.parameters,
        out_of_vocabulary=coverage,
        effective=model.effective,
        text_counts={name: count for name, count in text_counts.items() if count},
        training_data=model.training_data,
    )


def _count_texts(scores: ScoredTests, coverage: Coverage | None, texts: int) -> dict[str, int]:
    """Count the texts that a model did not read as they are.

    Args:
        scores: The scores of the model.
        coverage: The coverage of the model. Zero vectors that it already counts as texts without a vector are left out.
        texts: Number of distinct texts.
    """
    counts: dict[str, int] = {}
    cut, zeros = scores.cut, len(scores.zeros)
    if cut is not None:
        are_texts = scores.dimension is not None
        counts[records.CUT_TEXTS if are_texts else records.CUT_PAIRS] = cut.cut
        counts[records.UNKNOWN_TEXTS if are_texts else records.UNKNOWN_PAIRS] = cut.unknown
        if not are_texts and (cut.cut or cut.unknown):
            counts[records.PAIRS_READ] = cut.inputs
        counts |= {records.CUT_TOKENS: cut.tokens, records.UNKNOWN_TOKENS: cut.unknown_tokens}
    if zeros and (coverage is None or zeros != round(coverage.texts * texts)):
        counts[records.ZERO_VECTORS] = zeros
    return counts


def _make_times(scores: ScoredTests, started: float) -> records.TimeRecord:
    rate = None
    if scores.encoded and scores.seconds:
        rate = round(scores.encoded / scores.seconds, 1)
    return records.TimeRecord(
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        wall_seconds=round(time.perf_counter() - started, 3),
        model_seconds=round(scores.seconds, 3),
        encoded=scores.encoded,
        per_second=rate,
    )
