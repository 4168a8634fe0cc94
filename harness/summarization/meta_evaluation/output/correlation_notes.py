"""What one should know of correlations and tests, in sentences: what was left out, and what the numbers mean."""

from __future__ import annotations

from collections import Counter
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


def write_notes(found: MetaEvaluation, files: Sequence[ScoreFile]) -> list[str]:
    """Explain what was found.

    Args:
        found: Correlations and differences.
        files: What was read.

    Returns:
        A note each.
    """
    return [
        *(_MEANING[level] for level in found.settings.levels),
        *_note_systems(found),
        *_note_left_out(found.correlations),
        *_note_constant(found.correlations),
        *_note_undefined(found),
        *_note_intervals(found),
        *_note_tests(found),
        *(_note_files(file) for file in files if file.left_out),
    ]


def _note_systems(found: MetaEvaluation) -> list[str]:
    if not found.others:
        return [f"Systems: {found.settings.systems}."]
    why = ", for names of one letter are taken for humans" if found.settings.systems == "automatic" else ""
    return [f"Systems: {found.settings.systems}; {_list_names(found.others, 'other')} left out{why}."]


def _list_names(names: Sequence[str], thing: str, which: str = "") -> str:
    """How many things, and what the first of them are called."""
    return f"{count_of(len(names), thing)} {which}({_join_names(names)})"


def _join_names(names: Iterable[str]) -> str:
    """The first of several names, each once, and how many there are beside."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _MAX_NAMES} more" if len(distinct) > _MAX_NAMES else ""
    return ", ".join(distinct[:_MAX_NAMES]) + more


def _note_left_out(correlations: Iterable[Correlation]) -> list[str]:
    texts: dict[tuple[str, str], list[str]] = {}
    for one in correlations:
        lacks = [
            _list_names(names, thing, f"{which} ")
            for field, thing, which in _LEFT_OUT
            if (names := getattr(one.left_out, field))
        ]
        if lacks:
            texts.setdefault((one.judgement, ", ".join(lacks)), []).append(one.metric)
    return [
        f"Left out for {judgement} by {_join_names(metrics)}: {text}." for (judgement, text), metrics in texts.items()
    ]


def _note_constant(correlations: Iterable[Correlation]) -> list[str]:
    texts: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in correlations:
        if one.constant_topics:
            texts.setdefault((one.judgement, one.constant_topics), []).append(one.metric)
    return [
        f"Left out for {judgement} by {_join_names(metrics)} at the summary level: "
        f"{_list_names(topics, 'topic', 'in which one of both has all systems equal ')}."
        for (judgement, topics), metrics in texts.items()
    ]


def _note_undefined(found: MetaEvaluation) -> list[str]:
    """A note for all that has the same reason: a constant metric among many has one with each of the others."""
    texts: dict[tuple[str, str, str], list[str]] = {}
    for one in found.correlations:
        if one.reason:
            texts.setdefault((f"{one.judgement} by", f", {one.level} level", one.reason), []).append(one.metric)
    for pair in found.differences:
        if reason := pair.reason or pair.williams.reason:
            test = ", difference" if pair.reason else ", Williams"
            texts.setdefault((f"{pair.judgement},", test, reason), []).append(f"{pair.first} vs. {pair.second}")
    return [
        f"Not defined ({NOTHING}): {start} {_join_names(names)}{end}: {reason}."
        for (start, end, reason), names in texts.items()
    ]


def _note_intervals(found: MetaEvaluation) -> list[str]:
    settings, lines = found.settings, []
    if any(one.intervals for one in found.correlations):
        over, others = _DRAWN[settings.drawn]
        drawn = f"{settings.resamples:,} resamples, seed {settings.seed}"
        lines.append(f"Intervals: 95 %, bootstrap over {over}, {drawn}. They are for {others}.")
    if SYSTEM in settings.levels and lines:
        lines.append("With more topics, the means of systems are less noisy, and correlations tend to be higher.")
    defined = [one for one in found.correlations if one.values]
    if settings.draws_topics and any(len(one.topics) < MIN_TOPICS for one in defined):
        lines.append(f"Fewer than {MIN_TOPICS} topics give no interval and no bootstrap p.")
    if settings.draws_systems and any(len(one.systems) < MIN_DRAWN_SYSTEMS for one in defined):
        lines.append(
            f"Fewer than {MIN_DRAWN_SYSTEMS} systems give no interval, bootstrap p or permutation p. Give --resample "
            "topics to treat the systems as fixed."
        )
    lines += [
        f"{one.judgement} by {one.metric}, {one.level} level: {count_of(one.undefined_resamples, 'resample')} without "
        "a correlation left out of the interval."
        for one in found.correlations
        if one.undefined_resamples
    ]
    return lines


def count_family(differences: Sequence[Difference]) -> int:
    """Count the differences that Holm's correction is for: those of one level and one coefficient."""
    kinds = Counter((difference.level, difference.coefficient) for difference in differences)
    return max(kinds.values(), default=0)


def _note_tests(found: MetaEvaluation) -> list[str]:
    count, settings = count_family(found.differences), found.settings
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
    if lowest > SIGNIFICANCE and any(one.bootstrap_p is not None for one in found.differences):
        needed = f"--resamples {int(count / SIGNIFICANCE)} at least, or fewer --metrics"
        lines.append(
            f"With so few resamples, p (Holm) of the bootstrap and the permutations cannot be below "
            f"{min(lowest, 1):.3f}; give {needed}."
        )
    return lines


def _note_files(file: ScoreFile) -> str:
    return f"{file.source}: {count_of(file.left_out, 'file')} left out; `pyramid-paraphrase inspect` says why."
