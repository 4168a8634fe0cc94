"""The command `pyramid-paraphrase`."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from harness.tables import render_table
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import InputError, OptionError, PyramidParaphraseError, place
from pyramid_paraphrase.options import (
    CONFIGURATION_NAMES,
    CONFIGURATIONS,
    OPTION_FIELDS,
    Configuration,
    changed_options,
    is_free,
)

EXIT_BAD_INPUT = 2
_SOURCE_HELP = "a file, folder or archive (.tar.gz, .tgz, .tar, .zip) of annotations, or 'sample'"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: What follows the program's name; that of the process if None.

    Returns:
        The exit status: 0, or 2 for input that cannot be used.
    """
    options = make_parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may be anything
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.INFO if options.verbose else logging.WARNING)
    try:
        options.run(options)
        sys.stdout.flush()
    except PyramidParaphraseError as error:
        _say(f"pyramid-paraphrase: {error}", sys.stderr)
        return EXIT_BAD_INPUT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(
        prog="pyramid-paraphrase",
        description="Tests of sentence embeddings from pyramid annotations of the DUC and TAC conferences.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_command(commands, "inspect", _inspect, "say what the annotation files hold, and what is wrong with them")
    build = _add_command(commands, "build", _build, "make the tests, for load_dataset('pyramid_paraphrase', ...)")
    _add_build_options(build)
    score = _add_command(commands, "score", _score, "pyramid scores of the peer summaries")
    score.add_argument("--official", type=Path, metavar="FILE", help="published table to compare with, if not inside")
    inspect = commands.choices["inspect"]
    inspect.add_argument("--list", action="store_true", help="list every problem with its place")
    return parser


def _add_command(
    commands: Any,  # noqa: ANN401 - argparse has no public name for it
    name: str,
    run: Callable[[argparse.Namespace], None],
    text: str,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    parser.set_defaults(run=run)
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=_SOURCE_HELP)
    parser.add_argument("--strict", action="store_true", help="refuse files in which anything has to be repaired")
    parser.add_argument("--verbose", action="store_true", help="say more on the way")
    return parser


def _add_build_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config",
        action="append",
        choices=CONFIGURATION_NAMES,
        help="configuration to build; repeatable; default: all",
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="write a folder with Parquet files instead of the datasets cache; a build that is there is replaced",
    )
    target.add_argument("--cache-dir", type=Path, metavar="DIR", help="datasets cache to use instead of the default")
    rules = parser.add_argument_group("rules of the tests (defaults: the paper's)")
    for option in OPTION_FIELDS:
        flag, tasks = "--" + option.name.replace("_", "-"), " and ".join(option.metadata["tasks"])
        text = f"{option.metadata['help']} ({tasks}; default: {_show_default(option.default)})"
        if isinstance(option.default, bool):
            rules.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=text)
            continue
        rules.add_argument(
            flag,
            type=type(option.default),
            choices=option.metadata["choices"] or None,
            metavar=None if option.metadata["choices"] else type(option.default).__name__.upper(),
            help=text,
        )


def _show_default(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "all"


def _say(text: str, stream: Any = None) -> None:  # noqa: ANN401
    print(text, file=stream)


def _inspect(options: argparse.Namespace) -> None:
    from harness.inspection import render_inspection
    from pyramid_paraphrase.corpus import read_corpus

    corpus = read_corpus(*options.sources, strict=options.strict)
    _say(render_inspection(corpus))
    if options.list:
        for problem in corpus.problems:
            _say(f"{place(problem.file, problem.line)}: {problem.kind}: SCU {problem.uid or '-'}: {problem.message}")


def _build(options: argparse.Namespace) -> None:
    import datasets

    from pyramid_paraphrase.build import build_test
    from pyramid_paraphrase.builder import warn_about_problems, warn_if_sample
    from pyramid_paraphrase.corpus import read_corpus
    from pyramid_paraphrase.export import write_folder
    from pyramid_paraphrase.loading import seed_cache
    from pyramid_paraphrase.problems import describe

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    chosen = [row for row in CONFIGURATIONS if row.name in (options.config or CONFIGURATION_NAMES)]
    given = {row.name: _given_options(options, row) for row in chosen}
    _require_effect(options, chosen)
    warn_if_sample(options.sources)
    corpus = read_corpus(*options.sources, strict=options.strict)
    warn_about_problems(corpus)
    tests = [build_test(corpus, row.name, given[row.name]) for row in chosen]
    if options.output:
        write_folder(corpus, tests, options.output)
        how = f'load_dataset("{options.output}", "{chosen[0].name}")'
    else:
        for test in tests:
            seed_cache(test, options.cache_dir)
        changed = changed_options(chosen[0], tests[0].options)
        arguments = [f'"{chosen[0].name}"', *(f"{name}={value!r}" for name, value in changed.items())]
        arguments += [f'cache_dir="{options.cache_dir}"'] if options.cache_dir else []
        how = f'load_dataset("pyramid_paraphrase", {", ".join(arguments)})'
    _say(f"Pyramids read: {len(corpus.pyramids)}; {describe(corpus.problems)}.\n")
    rows = [
        (test.configuration.name, split, sum(table.num_rows for table in tables), test.fingerprint[:12])
        for test in tests
        for split, tables in test.splits.items()
    ]
    _say(render_table(("configuration", "split", "rows", "fingerprint"), rows))
    _say(f"\nIn Python: {how}")


def _given_options(options: argparse.Namespace, configuration: Configuration) -> dict[str, Any]:
    values = {option.name: getattr(options, option.name) for option in OPTION_FIELDS}
    return {name: value for name, value in values.items() if value is not None and is_free(configuration, name)}


def _require_effect(options: argparse.Namespace, chosen: Sequence[Configuration]) -> None:
    for option in OPTION_FIELDS:
        given = getattr(options, option.name) is not None
        if given and not any(is_free(configuration, option.name) for configuration in chosen):
            names = ", ".join(row.name for row in CONFIGURATIONS if is_free(row, option.name))
            raise OptionError(f"option {option.name} changes none of the chosen configurations; it is for {names}")


def _score(options: argparse.Namespace) -> None:
    from harness.inspection import render_agreement, render_scores
    from pyramid_paraphrase.corpus import read_corpus
    from pyramid_paraphrase.pyramid_scores import compare_with_official, parse_official, score_peers
    from pyramid_paraphrase.sources import read_score_table

    corpus = read_corpus(*options.sources, strict=options.strict)
    scores = score_peers(corpus.annotations)
    named = parse_official(read_score_table(options.official)) if options.official else None
    _say(render_scores(scores))
    if named:
        _say("\n" + render_agreement(options.official.name, compare_with_official(scores, named)))
        return
    for table in corpus.score_tables:
        try:
            _say("\n" + render_agreement(table.name, compare_with_official(scores, parse_official(table))))
        except InputError as error:
            _say(f"\nNot compared: {error}")
    if not corpus.score_tables:
        _say("\nNo published table to compare with; name one with --official.")


if __name__ == "__main__":
    sys.exit(main())
