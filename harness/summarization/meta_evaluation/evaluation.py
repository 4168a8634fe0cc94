"""Correlations of metrics with judgements, with intervals, and tests of the differences of these correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, compress, product
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.stats.correlation import Williams, compare_correlations
from harness.stats.rounding import DECIMALS, round_scores
from harness.stats.significance import correct_holm
from harness.summarization.meta_evaluation import accuracies, resampling
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, PEARSON, SUMMARY, SYSTEM, has_range
from harness.summarization.meta_evaluation.formats import match_topics
from harness.summarization.meta_evaluation.scores import (
    ALL_TOPICS,
    COMPLETE,
    Block,
    MeasureScores,
    align_scores,
    choose_means,
    find_people,
    is_compared,
    make_error_without_systems,
    share_set,
)
from harness.support.arrays import Floats
from harness.support.progress import Progress
from pyramid_paraphrase.pyramids.naming import natural_key, unify_numbers

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

_NO_TEST = Williams(None, None)
_WILLIAMS = (SYSTEM, PEARSON)
"""Level and coefficient of Williams' test."""

_FIRST, _SECOND, _JUDGEMENT = 0, 1, 2
"""Indices of measures in the block of a comparison."""

_P_VALUES = {
    "williams_holm": attrgetter("williams.p_value"),
    "bootstrap_holm": attrgetter("bootstrap_p"),
    "permutation_holm": attrgetter("permutation_p"),
}
"""The functions that return the p-value of a test of a difference, by the field of the corrected p-value."""


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """The correlation of a metric with a judgement at one level.

    Attributes:
        judgement: Name of the judgement.
        metric: Name of the metric.
        level: One of `LEVELS`.
        systems: Systems in the correlation.
        topics: Topics in the correlation.
        constant_topics: Topics in which all systems have equal scores by the metric or by the judgement, and which are
            left out at the level of summaries.
        left_out: Systems and topics that are left out, as in `Block`.
        values: Correlations in [-1, 1] and accuracies in [0, 1] by name, without those that are not defined.
        intervals: 95 % intervals by name, from `find_interval_around`. Empty if `can_resample` returns False.
        undefined_resamples: Number of resamples without a correlation. The intervals leave them out.
        reason: Reason why there is no correlation, or "".
        topics_per_system: Lowest and highest number of topics of a system, or None if all systems have all topics.
        chance: Accuracies of a metric that knows nothing, from `accuracies.find_chance`, by name. None without one.
        epsilon: Largest difference by the metric that tie-calibrated accuracy calls a tie. None if it is not chosen.
    """

    judgement: str
    metric: str
    level: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    constant_topics: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]]
    values: Mapping[str, float]
    intervals: Mapping[str, resampling.Interval]
    undefined_resamples: int = 0
    reason: str = ""
    topics_per_system: tuple[int, int] | None = None
    chance: Mapping[str, float] | None = None
    epsilon: float | None = None


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """The correlations of two metrics with a judgement, on the systems and topics that all three score.

    Attributes:
        judgement: Name of the judgement.
        first: Name of the first metric.
        second: Name of the second metric.
        level: One of `LEVELS`.
        coefficient: One of `COEFFICIENTS` or `accuracies.ACCURACIES`.
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
    interval: resampling.Interval | None = None
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
        first, second, _ = self.values
        return round(first - second, DECIMALS) + 0.0

    @property
    def family(self) -> tuple[str, str]:
        """Level and coefficient. Holm's method corrects for all differences with the same family."""
        return self.level, self.coefficient

    @property
    def has_williams(self) -> bool:
        """Whether Williams' test applies to this difference."""
        return self.family == _WILLIAMS


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """The correlations of metrics with judgements, and their differences. A notebook shows them as tables.

    Attributes:
        settings: The settings that they were computed with, with the means that were chosen.
        correlations: Sorted by judgement, level and metric.
        differences: Sorted by judgement, level and pair of metrics.
        excluded_systems: Systems that `CorrelationSettings.systems` leaves out.
        unified_systems: Names of systems, such as "01", that were replaced by names of the same systems, such as "1".
        matched_topics: Names of topics in the tables of AESOP, such as "d7-A", that were replaced by names of the same
            topics, such as "D0907-A".
        uncompared: Names of measures without a measure of the same document set to compare with.
    """

    settings: resampling.CorrelationSettings
    correlations: tuple[MetricCorrelation, ...]
    differences: tuple[CorrelationDifference, ...]
    excluded_systems: tuple[str, ...]
    unified_systems: Mapping[str, str] = field(default_factory=dict)
    matched_topics: Mapping[str, str] = field(default_factory=dict)
    uncompared: tuple[str, ...] = ()

    @property
    def has_topics(self) -> bool:
        """Whether scores are by topic."""
        return {topic for row in self.correlations for topic in row.topics} != {ALL_TOPICS}

    def _repr_html_(self) -> str:
        """Return the tables of `meta-eval` for a notebook."""
        from harness.rendering.reports import Report, render_report, require_text
        from harness.summarization.meta_evaluation.notes import write_notes  # rarely needed
        from harness.summarization.meta_evaluation.report import tabulate

        return require_text(render_report(Report(tabulate(self), tuple(write_notes(self, ()))), "notebook"))

    def to_pandas(self) -> pd.DataFrame:
        """Return all numbers as a data frame, with a row per correlation and per test of a difference.

        Returns:
            A data frame with the columns "judgement", "metric", "other_metric" (of a difference), "level", "measure",
            "value", "lower" and "upper" (ends of the 95 % interval), "p", "p_holm" (corrected by Holm's method),
            "systems", "topics" and "reason" (why there is no value, or "").
        """
        import pandas as pd

        from harness.summarization.meta_evaluation.report import NUMBERS, list_numbers  # rarely needed

        return pd.DataFrame(list(list_numbers(self)), columns=list(NUMBERS))

    def plot(self) -> matplotlib.figure.Figure:
        """Plot the correlations with their 95 % intervals, a panel per judgement and level.

        Returns:
            A figure of matplotlib, which a notebook shows. ``savefig`` writes it to a file.

        Raises:
            MissingExtraError: If matplotlib is not installed.
            OptionError: If the figure would be too high.
        """
        from harness.summarization.meta_evaluation.figure import plot_correlations  # rarely needed

        return plot_correlations(self)


