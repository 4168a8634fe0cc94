"""Propositions: which texts are eligible, and in which order they stand."""

from __future__ import annotations

import hashlib
import tracemalloc

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.pyramids.records import Contributor, Part, Pyramid, Scu, Summary
from pyramid_paraphrase.rules.options import Options
from pyramid_paraphrase.rules.propositions import analyse_text, list_propositions


def contributor(*parts: tuple[str, str]) -> Contributor:
    return Contributor(tuple(Part(text, 10 * row, 10 * row + 5, letter) for row, (text, letter) in enumerate(parts)))


def pyramid_of(identity: str, scus: dict[tuple[str, str], list[Contributor]]) -> Pyramid:
    made = tuple(Scu(uid, label, tuple(contributors)) for (uid, label), contributors in scus.items())
    return Pyramid(identity, identity.split("-")[0], (), "", (Summary("d", "A", 0, 100),), made)


# After "Only two" and after "He ..." stand texts that are eligible: what is left out ends nothing.
PYRAMID = pyramid_of(
    "D0743-A",
    {
        ("2", "Rain fell"): [contributor(("Rain fell all day", "B"))],
        ("1", "A storm hit the coast"): [
            contributor(("Only two", "A")),
            contributor(("He saw the storm", "A")),
            contributor(("The storm came", "C")),
            contributor(("Winds blew", "B"), ("from the sea", "A")),
            contributor(("the storm came", "D")),
        ],
    },
)


def texts(*pyramids: Pyramid, labels: bool = False, **rules: object) -> list[str]:
    options = Options(**rules)  # type: ignore[arg-type]
    return [proposition.text for proposition in list_propositions(pyramids, options, labels=labels)]


@pytest.mark.parametrize(
    ("rules", "eligible"),
    [
        ({}, ["Winds blew from the sea", "The storm came", "Rain fell all day"]),
        ({"min_words": 4}, ["Winds blew from the sea", "Rain fell all day"]),
        ({"min_words": 5}, ["Winds blew from the sea"]),
        (
            {"pronoun_kinds": "possessive"},
            ["He saw the storm", "Winds blew from the sea", "The storm came", "Rain fell all day"],
        ),
        ({"pronoun_kinds": "personal"}, ["Winds blew from the sea", "The storm came", "Rain fell all day"]),
        ({"pronouns": True}, ["He saw the storm", "Winds blew from the sea", "The storm came", "Rain fell all day"]),
        (
            {"labels": True},
            ["Winds blew from the sea", "The storm came", "A storm hit the coast", "Rain fell all day"],
        ),
    ],
)
def test_eligible_texts(rules: dict[str, object], eligible: list[str]) -> None:
    """Texts are in the order of SCU, kind, summarizer and text. Texts of an SCU equal up to case are taken once."""
    labels = bool(rules.pop("labels", False))
    assert texts(PYRAMID, labels=labels, **rules) == eligible


def test_a_text_of_two_scus_or_pyramids_is_taken_in_each() -> None:
    storm = contributor(("The storm came", "A"))
    scus = {("1", "x"): [storm], ("2", "y"): [storm]}
    assert texts(pyramid_of("D0801-A", scus), pyramid_of("D0701-A", scus)) == ["The storm came"] * 4


def test_pyramids_are_taken_in_the_order_of_their_ids() -> None:
    pyramids = [pyramid_of(name, {("1", "x"): [contributor((f"Rain fell on {name}", "A"))]}) for name in ("X2", "X1")]
    assert texts(*pyramids) == ["Rain fell on X1", "Rain fell on X2"]


def test_memory_beyond_the_propositions_does_not_grow_with_their_number() -> None:
    """The keys of all texts once took a seventh of the memory, and each text had a set of pronouns of its own."""
    pyramids = []
    for number in range(100):
        rows = [contributor((f"Rain {place} fell on town {number}", "A")) for place in range(40)]
        pyramids.append(pyramid_of(f"X{number:03}", {("1", "x"): rows}))
    assert analyse_text("Rain fell")[2] is analyse_text("The storm came")[2]
    tracemalloc.start()
    try:
        propositions = list_propositions(pyramids, Options(), labels=False)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(propositions) == 4000
    assert peak < 1.05 * kept, (peak, kept)


