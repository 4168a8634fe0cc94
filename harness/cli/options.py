"""Options that several commands share. Each has one wording."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.parser import Row, choice, flag, group, option, path
from harness.files.writing import expand_home
from harness.models.hosted.access import parse_host
from harness.support.hardware import count_cores
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.rules import ranges
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES

if TYPE_CHECKING:
    from harness.files.columns import Field

SOURCE_HELP = "annotation file, folder or archive (.tar.gz, .tgz, .tar, .zip), or 'sample'"

TEST_SOURCE_HELP = (
    "annotations or labelled pairs (file, folder or archive), a built folder, ORG/NAME on the Hub, or 'sample'"
)

RESULT_HELP = "result file (JSON) that `evaluate` wrote, or a folder of result files"

SOURCES = (option("sources SOURCE", SOURCE_HELP, nargs="+"), flag("--strict", "refuse files that need repairs"))
"""The annotation files to read."""

DATA = option("--data SOURCE", f"{TEST_SOURCE_HELP} (repeatable, default: the last build)", action="append")
"""The data: sources to build the tests from, or built tests."""

PYRAMIDS = option("--pyramids SOURCE", f"{SOURCE_HELP} (repeatable)", action="append", required=True)

RESULTS = option("results RESULT", RESULT_HELP, nargs="+")

SEED = option("--seed N", "random seed", ranges.SEED, default=0)

PLOT = path("--plot FILE", "write a figure to FILE (.png, .svg or .pdf)")

CACHE_FOLDER = path("--cache-dir DIR", "folder of the cache (default: the user's)")

NO_CACHE = flag("--no-cache", "neither use nor store embeddings, scores and built tests on disk")

NO_STOP_WORDS = flag("--no-stop-words", "ignore stop words")

MIN_PROBABILITY = option(
    "--min-probability P", "minimum probability of a paraphrase (default: 0)", ranges.PROBABILITY, default=0.0
)

REFERENCES = choice(
    "--with", ("reference",), "add packaged results of known models on the same rows", dest="references"
)

RECIPIENTS = option(
    "--send-text-to HOST",
    "allow models to send texts to HOST, such as api.openai.com (repeatable). By default, no text leaves this machine",
    parse_host,
    action="append",
    default=[],
)

_WORKERS = ranges.Range(1, 1024)


def model_spec(name: str, purpose: str, note: str = "", **settings: Any) -> Row:  # noqa: ANN401
    """Make a row with an option whose value is the spec of a model.

    Args:
        name: The flag.
        purpose: The purpose of the model, such as "model to evaluate".
        note: A note on repetition or on the default, such as " (repeatable)".
        settings: As for `add_argument` of `argparse`.
    """
    text = f"{purpose}, as [KIND:]NAME[,OPTION=VALUE...]{note}. `pyramid-paraphrase models` lists the kinds"
    return option(f"{name} SPEC", text, **settings)


def bootstrap(title: str = "bootstrap over topics") -> Row:
    """Make a row with the options for the number of resamples and the random seed."""
    text = f"number of bootstrap resamples, at most {ranges.RESAMPLES.high} (default: %(default)s)"
    return group(title, option("--resamples N", text, ranges.RESAMPLES, default=1000), SEED)


def _parse_scores_file(text: str) -> Path:
    file = expand_home(text)
    from harness.summarization.summary_scores import check_suffix  # imports numpy

    check_suffix(file)
    return file


SCORES_FILE = option(
    "--output FILE", "write the scores per topic and system to FILE (.tsv, .csv or .json)", _parse_scores_file
)
"""The file of scores of summaries, which `meta-eval` reads."""


def name_columns(fields: Sequence[Field], example: str, *, flag_name: str = "--columns", tables: str = "tables") -> Row:
    """Make a row with the option that names the columns of tables of users.

    Args:
        fields: The fields that the command needs columns for.
        example: An example of the value, such as "topic=doc_id,system=model".
        flag_name: The flag.
        tables: The tables, such as "tables of references".
    """

    def parse(text: str) -> dict[str, str]:
        from harness.files.columns import parse_columns  # only where the option is given: `--help` shall start fast

        return parse_columns(text, fields)

    names = ", ".join(field.name for field in fields)
    help_text = f"columns of {tables}, such as {example}. Fields: {names} (default: recognized by their names)"
    return option(f"{flag_name} NAME=COLUMN,...", help_text, parse, default={})


def report_file(formats: Mapping[str, str]) -> tuple[Row, Row]:
    """Make rows with the options for the format of a report and for its file.

    Args:
        formats: Names of formats, and the suffixes of their files.
    """
    text = "%(choices)s (default: determined by the suffix of --output, otherwise terminal)"
    return (
        option("--format FORMAT", text, choices=formats),
        path("--output FILE", "write the report to FILE instead of the terminal"),
    )


def output_file(content: str) -> Row:
    """Make a row with the required option for the output file, which has a content such as "the table"."""
    return path("--output FILE", f"write {content} to FILE", required=True)


def show_text(note: str = "") -> Row:
    """Make a row with the option that shows licensed texts. The note is a limitation, such as " (HTML only)"."""
    return flag("--show-text", f"show the texts of the rows{note}. Do not publish the report")


def task(text: str) -> Row:
    """Make a row with the option that selects tests. Its help text begins with "tests"."""
    return option("--task NAMES", f"tests{text}", parse_test_names)


def add_workers(parser: argparse._ActionsContainer) -> None:
    """Add the option for the number of processes. This row counts the cores when it is used."""
    text = f"number of processes, at most {_WORKERS.high} (default: one per core, here %(default)s). "
    text += "The output does not depend on it"
    option("--workers N", text, _WORKERS, default=count_cores())(parser)


def parse_test_names(text: str) -> list[str]:
    """Parse comma-separated names of configurations.

    Raises:
        OptionError: If one is unknown.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in CONFIGURATION_NAMES:
            raise unknown_name("task", name, CONFIGURATION_NAMES)
    return names
