"""The table of commands and their actions, each with the module that implements it."""

from __future__ import annotations

import argparse
import importlib
import re
import textwrap
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from harness.cli.parser import Parser, add_parser, add_rows, flag, option
from pyramid_paraphrase.rules.ranges import Range

_EXAMPLE_WIDTH = 72

COMMON = (
    flag("--verbose", "show more messages"),
    flag("--quiet", "hide progress bars and hints, but no warnings"),
    option(
        "--width N", "maximum characters per line of tables (default: the width of the terminal)", Range(20, 10_000)
    ),
)
"""The options that all commands have."""


def never(options: argparse.Namespace) -> bool:
    """Return False: if stopped, the command starts again from the beginning."""
    del options
    return False


def always(options: argparse.Namespace) -> bool:
    """Return True: if stopped, the command continues when it is run again."""
    del options
    return True


def _stores_embeddings(options: argparse.Namespace) -> bool:
    """Return whether a command that was stopped continues with the embeddings and results that it stored."""
    return not options.no_cache and getattr(options, "resume", True)


class Command(NamedTuple):
    """A command, or an action of a command.

    Attributes:
        name: The word that the user types, or two words. They name the function in the module, which has the decorator
            `command`: "meta-eval" is `run_meta_eval`, and "pit score" is `run_pit_score`.
        purpose: The purpose of the command, in one line.
        module: The module in `harness.cli`, imported when the command is used. Empty for a command with actions.
        resumes: Returns whether the command with these options, if stopped, continues when it is run again.
        example: Command lines that run in an empty folder, without a network. The last one is of this command. Empty
            for a command with actions.
    """

    name: str
    purpose: str
    module: str = ""
    resumes: Callable[[argparse.Namespace], bool] = never
    example: str = ""


_FILES = "download examples\n"
_RESULTS = "evaluate --data sample --task ranking --model overlap --model tf-idf\n"
_BOARD = "leaderboard init board --data sample --task ranking\n"
_SUBMITTED = (
    f"{_BOARD}{_RESULTS}submit results/tf-idf --to board --contact you@example.org --training-data none "
    "--saw-test-data no\nleaderboard check board\n"
)
_ROUGE = "rouge --peers examples/summaries.tsv --references examples/references.tsv --output rouge.tsv\n"
_CLUSTERS = "paraphrases clusters sample --output sample.table\n"
_PARALLEL = "examples/parallel"
_ALIGN = (
    f"paraphrases align --forward {_PARALLEL}/forward.txt --reverse {_PARALLEL}/reverse.txt --output alignments.txt\n"
)
_EXTRACT = f"paraphrases extract {_PARALLEL}/german.txt {_PARALLEL}/english.txt alignments.txt --output phrases.gz\n"
_LISTS = "dimple convert examples/paraphrases.tsv --output lists.jsonl\n"
_QUESTIONS = "collection filter examples/sentences.tsv --output questions.tsv\n"
"""Command lines that make the inputs of examples. The files of `_FILES` and the sample corpus are in the package."""

_DATA = (
    Command(
        "download", "download a freely licensed collection, or list all collections", "dataset", always, example=_FILES
    ),
    Command(
        "inspect",
        "summarize annotation files, and count their problems",
        "dataset",
        example="inspect sample",
    ),
    Command(
        "build",
        "build the tests for load_dataset('pyramid_paraphrase', ...)",
        "dataset",
        example="build sample --output tests",
    ),
    Command("annotate", "let people judge rows of a test, and measure the label quality"),
    Command(
        "annotate sample",
        "write a sheet of test rows for people to judge",
        "evaluation.annotate",
        example="annotate sample sample --task binary --rows 20 --output sheet.csv",
    ),
    Command(
        "annotate agreement",
        "report the agreement of sheets, votes and pyramids",
        "evaluation.annotate",
        example=f"{_FILES}annotate agreement examples/sheets examples/people --data sample --rows 3",
    ),
    Command(
        "annotate score",
        "compare filled sheets with the labels and with each other",
        "evaluation.annotate",
        example=f"{_FILES}annotate score examples/sheets/anna.csv examples/sheets/ben.csv --data sample",
    ),
    Command(
        "annotate votes",
        "measure the agreement of votes on units of summaries",
        "evaluation.annotate",
        example=f"{_FILES}annotate votes examples/people",
    ),
    Command(
        "annotate pyramids",
        "compare pyramids of the same summaries by several annotators",
        "evaluation.annotate",
        example="annotate pyramids sample --model one-hot",
    ),
    Command(
        "cache",
        "list or clear the embeddings, scores and built tests on disk",
        "evaluation.models",
        example=f"{_RESULTS}cache list",
    ),
)

