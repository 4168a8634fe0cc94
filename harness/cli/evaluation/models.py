"""List the kinds of models with their options."""

from __future__ import annotations

import argparse

from harness.cli.arguments import say, set_run, show
from harness.models.interfaces.kinds import ModelKind
from harness.models.registry import KINDS
from harness.rendering.tables import Prose, render_table


def add_options(parser: argparse.ArgumentParser) -> None:
    """Set the function that runs the command, which has no options."""
    set_run(parser, _list_models)


def _list_options(kind: ModelKind) -> Prose:
    return Prose(", ".join(option.name for option in kind.options))


def _list_models(options: argparse.Namespace) -> None:
    del options
    rows = [(kind.name, Prose(kind.meaning), _list_options(kind)) for kind in KINDS]
    say(render_table(("kind", "description", "options"), rows))
    say("\nExamples:\n")
    for kind in KINDS:
        say(f"  --model {show(kind.example)}")
    say("\nEvery kind accepts name=..., the name in tables. The default name includes the")
    say("options that change the model. If SPEC has no kind, the kind is determined from")
    say("the file or folder at the path.")
