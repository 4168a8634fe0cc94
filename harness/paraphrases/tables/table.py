"""Search in tables of paraphrases: phrases in a sentence, and pairs of phrases that are paraphrases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.paraphrases.tables.formats import Words
from harness.paraphrases.tables.storage import TableArrays, digest_arrays, open_arrays
from harness.paraphrases.tables.tries import Numbers, Vocabulary, follow_edges, spell_node


class ParaphraseTable:
    """A table of phrases and their paraphrases.

    Args:
        arrays: Content of the table, in memory or mapped from a file.
        name: Name of the table in reports.
        stem: Whether the table is searched by stems (see `stem_words`) instead of words.
        min_probability: Entries with a lower probability are ignored.
        fingerprint: SHA-256 of the content, independent of the format of the source. Computed if it is empty.

    Attributes:
        entries_without_words: Number of entries of the source that were left out because a side has no word. 0 for a
            compiled table, because `paraphrases compile` reports this number.
    """

    def __init__(
        self,
        arrays: TableArrays,
        name: str,
        *,
        stem: bool = False,
        min_probability: float = 0.0,
        fingerprint: str = "",
    ) -> None:
        self.name, self.fingerprint = name, fingerprint or digest_arrays(arrays)
        self.stem, self.min_probability = stem, min_probability
        self._arrays = arrays
        self.entries_without_words = 0
        self._path: Path | None = None
        self._words = Vocabulary(arrays.word_offsets, arrays.word_text)
        # Symbols and trie for the search, and the sorted nodes at the ends of phrases.
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
        """Open a table that `paraphrases compile` wrote, as a memory map.

        Args:
            path: The file. Its name without the suffix is the name of the table.
            stem: Whether the table is searched by stems.
            min_probability: Entries with a lower probability are ignored.

        Raises:
            InputError: If the file is not a compiled table, is damaged, or of another version.
        """
        arrays, fingerprint = open_arrays(path)
        table = cls(arrays, path.stem, stem=stem, min_probability=min_probability, fingerprint=fingerprint)
        table._path = path.absolute()
        return table

    def __reduce__(self) -> tuple[Callable[..., ParaphraseTable], tuple[Any, ...]]:
        """Pickle only the path of a compiled table, so that processes share the memory map."""
        if self._path:
            reopen = partial(ParaphraseTable.open, stem=self.stem, min_probability=self.min_probability)
            return reopen, (self._path,)
        restore = partial(
            ParaphraseTable, stem=self.stem, min_probability=self.min_probability, fingerprint=self.fingerprint
        )
        return restore, (self._arrays, self.name)

    @property
    def entry_count(self) -> int:
        """Number of entries, including improbable entries."""
        return len(self._arrays.paraphrases)

    @property
    def has_probabilities(self) -> bool:
        """Whether any entry has a probability below 1. Sources without probabilities give all entries 1."""
        return bool((self._arrays.probabilities < 1).any())

    @property
    def phrase_count(self) -> int:
        """Number of distinct phrases, on either side."""
        return len(self._arrays.phrase_nodes)

    def find_phrases(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """Find all stretches of a sentence that are phrases of the table.

        The trie is followed from all starts at the same time, with one word per step.

        Args:
            words: Words of the sentence by `split_alphanumeric`, or their stems if `stem` is set.

        Returns:
            The position of the first word of a stretch, the position after its last word, and the id of the phrase,
            sorted. With stems, several phrases may match the same stretch.
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
        return [(start, end, phrase) for start, end, phrase in rows[np.lexsort(rows.T[::-1])].tolist()]

    def _end_at(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """Find the phrases that end at some nodes.

        Returns:
            For each phrase the index of its node in the argument, and the id of the phrase.
        """
        typed_nodes = nodes.astype(self._ends.dtype)  # otherwise `searchsorted` would copy all ends
        starts = np.searchsorted(self._ends, typed_nodes)
        ends = np.searchsorted(self._ends, typed_nodes, side="right")
        owners, positions = _spread(starts, ends)
        if self.stem:
            return owners, self._arrays.stem_phrases[positions].astype(np.int64)
        return owners, positions

    def match_phrases(self, left: ArrayLike, right: ArrayLike) -> Numbers:
        """Match phrases if either is a paraphrase of the other.

        Args:
            left: Ids of phrases, in any order.
            right: Ids of phrases, in any order. They may be the same.

        Returns:
            Distinct rows of a left and a right id, sorted, of shape (pairs, 2). No phrase is paired with itself. With
            stems, no phrase is paired with a phrase of the same stems.
        """
        left_ids, right_ids = (np.unique(np.asarray(ids, np.int64)) for ids in (left, right))
        pairs = np.concatenate([self._list_pairs(left_ids, right_ids), self._list_pairs(right_ids, left_ids)[:, ::-1]])
        if self.stem:
            nodes = self._arrays.stem_nodes
            pairs = pairs[nodes[pairs[:, 0]] != nodes[pairs[:, 1]]]
        keys = np.unique(pairs[:, 0] * self.phrase_count + pairs[:, 1])
        return np.stack(np.divmod(keys, self.phrase_count), axis=1)

    def rate_pairs(self, pairs: Numbers) -> NDArray[np.float32]:
        """Return the probability of pairs of phrases: of the more probable direction.

        Args:
            pairs: Rows of two ids, as `match_phrases` returns them.
        """
        rated = np.zeros(len(pairs), np.float32)
        for sides in (pairs, pairs[:, ::-1]):
            phrases = np.unique(sides[:, 0])
            owners, positions = self._list_entries(phrases)
            # Entries are sorted by phrase and paraphrase, and so are the keys.
            keys = phrases[owners] * self.phrase_count + self._arrays.paraphrases[positions].astype(np.int64)
            wanted = sides[:, 0] * self.phrase_count + sides[:, 1]
            starts = np.searchsorted(keys, wanted)
            exists = np.append(keys, -1)[starts] == wanted
            probabilities = np.append(self._arrays.probabilities[positions], np.float32(0))
            rated = np.maximum(rated, np.where(exists, probabilities[starts], np.float32(0)))
        return rated

    def _list_pairs(self, phrases: Numbers, wanted: Numbers) -> Numbers:
        """List the pairs of a phrase and a wanted paraphrase. Both arguments must be sorted."""
        owners, positions = self._list_entries(phrases)
        paraphrases = self._arrays.paraphrases[positions].astype(np.int64)
        if not len(wanted):
            return np.zeros((0, 2), np.int64)
        nearest = wanted[np.minimum(np.searchsorted(wanted, paraphrases), len(wanted) - 1)]
        is_wanted = nearest == paraphrases
        return np.stack([phrases[owners[is_wanted]], paraphrases[is_wanted]], axis=1)

    def _list_entries(self, phrases: Numbers) -> tuple[Numbers, Numbers]:
        """List the entries of some phrases that are probable enough.

        Returns:
            For each entry the index of its phrase in the argument, and the index of the entry in the table.
        """
        offsets = self._arrays.entry_offsets
        owners, positions = _spread(offsets[phrases].astype(np.int64), offsets[phrases + 1].astype(np.int64))
        is_probable = self._are_probable(positions)
        return owners[is_probable], positions[is_probable]

    def _are_probable(self, positions: Numbers) -> NDArray[np.bool_]:
        """Return whether entries have the minimum probability. In single precision, an entry of 0.7 is not too low."""
        return self._arrays.probabilities[positions] >= np.float32(self.min_probability)

    def paraphrases_of(self, words: Sequence[str], *, reverse: bool = False) -> list[tuple[Words, float]]:
        """List the paraphrases of a phrase, for display.

        Args:
            words: All words of the phrase, or their stems if `stem` is set.
            reverse: Whether to list the phrases that have this phrase as a paraphrase instead.

        Returns:
            Words and probability, the most probable first, ties sorted by words. With stems, the result contains the
            paraphrases of all phrases with these stems.
        """
        phrases = [phrase for *stretch, phrase in self.find_phrases(words) if stretch == [0, len(words)]]
        best, nodes = dict[Words, float](), self._arrays.stem_nodes
        for phrase, partner, probability in self._list_partners(np.array(phrases, np.int64), reverse=reverse):
            if not (self.stem and nodes[phrase] == nodes[partner]):  # forms of the phrase itself
                partner_words = self.spell_phrase(partner)
                best[partner_words] = max(best.get(partner_words, 0.0), probability)
        return sorted(best.items(), key=lambda item: (-item[1], item[0]))

    def _list_partners(self, phrases: Numbers, *, reverse: bool) -> list[tuple[int, int, float]]:
        """List each phrase with its partner in an entry, and the probability. For `reverse` see `paraphrases_of`."""
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

    def spell_phrase(self, phrase: int) -> Words:
        """Return the words of a phrase by the number of the phrase, from its first word to its last."""
        node = int(self._arrays.phrase_nodes[phrase])
        return tuple(map(self._words.get_word, spell_node(self._arrays.edges, node)))


def _spread(starts: NDArray[np.integer], ends: NDArray[np.integer]) -> tuple[Numbers, Numbers]:
    """Concatenate ranges of positions.

    Returns:
        For each position the index of its range, and the position.
    """
    counts = (ends - starts).astype(np.int64)
    owners = np.repeat(np.arange(len(counts)), counts)
    # Start of each range minus the number of positions in the ranges before it.
    shifts = np.repeat(starts.astype(np.int64) - (np.cumsum(counts) - counts), counts)
    return owners, shifts + np.arange(len(owners))
