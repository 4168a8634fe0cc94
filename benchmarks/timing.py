"""Timing steps that are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def time_in_turns(steps: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of the fastest round of each step; all take turns, for the machine's speed varies."""
    best = dict.fromkeys(steps, float("inf"))
    for _ in range(rounds):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            best[name] = min(best[name], time.perf_counter() - started)
    return best
