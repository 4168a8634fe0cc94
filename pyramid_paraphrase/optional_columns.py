"""Columns of rows that do not define a test: facts of the annotations."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from pyramid_paraphrase.kinds import PAIRS, QUESTIONS, Kind

_NUMBER = pa.int32()

FACT_NAMES = ("weight", "parts")
"""Attributes of propositions that are columns of rows."""

FACTS = {
    PAIRS: pa.schema([(f"{name}{side}", _NUMBER) for side in "12" for name in FACT_NAMES]),
    QUESTIONS: pa.schema(
        [
            *((name, _NUMBER) for name in FACT_NAMES),
            ("option_weights", pa.list_(_NUMBER)),
            ("option_parts", pa.list_(_NUMBER)),
        ]
    ),
}
"""Columns with facts of the annotations, per kind of test. Every build writes them; builds of earlier releases lack
them. A weight is that of the SCU, and a label has 0 parts."""

OPTIONAL_COLUMNS = frozenset(name for schema in FACTS.values() for name in schema.names)
"""Names of the columns that do not count for the fingerprint."""


def list_optional_fields(kind: Kind, names: Collection[str]) -> list[pa.Field]:
    """List the optional columns of a kind of test that are named."""
    return [field for field in FACTS[kind] if field.name in names]
