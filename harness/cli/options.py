"""Options that several commands share. Each has one wording."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.cli.parser import Parser, Row, choice, flag, group, option, path
from harness.files.table_forms import TABLE_FORMS
from harness.models.hosted.access import parse_host
from harness.rendering.tables import DIGITS_RANGE
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


def list_sources(name: str, text: str, *, required: bool = True) -> Row:
    """Make a row with the sources that a command reads, as positional arguments or by ``--data``.

    Args:
        name: The destination.
        text: The help text.
        required: Whether at least one is required.
    """

    def add(parser: argparse._ActionsContainer) -> None:
        option(f"{name} SOURCE", text, nargs="*", action="extend", default=[])(parser)
        option("--data SOURCE", _SAME, action="append", dest=name, default=[])(parser)
        if required and isinstance(parser, Parser):
            parser.required[name] = "SOURCE"

    return add


_SAME = "alternative to SOURCE (repeatable)"

SOURCES = (list_sources("sources", SOURCE_HELP), flag("--strict", "refuse files that need repairs"))
"""The annotation files to read."""

DATA = option("--data SOURCE", f"{TEST_SOURCE_HELP} (repeatable, default: the last build)", action="append")
"""The data: sources to build the tests from, or built tests."""

PYRAMIDS = option("--pyramids SOURCE", f"{SOURCE_HELP} (repeatable)", hidden=["--data"], action="append", required=True)

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


def digits_of(usual: int, where: str) -> Row:
    """Make a row with the number of digits of values, which has a usual number and a note on other formats."""
    text = f"number of digits after the point of values (default: {usual}, {where})"
    return option("--digits N", text, DIGITS_RANGE)


def table_file(content: str, *, required: bool = False) -> tuple[Row, Row]:
    """Make rows with the options for the file of a table, and for its format.

    Args:
        content: The content, such as "the pairs".
        required: Whether a file is required. Otherwise, ``--format`` alone prints the table.
    """
    text = "%(choices)s (default: determined by the suffix of --output)"
    if not required:
        text += ". Without --output, the table is printed instead"
    return (
        path("--output FILE", f"write {content} to FILE ({', '.join(TABLE_FORMS.values())})", required=required),
        option("--format FORMAT", text, choices=TABLE_FORMS),
    )


SCORES_FILE = (*table_file("the scores per topic and system"), digits_of(4, "in files all"))
"""The file of scores of summaries, which `meta-eval` reads, and the digits of their means in the terminal."""


def report_file(formats: Mapping[str, str], *, has_digits: bool = True) -> tuple[Row, ...]:
    """Make rows with the options for the format of a report and for its file.

    Args:
        formats: Names of formats, and the suffixes of their files.
        has_digits: Whether values have digits after the point, whose number can be chosen.
    """
    text = "%(choices)s (default: determined by the suffix of --output, otherwise terminal)"
    return (
        option("--format FORMAT", text, choices=formats),
        path("--output FILE", "write the report to FILE instead of the terminal"),
        *([digits_of(3, "in CSV, Excel and JSON all")] if has_digits else []),
    )


def output_file(content: str) -> Row:
    """Make a row with the required option for the output file, which has a content such as "the table"."""
    return path("--output FILE", f"write {content} to FILE", required=True)


def show_text(note: str = "") -> Row:
    """Make a row with the option that shows licensed texts. The note is a limitation, such as " (HTML only)"."""
    return flag("--show-text", f"show the texts of the rows{note}. Do not publish the report")


def task(text: str, **settings: Any) -> Row:  # noqa: ANN401
    """Make a row with the option that selects tests. Its help text begins with "tests"."""
    return option("--task NAMES", f"tests{text}", parse_test_names, **settings)


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
