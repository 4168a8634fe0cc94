"""Comparison of models on the same rows: differences in their metrics, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from harness.evaluation.comparing.differences import DifferenceList, compare_all, compare_with
from harness.evaluation.comparing.standings import MeasuredModel, Standing, make_standing, order_tests
from harness.evaluation.results import Result
from harness.metrics.measuring import make_measure, measure_contributions, measure_split
from harness.metrics.metric import Metric
from harness.metrics.rows import Key, ScoredRows, ScoredSplit, align
from harness.metrics.table import list_published
from harness.models.registry import ROLES, Role, find_role
from harness.stats.bootstrap import Samples, bootstrap
from harness.support.errors import ComparisonError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, Configuration, find_configuration
from pyramid_paraphrase.rules.ranges import RESAMPLES, SEED


@dataclass(frozen=True, slots=True)
class ComparedMetric:
    """Models compared in one metric of one test.

    Attributes:
        test_name: Name of the configuration.
        fingerprint: Fingerprint of the test.
        collections: Names of the collections that the test was built from.
        metric: The metric.
        topics: Number of topics with rows, which limits how small p-values can be.
        standing: The models by role, the best value of each role first. It follows from the other facts, and does not
            count when comparisons are compared.
        differences: The differences between pairs of models, the best values first. Their intervals are computed when
            they are needed.
        against: Name of the model that all others are compared with. Empty if all are compared with all.
    """

    test_name: str
    fingerprint: str
    collections: tuple[str, ...]
    metric: Metric
    topics: int
    standing: Standing = field(compare=False)
    differences: DifferenceList
    against: str

    @property
    def values(self) -> dict[str, float]:
        """Values by name of the model, in the order of the standing."""
        return {member.name: member.metrics[self.metric.name] for member in self.standing.members}


def compare(
    results: Sequence[Result],
    against: str | None = None,
    *,
    resamples: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[ComparedMetric]:
    """Compare all models with each other, or with one of them, topic by topic.

    Args:
        results: Results of two or more models. Results on different data are compared separately. If a model has
            several results on a test of the same data, the latest one counts.
        against: Name of the model that all others are compared with. None for all pairs of models.
        resamples: Number of bootstrap resamples for the intervals. The p-values are exact.
        seed: Random seed of the bootstrap.
        progress: A progress bar.

    Returns:
        One comparison per metric of each test that at least two of the models share, in the order of `order_tests`.
        The worse model of a pair is the first one, unless all models are compared with `against`.

    Raises:
        ComparisonError: If there are fewer than two models, if they have no test in common, or if they were evaluated
            on different data only.
        OptionError: If a number is out of range, or `against` is not the name of a model.
    """
    RESAMPLES.check("resamples", resamples)
    SEED.check("seed", seed)
    models = group_by_model(results)
    if against is not None and against not in models:
        raise unknown_name("model", against, list(models))
    if not models:
        raise ComparisonError("no results were given. Pass the results of two or more models")
    if len(models) == 1:
        raise ComparisonError(f"all results are of the model {results[0].place}. Add a result of another model")
    comparisons: list[ComparedMetric] = []
    bar = progress or Progress(visible=False)
    for test_name in order_tests(CONFIGURATION_NAMES):
        for scored in _list_comparable(models, test_name, against):
            measured = _measure_models(scored, test_name, resamples, seed, bar)
            comparisons += _compare_models(measured, scored, find_configuration(test_name), against, bar)
    if not comparisons:
        names = " and ".join(model_results[-1].place for model_results in models.values())
        raise ComparisonError(f"{names} have no test in common. Evaluate the models on the same tests")
    return comparisons


def group_by_model(results: Iterable[Result]) -> dict[str, list[Result]]:
    """Group results by model.

    Returns:
        The results by unique name of the model, the latest last. If several models have the same name, the beginning of
        the fingerprint is appended to it.
    """
    models: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        models.setdefault((result.model, result.record.model.fingerprint), []).append(result)
    names = [name for name, _ in models]
    groups = {}
    for (name, fingerprint), model_results in models.items():
        title = name
        if names.count(name) > 1:
            title += f" [{fingerprint[:8]}]"
        groups[title] = sorted(model_results, key=lambda result: result.record.time.date)
    return groups


def _list_comparable(
    models: Mapping[str, Sequence[Result]], test_name: str, against: str | None
) -> list[dict[str, Result]]:
    """List the results on a test that can be compared, by data.

    Returns:
        For each data of the test, the latest result of each model by name of the model, with `against` among them.

    Raises:
        ComparisonError: If no two models were evaluated on the same data.
    """
    groups: dict[str, dict[str, Result]] = {}
    for name, results in models.items():
        for result in results:
            if test_name in result.tests:
                groups.setdefault(result.tests[test_name].fingerprint, {})[name] = result
    if against is not None and not any(against in scored for scored in groups.values()):
        return []
    comparable = [scored for scored in groups.values() if len(scored) > 1 and against in (None, *scored)]
    if len(groups) > 1 and not comparable:
        places = " and ".join(next(iter(scored.values())).place for scored in groups.values())
        fingerprints = " and ".join(fingerprint[:12] for fingerprint in groups)
        raise ComparisonError(
            f"{places} were evaluated on different data: {test_name} has the fingerprints {fingerprints}. Evaluate the "
            "models on the same data"
        )
    return comparable


def _measure_models(
    scored: Mapping[str, Result], test_name: str, resamples: int, seed: int, progress: Progress
) -> list[MeasuredModel]:
    """Measure models on the same rows of a test."""
    key = next(iter(scored.values())).rows[test_name]
    models = []
    for name, result in progress.track(scored.items(), f"measure models on {test_name}", len(scored)):
        rows = align_rows(result, test_name, key)
        select_split = partial(rows.test_split, result.tests[test_name].threshold)
        metrics = measure_split(select_split())
        role = find_role(result.record.model.kind)
        models.append(measure_model(name, role, metrics, select_split, resamples, seed))
    return models


def _compare_models(
    models: Sequence[MeasuredModel],
    scored: Mapping[str, Result],
    configuration: Configuration,
    against: str | None,
    progress: Progress,
) -> Iterator[ComparedMetric]:
    """Compare models on one test, metric by metric."""
    test_name = configuration.name
    first = next(iter(scored.values()))
    topics = first.rows[test_name].test_split(None).topic_count
    for metric in list_published(configuration):
        ranked = sorted(models, key=lambda model: (-metric.sign * model.metrics[metric.name], model.name))
        by_role = sorted(range(len(ranked)), key=lambda number: ROLES.index(ranked[number].role))
        if against is None:
            step = f"compare models by {metric.name} of {test_name}"
            differences = compare_all(metric, ranked, lambda rows: progress.track(rows, step, len(models)))  # noqa: B023
            differs = differences.find_differing()[np.ix_(by_role, by_role)]
        else:
            differences, differs = compare_with(metric, ranked, against), None
        yield ComparedMetric(
            test_name=test_name,
            fingerprint=first.tests[test_name].fingerprint,
            collections=tuple(first.record.dataset.collections),
            metric=metric,
            topics=topics,
            standing=make_standing(test_name, metric, [ranked[number] for number in by_role], differs),
            differences=differences,
            against=against or "",
        )


def measure_model(
    name: str,
    role: Role,
    metrics: Mapping[str, float],
    select_split: Callable[[], ScoredSplit],
    resamples: int,
    seed: int,
) -> MeasuredModel:
    """Measure a model, except for its resamples, which take long and are computed when they are needed first.

    Args:
        name: Its name.
        role: What it is compared as.
        metrics: Its values by name of the metric.
        select_split: Returns the scores of the model on the test split. It is called again for the resamples, because
            splits take several times the memory of rows, whose arrays models share except for the scores.
        resamples: Number of resamples of the bootstrap.
        seed: Random seed of the bootstrap.
    """

    @cache
    def resample() -> Samples:
        split = select_split()
        return bootstrap(make_measure(split), split.topic_count, resamples, seed)

    return MeasuredModel(name, role, metrics, measure_contributions(select_split()), resample)


def align_rows(result: Result, test_name: str, key: Key) -> ScoredRows:
    """Sort the rows of a test in the order of a key.

    Raises:
        ComparisonError: If the rows are different although the fingerprints are equal.
    """
    try:
        return align(result.rows[test_name], key)
    except ValueError as error:
        reason = f"the rows of {test_name} do not match its fingerprint ({error})"
        raise ComparisonError(f"{result.place}: {reason}. Evaluate the model again") from None
