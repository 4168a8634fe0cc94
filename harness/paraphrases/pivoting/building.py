"""Pivoting: paraphrases from a phrase table, in several processes.

The method is that of Bannard and Callison-Burch (2005). Phrases are paraphrases if they share a translation, which is
called the pivot. The probability of a paraphrase e2 of e1 is the sum of p(f|e1) p(e2|f) over all pivots f.

The table is read once, and phrases are replaced by numbers in the order of their bytes. The phrase pairs are divided by
pivot. Pairs of phrases with the same pivot are written with the products of their probabilities, sorted by the numbers
of the phrases. The products of a pair are summed. Filters apply to the sums, and the most probable paraphrases of each
phrase are kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_arrays, map_rows, remove_texts, save_rows
from harness.files.writing import is_compressed, replacing, working_folder
from harness.paraphrases import sorting
from harness.paraphrases.pivoting import reading
from harness.paraphrases.pivoting.reading import Numbering, Numbers
from harness.paraphrases.pivoting.rules import PAIR_FILTERS, PHRASE_FILTERS, PivotRules
from harness.support.progress import Progress
from harness.support.workers import Workers
from pyramid_paraphrase.errors import EmptyResultError, InputError, LimitError, cannot_write
from pyramid_paraphrase.files.archives import compress_pieces
from pyramid_paraphrase.files.inputs import is_file

UNIT = 10**18
"""Probabilities are summed as integer multiples of 1 / UNIT, so that sums do not depend on the order of terms."""

MAX_PAIRS_PER_PIVOT = 100_000_000
"""Maximum number of pairs of a pivot. It bounds time and disk space, because even a short table can have many pairs."""

MAX_ENTRIES = 1 << 16
"""Approximate number of phrase pairs that are multiplied at once. Pairs with the same pivot may be more."""

MAX_PRODUCTS = 1 << 18
"""Maximum number of products that are summed at once."""

MAX_PAIRS = 1 << 17
"""Approximate number of pairs that are processed at once. Pairs of the same phrase may be more."""

PAIRS, WRITTEN, PHRASES = "paraphrases", "written", "phrases with paraphrases"
"""Keys of counts: pairs of a phrase and a paraphrase, written pairs, and phrases with written pairs."""

IMPROBABLE, BEYOND = "improbable", "beyond the most probable of a phrase"
"""Reasons why paraphrases are left out, in addition to the filters."""

ENTRY_REASONS = (reading.LONG, *(phrase_filter.text for phrase_filter in PHRASE_FILTERS), reading.UNSURE)
PAIR_REASONS = (IMPROBABLE, *(pair_filter.text for pair_filter in PAIR_FILTERS), BEYOND)
"""Reasons why entries of the table, and paraphrases, are left out, in the order of reports."""

COLUMNS = (b"phrase", b"paraphrase", b"probability")

_ENTRY_COLUMNS = 6
_PAIR_COLUMNS = 2
_LOW_BITS = np.uint64(30)
_LOW = np.uint64((1 << 30) - 1)


def write_paraphrases(
    table: Path,
    output: Path,
    rules: PivotRules,
    *,
    workers: int = 1,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Counter[str]:
    """Find the paraphrases in a phrase table, and write them by phrase, the most probable first.

    Args:
        table: A phrase table in the format of Moses.
        output: File to write.
        rules: The rules of pivoting.
        workers: Number of processes. The output does not depend on it.
        temporary: Folder for temporary files. If None, the folder of the output.
        progress: Progress bar, or None.

    Returns:
        Counts: of `ENTRIES` and `REPAIRED` of the module `reading`, of `PAIRS`, `WRITTEN` and `PHRASES`, and of what is
        left out, by `ENTRY_REASONS` and `PAIR_REASONS`.

    Raises:
        InputError: If the table cannot be read, or a line is malformed or repeated.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        EmptyResultError: If no paraphrase remains.
        OutputError: If a file cannot be written.
    """
    with (
        working_folder(output, temporary) as folder,
        Workers(workers) as pool,
        progress or Progress(visible=False) as bar,
    ):
        paths, samples, counts = list[Path](), list[list[bytes]](), Counter[str]()
        bar.start("reading", table.stat().st_size if is_file(table) else 0, unit="B")
        encode = partial(reading.encode_chunk, table=table, rules=rules, folder=folder)
        for path, sample, counts_of_chunk, consumed in pool.map_in_order(encode, reading.read_chunks(table)):
            paths.append(path)
            samples.append(sample)
            counts += counts_of_chunk
            bar.advance(consumed)
        numbering = _number_phrases([reading.name_phrases(path) for path in paths], samples, rules, pool, bar)
        runs = _multiply_chunks(paths, numbering, table, rules, pool, bar)
        return counts + _write(runs, numbering, output, rules, pool, bar)


def _number_phrases(
    lists: list[Path], samples: list[list[bytes]], rules: PivotRules, pool: Workers, progress: Progress
) -> Numbering:
    """Number the phrases in the lists of all chunks, given a sample of each list, and remove the lists."""
    ranges = list(reading.divide_phrases(samples))
    numbered = pool.map_in_order(partial(reading.number_range, lists=lists, rules=rules), ranges)
    numbering = Numbering(list(progress.track(numbered, "numbering", len(ranges))))
    for path in lists:
        remove_texts(path)
    return numbering


def _multiply_chunks(
    chunks: list[Path], numbering: Numbering, table: Path, rules: PivotRules, pool: Workers, progress: Progress
) -> list[tuple[Path, int, NDArray[np.uint64]]]:
    """Multiply the probabilities of all pairs, and return all files of `multiply_buckets`."""
    paths, starts = zip(*pool.map_in_order(partial(divide_chunk, numbering=numbering), enumerate(chunks)), strict=True)
    buckets = list(sorting.divide_runs(starts, MAX_ENTRIES))
    multiplied = pool.map_in_order(partial(multiply_buckets, runs=paths, table=table, rules=rules), buckets)
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
) -> Counter[str]:
    """Write the paraphrases to the output, and return the counts of pairs."""
    paths, pairs, samples = zip(*runs, strict=True)
    counts, compressed = Counter[str](), is_compressed(output)
    select = partial(select_range, runs=paths, numbering=numbering, rules=rules, compressed=compressed)
    header = b"\t".join(COLUMNS) + b"\n"
    progress.start("writing", sum(pairs))
    with replacing(output) as file:
        # Each range is a separate gzip member, so that processes can compress in parallel.
        file.write(compress_pieces([header]) if compressed else header)
        for path, counts_of_range, summed in pool.map_in_order(select, divide_pairs(paths, samples)):
            sorting.append_file(path, file)
            counts += counts_of_range
            progress.advance(summed)
        if not counts[WRITTEN]:
            raise _no_paraphrase()
    return counts


def divide_chunk(chunk: tuple[int, Path], numbering: Numbering) -> tuple[Path, Numbers]:
    """Write the phrase pairs of a chunk sorted by bucket of the pivot, and remove the file of the chunk.

    Args:
        chunk: Index of the chunk, and its file.
        numbering: Numbers of the phrases.

    Returns:
        A file with the columns: two hashes of the pivot, number of the phrase, probability of the pivot given the
        phrase, probability of the phrase given the pivot, number of the line. And the first row of each bucket, and
        finally the number of rows.
    """
    position, path = chunk
    high, low, phrases, *probabilities, lines = load_arrays(path, reading.ARRAYS)
    path.unlink()
    rows = np.empty((len(high), _ENTRY_COLUMNS), np.uint64)
    rows[:, 0], rows[:, 1], rows[:, 5] = high, low, lines
    rows[:, 2] = numbering.number_chunk(position)[phrases]
    rows[:, 3], rows[:, 4] = (values.view(np.uint64) for values in probabilities)
    rows = rows[np.argsort(high)]
    run = path.with_name(f"{path.name}-run")
    save_rows(run, rows)
    return run, sorting.find_bucket_starts(rows[:, 0])


def multiply_buckets(
    buckets: tuple[int, list[tuple[int, int]]], runs: Sequence[Path], table: Path, rules: PivotRules
) -> list[tuple[Path, int, NDArray[np.uint64]]]:
    """Multiply the probabilities of all pairs of phrases that share a pivot, for a range of `divide_runs`.

    Returns:
        Files with the columns: phrase and paraphrase as the two halves of a number, and the sum of their products.
        Pairs are distinct and sorted. With each file, its number of pairs, and the first column of some pairs, from
        `sample_keys`.

    Raises:
        InputError: If a phrase pair is repeated.
        LimitError: If a pivot has more pairs than `MAX_PAIRS_PER_PIVOT`.
        OutputError: If a file cannot be written.
    """
    number, slices = buckets
    entries = sorting.read_range(runs, slices, _ENTRY_COLUMNS)
    entries = entries[np.lexsort((entries[:, 2], entries[:, 1], entries[:, 0]))]
    pivots = sorting.find_starts(entries[:, :2])
    _refuse_duplicates(entries, pivots, table)
    pair_runs: list[tuple[Path, int, NDArray[np.uint64]]] = []
    for products in _multiply(entries, pivots, table, rules):
        path = runs[0].with_name(f"pairs-{number}-{len(pair_runs)}")
        pairs = sum_pairs(products)
        save_rows(path, pairs)
        pair_runs.append((path, len(pairs), sorting.sample_keys(pairs[:, 0])))
    return pair_runs


def _refuse_duplicates(entries: sorting.Rows, pivots: Numbers, table: Path) -> None:
    """Check that the phrase table contains no phrase pair twice.

    Args:
        entries: Phrase pairs with the columns of `divide_chunk`, sorted by pivot and phrase.
        pivots: First phrase pair of each pivot.
        table: The phrase table.

    Raises:
        InputError: If a phrase pair is repeated.
    """
    is_repeated = entries[1:, 2] == entries[:-1, 2]
    is_repeated[pivots[1:] - 1] = False  # equal phrases of different pivots
    if is_repeated.any():
        positions, lines = np.flatnonzero(is_repeated), entries[:, 5]
        line = int(np.maximum(lines[positions], lines[positions + 1]).min())
        source, target = reading.read_line(table, line)
        reason = f"repeats the phrase pair {source!a} and {target!a}"
        raise InputError(str(table), reason, "merge the two lines, or remove one", line)


def _multiply(entries: sorting.Rows, pivots: Numbers, table: Path, rules: PivotRules) -> Iterator[sorting.Rows]:
    """Yield p(f|e1) p(e2|f) for all pairs of different phrases e1 and e2 that share a pivot f, in blocks.

    All products are numbered, and a block is a range of numbers. A binary search finds the row of e1 of each number,
    and the rest of the number selects e2 among the phrases with the same pivot.

    Raises:
        LimitError: If a pivot has more than `MAX_PAIRS_PER_PIVOT` pairs.
    """
    least, phrases = rules.min_translation_probability, entries[:, 2]
    pivot_given_phrase, phrase_given_pivot = np.ascontiguousarray(entries[:, 3:5].T).view(np.float64)
    owners = np.repeat(np.arange(len(pivots)), np.diff(np.append(pivots, len(entries))))
    sources, targets = np.flatnonzero(pivot_given_phrase >= least), np.flatnonzero(phrase_given_pivot >= least)
    source_counts = np.bincount(owners[sources], minlength=len(pivots))
    target_counts = np.bincount(owners[targets], minlength=len(pivots))
    _require_few(entries[pivots, 5], source_counts, target_counts, table)
    first_targets = np.cumsum(target_counts) - target_counts
    counts = target_counts[owners[sources]]
    ends = np.cumsum(counts)
    total = int(counts.sum())
    for first in range(0, total, MAX_PRODUCTS):
        numbers = np.arange(first, min(first + MAX_PRODUCTS, total))
        rows = np.searchsorted(ends, numbers, "right")
        left = sources[rows]
        right = targets[first_targets[owners[left]] + numbers - (ends[rows] - counts[rows])]
        different = left != right
        left, right = left[different], right[different]
        products = pivot_given_phrase[left] * phrase_given_pivot[right] * UNIT
        yield np.stack(
            [sorting.join_halves(phrases[left], phrases[right]), np.rint(products).astype(np.uint64)], axis=1
        )


def _require_few(lines: NDArray[np.uint64], sources: Numbers, targets: Numbers, table: Path) -> None:
    """Check the number of pairs of each pivot, given the first line of each pivot and its numbers of phrases.

    Raises:
        LimitError: If a pivot has more than `MAX_PAIRS_PER_PIVOT` pairs.
    """
    too_many = np.flatnonzero(sources * targets > MAX_PAIRS_PER_PIVOT)
    if len(too_many):
        pivot = too_many[0]
        line = int(lines[pivot])
        source, target = reading.read_line(table, line)
        phrases = f"{source[:40]!a} or {target[:40]!a}"
        pairs = f"{sources[pivot]:,} times {targets[pivot]:,} pairs"
        reason = f"the pivot {phrases} makes {pairs}, more than the limit of {MAX_PAIRS_PER_PIVOT:,}"
        raise LimitError(str(table), reason, "raise --min-translation-probability", line)


def sum_pairs(pairs: sorting.Rows) -> sorting.Rows:
    """Sum the products of each pair of phrases. The result is sorted by phrase and paraphrase. Sums are at most 1."""
    pairs = pairs[np.argsort(pairs[:, 0])]
    starts = sorting.find_starts(pairs[:, :1])
    sums = np.empty((len(starts), _PAIR_COLUMNS), np.uint64)
    sums[:, 0] = pairs[starts, 0]
    if len(starts) == len(pairs):
        sums[:, 1] = pairs[:, 1]
    elif len(starts):
        # The sum of 19 products of 1 overflows 64 bits, so high and low bits are summed separately.
        high = np.add.reduceat(pairs[:, 1] >> _LOW_BITS, starts)
        low = np.add.reduceat(pairs[:, 1] & _LOW, starts)
        high = np.minimum(high + (low >> _LOW_BITS), np.uint64(UNIT >> 29))
        sums[:, 1] = np.minimum((high << _LOW_BITS) | (low & _LOW), np.uint64(UNIT))
    return sums


def divide_pairs(
    runs: Sequence[Path], samples: Sequence[NDArray[np.uint64]]
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Divide the pairs of all runs of `multiply_buckets` by phrase into ranges that fit into memory."""
    borders = np.unique(sorting.find_borders(samples, MAX_PAIRS) >> sorting.HALF) << sorting.HALF
    return sorting.divide_files([sorting.divide_keys(map_rows(path, _PAIR_COLUMNS)[:, 0], borders) for path in runs])


