"""Scores of a model on every row of each test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.direct_scoring import DirectScoring, score_options
from harness.evaluation.embedding import Embedded, embed_texts, naming_failures
from harness.evaluation.layout import NO_TEXT, TextRows
from harness.evaluation.pair_scoring import (
    RowScores,
    list_pairs,
    pair_texts,
    score_rows_of_pairs,
    score_rows_of_questions,
    score_rows_of_summaries,
    shape_scores,
)
from harness.evaluation.store import EmbeddingStore
from harness.metrics.rows import DIFFERENT, ROUNDED
from harness.models.interfaces.model_output import lending
from harness.models.interfaces.protocols import (
    Cut,
    Encoder,
    Model,
    OptionScorer,
    PairScorer,
    QuestionScorer,
    Scorer,
    SummaryScorer,
    TextLearner,
    Trainable,
)
from harness.stats.rounding import LARGEST_SCORE, RoundedScores, count_merged, round_new_scores, round_scores
from harness.stats.similarities import COSINE, compare_vectors, prepare_vectors
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.rules.kinds import QUESTIONS
from pyramid_paraphrase.rules.options import PRESENCE, PYRAMIDS, find_configuration

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_Direct = PairScorer | OptionScorer | SummaryScorer


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all tests, and the cost of computing them.

    Attributes:
        by_test: Scores by name of the configuration: shape (rows,) for pairs, otherwise (rows, most options), with NaN
            after the last option of a row.
        dimension: Dimension of the vectors. None if the model makes none.
        encoded: Number of texts, pairs or options that the model computed.
        seconds: Seconds that the model took.
        directions: By name of the configuration, the name of the rule that combines the scores of both orders of a
            pair. Empty for a model without rules.
        test_counts: By name of the configuration, the numbers of `pair_scoring.RowScores.answer_counts`, and those of
            `rounding.count_merged` if rounding merges most scores.
        zeros: Indices of the distinct texts whose vector is zero in at least one test.
        cut: The inputs that the model cuts. None if it does not cut, or it is unknown where.
    """

    by_test: dict[str, RoundedScores]
    dimension: int | None
    encoded: int
    seconds: float
    directions: Mapping[str, str] = field(default_factory=dict)
    test_counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    zeros: frozenset[int] = frozenset()
    cut: Cut | None = None


def score_tests(
    model: Model,
    texts: list[str],
    tests: Sequence[TextRows],
    *,
    store: EmbeddingStore | None,
    resume: bool,
    listen: Listener = ignore,
) -> Scores:
    """Score every row of the tests that a model supports.

    Args:
        model: The model.
        texts: The distinct texts.
        tests: The rows of each test, as indices into `texts`.
        store: Store for embeddings and scores. None for no store.
        resume: Whether to use stored embeddings and scores.
        listen: Receives the progress.

    Returns:
        The scores. A model that only chooses among options has no scores of pairs, and a model that learns from
        labelled pairs has no scores of questions.

    Raises:
        ModelError: If the model fails, its output cannot be used, or it supports none of the tests.
    """
    scorer = model.scorer
    if isinstance(scorer, Encoder):
        embed = partial(embed_texts, model, store=store, resume=resume, listen=listen)
        groups: list[Sequence[TextRows]] = [tests]
        if model.is_transductive:  # the vectors of a test must not depend on the other tests
            groups = [[rows] for rows in tests]
        scores = _score_by_vectors(model, embed, texts, groups, listen)
        return replace(scores, cut=model.find_cut(texts) if model.find_cut else None)
    if isinstance(scorer, _Direct):
        return _score_directly(DirectScoring(model, store, resume, listen), scorer, texts, tests)
    return _score_learned(model, texts, tests, listen)


def _score_directly(scoring: DirectScoring, scorer: _Direct, texts: list[str], tests: Sequence[TextRows]) -> Scores:
    """Score tests with a model that compares texts itself. Tests for which it has no method are skipped."""
    model = scoring.model
    started = time.perf_counter()
    scored: dict[str, RowScores] = {}
    for rows in tests:
        if rows.is_of_summaries and isinstance(scorer, SummaryScorer):
            scored[rows.name] = score_rows_of_summaries(scoring, scorer, texts, rows)
        elif rows.kind == QUESTIONS and isinstance(scorer, QuestionScorer):
            scored[rows.name] = score_rows_of_questions(scoring, scorer, texts, rows)
        elif isinstance(scorer, PairScorer):
            scored[rows.name] = score_rows_of_pairs(scoring, scorer, texts, rows)
        elif rows.kind.has_options and isinstance(scorer, OptionScorer):
            values = _score_options(model, scorer, texts, rows)
            scored[rows.name] = RowScores(values, values.size)
    if not scored:
        raise _make_unsuitable_error(model, scorer)
    scored_tests = [rows for rows in tests if rows.name in scored]
    cut = None
    if model.find_cut is not None:
        cut = model.find_cut(sorted(set().union(*(list_pairs(scorer, texts, rows) for rows in scored_tests))))
    by_test = {rows.name: _finish(scored[rows.name].values, model, rows) for rows in scored_tests}
    return Scores(
        by_test,
        dimension=None,
        encoded=sum(scores.computed for scores in scored.values()),
        seconds=time.perf_counter() - started,
        directions={name: scores.direction for name, scores in scored.items() if scores.direction},
        test_counts={
            name: {**scores.answer_counts, **_count_merged(scores.values, by_test[name], are_sums=False)}
            for name, scores in scored.items()
        },
        cut=cut,
    )


