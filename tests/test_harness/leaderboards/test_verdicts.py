"""Verdicts and notices, from submissions that are known to be sound or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from helpers.messages import mentions

from harness.leaderboards import notices, verdicts
from harness.leaderboards.candidates import Candidate, Identity
from harness.leaderboards.history import History
from harness.leaderboards.notices import find_notices, find_skeleton
from harness.leaderboards.verdicts import check_board, list_accepted
from harness.support.errors import LeaderboardError
from harness.support.progress import Progress

TESTS = [
    SimpleNamespace(configuration="binary", fingerprint="f"),
    SimpleNamespace(configuration="ranking", fingerprint="g"),
]
UNIT, OTHER = (np.array(values, dtype=np.float32) for values in ([1, 1, 1, 1], [1, 1, -1, -1]))
"""Ranks of two models that do not correlate. The mean of their squares is 1."""


def make(
    name: str,
    *,
    model: str = "",
    identity: str = "",
    ranks: Any = None,  # noqa: ANN401
    test: int = 0,
    date: str = "2026-01-02",
) -> Candidate:
    """Make a submission, or a shortcut without a name, with ranks on one of the tests."""
    configuration, fingerprint = TESTS[test].configuration, TESTS[test].fingerprint
    tests = {configuration: SimpleNamespace(fingerprint=fingerprint)}
    description = SimpleNamespace(name=model or f"the model of {name}")
    return Candidate(
        name=name,
        record=cast("Any", SimpleNamespace(model=description, tests=tests, time=SimpleNamespace(date=f"{date}T00"))),
        form=cast("Any", SimpleNamespace(submitted=date, replaces="") if name else None),
        digest=f"d-{name}",
        identities=(Identity("name", "f", identity or name),),
        models={} if ranks is None else {configuration: cast("Any", None)},
        score_ranks={configuration: ranks},
        reproduction=None,
    )


@pytest.fixture
def board(tmp_path: Path) -> Any:  # noqa: ANN401
    folders = [Path("a"), Path("b"), Path("c")]
    shortcuts: list[object] = []
    board = SimpleNamespace(folder=tmp_path, tests=TESTS, shortcuts=shortcuts, list_submissions=lambda: folders)
    board.find_test = lambda *_: None
    return board


def test_the_intervals_that_are_recomputed(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """Every key is read first. A damaged one is an error of the leaderboard, not of its submissions."""
    asked: list[object] = []

    def read(_: object, without_intervals: set[str]) -> Iterator[tuple[Path, object]]:
        asked.append(sorted(without_intervals))
        return iter(())

    class Bar(Progress):
        def __init__(self, *, visible: bool) -> None:
            super().__init__(visible=visible)
            self.wanted = visible

        def start(self, step: str, total: int, done: int = 0, unit: str = "") -> None:
            asked.append((step, total, self.wanted))
            super().start(step, total, done, unit)

    board.key = lambda test: asked.append(test.configuration)
    monkeypatch.setattr(verdicts, "read_candidates", read)
    monkeypatch.setattr(verdicts, "Progress", Bar)
    assert check_board(board) == ([], {})
    assert asked == ["binary", "ranking", [], ("check", 3, False)]
    for only, without in (
        ((), ["a", "b", "c"]),
        (["b"], ["a", "c"]),
    ):
        asked.clear()
        check_board(board, only=only, visible=True)
        assert asked[2:] == [without, ("check", 3, True)]


def test_verdicts_are_in_the_order_of_names(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """The submissions a and c are rivals, and b has failed a check. Only an accepted submission is ranked."""
    error = LeaderboardError("b: is wrong")
    first, last, sound = make("a", identity="x"), make("c", identity="x"), make("d")
    outcomes = [(Path("a"), first), (Path("b"), error), (Path("c"), last), (Path("d"), sound)]
    board.key = lambda _: None
    monkeypatch.setattr(verdicts, "read_candidates", lambda *_: iter(outcomes))
    candidates, refusals = check_board(board)
    assert candidates == [first, last, sound]
    assert list(refusals) == ["a", "b", "c"]
    assert refusals["b"] is error
    assert list_accepted(candidates, refusals) == [sound]


def test_a_submission_that_differs_from_the_accepted_one(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """The submission a is unchanged, c has changed, and d is new."""
    candidates = [make("a"), make("c"), make("d")]
    board.key = lambda _: None
    monkeypatch.setattr(verdicts, "read_candidates", lambda *_: ((Path(made.name), made) for made in candidates))
    monkeypatch.setattr(verdicts, "read_history", lambda _: History({"a": "d-a", "c": "d-x"}))
    _, refusals = check_board(board)
    assert list(refusals) == ["c"]
    place = f"{board.folder}/submissions/c"
    remedy = f"pyramid-paraphrase leaderboard accept {place}"
    assert re.search(mentions(f"{place}: ... accepted ... {remedy}"), str(refusals["c"]))
    assert check_board(board, accepting="c")[1] == {}
    assert list(check_board(board, accepting="a")[1]) == ["c"]


def make_ranking(**flags: tuple[bool, bool]) -> Any:  # noqa: ANN401
    """Make a ranking from whether each submission is implausible, and whether it awaits reproduction."""
    models = [
        SimpleNamespace(
            candidate=SimpleNamespace(name=name, form=None),
            describe_training_data=lambda _: "",
            metrics={"success_rate": 0.95},
            is_implausible=is_implausible,
            awaits_reproduction=awaits_reproduction,
        )
        for name, (is_implausible, awaits_reproduction) in flags.items()
    ]
    return SimpleNamespace(test=TESTS[1], metric="success_rate", models=models)


def list_notices(board: Any, monkeypatch: pytest.MonkeyPatch, *candidates: Candidate) -> dict[str, list[str]]:  # noqa: ANN401
    """Find the notices about submissions, of which a is implausible, and about one that failed a check."""
    ranking = make_ranking(a=(True, False), b=(False, False))
    monkeypatch.setattr(notices, "rank_models", lambda *_: [ranking])
    return find_notices(board, candidates, ["failed"])


def test_notices_about_records(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    (board.folder / "reproductions").mkdir()
    (board.folder / "reproductions" / "c.json").touch()
    found = list_notices(board, monkeypatch, make("a"), make("b"), make("c"))
    assert found.keys() == {"a", "c"}
    assert [notice.split(":")[0] for notice in found["a"]] == ["implausible on ranking"]
    assert found["c"][0].startswith("the record of its reproduction is of an earlier result")
    reproduced = replace(make("c"), reproduction=cast("Any", object()))
    assert list(list_notices(board, monkeypatch, reproduced)) == ["a"]


def test_notices_about_dates(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    today = datetime.now(timezone.utc).date().isoformat()
    found = list_notices(board, monkeypatch, make("b", date="9999-12-31"), make("c", date=today))
    assert found.keys() == {"a", "b"}
    assert [re.findall(r"[A-Z]\w+|[\d-]{10}", notice) for notice in found["b"]] == [
        ["Evaluated", "9999-12-31"],
        ["Submitted", "9999-12-31"],
    ]


def test_notices_about_training_data(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """The card names a collection, and the form does not say that the model saw test data."""
    ranking = make_ranking(a=(False, False), b=(False, False), c=(False, False))
    for model, stated in zip(ranking.models, ("no", "yes", "unknown"), strict=True):
        model.candidate.form = SimpleNamespace(saw_test_data=stated)
        model.describe_training_data = lambda test: f"the texts of {test.configuration}"
    monkeypatch.setattr(notices, "rank_models", lambda *_: [ranking])
    found = find_notices(board, [], [])
    assert found.keys() == {"a", "c"}
    assert re.search(mentions("'no' ... names the texts of ranking ... Ask its author"), found["a"][0])
    assert "'unknown'" in found["c"][0]


def test_notices_about_scores(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """A score that no model reaches is implausible. An entry above all reproduced ones is only to be reproduced."""
    ranking = make_ranking(a=(True, False), b=(False, True), c=(False, False))
    monkeypatch.setattr(notices, "rank_models", lambda *_: [ranking])
    found = find_notices(board, [], [])
    assert found.keys() == {"a", "b"}
    assert re.search(mentions("implausible on ranking: 0.950 ... 0.95. Reproduce"), found["a"][0])
    assert re.search(mentions("every reproduced model ... on ranking. Reproduce"), found["b"][0])
    assert "implausible" not in found["b"][0]


def test_notices_about_names(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """Equal names are a conflict, and need no notice."""
    board.shortcuts = [SimpleNamespace(model="overlap")]
    monkeypatch.setattr(notices, "measure_shortcuts", lambda _: [])
    found = list_notices(
        board, monkeypatch, make("b", model="over1ap"), make("c", model="other"), make("d", model="other")
    )
    assert found.keys() == {"a", "b"}
    assert found["b"] == ["the name of its model, over1ap, is easily confused with that of the shortcut overlap"]
    found = list_notices(board, monkeypatch, make("c", model="tf-idf"), make("d", model="tf-ldf"))
    assert [found[name][0].rpartition(" ")[2] for name in "cd"] == ["d", "c"]


def test_notices_about_near_copies(board: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    """The nearest copies come first, then those with the first names. Shortcuts have no notice of their own."""
    near = np.float32(0.96) * UNIT + np.float32(0.28) * OTHER
    shortcuts = [make("", model="overlap", ranks=near), make("", model="overlap", ranks=OTHER, test=1)]
    monkeypatch.setattr(notices, "measure_shortcuts", lambda _: list(shortcuts))
    found = list_notices(
        board, monkeypatch, make("z", ranks=UNIT), make("y", ranks=UNIT), make("x", ranks=UNIT), make("w", ranks=OTHER)
    )
    start = "its scores of binary are nearly equal to those of"
    last = "the shortcut overlap (rank correlation 0.9600)"
    assert found.keys() == {"a", "x", "y", "z"}
    assert found["z"] == [f"{start} x (rank correlation 1.0000), y (rank correlation 1.0000), {last}"]
    assert found["x"] == [f"{start} y (rank correlation 1.0000), z (rank correlation 1.0000), {last}"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Storm", "sTORM"),
        ("storm", "storrn"),
        ("window", "vvindovv"),
        ("dolphin", "clolphin"),
        ("IO-l1", "l0-1I"),
        ("a storm 2", "a-storm_2"),
        ("a.../b", "a--b"),
        ("storm", "-storm."),
        ("tf-idf", "tf-ldf"),
        ("tf-idf", "tf_idf"),
        ("tf-idf", "TF.IDF"),
        ("model-I", "model-1"),
        ("org/modern", "org/modem"),
        ("GPT-O", "gpt-0"),
        ("vvord", "word"),
        ("tf-idf", "tfidf"),
        ("tf-idf", "TF IDF"),
        ("astorm", "a-storm"),
        ("dolphin", "c1olphin"),
        ("model-1.5", "model 1-5"),
        ("MiniLM-L6", "MiniLML6"),
    ],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    """Names that look alike have equal skeletons. Examples by hand, for each rule."""
    assert find_skeleton(name) == find_skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("storm-a", "storm-z"),
        ("storm-0", "storm-9"),
        ("storm-7", "storm-8"),
        ("m", "n"),
        ("model-v1", "model-v2"),
        ("model-11", "model-1.1"),
        ("base", "large"),
        ("tf-idf", "one-hot"),
    ],
)
def test_names_that_look_different(name: str, other: str) -> None:
    assert find_skeleton(name) != find_skeleton(other)


@pytest.mark.parametrize(("date", "count"), [("2026-01-02", 0), ("2026-01-03", 0), ("2026-01-04", 2)])
def test_dates_after_tomorrow_are_noticed(
    board: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
    date: str,
    count: int,
) -> None:
    """Where the day begins first, it may already be tomorrow. A result and a form each have a date."""
    clock = SimpleNamespace(now=lambda _: datetime(2026, 1, 2, 23, 59, tzinfo=timezone.utc))
    monkeypatch.setattr(notices, "datetime", clock)
    monkeypatch.setattr(notices, "rank_models", lambda *_: [])
    found = find_notices(board, [make("a", date=date)], {})
    assert [notice for notice in found.get("a", []) if "future" in notice] == [
        f"its date '{title}', {date}, is in the future" for title in ("Evaluated", "Submitted")
    ][:count]
