"""Diversity as it is measured today: BLEU of phrases, self-BLEU, iBLEU and the distance of embeddings."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from helpers.commands import Capture, run, unwrap
from helpers.messages import mentions
from helpers.ranked_paraphrases import make_table, write_pairs

from harness.models.interfaces.model import Model
from harness.models.loading import load_model
from harness.paraphrases.dimple.conversion import convert_table
from harness.paraphrases.dimple.diversity import bleu, measure_diversity
from harness.paraphrases.dimple.lists import Paraphrase, RankedList
from harness.paraphrases.dimple.scores import Judgment, judge, score_lists
from pyramid_paraphrase.errors import PyramidParaphraseError


@pytest.mark.parametrize(
    ("phrase", "references", "expected"),
    [
        ("shot dead", ["shot dead"], 1.0),
        ("slew", ["shot dead"], 0.0),
        # The second "the" does not count. The precisions are 4/5, 3/4, 2/3 and 1/2, and a longer phrase has no penalty.
        ("the the old mill burned", ["the old mill burned"], 0.2**0.25),
        # One word, of one: the nearest reference has 2 words, so the penalty is exp(1 - 2).
        ("dead", ["shot dead"], math.exp(-1)),
        # Of the nearest lengths 1 and 3, the shorter one counts, so that there is no penalty.
        ("shot dead", ["shot", "was shot dead"], 1.0),
        # The nearest reference has 4 words. The penalty is exp(1 - 4/3).
        ("shot them dead", ["shot them dead now", "shot"], math.exp(-1 / 3)),
        # "shot" is counted once, as in the reference. No pair of words matches.
        ("shot shot", ["shot"], 0.0),
        # The precisions are 4/5, 3/4, 2/3 and 1/2. N-grams of five words do not count.
        ("the old mill burned twice", ["the old mill burned down"], 0.2**0.25),
        ("", ["shot"], 0.0),
        ("shot", [], 0.0),
    ],
)
def test_bleu_of_phrases_by_hand(phrase: str, references: list[str], expected: float) -> None:
    assert bleu(phrase.split(), [reference.split() for reference in references]) == pytest.approx(expected)


def test_measures_by_hand() -> None:
    """BLEU of "shot dead" with "shot": sqrt(1/2 * 0) = 0. BLEU of "shot" with "shot dead": exp(-1).

    BLEU of "killed off" with the source is 0, because no pair of words matches. The cosines of the first with the
    others are 0.5 and 0, and those of the second are 0.5 and 1.
    """
    cosines = np.array([[1, 0.5, 0], [0.5, 1, 1], [0, 1, 1]])
    texts = ["shot dead", "shot", "killed off"]
    values = measure_diversity("killed", texts, [1.0, 0.5, 0.0], [3, 1, 1], [1, 2, 4], cosines)
    assert values == {
        ("D", 1): 1.0,
        ("1-self-BLEU", 1): 1.0,
        ("iBLEU", 1): 0.9,
        ("distance", 1): 0.0,
        ("D", 2): 0.666667,
        ("1-self-BLEU", 2): round((1 + 1 - math.exp(-1)) / 2, 6),
        ("iBLEU", 2): 0.675,
        ("distance", 2): 0.5,
        ("D", 4): round(5 / 12, 6),
        ("1-self-BLEU", 4): round((3 - math.exp(-1)) / 4, 6),
        ("iBLEU", 4): 0.3375,
        ("distance", 4): round((0.75 + 0.25 + 0.5) / 4, 6),
    }
    assert measure_diversity("killed", ["killed"], [0.0], [1], [1]) == {
        ("D", 1): 0.333333, ("1-self-BLEU", 1): 1.0, ("iBLEU", 1): -0.1,
    }  # fmt: skip
    assert set(measure_diversity("killed", [], [], [], [5]).values()) == {0.0}


def test_distances_of_unusual_vectors() -> None:
    """The cosine of a zero vector with itself is 0, which does not count. A rounding error is no negative zero."""
    texts, quality, ratings = ["slew", "shot"], [1.0, 1.0], [3, 3]
    for cosines, expected in (([[0, 0], [0, 1]], "1.0"), ([[1, 1 + 1e-9], [1 + 1e-9, 1]], "0.0")):
        values = measure_diversity("killed", texts, quality, ratings, [2], np.array(cosines, float))
        assert str(values["distance", 2]) == expected


def test_the_distance_is_measured_by_an_encoder() -> None:
    """Two paraphrases at right angles have the distance 1, of 2 ranks. Sparse vectors give the same."""

    class Angles:
        def encode(self, texts: list[str]) -> list[tuple[float, float]]:
            return [(1.0, 0.0) if text == "slew" else (0.0, 3.0) for text in texts]

    ranked = RankedList("killed", "m", tuple(Paraphrase(text, {}, "") for text in ("slew", "shot")))
    quality = Judgment("mine", lambda some: [1.0] * len(some.paraphrases))
    scores = score_lists([ranked], quality, cuts=(2,), encoder=Model("mine", "object", "mine", "ab" * 32, Angles()))
    assert scores.sets[0].values["distance", 2] == 1.0
    assert scores.metrics == ("EP", "EPR", "DIMPLE", "D", "1-self-BLEU", "iBLEU", "distance")
    assert "|diversity:D,1-self-BLEU,iBLEU,distance|encoder:mine abababababab|" in scores.signature
    sparse = score_lists([ranked], quality, cuts=(2,), encoder=load_model("one-hot"))
    assert sparse.sets[0].values["distance", 2] == 1.0


def test_diversity_is_rated_by_a_function_of_the_user() -> None:
    """With Q = 1, D = 2 gives (2^2 - 1) / 7. The paper's D of a repeated word would give 1 / 7."""

    def rate_by_length(source: str, texts: Sequence[str]) -> list[int]:
        return [min(len(text.split()), 3) for text in texts]

    ranked = RankedList("killed", "m", (Paraphrase("killed off", {}, ""),))
    quality = Judgment("mine", lambda some: [1.0] * len(some.paraphrases))
    own, paper = (score_lists([ranked], quality, cuts=(1,), **settings) for settings in ({"rate": rate_by_length}, {}))
    assert own.sets[0].values["DIMPLE", 1] == round(3 / 7, 6)
    assert paper.sets[0].values["DIMPLE", 1] == round(1 / 7, 6)
    assert "|d:rate_by_length|" in own.signature
    assert "|d:" not in paper.signature
    with pytest.raises(PyramidParaphraseError, match=mentions("'killed' by 'm': ... diversity ... between 1 and 3")):
        score_lists([ranked], quality, rate=lambda *_: [4])


