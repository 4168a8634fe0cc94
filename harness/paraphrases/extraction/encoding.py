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
from harness.paraphrases.parallel_text import (
    BLANK,
    LONG,
    MAX_SENTENCE_WORDS,
    ParallelText,
    parse_points,
    parse_sentence,
)
from harness.paraphrases.tables.formats import BAR
from pyramid_paraphrase.words import split_at_blanks

BARRED, UNALIGNED = f"with {BAR.decode()} in a word", "without alignment"
"""Reasons why sentence pairs are left out, in addition to those of aligners."""

DECIMALS = 7
"""Number of decimals of the probabilities, as in the files of Moses."""

_SIDES = ("source", "target")
_SHIFT = np.uint64(32)
_COMPACT_AT = 1 << 20
"""Number of collected pairs of words at which equal pairs are summed."""

Words = NDArray[np.uint32]
Positions = NDArray[np.int64]
Floats = NDArray[np.float64]


class Side(NamedTuple):
    """One language of the sentence pairs of a chunk.

    Attributes:
        words: Number of each word, sentence after sentence.
        starts: Position of the first word of each sentence, and finally the number of words.
    """

    words: Words
    starts: Positions


Links = NDArray[np.int64]
"""The links of a chunk, each once, sorted by target and source. Shape (2, links): positions of the source word and of
the target word among the words of the chunk."""


class EncodedChunk(NamedTuple):
    """A chunk whose sentence pairs were written to a file, with words as numbers.

    Attributes:
        path: The file, for `load_sentences`.
        sides: Of the source and of the target: the distinct words, separated by spaces, in the order of their numbers,
            and the number of unaligned occurrences of each word.
        pairs: Distinct pairs of linked words, with the source word in the upper half of the number.
        counts: Number of links of each pair.
        sentence_pairs: Number of sentence pairs.
        left_out: Number of left-out sentence pairs, by reason.
        consumed: Number of bytes of the chunk in the source file on disk.
    """

    path: Path
    sides: list[tuple[bytes, Positions]]
    pairs: NDArray[np.uint64]
    counts: Positions
    sentence_pairs: int
    left_out: Counter[str]
    consumed: int


def encode_chunk(
    chunk: tuple[int, list[tuple[bytes, bytes, bytes]], int], text: ParallelText, folder: Path, *, keep_case: bool
) -> EncodedChunk:
    """Encode the sentence pairs of a chunk of `read_chunks`, and write them to a file.

    A sentence pair without alignment has no phrase pairs, but its words count as unaligned words.

    Raises:
        InputError: If a line is malformed.
    """
    first_line, lines_of_pairs, consumed = chunk
    texts: tuple[list[bytes], list[bytes]] = ([], [])
    starts = [0], [0]
    codes, left_out = list[int](), Counter[str]()
    for number, lines in enumerate(lines_of_pairs, first_line):
        pair = _parse_pair(lines, text, number, keep_case=keep_case)
        if isinstance(pair, str):
            left_out[pair] += 1
            continue
        *sentences, points = pair
        if not points:
            left_out[UNALIGNED] += 1
        # A link is a number with the target position in the upper half, so that links are sorted by target and source.
        first = (starts[1][-1] << 32) + starts[0][-1]
        codes += [first + (target_word << 32) + source_word for source_word, target_word in points]
        for sentence, words, starts_of_side in zip(sentences, texts, starts, strict=True):
            words += sentence
            starts_of_side.append(len(words))
    distinct_codes = np.unique(np.array(codes, np.int64))
    links = np.stack([distinct_codes & 0xFFFFFFFF, distinct_codes >> 32])
    numbers, sides = [], []
    for words, linked in zip(texts, links, strict=True):
        numbers_of_words = {word: number for number, word in enumerate(dict.fromkeys(words))}
        numbers.append(np.fromiter(map(numbers_of_words.__getitem__, words), np.uint32, len(words)))
        is_unaligned = np.ones(len(words), bool)
        is_unaligned[linked] = False
        unaligned = np.bincount(numbers[-1][is_unaligned], minlength=len(numbers_of_words))
        sides.append((b" ".join(numbers_of_words), unaligned))
    path = folder / f"chunk-{first_line}"
    save_arrays(path, [*numbers, *map(np.array, starts), links])
    pairs, counts = np.unique(_join_linked(numbers, links), return_counts=True)
    return EncodedChunk(path, sides, pairs, counts, len(lines_of_pairs), left_out, consumed)


def _parse_pair(
    lines: tuple[bytes, bytes, bytes], text: ParallelText, number: int, *, keep_case: bool
) -> tuple[list[bytes], list[bytes], list[tuple[int, int]]] | str:
    """Parse the words of both sentences and the links of a pair, or return the reason why the pair is left out."""
    source = parse_sentence(lines[0], str(text.source), number, keep_case=keep_case)
    target = parse_sentence(lines[1], str(text.target), number, keep_case=keep_case)
    if max(len(source), len(target)) > MAX_SENTENCE_WORDS:
        return LONG
    points = parse_points(lines[2], str(text.alignments), number, (len(source), len(target)))
    if not source or not target:
        return BLANK
    if BAR in lines[0] or BAR in lines[1]:
        return BARRED
    return source, target, points


