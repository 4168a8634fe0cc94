"""Which of several models is better, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from harness.evaluation.items import Items, Key, align
from harness.evaluation.results import Result
from harness.metrics.differences import Comparison, compare_scored
from harness.stats.significance import correct_holm
from harness.support.errors import ComparisonError
from pyramid_paraphrase.options import find_configuration
from pyramid_paraphrase.ranges import RESAMPLES, SEED


class Difference(NamedTuple):
    """A model against the first one on one metric of one task.

    Attributes:
        model: Name of the model.
        task: Name of the configuration.
        metric: Name of the metric.
        comparison: Both values, recomputed from the scores, their difference with interval, p-value and topics.
        corrected: The p-value, corrected for all comparisons that are made.
        topics: How many topics have rows; this limits how small the p-value can be.
    """

    model: str
    task: str
    metric: str
    comparison: Comparison
    corrected: float
    topics: int


def compare(results: Sequence[Result], *, resamples: int = 1000, seed: int = 0) -> list[Difference]:
    """Compare models with the first one, topic by topic.

    Args:
        results: Two or more, on the same data; several copies of a result count once.
        resamples: Number of bootstrap resamples for the intervals; p-values are exact.
        seed: Of the bootstrap.

    Returns:
        A difference per model after the first, task that it shares with the first, and metric; p-values corrected by
        Holm's method over all of them.

    Raises:
        ComparisonError: If there are fewer than two, or only copies of one, they have no task in common, or were
            evaluated on other rows.
        OptionError: If a number is out of range.
    """
    RESAMPLES.check("resamples", resamples)
    SEED.check("seed", seed)
    if len(results) < 2:
        raise ComparisonError("one result compares with nothing; give two or more")
    first, *others = _drop_repeated(results)
    if not others:
        raise ComparisonError(f"{first.place} is given twice, and nothing else; give the result of another model")
    comparisons = [
        (other, task, metric, comparison)
        for other in others
        for task in _share_tasks(first, other)
        for metric, comparison in _compare_task(first, other, task, resamples, seed).items()
    ]
    corrected = correct_holm([comparison.p_value for *_, comparison in comparisons])
    return [
        Difference(other.model, task, metric, comparison, p_value, _count_topics(first, task))
        for (other, task, metric, comparison), p_value in zip(comparisons, corrected, strict=True)
    ]


def _count_topics(result: Result, task: str) -> int:
    items = result.items[task]
    return len(np.unique(items.topics[items.is_test]))


def _drop_repeated(results: Sequence[Result]) -> list[Result]:
    """Keep one of several copies of a result, for instance if a file and its folder are both given."""
    kept: list[Result] = []
    for result in results:
        if not any(_is_same(result, earlier) for earlier in kept):
            kept.append(result)
    return kept


def _is_same(result: Result, earlier: Result) -> bool:
    """Whether two results are of one model, and give equal scores to the same rows of the same tasks."""
    if result.model != earlier.model or result.tasks.keys() != earlier.tasks.keys():
        return False
    return all(
        result.tasks[task]["fingerprint"] == earlier.tasks[task]["fingerprint"]
        and _hold_same(result.items[task], earlier.items[task])
        for task in result.tasks
    )


def _hold_same(items: Items, earlier: Items) -> bool:
    if (items.ids, items.topic_names) != (earlier.ids, earlier.topic_names):
        return False
    names = ("is_test", "targets", "topics", "scores")
    return all(np.array_equal(getattr(items, name), getattr(earlier, name)) for name in names)


def _share_tasks(first: Result, other: Result) -> list[str]:
    shared = [task for task in first.tasks if task in other.tasks]
    if not shared:
        names = f"{first.place} and {other.place}"
        raise ComparisonError(f"{names} have no task in common; evaluate the models on the same tasks")
    return shared


def _compare_task(first: Result, other: Result, task: str, resamples: int, seed: int) -> dict[str, Comparison]:
    for result in (first, other):
        if result.tasks[task]["fingerprint"] != first.tasks[task]["fingerprint"]:
            prints = f"{first.tasks[task]['fingerprint'][:12]} and {result.tasks[task]['fingerprint'][:12]}"
            raise ComparisonError(
                f"{first.place} and {other.place} were evaluated on different data: {task} has the fingerprints "
                f"{prints}; evaluate both on the same"
            )
    ours = first.items[task]
    theirs = align_items(other, task, ours)
    one, two = (items.scored(result.tasks[task].get("threshold")) for items, result in ((ours, first), (theirs, other)))
    return compare_scored(one, two, find_configuration(task).metrics, resamples, seed)


def align_items(result: Result, task: str, key: Key) -> Items:
    """Bring the rows of a task into the order of those of another result.

    Raises:
        ComparisonError: If they are other rows, though of the same fingerprint.
    """
    try:
        return align(result.items[task], key)
    except ValueError as error:
        reason = f"has other rows of {task} than its fingerprint says ({error})"
        raise ComparisonError(f"{result.place}: {reason}; evaluate it again") from None
