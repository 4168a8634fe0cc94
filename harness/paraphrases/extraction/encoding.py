"""Encoding of parallel text: words are replaced by numbers, links are counted, and the lexicon is written.

The text is encoded chunk by chunk, with numbers in the order of the first occurrence of words. When all words are
known, they are numbered in the order of their bytes. The lexical translation probability w(t|s) is the number of links
between s and t, divided by the number of links of s. An unaligned word has one link to NULL (Koehn, Och and Marcu,
2003; step 4 of Moses' train-model.perl).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_arrays, map_array, save_arrays
from harness.paraphrases.alignment.parallel_text import (
    MAX_SENTENCE_WORDS,
    Chunk,
    ParallelText,
    SentencePair,
    parse_points,
    parse_sentence,
)
from harness.paraphrases.tables.formats import BAR
from pyramid_paraphrase.words import split_at_blanks

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


DECIMALS = 7
"""Number of decimals of the probabilities, as in the files of Moses."""

_COMPACT_AT = 1 << 20
"""Number of collected pairs of words at which equal pairs are summed."""
_SHIFT = np.uint64(32)

Floats = NDArray[np.float64]


class Vocabulary:
    """The words of one language, collected chunk by chunk, and finally numbered from 1 in the order of their bytes."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._unaligned = np.zeros(0, np.int64)

    def add(self, words: bytes, unaligned: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Add the words of a chunk, and return their numbers in the order of first occurrence in the text."""
        numbers = self._numbers
        firsts = np.array([numbers.setdefault(word, len(numbers)) for word in split_at_blanks(words)], np.uint32)
        if len(self._unaligned) < len(numbers):
            # Capacity doubles, so that the total cost of copies is linear.
            enlarged = np.zeros(2 * len(numbers), np.int64)
            enlarged[: len(self._unaligned)] = self._unaligned
            self._unaligned = enlarged
        self._unaligned[firsts] += unaligned
        return firsts

    def finish(self, folder: Path, name: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Sort the words, and write them to files.

        Returns:
            The final number of each word, from 1, in the order of first occurrence. And the number of unaligned
            occurrences by final number.
        """
        words = sorted(self._numbers)
        ranks = np.zeros(len(words), np.uint32)
        ranks[[self._numbers[word] for word in words]] = np.arange(1, len(words) + 1, dtype=np.uint32)
        unaligned = np.zeros(len(words) + 1, np.int64)
        unaligned[ranks] = self._unaligned[: len(words)]
        ends = np.cumsum([0, *map(len, words)])
        save_arrays(folder / f"{name}-ends", [ends])
        save_arrays(folder / f"{name}-text", [np.frombuffer(b"".join(words), np.uint8)])
        self._numbers = {}
        return ranks, unaligned


class LexiconBuilder:
    """Collector of the words and links of all chunks.

    Args:
        folder: Folder for the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._source, self._target = Vocabulary(), Vocabulary()
        self._pairs = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int64)
        self._waiting: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def add(self, chunk: EncodedChunk) -> None:
        """Add a chunk, and write the numbers of its words to a file in the folder of the chunk."""
        counts = chunk.counts
        source = self._source.add(chunk.source_words, counts.unaligned_sources)
        target = self._target.add(chunk.target_words, counts.unaligned_targets)
        save_arrays(_words_path(chunk.path), [source, target])
        pairs = (source[counts.sources].astype(np.uint64) << _SHIFT) | target[counts.targets]
        self._waiting.append((pairs, counts.counts))
        if sum(len(pairs) for pairs, _ in self._waiting) > max(_COMPACT_AT, len(self._pairs)):
            self._compact()

    def _compact(self) -> None:
        """Sum the counts of each pair of words."""
        arrays = [(self._pairs, self._counts), *self._waiting]
        pairs, counts = (np.concatenate(parts) for parts in zip(*arrays, strict=True))
        self._pairs, positions = np.unique(pairs, return_inverse=True)
        self._counts = np.bincount(positions.ravel(), counts, len(self._pairs)).astype(np.int64)
        self._waiting = []

    def write(self) -> int:
        """Write the words and their translation probabilities.

        Returns:
            The larger number of words of the two sides.
        """
        self._compact()
        source_ranks, unaligned_sources = self._source.finish(self._folder, "source")
        target_ranks, unaligned_targets = self._target.finish(self._folder, "target")
        save_arrays(self._folder / "ranks", [source_ranks, target_ranks])
        sources = source_ranks[self._pairs >> _SHIFT]
        targets = target_ranks[self._pairs & np.uint64(0xFFFFFFFF)]
        keys = (sources.astype(np.uint64) << _SHIFT) | targets
        order = np.argsort(keys)
        for name, words, unaligned in (("source", sources, unaligned_sources), ("target", targets, unaligned_targets)):
            totals = unaligned + np.bincount(words, self._counts, len(unaligned)).astype(np.int64)
            save_arrays(self._folder / f"given-{name}", [_divide(self._counts[order], totals[words[order]])])
            save_arrays(self._folder / f"{name}-given-null", [_divide(unaligned, np.maximum(unaligned.sum(), 1))])
        save_arrays(self._folder / "pairs", [keys[order]])
        return max(len(source_ranks), len(target_ranks))


def _divide(counts: NDArray[np.int64], totals: NDArray[np.int64] | np.int64) -> Floats:
    """Divide, and round the quotients to `DECIMALS` decimals exactly as string formatting does."""
    quotients = counts / totals
    rounded = np.round(quotients, DECIMALS)
    # np.round scales its argument, which can turn a quotient near the middle of two results into a tie.
    distances = np.abs(quotients - rounded) * 10**DECIMALS
    for position in np.flatnonzero(np.abs(distances - 0.5) < 1e-6).tolist():
        rounded[position] = float(f"{quotients[position]:.{DECIMALS}f}")
    return rounded


def _words_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-words")


class Sentences(NamedTuple):
    """The sentence pairs of a chunk, with words as the numbers of the sorted vocabulary.

    Attributes:
        source: Sentences of the source.
        target: Their translations.
        links: Links between the words.
    """

    source: Side
    target: Side
    links: Links


def load_sentences(path: Path) -> Sentences:
    """Load the sentence pairs of a chunk. The lexicon must be written before."""
    arrays = load_arrays(path, 6)
    source_numbers, target_numbers = load_arrays(_words_path(path), 2)
    source_ranks, target_ranks = load_arrays(path.with_name("ranks"), 2)
    source = Side(source_ranks[source_numbers][arrays[0]], arrays[1])
    target = Side(target_ranks[target_numbers][arrays[2]], arrays[3])
    return Sentences(source, target, Links(arrays[4], arrays[5]))


def weigh_words(sentences: Sentences, folder: Path) -> tuple[Floats, Floats]:
    """Compute the factor of each word in the lexical weights of the phrases that contain it.

    The factor is the mean of the translation probabilities of the word given each word that it is linked to, or given
    NULL if it is unaligned. A phrase pair contains all links of its words, so a word has the same factor in all
    phrases.

    Returns:
        The factors of the source words (given the target words), and the factors of the target words.
    """
    source, target, links = sentences
    keys = (source.words[links.source].astype(np.uint64) << _SHIFT) | target.words[links.target]
    positions = np.searchsorted(map_array(folder / "pairs"), keys)
    factors = []
    for name, opposite, side, linked in (
        ("source", "target", source, links.source),
        ("target", "source", target, links.target),
    ):
        probabilities = map_array(folder / f"given-{opposite}")[positions]
        numbers = np.bincount(linked, minlength=len(side.words))
        sums = np.bincount(linked, probabilities, len(side.words))
        given_null = map_array(folder / f"{name}-given-null")[side.words]
        factors.append(np.where(numbers > 0, sums / np.maximum(numbers, 1), given_null))
    return factors[0], factors[1]


def read_words(folder: Path, name: str, numbers: NDArray[np.int64]) -> list[bytes]:
    """Read the words of a side by their numbers, from 1."""
    ends, text = load_arrays(folder / f"{name}-ends", 1)[0], map_array(folder / f"{name}-text")
    buffer = text.data  # slices of arrays take several times as long
    starts, stops = ends[numbers - 1].tolist(), ends[numbers].tolist()
    return [buffer[start:stop].tobytes() for start, stop in zip(starts, stops, strict=True)]
