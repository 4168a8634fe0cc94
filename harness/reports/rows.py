"""The rows of tests for reports: their texts, which results do not contain, and their properties."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from harness.support.errors import ComparisonError
from harness.text.pair_types import TYPES, name_type
from harness.text.words import in_lower_case
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.building.presence import LABEL_NAMES
from pyramid_paraphrase.hub import choose_default_tests, is_built
from pyramid_paraphrase.pyramids.sources import Source, list_sources
from pyramid_paraphrase.rules.options import (
    ANNOTATIONS,
    LABEL,
    MATCHES,
    NO_MATCH,
    PYRAMID_TESTS,
    PYRAMIDS,
    QUESTIONS,
    SUMMARIES,
    TEST,
    UNIT,
    Configuration,
    find_configuration,
)
from pyramid_paraphrase.words import split_words

_TEXT_COLUMNS = frozenset(
    {
        *("id", "sentence1", "sentence2", "question", "options", "answer"),
        *("scu_text", "sentences", "fragment", "match"),
    }
)
"""Columns of the texts of rows, and of their roles."""

Row = Mapping[str, Any]
"""The columns of a row by name."""

_PAIR_LABELS = ("other pair", "paraphrase")
_split = in_lower_case(split_words)


class Texts:
    """The texts of the rows of tests, by fingerprint and row id.

    Args:
        tests: The built tests.
    """

    def __init__(self, tests: Sequence[BuiltTest]) -> None:
        self._tests = {test.fingerprint: test for test in tests}
        self._rows: dict[str, dict[str, list[tuple[str, str]]]] = {}
        for test in tests:
            table = pa.concat_tables(chain.from_iterable(test.splits.values()))
            rows = table.select([name for name in table.column_names if name in _TEXT_COLUMNS]).to_pylist()
            self._rows[test.fingerprint] = {row["id"]: _name_texts(test.configuration, row) for row in rows}

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
            if any(map(self.has_test, fingerprints[test_name])):
                continue
            tests_of_data = (test for test in self._tests.values() if test.configuration.name == test_name)
            present = " and ".join(test.fingerprint[:12] for test in tests_of_data)
            rows = f"the {test_name} rows {present}" if present else f"no {test_name} rows"
            evaluated = " and ".join(fingerprint[:12] for fingerprint in fingerprints[test_name])
            reason = f"the data has {rows}, but the results are on {evaluated}"
            raise ComparisonError(f"{reason}. Use the data that the models were evaluated on")

    def find_test(self, fingerprint: str) -> BuiltTest:
        """Return a built test. `has_test` says whether there is one."""
        return self._tests[fingerprint]

    def of_row(self, fingerprint: str, row_id: str) -> list[tuple[str, str]]:
        """Return the texts of a row, each with its role."""
        return self._rows[fingerprint][row_id]


def load_texts(
    data: Source | Sequence[Source] | None, test_names: Sequence[str], fingerprints: Collection[str] = ()
) -> Texts:
    """Read the texts of tests.

    Args:
        data: Annotation files, "sample" or a built folder, which are read together, or pair corpora, which are read
            separately. If None, the last build.
        test_names: Names of configurations. Those that cannot be built from the data are left out.
        fingerprints: The tests with results. If annotation files that are read together give none of these tests, each
            is also read alone, because models may have been evaluated on each.

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
        built = load_tests(names, annotations)
        if fingerprints and len(annotations) > 1 and not any(test.fingerprint in fingerprints for test in built):
            built = [test for source in annotations for test in load_tests(names, source)]
        tests += built
    return Texts(tests)


def _name_texts(configuration: Configuration, row: Row) -> list[tuple[str, str]]:
    """Return the texts of a row, each with its role."""
    if configuration.origin == SUMMARIES:
        return [("SCU", row["scu_text"]), ("summary", " ".join(row["sentences"]))]
    if configuration.kind == MATCHES:
        match = "none" if row["match"] == NO_MATCH else row["options"][row["match"]]
        return [("fragment", row["fragment"]), ("SCU", match)]
    if configuration.kind != QUESTIONS:
        return [("one", row["sentence1"]), ("other", row["sentence2"])]
    options = [("right" if index == row["answer"] else "wrong", text) for index, text in enumerate(row["options"])]
    return [("question", row["question"]), *options]


