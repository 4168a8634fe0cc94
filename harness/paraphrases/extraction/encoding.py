"""Encoding of parallel text: words are replaced by numbers, links are counted, and the lexicon is written.

The text is encoded chunk by chunk, with numbers from 1 in the order of the first occurrence of words. When all words
are known, they are numbered in the order of their bytes. The lexical translation probability w(t|s) is the number of
links between s and t, divided by the number of links of s. An unaligned word has one link to NULL (Koehn, Och and
Marcu, 2003; step 4 of Moses' train-model.perl).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.files.arrays import load_arrays, map_array, name_part, save_arrays, save_texts
from harness.paraphrases.parallel_text import (
    BLANK,
    LONG,
    MAX_SENTENCE_WORDS,
    SENTENCE_PAIRS,
    ParallelText,
    parse_points,
    parse_sentence,
)
from harness.paraphrases.sorting import join_halves, split_halves
from harness.paraphrases.tables.formats import BAR
from harness.support.arrays import Floats
from pyramid_paraphrase.words import split_at_blanks

BARRED, UNALIGNED = f"with {BAR.decode()} in a word", "without alignment"
"""Reasons why sentence pairs are left out, in addition to those of aligners."""

DECIMALS = 7
"""Number of decimals of the probabilities, as in the files of Moses."""

_SIDES = ("source", "target")
_COMPACT_AT = 1 << 20
"""Number of collected pairs of words at which equal pairs are summed."""

Words = NDArray[np.uint32]
Positions = NDArray[np.int64]


Links = NDArray[np.int64]
"""The links of a chunk, each once, sorted by target and source. Shape (2, links): positions of the source word and of
the target word among the words of the chunk."""


class EncodedChunk(NamedTuple):
    """A chunk whose sentence pairs were written to a file, with words as numbers.

    Attributes:
        path: The file, for `load_sentences`.
        words: Of the source and of the target: the distinct words, separated by spaces, in the order of their numbers.
        pairs: Distinct pairs of linked words, from `_pair_linked`.
        link_counts: Number of links of each pair.
        counts: Number of sentence pairs, and of left-out sentence pairs by reason.
        consumed: Number of bytes of the chunk in the source file on disk.
    """

    path: Path
    words: list[bytes]
    pairs: NDArray[np.uint64]
    link_counts: Positions
    counts: Counter[str]
    consumed: int


def encode_chunk(
    chunk: tuple[int, list[tuple[bytes, ...]], int], text: ParallelText, folder: Path, *, keep_case: bool
) -> EncodedChunk:
    """Encode the sentence pairs of a chunk of `read_chunks`, and write them to a file.

    A sentence pair without alignment has no phrase pairs, but its words count as unaligned words.

    Raises:
        InputError: If a line is malformed.
    """
    first_line, lines_of_pairs, consumed = chunk
    texts: tuple[list[bytes], list[bytes]] = ([], [])
    starts = [0], [0]
    codes, counts = list[int](), Counter({SENTENCE_PAIRS: len(lines_of_pairs)})
    for number, lines in enumerate(lines_of_pairs, first_line):
        pair = _parse_pair(lines, text, number, keep_case=keep_case)
        if isinstance(pair, str):
            counts[pair] += 1
            continue
        *sentences, points = pair
        if not points:
            counts[UNALIGNED] += 1
        # A link is a number with the target position in the upper half, so that links are sorted by target and source.
        first = (starts[1][-1] << 32) + starts[0][-1]
        codes += [first + (target_word << 32) + source_word for source_word, target_word in points]
        for sentence, words, starts_of_side in zip(sentences, texts, starts, strict=True):
            words += sentence
            starts_of_side.append(len(words))
    distinct_codes = np.unique(np.array(codes, np.int64))
    links = np.stack([distinct_codes & 0xFFFFFFFF, distinct_codes >> 32])
    numbers, distinct_words = [], []
    for words in texts:
        ids = {word: number for number, word in enumerate(dict.fromkeys(words), 1)}
        numbers.append(np.fromiter(map(ids.__getitem__, words), np.uint32, len(words)))
        distinct_words.append(b" ".join(ids))
    path = folder / f"chunk-{first_line}"
    save_arrays(path, [*numbers, *map(np.array, starts), links])
    _, linked_pairs = _pair_linked(numbers, links)
    return EncodedChunk(path, distinct_words, *np.unique(linked_pairs, return_counts=True), counts, consumed)


def _parse_pair(
    lines: Sequence[bytes], text: ParallelText, number: int, *, keep_case: bool
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


def _pair_linked(words: Sequence[Words], links: Links) -> tuple[Links, NDArray[np.uint64]]:
    """Pair linked words, and each unaligned word with NULL, which is word 0 after the last word of each side.

    Returns:
        The links, and then the links to NULL. And the pair of words of each link, as `join_halves` returns it.
    """
    source, target = words
    unaligned_sources, unaligned_targets = (
        np.flatnonzero(np.bincount(linked, minlength=len(side)) == 0) for side, linked in zip(words, links, strict=True)
    )
    to_null = [unaligned_sources, np.full(len(unaligned_sources), len(target))]
    from_null = [np.full(len(unaligned_targets), len(source)), unaligned_targets]
    linked_sources, linked_targets = links = np.concatenate([links, to_null, from_null], axis=1)
    null = np.zeros(1, np.uint32)
    pairs = join_halves(np.append(source, null)[linked_sources], np.append(target, null)[linked_targets])
    return links, pairs


class LexiconBuilder:
    """Collector of the words and links of all chunks.

    Args:
        folder: Folder for the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self._pairs = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int64)
        self._waiting: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def add(self, chunk: EncodedChunk) -> None:
        """Add a chunk, and write the numbers of its words to a file in the folder of the chunk."""
        numbers = []
        for words, ids in zip(chunk.words, self._ids, strict=True):
            numbers_of_words = [ids.setdefault(word, len(ids) + 1) for word in split_at_blanks(words)]
            numbers.append(np.array([0, *numbers_of_words], np.uint32))
        save_arrays(name_part(chunk.path, "words"), numbers)
        (source_numbers, target_numbers), (sources, targets) = numbers, split_halves(chunk.pairs)
        self._waiting.append((join_halves(source_numbers[sources], target_numbers[targets]), chunk.link_counts))
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
        ranks = [self._write_words(name, ids) for name, ids in zip(_SIDES, self._ids, strict=True)]
        save_arrays(self._folder / "ranks", ranks)
        (source_ranks, target_ranks), (sources, targets) = ranks, split_halves(self._pairs)
        keys = join_halves(source_ranks[sources], target_ranks[targets])
        order = np.argsort(keys)
        keys, counts = keys[order], self._counts[order]
        save_arrays(self._folder / "pairs", [keys])
        for name, words in zip(_SIDES, split_halves(keys), strict=True):
            save_arrays(self._folder / f"given-{name}", [_divide(counts, np.bincount(words, counts)[words])])
        return max(map(len, ranks)) - 1

    def _write_words(self, name: str, ids: dict[bytes, int]) -> Words:
        """Write the sorted words of a side to files, and return their numbers in the sorted order, by their ids."""
        words = sorted(ids)
        ranks = np.zeros(len(words) + 1, np.uint32)
        ranks[[ids[word] for word in words]] = np.arange(1, len(words) + 1, dtype=np.uint32)
        save_texts(self._folder / name, words)
        ids.clear()  # before the words of the other side are sorted, to save memory
        return ranks


