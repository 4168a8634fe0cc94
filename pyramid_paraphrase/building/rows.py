"""Rows of the dataset as Arrow tables, made from pairs and questions and traceable to their files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.building.digests import DIGEST_BYTES, Digests, make_digest_array, order_digests
from pyramid_paraphrase.building.optional_columns import (
    FACT_NAMES,
    OPTIONAL_COLUMNS,
    Contradictions,
    list_optional_fields,
    name_optional_columns,
)
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS, Kind
from pyramid_paraphrase.rules.pairs import Pairs
from pyramid_paraphrase.rules.propositions import Proposition, digest_of, sha256_of
from pyramid_paraphrase.rules.questions import Question

Indices = npt.NDArray[np.int64]
Sides = npt.NDArray[np.int32]
Targets = npt.NDArray[np.int32]

_encode_json = json.JSONEncoder(separators=(",", ":")).encode

LABEL_NAMES = ("non-paraphrase", "paraphrase")
ROWS_PER_TABLE = 1000
"""Maximum number of rows of a table. `datasets` distributes tables among processes."""

_DAMAGE_DIGITS = 16
"""Digits of a digest that detects damage. It is not an identifier, so 64 bits are sufficient."""

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


def topic_of(pyramid: str) -> str:
    """Return the topic number in a pyramid's id: "D0743" for "D0743-A"."""
    return pyramid.split("-", 1)[0]


class PairRows:
    """Pairs in the order of their ids.

    Attributes:
        kind: The kind of the rows.
        sides: Shape (n, 2), indices of the propositions, in the order of the columns of a row.
        targets: Shape (n,), labels.
    """

    kind = PAIRS

    def __init__(
        self, propositions: Sequence[Proposition], pairs: Pairs, configuration: str, *, context: bool = False
    ) -> None:
        sides = _order_sides(propositions, pairs.indices.astype(np.int32))
        ids = (_pair_id(configuration, propositions[left], propositions[right]) for left, right in _iterate(sides))
        self._digests = make_digest_array(ids, len(sides))
        # The digests are not copied in order: they take most of the memory of a row.
        self._order = order = order_digests(self._digests).astype(np.int32)
        self.sides = sides[order]
        self.targets: Targets = pairs.labels[order].astype(np.int32)
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


def fingerprint_rows(splits: Mapping[str, Iterable[pa.Table]]) -> str:
    """Compute the SHA-256 of the canonical rows of a configuration. It is the same on every machine.

    The fingerprint identifies the rows on which a score was measured. Optional columns are ignored, because no score
    depends on them, and builds with and without them are the same test. `digest_optional_columns` hashes them.

    Args:
        splits: Tables of each split, in any order and division.

    Returns:
        64 hexadecimal digits.
    """
    return _hash_columns(splits, lambda name: name not in OPTIONAL_COLUMNS)


def digest_optional_columns(splits: Mapping[str, Sequence[pa.Table]]) -> str:
    """Compute the SHA-256 of the optional columns of a configuration, in the order of ids, to detect damage.

    Args:
        splits: Tables of each split, in any order and division.

    Returns:
        16 hexadecimal digits, or "" if the rows have no optional columns.
    """
    names = {name for tables in splits.values() for table in tables[:1] for name in table.column_names}
    if OPTIONAL_COLUMNS.isdisjoint(names):
        return ""
    return _hash_columns(splits, OPTIONAL_COLUMNS.__contains__)[:_DAMAGE_DIGITS]


def _hash_columns(splits: Mapping[str, Iterable[pa.Table]], is_hashed: Callable[[str], bool]) -> str:
    """Compute the SHA-256 of the columns that `is_hashed` selects, row by row in the order of splits and ids."""
    digest = hashlib.sha256()
    for split in sorted(splits):
        for ordered in _in_id_order(splits[split]):
            table = ordered.select([name for name in ordered.column_names if is_hashed(name)])
            rows = zip(*map(pa.ChunkedArray.to_pylist, table.columns), strict=True)
            # Each row is followed by a comma, so that the division into chunks does not matter.
            encoded = _encode_json([(split, *row) for row in rows])
            digest.update(encoded[1:-1].encode("ascii") + b",")
    return digest.hexdigest()


def _in_id_order(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield pieces of tables in the order of ids. The tables of a build are already in this order."""
    repeatable = tables if isinstance(tables, Sequence) else list(tables)
    if not _is_in_id_order(repeatable):
        whole = pa.concat_tables(repeatable)
        repeatable = [whole.take(pc.sort_indices(whole["id"]))]
    for table in repeatable:
        for start in range(0, table.num_rows, ROWS_PER_TABLE):
            yield table.slice(start, ROWS_PER_TABLE)


def _is_in_id_order(tables: Sequence[pa.Table]) -> bool:
    last = ""
    for table in tables:
        ids = table["id"].combine_chunks()
        if not len(ids):
            continue
        if ids[0].as_py() < last or pc.any(pc.less(ids[1:], ids[:-1])).as_py():
            return False
        last = ids[-1].as_py()
    return True


def count_rows(tables: Iterable[pa.Table]) -> int:
    """Count the rows of some tables."""
    return sum(table.num_rows for table in tables)


def list_collections(splits: Mapping[str, Iterable[pa.Table]]) -> tuple[str, ...]:
    """Return the names of the collections that the rows come from."""
    names: set[str] = set()
    for table in chain.from_iterable(splits.values()):
        for column in ("collection", "collection1", "collection2"):
            if column in table.column_names:
                names.update(table[column].unique().to_pylist())
    return tuple(sorted(names))
