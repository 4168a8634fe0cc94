"""The commands, each with the module that describes and runs it."""

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
        purpose: Its purpose, in a line.
        module: The module below `harness.cli`, imported when the command is named. Its `add_options` adds the options.
    """

    name: str
    purpose: str
    module: str


COMMANDS = (
    Command("download", "get the files of a freely licensed collection, or list the collections", "dataset.download"),
    Command("inspect", "say what the annotation files hold, and what is wrong with them", "dataset.inspect"),
    Command("build", "make the tests, for load_dataset('pyramid_paraphrase', ...)", "dataset.build"),
    Command(
        "score",
        "pyramid scores of the peer summaries; the original score only where annotators marked unmatched text",
        "dataset.score",
    ),
    Command("evaluate", "score models on the tests", "evaluation.evaluate"),
    Command("sweep", "score many models in several processes, or continue a sweep that stopped", "evaluation.sweep"),
    Command("compare", "say which models differ significantly: all pairs, or all from one", "evaluation.compare"),
    Command("errors", "say which rows models get wrong, and what they have in common", "evaluation.errors"),
    Command("annotate", "let people judge rows of a test, and measure how good its labels are", "evaluation.annotate"),
    Command("models", "list the kinds of models, with an example and the options of each", "evaluation.models"),
    Command("cache", "list or clear the embeddings that are kept on disk", "evaluation.cache"),
    Command("report", "show results as a table or a page", "publishing.report"),
    Command("card", "enter a model's numbers into its card on the Hub", "publishing.card"),
    Command("submit", "enter a result into a leaderboard", "publishing.submit"),
    Command("leaderboard", "make, check and show leaderboards", "publishing.leaderboard"),
    Command("pit", "score and compare systems of SemEval-2015 task 1", "pit"),
    Command("dimple", "judge paraphrase resources by quality and by diversity", "paraphrases.dimple"),
    Command("collection", "tools for those who collect paraphrases", "paraphrases.collection"),
    Command("paraphrases", "make and look at tables of paraphrases", "paraphrases.paraphrases"),
    Command(
        "paraeval",
        "score summaries by the words of references that they match, paraphrases included",
        "summarization.paraeval",
    ),
    Command("rouge", "score summaries by the words and n-grams of references that they have", "summarization.rouge"),
    Command(
        "soft-pyramid",
        "score summaries by how similar a model finds them to the SCUs of pyramids",
        "summarization.soft_pyramid",
    ),
    Command(
        "coverage",
        "count the words that SCUs lack when they are said otherwise, and what finds them",
        "summarization.coverage",
    ),
    Command(
        "meta-eval",
        "correlate scores of summaries with judgements, and test which metric agrees better",
        "summarization.meta_eval",
    ),
)


def add_commands(subparsers: Any) -> None:  # noqa: ANN401
    """Add all commands.

    Args:
        subparsers: The object that `add_subparsers` returned; `argparse` does not export its type.
    """
    for command in COMMANDS:
        add_parser(subparsers, command.name, command.purpose, partial(_describe, command.module))


def _describe(module: str, parser: argparse.ArgumentParser) -> None:
    importlib.import_module(f"harness.cli.{module}").add_options(parser)
