"""Rank correlations between the scores of different models, and between variants of one model.

usage: near_copies.py SOURCE MODEL

Leaderboards report scores whose correlation is at least `harness.stats.correlation.NEAR_COPY` as near
copies. MODEL: folder of a sentence-transformers model with more than 320 dimensions.
"""

from __future__ import annotations

import sys
from itertools import combinations

import numpy as np

from harness.evaluation.results import Result
from harness.evaluation.runner import Settings, evaluate_model, load_suite
from harness.models.loading import load_model
from harness.stats.correlation import rank_scores

TESTS = ("binary", "ranking", "binary_matched", "ranking_matched")
BASELINES = ("one-hot", "tf-idf", "char-ngrams", "wtmf", "overlap", "length")
VARIANTS = ("dtype=float16", "dtype=bfloat16", "truncate_dim=320", "truncate_dim=256", "truncate_dim=128")


def render(source: str, model: str) -> str:
    """Render a Markdown table: the highest rank correlation of two models, and that of a model with its variants."""
    suite, settings = load_suite(source, TESTS), Settings(resamples=10)
    specs = {**{spec: spec for spec in BASELINES}, "the model": model}
    specs |= {variant: f"{model},{variant}" for variant in VARIANTS}
    results = {name: evaluate_model(load_model(spec), suite, settings) for name, spec in specs.items()}
    header = ["test", "different models, highest", *VARIANTS]
    lines = [f"| {' | '.join(header)} |", f"| ---{' | ---:' * (len(header) - 1)} |"]
    for test_name in TESTS:
        pairs = combinations([results[name] for name in (*BASELINES, "the model")], 2)
        highest = max(_correlate(first, second, test_name) for first, second in pairs)
        variants = [_correlate(results["the model"], results[variant], test_name) for variant in VARIANTS]
        lines.append(f"| {test_name} | {' | '.join(f'{value:.4f}' for value in (highest, *variants))} |")
    return "\n".join(lines)


def _correlate(first: Result, second: Result, test_name: str) -> float:
    """Return the rank correlation of two models. Both have the rows of a test in the same order."""
    ranks = []
    for result in (first, second):
        rows = result.rows[test_name]
        ranks.append(rank_scores(rows.scores[rows.is_test]).astype(np.float64))
    return float((ranks[0] * ranks[1]).mean())


if __name__ == "__main__":
    print(render(*sys.argv[1:]))
