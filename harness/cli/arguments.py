"""What the commands share: how they are described, and how they speak."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.cli.parser import add_parser
from harness.files.writing import expand_home, real_path, write_file
from harness.support.hardware import count_cores
from harness.support.terminal import emit
from harness.support.terminal import say as say  # commands import these two from here
from harness.support.terminal import show as show
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.inputs import exists, is_folder
from pyramid_paraphrase.options import CONFIGURATION_NAMES
from pyramid_paraphrase.ranges import COUNT, PROBABILITY, RESAMPLES, SEED, Range

SOURCE_HELP = "a file, folder or archive (.tar.gz, .tgz, .tar, .zip) of annotations, or 'sample'"

RESULT_HELP = "JSON file that `evaluate` wrote, or a folder of such files"

REPORT_FORMATS = {"terminal": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "json": ".json"}
"""Formats of reports on files that users bring, and what their files end in."""

_WORKERS = Range(1, 1024)

Run = Callable[[argparse.Namespace], None]


def add_command(commands: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    """Add an action of a command.

    Args:
        commands: What `add_subparsers` returned; `argparse` has no public name for it.
        name: What the user types.
        run: What it does, given the options.
        text: What it is for, in a line.

    Returns:
        Its parser, to be given arguments.
    """
    parser: argparse.ArgumentParser = add_parser(commands, name, text)
    set_run(parser, run)
    return parser


def set_run(parser: argparse.ArgumentParser, run: Run) -> None:
    """Say what a command does, given its options, and add the option that all commands have."""
    parser.set_defaults(run=run)
    parser.add_argument("--verbose", action="store_true", help="say more on the way")


def add_annotation_options(parser: argparse.ArgumentParser) -> None:
    """Add the annotation files that a command reads."""
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=SOURCE_HELP)
    parser.add_argument("--strict", action="store_true", help="refuse files in which anything has to be repaired")


def report(error: Exception) -> None:
    """Print an error in one line; with --verbose, what it was caused by, too."""
    if error.__cause__:
        logging.getLogger(__name__).info("caused by", exc_info=error.__cause__)
    say(f"pyramid-paraphrase: {show(error)}", sys.stderr)


def path(text: str) -> Path:
    """A path, ``~`` being the user's home even behind ``=``, for `argparse`."""
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
    """Add in which format a report is, and where it goes.

    Args:
        parser: Of a command.
        formats: Names of formats, and what their files end in.
    """
    parser.add_argument(
        "--format", choices=formats, help="default: what the name of the output ends in, or terminal if it is shown"
    )
    parser.add_argument("--output", type=path, metavar="FILE", help="where to; default: shown")


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
    """Add where embeddings are kept."""
    parser.add_argument("--cache-dir", type=path, metavar="DIR", help="where they are; default: in the user's cache")


def choose_format(options: argparse.Namespace, formats: Mapping[str, str]) -> str:
    """The format that is named, or what the name of the output ends in.

    Raises:
        OptionError: If it ends in nothing that is known.
    """
    if options.format or options.output is None:
        return options.format or "terminal"
    known = {ending: name for name, ending in formats.items()}
    if options.output.suffix.lower() not in known:
        endings = ", ".join(known)
        raise OptionError(f"{options.output}: no format is called so; let it end in {endings}, or give --format")
    return known[options.output.suffix.lower()]


def refuse_overwriting(output: Path | None, *inputs: str | Path) -> None:
    """Check that what is written does not replace what was read, which may be nowhere else.

    Args:
        output: Where to, if anywhere.
        inputs: What is read, which may lie within an archive: ARCHIVE/PATH.

    Raises:
        OptionError: If the output is one of the inputs, by whatever path, or an archive that holds one.
    """
    if output is None or not exists(output):
        return
    for given in map(expand_home, inputs):
        if any(exists(read) and output.samefile(read) for read in (given, *given.parents)):
            raise OptionError(f"{output}: is what was read; give another path for --output")


def refuse_among_summaries(outputs: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Check that what is written replaces nothing that was read, is none of the summaries of the next call, and stays.

    Args:
        outputs: Where to, if anywhere, by the option that says so.
        inputs: Where summaries lie.

    Raises:
        OptionError: If an output is an input or lies in a folder of them, or two are the same.
    """
    known: dict[Path, str] = {}
    for option, output in outputs.items():
        if output is None:
            continue
        refuse_overwriting(output, *inputs)
        real = real_path(output)
        if any(is_folder(folder) and real.is_relative_to(real_path(folder)) for folder in map(expand_home, inputs)):
            raise OptionError(f"{output}: lies among the summaries, and would be read as one; give another path")
        if real in known:
            raise OptionError(f"{output}: is given for {known[real]} and for {option}; give another path for one")
        known[real] = option


def show_or_write(text: str, output: Path | None) -> None:
    """Print a report, or write it to a file and print where it is."""
    if output is None:
        emit(text.rstrip("\n"))
        return
    write_file(output, (text.rstrip("\n") + "\n").encode())
    say(show(output))


def parse_tasks(text: str) -> list[str]:
    """Names of configurations joined by commas, for `argparse`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in CONFIGURATION_NAMES:
            raise argparse.ArgumentTypeError(str(unknown_name("task", name, CONFIGURATION_NAMES)))
    return names
