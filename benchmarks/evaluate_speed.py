"""Time of a whole evaluation, compared with encoding alone and with existing tools.

usage: evaluate_speed.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)

All measurements take turns in one process, after loading the model: `SentenceTransformer.encode` of every distinct text
at its best batch size, which is the minimum work of any tool; our `evaluate` without the store, from the built tests to
the result with its intervals, by each backend in each of its precisions; the same from the archive;
sentence-transformers' evaluators; mteb.

Lower precisions are slow on a processor that computes them in float32. The script refuses to run on such processors.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
from competitors import (
    BATCH_SIZES,
    list_texts,
    score_with_encode,
    score_with_evaluators,
    score_with_mteb,
)
from markdown_tables import tabulate
from sentence_transformers import SentenceTransformer
from timing import compare_cores, time_in_turns

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.loading import load_model
from pyramid_paraphrase.rules.options import PAPER_TESTS

ROUNDS = 3
VARIANTS = {
    "torch": "",
    "torch, bfloat16": ",dtype=bfloat16",
    "openvino": ",backend=openvino",
    "openvino, bfloat16": ",backend=openvino,dtype=bfloat16",
    "openvino, int8": ",backend=openvino,dtype=int8",
    "onnx": ",backend=onnx",
}
"""Options of the model by the name of the backend and its precision."""

INSTRUCTIONS = {"bfloat16": ("avx512_bf16", "amx_bf16"), "int8": ("avx512_vnni", "avx_vnni", "amx_int8")}
"""Names that Linux gives to the instructions of a processor, by the precision that they compute."""

_METRICS = (("binary", "f1", "F"), ("ranking", "success_rate", "success"), ("ranking", "mrr", "MRR"))


class MissingInstructionsError(Exception):
    """The processor cannot compute a precision directly. The message names the precision."""


def render(source: str, model_folder: str) -> str:
    """Measure everything and render Markdown tables: times, and the effects of backends and precisions.

    Raises:
        MissingInstructionsError: If the processor has no instructions for bfloat16 or int8.
    """
    _require_instructions()
    suite = load_suite(source, PAPER_TESTS)
    tests = {test.configuration.name: test for test in suite.tests}
    plain = SentenceTransformer(model_folder, device="cpu")
    models = {name: load_model(f"{model_folder},device=cpu{options}") for name, options in VARIANTS.items()}
    results: dict[str, Result] = {}

    def evaluate(name: str) -> None:
        results[name] = evaluate_model(models[name], suite, Settings())

    plain.encode(list_texts(tests)[:64])  # warm-up: the first step would include initialization
    repeated = [name for name in VARIANTS if name != "torch, bfloat16"]  # which takes minutes on many processors
    times = time_in_turns(
        {
            **{f"encode, batches of {size}": partial(score_with_encode, plain, tests, size) for size in BATCH_SIZES},
            **{name: partial(evaluate, name) for name in repeated},
            "archive": lambda: evaluate_model(models["torch"], load_suite(source, PAPER_TESTS), Settings()),
        },
        ROUNDS,
    )
    times |= time_in_turns(
        {
            "torch, bfloat16": partial(evaluate, "torch, bfloat16"),
            "evaluators": partial(score_with_evaluators, plain, tests),
            "mteb": partial(score_with_mteb, plain, tests),
        },
        1,
    )
    return "\n\n".join([_tabulate_times(times), _describe(suite), _tabulate_changes(times, results)])


def _find_fastest(times: dict[str, float]) -> str:
    """Return the name of the best batch size of `encode`."""
    return min((name for name in times if name.startswith("encode")), key=times.__getitem__)


def _tabulate_times(times: dict[str, float]) -> str:
    fastest = _find_fastest(times)
    seconds_by_name = {
        f"`SentenceTransformer.encode`{fastest.removeprefix('encode')}": times[fastest],
        "**`evaluate`, both tasks with intervals**": times["torch"],
        "the same, the archive read and the tests built in it": times["archive"],
        "evaluators of sentence-transformers": times["evaluators"],
        "mteb": times["mteb"],
    }
    rows = [f"| {name} | {seconds:.2f} | {seconds / times[fastest]:.2f} |" for name, seconds in seconds_by_name.items()]
    return "\n".join(["| what | seconds | times encode |", "| --- | ---: | ---: |", *rows])


def _tabulate_changes(times: dict[str, float], results: dict[str, Result]) -> str:
    """Render the time of `evaluate` by each backend, and the differences of scores and metrics from `torch`."""
    titles = ["`evaluate` by", "seconds", "times encode", "largest change of a score", *(row[2] for row in _METRICS)]
    rows = []
    exact, fastest = results["torch"], times[_find_fastest(times)]
    for name in VARIANTS:
        result = results[name]
        change = max(
            float(np.abs(result.rows[test].scores - exact.rows[test].scores).max()) for test in ("binary", "ranking")
        )
        metrics = [
            f"{result.tests[test].metrics[metric] - exact.tests[test].metrics[metric]:+.4f}"
            for test, metric, _ in _METRICS
        ]
        rows.append([name, f"{times[name]:.2f}", f"{times[name] / fastest:.2f}", f"{change:.6f}", *metrics])
    return tabulate(titles, rows)


def _require_instructions() -> None:
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    for precision, names in INSTRUCTIONS.items():
        if not set(names) & set(flags):
            raise MissingInstructionsError(f"this processor has no instructions for {precision}")


def _describe(suite: Suite) -> str:
    return (
        f"{len(suite.texts):,} distinct texts; {os.cpu_count()} cores, which compute {compare_cores():.1f} times as "
        f"many matrix products as one core, with instructions for {' and '.join(INSTRUCTIONS)}."
    )


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