_MODELS = (
    Command(
        "evaluate",
        "evaluate models on the tests",
        "evaluation.evaluate",
        _stores_embeddings,
        example=_RESULTS,
    ),
    Command(
        "sweep",
        "evaluate many models in parallel, or continue a sweep",
        "evaluation.sweep",
        always,
        example=f"{_FILES}sweep examples/models.txt --data sample --task ranking",
    ),
    Command(
        "compare", "test which models differ significantly", "evaluation.results", example=f"{_RESULTS}compare results"
    ),
    Command(
        "errors",
        "list the rows that models get wrong",
        "evaluation.results",
        example=f"{_RESULTS}errors results --data sample --rows 5",
    ),
    Command(
        "report", "show results as a table or a web page", "evaluation.results", example=f"{_RESULTS}report results"
    ),
    Command(
        "models",
        "list the kinds of models, with examples and options",
        "evaluation.models",
        example="models",
    ),
    Command(
        "card",
        "add the results of a model to its card on the Hub",
        "evaluation.results",
        example=f"{_RESULTS}card results --model tf-idf --print",
    ),
    Command(
        "submit",
        "submit a result to a leaderboard",
        "evaluation.leaderboards",
        example=_SUBMITTED,
    ),
    Command("leaderboard", "create, check and publish leaderboards"),
    Command(
        "leaderboard init", "create a leaderboard, or extend it to more data", "evaluation.leaderboards", example=_BOARD
    ),
    Command(
        "leaderboard check",
        "recompute and compare every number of the submissions",
        "evaluation.leaderboards",
        example=_SUBMITTED,
    ),
    Command(
        "leaderboard accept",
        "accept a submission that changed, or that replaces one",
        "evaluation.leaderboards",
        example=f"{_SUBMITTED}leaderboard accept board/submissions/tf-idf-*",
    ),
    Command(
        "leaderboard retire",
        "take a submission out of the ranks",
        "evaluation.leaderboards",
        example=f"{_SUBMITTED}leaderboard retire board/submissions/tf-idf-* --reason 'has a successor'",
    ),
    Command(
        "leaderboard withdraw",
        "remove a submission, and record the reason",
        "evaluation.leaderboards",
        example=f"{_SUBMITTED}leaderboard withdraw board/submissions/tf-idf-* --reason 'asked by its author'",
    ),
    Command(
        "leaderboard audit",
        "search a training corpus for the texts of the tests",
        "evaluation.audits",
        example=f"{_BOARD}{_FILES}leaderboard audit board examples/corpus.txt",
    ),
    Command(
        "leaderboard render",
        "write the static site of a leaderboard",
        "evaluation.leaderboards",
        example=f"{_SUBMITTED}leaderboard render board --output site",
    ),
    Command(
        "leaderboard reproduce",
        "run the model of a submission again, and record the outcome",
        "evaluation.leaderboards",
        example=f"{_SUBMITTED}leaderboard reproduce board/submissions/tf-idf-* --data sample",
    ),
)

