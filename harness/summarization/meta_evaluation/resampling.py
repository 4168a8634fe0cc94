"""The bootstrap of correlations over topics and systems, with intervals and p-values, and permutations of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.stats.bootstrap import Samples, bootstrap, find_interval, join_samples
from harness.stats.rounding import DECIMALS, divide, round_scores
from harness.stats.significance import MIN_TOPICS
from harness.summarization.meta_evaluation import accuracies, correlations
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.scores import Block
from harness.support.arrays import Flags, Floats, Indices
from pyramid_paraphrase.rules.ranges import RESAMPLES, SEED

Interval = tuple[float, float]

TOPICS, SYSTEMS, BOTH = UNITS = ("topics", "systems", "both")
"""Units that resamples draw. Units that are not drawn are fixed."""

MIN_DRAWN_SYSTEMS = 5
"""With fewer systems, many resamples contain only two distinct systems, whose correlation is always 1 or -1."""

_CELLS_AT_ONCE = 1 << 19
"""Maximum number of resamples or permutations times scores to correlate at a time, to limit memory."""

SLACK = 1e-9
"""Differences of correlations that are this close are treated as equal, because sums have rounding errors."""


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """Settings of the evaluation of metrics.

    Attributes:
        levels: Levels of correlations, from `LEVELS`.
        systems: The systems to compare, one of `scores.SYSTEMS`.
        resamples: Number of bootstrap resamples, and number of permutations.
        seed: Random seed of the bootstrap and the permutations.
        drawn: Units that resamples draw, one of `UNITS`. The default is both units, because a metric is chosen to score
            new systems on new topics.
        means: One of `scores.MEANS`, or None for the choice of `scores.choose_means`.
        coefficients: Measures of agreement, from `correlations.COEFFICIENTS` and `accuracies.ACCURACIES`.

    Raises:
        OptionError: If a number is out of range.
    """

    levels: tuple[str, ...] = tuple(correlations.LEVELS)
    systems: str = "automatic"
    resamples: int = 1000
    seed: int = 0
    drawn: str = BOTH
    means: str | None = None
    coefficients: tuple[str, ...] = COEFFICIENTS

    def __post_init__(self) -> None:
        RESAMPLES.check("resamples", self.resamples)
        SEED.check("seed", self.seed)

    @property
    def draws_topics(self) -> bool:
        """Whether resamples draw topics."""
        return self.drawn != SYSTEMS

    @property
    def draws_systems(self) -> bool:
        """Whether resamples draw systems."""
        return self.drawn != TOPICS

    def list_names(self, level: str) -> tuple[str, ...]:
        """List the chosen measures of agreement that are defined at a level."""
        return accuracies.list_names(level, self.coefficients)


def can_resample(block: Block, topic_count: int, settings: CorrelationSettings, level: str = SYSTEM) -> bool:
    """Return whether there are enough topics and systems to draw from.

    Args:
        block: The scores to correlate, with at least one summary.
        topic_count: Number of its topics that have a correlation.
        settings: The settings, with the units to draw.
        level: One of `correlations.LEVELS`.

    Returns:
        Whether there are `MIN_TOPICS` topics and `MIN_DRAWN_SYSTEMS` systems, if these are drawn. At the summary level,
        the mean number of systems per topic counts.
    """
    has_topics = topic_count >= MIN_TOPICS or not settings.draws_topics
    systems: float = len(block.systems)
    if level == SUMMARY:
        systems = (~np.isnan(block.values[0])).sum() / len(block.topics)
    has_systems = systems >= MIN_DRAWN_SYSTEMS or not settings.draws_systems
    return has_topics and has_systems


class Resampler:
    """Correlates metrics with judgements on topics and systems drawn with replacement (Deutsch et al. 2021).

    All correlations of a block use the same resamples, so differences are paired. Each correlation is computed once,
    although it is part of many differences.

    Args:
        settings: The units to draw, the number of resamples, and the seed.
    """

    def __init__(self, settings: CorrelationSettings) -> None:
        self.settings = settings
        self._drawn: dict[tuple[object, ...], dict[str, Floats]] = {}

    def correlate(self, names: tuple[str, str], level: str, block: Block, sides: tuple[int, int]) -> dict[str, Floats]:
        """Correlate two measures of a block on each resample.

        Args:
            names: Names of the metric and the judgement.
            level: One of `LEVELS`.
            block: The block that contains the scores of both.
            sides: Indices of the metric and the judgement in the block.

        Returns:
            Arrays of shape (resamples,) by name of the coefficient, or NaN where a coefficient is not defined.
        """
        missing = np.isnan(block.values[0])
        key = (*names, level, block.systems, block.topics, missing.tobytes() if missing.any() else b"")
        if key in self._drawn:
            return self._drawn[key]
        metric, judgement = (block.values[side] for side in sides)
        topic_count, system_count = metric.shape
        settings = self.settings
        stream = np.random.RandomState([settings.seed, 1])  # independent of the stream that draws topics
        step = max(1, _CELLS_AT_ONCE // system_count)

        def measure(weights: Floats) -> Samples:
            if not settings.draws_topics:
                weights = np.ones_like(weights)
            parts = []
            for start in range(0, len(weights), step):
                part = weights[start : start + step]
                systems = stream.randint(system_count, size=(len(part), system_count))
                drawn: Indices | None = systems if settings.draws_systems else None
                names = settings.list_names(level)
                parts.append(accuracies.measure_agreement(level, names, (metric, judgement), part, drawn))
            return join_samples(parts)

        self._drawn[key] = dict(bootstrap(measure, topic_count, settings.resamples, settings.seed))
        return self._drawn[key]


def find_bootstrap_p(value: float, drawn: Floats) -> float:
    """Return the two-sided p-value of a difference, from resamples that are centred on 0.

    Args:
        value: The observed difference.
        drawn: Shape (n,), the differences of resamples.

    Returns:
        (1 + number of resamples that are at least as far from their mean as the value is from 0) / (1 + n).
    """
    extreme = np.abs(drawn - drawn.mean()) >= abs(value) - SLACK
    return round(float((1 + extreme.sum()) / (1 + len(drawn))), DECIMALS)


def find_interval_around(value: float, drawn: Floats, widest: float = 1.0) -> Interval:
    """Find a 95 % interval around a value.

    A resample has fewer distinct topics, so its means are noisier than means over all topics. Noise lowers correlations
    of systems. It lowers the value itself, and it lowers the resamples by about the same amount again. Percentiles of
    the resamples would contain this bias twice, whether or not systems are drawn as well. They are therefore shifted by
    the difference between the value and the mean of the resamples: [value + l - mean, value + u - mean] with the
    percentiles l and u. `find_bootstrap_p` uses the same differences from the mean. If only systems are drawn, the mean
    of the resamples is close to the value, and the shift is small.

    Args:
        value: The value on all topics.
        drawn: Shape (n,), n > 0, the values on resamples.
        widest: The largest possible absolute value. The ends are clipped to it.

    Returns:
        The lower and the upper end.
    """
    ends = find_interval(drawn - drawn.mean() + value)
    lower, upper = (round(min(max(end, -widest), widest), DECIMALS) + 0.0 for end in ends)
    return lower, upper


def swap_systems(
    scores: Floats, level: str, permutations: int, seed: int, names: Sequence[str] = COEFFICIENTS
) -> dict[str, float]:
    """Test whether one metric agrees better with a judgement than another, by random permutations of systems.

    Under the null hypothesis that both metrics are equally good, all scores of a system may be swapped between them
    (Perm-Systems of Deutsch, Dror and Roth 2021). Before the swaps, scores are standardized to a mean of 0 and a
    standard deviation of 1: the means of systems at the system level, the scores within each topic at the summary
    level. The two-sided p-value is

        (1 + number of permutations with at least as large a difference) / (1 + number of permutations).

    Permutations of topics or of single summaries (Perm-Inputs, Perm-Both) are not available. At the system level, they
    average out the consistent errors of each metric about a system, so that they reject the null hypothesis too often
    (benchmarks/meta_resampling.py).

    Args:
        scores: Shape (3, topics, systems): the scores of the two metrics and the judgement, in this order. NaN for all
            three where a summary has no score.
        level: One of `correlations.LEVELS`.
        permutations: Number of permutations.
        seed: Random seed.
        names: Coefficients and accuracies that are defined at the level. There is no test of `accuracies.HELD_OUT`.

    Returns:
        P-values by name, without coefficients that are not defined for the observed scores.
    """
    p_values = {}
    if any(name in COEFFICIENTS for name in names):
        p_values = _swap_for_correlations(scores, level, permutations, seed)
    # Epsilons of all other topics for each topic of each permutation would take minutes.
    chosen = [name for name in names if name not in (*COEFFICIENTS, accuracies.HELD_OUT)]
    if chosen:
        p_values |= _swap_for_accuracies(scores, level, permutations, seed, chosen)
    return {name: p_values[name] for name in names if name in p_values}


def _swap_for_accuracies(
    scores: Floats, level: str, permutations: int, seed: int, names: Sequence[str]
) -> dict[str, float]:
    """Return the p-values of accuracies, as `swap_systems`. Soft accuracies need the scores of each topic."""
    x, y, gold = scores
    if level == SYSTEM:
        means = [np.nanmean(measure, axis=0) for measure in (x, y)]
        x, y = ((measure - mean.mean()) / (mean.std() or 1.0) for measure, mean in zip((x, y), means, strict=True))
    else:
        x, y = (_standardize(measure) for measure in (x, y))
    stream = np.random.RandomState([seed, 2])
    by_name = {name: accuracies.prepare_swaps(level, name, (x, y), gold) for name in names}

    def subtract(swapped: Flags) -> dict[str, float]:
        return {name: measure(swapped) - measure(~swapped) for name, measure in by_name.items()}

    observed = subtract(np.zeros(x.shape[1], dtype=bool))
    extreme = dict.fromkeys(names, 0)
    for _ in range(permutations):
        for name, difference in subtract(stream.randint(2, size=x.shape[1]) == 1).items():
            extreme[name] += abs(difference) >= abs(observed[name]) - SLACK
    return {
        name: round((1 + extreme[name]) / (1 + permutations), DECIMALS)
        for name in names
        if not np.isnan(observed[name])
    }


def _swap_for_correlations(scores: Floats, level: str, permutations: int, seed: int) -> dict[str, float]:
    rounded = round_scores(scores)
    rows = np.nanmean(rounded, axis=1, keepdims=True) if level == SYSTEM else rounded
    x, y, gold = (_standardize(measure) for measure in rows)
    stream = np.random.RandomState([seed, 2])  # independent of the streams of the bootstrap
    observed = _subtract(x, y, gold, np.zeros((1, x.shape[1]), dtype=bool))
    extreme = dict.fromkeys(correlations.COEFFICIENTS, 0)
    step = max(1, _CELLS_AT_ONCE // x.shape[1])
    for start in range(0, permutations, step):
        swapped = stream.randint(2, size=(min(step, permutations - start), x.shape[1])) == 1
        for name, differences in _subtract(x, y, gold, swapped).items():
            extreme[name] += int((np.abs(differences) >= np.abs(observed[name]) - SLACK).sum())
    return {
        name: round((1 + extreme[name]) / (1 + permutations), DECIMALS)
        for name in correlations.COEFFICIENTS
        if not np.isnan(observed[name][0])
    }


def _standardize(rows: Floats) -> Floats:
    centred = rows - np.nanmean(rows, axis=1, keepdims=True)
    return round_scores(divide(centred, np.nanstd(centred, axis=1, keepdims=True)))


def _subtract(x: Floats, y: Floats, gold: Floats, swapped: np.ndarray) -> dict[str, Floats]:
    """Subtract the correlations of two metrics after swaps.

    Args:
        x: Scores of the first metric, shape (topics, systems), standardized.
        y: Scores of the second metric.
        gold: Scores of the judgement.
        swapped: Shape (n, systems), the systems whose scores each permutation swaps.

    Returns:
        Differences by coefficient, shape (n,).
    """
    first, second = (
        {name: correlations.average_defined(values) for name, values in by_topic.items()}
        for by_topic in correlations.correlate_swapped(x, y, gold, swapped)
    )
    return {name: first[name] - second[name] for name in correlations.COEFFICIENTS}
