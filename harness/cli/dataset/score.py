"""The command score."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.arguments import add_annotation_options, say, set_run, show
from pyramid_paraphrase.errors import InputError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _score)
    add_annotation_options(parser)
    parser.add_argument("--official", type=Path, metavar="FILE", help="published table to compare with, if not inside")


def _score(options: argparse.Namespace) -> None:
    from harness.rendering.inspection import render_agreement, render_scores
    from pyramid_paraphrase.corpus import read_corpus
    from pyramid_paraphrase.pyramid_scores import compare_with_official, find_inflated, parse_official, score_peers
    from pyramid_paraphrase.sources import read_score_table

    corpus = read_corpus(*options.sources, strict=options.strict)
    scores = score_peers(corpus.annotations)
    named = parse_official(read_score_table(options.official)) if options.official else None
    say(render_scores(scores, find_inflated(corpus.annotations)))
    if named:
        say("\n" + render_agreement(options.official.name, compare_with_official(scores, named)))
        return
    for table in corpus.score_tables:
        try:
            say("\n" + render_agreement(table.name, compare_with_official(scores, parse_official(table))))
        except InputError as error:
            say(f"\nNot compared: {show(error)}")
    if not corpus.score_tables:
        say("\nNo published table to compare with; name one with --official.")
