"""Soft pyramid scores: of each SCU, how near the nearest sentence comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import embed_texts, naming_failures
from harness.evaluation.store import EmbeddingStore
from harness.models.protocols import Encoder, Model, TextLearner
from harness.stats.cosine import Floats, normalize
from harness.stats.rounding import round_scores
from harness.summarization.soft_pyramid.scus import Peer
from harness.support.errors import ModelError
from harness.support.progress import Progress


def require_encoder(model: Model) -> None:
    """Check that a model gives vectors.

    A pair scorer would have to be asked about every contributor with every sentence, a million pairs for the pyramids
    of a year, and what its scores mean as parts of a sum nobody knows.

    Raises:
        ModelError: If it does not.
    """
    if not isinstance(model.scorer, Encoder | TextLearner):
        raise ModelError(f"{model.name}: gives no vector per text; name an encoder, such as tf-idf or a folder")


def score_soft_pyramids(
    model: Model, peers: Sequence[Peer], *, store: EmbeddingStore | None = None, bar: Progress
) -> list[float]:
    """Score summaries.

    With w the number of contributors of an SCU,

    score = sum over SCUs of w * max over its contributors c and the summary's sentences s of cosine(c, s) / sum of w.

    A summary without sentences scores 0, and so does a zero vector with any other. All texts are encoded at once: the
    vectors of bags of words depend on what else is there, and so do their scores.

    Args:
        model: An encoder, or what learns to be one from texts.
        peers: The summaries with their SCUs, those of a topic together.
        store: Where vectors are kept, if anywhere.
        bar: Shows how far it is.

    Returns:
        A score per summary, -1 to 1, rounded.

    Raises:
        ModelError: If the model is neither, fails, or gives what is no finite vector per text.
    """
    require_encoder(model)
    texts = sorted({text for peer in peers for text in _list_texts(peer)})
    describe = partial("text {} of the pyramids and summaries".format)
    try:
        embedded = embed_texts(
            _learn(model, texts), texts, store=store, resume=True, describe=describe, listen=bar.follow
        )
    finally:
        bar.stop()
    unit, row = normalize(embedded.vectors), {text: index for index, text in enumerate(texts)}
    scores: list[float] = []
    for _, group in groupby(peers, key=attrgetter("summary.topic")):
        scores += _score_topic(list(group), unit, row)
    return [float(score) for score in round_scores(scores)]


def average_nearest(cosines: npt.ArrayLike, sizes: Sequence[int], weights: Sequence[int]) -> float:
    """Average over SCUs the highest cosine of any of their texts with any sentence.

    Args:
        cosines: Shape (texts of all SCUs in order, sentences).
        sizes: How many texts each SCU has, at least one.
        weights: Of each SCU.

    Returns:
        The weighted mean, -1 to 1; 0 without sentences.
    """
    values = np.asarray(cosines, dtype=np.float64)
    if not values.shape[1]:
        return 0.0
    starts = np.cumsum([0, *sizes[:-1]])
    nearest = np.maximum.reduceat(values.max(axis=1), starts)
    return float(np.average(nearest, weights=weights))


def _list_texts(peer: Peer) -> list[str]:
    return [*peer.summary.sentences, *(text for scu in peer.scus for text in scu.texts)]


def _learn(model: Model, texts: list[str]) -> Model:
    if isinstance(model.scorer, Encoder):
        return model
    with naming_failures(model):
        return replace(model, scorer=model.scorer.learn(texts), store_key=None)  # type: ignore[union-attr]


def _score_topic(peers: Sequence[Peer], unit: Any, row: dict[str, int]) -> list[float]:  # noqa: ANN401
    """Score the summaries of a topic, with one product of matrices for all."""
    texts = sorted({row[text] for peer in peers for scu in peer.scus for text in scu.texts})
    sentences = sorted({row[text] for peer in peers for text in peer.summary.sentences})
    cosines = _multiply(unit[texts], unit[sentences])
    place = {number: index for index, number in enumerate(texts)}
    column = {number: index for index, number in enumerate(sentences)}
    scores = []
    for peer in peers:
        rows = [place[row[text]] for scu in peer.scus for text in scu.texts]
        columns = [column[row[text]] for text in peer.summary.sentences]
        chosen = cosines[np.ix_(rows, columns)]
        scores.append(average_nearest(chosen, [len(scu.texts) for scu in peer.scus], [scu.weight for scu in peer.scus]))
    return scores


def _multiply(left: Any, right: Any) -> Floats:  # noqa: ANN401
    product = left @ right.T
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray(), dtype=np.float64)
