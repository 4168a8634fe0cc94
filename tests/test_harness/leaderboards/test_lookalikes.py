"""Names that look alike have equal skeletons. Examples by hand, for each rule."""

from __future__ import annotations

import pytest

from harness.leaderboards.judging.lookalikes import find_skeleton


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
    ],
)
def test_names_that_look_alike(name: str, other: str) -> None:
    assert find_skeleton(name) == find_skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"),
    [("astorm", "a-storm"), ("storm-a", "storm-z"), ("storm-0", "storm-9"), ("storm-7", "storm-8"), ("m", "n")],
)
def test_names_that_look_different(name: str, other: str) -> None:
    assert find_skeleton(name) != find_skeleton(other)