def test_scores_without_diversity_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "lists.tsv").write_text(make_table())
    lists = convert_table(tmp_path / "lists.tsv", [])[0]
    plain, more = (score_lists(lists, judge("strict"), with_diversity=flag) for flag in (False, True))
    assert "diversity" not in plain.signature
    assert [len(scores.columns) for scores in (plain, more)] == [9, 18]
    for means, others in zip(plain.methods, more.methods, strict=True):
        assert means.values.items() <= others.values.items()
        assert means.intervals.items() <= others.intervals.items()


def test_diversity_is_an_option_of_both_reports(tmp_path: Path, capsys: Capture) -> None:
    """For "killed", the ratings by pivot are 1, 2 and 3: together 6 of 3 * 5."""
    (tmp_path / "lists.tsv").write_text(make_table())
    lists = tmp_path / "lists.jsonl"
    assert run("dimple", "convert", tmp_path / "lists.tsv", "--output", lists) == 0
    flags = ("--diversity", "--encoder", "char-ngrams", "--k", "5")
    capsys.readouterr()
    assert run("dimple", "score", lists, *flags, "--format", "csv") == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    killed = {row["metric"]: row["value"] for row in rows if (row["source"], row["method"]) == ("killed", "pivot")}
    assert list(killed) == ["EP", "EPR", "DIMPLE", "D", "1-self-BLEU", "iBLEU", "distance"]
    assert killed["D"] == "0.4"
    assert run("dimple", "meta", lists, *flags, "--pairs", f"own={write_pairs(tmp_path / 'pairs')}") == 0
    out = unwrap(capsys.readouterr().out)
    assert "1-self-BLEU" in out
    assert "|diversity:D,1-self-BLEU,iBLEU,distance|encoder:char-ngrams " in out
    assert run("dimple", "score", lists, "--encoder", "char-ngrams") == 2
    assert re.search(mentions("--encoder ... --diversity"), capsys.readouterr().err)
