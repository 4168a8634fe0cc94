"""Work divided among processes: results in order, few items at a time, and no process that outlives its parent."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import chain, groupby, islice
from multiprocessing import current_process, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any, TypeVar

from pyramid_paraphrase.errors import OptionError

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")

_function: Callable[[Any], Any] | None = None
"""The function that this process applies; set once, so that it is not sent with every item."""


def divide_items(items: Iterable[_Item], key: Callable[[_Item], object], size: int) -> Iterator[list[_Item]]:
    """Divide items into lists of limited length; all items of a list have the same key."""
    for _, group in groupby(items, key):
        while part := list(islice(group, size)):
            yield part


def limit_workers(workers: int, items: int, items_per_worker: int) -> int:
    """Return how many processes are worth starting, since starting one takes about a second.

    Args:
        workers: The most processes.
        items: How many items there are.
        items_per_worker: Fewest items per process.

    Returns:
        At least 1.
    """
    return max(1, min(workers, items // items_per_worker))


def map_in_order(
    function: Callable[[_Item], _Outcome], items: Iterable[_Item], workers: int
) -> Generator[_Outcome, None, None]:
    """Apply a function to each item in several processes, and read a few items per process ahead.

    All processes end immediately if the iteration ends early: by an error, by Ctrl-C, by a signal that this process
    turns into an exception, or because the caller closes the iterator. They also end when this process is killed.

    Args:
        function: Sent to each process once, so it may hold large data.
        items: Sent to the processes one by one, and consumed as they are needed.
        workers: Number of processes. This process does the work itself with 1, for a single item, and if it is a worker
            of `multiprocessing.Pool`, which may not start processes.

    Yields:
        The results in the order of the items.

    Raises:
        OptionError: If the system stopped a process.
    """
    remaining = iter(items)
    first = list(islice(remaining, 2))
    if workers == 1 or len(first) < 2 or current_process().daemon:
        yield from map(function, chain(first, remaining))
        return
    with _pool(function, workers) as pool:
        yield from _submit_in_order(lambda item: pool.submit(_apply, item), chain(first, remaining), 2 * workers)


class Workers:
    """Processes that stay between several uses; they are started when a use has more than one item.

    Args:
        workers: Number of processes, as of `map_in_order`.
    """

    def __init__(self, workers: int) -> None:
        self._workers = 1 if current_process().daemon else workers
        self._stack = ExitStack()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: Any) -> bool | None:  # noqa: ANN401
        return self._stack.__exit__(*error)

    def map_in_order(
        self, function: Callable[[_Item], _Outcome], items: Iterable[_Item]
    ) -> Generator[_Outcome, None, None]:
        """Apply a function, which is sent with every item, as `map_in_order` does."""
        remaining = iter(items)
        first = list(islice(remaining, 2))
        if self._workers == 1 or len(first) < 2:
            yield from map(function, chain(first, remaining))
            return
        if self._pool is None:
            self._pool = self._stack.enter_context(_pool(None, self._workers))
        pool = self._pool
        most = 2 * self._workers
        yield from _submit_in_order(lambda item: pool.submit(function, item), chain(first, remaining), most)


def _submit_in_order(
    submit: Callable[[_Item], Future[Any]], items: Iterable[_Item], most: int
) -> Generator[Any, None, None]:
    """Submit items, of which a limited number waits, and yield the results in their order."""
    waiting: deque[Future[Any]] = deque()
    errors: list[Exception] = []
    for item in _take_until_error(items, errors):
        waiting.append(submit(item))
        if len(waiting) > most:
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
def _pool(function: Callable[[Any], Any] | None, workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end as soon as an exception leaves this block."""
    _stop_tracker_at_exit()
    context = get_context("spawn")  # the same on all systems, and safe with threads
    receiver, sender = context.Pipe(duplex=False)
    with receiver, sender, ProcessPoolExecutor(workers, context, _set_up, (function, receiver)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise OptionError("a process was stopped, perhaps because memory ran out; give fewer --workers") from None
        except BaseException:
            sender.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@cache
def _stop_tracker_at_exit() -> None:
    """Let this process end the resource tracker of `multiprocessing` and wait for it, as Python 3.13 does.

    The tracker serves all processes of a program. In older versions it outlives the program for a moment, and stays
    as a zombie where nothing reaps orphans soon.
    """
    if parent_process() is None:
        stop = resource_tracker._resource_tracker._stop  # type: ignore[attr-defined]
        Finalize(None, stop, exitpriority=-1)  # after the semaphores of pools, which have priority 0


def _set_up(function: Callable[[Any], Any] | None, stop: Connection) -> None:
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end silently; the parent reports the interruption
    threading.Thread(target=_end_when_told, args=(stop,), daemon=True).start()


def _end_when_told(stop: Connection) -> None:
    """End this process when the parent closes its end of the pipe or ends."""
    with suppress(EOFError, OSError):
        stop.recv()
    os._exit(1)


def _apply(item: Any) -> Any:  # noqa: ANN401
    if _function is None:
        raise AssertionError("this process was not set up")
    return _function(item)
