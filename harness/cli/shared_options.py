"""Options and notes that several commands share. Each has one wording."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from harness.cli.arguments import number_in, path, say, seed, show
from harness.models.hosted.access import parse_host
from harness.support.hardware import count_cores
from harness.text.words import WordCounts
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.rules.ranges import RESAMPLES, Range

SOURCE_HELP = "annotation file, folder or archive (.tar.gz, .tgz, .tar, .zip), or 'sample'"

TEST_SOURCE_HELP = (
    "annotations or labelled pairs (file, folder or archive), a built folder, ORG/NAME on the Hub, or 'sample'"
)

RESULT_HELP = "result file (JSON) that `evaluate` wrote, or a folder of result files"

SENTENCES_HELP = "text file with a sentence per line, and spaces between words"

TRANSLATIONS_HELP = "translations of the sentences, in the same format"

MIN_PROBABILITY_HELP = "minimum probability of a paraphrase (default: 0)"

NO_STOP_WORDS_HELP = "ignore stop words"

_WORKERS = Range(1, 1024)


def describe_spec(model: str, note: str = "") -> str:
    """Return the help text of an option whose value is the spec of a model.

    Args:
        model: The purpose of the model, such as "model to evaluate".
        note: A note on repetition or on the default, such as " (repeatable)".
    """
    return f"{model}, as [KIND:]NAME[,OPTION=VALUE...]{note}. `pyramid-paraphrase models` lists the kinds"


def add_annotation_options(parser: argparse.ArgumentParser) -> None:
    """Add the annotation files to read, and the option for strict reading."""
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=SOURCE_HELP)
    parser.add_argument("--strict", action="store_true", help="refuse files that need repairs")


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the data: sources to build the tests from, or built tests."""
    help_text = f"{TEST_SOURCE_HELP} (repeatable, default: the last build)"
    parser.add_argument("--data", action="append", metavar="SOURCE", help=help_text)


def add_pyramids_option(parser: argparse.ArgumentParser) -> None:
    """Add `--pyramids`, which is required and repeatable."""
    help_text = f"{SOURCE_HELP} (repeatable)"
    parser.add_argument("--pyramids", action="append", required=True, metavar="SOURCE", help=help_text)


def add_seed_option(parser: argparse._ActionsContainer) -> None:
    """Add `--seed`, 0 by default."""
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="random seed (default: %(default)s)")


def add_bootstrap_options(parser: argparse.ArgumentParser, title: str = "bootstrap over topics") -> None:
    """Add the options for the number of resamples and the random seed."""
    group = parser.add_argument_group(title)
    group.add_argument(
        "--resamples",
        type=number_in(RESAMPLES),
        default=1000,
        metavar="N",
        help=f"number of bootstrap resamples, at most {RESAMPLES.high} (default: %(default)s)",
    )
    add_seed_option(group)


def add_output_options(parser: argparse.ArgumentParser, formats: Mapping[str, str]) -> None:
    """Add the options for the format of a report and for its file.

    Args:
        parser: The parser of a command.
        formats: Names of formats, and the suffixes of their files.
    """
    parser.add_argument(
        "--format",
        choices=formats,
        metavar="FORMAT",
        help="%(choices)s (default: determined by the suffix of --output, otherwise terminal)",
    )
    parser.add_argument("--output", type=path, metavar="FILE", help="write the report to FILE instead of the terminal")


def add_required_output(parser: argparse.ArgumentParser, content: str) -> None:
    """Add the required option for the output file.

    Args:
        parser: The parser of a command.
        content: The content of the file, such as "the table".
    """
    parser.add_argument("--output", type=path, required=True, metavar="FILE", help=f"write {content} to FILE")


def add_temporary_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the folder of temporary files."""
    parser.add_argument(
        "--temporary", type=path, metavar="FOLDER", help="folder for temporary files (default: folder of --output)"
    )


def add_plot_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the file of a figure."""
    parser.add_argument("--plot", type=path, metavar="FILE", help="write a figure to FILE (.png, .svg or .pdf)")


def add_reference_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that adds packaged reference results to the user's results."""
    parser.add_argument(
        "--with",
        dest="references",
        choices=("reference",),
        help="add packaged results of known models on the same rows",
    )


def add_show_text_option(parser: argparse.ArgumentParser, note: str = "") -> None:
    """Add the option that shows licensed texts.

    Args:
        parser: The parser of a command.
        note: A limitation, such as " (HTML only)".
    """
    help_text = f"show the texts of the rows{note}. Do not publish the report"
    parser.add_argument("--show-text", action="store_true", help=help_text)


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the number of processes."""
    parser.add_argument(
        "--workers",
        type=number_in(_WORKERS),
        default=count_cores(),
        metavar="N",
        help=f"number of processes, at most {_WORKERS.high} (default: one per core, here %(default)s). "
        "The output does not depend on it",
    )


def add_cache_option(parser: argparse._ActionsContainer) -> None:
    """Add the option for the folder of stored embeddings and scores."""
    parser.add_argument(
        "--cache-dir",
        type=path,
        metavar="DIR",
        help="folder of the cache of embeddings and scores (default: the user's)",
    )


def add_no_cache_option(parser: argparse._ActionsContainer) -> None:
    """Add the option that disables the cache of embeddings and scores."""
    parser.add_argument("--no-cache", action="store_true", help="neither use nor store embeddings and scores on disk")


def add_recipient_option(parser: argparse._ActionsContainer) -> None:
    """Add the option for the hosts that may receive texts."""
    parser.add_argument(
        "--send-text-to",
        action="append",
        default=[],
        type=_parse_host,
        metavar="HOST",
        help="allow models to send texts to HOST, such as api.openai.com (repeatable). By default, no text leaves "
        "this machine",
    )


def _parse_host(text: str) -> str:
    try:
        return parse_host(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def note_words(counts: WordCounts, noun: str = "summaries", words: str = "letters and digits") -> None:
    """Print notes on texts without words, and on texts in which single characters are the words."""
    for note in counts.describe(noun, words):
        say(f"note: {show(note)}", sys.stderr)
