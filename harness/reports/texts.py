"""The texts of rows, which results do not hold: read from the data, and only if asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from harness.errors import ComparisonError
from pyramid_paraphrase.build import BuiltTest
from pyramid_paraphrase.loading import load_tests
from pyramid_paraphrase.options import RANKING
from pyramid_paraphrase.sources import Source


class Texts:
    """Texts of the rows of tests, by task and row id."""

    def __init__(self, tests: Sequence[BuiltTest]) -> None:
        self._fingerprints = {test.configuration.name: test.fingerprint for test in tests}
        self._rows = {test.configuration.name: dict(_list_texts(test)) for test in tests}

    def require(self, task: str, fingerprint: str) -> None:
        """Check that the texts are those that models were evaluated on.

        Raises:
            ComparisonError: If they are of other data.
        """
        own = self._fingerprints[task]
        if own != fingerprint:
            raise ComparisonError(
                f"the data has the {task} rows {own[:12]}, and the results are of {fingerprint[:12]}; name with --data "
                "what the models were evaluated on"
            )

    def of_row(self, task: str, row_id: str) -> list[tuple[str, str]]:
        """The texts of a row, each with its role."""
        return self._rows[task][row_id]


def load_texts(data: Source | Sequence[Source] | None, tasks: Sequence[str]) -> Texts:
    """Read the texts of tasks.

    Args:
        data: Annotation files, "sample", or a built folder; what was built last if None.
        tasks: Names of configurations.

    Returns:
        The texts.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    return Texts(load_tests(tasks, data))


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
