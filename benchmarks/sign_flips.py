"""Errors and power of the test that compares two models, on simulated topics.

usage: sign_flips.py [REPETITIONS]

Topics differ in size (lognormal) and difficulty, and each model is better on some topics. "Equal" models differ by
chance alone, so 5 % of their p-values should be 0.05 or below. With unequal thresholds, models have the same F, one by
recall and the other by precision. Swapping the models in a topic is then only approximately valid.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from harness.metrics.measuring import make_measure, measure_contributions
from harness.metrics.rows import ScoredSplit
from harness.stats.bootstrap import bootstrap
from harness.stats.significance import SIGNIFICANCE, flip_signs
from harness.summarization.meta_evaluation.resampling import find_bootstrap_p
from pyramid_paraphrase.rules.options import PAIRS, QUESTIONS

TOPICS = (5, 8, 12, 23, 45)
REPETITIONS = 400
RESAMPLES = 200

_MANY = 4000
_LOWER, _UPPER = 0.9, 1.4

Two = tuple[ScoredSplit, ScoredSplit]
Draw = Callable[[np.random.RandomState, int], Two]


def draw_questions(stream: np.random.RandomState, topics: int, gain: float = 0.0) -> Two:
    """Draw questions with four options, and the scores of two models. The second model is better by a gain."""
    topic_of = np.repeat(np.arange(topics), np.maximum(4, stream.lognormal(3, 0.8, topics)).astype(int))
    count = len(topic_of)
    shared = stream.normal(0, 0.5, topics)[topic_of] + stream.normal(0, 0.7, count)
    models = []
    for better in (0.0, gain):
        scores = stream.gumbel(size=(count, 4))
        scores[:, 0] += 1 + better + shared + stream.normal(0, 0.4, topics)[topic_of]
        ends = np.stack([topic_of, topic_of], axis=1)
        models.append(
            ScoredSplit(
                kind=QUESTIONS,
                scores=scores.round(6),
                targets=np.zeros(count, dtype=int),
                topics=ends,
                topic_count=topics,
            )
        )
    return models[0], models[1]


def draw_pairs(stream: np.random.RandomState, topics: int, gain: float = 0.0, *, across: bool = False) -> Two:
    """Draw paraphrases, eight other pairs for each, and scores of two models. Half of the others can cross topics."""
    paraphrases = np.maximum(2, stream.lognormal(2.2, 0.7, topics)).astype(int)
    within = np.repeat(np.arange(topics), paraphrases * (4 if across else 8))
    ends = [np.stack([rows, rows], axis=1) for rows in (np.repeat(np.arange(topics), paraphrases), within)]
    if across:
        drawn = stream.choice(within, size=(len(within), 2))
        ends.append(drawn[drawn[:, 0] != drawn[:, 1]])
    rows = np.concatenate(ends)
    labels = (np.arange(len(rows)) < len(ends[0])).astype(int)
    shared = stream.normal(0, 0.3, topics)[rows].mean(axis=1) + stream.normal(0, 0.7, len(rows))
    models = []
    for better in (0.0, gain):
        scores = shared + stream.normal(0, 0.3, topics)[rows].mean(axis=1) + stream.normal(0, 0.8, len(rows))
        scores += labels * (1.6 + better + stream.normal(0, 0.3, topics)[rows[:, 0]])
        models.append(
            ScoredSplit(
                kind=PAIRS,
                scores=scores.round(6),
                targets=labels,
                topics=np.sort(rows, axis=1),
                topic_count=topics,
                threshold=1.0,
            )
        )
    return models[0], models[1]


def find_equal_threshold() -> float:
    """Find the higher threshold with the same F as the threshold `_LOWER`, on many topics, by bisection."""
    model, _ = draw_pairs(np.random.RandomState(99), _MANY)

    def measure(threshold: float) -> float:
        weights = np.ones((1, _MANY))
        return float(make_measure(replace(model, threshold=threshold), with_curves=False)(weights)["f1"][0])

    target, lower, upper = measure(_LOWER), _UPPER, 4.0
    for _ in range(30):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if measure(middle) > target else (lower, middle)
    return lower


def find_p_values(pair: Two, metric: str, seed: int) -> tuple[float, float]:
    """Return the p-values by sign flips and by the paired bootstrap."""
    first, second = (measure_contributions(model)[metric] for model in pair)
    difference = second.sum() - first.sum()
    measures = [make_measure(model, with_curves=metric == "average_precision") for model in pair]
    drawn = [bootstrap(measure, pair[0].topic_count, RESAMPLES, seed)[metric] for measure in measures]
    apart = drawn[1] - drawn[0]
    return flip_signs(second - first), find_bootstrap_p(float(difference), apart)


def render(repetitions: int = REPETITIONS) -> str:
    """Simulate, and render a Markdown table."""
    upper = find_equal_threshold()

    def draw_unequal(stream: np.random.RandomState, topics: int) -> Two:
        first, second = draw_pairs(stream, topics)
        return replace(first, threshold=_LOWER), replace(second, threshold=upper)

    cases: tuple[tuple[str, str, Draw], ...] = (
        ("equal, `success_rate`", "success_rate", draw_questions),
        ("equal, `mrr`", "mrr", draw_questions),
        ("equal, `f1`, pairs within topics", "f1", draw_pairs),
        ("equal, `f1`, half of the others across topics", "f1", partial(draw_pairs, across=True)),
        ("equal, `average_precision`, the same", "average_precision", partial(draw_pairs, across=True)),
        ("equal `f1`, unequal thresholds", "f1", draw_unequal),
        ("better, `success_rate`", "success_rate", partial(draw_questions, gain=0.35)),
        ("better, `average_precision`", "average_precision", partial(draw_pairs, gain=0.25, across=True)),
    )
    lines = [
        f"Of {repetitions:,} pairs of models, per cent with p <= {SIGNIFICANCE} by sign flips / by the bootstrap:",
        "",
        f"| models | {' | '.join(f'{topics} topics' for topics in TOPICS)} |",
        f"| --- |{' ---: |' * len(TOPICS)}",
    ]
    for name, metric, draw in cases:
        cells = []
        for topics in TOPICS:
            stream = np.random.RandomState(topics)
            p_values = [find_p_values(draw(stream, topics), metric, seed) for seed in range(repetitions)]
            shares = 100 * (np.array(p_values) <= SIGNIFICANCE).mean(axis=0)
            cells.append(f"{shares[0]:.1f} / {shares[1]:.1f}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(render(*map(int, sys.argv[1:])))
