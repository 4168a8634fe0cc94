"""Score summaries by ParaEval (Zhou et al. 2006), and count the words that only paraphrases can match."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from harness.cli.options import MIN_PROBABILITY, NO_STOP_WORDS, PLOT, PYRAMIDS, SEED, add_workers, report_file
from harness.cli.outputs import (
    choose_format,
    choose_table_form,
    encode,
    find_table_form,
    note_words,
    print_notes,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.parser import command, flag, option, path
from harness.cli.summarization import summaries
from harness.files.table_forms import render_sheet_file, render_table_file
from harness.files.writing import write_outputs
from harness.paraphrases.tables.reading import list_files
from harness.rendering.pictures import parse_format
from harness.rendering.reports import REPORT_FORMATS, render_report
from harness.rendering.tables import count_of
from harness.summarization.paraeval import coverage, texts, views
from harness.summarization.paraeval.figure import draw_recalls
from harness.summarization.paraeval.scoring import MatchCounts, align_summary, list_matches, score_summaries
from harness.summarization.references import Comparison
from harness.summarization.summary_scores import SummaryScore, render_scores
from harness.support.progress import Progress
from pyramid_paraphrase.errors import EmptyResultError, OptionError, unknown_name
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.rules.ranges import COUNT
from pyramid_paraphrase.words import compose, split_alphanumeric


def _parse_tiers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not set(parts) <= {"1", "2", "3"} or len(set(parts)) < len(parts):
        raise ValueError("use a comma-separated selection of 1, 2 and 3")
    return tuple(sorted(map(int, parts)))


@command(
    *summaries.SUMMARIES,
    summaries.TABLES,
    option("--pyramids SOURCE", "also use the SCUs of other topics as paraphrases: file, folder, archive or 'sample'"),
    MIN_PROBABILITY,
    option(
        "--tiers N,N",
        "matching tiers: 1 phrases, 2 synonyms, 3 equal words (repeatable, default: as in the paper)",
        _parse_tiers,
        action="append",
    ),
    flag("--weighted", "count the words of a paraphrase with its probability"),
    flag("--greedy", "also score with phrases that are chosen greedily"),
    flag("--stem", "match words with the same Porter stem"),
    NO_STOP_WORDS,
    PLOT,
    path("--pairs FILE", "write the matched words per reference and tier to FILE"),
    path("--matches FILE", "write each match of the last --tiers to FILE"),
    option("--sample N", "write a sheet of N random paraphrases instead", COUNT),
    SEED,
    option("--show TOPIC SYSTEM", "show the matches of a summary (last --tiers)", nargs=2),
    add_workers,
    path("--html FILE", "write the output of --show to a web page"),
)
def run_paraeval(options: argparse.Namespace) -> None:
    """Score summaries by ParaEval, or show the matches of a summary."""
    _check_options(options)
    form = choose_table_form(options)
    # Without paraphrases, only equal words can match.
    default_tiers = tuple(texts.NAMED_TIERS) if options.tables or options.pyramids else ((3,),)
    settings = texts.ParaEvalSettings(
        tuple(dict.fromkeys(options.tiers or default_tiers)),
        stem=options.stem,
        stop_words=not options.no_stop_words,
        jackknife=options.jackknife,
        greedy=options.greedy,
        weighted=options.weighted,
    )
    pyramids = read_corpus(options.pyramids).pyramids if options.pyramids else ()
    entry_rules = {"stem": options.stem, "min_probability": options.min_probability}
    tables = texts.TopicTables(summaries.open_tables(options.tables, **entry_rules), pyramids, **entry_rules)
    comparisons = summaries.read_comparisons(options)
    note_words(summaries.list_summaries(comparisons), settings.list_counted)
    print_notes(tables.note_topics([comparison.peer.topic for comparison in comparisons]))
    if options.weighted:
        print_notes(tables.note_weights())
    if options.show:
        _show(options, comparisons, tables, settings)
        return
    scores_in_order = score_summaries(comparisons, tables, settings, workers=options.workers)
    with Progress(visible=True) as progress:
        scored = list(progress.track(scores_in_order, "summaries", len(comparisons)))
    names = [name for name, *_ in settings.list_choices()]
    table = render_scores([score for score, _ in scored], names, form) if form else ""
    contents = _render_files(options, comparisons, scored, settings)
    if options.output:
        contents[options.output] = encode(table)
    note = ""
    if options.matches:
        contents[options.matches], note = _render_matches(options, comparisons, tables, settings)
    write_outputs(contents)
    if form and not options.output:
        show_or_write(table, None)
        return
    say(views.render_score_report(scored, views.make_signature(tables.names, options.min_probability, settings)))
    if note:
        say(f"\n{note}")


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that do not fit together, and files that would be overwritten."""
    has_paraphrases = options.tables or options.pyramids
    chosen_tiers = set().union(*(options.tiers or ()))
    if not has_paraphrases and chosen_tiers & {1, 2}:
        raise OptionError("--tiers 1 and 2 require paraphrases. Add --table or --pyramids")
    if options.weighted and not has_paraphrases:
        raise OptionError("--weighted requires paraphrases. Add --table or --pyramids")
    if options.greedy and not (1 in chosen_tiers if options.tiers else has_paraphrases):
        raise OptionError("--greedy requires tier 1. Add --table, and 1 to --tiers")
    _check_outputs(options)


