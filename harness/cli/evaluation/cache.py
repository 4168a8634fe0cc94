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
        heading, entries = "Removed from", store.clear(options.model)
    else:
        heading, entries = "In", store.entries(options.model)
    rows = [(entry.name, entry.key[:12], entry.texts, entry.bytes >> 10, format_age(entry.used)) for entry in entries]
    say(f"{heading} {show(store.folder)}: {count_of(len(rows), 'model')}")
    if rows:
        say("\n" + render_table(("model", "key", "texts", "KiB", "used"), rows))
