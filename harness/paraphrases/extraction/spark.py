"""Extraction of a phrase table on Spark: the functions of `building`, with Spark's shuffles between them.

The steps and the partitions of the rows are the same as on a single machine, so that the tables are byte-identical.
Spark stores the rows between the steps on the disks of its executors. If an executor is lost, Spark computes its rows
again. The encoded text and the lexicon are files in a folder that all executors can read.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.files.writing import replacing, working_folder
from harness.paraphrases import sorting
from harness.paraphrases.extraction import building, phrase_pairs
from harness.paraphrases.extraction.packing import Columns, Layout
from harness.paraphrases.extraction.scoring import ExtractionRules, Scoring, write_lines
from harness.paraphrases.parallel_text import ParallelText
from harness.support.errors import describe_cause
from harness.support.progress import Progress
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError
from pyramid_paraphrase.files.extras import require

EXTRA = "spark"
MOST_TASKS = 1 << 11
"""Maximum number of tasks of a stage. A shuffle has one block per pair of tasks of two stages."""

_APPLICATION = "pyramid-paraphrase extract"
_ITEMS_PER_CORE = 4

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


@contextmanager
def spark_context(master: str, folder: Path) -> Iterator[Any]:
    """Connect to Spark, and disconnect at the end.

    Args:
        master: URL of the master, in the format of `spark-submit`.
        folder: Folder for the files of Spark, used if the master is local.

    Raises:
        MissingExtraError: If pyspark is not installed.
        OptionError: If Java is missing, Spark does not start, or a stage fails.
    """
    pyspark = require("pyspark", EXTRA)
    py4j = require("py4j.protocol", EXTRA)
    home = os.environ.get("JAVA_HOME")
    command = f"{home}/bin/java" if home else "java"
    if shutil.which(command) is None:
        reason = f"Spark requires Java, but the command {command} does not exist"
        raise OptionError(f"{reason}. Install Java 17 (package openjdk-17-jre-headless on Debian)")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    configuration = pyspark.SparkConf().setMaster(master).setAppName(_APPLICATION)
    configuration.set("spark.ui.showConsoleProgress", "false")
    if master.startswith("local"):
        configuration.setIfMissing("spark.driver.host", "127.0.0.1")
        configuration.setIfMissing("spark.local.dir", str(folder))
    try:
        context = pyspark.SparkContext(conf=configuration)
        try:
            yield context
        finally:
            context.stop()
    except (py4j.Py4JError, pyspark.errors.PySparkException) as error:
        remedy = "See the messages of Spark above and the logs of its workers"
        raise OptionError(f"Spark failed on the master {master}: {_describe(error).rstrip('.')}. {remedy}") from None


def _describe(error: Exception) -> str:
    """Describe an error of Spark by the message of its Java exception, if it has one."""
    exception = getattr(error, "java_exception", None)
    return describe_cause(error if exception is None else Exception(exception.getMessage()))


class SparkWorkers:
    """The executors of Spark, with the interface of `support.workers.Workers`.

    Args:
        context: Connection to Spark.
    """

    def __init__(self, context: Any) -> None:  # noqa: ANN401 - pyspark is optional
        self._context = context

    def map_in_order(
        self, function: Callable[[_Item], _Outcome], items: Iterable[_Item]
    ) -> Generator[_Outcome, None, None]:
        """Apply a function to items, in batches of a few items per core.

        Yields:
            The results in the order of the items.

        Raises:
            PyramidParaphraseError: If the function raises it for an item. The first item in order counts.
        """
        remaining = iter(items)
        while batch := list(islice(remaining, _ITEMS_PER_CORE * self._context.defaultParallelism)):
            for outcome in self._context.parallelize(batch, len(batch)).map(partial(_attempt, function)).collect():
                if isinstance(outcome, PyramidParaphraseError):
                    raise outcome
                yield outcome


def _attempt(function: Callable[[_Item], _Outcome], item: _Item) -> _Outcome | PyramidParaphraseError:
    """Apply a function, and return an error of the input as a result, because Spark repeats tasks that fail."""
    try:
        return function(item)
    except PyramidParaphraseError as error:
        return error


Dataset = Any
"""A dataset of Spark (RDD). The type is not imported, because pyspark is optional."""

Piece = tuple[int, Columns]
"""The number of a part or a range, and some of its rows."""


def build_phrase_table_on_spark(
    text: ParallelText,
    output: Path,
    rules: ExtractionRules,
    *,
    master: str,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Counter[str]:
    """Extract the phrase pairs of a parallel text on Spark, with the same output and counts as `build_phrase_table`.

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
    with (
        working_folder(output.absolute(), temporary and temporary.absolute()) as folder,
        spark_context(master, folder) as context,
        progress or Progress(visible=False) as bar,
    ):
        paths, layout, counts = building.encode_text(text, rules, folder, SparkWorkers(context), bar)
        bar.start("extracting", 0)
        chunks = context.parallelize(paths, min(MOST_TASKS, len(paths)))
        blocks = _keep(chunks.flatMap(partial(phrase_pairs.extract_blocks, layout=layout)))
        sizes = np.diff(blocks.values().fold(np.zeros(sorting.BUCKETS + 1, np.int64), np.add))
        if not sizes.any():
            raise building.no_phrase_pair(text, counts)
        limit = phrase_pairs.limit_rows(layout.occurrence_width)
        counted = _count_parts(blocks, sorting.divide_buckets(sizes.tolist(), limit), layout)
        statistics = counted.map(partial(phrase_pairs.describe_pairs, layout=layout)).collect()
        bar.start("writing", 0)
        scoring = building.plan_scoring(statistics, folder, layout, rules, output)
        written = _write_table(counted, phrase_pairs.find_source_borders(statistics, layout), scoring, output)
    return counts + building.count_phrase_pairs(statistics, written)


