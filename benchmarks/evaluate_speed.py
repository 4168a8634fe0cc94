"""Time of a whole evaluation, beside encoding alone and beside the tools that people already use.

usage: evaluate_speed.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model)

All in one process, taking turns, the model loaded before: `SentenceTransformer.encode` of every distinct text at its
best batch size, which is the least that any tool has to do; our `evaluate` without the store, from the built tests to
the result with its intervals; the same from the archive; the same with bfloat16; sentence-transformers' evaluators;
mteb.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from competitors import (
    BATCH_SIZES,
    list_texts,
    score_with_encode,
    score_with_evaluators,
    score_with_mteb,
)
from sentence_transformers import SentenceTransformer
from timing import time_in_turns

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, Suite, evaluate_model, load_suite
from harness.models.loading import load_model

ROUNDS = 3
DTYPES = ("float32", "bfloat16")


def render(source: str, model_folder: str) -> str:
    """Measure everything and render a Markdown table, and what bfloat16 changes."""
    suite = load_suite(source)
    tests = {test.configuration.name: test for test in suite.tests}
    plain = SentenceTransformer(model_folder, device="cpu")
    models = {dtype: load_model(f"{model_folder},dtype={dtype},device=cpu") for dtype in DTYPES}
    results: dict[str, Result] = {}

    def evaluate(dtype: str) -> None:
        results[dtype] = evaluate_model(models[dtype], suite, Settings())

    plain.encode(list_texts(tests)[:64])  # whoever comes first would pay for what is set up at first use
    times = time_in_turns(
        {
            **{f"encode, batches of {size}": partial(score_with_encode, plain, tests, size) for size in BATCH_SIZES},
            "harness": partial(evaluate, "float32"),
            "harness from the archive": lambda: evaluate_model(models["float32"], load_suite(source), Settings()),
        },
        ROUNDS,
    )
    times |= time_in_turns(
        {
            "harness, bfloat16": partial(evaluate, "bfloat16"),
            "evaluators": partial(score_with_evaluators, plain, tests),
            "mteb": partial(score_with_mteb, plain, tests),
        },
        1,
    )
    return "\n\n".join([_table(times), _describe(suite), _compare_dtypes(results)])


def _table(times: dict[str, float]) -> str:
    fastest = min((name for name in times if name.startswith("encode")), key=lambda name: times[name])
    shown = {
        f"`SentenceTransformer.encode`{fastest.removeprefix('encode')}": times[fastest],
        "**`evaluate`, both tasks with intervals**": times["harness"],
        "the same, the archive read and the tests built in it": times["harness from the archive"],
        "`evaluate --dtype bfloat16`": times["harness, bfloat16"],
        "evaluators of sentence-transformers": times["evaluators"],
        "mteb": times["mteb"],
    }
    rows = [f"| {name} | {seconds:.2f} | {seconds / times[fastest]:.2f} |" for name, seconds in shown.items()]
    return "\n".join(["| what | seconds | times encode |", "| --- | ---: | ---: |", *rows])


def _describe(suite: Suite) -> str:
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    has_bfloat16 = "avx512_bf16" in flags or "amx_bf16" in flags
    return (
        f"{len(suite.texts):,} distinct texts; {os.cpu_count()} cores, {'with' if has_bfloat16 else 'without'} "
        "instructions for bfloat16."
    )


def _compare_dtypes(results: dict[str, Result]) -> str:
    changes = []
    for test_name, metric in (("binary", "f1"), ("ranking", "success_rate"), ("ranking", "mrr")):
        low, full = (results[dtype].tests[test_name].metrics[metric] for dtype in ("bfloat16", "float32"))
        changes.append(f"{test_name} {metric} {low - full:+.4f}")
    return f"What bfloat16 changes: {', '.join(changes)}."


if __name__ == "__main__":
    print(render(*sys.argv[1:3]))
