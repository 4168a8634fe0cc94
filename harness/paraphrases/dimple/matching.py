"""An inverted index of the words in pairs of texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from harness.paraphrases.dimple.positive_pairs import Pair
from harness.text.porter import stem_word
from pyramid_paraphrase.text.words import normalize_word, split_words


class PairIndex:
    """An inverted index: the numbers of the texts in which each word occurs.

    The first text of pair p has the number 2 p, and the second text has 2 p + 1. Only whole words match: "skilled" does
    not match "killed".

    Args:
        pairs: The pairs of texts.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._normalized: list[tuple[str, ...]] = []
        self._original: list[tuple[str, ...]] = []
        by_word: defaultdict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(chain.from_iterable(pairs)):
            original = tuple(split_words(text))
            self._original.append(original)
            self._normalized.append(tuple(map(normalize_word, original)))
            for word in self._normalized[-1]:
                by_word[word].add(number)
        self._by_word = {word: frozenset(numbers) for word, numbers in by_word.items()}
        self._by_stem: dict[str, set[int]] = {}
        for word, numbers in self._by_word.items():
            self._by_stem.setdefault(stem_word(word), set()).update(numbers)

    def find_phrase(self, words: Sequence[str]) -> set[int]:
        """Find the texts that contain the normalized words consecutively. Without words, the result is empty."""
        return {number for number in self._find_all(words) if _contains(self._normalized[number], words)}

    def find_stems(self, stems: Iterable[str]) -> set[int]:
        """Find the texts that contain all stems, in any order. Without stems, the result is empty."""
        postings = [self._by_stem.get(stem, set()) for stem in stems]
        return set.intersection(*postings) if postings else set()

    def select_pairs(self, source: str) -> set[int]:
        """Select the pairs with a source in at least one text, as counted in table 1 of Shima and Mitamura (2011).

        The source must occur in the same form and case, not only its stem. The first word of a text is ignored, because
        a cased corpus capitalizes it. The cased and the uncased copy of a corpus therefore give the same pairs.
        """
        words = split_words(source, tokenized=True)
        candidates = self._find_all([normalize_word(word) for word in words])
        return {number // 2 for number in candidates if _contains(self._original[number][1:], words)}

    def _find_all(self, words: Sequence[str]) -> frozenset[int]:
        postings = [self._by_word.get(word, frozenset()) for word in set(words)]
        return frozenset.intersection(*postings) if postings else frozenset()


def _contains(text: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether a text contains words consecutively."""
    length, phrase = len(words), tuple(words)
    return any(tuple(text[start : start + length]) == phrase for start in range(len(text) - length + 1))
