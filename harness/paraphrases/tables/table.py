"""Tables of paraphrases: which stretches of a sentence are phrases, and which phrases paraphrase each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.paraphrases.tables.arrays import TableArrays, digest_arrays
from harness.paraphrases.tables.building import TableBuilder
from harness.paraphrases.tables.formats.entries import Entry, Words
from harness.paraphrases.tables.storage import open_arrays
from harness.paraphrases.tables.tries import Numbers, follow_edges, spell_node
from harness.paraphrases.tables.vocabularies import Vocabulary
from pyramid_paraphrase.errors import EmptyResultError


class PhraseSpan(NamedTuple):
    """A stretch of a sentence that is a phrase of a table.

    Attributes:
        start: First word.
        end: Behind the last word.
        phrase: Id in the table.
    """

    start: int
    end: int
    phrase: int


class ParaphraseTable:
    """Phrases and what may be said instead.

    Args:
        arrays: What it holds, in memory or in a file.
        name: What it is called in reports.
        fingerprint: SHA-256 of what it says, whatever it was read from.
        stem: Whether words are given as stems by `stem_words`, and phrases are compared by theirs.
        min_probability: Entries below count for nothing.
    """

    def __init__(
        self, arrays: TableArrays, name: str, fingerprint: str, *, stem: bool = False, min_probability: float = 0.0
    ) -> None:
        self.name, self.fingerprint = name, fingerprint
        self.stem, self.min_probability = stem, min_probability
        self._arrays = arrays
        self._path: Path | None = None
        self._words = Vocabulary(arrays.word_offsets, arrays.word_text)
        self._known = Vocabulary(arrays.stem_offsets, arrays.stem_text) if stem else self._words
        self._edges = arrays.stem_edges if stem else arrays.edges
        # Of the phrases in the order of the nodes that they end in, which is their own order unless they are stems.
        self._ends = arrays.stem_nodes[arrays.stem_phrases] if stem else arrays.phrase_nodes
        self.max_words = len(spell_node(arrays.edges, int(arrays.phrase_nodes[-1])))

    @classmethod
    def open(cls, path: Path, *, stem: bool = False, min_probability: float = 0.0) -> ParaphraseTable:
        """Open a table that `paraphrases compile` wrote, without reading it.

        Args:
            path: The file; its name without ending is that of the table.
            stem: Whether words will be given as stems.
            min_probability: Entries below count for nothing.

        Raises:
            InputError: If it is no compiled table, is damaged, or of another version.
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

        Args:
            words: As `split_alphanumeric` makes them, or stems of them if the table is asked by stems.

        Returns:
            The stretches by start, end and phrase; by stems, several phrases may fit one.
        """
        symbols = self._known.find_words(words)
        starts = np.flatnonzero(symbols >= 0)
        nodes = np.zeros(len(starts), np.int64)
        found: list[Numbers] = []
        length = 0
        while len(starts):
            nodes = follow_edges(self._edges, nodes, symbols[starts + length])
            length += 1
            starts, nodes = starts[nodes > 0], nodes[nodes > 0]
            owners, phrases = self._end_at(nodes)
            found.append(np.stack([starts[owners], starts[owners] + length, phrases], axis=1))
            going_on = starts + length < len(symbols)
            starts, nodes = starts[going_on], nodes[going_on]
            known = symbols[starts + length] >= 0
            starts, nodes = starts[known], nodes[known]
        rows = np.concatenate(found) if found else np.zeros((0, 3), np.int64)
        return [PhraseSpan(*row) for row in rows[np.lexsort(rows.T[::-1])].tolist()]

    def _end_at(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """The phrases that end in some nodes: for each, the place of its node, and its id."""
        kind = self._ends.dtype
        firsts = np.searchsorted(self._ends, nodes.astype(kind))
        behind = np.searchsorted(self._ends, nodes.astype(kind), side="right")
        owners, places = _spread(firsts, behind)
        return owners, self._arrays.stem_phrases[places].astype(np.int64) if self.stem else places

    def match_phrases(self, left: ArrayLike, right: ArrayLike) -> Numbers:
        """Pairs of phrases of which either is listed as a paraphrase of the other.

        Args:
            left: Ids of phrases, in any order.
            right: Ids of other phrases, or the same.

        Returns:
            Distinct rows of a left and a right id, sorted, of shape (pairs, 2). No phrase is paired with itself, nor,
            by stems, with one that has the same stems.
        """
        lefts, rights = (np.unique(np.asarray(ids, np.int64)) for ids in (left, right))
        pairs = np.concatenate([self._list_pairs(lefts, rights), self._list_pairs(rights, lefts)[:, ::-1]])
        if self.stem:
            nodes = self._arrays.stem_nodes
            pairs = pairs[nodes[pairs[:, 0]] != nodes[pairs[:, 1]]]
        keys = np.unique(pairs[:, 0] * self.phrase_count + pairs[:, 1])
        return np.stack(np.divmod(keys, self.phrase_count), axis=1)

    def _list_pairs(self, phrases: Numbers, wanted: Numbers) -> Numbers:
        """The entries of some phrases whose paraphrases are wanted; both are sorted."""
        owners, places = self._list_entries(phrases)
        paraphrases = self._arrays.paraphrases[places].astype(np.int64)
        if not len(wanted):
            return np.zeros((0, 2), np.int64)
        nearest = wanted[np.minimum(np.searchsorted(wanted, paraphrases), len(wanted) - 1)]
        good = nearest == paraphrases
        return np.stack([phrases[owners[good]], paraphrases[good]], axis=1)

    def _list_entries(self, phrases: Numbers) -> tuple[Numbers, Numbers]:
        """Places of the entries of some phrases that are probable enough, and whose they are."""
        offsets = self._arrays.entry_offsets
        owners, places = _spread(offsets[phrases].astype(np.int64), offsets[phrases + 1].astype(np.int64))
        good = self._are_probable(places)
        return owners[good], places[good]

    def _are_probable(self, places: Numbers) -> NDArray[np.bool_]:
        """Whether entries count; both numbers are single, so that an entry of 0.7 is not below 0.7."""
        return self._arrays.probabilities[places] >= np.float32(self.min_probability)

    def paraphrases_of(self, words: Sequence[str], *, reverse: bool = False) -> list[tuple[Words, float]]:
        """What is listed as a paraphrase of a phrase, for looking at.

        Args:
            words: All words of the phrase, or their stems if the table is asked by stems.
            reverse: Whether to list the phrases that it is a paraphrase of instead, which match it as well.

        Returns:
            Words and probability, the most probable first, equal ones by text; by stems, of all phrases with these.
        """
        phrases = [span.phrase for span in self.find_phrases(words) if (span.start, span.end) == (0, len(words))]
        best: dict[Words, float] = {}
        for one, other, probability in self._list_around(np.array(phrases, np.int64), reverse=reverse):
            if not self._are_same(one, other):
                spelt = self.spell_phrase(other)
                best[spelt] = max(best.get(spelt, 0.0), probability)
        return sorted(best.items(), key=lambda item: (-item[1], item[0]))

    def _list_around(self, phrases: Numbers, *, reverse: bool) -> list[tuple[int, int, float]]:
        """Some phrases, what they are listed with, on the one side or on the other, and how probable it is."""
        if not reverse:
            owners, places = self._list_entries(phrases)
            ones, others = phrases[owners], self._arrays.paraphrases[places].astype(np.int64)
        else:
            places = np.flatnonzero(np.isin(self._arrays.paraphrases, phrases))
            places = places[self._are_probable(places)]
            ones = self._arrays.paraphrases[places].astype(np.int64)
            others = np.searchsorted(self._arrays.entry_offsets, places.astype(np.uint64), side="right") - 1
        return list(zip(ones.tolist(), others.tolist(), self._arrays.probabilities[places].tolist(), strict=True))

    def _are_same(self, one: int, other: int) -> bool:
        """Whether two phrases are compared as one, for they have the same stems."""
        nodes = self._arrays.stem_nodes
        return self.stem and bool(nodes[one] == nodes[other])

    def spell_phrase(self, phrase: int) -> Words:
        """The words of a phrase."""
        node = int(self._arrays.phrase_nodes[phrase])
        return tuple(map(self._words.get_word, spell_node(self._arrays.edges, node)))


def make_table(
    entries: Iterable[Entry], name: str, *, stem: bool = False, min_probability: float = 0.0
) -> ParaphraseTable:
    """Make a table in memory.

    Args:
        entries: In any order; of several for the same pair, the most probable counts.
        name: What the table is called.
        stem: Whether words will be given as stems.
        min_probability: Entries below count for nothing.

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
    """All places in some ranges, and for each place which range it is in."""
    counts = (ends - starts).astype(np.int64)
    owners = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(starts.astype(np.int64) - (np.cumsum(counts) - counts), counts)
    return owners, first + np.arange(len(owners))


def _reopen(path: Path, stem: bool, min_probability: float) -> ParaphraseTable:
    return ParaphraseTable.open(path, stem=stem, min_probability=min_probability)


def _restore(arrays: TableArrays, name: str, fingerprint: str, stem: bool, min_probability: float) -> ParaphraseTable:
    return ParaphraseTable(arrays, name, fingerprint, stem=stem, min_probability=min_probability)
