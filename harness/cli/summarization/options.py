"""Options that the commands on summaries share: summaries, tables of paraphrases, files of scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.cli.arguments import path, positive, say, show
from harness.files.writing import write_file
from harness.paraphrases.tables.reading import open_table
from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.summaries.reading import read_references, read_summaries
from harness.summarization.summaries.references import Comparison, pair_summaries
from harness.summarization.summaries.score_files import SummaryScore, render_scores
from harness.summarization.summaries.system_means import average_by_system, render_means
from harness.support.progress import Progress
from pyramid_paraphrase import __version__
from pyramid_paraphrase.limits import MAX_MEMBERS

SUMMARIES_HELP = "folder or archive, or ARCHIVE/FOLDER; files called as NIST does, AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt"


def add_summary_options(parser: argparse.ArgumentParser) -> None:
    """Add the summaries, their references, and the file of scores."""
    parser.add_argument("--peers", required=True, metavar="LOCATION", help=f"summaries to score: {SUMMARIES_HELP}")
    parser.add_argument("--references", required=True, metavar="LOCATION", help="summaries by people, likewise")
    parser.add_argument(
        "--jackknife", action="store_true", help="leave out each reference in turn, as NIST does to rank people, too"
    )
    parser.add_argument("--output", type=path, metavar="FILE", help="write a score per topic and system (.tsv)")
    add_max_files_option(parser)


def add_max_files_option(parser: argparse.ArgumentParser) -> None:
    """Add the highest number of files of summaries."""
    parser.add_argument(
        "--max-files",
        type=positive,
        default=MAX_MEMBERS,
        metavar="N",
        help="accept up to N files per folder or archive of summaries, all of which are held in memory; "
        "default: %(default)s",
    )


def add_table_option(parser: argparse.ArgumentParser) -> None:
    """Add tables of paraphrases."""
    parser.add_argument(
        "--table",
        dest="tables",
        action="append",
        default=[],
        type=path,
        metavar="TABLE",
        help="paraphrases, compiled or as text, or a folder of WordNet; repeatable",
    )


def read_comparisons(options: argparse.Namespace) -> Sequence[Comparison]:
    """Read and pair the summaries that the options of `add_summary_options` name, and show the notes on them."""
    peers = read_summaries(options.peers, options.max_files)
    references = read_references(options.references, options.max_files)
    paired = pair_summaries(peers, references, jackknife=options.jackknife)
    for note in paired.notes:
        say(f"note: {show(note)}", sys.stderr)
    return paired.comparisons


def open_tables(paths: Sequence[Path], *, stem: bool = False, min_probability: float = 0.0) -> list[ParaphraseTable]:
    """Open the tables that the option of `add_table_option` names, with a progress bar while tables are read."""
    progress = Progress(visible=True)
    try:
        return [open_table(table, stem=stem, min_probability=min_probability, progress=progress) for table in paths]
    finally:
        progress.stop()


def write_and_show_means(
    scores: Sequence[SummaryScore], metrics: Sequence[str], output: Path | None, signature: str
) -> None:
    """Write scores, and show the means of systems, the best by the last metric first."""
    if output:
        write_file(output, render_scores(scores, metrics).encode())
    say(f"{render_means(average_by_system(scores, metrics[-1]))}\n\n{show(signature)}|version:{__version__}")
