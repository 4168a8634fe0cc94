"""The metrics of all lists, and their means per method with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.paraphrases.dimple.diversity import Diversity, rate_diversity
from harness.paraphrases.dimple.gains import CUTS, measure
from harness.paraphrases.dimple.lists import RankedList, fingerprint_lists
from harness.paraphrases.dimple.quality import AUTOMATIC, JudgedQuality, Quality
from harness.stats.bootstrap import draw_weights, find_intervals
from harness.stats.significance import MIN_TOPICS
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import EmptyResultError, PyramidParaphraseError

Values = Mapping[tuple[str, int], float]
"""Values by name of the metric and k."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """Whose quality it is.

    Attributes:
        name: "strict", "lenient" or "automatic"; of any other callable, what its user calls it.
        quality: Rates the paraphrases of a list.
        model: Name and fingerprint of the model that does, or "".
    """

    name: str
    quality: Quality
    model: str = ""

    @property
    def shown(self) -> str:
        """What tables call it: with the name of the model, if it is automatic."""
        return f"{self.name}, by {self.model}: no human judged" if self.name == AUTOMATIC else self.name


def judge(name: str) -> Judgment:
    """The judgment of annotators, "strict" or "lenient"."""
    return Judgment(name, JudgedQuality(name))


@dataclass(frozen=True, slots=True)
class SetScores:
    """The metrics of a list: `count` is how many paraphrases it has, none if the method gives none for the source."""

    source: str
    method: str
    count: int
    values: Values


@dataclass(frozen=True, slots=True)
class MethodScores:
    """The means of a method.

    Attributes:
        method: The method.
        sources: For how many sources it gives paraphrases.
        values: Means over all sources.
        intervals: The middle 95 % of the means of resamples of the sources; None with fewer than `MIN_TOPICS`.
    """

    method: str
    sources: int
    values: Values
    intervals: Mapping[tuple[str, int], Sequence[float] | None]


@dataclass(frozen=True, slots=True)
class Scores:
    """All of it.

    Attributes:
        judgment: Whose quality it is.
        cuts: The values of k.
        sets: By source and method.
        methods: By method.
        resamples: How many the intervals are from.
        seed: Of these.
        fingerprint: Of the lists.
    """

    judgment: Judgment
    cuts: tuple[int, ...]
    sets: tuple[SetScores, ...]
    methods: tuple[MethodScores, ...]
    resamples: int
    seed: int
    fingerprint: str

    @property
    def source_count(self) -> int:
        """Number of sources."""
        return len({one.source for one in self.sets})

    @property
    def settings(self) -> str:
        """What decides the metrics of lists, as signatures name it."""
        model = [f"model:{self.judgment.model}"] if self.judgment.model else []
        cuts = ",".join(map(str, self.cuts))
        parts = [f"lists:{self.fingerprint[:12]}", f"judgment:{self.judgment.name}", *model, f"k:{cuts}"]
        return "|".join([*parts, "words:own", "stems:porter"])

    @property
    def signature(self) -> str:
        """One line that names everything that decides the numbers."""
        return f"dimple|{self.settings}|bootstrap:{self.resamples}/{self.seed}|version:{__version__}"


def score_lists(
    lists: Sequence[RankedList],
    judgment: Judgment,
    *,
    cuts: Sequence[int] = CUTS,
    diversity: Diversity = rate_diversity,
    resamples: int = 1000,
    seed: int = 0,
) -> Scores:
    """Measure ranked lists.

    What a method gives no list for is an empty list, which gains 0, as what a short list lacks does: to leave out what
    is hard is not rewarded.

    Args:
        lists: The lists, one per source and method.
        judgment: How good paraphrases are.
        cuts: The values of k.
        diversity: How much they add.
        resamples: Number of bootstrap resamples of sources for the intervals.
        seed: Of that.

    Returns:
        The metrics of each source and method, and of each method.

    Raises:
        EmptyResultError: If there is no list.
        PyramidParaphraseError: If a quality or a diversity is out of range, or cannot be had.
    """
    if not lists:
        raise EmptyResultError("no ranked list was given; give at least one")
    by_key = {(ranked.source, ranked.method): ranked for ranked in lists}
    sources, methods = (list(dict.fromkeys(names)) for names in zip(*by_key, strict=True))
    sets = []
    for source in sources:
        for method in methods:
            ranked = by_key.get((source, method), RankedList(source, method, ()))
            values = _measure(ranked, judgment.quality, diversity, cuts)
            sets.append(SetScores(source, method, len(ranked.paraphrases), values))
    by_method = {method: [one for one in sets if one.method == method] for method in methods}
    means = tuple(_average(method, own, resamples, seed) for method, own in by_method.items())
    return Scores(judgment, tuple(cuts), tuple(sets), means, resamples, seed, fingerprint_lists(lists))


def _measure(ranked: RankedList, quality: Quality, diversity: Diversity, cuts: Sequence[int]) -> Values:
    try:
        return measure(quality(ranked), diversity(ranked.source, ranked.texts), cuts)
    except ValueError as error:
        name = f"'{ranked.source}' by '{ranked.method}'"
        raise PyramidParaphraseError(f"{name}: {error}; mend what rates quality or diversity") from None


def _average(method: str, sets: Sequence[SetScores], resamples: int, seed: int) -> MethodScores:
    keys = list(sets[0].values)
    table = np.array([[one.values[key] for key in keys] for one in sets])
    means = {key: round(float(mean), 6) for key, mean in zip(keys, table.mean(axis=0), strict=True)}
    intervals: dict[tuple[str, int], Sequence[float] | None] = dict.fromkeys(keys)
    if len(sets) >= MIN_TOPICS:
        drawn = draw_weights(len(sets), resamples, seed) @ table / len(sets)
        found = find_intervals({str(column): drawn[:, column] for column in range(len(keys))})
        intervals = {key: found[str(column)] for column, key in enumerate(keys)}
    return MethodScores(method, sum(one.count > 0 for one in sets), means, intervals)
