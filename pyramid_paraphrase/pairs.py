"""Pairs of propositions for the binary test (Baumel et al. 2016, section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.options import Options
from pyramid_paraphrase.overlaps import WordSets
from pyramid_paraphrase.propositions import Proposition

Indices = npt.NDArray[np.int64]

BUFFER_FACTOR = 2
"""Repeated and surplus pairs are dropped when the buffer has grown by this factor since the last time."""

BUFFER_MINIMUM = 1 << 16


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a list of propositions: indices of shape (n, 2), the lower first, and n labels, 1 for a paraphrase.

    No pair of texts occurs twice.
    """

    indices: Indices
    labels: npt.NDArray[np.int8]


def build_pairs(propositions: Sequence[Proposition], options: Options) -> Pairs:
    """Make all pairs that the rules allow.

    Positive: two propositions of one SCU whose content words differ. Negative: two propositions of different SCUs that
    share enough distinct words, whose content words differ, and whose texts are nowhere together in one SCU; two
    pyramids of one topic number are never paired.

    Args:
        propositions: In their canonical order, which decides which of several equal text pairs is kept.
        options: The rules.

    Returns:
        The pairs: positives, then negatives, each by index.
    """
    index = _Index(propositions)
    words = WordSets([proposition.words for proposition in propositions])
    together = index.pairs_within_scus()
    positives = together[index.contents[together[:, 0]] != index.contents[together[:, 1]]]
    if options.match_positives:
        positives = positives[words.count_shared(positives) >= options.min_shared_words]
    positives = index.drop_repeated_texts(positives)
    forbidden = np.unique(index.text_keys(together))
    wanted = options.negatives_per_positive * len(positives)
    hashes = _hash_texts((proposition.folded for proposition in propositions), options.seed) if wanted else None
    negatives = _Negatives(index, forbidden, wanted, hashes)
    for candidates in words.find_overlapping(index.groups(options.scope), options.min_shared_words):
        negatives.add(index.keep_negatives(candidates))
    chosen = negatives.finish()
    labels = np.repeat(np.array([1, 0], dtype=np.int8), [len(positives), len(chosen)])
    return Pairs(np.concatenate([positives, chosen]), labels)


class _Index:
    """Propositions as integer arrays, so that pairs are told apart without looking at texts."""

    def __init__(self, propositions: Sequence[Proposition]) -> None:
        self.size = len(propositions)
        self.texts = _number(proposition.folded for proposition in propositions)
        self._is_repeated = np.bincount(self.texts)[self.texts] > 1
        self.contents = _number(proposition.content for proposition in propositions)
        self.scus = _number((proposition.pyramid, proposition.scu) for proposition in propositions)
        self.pyramids = _number(proposition.pyramid for proposition in propositions)
        self.topics = _number(proposition.topic for proposition in propositions)

    def pairs_within_scus(self) -> Indices:
        pairs = [pair for group in _runs(self.scus) for pair in combinations(group.tolist(), 2)]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def groups(self, scope: str) -> Indices:
        """The group of each proposition; both sides of a negative are of one group."""
        return self.pyramids if scope == "pyramid" else np.zeros(self.size, dtype=np.int64)

    def text_keys(self, pairs: Indices) -> Indices:
        """A number per pair that is the same for the same two texts."""
        texts = np.sort(self.texts[pairs], axis=1)
        return texts[:, 0] * self.size + texts[:, 1]

    def drop_repeated_texts(self, pairs: Indices) -> Indices:
        """Keep the first pair of those with the same two texts, in the order of indices."""
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        _, first = np.unique(self.text_keys(pairs), return_index=True)
        return pairs[np.sort(first)]

    def has_repeated_text(self, numbers: Indices) -> npt.NDArray[np.bool_]:
        """Whether a text of each pair, left index * size + right index, is the text of several propositions."""
        return self._is_repeated[numbers // self.size] | self._is_repeated[numbers % self.size]

    def keep_negatives(self, pairs: Indices) -> Indices:
        left, right = pairs[:, 0], pairs[:, 1]
        allowed = (self.topics[left] != self.topics[right]) | (self.pyramids[left] == self.pyramids[right])
        allowed &= (self.scus[left] != self.scus[right]) & (self.contents[left] != self.contents[right])
        return pairs[allowed]


def _number(values: Iterable[object]) -> Indices:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _runs(numbers: Indices) -> Iterator[Indices]:
    """Indices of each run of equal numbers; the propositions of one SCU are consecutive."""
    if len(numbers):
        yield from np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers)) + 1)


class _Negatives:
    """Collects negatives; where only ``wanted`` of them are to be kept, those of the smallest hash of their texts.

    A pair is held as a single number, left index * number of propositions + right index.
    """

    def __init__(self, index: _Index, forbidden: Indices, wanted: int, hashes: npt.NDArray[np.uint64] | None) -> None:
        self._index = index
        self._forbidden = forbidden
        self._wanted = wanted
        self._hashes = hashes
        self._chunks: list[Indices] = []
        self._held = self._left = 0

    def add(self, pairs: Indices) -> None:
        pairs = pairs[~_contains(self._forbidden, self._index.text_keys(pairs))]
        self._chunks.append(pairs[:, 0] * self._index.size + pairs[:, 1])
        self._held += len(pairs)
        if self._held > max(BUFFER_FACTOR * self._left, BUFFER_MINIMUM):
            self._compact()

    def finish(self) -> Indices:
        self._compact()
        return self._decode(self._chunks[0])

    def _decode(self, numbers: Indices) -> Indices:
        return np.stack(np.divmod(numbers, self._index.size), axis=1)

    def _compact(self) -> None:
        numbers = np.concatenate([np.empty(0, dtype=np.int64), *self._chunks])
        self._chunks = []
        numbers = self._drop_repeated(np.unique(numbers))
        if self._hashes is not None and len(numbers) > self._wanted:
            left, right = np.divmod(numbers, self._index.size)
            best = np.argsort(_mix(self._hashes[left] + self._hashes[right]), kind="stable")
            numbers = numbers[np.sort(best[: self._wanted])]
        self._chunks, self._held, self._left = [numbers], len(numbers), len(numbers)

    def _drop_repeated(self, numbers: Indices) -> Indices:
        """Keep the first of the pairs with the same two texts; only texts of several propositions can repeat."""
        doubtful = self._index.has_repeated_text(numbers)
        kept = self._index.drop_repeated_texts(self._decode(numbers[doubtful]))
        return np.sort(np.concatenate([numbers[~doubtful], kept[:, 0] * self._index.size + kept[:, 1]]))


def _contains(values: Indices, wanted: Indices) -> npt.NDArray[np.bool_]:
    """Whether sorted values contain each wanted one."""
    if not len(values):
        return np.zeros(len(wanted), dtype=np.bool_)
    places = np.searchsorted(values, wanted)
    return np.asarray(values[np.minimum(places, len(values) - 1)] == wanted)


def _hash_texts(texts: Iterable[str], seed: int) -> npt.NDArray[np.uint64]:
    digests = b"".join(hashlib.sha256(f"{seed}:{text}".encode()).digest()[:8] for text in texts)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Finalizer of SplitMix64 (Steele, Lea and Flood 2014): spreads sums of hashes evenly, wrapping around."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
