"""Division of work that waits for servers among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


def order_longest_first(texts: Sequence[str]) -> list[int]:
    """Order texts by descending length, so that a text that is too long for a model is refused at the start.

    Returns:
        The indices of the texts. Texts of equal length are in alphabetical order, whatever their original order.
    """
    return sorted(range(len(texts)), key=lambda index: (-len(texts[index]), texts[index]))


def map_as_completed(
    function: Callable[[_Item], _Outcome], items: Sequence[_Item], threads: int, give_up: Callable[[], None]
) -> Iterator[_Outcome]:
    """Apply a function to items in several threads.

    After an error, no further items are started. Outcomes of items in progress are still yielded, because the user may
    have paid for them.

    Args:
        function: The function of an item.
        items: The items.
        threads: Number of threads.
        give_up: Function that makes calls of `function` end soon. It is called if the iteration ends early, for
            instance by Ctrl-C.

    Yields:
        The outcomes, in order of completion.

    Raises:
        Exception: After all outcomes, the error of the failed item that comes first in `items`.
    """
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from _complete(lambda item: pool.submit(function, item), items, threads)
        except BaseException:
            give_up()
            raise


def _complete(submit: Callable[[_Item], Future[_Outcome]], items: Sequence[_Item], threads: int) -> Iterator[_Outcome]:
    """Submit items, at most as many as threads at a time, and yield outcomes in order of completion."""
    waiting = iter(enumerate(items))
    running: dict[Future[_Outcome], int] = {}
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
    if errors:
        raise errors[min(errors)]
