"""List the kinds of models with their options, and list or remove stored embeddings, scores and tests."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from harness.cli.options import CACHE_FOLDER
from harness.cli.outputs import say, show
from harness.cli.parser import choice, command, option
from harness.models.files.conversions import default_folder, list_conversions, remove_conversions
from harness.models.files.store import TEST_SUFFIX, ModelStore, StoredModel, VectorFile, format_age
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
    choice("action", ("list", "clear"), "list or remove stored embeddings, scores and built tests"),
    option("model MODEL", "name of a model or test, or at least 8 digits of its key (default: all)", nargs="?"),
    CACHE_FOLDER,
)
def run_cache(options: argparse.Namespace) -> None:
    """List or remove stored embeddings, scores, built tests and converted models."""
    store = ModelStore(options.cache_dir)
    conversions = [] if options.cache_dir else list_conversions(options.model)
    select, action = store.list_models, "In"
    if options.action == "clear":
        select, action = store.clear, "Removed from"
        remove_conversions(conversions)
    models, tests = _select(partial(select, options.model), needs_any=not conversions)
    say(f"{show(action)} {show(store.folder)}: {count_of(len(models), 'model')}")
    _show_stored(("model", "key", "entries", "KiB", "used"), models)
    if tests:
        say(f"\n{show(action)} {show(store.folder)}: {count_of(len(tests), 'built test')}")
        _show_stored(("test", "key", "rows", "KiB", "used"), tests)
    if conversions:
        kept_rows = [
            (kept.name, kept.backend, kept.key[:12], kept.bytes >> 10, format_age(kept.used)) for kept in conversions
        ]
        say(f"\n{show(action)} {show(default_folder())}: {count_of(len(kept_rows), 'converted model')}\n")
        say(render_table(("model", "backend", "key", "KiB", "used"), kept_rows))


def _select(
    select: Callable[..., list[StoredModel]], *, needs_any: bool
) -> tuple[list[StoredModel], list[StoredModel]]:
    """Select models and built tests.

    Args:
        select: The method of `ModelStore` that lists or removes them, with the name that the user gives.
        needs_any: Whether a name that neither a model nor a test has is an error.
    """
    found: dict[str, list[StoredModel]] = {}
    unknown: list[OptionError] = []
    for suffix in (VectorFile.suffix, TEST_SUFFIX):
        try:
            found[suffix] = select(suffix=suffix)
        except OptionError as error:
            unknown.append(error)
    if needs_any and not found:
        raise unknown[0]
    return found.get(VectorFile.suffix, []), found.get(TEST_SUFFIX, [])


def _show_stored(header: Sequence[str], stored: Iterable[StoredModel]) -> None:
    rows = [(kept.name, kept.key[:12], kept.entries, kept.bytes >> 10, format_age(kept.used)) for kept in stored]
    if rows:
        say("\n" + render_table(header, rows))
