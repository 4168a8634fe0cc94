"""Work divided among processes: results in order, few items at a time, and no process that outlives its parent."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import chain, groupby, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from pyramid_paraphrase.errors import OptionError

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")

_function: Callable[[Any], Any] | None = None
"""What this process computes; set once, so that it is not sent with every item."""


def divide_items(items: Iterable[_Item], key: Callable[[_Item], object], size: int) -> Iterator[list[_Item]]:
    """Divide items into lists of at most a number of items, of which all have the same key."""
    for _, group in groupby(items, key):
        while part := list(islice(group, size)):
            yield part


def limit_workers(workers: int, items: int, items_per_worker: int) -> int:
    """Return how many processes pay: starting one takes about a second, which it should save.

    Args:
        workers: The most processes.
        items: How many items there are.
        items_per_worker: How many of them a process should have at least.

    Returns:
        At least 1.
    """
    return max(1, min(workers, items // items_per_worker))


def map_in_order(
    function: Callable[[_Item], _Outcome], items: Iterable[_Item], workers: int
) -> Generator[_Outcome, None, None]:
    """Apply a function to each item by several processes; a few items per process are taken ahead.

    All processes end at once when the iteration ends early: by an error, by Ctrl-C, by a signal that this process makes
    an exception of, or because the caller closes the iterator. They also end when this process is killed.

    Args:
        function: Sent to each process once, so it may hold much.
        items: Sent to the processes one by one, and consumed as they are needed.
        workers: How many processes; with 1, or for a single item, this process does the work itself.

    Yields:
        The results in the order of the items, whatever the number of processes.

    Raises:
        OptionError: If the system stopped a process.
    """
    remaining = iter(items)
    first = list(islice(remaining, 2))
    if workers == 1 or len(first) < 2:
        yield from map(function, chain(first, remaining))
        return
    waiting: deque[Future[Any]] = deque()
    errors: list[Exception] = []
    with _pool(function, workers) as pool:
        for item in _take_until_error(chain(first, remaining), errors):
            waiting.append(pool.submit(_apply, item))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        for error in errors:  # after those of earlier items, as with one process
            raise error


def _take_until_error(items: Iterable[_Item], errors: list[Exception]) -> Iterator[_Item]:
    """Yield items until there are no more, or until the next one cannot be made: then keep the error."""
    try:
        yield from items
    except Exception as error:
        errors.append(error)


@contextmanager
def _pool(function: Callable[[Any], Any], workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end as soon as this block is left by an exception."""
    context = get_context("spawn")  # the same on all systems, and safe beside threads
    receiver, sender = context.Pipe(duplex=False)
    with receiver, sender, ProcessPoolExecutor(workers, context, _set_up, (function, receiver)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise OptionError("a process was stopped, for want of memory perhaps; give fewer --workers") from None
        except BaseException:
            sender.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _set_up(function: Callable[[Any], Any], stop: Connection) -> None:
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # at once and in silence: the parent says it
    threading.Thread(target=_end_when_told, args=(stop,), daemon=True).start()


def _end_when_told(stop: Connection) -> None:
    """End this process once the parent has closed its end of the pipe, which it also does by ending."""
    with suppress(EOFError, OSError):
        stop.recv()
    os._exit(1)


def _apply(item: Any) -> Any:  # noqa: ANN401
    if _function is None:
        raise AssertionError("this process was not set up")
    return _function(item)
