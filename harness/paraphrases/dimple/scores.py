"""The metrics of all ranked lists, and their means per method with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.models.interfaces.model import Model
from harness.paraphrases.dimple.diversity import DISTANCE, LEXICAL, measure_diversity
from harness.paraphrases.dimple.lists import JUDGMENTS, RankedList, fingerprint_lists
from harness.paraphrases.dimple.metrics import CUTS, METRICS, list_columns, measure, rate_diversity
from harness.paraphrases.dimple.quality import AUTOMATIC, Quality, embed_words, rate_by_votes
from harness.stats.bootstrap import draw_weights, find_interval
from harness.stats.rounding import DECIMALS, round_scores
from harness.stats.significance import MIN_TOPICS
from harness.support.arrays import Floats
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import EmptyResultError, PyramidParaphraseError, unknown_name

Values = Mapping[tuple[str, int], float]
"""Values by metric and k."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """A rating of paraphrases with its name.

    Attributes:
        name: "strict", "lenient" or "automatic", or the name of a function of the user.
        quality: Function that rates the paraphrases of a list.
        model: Name and fingerprint of the model of an automatic judgment, and of the votes that its scale is fitted to.
        scale: The votes that the scale is fitted to, as a text, or "".
    """

    name: str
    quality: Quality
    model: str = ""
    scale: str = ""

    @property
    def description(self) -> str:
        """The name, and the model of an automatic judgment."""
        if self.name == AUTOMATIC:
            return f"{self.name}, by {self.model}, {self.scale or 'without human judgments'}"
        return self.name


def judge(name: str) -> Judgment:
    """Make a judgment by annotators, "strict" or "lenient".

    Raises:
        OptionError: If the name of the judgment is unknown.
    """
    if name not in JUDGMENTS:
        raise unknown_name("judgment", name, JUDGMENTS)
    return Judgment(name, partial(rate_by_votes, judgment=name))


@dataclass(frozen=True, slots=True)
class SetScores:
    """The metrics of a list.

    Attributes:
        source: The source.
        method: The method.
        count: Number of paraphrases in the list. It is 0 if the method has no list for the source.
        values: Values by metric and k.
    """

    source: str
    method: str
    count: int
    values: Values


@dataclass(frozen=True, slots=True)
class MethodScores:
    """The means of a method.

    Attributes:
        method: The method.
        sources: Number of sources for which the method has paraphrases.
        values: Means over all sources.
        intervals: 95 % bootstrap intervals over sources. None if there are fewer than `MIN_TOPICS` sources.
    """

    method: str
    sources: int
    values: Values
    intervals: Mapping[tuple[str, int], tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class DimpleScores:
    """The metrics of all lists and of all methods, with the settings that decide them.

    Attributes:
        judgment: The judgment of the paraphrases.
        cuts: The values of k.
        sets: Metrics by source and method.
        methods: Means by method.
        resamples: Number of bootstrap resamples of the intervals.
        seed: Random seed of the resamples.
        fingerprint: SHA-256 of the lists.
        rated: Number of paraphrases.
        zeros: Number of paraphrases with quality 0.
        metrics: Names of the metrics, and of the measures of diversity.
        encoder: Name and fingerprint of the encoder that measures distances, or "".
        diversity: Name of the function that rates D, or "" for that of the paper.
    """

    judgment: Judgment
    cuts: tuple[int, ...]
    sets: tuple[SetScores, ...]
    methods: tuple[MethodScores, ...]
    resamples: int
    seed: int
    fingerprint: str
    rated: int
    zeros: int
    metrics: tuple[str, ...] = METRICS
    encoder: str = ""
    diversity: str = ""

    @property
    def columns(self) -> list[tuple[str, int]]:
        """All pairs of a metric and k, in the order of the columns of tables."""
        return list_columns(self.cuts, self.metrics)

    @property
    def source_count(self) -> int:
        """Number of distinct sources, each of which may have lists by several methods."""
        return len({set_scores.source for set_scores in self.sets})

    @property
    def has_intervals(self) -> bool:
        """Whether any mean has an interval."""
        return any(any(method_scores.intervals.values()) for method_scores in self.methods)

    @property
    def settings(self) -> str:
        """The settings that decide the metrics of lists, in the format of signatures."""
        parts = [f"lists:{self.fingerprint[:12]}", f"judgment:{self.judgment.name}"]
        if self.judgment.model:
            parts.append(f"model:{self.judgment.model}")
        if others := self.metrics[len(METRICS) :]:
            parts.append(f"diversity:{','.join(others)}")
        if self.diversity:
            parts.append(f"d:{self.diversity}")
        if self.encoder:
            parts.append(f"encoder:{self.encoder}")
        cuts = ",".join(map(str, self.cuts))
        return "|".join([*parts, f"k:{cuts}", "words:own", "stems:porter"])

    @property
    def signature(self) -> str:
        """One line that names all settings that decide the numbers."""
        return f"dimple|{self.settings}|bootstrap:{self.resamples}/{self.seed}|version:{__version__}"


def score_lists(
    lists: Sequence[RankedList],
    judgment: Judgment,
    *,
    cuts: Sequence[int] = CUTS,
    resamples: int = 1000,
    seed: int = 0,
    with_diversity: bool = False,
    encoder: Model | None = None,
    rate: Callable[[str, Sequence[str]], Sequence[int]] = rate_diversity,
) -> DimpleScores:
    """Compute the metrics of ranked lists.

    A missing list of a method counts as an empty list with the value 0, like the missing ranks of a short list. A
    method therefore has no advantage if it leaves out difficult sources.

    Args:
        lists: The lists, one per source and method.
        judgment: The judgment of the quality of paraphrases.
        cuts: The values of k.
        resamples: Number of bootstrap resamples of sources for the intervals.
        seed: Random seed of the resamples.
        with_diversity: Whether to measure diversity, too, as `measure_diversity` describes it.
        encoder: Encoder that measures the distance of paraphrases, or None. It implies `with_diversity`.
        rate: Function that rates the diversity D of the paraphrases of a source, from 1 to 3, the best ranked first.
            Signatures contain the name of a function of the user.

    Returns:
        The metrics of each source and method, and of each method.

    Raises:
        EmptyResultError: If `lists` is empty.
        PyramidParaphraseError: If a quality is out of range or missing.
        ModelError: If the encoder fails.
    """
    if not lists:
        raise EmptyResultError("no ranked lists. Pass at least one list")
    by_key = {(ranked.source, ranked.method): ranked for ranked in lists}
    sources, methods = (list(dict.fromkeys(names)) for names in zip(*by_key, strict=True))
    with_diversity |= encoder is not None
    metrics = METRICS + LEXICAL if with_diversity else METRICS
    find_cosines = None
    if encoder is not None:
        find_cosines = _compare_texts(encoder, [text for ranked in lists for text in ranked.texts])
        metrics = (*metrics, DISTANCE)
    sets = []
    rated = zeros = 0
    for source in sources:
        for method in methods:
            ranked = by_key.get((source, method), RankedList(source, method, ()))
            try:
                ratings = judgment.quality(ranked)
                diversity = rate(source, ranked.texts)
                values = dict(measure(ratings, diversity, cuts))
            except ValueError as error:
                reason = f"'{source}' by '{method}': {error}"
                raise PyramidParaphraseError(f"{reason}. Correct the rating of quality or diversity") from None
            if with_diversity:
                cosines = find_cosines(ranked.texts) if find_cosines else None
                values |= measure_diversity(source, ranked.texts, ratings, diversity, cuts, cosines)
            rated += len(ratings)
            zeros += sum(rating == 0 for rating in ratings)
            sets.append(SetScores(source, method, len(ranked.paraphrases), values))
    means = []
    for method in methods:
        sets_of_method = [set_scores for set_scores in sets if set_scores.method == method]
        sources_of_method = sum(set_scores.count > 0 for set_scores in sets_of_method)
        averages = _average([set_scores.values for set_scores in sets_of_method], resamples, seed)
        means.append(MethodScores(method, sources_of_method, *averages))
    return DimpleScores(
        judgment=judgment,
        cuts=tuple(cuts),
        sets=tuple(sets),
        methods=tuple(means),
        resamples=resamples,
        seed=seed,
        fingerprint=fingerprint_lists(lists),
        rated=rated,
        zeros=zeros,
        metrics=metrics,
        diversity="" if rate is rate_diversity else getattr(rate, "__name__", "own"),
        encoder=name_model(encoder) if encoder is not None else "",
    )


def name_model(model: Model) -> str:
    """Return the name of a model, with the first digits of its fingerprint if it has one."""
    return f"{model.name} {model.fingerprint[:12]}" if model.fingerprint else model.name


def _compare_texts(encoder: Model, texts: Iterable[str]) -> Callable[[Sequence[str]], Floats]:
    """Encode texts. Return a function from some of them to their cosines with each other, a square matrix."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    vectors = embed_words(encoder, list(numbers))

    def find_cosines(some: Sequence[str]) -> Floats:
        rows = vectors[[numbers[text] for text in some]]
        cosines = rows @ rows.T
        if not isinstance(cosines, np.ndarray):  # a sparse matrix
            cosines = cosines.toarray()
        return np.asarray(round_scores(cosines))

    return find_cosines


def _average(
    values: Sequence[Values], resamples: int, seed: int
) -> tuple[Values, Mapping[tuple[str, int], tuple[float, float] | None]]:
    """Average the metrics of a method over all sources, and compute bootstrap intervals."""
    columns = list(values[0])
    table = np.array([list(values_of_source.values()) for values_of_source in values])
    means = {column: round(float(mean), DECIMALS) for column, mean in zip(columns, table.mean(axis=0), strict=True)}
    if len(table) < MIN_TOPICS:
        return means, dict.fromkeys(columns)
    resampled_means = draw_weights(len(table), resamples, seed) @ table / len(table)
    return means, {column: find_interval(drawn) for column, drawn in zip(columns, resampled_means.T, strict=True)}