def _check_outputs(options: argparse.Namespace) -> None:
    """Check the files to write before the computation, so that errors come early."""
    if options.html and not options.show:
        raise OptionError("--html requires a summary to show. Add --show TOPIC SYSTEM")
    outputs = {
        "--output": options.output,
        "--pairs": options.pairs,
        "--matches": options.matches,
        "--plot": options.plot,
    }
    if options.show and (options.format or any(outputs.values())):
        raise OptionError("--show writes no files of scores. Omit --output, --format, --pairs, --matches and --plot")
    if options.sample and not options.matches:
        raise OptionError("--sample requires a file. Add --matches FILE")
    for table in filter(None, (options.pairs, options.matches)):
        find_table_form(table)
    if options.plot:
        parse_format(options.plot)
    outputs["--html"] = options.html
    summaries.refuse_among_summaries(outputs, options.peers, options.references)
    table_files = list(chain.from_iterable(map(list_files, options.tables)))
    for output in outputs.values():
        refuse_overwriting(output, *table_files, options.pyramids)
    if options.plot:
        require("matplotlib", "plots")


def _render_files(
    options: argparse.Namespace,
    comparisons: Sequence[Comparison],
    scored: Sequence[tuple[SummaryScore, Mapping[str, Mapping[str, MatchCounts]]]],
    settings: texts.ParaEvalSettings,
) -> dict[Path, bytes]:
    """Render the numbers of words of `--pairs`, and the figure."""
    contents: dict[Path, bytes] = {}
    if options.pairs:
        form = find_table_form(options.pairs)
        contents[options.pairs] = encode(render_table_file(form, *views.list_pair_counts(scored)))
    if options.plot:
        drawn = dict.fromkeys(map(texts.name_tiers, (settings.tiers[0], settings.tiers[-1])))
        scores = [score for score, _ in scored]
        contents[options.plot] = draw_recalls(comparisons, scores, list(drawn), parse_format(options.plot))
    return contents


def _render_matches(
    options: argparse.Namespace,
    comparisons: Sequence[Comparison],
    tables: texts.TopicTables,
    settings: texts.ParaEvalSettings,
) -> tuple[bytes, str]:
    """Render the matches, or a sheet of some of them, and a line that says what is written."""
    tiers = settings.tiers[-1]
    listed = list_matches(comparisons, tables, tiers, settings, workers=options.workers)
    rows, sheet_rows = views.list_match_rows(listed)
    form = find_table_form(options.matches)
    if not options.sample:
        content = encode(render_table_file(form, views.MATCH_COLUMNS, rows))
        return content, f"Matches of {texts.name_tiers(tiers)} written: {len(rows):,}"
    drawn, distinct = views.sample_sheet(sheet_rows, options.sample, options.seed)
    if not drawn:
        raise EmptyResultError("no paraphrase is matched. Use another --table, or other --tiers")
    note = f"{len(drawn):,} of {count_of(distinct, 'distinct pair')} of matched paraphrases are on the sheet"
    return render_sheet_file(form, views.SHEET_COLUMNS, drawn), note


def _show(
    options: argparse.Namespace,
    comparisons: Sequence[Comparison],
    tables: texts.TopicTables,
    settings: texts.ParaEvalSettings,
) -> None:
    topic, author = map(compose, options.show)
    comparison = _find_comparison(comparisons, topic, author)
    tiers = settings.tiers[-1]
    name = texts.name_tiers(tiers)
    ((score, counts_by_reference),) = score_summaries([comparison], tables, settings)
    matches = align_summary(comparison, tables(topic), tiers, settings)
    pairs = []
    for reference in comparison.references:
        author_matches = matches[reference.author]
        marked, marked_peer = views.mark_pair(reference.sentences, comparison.peer.sentences, author_matches)
        weights = views.list_weights(author_matches) if options.weighted else ""
        pairs.append((reference.author, counts_by_reference[reference.author][name], marked, marked_peer, weights))
    if options.html:
        title = f"{topic}, system {author}: {name}"
        signature = views.make_signature(tables.names, options.min_probability, settings)
        show_or_write(views.render_alignment_page(title, score.values[name], pairs, signature), options.html)
        return
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    say(views.LEGEND)
    for reference_author, counts, marked, marked_peer, weights in pairs:
        say(f"\n{show(reference_author)}: {show(views.format_words(counts.matched))} of {counts.total:d} words")
        say(views.render_alignment_text(marked, marked_peer, coloured=coloured), coloured=coloured)
        if weights:
            say(f"\nweights of the words of matches: {show(weights)}")
    say(f"\n{show(name)}: {score.values[name]:.4f}")


def _find_comparison(comparisons: Sequence[Comparison], topic: str, author: str) -> Comparison:
    for comparison in comparisons:
        if (comparison.peer.topic, comparison.peer.author) == (topic, author):
            return comparison
    authors = {comparison.peer.author for comparison in comparisons if comparison.peer.topic == topic}
    if authors:
        raise unknown_name(f"system of topic {topic}", author, authors)
    raise unknown_name("topic", topic, {comparison.peer.topic for comparison in comparisons})


@command(
    PYRAMIDS,
    summaries.TABLES,
    flag("--other-topics", "also use the SCUs of other topics as paraphrases"),
    *report_file(REPORT_FORMATS, has_digits=False),
)
def run_coverage(options: argparse.Namespace) -> None:
    """Count the words of SCUs that paraphrases match and equal words do not."""
    form = choose_format(options, REPORT_FORMATS, options.pyramids)
    pyramids = read_corpus(*options.pyramids).pyramids
    contributors = chain.from_iterable(scu.contributors for pyramid in pyramids for scu in pyramid.scus)
    note_words((contributor.text for contributor in contributors), split_alphanumeric, "contributors")
    paraphrase_sources = pyramids if options.other_topics else ()
    tables = texts.TopicTables(
        summaries.open_tables(options.tables), paraphrase_sources, stem=False, min_probability=0.0
    )
    counts = coverage.measure_coverage(pyramids, lambda topic: coverage.make_matchers(tables(topic)))
    show_or_write(render_report(coverage.report_coverage(*counts), form), options.output)
