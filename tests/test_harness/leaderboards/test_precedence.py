"""Precedence of submissions that share a name, a model or scores, without their files."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from helpers.messages import mentions

from harness.leaderboards.candidates import Candidate, Identity
from harness.leaderboards.history import Decision, History
from harness.leaderboards.verdicts import settle_conflicts

BOARD: Any = SimpleNamespace(folder=Path("board"), shortcuts=[])
OVERLAP = Identity("name", "f", "overlap")


def make(name: str, *, model: str = "", scores: str = "", is_reproduced: bool = False, replaces: str = "") -> Candidate:
    """Make a submission, whose model and scores are its own unless they are given."""
    identities = (
        Identity("name", "f", name),
        Identity("model", "f", model or name),
        Identity("scores", "f", scores or name),
    )
    reproduction = object() if is_reproduced else None
    digests = {"digest": f"d-{name}", "replaces": replaces}
    return cast("Candidate", SimpleNamespace(name=name, **digests, identities=identities, reproduction=reproduction))


def settle(*candidates: Candidate, accepted: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the errors of the refused submissions."""
    digests = {name: f"d-{name}" for name in accepted}
    refusals = settle_conflicts(BOARD, candidates, digests, History(dict.fromkeys(accepted, "0" * 64)))
    return {name: str(error) for name, error in refusals.items()}


def test_submissions_without_a_conflict() -> None:
    assert settle(make("a"), make("b", is_reproduced=True), make("c"), accepted=("a",)) == {}


def test_a_shortcut_comes_before_accepted_submissions(monkeypatch: pytest.MonkeyPatch) -> None:
    holders = {OVERLAP: "overlap"}
    monkeypatch.setattr("harness.leaderboards.verdicts.identify_shortcuts", lambda _: holders)
    refused = settle(make("overlap"), make("b"), accepted=("overlap",))
    assert list(refused) == ["overlap"]
    pattern = mentions("board/submissions/overlap: ... same name ... shortcut overlap. Remove it")
    assert re.search(pattern, refused["overlap"])
    assert holders == {OVERLAP: "overlap"}


@pytest.mark.parametrize("kind", ["model", "scores"])
def test_accepted_before_reproduced_before_new_submissions(kind: str) -> None:
    arguments: dict[str, Any] = {kind: "x"}
    new, reproduced, accepted = (
        make("a", **arguments),
        make("b", **arguments, is_reproduced=True),
        make("c", **arguments),
    )
    refused = settle(new, reproduced, accepted, accepted=("c",))
    assert sorted(refused) == ["a", "b"]
    for error in refused.values():
        pattern = mentions(f"same {kind} as c, ... accepted before. Remove it, ... --replaces c, ... withdraw c")
        assert re.search(pattern, error)
    refused = settle(new, reproduced, accepted)
    assert sorted(refused) == ["a", "c"]
    for error in refused.values():
        assert re.search(mentions(f"same {kind} as b, ... was reproduced. Remove it, or remove b first"), error)


def test_submissions_of_the_same_precedence_are_all_refused() -> None:
    """Each names all its rivals: a shares its model with b, and b its scores with c."""
    refused = settle(make("a", model="x"), make("b", model="x", scores="y"), make("c", scores="y"), make("d"))
    assert list(refused) == ["a", "b", "c"]
    assert re.search(mentions("submissions/a: ... same model as b, ... leaderboard reproduce"), refused["a"])
    assert re.search(mentions("submissions/b: ... same model as a, c, "), refused["b"])
    assert re.search(mentions("submissions/c: ... same scores as b, "), refused["c"])


def test_a_changed_result_is_no_accepted_one() -> None:
    old, copied = make("a", model="x"), make("b", model="x")
    refusals = settle_conflicts(BOARD, [old, copied], {"a": "another digest"}, History({"a": "0" * 64}))
    assert list(refusals) == ["a", "b"]


def test_refused_rivals_block_those_of_lower_precedence() -> None:
    first, second = (make(name, model="x", is_reproduced=True) for name in "ab")
    refused = settle(first, second, make("c", model="x"))
    assert re.search(mentions("same model as b, ... was reproduced. Remove"), refused["c"])


def test_a_submission_is_in_no_conflict_with_those_that_it_replaces() -> None:
    """The submission c replaced b, which replaced a. The new d says that it replaces c, and e only copies."""
    replaced = tuple(
        Decision("2026-01-02", "replaced", old, "m", replacement=new) for old, new in (("a", "b"), ("b", "c"))
    )
    family = [make("a", model="x"), make("b", model="x"), make("c", model="x"), make("d", model="x", replaces="c")]
    history = History(dict.fromkeys("abc", "0" * 64), replaced)
    accepted = {name: f"d-{name}" for name in "abc"}
    assert settle_conflicts(BOARD, family, accepted, history) == {}
    refusals = settle_conflicts(BOARD, [*family, make("e", model="x", replaces="b")], accepted, history)
    assert list(refusals) == ["e"]  # b is not the latest


def test_only_a_ranked_submission_can_be_replaced() -> None:
    """A copy that says that it replaces a submission which nobody accepted is a rival of the genuine one."""
    refused = settle(make("a", model="x"), make("b", model="x", replaces="a"))
    assert list(refused) == ["a", "b"]