def _make_unsuitable_error(model: Model, scorer: _Direct) -> ModelError:
    if isinstance(scorer, OptionScorer):
        return ModelError(f"{model.name}: can only answer questions. Choose a test with questions, such as ranking")
    return ModelError(f"{model.name}: can only find SCUs in summaries. Choose the test {PRESENCE}")


def _score_learned(model: Model, texts: list[str], tests: Sequence[TextRows], listen: Listener) -> Scores:
    """Score each test with a model that was trained for it. Tests with the same training material share a model."""
    learnable = [rows for rows in tests if not rows.kind.has_options or isinstance(model.scorer, TextLearner)]
    if not learnable:
        raise ModelError(f"{model.name}: learns from labelled pairs. Choose a test with pairs, such as binary")
    learned_models: list[tuple[object, Model]] = []
    parts = []
    learning_seconds = 0.0
    for rows in learnable:
        material, learn = _prepare_learning(model, texts, rows)
        learned = next((learned for earlier, learned in learned_models if earlier == material), None)
        if learned is None:
            started = time.perf_counter()
            listen(StepStarted("learning", 1))
            learned = _learn(model, learn)
            # An object that trained itself again is no longer the model that it was before.
            learned_models = [entry for entry in learned_models if entry[1].scorer is not learned.scorer]
            learned_models.append((material, learned))
            learning_seconds += time.perf_counter() - started
        parts.append(score_tests(learned, texts, [rows], store=None, resume=False, listen=listen))
    by_test: dict[str, RoundedScores] = {}
    test_counts: dict[str, Mapping[str, int]] = {}
    for part in parts:
        by_test.update(part.by_test)
        test_counts.update(part.test_counts)
    encoded, scoring_seconds = sum(part.encoded for part in parts), sum(part.seconds for part in parts)
    zeros = frozenset().union(*(part.zeros for part in parts))
    seconds = learning_seconds + scoring_seconds
    return Scores(by_test, parts[0].dimension, encoded, seconds, test_counts=test_counts, zeros=zeros)


def _learn(model: Model, learn: Callable[[], Scorer]) -> Model:
    """Train a model, and return the trained model."""
    scorer = learn()
    if not isinstance(scorer, Encoder | PairScorer):
        reason = f"{model.name}: training returned an object of type {type(scorer).__name__}"
        raise ModelError(f"{reason}. Return an object with score(pairs) or encode(texts)")
    if model.similarity != COSINE and not isinstance(scorer, Encoder):
        reason = f"{model.name}: similarity={model.similarity} applies to encoders, but training returned a pair scorer"
        raise ModelError(f"{reason}. Omit it")
    return replace(model, scorer=scorer, store_key=None)


def teach(model: Model, method: str, *material: Any) -> Scorer:  # noqa: ANN401
    """Train a model by its method `train` or `learn`, and return what the method returns.

    Raises:
        ModelError: If the method fails, or changes its material.
    """
    with naming_failures(model), lending(model, method, *material) as lent:
        return getattr(model.scorer, method)(*lent)


def _prepare_learning(model: Model, texts: list[str], rows: TextRows) -> tuple[object, Callable[[], Scorer]]:
    """Return the training material of a model for a test, and a function that trains the model."""
    pairs, labels = rows.list_training_pairs()
    if isinstance(model.scorer, TextLearner):
        scored_texts = {texts[index] for index in rows.text_numbers}
        all_texts = sorted(scored_texts.union(*pairs))
        return all_texts, partial(teach, model, "learn", all_texts)
    if not isinstance(model.scorer, Trainable):
        raise AssertionError(f"{model.name} is not a scorer")
    if not pairs:
        reason = f"{model.name}: learns from labelled pairs, but {rows.name} has no train split"
        remedy = "Use a corpus with a train split"
        if find_configuration(rows.name).origin == PYRAMIDS:
            remedy = "Build the test with --split-by topic"
        raise ModelError(f"{reason}. {remedy}")
    return (pairs, labels.tolist()), partial(teach, model, "train", pairs, labels)


