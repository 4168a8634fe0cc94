"""Built tests: the rows of a configuration with their options, counts and fingerprint."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pyramid_paraphrase.building.rows import ROWS_PER_TABLE, digest_optional_columns
from pyramid_paraphrase.building.stored_tables import StoredTables
from pyramid_paraphrase.rules.options import (
    BY_COLLECTION,
    COLUMN_OPTIONS,
    SPLIT_COLLECTIONS,
    UNRECORDED_DEFAULTS,
    Configuration,
    Options,
)

Indices = npt.NDArray[np.int64]
_Numbers = TypeVar("_Numbers", Indices, Sequence[int])

MAX_ROWS_IN_MEMORY = 1 << 17
"""Highest number of rows of a split that stay in memory, about 50 MiB."""

RELATIONS = "relations"
"""Key of the number of relations in the counts of a test that is made from pyramids with relations."""

ACROSS_SPLITS = "dropped_across_splits"
"""Key of the number of rows that are left out because their texts belong to different splits."""

SHARED_TOPICS = "dropped_shared_topics"
"""Key of the number of rows that a split by collection leaves out because their topic is also in another split."""


@dataclass(frozen=True, slots=True)
class BuiltTest:
    """A built configuration.

    Attributes:
        configuration: The configuration.
        options: The rules of the build, or None for a pair corpus, which has no options.
        splits: The rows of each split in the order of ids, as tables of at most `ROWS_PER_TABLE` rows. The tables of a
            large split are in a temporary file. Iterate over them, so that each is in memory only while it is used.
        collections: Names of the collections of its pyramids.
        counts: Numbers of rows, and of the records that they were made from.
        fingerprint: SHA-256 of the columns that define the test. Scores on different fingerprints are not comparable.
        repository: Name and commit of the repository on the Hub that it was read from, or "".
        optional_digest: Digest of the optional columns, which detects damage, or "" if the rows have none.
    """

    configuration: Configuration
    options: Options | None
    splits: Mapping[str, Sequence[pa.Table]]
    collections: tuple[str, ...]
    counts: dict[str, int]
    fingerprint: str
    repository: str = ""
    optional_digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "optional_digest", digest_optional_columns(self.splits))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, which are the same in all splits."""
        tables = next(iter(self.splits.values()))
        return list(next(iter(tables)).column_names)

    @property
    def rules(self) -> dict[str, Any]:
        """The options that determine the rows, by name, as results record them. Empty for a pair corpus."""
        return {name: value for name, value in self.recorded_options.items() if name not in COLUMN_OPTIONS}

    @property
    def recorded_options(self) -> dict[str, Any]:
        """The options that the manifest of a folder records, by name. Empty for a pair corpus.

        The option `entailment` is recorded only for pyramids with relations, and the collections of splits only for a
        split by collection. The options of `UNRECORDED_DEFAULTS` are recorded only if they differ from their defaults.
        """
        rules = dataclasses.asdict(self.options) if self.options else {}
        if RELATIONS not in self.counts:
            rules.pop("entailment", None)
        if rules.get("split_by") != BY_COLLECTION:
            for name in SPLIT_COLLECTIONS:
                rules.pop(name, None)
        for name in UNRECORDED_DEFAULTS:
            if name in rules and rules[name] == getattr(Options, name):
                del rules[name]
        return rules

    @property
    def description(self) -> str:
        """Its title, collections and digests in a line, and the commit if it was read from the Hub."""
        collections = ", ".join(self.collections)
        origin = f" Read from: {self.repository}." if self.repository else ""
        digest = f" Optional columns: {self.optional_digest}." if self.optional_digest else ""
        return f"{self.configuration.title}. Made from: {collections}.{origin}{digest} Fingerprint: {self.fingerprint}"


def make_tables(make_table: Callable[[_Numbers], pa.Table], members: _Numbers) -> Sequence[pa.Table]:
    """Make the tables of a split. If there are many rows, store them in a temporary file.

    Args:
        make_table: Returns a table of the rows with the given numbers.
        members: Numbers of the rows of the split.
    """
    starts = range(0, len(members), ROWS_PER_TABLE)
    tables = (make_table(members[start : start + ROWS_PER_TABLE]) for start in starts)
    if len(members) > MAX_ROWS_IN_MEMORY:
        return StoredTables(tables)
    return list(tables)
