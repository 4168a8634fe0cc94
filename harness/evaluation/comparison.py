"""Compare models with the first one: differences of their metrics, with intervals and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from harness.evaluation.results import Result
from harness.metrics.differences import Comparison, compare_scored
from harness.metrics.rows import Key, ScoredRows, align
from harness.metrics.table import list_published
from harness.stats.significance import correct_holm
from harness.support.errors import ComparisonError
from pyramid_paraphrase.options import find_configuration
from pyramid_paraphrase.ranges import RESAMPLES, SEED


class Difference(NamedTuple):
    """The difference between a model and the first one in one metric of one test.

    Attributes:
        model: Name of the model.
        test_name: Name of the configuration.
        metric: Name of the metric.
        comparison: Both values, recomputed from the scores, their difference with interval, p-value and topics.
        corrected: The p-value, corrected for all comparisons.
        topics: How many topics have rows; this limits how small the p-value can be.
    """

    model: str
    test_name: str
    metric: str
    comparison: Comparison
    corrected: float
    topics: int


def compare(results: Sequence[Result], *, resamples: int = 1000, seed: int = 0) -> list[Difference]:
    """Compare models with the first one, topic by topic.

    Args:
        results: Two or more, on the same data; several copies of a result count once.
        resamples: Number of bootstrap resamples for the intervals; p-values are exact.
        seed: Random seed of the bootstrap.

    Returns:
        A difference for each model after the first, each test that it shares with the first, and each metric. All
        p-values together are corrected by Holm's method.

    Raises:
        ComparisonError: If there are fewer than two different results, if they have no test in common, or if they were
            evaluated on different rows.
        OptionError: If a number is out of range.
    """
    RESAMPLES.check("resamples", resamples)
    SEED.check("seed", seed)
    if len(results) < 2:
        raise ComparisonError("one result compares with nothing; give two or more")
    first, *others = _drop_repeated(results)
    if not others:
        raise ComparisonError(f"{first.place} is given twice, and nothing else; give the result of another model")
    differences = []
    for result in others:
        for test_name in _list_shared_tests(first, result):
            differences += _compare_test(first, result, test_name, resamples, seed)
    corrected = correct_holm([difference.comparison.p_value for difference in differences])
    return [difference._replace(corrected=p_value) for difference, p_value in zip(differences, corrected, strict=True)]


def _drop_repeated(results: Sequence[Result]) -> list[Result]:
    """Keep one of several copies of a result, for instance if a file and its folder are both given."""
    distinct: list[Result] = []
    for result in results:
        if not any(_is_same(result, earlier) for earlier in distinct):
            distinct.append(result)
    return distinct


def _is_same(result: Result, earlier: Result) -> bool:
    """Whether two results are of the same model, and have equal scores for the same rows of the same tests."""
    if result.model != earlier.model or result.tests.keys() != earlier.tests.keys():
        return False
    return all(
        result.tests[test_name].fingerprint == earlier.tests[test_name].fingerprint
        and _has_equal_rows(result.rows[test_name], earlier.rows[test_name])
        for test_name in result.tests
    )


def _has_equal_rows(rows: ScoredRows, earlier: ScoredRows) -> bool:
    if (rows.ids, rows.topic_names) != (earlier.ids, earlier.topic_names):
        return False
    names = ("is_test", "targets", "topics", "scores")
    return all(np.array_equal(getattr(rows, name), getattr(earlier, name)) for name in names)


def _list_shared_tests(first: Result, second: Result) -> list[str]:
    shared = [test_name for test_name in first.tests if test_name in second.tests]
    if not shared:
        names = f"{first.place} and {second.place}"
        raise ComparisonError(f"{names} have no test in common; evaluate the models on the same tests")
    return shared


def _compare_test(first: Result, second: Result, test_name: str, resamples: int, seed: int) -> list[Difference]:
    """Compare two results on a test; the p-values are not corrected yet."""
    fingerprints = [result.tests[test_name].fingerprint for result in (first, second)]
    if fingerprints[0] != fingerprints[1]:
        prints = " and ".join(fingerprint[:12] for fingerprint in fingerprints)
        raise ComparisonError(
            f"{first.place} and {second.place} were evaluated on different data: {test_name} has the fingerprints "
            f"{prints}; evaluate both on the same"
        )
    rows = first.rows[test_name]
    first_split = rows.test_split(first.tests[test_name].threshold)
    second_split = align_rows(second, test_name, rows).test_split(second.tests[test_name].threshold)
    metrics = list_published(find_configuration(test_name))
    comparisons = compare_scored(first_split, second_split, metrics, resamples, seed)
    return [
        Difference(
            model=second.model,
            test_name=test_name,
            metric=metric,
            comparison=comparison,
            corrected=comparison.p_value,
            topics=first_split.topic_count,
        )
        for metric, comparison in comparisons.items()
    ]


def align_rows(result: Result, test_name: str, key: Key) -> ScoredRows:
    """Bring the rows of a test into the order of those of another result.

    Raises:
        ComparisonError: If the rows are different although the fingerprints are equal.
    """
    try:
        return align(result.rows[test_name], key)
    except ValueError as error:
        reason = f"has other rows of {test_name} than its fingerprint says ({error})"
        raise ComparisonError(f"{result.place}: {reason}; evaluate it again") from None
