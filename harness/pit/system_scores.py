"""The metrics of each system, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.metrics.graded_pairs import measure_similarity, resample_max_f1, resample_pearson
from harness.metrics.measuring import resample_metrics
from harness.metrics.pairs import Counts, rate_decisions
from harness.metrics.rows import ScoredSplit
from harness.pit.labels import Labels
from harness.pit.outputs import Output
from harness.pit.system_inputs import Inputs, System
from harness.stats.bootstrap import Floats, Samples, bootstrap, find_intervals
from harness.stats.rounding import DECIMALS, RoundedScores
from pyramid_paraphrase.rules.kinds import PAIRS


@dataclass(frozen=True, slots=True)
class Measured:
    """A system with its numbers.

    Attributes:
        system: The system.
        metrics: Values by name: `f1`, `precision` and `recall` of its decisions, and the metrics of
            `measure_similarity` of its scores, rounded to six decimals.
        intervals: The ends of the 95 % intervals of `f1`, `pearson` and `max_f1`. Empty without the bootstrap.
    """

    system: System
    metrics: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


def measure_systems(inputs: Inputs) -> list[Measured]:
    """Measure all systems, without intervals."""
    return [Measured(system, measure_output(system.output, inputs.labels), {}) for system in inputs.systems]


def measure_with_intervals(inputs: Inputs, resamples: int, seed: int) -> list[Measured]:
    """Measure all systems, with intervals by the bootstrap. All systems share the same draws.

    Args:
        inputs: The systems, and the units that the bootstrap draws.
        resamples: Number of resamples.
        seed: Random seed.

    Returns:
        The systems in the order of the inputs.
    """
    measured = []
    for system in inputs.systems:
        samples = bootstrap(partial(_resample, system.output, inputs), inputs.units.count, resamples, seed)
        measured.append(Measured(system, measure_output(system.output, inputs.labels), find_intervals(samples)))
    return measured


def measure_output(output: Output, labels: Labels) -> dict[str, float]:
    """Measure an output as the organizers do (Xu et al. 2015, section 2).

    Args:
        output: The system's decisions and scores of n pairs.
        labels: The expert's labels of the same pairs.

    Returns:
        The metrics, as in `Measured.metrics`.
    """
    predicted, true = output.decisions[labels.decided], labels.labels[labels.decided] == 1
    outcomes = (predicted & true, predicted & ~true, ~predicted & true, ~predicted & ~true)
    rates = rate_decisions(Counts(*(np.count_nonzero(outcome) for outcome in outcomes)))
    decisions = {name: float(rates[name]) for name in ("f1", "precision", "recall")}
    values = decisions | measure_similarity(output.scores, labels.gold, labels.labels)
    # A threshold is not rounded: it is between two scores and has one more decimal.
    return {name: value if name.endswith("threshold") else round(value, DECIMALS) for name, value in values.items()}


def _resample(output: Output, inputs: Inputs, weights: Floats) -> Samples:
    labels, units, decided = inputs.labels, inputs.units, inputs.labels.decided
    # Both sentences of a pair belong to the same unit, which is a topic or the pair.
    topics = np.column_stack([units.of_pairs, units.of_pairs])
    split = ScoredSplit(
        kind=PAIRS,
        scores=RoundedScores(output.decisions[decided].astype(np.float64)),
        targets=labels.labels[decided],
        topics=topics[decided],
        topic_count=units.count,
        threshold=0.5,
    )
    return {
        "f1": resample_metrics(split, weights, with_curves=False)["f1"],
        "pearson": resample_pearson(output.scores, labels.gold, topics, units.count, weights),
        "max_f1": resample_max_f1(
            output.scores[decided], labels.labels[decided], topics[decided], units.count, weights
        ),
    }
