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
    assert table.header == ("type", "binary: paraphrase", "binary: other")
    assert {row[0]: row[1:] for row in table.rows}["contained"] == (8, 25)
    assert table.rows[-1] == ("all pairs", 693, 682)
    assert "<td>693</td><td>682</td></tr>" in counts._repr_html_()
    examples = counts.tabulate_examples().rows
    assert [row[:2] for row in examples if row[0] == "contained"] == [("contained", "paraphrase")] * 2 + [
        ("contained", "other")
    ] * 2
    assert PairCounts(pairs, 0).tabulate_examples().rows == ()
