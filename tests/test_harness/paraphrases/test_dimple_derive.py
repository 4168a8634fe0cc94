"""The command `dimple derive` with a model that needs no package."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.ranked_paraphrases import write_pairs
from scipy import sparse

from harness.models.loading import load_model
from harness.paraphrases.dimple.derivation import (
    derive_lists,
    draw_words,
    find_by_contexts,
    find_by_neighbours,
    weigh_by_information,
)
from harness.paraphrases.dimple.lists import read_lists


def test_lists_are_written_and_gaps_are_reported(tmp_path: Path, capsys: Capture) -> None:
    """No pair contains "to take", so its random words have no sentence."""
    pairs, output = write_pairs(tmp_path / "pairs"), tmp_path / "derived.jsonl"
    flags = ("--sources", "found,to take", "--pyramids", "sample", "--vocabulary", pairs, "--least", "1")
    assert run("dimple", "derive", *flags, "--neighbours", "char-ngrams", "--output", output) == 0
    lines = capsys.readouterr().out.splitlines()
    lists = {(ranked.source, ranked.method): ranked for ranked in read_lists([output])}
    assert {method for _, method in lists} == {"scu", "char-ngrams", "random"}
    assert all(1 <= len(ranked.paraphrases) <= 10 for ranked in lists.values())
    assert " found " in lists["found", "char-ngrams"].paraphrases[0].sentence
    assert lists["to take", "random"].paraphrases[0].sentence == ""
    assert ("to take", "scu") not in lists
    assert str(output) in lines[0]
    assert "scu: no list for to take" in lines
    assert lines[-1].endswith(": to take")
    content = output.read_bytes()
    assert run("dimple", "derive", *flags, "--neighbours", "char-ngrams", "--output", output) == 0
    assert output.read_bytes() == content


def test_lists_without_words_are_left_out() -> None:
    """A list per source and method, in this order. No SCU contains "frost"."""
    model = load_model("char-ngrams")
    texts = ["frozen frost", "frozen snow", "snow frost"]
    lists = derive_lists(["frost", "snow"], [], texts, [model], 2)
    assert [(ranked.source, ranked.method) for ranked in lists] == [
        ("frost", "char-ngrams"), ("frost", "random"), ("snow", "random"),
    ]  # fmt: skip
    assert [paraphrase.text for paraphrase in lists[2].paraphrases] == draw_words("snow", ["frost", "frozen", "snow"])


def test_a_table_of_paraphrases_is_a_method(tmp_path: Path, capsys: Capture) -> None:
    """Ten of the eleven paraphrases are kept, the most probable first. Sentences are those of the pairs."""
    pairs, output, table = write_pairs(tmp_path / "pairs"), tmp_path / "derived.jsonl", tmp_path / "table.tsv"
    rows = [f"killed\tword{letter}\t0.{number}" for number, letter in enumerate("abcdefghijk", 10)]
    table.write_text("\n".join([*rows, "frost\tcold\t0.5"]) + "\n")
    flags = ("--sources", "killed,told", "--vocabulary", pairs, "--least", "1", "--table", f"my table={table}")
    assert run("dimple", "derive", *flags, "--output", output) == 0
    result = capsys.readouterr()
    assert "note: my table: 1 paraphrase after rank 10 left out" in result.err
    assert "my table: no list for told" in result.out.splitlines()
    assert "scu" not in result.out
    lists = {(ranked.source, ranked.method): ranked for ranked in read_lists([output])}
    assert list(lists) == [("killed", "my table"), ("killed", "random"), ("told", "random")]
    assert lists["killed", "my table"].texts == [f"word{letter}" for letter in "kjihgfedcb"]
    assert " killed " in lists["killed", "my table"].paraphrases[0].sentence
    assert run("dimple", "derive", *flags, "--table", f"random={table}", "--output", output) == 2
    assert re.search(mentions("same name: ... my table, random, random ... rename a table"), capsys.readouterr().err)
    assert run("dimple", "derive", *flags, "--table", f"b={table}", "--sources", "sang", "--output", output) == 2
    assert re.search(mentions("table.tsv: ... no paraphrase of sang ... --sources"), capsys.readouterr().err)
    with pytest.raises(SystemExit) as caught:
        run("dimple", "derive", *flags, "--table", str(table), "--output", output)
    assert caught.value.code == 2


TEXTS = [
    "a storm killed two goats",
    "a storm slew two goats",
    "a storm killed off two goats",
    "on sunday frost killed the old vines",
    "on sunday frost slew the old vines",
    "on sunday frost and heavy hail slew the old vines",
    "he killed",
]


def test_phrases_in_the_same_contexts() -> None:
    """Contexts of "killed": a storm _ two goats; sunday frost _ the old. Both contain "slew", and one "killed off".

    "killed off" has the content word "killed" only, as "off" is a function word. "and heavy hail slew" is too long.
    """
    assert find_by_contexts(["killed", "hail", "sang"], TEXTS) == [["slew"], [], []]
    assert find_by_contexts(["slew", "storm slew two"], TEXTS) == [["killed", "killed off"], []]
    assert find_by_contexts(["killed"], ["the storm killed them all", "the storm shot at them all"]) == [["shot at"]]


def test_contexts_count_once() -> None:
    """Equal texts give a context once. So "shot", in two contexts, is before "slew", which is repeated in one."""
    texts = ["a storm {} two goats", "a storm {} two goats", "the frost {} all vines"]
    repeated = [text.format(word) for word in ("killed", "shot") for text in texts]
    more = [f"a storm slew two goats{end}" for end in ("", " now", " then")]
    assert find_by_contexts(["killed"], [*more, *repeated]) == [["shot", "slew"]]


def test_phrases_near_the_same_content_words() -> None:
    """ "slew" has the content words of "killed" around it, "found" has one of them, and "sang" has none.

    Before them are "storm", "storm" and "divers", and after them "goats", "goats" and "goats".
    """
    texts = ["the storm killed two goats", "a storm slew the goats", "divers found the goats", "the choir sang a song"]
    assert "slew" in find_by_neighbours(["killed"], texts, 1)[0]
    assert "sang" not in find_by_neighbours(["killed"], texts, 1)[0]
    assert find_by_neighbours(["killed"], texts, 2) == [[]]
    assert find_by_neighbours(["killed"], [*texts, "the storm then slew many goats"], 2) == [["slew"]]
    assert find_by_neighbours(["drowned"], texts, 1) == [[]]


def test_mutual_information_by_hand() -> None:
    """Two phrases with the features of 3 and 1, and of 0 and 2: log(3 * 6 / (4 * 3)), 0 and log(2 * 6 / (2 * 3)).

    The second feature of the first phrase has 1 of the 2 that are expected, which counts as 0.
    """
    weighted = weigh_by_information(sparse.csr_matrix([[3.0, 1.0], [0.0, 2.0]])).toarray()
    assert weighted.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    mixed = weigh_by_information(sparse.csr_matrix([[2.0, 1.0, 0.0], [0.0, 1.0, 4.0]])).toarray()
    length = math.hypot(math.log(2 * 8 / (3 * 2)), math.log(8 / (3 * 2)))
    assert mixed[0] == pytest.approx([math.log(8 / 3) / length, math.log(4 / 3) / length, 0])


def test_corpus_methods_are_options(tmp_path: Path, capsys: Capture) -> None:
    pairs, output = write_pairs(tmp_path / "pairs"), tmp_path / "derived.jsonl"
    flags = ("--sources", "killed,told", "--vocabulary", pairs, "--least", "1")
    assert run("dimple", "derive", *flags, "--corpus-method", "pd", "--corpus-method", "br", "--output", output) == 0
    lists = {(ranked.source, ranked.method): ranked.texts for ranked in read_lists([output])}
    assert list(lists) == [("killed", "pd"), ("killed", "br"), ("killed", "random"), ("told", "random")]
    assert lists["killed", "pd"] == ["was killing"]
    assert "was killing" in lists["killed", "br"]
    lines = capsys.readouterr().out.splitlines()
    assert "pd: no list for told" in lines
    assert "br: no list for told" in lines
