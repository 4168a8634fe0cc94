"""Soft pyramid scores: a model says how closely a summary expresses each SCU, and no person annotates the summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby, product
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.direct_scoring import DirectScoring, replace_missing
from harness.evaluation.embedding import require_cosine, warn_of_texts
from harness.evaluation.layout import list_windows
from harness.evaluation.scoring import encode_to_units
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Model
from harness.stats.rounding import round_new_scores
from harness.summarization.summaries import Summary, note_files
from harness.support.errors import ModelError
from harness.support.progress import Progress
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.records import Pyramid, Scu


def pair_with_pyramids(
    summaries: Sequence[Summary], pyramids: Sequence[Pyramid]
) -> tuple[dict[Summary, list[tuple[str, ...]]], list[str]]:
    """Find the pyramid of each summary: the pyramid with the name of its topic, such as "D0701" or "D0743-A".

    Args:
        summaries: Summaries to score.
        pyramids: The pyramids. Contributors by an author do not count for summaries of the same author.

    Returns:
        The summaries that have a pyramid, sorted by topic and author, each with the texts of its SCUs, as from
        `select_scus`. Then notes for the reader of the scores, also on the number of topics without a pyramid.

    Raises:
        EmptyResultError: If no summary has a pyramid with SCUs by other authors.
    """
    by_topic = {pyramid.id: pyramid for pyramid in pyramids}
    if not by_topic:
        raise EmptyResultError("the sources contain no pyramids. Add the pyramids of the summaries' topics")
    scus_of = {
        summary: select_scus(by_topic[summary.topic].scus, summary.author)
        for summary in summaries
        if summary.topic in by_topic
    }
    other_topics = list(dict.fromkeys(summary.topic for summary in summaries if summary not in scus_of))
    if not scus_of:
        examples = f"a topic of the summaries is {other_topics[0]}, a topic of the pyramids is {min(by_topic)}"
        raise EmptyResultError(f"no topic has both a summary and a pyramid: {examples}. Use the same topic names")
    paths_without_scus = [summary.path for summary, scus in scus_of.items() if not scus]
    if len(paths_without_scus) == len(scus_of):
        reason = f"{len(scus_of):,} summaries have a pyramid, but none of them has an SCU by other authors"
        raise EmptyResultError(
            f"{reason}, such as {paths_without_scus[0]}. Add summaries by other authors, or pyramids"
        )
    notes = []
    if other_topics:
        subject = "1 topic has" if len(other_topics) == 1 else f"{len(other_topics)} topics have"
        notes.append(f"{subject} no pyramid, and no scores")
    remark = "no SCU by other authors, and no score"
    notes += note_files(paths_without_scus, f"has {remark}", f"have {remark}")
    return {summary: scus for summary, scus in scus_of.items() if scus}, notes


def select_scus(scus: Iterable[Scu], author: str) -> list[tuple[str, ...]]:
    """List the texts of the contributors by other authors for each SCU that has such contributors."""
    selected = []
    for scu in scus:
        texts = tuple(contributor.text for contributor in scu.contributors if author not in contributor.summarizers)
        if texts:
            selected.append(texts)
    return selected


def require_scorer(model: Model) -> None:
    """Check that a model can score the similarity between an SCU and a summary.

    Raises:
        ModelError: If the model cannot score it, or has another similarity than the cosine.
    """
    model.require(*_WAYS, remedy="To compare an SCU with a summary, use an encoder, such as tf-idf")
    require_cosine(model)


def score_soft_pyramids(
    model: Model,
    scus_of: Mapping[Summary, Sequence[Sequence[str]]],
    *,
    store: ModelStore | None = None,
    bar: Progress,
) -> list[float]:
    """Score summaries.

    With the number w of contributors of an SCU, which is its weight in published pyramid scores,

    score = sum over SCUs of w * max over its contributors c and the summary's sentences s of near(c, s) / sum of w.

    near(c, s) is the cosine of an encoder, or the score of a pair scorer, for which s may be a window of sentences. If
    a model reads whole summaries, the maximum is over the contributors alone. A summary without sentences scores 0. The
    cosine of a zero vector and any vector is 0. All texts are encoded at once, because bag-of-words vectors, and their
    cosines, depend on all texts.

    Args:
        model: An encoder, a model that learns an encoder from texts, or a model that scores pairs or summaries.
        scus_of: The summaries, grouped by topic, each with the texts of the contributors of each SCU, at least one.
        store: Cache of vectors and scores, or None for no cache.
        bar: Progress bar.

    Returns:
        A rounded score per summary, between -1 and 1 for encoders.

    Raises:
        ModelError: If the model is not one of these kinds, fails, or does not return a finite vector or score per text.
    """
    if not any(summary.sentences for summary in scus_of):
        return [0.0] * len(scus_of)
    try:
        require_scorer(model)
        way = next(way for ability, way in _WAYS.items() if ability in model.abilities)
        scores = way(model, scus_of, store, bar)
    finally:
        bar.stop()
    return [float(score) for score in round_new_scores(scores)]


def _score_by_cosine(
    model: Model, scus_of: Mapping[Summary, Sequence[Sequence[str]]], store: ModelStore | None, bar: Progress
) -> list[float]:
    """Score by cosines, with one matrix product per topic."""
    texts = sorted(_collect_texts(scus_of).union(*(summary.sentences for summary in scus_of)))
    unit_vectors = encode_to_units(model, texts, "pyramids and summaries", store=store, listen=bar.follow)
    row_of = {text: row for row, text in enumerate(texts)}
    scores: list[float] = []
    for _, group in groupby(scus_of, key=attrgetter("topic")):
        summaries = list(group)
        scu_texts = sorted(_collect_texts({summary: scus_of[summary] for summary in summaries}))
        sentences = sorted(set().union(*(summary.sentences for summary in summaries)))
        left, right = ([row_of[text] for text in texts] for texts in (scu_texts, sentences))
        cosines: Any = unit_vectors[left] @ unit_vectors[right].T
        if not isinstance(cosines, np.ndarray):  # the product of sparse matrices is sparse
            cosines = cosines.toarray()
        row_in_cosines = {text: row for row, text in enumerate(scu_texts)}
        column_in_cosines = {text: column for column, text in enumerate(sentences)}
        for summary in summaries:
            rows = [row_in_cosines[text] for text in chain.from_iterable(scus_of[summary])]
            columns = [column_in_cosines[text] for text in summary.sentences]
            scores.append(_average(summary, scus_of[summary], cosines[np.ix_(rows, columns)]))
    return scores


def _collect_texts(scus_of: Mapping[Summary, Sequence[Sequence[str]]]) -> set[str]:
    return set(chain.from_iterable(chain.from_iterable(scus_of.values())))


def _score_whole_summaries(
    model: Model, scus_of: Mapping[Summary, Sequence[Sequence[str]]], store: ModelStore | None, bar: Progress
) -> list[float]:
    inputs: list[tuple[Summary, str]] = []
    for summary, scus in scus_of.items():
        if summary.sentences:
            inputs += product([summary], chain.from_iterable(scus))
    warn_of_texts(model, sorted({(" ".join(summary.sentences), text) for summary, text in inputs}))
    items = [(text, *summary.sentences) for summary, text in inputs]
    values = _score_directly(model, Ability.SCORE_SUMMARIES, items, store, bar)
    tables: dict[Summary, list[list[float]]] = defaultdict(list)
    for (summary, _), value in zip(inputs, values, strict=True):
        tables[summary].append([value])
    return [_average(summary, scus, tables[summary]) for summary, scus in scus_of.items()]


def _score_pairs(
    model: Model, scus_of: Mapping[Summary, Sequence[Sequence[str]]], store: ModelStore | None, bar: Progress
) -> list[float]:
    pairs: dict[tuple[str, str], None] = {}  # in order, without repetitions
    windows_of = {
        summary: [" ".join(window) for window in list_windows(summary.sentences, model.window)]
        for summary in scus_of
        if summary.sentences
    }
    for summary, windows in windows_of.items():
        pairs.update(dict.fromkeys(product(windows, chain.from_iterable(scus_of[summary]))))
    warn_of_texts(model, list(pairs))
    values = _score_directly(model, Ability.SCORE_PAIRS, list(pairs), store, bar)
    score_of = dict(zip(pairs, values, strict=True))
    scores = []
    for summary, scus in scus_of.items():
        windows = windows_of.get(summary, [])
        table = [[score_of[window, text] for window in windows] for text in chain.from_iterable(scus)]
        scores.append(_average(summary, scus, table))
    return scores


_WAYS = {
    Ability.ENCODE: _score_by_cosine,
    Ability.LEARN: _score_by_cosine,
    Ability.SCORE_SUMMARIES: _score_whole_summaries,
    Ability.SCORE_PAIRS: _score_pairs,
}
"""The functions that score summaries by an ability. The first one that a model has is used."""


def _score_directly(
    model: Model, ability: Ability, items: Sequence[tuple[str, ...]], store: ModelStore | None, bar: Progress
) -> list[float]:
    """Return the scores of a model, with 0 (the SCU is absent) where the model gave no answer."""
    scores = DirectScoring(model, store, listen=bar.follow).score(ability, items, "scoring")
    values = replace_missing(model, scores)
    if not np.isfinite(values).all():
        raise ModelError(f"{model.name}: returned a score that is not finite. Correct the model")
    return list(map(float, values))


def _average(summary: Summary, scus: Sequence[Sequence[str]], values: npt.ArrayLike) -> float:
    """Score a summary from values of shape (texts of its SCUs, sentences)."""
    return average_nearest(values, list(map(len, scus))) if summary.sentences else 0.0


def average_nearest(cosines: npt.ArrayLike, weights: Sequence[int]) -> float:
    """Average, over SCUs, the highest cosine of a text of the SCU and a sentence.

    Args:
        cosines: Shape (texts of all SCUs in order, sentences). There is at least one sentence.
        weights: Number of texts of each SCU, at least one, which is its weight.

    Returns:
        The weighted mean.
    """
    starts = np.cumsum([0, *weights[:-1]])
    nearest = np.maximum.reduceat(np.asarray(cosines, dtype=np.float64).max(axis=1), starts)
    return float(np.average(nearest, weights=weights))
