"""Whether one metric agrees better with a judgement than another: two tests, which take different things for given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.meta_evaluation.blocks import align_scores
from harness.meta_evaluation.correlations import Floats, average_topics, correlate_linearly
from harness.meta_evaluation.resampling import Interval, find_interval, resample
from harness.meta_evaluation.scores import Scores
from harness.meta_evaluation.settings import Settings
from harness.meta_evaluation.williams import Williams, compare_correlations
from harness.metrics.rounding import DECIMALS
from harness.statistics import MIN_TOPICS, compare_all, correct_holm


@dataclass(frozen=True, slots=True)
class Difference:
    """Two metrics' correlations (Pearson's, of systems) with one judgement, on what all three have.

    Attributes:
        judgement: Name of the judgement.
        first: Name of a metric.
        second: Name of another.
        systems: How many count.
        topics: How many count.
        values: Correlation of the first and of the second, and of both with each other; None if not all are defined.
        williams: Williams' test, which takes the systems for a sample.
        williams_holm: Its p-value, corrected for all differences that are shown.
        interval: 95 % interval of the difference by the bootstrap, which takes the topics for a sample.
        bootstrap_p: Chance of so large a difference by the bootstrap, two-sided.
        bootstrap_holm: The same, corrected.
        reason: Why there is no difference, or "".
    """

    judgement: str
    first: str
    second: str
    systems: int
    topics: int
    values: tuple[float, float, float] | None
    williams: Williams
    williams_holm: float | None = None
    interval: Interval | None = None
    bootstrap_p: float | None = None
    bootstrap_holm: float | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Correlation of the first metric minus that of the second."""
        return None if self.values is None else round(self.values[0] - self.values[1], DECIMALS) + 0.0


def compare_metrics(judgement: Scores, pair: tuple[Scores, Scores], settings: Settings) -> Difference:
    """Compare two metrics on the systems and topics that both share with a judgement.

    Args:
        judgement: The judgement.
        pair: Both metrics.
        settings: What is computed.

    Returns:
        The difference, its p-values not corrected, or why there is none.
    """
    first, second = pair
    block = align_scores([first, second, judgement], settings.systems)
    found = Difference(
        judgement.name, first.name, second.name, len(block.systems), len(block.topics), None, Williams(None, None)
    )
    if reason := block.explain_lack():
        return replace(found, reason=reason)

    def measure(weights: Floats) -> dict[str, Floats]:
        means = [average_topics(values, weights) for values in block.values]
        sides = {"first": (0, 2), "second": (1, 2), "between": (0, 1)}
        return {name: correlate_linearly(means[x], means[y]) for name, (x, y) in sides.items()}

    values = {name: float(value[0]) for name, value in measure(np.ones((1, len(block.topics)))).items()}
    if any(np.isnan(value) for value in values.values()):
        return replace(found, reason=f"all systems are equal by one of the three, to {DECIMALS} decimals")
    exact = (values["first"], values["second"], values["between"])
    rounded = (round(exact[0], DECIMALS), round(exact[1], DECIMALS), round(exact[2], DECIMALS))
    found = replace(found, values=rounded, williams=compare_correlations(*exact, len(block.systems)))
    if len(block.topics) < MIN_TOPICS:
        return found
    samples = resample(measure, block, settings)
    drawn = np.stack([samples["first"], samples["second"]])
    drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
    if not drawn.shape[1]:
        return found
    interval = find_interval(exact[0] - exact[1], drawn[0] - drawn[1], widest=2.0)
    p_value = float(compare_all(np.array(exact[:2]), drawn, len(block.topics))[0, 1])
    return replace(found, interval=interval, bootstrap_p=p_value)


def correct_differences(differences: Sequence[Difference]) -> list[Difference]:
    """Correct the p-values of both tests, each for all differences that have one."""
    williams = _correct_defined([one.williams.p_value for one in differences])
    drawn = _correct_defined([one.bootstrap_p for one in differences])
    return [
        replace(one, williams_holm=by_systems, bootstrap_holm=by_topics)
        for one, by_systems, by_topics in zip(differences, williams, drawn, strict=True)
    ]


def _correct_defined(p_values: Sequence[float | None]) -> list[float | None]:
    corrected = iter(correct_holm([p_value for p_value in p_values if p_value is not None]))
    return [None if p_value is None else next(corrected) for p_value in p_values]
