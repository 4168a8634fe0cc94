"""Coverage of confidence intervals of correlations, and errors of tests with equally good metrics.

usage: meta_resampling.py [REPETITIONS]

Each simulated system has a quality. People observe the quality, and each of two metrics observes it with an error.
Every summary adds noise, which people and metrics partly share. An interval should contain the correlation over very
many systems on the same number of topics.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import numpy as np

from harness.stats.significance import SIGNIFICANCE
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, LEVELS, SYSTEM, correlate_rows
from harness.summarization.meta_evaluation.resampling import (
    BOTH,
    SLACK,
    SYSTEMS,
    TOPICS,
    UNITS,
    CorrelationSettings,
    Resampler,
    find_bootstrap_p,
    find_interval_around,
    swap_systems,
)
from harness.summarization.meta_evaluation.scores import Block
from harness.support.arrays import Floats

SIZES = ((20, 13), (45, 32))
REPETITIONS = 100
RESAMPLES = 200

_FIT = 0.8
"""Correlation of a metric's view of systems with their quality."""

_MANY_SYSTEMS = 20_000
_WORLDS = 10
"""Sets of systems with equally good metrics; each set is used with many samples of topics."""


def draw_summaries(stream: np.random.RandomState, views: Floats, topics: int) -> Floats:
    """Draw scores, shape (measures, topics, systems), from views of systems, shape (measures, systems)."""
    shape = (topics, views.shape[1])
    shared, own = stream.normal(0, 1, shape), stream.normal(0, 1, (len(views), *shape))
    levels = stream.normal(0, 1, (len(views), topics, 1))
    return np.asarray(views[:, None, :] + 2 * (np.sqrt(0.4) * shared + np.sqrt(0.6) * own) + levels)


def draw_views(stream: np.random.RandomState, systems: int) -> Floats:
    """Draw systems as observed by two metrics and by people. In a sample, one metric can be better by chance."""
    quality, *errors = stream.normal(0, 1, (3, systems))
    return np.stack([*(_FIT * quality + np.sqrt(1 - _FIT**2) * error for error in errors), quality])


def draw_equal_views(stream: np.random.RandomState, systems: int) -> Floats:
    """Draw systems for which both metrics are equally good: errors of the same size, not correlated with quality."""
    quality, *errors = (values - values.mean() for values in stream.normal(0, 1, (3, systems)))
    quality = quality / quality.std()
    apart = [error - quality * (error @ quality) / systems for error in errors]
    return np.stack([*(_FIT * quality + np.sqrt(1 - _FIT**2) * error / error.std() for error in apart), quality])


def render(repetitions: int = REPETITIONS) -> str:
    """Simulate, and render two Markdown tables."""
    header = [f"{topics} topics, {systems} systems" for topics, systems in SIZES]
    rule = f"| --- | --- |{' ---: |' * len(SIZES)}"
    lines = [
        f"Per cent of {repetitions:,} intervals of 95 % that contain the correlation over other systems (r / tau):",
        "",
        f"| drawn | level | {' | '.join(header)} |",
        rule,
    ]
    held = [_count_held(topics, systems, repetitions) for topics, systems in SIZES]
    lines += [f"| {drawn} | {level} | {' | '.join(part[drawn, level] for part in held)} |" for drawn, level in held[0]]
    lines += [
        "",
        f"Per cent of {repetitions:,} pairs of equally good metrics with p <= {SIGNIFICANCE} (r / tau):",
        "",
        f"| test | level | {' | '.join(header)} |",
        rule,
    ]
    erred = [_count_errors(topics, systems, repetitions) for topics, systems in SIZES]
    lines += [f"| {test} | {level} | {' | '.join(part[test, level] for part in erred)} |" for test, level in erred[0]]
    return "\n".join(lines)


def _show(outcomes: list[tuple[bool, bool]]) -> str:
    shares = 100 * np.array(outcomes).mean(axis=0)
    return " / ".join(f"{share:.1f}" for share in shares)


def _make_block(scores: Floats) -> Block:
    _, topics, systems = scores.shape
    names = tuple(map(str, range(systems))), tuple(map(str, range(topics)))
    return Block(*names, scores.round(6), {})


