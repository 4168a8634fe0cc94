"""Longest common subsequences of sentences, as ROUGE-1.5.5 finds them for ROUGE-L and ROUGE-W (Lin 2004).

Several subsequences of two sentences can have the same length or weight. ROUGE-1.5.5 takes one of them, by fixed rules:
equal words are always matched with each other, and otherwise the last word of the reference is left out first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from harness.support.arrays import Flags, Floats, Indices

Sentence = tuple[int, ...]
"""The numbers of the words of a sentence."""

_MATCH, _UP, _LEFT = 0, 1, 2
"""Steps through the table of a pair of sentences: match both words, leave out that of the reference, or the other.
`_trace` computes with these numbers."""

_PAIRS_AT_ONCE = 1 << 9
"""Maximum number of pairs of sentences that `_trace` compares at a time."""

_SIMILAR = 2
"""Maximum quotient of the lengths of sentences that `_trace` compares at a time, because it pads all to the longest."""

_CELLS_AT_ONCE = 1 << 13
"""Number of pairs of sentences that `_trace_bits` compares at a time."""

_NO_WORD, _NO_OTHER_WORD = -1, -2

_MOST_BITS = 64
"""Maximum number of words of reference sentences that `_trace_bits` compares."""

Bits = npt.NDArray[np.uint64]
"""Sets of words of reference sentences: bit k is the word k."""


def find_hits(
    references: Sequence[Sentence], peers: Sequence[Sentence], exponents: Sequence[float] = (1.0,)
) -> Iterator[list[Flags]]:
    """Find the words of reference sentences in their longest common subsequences with peer sentences.

    Two sentences without two matches in a row have the same subsequence for all exponents.

    Args:
        references: Distinct sentences of references.
        peers: Distinct sentences of summaries. A negative number is a word that no reference has.
        exponents: A sequence of k matches in a row weighs k ** exponent. 1 for ROUGE-L.

    Yields:
        For each exponent, and each reference sentence, shape (peers, words): whether the subsequence contains the word.
    """
    x, y = _pad(references), _pad(peers)
    is_short = np.array([len(sentence) <= _MOST_BITS for sentence in references], dtype=np.bool_)
    short = [sentence for sentence in references if len(sentence) <= _MOST_BITS]
    longest, adjacent = _trace_bits(short, peers)
    starts = [x.shape[1] - len(sentence) for sentence in references]
    hits = np.zeros((len(x), len(y), x.shape[1]), dtype=np.bool_)
    flags = np.unpackbits(longest.astype("<u8").view(np.uint8).reshape(*longest.shape, 8), axis=2, bitorder="little")
    for row, found in zip(np.flatnonzero(is_short).tolist(), flags.view(np.bool_).transpose(1, 0, 2), strict=True):
        hits[row, :, starts[row] :] = found[:, : x.shape[1] - starts[row]]
    for exponent in exponents:
        remaining = np.ones((len(x), len(y)), dtype=np.bool_)
        remaining[is_short] = adjacent.T & (exponent != 1)
        traced = hits.copy()
        _trace_pairs(x, y, remaining, exponent, traced)
        yield [found[:, start:] for found, start in zip(traced, starts, strict=True)]


def _trace_bits(references: Sequence[Sentence], peers: Sequence[Sentence]) -> tuple[Bits, Flags]:
    """Find the words of short reference sentences in their longest common subsequences with peer sentences.

    The columns of a table of lengths are sets of bits, which a sum advances by a word (Hyyrö 2004, "Bit-parallel LCS
    computation revisited"), for many pairs at a time. A bit is 0 in a row whose length exceeds that of the row before.

    Returns:
        The words, and whether two adjacent words match two adjacent words. Both have the shape (peers, references).
    """
    size = 1 + max(map(max, filter(None, references)), default=-1)
    table = np.zeros((size + 1, len(references)), dtype=np.uint64)  # the last row is that of all other words
    for column, sentence in enumerate(references):
        for place, word in enumerate(sentence):
            table[word, column] |= np.uint64(1 << place)
    is_known: list[bool] = np.asarray(table.any(axis=1)).tolist()
    lines = []
    for sentence in peers:
        words = [word if 0 <= word < size and is_known[word] else size for word in sentence]
        # A word that matches nothing changes only the steps from it to the word before. One of several is enough.
        lines.append([word for word, before in zip(words, [size, *words], strict=False) if min(word, before) < size])
    lengths = np.array(list(map(len, lines)), dtype=np.int64)
    padded = np.full((len(lines), int(lengths.max(initial=0))), size)
    for row, words in zip(padded, lines, strict=True):
        row[: len(words)] = words
    order = np.argsort(-lengths, kind="stable")
    found = np.zeros((len(peers), len(references)), dtype=np.uint64)
    adjacent = np.zeros(found.shape, dtype=np.bool_)
    step = max(1, _CELLS_AT_ONCE // max(1, len(references)))
    for start in range(0, len(order), step):
        numbers = order[start : start + step]
        found[numbers], adjacent[numbers] = _trace_block(table, padded[numbers], lengths[numbers])
    return found, adjacent


def _trace_block(table: Bits, lines: Indices, lengths: Indices) -> tuple[Bits, Flags]:
    """Trace the subsequences of peer sentences, the longest first, with all reference sentences."""
    shape = (len(lines), table.shape[1])
    numbers = np.searchsorted(
        -lengths, -np.arange(lengths.max(initial=0)), side="left"
    )  # of sentences with a word there
    state = np.full(shape, ~np.uint64(0))
    runs, found = np.zeros(shape, dtype=np.uint64), np.zeros(shape, dtype=np.uint64)
    before = np.zeros(shape, dtype=np.uint64)
    columns = []
    for place, size in enumerate(numbers.tolist()):
        match, kept = table[lines[:size, place]], state[:size]
        common = kept & match
        moved = kept + common
        columns.append((match, match | ~(kept | moved)))  # rows of other steps than leaving the reference's word out
        runs[:size] |= match & (before[:size] << np.uint64(1))
        before = match
        state[:size] = moved | (kept ^ common)
    rows = np.full(shape, ~np.uint64(0))
    rest = np.zeros(shape, dtype=np.uint64)
    for match, stops in reversed(columns):
        size = len(match)
        stop = stops & rows[:size]
        for shift in (1, 2, 4, 8, 16, 32):  # fill all bits below the highest one
            stop |= stop >> np.uint64(shift)
        hit = (stop ^ (stop >> np.uint64(1))) & match
        found[:size] |= hit
        rest[:size] |= match ^ hit
        rows[:size] = stop ^ hit
    return found, (runs != 0) & (rest != 0)


def _trace_pairs(x: Indices, y: Indices, selected: Flags, exponent: float, hits: Flags) -> None:
    """Trace the subsequences of selected pairs of sentences, and set their hits.

    Of the words that do not occur in the other sentence, only the first one after a word that does is compared. The
    others change neither the weights nor the steps.

    Args:
        x: Padded reference sentences.
        y: Padded peer sentences.
        selected: The pairs, shape (references, peers).
        exponent: As for `find_hits`.
        hits: Shape (references, peers, words).
    """
    rows, columns = np.nonzero(selected)
    size = 2 + int(max(x.max(initial=0), y.max(initial=0)))
    kept_x = _select_words(x[rows], y, columns, size)
    kept_y = _select_words(y[columns], x, rows, size)
    sizes_x, sizes_y = kept_x.sum(axis=1), kept_y.sum(axis=1)
    sizes = np.maximum(sizes_x, sizes_y)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes_x[order] > 0]  # a pair without common words has no hits
    start = 0
    while start < len(order):
        most = _SIMILAR * sizes[order[start]]
        end = min(start + _PAIRS_AT_ONCE, int(np.searchsorted(sizes[order], most, side="right")))
        pairs = order[start:end]
        start = end
        row, column = rows[pairs], columns[pairs]
        places, first = _compact(x[row], kept_x[pairs], int(sizes_x[pairs].max()), _NO_WORD)
        _, second = _compact(y[column], kept_y[pairs], int(sizes_y[pairs].max()), _NO_OTHER_WORD)
        second[second < 0] = _NO_OTHER_WORD
        hits[row[:, None], column[:, None], places] = _trace(_by_word(first), _by_word(second), exponent)


def _by_word(sentences: Indices) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(sentences.T, dtype=np.int32)


def _pad(sentences: Sequence[Sentence]) -> Indices:
    """Put fillers before sentences, so that all have the same length: shape (sentences, words)."""
    longest = max(map(len, sentences), default=0)
    padded = [(_NO_WORD,) * (longest - len(words)) + words for words in sentences]
    return np.array(padded, dtype=np.int64).reshape(len(sentences), longest)


def _select_words(words: Indices, others: Indices, numbers: Indices, size: int) -> Flags:
    """Select the words of sentences that occur in other sentences, and the word after each of them.

    Args:
        words: Padded sentences, shape (pairs, words).
        others: Padded other sentences.
        numbers: For each pair, the number of the other sentence.
        size: A number above that of all words.

    Returns:
        The shape of the words.
    """
    present = np.zeros((len(others), size), dtype=np.bool_)
    present[np.arange(len(others))[:, None], others] = True
    present[:, _NO_WORD] = False
    selected = present[numbers[:, None], words]
    selected[:, 1:] |= selected[:, :-1].copy()
    return selected


def _compact(words: Indices, kept: Flags, size: int, filler: int) -> tuple[Indices, Indices]:
    """Move the words that are kept to the end of each row, after fillers. Return their places, and the words."""
    places = np.argsort(kept, axis=1, kind="stable")[:, kept.shape[1] - size :]
    compacted = np.where(np.take_along_axis(kept, places, axis=1), np.take_along_axis(words, places, axis=1), filler)
    return places, compacted


def _trace(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], exponent: float) -> Flags:
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
    steps = np.empty((m + n + 1, m + 1, pairs), dtype=np.uint8)
    # Best weights, and lengths of the sequence of matches that ends in a cell, of three diagonals.
    before, last, weights = (np.zeros((m + 1, pairs)) for _ in range(3))
    runs_before, runs_last, runs = (np.zeros((m + 1, pairs), dtype=np.int32) for _ in range(3))
    for diagonal in range(2, m + n + 1):
        low, high = max(1, diagonal - n), min(m, diagonal - 1)
        cells = slice(low, high + 1)
        is_match = x[low - 1 : high] == y[diagonal - high - 1 : diagonal - low][::-1]
        up, left = last[low - 1 : high], last[cells]
        np.maximum(up, left, out=weights[cells])
        np.add((left > up).view(np.uint8), np.uint8(_UP), out=steps[diagonal, cells])
        runs[cells] = 0
        matches = np.flatnonzero(is_match) + (low - 1) * pairs
        extended = runs_before.ravel()[matches]
        weights.ravel()[matches + pairs] = before.ravel()[matches] + gains[extended]
        runs.ravel()[matches + pairs] = extended + 1
        steps[diagonal].ravel()[matches + pairs] = _MATCH
        before, last, weights = last, weights, before
        runs_before, runs_last, runs = runs_last, runs, runs_before
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


def count_hits(words: Indices, starts: Indices, hits: Flags, peer_counts: Indices, exponent: float = 1.0) -> Floats:
    """Count the words of a reference that summaries have in common with it, each as often as it occurs in both.

    Args:
        words: Shape (words,), of all sentences of the reference.
        starts: For each sentence, the number of words before it.
        hits: Shape (summaries, words): whether a word is in its common subsequence with any sentence of the summary.
        peer_counts: How often each summary contains each word, shape (summaries, vocabulary).
        exponent: A sequence of k hits in a row counts k ** exponent.

    Returns:
        Shape (summaries,).
    """
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    ranks: Indices = np.cumsum(hits[:, order], axis=1)
    is_first = np.diff(ordered, prepend=-1) != 0
    hits_before = np.asarray(ranks - hits[:, order])[:, is_first]  # of smaller words
    ranks = ranks - hits_before[:, np.cumsum(is_first) - 1]
    counted = np.zeros_like(hits)
    counted[:, order] = hits[:, order] & (ranks <= peer_counts[:, ordered])
    if exponent == 1:
        return counted.sum(axis=1).astype(np.float64)
    # As in ROUGE-1.5.5, only a hit that counts ends a sequence.
    is_last = np.ones_like(hits)
    is_last[:, :-1] = ~hits[:, 1:]
    is_last[:, starts[(starts > 0) & (starts < len(words))] - 1] = True
    numbers: Indices = np.cumsum(counted, axis=1)
    summary, place = np.nonzero(counted & is_last)
    ends = numbers[summary, place]
    sentence_starts = starts[np.searchsorted(starts, place, side="right") - 1]
    before = np.asarray(numbers - counted)[summary, sentence_starts]
    is_next = np.diff(summary, prepend=-1) == 0
    before[is_next] = np.maximum(before[is_next], ends[:-1][is_next[1:]])
    weights = np.array([k**exponent for k in range(int(numbers.max(initial=0)) + 1)])
    return np.bincount(summary, weights[ends - before], minlength=len(hits)).astype(np.float64)
