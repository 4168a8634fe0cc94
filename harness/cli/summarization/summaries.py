"""Options, inputs and outputs that the commands for summaries share: summaries, paraphrase tables, files of scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from harness.cli.options import SCORES_FILE, name_columns
from harness.cli.outputs import choose_table_form, encode, print_notes, refuse_overwriting, say, show, show_or_write
from harness.cli.parser import either, flag, option, path
from harness.files.writing import expand_home, real_path, write_file
from harness.paraphrases.tables import wordnet
from harness.paraphrases.tables.reading import open_table
from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization import naming, row_files, summary_scores
from harness.summarization.reading import SummarySource, read_peers_and_references
from harness.summarization.references import Comparison, pair_summaries, repeat_references
from harness.support.progress import Progress
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import OptionError
from pyramid_paraphrase.files.inputs import is_folder
from pyramid_paraphrase.files.limits import MAX_MEMBERS
from pyramid_paraphrase.rules.ranges import COUNT

PATTERN = option(
    "--pattern",
    "pattern of file names, such as {topic}_{author}.txt (default: NIST names, AUTHOR/TOPIC.txt or "
    "TOPIC.AUTHOR.txt). Without {author}, all files have the same author",
    naming.parse_pattern,
)

PEERS = (
    option(
        "--peers LOCATION",
        "summaries to score: a folder or archive with a file per summary, or a table with a row per summary (.csv, "
        ".tsv, .xlsx, .json or .jsonl, also .gz). In an archive: ARCHIVE/PATH",
        required=True,
    ),
    PATTERN,
    name_columns(row_files.PEER_FIELDS, "topic=id,text=summary"),
    *SCORES_FILE,
    option(
        "--max-files N",
        "maximum files per folder or archive",
        COUNT,
        default=MAX_MEMBERS,
    ),
)
"""The summaries to score, their naming, and the file of scores."""

SUMMARIES = (
    *PEERS,
    option(
        "--references LOCATION",
        "reference summaries by people, in the formats of --peers. If there is one peer and one reference, their files "
        "can have any names",
        required=True,
    ),
    option("--reference-pattern PATTERN", "pattern of reference file names (default: --pattern)", naming.parse_pattern),
    name_columns(
        row_files.REFERENCE_FIELDS, "text=gold", flag_name="--reference-columns", tables="the tables of references"
    ),
    either(
        flag(
            "--by-line",
            "read a summary per line. Line N of each file has the same topic. In a folder, each file is by another "
            "system, or is another set of references",
            default=None,
        ),
        flag(
            "--by-file",
            "read a summary per file, even if all are equally long",
            action="store_false",
            dest="by_line",
        ),
    ),
    flag("--jackknife", "omit each reference in turn, as NIST does"),
)
"""The summaries, their references, and the file of scores."""

TABLES = path(
    "--table TABLE",
    f"paraphrase table, compiled or as text, or {wordnet.FOLDER} (repeatable)",
    dest="tables",
    action="append",
    default=[],
)


def read_comparisons(options: argparse.Namespace) -> Sequence[Comparison]:
    """Read the summaries that the options `SUMMARIES` name. Pair them, and print notes on the pairs."""
    pattern, columns = options.reference_pattern or options.pattern, options.reference_columns or options.columns
    peers, references, notes = read_peers_and_references(
        SummarySource(options.peers, options.pattern, options.columns),
        SummarySource(options.references, pattern, columns),
        options.max_files,
        by_line=options.by_line,
    )
    if repeat_references(peers, references):
        remedy = "Check --peers and --references, which may be swapped"
        say(f"warning: every peer is also a reference of its topic. {remedy}", sys.stderr)
    comparisons, pair_notes = pair_summaries(peers, references, jackknife=options.jackknife)
    print_notes(dict.fromkeys([*notes, *pair_notes]))
    return comparisons


def list_summaries(comparisons: Iterable[Comparison]) -> list[str]:
    """List the texts of all summaries and references of comparisons."""
    summaries = chain.from_iterable((comparison.peer, *comparison.references) for comparison in comparisons)
    return ["\n".join(summary.sentences) for summary in summaries]


def open_tables(paths: Sequence[Path], *, stem: bool = False, min_probability: float = 0.0) -> list[ParaphraseTable]:
    """Open the tables that the option `TABLES` names, with a progress bar."""
    with Progress(visible=True) as progress:
        tables = [open_table(table, stem=stem, min_probability=min_probability, progress=progress) for table in paths]
    for table in tables:
        if table.entries_without_words:
            count = f"{table.entries_without_words:,} of its entries are left out"
            print_notes([f"{table.name}: {count}, because a side has no word (letters and digits)"])
    return tables


def refuse_among_summaries(outputs: Mapping[str, Path | None], *inputs: str | Path) -> None:
    """Check that outputs replace no input and no other output, and will not be read as summaries later.

    Args:
        outputs: The files to write, by the name of the option. None if the option is not set.
        inputs: Files and folders of summaries.

    Raises:
        OptionError: If an output is an input or lies in a folder of inputs, or two outputs are the same.
    """
    options_by_path: dict[Path, str] = {}
    for option_name, output in outputs.items():
        if output is None:
            continue
        refuse_overwriting(output, *inputs)
        real = real_path(output)
        if any(is_folder(folder) and real.is_relative_to(real_path(folder)) for folder in map(expand_home, inputs)):
            reason = f"{output}: is in a folder of summaries and would be read as a summary"
            raise OptionError(f"{reason}. Use another path for {option_name}")
        if real in options_by_path:
            earlier = options_by_path[real]
            raise OptionError(f"{output}: is the path of both {earlier} and {option_name}. Use two different paths")
        options_by_path[real] = option_name


def write_and_show_means(
    scores: Sequence[summary_scores.SummaryScore],
    columns: Sequence[str],
    options: argparse.Namespace,
    *,
    best_by: str,
    signature: str,
    legend: str = "",
) -> None:
    """Write or print scores as `SCORES_FILE` says, and print the means of systems.

    Args:
        scores: The scores. All have the same metrics, and the table of means has a column for each.
        columns: Names of the metrics to write.
        options: The options of the command.
        best_by: Name of the metric that sorts the systems.
        signature: All settings that determine the scores, except the version.
        legend: Explanation of the columns.
    """
    if form := choose_table_form(options):
        content = summary_scores.render_scores(scores, columns, form)
        if options.output is None:
            show_or_write(content, None)
            return
        write_file(options.output, encode(content))
    notes = [f"Sorted by {show(best_by)}, best system first."]
    if legend:
        notes.append(show(legend))
    parts = [
        summary_scores.render_means(scores, best_by),
        "\n".join(notes),
        show(signature),
    ]
    say("\n\n".join(parts) + f"|version:{__version__}")
