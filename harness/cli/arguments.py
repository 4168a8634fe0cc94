"""Options, argument types and output that the commands share."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.parser import add_parser
from harness.files.writing import expand_home, real_path, write_file
from harness.models.hosted.addresses import parse_host
from harness.rendering.file_formats import find_format
from harness.support.hardware import count_cores
from harness.support.terminal import emit
from harness.support.terminal import say as say  # commands import `say` and `show` from here
from harness.support.terminal import show as show
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.inputs import exists, is_folder
from pyramid_paraphrase.options import CONFIGURATION_NAMES
from pyramid_paraphrase.ranges import COUNT, PROBABILITY, RESAMPLES, SEED, Range

if TYPE_CHECKING:
    from harness.evaluation.results import Result

SOURCE_HELP = "a file, folder or archive (.tar.gz, .tgz, .tar, .zip) of annotations, or 'sample'"

TEST_SOURCE_HELP = f"{SOURCE_HELP}, a built folder, or ORG/NAME for one on the Hub"

DATA_HELP = f"{TEST_SOURCE_HELP}; repeatable; default: the last build"

RESULT_HELP = "JSON file that `evaluate` wrote, or a folder of such files"

_WORKERS = Range(1, 1024)

Run = Callable[[argparse.Namespace], None]


def add_command(commands: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    """Add an action of a command.

    Args:
        commands: The object that `add_subparsers` returned; `argparse` does not export its type.
        name: The word that the user types.
        run: Runs the action with the parsed options.
        text: Its purpose, in a line.

    Returns:
        Its parser, without arguments yet.
    """
    parser: argparse.ArgumentParser = add_parser(commands, name, text)
    set_run(parser, run)
    return parser


def set_run(parser: argparse.ArgumentParser, run: Run) -> None:
    """Set the function that runs a command with the parsed options, and add the option that all commands have."""
    parser.set_defaults(run=run)
    parser.add_argument("--verbose", action="store_true", help="say more on the way")


def add_annotation_options(parser: argparse.ArgumentParser) -> None:
    """Add the annotation files to read, and how strictly to read them."""
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=SOURCE_HELP)
    parser.add_argument("--strict", action="store_true", help="refuse files in which anything has to be repaired")


def report(error: Exception) -> None:
    """Print an error in one line; with --verbose, print its cause, too."""
    if error.__cause__:
        logging.getLogger(__name__).info("caused by", exc_info=error.__cause__)
    say(f"pyramid-paraphrase: {show(error)}", sys.stderr)


def path(text: str) -> Path:
    """Parse a path for `argparse`; ``~`` is the user's home, which the shell does not expand behind ``=``."""
    return expand_home(text)


def number_in(allowed: Range) -> Callable[[str], Any]:
    """Make a type for `argparse`: a number within a range.

    Args:
        allowed: The range.

    Returns:
        A function that reads a number, and refuses any other text with the range in its message.
    """

    def parse(text: str) -> int | float:
        try:
            return allowed.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"give {allowed}") from None

    return parse


positive = number_in(COUNT)
probability = number_in(PROBABILITY)
seed = number_in(SEED)
percentage = number_in(Range(1, 100))


def add_bootstrap_options(parser: argparse.ArgumentParser, title: str = "bootstrap over topics") -> None:
    """Add the number of resamples and the random seed."""
    group = parser.add_argument_group(title)
    group.add_argument(
        "--resamples",
        type=number_in(RESAMPLES),
        default=1000,
        metavar="N",
        help=f"number of resamples, up to {RESAMPLES.high}; default: %(default)s",
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="random seed; default: %(default)s")


def add_output_options(parser: argparse.ArgumentParser, formats: Mapping[str, str]) -> None:
    """Add the format of a report, and the file to write it to.

    Args:
        parser: The parser of a command.
        formats: Names of formats, and the suffixes of their files.
    """
    parser.add_argument(
        "--format",
        choices=formats,
        metavar="FORMAT",
        help="%(choices)s; default: what the name of the output ends in, or terminal if it is shown",
    )
    parser.add_argument("--output", type=path, metavar="FILE", help="where to; default: shown")


