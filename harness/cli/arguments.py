"""What the commands share: how they are described, and how they speak."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.options import CONFIGURATION_NAMES

SOURCE_HELP = "a file, folder or archive (.tar.gz, .tgz, .tar, .zip) of annotations, or 'sample'"

RESULT_HELP = "JSON file that `evaluate` wrote, or a folder of such files"

Run = Callable[[argparse.Namespace], None]


def add_command(commands: Any, name: str, run: Run, text: str) -> argparse.ArgumentParser:  # noqa: ANN401
    """Add a command.

    Args:
        commands: What `add_subparsers` returned; `argparse` has no public name for it.
        name: What the user types.
        run: What it does, given the options.
        text: What it is for, in a line.

    Returns:
        Its parser, to be given arguments.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.set_defaults(run=run)
    parser.add_argument("--verbose", action="store_true", help="say more on the way")
    return parser


def say(text: str, stream: Any = None) -> None:  # noqa: ANN401
    """Print a line."""
    print(text, file=stream)


def report(error: Exception) -> None:
    """Print an error in one line; with --verbose, what it was caused by, too."""
    if error.__cause__:
        logging.getLogger(__name__).info("caused by", exc_info=error.__cause__)
    say(f"pyramid-paraphrase: {error}", sys.stderr)


def path(text: str) -> Path:
    """A path, ``~`` being the user's home even behind ``=``, for `argparse`."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - which leaves alone what it cannot expand


def positive(text: str) -> int:
    """A number above zero, for `argparse`."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give a number above 0")
    return value


def parse_tasks(text: str) -> list[str]:
    """Names of configurations joined by commas, for `argparse`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names or [text]:
        if name not in CONFIGURATION_NAMES:
            raise argparse.ArgumentTypeError(str(unknown_name("task", name, CONFIGURATION_NAMES)))
    return names
