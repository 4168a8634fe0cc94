"""Time and scores of existing tools on the tests `binary` and `ranking`, all in one process.

usage: competitors.py SOURCE MODEL      (MODEL: folder of a sentence-transformers model; set HF_HUB_OFFLINE=1)

Requires the extra `benchmarks`. Written for sentence-transformers 6.2.0 and mteb 2.26.24. Each tool is used as in its
documentation, with its own defaults. Two of the tools use only the test split: their F is at the best threshold on the
test pairs themselves, not at a threshold fitted on the validation split.

Encoded texts, with n pairs and m questions of four options:

| tool | texts encoded |
| --- | --- |
| SentenceTransformer.encode | every distinct text of both tests, all splits, once |
| sentence-transformers evaluators | distinct texts of the pairs; m questions and 4 m options, repeated as they occur |
| mteb | both sides of the pairs, 2 n texts; m questions; distinct options once |
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import mteb
import pyarrow as pa
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.evaluation import BinaryClassificationEvaluator, RerankingEvaluator

from harness.integrations.mteb import make_task
from pyramid_paraphrase.building.build import build_test
from pyramid_paraphrase.building.built_tests import BuiltTest
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.options import BINARY, RANKING, TEST

BATCH_SIZES = (16, 32, 64, 128)
METRICS = ("f1", "average_precision", "mrr", "success_rate")
WARM_UP_TEXTS = 64

Tests = Mapping[str, BuiltTest]
Scores = dict[str, float]


class Run(NamedTuple):
    """The measurement of a tool.

    Attributes:
        seconds: Wall-clock time from the Arrow tables to the scores, without imports and loading the model.
        scores: Values by the name of the metric. Metrics that the tool does not compute are missing.
        settings: Settings of the tool that differ from its defaults, in words.
    """

    seconds: float
    scores: Scores
    settings: str


def list_texts(tests: Tests) -> list[str]:
    """List the distinct texts of both tests, all splits, in the order of their first occurrence."""
    pairs = pa.concat_tables(table for tables in tests[BINARY].splits.values() for table in tables)
    questions = pa.concat_tables(table for tables in tests[RANKING].splits.values() for table in tables)
    columns = [pairs["sentence1"], pairs["sentence2"], questions["question"], questions["options"].combine_chunks()]
    columns[-1] = columns[-1].flatten()
    return list(dict.fromkeys(text for column in columns for text in column.to_pylist()))


def score_with_encode(model: SentenceTransformer, tests: Tests, batch_size: int = 32) -> Scores:
    """Encode every distinct text once, without scores. This is the minimum work of any tool.

    `encode` sorts its whole input by length, so that texts of one batch need little padding.
    """
    model.encode(list_texts(tests), batch_size=batch_size)
    return {}


def score_with_evaluators(model: SentenceTransformer, tests: Tests) -> Scores:
    """Score by the evaluators of sentence-transformers, with their defaults: batches of 32 for pairs, 64 for questions.

    `BinaryClassificationEvaluator` encodes each distinct text once. Older versions let its threshold cut inside
    a group of equal scores; 6.2 does not.

    `RerankingEvaluator` with `use_batched_encoding`, the default, encodes all questions in one call and all options in
    another, without looking for repetitions; without it, every question would be two calls. It lists positives first
    and sorts by falling score, so that ties tend to count as won. It gives no success rate.

    Returns:
        F and average precision by cosine, MRR.
    """
    pairs, questions = _test_rows(tests, BINARY), _test_rows(tests, RANKING)
    classified = BinaryClassificationEvaluator(
        pairs["sentence1"].to_pylist(), pairs["sentence2"].to_pylist(), pairs["label"].to_pylist(), write_csv=False
    )(model)
    ranked = RerankingEvaluator([_make_sample(row) for row in questions.to_pylist()], write_csv=False)(model)
    return {
        "f1": float(classified["cosine_f1"]),
        "average_precision": float(classified["cosine_ap"]),
        "mrr": float(ranked["mrr@10"]),
    }


def _test_rows(tests: Tests, name: str) -> pa.Table:
    return pa.concat_tables(tests[name].splits[TEST])


def _make_sample(row: Mapping[str, Any]) -> dict[str, str | list[str]]:
    options, answer = row["options"], row["answer"]
    return {
        "query": row["question"],
        "positive": [options[answer]],
        "negative": [*options[:answer], *options[answer + 1 :]],
    }


def score_with_mteb(model: SentenceTransformer, tests: Tests) -> Scores:
    """Score by `mteb.evaluate` with its defaults, batches of 32, but no cache of results and no progress bar.

    Returns:
        F and average precision by cosine, MRR, success rate.
    """
    tasks = [make_task(tests[name]) for name in (BINARY, RANKING)]
    results = mteb.evaluate(model, tasks, cache=None, show_progress_bar=False)
    pairs, questions = (result.scores[TEST][0] for result in results.task_results)
    return {
        "f1": float(pairs["cosine_f1"]),
        "average_precision": float(pairs["cosine_ap"]),
        "mrr": float(questions["mrr_at_10"]),
        "success_rate": float(questions["accuracy"]),
    }


def measure(source: str, model_folder: str) -> dict[str, Run]:
    """Measure each tool once, one after the other.

    Args:
        source: Annotation files.
        model_folder: Folder of a sentence-transformers model.

    Returns:
        The measurements by tool. For `encode`, the fastest batch size counts.
    """
    corpus = read_corpus(source)
    tests = {name: build_test(corpus, name) for name in (BINARY, RANKING)}
    model = SentenceTransformer(model_folder)
    # Warm-up: otherwise the first tool would include the initialization of the libraries.
    model.encode(list_texts(tests)[:WARM_UP_TEXTS])
    encoded = [_time(partial(score_with_encode, model, tests, size), f"batches of {size}") for size in BATCH_SIZES]
    return {
        "SentenceTransformer.encode": min(encoded, key=lambda run: run.seconds),
        "sentence-transformers evaluators": _time(partial(score_with_evaluators, model, tests), "defaults"),
        "mteb": _time(partial(score_with_mteb, model, tests), "defaults"),
    }


def _time(score: Callable[[], Scores], settings: str) -> Run:
    started = time.perf_counter()
    scores = score()
    return Run(time.perf_counter() - started, scores, settings)


def render(runs: Mapping[str, Run]) -> str:
    """Render what `measure` returned as a Markdown table."""
    shortest = min(run.seconds for run in runs.values())
    return "\n".join(
        [
            f"| tool | settings | seconds | ratio | {' | '.join(METRICS)} |",
            "| --- | --- | ---: | ---: |" + " ---: |" * len(METRICS),
            *(_row(name, run, run.seconds / shortest) for name, run in runs.items()),
        ]
    )


def _row(name: str, run: Run, ratio: float) -> str:
    values = " | ".join(f"{run.scores[metric]:.5f}" if metric in run.scores else "" for metric in METRICS)
    return f"| {name} | {run.settings} | {run.seconds:.1f} | {ratio:.1f} | {values} |"


if __name__ == "__main__":
    print(render(measure(*sys.argv[1:3])))
