"""Show the contents of annotation files: counts per collection, problems and completeness."""

from __future__ import annotations

import argparse

from harness.cli.arguments import say, set_run, show
from harness.cli.data_errors import explaining_labelled_pairs
from harness.cli.shared_options import add_annotation_options
from harness.rendering.inspection import render_inspection
from pyramid_paraphrase.errors import place
from pyramid_paraphrase.reading import read_corpus

_PAIRS_REMEDY = "To evaluate models on them, pass the path to `evaluate --data`"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add sources, and the choice between counts of problems and a list of them."""
    set_run(parser, _inspect)
    add_annotation_options(parser)
    parser.add_argument("--list", action="store_true", help="list every problem with its file and line")


def _inspect(options: argparse.Namespace) -> None:
    with explaining_labelled_pairs(options.sources, lambda _: _PAIRS_REMEDY):
        corpus = read_corpus(*options.sources, strict=options.strict)
    say(render_inspection(corpus))
    if options.list:
        for problem in corpus.problems:
            location, scu = place(problem.file, problem.line), problem.uid or "-"
            say(show(f"{location}: {problem.kind}: SCU {scu}: {problem.message}"))