def _count_held(topics: int, systems: int, repetitions: int) -> Mapping[tuple[str, str], str]:
    stream, whole = np.random.RandomState(1), np.ones((1, topics))
    many = draw_summaries(stream, draw_views(stream, _MANY_SYSTEMS), topics)
    targets = {level: correlate(many[0], many[2], whole, None) for level, correlate in LEVELS.items()}
    outcomes: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for seed in range(repetitions):
        block = _make_block(draw_summaries(stream, draw_views(stream, systems), topics))
        for drawn in UNITS:
            resampler = Resampler(CorrelationSettings(resamples=RESAMPLES, seed=seed, drawn=drawn))
            for level, correlate in LEVELS.items():
                samples = resampler.correlate(("metric", "people"), level, block, (0, 2))
                values = correlate(block.values[0], block.values[2], whole, None)
                is_held = []
                for name in (COEFFICIENTS[0], COEFFICIENTS[2]):
                    lower, upper = find_interval_around(float(values[name][0]), samples[name])
                    is_held.append(bool(lower <= targets[level][name][0] <= upper))
                outcomes.setdefault((drawn, level), []).append((is_held[0], is_held[1]))
    return {key: _show(values) for key, values in outcomes.items()}


def _count_errors(topics: int, systems: int, repetitions: int) -> Mapping[tuple[str, str], str]:
    stream = np.random.RandomState(2)
    outcomes: dict[tuple[str, str], list[tuple[bool, bool]]] = {}

    def note(test: str, level: str, p_values: Mapping[str, float]) -> None:
        r, tau = p_values[COEFFICIENTS[0]], p_values[COEFFICIENTS[2]]
        outcomes.setdefault((test, level), []).append((r <= SIGNIFICANCE, tau <= SIGNIFICANCE))

    views = draw_equal_views(stream, systems)
    for seed in range(repetitions):
        if seed % (repetitions // _WORLDS) == 0:
            views = draw_equal_views(stream, systems)
        same_systems = draw_summaries(stream, views, topics).round(6)
        other_systems = draw_summaries(stream, draw_views(stream, systems), topics).round(6)
        for level in LEVELS:
            note("bootstrap of topics, same systems", level, _bootstrap(same_systems, level, TOPICS, seed))
            note("bootstrap of systems", level, _bootstrap(other_systems, level, SYSTEMS, seed))
            note("bootstrap of both", level, _bootstrap(other_systems, level, BOTH, seed))
            note("swaps of systems", level, swap_systems(other_systems, level, RESAMPLES, seed))
            note("swaps of topics, same systems", level, _swap(same_systems, level, stream, _choose_topics))
            note("swaps of summaries", level, _swap(other_systems, level, stream, _choose_summaries))
    return {key: _show(values) for key, values in outcomes.items()}


def _bootstrap(scores: Floats, level: str, drawn: str, seed: int) -> dict[str, float]:
    block = _make_block(scores)
    resampler = Resampler(CorrelationSettings(resamples=RESAMPLES, seed=seed, drawn=drawn))
    samples = [resampler.correlate((str(side), "people"), level, block, (side, 2)) for side in (0, 1)]
    values = [LEVELS[level](scores[side], scores[2], np.ones((1, scores.shape[1])), None) for side in (0, 1)]
    return {
        name: find_bootstrap_p(float((values[0][name] - values[1][name])[0]), samples[0][name] - samples[1][name])
        for name in COEFFICIENTS
    }


Choose = Callable[[np.random.RandomState, tuple[int, ...]], np.ndarray]


def _choose_topics(stream: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(stream.randint(2, size=(*shape[:2], 1)) == 1, shape)


def _choose_summaries(stream: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(stream.randint(2, size=shape) == 1)


def _swap(scores: Floats, level: str, stream: np.random.RandomState, choose: Choose) -> dict[str, float]:
    """Test by Perm-Inputs or Perm-Both, which `meta-eval` does not offer. Both metrics must have the same scale."""
    first, second, people = scores - scores.mean(axis=2, keepdims=True)
    swapped = choose(stream, (RESAMPLES, *first.shape))
    mixed = np.where(swapped, second, first), np.where(swapped, first, second)
    drawn = _subtract(*mixed, people, level)
    observed = _subtract(first[None], second[None], people, level)
    return {
        name: float((1 + (np.abs(drawn[name]) >= np.abs(observed[name]) - SLACK).sum()) / (1 + RESAMPLES))
        for name in COEFFICIENTS
    }


def _subtract(first: Floats, second: Floats, people: Floats, level: str) -> dict[str, Floats]:
    sides = []
    for values in (first, second):
        gold = np.broadcast_to(people, values.shape)
        if level == SYSTEM:
            sides.append(correlate_rows(values.mean(axis=1).round(6), gold.mean(axis=1).round(6)))
            continue
        by_topic = correlate_rows(values.reshape(-1, values.shape[2]), gold.reshape(-1, values.shape[2]))
        sides.append(
            {name: coefficients.reshape(len(values), -1).mean(axis=1) for name, coefficients in by_topic.items()}
        )
    return {name: sides[0][name] - sides[1][name] for name in COEFFICIENTS}


if __name__ == "__main__":
    print(render(*map(int, sys.argv[1:])))
