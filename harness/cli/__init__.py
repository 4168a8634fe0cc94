"""The command `pyramid-paraphrase`."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from harness.cli.commands import add_commands
from harness.cli.parser import Parser
from harness.rendering.tables import chosen_digits
from harness.support.errors import describe_limit
from harness.support.terminal import flush, log_to_terminal, quieted, report, say, standard_streams, table_width
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OutputError, PyramidParaphraseError
from pyramid_paraphrase.files.extras import WrongVersionError, require_versions

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
EXIT_UNREAD = 141
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
_CONTEXT = 20
_STOPPED = "pyramid-paraphrase: stopped"
_RESUMABLE = f"{_STOPPED}. Run the same command again to continue where it stopped."
"""Messages after Ctrl-C and `_SIGNALS`."""

_REFUSED = ("HF_HUB_DISABLE_XET", "DISABLE_SAFETENSORS_CONVERSION")
"""Variables that prevent downloads without time limits by hf_xet, and requests of transformers to another server for
the conversion of a model."""


class _Terminated(BaseException):
    """Raised on a signal that ends the process, so that temporary files are removed.

    Args:
        number: The number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The arguments after the program's name. If None, the arguments of the process.

    Returns:
        The exit status: 0 for success, 2 for unusable input, 129 after SIGHUP, 130 after Ctrl-C, 141 if the output was
        not read to its end, 143 after SIGTERM.
    """
    try:
        return _run(arguments)
    except Exception as error:  # a required package in a wrong version can fail in any way
        try:
            require_versions()
        except WrongVersionError as wrong:
            wrong.__cause__ = error
            report(wrong)
            return EXIT_BAD_INPUT
        if limit := describe_limit(error):
            limit.__cause__ = error
            report(limit)
            return EXIT_BAD_INPUT
        raise


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command, and report errors of its input and output. Any other error is raised."""
    for name in _REFUSED:
        os.environ.setdefault(name, "1")
    resumes: Callable[[], bool] = bool
    with standard_streams():
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # file names can contain any bytes
        try:
            options = make_parser().parse_args(arguments)
            resumes = partial(options.resumes, options)
            log_to_terminal(logging.INFO if options.verbose else logging.WARNING)
            with (
                table_width(options.width),
                quieted(options.quiet),
                chosen_digits(getattr(options, "digits", None)),
                _raising_on_termination(),
            ):
                options.run(options)
            flush()
        except PyramidParaphraseError as error:
            report(error)
            return EXIT_BAD_INPUT
        except UnicodeEncodeError as error:
            report(_describe_unwritable(error))
            return EXIT_BAD_INPUT
        except (KeyboardInterrupt, _Terminated) as stop:
            say(_RESUMABLE if resumes() else _STOPPED, sys.stderr)
            return stop.status if isinstance(stop, _Terminated) else EXIT_INTERRUPTED
        except BrokenPipeError:
            return EXIT_UNREAD
    return 0


def _describe_unwritable(error: UnicodeEncodeError) -> OutputError:
    """Describe a text that cannot be written: arguments and file names can contain bytes that are not UTF-8."""
    place = error.object[max(0, error.start - _CONTEXT) : error.end + _CONTEXT]
    described = OutputError(
        f"an argument or a file name is not UTF-8: {place!a}. Change the argument or rename the file"
    )
    described.__cause__ = error
    return described


@contextmanager
def _raising_on_termination() -> Iterator[None]:
    """Raise an exception on Ctrl-C and `_SIGNALS`, except on those that are ignored, as `nohup` does with SIGHUP.

    A library in C can replace the exception by an error of its own, so an error after a signal also ends the command as
    the signal does.
    """
    if threading.current_thread() is not threading.main_thread():  # no other thread may set handlers
        yield
        return

    received: list[BaseException] = []

    def stop(number: int, _: object) -> None:
        received.append(KeyboardInterrupt() if number == signal.SIGINT else _Terminated(number))
        raise received[-1]

    previous_handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *_SIGNALS)}
    for number, previous in previous_handlers.items():
        if previous is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    except Exception:
        if received:
            raise received[0] from None
        raise
    finally:
        for number, previous in previous_handlers.items():
            signal.signal(number, previous or signal.SIG_DFL)


def make_parser() -> Parser:
    """Make the parser of the command line."""
    parser = Parser(
        prog="pyramid-paraphrase",
        description="Evaluate sentence embeddings on tests made from pyramid annotations, score summaries and metrics "
        "of summaries, and work with paraphrases. To try it: pyramid-paraphrase evaluate --data sample --model one-hot",
    )
    parser.add_argument("--version", action="version", version=__version__, help="show the version and exit")
    add_commands(parser)
    return parser
