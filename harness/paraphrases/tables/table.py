"""Tables of paraphrases: the phrases in a sentence, and the phrases that are paraphrases of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.paraphrases.tables.arrays import TableArrays, digest_arrays
from harness.paraphrases.tables.building import TableBuilder
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, Words
from harness.paraphrases.tables.storage import open_arrays
from harness.paraphrases.tables.tries import Numbers, follow_edges, spell_node
from harness.paraphrases.tables.vocabularies import Vocabulary
from pyramid_paraphrase.errors import EmptyResultError


class PhraseSpan(NamedTuple):
    """A stretch of a sentence that is a phrase of a table.

    Attributes:
        start: Position of the first word.
        end: Position behind the last word.
        phrase: Id of the phrase in the table.
    """

    start: int
    end: int
    phrase: int


class ParaphraseTable:
    """Phrases and their paraphrases.

    Args:
        arrays: Content of the table, in memory or mapped from a file.
        name: Name of the table in reports.
        fingerprint: SHA-256 of the content, independent of the format it was read from.
        stem: Whether words are given as stems by `stem_words`, and phrases are compared by their stems.
        min_probability: Entries below are ignored.
    """

    def __init__(
        self, arrays: TableArrays, name: str, fingerprint: str, *, stem: bool = False, min_probability: float = 0.0
    ) -> None:
        self.name, self.fingerprint = name, fingerprint
        self.stem, self.min_probability = stem, min_probability
        self._arrays = arrays
        self._path: Path | None = None
        self._words = Vocabulary(arrays.word_offsets, arrays.word_text)
        # The symbols and the trie that sentences are searched with, and the last nodes of its phrases, sorted.
        if stem:
            self._symbols = Vocabulary(arrays.stem_offsets, arrays.stem_text)
            self._edges = arrays.stem_edges
            self._ends = arrays.stem_nodes[arrays.stem_phrases]
        else:
            self._symbols = self._words
            self._edges = arrays.edges
            self._ends = arrays.phrase_nodes
        self.max_words = len(spell_node(arrays.edges, int(arrays.phrase_nodes[-1])))

    @classmethod
    def open(cls, path: Path, *, stem: bool = False, min_probability: float = 0.0) -> ParaphraseTable:
        """Open a table that `paraphrases compile` wrote, without reading it.

        Args:
            path: The file; its name without ending is that of the table.
            stem: Whether words will be given as stems.
            min_probability: Entries below are ignored.

        Raises:
            InputError: If the file is not a compiled table, is damaged, or of another version.
        """
        arrays, fingerprint = open_arrays(path)
        table = cls(arrays, path.stem, fingerprint, stem=stem, min_probability=min_probability)
        table._path = path.absolute()
        return table

    def __reduce__(self) -> tuple[Callable[..., ParaphraseTable], tuple[Any, ...]]:
        """Pickle the path of a compiled table, so that processes share the memory that the file is mapped to."""
        settings = (self.stem, self.min_probability)
        if self._path:
            return _reopen, (self._path, *settings)
        return _restore, (self._arrays, self.name, self.fingerprint, *settings)

    @property
    def entry_count(self) -> int:
        """Number of entries, improbable ones included."""
        return len(self._arrays.paraphrases)

    @property
    def phrase_count(self) -> int:
        """Number of distinct phrases, on either side."""
        return len(self._arrays.phrase_nodes)

    def find_phrases(self, words: Sequence[str]) -> list[PhraseSpan]:
        """Find every stretch of some words that is a phrase of the table.

        All starts are followed through the trie at the same time, a word per step.

        Args:
            words: Words by `split_alphanumeric`, or their stems if the table is asked by stems.

        Returns:
            The stretches sorted by start, end and phrase; by stems, several phrases may match a stretch.
        """
        symbols = self._symbols.find_words(words)
        starts = np.flatnonzero(symbols >= 0)
        nodes = np.zeros(len(starts), np.int64)
        spans: list[Numbers] = []
        length = 0
        while len(starts):
            nodes = follow_edges(self._edges, nodes, symbols[starts + length])
            length += 1
            starts, nodes = starts[nodes > 0], nodes[nodes > 0]
            owners, phrases = self._end_at(nodes)
            spans.append(np.stack([starts[owners], starts[owners] + length, phrases], axis=1))
            has_next_word = starts + length < len(symbols)
            starts, nodes = starts[has_next_word], nodes[has_next_word]
            is_in_table = symbols[starts + length] >= 0
            starts, nodes = starts[is_in_table], nodes[is_in_table]
        rows = np.concatenate([np.zeros((0, 3), np.int64), *spans])
        return [PhraseSpan(*row) for row in rows[np.lexsort(rows.T[::-1])].tolist()]

    def _end_at(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """Find the phrases that end in some nodes: for each phrase the position of its node, and its id."""
        typed_nodes = nodes.astype(self._ends.dtype)  # `searchsorted` would copy all ends to the type of the nodes
        starts = np.searchsorted(self._ends, typed_nodes)
        ends = np.searchsorted(self._ends, typed_nodes, side="right")
        owners, positions = _spread(starts, ends)
        if self.stem:
            return owners, self._arrays.stem_phrases[positions].astype(np.int64)
        return owners, positions

    def match_phrases(self, left: ArrayLike, right: ArrayLike) -> Numbers:
        """Match phrases of which either is listed as a paraphrase of the other one.

        Args:
            left: Ids of phrases, in any order.
            right: Ids of further phrases, or the same.

        Returns:
            Distinct rows of a left and a right id, sorted, of shape (pairs, 2). No phrase is paired with itself, nor,
            by stems, with a phrase of the same stems.
        """
        lefts, rights = (np.unique(np.asarray(ids, np.int64)) for ids in (left, right))
        pairs = np.concatenate([self._list_pairs(lefts, rights), self._list_pairs(rights, lefts)[:, ::-1]])
        if self.stem:
            nodes = self._arrays.stem_nodes
            pairs = pairs[nodes[pairs[:, 0]] != nodes[pairs[:, 1]]]
        keys = np.unique(pairs[:, 0] * self.phrase_count + pairs[:, 1])
        return np.stack(np.divmod(keys, self.phrase_count), axis=1)

    def _list_pairs(self, phrases: Numbers, wanted: Numbers) -> Numbers:
        """List the entries of some phrases whose paraphrases are wanted; both arguments are sorted."""
        owners, positions = self._list_entries(phrases)
        paraphrases = self._arrays.paraphrases[positions].astype(np.int64)
        if not len(wanted):
            return np.zeros((0, 2), np.int64)
        nearest = wanted[np.minimum(np.searchsorted(wanted, paraphrases), len(wanted) - 1)]
        good = nearest == paraphrases
        return np.stack([phrases[owners[good]], paraphrases[good]], axis=1)

    def _list_entries(self, phrases: Numbers) -> tuple[Numbers, Numbers]:
        """List the entries of some phrases that are probable enough.

        Returns:
            For each entry the index of its phrase in the argument, and the index of the entry in the table.
        """
        offsets = self._arrays.entry_offsets
        owners, positions = _spread(offsets[phrases].astype(np.int64), offsets[phrases + 1].astype(np.int64))
        good = self._are_probable(positions)
        return owners[good], positions[good]

    def _are_probable(self, positions: Numbers) -> NDArray[np.bool_]:
        """Whether entries count; both numbers have single precision, so that an entry of 0.7 is not below 0.7."""
        return self._arrays.probabilities[positions] >= np.float32(self.min_probability)

    def paraphrases_of(self, words: Sequence[str], *, reverse: bool = False) -> list[tuple[Words, float]]:
        """List the paraphrases of a phrase, for people to look at.

        Args:
            words: All words of the phrase, or their stems if the table is asked by stems.
            reverse: Whether to list the phrases instead that it is a paraphrase of, which match it as well.

        Returns:
            Words and probability, the most probable first, ties sorted by words. By stems, paraphrases of all phrases
            with these stems.
        """
        phrases = [span.phrase for span in self.find_phrases(words) if (span.start, span.end) == (0, len(words))]
        best: dict[Words, float] = {}
        for phrase, partner, probability in self._list_partners(np.array(phrases, np.int64), reverse=reverse):
            if not self._have_same_stems(phrase, partner):
                partner_words = self.spell_phrase(partner)
                best[partner_words] = max(best.get(partner_words, 0.0), probability)
        return sorted(best.items(), key=lambda item: (-item[1], item[0]))

    def _list_partners(self, phrases: Numbers, *, reverse: bool) -> list[tuple[int, int, float]]:
        """List the phrases, their partners in entries, and the probabilities; `reverse` is that of `paraphrases_of`."""
        if not reverse:
            owners, positions = self._list_entries(phrases)
            listed, partners = phrases[owners], self._arrays.paraphrases[positions].astype(np.int64)
        else:
            positions = np.flatnonzero(np.isin(self._arrays.paraphrases, phrases))
            positions = positions[self._are_probable(positions)]
            listed = self._arrays.paraphrases[positions].astype(np.int64)
            partners = np.searchsorted(self._arrays.entry_offsets, positions.astype(np.uint64), side="right") - 1
        probabilities = self._arrays.probabilities[positions]
        return list(zip(listed.tolist(), partners.tolist(), probabilities.tolist(), strict=True))

    def _have_same_stems(self, first: int, second: int) -> bool:
        """Whether two phrases are compared by stems, and have the same stems."""
        nodes = self._arrays.stem_nodes
        return self.stem and bool(nodes[first] == nodes[second])

    def spell_phrase(self, phrase: int) -> Words:
        """Return the words of a phrase."""
        node = int(self._arrays.phrase_nodes[phrase])
        return tuple(map(self._words.get_word, spell_node(self._arrays.edges, node)))


def make_table(
    entries: Iterable[ParaphraseEntry], name: str, *, stem: bool = False, min_probability: float = 0.0
) -> ParaphraseTable:
    """Make a table in memory.

    Args:
        entries: Entries in any order; of repeated pairs, the most probable entry counts.
        name: Name of the table.
        stem: Whether words will be given as stems.
        min_probability: Entries below are ignored.

    Raises:
        EmptyResultError: If no entry has different words on its two sides.
    """
    builder = TableBuilder(name)
    for entry in entries:
        builder.add(entry)
    arrays = builder.build()
    if not len(arrays.paraphrases):
        raise EmptyResultError(f"{name}: no paraphrase is left; give entries with different words on their two sides")
    return ParaphraseTable(arrays, name, digest_arrays(arrays), stem=stem, min_probability=min_probability)


def _spread(starts: NDArray[np.integer], ends: NDArray[np.integer]) -> tuple[Numbers, Numbers]:
    """Concatenate ranges: return for each position the index of its range, and the position."""
    counts = (ends - starts).astype(np.int64)
    owners = np.repeat(np.arange(len(counts)), counts)
    # The start of each range, less the number of positions in the ranges before it.
    shifts = np.repeat(starts.astype(np.int64) - (np.cumsum(counts) - counts), counts)
    return owners, shifts + np.arange(len(owners))


def _reopen(path: Path, stem: bool, min_probability: float) -> ParaphraseTable:
    return ParaphraseTable.open(path, stem=stem, min_probability=min_probability)


def _restore(arrays: TableArrays, name: str, fingerprint: str, stem: bool, min_probability: float) -> ParaphraseTable:
    return ParaphraseTable(arrays, name, fingerprint, stem=stem, min_probability=min_probability)
