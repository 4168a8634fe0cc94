"""What metrics are worth: their correlations with judgements, and tests of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from harness.summarization.meta_evaluation.agreement import Correlation, correlate
from harness.summarization.meta_evaluation.blocks import SYSTEMS, align_scores
from harness.summarization.meta_evaluation.differences import Difference, compare_metrics, correct_differences
from harness.summarization.meta_evaluation.resampling import Resampler
from harness.summarization.meta_evaluation.scores import Scores
from harness.summarization.meta_evaluation.settings import Settings
from harness.support.errors import ComparisonError
from pyramid_paraphrase.naming import natural_key


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """All that was found.

    Attributes:
        settings: What was computed.
        correlations: By judgement, level and metric.
        differences: By judgement and pair of metrics; only where the level of systems is wanted.
        others: Systems that do not count by `Settings.systems`.
    """

    settings: Settings
    correlations: tuple[Correlation, ...]
    differences: tuple[Difference, ...]
    others: tuple[str, ...]


def evaluate_metrics(
    metrics: Sequence[Scores], judgements: Sequence[Scores], settings: Settings | None = None
) -> MetaEvaluation:
    """Correlate metrics with judgements.

    Args:
        metrics: Scores of summaries, of distinct names.
        judgements: What people, or what stands for them, say of summaries; of distinct names.
        settings: What is computed.

    Returns:
        Correlations, and differences of correlations.

    Raises:
        ComparisonError: If no metric shares a summary with any judgement.
    """
    chosen = settings or Settings()
    pairs = [(judgement, metric) for judgement in judgements for metric in metrics]
    blocks = {(one.name, other.name): align_scores([other, one], chosen.systems) for one, other in pairs}
    if not any(block.systems for block in blocks.values()):
        raise _nothing_shared(metrics, judgements, chosen)
    resampler = Resampler(chosen)
    correlations = tuple(
        correlate(judgement.name, metric.name, level, blocks[judgement.name, metric.name], resampler)
        for judgement in judgements
        for level in chosen.levels
        for metric in metrics
    )
    differences = [
        difference
        for judgement in judgements
        for level in chosen.levels
        for pair in combinations(metrics, 2)
        for difference in compare_metrics(judgement, pair, level, resampler)
    ]
    seen = {system for one in (*metrics, *judgements) for _, system in one.values}
    others = sorted((system for system in seen if not SYSTEMS[chosen.systems](system)), key=natural_key)
    return MetaEvaluation(chosen, correlations, tuple(correct_differences(differences)), tuple(others))


def _nothing_shared(metrics: Sequence[Scores], judgements: Sequence[Scores], settings: Settings) -> ComparisonError:
    def show(scores: Sequence[Scores]) -> str:
        topic, system = min(key for one in scores for key in one.values)
        return f"topic {topic} and system {system}"

    reason = f"no summary by systems that are '{settings.systems}' has both a score and a judgement"
    examples = f"scores have {show(metrics)}, judgements {show(judgements)}"
    return ComparisonError(
        f"{reason}; name topics and systems alike ({examples}), or give --systems all "
        "if names of one letter are not humans"
    )
