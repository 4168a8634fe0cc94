"""Extraction of a phrase table from word-aligned parallel text, in several processes and bounded memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from harness.paraphrases.extraction.alignments import (
    MAX_SENTENCE_WORDS,
    Chunk,
    ParallelText,
    SentencePair,
    parse_points,
    parse_sentence,
    read_chunks,
)
from harness.paraphrases.extraction.consistent_phrases import extract_spans
from harness.paraphrases.extraction.grouping import LineSorter, Tally, group_sums, sum_runs, temporary_folder
from harness.paraphrases.extraction.phrase_tables import BAR, render_phrase_pair, writing_lines
from harness.support.progress import Progress
from harness.support.workers import map_in_order
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.inputs import is_file

BLANK, LONG, BARRED, UNALIGNED = (
    "with a blank side",
    f"with more than {MAX_SENTENCE_WORDS} words on a side",
    f"with {BAR.decode()} in a word",
    "without alignment",
)
"""Reasons why sentence pairs are left out."""


@dataclass(frozen=True)
class ExtractionRules:
    """The rules of extraction.

    Attributes:
        max_words: Largest number of words of a phrase, on either side.
        min_count: Smallest number of occurrences of a phrase pair. Rarer pairs count in the probabilities, too.
        keep_case: Whether words keep their case; otherwise they are in lower case.
    """

    max_words: int = 7
    min_count: int = 1
    keep_case: bool = False


class Extracted(NamedTuple):
    """Counts of what was read and written.

    Attributes:
        sentence_pairs: Number of sentence pairs.
        left_out: Number of left-out sentence pairs, by reason.
        phrase_pairs: Number of extracted phrase pairs.
        distinct: Number of distinct phrase pairs.
        written: Number of distinct phrase pairs that occur often enough.
    """

    sentence_pairs: int
    left_out: dict[str, int]
    phrase_pairs: int
    distinct: int
    written: int


class Counted(NamedTuple):
    """Counts of a text: runs of phrase pairs, numbers of phrase pairs and sentence pairs, left-out ones by reason."""

    runs: list[Path]
    phrase_pairs: int
    sentence_pairs: int
    left_out: Counter[str]


def build_phrase_table(
    text: ParallelText,
    output: Path,
    rules: ExtractionRules,
    *,
    workers: int = 1,
    temporary: Path | None = None,
    progress: Progress | None = None,
) -> Extracted:
    """Extract the phrase pairs of a parallel text and write them with their relative frequencies, sorted.

    Args:
        text: Files of the parallel text.
        output: File to write.
        rules: The rules of extraction.
        workers: Number of processes; the table does not depend on it.
        temporary: Folder for temporary files; that of the output if None.
        progress: Shows the progress.

    Raises:
        InputError: If the text cannot be used.
        EmptyResultError: If no phrase pair is left.
        OutputError: If a file cannot be written.
    """
    progress = progress or Progress(visible=False)
    with temporary_folder(output, temporary) as folder:
        try:
            counted = count_text(text, rules, folder, workers, progress)
            sorter, distinct = sort_by_source(counted.runs, folder, progress, counted.phrase_pairs)
            written = _write_table(sorter, distinct, output, rules.min_count, progress)
        finally:
            progress.stop()
    left_out = {reason: counted.left_out[reason] for reason in (BLANK, LONG, BARRED, UNALIGNED)}
    return Extracted(counted.sentence_pairs, left_out, counted.phrase_pairs, distinct, written)


def count_text(text: ParallelText, rules: ExtractionRules, folder: Path, workers: int, progress: Progress) -> Counted:
    """Count the phrase pairs of a parallel text in runs; `folder` is that of the runs, see `build_phrase_table`."""
    file_size = text.source.stat().st_size if is_file(text.source) else 0
    progress.start("extracting", file_size, unit="B")
    total = Counted([], 0, 0, Counter())
    count = partial(_count_chunk, text=text, rules=rules, folder=folder)
    for counted, consumed in map_in_order(count, read_chunks(text), workers):
        total = Counted(
            [*total.runs, *counted.runs],
            total.phrase_pairs + counted.phrase_pairs,
            total.sentence_pairs + counted.sentence_pairs,
            total.left_out + counted.left_out,
        )
        progress.advance(consumed)
    if not total.phrase_pairs:
        raise EmptyResultError(
            f"{text.source}: gives no phrase pair; check that sentences and alignments belong together"
        )
    return total


def _count_chunk(chunk: Chunk, text: ParallelText, rules: ExtractionRules, folder: Path) -> tuple[Counted, int]:
    """Count the phrase pairs of a chunk, and return the counts with the consumed bytes of the chunk."""
    tally, left_out, phrase_pairs = Tally(folder), Counter[str](), 0
    for number, lines in enumerate(chunk.lines, chunk.first):
        pair = _parse_pair(lines, text, number, keep_case=rules.keep_case)
        if isinstance(pair, str):
            left_out[pair] += 1
            continue
        phrase_pairs += _count_pair(pair, rules.max_words, tally)
    tally.spill()
    return Counted(tally.runs, phrase_pairs, len(chunk.lines), left_out), chunk.consumed


def _parse_pair(
    lines: tuple[bytes, bytes, bytes], text: ParallelText, number: int, *, keep_case: bool
) -> SentencePair | str:
    """Parse a sentence pair, or return the reason why it is left out."""
    source = parse_sentence(lines[0], str(text.source), number, keep_case=keep_case)
    target = parse_sentence(lines[1], str(text.target), number, keep_case=keep_case)
    if max(len(source), len(target)) > MAX_SENTENCE_WORDS:
        return LONG
    points = parse_points(lines[2], str(text.alignments), number, (len(source), len(target)))
    if not source or not target:
        return BLANK
    if BAR in lines[0] or BAR in lines[1]:
        return BARRED
    if not points:
        return UNALIGNED
    return SentencePair(source, target, points)


def _count_pair(pair: SentencePair, max_words: int, tally: Tally) -> int:
    """Count the phrase pairs of a sentence pair, keyed by target and source, and return their number."""
    source, target = b" ".join(pair.source), b" ".join(pair.target)
    source_starts, target_starts = _find_starts(pair.source), _find_starts(pair.target)
    phrase_pairs = 0
    for spans in extract_spans(pair.points, len(pair.source), len(pair.target), max_words):
        source_start, source_end, target_start, target_end = spans
        target_phrase = target[target_starts[target_start] : target_starts[target_end] - 1]
        source_phrase = source[source_starts[source_start] : source_starts[source_end] - 1]
        tally.add(b"%b\t%b" % (target_phrase, source_phrase))
        phrase_pairs += 1
    return phrase_pairs


def _find_starts(words: list[bytes]) -> list[int]:
    """Find the start of each word in the words joined by blanks, and the start of a further word."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    return starts


