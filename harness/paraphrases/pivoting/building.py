"""Pivoting: paraphrases from a phrase table, in several processes.

The method is that of Bannard and Callison-Burch (2005). Phrases are paraphrases if they share a translation, which is
called the pivot. The probability of a paraphrase e2 of e1 is the sum of p(f|e1) p(e2|f) over all pivots f.

The table is read once, and phrases are replaced by numbers in the order of their bytes. Then phrase pairs are divided
by pivot, and their probabilities are multiplied. Finally the products are divided by phrase and summed.
"""

from __future__ import annotations

import shutil
from collections import Counter
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import remove_texts
from harness.files.writing import is_compressed, replacing, temporary_folder
from harness.paraphrases.pivoting import products
from harness.paraphrases.pivoting.numbering import Numbering, divide_phrases, number_range
from harness.paraphrases.pivoting.reading import LONG, UNSURE, EntryChunk, encode_chunk, read_chunks
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PHRASE_FILTERS, PivotRules
from harness.paraphrases.sorting import divide_runs
from harness.support.progress import Progress
from harness.support.workers import Workers
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.files.archives import compress_pieces
from pyramid_paraphrase.files.inputs import is_file

COLUMNS = (b"phrase", b"paraphrase", b"probability")


class Pivoted(NamedTuple):
    """Counts of the phrase pairs that were read and of the paraphrases that were written.

    Attributes:
        entries: Number of phrase pairs in the phrase table.
        repaired: Number of probabilities above 1 in the phrase table. They are replaced by 1.
        entries_left_out: Number of left-out phrase pairs, by reason.
        pairs: Number of pairs of a phrase and a paraphrase.
        pairs_left_out: Number of left-out pairs, by reason.
        written: Number of written pairs.
        phrases: Number of phrases with paraphrases.
    """

    entries: int
    repaired: int
    entries_left_out: dict[str, int]
    pairs: int
    pairs_left_out: dict[str, int]
    written: int
    phrases: int


def write_paraphrases(
    table: Path,
    output: Path,
    rules: PivotRules,
    *,
    workers: int = 1,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Pivoted:
    """Find the paraphrases in a phrase table, and write them by phrase, the most probable first.

    Args:
        table: A phrase table in the format of Moses.
        output: File to write.
        rules: The rules of pivoting.
        workers: Number of processes. The output does not depend on it.
        temporary: Folder for temporary files. If None, the folder of the output.
        progress: Progress bar, or None.

    Raises:
        InputError: If the table cannot be read, or a line is malformed or repeated.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        EmptyResultError: If no paraphrase remains.
        OutputError: If a file cannot be written.
    """
    with (
        temporary_folder(output, temporary) as folder,
        Workers(workers) as pool,
        progress or Progress(visible=False) as bar,
    ):
        size = table.stat().st_size if is_file(table) else 0
        encode = partial(encode_chunk, table=table, rules=rules, folder=folder)
        encoded = pool.map_in_order(encode, read_chunks(table))
        chunks = list(bar.track(encoded, "reading", size, unit="B", count=lambda chunk: chunk.consumed))
        numbering = _number_phrases(chunks, rules, pool, bar)
        runs = _multiply(chunks, numbering, table, rules, pool, bar)
        written, phrases, left_out = _write(runs, numbering, output, rules, pool, bar)
    entries_left_out = sum((chunk.left_out for chunk in chunks), Counter[str]())
    entry_reasons = (LONG, *(phrase_filter.text for phrase_filter in PHRASE_FILTERS), UNSURE)
    pair_reasons = (products.IMPROBABLE, *(pair_filter.text for pair_filter in PAIR_FILTERS), products.BEYOND)
    return Pivoted(
        entries=sum(chunk.entries for chunk in chunks),
        repaired=sum(chunk.repaired for chunk in chunks),
        entries_left_out={reason: entries_left_out[reason] for reason in entry_reasons},
        pairs=written + left_out.total(),
        pairs_left_out={reason: left_out[reason] for reason in pair_reasons},
        written=written,
        phrases=phrases,
    )


def _number_phrases(chunks: list[EntryChunk], rules: PivotRules, pool: Workers, progress: Progress) -> Numbering:
    ranges, paths = list(divide_phrases(chunk.sample for chunk in chunks)), [chunk.phrases for chunk in chunks]
    numbered = pool.map_in_order(partial(number_range, lists=paths, rules=rules), ranges)
    numbering = Numbering(list(progress.track(numbered, "numbering", len(ranges))))
    for path in paths:
        remove_texts(path)
    return numbering


def _multiply(
    chunks: list[EntryChunk], numbering: Numbering, table: Path, rules: PivotRules, pool: Workers, progress: Progress
) -> list[tuple[Path, int, NDArray[np.uint64]]]:
    """Multiply the probabilities of all pairs, and return all files of `products.multiply_buckets`."""
    chunk_paths = enumerate(chunk.path for chunk in chunks)
    divided = pool.map_in_order(partial(products.divide_chunk, numbering=numbering), chunk_paths)
    paths, starts = zip(*divided, strict=True)
    buckets = list(divide_runs(starts, products.MAX_ENTRIES))
    multiplied = pool.map_in_order(partial(products.multiply_buckets, runs=paths, table=table, rules=rules), buckets)
    runs = list(chain.from_iterable(progress.track(multiplied, "multiplying", len(buckets))))
    for path in paths:
        path.unlink()
    if not runs:
        raise _no_paraphrase()
    return runs


def _no_paraphrase() -> EmptyResultError:
    return EmptyResultError("no paraphrase remains. Lower --min-probability, or disable filters with --keep")


def _write(
    runs: list[tuple[Path, int, NDArray[np.uint64]]],
    numbering: Numbering,
    output: Path,
    rules: PivotRules,
    pool: Workers,
    progress: Progress,
) -> tuple[int, int, Counter[str]]:
    """Write the paraphrases to the output.

    Returns:
        The number of paraphrases, the number of phrases, and the number of left-out pairs by reason.
    """
    paths, pairs, samples = zip(*runs, strict=True)
    written, phrases, left_out, compressed = 0, 0, Counter[str](), is_compressed(output)
    select = partial(products.select_range, runs=paths, numbering=numbering, rules=rules, compressed=compressed)
    ranges = pool.map_in_order(select, products.divide_pairs(paths, samples))
    header = b"\t".join(COLUMNS) + b"\n"
    with replacing(output) as file:
        # Each range is a separate gzip member, so that processes can compress in parallel.
        file.write(compress_pieces([header]) if compressed else header)
        for selected in progress.track(ranges, "writing", sum(pairs), count=lambda selected: selected.summed):
            with selected.path.open("rb") as lines:
                shutil.copyfileobj(lines, file, 1 << 20)
            selected.path.unlink()
            written += selected.written
            phrases += selected.phrases
            left_out += selected.left_out
        if not written:
            raise _no_paraphrase()
    return written, phrases, left_out
