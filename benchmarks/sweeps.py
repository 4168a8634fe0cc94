"""Overhead of a sweep of 300 baselines and static vectors, and whether interruptions change its results.

usage: sweeps.py SOURCE

Static vectors are drawn at random for the words of the source, so the models need no download. The time of a model is
the time of its process from loading the model to the written result. The overhead is the time of the whole command,
from its start to its table, minus the sum of the times of all models divided by the number of processes, as a share of
this quotient. Then the same sweep is killed, with all its processes, at ten random moments and started again each time.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from markdown_tables import tabulate

from harness.evaluation.runner import load_suite
from harness.evaluation.sweeps.units import State, SweepFolder
from harness.text.words import load_tokenizer

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from helpers.sweeps import read_results

TESTS = ("binary", "ranking", "binary_matched", "ranking_matched")
DIMENSIONS, SEEDS = (50, 100, 200, 300), range(14)
WORKERS, KILLS, SEED = 2, 10, 1
PLAN = """
- model: [one-hot, tf-idf, overlap, length, options-only]
  tokenizer: [own, spacy]
- char-ngrams
- constant
- model: random
  name: [random, random 2, random 3, random 4]
- model: wtmf
  dimension: [10, 20, 30, 40, 50]
  iterations: [1, 2]
  regularization: [10, 20, 30]
  missing_weight: [0.01, 0.02]
- model: [VECTORS]
  tokenizer: [own, spacy]
  case: [lower, exact]
"""
_PROGRAM = (sys.executable, "-m", "harness.cli")


def write_models(folder: Path, source: str) -> None:
    """Write word vectors of several dimensions, drawn with several seeds, and the file that lists all models."""
    tokenize = load_tokenizer("own")
    words = sorted({word for text in load_suite(source, TESTS).texts for word in tokenize(text)})
    names = []
    for dimension in DIMENSIONS:
        for seed in SEEDS:
            name = f"vectors-{dimension}-{seed}.bin"
            vectors = np.random.default_rng(seed).normal(size=(len(words), dimension)).astype("<f4")
            rows = [word.encode() + b" " + vector.tobytes() for word, vector in zip(words, vectors, strict=True)]
            (folder / name).write_bytes(f"{len(words)} {dimension}\n".encode() + b"".join(rows))
            names.append(name)
    plan = folder / "models.yaml"
    plan.write_text(PLAN.replace("VECTORS", ", ".join(names)), encoding="utf-8")


def render(source: str) -> str:
    """Measure the overhead, and render a table and a line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_models(folder, source)
        swept = SweepFolder(folder / "sweep")
        sweep_seconds = _run(folder, _make_sweep(source, swept.root))
        units = swept.read_units()
        outcomes = [swept.read_outcome(unit) for unit in units]
        model_seconds = sum(outcome.seconds for outcome in outcomes if outcome)
        repeated_seconds = _run(folder, _make_sweep(source, swept.root))
    share = model_seconds / WORKERS
    overhead = sweep_seconds / share - 1
    rows = [
        [f"`sweep`, {WORKERS} processes of one thread", f"{sweep_seconds:.1f}"],
        [f"the models' own times, divided by {WORKERS}", f"{share:.1f}"],
        ["`sweep` again, with nothing left to compute", f"{repeated_seconds:.1f}"],
    ]
    summary = f"{len(units)} models on {len(TESTS)} tests: the overhead of the sweep is {overhead:.1%}."
    return f"{tabulate(['what', 'seconds'], rows)}\n\n{summary}"


def render_kills(source: str) -> str:
    """Kill a sweep at random moments, start it again, and render a line on its results."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_models(folder, source)
        whole, killed = SweepFolder(folder / "whole"), SweepFolder(folder / "killed")
        seconds = _run(folder, _make_sweep(source, whole.root))
        generator = random.Random(SEED)  # noqa: S311 - nothing here is secret
        done = []
        for _ in range(KILLS):
            _kill_after(folder, _make_sweep(source, killed.root), generator.uniform(0, seconds / 5))
            done.append(_count_done(killed))
        _run(folder, _make_sweep(source, killed.root))
        expected, results = read_results(whole.results), read_results(killed.results)
        differing = sum(expected.get(path) != results.get(path) for path in expected.keys() | results.keys())
        progress = f"{', '.join(map(str, done))} of {_count_done(whole)} models done"
        return (
            f"Killed at {KILLS} random moments, with {progress}, and started again: {differing} of {len(expected):,} "
            "files of results differ, apart from the times in them."
        )


def _make_sweep(source: str, output: Path) -> tuple[str, ...]:
    options = ("--workers", str(WORKERS), "--threads", "1", *_list_options(source, output))
    return ("sweep", "models.yaml", *options)


def _list_options(source: str, output: Path) -> tuple[str, ...]:
    data = str(Path(source).resolve())
    return ("--data", data, "--task", ",".join(TESTS), "--output", str(output), "--no-cache", "--quiet")


def _run(folder: Path, arguments: Sequence[str]) -> float:
    """Run a command with one thread, and return its seconds."""
    started = time.perf_counter()
    subprocess.run([*_PROGRAM, *arguments], cwd=folder, env=_environment(), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def _environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1"}


def _kill_after(folder: Path, arguments: Sequence[str], seconds: float) -> None:
    """Start a command, and kill it and all its processes after some seconds."""
    with subprocess.Popen(
        [*_PROGRAM, *arguments], cwd=folder, env=_environment(), stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _count_done(folder: SweepFolder) -> int:
    if not folder.results.exists():
        return 0
    return sum(folder.state_of(unit) is State.DONE for unit in folder.read_units())


if __name__ == "__main__":
    print(render(sys.argv[1]))
    print(render_kills(sys.argv[1]))
