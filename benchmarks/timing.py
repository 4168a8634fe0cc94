"""Timing steps that are compared, and how much the cores of a machine compute at once."""

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
    """Seconds of the fastest round of each step; all take turns, for the machine's speed varies."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def run_script(file: str, *arguments: object) -> str:
    """Run a script of this folder in a process of its own, and return its output.

    Linux counts the memory of a process as memory of the commands that it starts, so a script that measures commands
    must not run in a process that holds much.
    """
    command = [sys.executable, file, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def compare_cores() -> float:
    """Measure how many times as many matrix products all cores compute as one core; the median of five rounds.

    Cores that share their arithmetic units, or that another machine on the same host uses, reach less than their
    number.
    """
    cores = os.cpu_count() or 1
    ratios = sorted(_count_products(cores) / _count_products(1) for _ in range(5))
    return ratios[len(ratios) // 2]


def _count_products(threads: int) -> float:
    """Return the number of matrix products that threads compute in a second."""
    matrix = np.ones((_MATRIX_ROWS, _MATRIX_ROWS), np.float32)

    def multiply(_: int) -> None:
        for _ in range(_PRODUCTS):
            np.matmul(matrix, matrix)

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        list(pool.map(multiply, range(threads)))
        return threads * _PRODUCTS / (time.perf_counter() - started)
