"""Correlate the scores of summaries with judgements of people, and test which metric agrees better."""

from __future__ import annotations

import argparse
import sys
from itertools import chain

from harness.cli.options import PLOT, bootstrap, name_columns, report_file
from harness.cli.outputs import choose_format, print_notes, refuse_overwriting, say, show, show_or_write
from harness.cli.parser import choice, command, option
from harness.files.writing import write_file
from harness.rendering.pictures import parse_format
from harness.rendering.reports import REPORT_FORMATS, render_report
from harness.summarization.meta_evaluation import accuracies, correlations, figure, resampling, scores
from harness.summarization.meta_evaluation.evaluation import evaluate_metrics
from harness.summarization.meta_evaluation.inputs import (
    choose_measures,
    lack_topics,
    read_score_files,
    require_columns,
)
from harness.summarization.meta_evaluation.report import report_meta_evaluation
from harness.summarization.meta_evaluation.tables import FIELDS, JUDGE
from harness.summarization.rouge import ROUGE_VALUES
from harness.support.errors import ComparisonError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.files.extras import require

_LEVELS = {**{level: (level,) for level in correlations.LEVELS}, "both": tuple(correlations.LEVELS)}


def _split_names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError("use names, comma-separated")
    return names


def _require_coefficients(settings: resampling.CorrelationSettings, *, only_systems: bool) -> None:
    """Check that each chosen coefficient is defined at a chosen level.

    Raises:
        OptionError: If one is not.
    """
    for name in settings.coefficients:
        if only_systems and name not in (*correlations.COEFFICIENTS, accuracies.ACCURACY):
            raise OptionError(f"{name} requires scores per topic, and the files have scores per system. Omit it")
        if not any(name in settings.list_names(level) for level in settings.levels):
            level = next(level for level in correlations.LEVELS if accuracies.list_names(level, [name]))
            raise OptionError(f"{name} is defined at the {level} level. Use --level {level}, or omit it")


def _parse_coefficients(text: str) -> tuple[str, ...]:
    for name in (names := _split_names(text)):
        if name not in accuracies.TITLES:
            raise unknown_name("coefficient", name, accuracies.TITLES)
    return tuple(dict.fromkeys(names))


@command(
    option(
        "scores SCORES",
        "metric scores: a table (CSV, tab-separated, Excel or JSON), output of ROUGE-1.5.5, a NIST table, or pyramid "
        "annotations. Name a file in an archive as ARCHIVE/PATH",
        nargs="+",
    ),
    option(
        "--judgements FILE", "human judgements, in the formats of SCORES", nargs="+", action="extend", required=True
    ),
    option(
        "--judges COLUMN",
        "column with names of judges (default: recognized by its name, such as judge, rater or reviewer). The mean of "
        "several judgements of a summary counts",
    ),
    name_columns(FIELDS, "topic=doc_id,system=model"),
    option("--metrics NAMES", "metrics to evaluate, comma-separated (default: all)", _split_names),
    option("--criteria NAMES", "criteria of the judgements, comma-separated (default: all)", _split_names),
    choice("--level", _LEVELS, "correlate means of systems, or single summaries", default="both"),
    option(
        "--coefficients NAMES",
        f"comma-separated: {', '.join(accuracies.TITLES)} (default: the first three)",
        _parse_coefficients,
        default=correlations.COEFFICIENTS,
    ),
    choice(
        "--systems",
        scores.SYSTEMS,
        "summarizers to include. Humans, named by letters, inflate correlations",
        default=scores.SYSTEMS[0],
    ),
    choice(
        "--means",
        scores.MEANS,
        "topics of a summarizer's mean: the topics of everybody, its own, or its own with differences from the topics' "
        "means (default: own-topics with humans, otherwise complete)",
    ),
    choice("--rouge", ROUGE_VALUES, "value to read from ROUGE output", default=ROUGE_VALUES[0]),
    choice(
        "--resample",
        resampling.UNITS,
        "units to resample: 'topics' generalizes to other topics, 'systems' to other systems",
        default=resampling.BOTH,
    ),
    PLOT,
    bootstrap("bootstrap, and permutation tests with as many permutations"),
    *report_file(REPORT_FORMATS),
)
def run_meta_eval(options: argparse.Namespace) -> None:
    """Correlate the scores of summaries with judgements of people."""
    inputs = (*options.scores, *options.judgements)
    form = choose_format(options, REPORT_FORMATS, inputs)
    if options.plot is not None:  # before the computation, so that errors come early
        picture_format = parse_format(options.plot)
        require("matplotlib", "plots")
        if options.plot == options.output:
            raise OptionError(f"{options.plot}: is the path of both --output and --plot. Use two different paths")
        refuse_overwriting(options.plot, *inputs)
    columns = dict(options.columns)
    if options.judges is not None:
        if JUDGE.name in columns:
            raise OptionError("--judges and --columns both name the column of judges. Omit --judges")
        columns[JUDGE.name] = options.judges
    scored = read_score_files(options.scores, options.rouge, columns=columns)
    judged = read_score_files(options.judgements, options.rouge, are_judgements=True, columns=columns)
    require_columns(columns, [*scored, *judged])
    metrics = choose_measures(scored, options.metrics, "metric")
    judgements = choose_measures(judged, options.criteria, "criterion")
    only_systems = lack_topics([*metrics, *judgements])
    if only_systems and options.level == correlations.SUMMARY:
        raise OptionError("--level summary requires scores per topic, and the files have scores per system. Omit it")
    settings = resampling.CorrelationSettings(
        levels=(correlations.SYSTEM,) if only_systems else _LEVELS[options.level],
        systems=options.systems,
        resamples=options.resamples,
        seed=options.seed,
        drawn=resampling.SYSTEMS if only_systems else options.resample,
        means=scores.COMPLETE if only_systems else options.means,
        coefficients=options.coefficients,
    )
    _require_coefficients(settings, only_systems=only_systems)
    try:
        with Progress(visible=True) as progress:
            evaluation = evaluate_metrics(metrics, judgements, settings, progress)
    except ComparisonError:  # a column that was recognized wrongly is a frequent cause
        print_notes(chain.from_iterable(file.notes for file in (*scored, *judged)))
        raise
    report = report_meta_evaluation(evaluation, scored, judged, options.rouge)
    show_or_write(render_report(report, form), options.output)
    if options.plot is not None:
        write_file(options.plot, figure.draw_correlations(evaluation, picture_format))
        # A report on standard output may be JSON, which another line would break.
        say(show(options.plot), sys.stdout if options.output else sys.stderr)
