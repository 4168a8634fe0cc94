"""The parser of command lines, and rows of tables of options, such as `option("--seed N", "random seed", SEED)`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from operator import methodcaller
from typing import Any, NoReturn

from harness.support.terminal import show, show_help
from pyramid_paraphrase.errors import find_similar
from pyramid_paraphrase.rules.ranges import Range

Describe = Callable[["Parser"], None]

Row = Callable[[argparse._ActionsContainer], object]
"""A row of a table of options: it adds an option, or several, to a parser or a group."""

_FLAG = re.compile(r"(--?[A-Za-z][\w-]*)(=.*)?", re.DOTALL)


class Formatter(argparse.HelpFormatter):
    """A formatter of help texts that omits hidden flags, and keeps the lines of an example."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if hidden := getattr(action, "hidden", ()):
            action = copy(action)
            action.option_strings = [name for name in action.option_strings if name not in hidden]
        return super()._format_action_invocation(action)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser that suggests the flag or the command that the user probably meant.

    Args:
        args: As for `argparse.ArgumentParser`.
        describe: Adds the arguments. It is called when the parser is used, because importing a command can be slow.
        options: As for `argparse.ArgumentParser`.

    Attributes:
        required: Destinations that need a value, from a positional argument or from a flag, with the name for errors.
    """

    def __init__(self, *args: Any, describe: Describe | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **{"allow_abbrev": False, "formatter_class": Formatter, **options})
        self._describe = describe
        self.required: dict[str, str] = {}

    def describe(self) -> None:
        """Add the arguments, unless they have been added before."""
        describe, self._describe = self._describe, None
        if describe is not None:
            describe(self)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse arguments. Refuse an unknown flag first, because it may be a misspelled required flag."""
        self.describe()
        arguments = list(sys.argv[1:] if args is None else args)
        for argument in arguments:
            is_command = self._subparsers is not None and not argument.startswith("-")
            if argument == "--" or is_command:  # a subcommand has its own parser
                break
            flag = _FLAG.fullmatch(argument)
            if flag and flag[1] not in self._option_string_actions:
                self.error(f"unrecognized arguments: {flag[1]}{_suggest(flag[1], self._option_string_actions)}")
        options, rest = super().parse_known_args(arguments, namespace)
        for name, usage in self.required.items():
            if not getattr(options, name):
                self.error(f"the following arguments are required: {usage}")
        return options, rest

    def error(self, message: str) -> NoReturn:
        """Print the usage and an error, and exit. The error may quote arguments, so it is escaped."""
        super().error(show(message))

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401
        """Print a help text. The method of `argparse` ignores a full disk."""
        show_help(message, file or sys.stderr)

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = _suggest(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f"{error.message}{hint}") from None


def option(
    usage: str,
    text: str,
    parse: Range | Callable[[str], object] | None = None,
    *,
    hidden: Sequence[str] = (),
    **settings: Any,  # noqa: ANN401
) -> Row:
    """Make a row with an option that has a value, or with a positional argument.

    Args:
        usage: The flag, or the name of the positional argument, and the name of its value in help texts, such as
            "--rows N". Several values have several names. Without a name of the value, `argparse` chooses it.
        text: The help text. It is extended by the default value, unless it describes the default.
        parse: The range of a number, or a function that parses the value or raises a `ValueError`. If None, the value
            is a text.
        hidden: Further flags for the same, which the help does not list, such as earlier names.
        settings: As for `add_argument` of `argparse`.
    """
    if settings.get("default") not in (None, "", []) and "default" not in text:
        text += " (default: %(default)s)"
    name, *values = usage.split()
    if values:
        settings["metavar"] = tuple(values) if len(values) > 1 else values[0]

    if parse is not None:
        settings["type"] = _as_type(parse)

    def add(parser: argparse._ActionsContainer) -> None:
        action: Any = parser.add_argument(name, *hidden, help=text, **settings)
        action.hidden = hidden

    return add


def path(usage: str, text: str, **settings: Any) -> Row:  # noqa: ANN401
    """Make a row as `option` does, with a path. ``~`` is expanded, because the shell does not expand it after ``=``."""
    from harness.files.writing import expand_home  # imports the readers of archives, which the help does not need

    return option(usage, text, expand_home, **settings)


def choice(usage: str, choices: Collection[str], text: str, **settings: Any) -> Row:  # noqa: ANN401
    """Make a row as `option` does, with one of several values. Without a name of the value, the help lists them."""
    return option(usage, text, choices=choices, **settings)


def flag(name: str, text: str, **settings: Any) -> Row:  # noqa: ANN401
    """Make a row with a flag without a value."""
    return methodcaller("add_argument", name, **{"action": "store_true", "help": text, **settings})


def group(title: str, *rows: Row) -> Row:
    """Make a row with options that the help lists under a title."""
    return lambda parser: add_rows(parser.add_argument_group(title), rows)


def either(*rows: Row, required: bool = False) -> Row:
    """Make a row with options that exclude each other."""
    return lambda parser: add_rows(parser.add_mutually_exclusive_group(required=required), rows)


def command(*rows: Row) -> Callable[[Callable[[argparse.Namespace], None]], Row]:
    """Decorate the function that runs a command, which `COMMANDS` finds by its name.

    Args:
        rows: The options of the command.

    Returns:
        The decorator. The function becomes a row that adds the options to the parser of the command.
    """

    def decorate(run: Callable[[argparse.Namespace], None]) -> Row:
        def add(parser: argparse._ActionsContainer) -> None:
            parser.set_defaults(run=run)
            add_rows(parser, rows)

        return add

    return decorate


def add_rows(parser: argparse._ActionsContainer, rows: Iterable[Row]) -> None:
    """Add the options of a table to a parser or a group."""
    for row in rows:
        row(parser)


def _as_type(parse: Range | Callable[[str], object]) -> Callable[[str], object]:
    """Make a type for `argparse`, which shows the messages of `ArgumentTypeError` only."""

    def parse_argument(text: str) -> object:
        try:
            return parse.parse(text) if isinstance(parse, Range) else parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse_argument


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
