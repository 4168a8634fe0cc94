"""The texts of rows, which results do not hold: read from the data, and only if asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pyarrow as pa

from harness.support.errors import ComparisonError
from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.loading import load_tests
from pyramid_paraphrase.options import PYRAMID_TESTS, RANKING, find_configuration
from pyramid_paraphrase.pair_corpora import read_pair_corpus
from pyramid_paraphrase.sources import Source


class Texts:
    """Texts of the rows of tests, by fingerprint and row id."""

    def __init__(self, tests: Sequence[BuiltTest]) -> None:
        self._tests = [(test.configuration.name, test.fingerprint) for test in tests]
        self._rows = {test.fingerprint: dict(_list_texts(test)) for test in tests}

    def require(self, task: str, fingerprint: str) -> None:
        """Check that the texts are those that models were evaluated on.

        Raises:
            ComparisonError: If they are of other data.
        """
        if fingerprint not in self._rows:
            own = " and ".join(known[:12] for name, known in self._tests if name == task)
            raise ComparisonError(
                f"the data has the {task} rows {own}, and the results are of {fingerprint[:12]}; name with --data "
                "what the models were evaluated on"
            )

    def of_row(self, fingerprint: str, row_id: str) -> list[tuple[str, str]]:
        """The texts of a row, each with its role."""
        return self._rows[fingerprint][row_id]


def load_texts(data: Source | Sequence[Source] | None, tasks: Sequence[str]) -> Texts:
    """Read the texts of tasks.

    Args:
        data: Annotation files, "sample", or a built folder, together; or pair corpora, each for itself. What was built
            last if None.
        tasks: Names of configurations.

    Returns:
        The texts.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    if data is None or isinstance(data, str | os.PathLike) or any(task in PYRAMID_TESTS for task in tasks):
        return Texts(load_tests(tasks, data))
    return Texts([test for source in data for test in load_tests(_choose_tasks(source, tasks), source)])


def _choose_tasks(source: Source, tasks: Sequence[str]) -> list[str]:
    """Those of some tasks that a pair corpus is for."""
    form = read_pair_corpus(source).format
    return [task for task in tasks if find_configuration(task).origin == form]


def _list_texts(test: BuiltTest) -> list[tuple[str, list[tuple[str, str]]]]:
    rows = pa.concat_tables(table for tables in test.splits.values() for table in tables)
    if test.configuration.task != RANKING:
        columns = (rows[name].to_pylist() for name in ("id", "sentence1", "sentence2"))
        return [(row_id, [("one", one), ("other", other)]) for row_id, one, other in zip(*columns, strict=True)]
    columns = (rows[name].to_pylist() for name in ("id", "question", "options", "answer"))
    return [
        (row_id, [("question", question), *_label_options(options, answer)])
        for row_id, question, options, answer in zip(*columns, strict=True)
    ]


def _label_options(options: Sequence[str], answer: int) -> list[tuple[str, str]]:
    return [("right" if index == answer else "wrong", text) for index, text in enumerate(options)]
