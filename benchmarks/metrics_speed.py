"""Time of the metrics and of the bootstrap.

usage: metrics_speed.py SOURCE

Metrics: threshold search and all metrics of 200,000 pairs, compared with one `numpy.argsort` of the same scores and
with the same numbers by scikit-learn. Bootstrap: 1,000 resamples of topics, all metrics of `binary` and `ranking`. The
best of several rounds counts, in which all steps take turns.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn import metrics as sklearn_metrics
from timing import time_in_turns

from harness.evaluation.runner import load_suite
from harness.evaluation.scoring import score_tests
from harness.metrics.measuring import choose_split, make_measure
from harness.metrics.pairs import fit_threshold, make_curve, measure_pairs
from harness.metrics.rows import make_scored_rows
from harness.models.loading import load_model
from harness.stats.bootstrap import draw_weights, find_intervals
from pyramid_paraphrase.rules.options import PAPER_TESTS

PAIRS = 200_000
ROUNDS = 9
RESAMPLES = 1000


def measure_all(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Fit a threshold and compute every metric, as the harness does."""
    curve = make_curve(scores, labels)
    return dict(measure_pairs(curve, fit_threshold(curve)))


def measure_by_sklearn(scores: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """Compute the same by scikit-learn, whose thresholds are scores."""
    precision, recall, thresholds = sklearn_metrics.precision_recall_curve(labels, scores)
    f1 = 2 * precision[:-1] * recall[:-1] / np.maximum(precision[:-1] + recall[:-1], 1e-12)
    said = scores >= thresholds[np.argmax(f1)]
    return {
        "f1": float(sklearn_metrics.f1_score(labels, said)),
        "accuracy": float(sklearn_metrics.accuracy_score(labels, said)),
        "mcc": float(sklearn_metrics.matthews_corrcoef(labels, said)),
        "average_precision": float(sklearn_metrics.average_precision_score(labels, scores)),
        "roc_auc": float(sklearn_metrics.roc_auc_score(labels, scores)),
    }


def render(source: str) -> str:
    """Measure everything and render a Markdown table."""
    random = np.random.default_rng(0)
    labels = (random.random(PAIRS) < 0.1).astype(np.int64)
    scores = np.round(random.normal(labels * 0.5, 1), 6)
    ours, theirs = measure_all(scores, labels), measure_by_sklearn(scores, labels)
    if any(abs(ours[name] - value) > 1e-9 for name, value in theirs.items()):
        raise ValueError(f"the numbers disagree: {ours} and {theirs}")
    suite = load_suite(source, PAPER_TESTS)
    model = load_model("one-hot")
    by_test = score_tests(model, suite.texts, suite.rows, store=None, resume=True).by_test
    splits = []
    for rows in suite.rows:
        scored = make_scored_rows(rows, by_test[rows.name].values)
        splits.append(choose_split(scored))

    def bootstrap() -> None:
        for split in splits:
            find_intervals(make_measure(split)(draw_weights(split.topic_count, RESAMPLES, 0)))

    times = time_in_turns(
        {
            f"`numpy.argsort` of {PAIRS:,} scores": lambda: np.argsort(scores),
            f"threshold and all metrics of {PAIRS:,} pairs": lambda: measure_all(scores, labels),
            "the same by scikit-learn": lambda: measure_by_sklearn(scores, labels),
            f"{RESAMPLES:,} resamples of `binary` and `ranking`, DUC 2007": bootstrap,
        },
        ROUNDS,
    )
    sorting = next(iter(times.values()))
    lines = [f"| {name} | {1000 * seconds:.1f} | {seconds / sorting:.1f} |" for name, seconds in times.items()]
    return "\n".join(["| what | ms | times argsort |", "| --- | ---: | ---: |", *lines])


if __name__ == "__main__":
    print(render(sys.argv[1]))