class RowFacts(NamedTuple):
    """Properties of a row.

    Attributes:
        kind: Kind of the row, such as "paraphrase, with a label".
        words: Number of words of both texts. For a question, of the question and its answer.
        shared: Number of distinct words that both texts share.
        weight: Weight of the SCU of the row, the lower weight of two SCUs. None if the data has no weights.
        parts: Number of parts of the contributor with the most parts, among the two texts. None if the data has no
            parts.
        collections: Names of the collections of the texts, joined by a space. "" if the data has no names.
        types: For a negative, its type. For a question, the types of its distractors. Empty for other rows.
        group: The same key for all rows about the same SCUs, which have nearly the same texts. "" for a row without a
            group.
    """

    kind: str
    words: int
    shared: int
    weight: int | None = None
    parts: int | None = None
    collections: str = ""
    types: tuple[str, ...] = ()
    group: str = ""


def describe_rows(test: BuiltTest) -> dict[str, RowFacts]:
    """Describe the rows of the test split, by row id."""
    configuration = test.configuration
    describe = _describe_question if configuration.kind == QUESTIONS else _describe_pair
    if configuration.origin == SUMMARIES:
        describe = _describe_summary
    elif configuration.kind == MATCHES:
        describe = _describe_fragment
    elif configuration.origin != PYRAMIDS:
        describe = _describe_plain_pair
    return {row["id"]: describe(row) for row in pa.concat_tables(test.splits[TEST]).to_pylist()}


def _describe_question(row: Row) -> RowFacts:
    answer = row["answer"]
    parts = None
    if "parts" in row:
        parts = max(row["parts"], row["option_parts"][answer])
    return RowFacts(
        "question",
        *_count_words(row["question"], row["options"][answer]),
        weight=row.get("weight"),
        parts=parts,
        collections=row["collection"],
        types=_list_distractor_types(row),
        group=f"{row['pyramid']}\t{row['scu']}",
    )


def _list_distractor_types(row: Row) -> tuple[str, ...]:
    relations = row.get("option_relations", [""] * len(row["options"]))
    types = set()
    for place, (option, relation) in enumerate(zip(row["options"], relations, strict=True)):
        if place != row["answer"]:
            types.add(name_type(row["question"], option, relation))
    return tuple(sorted(types, key=TYPES.index))


def _describe_plain_pair(row: Row) -> RowFacts:
    first, second = row["sentence1"], row["sentence2"]
    types = () if row["label"] else (name_type(first, second, row.get("relation", "")),)
    return RowFacts(_PAIR_LABELS[row["label"]], *_count_words(first, second), types=types)


def _describe_pair(row: Row) -> RowFacts:
    facts = _describe_plain_pair(row)
    scus = sorted((row[f"pyramid{side}"], row[f"scu{side}"]) for side in "12")
    kinds = {row["kind1"], row["kind2"]}
    source = "with a discourse unit" if UNIT in kinds else "with a label" if LABEL in kinds else "of contributors"
    return facts._replace(
        kind=f"{facts.kind}, {source}",
        weight=min(_list_values(row, "weight"), default=None),
        parts=max(_list_values(row, "parts"), default=None),
        collections=" ".join(sorted({row["collection1"], row["collection2"]})),
        group="\t".join(field for scu in scus for field in scu),
    )


def _describe_fragment(row: Row) -> RowFacts:
    kind, match, weight, group = "unmatched fragment", "", None, ""
    if row["match"] != NO_MATCH:
        kind, match = "matched fragment", row["options"][row["match"]]
        weight, group = row["weight"], f"{row['pyramid']}\t{row['scu']}"
    return RowFacts(
        kind,
        *_count_words(row["fragment"], match),
        weight=weight,
        parts=row["parts"],
        collections=row["collection"],
        group=group,
    )


def _list_values(row: Row, name: str) -> Iterator[int]:
    """Yield the values of an optional column of both sides. Yield nothing if the rows do not have the column."""
    for side in "12":
        if f"{name}{side}" in row:
            yield row[f"{name}{side}"]


def _describe_summary(row: Row) -> RowFacts:
    return RowFacts(
        f"{LABEL_NAMES[row['label']]} SCU",
        *_count_words(row["scu_text"], " ".join(row["sentences"])),
        weight=row.get("weight"),
        collections=row["collection"],
        group=f"{row['pyramid']}\t{row['scu']}",
    )


def count_words(first: str, second: str) -> tuple[tuple[int, int], int]:
    """Return the number of words of each of two texts, and the number of distinct words that they share."""
    words, other_words = _split(first), _split(second)
    return (len(words), len(other_words)), len(set(words) & set(other_words))


def _count_words(first: str, second: str) -> tuple[int, int]:
    """Return the total number of words of two texts, and the number of distinct words that they share."""
    lengths, shared = count_words(first, second)
    return sum(lengths), shared
