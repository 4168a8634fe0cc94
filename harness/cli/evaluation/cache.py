"""List or remove stored embeddings."""

from __future__ import annotations

import argparse

from harness.cli.arguments import say, set_run, show
from harness.cli.shared_options import add_cache_option
from harness.evaluation.store import EmbeddingStore, format_age
from harness.models.neural.compiled import default_folder, list_conversions, remove_conversions
from harness.rendering.tables import count_of, render_table
from pyramid_paraphrase.errors import OptionError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the action, and the name or key of a model."""
    set_run(parser, _manage_cache)
    parser.add_argument("action", choices=("list", "clear"), help="list or remove stored embeddings and scores")
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="name of a model, or at least 8 digits of its key (default: all models)",
    )
    add_cache_option(parser)


def _manage_cache(options: argparse.Namespace) -> None:
    store = EmbeddingStore(options.cache_dir)
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
        kept_rows = [(*kept.conversion, kept.key[:12], kept.bytes >> 10, format_age(kept.used)) for kept in conversions]
        say(f"\n{show(action)} {show(default_folder())}: {count_of(len(kept_rows), 'converted model')}\n")
        say(render_table(("model", "backend", "key", "KiB", "used"), kept_rows))