_SUMMARIES = (
    Command(
        "score",
        "compute pyramid scores of annotated summaries",
        "dataset",
        example="score sample",
    ),
    Command(
        "rouge",
        "score summaries by ROUGE",
        "summarization.rouge",
        example=f"{_FILES}{_ROUGE}",
    ),
    Command(
        "paraeval",
        "score summaries by ParaEval, which also matches paraphrases",
        "summarization.paraeval",
        example=_FILES
        + "paraeval --peers examples/summaries.tsv --references examples/references.tsv --pyramids sample",
    ),
    Command(
        "soft-pyramid",
        "score summaries by their similarity to SCUs, by a model",
        "summarization.soft_pyramid",
        _stores_embeddings,
        example=f"{_FILES}soft-pyramid --model one-hot --pyramids sample --peers examples/summaries.tsv",
    ),
    Command(
        "coverage",
        "count the words of SCUs that only paraphrases can match",
        "summarization.paraeval",
        example="coverage --pyramids sample --other-topics",
    ),
    Command(
        "meta-eval",
        "compare metrics of summaries with judgements of people",
        "summarization.meta_eval",
        example=f"{_FILES}{_ROUGE}meta-eval rouge.tsv --judgements examples/ratings.tsv --criteria content",
    ),
)

_PARAPHRASES = (
    Command(
        "pairs",
        "list paraphrases with their types, for a spreadsheet",
        "pairs",
        example="pairs sample --task binary --output pairs.csv",
    ),
    Command("paraphrases", "build and search tables of paraphrases"),
    Command(
        "paraphrases compile",
        "compile a paraphrase table for fast look-ups",
        "paraphrases",
        example=f"{_FILES}paraphrases compile examples/paraphrases.tsv --output paraphrases.table",
    ),
    Command(
        "paraphrases clusters", "make a paraphrase table from the SCUs of pyramids", "paraphrases", example=_CLUSTERS
    ),
    Command(
        "paraphrases show",
        "list the paraphrases of a phrase in a table",
        "paraphrases",
        example=f"{_CLUSTERS}paraphrases show sample.table 'seven suffered seizures'",
    ),
    Command(
        "paraphrases align",
        "align the words of parallel text with eflomal (results vary slightly between runs), or combine two alignments",
        "paraphrases",
        example=_FILES + _ALIGN,
    ),
    Command(
        "paraphrases extract",
        "extract a phrase table (Moses format) from word-aligned parallel text",
        "paraphrases",
        example=_FILES + _ALIGN + _EXTRACT,
    ),
    Command(
        "paraphrases pivot",
        "find paraphrases: phrases of a phrase table that share translations",
        "paraphrases",
        example=f"{_FILES}{_ALIGN}{_EXTRACT}paraphrases pivot phrases.gz --output pivot.tsv",
    ),
    Command("dimple", "evaluate paraphrase resources by quality and diversity"),
    Command(
        "dimple convert",
        "convert a table to ranked lists",
        "dimple",
        example=f"{_FILES}{_LISTS}",
    ),
    Command(
        "dimple sheet",
        "write a sheet for annotators, with original and replaced sentences",
        "dimple",
        example=f"{_FILES}{_LISTS}dimple sheet lists.jsonl --output dimple.csv",
    ),
    Command(
        "dimple votes",
        "add the votes of filled sheets to ranked lists, and print kappa",
        "dimple",
        example=_FILES + _LISTS + "dimple votes lists.jsonl --sheets examples/sheets/dimple-*.csv --output voted.jsonl",
    ),
    Command(
        "dimple score",
        "score ranked lists by EP, EPR and DIMPLE",
        "dimple",
        example=f"{_FILES}{_LISTS}dimple score lists.jsonl",
    ),
    Command(
        "dimple meta",
        "measure how well the metrics predict the recognition of paraphrases",
        "dimple",
        example=f"{_FILES}{_LISTS}dimple meta lists.jsonl --pairs nuggets=examples/nuggets.tsv",
    ),
    Command(
        "dimple derive",
        "derive ranked lists from corpora, for experiments",
        "dimple",
        example=_FILES + "dimple derive --pyramids sample --vocabulary examples/pit --sources closed,won --least 1 "
        "--output derived.jsonl",
    ),
    Command(
        "dimple count",
        "count the positive pairs with each source phrase",
        "dimple",
        example=f"{_FILES}dimple count --pairs nuggets=examples/nuggets.tsv --sources found,called",
    ),
    Command("collection", "prepare, simulate and check the collection of paraphrases"),
    Command(
        "collection filter",
        "make questions for annotators from the salient sentences of topics",
        "collection",
        example=_FILES + _QUESTIONS,
    ),
    Command(
        "collection next",
        "choose the next questions by the answers so far",
        "collection",
        example=f"{_FILES}{_QUESTIONS}collection next questions.tsv",
    ),
    Command(
        "collection simulate",
        "simulate ways to choose topics and sentences on a corpus of labelled pairs",
        "collection",
        example=f"{_FILES}collection simulate examples/pit --runs 20",
    ),
    Command(
        "collection agreement",
        "measure the agreement of annotators, and label items by their votes",
        "collection",
        example=f"{_FILES}collection agreement examples/votes.tsv",
    ),
    Command("pit", "score and compare systems of SemEval-2015 task 1"),
    Command(
        "pit score",
        "check system outputs, and score them as the organizers do",
        "pit",
        example=_FILES
        + "pit score examples/pit-outputs --labels examples/pit/test.label --test-data examples/pit/test.data",
    ),
    Command(
        "pit compare",
        "rank systems by each metric, and compare the rankings",
        "pit",
        example=_FILES
        + "pit compare examples/pit-outputs --labels examples/pit/test.label --test-data examples/pit/test.data",
    ),
    Command(
        "pit submit",
        "write the result of a model as a system output",
        "pit",
        example=_FILES
        + "evaluate --data examples/pit --model overlap --output pit\npit submit pit/overlap --output overlap.output",
    ),
)

