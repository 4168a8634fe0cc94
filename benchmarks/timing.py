"""Timing of steps for comparison, and measurement of the parallel speed of cores."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from threadpoolctl import threadpool_limits

_MATRIX_ROWS, _PRODUCTS = 1024, 20


def time_in_turns(steps: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the seconds of the fastest round of each step. Steps take turns, because the machine's speed varies."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def run_script(file: str, *arguments: object) -> str:
    """Run a script of this folder in a separate process, and return its output.

    Linux counts the memory of a process as memory of the commands that it starts, so a script that measures commands
    must not run in a process with much memory.
    """
    command = [sys.executable, file, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compare_cores() -> float:
    """Measure the speed-up of matrix products by all cores compared with one core, as the median of five rounds.

    The speed-up is less than the number of cores if cores share arithmetic units, or if another virtual machine on the
    same host uses them.
    """
    cores = os.cpu_count() or 1
    ratios = sorted(_count_products(cores) / _count_products(1) for _ in range(5))
    return ratios[len(ratios) // 2]


def _count_products(threads: int) -> float:
    """Return the number of matrix products that the threads compute per second."""
    matrix = np.ones((_MATRIX_ROWS, _MATRIX_ROWS), np.float32)

    def multiply(_: int) -> None:
        for _ in range(_PRODUCTS):
            np.matmul(matrix, matrix)

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        list(pool.map(multiply, range(threads)))
        return threads * _PRODUCTS / (time.perf_counter() - started)
