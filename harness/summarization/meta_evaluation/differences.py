"""Tests of the hypothesis that two metrics correlate equally with a judgement, under different assumptions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.stats.correlation import Williams, compare_correlations
from harness.stats.rounding import DECIMALS
from harness.stats.significance import correct_holm
from harness.summarization.meta_evaluation.blocks import Block, align_scores
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, LEVELS, PEARSON, SYSTEM, Floats
from harness.summarization.meta_evaluation.permutation import swap_systems
from harness.summarization.meta_evaluation.resampling import (
    Interval,
    Resampler,
    can_resample,
    find_bootstrap_p,
    find_interval,
)
from harness.summarization.meta_evaluation.scores import Scores

_NO_TEST = Williams(None, None)
_FIRST, _SECOND, _JUDGEMENT = 0, 1, 2
"""Indices of measures in the block of a comparison."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The correlations of two metrics with a judgement, on the systems and topics that all three score.

    Attributes:
        judgement: Name of the judgement.
        first: Name of the first metric.
        second: Name of the second metric.
        level: One of `LEVELS`.
        coefficient: One of `COEFFICIENTS`.
        systems: Number of systems in the comparison.
        topics: Number of topics in the comparison.
        values: Correlation of the first metric with the judgement, of the second metric with the judgement, and of both
            metrics with each other, or None if not all are defined.
        williams: Williams' test, which treats the systems as a sample. It is only for Pearson's r at the system level.
        williams_holm: P-value of Williams' test, corrected for all differences of this level and coefficient.
        interval: 95 % interval of the difference by the bootstrap.
        bootstrap_p: Two-sided p-value of the difference by the bootstrap.
        bootstrap_holm: The same p-value, corrected.
        permutation_p: Two-sided p-value by the permutation of systems, or None if systems are not drawn.
        permutation_holm: The same p-value, corrected.
        reason: Reason why there is no difference, or "".
    """

    judgement: str
    first: str
    second: str
    level: str
    coefficient: str
    systems: int
    topics: int
    values: tuple[float, float, float] | None
    williams: Williams = _NO_TEST
    williams_holm: float | None = None
    interval: Interval | None = None
    bootstrap_p: float | None = None
    bootstrap_holm: float | None = None
    permutation_p: float | None = None
    permutation_holm: float | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Correlation of the first metric minus that of the second."""
        if self.values is None:
            return None
        return round(self.values[0] - self.values[1], DECIMALS) + 0.0

    @property
    def family(self) -> tuple[str, str]:
        """Level and coefficient. Holm's method corrects for all differences with the same family."""
        return self.level, self.coefficient

    @property
    def has_williams(self) -> bool:
        """Whether Williams' test applies to this difference."""
        return self.family == (SYSTEM, PEARSON)


def compare_metrics(
    judgement: Scores, pair: tuple[Scores, Scores], level: str, resampler: Resampler
) -> list[Difference]:
    """Compare two metrics on the systems and topics that both metrics and a judgement score.

    Args:
        judgement: The judgement.
        pair: The two metrics.
        level: One of `LEVELS`.
        resampler: Draws topics and systems.

    Returns:
        A difference per coefficient, with uncorrected p-values or the reason why there is no difference.
    """
    first, second = pair
    settings = resampler.settings
    block = align_scores([first, second, judgement], settings.systems)
    differences = [
        Difference(judgement.name, first.name, second.name, level, name, len(block.systems), len(block.topics), None)
        for name in COEFFICIENTS
    ]
    if reason := block.explain_missing_correlation():
        return [replace(difference, reason=reason) for difference in differences]
    exact = _correlate_all(block, level)
    if any(np.isnan(value) for value in exact[PEARSON]):
        reason = f"all systems have equal scores by one metric or equal judgements, to {DECIMALS} decimals"
        return [replace(difference, reason=reason) for difference in differences]
    differences = [_add_values(difference, exact[difference.coefficient]) for difference in differences]
    if not can_resample(block, len(block.topics), settings):
        return differences
    first_samples = resampler.correlate((first.name, judgement.name), level, block, (_FIRST, _JUDGEMENT))
    second_samples = resampler.correlate((second.name, judgement.name), level, block, (_SECOND, _JUDGEMENT))
    permutation_p: dict[str, float] = {}
    if settings.draws_systems:
        permutation_p = swap_systems(block.values, level, settings.resamples, settings.seed)
    tested = []
    for difference in differences:
        name = difference.coefficient
        difference = _add_bootstrap(difference, exact[name], first_samples[name] - second_samples[name])
        tested.append(replace(difference, permutation_p=permutation_p.get(name)))
    return tested


def _correlate_all(block: Block, level: str) -> dict[str, tuple[float, float, float]]:
    """Correlate each metric with the judgement, and both metrics with each other, by coefficient."""
    equal_weights = np.ones((1, len(block.topics)))
    correlations = []
    for left, right in ((_FIRST, _JUDGEMENT), (_SECOND, _JUDGEMENT), (_FIRST, _SECOND)):
        correlations.append(LEVELS[level](block.values[left], block.values[right], equal_weights, None))
    first, second, between = correlations
    return {name: (float(first[name][0]), float(second[name][0]), float(between[name][0])) for name in COEFFICIENTS}


def _add_values(difference: Difference, exact: tuple[float, float, float]) -> Difference:
    rounded = (round(exact[0], DECIMALS), round(exact[1], DECIMALS), round(exact[2], DECIMALS))
    difference = replace(difference, values=rounded)
    if not difference.has_williams:
        return difference
    return replace(difference, williams=compare_correlations(*exact, difference.systems))


def _add_bootstrap(difference: Difference, exact: tuple[float, float, float], samples: Floats) -> Difference:
    """Add the interval and the p-value from the differences of resamples, without undefined differences (NaN)."""
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return difference
    value = exact[0] - exact[1]
    interval = find_interval(value, defined, widest=2.0)
    return replace(difference, interval=interval, bootstrap_p=find_bootstrap_p(value, defined))


def correct_differences(differences: Sequence[Difference]) -> list[Difference]:
    """Correct the p-values of each test by Holm's method, for all differences of the same level and coefficient."""
    indices_of_families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, difference in enumerate(differences):
        indices_of_families[difference.family].append(index)
    corrected = list(differences)
    for indices in indices_of_families.values():
        family = [differences[index] for index in indices]
        williams = _correct_defined([difference.williams.p_value for difference in family])
        bootstrap = _correct_defined([difference.bootstrap_p for difference in family])
        permutation = _correct_defined([difference.permutation_p for difference in family])
        for position, index in enumerate(indices):
            corrected[index] = replace(
                differences[index],
                williams_holm=williams[position],
                bootstrap_holm=bootstrap[position],
                permutation_holm=permutation[position],
            )
    return corrected


def _correct_defined(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct the defined p-values. The others stay None."""
    corrected = iter(correct_holm([p_value for p_value in p_values if p_value is not None]))
    return [None if p_value is None else next(corrected) for p_value in p_values]
