"""The command `dimple derive` with a model that needs no package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.commands import Capture, run
from helpers.messages import mentions
from helpers.ranked_paraphrases import write_pairs

from harness.models.loading import load_model
from harness.paraphrases.dimple.derivation import derive_lists, draw_words
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
