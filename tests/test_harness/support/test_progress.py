"""Progress bars on terminals and in notebooks: only for what takes long, and nothing stays of them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from helpers.checkout import ROOT
from helpers.commands import Capture

from harness.support import progress as progress_module
from harness.support.progress import Progress, StepAdvanced, StepStarted

EVIL = "a\x1b[2Jb\x9bc\u202ed\ne\u200bf\u2028g\rh"
SAFE = "a\\x1b[2Jb\\x9bc\\u202ed\\ne\\u200bf\\u2028g\\rh"


def pretend_terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> None:
    """Let standard error be a terminal. Fixtures cannot do it, because pytest replaces the stream after them."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))


class Cell:
    """A cell of a notebook: the outputs that it keeps. An update replaces an output, as in Jupyter."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []
        self.shown: list[dict[str, Any]] = []

    def display(self, data: dict[str, Any], *, raw: bool, display_id: bool) -> Cell:
        assert raw
        assert display_id
        self.outputs.append({})
        self.update(data, raw=True)
        return self

    def update(self, data: dict[str, Any], *, raw: bool) -> None:
        assert raw
        self.outputs[-1] = data
        self.shown.append(data)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """A cell of a notebook without ipywidgets, which keeps a line of each model, however fast."""
    cell = Cell()
    shell = SimpleNamespace(kernel=None)
    ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
    vars(ipython).update(get_ipython=lambda: shell, display=display)
    vars(display).update(display=cell.display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress_module, "find_spec", lambda _: None)
    monkeypatch.setattr(progress_module, "DELAY", 0.0)
    return cell


class Timers:
    """Timers that fire at once, or when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fire_at_once = True
        self.waiting: list[tuple[Callable[..., None], list[Any]]] = []
        monkeypatch.setattr(threading, "Timer", self._make)

    def _make(self, delay: float, function: Callable[..., None], arguments: list[Any]) -> SimpleNamespace:
        assert delay == progress_module.DELAY

        def start() -> None:
            self.waiting.append((function, arguments))
            if self.fire_at_once:
                function(*arguments)

        return SimpleNamespace(start=start, cancel=lambda: None)

    def fire(self) -> None:
        for function, arguments in self.waiting:
            function(*arguments)


@pytest.fixture(autouse=True)
def timers(monkeypatch: pytest.MonkeyPatch) -> Timers:
    return Timers(monkeypatch)


