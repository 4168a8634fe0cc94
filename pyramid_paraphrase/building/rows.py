"""Rows of the dataset as Arrow tables, made from pairs and questions and traceable to their files.

Some columns do not define a test: facts about the annotations, and contexts on request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.pyramids.records import CONTRADICTS
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS, Kind
from pyramid_paraphrase.rules.propositions import Proposition, digest_of, link_propositions, sha256_of
from pyramid_paraphrase.rules.questions import Question

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

    def name(self, left: Sides, right: Sides) -> pa.Array:
        """Return the names of the relations of pairs of propositions.

        Args:
            left: Shape (n,), indices of the first propositions.
            right: Shape (n,), indices of the second propositions.

        Returns:
            n texts: `records.CONTRADICTS`, or "" for no relation.
        """
        numbers = left.astype(np.int64) * self._size + right
        return pc.if_else(pa.array(np.isin(numbers, self._numbers)), CONTRADICTS, "")


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


class PairRows:
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
        pairs: Indices,
        labels: npt.NDArray[np.int8],
        configuration: str,
        *,
        context: bool = False,
    ) -> None:
        sides = _order_sides(propositions, pairs.astype(np.int32))
        ids = (_pair_id(configuration, propositions[left], propositions[right]) for left, right in _iterate(sides))
        self._digests = make_digest_array(ids, len(sides))
        # The digests are not copied in order: they take most of the memory of a row.
        self._order = order = order_digests(self._digests).astype(np.int32)
        self.sides = sides[order]
        self.targets: Targets = labels[order].astype(np.int32)
        self._contradictions = Contradictions(propositions)
        self._columns = _make_columns(propositions)
        self._context = context

    def __len__(self) -> int:
        return len(self.sides)

    def iterate_ids(self) -> Iterator[str]:
        """Yield the ids, in order."""
        return (self._digests[place].tobytes().hex() for place in self._order)

    def table(self, rows: Indices) -> pa.Table:
        """Make a table of some rows."""
        left, right = pa.array(self.sides[rows, 0]), pa.array(self.sides[rows, 1])
        columns = {
            "id": _render_digests(self._digests[self._order[rows]]),
            "sentence1": self._columns["text"].take(left),
            "sentence2": self._columns["text"].take(right),
            "label": pa.array(self.targets[rows].astype(np.int64)),
        }
        for name in (*_PROVENANCE, *FACT_NAMES):
            columns |= {f"{name}1": self._columns[name].take(left), f"{name}2": self._columns[name].take(right)}
        columns["relation"] = self._contradictions.name(self.sides[rows, 0], self.sides[rows, 1])
        if self._context:
            columns |= {
                "context1": self._columns["context"].take(left),
                "context2": self._columns["context"].take(right),
            }
        return pa.table(columns, schema=_make_schema(self.kind, context=self._context))

    def measure_contexts(self) -> int:
        """Return the size of the contexts in all rows, in bytes."""
        return int(_measure_contexts(self._columns)[self.sides].sum())


class QuestionRows:
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
        questions: Sequence[Question],
        configuration: str,
        *,
        context: bool = False,
    ) -> None:
        ids = [_question_id(configuration, propositions, question) for question in questions]
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._ids = [ids[row] for row in order]
        self.sides = np.array([questions[row].question for row in order], dtype=np.int32).reshape(-1, 1)
        self.targets: Targets = np.zeros(len(order), dtype=np.int32)
        self._options: list[tuple[int, ...]] = []
        for place, row in enumerate(order):
            options = (questions[row].answer, *questions[row].distractors)
            arrangement = shuffle_options(ids[row], len(options))
            self.targets[place] = arrangement.index(0)
            self._options.append(tuple(options[option] for option in arrangement))
        self._contradictions = Contradictions(propositions)
        self._columns = _make_columns(propositions)
        self._context = context

    def __len__(self) -> int:
        return len(self.sides)

    def iterate_ids(self) -> Iterator[str]:
        """Yield the ids, in order."""
        return iter(self._ids)

    def table(self, rows: Indices) -> pa.Table:
        """Make a table of some rows."""
        asked = pa.array(self.sides[rows, 0])
        options = [self._options[row] for row in rows]
        columns = {
            "id": pa.array([self._ids[row] for row in rows]),
            "question": self._columns["text"].take(asked),
            "options": self._take_lists("text", options),
            "answer": pa.array(self.targets[rows].astype(np.int64)),
            **{name: self._columns[name].take(asked) for name in (*_PROVENANCE, *FACT_NAMES)},
            **{f"option_{name}s": self._take_lists(name, options) for name in ("scu", "kind", "summarizer", "weight")},
            "option_parts": self._take_lists("parts", options),
            "option_relations": self._name_relations(self.sides[rows, 0], options),
        }
        if self._context:
            columns["context"] = self._columns["context"].take(asked)
            columns["option_contexts"] = self._take_lists("context", options)
        return pa.table(columns, schema=_make_schema(self.kind, context=self._context))

    def measure_contexts(self) -> int:
        """Return the size of the contexts in all rows, in bytes."""
        lengths = _measure_contexts(self._columns)
        options = np.array(list(chain.from_iterable(self._options)), dtype=np.int32)
        return int(lengths[self.sides].sum() + lengths[options].sum())

    def _take_lists(self, name: str, options: list[tuple[int, ...]]) -> pa.ListArray:
        flat = pa.array(list(chain.from_iterable(options)), pa.int64())
        return _divide(self._columns[name].take(flat), options)

    def _name_relations(self, asked: Sides, options: list[tuple[int, ...]]) -> pa.ListArray:
        questions = np.repeat(asked, [len(row) for row in options])
        return _divide(
            self._contradictions.name(questions, np.array([*chain.from_iterable(options)], dtype=np.int32)), options
        )


Rows = PairRows | QuestionRows


def _divide(values: pa.Array, options: Sequence[tuple[int, ...]]) -> pa.ListArray:
    """Divide the values of all options into lists, one per question."""
    offsets = np.cumsum([0, *map(len, options)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def _order_sides(propositions: Sequence[Proposition], pairs: Sides) -> Sides:
    """Put the proposition with the smaller tie-break first."""
    ties = [proposition.tie_break for proposition in propositions]
    places = np.empty(len(ties), dtype=np.int32)
    places[sorted(range(len(ties)), key=ties.__getitem__)] = np.arange(len(ties))
    is_swapped = places[pairs[:, 0]] >= places[pairs[:, 1]]
    return np.where(is_swapped[:, None], pairs[:, ::-1], pairs)


def _iterate(pairs: Sides) -> Iterator[tuple[int, int]]:
    """Yield pairs of Python integers, converted in batches to save memory."""
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[start : start + _PAIRS_AT_ONCE]
        yield from zip(part[:, 0].tolist(), part[:, 1].tolist(), strict=True)


def _render_digests(digests: Digests) -> pa.StringArray:
    """Render SHA-256 digests as hexadecimal digits."""
    offsets = np.arange(len(digests) + 1, dtype=np.int32) * (2 * DIGEST_BYTES)
    data = digests.tobytes().hex().encode("ascii")
    return pa.StringArray.from_buffers(len(digests), pa.py_buffer(offsets), pa.py_buffer(data))


def _pair_id(configuration: str, left: Proposition, right: Proposition) -> bytes:
    return digest_of(configuration, left.pyramid, right.pyramid, left.scu, right.scu, left.text, right.text)


def _question_id(configuration: str, propositions: Sequence[Proposition], question: Question) -> str:
    members = [propositions[row] for row in (question.question, question.answer, *question.distractors)]
    texts = (member.text for member in members)
    return sha256_of(configuration, members[0].pyramid, *(member.scu for member in members), *texts)


def shuffle_options(row_id: str, count: int) -> list[int]:
    """Return a deterministic random order of the options: the order of the hashes of the row's id and the index."""
    return sorted(range(count), key=lambda place: sha256_of(row_id, str(place)))


def _make_columns(propositions: Sequence[Proposition]) -> dict[str, pa.Array]:
    """Make columns of the texts, provenance and facts of all propositions. Rows take their values from them."""
    columns = {}
    for names, kind in ((("text", "context", *_PROVENANCE), pa.string()), (FACT_NAMES, pa.int32())):
        for name in names:
            columns[name] = pa.array([getattr(proposition, name) for proposition in propositions], kind)
    return columns


def _measure_contexts(columns: Mapping[str, pa.Array]) -> Indices:
    """Return the sizes of the contexts of propositions, in bytes."""
    return np.asarray(pc.binary_length(columns["context"]), dtype=np.int64)


def _make_schema(kind: Kind, *, context: bool) -> pa.Schema:
    return pa.schema([*SCHEMAS[kind], *list_optional_fields(kind, name_optional_columns(context=context))])
