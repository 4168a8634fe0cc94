"""Tables of users in JSON and JSON lines."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.messages import mentions
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.files import json_tables
from harness.files.json_tables import NUMBER, looks_like_json
from harness.files.tables import Table, read_tables
from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.tab_separated import Cells
from pyramid_paraphrase.pyramids.sources import SourceFile

ROWS = [["t1", "s1", "0.50"], ["t2", "s1", None]]
NAMES = ("topic", "system", "score")


def read(text: str) -> Table:
    (table,) = read_tables(SourceFile("folder/mine.v2.json", text.encode()))
    return table


def refuse(text: str) -> str:
    with pytest.raises(InputError) as error:
        read(text)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        # Lists of objects, of rows and of columns. The forms are those of `DataFrame.to_json` of pandas 2.3.
        ('[{"topic": "t1", "system": " s1", "score": 0.50}, {"system": "s1", "topic": "t2"}]', 1, "record"),
        (
            '\ufeff [ {"topic":"t1","system":"s1","score":0.50},\n{"topic":"t2","system":"s1","score":null}]',
            1,
            "record",
        ),
        ('[["topic", "system", "score"], ["t1", "s1", 0.50], ["t2", "s1", null]]', 1, "record"),
        ('{"topic": ["t1", "t2"], "system": ["s1", "s1"], "score": [0.50, null]}', 1, "record"),
        (
            '{"columns":["topic","system","score"],"index":[4,2],"data":[["t1","s1",0.50],["t2","s1",null]]}',
            1,
            "record",
        ),
        (
            '{"topic":{"0":"t1","1":"t2"},"system":{"0":"s1","1":"s1"},"score":{"0":0.50,"1":null}}',
            1,
            "record",
        ),
        ('{"topic":{"4":"t1","2":"t2"},"system":{"4":"s1","2":"s1"},"score":{"4":0.50,"2":null}}', 1, "record"),
        # Objects with little else.
        ('{"data": [{"topic": "t1", "system": "s1", "score": 0.50}, {"topic": "t2", "system": "s1"}]}', 1, "record"),
        (
            '{"schema": {}, "data": [{"topic":"t1", "system":"s1", "score":0.50}, {"topic":"t2", "system":"s1"}]}',
            1,
            "record",
        ),
        ('{"scores": [{"topic": "t1", "system": "s1", "score": 0.50}, {"topic": "t2", "system": "s1"}]}', 1, "record"),
        # JSON lines.
        ('{"topic": "t1", "system": "s1", "score": 0.50}\n{"system": "s1", "topic": "t2"}\n', 1, "line"),
        ('["topic", "system", "score"]\n["t1", "s1", 0.50]\r\n["t2", "s1", null]', 2, "line"),
    ],
)
def test_forms(text: str, number: int, unit: str) -> None:
    table = read(text)
    assert (table.names, [cells for _, cells in table.rows], table.unit) == (NAMES, ROWS, unit)
    assert [row for row, _ in table.rows] == [number, number + 1]
    assert (table.notes, table.listed, table.file) == ([], frozenset(), "folder/mine.v2.json")


@pytest.mark.parametrize(
    "text",
    [
        '{"0":{"topic":"t1","system":"s1","score":0.50},"1":{"topic":"t2","system":"s1","score":null}}',
        '{"schema":{},"data":[{"index":0,"topic":"t1","system":"s1","score":0.50},{"index":1,"topic":"t2","system":"s1"}]}',
        '{"index":{"0":0,"1":1},"topic":{"0":"t1","1":"t2"},"system":{"0":"s1","1":"s1"},"score":{"0":0.50,"1":null}}',
    ],
)
def test_forms_of_pandas_with_numbers_of_rows(text: str) -> None:
    table = read(text)
    assert (table.names, table.rows) == (NAMES, [(1, ROWS[0]), (2, ROWS[1])])
    assert re.search(mentions("folder/mine.v2.json: ... index"), table.notes[0])
    assert len(table.notes) == 1


def test_blank_lines_between_json_lines() -> None:
    table = read('\n{"topic": "t1"}\n\n  \n{"topic": "t2"}\n')
    assert (table.names, table.rows) == (("topic",), [(2, ["t1"]), (5, ["t2"])])


def test_an_object_over_several_lines() -> None:
    value = {"topic": ["t1", "t2"], "score": [1, 2]}
    assert read(json.dumps(value, indent=1)).rows == [(1, ["t1", "1"]), (2, ["t2", "2"])]


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        # Nested objects: topics and systems, with a value or with several measures.
        (
            '{"t1": {"s1": 0.5, "s2": null}, "t2": {"s1": 1}}',
            "key_1 key_2 mine",
            [["t1", "s1", "0.5"], ["t1", "s2", None], ["t2", "s1", "1"]],
        ),
        (
            '{"t1": {"s1": {"R-1": 0.5, "R-2": 0.4}, "s2": {"R-2": 0.3}}}',
            "key_1 key_2 R-1 R-2",
            [["t1", "s1", "0.5", "0.4"], ["t1", "s2", None, "0.3"]],
        ),
        ('{"t1": {"s1": {"R-1": {"f": 0.5, "p": 1}}}}', "key_1 key_2 f p", [["t1", "s1", "0.5", "1"]]),
        # Joined keys.
        ('{"t1/s1": 0.5, "t2/s1": 0.6}', "key_1 key_2 mine", [["t1", "s1", "0.5"], ["t2", "s1", "0.6"]]),
        ('{"t1/s1": {"a": 1, "b": 2}}', "key_1 key_2 a b", [["t1", "s1", "1", "2"]]),
        ('{"t1/s1": {"0": 1}, "t2/s1": {"0": 2}}', "key_1 key_2 0", [["t1", "s1", "1"], ["t2", "s1", "2"]]),
        ('{"s1": 0.5, "t/s2": 0.6}', "key_1 mine", [["s1", "0.5"], ["t/s2", "0.6"]]),
        ('{"a/b/c": 0.5}', "key_1 mine", [["a/b/c", "0.5"]]),
        # Numbers of systems or topics are no numbers of rows if there are only scores.
        (
            '{"t1": {"0": 0.5, "1": 0.6}, "t2": {"0": 0.7, "1": NaN}}',
            "key_1 key_2 mine",
            [["t1", "0", "0.5"], ["t1", "1", "0.6"], ["t2", "0", "0.7"], ["t2", "1", "NaN"]],
        ),
        ('{"0": {"s1": 0.5}, "1": {"s1": -1}}', "key_1 key_2 mine", [["0", "s1", "0.5"], ["1", "s1", "-1"]]),
        # Texts of numbered systems.
        (
            '{"t1": {"3": "a", "7": "b"}, "t2": {"3": "c", "7": "d"}}',
            "key_1 key_2 mine",
            [["t1", "3", "a"], ["t1", "7", "b"], ["t2", "3", "c"], ["t2", "7", "d"]],
        ),
        (
            '{"t1": {"3": "a", "7": "b"}, "t2": {"3": 1}}',
            "key_1 key_2 mine",
            [["t1", "3", "a"], ["t1", "7", "b"], ["t2", "3", "1"]],
        ),
        (
            '{"t1": {"s": "a", "u": 1}, "t2": {"s": 2, "u": 3}}',
            "key_1 key_2 mine",
            [["t1", "s", "a"], ["t1", "u", "1"], ["t2", "s", "2"], ["t2", "u", "3"]],
        ),
        ('{"a": {"b": "x"}, "c": 1}', "key_1 key_2 mine", [["a", "b", "x"], ["c", None, "1"]]),
        (
            '{"topic": {"4": "t1", "x": "t2"}, "score": {"4": 1, "x": 2}}',
            "key_1 key_2 mine",
            [["topic", "4", "t1"], ["topic", "x", "t2"], ["score", "4", "1"], ["score", "x", "2"]],
        ),
        ('{"t1": {"3": "a"}, "t2": {"7": 1}}', "key_1 key_2 mine", [["t1", "3", "a"], ["t2", "7", "1"]]),
        ('{"0": {"s1": "a"}, "5": {"s1": "b"}}', "key_1 key_2 mine", [["0", "s1", "a"], ["5", "s1", "b"]]),
        ('{"a/b": "x", "c/d": "y"}', "key_1 key_2 mine", [["a", "b", "x"], ["c", "d", "y"]]),
        # A single record.
        ('{"topic": "t1", "score": 1}', "topic score", [["t1", "1"]]),
        ('{"data": [["a", "b"], [1, 2]]}', "a b", [["1", "2"]]),
        # A key as the columns of keys have.
        ('{"t1/s1": {"key": 1, "key 1x": 2}}', "key_1 key_2 key key_1x", [["t1", "s1", "1", "2"]]),
        # Values and keys of all types.
        ('[{"a": true, "b": false, "c": 12345678901234567890, "d": -1.50E+3}]', "a b c d", None),
        # Names with full stops are not nested.
        ('[{"topic": "t", "R-1.5": 1, "R-1.6": 2}]', "topic R-1.5 R-1.6", [["t", "1", "2"]]),
        # All nested values have one root, or have not, or would have the name of another column.
        ('[{"m": {"a": 1, "b": {"c": 2}}, "n": 3}]', "a b.c n", [["1", "2", "3"]]),
        ('[{"m": {"a": 1}, "n": {"a": 2}}]', "m.a n.a", [["1", "2"]]),
        ('[{"m": {"a": 1}, "a": 2}]', "m.a a", [["1", "2"]]),
        ('[{"m": {}, "a": 2}]', "a", [["2"]]),
        # A list where a text is expected keeps its content.
        ('[["a", "b"], [[1, "\u00fc"], {"c": null}]]', "a b", [['["1", "\u00fc"]', '{"c": null}']]),
    ],
)
def test_nested_objects(text: str, names: str, rows: list[Cells] | None) -> None:
    table = read(text)
    assert table.names == tuple(name.replace("_", " ") for name in names.split())
    cells = [row for _, row in table.rows]
    assert cells == (rows or [["true", "false", "12345678901234567890", "-1.50E+3"]])
    assert [number for number, _ in table.rows] == list(range(1, len(cells) + 1))


def test_lines_of_sacrerouge() -> None:
    # The form of `metrics.jsonl` of SacreROUGE, with invented names and numbers.
    line = (
        '{"instance_id": "d1", "summarizer_id": "%s", "summarizer_type": "peer", '
        '"metrics": {"pyramid": 0.25, "rouge-1": {"recall": 0.5, "f1": 0.4}}}\n'
    )
    table = read(line % "1" + line % "2")
    assert table.names == (
        *("instance_id", "summarizer_id", "summarizer_type"),
        *("pyramid", "rouge-1.recall", "rouge-1.f1"),
    )
    assert table.rows == [
        (1, ["d1", "1", "peer", "0.25", "0.5", "0.4"]),
        (2, ["d1", "2", "peer", "0.25", "0.5", "0.4"]),
    ]
    assert table.listed == frozenset()


def test_lines_of_summeval() -> None:
    # The form of SummEval's annotations, with invented texts and numbers.
    table = read(
        '{"id": "d1", "decoded": "a b", "expert_annotations": [{"fluency": 5, "x": 1}, {"fluency": 4, "x": 2}], '
        '"turker_annotations": [{"fluency": 3}], "references": ["c", "d"], "scores": {"R": 0.5}}\n'
        '{"id": "d2", "decoded": "e", "expert_annotations": [], "turker_annotations": [], "scores": {"R": 0.6}}\n'
    )
    assert table.names == (
        *("id", "decoded", "scores.R", "expert_annotations.fluency", "expert_annotations.x"),
        *("turker_annotations.fluency", "references"),
    )
    assert table.rows == [
        (1, ["d1", "a b", "0.5", "5", "1", None, None]),
        (1, ["d1", "a b", "0.5", "4", "2", None, None]),
        (1, ["d1", "a b", "0.5", None, None, "3", None]),
        (1, ["d1", "a b", "0.5", None, None, None, "c"]),
        (1, ["d1", "a b", "0.5", None, None, None, "d"]),
        (2, ["d2", "e", "0.6", None, None, None, None]),
    ]
    assert table.listed == {
        *("expert_annotations.fluency", "expert_annotations.x", "turker_annotations.fluency", "references"),
    }


@pytest.mark.parametrize(
    ("text", "names", "rows", "listed"),
    [
        # Several judgements per summary.
        ('{"t1/s1": [3], "t2/s1": [5]}', "key_1 key_2 mine", [[1, "t1 s1 3"], [2, "t2 s1 5"]], "mine"),
        ('{"t1": {"s1": [3, 4]}}', "key_1 key_2 mine", [[1, "t1 s1 3"], [1, "t1 s1 4"]], "mine"),
        ('{"s1": [3, 4], "s2": [5]}', "key_1 mine", [[1, "s1 3"], [1, "s1 4"], [2, "s2 5"]], "mine"),
        ('{"s1": [{"a": 3}], "s2": [{"a": 4}]}', "key_1 a", [[1, "s1 3"], [2, "s2 4"]], "a"),
        # The list of only one key is the table.
        ('{"s1": [{"a": 3}], "s2": 4, "s3": 5}', "key_1 a mine", [[1, "s1 3 -"], [2, "s2 - 4"], [3, "s3 - 5"]], "a"),
        ('{"a": [1, [2]], "b": [3, 4]}', "key_1 mine", [[1, "a 1"], [1, 'a ["2"]'], [2, "b 3"], [2, "b 4"]], "mine"),
        # Lists within objects and within lists.
        ('[{"m": {"v": [1, 2]}, "n": 0}]', "n v", [[1, "0 1"], [1, "0 2"]], "v"),
        ('[{"v": [{"a": [1, 2], "b": {"c": 3}}]}]', "b.c a", [[1, '3 ["1",_"2"]']], "a b.c"),
        ('[{"v": [[1], null, {}]}]', "v", [[1, '["1"]'], [1, "-"], [1, "-"]], "v"),
    ],
)  # fmt: skip
def test_items_of_lists_are_rows(text: str, names: str, rows: list[tuple[int, str]], listed: str) -> None:
    table = read(text)
    assert table.names == tuple(name.replace("_", " ") for name in names.split())
    shown = [[number, " ".join((cell or "-").replace(" ", "_") for cell in cells)] for number, cells in table.rows]
    assert (shown, table.listed) == (rows, frozenset(listed.split()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('["', "folder/mine.v2.json: ... JSON"),
        ('[{"topic": "t1"},]', "folder/mine.v2.json: ... JSON ... list of objects"),
        ('{"topic": "t1"}\n{"topic": "t2"\n', "folder/mine.v2.json, line 2: ... JSON"),
        ('{"topic": "t1"}\n\n[1]\n', "folder/mine.v2.json, line 3: ... object ... list of objects"),
        ('{"topic": "t1", "topic": "t2"}', "folder/mine.v2.json: ... 'topic' twice"),
        ('[{"a": "\\ud83d"}]', "folder/mine.v2.json: ... \\ud83d"),
        ("[" * 21 + "]" * 21, "folder/mine.v2.json: ... 20 deep"),
        ("[" * 100_000, "folder/mine.v2.json: ... 20 deep"),
        ('["a", "b"]', "folder/mine.v2.json: ... table ... list of objects"),
        ('[["a"], {"b": 1}]', "folder/mine.v2.json: ... table ... list of objects"),
        ("[]", "folder/mine.v2.json: ... no rows"),
        ("{}", "folder/mine.v2.json: ... no rows"),
        ('{"a": []}', "folder/mine.v2.json: ... no rows"),
        ('[["t1", 0.5], ["t2", 0.6]]', "folder/mine.v2.json: '0.5' ... in the first line"),
        ('{"": ["x"], "a": [1]}', "folder/mine.v2.json: ... 'x' ... no name ... header"),
        ('[["a", "b"], [1, 2], [1, 2, 3]]', "folder/mine.v2.json, record 2: expected 2 cells, found 3"),
        ('[{"a.b": 1, "a": {"b": 2}, "c": {"b": 3}}]', "folder/mine.v2.json: ... two columns a.b"),
        ('{"t1/s1": {"key 1": 1}}', "folder/mine.v2.json: ... two columns key 1"),
    ],
)
def test_json_that_is_refused(text: str, message: str) -> None:
    assert re.search(mentions(message), refuse(text))


@pytest.mark.parametrize("text", [*("1 12 09 -1 +1 \u22121 1.5 1,5 10.25 1. 1, .5 ,5 .05 ,95".split()), "1e5", "1E5"])
@pytest.mark.parametrize("exponent", ["", "e5", "E5", "e+5", "e-5", "e15"])
def test_numbers_are_recognized(text: str, exponent: str) -> None:
    assert NUMBER.fullmatch(text.partition("e")[0].partition("E")[0] + exponent)
    assert NUMBER.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        *("- . e5 1e u1 u22121 1..5 1.5.5 [1 1] \u0661 x1 1x .[ ]5 [5 .]".split()),
        "",
        " 1",
        "1 5",
        "1 e5",
        ". 5",
        "1e 5",
        "1e5.5",
    ],
)
def test_other_texts_are_not_numbers(text: str) -> None:
    assert not NUMBER.fullmatch(text)


@pytest.mark.parametrize("end", ["x", ".5x", ",5,"])
def test_long_digits_are_read_once(end: str) -> None:
    """The expression tried each division of the digits: a column whose name had 38,000 digits took a minute."""
    assert not NUMBER.fullmatch("9" * 500_000 + end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', True),
        ('x"', False),
        ("{\\", False),
        ("[\\", False),
        (" x", False),
        (' \n[ {"a"', True),
        ("[[", True),
        ('["', True),
        ("{}", True),
        ("[]", True),
        ("", False),
        ("[1]\tx", False),
        ("{a}", False),
        ("[x]", False),
        ('x{"a"', False),
    ],
)
def test_what_looks_like_json(text: str, expected: bool) -> None:
    assert looks_like_json(text) == expected


@pytest.mark.parametrize(
    ("limit", "text", "message"),
    [
        ((json_tables, "MAX_CELLS", 4), '[{"a": 1, "b": 2}, {"a": 3, "b": 4}]', "3 values ... Split"),
        ((json_tables, "MAX_CELLS", 4), '[{"a": 1}, {"b": 2}]', "2 different keys in 2 records"),
        ((json_tables, "MAX_COLUMNS", 2), '[{"a": 1, "b": 2}]', "2 different keys in 1 records"),
        ((limits, "MAX_LINES", 2), '{"a": 1}\n{"a": 2}\n', "1 lines ... Split"),
        ((limits, "MAX_LINES", 1), '[{"a": [1, 2]}]', "values ... Split"),
    ],
)
def test_limits(limit: tuple[object, str, int], text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*limit)
    assert read(text)
    monkeypatch.setattr(*limit[:2], limit[2] - 1)
    with pytest.raises(LimitError, match=mentions(f"folder/mine.v2.json: ... {message}")):
        read(text)


VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0")).map(str.strip),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
RECORDS = st.lists(
    st.fixed_dictionaries({"topic": st.from_regex(r"t[a-z]{1,5}", fullmatch=True), "a": VALUES, "b": VALUES}),
    min_size=1,
    max_size=5,
)


def show(value: Any) -> str | None:  # noqa: ANN401
    return value if value is None or isinstance(value, str) else json.dumps(value)


@settings(max_examples=25)
@given(RECORDS)
def test_all_forms_of_the_same_records(records: list[dict[str, Any]]) -> None:
    rows = [{name: show(record[name]) for name in record} for record in records]
    columns = {name: [record[name] for record in records] for name in records[0]}
    lists = [list(columns), *([record[name] for name in columns] for record in records)]
    by_number = {name: {str(place): cell for place, cell in enumerate(cells)} for name, cells in columns.items()}
    lines = "\n".join(map(json.dumps, [*records, records[0]]))
    for text in (*map(json.dumps, (records, columns, lists, by_number)), lines):
        table = read(text)
        found = [dict(zip(table.names, cells, strict=True)) for _, cells in table.rows]
        assert found == (rows if text != lines else [*rows, rows[0]])