def select_range(
    pairs: tuple[int, list[tuple[int, int]]],
    runs: Sequence[Path],
    numbering: Numbering,
    rules: PivotRules,
    compressed: bool,
) -> tuple[Path, Counter[str], int]:
    """Select the paraphrases of a range of phrases, and write their lines to a file in the folder of the runs.

    Returns:
        The file, the counts of pairs, and the number of rows in the runs.

    Raises:
        OutputError: If the file cannot be written.
    """
    number, slices = pairs
    rows = sorting.read_range(runs, slices, _PAIR_COLUMNS)
    sums = sum_pairs(rows)
    is_probable = sums[:, 1] >= np.uint64(math.ceil(rules.min_probability * UNIT))
    counts = Counter({PAIRS: len(sums), IMPROBABLE: int(len(sums) - is_probable.sum())})
    kept = _keep_best(_filter(sums[is_probable], numbering, rules, counts), rules, counts)
    counts.update({WRITTEN: len(kept), PHRASES: len(np.unique(kept[:, 0] >> sorting.HALF))})
    path = runs[0].with_name(f"lines-{number}")
    lines = _render(kept, numbering, rules)
    try:
        path.write_bytes(compress_pieces([lines]) if compressed else lines)
    except OSError as error:
        raise cannot_write(path.parent, error) from None
    return path, counts, len(rows)


