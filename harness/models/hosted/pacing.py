"""The timing of requests: several threads, a limit per minute, and pauses after a failure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

LONGEST_PAUSE = 300.0
"""Longest pause in seconds. If a server asks for a longer pause, the run ends and can be continued later."""

_FIRST_BACKOFF, _LONGEST_BACKOFF = 0.5, 30.0
_MOST_DOUBLINGS = 10


class Pace:
    """A rate limiter for several threads. It spaces requests evenly, and pauses all threads together.

    Args:
        per_minute: Maximum number of requests per minute. None for no limit.
        clock: Function that returns the time in seconds.
        sleep: Function that waits for a number of seconds.
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
        """Prevent all requests for a number of seconds."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


def choose_pause(attempt: int, headers: Mapping[str, str]) -> float:
    """Return the number of seconds to wait before a request is repeated.

    Args:
        attempt: Number of earlier repetitions of the request.
        headers: Headers of the answer. Empty if there was no answer. ``Retry-After`` is a number of seconds or a date
            (RFC 9110, section 10.2.3).

    Returns:
        The time in the header ``Retry-After``, which may be longer than `LONGEST_PAUSE`. Without this header, the pause
        is 0.5 seconds and doubles with each repetition, up to 30 seconds (exponential backoff).
    """
    requested_pause = _parse_retry_after(headers.get("retry-after", ""))
    if requested_pause is not None:
        return requested_pause
    return float(min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** min(attempt, _MOST_DOUBLINGS)))


def _parse_retry_after(text: str) -> float | None:
    """Return the number of seconds in a header ``Retry-After``, or None if it cannot be parsed."""
    if not text.isascii() or "_" in text:  # Python reads digits of all scripts, and 1_0 as 10
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # OverflowError for a number that is too large for a date
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=timezone.utc)
        seconds = (date - datetime.now(timezone.utc)).total_seconds()
    return None if math.isnan(seconds) else max(0.0, seconds)


def order_longest_first(texts: Sequence[str]) -> list[int]:
    """Order texts by descending length, so that a text that is too long for a model is refused at the start.

    Returns:
        The indices of the texts. Texts of equal length are in alphabetical order, whatever their original order.
    """
    return sorted(range(len(texts)), key=lambda index: (-len(texts[index]), texts[index]))


def map_as_completed(
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    threads: int,
    give_up: Callable[[BaseException], None],
) -> Iterator[_Result]:
    """Apply a function to items in several threads.

    After an error, no further items are started. Outcomes of items in progress are still yielded, because the user may
    have paid for them.

    Args:
        function: The function of an item.
        items: The items.
        threads: Number of threads.
        give_up: Function that makes calls of `function` end soon. It gets the error of an item, or the exception that
            ends the iteration early, for instance by Ctrl-C. It can be called more than once.

    Yields:
        The outcomes, in order of completion.

    Raises:
        Exception: After all outcomes, the error of the failed item that comes first in `items`.
    """
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from _complete(lambda item: pool.submit(function, item), items, threads, give_up)
        except BaseException as error:
            give_up(error)
            raise


def _complete(
    submit: Callable[[_Item], Future[_Result]],
    items: Sequence[_Item],
    threads: int,
    give_up: Callable[[BaseException], None],
) -> Iterator[_Result]:
    """Submit items, at most as many as threads at a time, and yield outcomes in order of completion."""
    waiting = iter(enumerate(items))
    running: dict[Future[_Result], int] = {}
    errors: dict[int, BaseException] = {}
    while True:
        while not errors and len(running) < threads and (entry := next(waiting, None)):
            number, item = entry
            running[submit(item)] = number
        if not running:
            break
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=running.__getitem__):
            number = running.pop(future)
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                errors[number] = error
                give_up(error)
    if errors:
        raise errors[min(errors)]
