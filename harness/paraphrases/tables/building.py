"""Tables from entries in any order: collected as numbers, and put in order all at once."""

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
from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import LimitError

NO_WORDS = "without a word on one side"
SAME_WORDS = "of the same words on both sides"
IMPROBABLE = "less probable than asked for"
REPEATED = "listed before; the most probable counts"


class TableBuilder:
    """Collects entries: 12 bytes for each, and 4 for each of its words.

    Args:
        name: Of the source, for errors.
        min_probability: Entries below are left out.

    Attributes:
        left_out: How many entries were left out, by reason.
    """

    def __init__(self, name: str, min_probability: float = 0.0) -> None:
        self.left_out: Counter[str] = Counter()
        self._name = name
        self._least = min_probability
        self._ids: dict[str, int] = {}
        self._words = array("I")
        self._lengths = array("I")
        self._probabilities = array("f")

    def add(self, entry: ParaphraseEntry) -> None:
        """Take an entry, or count why not.

        Raises:
            LimitError: If there are more than `limits` allows.
        """
        if not entry.phrase or not entry.paraphrase:
            self.left_out[NO_WORDS] += 1
        elif entry.phrase == entry.paraphrase:
            self.left_out[SAME_WORDS] += 1
        elif entry.probability < self._least:
            self.left_out[IMPROBABLE] += 1
        else:
            self._keep(entry)

    def _keep(self, entry: ParaphraseEntry) -> None:
        for count, most, what in (
            (len(self._probabilities) + 1, limits.MAX_TABLE_ENTRIES, "entries"),
            (len(self._words) + len(entry.phrase) + len(entry.paraphrase), limits.MAX_TABLE_WORDS, "words in entries"),
        ):
            if count > most:
                raise LimitError(self._name, f"more than {most:,} {what}", "leave out what is improbable")
        ids = self._ids
        for words in (entry.phrase, entry.paraphrase):
            self._words.extend([ids.setdefault(word, len(ids)) for word in words])
            self._lengths.append(len(words))
        self._probabilities.append(entry.probability)

    def build(self) -> TableArrays:
        """Put what was collected in order."""
        vocabulary = make_vocabulary(self._ids)
        words = sorted(self._ids)
        symbols = _rank(words, self._ids)[np.frombuffer(self._words, np.uint32)]
        trie, nodes = build_trie(symbols, np.frombuffer(self._lengths, np.uint32).astype(np.int64))
        phrase_nodes = np.unique(nodes)
        sides = np.searchsorted(phrase_nodes, nodes).reshape(-1, 2)
        entries = _sort_entries(sides, np.frombuffer(self._probabilities, np.float32))
        if repeated := len(sides) - len(entries[0]):
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
            entry_offsets=np.searchsorted(entries[0], np.arange(len(phrase_nodes) + 1)),
            paraphrases=entries[1],
            probabilities=entries[2],
        )


def _rank(ordered: Sequence[str], ids: dict[str, int]) -> NDArray[np.uint32]:
    """The place in order of each word, by its first id."""
    ranks = np.zeros(len(ordered), np.uint32)
    ranks[[ids[word] for word in ordered]] = np.arange(len(ordered), dtype=np.uint32)
    return ranks


def _rank_all(words: Sequence[str]) -> NDArray[np.uint32]:
    """The place of each word among the distinct ones in order."""
    places = {word: place for place, word in enumerate(sorted(set(words)))}
    return np.array([places[word] for word in words], np.uint32)


def _sort_entries(sides: Numbers, probabilities: NDArray[np.float32]) -> tuple[Numbers, Numbers, NDArray[np.float32]]:
    """Entries by phrase and paraphrase, each once, with the highest of its probabilities."""
    order = np.lexsort((-probabilities, sides[:, 1], sides[:, 0]))
    sides, probabilities = sides[order], probabilities[order]
    first = np.ones(len(sides), bool)
    first[1:] = (sides[1:] != sides[:-1]).any(axis=1)
    return sides[first, 0], sides[first, 1], probabilities[first]
