"""One progress bar at a time, on a terminal or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from harness.support.terminal import show

_Item = TypeVar("_Item")


class StepStarted(NamedTuple):
    """The event that a step begins.

    Attributes:
        step: Name of the step, such as "encoding".
        total: Number of items of the step.
        done: Number of items that are already done.
        unit: Unit of the items, such as "B". Empty if they have no unit.
    """

    step: str
    total: int
    done: int = 0
    unit: str = ""


class StepAdvanced(NamedTuple):
    """The event that more items of the current step are done.

    Attributes:
        items: Number of further items. Negative if items have to be done again.
    """

    items: int


Event = StepStarted | StepAdvanced
Listener = Callable[[Event], None]
"""A function that receives the events of a computation, and may show them."""


def ignore(event: Event) -> None:
    """Ignore an event. This is the listener of callers that show no progress."""
    del event


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


class Progress:
    """A progress bar. As a context manager, it removes the bar at the end.

    Args:
        visible: Whether to show the bar. It is never written to files and pipes.
    """

    def __init__(self, *, visible: bool) -> None:
        self._visible = visible and (bool(sys.stderr and sys.stderr.isatty()) or is_notebook())
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        self.stop()

    def follow(self, event: Event) -> None:
        """Show an event. Use this method as the listener of a computation."""
        if isinstance(event, StepStarted):
            self.start(*event)
        else:
            self.advance(event.items)

    def start(self, step: str, total: int, done: int = 0, unit: str = "") -> None:
        """Begin a step. For the arguments, see `StepStarted`."""
        self.stop()
        if self._visible:
            from tqdm import tqdm  # imported here, because most commands show no bar

            self._bar = tqdm(
                desc=show(step),
                total=total,
                initial=done,
                leave=False,
                unit=unit,
                unit_scale=bool(unit),
                file=sys.stderr,
            )

    def advance(self, count: int) -> None:
        """Count further items as done."""
        if self._bar is not None:
            self._bar.update(count)

    def track(
        self,
        items: Iterable[_Item],
        step: str,
        total: int,
        *,
        unit: str = "",
        count: Callable[[_Item], int] | None = None,
    ) -> Iterator[_Item]:
        """Begin a step, and yield its items. Each item counts as 1, or as the number that `count` returns for it."""
        self.start(step, total, unit=unit)
        for item in items:
            self.advance(count(item) if count else 1)
            yield item

    def stop(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