def test_steps_are_escaped(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_terminal(monkeypatch, columns=200)
    progress = Progress(visible=True)
    progress.start(f"loading {EVIL}", 1)
    progress.stop()
    written = capsys.readouterr().err
    assert f"loading {SAFE}" in written
    assert "\x1b[2J" not in written


def test_a_bar_follows_the_events_of_a_computation(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_terminal(monkeypatch)
    with Progress(visible=True) as progress:
        progress.follow(StepStarted("encoding", 9, done=2))
        assert "encoding:  22%" in capsys.readouterr().err
        progress.follow(StepAdvanced(7))
        progress.follow(StepStarted("scoring", 3))
    written = capsys.readouterr().err
    assert "scoring:   0%" in written
    assert written.endswith("\r")  # the bar is taken away


def test_a_path_leaves_room_for_the_bar(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_terminal(monkeypatch)
    progress = Progress(visible=True)
    progress.start("loading /home/someone/experiments/2026/models/tuned-on-negatives", 1)
    progress.stop()
    bar = capsys.readouterr().err.split("\r")[1]
    assert bar.startswith("loading /hom…ls/tuned-on-negatives:   0%|  ")
    assert len(bar) <= 80


def test_no_bar_for_what_takes_less_than_the_delay(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, timers: Timers
) -> None:
    pretend_terminal(monkeypatch)
    timers.fire_at_once = False
    with Progress(visible=True, title="model") as progress:
        progress.start("loading", 1)
        assert list(progress.track("ab", "encoding", 2)) == ["a", "b"]
    timers.fire()  # too late: both steps are over
    assert len(timers.waiting) == 2
    assert capsys.readouterr().err == ""


def test_a_long_step_without_items_has_a_bar(capsys: Capture, monkeypatch: pytest.MonkeyPatch, timers: Timers) -> None:
    """A model that takes a minute to load tells nothing meanwhile, so only the clock can show its bar."""
    pretend_terminal(monkeypatch)
    timers.fire_at_once = False
    with Progress(visible=True) as progress:
        progress.start("reading", 8)
        progress.advance(2)
        assert capsys.readouterr().err == ""
        timers.fire()
        assert "reading:  25%" in capsys.readouterr().err


def test_no_progress_without_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without a console, such as `pythonw`, has no standard error. This was an AttributeError."""
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(visible=True) as progress:
        assert list(progress.track([1, 2], "encoding", total=2)) == [1, 2]


def test_a_cell_of_a_notebook_keeps_one_line_per_model(cell: Cell) -> None:
    """Each step used to leave its bar in the cell, at 0 %."""
    for name in ("first", EVIL):
        with Progress(visible=True, title=name) as progress:
            progress.start("loading", 1)
            progress.start("encoding", 4, done=1)
            progress.advance(3)
    assert [output["text/plain"] for output in cell.outputs] == ["first: 0.0 s", f"{SAFE}: 0.0 s"]
    assert {type(output) is dict and len(output) for output in cell.shown} == {1}
    bars = [output["text/plain"] for output in cell.shown if "%" in output["text/plain"]]
    assert [bar[:14] for bar in bars] == ["loading:   0%|", "encoding:  25%"] * 2


def test_a_cell_tells_that_a_model_failed(cell: Cell) -> None:
    with pytest.raises(ValueError, match="x"), Progress(visible=True, title="model"):
        raise ValueError("x")
    assert cell.outputs == [{"text/plain": "model: stopped after 0.0 s"}]


def test_a_cell_keeps_nothing_of_what_is_fast_or_hidden(
    cell: Cell, monkeypatch: pytest.MonkeyPatch, timers: Timers
) -> None:
    timers.fire_at_once = False
    with Progress(visible=False, title="quiet") as progress:
        progress.start("encoding", 4)
    monkeypatch.setattr(progress_module, "DELAY", 60.0)
    with Progress(visible=True, title="fast") as progress:
        progress.start("encoding", 4)
    assert cell.outputs == []


def test_a_widget_where_ipywidgets_is_installed(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line replaces the widget, because a closed widget leaves its bar in a stored cell."""
    bars: list[Any] = []

    class Widget:
        def __init__(self, **settings: Any) -> None:  # noqa: ANN401
            self.settings, self.n, self.total, self.closed = settings, settings["initial"], settings["total"], False
            self.container = SimpleNamespace(model_id=f"id-{len(bars)}")
            bars.append(self)

        def update(self, count: int) -> None:
            self.n += count

        def close(self) -> None:
            assert self.total is None  # else tqdm takes a bar that is not full for an error, and leaves it in red
            self.closed = True

    notebook = ModuleType("tqdm.notebook")
    vars(notebook).update(tqdm=Widget)
    monkeypatch.setitem(sys.modules, "tqdm.notebook", notebook)
    monkeypatch.setattr(progress_module, "find_spec", lambda name: name == "ipywidgets")
    with Progress(visible=True, title="model") as progress:
        progress.start("loading", 1)
        progress.start("encoding", 4, done=1)
        progress.advance(2)
    view = {"version_major": 2, "version_minor": 0, "model_id": "id-1"}
    assert cell.shown[1] == {"application/vnd.jupyter.widget-view+json": view, "text/plain": "encoding ..."}
    assert cell.outputs == [{"text/plain": "model: 0.0 s"}]
    assert [(bar.n, bar.closed, bar.settings["display"]) for bar in bars] == [(0, True, False), (3, True, False)]


def test_tqdm_does_not_warn_in_a_notebook(tmp_path: Path) -> None:
    """Libraries import `tqdm.auto`, which warned at the top of each notebook without ipywidgets."""
    shell = "class Shell:\n    config = {'IPKernelApp': {}}\n\n\ndef get_ipython():\n    return Shell\n"
    (tmp_path / "IPython.py").write_text(shell)
    (tmp_path / "ipykernel").mkdir()
    for name in ("ipykernel/__init__.py", "ipykernel/zmqshell.py", "ipywidgets.py"):  # empty, as if not installed
        (tmp_path / name).touch()
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    warnings = []
    for names in ("pyramid_paraphrase, tqdm.auto", "tqdm.auto"):
        code = f"import IPython, ipykernel.zmqshell, {names}"
        command = [sys.executable, "-W", "always::UserWarning", "-c", code]
        warned = subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path}, capture_output=True)
        warnings.append(warned.stderr.count(b"IProgress not found"))
    assert warnings == [0, 1]
