"""Time, memory and disk that counting phrase pairs takes: the project's sorted runs, and engines that could do it.

usage: phrase_grouping.py SOURCE TARGET ALIGNMENTS
       phrase_grouping.py SENTENCES (of a made-up language, with Zipf's frequencies)

Every engine begins with the same runs of counts, as extraction leaves them, and ends with the same file: phrase pairs
sorted, each with its count and those of its two phrases. Each runs in a process of its own, with two threads if it has
any. A last row is the whole command: extraction by two processes, counting, and writing a compressed table; memory is
that of the largest process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np

from harness.files.hashing import hash_file
from harness.paraphrases.extraction.alignments import ParallelText
from harness.paraphrases.extraction.building import ExtractionRules, build_phrase_table, count_text, sort_by_source
from harness.support.progress import Progress

THREADS = 2
DUCKDB_MEMORY = "512MB"
_COLUMNS = ["target", "source", "count"]
_QUIET = Progress(visible=False)


def compare(text: ParallelText) -> str:
    """Render a table, a row per engine."""
    rows = ["| | s | peak, MiB | disk, MiB | SHA-256 |", "| --- | ---: | ---: | ---: | --- |"]
    with tempfile.TemporaryDirectory(dir=text.source.parent) as name:
        folder = Path(name)
        started = time.perf_counter()
        found = build_phrase_table(text, folder / "table.gz", ExtractionRules(), workers=THREADS)
        seconds = time.perf_counter() - started
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
        (folder / "runs").mkdir()
        counted = count_text(text, ExtractionRules(), folder / "runs", THREADS, _QUIET)
        size = sum(path.stat().st_size for path in counted.runs)
        rows += [f"| {engine} | {_measure(engine, folder)} |" for engine in ENGINES]
    rows.append(f"| the whole command | {seconds:.1f} | {peak:,} | | |")
    pairs = f"{found.phrase_pairs:,} phrase pairs, {found.distinct:,} distinct"
    title = f"{found.sentence_pairs:,} sentence pairs, {pairs}, runs of {size >> 20:,} MiB."
    return "\n".join([title, "", *rows])


def _measure(engine: str, folder: Path) -> str:
    """Run an engine in a process of its own: seconds, peak memory, most bytes on the disk, digest of what it wrote."""
    room = folder / "room"
    room.mkdir()
    command = [sys.executable, __file__, "--engine", engine, str(folder / "runs"), str(room)]
    most, done = [0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(room, most, done))
    watcher.start()
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    done.set()
    watcher.join()
    digest = ""
    if told.returncode == 0:
        digest = hash_file(room / "out")[:12]
    subprocess.run(["rm", "-r", str(room)], check=True)  # noqa: S607
    last = (told.stderr.strip().splitlines() or ["nothing"])[-1]
    return f"{told.stdout.strip()} | {most[0] >> 20:,} | {digest}" if digest else f"{last} | | |"


def _watch(folder: Path, most: list[int], done: threading.Event) -> None:
    while not done.wait(0.05):
        sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != "out"]
        most[0] = max(most[0], sum(sizes))


def group_by_runs(runs: list[Path], room: Path) -> None:
    """Merge sorted runs, as the project does."""
    sorter, _ = sort_by_source(runs, room, _QUIET, 0)
    lines = (line.split(b"\t") for line in sorter.sorted_lines())
    with (room / "out").open("wb") as file:
        for source, group in groupby(lines, lambda parts: parts[0]):
            pairs = [(target, joint, int(count)) for _, target, joint, count in group]
            total = sum(int(joint) for _, joint, _ in pairs)
            file.writelines(b"%b\t%b\t%b\t%d\t%d\n" % (source, *pair, total) for pair in pairs)


def group_by_duckdb(runs: list[Path], room: Path) -> None:
    """Group and sort by SQL."""
    import duckdb

    database = duckdb.connect(str(room / "database"))
    database.execute(f"SET threads = {THREADS}; SET memory_limit = '{DUCKDB_MEMORY}'")
    database.execute(f"SET temp_directory = '{room}'; SET preserve_insertion_order = false")
    types = "{'target': 'VARCHAR', 'source': 'VARCHAR', 'count': 'BIGINT'}"
    database.execute(
        "CREATE TABLE pairs AS SELECT source, target, sum(count)::BIGINT AS joint FROM read_csv("  # noqa: S608
        rf"{[str(path) for path in runs]}, delim = '\t', quote = '', escape = '', header = false, columns = {types}) "
        "GROUP BY ALL"
    )
    database.execute(
        "COPY (SELECT pairs.source, pairs.target, joint, target_count, source_count FROM pairs "  # noqa: S608
        "JOIN (SELECT target, sum(joint)::BIGINT AS target_count FROM pairs GROUP BY ALL) USING (target) "
        "JOIN (SELECT source, sum(joint)::BIGINT AS source_count FROM pairs GROUP BY ALL) USING (source) "
        f"ORDER BY 1, 2) TO '{room / 'out'}' (FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE '')"
    )


def group_by_polars(runs: list[Path], room: Path) -> None:
    """Group and sort by the streaming engine."""
    import polars as pl

    schema = {"target": pl.String, "source": pl.String, "count": pl.Int64}
    read = pl.scan_csv(runs, separator="\t", quote_char=None, has_header=False, schema=schema)
    pairs = read.group_by("source", "target").agg(pl.col("count").sum().alias("joint"))
    targets = pairs.group_by("target").agg(pl.col("joint").sum().alias("target_count"))
    sources = pairs.group_by("source").agg(pl.col("joint").sum().alias("source_count"))
    joined = pairs.join(targets, on="target").join(sources, on="source")
    joined.sort("source", "target").sink_csv(
        room / "out", separator="\t", include_header=False, quote_style="never", engine="streaming"
    )


def group_by_pyarrow(runs: list[Path], room: Path) -> None:
    """Group and sort in memory."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    pa.set_cpu_count(THREADS)
    reading = csv.ReadOptions(column_names=_COLUMNS)
    parsing = csv.ParseOptions(delimiter="\t", quote_char=False)
    types = {"target": pa.string(), "source": pa.string(), "count": pa.int64()}
    converting = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    read = pa.concat_tables([csv.read_csv(path, reading, parsing, converting) for path in runs])
    pairs = read.group_by(["source", "target"]).aggregate([("count", "sum")])
    for side in ("target", "source"):
        totals = pairs.group_by([side]).aggregate([("count_sum", "sum")])
        pairs = pairs.join(totals.rename_columns([side, f"{side}_count"]), side)
    ordered = pairs.sort_by([("source", "ascending"), ("target", "ascending")])
    names = ("source", "target", "count_sum", "target_count", "source_count")
    with (room / "out").open("w", encoding="utf-8") as file:  # its own writer refuses words with quotes
        for batch in ordered.to_batches(1 << 16):
            columns = [batch[name].cast(pa.string()) for name in names]
            file.writelines(f"{line}\n" for line in pc.binary_join_element_wise(*columns, "\t").to_pylist())