GROUPS = {
    "data": _DATA,
    "tests of models": _MODELS,
    "scores of summaries": _SUMMARIES,
    "paraphrases": _PARAPHRASES,
}
"""The commands by the title under which the help lists them."""

COMMANDS = tuple(chain.from_iterable(GROUPS.values()))


def render_example(example: str) -> str:
    """Render the command lines of an example for a shell and for a narrow terminal."""
    lines = ["example:"]
    for line in example.splitlines():
        parts = textwrap.wrap(
            f"pyramid-paraphrase {line}", _EXAMPLE_WIDTH, break_long_words=False, break_on_hyphens=False
        )
        lines.append("  " + " \\\n    ".join(parts))
    return "\n".join(lines)


def add_commands(parser: Parser) -> None:
    """Add all commands to the parser of the program. The help lists each group under its title."""
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for title, commands in GROUPS.items():
        _add_parsers(subparsers, commands)
        # `argparse` lists subcommands in one group only, so its rows of the help are moved.
        parser.add_argument_group(title)._group_actions += subparsers._choices_actions
        subparsers._choices_actions = []
    parser._positionals._group_actions.remove(subparsers)


def _add_parsers(subparsers: Any, commands: Iterable[Command], words: str = "") -> None:  # noqa: ANN401
    """Add commands, or those that are actions of a command.

    Args:
        subparsers: The object that `add_subparsers` returned. `argparse` does not export its type.
        commands: The commands and their actions.
        words: The command and a space, if its actions are added.
    """
    for command in commands:
        if " " not in (name := command.name.removeprefix(words)) and command.name.startswith(words):
            parser = add_parser(subparsers, name, command.purpose, partial(_describe, command))
            if command.example:
                parser.epilog = render_example(command.example)


def _describe(command: Command, parser: Parser) -> None:
    """Add the options of a command, or the parsers of its actions."""
    if not command.module:
        _add_parsers(parser.add_subparsers(required=True, metavar="ACTION"), COMMANDS, f"{command.name} ")
        return
    module = importlib.import_module(f"harness.cli.{command.module}")
    add_rows(parser, [*COMMON, getattr(module, f"run_{re.sub('[ -]', '_', command.name)}")])
    parser.set_defaults(resumes=command.resumes)