def _keep(dataset: Dataset) -> Dataset:
    """Store a dataset on the disks of the executors, so that it can be used several times."""
    from pyspark import StorageLevel

    return dataset.persist(StorageLevel.DISK_ONLY)


def _count_parts(blocks: Dataset, ranges: list[tuple[int, int]], layout: Layout) -> Dataset:
    """Collect the rows of each part of the target phrases (a shuffle), and count them."""
    pieces = blocks.flatMap(partial(divide_block, ranges=ranges)).partitionBy(len(ranges), int)
    return _keep(pieces.mapPartitions(partial(_count_pieces, layout=layout)))


def divide_block(block: tuple[Columns, NDArray[np.uint32]], ranges: list[tuple[int, int]]) -> Iterator[Piece]:
    """Divide the rows that `extract_blocks` yields by ranges of buckets. Ranges without rows are omitted."""
    all_rows, starts = block
    for number, (first, end) in enumerate(ranges):
        rows = all_rows[starts[first] : starts[end]]
        if len(rows):
            yield number, rows


def _count_pieces(pieces: Iterable[Piece], layout: Layout) -> Iterator[Columns]:
    """Count the phrase pairs of a part, which may be empty."""
    rows = [rows for _, rows in pieces]
    if rows:
        yield phrase_pairs.count_rows(np.concatenate(rows), layout)


def _write_table(counted: Dataset, borders: NDArray[np.uint64], scoring: Scoring, output: Path) -> int:
    """Write the phrase pairs that are frequent enough to the output, and return their number."""
    ranges = len(borders) + 1
    tasks = min(MOST_TASKS, ranges)
    pieces = counted.flatMap(partial(divide_pairs, borders=borders, layout=scoring.layout))
    # Tasks get consecutive ranges, in order.
    assigned = pieces.partitionBy(tasks, lambda number: number * tasks // ranges)
    rendered = assigned.mapPartitions(partial(_render_pieces, scoring=scoring)).collect()
    written = sum(lines for _, lines in rendered)
    building.check_written(written, scoring.rules)
    with replacing(output) as file:
        for path, _ in rendered:
            sorting.append_file(path, file)
    return written


def divide_pairs(rows: Columns, borders: NDArray[np.uint64], layout: Layout) -> Iterator[Piece]:
    """Divide the rows of `count_rows` by ranges of source phrases. Ranges without rows are omitted."""
    starts = sorting.divide_keys(rows[:, layout.source.start], borders)
    for number, (first, end) in enumerate(pairwise(starts)):
        if end > first:
            yield number, rows[first:end]


def _render_pieces(pieces: Iterable[Piece], scoring: Scoring) -> Iterator[tuple[Path, int]]:
    """Score and render the rows of each range, in the order of the ranges. Yield a file and its number of lines."""
    ranges: dict[int, list[Columns]] = {}
    for number, rows in pieces:
        ranges.setdefault(number, []).append(rows)
    for number in sorted(ranges):
        rows = phrase_pairs.sort_pairs(np.concatenate(ranges.pop(number)), scoring.layout)
        path = scoring.folder / f"lines-{number}"
        yield path, write_lines(rows, path, scoring)
