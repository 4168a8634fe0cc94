"""The table of commands, each with the module that implements it."""

from __future__ import annotations

import argparse
import importlib
from functools import partial
from typing import Any, NamedTuple

from harness.cli.parser import add_parser


class Command(NamedTuple):
    """A command.

    Attributes:
        name: The word that the user types.
        purpose: The purpose of the command, in one line.
        module: The module in `harness.cli`, imported when the command is used. Its `add_options` adds the options.
    """

    name: str
    purpose: str
    module: str


COMMANDS = (
    Command("download", "download a freely licensed collection, or list all collections", "dataset.download"),
    Command("inspect", "summarize annotation files, and count their problems", "dataset.inspect"),
    Command("build", "build the tests for load_dataset('pyramid_paraphrase', ...)", "dataset.build"),
    Command(
        "score",
        "compute pyramid scores of peer summaries (original scores require marked unmatched text)",
        "dataset.score",
    ),
    Command("evaluate", "evaluate models on the tests", "evaluation.evaluate"),
    Command("sweep", "evaluate many models in parallel, or continue a sweep", "evaluation.sweep"),
    Command("compare", "test whether models differ significantly, pairwise or from a baseline", "evaluation.compare"),
    Command("errors", "list the rows that models get wrong, and their common properties", "evaluation.errors"),
    Command("annotate", "let people judge rows of a test, and measure the label quality", "evaluation.annotate"),
    Command("models", "list the kinds of models, with examples and options", "evaluation.models"),
    Command("cache", "list or clear the embeddings on disk", "evaluation.cache"),
    Command("report", "show results as a table or a web page", "publishing.report"),
    Command("card", "add the results of a model to its card on the Hub", "publishing.card"),
    Command("submit", "submit a result to a leaderboard", "publishing.submit"),
    Command("leaderboard", "create, check and publish leaderboards", "publishing.leaderboard"),
    Command("pit", "score and compare systems of SemEval-2015 task 1", "pit"),
    Command("dimple", "evaluate paraphrase resources by quality and diversity", "paraphrases.dimple"),
    Command("collection", "prepare, simulate and check the collection of paraphrases", "paraphrases.collection"),
    Command("paraphrases", "build and search tables of paraphrases", "paraphrases.paraphrases"),
    Command(
        "paraeval",
        "score summaries by the words and paraphrases that they share with references",
        "summarization.paraeval",
    ),
    Command("rouge", "score summaries by the n-grams that they share with references", "summarization.rouge"),
    Command(
        "soft-pyramid",
        "score summaries by their similarity to the SCUs of pyramids, as computed by models",
        "summarization.soft_pyramid",
    ),
    Command(
        "coverage",
        "count the words of SCUs that only paraphrases can match, and the matched words",
        "summarization.coverage",
    ),
    Command(
        "meta-eval",
        "correlate summary metrics with judgements, and test which metric agrees better",
        "summarization.meta_eval",
    ),
)


def add_commands(subparsers: Any) -> None:  # noqa: ANN401
    """Add all commands.

    Args:
        subparsers: The object that `add_subparsers` returned. `argparse` does not export its type.
    """
    for command in COMMANDS:
        add_parser(subparsers, command.name, command.purpose, partial(_describe, command.module))


def _describe(module: str, parser: argparse.ArgumentParser) -> None:
    importlib.import_module(f"harness.cli.{module}").add_options(parser)
