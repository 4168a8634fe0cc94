"""Extraction of a phrase table on Spark: the functions of `extraction`, with Spark's shuffles between them.

The steps and the partitions of the rows are the same as on a single machine, so that the tables are byte-identical.
Spark stores the rows between the steps on the disks of its executors. If an executor is lost, Spark computes its rows
again. The encoded text and the lexicon are files in a folder that all executors can read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.writing import replacing, temporary_folder
from harness.paraphrases.alignment.parallel_text import ParallelText
from harness.paraphrases.distributed.spark import MOST_TASKS, SparkWorkers, spark_context
from harness.paraphrases.extraction.building import (
    Encoded,
    Extracted,
    append_file,
    check_written,
    encode_text,
    no_phrase_pair,
    plan_scoring,
    summarize,
)
from harness.paraphrases.extraction.counting import (
    PartStatistics,
    count_rows,
    describe_pairs,
    divide_parts,
    find_source_borders,
    sort_pairs,
)
from harness.paraphrases.extraction.packing import Columns, Layout
from harness.paraphrases.extraction.rules import ExtractionRules
from harness.paraphrases.extraction.runs import Block, arrange_fields, extract_blocks
from harness.paraphrases.extraction.scoring import Scoring, write_lines
from harness.paraphrases.sorting import BUCKETS, divide_keys
from harness.support.progress import Progress

Dataset = Any
"""A dataset of Spark (RDD). The type is not imported, because pyspark is optional."""

Piece = tuple[int, Columns]
"""The number of a part or a range, and some of its rows."""


class _Lines(NamedTuple):
    """A file with the lines of a range of source phrases, and the number of lines."""

    path: Path
    number: int


def build_phrase_table_on_spark(
    text: ParallelText,
    output: Path,
    rules: ExtractionRules,
    *,
    master: str,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Extracted:
    """Extract the phrase pairs of a parallel text on Spark, with the same output as `build_phrase_table`.

    Args:
        text: Files of the parallel text.
        output: File to write.
        rules: The rules of extraction.
        master: URL of Spark's master.
        temporary: Folder that all executors can access by the same path. If None, the folder of the output.
        progress: Progress bar, or None.

    Raises:
        MissingExtraError: If pyspark is not installed.
        OptionError: If Java is missing, or Spark does not start or fails.
        InputError: If a file cannot be read or a line is malformed.
        EmptyResultError: If no phrase pair remains.
        OutputError: If a file cannot be written.
    """
    progress = progress or Progress(visible=False)
    with (
        temporary_folder(output.absolute(), temporary and temporary.absolute()) as folder,
        spark_context(master, folder) as context,
    ):
        try:
            encoded = encode_text(text, rules, folder, SparkWorkers(context), progress)
            progress.start("extracting", 0)
            blocks = _extract_blocks(context, encoded)
            counted = _count_parts(blocks, text, encoded)
            statistics = counted.map(partial(describe_pairs, layout=encoded.layout)).collect()
            progress.start("writing", 0)
            scoring = plan_scoring(statistics, encoded, rules, output)
            written = _write_table(counted, statistics, scoring, output)
        finally:
            progress.stop()
    return summarize(encoded, statistics, written)


def _extract_blocks(context: Any, encoded: Encoded) -> Dataset:  # noqa: ANN401
    """Extract the phrase pairs of all chunks to blocks."""
    chunks = context.parallelize(encoded.chunks, min(MOST_TASKS, len(encoded.chunks)))
    return _keep(chunks.flatMap(partial(extract_blocks, layout=encoded.layout)))


def _keep(dataset: Dataset) -> Dataset:
    """Store a dataset on the disks of the executors, so that it can be used several times."""
    from pyspark import StorageLevel

    return dataset.persist(StorageLevel.DISK_ONLY)


def _count_parts(blocks: Dataset, text: ParallelText, encoded: Encoded) -> Dataset:
    """Collect the rows of each part of the target phrases (a shuffle), and count them."""
    sizes = blocks.map(_count_rows_of_buckets).fold(np.zeros(BUCKETS, np.int64), np.add)
    if not sizes.any():
        raise no_phrase_pair(text, encoded)
    layout = encoded.layout
    ranges = divide_parts(sizes.tolist(), layout)
    pieces = blocks.flatMap(partial(divide_block, ranges=ranges)).partitionBy(len(ranges), int)
    return _keep(pieces.mapPartitions(partial(_count_pieces, layout=layout)))


def _count_rows_of_buckets(block: Block) -> NDArray[np.int64]:
    starts = block.starts.astype(np.int64)
    return starts[1:] - starts[:-1]


def divide_block(block: Block, ranges: list[tuple[int, int]]) -> Iterator[Piece]:
    """Divide the rows of a block by ranges of buckets. Ranges without rows are omitted."""
    for number, (first, end) in enumerate(ranges):
        rows = block.rows[block.starts[first] : block.starts[end]]
        if len(rows):
            yield number, rows


def _count_pieces(pieces: Iterable[Piece], layout: Layout) -> Iterator[Columns]:
    """Count the phrase pairs of a part, which may be empty."""
    rows = [rows for _, rows in pieces]
    if rows:
        yield count_rows(np.concatenate(rows), layout)


def _write_table(counted: Dataset, statistics: list[PartStatistics], scoring: Scoring, output: Path) -> int:
    """Write the phrase pairs that are frequent enough to the output, and return their number."""
    borders = find_source_borders(statistics, scoring.layout)
    tasks = min(MOST_TASKS, len(borders) + 1)
    assign = partial(_assign_task, tasks=tasks, ranges=len(borders) + 1)
    pieces = counted.flatMap(partial(divide_pairs, borders=borders, layout=scoring.layout))
    ranges = pieces.partitionBy(tasks, assign).mapPartitions(partial(_render_pieces, scoring=scoring)).collect()
    written = sum(lines.number for lines in ranges)
    check_written(written, scoring.rules)
    with replacing(output) as file:
        for lines in ranges:
            append_file(lines.path, file)
    return written


def _assign_task(number: int, tasks: int, ranges: int) -> int:
    """Return the task of a range. Tasks get consecutive ranges, in order."""
    return number * tasks // ranges


def divide_pairs(rows: Columns, borders: NDArray[np.uint64], layout: Layout) -> Iterator[Piece]:
    """Divide the rows of `count_rows` by ranges of source phrases. Ranges without rows are omitted."""
    starts = divide_keys(rows[:, arrange_fields(layout).source.start], borders)
    for number, (first, end) in enumerate(pairwise(starts)):
        if end > first:
            yield number, rows[first:end]


def _render_pieces(pieces: Iterable[Piece], scoring: Scoring) -> Iterator[_Lines]:
    """Score and render the rows of each range, in the order of the ranges."""
    ranges: dict[int, list[Columns]] = {}
    for number, rows in pieces:
        ranges.setdefault(number, []).append(rows)
    for number in sorted(ranges):
        rows = sort_pairs(np.concatenate(ranges.pop(number)), scoring.layout)
        path = scoring.folder / f"lines-{number}"
        yield _Lines(path, write_lines(rows, path, scoring))
