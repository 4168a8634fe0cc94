"""The report of correlations and tests: tables, numbers, record, and notes on what the numbers mean and leave out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from harness.rendering.reports import Grid, Report
from harness.rendering.tables import NOTHING, count_of, format_p, format_value
from harness.stats.bootstrap import CONFIDENCE
from harness.stats.rounding import DECIMALS
from harness.stats.significance import MIN_TOPICS, SIGNIFICANCE
from harness.summarization.meta_evaluation.correlations import COEFFICIENTS, PEARSON, SUMMARY, SYSTEM, TITLES
from harness.summarization.meta_evaluation.evaluation import CorrelationDifference, MetaEvaluation, MetricCorrelation
from harness.summarization.meta_evaluation.inputs import ScoredLocation
from harness.summarization.meta_evaluation.resampling import MIN_DRAWN_SYSTEMS, UNITS
from harness.summarization.meta_evaluation.scores import ALL_TOPICS, CENTRED, COMPLETE, MIN_SYSTEMS, OWN_TOPICS
from pyramid_paraphrase import __version__
from pyramid_paraphrase.pyramids.naming import note_unified

_HASH_DIGITS = 12
_DIFFERENCE_TITLES = (
    *("r of 1st", "r of 2nd", "r of both", "difference"),
    *("Williams t", "Williams p", "Williams p (Holm)", "bootstrap p", "bootstrap p (Holm)"),
    *("permutation p", "permutation p (Holm)"),
)
_OTHER_TITLES = (
    *("level", "coefficient", "of 1st", "of 2nd", "difference"),
    *("bootstrap p", "bootstrap p (Holm)", "permutation p", "permutation p (Holm)"),
)
_SYMBOLS = dict(zip(COEFFICIENTS, ("r", "rho", "tau"), strict=True))
_NUMBERS = (
    *("judgement", "metric", "other_metric", "level", "measure", "value", "lower", "upper", "p", "p_holm"),
    *("systems", "topics", "reason", "signature"),
)
_MAX_NAMES = 12
_MEANING = {
    SYSTEM: "System level: correlation of the systems' means over topics.",
    SUMMARY: "Summary level: correlation over the systems within each topic, averaged over topics.",
    "": "System level: correlation of the systems' scores, which are not by topic.",
}
_MEANS = {
    OWN_TOPICS: "Means over each system's own topics",
    CENTRED: "Means over each system's own topics of differences from the topics' means",
}
"""Titles of tables with systems that lack some of the topics."""

_LEFT_OUT = {
    "lacking_systems": ("system", "without both scores and judgements"),
    "sparse_systems": ("system", "with less than half of the topics"),
    "lacking_topics": ("topic", "without both scores and judgements"),
    "incomplete_topics": ("topic", "without some of the remaining systems"),
    "small_topics": ("topic", f"with fewer than {MIN_SYSTEMS} systems at the summary level"),
}
"""The words that describe what a block leaves out."""

_DRAWN = dict(zip(UNITS, ("topics", "systems", "topics and systems"), strict=True))


def report_meta_evaluation(
    evaluation: MetaEvaluation, scores: Sequence[ScoredLocation], judgements: Sequence[ScoredLocation], rouge: str
) -> Report:
    """Lay out correlations and differences.

    Args:
        evaluation: Correlations and differences.
        scores: The files of scores that were read.
        judgements: The files of judgements that were read.
        rouge: The value that was read from ROUGE's output, one of `rouge.ROUGE_VALUES`.

    Returns:
        The report. It has a table per judgement and level, and tables of the tests per judgement. The tables leave out
        undefined differences. The numbers and the record contain all differences.
    """
    settings = evaluation.settings
    chosen_means = {} if settings.means == COMPLETE else {"means": settings.means}
    signature = "|".join(
        (
            "meta-eval",
            f"scores:{_shorten_hashes(scores)}",
            f"judgements:{_shorten_hashes(judgements)}",
            f"rouge:{rouge}",
            f"systems:{settings.systems}",
            *(f"means:{means}" for means in chosen_means.values()),
            f"bootstrap:{settings.drawn}:{settings.resamples}/{settings.seed}",
            f"holm:{count_family(evaluation.differences)}",
            f"version:{__version__}",
        )
    )
    notes = (*write_notes(evaluation, [*scores, *judgements]), f"Signature: {signature}")
    unified = {"unified_systems": dict(evaluation.unified_systems)} if evaluation.unified_systems else {}
    if evaluation.matched_topics:
        unified["matched_topics"] = dict(evaluation.matched_topics)
    uncompared = {"uncompared": list(evaluation.uncompared)} if evaluation.uncompared else {}
    record = {
        "kind": "meta-evaluation",
        "version": __version__,
        "signature": signature,
        "scores": [file.describe() for file in scores],
        "judgements": [file.describe() for file in judgements],
        "rouge": rouge,
        "systems": settings.systems,
        **chosen_means,
        "other_systems": list(evaluation.excluded_systems),
        **unified,
        **uncompared,
        "statistics": {
            "unit": settings.drawn,
            "resamples": settings.resamples,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
        },
        "correlations": [_list_fields(correlation, "topics_per_system") for correlation in evaluation.correlations],
        "differences": [_describe_difference(difference) for difference in evaluation.differences],
    }
    numbers = Grid(_NUMBERS, tuple((*row, signature) for row in _list_numbers(evaluation)))
    return Report(_tabulate(evaluation), notes, numbers, record)


def _shorten_hashes(files: Sequence[ScoredLocation]) -> str:
    return ",".join(file.sha256[:_HASH_DIGITS] for file in files)


def _tabulate(evaluation: MetaEvaluation) -> tuple[Grid, ...]:
    grids = []
    for judgement in dict.fromkeys(correlation.judgement for correlation in evaluation.correlations):
        for level in evaluation.settings.levels:
            title = _MEANS.get(evaluation.settings.means or COMPLETE, "") if level == SYSTEM else ""
            header = (f"{judgement}, {level} level", *TITLES.values(), "systems", "topics")
            header = header if _has_topics(evaluation) else header[:-1]
            rows = []
            for correlation in evaluation.correlations:
                if (correlation.judgement, correlation.level) == (judgement, level):
                    values = [
                        format_value(correlation.values.get(name), correlation.intervals.get(name))
                        for name in COEFFICIENTS
                    ]
                    row = (correlation.metric, *values, len(correlation.systems), len(correlation.topics))
                    rows.append(row[: len(header)])
            grids.append(Grid(header, tuple(rows), title=title))
        grids += _tabulate_differences(judgement, evaluation)
    return tuple(grids)


def _tabulate_differences(judgement: str, evaluation: MetaEvaluation) -> Iterator[Grid]:
    with_williams, without_williams = [], []
    for difference in evaluation.differences:
        if difference.judgement != judgement or difference.values is None:
            continue
        metrics = f"{difference.first} vs. {difference.second}"
        first, second, between = (f"{value:.3f}" for value in difference.values)
        value = format_value(difference.difference, difference.interval)
        resampled = (
            *(_show_p(difference.bootstrap_p), _show_p(difference.bootstrap_holm)),
            *(_show_p(difference.permutation_p), _show_p(difference.permutation_holm)),
        )
        if difference.has_williams:
            t, p_value, _ = difference.williams
            williams = (NOTHING if t is None else f"{t:.2f}", _show_p(p_value), _show_p(difference.williams_holm))
            with_williams.append((metrics, first, second, between, value, *williams, *resampled))
        else:
            coefficient = _SYMBOLS[difference.coefficient]
            without_williams.append((metrics, difference.level, coefficient, first, second, value, *resampled))
    if with_williams:
        yield Grid((f"{judgement}, differences", *_DIFFERENCE_TITLES), tuple(with_williams))
    if without_williams:
        yield Grid((f"{judgement}, other differences", *_OTHER_TITLES), tuple(without_williams), keys=3)


def _has_topics(evaluation: MetaEvaluation) -> bool:
    return {topic for row in evaluation.correlations for topic in row.topics} != {ALL_TOPICS}


def _show_p(value: float | None) -> str:
    return NOTHING if value is None else format_p(value)


def _list_numbers(evaluation: MetaEvaluation) -> Iterator[tuple[object, ...]]:
    """Yield the rows of all numbers, without the signature."""
    for correlation in evaluation.correlations:
        names = (correlation.judgement, correlation.metric, None, correlation.level)
        counts = (len(correlation.systems), len(correlation.topics), correlation.reason)
        for name in COEFFICIENTS:
            lower, upper = correlation.intervals.get(name, (None, None))
            yield *names, name, correlation.values.get(name), lower, upper, None, None, *counts
    for difference in evaluation.differences:
        pair = (difference.judgement, difference.first, difference.second, difference.level)
        sizes = (difference.systems, difference.topics)
        suffix = "" if difference.coefficient == PEARSON else f"_{difference.coefficient}"
        if difference.has_williams:
            t, p_value, reason = difference.williams
            williams = ("williams_t", t, None, None, p_value, difference.williams_holm)
            yield *pair, *williams, *sizes, difference.reason or reason
        value, (lower, upper) = difference.difference, difference.interval or (None, None)
        bootstrap = (value, lower, upper, difference.bootstrap_p, difference.bootstrap_holm)
        yield *pair, f"difference{suffix}", *bootstrap, *sizes, difference.reason
        if evaluation.settings.draws_systems:
            permutation = (value, None, None, difference.permutation_p, difference.permutation_holm)
            yield *pair, f"permutation{suffix}", *permutation, *sizes, difference.reason


def _describe_difference(difference: CorrelationDifference) -> dict[str, Any]:
    first, second, between = difference.values or (None, None, None)
    values = {"first": first, "second": second, "between": between}
    return {**_list_fields(difference), "values": values, "williams": difference.williams._asdict()}


def _list_fields(row: MetricCorrelation | CorrelationDifference, optional: str = "") -> dict[str, Any]:
    """Map names of fields to values, without an optional field that is None. `dataclasses.asdict` would copy values."""
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: value for name, value in values.items() if value is not None or name != optional}


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
        *(_MEANING[level if _has_topics(evaluation) else ""] for level in evaluation.settings.levels),
        *_note_systems(evaluation, files),
        *_merge(_list_left_out(evaluation.correlations)),
        *_merge(_list_undefined(evaluation)),
        *_note_intervals(evaluation),
        *_note_tests(evaluation),
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
    if SYSTEM in settings.levels and lines and _has_topics(evaluation):
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


def count_family(differences: Sequence[CorrelationDifference]) -> int:
    """Count the differences that Holm's method corrects for: those of one level and one coefficient."""
    return max(Counter(difference.family for difference in differences).values(), default=0)


def _note_tests(evaluation: MetaEvaluation) -> list[str]:
    count, settings = count_family(evaluation.differences), evaluation.settings
    if not count:
        return []
    units = "systems and topics" if _has_topics(evaluation) else "systems"
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
