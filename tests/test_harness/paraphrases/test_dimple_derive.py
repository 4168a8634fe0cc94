"""The command `dimple derive` with a model that needs no package."""

from __future__ import annotations

from pathlib import Path

from helpers.commands import Capture, run
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
