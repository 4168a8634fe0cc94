"""One progress bar at a time, on a terminal or in a notebook, for what takes longer than a second."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeVar

from harness.support.terminal import WIDTH, is_quiet, show

_Item = TypeVar("_Item")

DELAY = 1.0
"""Number of seconds before the bar of a step is shown. A step that takes less time needs none."""

_BAR = 46
"""Number of characters of a line that a bar and its numbers need beside the name of the step."""

_MIN_STEP, _STEP_HEAD = 24, 12
"""Numbers of characters: of the shortest limit of the name of a step, and of its beginning that is kept."""


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


class _CellOutput:
    """One output of a cell of a notebook. Each text or widget replaces the one before, so the cell keeps the last."""

    encoding = "utf-8"  # tqdm draws its bar with the characters of this encoding

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, data: dict[str, Any]) -> None:
        """Show a text, or a widget that has one for notebooks that are not running."""
        if self._handle is None:
            self._handle = import_module("IPython.display").display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def write(self, text: str) -> None:
        """Show the line of a bar, without the characters by which it replaces itself in a terminal."""
        if line := text.strip():
            self.show({"text/plain": line})

    def flush(self) -> None:
        """Do nothing. `write` shows each line at once."""


class Progress:
    """A progress bar for steps that take longer than `DELAY`. As a context manager, it removes the bar at the end.

    A notebook shows the bar as a widget if ipywidgets is installed, and otherwise as text. In its place, a cell keeps
    the title and the time.

    Args:
        visible: Whether to show the bar. `--quiet` hides it, and it is never written to files and pipes.
        title: Name of the model, for instance. Only cells of notebooks show it.
    """

    def __init__(self, *, visible: bool, title: str = "") -> None:
        self._cell = _CellOutput() if is_notebook() else None
        has_place = bool(sys.stderr and sys.stderr.isatty()) or self._cell is not None
        self._visible = visible and has_place and not is_quiet()
        self._title = title
        self._created = time.monotonic()
        self._lock = threading.RLock()  # another thread draws the bar, because steps can be without items
        self._timer: threading.Timer | None = None
        self._step: dict[str, Any] | None = None
        self._done = 0
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        self.stop()
        seconds = time.monotonic() - self._created
        if self._visible and self._cell is not None and seconds >= DELAY:
            stopped = "" if error[0] is None else "stopped after "
            self._cell.show({"text/plain": f"{show(self._title)}: {stopped}{seconds:.1f} s" if self._title else ""})

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
            name = _shorten_step(show(step))
            self._step = {"desc": name, "total": total, "unit": unit, "unit_scale": bool(unit), "leave": False}
            self._done = done
            self._timer = threading.Timer(DELAY, self._draw, [self._step])
            self._timer.daemon = True
            self._timer.start()

    def _draw(self, step: dict[str, Any]) -> None:
        """Show the bar of a step, unless the step is over."""
        with self._lock:
            if step is not self._step:
                return
            settings = {**step, "initial": self._done}
            if self._cell is None:
                from tqdm import tqdm  # imported here, because most commands show no bar

                self._bar = tqdm(**settings, file=sys.stderr)
            elif find_spec("ipywidgets"):
                self._bar = import_module("tqdm.notebook").tqdm(**settings, display=False)
                view = {"version_major": 2, "version_minor": 0, "model_id": self._bar.container.model_id}
                line = f"{step['desc']} ..."
                self._cell.show({"application/vnd.jupyter.widget-view+json": view, "text/plain": line})
            else:
                from tqdm import tqdm

                self._bar = tqdm(**settings, file=self._cell, ncols=WIDTH, mininterval=1.0)

    def advance(self, count: int) -> None:
        """Count further items as done."""
        with self._lock:
            self._done += count
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
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        with self._lock:
            self._step = None
            if self._bar is not None:
                self._bar.total = None  # a widget with a total that is not reached would stay, in red
                self._bar.close()
                self._bar = None


def _shorten_step(step: str) -> str:
    """Leave out the middle of a long name, such as a path, so that a line has room for the bar."""
    longest = max(shutil.get_terminal_size().columns - _BAR, _MIN_STEP)
    if len(step) <= longest:
        return step
    return f"{step[:_STEP_HEAD]}…{step[_STEP_HEAD + 1 - longest :]}"
