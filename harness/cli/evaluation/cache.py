"""The command cache."""

from __future__ import annotations

import argparse

from harness.cli.arguments import add_cache_option, say, set_run, show
from harness.rendering.tables import count_of, render_table


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _manage_cache)
    parser.add_argument("action", choices=("list", "clear"))
    parser.add_argument("model", nargs="?", help="name, or at least 8 digits of the key, of a model; default: all")
    add_cache_option(parser)


def _manage_cache(options: argparse.Namespace) -> None:
    from harness.evaluation.store import EmbeddingStore, format_age

    store = EmbeddingStore(options.cache_dir)
    entries = store.clear(options.model) if options.action == "clear" else store.entries(options.model)
    rows = [(one.name, one.key[:12], one.texts, one.bytes >> 10, format_age(one.used)) for one in entries]
    what = "Removed from" if options.action == "clear" else "In"
    say(f"{show(what)} {show(store.folder)}: {count_of(len(rows), 'model')}")
    if rows:
        say("\n" + render_table(("model", "key", "texts", "KiB", "used"), rows))
