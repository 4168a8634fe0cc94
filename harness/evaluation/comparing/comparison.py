"""Comparison of models on the same rows: differences in their metrics, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from harness.evaluation.comparing.standings import MeasuredModel, Standing, make_standing, order_tests
from harness.evaluation.results import Result
from harness.metrics.measuring import make_measure, measure_contributions
from harness.metrics.metric import Metric
from harness.metrics.rows import Key, ScoredRows, ScoredSplit, align
from harness.metrics.table import list_published
from harness.models.registry import ROLES, Role, find_role
from harness.stats.bootstrap import Samples, bootstrap, find_interval
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE, correct_holm, flip_signs
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES, Configuration, find_configuration
from pyramid_paraphrase.rules.ranges import RESAMPLES, SEED


class Difference(NamedTuple):
    """The difference between two models in one metric of one test, recomputed from the scores.

    Attributes:
        first: Name of the first model, with which the second is compared.
        model: Name of the second model.
        first_value: The first model's value.
        value: The second model's value.
        difference: The second model's value minus the first model's.
        interval: The middle 95 % of the differences over the resamples.
        p_value: P-value of the sign-flip test over the contributions of topics (`significance.flip_signs`), two-sided.
            1 with fewer than `MIN_TOPICS` topics.
        won: Number of topics whose contribution to the difference favours the second model. The contributions of all
            topics sum to the difference. More than `significance.MOST_TOPICS` topics are merged into groups, as
            `measure_contributions` does, and a group counts as a topic.
        tied: Number of topics that contribute nothing to it.
        lost: Number of topics whose contribution favours the first model.
        corrected: The p-value, corrected for all differences in this metric of this test (Holm 1979).
    """

    first: str
    model: str
    first_value: float
    value: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    won: int
    tied: int
    lost: int
    corrected: float

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p-value is below the significance level."""
        return self.corrected < SIGNIFICANCE


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
        differences: The differences between pairs of models, the best values first.
        against: Name of the model that all others are compared with. Empty if all are compared with all.
    """

    test_name: str
    fingerprint: str
    collections: tuple[str, ...]
    metric: Metric
    topics: int
    standing: Standing = field(compare=False)
    differences: tuple[Difference, ...]
    against: str

    @property
    def values(self) -> dict[str, float]:
        """Values by name of the model, in the order of the standing."""
        return {member.name: member.metrics[self.metric.name] for member in self.standing.members}


def compare(
    results: Sequence[Result], against: str | None = None, *, resamples: int = 1000, seed: int = 0
) -> list[ComparedMetric]:
    """Compare all models with each other, or with one of them, topic by topic.

    Args:
        results: Results of two or more models. Results on different data are compared separately. If a model has
            several results on a test of the same data, the latest one counts.
        against: Name of the model that all others are compared with. None for all pairs of models.
        resamples: Number of bootstrap resamples for the intervals. The p-values are exact.
        seed: Random seed of the bootstrap.

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
    for test_name in order_tests(CONFIGURATION_NAMES):
        for scored in _list_comparable(models, test_name, against):
            comparisons += _compare_test(scored, find_configuration(test_name), against, resamples, seed)
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


def _compare_test(
    scored: Mapping[str, Result], configuration: Configuration, against: str | None, resamples: int, seed: int
) -> Iterator[ComparedMetric]:
    """Compare models on one test, metric by metric."""
    test_name = configuration.name
    first = next(iter(scored.values()))
    models = []
    for name, result in scored.items():
        rows = align_rows(result, test_name, first.rows[test_name])
        select_split = partial(rows.test_split, result.tests[test_name].threshold)
        split = select_split()
        values = make_measure(split)(np.ones((1, split.topic_count)))
        metrics = {metric: round(float(value), DECIMALS) for metric, (value,) in values.items()}
        role = find_role(result.record.model.kind)
        models.append(measure_model(name, role, metrics, select_split, resamples, seed))
    for metric in list_published(configuration):
        ranked = sorted(models, key=lambda model: (-metric.sign * model.metrics[metric.name], model.name))
        pairs = [(worse, better) for better, worse in combinations(ranked, 2)]
        if against is not None:
            baseline = next(model for model in models if model.name == against)
            pairs = [(baseline, model) for model in ranked if model is not baseline]
        differences = [compare_pair(*pair, metric) for pair in pairs]
        corrected = correct_holm([difference.p_value for difference in differences])
        corrected_differences = [
            difference._replace(corrected=p_value) for difference, p_value in zip(differences, corrected, strict=True)
        ]
        yield ComparedMetric(
            test_name=test_name,
            fingerprint=first.tests[test_name].fingerprint,
            collections=tuple(first.record.dataset.collections),
            metric=metric,
            topics=split.topic_count,
            standing=make_standing(test_name, metric, sorted(ranked, key=lambda model: ROLES.index(model.role))),
            differences=tuple(corrected_differences),
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


def compare_pair(first: MeasuredModel, second: MeasuredModel, metric: Metric) -> Difference:
    """Compare two models on the same rows: an interval by the paired bootstrap over topics, a p-value by sign flips.

    The p-value does not depend on resamples or seed. The share of bootstrap differences beyond the observed one would
    be too small for few topics: benchmarks/sign_flips.py counts how often it is below 0.05 for equally good models.

    Args:
        first: The first model.
        second: The second model, measured with the same resamples and seed.
        metric: The metric.

    Returns:
        The difference. Its p-value is not corrected yet.
    """
    name = metric.name
    first_value, value = first.metrics[name], second.metrics[name]
    parts = metric.sign * (second.contributions[name] - first.contributions[name])
    gains = np.round(parts, DECIMALS)
    p_value = 1.0
    if len(parts) >= MIN_TOPICS:
        p_value = float(f"{flip_signs(parts):.6g}")  # six significant digits, so that a small p-value is not 0
    return Difference(
        first.name,
        second.name,
        first_value=first_value,
        value=value,
        difference=round(value - first_value, DECIMALS),
        interval=find_interval(second.resample()[name] - first.resample()[name]),
        p_value=p_value,
        won=int((gains > 0).sum()),
        tied=int((gains == 0).sum()),
        lost=int((gains < 0).sum()),
        corrected=p_value,
    )


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
