"""Notes below tables of correlations and tests: what the numbers mean, and what they leave out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from harness.rendering.tables import NOTHING, count_of
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE
from harness.summarization.meta_evaluation.accuracies import MEANINGS, TITLES
from harness.summarization.meta_evaluation.correlations import SUMMARY, SYSTEM
from harness.summarization.meta_evaluation.inputs import ScoredLocation
from harness.summarization.meta_evaluation.resampling import MIN_DRAWN_SYSTEMS, UNITS
from harness.summarization.meta_evaluation.scores import MIN_SYSTEMS
from pyramid_paraphrase.pyramids.naming import note_unified

if TYPE_CHECKING:
    from harness.summarization.meta_evaluation.evaluation import (
        CorrelationDifference,
        MetaEvaluation,
        MetricCorrelation,
    )

_MAX_NAMES = 12

_MEANING = {
    SYSTEM: "System level: correlation of the systems' means over topics.",
    SUMMARY: "Summary level: correlation over the systems within each topic, averaged over topics.",
    "": "System level: correlation of the systems' scores, which are not by topic.",
}

_LEFT_OUT = {
    "lacking_systems": ("system", "without both scores and judgements"),
    "sparse_systems": ("system", "with less than half of the topics"),
    "lacking_topics": ("topic", "without both scores and judgements"),
    "incomplete_topics": ("topic", "without some of the remaining systems"),
    "small_topics": ("topic", f"with fewer than {MIN_SYSTEMS} systems at the summary level"),
}
"""The words that describe what a block leaves out."""

_DRAWN = dict(zip(UNITS, ("topics", "systems", "topics and systems"), strict=True))


def write_notes(evaluation: MetaEvaluation, files: Sequence[ScoredLocation]) -> list[str]:
    """Write the notes that explain correlations and differences.

    Args:
        evaluation: Correlations and differences.
        files: Files that were read.

    Returns:
        Notes, a line each.
    """
    used = {name for correlation in evaluation.correlations for name in (correlation.judgement, correlation.metric)}
    notes = [
        *(_MEANING[level if evaluation.has_topics else ""] for level in evaluation.settings.levels),
        *_note_systems(evaluation, files),
        *_merge(_list_left_out(evaluation.correlations)),
        *_merge(_list_undefined(evaluation)),
        *_note_intervals(evaluation),
        *_note_tests(evaluation),
        *_note_accuracies(evaluation),
    ]
    notes += [f"{note}." for file in files for note in file.notes]
    notes += [note for file in files for note in _merge(_list_judged(file, used))]
    notes += [note for file in files for note in _note_merged(file, used)]
    for file in files:
        if file.left_out:
            count = count_of(file.left_out, "file")
            notes.append(f"{file.source}: {count} left out. `pyramid-paraphrase inspect` lists the reasons.")
    return notes


def _note_systems(evaluation: MetaEvaluation, files: Iterable[ScoredLocation]) -> Iterator[str]:
    systems, excluded = evaluation.settings.systems, evaluation.excluded_systems
    note = f"Systems: {systems}."
    if excluded:
        note += f" Left out: {_list_names(excluded, 'other')}."
        if systems == "automatic":
            note += " A name of one letter is treated as a human."
    yield note
    ranges = [correlation.topics_per_system for correlation in evaluation.correlations if correlation.topics_per_system]
    if ranges:
        yield f"Topics per system: {min(low for low, _ in ranges):,} to {max(high for _, high in ranges):,}."
    unified = dict(evaluation.unified_systems)
    for file in files:
        unified.update(file.unified_peers)
    yield from (f"{note}." for note in note_unified(unified))
    if topics := evaluation.matched_topics:
        matched = _join_names(f"{topic} as {name}" for topic, name in topics.items())
        yield f"{count_of(len(topics), 'topic')} of AESOP matched by number: {matched}."
    if names := evaluation.uncompared:
        yield f"Not compared, because no other file has scores of the same document set: {_join_names(names)}."


def _list_names(names: Sequence[str], thing: str, description: str = "") -> str:
    """Return the number of things, a description, and the first names."""
    return f"{count_of(len(names), thing)} {description}({_join_names(names)})"


def _join_names(names: Iterable[str]) -> str:
    """Join the first distinct names, and count the others."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _MAX_NAMES} more" if len(distinct) > _MAX_NAMES else ""
    return ", ".join(distinct[:_MAX_NAMES]) + more


def _merge(notes: Iterable[tuple[str, str, str]]) -> list[str]:
    """Merge notes that differ only in a name: from the text before the name, the name, and the text after it."""
    names_by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
    for before, name, after in notes:
        names_by_text[before, after].append(name)
    return [f"{before}{_join_names(names)}{after}" for (before, after), names in names_by_text.items()]


def _list_left_out(correlations: Sequence[MetricCorrelation]) -> Iterator[tuple[str, str, str]]:
    for correlation in correlations:
        parts = []
        for kind, (thing, description) in _LEFT_OUT.items():
            if names := correlation.left_out.get(kind):
                parts.append(_list_names(names, thing, f"{description} "))
        if parts:
            yield f"Left out for {correlation.judgement} by ", correlation.metric, f": {', '.join(parts)}."
    for correlation in correlations:
        if topics := correlation.constant_topics:
            left_out = _list_names(topics, "topic", "in which all systems have equal scores or judgements ")
            yield f"Left out for {correlation.judgement} by ", correlation.metric, f" at the summary level: {left_out}."


