"""Build tests from annotation files, into the cache of `datasets` or a folder."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import Field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.arguments import number_in, say, set_run, show
from harness.cli.data_errors import explaining_labelled_pairs
from harness.cli.shared_options import add_annotation_options
from harness.rendering.tables import render_table
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.corpus import describe
from pyramid_paraphrase.rules.options import (
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

if TYPE_CHECKING:
    from pyramid_paraphrase.building.built_tests import BuiltTest
    from pyramid_paraphrase.pyramids.corpus import Corpus

_IMPORT = "from datasets import load_dataset"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add sources, configurations, the target, and an option per field of `Options`."""
    set_run(parser, _build)
    add_annotation_options(parser)
    parser.add_argument(
        "--config",
        action="append",
        choices=CONFIGURATION_NAMES,
        metavar="NAME",
        help="configuration to build: %(choices)s (repeatable, default: all that are built from pyramids)",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="write Parquet files to DIR instead of the `datasets` cache. An earlier build in DIR is replaced",
    )
    target.add_argument("--cache-dir", type=Path, metavar="DIR", help="folder of the `datasets` cache")
    rules = parser.add_argument_group("test rules (the defaults follow the text of the paper, not its figures)")
    for option in OPTION_FIELDS:
        _add_rule(rules, option)


def _add_rule(rules: argparse._ActionsContainer, option: Field[Any]) -> None:
    """Add the flag of an option of the tests."""
    flag, kinds = "--" + option.name.replace("_", "-"), " and ".join(kind.name for kind in option.metadata["kinds"])
    text = f"{option.metadata['help']} ({kinds}, default: {_show_default(option)})"
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

    from pyramid_paraphrase.building.build import build_test
    from pyramid_paraphrase.publishing.builder import warn_about_problems, warn_if_sample
    from pyramid_paraphrase.pyramids.corpus import describe_parts
    from pyramid_paraphrase.reading import read_corpus

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    chosen = [row for row in CONFIGURATIONS if row.name in (options.config or PYRAMID_TESTS)]
    _require_effect(options, chosen)
    if options.output and (unsupported := [row.name for row in chosen if row.origin != PYRAMIDS]):
        raise OptionError(
            f"{unsupported[0]} cannot be written with --output. Load its files with data_dir=..., or omit --output"
        )
    if any(row.origin not in ANNOTATIONS for row in chosen):
        _build_pairs(options, chosen)
        return
    warn_if_sample(options.sources)
    with explaining_labelled_pairs(options.sources, _name_pair_tests):
        corpus = read_corpus(*options.sources, strict=options.strict)
    warn_about_problems(corpus)
    tests = [build_test(corpus, row.name, _list_options(options, row)) for row in chosen]
    call = _store(options, corpus, tests)
    say(f"Pyramids read: {len(corpus.all_pyramids)}. Problems: {show(describe(corpus.problems))}.")
    if parts := describe_parts(corpus.count_collections()):
        say(parts)
    say("")
    _report(tests, call)
    if options.output:
        folder = show(shlex.quote(str(options.output)))
        say("To share this folder as a private dataset on the Hub, if the licence of the texts allows it:")
        say(f"  hf upload ORG/NAME {folder} --repo-type dataset --private")


def _name_pair_tests(names: Sequence[str]) -> str:
    return "Use " + " ".join(f"--config {name}" for name in names)


