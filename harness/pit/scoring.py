"""What each system reaches, and how far that may be off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.metrics.pairs import Counts, rate_decisions
from harness.metrics.resampling import Scored, resample_max_f1, resample_metrics, resample_pearson
from harness.metrics.similarity import measure_similarity
from harness.pit.inputs import Inputs, System, Units
from harness.pit.labels import Labels
from harness.pit.outputs import Output
from harness.stats.bootstrap import Floats, Samples, bootstrap, find_intervals
from harness.stats.rounding import DECIMALS, RoundedScores


@dataclass(frozen=True, slots=True)
class Measured:
    """A system with its numbers.

    Attributes:
        system: The system.
        metrics: By name: `f1`, `precision` and `recall` of its decisions, and what `measure_similarity` returns of its
            scores; rounded to six decimals.
        intervals: The ends of the 95 % intervals of `f1`, `pearson` and `max_f1`; none where none were asked for.
    """

    system: System
    metrics: Mapping[str, float]
    intervals: Mapping[str, Sequence[float]]


def measure_systems(inputs: Inputs) -> list[Measured]:
    """Measure all systems, without intervals."""
    return [Measured(system, measure_output(system.output, inputs.labels), {}) for system in inputs.systems]


def measure_with_intervals(inputs: Inputs, resamples: int, seed: int) -> list[Measured]:
    """Measure all systems, with intervals by the bootstrap, for which all share the same draws.

    Args:
        inputs: The systems, and what is drawn.
        resamples: How often.
        seed: Of chance.

    Returns:
        The systems in their order.
    """
    return [
        Measured(one.system, one.metrics, find_intervals(_draw(one.system.output, inputs, resamples, seed)))
        for one in measure_systems(inputs)
    ]


def _draw(output: Output, inputs: Inputs, resamples: int, seed: int) -> Samples:
    return bootstrap(partial(_resample, output, inputs), inputs.units.count, resamples, seed)


def measure_output(output: Output, labels: Labels) -> dict[str, float]:
    """Measure an output as the organisers do (Xu et al. 2015, section 2).

    Args:
        output: What the system says; n pairs.
        labels: What an expert says of the same.

    Returns:
        As `Measured.metrics`.
    """
    said, true = output.decisions[labels.decided], labels.labels[labels.decided] == 1
    kinds = (said & true, said & ~true, ~said & true, ~said & ~true)
    rates = rate_decisions(Counts(*(np.count_nonzero(kind) for kind in kinds)))
    decisions = {name: float(rates[name]) for name in ("f1", "precision", "recall")}
    values = decisions | measure_similarity(output.scores, labels.gold, labels.labels)
    return {name: value if name.endswith("threshold") else round(value, DECIMALS) for name, value in values.items()}


def _resample(output: Output, inputs: Inputs, weights: Floats) -> Samples:
    labels, units, kept = inputs.labels, inputs.units, inputs.labels.decided
    topics = _both_sides(units)
    decisions = RoundedScores(output.decisions[kept].astype(np.float64))
    decided = Scored(decisions, labels.labels[kept], topics[kept], units.count, 0.5)
    return {
        "f1": resample_metrics(decided, weights, with_curves=False)["f1"],
        "pearson": resample_pearson(output.scores, labels.gold, topics, units.count, weights),
        "max_f1": resample_max_f1(output.scores[kept], labels.labels[kept], topics[kept], units.count, weights),
    }


def _both_sides(units: Units) -> npt.NDArray[np.int64]:
    """Both sentences of a pair are of one topic, and of one pair."""
    return np.column_stack([units.of_pairs, units.of_pairs])
