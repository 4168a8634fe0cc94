"""Rows: ids, sides, answers and fingerprints, from their definitions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from pyramid_paraphrase.building.built_tests import digest_optional_columns, fingerprint_rows, list_collections
from pyramid_paraphrase.building.rows import PairRows, QuestionRows
from pyramid_paraphrase.catalog import topic_of
from pyramid_paraphrase.rules.propositions import Proposition


def proposition(
    pyramid: str, scu: str, text: str, weight: int, parts: int, contradicting: Sequence[str] = ()
) -> Proposition:
    words = tuple(text.lower().split())
    return Proposition(
        pyramid=pyramid,
        scu=scu,
        kind="contributor",
        summarizer="A",
        text=text,
        topic=topic_of(pyramid),
        collection="other",
        words=words,
        content=words,
        contradicting=frozenset(contradicting),
        weight=weight,
        parts=parts,
        context=f"So {text}.",
    )


PROPOSITIONS = [
    proposition("X1-A", "1", "rain fell all day", weight=4, parts=1, contradicting=["2"]),
    proposition("X1-A", "1", "it rained for a day", weight=4, parts=2, contradicting=["2"]),
    proposition("X1-A", "2", "winds blew hard", weight=3, parts=1, contradicting=["1"]),
    proposition("X2-B-C", "1", "the river rose", weight=1, parts=3),
    proposition("X2-B-C", "2", "a bridge broke", weight=2, parts=0),
]


def by_definition(*fields: str) -> str:
    return hashlib.sha256("\x1f".join(fields).encode()).hexdigest()


def pair_rows(pairs: list[tuple[int, int]], labels: list[int]) -> PairRows:
    indices = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return PairRows(PROPOSITIONS, indices, np.array(labels, dtype=np.int8), "binary")


@pytest.mark.parametrize(("pyramid", "topic"), [("D0743-A", "D0743"), ("D0743", "D0743"), ("X2-B-C", "X2")])
def test_topics_of_pyramids(pyramid: str, topic: str) -> None:
    assert topic_of(pyramid) == topic


def test_rows_of_pairs() -> None:
    """The side with the smaller tie-break comes first, and rows stand in the order of their ids."""
    rows = pair_rows([(0, 1), (0, 3), (2, 4), (1, 2)], [1, 0, 0, 0])
    expected = []
    for (left, right), label in (((0, 1), 1), ((0, 3), 0), ((2, 4), 0), ((1, 2), 0)):
        sides = sorted((PROPOSITIONS[left], PROPOSITIONS[right]), key=lambda side: side.tie_break)
        a, b = sides
        row_id = by_definition("binary", a.pyramid, b.pyramid, a.scu, b.scu, a.text, b.text)
        relation = "contradicts" if (left, right) == (1, 2) else ""
        expected.append((row_id, a, b, label, relation))
    expected.sort(key=lambda row: row[0])
    table = rows.table(np.arange(4)).to_pylist()
    assert [tuple(row.values()) for row in table] == [
        (row_id, a.text, b.text, label, *("other", a.pyramid, a.scu, "contributor", "A"),
         *("other", b.pyramid, b.scu, "contributor", "A"), a.weight, a.parts, b.weight, b.parts, relation)
        for row_id, a, b, label, relation in expected
    ]  # fmt: skip
    assert list(table[0])[4::5] == ["collection1", "collection2", "weight1"]
    assert list(table[0])[-5:] == ["weight1", "parts1", "weight2", "parts2", "relation"]
    assert list(rows.iterate_ids()) == [row_id for row_id, *_ in expected]
    assert [[PROPOSITIONS[side] for side in sides] for sides in rows.sides] == [[a, b] for _, a, b, *_ in expected]
    assert rows.targets.tolist() == [label for *_, label, _ in expected]
    assert rows.table(np.array([2])).to_pylist() == table[2:3]


def test_contexts_of_pairs_are_further_columns() -> None:
    indices, labels = np.array([[0, 1], [2, 4]]), np.array([1, 0], dtype=np.int8)
    plain = PairRows(PROPOSITIONS, indices, labels, "binary").table(np.arange(2))
    rows = PairRows(PROPOSITIONS, indices, labels, "binary", context=True)
    table = rows.table(np.arange(2))
    assert table.column_names == [*plain.column_names, "context1", "context2"]
    contexts = [[f"So {row['sentence1']}.", f"So {row['sentence2']}."] for row in plain.to_pylist()]
    assert [[row["context1"], row["context2"]] for row in table.to_pylist()] == contexts
    assert rows.measure_contexts() == sum(len(context) for row in contexts for context in row)


def test_contexts_of_questions_are_further_columns() -> None:
    questions = [(1, 0, (2,)), (0, 1, (2, 3))]
    plain = QuestionRows(PROPOSITIONS, questions, "ranking").table(np.arange(2))
    rows = QuestionRows(PROPOSITIONS, questions, "ranking", context=True)
    table = rows.table(np.arange(2))
    assert table.column_names == [*plain.column_names, "context", "option_contexts"]
    size = 0
    assert table.num_rows == 2
    for row in table.to_pylist():
        assert row["context"] == f"So {row['question']}."
        assert row["option_contexts"] == [f"So {option}." for option in row["options"]]
        size += sum(map(len, [row["context"], *row["option_contexts"]]))
    assert rows.measure_contexts() == size


def test_no_pairs() -> None:
    rows = pair_rows([], [])
    assert (list(rows.iterate_ids()), rows.targets.tolist(), rows.sides.shape) == ([], [], (0, 2))


def test_rows_of_questions() -> None:
    """Options stand in the order of the hashes of the row's id and their place before: answer, then distractors."""
    questions = [(1, 0, (2,)), (0, 1, (2, 3))]
    rows = QuestionRows(PROPOSITIONS, questions, "ranking")
    expected = []
    for question, answer, distractors in questions:
        members = [PROPOSITIONS[row] for row in (question, answer, *distractors)]
        scus, texts = [member.scu for member in members], [member.text for member in members]
        row_id = by_definition("ranking", "X1-A", *scus, *texts)
        order = sorted(range(len(members) - 1), key=lambda place: by_definition(row_id, str(place)))
        options = [members[1 + place] for place in order]
        expected.append((row_id, texts[0], [option.text for option in options], order.index(0), members[0], options))
    expected.sort(key=lambda row: row[0])
    assert [tuple(row.values()) for row in rows.table(np.arange(2)).to_pylist()] == [
        (row_id, text, options, answer, "other", "X1-A", asked.scu, "contributor", "A",
         [option.scu for option in chosen], ["contributor"] * len(chosen), ["A"] * len(chosen),
         asked.weight, asked.parts, [option.weight for option in chosen], [option.parts for option in chosen],
         ["contradicts" if (option.pyramid, option.scu) == ("X1-A", "2") else "" for option in chosen])
        for row_id, text, options, answer, asked, chosen in expected
    ]  # fmt: skip
    assert [PROPOSITIONS[asked] for (asked,) in rows.sides] == [row[4] for row in expected]
    assert rows.targets.tolist() == [row[3] for row in expected]