def _divide(counts: Positions, totals: NDArray[Any]) -> Floats:
    """Divide, and round the quotients to `DECIMALS` decimals exactly as string formatting does."""
    quotients = counts / totals
    rounded = np.round(quotients, DECIMALS)
    # np.round scales its argument, which can turn a quotient near the middle of two results into a tie.
    distances = np.abs(quotients - rounded) * 10**DECIMALS
    for position in np.flatnonzero(np.abs(distances - 0.5) < 1e-6).tolist():
        rounded[position] = float(f"{quotients[position]:.{DECIMALS}f}")
    return rounded


def load_sentences(path: Path) -> tuple[list[Words], list[Positions], Links]:
    """Load the sentence pairs of a chunk. The lexicon must be written before.

    Returns:
        Of the source and of the target: the words of all sentences as numbers of the sorted vocabulary. Of both sides:
        the position of the first word of each sentence, and finally the number of words. And the links.
    """
    *arrays, links = load_arrays(path, 5)
    all_ranks, all_numbers = load_arrays(path.with_name("ranks"), 2), load_arrays(name_part(path, "words"), 2)
    words = [
        ranks[numbers][numbers_in_chunk]
        for ranks, numbers, numbers_in_chunk in zip(all_ranks, all_numbers, arrays[:2], strict=True)
    ]
    return words, arrays[2:], links


def weigh_words(sides: Sequence[Words], links: Links, folder: Path) -> list[Floats]:
    """Compute the factor of each word in the lexical weights of the phrases that contain it.

    The factor is the mean of the translation probabilities of the word given each word that it is linked to, or given
    NULL if it is unaligned. A phrase pair contains all links of its words, so a word has the same factor in all
    phrases.

    Returns:
        The factors of the source words (given the target words), and the factors of the target words.
    """
    links, pairs = _pair_linked(sides, links)
    positions = np.searchsorted(map_array(folder / "pairs"), pairs)
    factors = []
    for opposite, words, linked in zip(reversed(_SIDES), sides, links, strict=True):
        probabilities = map_array(folder / f"given-{opposite}")[positions]
        means = np.bincount(linked, probabilities) / np.maximum(np.bincount(linked), 1)
        factors.append(means[: len(words)])
    return factors
