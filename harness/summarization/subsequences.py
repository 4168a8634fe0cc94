"""Longest common subsequences of sentences, as ROUGE-1.5.5 finds them for ROUGE-L and ROUGE-W (Lin 2004).

Several subsequences of two sentences can have the same length or weight. ROUGE-1.5.5 takes one of them, by fixed rules:
equal words are always matched with each other, and otherwise the last word of the reference is left out first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Flags, Indices

Sentence = tuple[int, ...]
"""The numbers of the words of a sentence."""

_MATCH, _UP, _LEFT = 0, 1, 2
"""Steps through the table of a pair of sentences: match both words, leave out that of the reference, or the other.
`_trace` computes with these numbers."""

_PAIRS_AT_ONCE = 1 << 9
"""Number of pairs of sentences of similar lengths that are compared at a time."""

_NO_WORD, _NO_OTHER_WORD = -1, -2


def find_hits(references: Sequence[Sentence], peers: Sequence[Sentence], exponent: float = 1.0) -> list[Flags]:
    """Find the words of reference sentences in their longest common subsequences with peer sentences.

    Of the words that do not occur in the other sentence, only the first one after a word that does is compared. The
    others change neither the weights nor the steps.

    Args:
        references: Distinct sentences of references.
        peers: Distinct sentences of summaries.
        exponent: A sequence of k matches in a row weighs k ** exponent. 1 for ROUGE-L.

    Returns:
        For each reference sentence, shape (peers, words): whether the subsequence contains the word.
    """
    x, y = _pad(references), _pad(peers)
    hits = np.zeros((len(x), len(y), x.shape[1]), dtype=np.bool_)
    kept_x, kept_y = _select_words(x, y), _select_words(y, x).transpose(1, 0, 2)
    sizes_x, sizes_y = kept_x.sum(axis=2), kept_y.sum(axis=2)
    rows, columns = np.nonzero(sizes_x)  # a pair without common words has no hits
    order = np.lexsort((sizes_y[rows, columns], sizes_x[rows, columns]))
    for start in range(0, len(order), _PAIRS_AT_ONCE):
        pairs = order[start : start + _PAIRS_AT_ONCE]
        row, column = rows[pairs], columns[pairs]
        places, first = _compact(x[row], kept_x[row, column], int(sizes_x[row, column].max()), _NO_WORD)
        _, second = _compact(y[column], kept_y[row, column], int(sizes_y[row, column].max()), _NO_OTHER_WORD)
        hits[row[:, None], column[:, None], places] = _trace(first.T, second.T, exponent)
    return [found[:, x.shape[1] - len(sentence) :] for found, sentence in zip(hits, references, strict=True)]


def _pad(sentences: Sequence[Sentence]) -> Indices:
    """Put fillers before sentences, so that all have the same length: shape (sentences, words)."""
    longest = max(map(len, sentences), default=0)
    padded = [(_NO_WORD,) * (longest - len(words)) + words for words in sentences]
    return np.array(padded, dtype=np.int64).reshape(len(sentences), longest)


def _select_words(x: Indices, y: Indices) -> npt.NDArray[np.bool_]:
    """Select the words of each sentence that occur in each other sentence, and the word after each of them.

    Args:
        x: Padded sentences, shape (a, words).
        y: The other sentences, shape (b, words).

    Returns:
        Shape (a, b, words of x).
    """
    present = np.zeros((len(y), int(max(x.max(initial=0), y.max(initial=0))) + 2), dtype=np.bool_)
    present[np.arange(len(y))[:, None], y] = True
    present[:, _NO_WORD] = False
    selected = present[:, x].transpose(1, 0, 2)
    selected[:, :, 1:] |= selected[:, :, :-1].copy()
    return selected


def _compact(words: Indices, kept: npt.NDArray[np.bool_], size: int, filler: int) -> tuple[Indices, Indices]:
    """Move the words that are kept to the end of each row, after fillers. Return their places, and the words."""
    places = np.argsort(kept, axis=1, kind="stable")[:, kept.shape[1] - size :]
    compacted = np.where(np.take_along_axis(kept, places, axis=1), np.take_along_axis(words, places, axis=1), filler)
    return places, compacted


def _trace(x: Indices, y: Indices, exponent: float) -> npt.NDArray[np.bool_]:
    """Find the words of each reference sentence in its common subsequence with another sentence.

    The table of a pair is filled by its diagonals from the lower left to the upper right, whose cells do not depend on
    each other, for all pairs at a time.

    Args:
        x: Shape (m, pairs), reference sentences.
        y: Shape (n, pairs).
        exponent: As for `find_hits`.

    Returns:
        Shape (pairs, m).
    """
    (m, pairs), n = x.shape, len(y)
    gains = np.array([(k + 1) ** exponent - k**exponent for k in range(min(m, n) + 1)])
    if exponent == 1:
        gains = gains.astype(np.int32)
    steps = np.full((m + n + 1, m + 1, pairs), _UP, dtype=np.uint8)
    # Best weights, and lengths of the sequence of matches that ends in a cell, of the last two diagonals.
    before, last = (np.zeros((m + 1, pairs), dtype=gains.dtype) for _ in range(2))
    runs_before, runs_last = (np.zeros((m + 1, pairs), dtype=np.int32) for _ in range(2))
    for diagonal in range(2, m + n + 1):
        low, high = max(1, diagonal - n), min(m, diagonal - 1)
        cells = slice(low, high + 1)
        is_match = x[low - 1 : high] == y[diagonal - high - 1 : diagonal - low][::-1]
        up, left = last[low - 1 : high], last[cells]
        runs = runs_before[low - 1 : high]
        weights, lengths = np.zeros_like(last), np.zeros_like(runs_last)
        weights[cells] = np.where(is_match, before[low - 1 : high] + gains[runs], np.maximum(up, left))
        lengths[cells] = np.where(is_match, runs + 1, 0)
        steps[diagonal, cells] = ((left > up).view(np.uint8) + np.uint8(_UP)) * ~is_match
        before, last, runs_before, runs_last = last, weights, runs_last, lengths
    found = np.zeros((pairs, m), dtype=np.bool_)
    row, column, numbers = np.full(pairs, m), np.full(pairs, n), np.arange(pairs)
    while len(numbers):
        step = steps[row + column, row, numbers]
        is_match = step == _MATCH
        row = row - (step != _LEFT)
        column = column - (step != _UP)
        found[numbers[is_match], row[is_match]] = True
        is_open = (row > 0) & (column > 0)
        row, column, numbers = row[is_open], column[is_open], numbers[is_open]
    return found


def count_hits(
    reference: Sequence[Sentence], hits: Sequence[Flags], peer_counts: Counter[int], exponent: float = 1.0
) -> float:
    """Count the words of a reference that a summary has in common with it, each as often as it occurs in both.

    Args:
        reference: The sentences of the reference.
        hits: For each sentence, whether a word is in its common subsequence with any sentence of the summary.
        peer_counts: How often the summary contains each word.
        exponent: A sequence of k hits in a row counts k ** exponent.
    """
    left = Counter(word for sentence in reference for word in sentence) & peer_counts
    total = 0.0
    for sentence, flags in zip(reference, hits, strict=True):
        run = 0
        places = np.flatnonzero(flags).tolist()
        for place, following in zip_longest(places, places[1:]):
            word = sentence[place]
            if left[word] > 0:
                left[word] -= 1
                run += 1
                # As in ROUGE-1.5.5, only a hit that counts ends a sequence. Those of ROUGE-L have one word each.
                if following != place + 1 or exponent == 1:
                    total += run**exponent
                    run = 0
    return total
