"""Inspect annotation files, build tests from them, and compute pyramid scores."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli.options import SOURCES
from harness.cli.outputs import explaining_labelled_pairs
from harness.cli.parser import either, flag, option
from harness.rendering.tables import render_table
from harness.support.terminal import say, show
from pyramid_paraphrase.catalog import title_of
from pyramid_paraphrase.errors import InputError, OptionError, place
from pyramid_paraphrase.publishing.registration import NAME
from pyramid_paraphrase.pyramids.corpus import describe_problems
from pyramid_paraphrase.rules.options import (
    ANNOTATIONS,
    CONFIGURATION_NAMES,
    CONFIGURATIONS,
    OPTION_FIELDS,
    OPTION_NAMES,
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


INSPECT_OPTIONS = (*SOURCES, flag("--list", "list every problem with its file and line"))


def run_inspect(options: argparse.Namespace) -> None:
    """Show the contents of annotation files: counts per collection, problems and completeness."""
    from harness.rendering.inspection import render_inspection
    from pyramid_paraphrase.reading import read_corpus

    with explaining_labelled_pairs(
        options.sources, lambda _: "To evaluate models on them, pass the path to `evaluate --data`"
    ):
        corpus = read_corpus(*options.sources, strict=options.strict)
    say(render_inspection(corpus))
    if options.list:
        for problem in corpus.problems:
            location, scu = place(problem.file, problem.line), problem.uid or "-"
            say(show(f"{location}: {problem.kind}: SCU {scu}: {problem.message}"))


SCORE_OPTIONS = (
    *SOURCES,
    option("--official", "FILE", "published score table to compare with (default: tables in SOURCE)", Path),
)


def run_score(options: argparse.Namespace) -> None:
    """Print the pyramid scores of peer summaries, and compare them with published tables."""
    from harness.rendering.inspection import render_agreement, render_scores
    from pyramid_paraphrase.pyramids import pyramid_scores
    from pyramid_paraphrase.pyramids.naming import note_similar, note_unified
    from pyramid_paraphrase.pyramids.sources import read_score_table
    from pyramid_paraphrase.reading import read_corpus

    corpus = read_corpus(*options.sources, strict=options.strict)
    scores = pyramid_scores.score_peers(corpus.annotations, corpus.problems)
    official = None
    if options.official:  # read first, so that a bad file is refused before anything is printed
        official = pyramid_scores.parse_official(read_score_table(options.official))
    say(render_scores(scores, pyramid_scores.find_inflated(corpus.annotations)))
    similar = note_similar([[(score.pyramid, score.peer) for score in scores]])
    for note in (*note_unified(pyramid_scores.unify_peers(corpus.annotations)), *similar):
        say(f"\n{show(note)}.")
    if official:
        agreement = pyramid_scores.compare_with_official(scores, official)
        say("\n" + render_agreement(options.official.name, agreement))
        return
    for table in corpus.score_tables:
        try:
            agreement = pyramid_scores.compare_with_official(scores, pyramid_scores.parse_official(table))
            say("\n" + render_agreement(table.name, agreement))
        except InputError as error:
            say(f"\nNot compared: {show(error)}")
    if not corpus.score_tables:
        say("\nNo published score table in the sources. To compare with a table, add --official FILE.")


def _add_rules(parser: argparse._ActionsContainer) -> None:
    """Add a flag for each option of the tests."""
    rules = parser.add_argument_group("test rules (the defaults follow the text of the paper, not its figures)")
    for field in OPTION_FIELDS:
        name, default, metadata = "--" + field.name.replace("_", "-"), field.default, field.metadata
        kinds = " and ".join(kind.name for kind in metadata["kinds"])
        if isinstance(default, bool):
            text = f"{metadata['help']} ({kinds}, default: {'yes' if default else 'no'})"
            flag(name, text, action=argparse.BooleanOptionalAction, default=None)(rules)
            continue
        text = f"{metadata['help']} ({kinds}, default: {str(default) or metadata['empty']})"
        metavar = None if metadata["choices"] else type(default).__name__.upper()
        option(name, metavar, text, metadata["range"], choices=metadata["choices"] or None)(rules)


BUILD_OPTIONS = (
    *SOURCES,
    option(
        "--config",
        "NAME",
        "configuration to build: %(choices)s (repeatable, default: all that are built from pyramids)",
        choices=CONFIGURATION_NAMES,
        action="append",
    ),
    either(
        option(
            "--output",
            "DIR",
            "write Parquet files to DIR instead of the `datasets` cache. An earlier build in DIR is replaced",
            Path,
        ),
        option("--cache-dir", "DIR", "folder of the `datasets` cache", Path),
    ),
    _add_rules,
)


def run_build(options: argparse.Namespace) -> None:
    """Build tests into the cache of `datasets` or a folder."""
    import datasets

    from pyramid_paraphrase.building.build import build_test
    from pyramid_paraphrase.publishing.builder import warn_about_problems, warn_if_sample
    from pyramid_paraphrase.pyramids.corpus import describe_parts
    from pyramid_paraphrase.reading import read_corpus

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    chosen = [row for row in CONFIGURATIONS if row.name in (options.config or PYRAMID_TESTS)]
    rules = _list_rules(options, chosen)
    if options.output and (unsupported := [row.name for row in chosen if row.origin != PYRAMIDS]):
        remedy = "Load its files with data_dir=..., or omit --output"
        raise OptionError(f"{unsupported[0]} cannot be written with --output. {remedy}")
    if any(row.origin not in ANNOTATIONS for row in chosen):
        _build_pairs(options, chosen)
        return
    warn_if_sample(options.sources)
    with explaining_labelled_pairs(
        options.sources, lambda names: "Use " + " ".join(f"--config {name}" for name in names)
    ):
        corpus = read_corpus(*options.sources, strict=options.strict)
    warn_about_problems(corpus)
    tests = []
    for row in chosen:
        applicable_rules = {name: value for name, value in rules.items() if is_free(row, name)}
        tests.append(build_test(corpus, row.name, applicable_rules))
    call = _store(options, corpus, tests)
    say(f"Pyramids read: {len(corpus.all_pyramids)}. Problems: {show(describe_problems(corpus.problems))}.")
    if parts := describe_parts(corpus.count_collections()):
        say(parts)
    say("")
    _report(tests, call)
    if options.output:
        folder = show(shlex.quote(str(options.output)))
        say("To share this folder as a private dataset on the Hub, if the licence of the texts allows it:")
        say(f"  hf upload ORG/NAME {folder} --repo-type dataset --private")


def _list_rules(options: argparse.Namespace, chosen: Sequence[Configuration]) -> dict[str, Any]:
    """Return the rules of tests that the user set. Refuse a rule that has no effect on any chosen configuration."""
    rules = {name: getattr(options, name) for name in OPTION_NAMES if getattr(options, name) is not None}
    for name in rules:
        if not any(is_free(row, name) for row in chosen):
            names = ", ".join(row.name for row in CONFIGURATIONS if is_free(row, name))
            raise OptionError(f"option {name} has no effect on the chosen configurations. It applies to {names}")
    return rules


def _build_pairs(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    """Build the configurations of a pair corpus into the cache."""
    from pyramid_paraphrase.building.build import build_pair_test
    from pyramid_paraphrase.formats.pair_corpora import read_one_pair_corpus

    names = [row.name for row in chosen if row.origin not in ANNOTATIONS]
    if len(names) < len(chosen):
        remedy = "need different files. Build them separately"
        raise OptionError(f"{', '.join(names)} and the other configurations {remedy}")
    pairs = read_one_pair_corpus(options.sources)
    tests = [build_pair_test(pairs, name) for name in names]
    call = _seed(options, tests, pairs.digest)
    say(f"Pairs read: {show(title_of(tests[0].collections[0]))}.\n")
    _report(tests, call)


def _store(options: argparse.Namespace, corpus: Corpus, tests: Sequence[BuiltTest]) -> str:
    """Write the tests to a folder or into the cache. Return the Python call that loads the first test."""
    if options.output:
        from harness.metrics.table import list_published
        from pyramid_paraphrase.publishing.export import write_folder

        published = {test.configuration.name: list_published(test.configuration) for test in tests}
        metrics = {name: [metric.name for metric in listed] for name, listed in published.items()}
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
