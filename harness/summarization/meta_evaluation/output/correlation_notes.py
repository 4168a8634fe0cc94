"""Notes on correlations and tests: what the numbers mean, and what was left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from harness.rendering.tables import count_of
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE
from harness.summarization.meta_evaluation.agreement import Correlation
from harness.summarization.meta_evaluation.correlations import SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.differences import Difference
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation
from harness.summarization.meta_evaluation.inputs import ScoreFile
from harness.summarization.meta_evaluation.resampling import MIN_DRAWN_SYSTEMS
from harness.summarization.meta_evaluation.settings import BOTH, SYSTEMS, TOPICS

NOTHING = "-"
_MAX_NAMES = 12
_MEANING = {
    SYSTEM: "System level: correlation of the systems' means over topics.",
    SUMMARY: "Summary level: correlation over the systems within each topic, averaged over topics.",
}
_LEFT_OUT = (
    ("lacking_systems", "system", "that one of both lacks"),
    ("sparse_systems", "system", "with less than half of the topics"),
    ("lacking_topics", "topic", "that one of both lacks"),
    ("incomplete_topics", "topic", "that some of these systems lack"),
)
_DRAWN = {
    TOPICS: ("topics", "as many other topics"),
    SYSTEMS: ("systems", "as many other systems"),
    BOTH: ("topics and systems", "as many other topics and systems"),
}


def write_notes(evaluation: MetaEvaluation, files: Sequence[ScoreFile]) -> list[str]:
    """Explain correlations and differences.

    Args:
        evaluation: Correlations and differences.
        files: Files that were read.

    Returns:
        Notes, a line each.
    """
    return [
        *(_MEANING[level] for level in evaluation.settings.levels),
        *_note_systems(evaluation),
        *_note_left_out(evaluation.correlations),
        *_note_constant(evaluation.correlations),
        *_note_undefined(evaluation),
        *_note_intervals(evaluation),
        *_note_tests(evaluation),
        *(_note_files(file) for file in files if file.left_out),
    ]


def _note_systems(evaluation: MetaEvaluation) -> list[str]:
    if not evaluation.others:
        return [f"Systems: {evaluation.settings.systems}."]
    why = ", for names of one letter are taken for humans" if evaluation.settings.systems == "automatic" else ""
    return [f"Systems: {evaluation.settings.systems}; {_list_names(evaluation.others, 'other')} left out{why}."]


def _list_names(names: Sequence[str], thing: str, which: str = "") -> str:
    """Count things, and list the first names."""
    return f"{count_of(len(names), thing)} {which}({_join_names(names)})"


def _join_names(names: Iterable[str]) -> str:
    """Join the first distinct names, and count the others."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _MAX_NAMES} more" if len(distinct) > _MAX_NAMES else ""
    return ", ".join(distinct[:_MAX_NAMES]) + more


def _note_left_out(correlations: Iterable[Correlation]) -> list[str]:
    metrics_by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
    for correlation in correlations:
        parts = []
        for field, thing, which in _LEFT_OUT:
            if names := getattr(correlation.left_out, field):
                parts.append(_list_names(names, thing, f"{which} "))
        if parts:
            metrics_by_text[correlation.judgement, ", ".join(parts)].append(correlation.metric)
    return [
        f"Left out for {judgement} by {_join_names(metrics)}: {text}."
        for (judgement, text), metrics in metrics_by_text.items()
    ]


def _note_constant(correlations: Iterable[Correlation]) -> list[str]:
    metrics_by_topics: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for correlation in correlations:
        if correlation.constant_topics:
            metrics_by_topics[correlation.judgement, correlation.constant_topics].append(correlation.metric)
    return [
        f"Left out for {judgement} by {_join_names(metrics)} at the summary level: "
        f"{_list_names(topics, 'topic', 'in which one of both has all systems equal ')}."
        for (judgement, topics), metrics in metrics_by_topics.items()
    ]


