"""Extraction of a phrase table from word-aligned parallel text, in several processes and with bounded memory.

The text is read once: words are replaced by numbers, and links between words are counted. Then phrase pairs are
extracted chunk by chunk, counted in parts by target phrase, and scored and written in ranges of source phrases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import map_rows
from harness.files.writing import is_compressed, replacing, working_folder
from harness.paraphrases import sorting
from harness.paraphrases.extraction import phrase_pairs
from harness.paraphrases.extraction.encoding import BARRED, UNALIGNED, LexiconBuilder, encode_chunk
from harness.paraphrases.extraction.packing import Layout
from harness.paraphrases.extraction.phrase_pairs import PartStatistics
from harness.paraphrases.extraction.scoring import ExtractionRules, Scoring, write_lines
from harness.paraphrases.parallel_text import BLANK, LONG, SENTENCE_PAIRS, ParallelText, read_chunks
from harness.rendering.tables import count_of
from harness.support.progress import Progress
from harness.support.workers import Workers
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.files.inputs import is_file

_Item = TypeVar("_Item")
_Outcome = TypeVar("_Outcome")


PHRASE_PAIRS, DISTINCT, WRITTEN = "phrase pairs", "distinct", "written"
"""Keys of counts: extracted phrase pairs, distinct ones, and distinct ones that are frequent enough."""

REASONS = (BLANK, LONG, BARRED, UNALIGNED)
"""Reasons why sentence pairs are left out, in the order of reports."""


def build_phrase_table(
    text: ParallelText,
    output: Path,
    rules: ExtractionRules,
    *,
    workers: int = 1,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Counter[str]:
    """Extract the phrase pairs of a parallel text, and write them sorted, with probabilities and lexical weights.

    Args:
        text: Files of the parallel text.
        output: File to write.
        rules: The rules of extraction.
        workers: Number of processes. The table does not depend on it.
        temporary: Folder for temporary files. If None, the folder of the output.
        progress: Progress bar, or None.

    Returns:
        Counts of `SENTENCE_PAIRS`, of left-out sentence pairs by `REASONS`, and of `PHRASE_PAIRS`, `DISTINCT` and
        `WRITTEN` ones.

    Raises:
        InputError: If a file cannot be read or a line is malformed.
        EmptyResultError: If no phrase pair remains.
        OptionError: If the text is too small for the discount.
        OutputError: If a file cannot be written.
    """
    with (
        working_folder(output, temporary) as folder,
        Workers(workers) as pool,
        progress or Progress(visible=False) as bar,
    ):
        chunks, layout, counts = encode_text(text, rules, folder, pool, bar)
        extracted = pool.map_in_order(partial(phrase_pairs.extract_rows, layout=layout), chunks)
        runs = list(chain.from_iterable(bar.track(extracted, "extracting", len(chunks))))
        if not runs:
            raise no_phrase_pair(text, counts)
        paths, statistics = _count_parts(runs, layout, pool, bar)
        scoring = plan_scoring(statistics, folder, layout, rules, output)
        written = _write_table(paths, statistics, scoring, output, pool, bar)
    return counts + count_phrase_pairs(statistics, written)


def count_phrase_pairs(parts: Sequence[PartStatistics], written: int) -> Counter[str]:
    """Sum up the counts of phrase pairs in all parts."""
    occurrences, distinct = sum(part.occurrences for part in parts), sum(part.pairs for part in parts)
    return Counter({PHRASE_PAIRS: occurrences, DISTINCT: distinct, WRITTEN: written})


class Pool(Protocol):
    """Workers that apply functions to items, on a single machine or on a cluster."""

    def map_in_order(self, function: Callable[[_Item], _Outcome], items: Iterable[_Item]) -> Iterator[_Outcome]:
        """Yield the results in the order of the items."""


def encode_text(
    text: ParallelText, rules: ExtractionRules, folder: Path, pool: Pool, progress: Progress
) -> tuple[list[Path], Layout, Counter[str]]:
    """Write the sentence pairs as numbers, and the lexicon, to files in a folder.

    Returns:
        Files of sentence pairs, the layout of the rows of their phrase pairs, and the counts of sentence pairs.
    """
    file_size = text.source.stat().st_size if is_file(text.source) else 0
    lexicon = LexiconBuilder(folder)
    chunks, counts = list[Path](), Counter[str]()
    encode = partial(encode_chunk, text=text, folder=folder, keep_case=rules.keep_case)
    encoded = pool.map_in_order(encode, read_chunks(text))
    for chunk in progress.track(encoded, "reading", file_size, unit="B", count=lambda chunk: chunk.consumed):
        lexicon.add(chunk)
        chunks.append(chunk.path)
        counts += chunk.counts
    word_count = lexicon.write()
    return chunks, Layout(rules.max_words, max(1, word_count.bit_length())), counts


def no_phrase_pair(text: ParallelText, counts: Counter[str]) -> EmptyResultError:
    """Describe that no phrase pair could be extracted, and why sentence pairs were left out."""
    left_out = [f"{counts[reason]:,} left out {reason}" for reason in sorted(REASONS) if counts[reason]]
    pairs = ", ".join([count_of(counts[SENTENCE_PAIRS], "sentence pair"), *left_out])
    reason = f"{text.source}: no phrase pair could be extracted ({pairs})"
    return EmptyResultError(f"{reason}. Check that the sentences and the alignments belong together")


def _count_parts(
    runs: Sequence[tuple[Path, NDArray[np.uint32], int]], layout: Layout, pool: Workers, progress: Progress
) -> tuple[list[Path], list[PartStatistics]]:
    """Count the phrase pairs in runs in parts of the target phrases, and remove the files of the runs.

    Returns:
        The file and the statistics of each part.
    """
    run_paths, starts, occurrences = zip(*runs, strict=True)
    progress.start("counting", sum(occurrences))
    buckets = sorting.divide_runs(starts, phrase_pairs.limit_rows(layout.occurrence_width))
    paths, statistics = [], []
    count = partial(phrase_pairs.count_part, runs=run_paths, layout=layout)
    for path, statistics_of_part in pool.map_in_order(count, buckets):
        paths.append(path)
        statistics.append(statistics_of_part)
        progress.advance(statistics_of_part.occurrences)
    for path in run_paths:
        path.unlink()
    return paths, statistics


def plan_scoring(
    parts: Sequence[PartStatistics], folder: Path, layout: Layout, rules: ExtractionRules, output: Path
) -> Scoring:
    """Prepare the scoring of phrase pairs from the statistics of all parts."""
    sizes = tuple(np.sum([part.count_sizes for part in parts], axis=0).tolist())
    distinct = sum(part.pairs for part in parts)
    return Scoring(folder, layout, rules, distinct, sizes, is_compressed(output))


def _write_table(
    parts: list[Path],
    statistics: list[PartStatistics],
    scoring: Scoring,
    output: Path,
    pool: Workers,
    progress: Progress,
) -> int:
    """Write the phrase pairs that are frequent enough to the output, and return their number."""
    layout, borders = scoring.layout, phrase_pairs.find_source_borders(statistics, scoring.layout)
    sources = (map_rows(path, layout.pair_width)[:, layout.source.start] for path in parts)
    ranges = sorting.divide_files([sorting.divide_keys(values, borders) for values in sources])
    progress.start("writing", scoring.distinct)
    written = 0
    with replacing(output) as file:
        for path, pairs, lines in pool.map_in_order(partial(_render_range, scoring=scoring, parts=parts), ranges):
            sorting.append_file(path, file)
            written += lines
            progress.advance(pairs)
        check_written(written, scoring.rules)
    return written


def check_written(written: int, rules: ExtractionRules) -> None:
    """Check that phrase pairs were written.

    Raises:
        EmptyResultError: If there are none.
    """
    if not written:
        raise EmptyResultError(f"no phrase pair occurs at least {rules.min_count:,} times. Lower --min-count")


def _render_range(
    sources: tuple[int, list[tuple[int, int]]], scoring: Scoring, parts: Sequence[Path]
) -> tuple[Path, int, int]:
    """Score and render the phrase pairs of a range of source phrases, from `divide_files`.

    Returns:
        A file of lines, the number of phrase pairs in the range, and the number of lines.

    Raises:
        OptionError: If the text is too small for the discount.
        OutputError: If the file cannot be written.
    """
    number, slices = sources
    rows = sorting.read_range(parts, slices, scoring.layout.pair_width)
    rows = phrase_pairs.sort_pairs(rows, scoring.layout)
    path = scoring.folder / f"lines-{number}"
    return path, len(rows), write_lines(rows, path, scoring)
