"""Rows of the dataset as Arrow tables, made from pairs and questions and traceable to their files.

Some columns do not define a test: facts about the annotations, and contexts on request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import attrgetter, itemgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.pyramids.records import CONTRADICTS
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS, Kind
from pyramid_paraphrase.rules.propositions import DIGEST_SEPARATOR, Proposition, link_propositions, sha256_of

Digests = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]

DIGEST_BYTES = 32

_DIGESTS_AT_ONCE = 1 << 16


def make_digest_array(digests: Iterable[bytes], count: int, size: int = DIGEST_BYTES) -> Digests:
    """Collect digests, or prefixes that are long enough to be distinct, into an array.

    Args:
        digests: The digests, consumed one at a time.
        count: Number of digests.
        size: Number of bytes of each digest.

    Returns:
        Shape (count, size).
    """
    array = np.empty((count, size), dtype=np.uint8)
    remaining = iter(digests)
    for start in range(0, count, _DIGESTS_AT_ONCE):
        part = b"".join(islice(remaining, _DIGESTS_AT_ONCE))
        array[start : start + _DIGESTS_AT_ONCE] = np.frombuffer(part, dtype=np.uint8).reshape(-1, size)
    return array


def order_digests(digests: Digests) -> Indices:
    """Return the indices that sort digests in the order of their hexadecimal digits. The sort is stable."""
    # The first eight bytes almost always determine the order.
    prefixes = digests[:, :8].copy().view(">u8").astype(np.uint64).ravel()
    order = np.argsort(prefixes, kind="stable")
    ranked = prefixes[order]
    if (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort(digests.T[::-1])
    return np.asarray(order, dtype=np.int64)


Sides = npt.NDArray[np.int32]

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
"""Columns of builds with the option ``context``, per kind of test. The context of a label is ""."""

VOTES = pa.schema([("people", pa.list_(pa.string())), ("votes", pa.list_(pa.int64()))])
"""Columns of `presence` for data with votes: names of people, and their votes in the same order, 1 for present."""

FACT_COLUMNS = frozenset(name for schema in FACTS.values() for name in schema.names)
CONTEXT_COLUMNS = frozenset(name for schema in CONTEXTS.values() for name in schema.names)
OPTIONAL_COLUMNS = FACT_COLUMNS | CONTEXT_COLUMNS | frozenset(VOTES.names)
"""Names of the columns that the fingerprint ignores."""


def name_optional_columns(*, context: bool) -> frozenset[str]:
    """Return the names of the optional columns of a build, with or without contexts."""
    return FACT_COLUMNS | CONTEXT_COLUMNS if context else FACT_COLUMNS


def list_optional_fields(kind: Kind, names: Collection[str]) -> list[pa.Field]:
    """List the optional columns of a kind of test whose names are given."""
    return [field for field in (*FACTS[kind], *CONTEXTS[kind]) if field.name in names]


Targets = npt.NDArray[np.int32]

LABEL_NAMES = ("non-paraphrase", "paraphrase")
_PAIRS_AT_ONCE = 1 << 16

_PROVENANCE = ("collection", "pyramid", "scu", "kind", "summarizer")

SCHEMAS = {
    PAIRS: pa.schema(
        [("id", pa.string()), ("sentence1", pa.string()), ("sentence2", pa.string()), ("label", pa.int64())]
        + [(f"{name}1", pa.string()) for name in _PROVENANCE]
        + [(f"{name}2", pa.string()) for name in _PROVENANCE]
    ),
    QUESTIONS: pa.schema(
        [
            ("id", pa.string()),
            ("question", pa.string()),
            ("options", pa.list_(pa.string())),
            ("answer", pa.int64()),
            *((name, pa.string()) for name in _PROVENANCE),
            *((f"option_{name}s", pa.list_(pa.string())) for name in ("scu", "kind", "summarizer")),
        ]
    ),
}
"""Columns that define a test. Columns such as "scu" describe a question, and all options share its pyramid."""


PYRAMID_COLUMNS = {PAIRS: ("pyramid1", "pyramid2"), QUESTIONS: ("pyramid",)}
"""The columns with the pyramids of a row, per kind of test."""


class _Rows:
    """Rows in the order of their ids. They take their values from columns of all propositions.

    Args:
        propositions: The propositions.
        context: Whether the rows have contexts.
    """

    kind: Kind
    sides: Sides

    def __init__(self, propositions: Sequence[Proposition], *, context: bool) -> None:
        self._columns = {}
        for names, kind in ((("text", "context", *_PROVENANCE), pa.string()), (FACT_NAMES, _NUMBER)):
            for name in names:
                self._columns[name] = pa.array([getattr(proposition, name) for proposition in propositions], kind)
        self._context_bytes = np.asarray(pc.binary_length(self._columns["context"]), dtype=np.int64)
        self._size = len(propositions)
        pairs = link_propositions(propositions, attrgetter("contradicting"))
        self._contradicting = np.array([left * self._size + right for left, right in pairs], dtype=np.int64)
        self._carried = (*_PROVENANCE, *FACT_NAMES, *(("context",) if context else ()))
        optional_names = name_optional_columns(context=context)
        self._schema = pa.schema([*SCHEMAS[self.kind], *list_optional_fields(self.kind, optional_names)])

    def __len__(self) -> int:
        return len(self.sides)

    def _name_relations(self, left: Sides, right: Sides) -> pa.Array:
        """Return the names of the relations of pairs of propositions: `records.CONTRADICTS`, or "" for no relation."""
        numbers = left.astype(np.int64) * self._size + right
        return pc.if_else(pa.array(np.isin(numbers, self._contradicting)), CONTRADICTS, "")


class PairRows(_Rows):
    """Pairs in the order of their ids.

    Attributes:
        kind: The kind of the rows.
        sides: Shape (n, 2), indices of the propositions, in the order of the columns of a row.
        targets: Shape (n,), labels.
    """

    kind = PAIRS

    def __init__(
        self,
        propositions: Sequence[Proposition],
        pairs: Sides,
        labels: npt.NDArray[np.int8],
        configuration: str,
        *,
        context: bool = False,
    ) -> None:
        super().__init__(propositions, context=context)
        sides = _order_sides(propositions, pairs)
        self._digests = make_digest_array(self._digest_pairs(configuration, sides), len(sides))
        # The digests are not copied in order: they take most of the memory of a row.
        self._order = order = order_digests(self._digests).astype(np.int32)
        self.sides = sides[order]
        self.targets: Targets = labels[order].astype(np.int32)

    def iterate_ids(self) -> Iterator[str]:
        """Yield the ids, in order."""
        for start in range(0, len(self._order), _PAIRS_AT_ONCE):
            digits = self._digests[self._order[start : start + _PAIRS_AT_ONCE]].tobytes().hex()
            length = 2 * DIGEST_BYTES
            yield from (digits[place : place + length] for place in range(0, len(digits), length))

    def _digest_pairs(self, configuration: str, sides: Sides) -> Iterator[bytes]:
        """Yield `digest_of` the configuration and both pyramids, SCUs and texts of each pair: its id."""
        names = ("pyramid", "scu", "text")
        for start in range(0, len(sides), _PAIRS_AT_ONCE):
            places = [pa.array(side) for side in sides[start : start + _PAIRS_AT_ONCE].T]
            fields = [self._columns[name].take(side) for name in names for side in places]
            joined = pc.binary_join_element_wise(configuration, *fields, DIGEST_SEPARATOR)
            yield from (hashlib.sha256(row).digest() for row in joined.cast(pa.binary()).to_pylist())

    def table(self, rows: Indices) -> pa.Table:
        """Make a table of some rows."""
        left, right = self.sides[rows].T
        columns = {
            "id": _render_digests(self._digests[self._order[rows]]),
            "label": pa.array(self.targets[rows].astype(np.int64)),
            "relation": self._name_relations(left, right),
        }
        for side, places in (("1", pa.array(left)), ("2", pa.array(right))):
            columns[f"sentence{side}"] = self._columns["text"].take(places)
            for name in self._carried:
                columns[f"{name}{side}"] = self._columns[name].take(places)
        return pa.table(columns, schema=self._schema)

    def measure_contexts(self) -> int:
        """Return the size of the contexts in all rows, in bytes."""
        return int(self._context_bytes[self.sides].sum())


class QuestionRows(_Rows):
    """Questions in the order of their ids. A hash of the id decides the order of the options.

    Attributes:
        kind: The kind of the rows.
        sides: Shape (n, 1), indices of the propositions that are questions.
        targets: Shape (n,), index of the answer among the options.
    """

    kind = QUESTIONS

    def __init__(
        self,
        propositions: Sequence[Proposition],
        questions: Sequence[tuple[int, int, tuple[int, ...]]],
        configuration: str,
        *,
        context: bool = False,
    ) -> None:
        super().__init__(propositions, context=context)
        rows: list[tuple[str, int, tuple[int, ...]]] = []
        for question, answer, distractors in questions:
            options = (answer, *distractors)
            members = [propositions[row] for row in (question, *options)]
            scus, texts = [member.scu for member in members], [member.text for member in members]
            rows.append((sha256_of(configuration, members[0].pyramid, *scus, *texts), question, options))
        rows.sort(key=itemgetter(0))
        self._ids = [row_id for row_id, _, _ in rows]
        self.sides = np.array([question for _, question, _ in rows], dtype=np.int32).reshape(-1, 1)
        self.targets: Targets = np.zeros(len(rows), dtype=np.int32)
        self._options: list[tuple[int, ...]] = []
        for place, (row_id, _, options) in enumerate(rows):
            arrangement = shuffle_options(row_id, len(options))
            self.targets[place] = arrangement.index(0)
            self._options.append(tuple(options[option] for option in arrangement))

    def iterate_ids(self) -> Iterator[str]:
        """Yield the ids, in order."""
        return iter(self._ids)

    def table(self, rows: Indices) -> pa.Table:
        """Make a table of some rows."""
        asked = self.sides[rows, 0]
        counts = [len(self._options[row]) for row in rows]
        options = np.array([option for row in rows for option in self._options[row]], dtype=np.int32)
        offsets = pa.array(np.cumsum([0, *counts]).astype(np.int32))
        columns = {
            "id": pa.array([self._ids[row] for row in rows]),
            "answer": pa.array(self.targets[rows].astype(np.int64)),
            "question": self._columns["text"].take(pa.array(asked)),
        }
        for name in self._carried:
            columns[name] = self._columns[name].take(pa.array(asked))
        names = {"options": "text", "option_parts": "parts", "option_contexts": "context"}
        names |= {f"option_{name}s": name for name in ("scu", "kind", "summarizer", "weight")}
        for column in names.keys() & self._schema.names:
            name = names[column]
            columns[column] = pa.ListArray.from_arrays(offsets, self._columns[name].take(pa.array(options)))
        relations = self._name_relations(np.repeat(asked, counts), options)
        columns["option_relations"] = pa.ListArray.from_arrays(offsets, relations)
        return pa.table(columns, schema=self._schema)

    def measure_contexts(self) -> int:
        """Return the size of the contexts in all rows, in bytes."""
        options = np.array(list(chain.from_iterable(self._options)), dtype=np.int32)
        return int(self._context_bytes[self.sides].sum() + self._context_bytes[options].sum())


Rows = PairRows | QuestionRows


def _order_sides(propositions: Sequence[Proposition], pairs: Sides) -> Sides:
    """Put the proposition with the smaller tie-break first."""
    ties = [proposition.tie_break for proposition in propositions]
    places = np.empty(len(ties), dtype=np.int32)
    places[sorted(range(len(ties)), key=ties.__getitem__)] = np.arange(len(ties))
    is_swapped = places[pairs[:, 0]] >= places[pairs[:, 1]]
    return np.where(is_swapped[:, None], pairs[:, ::-1], pairs)


def _render_digests(digests: Digests) -> pa.StringArray:
    """Render SHA-256 digests as hexadecimal digits."""
    offsets = np.arange(len(digests) + 1, dtype=np.int32) * (2 * DIGEST_BYTES)
    data = digests.tobytes().hex().encode("ascii")
    return pa.StringArray.from_buffers(len(digests), pa.py_buffer(offsets), pa.py_buffer(data))


def shuffle_options(row_id: str, count: int) -> list[int]:
    """Return a deterministic random order of the options: the order of the hashes of the row's id and the index."""
    return sorted(range(count), key=lambda place: sha256_of(row_id, str(place)))
