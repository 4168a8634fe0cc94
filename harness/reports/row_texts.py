"""The texts of rows. Results do not contain them, so they are read from the data, only on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from harness.support.errors import ComparisonError
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.hub import choose_default_tests, is_built
from pyramid_paraphrase.pyramids.sources import Source, list_sources
from pyramid_paraphrase.rules.options import (
    ANNOTATIONS,
    MATCHES,
    NO_MATCH,
    PYRAMID_TESTS,
    QUESTIONS,
    SUMMARIES,
    find_configuration,
)


class Texts:
    """The texts of the rows of tests, by fingerprint and row id.

    Args:
        tests: The built tests.
    """

    def __init__(self, tests: Sequence[BuiltTest]) -> None:
        self._tests = {test.fingerprint: test for test in tests}
        self._rows = {test.fingerprint: dict(_list_texts(test)) for test in tests}

    def has_test(self, fingerprint: str) -> bool:
        """Return whether a fingerprint is that of a built test."""
        return fingerprint in self._rows

    def require(self, tests: Iterable[tuple[str, str]]) -> None:
        """Check that models were evaluated on these texts. They may have been evaluated on other data and tests, too.

        Args:
            tests: The names and fingerprints of the tests with results.

        Raises:
            ComparisonError: If no result is on these texts, or if all results on one of their tests are on other data.
        """
        fingerprints: dict[str, list[str]] = {}
        for test_name, fingerprint in tests:
            fingerprints.setdefault(test_name, []).append(fingerprint)
        names = {test.configuration.name for test in self._tests.values()}
        for test_name in [name for name in fingerprints if name in names] or fingerprints:
            if not any(map(self.has_test, fingerprints[test_name])):
                raise self._refuse(test_name, fingerprints[test_name])

    def _refuse(self, test_name: str, evaluated: Iterable[str]) -> ComparisonError:
        tests = self._tests.values()
        present = " and ".join(test.fingerprint[:12] for test in tests if test.configuration.name == test_name)
        rows = f"the {test_name} rows {present}" if present else f"no {test_name} rows"
        results = " and ".join(fingerprint[:12] for fingerprint in evaluated)
        reason = f"the data has {rows}, but the results are on {results}"
        return ComparisonError(f"{reason}. Use the data that the models were evaluated on")

    def find_test(self, fingerprint: str) -> BuiltTest:
        """Return a built test. `has_test` says whether there is one."""
        return self._tests[fingerprint]

    def of_row(self, fingerprint: str, row_id: str) -> list[tuple[str, str]]:
        """Return the texts of a row, each with its role."""
        return self._rows[fingerprint][row_id]


def load_texts(data: Source | Sequence[Source] | None, test_names: Sequence[str]) -> Texts:
    """Read the texts of tests.

    Args:
        data: Annotation files, "sample" or a built folder, which are read together, or pair corpora, which are read
            separately. If None, the last build.
        test_names: Names of configurations. Those that cannot be built from the data are left out.

    Returns:
        The texts.

    Raises:
        PyramidParaphraseError: If the data cannot be used.
    """
    from pyramid_paraphrase.loading import load_tests  # rarely needed

    if data is None:
        return Texts(load_tests(test_names))
    tests: list[BuiltTest] = []
    annotations: list[Source] = []
    for source in list_sources(data):
        offered = choose_default_tests(source)
        if offered == PYRAMID_TESTS and not is_built(source):
            annotations.append(source)
        elif names := [name for name in test_names if name in offered]:
            tests += load_tests(names, source)
    names = [name for name in test_names if find_configuration(name).origin in ANNOTATIONS]
    if annotations and names:
        tests += load_tests(names, annotations)
    return Texts(tests)


def _list_texts(test: BuiltTest) -> list[tuple[str, list[tuple[str, str]]]]:
    rows = pa.concat_tables(chain.from_iterable(test.splits.values()))
    if test.configuration.origin == SUMMARIES:
        labels = _list_values(rows, "id", "scu_text", "sentences")
        return [(row_id, [("SCU", scu), ("summary", " ".join(sentences))]) for row_id, scu, sentences in labels]
    if test.configuration.kind == MATCHES:
        matches = _list_values(rows, "id", "fragment", "options", "match")
        return [
            (row_id, [("fragment", fragment), ("SCU", _name_match(options, match))])
            for row_id, fragment, options, match in matches
        ]
    if test.configuration.kind != QUESTIONS:
        pairs = _list_values(rows, "id", "sentence1", "sentence2")
        return [(row_id, [("one", sentence1), ("other", sentence2)]) for row_id, sentence1, sentence2 in pairs]
    questions = _list_values(rows, "id", "question", "options", "answer")
    return [
        (row_id, [("question", question), *_label_options(options, answer)])
        for row_id, question, options, answer in questions
    ]


def _list_values(rows: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns, row by row."""
    return zip(*(rows[column].to_pylist() for column in columns), strict=True)


def _name_match(options: Sequence[str], match: int) -> str:
    return "none" if match == NO_MATCH else options[match]


def _label_options(options: Sequence[str], answer: int) -> list[tuple[str, str]]:
    return [("right" if index == answer else "wrong", text) for index, text in enumerate(options)]