def test_everything_that_is_known_of_a_proposition() -> None:
    (first, *_) = list_propositions([PYRAMID], Options(), labels=True)
    assert (first.pyramid, first.topic, first.collection) == ("D0743-A", "D0743", "duc2007-update")
    assert (first.scu, first.kind, first.summarizer) == ("1", "contributor", "A+B")
    assert first.words == ("winds", "blew", "from", "the", "sea")
    assert first.content == ("blew", "sea", "winds")
    fields = b"D0743-A\x1f1\x1fcontributor\x1fA+B\x1fWinds blew from the sea"
    assert first.tie_break == hashlib.sha256(fields).hexdigest()
    assert (first.weight, first.parts, first.context) == (4, 2, "")


def test_contexts_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The storm came. Rain fell."
    parts = (Part("The storm came", 0, 14, "A"),)
    scus = (Scu("1", "the storm came then", (Contributor(parts),)),)
    pyramid = Pyramid("X1", "X1", (), text, (Summary("d", "A", 0, len(text)),), scus)
    rows = list_propositions([pyramid], Options(context=True), labels=True)
    assert [(row.kind, row.context) for row in rows] == [("contributor", text), ("label", "")]
    assert [row.context for row in list_propositions([pyramid], Options(), labels=True)] == ["", ""]
    monkeypatch.setattr("pyramid_paraphrase.files.limits.MAX_CONTEXT_BYTES", 2 * len(text))
    list_propositions([pyramid, pyramid], Options(context=True), labels=True)
    with pytest.raises(LimitError, match=mentions("X1: ... 52 bytes ... context")):
        list_propositions([pyramid, pyramid, pyramid], Options(context=True), labels=True)


def test_a_label_has_the_weight_of_its_scu_and_no_parts() -> None:
    (label,) = (row for row in list_propositions([PYRAMID], Options(), labels=True) if row.kind == "label")
    assert (label.weight, label.parts) == (4, 0)


def test_of_equal_texts_of_one_summary_the_fewest_parts_count() -> None:
    """The order of contributors in the file decides nothing."""
    whole, divided = contributor(("The storm came", "A")), contributor(("The storm", "A"), ("came", "A"))
    for contributors in ([whole, divided], [divided, whole]):
        (only,) = list_propositions([pyramid_of("X1", {("1", ""): contributors})], Options(), labels=False)
        assert (only.weight, only.parts) == (1, 1)


def test_canonically_equal_texts_are_equal() -> None:
    """A text with decomposed letters repeats the text with composed letters."""
    scus = {("1", ""): [contributor(("le café fermé", "A")), contributor(("le cafe\u0301 ferme\u0301", "B"))]}
    assert texts(pyramid_of("X1", scus)) == ["le café fermé"]


def test_words_of_other_scripts_are_counted() -> None:
    """Texts without Latin, Greek or Cyrillic letters had no words, and were too short."""
    scus = {("1", ""): [contributor(("राम की किताब", "A")), contributor(("राम घर", "B"))]}
    assert texts(pyramid_of("X1", scus)) == ["राम की किताब"]


def test_scus_of_different_pyramids_may_say_the_same() -> None:
    """A text is taken once per SCU, and the last SCU of one pyramid has the uid of the first of the next."""
    scus = {("1", ""): [contributor(("The storm came", "A"))]}
    assert texts(pyramid_of("D0743-A", scus), pyramid_of("D0744-A", scus)) == ["The storm came"] * 2


def test_a_label_that_asks_stays_beside_a_contributor_of_the_same_text() -> None:
    pyramid = pyramid_of("X1", {("1", "the storm came"): [contributor(("The storm came", "A"))]})
    assert texts(pyramid, labels=True) == ["The storm came"]
    assert texts(pyramid, labels=True, asker="any") == ["The storm came"]
    assert texts(pyramid, labels=True, asker="label") == ["The storm came", "the storm came"]
