"""Tables that fit a terminal: examples by hand, and properties of any table."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.rendering.reports import Grid, grid_terminal
from harness.rendering.tables import Prose, render_table
from harness.support.terminal import WIDTH


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert render_table(("model", "success rate", "rows"), [("one-hot", 0.5, 12), ("random", 0.25, 1200)]) == (
        "model    success rate   rows\n"  # as wide as its titles
        "one-hot        0.5000     12\n"
        "random         0.2500  1,200"
    )


def test_titles_are_broken_first() -> None:
    """Six columns of 0.1234 need 6 x 6 characters, and titles are broken to the longest word, here of 9."""
    header = ("model", *["precision of the pairs"] * 6)
    assert render_table(header, [("one-hot", *[0.12345] * 6)]).splitlines() == [
        f"model{'  precision' * 6}".replace("model", "model  "),
        "            of the     of the     of the     of the     of the     of the",
        "             pairs      pairs      pairs      pairs      pairs      pairs",
        f"one-hot{'     0.1235' * 6}",
    ]


def test_long_tables_take_time_in_proportion_to_their_rows() -> None:
    """The width of each column was computed for each row: 2,004 rows took 2 seconds."""
    rows = [(f"system {number}", 0.5, number) for number in range(20_000)]
    start = time.process_time()
    assert render_table(("system", "recall", "rank"), rows).count("\n") == 20_000
    assert time.process_time() - start < 10


def test_prose_is_broken_next() -> None:
    words = "alpha beta gamma delta "
    rows = [("first", Prose((words * 4).strip()), 7), ("second", Prose("short"), 12)]
    assert render_table(("kind", "what it is", "rows"), rows).splitlines() == [
        "kind    what it is                                                      rows",
        "first   alpha beta gamma delta alpha beta gamma delta alpha beta gamma     7",
        "        delta alpha beta gamma delta",
        "second  short                                                             12",
    ]


def test_texts_are_broken_at_the_same_length() -> None:
    words = Prose("one two three four five six seven eight nine ten " * 2)
    lines = render_table(("kind", "first", "second"), [("x", words, words)]).splitlines()
    assert lines == [
        "kind  first                              second",
        "x     one two three four five six seven  one two three four five six seven",
        "      eight nine ten one two three four  eight nine ten one two three four",
        "      five six seven eight nine ten      five six seven eight nine ten",
    ]


def test_texts_fill_the_terminal() -> None:
    lines = render_table(("kinds", "text"), [("x", Prose("a " * 50))]).splitlines()
    assert lines == ["kinds  text", f"x      {' '.join('a' * 37)}", f"       {' '.join('a' * 13)}"]
    assert len(lines[1]) == 80


def test_words_are_never_broken() -> None:
    name = "sentence-transformers/all-MiniLM-L6-v2"
    lines = render_table(("kind", "models"), [("x", Prose(f"{name} and {name} and {name}"))]).splitlines()
    assert lines == ["kind  models", f"x     {name} and", f"      {name} and", f"      {name}"]


def test_long_names_have_lines_of_their_own() -> None:
    name = "a-model-with-a-name-that-does-not-fit (tokenizer=spacy)"
    rows = [(name, *["0.123 [0.100, 0.200]"] * 2), ("one-hot", *["0.100 [0.000, 0.200]"] * 2)]
    assert render_table(("ranking", "success rate", "MRR"), rows).splitlines() == [
        "ranking  success rate          MRR",
        name,
        "         0.123 [0.100, 0.200]  0.123 [0.100, 0.200]",
        "one-hot  0.100 [0.000, 0.200]  0.100 [0.000, 0.200]",
    ]


@pytest.mark.parametrize(("width", "count"), [(27, 1), (28, 2)])
def test_names_have_at_least_24_characters_beside_the_columns(width: int, count: int) -> None:
    """24 for the name, 25 and 27 for the columns, and twice 2 between them are 80."""
    table = render_table(("model", "a", "b"), [("n" * 30, "x" * 25, "y" * width)])
    assert len(table.split("\n\n")) == count


def test_a_title_of_a_section_has_no_empty_line_below() -> None:
    """The other cells of its row are empty."""
    section = "a section with a title that does not fit"
    grid = Grid(("model", "a", "b"), ((section,), ("one-hot", "x" * 25, "x" * 25)))
    assert grid_terminal(grid).splitlines() == [
        f"model      a{' ' * 26}b",
        section,
        f"  one-hot  {'x' * 25}  {'x' * 25}",
    ]


def test_columns_are_divided_last() -> None:
    """Three columns of 30 characters, of which two fit beside the names; both tables have all keys."""
    rows = [("first", "binary", *["x" * 28] * 3), ("second", "ranking", *["y" * 28] * 3)]
    assert render_table(("model", "task", "a", "b", "c"), rows, keys=2).splitlines() == [
        f"model   task     a{' ' * 29}b",
        f"first   binary   {'x' * 28}  {'x' * 28}",
        f"second  ranking  {'y' * 28}  {'y' * 28}",
        "",
        "model   task     c",
        f"first   binary   {'x' * 28}",
        f"second  ranking  {'y' * 28}",
    ]


def test_texts_use_the_width_of_the_table_that_they_come_into() -> None:
    """Divided columns leave room for the text, which was as narrow as if all columns were in one table."""
    text = Prose("twelve words of a text that has far more room alone than together")
    rows = [("x", "a" * 60, text, "b" * 60)]
    tables = render_table(("kind", "first", "text", "last"), rows).split("\n\n")
    assert tables[1] == f"kind  text\nx     {text}"


def test_a_table_without_rows() -> None:
    assert render_table(("model", "F"), []) == "model  F"
    assert render_table(("model", *["x" * 30] * 3), []).split("\n\n") == [
        f"model  {'x' * 30}  {'x' * 30}",
        f"model  {'x' * 30}",
    ]


@pytest.mark.parametrize("text", ["\x1b[31mred", "two\nlines", "\u202eleft"])
def test_control_characters_are_escaped_before_anything_is_measured(text: str) -> None:
    lines = render_table(("kind", "text"), [("x", Prose(text)), ("y", Prose("z " * 60))]).splitlines()
    assert lines[0].startswith("kind  text")
    assert all(line.isprintable() and len(line) <= WIDTH for line in lines)


WORDS = st.text("abcdefg-_.", min_size=1, max_size=12)
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
CELLS = {
    "number": st.floats(0, 1) | st.integers(0, 10**9),
    "interval": st.sampled_from(["-", "0.123 [0.100, 0.200]", "0.123 [0.100, 0.200] *"]),
    "prose": TEXTS.map(Prose),
}
Table = tuple[tuple[str, ...], list[tuple[object, ...]], int, list[str]]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table: its titles, each with the number of its column, its rows, its keys, and the kinds of other columns."""
    keys = draw(st.integers(1, 2))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=9))
    titles = [f"{number}:{draw(NAMES)}" for number in range(keys + len(kinds))]
    rows = draw(st.lists(st.tuples(*[NAMES] * keys, *(CELLS[kind] for kind in kinds)), max_size=4))
    return tuple(titles), rows, keys, kinds