def _join_linked(words: Sequence[Words], linked: NDArray[np.integer]) -> NDArray[np.uint64]:
    """Join pairs of linked words to numbers, with the source word in the upper half.

    Args:
        words: Numbers of the words of the source, and numbers of the words of the target.
        linked: Shape (2, pairs): positions in `words`.
    """
    (sources, targets), (linked_sources, linked_targets) = words, linked
    return (sources[linked_sources].astype(np.uint64) << _SHIFT) | targets[linked_targets]


def _split_pairs(pairs: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Split the numbers of pairs into source and target words, shape (2, pairs)."""
    return np.stack([(pairs >> _SHIFT).astype(np.uint32), pairs.astype(np.uint32)])


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
        self._vocabularies = [Vocabulary() for _ in _SIDES]
        self._pairs = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int64)
        self._waiting: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def add(self, chunk: EncodedChunk) -> None:
        """Add a chunk, and write the numbers of its words to a file in the folder of the chunk."""
        numbers = []
        for vocabulary, (words, unaligned) in zip(self._vocabularies, chunk.sides, strict=True):
            numbers.append(vocabulary.add(words, unaligned))
        save_arrays(_words_path(chunk.path), numbers)
        self._waiting.append((_join_linked(numbers, _split_pairs(chunk.pairs)), chunk.counts))
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
        vocabularies = zip(self._vocabularies, _SIDES, strict=True)
        finished = [vocabulary.finish(self._folder, name) for vocabulary, name in vocabularies]
        ranks = [ranks for ranks, _ in finished]
        save_arrays(self._folder / "ranks", ranks)
        keys = _join_linked(ranks, _split_pairs(self._pairs))
        order = np.argsort(keys)
        save_arrays(self._folder / "pairs", [keys[order]])
        for (_, unaligned), words, name in zip(finished, _split_pairs(keys), _SIDES, strict=True):
            totals = unaligned + np.bincount(words, self._counts, len(unaligned)).astype(np.int64)
            save_arrays(self._folder / f"given-{name}", [_divide(self._counts[order], totals[words[order]])])
            save_arrays(self._folder / f"{name}-given-null", [_divide(unaligned, np.maximum(unaligned.sum(), 1))])
        return max(map(len, ranks))


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


def load_sentences(path: Path) -> tuple[Side, Side, Links]:
    """Load the sentence pairs of a chunk. The lexicon must be written before.

    Returns:
        The sentences of the source and of the target, with words as numbers of the sorted vocabulary, and the links.
    """
    *arrays, links = load_arrays(path, 5)
    all_ranks, all_numbers = load_arrays(path.with_name("ranks"), 2), load_arrays(_words_path(path), 2)
    numbers, starts = arrays[:2], arrays[2:]
    source, target = (
        Side(ranks[numbers_of_words][words], starts_of_side)
        for ranks, numbers_of_words, words, starts_of_side in zip(all_ranks, all_numbers, numbers, starts, strict=True)
    )
    return source, target, links


def weigh_words(source: Side, target: Side, links: Links, folder: Path) -> tuple[Floats, Floats]:
    """Compute the factor of each word in the lexical weights of the phrases that contain it.

    The factor is the mean of the translation probabilities of the word given each word that it is linked to, or given
    NULL if it is unaligned. A phrase pair contains all links of its words, so a word has the same factor in all
    phrases.

    Returns:
        The factors of the source words (given the target words), and the factors of the target words.
    """
    sides = source.words, target.words
    positions = np.searchsorted(map_array(folder / "pairs"), _join_linked(sides, links))
    factors = []
    for name, opposite, words, linked in zip(_SIDES, reversed(_SIDES), sides, links, strict=True):
        probabilities = map_array(folder / f"given-{opposite}")[positions]
        numbers = np.bincount(linked, minlength=len(words))
        sums = np.bincount(linked, probabilities, len(words))
        given_null = map_array(folder / f"{name}-given-null")[words]
        factors.append(np.where(numbers > 0, sums / np.maximum(numbers, 1), given_null))
    source_factors, target_factors = factors
    return source_factors, target_factors


def read_words(folder: Path, name: str, numbers: NDArray[np.int64]) -> list[bytes]:
    """Read the words of a side by their numbers, from 1."""
    ends, text = load_arrays(folder / f"{name}-ends", 1)[0], map_array(folder / f"{name}-text")
    buffer = text.data  # slices of arrays take several times as long
    starts, stops = ends[numbers - 1].tolist(), ends[numbers].tolist()
    return [buffer[start:stop].tobytes() for start, stop in zip(starts, stops, strict=True)]
