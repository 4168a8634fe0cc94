"""Check that numbers do not depend on batch sizes, the order of rows, the store, a kill, or hash seeds.

usage: stability.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)

Each variant is compared with the plain evaluation. The table shows the largest difference of any metric or interval.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from harness.evaluation.layout import lay_out_tests
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.files.store import ModelStore
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PAPER_TESTS

_EVALUATE = """
import json, sys, harness
source, model, cache = sys.argv[1:]
result = harness.evaluate(model, source, ("binary", "ranking"), cache=cache)
print(json.dumps([result.record.time.encoded, result.tasks]))
"""

Tasks = Mapping[str, Any]


def render(source: str, model: str) -> str:
    """Measure everything and render a Markdown table."""
    suite = load_suite(source, PAPER_TESTS)
    plain = evaluate_model(load_model(model), suite, Settings()).tasks
    rows = []
    for size in (1, 8, 64, 1024):
        tasks = evaluate_model(load_model(f"{model},batch_size={size}"), suite, Settings()).tasks
        rows.append((f"batches of {size}", tasks, ""))
    rows.append(("rows shuffled", evaluate_model(load_model(model), shuffle(suite), Settings()).tasks, ""))
    with tempfile.TemporaryDirectory() as folder:
        rows += _use_store(source, model, Path(folder))
    lines = [f"| {name} | {largest_difference(plain, tasks):.1e} | {note} |" for name, tasks, note in rows]
    return "\n".join(["| variant | largest difference | |", "| --- | ---: | --- |", *lines])


def shuffle(suite: Suite) -> Suite:
    """Return the same tests with the rows of each split in another order."""
    random = np.random.default_rng(0)
    tests = []
    for test in suite.tests:
        whole = {name: pa.concat_tables(tables) for name, tables in test.splits.items()}
        splits = {name: [table.take(random.permutation(table.num_rows))] for name, table in whole.items()}
        tests.append(dataclasses.replace(test, splits=splits))
    return Suite(*lay_out_tests(tests))


def _use_store(source: str, model: str, folder: Path) -> Iterator[tuple[str, Tasks, str]]:
    kept = _kill(source, model, folder / "killed")
    encoded, tasks = _evaluate(source, model, folder / "killed", "0")
    yield "killed by SIGKILL, resumed", tasks, f"{kept:,} texts were stored, {encoded:,} encoded after"
    encoded, tasks = _evaluate(source, model, folder / "killed", "1")
    yield "from the store, another hash seed", tasks, f"{encoded:,} texts encoded"
    encoded, tasks = _evaluate(source, model, folder / "new", "2")
    yield "without a store, another hash seed", tasks, f"{encoded:,} texts encoded"


def _evaluate(source: str, model: str, cache: Path, hash_seed: str) -> tuple[int, Tasks]:
    command = [sys.executable, "-c", _EVALUATE, source, model, str(cache)]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    encoded, tasks = json.loads(done.stdout)
    return encoded, tasks


def _kill(source: str, model: str, cache: Path) -> int:
    """Start an evaluation, kill it as soon as texts are stored, and return the number of stored texts."""
    command = [sys.executable, "-c", _EVALUATE, source, model, str(cache)]
    store = ModelStore(cache)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not any(entry.entries for entry in store.list_models()):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    if process.returncode != -signal.SIGKILL:
        raise RuntimeError("the evaluation ended before it could be killed")
    return store.list_models()[0].entries


def largest_difference(one: Tasks, other: Tasks) -> float:
    """Return the largest difference of any number of two evaluations on the same tests."""
    return max(abs(a - b) for a, b in zip(_numbers(one), _numbers(other), strict=True))


def _numbers(tasks: Tasks) -> Iterator[float]:
    for name in sorted(tasks):
        task = tasks[name]
        yield from (value for key, value in sorted(task.items()) if isinstance(value, float))
        yield from (end for _, interval in sorted(task["intervals"].items()) for end in interval)


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
