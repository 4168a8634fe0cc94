"""The timing of requests. Time is a number that `sleep` advances."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from harness.models.hosted.pacing import Pace, choose_pause


class Clock:
    """A clock that advances only in `sleep`."""

    def __init__(self) -> None:
        self.now = 100.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def make_pace(self, per_minute: float | None) -> Pace:
        return Pace(per_minute, clock=lambda: self.now, sleep=self.sleep)


def list_starts(pace: Pace, clock: Clock, count: int) -> list[float]:
    starts = []
    for _ in range(count):
        pace.wait()
        starts.append(clock.now - 100)
    return starts


def test_requests_are_spaced_evenly() -> None:
    clock = Clock()
    assert list_starts(clock.make_pace(30), clock, 4) == [0, 2, 4, 6]


def test_time_that_passes_anyway_counts() -> None:
    clock = Clock()
    pace = clock.make_pace(30)
    pace.wait()
    clock.now += 5
    assert list_starts(pace, clock, 2) == [5, 7]


def test_without_a_limit_nothing_waits_but_for_a_pause() -> None:
    clock = Clock()
    pace = clock.make_pace(None)
    assert list_starts(pace, clock, 2) == [0, 0]
    pace.pause(7)
    pace.pause(3)  # a shorter pause does not end a longer pause
    assert list_starts(pace, clock, 2) == [7, 7]


def test_backoff_doubles_up_to_a_bound() -> None:
    assert [choose_pause(attempt, {}) for attempt in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert choose_pause(100_000, {}) == 30


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("7", 7), ("0.01", 0.01), ("-3", 0), ("inf", float("inf")), ("nan", 2), ("soon", 2), ("", 2)),
        *(("1_0", 2), ("\u0661", 2)),  # Python reads 10 and 1
    ],
)
def test_retry_after_in_seconds(text: str, seconds: float) -> None:
    assert choose_pause(2, {"retry-after": text}) == seconds


def test_retry_after_as_a_date() -> None:
    now = datetime.now(timezone.utc)
    assert 3500 < choose_pause(0, {"retry-after": format_datetime(now + timedelta(hours=1), usegmt=True)}) <= 3600
    assert choose_pause(0, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert choose_pause(0, {"retry-after": "Wed, 21 Oct 2015 07:28:00"}) == 0


@pytest.mark.parametrize(
    "text",
    [
        "Wed, 21 Oct 2015 9999999999:28:00 GMT",
        "Wed, 21 Oct 2015 07:28:00 +" + "9" * 20,
        "Wed, 21 Oct " + "9" * 20 + " 07:28:00 GMT",
        "Wed, 32 Oct 2015 07:28:00 GMT",
    ],
)
def test_invalid_dates_are_ignored(text: str) -> None:
    assert choose_pause(2, {"retry-after": text}) == 2
