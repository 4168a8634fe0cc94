"""Notes on correlations and tests: the meaning of the numbers, and the systems, topics and files left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from harness.rendering.tables import count_of
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE
from harness.summarization.meta_evaluation.agreement import Correlation
from harness.summarization.meta_evaluation.correlations import SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.differences import Difference
from harness.summarization.meta_evaluation.evaluation import MetaEvaluation
from harness.summarization.meta_evaluation.inputs import ScoreFile
from harness.summarization.meta_evaluation.resampling import MIN_DRAWN_SYSTEMS
from harness.summarization.meta_evaluation.settings import BOTH, SYSTEMS, TOPICS
from pyramid_paraphrase.pyramids.naming import note_unified

NOTHING = "-"
_MAX_NAMES = 12
_MEANING = {
    SYSTEM: "System level: correlation of the systems' means over topics.",
    SUMMARY: "Summary level: correlation over the systems within each topic, averaged over topics.",
}
_LEFT_OUT = (
    ("lacking_systems", "system", "without both scores and judgements"),
    ("sparse_systems", "system", "with less than half of the topics"),
    ("lacking_topics", "topic", "without both scores and judgements"),
    ("incomplete_topics", "topic", "without some of the remaining systems"),
)
"""Fields of `LeftOut`, with the words that describe them."""

_DRAWN = {TOPICS: "topics", SYSTEMS: "systems", BOTH: "topics and systems"}


def write_notes(evaluation: MetaEvaluation, files: Sequence[ScoreFile]) -> list[str]:
    """Write the notes that explain correlations and differences.

    Args:
        evaluation: Correlations and differences.
        files: Files that were read.

    Returns:
        Notes, a line each.
    """
    return [
        *(_MEANING[level] for level in evaluation.settings.levels),
        *_note_systems(evaluation),
        *_note_unified(evaluation, files),
        *_note_left_out(evaluation.correlations),
        *_note_constant(evaluation.correlations),
        *_note_undefined(evaluation),
        *_note_intervals(evaluation),
        *_note_tests(evaluation),
        *_note_judges(evaluation, files),
        *_note_merged(evaluation, files),
        *(_note_files(file) for file in files if file.left_out),
    ]


def _note_systems(evaluation: MetaEvaluation) -> list[str]:
    systems, excluded = evaluation.settings.systems, evaluation.excluded_systems
    if not excluded:
        return [f"Systems: {systems}."]
    explanation = " A name of one letter is treated as a human." if systems == "automatic" else ""
    return [f"Systems: {systems}. Left out: {_list_names(excluded, 'other')}.{explanation}"]


def _note_unified(evaluation: MetaEvaluation, files: Iterable[ScoreFile]) -> list[str]:
    unified = dict(evaluation.unified_systems)
    for file in files:
        unified.update(file.unified_peers)
    return [f"{note}." for note in note_unified(unified)]


def _list_names(names: Sequence[str], thing: str, description: str = "") -> str:
    """Return the number of things, a description, and the first names."""
    return f"{count_of(len(names), thing)} {description}({_join_names(names)})"


def _join_names(names: Iterable[str]) -> str:
    """Join the first distinct names, and count the others."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _MAX_NAMES} more" if len(distinct) > _MAX_NAMES else ""
    return ", ".join(distinct[:_MAX_NAMES]) + more


def _note_left_out(correlations: Iterable[Correlation]) -> list[str]:
    metrics_by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
    for correlation in correlations:
        parts = []
        for field, thing, description in _LEFT_OUT:
            if names := getattr(correlation.left_out, field):
                parts.append(_list_names(names, thing, f"{description} "))
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
        f"{_list_names(topics, 'topic', 'in which all systems have equal scores or judgements ')}."
        for (judgement, topics), metrics in metrics_by_topics.items()
    ]


