"""Correlations of metrics with judgements, and tests of their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, product

from harness.summarization.meta_evaluation.agreement import Correlation, correlate
from harness.summarization.meta_evaluation.blocks import NOTHING_IN_COMMON, SYSTEMS, align_scores
from harness.summarization.meta_evaluation.differences import Difference, compare_metrics, correct_differences
from harness.summarization.meta_evaluation.resampling import Resampler
from harness.summarization.meta_evaluation.scores import Scores
from harness.summarization.meta_evaluation.settings import Settings
from harness.support.errors import ComparisonError
from pyramid_paraphrase.pyramids.naming import natural_key, unify_numbers


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """The correlations of metrics with judgements, and their differences.

    Attributes:
        settings: The settings that they were computed with.
        correlations: Sorted by judgement, level and metric.
        differences: Sorted by judgement, level and pair of metrics.
        excluded_systems: Systems that `Settings.systems` leaves out.
        unified_systems: Names of systems, such as "01", that were replaced by names of the same systems, such as "1".
    """

    settings: Settings
    correlations: tuple[Correlation, ...]
    differences: tuple[Difference, ...]
    excluded_systems: tuple[str, ...]
    unified_systems: Mapping[str, str] = field(default_factory=dict)


def evaluate_metrics(
    metrics: Sequence[Scores], judgements: Sequence[Scores], settings: Settings | None = None
) -> MetaEvaluation:
    """Correlate metrics with judgements.

    Args:
        metrics: Scores of summaries, with distinct names.
        judgements: Judgements of summaries by people, or scores that replace them, with distinct names.
        settings: The settings, or None for the defaults.

    Returns:
        The correlations, and the differences of correlations.

    Raises:
        ComparisonError: If no metric shares a summary with any judgement.
    """
    chosen = settings or Settings()
    unified = unify_numbers(measure.values for measure in (*metrics, *judgements))
    metrics, judgements = ([_rename(measure, unified) for measure in measures] for measures in (metrics, judgements))
    blocks = {
        (judgement.name, metric.name): align_scores([metric, judgement], chosen.systems)
        for judgement, metric in product(judgements, metrics)
    }
    if not any(block.systems for block in blocks.values()):
        raise _make_error_without_systems([block.why_empty for block in blocks.values()], metrics, judgements, chosen)
    resampler = Resampler(chosen)
    correlations: list[Correlation] = []
    differences: list[Difference] = []
    for judgement, level in product(judgements, chosen.levels):
        for metric in metrics:
            block = blocks[judgement.name, metric.name]
            correlations.append(correlate(judgement.name, metric.name, level, block, resampler))
        for pair in combinations(metrics, 2):
            differences += compare_metrics(judgement, pair, level, resampler)
    excluded_systems = _find_excluded_systems([*metrics, *judgements], chosen)
    tested = tuple(correct_differences(differences))
    return MetaEvaluation(chosen, tuple(correlations), tested, excluded_systems, unified)


def _rename(measure: Scores, unified: Mapping[str, str]) -> Scores:
    """Give systems their unified names, by which all measures call them."""
    if not unified:
        return measure
    values = {(topic, unified.get(system, system)): value for (topic, system), value in measure.values.items()}
    return replace(measure, values=values)


def _find_excluded_systems(measures: Sequence[Scores], settings: Settings) -> tuple[str, ...]:
    """Find the systems that the settings leave out."""
    excluded: set[str] = set()
    is_compared = SYSTEMS[settings.systems]
    for measure in measures:
        excluded.update(system for _, system in measure.values if not is_compared(system))
    return tuple(sorted(excluded, key=natural_key))


def _make_error_without_systems(
    reasons: Sequence[str], metrics: Sequence[Scores], judgements: Sequence[Scores], settings: Settings
) -> ComparisonError:
    """Return the error if no metric and judgement have a system that can be compared."""
    start = f"no system can be compared (--systems {settings.systems})"
    if left_out := next((reason for reason in reasons if reason != NOTHING_IN_COMMON), ""):
        remedy = "Choose other --systems, such as --systems all, or compare systems with the same topics"
        return ComparisonError(f"{start}: {left_out}. {remedy}")
    in_common = []
    for place, name in enumerate(("topic", "system")):
        scored, judged = (
            {key[place] for key in chain.from_iterable(measure.values for measure in measures)}
            for measures in (metrics, judgements)
        )
        if not scored & judged:
            example = f"the scores contain {name} {min(scored)}, the judgements {name} {min(judged)}"
            return ComparisonError(
                f"{start}: no {name} has both a score and a judgement: {example}. Use the same names"
            )
        in_common.append(f"{name} {min(scored & judged)}")
    reason = f"no summary has both a score and a judgement, although {' and '.join(in_common)} occur in both"
    return ComparisonError(f"{start}: {reason}. Score the summaries that were judged")