def _number_sides(pairs: sorting.Rows) -> tuple[Numbers, NDArray[np.int64]]:
    """Return the distinct numbers of the phrases and paraphrases of pairs, and positions in them, shape (2, pairs)."""
    sides = np.stack(sorting.split_halves(pairs[:, 0])).astype(np.int64)
    numbers, positions = np.unique(sides, return_inverse=True)
    return numbers, positions.reshape(2, -1)


def _filter(pairs: sorting.Rows, numbering: Numbering, rules: PivotRules, left_out: Counter[str]) -> sorting.Rows:
    """Apply the filters, and count the left-out pairs. Words are compared only for pairs with equal keys."""
    filters = reading.list_filters(rules)
    if not filters or not len(pairs):
        return pairs
    numbers, sides = _number_sides(pairs)
    keys = numbering.read_keys(numbers)
    has_equal_keys = keys[:, sides[0]] == keys[:, sides[1]]
    is_kept = np.ones(len(pairs), bool)
    needed = np.unique(sides[:, has_equal_keys.any(axis=0)])
    texts = (phrase.decode().split(" ") for phrase in numbering.read_phrases(numbers[needed]))
    words = dict(zip(needed.tolist(), texts, strict=True))
    for pair_filter, is_candidate in zip(filters, has_equal_keys, strict=True):
        candidates = np.flatnonzero(is_candidate & is_kept)
        pairs_of_places = zip(*sides[:, candidates].tolist(), strict=True)
        matches = [pair_filter.matches(words[first], words[second]) for first, second in pairs_of_places]
        is_kept[candidates[np.array(matches, bool)]] = False
        left_out[pair_filter.text] = sum(matches)
    return pairs[is_kept]