def add_reference_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that puts reference results beside those of the user."""
    parser.add_argument(
        "--with",
        dest="references",
        choices=("reference",),
        help="also show the results of known models on the same rows, which the package has",
    )


def read_compared_results(options: argparse.Namespace) -> list[Result]:
    """Read the results that the user names, and the reference results of the same rows if the user asks for them.

    Raises:
        InputError: If a file is not a result.
        ComparisonError: If no reference result is of the same rows.
    """
    from harness.evaluation.reference.selection import list_references  # here, because most commands need no results
    from harness.evaluation.results import read_results

    results = read_results(options.results)
    if options.references:
        results += list_references(results)
    return results


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    """Add the number of processes."""
    parser.add_argument(
        "--workers",
        type=number_in(_WORKERS),
        default=count_cores(),
        metavar="N",
        help=f"processes, up to {_WORKERS.high}; they do not change the output (default: one per core, %(default)s)",
    )


def add_cache_option(parser: argparse._ActionsContainer) -> None:
    """Add the folder of embeddings."""
    parser.add_argument("--cache-dir", type=path, metavar="DIR", help="where they are; default: in the user's cache")


def add_recipient_option(parser: argparse._ActionsContainer) -> None:
    """Add the hosts that may get texts."""
    parser.add_argument(
        "--send-text-to",
        action="append",
        default=[],
        type=_parse_host,
        metavar="HOST",
        help="host that models may send texts to, such as api.openai.com; repeatable; default: no text leaves this "
        "machine",
    )


def _parse_host(text: str) -> str:
    try:
        return parse_host(text)
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def choose_format(options: argparse.Namespace, formats: Mapping[str, str]) -> str:
    """Return the format that the user names, or else the format of the suffix of the output.

    Raises:
        OptionError: If the suffix belongs to no format.
    """
    if options.format or options.output is None:
        return options.format or "terminal"
    return find_format(options.output, formats)


def refuse_overwriting(output: Path | None, *inputs: str | Path) -> None:
    """Check that an output does not replace an input, of which there may be no other copy.

    Args:
        output: The file to write, if any.
        inputs: The files to read; one within an archive is ARCHIVE/PATH.

    Raises:
        OptionError: If the output is one of the inputs, by whatever path, or an archive that holds one.
    """
    if output is None or not exists(output):
        return
    for source in map(expand_home, inputs):
        if any(exists(place) and output.samefile(place) for place in (source, *source.parents)):
            raise OptionError(f"{output}: is what was read; give another path for --output")


def refuse_among_summaries(outputs: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Check that outputs replace no input and no other output, and are not read as summaries by the next call.

    Args:
        outputs: The files to write, by the option that names each; None if it is not given.
        inputs: Files and folders of summaries.

    Raises:
        OptionError: If an output is an input or lies in a folder of them, or two are the same.
    """
    options_by_path: dict[Path, str] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        refuse_overwriting(output, *inputs)
        real = real_path(output)
        if any(is_folder(folder) and real.is_relative_to(real_path(folder)) for folder in map(expand_home, inputs)):
            raise OptionError(f"{output}: lies among the summaries, and would be read as one; give another path")
        if real in options_by_path:
            earlier = options_by_path[real]
            raise OptionError(f"{output}: is given for {earlier} and for {option}; give another path for one")
        options_by_path[real] = option


def show_or_write(text: str, output: Path | None) -> None:
    """Print a report, or write it to a file and print the path."""
    if output is None:
        emit(text.rstrip("\n"))
        return
    write_file(output, (text.rstrip("\n") + "\n").encode())
    say(show(output))


def parse_test_names(text: str) -> list[str]:
    """Parse names of configurations that are joined by commas, for `argparse`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in CONFIGURATION_NAMES:
            raise argparse.ArgumentTypeError(str(unknown_name("task", name, CONFIGURATION_NAMES)))
    return names
