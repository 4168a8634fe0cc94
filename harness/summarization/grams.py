"""N-grams and skip-bigrams that summaries have in common with references, for all texts of a topic at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.support.arrays import Indices

_COUNTS_AT_ONCE = 1 << 20
"""Number of counts of n-grams of summaries in memory at a time."""


class TopicGrams:
    """The words of references and summaries, in which n-grams are counted.

    Args:
        references: The words of each reference, numbered from 0.
        peers: The words of each summary. A negative number is a word that no reference has.
    """

    def __init__(self, references: Sequence[Sequence[int]], peers: Sequence[Sequence[int]]) -> None:
        texts = [np.array(words, dtype=np.int64) for words in (*references, *peers)]
        self._references = len(references)
        self._lengths = np.array(list(map(len, texts)), dtype=np.int64)
        self._words = np.concatenate(texts)
        self._texts = np.repeat(np.arange(len(texts)), self._lengths)
        self._size = 1 + int(self._words.max(initial=0))
        places = np.flatnonzero(self._words >= 0)
        self._ngrams = {1: (places, self._words[places])}

    def match_ngrams(self, order: int) -> tuple[Indices, Indices]:
        """Match n-grams. They extend across sentences, as in ROUGE-1.5.5. Each counts as often as both texts have it.

        Returns:
            Numbers of n-grams: matched ones, shape (summaries, references), and all of each text, references first.
        """
        places, numbers = self._number_ngrams(order)
        return self._match(places, numbers), np.maximum(self._lengths - order + 1, 0)

    def match_skip_bigrams(self, gap: int, *, with_single_words: bool) -> tuple[Indices, Indices]:
        """Match pairs of words with at most `gap` words between them, across sentences.

        With single words, all words but the last one of a text count, too: ROUGE-1.5.5 leaves it out.

        Returns:
            As for n-grams.
        """
        pairs = [self._pair_words(distance) for distance in range(1, gap + 2)]
        totals = np.maximum(self._lengths[:, None] - np.arange(1, gap + 2), 0).sum(axis=1)
        if with_single_words:
            is_last = np.diff(self._texts, append=-1) != 0
            places = np.flatnonzero((self._words >= 0) & ~is_last)
            pairs.append((places, self._size**2 + self._words[places]))
            totals = totals + np.maximum(self._lengths - 1, 0)
        places, codes = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        return self._match(*self._number(places, codes)), totals

    def _number_ngrams(self, order: int) -> tuple[Indices, Indices]:
        """Number the n-grams that references have. Return their places and their numbers."""
        if order not in self._ngrams:
            places, numbers = self._number_ngrams(order - 1)
            is_inside = places + order - 1 < len(self._words)
            places, numbers = places[is_inside], numbers[is_inside]
            following = self._words[places + order - 1]
            is_one = (following >= 0) & (self._texts[places] == self._texts[places + order - 1])
            codes = numbers[is_one] * self._size + following[is_one]
            self._ngrams[order] = self._number(places[is_one], codes)
        return self._ngrams[order]

    def _pair_words(self, distance: int) -> tuple[Indices, Indices]:
        first, second = self._words[:-distance], self._words[distance:]
        is_pair = (first >= 0) & (second >= 0) & (self._texts[:-distance] == self._texts[distance:])
        return np.flatnonzero(is_pair), first[is_pair] * self._size + second[is_pair]

    def _number(self, places: Indices, codes: Indices) -> tuple[Indices, Indices]:
        """Number the codes that references have, and leave all others out."""
        distinct = np.unique(codes[self._texts[places] < self._references])
        if not len(distinct):
            return places[:0], codes[:0]
        numbers = np.minimum(np.searchsorted(distinct, codes), len(distinct) - 1)
        is_known = distinct[numbers] == codes
        return places[is_known], numbers[is_known]

    def _match(self, places: Indices, numbers: Indices) -> Indices:
        size = 1 + int(numbers.max(initial=0))
        texts = self._texts[places]
        order = np.argsort(texts, kind="stable")
        texts, numbers = texts[order], numbers[order]

        def count(start: int, end: int) -> Indices:
            low, high = np.searchsorted(texts, (start, end)).tolist()
            codes = (texts[low:high] - start) * size + numbers[low:high]
            return np.bincount(codes, minlength=(end - start) * size).reshape(end - start, size)

        in_references = count(0, self._references)
        matched = np.zeros((len(self._lengths) - self._references, self._references), dtype=np.int64)
        step = max(1, _COUNTS_AT_ONCE // size)
        for start in range(0, len(matched), step):
            end = min(start + step, len(matched))
            in_peers = count(self._references + start, self._references + end)
            for column, in_reference in enumerate(in_references):
                matched[start:end, column] = np.minimum(in_peers, in_reference).sum(axis=1)
        return matched
