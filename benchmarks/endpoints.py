"""Compare a model on a real server with the same model on this machine, and measure the memory of large answers.

usage: endpoints.py SOURCE MODEL INFINITY    compare the vectors and metrics
       endpoints.py memory                   measure the memory that servers with large answers take

MODEL: folder of a sentence-transformers model; INFINITY: the program `infinity_emb`, in a separate environment, because
infinity-emb 0.0.78 requires older versions of transformers and huggingface_hub than this package. The program runs on a
free port of this machine, and no text leaves the machine.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from markdown_tables import tabulate
from stability import largest_difference

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.interfaces.model import Ability
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PYRAMID_TESTS

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from helpers.large_answers import ENDLESS, LARGEST, measure_peak

_NAME = "minilm"
_SECONDS_TO_START = 180


class MissingServerError(Exception):
    """The program of the server was not given."""


def render(source: str, model: str, program: Path | None) -> str:
    """Measure everything and render a Markdown table."""
    if program is None:
        raise MissingServerError("no program infinity_emb is given")
    suite = load_suite(source, PYRAMID_TESTS)
    with _serve(model, program) as url:
        hosted = load_model(f"endpoint:{_NAME},url={url}")
        remote_result = evaluate_model(hosted, suite, Settings(quiet=True))
        remote = _encode(f"endpoint:{_NAME},url={url},batch_size=100,concurrency=2", suite.texts)
    local_result = evaluate_model(load_model(f"{model},device=cpu"), suite, Settings(quiet=True))
    difference = np.abs(remote - _encode(f"{model},device=cpu", suite.texts)).max()
    usage = remote_result.record.usage
    if usage is None:
        raise AssertionError("an endpoint has a server")
    rows = [
        ("texts", f"{len(suite.texts):,}"),
        ("requests of up to 64 texts, four at a time", f"{usage.requests:,}"),
        ("largest difference of a value of a vector", f"{difference:.1e}"),
        ("largest difference of a score of a row", f"{_compare_scores(remote_result, local_result):.1e}"),
        (
            "largest difference of a metric, a threshold or an end of an interval",
            f"{largest_difference(remote_result.tasks, local_result.tasks):.1e}",
        ),
    ]
    return "\n".join(
        ["| what | infinity-emb beside `encode` |", "| --- | ---: |", *(f"| {a} | {b} |" for a, b in rows)]
    )


def render_memory() -> str:
    """Measure the peak memory of an evaluation for each kind of large answer, each in a process of its own.

    Returns:
        A Markdown table of the memory beyond that of an evaluation with right answers.
    """
    with tempfile.TemporaryDirectory() as folder:
        _, usual_peak = measure_peak(["right answers"], Path(folder))
        peaks = {name: measure_peak([name], Path(folder))[1] for name in (*ENDLESS, *LARGEST)}
    rows = [(name, f"{max(0, peak - usual_peak):.0f}") for name, peak in peaks.items()]
    return tabulate(("answer", "MiB"), rows)


def _encode(spec: str, texts: list[str]) -> np.ndarray[Any, Any]:
    model = load_model(spec)
    model.require(Ability.ENCODE, remedy="Use an encoder")
    vectors: dict[int, np.ndarray[Any, Any]] = {}
    for batch, encoded in model.scorer.encode_batches(texts):
        vectors.update(zip(batch, encoded, strict=True))
    return np.stack([vectors[index] for index in range(len(texts))])


def _compare_scores(first: Result, second: Result) -> float:
    """Return the largest difference of the scores of a row. Missing options count as equal."""
    return max(
        float(np.nanmax(np.abs(rows.scores - second.rows[test_name].scores))) for test_name, rows in first.rows.items()
    )


@contextmanager
def _serve(model: str, program: Path) -> Iterator[str]:
    """Run the server until the block ends, and yield its address."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
    command = [str(program), "v2", "--model-id", model, "--served-model-name", _NAME, "--url-prefix", "/v1"]
    command += ["--host", "127.0.0.1", "--port", port, "--engine", "torch", "--device", "cpu"]
    environment = os.environ | {"INFINITY_ANONYMOUS_USAGE_STATS": "0", "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait_for(url, process)
            yield url
        finally:
            process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/models"):  # noqa: S310 - an address of this machine
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server does not start. Run it by hand to see the reason")


if __name__ == "__main__":
    print(render_memory() if sys.argv[1:] == ["memory"] else render(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
