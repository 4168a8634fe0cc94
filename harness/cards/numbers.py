"""The numbers of a model in both forms of metadata that the Hub reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from huggingface_hub import EvalResult, EvalResultEntry, eval_result_entries_to_yaml
from huggingface_hub.repocard_data import eval_results_to_model_index

from harness.cards.metadata import Group
from harness.evaluation.record import TestRecord
from harness.evaluation.results import Result
from harness.metrics.metric import Metric
from harness.metrics.table import list_published
from harness.models.interfaces.model import OBJECT
from harness.models.registry import MODEL, find_role
from harness.support.errors import CardError
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.publishing.card import number_id
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.rules.options import PAIRS, PYRAMID_TESTS, QUESTIONS, TEST, find_configuration

# Tasks of the Hub. Its task "sentence-similarity" is for graded similarity, but these tests classify pairs, like the
# paraphrase corpora that the Hub lists under "text-classification", or choose options.
_TASKS = {
    PAIRS.name: ("text-classification", "Paraphrase identification"),
    QUESTIONS.name: ("multiple-choice", "Paraphrase choice"),
}

_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d:\d\d|Z)?)?", re.ASCII)
"""Dates of the Hub. ISO 8601 has other forms, such as weeks."""


class Number(NamedTuple):
    """A published number.

    Attributes:
        result: The result that contains the number.
        test_name: Name of the configuration.
        metric: The metric.
        value: The value, as stored in the result.
    """

    result: Result
    test_name: str
    metric: Metric
    value: float

    @property
    def name(self) -> str:
        """The full name, such as "binary_f1"."""
        return number_id(self.test_name, self.metric.name)

    @property
    def test(self) -> TestRecord:
        """The record of the configuration in the result."""
        return self.result.tests[self.test_name]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the rows of the test."""
        return self.test.fingerprint


def choose_model(results: Sequence[Result], name: str | None) -> tuple[list[Result], list[Result]]:
    """Choose the results of the model of a card.

    Args:
        results: The results.
        name: Name of the model. None if the results are of a single model that competes, and of shortcuts, people or
            chance.

    Returns:
        The results of the model, and all others, with which it is compared.

    Raises:
        OptionError: If no model has this name.
        CardError: If no name is given, and several models compete.
    """
    names = list(dict.fromkeys(result.model for result in results))
    if name is None:
        competing = [result.model for result in results if find_role(result.record.model.kind) == MODEL]
        candidates = list(dict.fromkeys(competing)) or names
        if len(candidates) > 1:
            reason = f"the results are from {len(candidates)} models ({', '.join(candidates)})"
            raise CardError(f"{reason}. Name the model of the card with --model. It is compared with the others")
        name = candidates[0]
    elif name not in names:
        raise unknown_name("model", name, names)
    return (
        [result for result in results if result.model == name],
        [result for result in results if result.model != name],
    )


def list_numbers(results: Sequence[Result]) -> list[Number]:
    """List the published numbers of a model, in the order of the results.

    Args:
        results: One or more results of one model, as `choose_model` returns them, without a test in common.

    Returns:
        The numbers.

    Raises:
        CardError: If the results are from several versions of the model, none of them is of a test that is made from
            pyramids, none has a published metric, or two of them are of the same test.
    """
    # The scores of an object are its identity, so an object has no versions.
    versions = {
        result.record.model.fingerprint: result.place for result in results if result.record.model.kind != OBJECT
    }
    if len(versions) > 1:
        reason = f"{' and '.join(versions.values())} are of different versions of the model"
        raise CardError(f"{reason}: its fingerprints differ. Use results of one version, or evaluate it again")
    numbers = list(chain.from_iterable(map(_list_numbers, results)))
    if not numbers:
        raise CardError(_explain_missing(results))
    holders: dict[str, Result] = {}
    for number in numbers:
        if number.name in holders:
            places = f"{holders[number.name].place} and {number.result.place}"
            raise CardError(f"{places} contain {number.test_name}. Use only one of them")
        holders[number.name] = number.result
    return numbers


def _list_numbers(result: Result) -> Iterator[Number]:
    for test_name, test in result.tests.items():
        if test_name not in PYRAMID_TESTS:
            continue  # the entries of a card name this dataset, and other tests are made from other data
        for metric in list_published(find_configuration(test_name)):
            if metric.name in test.metrics:  # an earlier release may have published fewer metrics
                yield Number(result, test_name, metric, float(test.metrics[metric.name]))


def _explain_missing(results: Sequence[Result]) -> str:
    """Return a message that explains why the results of a model contain no number for a card."""
    model = results[0].model
    evaluated = set(chain.from_iterable(result.tests for result in results))
    test_names = [name for name in PYRAMID_TESTS if name in evaluated]
    if not test_names:
        remedy = f"Evaluate it on at least one of {', '.join(PYRAMID_TESTS)}"
        return f"{model} was not evaluated on any test of pyramids. {remedy}"
    missing_names = []
    for name in test_names:
        missing_names += [number_id(name, metric.name) for metric in list_published(find_configuration(name))]
    reason = f"the results of {model} contain none of the numbers of a card ({', '.join(missing_names)})"
    return f"{reason}. Evaluate it again"


def make_groups(numbers: Sequence[Number], dataset_repo: str | None) -> list[Group]:
    """Make the `results` of a model-index.

    Args:
        numbers: Numbers from `list_numbers`.
        dataset_repo: Id of the dataset on the Hub. None for the name by which `datasets` loads it.

    Returns:
        One item per test.
    """
    groups: list[Group] = []
    for test_name in dict.fromkeys(number.test_name for number in numbers):
        test_numbers = [number for number in numbers if number.test_name == test_name]
        task_type, task_name = _TASKS[test_numbers[0].test.kind]
        results = [
            EvalResult(
                task_type=task_type,
                task_name=task_name,
                dataset_type=dataset_repo or NAME,
                dataset_name=f"Pyramid paraphrase ({test_name})",
                dataset_config=test_name,
                dataset_split=TEST,
                dataset_args={"fingerprint": number.fingerprint},
                metric_type=number.metric.name,
                metric_name=number.metric.title,
                metric_value=number.value,
            )
            for number in test_numbers
        ]
        groups += eval_results_to_model_index(test_numbers[0].result.model, results)[0]["results"]
    return groups


def make_entries(numbers: Sequence[Number], dataset_repo: str) -> list[dict[str, Any]]:
    """Make the entries of a file under `.eval_results`.

    Args:
        numbers: Numbers from `list_numbers`.
        dataset_repo: Id of the benchmark dataset on the Hub.

    Returns:
        One entry per number.

    Raises:
        CardError: If the Hub would refuse the date of a result.
    """
    entries = []
    for number in numbers:
        date = number.result.record.time.date
        try:
            if not _DATE.fullmatch(date):
                raise ValueError
            datetime.fromisoformat(date)
        except ValueError:
            reason = f"the result of {number.result.model} has no valid ISO 8601 date"
            raise CardError(f"{reason}. Evaluate it again") from None
        notes = number.result.signature
        entry = EvalResultEntry(
            dataset_id=dataset_repo, task_id=number.name, value=number.value, date=date, notes=notes
        )
        entries.append(entry)
    return eval_result_entries_to_yaml(entries)
