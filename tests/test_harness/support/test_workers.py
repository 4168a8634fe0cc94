"""Work divided among processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from operator import itemgetter, mul
from pathlib import Path

import pytest
from helpers.checkout import ROOT
from helpers.messages import mentions
from helpers.work import map_in_two_processes, refuse_one

from harness.support.workers import divide_items, map_in_order
from pyramid_paraphrase.errors import LimitError, OptionError


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    assert list(map_in_order(partial(mul, 3), range(20), workers)) == list(range(0, 60, 3))


def test_a_single_item_starts_no_process() -> None:
    """Starting processes takes a second, which is too long for short runs."""
    assert list(map_in_order(lambda _: os.getpid(), [0], 8)) == [os.getpid()]


def test_a_worker_of_a_pool_does_the_work_itself() -> None:
    """Scoring within `multiprocessing.Pool` ended in "daemonic processes are not allowed to have children"."""
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(map_in_two_processes) == [1, 2]


def test_few_items_are_taken_ahead() -> None:
    """All items at once would need the memory of all of them."""
    taken = []

    def count() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    results = map_in_order(abs, count(), 2)
    assert next(results) == 0
    assert len(taken) <= 6
    results.close()


def test_an_error_of_a_process_is_that_of_the_first_item_in_order() -> None:
    results = map_in_order(refuse_one, [0, 1, 2], 2)
    assert next(results) == 0
    with pytest.raises(LimitError, match=mentions("some file: is too large. Make it smaller")):
        next(results)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_cannot_be_read_does_not_hide_an_error_before_it(workers: int) -> None:
    """Items are read ahead. The reported error depended on the number of processes."""

    def read() -> Iterator[int]:
        yield from (0, 0, 1)
        raise OSError("the next item")

    with pytest.raises(LimitError, match=mentions("some file: is too large. Make it smaller")):
        list(map_in_order(refuse_one, read(), workers))
    results = map_in_order(abs, (item for item in read()), workers)
    assert [next(results) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(OSError, match="the next item"):
        next(results)


def test_processes_end_with_the_one_that_started_them() -> None:
    """When the parent was killed, the processes waited forever. The pipe ends only when all processes have ended."""
    code = (
        "import os, signal; from harness.support.workers import map_in_order\n"
        "if __name__ == '__main__':\n"
        "    for _ in map_in_order(abs, range(100), 2): os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=60, cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL


def test_no_process_is_left_when_the_program_ends() -> None:
    """The resource tracker of multiprocessing outlived the program, and became a zombie without a reaper of orphans."""
    code = (
        "from harness.support.workers import Workers, map_in_order\n"
        "if __name__ == '__main__':\n"
        "    list(map_in_order(abs, range(5), 2))\n"
        "    with Workers(2) as workers: print(list(workers.map_in_order(abs, range(-5, 0))))"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True, text=True
    )
    assert program.communicate(timeout=60)[0] == "[5, 4, 3, 2, 1]\n"
    with pytest.raises(ProcessLookupError):
        os.killpg(program.pid, 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_processes_end_at_once_when_the_parent_is_stopped(number: int) -> None:
    """Only the parent gets the signal, as by `kill`; it waited for items in work: here, ten minutes."""
    code = (
        "import os, signal, sys, time; from harness.support.workers import map_in_order\n"
        "def main():\n"
        f"    signal.signal({int(number)}, lambda *_: sys.exit(5))\n"
        f"    for _ in map_in_order(time.sleep, [0, *[600] * 6], 2): os.kill(os.getpid(), {int(number)})\n"
        "if __name__ == '__main__':\n"
        "    main()"
    )
    stopped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=60, cwd=ROOT, check=False)
    assert stopped.returncode == 5


def test_a_process_that_is_stopped_does_not_hang() -> None:
    with pytest.raises(OptionError, match=mentions("killed ... --workers")):
        list(map_in_order(os._exit, [1, 2], 2))


@pytest.mark.parametrize("handler", ["SIG_DFL", "SIG_IGN"])
def test_a_process_that_is_interrupted_while_it_starts_is_silent(tmp_path: Path, handler: str) -> None:
    """Ctrl-C reaches all processes of a terminal. Each printed a traceback if it was still importing."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os, signal, sys\n"
        "from multiprocessing import get_context\n"
        "from harness.support.workers import accept_interrupts, holding_interrupts\n"
        "if __name__ != '__main__': os.kill(os.getpid(), signal.SIGINT)\n"
        "else:\n"
        f"    process = get_context('spawn').Process(target=accept_interrupts, args=(signal.{handler},))\n"
        "    with holding_interrupts(): process.start()\n"
        "    process.join()\n"
        "    sys.exit(process.exitcode + 10)\n"
    )
    line = [sys.executable, str(program)]
    ended = subprocess.run(line, capture_output=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert (ended.returncode, ended.stderr) == ({"SIG_DFL": 10 - signal.SIGINT, "SIG_IGN": 10}[handler], b"")


def test_items_are_divided_within_their_groups() -> None:
    items = [("a", 1), ("a", 2), ("a", 3), ("b", 4)]
    assert list(divide_items(items, itemgetter(0), 2)) == [items[:2], items[2:3], items[3:]]
