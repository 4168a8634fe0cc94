"""Choose sentences to collect paraphrases of, simulate the choice, and measure the agreement of annotators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from itertools import chain
from typing import Any

from harness.cli.arguments import (
    add_command,
    number_in,
    path,
    percentage,
    positive,
    refuse_overwriting,
    say,
    show,
    show_or_write,
)
from harness.cli.shared_options import add_plot_option, add_seed_option
from harness.files.tab_separated import render_rows
from harness.files.writing import write_file
from harness.paraphrases.collection.agreement import (
    TALLY_COLUMNS,
    Tally,
    compare_with_expert,
    drop_annotators,
    list_tallies,
    rate_annotators,
    read_grades,
    read_votes,
    tally_votes,
)
from harness.paraphrases.collection.figures import draw_collection
from harness.paraphrases.collection.questions import QUESTION_COLUMNS, Rules, make_questions, read_topics
from harness.paraphrases.collection.reports import (
    render_annotators,
    render_expert,
    render_questions,
    render_simulation,
)
from harness.paraphrases.collection.simulation import Plan, lay_out_pool, simulate_collection
from harness.rendering.pictures import parse_format
from harness.support.extras import require
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.formats.pair_corpora import read_pair_corpus
from pyramid_paraphrase.formats.pair_files import AnnotatedPair
from pyramid_paraphrase.rules.ranges import Range

_RUNS = Range(1, 100_000)
_SHARE = Range(0.000001, 1, is_whole=False)
_KAPPA = Range(-1, 1, is_whole=False)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the actions filter, simulate and agreement."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_filter(actions)
    _add_simulate(actions)
    agreement = add_command(
        actions, "agreement", _agreement, "measure the agreement of annotators, and label items by their votes"
    )
    agreement.add_argument(
        "votes",
        type=path,
        metavar="VOTES.tsv",
        help="tab-separated file with the columns item, annotator and vote (0 or 1)",
    )
    agreement.add_argument(
        "--expert",
        type=path,
        metavar="FILE",
        help="grades of an expert to compare with: columns item and grade (0 to 5)",
    )
    agreement.add_argument(
        "--min-kappa", type=number_in(_KAPPA), metavar="K", help="omit annotators with a kappa below K"
    )
    agreement.add_argument(
        "--output", type=path, metavar="FILE", help="write the votes and the label of each item to FILE"
    )


def _add_filter(actions: Any) -> None:  # noqa: ANN401
    make = add_command(actions, "filter", _filter, "make questions for annotators from the salient sentences of topics")
    make.add_argument(
        "sentences", type=path, metavar="SENTENCES.tsv", help="tab-separated file with the columns topic and sentence"
    )
    make.add_argument(
        "--originals",
        type=percentage,
        default=10,
        metavar="PERCENT",
        help="percentage of the most salient sentences to draw the original from (default: %(default)s)",
    )
    _add_candidates_option(make)
    _add_per_question_option(make, 10)
    add_seed_option(make)
    make.add_argument("--output", type=path, metavar="FILE", help="write the questions to FILE instead of the terminal")


def _add_candidates_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--candidates",
        type=percentage,
        default=50,
        metavar="PERCENT",
        help="percentage of the most salient sentences that are candidates (default: %(default)s)",
    )


def _add_per_question_option(parser: argparse.ArgumentParser, default: int) -> None:
    help_text = "maximum candidates per question (default: %(default)s)"
    parser.add_argument("--per-question", type=positive, default=default, metavar="N", help=help_text)


def _add_simulate(actions: Any) -> None:  # noqa: ANN401
    text = "simulate ways to choose topics and sentences on a corpus of labelled pairs"
    simulate = add_command(actions, "simulate", _simulate, text)
    simulate.add_argument("source", metavar="SOURCE", help="folder or archive with PIT-2015, MSRP or Twitter URL files")
    simulate.add_argument("--split", action="append", metavar="NAME", help="split to use (repeatable, default: all)")
    simulate.add_argument(
        "--budget", type=positive, metavar="B", help="number of questions (default: number of topics)"
    )
    simulate.add_argument(
        "--epsilon",
        type=number_in(_SHARE),
        default=0.45,
        metavar="SHARE",
        help="share of the budget for exploration (default: %(default)s)",
    )
    simulate.add_argument(
        "--explore",
        type=positive,
        default=1,
        metavar="M",
        help="exploration questions per topic (default: %(default)s)",
    )
    simulate.add_argument(
        "--limit", type=positive, default=10, metavar="L", help="maximum questions per topic (default: %(default)s)"
    )
    _add_per_question_option(simulate, 1)
    _add_candidates_option(simulate)
    simulate.add_argument(
        "--runs",
        type=number_in(_RUNS),
        default=200,
        metavar="N",
        help=f"number of runs, at most {_RUNS.high} (default: 200)",
    )
    add_seed_option(simulate)
    add_plot_option(simulate)


def _filter(options: argparse.Namespace) -> None:
    refuse_overwriting(options.output, options.sentences)
    topics = read_topics(options.sentences)
    rules = Rules(options.originals, options.candidates, options.per_question, options.seed)
    questions = make_questions(topics, rules)
    if not questions:
        reason = "no topic has two distinct sentences"
        raise InputError(str(options.sentences), reason, "add sentences, so that a topic has at least two")
    rows: list[tuple[str, str, str]] = []
    for question in questions:
        rows += [(question.topic, question.original, candidate) for candidate in question.candidates]
    show_or_write(render_rows(QUESTION_COLUMNS, rows), options.output)
    stream = sys.stdout if options.output else sys.stderr
    say(render_questions(questions, len(topics)), stream)


def _simulate(options: argparse.Namespace) -> None:
    if options.plot:
        form = parse_format(options.plot)
        require("matplotlib", "plots")  # before the computation, so that the error comes early
    if options.explore > options.limit:
        reason = f"--explore {options.explore} is more than the maximum of {options.limit} questions per topic"
        raise OptionError(f"{reason}. Lower --explore, or raise --limit")
    pool = lay_out_pool(_read_pairs(options), options.candidates, options.seed)
    plan = Plan(options.budget or pool.topic_count, options.epsilon, options.explore, options.limit)
    yields = simulate_collection(pool, plan, options.per_question, options.runs, options.seed)
    say(render_simulation(pool, plan, options.per_question, yields))
    if options.plot:
        write_file(options.plot, draw_collection(pool, yields, plan.budget * options.per_question, form))
        say(f"\nWritten: {show(options.plot)}")


def _read_pairs(options: argparse.Namespace) -> list[AnnotatedPair]:
    splits = read_pair_corpus(options.source).splits
    for name in options.split or ():
        if name not in splits:
            raise unknown_name("split", name, splits)
    chosen = options.split or splits
    return list(chain.from_iterable(pairs for name, pairs in splits.items() if name in chosen))


def _agreement(options: argparse.Namespace) -> None:
    inputs = [options.votes]
    if options.expert:
        inputs.append(options.expert)
    refuse_overwriting(options.output, *inputs)
    votes = read_votes(options.votes)
    annotators = rate_annotators(votes)
    kept = votes
    if options.min_kappa is not None:
        kept = drop_annotators(votes, annotators, options.min_kappa)
    if not kept:
        reason = f"every annotator has a kappa below {options.min_kappa:g}"
        raise InputError(str(options.votes), reason, "lower --min-kappa")
    tallies = tally_votes(kept)
    expert_agreement = ""
    if options.expert:
        expert_agreement = _render_expert_agreement(options, {vote.item for vote in votes}, tallies)
    say(render_annotators(annotators, tallies))
    if options.min_kappa is not None:
        dropped = len(annotators) - len({vote.annotator for vote in kept})
        say(f"Left out: {dropped:,} of {len(annotators):,} annotators, with a kappa below {options.min_kappa:g}.")
    if expert_agreement:
        say("\n" + expert_agreement)
    if options.output:
        write_file(options.output, render_rows(TALLY_COLUMNS, list_tallies(tallies)).encode())
        say(f"\nWritten: {show(options.output)}")


def _render_expert_agreement(options: argparse.Namespace, voted: set[str], tallies: Mapping[str, Tally]) -> str:
    grades = {item: grade for item, grade in read_grades(options.expert, voted).items() if item in tallies}
    if not grades:
        reason = "no graded item has votes by the remaining annotators"
        raise InputError(str(options.expert), reason, "lower --min-kappa, or grade other items")
    try:
        return render_expert(compare_with_expert(tallies, grades))
    except ValueError as error:
        reason = f"{error} on the graded items"
        raise InputError(
            str(options.expert), reason, "grade more items, since a correlation needs different grades"
        ) from None
