"""The command cache."""

from __future__ import annotations

import argparse

from harness.cli.arguments import add_cache_option, say, set_run, show
from harness.evaluation.store import EmbeddingStore, format_age
from harness.rendering.tables import count_of, render_table


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _manage_cache)
    parser.add_argument("action", choices=("list", "clear"))
    parser.add_argument("model", nargs="?", help="name, or at least 8 digits of the key, of a model; default: all")
    add_cache_option(parser)


def _manage_cache(options: argparse.Namespace) -> None:
    store = EmbeddingStore(options.cache_dir)
    if options.action == "clear":
        models, action = store.clear(options.model), "Removed from"
    else:
        models, action = store.list_models(options.model), "In"
    rows = [(model.name, model.key[:12], model.texts, model.bytes >> 10, format_age(model.used)) for model in models]
    say(f"{action} {show(store.folder)}: {count_of(len(rows), 'model')}")
    if rows:
        say("\n" + render_table(("model", "key", "texts", "KiB", "used"), rows))
