"""The command models."""

from __future__ import annotations

import argparse

from harness.cli.arguments import say, set_run, show
from harness.models.interfaces.kinds import ModelKind
from harness.models.registry import KINDS
from harness.rendering.tables import Prose, render_table


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _list_models)


def _list_options(kind: ModelKind) -> Prose:
    return Prose(", ".join(option.name for option in kind.options))


def _list_models(options: argparse.Namespace) -> None:
    del options
    rows = [(kind.name, Prose(kind.meaning), _list_options(kind)) for kind in KINDS]
    say(render_table(("kind", "what it is", "options"), rows))
    say("\nFor example:\n")
    for kind in KINDS:
        say(f"  --model {show(kind.example)}")
    say("\nEvery kind takes name=..., its name in tables; by default, that is its own with the options that change it.")
    say("Without a kind, it is told from what lies at the path.")
