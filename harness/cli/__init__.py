"""The command `pyramid-paraphrase`."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from harness.cli.arguments import report, say
from harness.cli.commands import add_commands
from harness.cli.parser import Parser
from harness.support.terminal import log_to_terminal
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OutputError, PyramidParaphraseError

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143
_CONTEXT = 20


class _Terminated(BaseException):
    """The system asked the command to end: raised, so that temporary files are removed on the way out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: What follows the program's name; that of the process if None.

    Returns:
        The exit status: 0, 2 for input that cannot be used, 130 if the user stopped it, or 143 if it was terminated.
    """
    options = make_parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be anything
    log_to_terminal(logging.INFO if options.verbose else logging.WARNING)
    try:
        with _noticing_termination():
            options.run(options)
        sys.stdout.flush()
    except PyramidParaphraseError as error:
        report(error)
        return EXIT_BAD_INPUT
    except UnicodeEncodeError as error:
        report(_describe_unwritable(error))
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        say("pyramid-paraphrase: stopped", sys.stderr)
        return EXIT_INTERRUPTED
    except _Terminated:
        return EXIT_TERMINATED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _describe_unwritable(error: UnicodeEncodeError) -> OutputError:
    """Describe a text that cannot be written: arguments and names of files can hold bytes that are not UTF-8."""
    place = error.object[max(0, error.start - _CONTEXT) : error.end + _CONTEXT]
    described = OutputError(f"an argument or the name of a file is not in UTF-8: {place!a}; rename it, or change it")
    described.__cause__ = error
    return described


@contextmanager
def _noticing_termination() -> Iterator[None]:
    """Raise an exception when the process is terminated, if this is the thread that may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop) or signal.SIG_DFL
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def make_parser() -> Parser:
    """Describe the command line."""
    parser = Parser(
        prog="pyramid-paraphrase",
        description="Tests of sentence embeddings from pyramid annotations of the DUC and TAC conferences; "
        "scores of summaries, and what they are worth.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    return parser
