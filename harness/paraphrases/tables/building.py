"""Building of tables from entries in any order: entries are collected as numbers, and finally sorted."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.paraphrases.tables.arrays import TableArrays, make_arrays
from harness.paraphrases.tables.formats.entries import ParaphraseEntry
from harness.paraphrases.tables.tries import Numbers, build_trie, map_trie
from harness.paraphrases.tables.vocabularies import make_vocabulary
from harness.text.words import stem_words
from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits

NO_WORDS = "without words on one side"
SAME_WORDS = "with the same words on both sides"
IMPROBABLE = "below the minimum probability"
REPEATED = "repeated (the highest probability is kept)"
ABOVE_ONE = "probability above 1, replaced by 1"
"""Reasons why entries are left out or repaired."""


class TableBuilder:
    """Collector of entries. It uses 12 bytes per entry and 4 bytes per word.

    Args:
        name: Name of the source, for messages.
        min_probability: Entries with a lower probability are left out.

    Attributes:
        left_out: Number of left-out entries, by reason.
        repaired: Number of entries with a repaired probability, by the repair. Left-out entries count, too.
    """

    def __init__(self, name: str, min_probability: float = 0.0) -> None:
        self.left_out: Counter[str] = Counter()
        self.repaired: Counter[str] = Counter()
        self._name = name
        self._min_probability = min_probability
        self._ids: dict[str, int] = {}
        self._words = array("I")
        self._lengths = array("I")
        self._probabilities = array("f")

    def add(self, entry: ParaphraseEntry) -> None:
        """Add an entry, or count the reason why it is left out.

        Raises:
            LimitError: If there are more entries or words than `limits` allows.
        """
        if entry.probability > 1:
            self.repaired[ABOVE_ONE] += 1
        if not entry.phrase or not entry.paraphrase:
            self.left_out[NO_WORDS] += 1
        elif entry.phrase == entry.paraphrase:
            self.left_out[SAME_WORDS] += 1
        elif entry.probability < self._min_probability:
            self.left_out[IMPROBABLE] += 1
        else:
            self._keep(entry)

    def _keep(self, entry: ParaphraseEntry) -> None:
        for count, limit, unit in (
            (len(self._probabilities) + 1, limits.MAX_TABLE_ENTRIES, "entries"),
            (len(self._words) + len(entry.phrase) + len(entry.paraphrase), limits.MAX_TABLE_WORDS, "words in entries"),
        ):
            if count > limit:
                raise LimitError(self._name, f"has more than {limit:,} {unit}", "remove improbable entries")
        ids = self._ids
        for words in (entry.phrase, entry.paraphrase):
            self._words.extend([ids.setdefault(word, len(ids)) for word in words])
            self._lengths.append(len(words))
        self._probabilities.append(min(entry.probability, 1.0))

    def build(self) -> TableArrays:
        """Build the arrays of the collected entries."""
        vocabulary = make_vocabulary(self._ids)
        words = sorted(self._ids)
        symbols = _rank(words, self._ids)[np.frombuffer(self._words, np.uint32)]
        trie, nodes = build_trie(symbols, np.frombuffer(self._lengths, np.uint32).astype(np.int64))
        phrase_nodes = np.unique(nodes)
        sides = np.searchsorted(phrase_nodes, nodes).reshape(-1, 2)
        phrases, paraphrases, probabilities = _sort_entries(sides, np.frombuffer(self._probabilities, np.float32))
        if repeated := len(sides) - len(phrases):
            self.left_out[REPEATED] += repeated
        stems = stem_words(words)
        stem_trie, mapping = map_trie(trie, _rank_all(stems))
        stem_nodes = mapping[phrase_nodes]
        stem_vocabulary = make_vocabulary(set(stems))
        return make_arrays(
            word_offsets=vocabulary.offsets,
            word_text=vocabulary.text,
            stem_offsets=stem_vocabulary.offsets,
            stem_text=stem_vocabulary.text,
            edges=trie.edges,
            phrase_nodes=phrase_nodes,
            stem_edges=stem_trie.edges,
            stem_nodes=stem_nodes,
            stem_phrases=np.argsort(stem_nodes, kind="stable"),
            entry_offsets=np.searchsorted(phrases, np.arange(len(phrase_nodes) + 1)),
            paraphrases=paraphrases,
            probabilities=probabilities,
        )


def _rank(ordered: Sequence[str], ids: dict[str, int]) -> NDArray[np.uint32]:
    """Return the position of each word in the sorted words, indexed by the id of the word."""
    ranks = np.zeros(len(ordered), np.uint32)
    ranks[[ids[word] for word in ordered]] = np.arange(len(ordered), dtype=np.uint32)
    return ranks


def _rank_all(words: Sequence[str]) -> NDArray[np.uint32]:
    """Return the position of each word in the sorted distinct words."""
    positions = {word: position for position, word in enumerate(sorted(set(words)))}
    return np.array([positions[word] for word in words], np.uint32)


def _sort_entries(sides: Numbers, probabilities: NDArray[np.float32]) -> tuple[Numbers, Numbers, NDArray[np.float32]]:
    """Sort entries by phrase and paraphrase, and keep the highest probability of repeated pairs."""
    order = np.lexsort((-probabilities, sides[:, 1], sides[:, 0]))
    sides, probabilities = sides[order], probabilities[order]
    first = np.ones(len(sides), bool)
    first[1:] = (sides[1:] != sides[:-1]).any(axis=1)
    return sides[first, 0], sides[first, 1], probabilities[first]
