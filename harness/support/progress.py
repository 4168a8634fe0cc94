"""One progress bar at a time, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

from harness.support.terminal import show

_Item = TypeVar("_Item")


class Progress:
    """Shows how far a step is.

    Args:
        visible: Whether to show anything; it is shown on a terminal only.
    """

    def __init__(self, *, visible: bool) -> None:
        self._visible = visible and sys.stderr.isatty()
        self._bar: Any = None

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
        visible: Whether to show anything; it is shown on a terminal only.

    Yields:
        The items.
    """
    progress = Progress(visible=visible)
    progress.start(step, total)
    try:
        for item in items:
            progress.advance(1)
            yield item
    finally:
        progress.stop()
