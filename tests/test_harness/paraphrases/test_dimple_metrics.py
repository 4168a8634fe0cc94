"""DIMPLE and the metrics it is compared with: the paper's algorithm and formulas, by hand."""

from __future__ import annotations

from pathlib import Path

import evaluate
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

import harness.evaluate_modules
from harness.paraphrases.dimple.metrics import (
    dimple,
    expected_precision,
    expected_precision_redundancy,
    extract_content_words,
    measure,
    rate_diversity,
)
from harness.text.stems import stem_word

FOLDER = Path(harness.evaluate_modules.__file__).parent
MODULES = ("expected_precision", "expected_precision_redundancy", "dimple")


def test_the_three_degrees_of_diversity() -> None:
    """Section 1 and algorithm 1: a word of the source, only its stem, neither."""
    assert rate_diversity("killed", ["shot and killed", "killing", "assassinated"]) == [1, 2, 3]


def test_order_matters() -> None:
    """The better ranked of two forms of one word is the new one."""
    assert rate_diversity("killed", ["assassinated", "assassinating", "murdered"]) == [3, 2, 3]
    assert rate_diversity("killed", ["assassinating", "murdered", "assassinated"]) == [3, 3, 2]
    assert rate_diversity("killed", ["shot", "shot dead"]) == [3, 1]
    assert rate_diversity("killed", ["shot dead", "shot"]) == [3, 1]


def test_what_has_a_seen_word_does_not_add_its_others() -> None:
    """Lines 14 and 15 of algorithm 1 stand within the else branch."""
    assert rate_diversity("killed", ["killed violently", "violently", "violent", "violently"]) == [1, 3, 2, 1]


def test_function_words_are_no_content() -> None:
    assert extract_content_words("to take") == {"take"}
    assert extract_content_words("has been killed") == {"killed"}
    assert extract_content_words("to") == set()
    assert rate_diversity("to take", ["to", "taking", "to take", "has been", ""]) == [1, 2, 1, 1, 1]
    assert rate_diversity("Killed", ["KILLED", "seized"]) == [1, 3]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("relational", "relat"),
        ("triplicate", "triplic"),
        ("killed", "kill"),
    ],
)
def test_stems_are_porters(word: str, stem: str) -> None:
    """Examples of steps 1a, 2 and 3 of Porter (1980), with the steps after them."""
    assert stem_word(word) == stem


def test_by_hand() -> None:
    """Q = 2/3 as in section 3.2; DIMPLE: (2^(2/3) - 1 + 2^2 - 1 + 2^3 - 1) / 21 = 0.504162."""
    quality, diversity = [2 / 3, 1.0, 1.0], [1, 2, 3]
    assert expected_precision(quality, 3) == pytest.approx(8 / 9)
    assert expected_precision_redundancy(quality, diversity, 3) == pytest.approx(1 / 3)
    assert dimple(quality, diversity, 3) == pytest.approx(0.504162, abs=1e-6)


def test_what_a_short_list_lacks_gains_nothing() -> None:
    assert expected_precision([1.0], 5) == 0.2
    assert expected_precision_redundancy([1.0], [3], 5) == 0.2
    assert dimple([1.0], [3], 5) == pytest.approx(0.2)
    assert measure([], [], (1,)) == {("EP", 1): 0.0, ("EPR", 1): 0.0, ("DIMPLE", 1): 0.0}


def test_accepted_paraphrases_that_are_all_new_are_perfect() -> None:
    values = measure([1.0] * 10, [3] * 10, (1, 5, 10))
    assert len(values) == 9
    assert set(values.values()) == {1.0}


lists = st.lists(st.tuples(st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0]), st.integers(1, 3)), max_size=12)


@given(lists, st.integers(1, 11))
def test_redundancy_only_takes_away(rows: list[tuple[float, int]], k: int) -> None:
    quality, diversity = [row[0] for row in rows], [row[1] for row in rows]
    filtered = expected_precision_redundancy(quality, diversity, k)
    assert 0 <= filtered <= expected_precision(quality, k) <= 1
    assert 0 <= dimple(quality, diversity, k) <= expected_precision(quality, k)


@pytest.mark.parametrize(
    ("quality", "diversity", "k", "message"),
    [
        ([1.0], [3], 0, "k is 0. ... from 1 to"),
        ([1.1], [3], 1, "quality ... between 0 and 1"),
        ([float("nan")], [3], 1, "quality ... between 0 and 1"),
        ([1.0], [4], 1, "diversity ... between 1 and 3"),
        ([1.0], [3, 3], 1, "diversities ... found 2 and 1"),
    ],
)
def test_values_out_of_range(quality: list[float], diversity: list[int], k: int, message: str) -> None:
    for metric in (expected_precision_redundancy, dimple):
        with pytest.raises(ValueError, match=mentions(message)):
            metric(quality, diversity, k)


def test_modules_load_by_path_and_say_what_they_are() -> None:
    for name in MODULES:
        module = evaluate.load(str(FOLDER / name))
        assert module.description.strip()
        assert "Args" in module.inputs_description
        assert "Returns" in module.inputs_description
        assert "shima2011diversity" in module.citation
        assert set(module.features) == {"predictions", "references"}


def test_modules_take_the_mean_over_lists() -> None:
    given = {
        "predictions": [["shot and killed", "killing", "assassinated"], ["seized"]],
        "references": [[2 / 3, 1.0, 1.0], [1.0]],
    }
    sources = ["killed", "took"]
    precision, redundancy, diverse = (evaluate.load(str(FOLDER / name)) for name in MODULES)
    assert precision.compute(**given, k=3) == {"expected_precision": pytest.approx((8 / 9 + 1 / 3) / 2)}
    result = redundancy.compute(**given, sources=sources, k=3)
    assert result == {"expected_precision_redundancy": pytest.approx(1 / 3)}
    assert diverse.compute(**given, sources=sources)["dimple"] == pytest.approx((0.504162 * 3 + 1) / 20, abs=1e-6)


def test_modules_want_a_source_and_qualities_for_each_list() -> None:
    """In memory: a module that failed holds a lock in the cache, for which the next one would wait."""
    given = {"predictions": [["seized", "held"]], "references": [[1.0]]}
    with pytest.raises(ValueError, match=mentions("qualities differ. ... one quality")):
        evaluate.load(str(FOLDER / "expected_precision"), keep_in_memory=True).compute(**given)
    for name in MODULES[1:]:
        module = evaluate.load(str(FOLDER / name), keep_in_memory=True)
        with pytest.raises(ValueError, match=mentions("1 lists and 2 sources")):
            module.compute(**given, sources=["took", "found"])
        with pytest.raises(ValueError, match=mentions("diversities ... found 2 and 1")):
            module.compute(**given, sources=["took"])


def test_no_list_is_no_mean() -> None:
    for name, sources in zip(MODULES, ({}, {"sources": []}, {"sources": []}), strict=True):
        with pytest.raises(ValueError, match=r"Pass .*at least one"):
            evaluate.load(str(FOLDER / name)).compute(predictions=[], references=[], **sources)


def test_blanks_divide_the_words_of_phrases_in_any_script() -> None:
    """Without blanks, a Chinese text is divided into characters, but a phrase of tokenized text is one word."""
    assert extract_content_words("你好世界") == {"你好世界"}
