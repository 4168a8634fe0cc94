"""Phrase tables computed word by word from the definitions, for comparison with the fast extraction."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

Points = frozenset[tuple[int, int]]
Spans = tuple[int, int, int, int]


class Entry(NamedTuple):
    """A line of a phrase table."""

    source: str
    target: str
    scores: tuple[float, float, float, float]
    alignment: str
    counts: tuple[int, int, int]


def list_spans(points: Iterable[tuple[int, int]], n: int, m: int, max_words: int) -> set[Spans]:
    """Return the pairs of spans that fit the definition of Och and Ney (2004), by checking every pair."""
    points = set(points)
    return {
        (a, b, c, d)
        for a in range(n)
        for b in range(a + 1, min(n, a + max_words) + 1)
        for c in range(m)
        for d in range(c + 1, min(m, c + max_words) + 1)
        if any(a <= i < b and c <= j < d for i, j in points) and all((a <= i < b) == (c <= j < d) for i, j in points)
    }


def make_table(pairs: Sequence[tuple[list[str], list[str], Points]], max_words: int) -> list[Entry]:
    """Make a phrase table of sentence pairs with their alignments, as Moses does with lexical weights."""
    given_source = _translate_words([(source, target, points) for source, target, points in pairs])
    given_target = _translate_words([(target, source, _turn(points)) for source, target, points in pairs])
    alignments: dict[tuple[tuple[str, ...], tuple[str, ...]], Counter[Points]] = defaultdict(Counter)
    for source, target, points in pairs:
        for a, b, c, d in list_spans(points, len(source), len(target), max_words):
            inner = frozenset((i - a, j - c) for i, j in points if a <= i < b)
            alignments[tuple(source[a:b]), tuple(target[c:d])][inner] += 1
    joint = {pair: counts.total() for pair, counts in alignments.items()}
    sources, targets = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for (source_words, target_words), count in joint.items():
        sources[source_words] += count
        targets[target_words] += count
    entries = []
    for (source_words, target_words), counts in sorted(alignments.items()):
        count = joint[source_words, target_words]
        direct = _choose(counts)
        turned = _choose(Counter({_turn(points): number for points, number in counts.items()}))
        scores = (
            count / targets[target_words],
            _weigh(target_words, source_words, turned, given_target),
            count / sources[source_words],
            _weigh(source_words, target_words, direct, given_source),
        )
        alignment = " ".join(f"{i}-{j}" for i, j in sorted(direct, key=lambda point: point[::-1]))
        totals = (targets[target_words], sources[source_words], count)
        entries.append(Entry(" ".join(source_words), " ".join(target_words), scores, alignment, totals))
    return entries


def _turn(points: Points) -> Points:
    return frozenset((j, i) for i, j in points)


def _translate_words(pairs: Sequence[tuple[list[str], list[str], Points]]) -> dict[tuple[str | None, str], float]:
    """Return p(word of the second sentence | word of the first sentence), to seven decimals. None is NULL."""
    joint, totals = Counter[tuple[str | None, str]](), Counter[str | None]()
    for first, second, points in pairs:
        linked = {i for i, _ in points}
        totals.update(word for i, word in enumerate(first) if i not in linked)
        links: list[tuple[str | None, str]] = [(first[i], second[j]) for i, j in points]
        linked = {j for _, j in points}
        links += [(None, word) for j, word in enumerate(second) if j not in linked]
        joint.update(links)
        totals.update(word for word, _ in links)
    return {pair: float(f"{count / totals[pair[0]]:.7f}") for pair, count in joint.items()}


def _choose(counts: Counter[Points]) -> Points:
    """Return the most frequent alignment. Ties are broken by the greatest list of sets."""

    def key(points: Points) -> tuple[int, list[list[int]]]:
        return counts[points], [sorted(i for i, j in points if j == place) for place in range(70)]

    return max(counts, key=key)


def _weigh(
    first: Sequence[str], second: Sequence[str], points: Points, probabilities: dict[tuple[str | None, str], float]
) -> float:
    """Return the lexical weight (Koehn, Och and Marcu 2003): the product over words of the mean over their links."""
    factors = []
    for place, word in enumerate(second):
        values = [probabilities[first[i], word] for i, j in sorted(points) if j == place] or [probabilities[None, word]]
        factors.append(sum(values) / len(values))
    return prod(factors)