def _note_undefined(evaluation: MetaEvaluation) -> list[str]:
    """Write a note per reason: a constant metric among many has the same one with each of the others."""
    names_by_reason: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for correlation in evaluation.correlations:
        if correlation.reason:
            key = (f"{correlation.judgement} by", f", {correlation.level} level", correlation.reason)
            names_by_reason[key].append(correlation.metric)
    for difference in evaluation.differences:
        if reason := difference.reason or difference.williams.reason:
            test = ", difference" if difference.reason else ", Williams"
            pair = f"{difference.first} vs. {difference.second}"
            names_by_reason[f"{difference.judgement},", test, reason].append(pair)
    return [
        f"Not defined ({NOTHING}): {start} {_join_names(names)}{end}: {reason}."
        for (start, end, reason), names in names_by_reason.items()
    ]


def _note_intervals(evaluation: MetaEvaluation) -> list[str]:
    settings, lines = evaluation.settings, []
    if any(correlation.intervals for correlation in evaluation.correlations):
        over, others = _DRAWN[settings.drawn]
        drawn = f"{settings.resamples:,} resamples, seed {settings.seed}"
        lines.append(f"Intervals: 95 %, bootstrap over {over}, {drawn}. They are for {others}.")
    if SYSTEM in settings.levels and lines:
        lines.append("With more topics, the means of systems are less noisy, and correlations tend to be higher.")
    defined = [correlation for correlation in evaluation.correlations if correlation.values]
    if settings.draws_topics and any(len(correlation.topics) < MIN_TOPICS for correlation in defined):
        lines.append(f"Fewer than {MIN_TOPICS} topics give no interval and no bootstrap p.")
    if settings.draws_systems and any(len(correlation.systems) < MIN_DRAWN_SYSTEMS for correlation in defined):
        lines.append(
            f"Fewer than {MIN_DRAWN_SYSTEMS} systems give no interval, bootstrap p or permutation p. Give --resample "
            "topics to treat the systems as fixed."
        )
    lines += [_note_undefined_resamples(correlation) for correlation in defined if correlation.undefined_resamples]
    return lines


def _note_undefined_resamples(correlation: Correlation) -> str:
    count = count_of(correlation.undefined_resamples, "resample")
    return (
        f"{correlation.judgement} by {correlation.metric}, {correlation.level} level: {count} without a correlation "
        "left out of the interval."
    )


def count_family(differences: Sequence[Difference]) -> int:
    """Count the differences of a family, for which Holm's correction is: of one level and one coefficient."""
    return max(Counter(difference.family for difference in differences).values(), default=0)


def _note_tests(evaluation: MetaEvaluation) -> list[str]:
    count, settings = count_family(evaluation.differences), evaluation.settings
    if not count:
        return []
    over, _ = _DRAWN[settings.drawn]
    lines = ["Differences are on the systems and topics that both metrics have, so that values may differ from above."]
    if SYSTEM in settings.levels:
        lines.append(
            "Williams' p (Pearson's r, system level): probability of such a difference by the choice of systems alone."
        )
    lines.append(f"Bootstrap p: probability of such a difference by the choice of {over} alone.")
    if settings.draws_systems:
        lines.append(
            f"Permutation p: the same for the choice of systems. In {settings.resamples:,} random permutations, both "
            "metrics swap their scores of some systems."
        )
    lines.append(
        f"All p-values are two-sided. p (Holm) is corrected for {count_of(count, 'difference')} per test, "
        "level and coefficient."
    )
    lowest = count / (settings.resamples + 1)
    if lowest > SIGNIFICANCE and any(difference.bootstrap_p is not None for difference in evaluation.differences):
        needed = f"--resamples {int(count / SIGNIFICANCE)} at least, or fewer --metrics"
        lines.append(
            f"With so few resamples, p (Holm) of the bootstrap and the permutations cannot be below "
            f"{min(lowest, 1):.3f}; give {needed}."
        )
    return lines


def _note_files(file: ScoreFile) -> str:
    return f"{file.source}: {count_of(file.left_out, 'file')} left out; `pyramid-paraphrase inspect` says why."
