"""Extraction of a phrase table on Ray Data, like `paraphrases.extraction.spark` on Spark. For comparison only.

usage: ray_extraction.py SOURCE TARGET ALIGNMENTS OUTPUT
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import ray
from numpy.typing import NDArray
from ray.cluster_utils import Cluster

from harness.files.writing import replacing, working_folder
from harness.paraphrases.extraction.building import encode_text, plan_scoring
from harness.paraphrases.extraction.packing import Columns, Layout
from harness.paraphrases.extraction.phrase_pairs import (
    PartStatistics,
    count_rows,
    describe_pairs,
    extract_blocks,
    find_source_borders,
    limit_rows,
    sort_pairs,
)
from harness.paraphrases.extraction.scoring import ExtractionRules, Scoring, write_lines
from harness.paraphrases.extraction.spark import Piece, divide_block, divide_pairs
from harness.paraphrases.parallel_text import ParallelText
from harness.paraphrases.sorting import BUCKETS, append_file, divide_buckets
from harness.support.progress import Progress

CHUNKS_AT_ONCE = 8
MOST_PARTITIONS = 64
"""Number of partitions. Ray's shuffle has an object for each pair of tasks, and starts a task for each partition."""

STORE_BYTES = 1 << 30
Row = dict[str, Any]


class RayWorkers:
    """Tasks of Ray, used like `harness.support.workers.Workers`."""

    def map_in_order(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Apply a function to items. Read only a few items at a time."""
        task, remaining = ray.remote(_apply), iter(items)
        while batch := list(islice(remaining, CHUNKS_AT_ONCE)):
            yield from ray.get([task.remote(function, item) for item in batch])


def _apply(function: Callable[[Any], Any], item: object) -> object:
    return function(item)


def build(text: ParallelText, output: Path, rules: ExtractionRules) -> None:
    """Write a phrase table."""
    with working_folder(output, None) as folder:
        paths, layout, _ = encode_text(text, rules, folder, RayWorkers(), Progress(visible=False))
        counted = _count(paths, layout)
        statistics = _read_statistics(counted)
        scoring = plan_scoring(statistics, folder, layout, rules, output)
        borders = find_source_borders(statistics, layout)
        pieces = counted.flat_map(partial(_divide_pairs, borders=borders, layout=layout))
        ranges = pieces.groupby("number", num_partitions=min(MOST_PARTITIONS, len(borders) + 1))
        lines = ranges.map_groups(partial(_render, scoring=scoring), batch_format="pyarrow").materialize()
        with replacing(output) as file:
            for row in sorted(lines.iter_rows(), key=lambda row: row["number"]):
                append_file(Path(row["path"]), file)


def _count(paths: list[Path], layout: Layout) -> ray.data.Dataset:
    chunks = ray.data.from_items([{"path": str(path)} for path in paths])
    blocks = chunks.repartition(len(paths)).flat_map(partial(_extract, layout=layout)).materialize()
    sizes = np.zeros(BUCKETS, np.int64)
    for row in blocks.select_columns(["starts"]).iter_rows():
        starts = np.frombuffer(row["starts"], np.uint32).astype(np.int64)
        sizes += starts[1:] - starts[:-1]
    ranges = divide_buckets(sizes.tolist(), limit_rows(layout.occurrence_width))
    divide = partial(_divide_block, ranges=ranges, width=layout.occurrence_width)
    parts = blocks.flat_map(divide).groupby("number", num_partitions=min(MOST_PARTITIONS, len(ranges)))
    return parts.map_groups(partial(_count_group, layout=layout), batch_format="pyarrow").materialize()


def _extract(row: Row, layout: Layout) -> list[Row]:
    blocks = extract_blocks(Path(row["path"]), layout)
    return [{"rows": rows.tobytes(), "starts": starts.tobytes()} for rows, starts in blocks]


def _divide_block(row: Row, ranges: list[tuple[int, int]], width: int) -> list[Row]:
    rows = np.frombuffer(row["rows"], np.uint64).reshape(-1, width)
    return _make_rows(divide_block((rows, np.frombuffer(row["starts"], np.uint32)), ranges))


def _make_rows(pieces: Iterable[Piece]) -> list[Row]:
    return [{"number": number, "rows": rows.tobytes()} for number, rows in pieces]


def _join(group: pa.Table, width: int) -> Columns:
    return np.concatenate([np.frombuffer(cell.as_buffer(), np.uint64).reshape(-1, width) for cell in group["rows"]])


def _count_group(group: pa.Table, layout: Layout) -> pa.Table:
    pairs = count_rows(_join(group, layout.occurrence_width), layout)
    statistics = describe_pairs(pairs, layout)
    return pa.table(
        {
            "number": [group["number"][0].as_py()],
            "rows": pa.array([pairs.tobytes()], pa.large_binary()),
            "pairs": [statistics.pairs],
            "occurrences": [statistics.occurrences],
            "count_sizes": [statistics.count_sizes.tobytes()],
            "sample": [statistics.sample.tobytes()],
        }
    )


def _read_statistics(counted: ray.data.Dataset) -> list[PartStatistics]:
    columns = counted.select_columns(["number", "pairs", "occurrences", "count_sizes", "sample"])
    return [
        PartStatistics(
            row["pairs"],
            row["occurrences"],
            np.frombuffer(row["count_sizes"], np.int64),
            np.frombuffer(row["sample"], np.uint64),
        )
        for row in sorted(columns.iter_rows(), key=lambda row: row["number"])
    ]


def _divide_pairs(row: Row, borders: NDArray[np.uint64], layout: Layout) -> list[Row]:
    rows = np.frombuffer(row["rows"], np.uint64).reshape(-1, layout.pair_width)
    return _make_rows(divide_pairs(rows, borders, layout))


def _render(group: pa.Table, scoring: Scoring) -> pa.Table:
    rows = _join(group, scoring.layout.pair_width)
    number = group["number"][0].as_py()
    path = scoring.folder / f"lines-{number}"
    write_lines(sort_pairs(rows, scoring.layout), path, scoring)
    return pa.table({"number": [number], "path": [str(path)]})


def main() -> None:
    """Extract on two nodes of one core each."""
    source, target, alignments, output = map(Path, sys.argv[1:])
    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": STORE_BYTES}
    cluster: Any = Cluster(initialize_head=True, head_node_args=node | {"include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address)
    ray.data.DataContext.get_current().enable_progress_bars = False
    build(ParallelText(source, target, alignments), output, ExtractionRules())
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
