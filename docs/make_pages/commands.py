"""The page of all commands, made from the parser of the command line."""

from __future__ import annotations

import argparse
import html
import re
import sys
import textwrap
from collections.abc import Iterator

from harness.cli import make_parser
from harness.cli.commands import GROUPS
from harness.cli.parser import Formatter, Parser


def render_commands() -> str:
    """Render an overview and a section per command as Markdown."""
    parser = make_parser()
    sections = [section for name, command in _list_commands(parser) for section in _render_command(name, command, 2)]
    return "\n".join([_render_overview(parser), *sections])


def _list_commands(parser: argparse.ArgumentParser) -> list[tuple[str, Parser]]:
    """List the commands of a parser by name, in the order in which they were added."""
    return [
        (name, command)
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command in action.choices.items()
    ]


def _render_overview(parser: argparse.ArgumentParser) -> str:
    """Render a table of the commands, in the groups of the help."""
    descriptions = {name: command.description for name, command in _list_commands(parser)}
    lines = ["| group | command | what it does |", "| --- | --- | --- |"]
    for title, rows in GROUPS.items():
        for name in (row.name for row in rows if row.name in descriptions):
            lines.append(f"| {title} | [`{name}`](#{name}) | {_escape(descriptions[name] or '')} |")
            title = ""
    return "\n".join(lines) + "\n"


def _render_command(name: str, parser: Parser, level: int) -> Iterator[str]:
    """Render a command, then its actions below it."""
    parser.describe()
    yield f"{'#' * level} {name}\n\n{_escape(parser.description or '')}\n\n{_render_usage(parser)}\n"
    options = [action for action in parser._actions if not _is_known(action)]
    if options:
        yield "| argument | meaning |\n| --- | --- |\n" + "\n".join(map(_render_argument, options)) + "\n"
    if parser.epilog:
        example = textwrap.dedent(parser.epilog.split("\n", 1)[1])
        yield f"Example:\n\n```bash\n{example}\n```\n"
    for action_name, action in _list_commands(parser):
        yield from _render_command(f"{name} {action_name}", action, level + 1)


def _render_usage(parser: argparse.ArgumentParser) -> str:
    """Render the usage as one line, which the style of the class `usage` breaks at any width of a window."""
    formatter = argparse.HelpFormatter(parser.prog, width=sys.maxsize)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return f"```{{ .text .usage }}\n{formatter.format_help().strip()}\n```"


def _is_known(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction | argparse._HelpAction)


def _render_argument(action: argparse.Action) -> str:
    formatter = Formatter("")
    names = formatter._format_action_invocation(action)
    meaning = formatter._expand_help(action) if action.help else ""
    if action.required and action.option_strings:
        meaning += " (required)"
    return f"| `{names}` | {_escape(meaning)} |"


def _escape(text: str) -> str:
    """Escape characters that Markdown or tables would treat as markup."""
    return re.sub(r"[\\|*_\[\]]", r"\\\g<0>", html.escape(text, quote=False))
