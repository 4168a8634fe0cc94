"""Encoding of parallel text, chunk by chunk: words are replaced by numbers, and links between words are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import save_arrays
from harness.paraphrases.alignment.parallel_text import (
    MAX_SENTENCE_WORDS,
    Chunk,
    ParallelText,
    SentencePair,
    parse_points,
    parse_sentence,
)
from harness.paraphrases.phrase_tables import BAR

BLANK, LONG, BARRED, UNALIGNED = (
    "with an empty sentence",
    f"with a sentence of more than {MAX_SENTENCE_WORDS} words",
    f"with {BAR.decode()} in a word",
    "without alignment",
)
"""Reasons why sentence pairs are left out."""

Words = NDArray[np.uint32]
Positions = NDArray[np.int64]


class Side(NamedTuple):
    """One language of the sentence pairs of a chunk.

    Attributes:
        words: Number of each word, sentence after sentence.
        starts: Position of the first word of each sentence, and finally the number of words.
    """

    words: Words
    starts: Positions


class Links(NamedTuple):
    """The links of a chunk, each once, sorted by target and source.

    Attributes:
        source: Position of the source word among the source words of the chunk.
        target: Position of the target word among the target words of the chunk.
    """

    source: Positions
    target: Positions


class LinkCounts(NamedTuple):
    """Counts of links between words, by the numbers of the words.

    Attributes:
        sources: Source word of each linked pair.
        targets: Target word of each linked pair.
        counts: Number of links of each linked pair.
        unaligned_sources: Number of unaligned occurrences of each source word.
        unaligned_targets: Number of unaligned occurrences of each target word.
    """

    sources: Words
    targets: Words
    counts: Positions
    unaligned_sources: Positions
    unaligned_targets: Positions


class EncodedChunk(NamedTuple):
    """A chunk whose sentence pairs were written to a file, with words as numbers.

    Attributes:
        path: The file, for `load_sentences`.
        source_words: Distinct words of the source, separated by spaces, in the order of their numbers.
        target_words: Distinct words of the target, in the same format.
        counts: Counts of links.
        sentence_pairs: Number of sentence pairs.
        left_out: Number of left-out sentence pairs, by reason.
        consumed: Number of bytes of the chunk in the source file on disk.
    """

    path: Path
    source_words: bytes
    target_words: bytes
    counts: LinkCounts
    sentence_pairs: int
    left_out: Counter[str]
    consumed: int


class _Collector:
    """Collector of the sentences of one language. It numbers the words in the order of their first occurrence."""

    def __init__(self) -> None:
        self.distinct: dict[bytes, int] = {}
        self._words: list[bytes] = []
        self._starts = [0]

    def add(self, words: Sequence[bytes]) -> int:
        """Add a sentence, and return the position of its first word."""
        start = len(self._words)
        self._words += words
        self._starts.append(len(self._words))
        return start

    def finish(self) -> Side:
        """Number the words, and return the collected sentences."""
        self.distinct = {word: number for number, word in enumerate(dict.fromkeys(self._words))}
        numbers = np.fromiter(map(self.distinct.__getitem__, self._words), np.uint32, len(self._words))
        return Side(numbers, np.array(self._starts, np.int64))


def encode_chunk(chunk: Chunk, text: ParallelText, folder: Path, *, keep_case: bool) -> EncodedChunk:
    """Encode the sentence pairs of a chunk, and write them to a file.

    A sentence pair without alignment has no phrase pairs, but its words count as unaligned words.

    Raises:
        InputError: If a line is malformed.
    """
    source, target, left_out = _Collector(), _Collector(), Counter[str]()
    codes: list[int] = []
    for number, lines in enumerate(chunk.lines, chunk.first):
        pair = _parse_pair(lines, text, number, keep_case=keep_case)
        if isinstance(pair, str):
            left_out[pair] += 1
            continue
        if not pair.points:
            left_out[UNALIGNED] += 1
        source_start, target_start = source.add(pair.source), target.add(pair.target)
        # A link is a number with the target position in the upper half, so that links are sorted by target and source.
        first = (target_start << 32) + source_start
        codes += [first + (target_word << 32) + source_word for source_word, target_word in pair.points]
    sides = source.finish(), target.finish()
    distinct = np.unique(np.array(codes, np.int64))
    links = Links(distinct & 0xFFFFFFFF, distinct >> 32)
    path = folder / f"chunk-{chunk.first}"
    save_arrays(path, [*sides[0], *sides[1], *links])
    return EncodedChunk(
        path,
        b" ".join(source.distinct),
        b" ".join(target.distinct),
        _count_links(sides, links, (len(source.distinct), len(target.distinct))),
        len(chunk.lines),
        left_out,
        chunk.consumed,
    )


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
    return SentencePair(source, target, points)


def _count_links(sides: tuple[Side, Side], links: Links, sizes: tuple[int, int]) -> LinkCounts:
    """Count the links between words. `sizes` contains the numbers of distinct source and target words."""
    source, target = (side.words for side in sides)
    keys = (source[links.source].astype(np.uint64) << np.uint64(32)) | target[links.target]
    pairs, counts = np.unique(keys, return_counts=True)
    return LinkCounts(
        (pairs >> np.uint64(32)).astype(np.uint32),
        pairs.astype(np.uint32),
        counts.astype(np.int64),
        _count_unaligned(source, links.source, sizes[0]),
        _count_unaligned(target, links.target, sizes[1]),
    )


def _count_unaligned(words: Words, linked: Positions, size: int) -> Positions:
    """Count the unaligned occurrences of each of `size` distinct words."""
    unaligned = np.ones(len(words), bool)
    unaligned[linked] = False
    return np.bincount(words[unaligned], minlength=size)
