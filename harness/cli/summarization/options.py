"""Options that the commands for summaries share: summaries, paraphrase tables, files of scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from harness.cli.arguments import path, positive, say, show
from harness.files.writing import write_file
from harness.paraphrases.tables.reading import open_table
from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.naming import parse_pattern
from harness.summarization.reading import Source, read_peers_and_references
from harness.summarization.references import Comparison, pair_summaries, repeat_references
from harness.summarization.row_files import Columns, parse_columns
from harness.summarization.summary_scores import SummaryScore, average_by_system, render_means, render_scores
from harness.support.progress import Progress
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.limits import MAX_MEMBERS

_REPEATED = "every peer is also a reference of its topic. Check --peers and --references, which may be swapped"

Parsed = TypeVar("Parsed")


def add_summary_options(parser: argparse.ArgumentParser) -> None:
    """Add the summaries, their references, and the file of scores."""
    add_peer_options(parser)
    parser.add_argument(
        "--references",
        required=True,
        metavar="LOCATION",
        help="reference summaries by people, in the formats of --peers. If there is one peer and one reference, their "
        "files can have any names",
    )
    parser.add_argument(
        "--reference-pattern",
        type=_refusing(parse_pattern),
        metavar="PATTERN",
        help="pattern of reference file names (default: --pattern)",
    )
    parser.add_argument(
        "--reference-columns",
        type=_refusing(parse_columns),
        metavar="NAMES",
        help="column names of references (default: --columns)",
    )
    unit = parser.add_mutually_exclusive_group()
    unit.add_argument(
        "--by-line",
        action="store_true",
        default=None,
        help="read a summary per line. Line N of each file has the same topic. In a folder, each file is by another "
        "system, or is another set of references",
    )
    unit.add_argument(
        "--by-file",
        action="store_false",
        dest="by_line",
        help="read each file as one summary, although all files have the same number of lines",
    )
    parser.add_argument(
        "--jackknife",
        action="store_true",
        help="omit each reference in turn, as NIST does, to compare people with systems",
    )


def add_peer_options(parser: argparse.ArgumentParser) -> None:
    """Add the summaries to score, their naming, and the file of scores."""
    parser.add_argument(
        "--peers",
        required=True,
        metavar="LOCATION",
        help="summaries to score: a folder or archive with a file per summary, or a file with a row per summary "
        "(.jsonl, .json or .csv, also .gz). In an archive: ARCHIVE/PATH",
    )
    parser.add_argument(
        "--pattern",
        type=_refusing(parse_pattern),
        help="pattern of file names, such as {topic}_{author}.txt (default: NIST names, AUTHOR/TOPIC.txt or "
        "TOPIC.AUTHOR.txt). Without {author}, all files have the same author",
    )
    parser.add_argument(
        "--columns",
        type=_refusing(parse_columns),
        default=Columns(),
        metavar="NAMES",
        help="column names or keys, such as topic=id,text=summary (default: topic, author and text). The author is "
        "optional",
    )
    parser.add_argument(
        "--output", type=path, metavar="FILE", help="write the scores per topic and system to FILE (.tsv)"
    )
    add_max_files_option(parser)


def _refusing(parse: Callable[[str], Parsed]) -> Callable[[str], Parsed]:
    """Make a type for `argparse` from a parser: `argparse` shows only the messages of `ArgumentTypeError`."""

    def parse_argument(text: str) -> Parsed:
        try:
            return parse(text)
        except OptionError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse_argument


def add_max_files_option(parser: argparse.ArgumentParser) -> None:
    """Add the maximum number of files of summaries."""
    parser.add_argument(
        "--max-files",
        type=positive,
        default=MAX_MEMBERS,
        metavar="N",
        help="maximum files per folder or archive of summaries. All of them are kept in memory (default: %(default)s)",
    )


def add_table_option(parser: argparse.ArgumentParser) -> None:
    """Add `--table`, which is repeatable. The list of tables may stay empty."""
    parser.add_argument(
        "--table",
        dest="tables",
        action="append",
        default=[],
        type=path,
        metavar="TABLE",
        help="paraphrase table, compiled or as text, or a folder of WordNet (repeatable)",
    )


def read_comparisons(options: argparse.Namespace) -> Sequence[Comparison]:
    """Read the summaries that the options of `add_summary_options` name. Pair them, and print notes on the pairs."""
    peers, references = read_peers_and_references(
        Source(options.peers, options.pattern, options.columns),
        Source(
            options.references,
            options.reference_pattern or options.pattern,
            options.reference_columns or options.columns,
        ),
        options.max_files,
        by_line=options.by_line,
    )
    if repeat_references(peers, references):
        say(f"warning: {_REPEATED}", sys.stderr)
    comparisons, notes = pair_summaries(peers, references, jackknife=options.jackknife)
    for note in notes:
        say(f"note: {show(note)}", sys.stderr)
    return comparisons


def list_summaries(comparisons: Iterable[Comparison]) -> list[str]:
    """List the texts of all summaries and references of comparisons."""
    summaries = chain.from_iterable((comparison.peer, *comparison.references) for comparison in comparisons)
    return ["\n".join(summary.sentences) for summary in summaries]


def open_tables(paths: Sequence[Path], *, stem: bool = False, min_probability: float = 0.0) -> list[ParaphraseTable]:
    """Open the tables that the option of `add_table_option` names, with a progress bar."""
    progress = Progress(visible=True)
    try:
        tables = [open_table(table, stem=stem, min_probability=min_probability, progress=progress) for table in paths]
    finally:
        progress.stop()
    for table in tables:
        if table.entries_without_words:
            count = f"{table.entries_without_words:,} of its entries are left out"
            say(f"note: {show(table.name)}: {count}, because a side has no word (letters and digits)", sys.stderr)
    return tables


def write_and_show_means(
    scores: Sequence[SummaryScore],
    columns: Sequence[str],
    output: Path | None,
    *,
    best_by: str,
    signature: str,
    legend: str = "",
) -> None:
    """Write scores, and print the means of systems.

    Args:
        scores: The scores. All have the same metrics, and the table of means has a column for each.
        columns: Names of the metrics to write.
        output: The file, or None to write no file.
        best_by: Name of the metric that sorts the systems.
        signature: All settings that determine the scores, except the version.
        legend: Explanation of the columns.
    """
    if output:
        write_file(output, render_scores(scores, columns).encode())
    notes = [f"Sorted by {show(best_by)}, best system first."]
    if legend:
        notes.append(show(legend))
    parts = [render_means(average_by_system(scores, best_by)), "\n".join(notes), show(signature)]
    say("\n\n".join(parts) + f"|version:{__version__}")
