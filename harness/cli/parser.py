"""A parser of command lines that suggests names and describes a command only when it is named."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from harness.support.terminal import show

Describe = Callable[[argparse.ArgumentParser], None]

_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser that names the flag or the command that may have been meant.

    Args:
        args: As for `argparse.ArgumentParser`.
        describe: Adds the arguments, once they are needed: what describes a command imports much.
        options: As for `argparse.ArgumentParser`.
    """

    def __init__(self, *args: Any, describe: Describe | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **{"allow_abbrev": False, **options})
        self._describe = describe

    def describe(self) -> None:
        """Add the arguments, unless they are there."""
        describe, self._describe = self._describe, None
        if describe is not None:
            describe(self)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse arguments; an unknown flag is refused before anything that is missing for want of it."""
        self.describe()
        given = sys.argv[1:] if args is None else list(args)
        for text in self._own(given):
            found = _FLAG.fullmatch(text)
            if found and found[1] not in self._option_string_actions:
                self.error(f"unrecognized arguments: {found[1]}{_suggest(found[1], self._option_string_actions)}")
        return super().parse_known_args(given, namespace)

    def _own(self, given: list[str]) -> list[str]:
        """The arguments that are this parser's, and not those of a command."""
        given = given[: given.index("--")] if "--" in given else given
        is_command = [self._subparsers is not None and not text.startswith("-") for text in given]
        return given[: is_command.index(True)] if True in is_command else given

    def error(self, message: str) -> NoReturn:
        """Print the usage and an error, which may quote arguments, and exit."""
        super().error(show(message))

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = _suggest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}{hint}") from None


def add_parser(subparsers: Any, name: str, purpose: str, describe: Describe | None = None) -> Parser:  # noqa: ANN401
    """Add the parser of a command or of an action.

    Args:
        subparsers: The object that `add_subparsers` returned; `argparse` does not export its type.
        name: What the user types.
        purpose: What it is for, in a line.
        describe: Adds the arguments, once they are needed.
    """
    text = purpose[0].upper() + purpose[1:] + "."
    parser: Parser = subparsers.add_parser(name, help=purpose, description=text, describe=describe)
    return parser


def _suggest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""