def _keep_best(pairs: sorting.Rows, rules: PivotRules, left_out: Counter[str]) -> sorting.Rows:
    """Keep the most probable paraphrases of each phrase, sorted by probability. Ties are sorted by bytes."""
    if rules.has_probabilities:
        keys, units = pairs.T
        pairs = pairs[np.lexsort((keys, np.uint64(UNIT) - units, keys >> sorting.HALF))]
    phrases = pairs[:, 0] >> sorting.HALF
    is_best = np.arange(len(phrases)) - np.searchsorted(phrases, phrases) < rules.max_paraphrases
    left_out[BEYOND] = int(len(is_best) - is_best.sum())
    return pairs[is_best]


def _render(pairs: sorting.Rows, numbering: Numbering, rules: PivotRules) -> bytes:
    if not len(pairs):
        return b""
    numbers, sides = _number_sides(pairs)
    texts = numbering.read_phrases(numbers)
    phrases, paraphrases = ([texts[position] for position in side] for side in sides.tolist())
    if not rules.has_probabilities:
        return b"".join(b"%b\t%b\t1\n" % pair for pair in zip(phrases, paraphrases, strict=True))
    probabilities = (units / UNIT for units in pairs[:, 1].tolist())
    return b"".join(b"%b\t%b\t%.6g\n" % line for line in zip(phrases, paraphrases, probabilities, strict=True))
