"""The command inspect."""

from __future__ import annotations

import argparse

from harness.cli.arguments import add_annotation_options, say, set_run, show
from harness.rendering.inspection import render_inspection
from pyramid_paraphrase.corpus import read_corpus
from pyramid_paraphrase.errors import place


def add_options(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    set_run(parser, _inspect)
    add_annotation_options(parser)
    parser.add_argument("--list", action="store_true", help="list every problem with its place")


def _inspect(options: argparse.Namespace) -> None:
    corpus = read_corpus(*options.sources, strict=options.strict)
    say(render_inspection(corpus))
    if options.list:
        for problem in corpus.problems:
            location, scu = place(problem.file, problem.line), problem.uid or "-"
            say(show(f"{location}: {problem.kind}: SCU {scu}: {problem.message}"))