PROSE_BESIDE_A_BROKEN_TITLE: Table = (
    ("0:_", "1:__________", "2:_", "3:___ _________ ____________"),
    [("_", "_", Prose("_ _______ ____________ ____________ ____________"), Prose("_"))],
    2,
    ["prose", "prose"],
)
"""The title in the last column was joined again when the other text was broken, and the line was 94 wide."""


def list_title_numbers(text: str) -> list[list[int]]:
    """Return the numbers of the titles of each table. A table begins with the title of the first column."""
    numbers: list[list[int]] = []
    for number in map(int, re.findall(r"(\d+):", text)):
        if number == 0:
            numbers.append([])
        numbers[-1].append(number)
    return numbers


@given(tables())
@example(PROSE_BESIDE_A_BROKEN_TITLE)
def test_no_line_is_wider_than_a_terminal(table: Table) -> None:
    """The only exception: keys and the widest unbreakable cell (a number, an interval or a word) do not fit."""
    header, rows, keys, kinds = table
    unbreakable = [0] * len(header)
    for place, kind in enumerate(["key"] * keys + kinds):
        title = header[place] if place < keys else max(header[place].split(), key=len)
        cells = [title, *(render_table(("",), [(row[place],)]).splitlines()[-1] for row in rows)]
        if kind == "prose":
            cells = [word for cell in cells for word in cell.split()]
        unbreakable[place] = max(map(len, cells))
    names = sum(unbreakable[1:keys]) + 2 * (keys - 1)
    room = max(WIDTH, unbreakable[0], min(unbreakable[0], 24) + 2 + names + max(16, *unbreakable[keys:]))
    assert all(len(line) <= room for line in render_table(header, rows, keys).splitlines())


@given(tables())
def test_keys_are_repeated_and_columns_keep_their_order(table: Table) -> None:
    header, rows, keys, _ = table
    numbers = list_title_numbers(render_table(header, rows, keys))
    assert all(names[:keys] == list(range(keys)) for names in numbers)
    assert all(len(names) > keys for names in numbers)
    assert [number for names in numbers for number in names[keys:]] == list(range(keys, len(header)))


@given(tables())
def test_no_text_is_lost(table: Table) -> None:
    """Each table has every character of its columns as often as their cells, however they are broken."""
    header, rows, keys, _ = table
    text = render_table(header, rows, keys)
    times = [len(list_title_numbers(text))] * keys + [1] * (len(header) - keys)
    expected = ""
    for place, repeated in enumerate(times):
        column = render_table((header[place],), [(row[place],) for row in rows])
        expected += column * repeated
    assert sorted("".join(text.split())) == sorted("".join(expected.split()))


@given(tables())
def test_words_stay_whole_in_their_order(table: Table) -> None:
    """The words of each column, read from top to bottom, are those of its cells."""
    header, rows, keys, kinds = table
    for place in (keys + number for number, kind in enumerate(kinds) if kind == "prose"):
        lines = render_table(("k", header[place]), [("", row[place]) for row in rows]).splitlines()
        words = [word for line in lines for word in line[3:].split()]
        assert words == [word for cell in (header[place], *(str(row[place]) for row in rows)) for word in cell.split()]
