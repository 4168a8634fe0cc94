"""One progress bar at a time, on a terminal or in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from tqdm import tqdm

from harness.support.terminal import show

_Item = TypeVar("_Item")


class StepStarted(NamedTuple):
    """A step begins.

    Attributes:
        step: Its name, such as "encoding".
        total: How many items it has.
        done: How many of them are done already.
        unit: Unit of the items, such as "B"; empty if they have none.
    """

    step: str
    total: int
    done: int = 0
    unit: str = ""


class StepAdvanced(NamedTuple):
    """More items of the current step are done.

    Attributes:
        items: How many more; negative if items have to be done again.
    """

    items: int


Event = StepStarted | StepAdvanced
Listener = Callable[[Event], None]
"""Receives the events of a computation. The computation does not know whether anything shows them."""


def ignore(event: Event) -> None:
    """Ignore an event: the listener of a caller that shows no progress."""
    del event


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return hasattr(shell, "kernel")


class Progress:
    """Shows how far a step is; as a context manager, it takes its bar away at the end.

    Args:
        visible: Whether to show anything. Files and pipes never get a bar.
    """

    def __init__(self, *, visible: bool) -> None:
        self._visible = visible and (sys.stderr.isatty() or is_notebook())
        self._bar: Any = None

    def __enter__(self) -> Progress:
        """Return this object."""
        return self

    def __exit__(self, *error: object) -> None:
        """Take the bar away."""
        self.stop()

    def follow(self, event: Event) -> None:
        """Show an event; this method is the listener of a computation."""
        if isinstance(event, StepStarted):
            self.start(*event)
        else:
            self.advance(event.items)

    def start(self, step: str, total: int, done: int = 0, unit: str = "") -> None:
        """Begin a step of so many items, of which some are done."""
        self.stop()
        if self._visible:
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
        """Say that some more are done."""
        if self._bar is not None:
            self._bar.update(count)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def track(items: Iterable[_Item], step: str, total: int, *, visible: bool = True) -> Iterator[_Item]:
    """Go through items, and show how many are done.

    Args:
        items: The items.
        step: What is done to them.
        total: How many items there are.
        visible: Whether to show anything, as for `Progress`.

    Yields:
        The items.
    """
    with Progress(visible=visible) as progress:
        progress.start(step, total)
        for item in items:
            progress.advance(1)
            yield item
