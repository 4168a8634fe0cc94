"""Work divided among processes. Results are in order, few items are in memory, and no process outlives its parent."""

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
_Result = TypeVar("_Result")

_function: Callable[[Any], Any] | None = None
"""The function that this process applies. It is set once, so that it is not sent with every item."""


def divide_items(items: Iterable[_Item], key: Callable[[_Item], object], size: int) -> Iterator[list[_Item]]:
    """Divide items into lists of limited length. All items of a list have the same key."""
    for _, group in groupby(items, key):
        while part := list(islice(group, size)):
            yield part


def limit_workers(workers: int, items: int, items_per_worker: int) -> int:
    """Limit the number of processes by the number of items, because starting a process takes about a second.

    Args:
        workers: Maximum number of processes.
        items: Number of items.
        items_per_worker: Minimum number of items per process.

    Returns:
        The number of processes, at least 1.
    """
    return max(1, min(workers, items // items_per_worker))


def map_in_order(
    function: Callable[[_Item], _Result], items: Iterable[_Item], workers: int
) -> Generator[_Result, None, None]:
    """Apply a function to each item in several processes. Read a few items per process ahead.

    All processes end immediately if the iteration ends early: by an error, by Ctrl-C, by a signal that this process
    turns into an exception, or because the caller closes the iterator. They also end if this process is killed.

    Args:
        function: The function. It is sent to each process once, so it may contain large data.
        items: The items. They are read when they are needed, and sent to the processes one by one.
        workers: Number of processes. This process does the work itself if the number is 1, if there is a single item,
            or if it is a worker of `multiprocessing.Pool`, which may not start processes.

    Yields:
        The results in the order of the items.

    Raises:
        OptionError: If the system stopped a process.
    """
    with Workers(workers) as pool:
        yield from pool.map_in_order(function, items, sends_once=True)


class Workers:
    """A pool of processes for several uses. They are started at the first use with more than one item.

    Args:
        workers: Number of processes, as for `map_in_order`.
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
        self, function: Callable[[_Item], _Result], items: Iterable[_Item], *, sends_once: bool = False
    ) -> Generator[_Result, None, None]:
        """Apply a function to each item, as the function `map_in_order` does.

        Args:
            function: The function.
            items: The items.
            sends_once: Whether to send the function to each process once instead of with every item. The pool cannot be
                used for another function.
        """
        remaining = iter(items)
        first = list(islice(remaining, 2))
        if self._workers == 1 or len(first) < 2:
            yield from map(function, chain(first, remaining))
            return
        if self._pool is None:
            self._pool = self._stack.enter_context(_pool(function if sends_once else None, self._workers))
        pool, applied = self._pool, _apply if sends_once else function

        def submit(item: _Item) -> Future[_Result]:
            with holding_interrupts():  # the pool starts a process if all others have work
                return pool.submit(applied, item)

        yield from _submit_in_order(submit, chain(first, remaining), 2 * self._workers)


def _submit_in_order(
    submit: Callable[[_Item], Future[Any]], items: Iterable[_Item], most: int
) -> Generator[Any, None, None]:
    """Submit items, at most `most` ahead of the results, and yield the results in the order of the items."""
    waiting: deque[Future[Any]] = deque()
    errors: list[Exception] = []
    for item in _take_until_error(items, errors):
        waiting.append(submit(item))
        if len(waiting) > most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
    for error in errors:  # after the results of earlier items, as with one process
        raise error


def _take_until_error(items: Iterable[_Item], errors: list[Exception]) -> Iterator[_Item]:
    """Yield items until the end, or until making the next item fails. Add the error to a list."""
    try:
        yield from items
    except Exception as error:
        errors.append(error)


@contextmanager
def _pool(function: Callable[[Any], Any] | None, workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes that end as soon as an exception leaves the block."""
    _stop_tracker_at_exit()
    context = get_context("spawn")  # the same on all systems, and safe with threads
    receiver, sender = context.Pipe(duplex=False)
    with receiver, sender, ProcessPoolExecutor(workers, context, _set_up, (function, receiver)) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise OptionError("a process was killed, possibly because memory ran out. Lower --workers") from None
        except BaseException:
            sender.close()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while a process starts, which would print a traceback if it were interrupted while it imports.

    The process inherits this, and has to call `accept_interrupts`.
    """
    resource_tracker.ensure_running()  # otherwise its start would end the block
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def accept_interrupts(handler: signal.Handlers) -> None:
    """End what `holding_interrupts` began, in the process that it started.

    Args:
        handler: What Ctrl-C does from now on, or did since the start of the process.
    """
    signal.signal(signal.SIGINT, handler)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@cache
def _stop_tracker_at_exit() -> None:
    """Stop the resource tracker of `multiprocessing` at the exit of this process, as Python 3.13 does.

    The tracker serves all processes of a program. In older versions of Python, it ends shortly after the program, and
    remains as a zombie process on systems that do not reap orphans soon.
    """
    if parent_process() is None:
        stop = resource_tracker._resource_tracker._stop  # type: ignore[attr-defined]
        Finalize(None, stop, exitpriority=-1)  # after the semaphores of pools, which have priority 0


def _set_up(function: Callable[[Any], Any] | None, stop: Connection) -> None:
    global _function
    _function = function
    accept_interrupts(signal.SIG_DFL)  # end silently, because the parent reports the interruption
    threading.Thread(target=_end_with_parent, args=(stop,), daemon=True).start()


def _end_with_parent(stop: Connection) -> None:
    """End this process when the parent closes its end of the pipe or ends."""
    with suppress(EOFError, OSError):
        stop.recv()
    os._exit(1)


def _apply(item: Any) -> Any:  # noqa: ANN401
    if _function is None:
        raise AssertionError("this process was not set up")
    return _function(item)
