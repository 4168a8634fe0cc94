"""An inverted index of the words and phrases in pairs of texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from harness.paraphrases.dimple.positive_pairs import Pair
from harness.text.porter import stem_word
from pyramid_paraphrase.words import normalize_word, split_words


class PairIndex:
    """An inverted index: the numbers of the texts in which each word occurs.

    The first text of pair p has number 2 p, the second text 2 p + 1. Only whole words match: "skilled" does not hold
    "killed".

    Args:
        pairs: The texts.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._texts: list[tuple[str, ...]] = []
        self._written: list[tuple[str, ...]] = []
        by_word: defaultdict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(chain.from_iterable(pairs)):
            written = tuple(split_words(text))
            self._written.append(written)
            self._texts.append(tuple(map(normalize_word, written)))
            for word in self._texts[-1]:
                by_word[word].add(number)
        self._by_word = {word: frozenset(numbers) for word, numbers in by_word.items()}
        self._by_stem: dict[str, set[int]] = {}
        for word, numbers in self._by_word.items():
            self._by_stem.setdefault(stem_word(word), set()).update(numbers)

    def find_phrase(self, words: Sequence[str]) -> set[int]:
        """Find the texts that hold normalized words one after the other; without words, there are none."""
        return {number for number in self._find_all(words) if _holds(self._texts[number], words)}

    def find_stems(self, stems: Iterable[str]) -> set[int]:
        """Find the texts that hold all of some stems, anywhere; without stems, there are none."""
        postings = [self._by_stem.get(stem, set()) for stem in stems]
        return set.intersection(*postings) if postings else set()

    def select_pairs(self, source: str) -> set[int]:
        """Select the pairs with a source on at least one side, as table 1 of Shima and Mitamura (2011) counts.

        The form itself has to occur, not its stem, in the same case, and not at the beginning of a text, where a cased
        corpus would capitalize it. So the cased and the uncased copy of a corpus give the same pairs.
        """
        words = split_words(source)
        candidates = self._find_all([normalize_word(word) for word in words])
        return {number // 2 for number in candidates if _holds(self._written[number][1:], words)}

    def _find_all(self, words: Sequence[str]) -> frozenset[int]:
        postings = [self._by_word.get(word, frozenset()) for word in set(words)]
        return frozenset.intersection(*postings) if postings else frozenset()


def _holds(text: Sequence[str], words: Sequence[str]) -> bool:
    length, phrase = len(words), tuple(words)
    return any(tuple(text[start : start + length]) == phrase for start in range(len(text) - length + 1))
