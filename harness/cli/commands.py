"""The table of commands and their actions, each with the module that implements it."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from harness.cli.parser import Parser, add_parser, add_rows, flag, option
from pyramid_paraphrase.rules.ranges import Range

COMMON = (
    flag("--verbose", "show more messages"),
    flag("--quiet", "hide progress bars and hints. Warnings and notes on numbers stay"),
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
    """

    name: str
    purpose: str
    module: str = ""
    resumes: Callable[[argparse.Namespace], bool] = never


_DATA = (
    Command("download", "download a freely licensed collection, or list all collections", "dataset", always),
    Command("inspect", "summarize annotation files, and count their problems", "dataset"),
    Command("build", "build the tests for load_dataset('pyramid_paraphrase', ...)", "dataset"),
    Command("annotate", "let people judge rows of a test, and measure the label quality"),
    Command("annotate sample", "write a sheet of test rows for people to judge", "evaluation.annotate"),
    Command("annotate score", "compare filled sheets with the labels and with each other", "evaluation.annotate"),
    Command("annotate votes", "measure the agreement of votes on units of summaries", "evaluation.annotate"),
    Command("annotate pyramids", "compare pyramids of the same summaries by several annotators", "evaluation.annotate"),
    Command("cache", "list or clear the embeddings, scores and built tests on disk", "evaluation.models"),
)

_MODELS = (
    Command("evaluate", "evaluate models on the tests", "evaluation.evaluate", _stores_embeddings),
    Command("sweep", "evaluate many models in parallel, or continue a sweep", "evaluation.sweep", always),
    Command("compare", "test which models differ significantly", "evaluation.results"),
    Command("errors", "list the rows that models get wrong", "evaluation.results"),
    Command("report", "show results as a table or a web page", "evaluation.results"),
    Command("models", "list the kinds of models, with examples and options", "evaluation.models"),
    Command("card", "add the results of a model to its card on the Hub", "evaluation.results"),
    Command("submit", "submit a result to a leaderboard", "evaluation.leaderboards"),
    Command("leaderboard", "create, check and publish leaderboards"),
    Command("leaderboard init", "create a leaderboard, or extend it to more data", "evaluation.leaderboards"),
    Command("leaderboard check", "recompute and compare every number of the submissions", "evaluation.leaderboards"),
    Command("leaderboard accept", "accept a submission that changed, or that replaces one", "evaluation.leaderboards"),
    Command("leaderboard retire", "take a submission out of the ranks", "evaluation.leaderboards"),
    Command("leaderboard withdraw", "remove a submission, and record the reason", "evaluation.leaderboards"),
    Command("leaderboard audit", "search a training corpus for the texts of the tests", "evaluation.audits"),
    Command("leaderboard render", "write the static site of a leaderboard", "evaluation.leaderboards"),
    Command(
        "leaderboard reproduce",
        "run the model of a submission again, and record the outcome",
        "evaluation.leaderboards",
    ),
)

_SUMMARIES = (
    Command("score", "compute pyramid scores of annotated summaries", "dataset"),
    Command("rouge", "score summaries by ROUGE", "summarization.rouge"),
    Command("paraeval", "score summaries by ParaEval, which also matches paraphrases", "summarization.paraeval"),
    Command(
        "soft-pyramid",
        "score summaries by their similarity to SCUs, by a model",
        "summarization.soft_pyramid",
        _stores_embeddings,
    ),
    Command("coverage", "count the words of SCUs that only paraphrases can match", "summarization.paraeval"),
    Command("meta-eval", "compare metrics of summaries with judgements of people", "summarization.meta_eval"),
)

_PARAPHRASES = (
    Command("pairs", "list paraphrases with their types, for a spreadsheet", "pairs"),
    Command("paraphrases", "build and search tables of paraphrases"),
    Command("paraphrases compile", "compile a paraphrase table for fast look-ups", "paraphrases"),
    Command("paraphrases clusters", "make a paraphrase table from the SCUs of pyramids", "paraphrases"),
    Command("paraphrases show", "list the paraphrases of a phrase in a table", "paraphrases"),
    Command(
        "paraphrases align",
        "align the words of parallel text with eflomal (results vary slightly between runs), or combine two alignments",
        "paraphrases",
    ),
    Command(
        "paraphrases extract", "extract a phrase table (Moses format) from word-aligned parallel text", "paraphrases"
    ),
    Command("paraphrases pivot", "find paraphrases: phrases of a phrase table that share translations", "paraphrases"),
    Command("dimple", "evaluate paraphrase resources by quality and diversity"),
    Command("dimple convert", "convert a table to ranked lists", "dimple"),
    Command("dimple sheet", "write a sheet for annotators, with original and replaced sentences", "dimple"),
    Command("dimple votes", "add the votes of filled sheets to ranked lists, and print kappa", "dimple"),
    Command("dimple score", "score ranked lists by EP, EPR and DIMPLE", "dimple"),
    Command("dimple meta", "measure how well the metrics predict the recognition of paraphrases", "dimple"),
    Command("dimple derive", "derive ranked lists from corpora, for experiments", "dimple"),
    Command("dimple count", "count the positive pairs with each source phrase", "dimple"),
    Command("collection", "prepare, simulate and check the collection of paraphrases"),
    Command("collection filter", "make questions for annotators from the salient sentences of topics", "collection"),
    Command("collection next", "choose the next questions by the answers so far", "collection"),
    Command(
        "collection simulate",
        "simulate ways to choose topics and sentences on a corpus of labelled pairs",
        "collection",
    ),
    Command(
        "collection agreement", "measure the agreement of annotators, and label items by their votes", "collection"
    ),
    Command("pit", "score and compare systems of SemEval-2015 task 1"),
    Command("pit score", "check system outputs, and score them as the organizers do", "pit"),
    Command("pit compare", "rank systems by each metric, and compare the rankings", "pit"),
    Command("pit submit", "write the result of a model as a system output", "pit"),
)

GROUPS = {
    "data": _DATA,
    "tests of models": _MODELS,
    "scores of summaries": _SUMMARIES,
    "paraphrases": _PARAPHRASES,
}
"""The commands by the title under which the help lists them."""

COMMANDS = tuple(chain.from_iterable(GROUPS.values()))


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
            add_parser(subparsers, name, command.purpose, partial(_describe, command))


def _describe(command: Command, parser: Parser) -> None:
    """Add the options of a command, or the parsers of its actions."""
    if not command.module:
        _add_parsers(parser.add_subparsers(required=True, metavar="ACTION"), COMMANDS, f"{command.name} ")
        return
    module = importlib.import_module(f"harness.cli.{command.module}")
    add_rows(parser, [*COMMON, getattr(module, f"run_{re.sub('[ -]', '_', command.name)}")])
    parser.set_defaults(resumes=command.resumes)