def _note_undefined(evaluation: MetaEvaluation) -> list[str]:
    """Write one note per reason, because a constant metric has the same reason in each comparison."""
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
        drawn = _DRAWN[settings.drawn]
        resamples = f"{settings.resamples:,} resamples, seed {settings.seed}"
        meaning = f"They apply to the same number of other {drawn}."
        lines.append(f"Intervals: 95 %, bootstrap over {drawn}, {resamples}. {meaning}")
    if SYSTEM in settings.levels and lines:
        lines.append("With more topics, the means of systems are less noisy, and correlations tend to be higher.")
    defined = [correlation for correlation in evaluation.correlations if correlation.values]
    if settings.draws_topics and any(len(correlation.topics) < MIN_TOPICS for correlation in defined):
        lines.append(f"Intervals and bootstrap p-values require at least {MIN_TOPICS} topics.")
    if settings.draws_systems and any(len(correlation.systems) < MIN_DRAWN_SYSTEMS for correlation in defined):
        lines.append(
            f"Intervals, bootstrap and permutation p-values require at least {MIN_DRAWN_SYSTEMS} systems. Add "
            "--resample topics to treat the systems as fixed."
        )
    lines += [_note_undefined_resamples(correlation) for correlation in defined if correlation.undefined_resamples]
    return lines


def _note_undefined_resamples(correlation: Correlation) -> str:
    count = count_of(correlation.undefined_resamples, "resample")
    return (
        f"{correlation.judgement} by {correlation.metric}, {correlation.level} level: the interval leaves out {count} "
        "without a correlation."
    )


def count_family(differences: Sequence[Difference]) -> int:
    """Count the differences that Holm's method corrects for: those of one level and one coefficient."""
    return max(Counter(difference.family for difference in differences).values(), default=0)


def _note_tests(evaluation: MetaEvaluation) -> list[str]:
    count, settings = count_family(evaluation.differences), evaluation.settings
    if not count:
        return []
    lines = ["Differences use the systems and topics that both metrics score. Values may differ from those above."]
    if SYSTEM in settings.levels:
        lines.append(
            "Williams' p (Pearson's r, system level): probability of a difference at least as large by the choice of "
            "systems alone."
        )
    drawn = _DRAWN[settings.drawn]
    lines.append(f"Bootstrap p: probability of a difference at least as large by the choice of {drawn} alone.")
    if settings.draws_systems:
        lines.append(
            f"Permutation p: the same for the choice of systems. Each of {settings.resamples:,} random permutations "
            "swaps the scores of some systems between both metrics."
        )
    lines.append(
        f"All p-values are two-sided. p (Holm) is corrected for {count_of(count, 'difference')} per test, "
        "level and coefficient."
    )
    lowest = count / (settings.resamples + 1)
    if lowest > SIGNIFICANCE and any(difference.bootstrap_p is not None for difference in evaluation.differences):
        needed = int(count / SIGNIFICANCE)
        lines.append(
            f"With {settings.resamples:,} resamples, p (Holm) of the bootstrap and the permutations cannot be below "
            f"{min(lowest, 1):.3f}. Use --resamples {needed} or more, or fewer --metrics."
        )
    return lines


def _note_judges(evaluation: MetaEvaluation, files: Iterable[ScoreFile]) -> Iterator[str]:
    """Yield a note on the measures of each file with several judgements of a summary."""
    used = _list_used(evaluation)
    for file in files:
        names_by_text: dict[str, list[str]] = defaultdict(list)
        for scores in file.scores:
            lowest, highest = scores.judgements
            if scores.name in used and highest > 1:
                number = f"{highest:,}" if lowest == highest else f"{lowest:,} to {highest:,}"
                by_judges = f" by {count_of(scores.judges, 'judge')}" if scores.judges else ""
                names_by_text[f"{number} judgements per summary{by_judges}"].append(scores.name)
        for text, names in names_by_text.items():
            yield f"{file.source}: {text}, whose mean counts ({_join_names(names)})."


def _list_used(evaluation: MetaEvaluation) -> set[str]:
    """Return the names of the judgements and metrics that are correlated."""
    return {name for correlation in evaluation.correlations for name in (correlation.judgement, correlation.metric)}


def _note_merged(evaluation: MetaEvaluation, files: Iterable[ScoreFile]) -> Iterator[str]:
    """Yield a note on each measure most values of which are ties after rounding."""
    used = _list_used(evaluation)
    for file in files:
        for scores in file.scores:
            if scores.name in used and scores.merged:
                before, after = scores.merged
                numbers = f"has {before:,} different values, and {after:,} after rounding to {DECIMALS} decimals"
                yield f"{file.source}: {scores.name} {numbers}. Scale it so that these decimals tell its values apart."


def _note_files(file: ScoreFile) -> str:
    return f"{file.source}: {count_of(file.left_out, 'file')} left out. `pyramid-paraphrase inspect` lists the reasons."