def _score_by_vectors(
    model: Model,
    embed: Callable[..., Embedded],
    texts: list[str],
    groups: Sequence[Sequence[TextRows]],
    listen: Listener,
) -> Scores:
    """Score pairs by the similarity of their vectors. The texts of a group of tests are encoded together."""
    embeddings: list[Embedded] = []
    zeros: set[int] = set()
    dimensions: list[int] = []
    by_test = {}
    test_counts = {}
    for group in groups:
        used = np.unique(np.concatenate([rows.text_numbers for rows in group]))
        group_texts = texts
        if len(used) < len(texts):
            group_texts = [texts[index] for index in used]
        embedding = embed(group_texts, describe=partial(_find_text, tests=group, indices=used))
        prepared = prepare_vectors(embedding.vectors, model.similarity)
        dimensions.append(int(embedding.vectors.shape[1]))
        zeros.update(used[embedding.zeros].tolist())
        embeddings.append(replace(embedding, vectors=None))  # the vectors need as much memory as the prepared ones
        del embedding
        listen(StepStarted("scoring", len(group)))
        for rows in group:
            pairs = np.searchsorted(used, pair_texts(rows.texts))
            values = compare_vectors(prepared, pairs, model.similarity)
            if not np.isfinite(values).all():
                reason = f"{model.name}: the vectors are too long for similarity={model.similarity}"
                raise ModelError(f"{reason}. Use similarity={COSINE}")
            round_values = round_scores if model.similarity == COSINE else round_new_scores
            by_test[rows.name] = round_values(shape_scores(values, rows))
            test_counts[rows.name] = _count_merged(values, by_test[rows.name], are_sums=True)
            listen(StepAdvanced(1))
    return Scores(
        by_test,
        dimensions[0],
        sum(embedding.encoded for embedding in embeddings),
        sum(embedding.seconds for embedding in embeddings),
        test_counts=test_counts,
        zeros=frozenset(zeros),
    )


def _count_merged(values: Floats, rounded: RoundedScores, *, are_sums: bool) -> dict[str, int]:
    """Count the scores of a test before and after rounding, if rounding merges most of them."""
    merged = count_merged(values, rounded, are_sums=are_sums)
    return {} if merged is None else dict(zip((DIFFERENT, ROUNDED), merged, strict=True))


def _find_text(index: int, *, tests: Sequence[TextRows], indices: Indices) -> str:
    """Describe a text by the first row that contains it."""
    occurrences = [(rows, np.flatnonzero((rows.texts == indices[index]).any(axis=1))) for rows in tests]
    rows, places = next((rows, places) for rows, places in occurrences if len(places))
    return f"a text of {rows.name} row {rows.ids[places[0]]}"


def _score_options(model: Model, scorer: OptionScorer, texts: list[str], rows: TextRows) -> Floats:
    """Score the options of each row. Rows with the same number of options are scored together."""
    options = rows.texts[:, 1:]
    counts = (options != NO_TEXT).sum(axis=1)
    scores = np.full(options.shape, np.nan)
    for count in np.unique(counts).tolist():
        members = np.flatnonzero(counts == count)
        option_texts = [_take(texts, indices) for indices in options[members, :count].tolist()]
        scores[members, :count] = score_options(model, scorer, option_texts)
    return scores


def _take(texts: list[str], indices: list[int]) -> list[str]:
    return [texts[index] for index in indices]


def _finish(values: Floats, model: Model, rows: TextRows) -> RoundedScores:
    """Round scores, and check that they are numbers that can be compared.

    Raises:
        ModelError: If the score of a pair or an option is not finite, or is larger than `LARGEST_SCORE`.
    """
    is_wrong = ~(np.abs(values) <= LARGEST_SCORE).reshape(len(rows.ids), -1)
    if rows.kind.has_options:
        is_wrong &= rows.texts[:, 1:] != NO_TEXT
    if is_wrong.any():
        row = int(np.flatnonzero(is_wrong.any(axis=1))[0])
        place = f"{model.name}: the score of row {rows.ids[row]} of {rows.name}"
        if np.isfinite(values.reshape(len(rows.ids), -1)[row][is_wrong[row]]).all():
            raise ModelError(f"{place} is beyond {LARGEST_SCORE:g}. Divide all scores of the model by the same number")
        raise ModelError(f"{place} is not finite. Correct the model")
    return round_new_scores(values)