ENGINES: dict[str, Callable[[list[Path], Path], None]] = {
    "duckdb": group_by_duckdb,
    "polars": group_by_polars,
    "pyarrow": group_by_pyarrow,
    "sorted runs": group_by_runs,  # last, for it removes them
}


def invent_text(folder: Path, sentences: int) -> ParallelText:
    """Write a parallel text: words by Zipf's law, each with two translations, neighbours swapped now and then."""
    random = np.random.RandomState(0)
    names = ("source", "target", "alignments")
    text = ParallelText(*(folder / name for name in names))
    with text.source.open("w") as source, text.target.open("w") as target, text.alignments.open("w") as alignments:
        for _ in range(sentences):
            words = np.minimum(random.zipf(1.25, random.randint(5, 30)), 50_000)
            order = np.arange(len(words), dtype=float)
            order += random.choice([0, 1.5], len(words), p=[0.85, 0.15])
            places = np.argsort(order, kind="stable")
            known = random.random_sample(len(words)) < 0.9
            source.write(" ".join(f"f{word}" for word in words) + "\n")
            target.write(" ".join(f"e{words[place]}{'ab'[random.randint(2)]}" for place in places) + "\n")
            points = [f"{place}-{there}" for there, place in enumerate(places) if known[place]]
            alignments.write(" ".join(points) + "\n")
    return text


def main() -> None:
    """Compare, or run the engine that was named."""
    if sys.argv[1] == "--engine":
        engine, runs, room = sys.argv[2], sorted(Path(sys.argv[3]).iterdir()), Path(sys.argv[4])
        started = time.perf_counter()
        ENGINES[engine](runs, room)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{time.perf_counter() - started:.1f} | {peak:,}")
    elif len(sys.argv) == 4:
        print(compare(ParallelText(*map(Path, sys.argv[1:]))))
    else:
        with tempfile.TemporaryDirectory() as name:
            print(compare(invent_text(Path(name), int(sys.argv[1]))))


if __name__ == "__main__":
    main()
