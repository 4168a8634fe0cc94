"""Work in threads: no outcome is lost if an item fails."""

from __future__ import annotations

from threading import Event

import pytest

from harness.models.hosted.pacing import map_as_completed, order_longest_first


def fail_not(error: BaseException) -> None:
    raise AssertionError("nothing ends early") from error


def test_order() -> None:
    assert order_longest_first(["b", "ccc", "a", "dd"]) == [1, 3, 2, 0]
    assert order_longest_first([]) == []


def test_all_outcomes_in_any_order() -> None:
    outcomes = map_as_completed(lambda number: number * 2, range(20), 3, fail_not)
    assert sorted(outcomes) == list(range(0, 40, 2))


def test_outcomes_that_are_under_way_at_an_error_are_kept() -> None:
    """Item 1 fails while item 0 is computed, and no later item is started."""
    failed, begun = Event(), []
    stopped: list[str] = []

    def compute(number: int) -> int:
        begun.append(number)
        if number == 0:
            failed.wait()
            return 0
        failed.set()
        raise ValueError(number)

    outcomes = map_as_completed(compute, range(9), 2, lambda error: stopped.append(repr(error)))
    assert next(outcomes) == 0
    with pytest.raises(ValueError, match="1"):
        next(outcomes)
    assert sorted(begun) == [0, 1]
    assert set(stopped) == {"ValueError(1)"}


def test_the_error_of_the_first_item_counts() -> None:
    later_failed = Event()

    def fail(number: int) -> int:
        if number:
            later_failed.set()
        later_failed.wait()
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        list(map_as_completed(fail, range(2), 2, repr))


def test_an_early_end_calls_give_up() -> None:
    stopped, reasons = Event(), list[BaseException]()

    def compute(number: int) -> int:
        if number:
            stopped.wait()
        return number

    def stop(error: BaseException) -> None:
        reasons.append(error)
        stopped.set()

    outcomes = map_as_completed(compute, range(3), 2, stop)
    assert next(outcomes) == 0
    outcomes.close()  # type: ignore[attr-defined]  # a generator
    assert [type(reason) for reason in reasons] == [GeneratorExit]
