"""When requests are sent: a limit per minute, and pauses after a failure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from threading import Lock

LONGEST_PAUSE = 300.0
"""Seconds. A server that asks for a longer pause ends the run, which can be continued later."""

_FIRST_BACKOFF, _LONGEST_BACKOFF = 0.5, 30.0
_MOST_DOUBLINGS = 10


class Pace:
    """Spaces the requests of several threads evenly, and lets all of them pause together.

    Args:
        per_minute: Most requests per minute; None for no limit.
        clock: Returns the time in seconds.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        per_minute: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._clock, self._sleep = clock, sleep
        self._lock, self._next = Lock(), -math.inf

    def wait(self) -> None:
        """Wait until the next request may be sent."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._interval
        if start > now:
            self._sleep(start - now)

    def pause(self, seconds: float) -> None:
        """Let no request be sent for some seconds."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


def choose_pause(attempt: int, headers: Mapping[str, str]) -> float:
    """Return how many seconds to wait before a request is repeated.

    Args:
        attempt: How often it has been repeated.
        headers: Of the answer; empty if there was none. ``Retry-After`` is a number of seconds or a date (RFC 9110,
            section 10.2.3).

    Returns:
        The time that the server asks for, which may be longer than `LONGEST_PAUSE`. Without such a header, 0.5 seconds,
        and twice as long each time up to 30 seconds.
    """
    asked = _parse_retry_after(headers.get("retry-after", ""))
    if asked is not None:
        return asked
    return float(min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(attempt, _MOST_DOUBLINGS)))


def _parse_retry_after(text: str) -> float | None:
    """Return the seconds of a header ``Retry-After``; None if it cannot be read."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # the latter for a part that is longer than any number of a date
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        seconds = (date - datetime.now(timezone.utc)).total_seconds()
    return None if math.isnan(seconds) else max(0.0, seconds)
