"""Compute pyramid scores of peer summaries, and compare them with published tables."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli.arguments import say, set_run, show
from harness.cli.shared_options import add_annotation_options
from harness.rendering.inspection import render_agreement, render_scores
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.naming import note_similar, note_unified
from pyramid_paraphrase.pyramids.pyramid_scores import (
    compare_with_official,
    find_inflated,
    parse_official,
    score_peers,
    unify_peers,
)
from pyramid_paraphrase.pyramids.sources import read_score_table
from pyramid_paraphrase.reading import read_corpus


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add sources with peer annotations, and a published table."""
    set_run(parser, _score)
    add_annotation_options(parser)
    parser.add_argument(
        "--official",
        type=Path,
        metavar="FILE",
        help="published score table to compare with (default: tables in SOURCE)",
    )


def _score(options: argparse.Namespace) -> None:
    corpus = read_corpus(*options.sources, strict=options.strict)
    scores = score_peers(corpus.annotations, corpus.problems)
    official = None
    if options.official:  # read first, so that a bad file is refused before anything is printed
        official = parse_official(read_score_table(options.official))
    say(render_scores(scores, find_inflated(corpus.annotations)))
    similar = note_similar([[(score.pyramid, score.peer) for score in scores]])
    for note in (*note_unified(unify_peers(corpus.annotations)), *similar):
        say(f"\n{show(note)}.")
    if official:
        say("\n" + render_agreement(options.official.name, compare_with_official(scores, official)))
        return
    for table in corpus.score_tables:
        try:
            say("\n" + render_agreement(table.name, compare_with_official(scores, parse_official(table))))
        except InputError as error:
            say(f"\nNot compared: {show(error)}")
    if not corpus.score_tables:
        say("\nNo published score table in the sources. To compare with a table, add --official FILE.")
