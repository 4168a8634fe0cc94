"""Pyramids that models make by joining similar propositions."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from helpers.annotations import Scus, pyramid_file
from helpers.commands import Capture, run
from helpers.messages import mentions

from harness.evaluation.people.pyramids import make_pyramids, read_markings
from harness.models.loading import load_model
from pyramid_paraphrase.errors import EmptyResultError, InputError
from pyramid_paraphrase.formats.ducview import render_pyramid
from pyramid_paraphrase.reading import read_corpus

MILL = {
    "A": "The old mill burned down on Monday. Nobody in the mill was hurt.",
    "B": "The mill burned down on Monday & smoked. It rained in the evening.",
    "C": "In the evening it rained. The roof of the mill is gone.",
}
MILL_SCUS: Scus = {
    ("1", "Fire"): [("A", ["The old mill burned down on Monday"]), ("B", ["The mill burned down on Monday & smoked"])],
    ("2", "Rain"): [("B", ["It rained in the evening"]), ("C", ["In the evening it rained"])],
    ("3", "Hurt"): [("A", ["Nobody in the mill was hurt"])],
    ("4", "Roof"): [("C", ["The roof of the mill is gone"])],
}
BOAT = {"A": "A boat sank in the lake. Divers found it.", "B": "A boat sank in a lake. Four divers searched for it."}
BOAT_SCUS: Scus = {
    ("1", "Sank"): [("A", ["A boat sank in the lake"]), ("B", ["A boat sank in a lake"])],
    ("2", "Divers"): [("A", ["Divers found it"])],
    ("3", "Search"): [("B", ["Four divers searched for it"])],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "mill.pyr").write_bytes(pyramid_file(MILL, MILL_SCUS, "D0901-A"))
    (tmp_path / "people" / "boat.pyr").write_bytes(pyramid_file(BOAT, BOAT_SCUS, "D0902-A"))
    return tmp_path


def test_a_model_joins_the_contributors_of_annotators(capsys: Capture, folder: Path) -> None:
    """The thresholds of one topic reproduce the SCUs of the other one.

    The one-hot cosines within SCUs are 1 (the same words in another order), 6 / 7 and 6 / sqrt(6 x 8), and all other
    cosines are below 0.5.
    """
    assert run("annotate", "pyramids", folder / "people", "--model", "one-hot", "--no-cache", "--format", "csv") == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["first"], row["second"], row["topics"]) == ("people", "one-hot", "2")
    assert [row[name] for name in ("contributors", "scus", "v_measure", "b_cubed", "kappa")] == ["1.0"] * 5


def test_pyramids_are_written_as_files_that_are_read_as_the_same(folder: Path) -> None:
    """Their weights are the numbers of people, and they score summaries."""
    made = folder / "made"
    assert run("annotate", "pyramids", folder / "people", "--model", "one-hot", "--no-cache", "--save", made) == 0
    assert sorted(path.name for path in made.iterdir()) == ["D0901-A.pyr", "D0902-A.pyr"]
    mill = read_corpus(made / "D0901-A.pyr").pyramids[0]
    assert [(scu.label, scu.weight) for scu in mill.scus] == [
        ("The old mill burned down on Monday", 2),
        ("It rained in the evening", 2),
        ("Nobody in the mill was hurt", 1),
        ("The roof of the mill is gone", 1),
    ]
    assert mill.text == read_corpus(folder / "people").pyramids[0].text


def test_other_pyramids_in_the_folder_would_be_mixed_with_new_ones(capsys: Capture, folder: Path) -> None:
    """A folder of an earlier run of the same topics is written again."""
    command = ("annotate", "pyramids", folder / "people", "--model", "one-hot", "--no-cache", "--save", folder / "made")
    assert [run(*command), run(*command)] == [0, 0]
    (folder / "made" / "other.pyr").write_bytes(b"")
    assert run(*command) == 2
    assert re.search(mentions("made: ... other.pyr. Use another folder"), capsys.readouterr().err)


@pytest.mark.parametrize("unit", ["sentences", "clauses"])
def test_summaries_without_an_annotators_contributors(folder: Path, unit: str) -> None:
    groups, _ = read_markings([str(folder / "people")])
    pyramids, note = make_pyramids(groups, [], load_model("one-hot"), unit)
    assert [pyramid.contributor_count for pyramid in pyramids] == [6, 4]
    assert {scu.weight for pyramid in pyramids for scu in pyramid.scus} == {1, 2}
    assert re.search(mentions(f"one-hot ... {unit} ... fitted on other topics"), note)


def test_two_propositions_of_a_summary_are_never_joined(tmp_path: Path) -> None:
    """The same sentence occurs twice in each summary. The threshold of the other topic would join all of them."""
    twice = dict.fromkeys("AB", "It rained in the evening. It rained in the evening.")
    (tmp_path / "twice.pyr").write_bytes(pyramid_file(twice, {("1", "Rain"): [("A", ["It rained"])]}, "D0903-A"))
    (tmp_path / "boat.pyr").write_bytes(pyramid_file(BOAT, BOAT_SCUS, "D0902-A"))
    groups, _ = read_markings([str(tmp_path / "twice.pyr")])
    (pyramid,), _ = make_pyramids(
        groups, read_markings([str(tmp_path / "boat.pyr")])[0], load_model("one-hot"), "sentences"
    )
    assert [scu.weight for scu in pyramid.scus] == [2, 2]
    assert [len(scu.contributors) for scu in pyramid.scus] == [2, 2]


def test_a_threshold_needs_another_topic(capsys: Capture, folder: Path) -> None:
    command = ("annotate", "pyramids", folder / "people" / "mill.pyr", "--model", "one-hot", "--no-cache")
    assert run(*command) == 2
    assert re.search(mentions("D0901-A ... --fit"), capsys.readouterr().err)
    assert run(*command, "--fit", folder / "people" / "mill.pyr") == 2  # the same topic is not another one
    assert re.search(mentions("D0901-A ... --fit"), capsys.readouterr().err)
    assert run(*command, "--fit", folder / "people" / "boat.pyr") == 0
    assert "one-hot" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--fit", "sample"), "--fit ... Add --model"),
        (("--save", "made"), "--save ... Add one --model"),
        (("--model", "one-hot", "--model", "tf-idf", "--save", "made"), "--save ... Add one --model"),
        (("--pattern", "{topic}.txt"), "--pattern ... Add --summaries"),
        (("--model", "overlap"), "overlap ... use an encoder, such as tf-idf"),
        (("--model", "one-hot,name=people"), "a second annotator ... people"),
    ],
)
def test_options_that_do_not_fit(capsys: Capture, folder: Path, flags: tuple[str, ...], message: str) -> None:
    assert run("annotate", "pyramids", folder / "people", *flags) == 2
    assert re.search(mentions(message), capsys.readouterr().err, re.DOTALL)


@pytest.mark.parametrize(
    ("topic", "pattern"), [("D0905", "{topic}.M.100.J.{author}"), ("lake", "{topic}_{author}.txt")]
)
def test_pyramids_of_summaries_that_nobody_annotated(capsys: Capture, folder: Path, topic: str, pattern: str) -> None:
    """The topic is named by the headings as those of NIST, or by the file."""
    (folder / "gold").mkdir()
    for author, text in (("A", "A boat sank in the lake.\nRain fell.\n"), ("B", "A boat sank.\n")):
        (folder / "gold" / pattern.format(topic=topic, author=author)).write_text(text)
    command = ("annotate", "pyramids", "--summaries", folder / "gold", "--pattern", pattern, "--model", "one-hot")
    flags = ("--no-cache", "--join", "sentences", "--fit", folder / "people", "--save", folder / "made")
    assert run(*command, *flags, "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["annotators"] == [{"annotator": "one-hot", "topics": 1, "scus": 2, "contributors": 3}]
    assert report["agreement"] == []
    (pyramid,) = read_corpus(folder / "made" / f"{topic}.pyr").pyramids
    assert (pyramid.id, [scu.weight for scu in pyramid.scus]) == (topic, [2, 1])


@pytest.mark.parametrize(
    "flags", [("--join", "clauses"), ("--model", "one-hot"), ("--model", "one-hot", "--join", "contributors")]
)
def test_summaries_that_nobody_annotated_need_a_model_and_its_unit(
    capsys: Capture, folder: Path, flags: tuple[str, ...]
) -> None:
    assert run("annotate", "pyramids", "--summaries", folder, *flags) == 2
    assert re.search(mentions("--summaries ... Add --model, and --join clauses"), capsys.readouterr().err)


def test_nothing_to_compare(capsys: Capture) -> None:
    assert run("annotate", "pyramids") == 2
    assert re.search(mentions("Add the pyramids of annotators, or --summaries"), capsys.readouterr().err)


def test_pyramids_without_contributors(tmp_path: Path) -> None:
    (tmp_path / "empty.pyr").write_bytes(pyramid_file(BOAT, {}, "D0902-A"))
    groups, _ = read_markings([str(tmp_path / "empty.pyr")])
    with pytest.raises(EmptyResultError, match=mentions("no contributors ... --join clauses")):
        make_pyramids(groups, [], load_model("one-hot"), "contributors")


def test_a_file_that_would_be_read_in_another_way_is_not_written(tmp_path: Path) -> None:
    """Without the original's expression for headings, the text is one document, and all weights would be 1."""
    expression = "<startDocumentRegEx><![CDATA[Anna|By Ben]]></startDocumentRegEx>\n"
    text = "Anna\nA boat sank.\nBy Ben\nA boat went down.\n"
    lines = "".join(f"<line>{line}</line>\n" for line in text.split("\n"))
    parts = "".join(
        f'<contributor label="{label}"><part label="{label}" start="{text.index(label)}" '
        f'end="{text.index(label) + len(label)}"/></contributor>'
        for label in ("A boat sank", "A boat went down")
    )
    (tmp_path / "a.pyr").write_text(
        f'<pyramid>{expression}<text>\n{lines}</text><scu uid="1" label="Sank">{parts}</scu></pyramid>'
    )
    pyramid = read_corpus(tmp_path / "a.pyr").pyramids[0]
    assert pyramid.scus[0].weight == 2
    with pytest.raises(InputError, match=mentions("headings")):
        render_pyramid(pyramid)