def _build_pairs(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    """Build the configurations of a pair corpus into the cache."""
    from pyramid_paraphrase.building.build import build_pair_test
    from pyramid_paraphrase.formats.pair_corpora import read_one_pair_corpus

    names = [row.name for row in chosen if row.origin not in ANNOTATIONS]
    if len(names) < len(chosen):
        raise OptionError(
            f"{', '.join(names)} and the other configurations need different files. Build them separately"
        )
    pairs = read_one_pair_corpus(options.sources)
    tests = [build_pair_test(pairs, name) for name in names]
    call = _seed(options, tests, pairs.digest)
    say(f"Pairs read: {show(title_of(tests[0].collections[0]))}.\n")
    _report(tests, call)


def _store(options: argparse.Namespace, corpus: Corpus, tests: Sequence[BuiltTest]) -> str:
    """Write the tests to a folder or into the cache. Return the Python call that loads the first test."""
    from pyramid_paraphrase.publishing.export import write_folder

    if options.output:
        from harness.metrics.table import list_published

        metrics = {}
        for test in tests:
            metrics[test.configuration.name] = [metric.name for metric in list_published(test.configuration)]
        write_folder(corpus, tests, options.output, metrics)
        return f'{_IMPORT}; load_dataset("{options.output}", "{tests[0].configuration.name}")'
    return _seed(options, tests, corpus.digest)


def _seed(options: argparse.Namespace, tests: Sequence[BuiltTest], digest: str) -> str:
    """Put the tests into the cache. Return the Python call that loads the first test."""
    from pyramid_paraphrase.publishing.seeding import seed_cache

    seed_cache(tests, options.cache_dir, sources=options.sources, sources_digest=digest)
    first = tests[0]
    arguments = [f'"{first.configuration.name}"']
    if first.options:
        changed = changed_options(first.configuration, first.options)
        arguments += [f"{name}={value!r}" for name, value in changed.items()]
    if options.cache_dir:
        arguments.append(f'cache_dir="{options.cache_dir}"')
    call = f'{_IMPORT}; load_dataset("{NAME}", {", ".join(arguments)})'
    # Without the import, `datasets` prefers a folder of that name, such as this project's source code.
    return f"import {NAME}; {call}" if Path(NAME).is_dir() else call


def _report(tests: Sequence[BuiltTest], call: str) -> None:
    from pyramid_paraphrase.building.built_tests import count_rows

    rows = []
    for test in tests:
        name, fingerprint = test.configuration.name, test.fingerprint[:12]
        rows += [(name, split, count_rows(tables), fingerprint) for split, tables in test.splits.items()]
    say(render_table(("configuration", "split", "rows", "fingerprint"), rows))
    if losses := [line for test in tests for line in _list_losses(test)]:
        say("\n" + "\n".join(map(show, losses)))
    say(f"\nIn Python: {show(call)}")


def _list_losses(test: BuiltTest) -> list[str]:
    """List the numbers of rows and summaries left out of a test, with the reasons. Problems of files are not listed."""
    from pyramid_paraphrase.building import peers
    from pyramid_paraphrase.building.built_tests import ACROSS_SPLITS, SHARED_TOPICS
    from pyramid_paraphrase.building.presence import SUMMARIES_LEFT_OUT

    name = test.configuration.name
    losses = (
        (ACROSS_SPLITS, "pairs left out", "their texts are in different splits"),
        (SHARED_TOPICS, "rows left out", "another split has a collection with the same topic"),
        (SUMMARIES_LEFT_OUT, "annotated summaries left out", "no text, or an SCU that is not in the pyramid"),
        (peers.SHORT, "fragments left out", "fewer than three words"),
        (peers.WITH_PRONOUN, "fragments left out", "contain a pronoun"),
        (peers.FOREIGN, "fragments left out", "the annotation refers to an SCU that is not in the pyramid"),
        (peers.OUTVOTED, "fragments left out", "unmatched here, but matched in another summary"),
        (peers.SAME_WORDS, "fragments left out", "same content words as the label of the SCU"),
        (peers.FEW_OPTIONS, "fragments left out", "fewer than two options"),
    )
    return [f"{name}: {rows}: {test.counts[key]:,} ({reason})" for key, rows, reason in losses if test.counts.get(key)]


def _list_options(options: argparse.Namespace, configuration: Configuration) -> dict[str, Any]:
    """Return the options that the user set, if they have an effect on a configuration."""
    values = {option.name: getattr(options, option.name) for option in OPTION_FIELDS}
    return {name: value for name, value in values.items() if value is not None and is_free(configuration, name)}


def _require_effect(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    """Refuse options that have no effect on any chosen configuration."""
    for option in OPTION_FIELDS:
        is_set = getattr(options, option.name) is not None
        if is_set and not any(is_free(configuration, option.name) for configuration in chosen):
            names = ", ".join(row.name for row in CONFIGURATIONS if is_free(row, option.name))
            raise OptionError(f"option {option.name} has no effect on the chosen configurations. It applies to {names}")
