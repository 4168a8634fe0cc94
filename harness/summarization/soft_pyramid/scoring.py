"""Soft pyramid scores: the weighted mean over SCUs of the similarity between the summary and the SCU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby, product
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.direct_scoring import DirectScoring, replace_missing
from harness.evaluation.embedding import embed_texts, require_cosine, warn_of_texts
from harness.evaluation.scoring import teach
from harness.evaluation.store import EmbeddingStore
from harness.models.interfaces.protocols import Ability, Model
from harness.models.interfaces.scores import Scores
from harness.stats.rounding import round_new_scores
from harness.stats.similarities import Floats, normalize
from harness.summarization.soft_pyramid.scus import Peer
from harness.support.errors import ModelError
from harness.support.progress import Progress


def require_scorer(model: Model) -> None:
    """Check that a model can score the similarity between an SCU and a summary.

    Raises:
        ModelError: If the model cannot score it, or has another similarity than the cosine.
    """
    model.require(*_WAYS, remedy="To compare an SCU with a summary, use an encoder, such as tf-idf")
    require_cosine(model)


def score_soft_pyramids(
    model: Model, peers: Sequence[Peer], *, store: EmbeddingStore | None = None, bar: Progress
) -> list[float]:
    """Score summaries.

    With the number w of contributors of an SCU,

    score = sum over SCUs of w * max over its contributors c and the summary's sentences s of near(c, s) / sum of w.

    near(c, s) is the cosine of an encoder, or the score of a pair scorer. If a model reads whole summaries, the maximum
    is over the contributors alone. A summary without sentences scores 0. The cosine of a zero vector and any vector is
    0. All texts are encoded at once, because bag-of-words vectors, and their cosines, depend on all texts.

    Args:
        model: An encoder, a model that learns an encoder from texts, or a model that scores pairs or summaries.
        peers: The summaries with their SCUs, grouped by topic.
        store: Cache of vectors and scores, or None for no cache.
        bar: Progress bar.

    Returns:
        A rounded score per summary, between -1 and 1 for encoders.

    Raises:
        ModelError: If the model is not one of these kinds, fails, or does not return a finite vector or score per text.
    """
    if not any(peer.summary.sentences for peer in peers):
        return [0.0] * len(peers)
    try:
        require_scorer(model)
        way = next(way for ability, way in _WAYS.items() if ability in model.abilities)
        scores = way(model, peers, store, bar)
    finally:
        bar.stop()
    return [float(score) for score in round_new_scores(scores)]


def _score_by_cosine(model: Model, peers: Sequence[Peer], store: EmbeddingStore | None, bar: Progress) -> list[float]:
    texts = sorted(set().union(*map(_list_texts, peers)))
    describe = partial("text {} of the pyramids and summaries".format)
    embedded = embed_texts(_learn(model, texts), texts, store=store, resume=True, describe=describe, listen=bar.follow)
    warn_of_texts(model, texts, len(embedded.zeros))
    unit_vectors, row_of = normalize(embedded.vectors), {text: row for row, text in enumerate(texts)}
    scores: list[float] = []
    for _, group in groupby(peers, key=attrgetter("summary.topic")):
        scores += _score_topic(list(group), unit_vectors, row_of)
    return scores


def _score_whole_summaries(
    model: Model, peers: Sequence[Peer], store: EmbeddingStore | None, bar: Progress
) -> list[float]:
    scored = [(peer, text) for peer in peers if peer.summary.sentences for text in _list_scu_texts(peer)]
    items = [(text, *peer.summary.sentences) for peer, text in scored]
    warn_of_texts(model, sorted({(" ".join(peer.summary.sentences), text) for peer, text in scored}))
    scoring = DirectScoring(model, store, listen=bar.follow)
    values = _require_finite(scoring.score(Ability.SCORE_SUMMARIES, items, "scoring"), model)
    tables: dict[Peer, list[list[float]]] = {}
    for (peer, _), value in zip(scored, values, strict=True):
        tables.setdefault(peer, []).append([value])
    return [_average(peer, tables.get(peer, [])) for peer in peers]


def _score_pairs(model: Model, peers: Sequence[Peer], store: EmbeddingStore | None, bar: Progress) -> list[float]:
    pairs = list(dict.fromkeys(chain.from_iterable(map(_list_pairs, peers))))
    warn_of_texts(model, pairs)
    scoring = DirectScoring(model, store, listen=bar.follow)
    values = _require_finite(scoring.score(Ability.SCORE_PAIRS, pairs, "scoring"), model)
    score_of = dict(zip(pairs, values, strict=True))
    scores = []
    for peer in peers:
        table = [[score_of[sentence, text] for sentence in peer.summary.sentences] for text in _list_scu_texts(peer)]
        scores.append(_average(peer, table))
    return scores


_WAYS = {
    Ability.ENCODE: _score_by_cosine,
    Ability.LEARN: _score_by_cosine,
    Ability.SCORE_SUMMARIES: _score_whole_summaries,
    Ability.SCORE_PAIRS: _score_pairs,
}
"""The functions that score summaries by an ability. The first one that a model has is used."""


def _require_finite(scores: Scores, model: Model) -> list[float]:
    """Return the scores, with 0 (the SCU is absent) where the model gave no answer."""
    values = replace_missing(model, scores)
    if not np.isfinite(values).all():
        raise ModelError(f"{model.name}: returned a score that is not finite. Correct the model")
    return list(map(float, values))


def _list_pairs(peer: Peer) -> Iterator[tuple[str, str]]:
    """Pair each sentence of a summary with each text of its SCUs, in the order that `PairScorer` expects."""
    return product(peer.summary.sentences, _list_scu_texts(peer))


def _average(peer: Peer, values: npt.ArrayLike) -> float:
    """Score a summary from values of shape (texts of its SCUs, sentences)."""
    if not peer.summary.sentences:
        return 0.0
    return average_nearest(values, [len(scu.texts) for scu in peer.scus], [scu.weight for scu in peer.scus])


def average_nearest(cosines: npt.ArrayLike, sizes: Sequence[int], weights: Sequence[int]) -> float:
    """Average, over SCUs, the highest cosine of a text of the SCU and a sentence.

    Args:
        cosines: Shape (texts of all SCUs in order, sentences). There is at least one sentence.
        sizes: Number of texts of each SCU, at least one.
        weights: Weight of each SCU.

    Returns:
        The weighted mean.
    """
    starts = np.cumsum([0, *sizes[:-1]])
    nearest = np.maximum.reduceat(np.asarray(cosines, dtype=np.float64).max(axis=1), starts)
    return float(np.average(nearest, weights=weights))


def _list_texts(peer: Peer) -> list[str]:
    return [*peer.summary.sentences, *_list_scu_texts(peer)]


def _list_scu_texts(peer: Peer) -> list[str]:
    return list(chain.from_iterable(scu.texts for scu in peer.scus))


def _learn(model: Model, texts: list[str]) -> Model:
    if Ability.ENCODE in model.abilities:
        return model
    return teach(model, Ability.LEARN, texts)


def _score_topic(peers: Sequence[Peer], unit_vectors: Any, row_of: dict[str, int]) -> list[float]:  # noqa: ANN401
    """Score the summaries of a topic with one matrix product.

    Args:
        peers: The summaries with their SCUs.
        unit_vectors: Normalized vectors of all texts, shape (texts, dimension), dense or sparse.
        row_of: Row of each text in `unit_vectors`.
    """
    scu_texts = sorted(set().union(*map(_list_scu_texts, peers)))
    sentences = sorted(set().union(*(peer.summary.sentences for peer in peers)))
    left, right = ([row_of[text] for text in texts] for texts in (scu_texts, sentences))
    cosines = _multiply(unit_vectors[left], unit_vectors[right])
    row_in_cosines = {text: row for row, text in enumerate(scu_texts)}
    column_in_cosines = {text: column for column, text in enumerate(sentences)}
    scores = []
    for peer in peers:
        rows = [row_in_cosines[text] for text in _list_scu_texts(peer)]
        columns = [column_in_cosines[text] for text in peer.summary.sentences]
        scores.append(_average(peer, cosines[np.ix_(rows, columns)]))
    return scores


def _multiply(left: Any, right: Any) -> Floats:  # noqa: ANN401
    product = left @ right.T
    if not isinstance(product, np.ndarray):  # the product of sparse matrices is sparse
        product = product.toarray()
    return np.asarray(product, dtype=np.float64)
