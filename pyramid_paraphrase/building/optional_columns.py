"""Columns of rows that do not define a test: facts about the annotations, and contexts on request."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.pyramids.records import CONTRADICTS
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS, Kind
from pyramid_paraphrase.rules.propositions import Proposition, link_propositions

Indices = npt.NDArray[np.int32]

_NUMBER = pa.int32()

FACT_NAMES = ("weight", "parts")
"""Attributes of propositions that are columns of rows."""

FACTS = {
    PAIRS: pa.schema(
        [*((f"{name}{side}", _NUMBER) for side in "12" for name in FACT_NAMES), ("relation", pa.string())]
    ),
    QUESTIONS: pa.schema(
        [
            *((name, _NUMBER) for name in FACT_NAMES),
            ("option_weights", pa.list_(_NUMBER)),
            ("option_parts", pa.list_(_NUMBER)),
            ("option_relations", pa.list_(pa.string())),
        ]
    ),
}
"""Columns with facts about the annotations, per kind of test. Every build writes them, but earlier releases did not.
A weight is the weight of the SCU, and a label has 0 parts. A relation is `records.CONTRADICTS` if people said that one
SCU contradicts the other, otherwise "". The relation of an option is its relation to the question."""

CONTEXTS = {
    PAIRS: pa.schema([("context1", pa.string()), ("context2", pa.string())]),
    QUESTIONS: pa.schema([("context", pa.string()), ("option_contexts", pa.list_(pa.string()))]),
}
"""Columns of builds with the option ``context``, per kind of test. See `contexts`. The context of a label is ""."""

FACT_COLUMNS = frozenset(name for schema in FACTS.values() for name in schema.names)
CONTEXT_COLUMNS = frozenset(name for schema in CONTEXTS.values() for name in schema.names)
OPTIONAL_COLUMNS = FACT_COLUMNS | CONTEXT_COLUMNS
"""Names of the columns that the fingerprint ignores."""


def name_optional_columns(*, context: bool) -> frozenset[str]:
    """Return the names of the optional columns of a build, with or without contexts."""
    return OPTIONAL_COLUMNS if context else FACT_COLUMNS


def list_optional_fields(kind: Kind, names: Collection[str]) -> list[pa.Field]:
    """List the optional columns of a kind of test whose names are given."""
    return [field for field in (*FACTS[kind], *CONTEXTS[kind]) if field.name in names]


class Contradictions:
    """The pairs of propositions whose SCUs contradict each other.

    Args:
        propositions: The propositions.
    """

    def __init__(self, propositions: Sequence[Proposition]) -> None:
        self._size = len(propositions)
        pairs = link_propositions(propositions, attrgetter("contradicting"))
        self._numbers = np.array([left * self._size + right for left, right in pairs], dtype=np.int64)

    def name(self, left: Indices, right: Indices) -> pa.Array:
        """Return the names of the relations of pairs of propositions.

        Args:
            left: Shape (n,), indices of the first propositions.
            right: Shape (n,), indices of the second propositions.

        Returns:
            n texts: `records.CONTRADICTS`, or "" for no relation.
        """
        numbers = left.astype(np.int64) * self._size + right
        return pc.if_else(pa.array(np.isin(numbers, self._numbers)), CONTRADICTS, "")
