"""The architecture page names all files through which a pair passes, in the order of a trace. Few get a spec."""

from __future__ import annotations

import re
import sys

import pytest
from helpers.checkout import ROOT

from pyramid_paraphrase.words import split_words

sys.path.insert(0, str(ROOT / "benchmarks"))

from import_graph import find_layers, list_modules, make_graph
from ways import Pair, Way, choose_pair, evaluate_pairs, follow, follow_spec

MOST_FILES = 34
"""Files on the way. The number may only become lower."""


@pytest.fixture(scope="module")
def pair() -> Pair:
    """The pair that is followed."""
    return choose_pair()


@pytest.fixture(scope="module")
def way(pair: Pair) -> Way:
    """The way of the pair, from its file to F."""
    return follow(evaluate_pairs, pair.is_in, in_records=True)


def read_table() -> list[tuple[str, str, list[str]]]:
    """Return the rows of the table: a file, its function, and the other files in the row."""
    section = (
        (ROOT / "docs" / "architecture.md").read_text("utf-8").split("## The way of a pair", 1)[1].split("\n#", 1)[0]
    )
    rows = re.findall(r"^\| `(\S+\.py)` \| `([\w.]+)` \| (.+) \|$", section, re.MULTILINE)
    return [(path, function, re.findall(r"`(\S+\.py)`", rest)) for path, function, rest in rows]


def test_the_table_lists_each_file_of_the_trace(way: Way) -> None:
    listed = [name for path, _, others in read_table() for name in (path, *others)]
    assert 20 < len(listed) <= MOST_FILES
    assert sorted(listed) == sorted(way.files)


def test_the_table_has_the_order_of_the_trace(way: Way) -> None:
    """A class in the table stands for its constructor."""
    steps = list(dict.fromkeys((stay.path, stay.function) for stay in way.stays))
    table = []
    for path, function, _ in read_table():
        name = function.rpartition(".")[2]
        table.append((path, "__init__" if name[0].isupper() else name))
    assert len(table) > 10
    assert [step for step in steps if step in table] == table


def test_the_pair_that_is_followed_has_the_score_of_the_result(pair: Pair) -> None:
    first, second = (set(map(str.lower, split_words(text))) for text in pair.texts)
    assert len(first & second) == pair.score == 8


def test_few_functions_get_the_spec_of_a_model() -> None:
    way = follow_spec(False)
    assert 20 < len(way.stays) <= 30
    assert way.find_climbs(find_layers(make_graph(list_modules()))) == []
