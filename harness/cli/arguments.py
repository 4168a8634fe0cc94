"""Argument types, checks and output that the commands share."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.parser import add_parser
from harness.files.writing import expand_home, real_path, write_file
from harness.rendering.reports import find_format
from harness.support.errors import ComparisonError
from harness.support.terminal import emit
from harness.support.terminal import say as say  # commands import `say` and `show` from here
from harness.support.terminal import show as show
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.files.inputs import exists, is_folder
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES
from pyramid_paraphrase.rules.ranges import COUNT, PROBABILITY, SEED, Range

if TYPE_CHECKING:
    from harness.evaluation.results import Result

Run = Callable[[argparse.Namespace], None]
Condition = Callable[[argparse.Namespace], bool]


def add_command(commands: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    """Add an action of a command.

    Args:
        commands: The object that `add_subparsers` returned. `argparse` does not export its type.
        name: The word that the user types.
        run: The function that runs the action with the parsed options.
        text: The purpose of the action, in one line.

    Returns:
        The parser of the action, without arguments.
    """
    parser: argparse.ArgumentParser = add_parser(commands, name, text)
    set_run(parser, run)
    return parser


def never(options: argparse.Namespace) -> bool:
    """Return False: if stopped, the command starts again from the beginning."""
    del options
    return False


def always(options: argparse.Namespace) -> bool:
    """Return True: if stopped, the command continues when it is run again."""
    del options
    return True


def set_run(parser: argparse.ArgumentParser, run: Run, resumes: Condition = never) -> None:
    """Set the function that runs a command, and add the option that all commands have.

    Args:
        parser: The parser of the command.
        run: The function that runs the command with the parsed options.
        resumes: Returns whether the command with these options, if stopped, continues when it is run again.
    """
    parser.set_defaults(run=run, resumes=resumes)
    parser.add_argument("--verbose", action="store_true", help="show more messages")


def report(error: Exception) -> None:
    """Print an error in one line. With --verbose, also print its cause."""
    if error.__cause__:
        logging.getLogger(__name__).info("caused by", exc_info=error.__cause__)
    say(f"pyramid-paraphrase: {show(error)}", sys.stderr)


def path(text: str) -> Path:
    """Parse a path for `argparse`. Expand ``~``, because the shell does not expand it after ``=``."""
    return expand_home(text)


def number_in(allowed: Range) -> Callable[[str], Any]:
    """Make a type for `argparse` that accepts numbers within a range.

    Args:
        allowed: The range.

    Returns:
        A function that parses a number. Its error message names the range.
    """

    def parse(text: str) -> int | float:
        try:
            return allowed.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"use {allowed}") from None

    return parse


positive = number_in(COUNT)
probability = number_in(PROBABILITY)
seed = number_in(SEED)
percentage = number_in(Range(1, 100))


def read_compared_results(options: argparse.Namespace) -> list[Result]:
    """Read the results that the user names, and the reference results of the same rows if `--with` is set.

    Raises:
        OptionError: If `--output` is one of the results.
        InputError: If a file is not a result.
    """
    from harness.evaluation.reference.selection import list_references  # rarely needed

    results = read_named_results(options)
    if options.references:
        results += list_references(results)
    return results


def read_named_results(options: argparse.Namespace) -> list[Result]:
    """Read the results that the user names.

    Raises:
        OptionError: If `--output` is one of them.
        InputError: If a file is not a result.
    """
    from harness.evaluation.results import read_results  # rarely needed

    results = read_results(options.results)
    refuse_overwriting(options.output, *(result.path for result in results))
    return results


def read_single_result(path: str, fits: Callable[[Result], bool]) -> Result:
    """Read a file or a folder with a single result, or with a single result that fits.

    Args:
        path: The file or folder.
        fits: Returns whether a result fits. If no result fits, all count.

    Raises:
        ComparisonError: If there are several.
        InputError: If a file is not a result.
    """
    from harness.evaluation.results import read_results  # rarely needed

    results = read_results([path])
    fitting = list(filter(fits, results)) or results
    if len(fitting) > 1:
        paths = ", ".join(result.path for result in fitting)
        raise ComparisonError(f"{path}: contains several results: {paths}. Use a single result")
    return fitting[0]


def choose_format(options: argparse.Namespace, formats: Mapping[str, str]) -> str:
    """Return the value of `--format`. If it is not set, return the format for the suffix of `--output`.

    Raises:
        OptionError: If the suffix belongs to no format.
    """
    if options.format or options.output is None:
        return options.format or "terminal"
    return find_format(options.output, formats)


def refuse_overwriting(output: Path | None, *inputs: str | Path) -> None:
    """Check that an output does not replace an input, which may be the only copy.

    Args:
        output: The file to write, or None.
        inputs: The files to read. A file within an archive is ARCHIVE/PATH.

    Raises:
        OptionError: If the output is an input, also through a link, or an archive that contains an input.
    """
    if output is None or not exists(output):
        return
    for source in map(expand_home, inputs):
        if any(exists(place) and output.samefile(place) for place in (source, *source.parents)):
            raise OptionError(f"{output}: is also an input. Use another path for --output")


def refuse_among_summaries(outputs: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Check that outputs replace no input and no other output, and will not be read as summaries later.

    Args:
        outputs: The files to write, by the name of the option. None if the option is not set.
        inputs: Files and folders of summaries.

    Raises:
        OptionError: If an output is an input or lies in a folder of inputs, or two outputs are the same.
    """
    options_by_path: dict[Path, str] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        refuse_overwriting(output, *inputs)
        real = real_path(output)
        if any(is_folder(folder) and real.is_relative_to(real_path(folder)) for folder in map(expand_home, inputs)):
            reason = f"{output}: is in a folder of summaries and would be read as a summary"
            raise OptionError(f"{reason}. Use another path for {option}")
        if real in options_by_path:
            earlier = options_by_path[real]
            raise OptionError(f"{output}: is the path of both {earlier} and {option}. Use two different paths")
        options_by_path[real] = option


def show_or_write(text: str, output: Path | None) -> None:
    """Print a report, or write it to a file and print the path."""
    if output is None:
        emit(text.rstrip("\n"))
        return
    write_file(output, (text.rstrip("\n") + "\n").encode())
    say(show(output))


def parse_test_names(text: str) -> list[str]:
    """Parse comma-separated names of configurations, for `argparse`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in CONFIGURATION_NAMES:
            raise argparse.ArgumentTypeError(str(unknown_name("task", name, CONFIGURATION_NAMES)))
    return names