def evaluate_metrics(
    metrics: Sequence[MeasureScores],
    judgements: Sequence[MeasureScores],
    settings: resampling.CorrelationSettings | None = None,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Correlate metrics with judgements.

    Args:
        metrics: Scores of summaries, with distinct names.
        judgements: Judgements of summaries by people, or scores that replace them, with distinct names.
        settings: The settings, or None for the defaults.
        progress: A progress bar.

    Returns:
        The correlations, and the differences of correlations.

    Raises:
        ComparisonError: If no metric shares a summary with any judgement.
    """
    chosen = settings or resampling.CorrelationSettings()
    metrics, judgements = ([measure.enlarge() for measure in measures] for measures in (metrics, judgements))
    unified = unify_numbers(measure.values for measure in (*metrics, *judgements))
    topics = match_topics([*metrics, *judgements])
    people = {name: is_person for measure in (*metrics, *judgements) for name, is_person in measure.people.items()}
    if unified or topics or people:
        metrics, judgements = (
            [_unify(measure, topics, unified, people) for measure in measures] for measures in (metrics, judgements)
        )
    means = chosen.means or choose_means(metrics, judgements, chosen.systems)
    chosen = replace(chosen, means=means)
    blocks = {
        (judgement.name, metric.name): align_scores([metric, judgement], chosen.systems, means)
        for judgement, metric in product(judgements, metrics)
        if share_set(judgement, metric)
    }
    if not any(block.systems for block in blocks.values()):
        reasons = [block.why_empty for block in blocks.values()]
        raise make_error_without_systems(reasons, metrics, judgements, chosen.systems)
    resampler = resampling.Resampler(chosen)
    correlations: list[MetricCorrelation] = []
    differences: list[CorrelationDifference] = []
    bar = progress or Progress(visible=False)
    for judgement, level in product(judgements, filter(chosen.list_names, chosen.levels)):
        comparable = [metric for metric in metrics if share_set(judgement, metric)]
        step = f"correlate with {judgement.name}, level {level}"
        for metric in bar.track(comparable, step, len(comparable)):
            block = blocks[judgement.name, metric.name]
            correlations.append(correlate(judgement.name, metric.name, level, block, resampler))
        pairs = list(combinations(comparable, 2))
        for pair in bar.track(pairs, f"compare correlations with {judgement.name}, level {level}", len(pairs)):
            if share_set(*pair):
                differences += compare_metrics(judgement, pair, level, resampler)
    all_systems = {system for measure in (*metrics, *judgements) for _, system in measure.values}
    all_people = find_people([*metrics, *judgements])
    excluded = [system for system in all_systems if not is_compared(system, chosen.systems, all_people)]
    return MetaEvaluation(
        chosen,
        tuple(correlations),
        tuple(correct_differences(differences)),
        tuple(sorted(excluded, key=natural_key)),
        unified,
        topics,
        _list_uncompared(metrics, judgements),
    )


def _unify(
    measure: MeasureScores, topics: Mapping[str, str], systems: Mapping[str, str], people: Mapping[str, bool]
) -> MeasureScores:
    """Give topics and systems the names by which all measures call them, and let all measures know the people."""
    values = {
        (topics.get(topic, topic), systems.get(system, system)): value
        for (topic, system), value in measure.values.items()
    }
    known = {systems.get(name, name): is_person for name, is_person in people.items()}
    return replace(measure, values=values, people=known)


def _list_uncompared(metrics: Sequence[MeasureScores], judgements: Sequence[MeasureScores]) -> tuple[str, ...]:
    names = []
    for measures, other_measures in ((metrics, judgements), (judgements, metrics)):
        names += [
            measure.name for measure in measures if not any(share_set(measure, other) for other in other_measures)
        ]
    return tuple(names)


def correlate(
    judgement: str, metric: str, level: str, block: Block, resampler: resampling.Resampler
) -> MetricCorrelation:
    """Correlate a metric with a judgement.

    Args:
        judgement: Name of the judgement.
        metric: Name of the metric.
        level: One of `LEVELS`.
        block: Scores of the metric (first) and of the judgement (second).
        resampler: Draws topics and systems.

    Returns:
        The correlation, or the reason why there is none.
    """
    block = _restrict(block, level)
    topics = block.topics
    constant_topics: tuple[str, ...] = ()
    if level == SUMMARY and len(block.systems) > 1:  # the scores of a single system are not called equal
        metric_scores, judgement_scores = round_scores(block.values)
        varies = has_range(metric_scores) & has_range(judgement_scores)
        topics, constant_topics = tuple(compress(block.topics, varies)), tuple(compress(block.topics, ~varies))
    values: dict[str, float] = {}
    intervals: dict[str, resampling.Interval] = {}
    undefined_resamples = 0
    reason = block.explain_missing_correlation()
    if not reason:
        exact = _correlate_sides(block, level, (0, 1), resampler.settings)
        values = {name: round(value, DECIMALS) + 0.0 for name, value in exact.items() if not np.isnan(value)}
        if len(values) < len(exact):
            reason = f"all systems have equal scores or equal judgements, to {DECIMALS} decimals"
    if values and resampling.can_resample(block, len(topics), resampler.settings, level):
        samples = resampler.correlate((metric, judgement), level, block, (0, 1))
        for name in values:
            defined = samples[name][~np.isnan(samples[name])]
            undefined_resamples = max(undefined_resamples, len(samples[name]) - len(defined))
            if len(defined):
                intervals[name] = resampling.find_interval_around(exact[name], defined)
    chance, epsilon = None, None
    if names := [name for name in values if name not in COEFFICIENTS]:
        both = (block.values[0], block.values[1])
        chance = {name: round(accuracies.find_chance(name, *both), DECIMALS) for name in names}
        epsilon = accuracies.find_epsilon(*both) if accuracies.CALIBRATED in names else None
    return MetricCorrelation(
        *(judgement, metric, level, block.systems, topics, constant_topics, block.left_out),
        *(values, intervals, undefined_resamples, reason, block.count_topics(), chance, epsilon),
    )


def _restrict(block: Block, level: str) -> Block:
    """Leave out what has no part in the correlations of a level."""
    return block.drop_small_topics() if level == SUMMARY else block


def _correlate_sides(
    block: Block, level: str, sides: tuple[int, int], settings: resampling.CorrelationSettings
) -> dict[str, float]:
    """Measure the agreement of two measures of a block, all topics once, by name."""
    equal_weights = np.ones((1, len(block.topics)))
    left, right = (block.values[side] for side in sides)
    names = settings.list_names(level)
    values = accuracies.measure_agreement(level, names, (left, right), equal_weights)
    return {name: float(values[name][0]) for name in names}


def compare_metrics(
    judgement: MeasureScores, pair: tuple[MeasureScores, MeasureScores], level: str, resampler: resampling.Resampler
) -> list[CorrelationDifference]:
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
    block = align_scores([first, second, judgement], settings.systems, settings.means or COMPLETE)
    block = _restrict(block, level)
    names, sizes = (judgement.name, first.name, second.name, level), (len(block.systems), len(block.topics))
    chosen, defined_names = settings.list_names(level), list[str]()
    reason = block.explain_missing_correlation()
    if not reason:
        pairs = ((_FIRST, _JUDGEMENT), (_SECOND, _JUDGEMENT), (_FIRST, _SECOND))
        sides = [_correlate_sides(block, level, pair, settings) for pair in pairs]
        defined_names = [name for name in chosen if not any(np.isnan(values[name]) for values in sides)]
        reason = f"all systems have equal scores by one metric or equal judgements, to {DECIMALS} decimals"
    drawn: dict[str, Floats] = dict.fromkeys(chosen, np.empty(0))
    permutation_p: dict[str, float] = {}
    if defined_names and resampling.can_resample(block, len(block.topics), settings, level):
        first_samples = resampler.correlate((first.name, judgement.name), level, block, (_FIRST, _JUDGEMENT))
        second_samples = resampler.correlate((second.name, judgement.name), level, block, (_SECOND, _JUDGEMENT))
        drawn = {name: first_samples[name] - second_samples[name] for name in chosen}
        if settings.draws_systems:
            permutation_p = resampling.swap_systems(
                block.values, level, settings.resamples, settings.seed, defined_names
            )
    undefined_names = [name for name in chosen if name not in defined_names]
    differences = [CorrelationDifference(*names, name, *sizes, None, reason=reason) for name in undefined_names]
    for name in defined_names:
        by_first, by_second, between = (values[name] for values in sides)
        values = (round(by_first, DECIMALS), round(by_second, DECIMALS), round(between, DECIMALS))
        williams = _NO_TEST
        if (level, name) == _WILLIAMS:
            williams = compare_correlations(by_first, by_second, between, len(block.systems))
        difference = CorrelationDifference(
            *names, name, *sizes, values, williams, permutation_p=permutation_p.get(name)
        )
        defined = drawn[name][~np.isnan(drawn[name])]
        if len(defined):
            value = by_first - by_second
            interval = resampling.find_interval_around(value, defined, widest=2.0)
            p_value = resampling.find_bootstrap_p(value, defined)
            difference = replace(difference, interval=interval, bootstrap_p=p_value)
        differences.append(difference)
    return sorted(differences, key=lambda difference: chosen.index(difference.coefficient))


def correct_differences(differences: Sequence[CorrelationDifference]) -> list[CorrelationDifference]:
    """Correct the p-values of each test by Holm's method, for all differences of the same level and coefficient."""
    corrected = list(differences)
    families = dict.fromkeys(difference.family for difference in differences)
    for family, (corrected_p, get_p) in product(families, _P_VALUES.items()):
        p_values = {
            index: get_p(difference)
            for index, difference in enumerate(differences)
            if difference.family == family and get_p(difference) is not None
        }
        for index, p_value in zip(p_values, correct_holm(list(p_values.values())), strict=True):
            correction: dict[str, Any] = {corrected_p: p_value}
            corrected[index] = replace(corrected[index], **correction)
    return corrected