def sort_by_source(runs: list[Path], folder: Path, progress: Progress, total: int) -> tuple[LineSorter, int]:
    """Sort phrase pairs by source, each with its count and that of its target.

    Args:
        runs: Runs of counts that `count_text` wrote.
        folder: Folder for more runs.
        progress: Shows the progress.
        total: Sum of the counts.

    Returns:
        The sorted phrase pairs, and their number.
    """
    progress.start("counting", total)
    sorter, distinct = LineSorter(folder), 0
    for target, pairs in group_sums(sum_runs(folder, runs)):
        target_count = sum(count for _, count in pairs)
        for source, count in pairs:
            sorter.add(b"%b\t%b\t%d\t%d\n" % (source, target, count, target_count))
        distinct += len(pairs)
        progress.advance(target_count)
    return sorter, distinct


def _write_table(sorter: LineSorter, distinct: int, output: Path, min_count: int, progress: Progress) -> int:
    """Write the phrase pairs that are frequent enough, and return their number."""
    progress.start("writing", distinct)
    written = 0
    lines = (line.split(b"\t") for line in sorter.sorted_lines())
    with writing_lines(output) as file:
        for source, group in groupby(lines, itemgetter(0)):
            pairs = [(target, int(joint), int(count)) for _, target, joint, count in group]
            source_count = sum(joint for _, joint, _ in pairs)
            kept = [(target, joint, count) for target, joint, count in pairs if joint >= min_count]
            file.writelines(
                render_phrase_pair(source, target, joint, source_count, count) for target, joint, count in kept
            )
            written += len(kept)
            progress.advance(len(pairs))
        if not written:
            raise EmptyResultError(f"no phrase pair occurs {min_count:,} times; give a lower --min-count")
    return written
