"""Pairs and questions as Arrow tables: the rows of the dataset, traceable to their files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pyramid_paraphrase.options import BINARY, RANKING, SIMILARITY
from pyramid_paraphrase.pairs import Pairs
from pyramid_paraphrase.propositions import Proposition, sha256_of
from pyramid_paraphrase.questions import Question

Indices = npt.NDArray[np.int64]

_encode_json = json.JSONEncoder(separators=(",", ":")).encode

LABEL_NAMES = ("non-paraphrase", "paraphrase")
ROWS_PER_TABLE = 1000
"""Rows of one table, the unit of work for several processes."""

_PROVENANCE = ("collection", "pyramid", "scu", "kind", "summarizer")

SCHEMAS = {
    BINARY: pa.schema(
        [("id", pa.string()), ("sentence1", pa.string()), ("sentence2", pa.string()), ("label", pa.int64())]
        + [(f"{name}{side}", pa.string()) for side in (1, 2) for name in _PROVENANCE]
    ),
    RANKING: pa.schema(
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
"""Columns per task. In a ranking row, the plain provenance is that of the question; all options share its pyramid."""

TARGETS = {BINARY: "label", RANKING: "answer", SIMILARITY: "grade"}
"""The column that holds the right response, per task."""


def topic_of(pyramid: str) -> str:
    """Topic number of a pyramid's id: "D0743" of "D0743-A"."""
    return pyramid.split("-", 1)[0]


class PairRows:
    """Pairs in the order of their ids."""

    def __init__(self, propositions: Sequence[Proposition], pairs: Pairs, configuration: str) -> None:
        ties = [proposition.tie_break for proposition in propositions]
        sides = [(a, b) if ties[a] < ties[b] else (b, a) for a, b in pairs.indices.tolist()]
        ids = [_pair_id(configuration, propositions[left], propositions[right]) for left, right in sides]
        order = np.argsort(np.array(ids, dtype="S64"), kind="stable")
        self.ids = [ids[row] for row in order]
        self.sides = np.array(sides, dtype=np.int64).reshape(-1, 2)[order]
        self.targets: Sequence[int] = pairs.labels[order].tolist()
        self._columns = _proposition_columns(propositions)

    def topics(self) -> list[tuple[str, ...]]:
        """Topic numbers of the two sides of each row."""
        pyramids = [topic_of(pyramid) for pyramid in self._columns["pyramid"].to_pylist()]
        return [(pyramids[left], pyramids[right]) for left, right in self.sides.tolist()]

    def table(self, rows: Indices) -> pa.Table:
        """The chosen rows."""
        left, right = pa.array(self.sides[rows, 0]), pa.array(self.sides[rows, 1])
        columns = {
            "id": pa.array([self.ids[row] for row in rows]),
            "sentence1": self._columns["text"].take(left),
            "sentence2": self._columns["text"].take(right),
            "label": pa.array([self.targets[row] for row in rows], pa.int64()),
        }
        for side, taken in ((1, left), (2, right)):
            columns |= {f"{name}{side}": self._columns[name].take(taken) for name in _PROVENANCE}
        return pa.table(columns, schema=SCHEMAS[BINARY])


class QuestionRows:
    """Questions in the order of their ids, each with its options in an order that its id decides."""

    def __init__(self, propositions: Sequence[Proposition], questions: Sequence[Question], configuration: str) -> None:
        with_ids = sorted((_question_id(configuration, propositions, question), question) for question in questions)
        self.ids = [row_id for row_id, _ in with_ids]
        self._questions = np.array([question.question for _, question in with_ids], dtype=np.int64)
        orders = [_option_order(row_id, 1 + len(question.distractors)) for row_id, question in with_ids]
        self._options = [
            [(question.answer, *question.distractors)[place] for place in order]
            for order, (_, question) in zip(orders, with_ids, strict=True)
        ]
        self.targets: Sequence[int] = [order.index(0) for order in orders]
        self._columns = _proposition_columns(propositions)

    def topics(self) -> list[tuple[str, ...]]:
        """Topic number of each row."""
        pyramids = self._columns["pyramid"].to_pylist()
        return [(topic_of(pyramids[question]),) for question in self._questions]

    def table(self, rows: Indices) -> pa.Table:
        """The chosen rows."""
        asked = pa.array(self._questions[rows])
        options = [self._options[row] for row in rows]
        columns = {
            "id": pa.array([self.ids[row] for row in rows]),
            "question": self._columns["text"].take(asked),
            "options": self._take_lists("text", options),
            "answer": pa.array([self.targets[row] for row in rows], pa.int64()),
            **{name: self._columns[name].take(asked) for name in _PROVENANCE},
            **{f"option_{name}s": self._take_lists(name, options) for name in ("scu", "kind", "summarizer")},
        }
        return pa.table(columns, schema=SCHEMAS[RANKING])

    def _take_lists(self, name: str, options: list[list[int]]) -> pa.ListArray:
        offsets = np.cumsum([0, *map(len, options)]).astype(np.int32)
        flat = pa.array([option for row in options for option in row], pa.int64())
        return pa.ListArray.from_arrays(pa.array(offsets), self._columns[name].take(flat))


Rows = PairRows | QuestionRows


def _pair_id(configuration: str, left: Proposition, right: Proposition) -> str:
    return sha256_of(configuration, left.pyramid, right.pyramid, left.scu, right.scu, left.text, right.text)


def _question_id(configuration: str, propositions: Sequence[Proposition], question: Question) -> str:
    members = [propositions[row] for row in (question.question, question.answer, *question.distractors)]
    texts = (member.text for member in members)
    return sha256_of(configuration, members[0].pyramid, *(member.scu for member in members), *texts)


def _option_order(row_id: str, count: int) -> list[int]:
    return sorted(range(count), key=lambda place: sha256_of(row_id, str(place)))


def _proposition_columns(propositions: Sequence[Proposition]) -> dict[str, pa.Array]:
    return {
        name: pa.array([getattr(proposition, name) for proposition in propositions], pa.string())
        for name in ("text", *_PROVENANCE)
    }


def fingerprint_rows(splits: Mapping[str, Iterable[pa.Table]]) -> str:
    """SHA-256 over the canonical rows of a configuration: the same wherever and however it was built.

    Args:
        splits: Tables of each split, in any order and division.

    Returns:
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for split in sorted(splits):
        for table in _in_id_order(pa.concat_tables(splits[split])):
            rows = zip(*map(pa.ChunkedArray.to_pylist, table.columns), strict=True)
            # Each row is followed by a comma, so that the division into chunks does not matter.
            encoded = _encode_json([(split, *row) for row in rows])
            digest.update(encoded[1:-1].encode("ascii") + b",")
    return digest.hexdigest()


def _in_id_order(table: pa.Table) -> Iterator[pa.Table]:
    """Pieces of a table in the order of ids, which a table as it was built has already."""
    order = pc.sort_indices(table["id"]).to_numpy()
    if not np.array_equal(order, np.arange(len(order))):
        table = table.take(order)
    for start in range(0, len(order), ROWS_PER_TABLE):
        yield table.slice(start, ROWS_PER_TABLE)


def list_collections(splits: Mapping[str, Iterable[pa.Table]]) -> tuple[str, ...]:
    """Names of the collections that the rows come from."""
    columns = [column for tables in splits.values() for t in tables for column in _collection_columns(t)]
    return tuple(sorted({name for column in columns for name in column.unique().to_pylist()}))


def _collection_columns(table: pa.Table) -> list[pa.ChunkedArray]:
    return [table[name] for name in ("collection", "collection1", "collection2") if name in table.column_names]