def _list_undefined(evaluation: MetaEvaluation) -> Iterator[tuple[str, str, str]]:
    """Yield the reasons of undefined values. A constant metric has the same reason in each comparison."""
    start = f"Not defined ({NOTHING}): "
    for correlation in evaluation.correlations:
        if reason := correlation.reason:
            after = f", {correlation.level} level: {reason}."
            yield f"{start}{correlation.judgement} by ", correlation.metric, after
    for difference in evaluation.differences:
        if reason := difference.reason or difference.williams.reason:
            test = "difference" if difference.reason else "Williams"
            pair = f"{difference.first} vs. {difference.second}"
            yield f"{start}{difference.judgement}, ", pair, f", {test}: {reason}."


def _note_intervals(evaluation: MetaEvaluation) -> list[str]:
    settings, lines = evaluation.settings, []
    if any(correlation.intervals for correlation in evaluation.correlations):
        drawn = _DRAWN[settings.drawn]
        resamples = f"{settings.resamples:,} resamples, seed {settings.seed}"
        meaning = f"They apply to the same number of other {drawn}."
        lines.append(f"Intervals: 95 %, bootstrap over {drawn}, {resamples}. {meaning}")
    if SYSTEM in settings.levels and lines and evaluation.has_topics:
        lines.append("With more topics, the means of systems are less noisy, and correlations tend to be higher.")
    defined = [correlation for correlation in evaluation.correlations if correlation.values]
    if settings.draws_topics and any(len(correlation.topics) < MIN_TOPICS for correlation in defined):
        lines.append(f"Intervals and bootstrap p-values require at least {MIN_TOPICS} topics.")
    has_sparse_topics = any(
        correlation.topics_per_system and not correlation.intervals and not correlation.undefined_resamples
        for correlation in defined
        if correlation.level == SUMMARY and len(correlation.topics) >= MIN_TOPICS
    )
    has_few_systems = any(len(correlation.systems) < MIN_DRAWN_SYSTEMS for correlation in defined)
    if settings.draws_systems and (has_sparse_topics or has_few_systems):
        per_topic = " per topic on average, at the summary level" if has_sparse_topics else ""
        lines.append(
            f"Intervals, bootstrap and permutation p-values require at least {MIN_DRAWN_SYSTEMS} systems{per_topic}. "
            "Add --resample topics to treat the systems as fixed."
        )
    for correlation in defined:
        if correlation.undefined_resamples:
            subject = f"{correlation.judgement} by {correlation.metric}, {correlation.level} level"
            count = count_of(correlation.undefined_resamples, "resample")
            lines.append(f"{subject}: the interval leaves out {count} without a correlation.")
    return lines


def _note_accuracies(evaluation: MetaEvaluation) -> Iterator[str]:
    """Explain the accuracies, with their levels of chance and epsilons."""
    for name, meaning in MEANINGS.items():
        rows = [row for row in evaluation.correlations if name in row.values]
        if rows:
            chances = sorted({round((row.chance or {})[name], 3) for row in rows})
            spread = " to ".join(f"{chance:.3f}" for chance in dict.fromkeys((chances[0], chances[-1])))
            yield f"{TITLES[name]}: {meaning}. Chance: {spread}."
    epsilons = [f"{row.metric} {row.epsilon:.7g}" for row in evaluation.correlations if row.epsilon is not None]
    if epsilons:
        yield f"Epsilon: {_join_names(epsilons)}."


def count_family(differences: Sequence[CorrelationDifference]) -> int:
    """Count the differences that Holm's method corrects for: those of one level and one coefficient."""
    return max(Counter(difference.family for difference in differences).values(), default=0)


def _note_tests(evaluation: MetaEvaluation) -> list[str]:
    count, settings = count_family(evaluation.differences), evaluation.settings
    if not count:
        return []
    units = "systems and topics" if evaluation.has_topics else "systems"
    lines = [f"Differences use the {units} that both metrics score. Values may differ from those above."]
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
        lines.append(
            f"With {settings.resamples:,} resamples, p (Holm) of the bootstrap and the permutations cannot be below "
            f"{min(lowest, 1):.3f}. Use --resamples {int(count / SIGNIFICANCE)} or more, or fewer --metrics."
        )
    return lines


def _list_judged(file: ScoredLocation, used: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Yield notes on the used measures of a file with several judgements of a summary."""
    for scores in file.scores:
        lowest, highest = scores.judgements
        if scores.name in used and highest > 1:
            number = f"{highest:,}" if lowest == highest else f"{lowest:,} to {highest:,}"
            by_judges = f" by {count_of(scores.judges, 'judge')}" if scores.judges else ""
            yield f"{file.source}: {number} judgements per summary{by_judges}, whose mean counts (", scores.name, ")."


def _note_merged(file: ScoredLocation, used: Collection[str]) -> Iterator[str]:
    """Yield a note on each used measure of a file most values of which are ties after rounding."""
    for scores in file.scores:
        if scores.name in used and scores.merged:
            before, after = scores.merged
            numbers = f"has {before:,} different values, and {after:,} after rounding to {DECIMALS} decimals"
            yield f"{file.source}: {scores.name} {numbers}. Scale it so that these decimals tell its values apart."
