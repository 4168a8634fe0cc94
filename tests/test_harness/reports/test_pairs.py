"""The pairs of tests, and their numbers by type."""

from __future__ import annotations

import pyramid_paraphrase
from harness.reports.pairs import TESTS, PairCounts, list_cells, list_pairs
from pyramid_paraphrase.loading import load_tests


def test_pairs_of_the_sample() -> None:
    """Each question has four options, of which one is the paraphrase."""
    tests = load_tests(["binary", "ranking"], "sample")
    pairs = list(list_pairs(tests))
    rows = pyramid_paraphrase.load("ranking", "sample")
    questions = sum(map(len, rows.values()))
    assert len([pair for pair in pairs if pair.test == "ranking"]) == 4 * questions
    assert len([pair for pair in pairs if pair.test == "ranking" and pair.label == "paraphrase"]) == questions
    first = rows["test"][0]
    options = [pair for pair in pairs if pair.id == first["id"]]
    assert [pair.text2 for pair in options] == first["options"]
    assert [pair.option for pair in options if pair.label == "paraphrase"] == [first["answer"]]
    assert {pair.scu2 for pair in options} == set(first["option_scus"])
    pair = next(pair for pair in pairs if pair.text1.startswith("A first round of negotiations"))
    assert (pair.words1, pair.words2, pair.length_ratio, pair.shared_words) == (9, 7, 0.778, 6)
    assert list_cells(pair)[6] == "contained"
    assert "presence" not in TESTS
    assert "peers" not in TESTS


def test_counts_and_examples() -> None:
    pairs = list(list_pairs(load_tests(["binary"], "sample")))
    counts = PairCounts(pairs, 2)
    table = counts.tabulate()
    assert table.header == ("type", "paraphrase", "share", "not a paraphrase", "share")
    assert {row[0]: row[1:] for row in table.rows}["contained"] == (8, 0.0115, 25, 0.0367)
    assert table.rows[-1] == ("all pairs", 693, 1.0, 682, 1.0)
    assert "contradiction" not in [row[0] for row in table.rows]  # no pair of the sample is one
    assert "<td>693</td><td>1.0</td><td>682</td>" in counts._repr_html_()
    examples = counts.tabulate_examples().rows
    assert [row[:2] for row in examples if row[0] == "contained"] == [("contained", "paraphrase")] * 2 + [
        ("contained", "not a paraphrase")
    ] * 2
    assert PairCounts(pairs, 0).tabulate_examples().rows == ()


def test_counts_of_selected_types_are_shares_of_all_pairs() -> None:
    """A reader who selected a type saw shares of the selection, and examples of the other types of its pairs."""
    pairs = list(list_pairs(load_tests(["binary"], "sample")))
    counts = PairCounts(pairs, 1, {"negation", "contradiction"})
    assert [row[:3] for row in counts.tabulate().rows] == [
        ("contradiction", 0, 0.0),
        ("negation", 2, 0.0029),
        ("all pairs", 693, 1.0),
    ]
    assert {row[0] for row in counts.tabulate_examples().rows} == {"negation"}
    marked = [pairs[0]._replace(types=("contradiction",))]
    assert PairCounts(marked, 1).tabulate().rows[0][0] == "contradiction"


def test_counts_of_several_tests() -> None:
    """A test without pairs of a label has no share of them."""
    pair = next(list_pairs(load_tests(["binary"], "sample")))
    pairs = [
        pair._replace(test="a", label="paraphrase", types=("negation",)),
        pair._replace(test="b", label="graded", types=()),
    ]
    table = PairCounts(pairs, 0, ["negation"]).tabulate()
    assert table.header == ("test", "type", "paraphrase", "share", "graded", "share")
    assert table.keys == 2
    assert table.rows == (
        ("a", "negation", 1, 1.0, 0, 0.0),
        ("a", "all pairs", 1, 1.0, 0, 0.0),
        ("b", "negation", 0, 0.0, 0, 0.0),
        ("b", "all pairs", 0, 0.0, 1, 1.0),
    )
