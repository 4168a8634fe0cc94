"""Texts in submitted results: all allowed characters and lengths, and the first refused character and length."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from harness.leaderboards.submissions import MAX_TEXTS, check_texts
from harness.support.errors import LeaderboardError

PATH = Path("x.json")
# The first, the last and a middle character of every range.
WORD = "AMZamz059_"


def check(name: str = "m", **record: object) -> None:
    check_texts({"model": {"name": name} | record.pop("model", {}), **record}, name, PATH)


def refuse(message: str, name: str = "m", **record: object) -> None:
    with pytest.raises(LeaderboardError) as caught:
        check(name, **record)
    assert re.search(mentions(f"x.json: ... {message}"), str(caught.value))


@pytest.mark.parametrize("name", [*WORD, f"a{WORD}.,:=@/()+-", f"a {WORD}.,:=@/()+- b", "a b c", "a (", "x" * 150])
def test_names_of_models(name: str) -> None:
    check(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " a",
        "a ",
        "a  b",
        "-a",
        ".a",
        ":a",
        "@a",
        "(a)",
        "a;b",
        "a b;",
        "a\tb",
        "caf\u00e9",
        "a caf\u00e9",
        "x" * 151,
    ],
)
def test_names_that_are_refused(name: str) -> None:
    refuse(
        f"the model name {name[:50]!r} ... another name of up to 150 letters",
        name,
    )


def test_short_texts() -> None:
    check(note="x" * 300, notes=["a text, (also) this; one"])
    refuse("301 characters at note. ... at most 300 characters", note="x" * 301)
    refuse("3 characters at note. ... one printable line", note="a\nb")
    refuse("301 characters at deep.inner", deep={"inner": [["x" * 301]]})
    refuse("at note (a key)", note={"x" * 51: 1})


@pytest.mark.parametrize("place", ["signature", "spec", "prompt", "effective"])
def test_long_texts(place: str) -> None:
    """Signatures, specs and prompts may be longer, and have several lines."""
    for size, allowed in ((2000, True), (2001, False)):
        text = "a\n" + "x" * (size - 2)
        record: dict[str, Any] = {
            "signature": {"signature": text},
            "spec": {"model": {"spec": text}},
            "prompt": {"model": {"options": {"prompt": text}}},
            "effective": {"model": {"effective": {"prompt": text}}},
        }[place]
        if allowed:
            check(**record)
        else:
            refuse("2,001 characters at", **record)


def test_all_texts_together() -> None:
    """Keys count: model, name and notes have 14 characters, and the name of the model one."""
    texts = ["x" * 300] * 33
    check(notes=[*texts, "x" * (10_000 - 9900 - 15)])
    refuse("10,001 characters, ... at most 10,000", notes=[*texts, "x" * (10_001 - 9900 - 15)])
    assert MAX_TEXTS == 10_000


@pytest.mark.parametrize(
    ("place", "fitting", "others"),
    [
        ("versions.numpy", [f"{WORD}.+!-", "x" * 50, "1"], ["", "x" * 51, "1 2", "1|2"]),
        ("dataset.data_version", [f"{WORD}.+!-", "x" * 50, "1"], ["", "x" * 51, "1 2", "1|2"]),
        ("model.kind", [f"{WORD}-", "x" * 50, "k"], ["", "x" * 51, "a b", "a.b"]),
        (
            "time.date",
            ["2059-05-19T05:59:50+00:00", "9950-90-95T90:50:09+00:00"],
            [
                "2059-05-19T05:59:50",
                "2059-05-19 05:59:50+00:00",
                "2059-05-19T05:59:50+01:00",
                "2059-5-19T05:59:50+00:00",
            ],
        ),
    ],
)
def test_facts_have_a_shape(place: str, fitting: list[str], others: list[str]) -> None:
    outer, inner = place.split(".")
    for text in fitting:
        check(**{outer: {inner: text}})
    for text in others:
        refuse(f"the text {text!r} at {place} is not allowed. Submit", **{outer: {inner: text}})


@pytest.mark.parametrize("key", [f"{WORD}.-", "x" * 50, "k"])
def test_keys(key: str) -> None:
    check(options={key: 1})


@pytest.mark.parametrize("key", ["", "x" * 51, "a b", "a|b"])
def test_keys_that_are_refused(key: str) -> None:
    refuse(f"the text {key!r} at options (a key) is not allowed", options={key: 1})


@pytest.mark.parametrize("section", ["metrics", "intervals"])
def test_names_of_metrics(section: str) -> None:
    for key in ("f1", "azmaz059_", "x" * 50):
        check(tests={"ranking": {section: {key: 1}}})
    for key in ("", "x" * 51, "A", "a.b", "a-b", "a b"):
        refuse(f"the text {key!r} at tests.ranking.{section} (a key)", tests={"ranking": {section: {key: 1}}})
    for key in ("A.B", "x-y"):
        check(tests={"ranking": {"counts": {key: 1}}})
        check(tests={section: {key: 1}})
        check(testsx={"ranking": {section: {key: 1}}})


@pytest.mark.parametrize(
    "place", ["versionsx", "versionsxy", "datasetxdata_version", "modelxkind", "timexdate", "xversions", "kinds"]
)
def test_other_places_hold_any_line(place: str) -> None:
    """The rules apply to the whole name of a place, including its dots."""
    check(**{place: "any line: of |words|"})
    check(inner={place: "any line: of |words|"})
