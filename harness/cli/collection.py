"""Choose sentences to collect paraphrases of, simulate the choice, and measure the agreement of annotators."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import chain

from harness.cli.options import PLOT, SEED, name_columns, report_file, table_file
from harness.cli.outputs import choose_format, choose_table_form, encode, say, show, show_or_write
from harness.cli.parser import Row, command, flag, option, path
from harness.files.table_forms import render_table_file
from harness.files.writing import write_file
from harness.paraphrases.collection import agreement, figures, questions, reports, simulation
from harness.rendering.pictures import parse_format
from harness.rendering.reports import REPORT_FORMATS, render_report
from pyramid_paraphrase.errors import InputError, OptionError, unknown_name
from pyramid_paraphrase.files.extras import require
from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus
from pyramid_paraphrase.rules.options import TEST
from pyramid_paraphrase.rules.ranges import COUNT, Range

_PERCENTAGE = Range(1, 100)
_RUNS = Range(1, 100_000)

_CANDIDATES = option(
    "--candidates PERCENT", "percentage of the most salient sentences that are candidates", _PERCENTAGE, default=50
)


def _list_per_question(default: int) -> Row:
    return option("--per-question N", "maximum candidates per question", COUNT, default=default)


@command(
    path("sentences SENTENCES", "table with the columns topic and sentence"),
    name_columns(questions.SENTENCE_FIELDS, "sentence=text"),
    option(
        "--originals PERCENT",
        "percentage of the most salient sentences to draw the original from",
        _PERCENTAGE,
        default=10,
    ),
    _CANDIDATES,
    _list_per_question(10),
    option("--per-topic N", "maximum questions per topic, each with another original", COUNT, default=1),
    SEED,
    *table_file("the questions"),
)
def run_collection_filter(options: argparse.Namespace) -> None:
    """Make questions for annotators from the salient sentences of topics."""
    form = choose_table_form(options, [options.sentences]) or "tsv"
    topics = questions.read_topics(options.sentences, options.columns)
    made = questions.make_questions(
        topics,
        originals=options.originals,
        candidates=options.candidates,
        per_question=options.per_question,
        per_topic=options.per_topic,
        seed=options.seed,
    )
    if not made:
        reason = "no topic has two distinct sentences"
        raise InputError(str(options.sentences), reason, "add sentences, so that a topic has at least two")
    rows: list[tuple[str, str, str]] = []
    for topic, original, candidates in made:
        rows += [(topic, original, candidate) for candidate in candidates]
    show_or_write(render_table_file(form, questions.QUESTION_COLUMNS, rows), options.output)
    stream = sys.stdout if options.output else sys.stderr
    say(reports.render_questions(made, len(topics)), stream)


_PLAN = (
    option("--budget B", "number of questions (default: number of topics)", COUNT),
    option("--epsilon SHARE", "share of the budget for exploration", Range(0.000001, 1, is_whole=False), default=0.45),
    option("--explore M", "exploration questions per topic", COUNT, default=1),
    option("--limit L", "maximum questions per topic", COUNT, default=10),
)


def _check_plan(options: argparse.Namespace) -> None:
    if options.explore > options.limit:
        reason = f"--explore {options.explore} is more than the maximum of {options.limit} questions per topic"
        raise OptionError(f"{reason}. Lower --explore, or raise --limit")


@command(
    path("questions QUESTIONS", "table with the columns topic, original and candidate, from collection filter"),
    name_columns(questions.QUESTION_FIELDS, "original=sentence"),
    path("--answers VOTES", "sheet with the votes so far (repeatable)", action="append", default=[]),
    name_columns(agreement.VOTE_FIELDS, "item=id", flag_name="--answer-columns", tables="the answers"),
    *_PLAN,
    option("--size N", "maximum questions in the sheet", COUNT),
    SEED,
    *table_file("the sheet"),
)
def run_collection_next(options: argparse.Namespace) -> None:
    """Choose the next questions for annotators by the answers so far, and write them as a sheet."""
    _check_plan(options)
    form = choose_table_form(options, (options.questions, *options.answers)) or "tsv"
    asked = questions.read_questions(options.questions, options.columns)
    votes: dict[tuple[str, str], int] = {}
    for file in options.answers:
        for (item, annotator), vote in agreement.read_votes(file, options.answer_columns).items():
            if votes.setdefault((item, annotator), vote) != vote:
                reason = f"annotator {annotator} votes on item {item} in another way than in another table"
                raise InputError(str(file), reason, "keep only one of the two votes")
    tallies = agreement.tally_votes(votes)
    answers = [agreement.count_paraphrases(questions.name_items(question), tallies) for question in asked]
    topics = [topic for topic, _, _ in asked]
    budget = options.budget or len(set(topics))
    plan = simulation.Plan(budget, options.epsilon, options.explore, options.limit)
    places, explores = simulation.choose_next(topics, answers, plan, options.seed)
    chosen = [asked[place] for place in places[: options.size]]
    rows: list[tuple[object, ...]] = []
    for question in chosen:
        topic, original, candidates = question
        for item, candidate in zip(questions.name_items(question), candidates, strict=True):
            rows.append((item, topic, original, candidate, "", ""))
    if rows:
        show_or_write(render_table_file(form, questions.SHEET_COLUMNS, rows), options.output)
    stream = sys.stdout if options.output or not rows else sys.stderr
    say(reports.render_next(asked, tallies, chosen, explores), stream)


@command(
    option("source SOURCE", "folder or archive with PIT-2015, MSRP or Twitter URL files"),
    option("--split NAME", "split to use (repeatable, default: all)", action="append"),
    *_PLAN,
    _list_per_question(1),
    _CANDIDATES,
    option("--runs N", f"number of runs, at most {_RUNS.high} (default: 200)", _RUNS, default=200),
    SEED,
    *report_file(REPORT_FORMATS, has_digits=False),
    PLOT,
)
def run_collection_simulate(options: argparse.Namespace) -> None:
    """Simulate ways to choose topics and sentences on a corpus of labelled pairs."""
    report_form = choose_format(options, REPORT_FORMATS, [options.source])
    if options.plot:
        form = parse_format(options.plot)
        require("matplotlib", "plots")  # before the computation, so that the error comes early
    _check_plan(options)
    splits = read_pair_corpus(options.source).splits
    for name in options.split or ():
        if name not in splits:
            raise unknown_name("split", name, splits)
    chosen = options.split or splits
    pairs = list(chain.from_iterable(pairs for name, pairs in splits.items() if name in chosen))
    pool = simulation.lay_out_pool(pairs, options.candidates, options.seed)
    plan = simulation.Plan(options.budget or pool.topic_count, options.epsilon, options.explore, options.limit)
    yields = simulation.simulate_collection(pool, plan, options.per_question, options.runs, options.seed)
    report = reports.report_simulation(pool, plan, options.per_question, yields)
    show_or_write(render_report(report, report_form), options.output)
    if options.plot:
        # The grades of the test split are not votes, but those of an expert.
        voted = chain.from_iterable(splits[name] for name in chosen if name != TEST)
        pinc_by_votes = simulation.measure_pinc_by_votes(list(voted))
        asked = plan.budget * options.per_question
        picture = figures.draw_collection(pool, yields, asked, form, pinc_by_votes)
        write_file(options.plot, picture)
        # A report on standard output may be JSON, which another line would break.
        say(f"\nWritten: {show(options.plot)}", sys.stderr if options.format and not options.output else sys.stdout)


@command(
    path("votes VOTES", "table with the columns item, annotator and vote (0 or 1), or item and a column per annotator"),
    name_columns(agreement.VOTE_FIELDS, "item=id,vote=answer"),
    path("--expert FILE", "grades of an expert to compare with: table with the columns item and grade (0 to 5)"),
    name_columns(agreement.GRADE_FIELDS, "grade=score", flag_name="--grade-columns", tables="the grades"),
    option("--min-kappa K", "omit annotators with a kappa below K", Range(-1, 1, is_whole=False)),
    flag("--dawid-skene", "label items by the model of Dawid and Skene (1979), which estimates errors of annotators"),
    *table_file("the votes and the label of each item"),
    PLOT,
)
def run_collection_agreement(options: argparse.Namespace) -> None:
    """Measure the agreement of annotators, and label items by their votes."""
    table_form = choose_table_form(options, (options.votes, options.expert))
    form = _prepare_picture(options)
    votes = agreement.read_votes(options.votes, options.columns)
    annotators = agreement.rate_annotators(votes)
    kept = _keep_votes(options, votes, annotators)
    tallies = agreement.tally_votes(kept)
    grades = _read_grades(options, {item for item, _ in votes}, tallies)
    compared = _compare_with_expert(options, grades, tallies) if options.expert else None
    estimates = agreement.estimate_labels(kept) if options.dawid_skene else None
    if table_form:
        content = render_table_file(table_form, *agreement.list_tallies(tallies, estimates))
        if not options.output:
            show_or_write(content, None)
            return
        write_file(options.output, encode(content))
    say(reports.render_annotators(annotators, tallies))
    if options.min_kappa is not None:
        dropped = len(annotators) - len({annotator for _, annotator in kept})
        say(f"Left out: {dropped:,} of {len(annotators):,} annotators, with a kappa below {options.min_kappa:g}.")
    if compared:
        say("\n" + reports.render_expert(compared))
    if estimates:
        say("\n" + reports.render_estimates(estimates, tallies, grades))
    if options.output:
        say(f"\nWritten: {show(options.output)}")
    if compared and form:
        write_file(options.plot, figures.draw_votes(compared.table, form))
        say(f"\nWritten: {show(options.plot)}")


def _prepare_picture(options: argparse.Namespace) -> str:
    """Return the format of the picture, or "" without one. Errors come before the computation."""
    if not options.plot:
        return ""
    if options.expert is None:
        raise OptionError("--plot draws votes against the grades of an expert. Add --expert")
    form = parse_format(options.plot)
    require("matplotlib", "plots")
    return form


def _keep_votes(
    options: argparse.Namespace,
    votes: dict[tuple[str, str], int],
    annotators: Sequence[agreement.Annotator],
) -> dict[tuple[str, str], int]:
    """Return the votes without those of annotators with a kappa below `--min-kappa`."""
    if options.min_kappa is None:
        return votes
    kept = agreement.drop_annotators(votes, annotators, options.min_kappa)
    if not kept:
        reason = f"every annotator has a kappa below {options.min_kappa:g}"
        raise InputError(str(options.votes), reason, "lower --min-kappa")
    return kept


def _read_grades(
    options: argparse.Namespace, voted: set[str], tallies: Mapping[str, tuple[int, int]]
) -> dict[str, int]:
    """Read the grades of the items that still have votes, if there is an expert."""
    file = options.expert
    if file is None:
        return {}
    all_grades = agreement.read_grades(file, voted, options.grade_columns)
    grades = {item: grade for item, grade in all_grades.items() if item in tallies}
    if not grades:
        reason = "no graded item has votes by the remaining annotators"
        raise InputError(str(file), reason, "lower --min-kappa, or grade other items")
    return grades


def _compare_with_expert(
    options: argparse.Namespace, grades: Mapping[str, int], tallies: Mapping[str, tuple[int, int]]
) -> agreement.ExpertAgreement:
    file = options.expert
    try:
        return agreement.compare_with_expert(tallies, grades)
    except ValueError as error:
        remedy = "grade more items, since a correlation needs different grades"
        raise InputError(str(file), f"{error} on the graded items", remedy) from None