def test_fingerprints_hash_rows_in_the_order_of_splits_and_ids() -> None:
    """The hash does not depend on the division into tables. The text that is hashed is written out here."""
    text = '["test","a",1],["test","b",0],["test","c",2],["train","d",null],'
    tables = [pa.table({"id": ["c", "a"], "label": [2, 1]}), pa.table({"id": ["b"], "label": [0]})]
    train = pa.table({"id": ["d"], "label": pa.array([None], pa.int64())})
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert fingerprint_rows({"train": [train], "test": tables}) == expected
    assert fingerprint_rows({"test": tables[::-1], "train": [train]}) == expected


def test_fingerprints_ignore_optional_columns_which_have_a_digest_of_their_own() -> None:
    table = pa.table({"id": ["a", "b"], "label": [1, 0]})
    described = table.append_column("weight1", pa.array([4, 2])).append_column("parts1", pa.array([1, 3]))
    assert fingerprint_rows({"test": [described]}) == fingerprint_rows({"test": [table]})
    expected = hashlib.sha256(b'["test",4,1],["test",2,3],').hexdigest()[:16]
    assert digest_optional_columns({"test": [described.slice(1), described.slice(0, 1)]}) == expected
    assert digest_optional_columns({"test": [table]}) == ""


def test_fingerprints_of_tables_that_are_read_once() -> None:
    tables = [pa.table({"id": ["c", "a"], "label": [2, 1]}), pa.table({"id": ["b"], "label": [0]})]
    assert fingerprint_rows({"test": iter(tables)}) == fingerprint_rows({"test": tables})


def test_fingerprints_of_unordered_tables_behind_an_empty_one() -> None:
    table = pa.table({"id": ["c", "a"], "label": [2, 1]})
    assert fingerprint_rows({"test": [table[:0], table]}) == fingerprint_rows({"test": [table]})


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ([["x", 'a "b"'], [], None, ["é", None]], pa.string(), ['["x","a \\"b\\""]', "[]", "null", '["\\u00e9",null]']),
        ([[1, -2], [], None, [None]], pa.int64(), ["[1,-2]", "[]", "null", "[null]"]),
    ],
    ids=["texts", "numbers"],
)
def test_fingerprints_of_lists(values: list[object], kind: pa.DataType, texts: list[str]) -> None:
    """Lists are hashed as JSON, also in parts of tables and next to lists of other tables."""
    table = pa.table({"id": ["a", "b", "c", "d"], "options": pa.array(values, pa.list_(kind))})
    rows = [f'["test","{row_id}",{text}],' for row_id, text in zip("abcd", texts, strict=True)]
    for parts in ([table], [table[:1], table[1:]], [table[2:], table[:2]]):
        assert fingerprint_rows({"test": parts}) == hashlib.sha256("".join(rows).encode()).hexdigest()
    assert fingerprint_rows({"test": [table[1:3]]}) == hashlib.sha256("".join(rows[1:3]).encode()).hexdigest()


def test_fingerprints_of_many_rows() -> None:
    """More rows than are hashed at a time, in order and out of order."""
    ids = [f"{number:04}" for number in range(2500)]
    text = "".join(f'["test","{row_id}"],' for row_id in ids)
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert fingerprint_rows({"test": [pa.table({"id": ids})]}) == expected
    assert fingerprint_rows({"test": [pa.table({"id": ids[::-1]})]}) == expected


def test_collections_of_rows() -> None:
    pairs = pa.table({"collection1": ["tac2008", "other"], "collection2": ["sample", "other"]})
    questions = pa.table({"question": ["x"], "collection": ["duc2006"]})
    assert list_collections({"test": [pairs, pairs], "train": [questions]}) == ("duc2006", "other", "sample", "tac2008")
