"""List the kinds of models with their options, and list or remove stored embeddings."""

from __future__ import annotations

import argparse

from harness.cli.options import CACHE_FOLDER
from harness.cli.outputs import say, show
from harness.cli.parser import choice, command, option
from harness.models.files.conversions import default_folder, list_conversions, remove_conversions
from harness.models.files.store import ModelStore, format_age
from harness.models.registry import KIND_BY_NAME, KINDS
from harness.rendering.tables import Prose, count_of, render_table
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.escaping import quote_path


@command(option("kind KIND", "name of a kind, to list the values of its options (default: list all kinds)", nargs="?"))
def run_models(options: argparse.Namespace) -> None:
    """List the kinds of models with their options, or the options of a kind with their values."""
    if options.kind is not None:
        if options.kind not in KIND_BY_NAME:
            raise unknown_name("kind of model", options.kind, KIND_BY_NAME)
        kind = KIND_BY_NAME[options.kind]
        values = [(option.name, Prose(option.allowed), str(option.default or "")) for option in kind.options]
        say(f"{show(kind.meaning)}\n")
        say(render_table(("option", "values", "default"), values))
        say(f"\nExample:\n\n  --model {show(quote_path(kind.example))}")
        return
    rows = [
        (kind.name, Prose(kind.meaning), Prose(", ".join(option.name for option in kind.options))) for kind in KINDS
    ]
    say(render_table(("kind", "description", "options"), rows))
    say("\nExamples:\n")
    for kind in KINDS:
        say(f"  --model {show(quote_path(kind.example))}")
    say("\nEvery kind accepts name=..., the name in tables. The default name includes the")
    say("options that change the model. If SPEC has no kind, the kind is determined from")
    say("the file or folder at the path. `models KIND` lists the values of its options.")


@command(
    choice("action", ("list", "clear"), "list or remove stored embeddings and scores"),
    option("model MODEL", "name of a model, or at least 8 digits of its key (default: all models)", nargs="?"),
    CACHE_FOLDER,
)
def run_cache(options: argparse.Namespace) -> None:
    """List or remove stored embeddings."""
    store = ModelStore(options.cache_dir)
    conversions = [] if options.cache_dir else list_conversions(options.model)
    select, action = store.list_models, "In"
    if options.action == "clear":
        select, action = store.clear, "Removed from"
        remove_conversions(conversions)
    try:
        models = select(options.model)
    except OptionError:
        if not conversions:
            raise
        models = []
    rows = [(model.name, model.key[:12], model.entries, model.bytes >> 10, format_age(model.used)) for model in models]
    say(f"{show(action)} {show(store.folder)}: {count_of(len(rows), 'model')}")
    if rows:
        say("\n" + render_table(("model", "key", "entries", "KiB", "used"), rows))
    if conversions:
        kept_rows = [
            (kept.name, kept.backend, kept.key[:12], kept.bytes >> 10, format_age(kept.used)) for kept in conversions
        ]
        say(f"\n{show(action)} {show(default_folder())}: {count_of(len(kept_rows), 'converted model')}\n")
        say(render_table(("model", "backend", "key", "KiB", "used"), kept_rows))
