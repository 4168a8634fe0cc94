"""Count the words of SCUs that paraphrases match and equal words do not."""

from __future__ import annotations

import argparse
from itertools import chain

from harness.cli.arguments import say, set_run
from harness.cli.shared_options import add_pyramids_option, note_words
from harness.cli.summarization.options import add_table_option, open_tables
from harness.summarization.paraeval.coverage import make_matchers, measure_coverage, render_coverage
from harness.summarization.paraeval.tables import TopicTables
from harness.text.words import count_words
from pyramid_paraphrase.reading import read_corpus
from pyramid_paraphrase.words import split_alphanumeric


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add pyramids and tables of paraphrases."""
    set_run(parser, _coverage)
    add_pyramids_option(parser)
    add_table_option(parser)
    parser.add_argument("--other-topics", action="store_true", help="also use the SCUs of other topics as paraphrases")


def _coverage(options: argparse.Namespace) -> None:
    pyramids = read_corpus(*options.pyramids).pyramids
    contributors = chain.from_iterable(scu.contributors for pyramid in pyramids for scu in pyramid.scus)
    note_words(count_words((contributor.text for contributor in contributors), split_alphanumeric), "contributors")
    paraphrase_sources = pyramids if options.other_topics else ()
    tables = TopicTables(open_tables(options.tables), paraphrase_sources, stem=False, min_probability=0.0)
    say(render_coverage(measure_coverage(pyramids, lambda topic: make_matchers(tables(topic)))))
