"""The command build."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import Field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import add_annotation_options, number_in, say, set_run, show
from harness.rendering.tables import render_table
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.options import (
    ANNOTATIONS,
    CONFIGURATION_NAMES,
    CONFIGURATIONS,
    OPTION_FIELDS,
    PYRAMID_TESTS,
    PYRAMIDS,
    Configuration,
    changed_options,
    is_free,
)
from pyramid_paraphrase.problems import describe
from pyramid_paraphrase.registration import NAME

if TYPE_CHECKING:
    from pyramid_paraphrase.built_tests import BuiltTest
    from pyramid_paraphrase.corpus import Corpus


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _build)
    add_annotation_options(parser)
    parser.add_argument(
        "--config",
        action="append",
        choices=CONFIGURATION_NAMES,
        metavar="NAME",
        help="configuration to build: %(choices)s; repeatable; default: all that are made from pyramids",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="write a folder with Parquet files instead of the datasets cache; a build that is there is replaced",
    )
    target.add_argument("--cache-dir", type=Path, metavar="DIR", help="datasets cache to use instead of the default")
    rules = parser.add_argument_group("rules of the tests (defaults: the text of the paper, not its figures)")
    for option in OPTION_FIELDS:
        _add_rule(rules, option)


def _add_rule(rules: argparse._ActionsContainer, option: Field[Any]) -> None:
    """Add the flag of an option of the tests."""
    flag, kinds = "--" + option.name.replace("_", "-"), " and ".join(kind.name for kind in option.metadata["kinds"])
    text = f"{option.metadata['help']} ({kinds}; default: {_show_default(option)})"
    if isinstance(option.default, bool):
        rules.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=text)
    elif option.metadata["choices"]:
        rules.add_argument(flag, choices=option.metadata["choices"], help=text)
    else:
        allowed = option.metadata["range"]
        metavar = type(option.default).__name__.upper()
        rules.add_argument(flag, type=number_in(allowed) if allowed else str, metavar=metavar, help=text)


def _show_default(option: Field[Any]) -> str:
    if isinstance(option.default, bool):
        return "yes" if option.default else "no"
    return str(option.default) or str(option.metadata["empty"])


def _build(options: argparse.Namespace) -> None:
    import datasets

    from pyramid_paraphrase.build import build_test
    from pyramid_paraphrase.builder import warn_about_problems, warn_if_sample
    from pyramid_paraphrase.corpus import read_corpus
    from pyramid_paraphrase.corpus_summary import describe_parts

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    chosen = [row for row in CONFIGURATIONS if row.name in (options.config or PYRAMID_TESTS)]
    _require_effect(options, chosen)
    if options.output and (unsupported := [row.name for row in chosen if row.origin != PYRAMIDS]):
        raise OptionError(
            f"--output is not for {unsupported[0]}; load its files by data_dir=..., or leave --output out"
        )
    if any(row.origin not in ANNOTATIONS for row in chosen):
        _build_pairs(options, chosen)
        return
    warn_if_sample(options.sources)
    corpus = read_corpus(*options.sources, strict=options.strict)
    warn_about_problems(corpus)
    tests = [build_test(corpus, row.name, _list_options(options, row)) for row in chosen]
    call = _store(options, corpus, tests)
    say(f"Pyramids read: {len(corpus.all_pyramids)}; {show(describe(corpus.problems))}.")
    if parts := describe_parts(corpus.count_collections()):
        say(parts)
    say("")
    _report(tests, call)
    if options.output:
        folder = show(shlex.quote(str(options.output)))
        say("If the licence of the texts allows it, share this folder as a private dataset on the Hub:")
        say(f"  hf upload ORG/NAME {folder} --repo-type dataset --private")


def _build_pairs(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    """Build configurations of a pair corpus into the cache; a folder with its files exists already."""
    from pyramid_paraphrase.loading import load_tests

    names = [row.name for row in chosen if row.origin not in ANNOTATIONS]
    if len(names) < len(chosen):
        raise OptionError(f"{', '.join(names)} and the others are made from other files; build them one after another")
    tests = load_tests(names, options.sources)
    call = _seed(options, tests)
    say(f"Pairs read: {show(title_of(tests[0].collections[0]))}.\n")
    _report(tests, call)


def _store(options: argparse.Namespace, corpus: Corpus, tests: Sequence[BuiltTest]) -> str:
    """Write the tests to a folder or into the cache; return the Python call that loads the first one."""
    from pyramid_paraphrase.export import write_folder

    if options.output:
        metrics = {test.configuration.name: _name_metrics(test.configuration) for test in tests}
        write_folder(corpus, tests, options.output, metrics)
        return f'load_dataset("{options.output}", "{tests[0].configuration.name}")'
    return _seed(options, tests)


def _name_metrics(configuration: Configuration) -> list[str]:
    from harness.metrics.table import list_published

    return [metric.name for metric in list_published(configuration)]


def _seed(options: argparse.Namespace, tests: Sequence[BuiltTest]) -> str:
    """Put the tests into the cache; return the Python call that loads the first one."""
    from pyramid_paraphrase.loading import seed_cache

    for test in tests:
        seed_cache(test, options.cache_dir)
    first = tests[0]
    arguments = [f'"{first.configuration.name}"']
    if first.options:
        changed = changed_options(first.configuration, first.options)
        arguments += [f"{name}={value!r}" for name, value in changed.items()]
    if options.cache_dir:
        arguments.append(f'cache_dir="{options.cache_dir}"')
    call = f'load_dataset("{NAME}", {", ".join(arguments)})'
    # Without the import, `datasets` prefers a folder of that name, such as this project's source code.
    return f"import {NAME}; {call}" if Path(NAME).is_dir() else call


def _report(tests: Sequence[BuiltTest], call: str) -> None:
    from pyramid_paraphrase.rows import count_rows

    rows = []
    for test in tests:
        name, fingerprint = test.configuration.name, test.fingerprint[:12]
        rows += [(name, split, count_rows(tables), fingerprint) for split, tables in test.splits.items()]
    say(render_table(("configuration", "split", "rows", "fingerprint"), rows))
    if losses := [line for test in tests for line in _list_losses(test)]:
        say("\n" + "\n".join(losses))
    say(f"\nIn Python: {show(call)}")


def _list_losses(test: BuiltTest) -> list[str]:
    """List what is not in a test and not among the problems of its files, with the reason."""
    from pyramid_paraphrase import peers
    from pyramid_paraphrase.built_tests import ACROSS_SPLITS, SHARED_TOPICS
    from pyramid_paraphrase.presence import SUMMARIES_LEFT_OUT

    name = test.configuration.name
    losses = (
        (ACROSS_SPLITS, "pairs that are left out", "they join two splits"),
        (SHARED_TOPICS, "rows that are left out", "another split has a collection with the same topic"),
        (SUMMARIES_LEFT_OUT, "annotated summaries that are left out", "no text, or an SCU that is not in the pyramid"),
        (peers.SHORT, "fragments that are left out", "fewer than three words"),
        (peers.WITH_PRONOUN, "fragments that are left out", "a pronoun"),
        (peers.FOREIGN, "fragments that are left out", "their annotation has an SCU that is not in the pyramid"),
        (peers.OUTVOTED, "fragments that are left out", "unmatched here, and matched in another summary"),
        (peers.SAME_WORDS, "fragments that are left out", "the content words of their SCU's label"),
        (peers.FEW_OPTIONS, "fragments that are left out", "no second option"),
    )
    return [f"{name}: {what}: {test.counts[key]:,} ({why})" for key, what, why in losses if test.counts.get(key)]


def _list_options(options: argparse.Namespace, configuration: Configuration) -> dict[str, Any]:
    """Return the options that the user has set and that a configuration can have."""
    values = {option.name: getattr(options, option.name) for option in OPTION_FIELDS}
    return {name: value for name, value in values.items() if value is not None and is_free(configuration, name)}


def _require_effect(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    """Refuse an option that changes none of the chosen configurations."""
    for option in OPTION_FIELDS:
        is_set = getattr(options, option.name) is not None
        if is_set and not any(is_free(configuration, option.name) for configuration in chosen):
            names = ", ".join(row.name for row in CONFIGURATIONS if is_free(row, option.name))
            raise OptionError(f"option {option.name} changes none of the chosen configurations; it is for {names}")
