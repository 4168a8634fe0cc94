"""A parser of command lines that suggests names, and adds the arguments of a command only when it is used."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from harness.support.terminal import show
from pyramid_paraphrase.errors import find_similar

Describe = Callable[[argparse.ArgumentParser], None]

_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser that suggests the flag or the command that the user probably meant.

    Args:
        args: As for `argparse.ArgumentParser`.
        describe: Adds the arguments. It is called when the parser is used, because importing a command can be slow.
        options: As for `argparse.ArgumentParser`.
    """

    def __init__(self, *args: Any, describe: Describe | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **{"allow_abbrev": False, **options})
        self._describe = describe

    def describe(self) -> None:
        """Add the arguments, unless they have been added before."""
        describe, self._describe = self._describe, None
        if describe is not None:
            describe(self)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse arguments. Refuse an unknown flag first, because it may be a misspelled required flag."""
        self.describe()
        arguments = list(sys.argv[1:] if args is None else args)
        for argument in self._list_own_arguments(arguments):
            flag = _FLAG.fullmatch(argument)
            if flag and flag[1] not in self._option_string_actions:
                self.error(f"unrecognized arguments: {flag[1]}{_suggest(flag[1], self._option_string_actions)}")
        return super().parse_known_args(arguments, namespace)

    def _list_own_arguments(self, arguments: list[str]) -> Iterator[str]:
        """Yield the arguments before "--" or before the name of a subcommand, which has its own parser."""
        for argument in arguments:
            is_command = self._subparsers is not None and not argument.startswith("-")
            if argument == "--" or is_command:
                return
            yield argument

    def error(self, message: str) -> NoReturn:
        """Print the usage and an error, and exit. The error may quote arguments, so it is escaped."""
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
        subparsers: The object that `add_subparsers` returned. `argparse` does not export its type.
        name: The word that the user types.
        purpose: The purpose of the command, in one line.
        describe: Adds the arguments when the parser is used.
    """
    text = purpose[0].upper() + purpose[1:] + "."
    parser: Parser = subparsers.add_parser(name, help=purpose, description=text, describe=describe)
    return parser


def _suggest(name: str, choices: Iterable[str]) -> str:
    similar = find_similar(name, choices)
    return f". Did you mean '{similar}'?" if similar else ""
