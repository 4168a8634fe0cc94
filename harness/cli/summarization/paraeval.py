"""Score summaries by ParaEval (Zhou et al. 2006)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from harness.cli.arguments import (
    path,
    probability,
    refuse_among_summaries,
    refuse_overwriting,
    say,
    set_run,
    show,
    show_or_write,
)
from harness.cli.shared_options import (
    MIN_PROBABILITY_HELP,
    NO_STOP_WORDS_HELP,
    SOURCE_HELP,
    add_workers_option,
    note_words,
)
from harness.cli.summarization.options import (
    add_summary_options,
    add_table_option,
    list_summaries,
    open_tables,
    read_comparisons,
)
from harness.files.writing import write_outputs
from harness.summarization.paraeval.alignment_views import LEGEND, render_alignment_page, render_alignment_text
from harness.summarization.paraeval.prepared_texts import WordRules
from harness.summarization.paraeval.score_report import render_pair_counts, render_score_report
from harness.summarization.paraeval.scoring import (
    NAMED_TIERS,
    Settings,
    align_summary,
    make_signature,
    name_tiers,
    score_summaries,
)
from harness.summarization.paraeval.tables import TopicTables
from harness.summarization.references import Comparison
from harness.summarization.summary_scores import average_by_system, render_scores
from harness.support.progress import track
from harness.text.words import count_words
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import compose

_EQUAL_WORDS_ONLY = (3,)
"""The default of --tiers without paraphrases."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add summaries, tables of paraphrases, their lowest probability in [0, 1], tiers, and the output."""
    set_run(parser, _paraeval)
    add_summary_options(parser)
    add_table_option(parser)
    parser.add_argument(
        "--pyramids", metavar="SOURCE", help=f"also use the SCUs of other topics as paraphrases: {SOURCE_HELP}"
    )
    parser.add_argument(
        "--min-probability",
        type=probability,
        default=0.0,
        metavar="P",
        help=MIN_PROBABILITY_HELP,
    )
    parser.add_argument(
        "--tiers",
        action="append",
        type=_parse_tiers,
        metavar="N,N",
        help="matching tiers: 1 phrases, 2 synonyms, 3 equal words (repeatable, default: as in the paper)",
    )
    parser.add_argument("--stem", action="store_true", help="match words with the same Porter stem")
    parser.add_argument("--no-stop-words", action="store_true", help=NO_STOP_WORDS_HELP)
    parser.add_argument(
        "--pairs", type=path, metavar="FILE", help="write the matched words per reference and tier to FILE"
    )
    parser.add_argument(
        "--show",
        nargs=2,
        metavar=("TOPIC", "SYSTEM"),
        help="show the matches of a single summary, found with the last --tiers",
    )
    add_workers_option(parser)
    parser.add_argument("--html", type=path, metavar="FILE", help="write the output of --show to a web page")


def _parse_tiers(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not set(parts) <= {"1", "2", "3"} or len(set(parts)) < len(parts):
        raise argparse.ArgumentTypeError("use a comma-separated selection of 1, 2 and 3")
    return tuple(sorted(map(int, parts)))


def _paraeval(options: argparse.Namespace) -> None:
    if options.html and not options.show:
        raise OptionError("--html requires a summary to show. Add --show TOPIC SYSTEM")
    if options.show and (options.output or options.pairs):
        raise OptionError("--show writes no files of scores. Omit --output and --pairs")
    chosen_tiers = set().union(*(options.tiers or ()))
    if not (options.tables or options.pyramids) and chosen_tiers & {1, 2}:
        raise OptionError("--tiers 1 and 2 require paraphrases. Add --table or --pyramids")
    _check_outputs(options)
    rules = WordRules(stem=options.stem, stop_words=not options.no_stop_words)
    default_tiers = tuple(NAMED_TIERS) if options.tables or options.pyramids else (_EQUAL_WORDS_ONLY,)
    settings = Settings(tuple(dict.fromkeys(options.tiers or default_tiers)), rules, options.jackknife)
    tables = _open_tables(options)
    comparisons = read_comparisons(options)
    note_words(count_words(list_summaries(comparisons), rules.list_counted))
    for note in tables.note_topics([comparison.peer.topic for comparison in comparisons]):
        say(f"note: {show(note)}", sys.stderr)
    if options.show:
        _show(options, comparisons, tables, settings)
    else:
        _score(options, comparisons, tables, settings)


def _check_outputs(options: argparse.Namespace) -> None:
    outputs = {"--output": options.output, "--pairs": options.pairs, "--html": options.html}
    refuse_among_summaries(outputs, options.peers, options.references)
    inputs = list(options.tables)
    if options.pyramids:
        inputs.append(options.pyramids)
    for output in outputs.values():
        refuse_overwriting(output, *inputs)


def _open_tables(options: argparse.Namespace) -> TopicTables:
    pyramids = read_corpus(options.pyramids).pyramids if options.pyramids else ()
    tables = open_tables(options.tables, stem=options.stem, min_probability=options.min_probability)
    return TopicTables(tables, pyramids, stem=options.stem, min_probability=options.min_probability)


def _score(
    options: argparse.Namespace, comparisons: Sequence[Comparison], tables: TopicTables, settings: Settings
) -> None:
    scores_in_order = score_summaries(comparisons, tables, settings, workers=options.workers)
    scored = list(track(scores_in_order, "summaries", len(comparisons)))
    names = list(map(name_tiers, settings.tiers))
    scores = [summary.score for summary in scored]
    contents = {options.output: render_scores(scores, names), options.pairs: render_pair_counts(scored)}
    write_outputs({file: text.encode() for file, text in contents.items() if file})
    say(render_score_report(average_by_system(scores, names[-1]), scored, _sign(options, tables, settings)))


def _show(
    options: argparse.Namespace, comparisons: Sequence[Comparison], tables: TopicTables, settings: Settings
) -> None:
    topic, author = map(compose, options.show)
    comparison = _find_comparison(comparisons, topic, author)
    tiers = settings.tiers[-1]
    name = name_tiers(tiers)
    (scored,) = score_summaries([comparison], tables, settings)
    counts = {reference: by_name[name] for reference, by_name in scored.pairs.items()}
    pairs = align_summary(comparison, tables(topic), tiers, settings.rules)
    if options.html:
        title = f"{topic}, system {author}: {name}"
        counted = [(reference, counts[reference], pair) for reference, pair in pairs.items()]
        page = render_alignment_page(title, scored.score.values[name], counted, _sign(options, tables, settings))
        show_or_write(page, options.html)
        return
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    say(LEGEND)
    for reference, pair in pairs.items():
        matched, total = counts[reference].matched, counts[reference].total
        say(f"\n{show(reference)}: {matched} of {total} words")
        say(render_alignment_text(pair, coloured=coloured), coloured=coloured)
    say(f"\n{show(name)}: {scored.score.values[name]:.4f}")


def _find_comparison(comparisons: Sequence[Comparison], topic: str, author: str) -> Comparison:
    for comparison in comparisons:
        if (comparison.peer.topic, comparison.peer.author) == (topic, author):
            return comparison
    authors = {comparison.peer.author for comparison in comparisons if comparison.peer.topic == topic}
    if authors:
        raise unknown_name(f"system of topic {topic}", author, authors)
    raise unknown_name("topic", topic, {comparison.peer.topic for comparison in comparisons})


def _sign(options: argparse.Namespace, tables: TopicTables, settings: Settings) -> str:
    return make_signature(tables.names, options.min_probability, settings)
