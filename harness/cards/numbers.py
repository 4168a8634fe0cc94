"""The numbers of a model as both forms of metadata that the Hub reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from huggingface_hub import EvalResult, EvalResultEntry, eval_result_entries_to_yaml
from huggingface_hub.repocard_data import eval_results_to_model_index

from harness.cards.model_index import Group
from harness.evaluation.records.record import TestRecord
from harness.evaluation.results import Result
from harness.metrics.metric import Metric
from harness.metrics.table import list_published
from harness.support.errors import CardError
from pyramid_paraphrase.card import number_id
from pyramid_paraphrase.kinds import PAIRS, QUESTIONS, find_kind
from pyramid_paraphrase.options import PYRAMID_TESTS, find_configuration
from pyramid_paraphrase.registration import NAME
from pyramid_paraphrase.splits import TEST

# Both are tasks of the Hub. Its "sentence-similarity" is for graded similarity; here a pair is classified, as in the
# paraphrase corpora that the Hub lists under "text-classification", and an option is chosen.
_TASKS = {
    PAIRS: ("text-classification", "Paraphrase identification"),
    QUESTIONS: ("multiple-choice", "Paraphrase choice"),
}


class Number(NamedTuple):
    """A number that is published.

    Attributes:
        result: The result that holds it.
        task: Name of the configuration.
        metric: The metric.
        value: Its value, as stored in the result.
    """

    result: Result
    task: str
    metric: Metric[object]
    value: float

    @property
    def name(self) -> str:
        """Its full name, such as "binary_f1"."""
        return number_id(self.task, self.metric.name)

    @property
    def test(self) -> TestRecord:
        """The numbers of the configuration."""
        return self.result.tests[self.task]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the data."""
        return self.test.fingerprint


def list_numbers(results: Sequence[Result]) -> list[Number]:
    """List the published numbers of a model, in the order of the results.

    Args:
        results: One or more results of one model, without a task in common.

    Returns:
        The numbers.

    Raises:
        CardError: If the results are of several models, none of them is of a test that is made from pyramids, or two
            of them are of the same test.
    """
    names = list(dict.fromkeys(result.model for result in results))
    if len(names) > 1:
        raise CardError(f"the results are of {len(names)} models, {', '.join(names)}; give those of one")
    numbers = list(chain.from_iterable(map(_list_numbers, results)))
    if not numbers:
        raise CardError(f"cards are for {', '.join(PYRAMID_TESTS)}, and {names[0]} was evaluated on none of them")
    counts = Counter(number.name for number in numbers)
    for number in numbers:
        if counts[number.name] > 1:
            raise CardError(f"several results have {number.task}; give one, a card would not tell them apart")
    return numbers


def _list_numbers(result: Result) -> Iterator[Number]:
    for task, test in result.tests.items():
        if task not in PYRAMID_TESTS:
            continue  # the entries of a card name this dataset, and other tasks have other data
        for metric in list_published(find_configuration(task)):
            if metric.name in test.metrics:  # an earlier release may have published fewer metrics
                yield Number(result, task, metric, float(test.metrics[metric.name]))


def make_groups(numbers: Sequence[Number], dataset_repo: str | None) -> list[Group]:
    """Make the `results` of a model-index.

    Args:
        numbers: Numbers from `list_numbers`.
        dataset_repo: Id of the dataset on the Hub; None for the name by which `datasets` loads it.

    Returns:
        An item per task.
    """
    groups: list[Group] = []
    for task in dict.fromkeys(number.task for number in numbers):
        task_numbers = [number for number in numbers if number.task == task]
        task_type, task_name = _TASKS[find_kind(task_numbers[0].test.kind)]
        results = [
            EvalResult(
                task_type=task_type,
                task_name=task_name,
                dataset_type=dataset_repo or NAME,
                dataset_name=f"Pyramid paraphrase ({task})",
                dataset_config=task,
                dataset_split=TEST,
                dataset_args={"fingerprint": number.fingerprint},
                metric_type=number.metric.name,
                metric_name=number.metric.title,
                metric_value=number.value,
            )
            for number in task_numbers
        ]
        groups += eval_results_to_model_index(task_numbers[0].result.model, results)[0]["results"]
    return groups


def make_entries(numbers: Sequence[Number], dataset_repo: str) -> list[dict[str, Any]]:
    """Make the entries of a file under `.eval_results`.

    Args:
        numbers: Numbers from `list_numbers`.
        dataset_repo: Id of the benchmark dataset on the Hub.

    Returns:
        An entry per number.

    Raises:
        CardError: If a result has a date that the Hub would refuse.
    """
    entries = [
        EvalResultEntry(
            dataset_id=dataset_repo,
            task_id=number.name,
            value=number.value,
            date=_read_date(number.result),
            notes=number.result.signature,
        )
        for number in numbers
    ]
    return eval_result_entries_to_yaml(entries)


def _read_date(result: Result) -> str:
    date = result.record.time.date
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise CardError(f"the result of {result.model} has no date as ISO 8601 has it; evaluate again") from None
    return date
