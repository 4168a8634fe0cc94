"""Scores of a model on every row of each test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.evaluation.direct_scoring import DirectScoring, list_pairs, pair_texts, score_rows, shape_scores
from harness.evaluation.embedding import Embedded, embed_texts
from harness.evaluation.layout import NO_TEXT, TextRows
from harness.metrics.rows import DIFFERENT, ROUNDED
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import Ability, Cut, Model
from harness.models.interfaces.model_output import call_scorer
from harness.stats.rounding import LARGEST_SCORE, RoundedScores, count_merged, round_new_scores, round_scores
from harness.stats.similarities import COSINE, compare_vectors, prepare_vectors
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.rules.options import PRESENCE, PYRAMIDS, QUESTIONS, find_configuration

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_Chosen = tuple[TextRows, Ability]
"""The rows of a test, and how the model scores them."""

_QUESTIONS_REMEDY = "Choose a test with questions, such as ranking"
_PAIRS_REMEDY = "Choose a test with pairs, such as binary"


@dataclass(frozen=True, slots=True)
class ScoredTests:
    """Scores of all tests, and the cost of computing them.

    Attributes:
        by_test: Scores by name of the configuration: shape (rows,) for pairs, otherwise (rows, most options), with NaN
            after the last option of a row.
        dimension: Dimension of the vectors. None if the model makes none.
        encoded: Number of texts, pairs or options that the model computed.
        seconds: Seconds that the model took.
        directions: By name of the configuration, the name of the rule that combines the scores of both orders of a
            pair. Empty for a model without rules.
        test_counts: By name of the configuration, the numbers of `direct_scoring.count_answers`, and those of
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
    store: ModelStore | None,
    resume: bool,
    listen: Listener = ignore,
) -> ScoredTests:
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
    abilities = model.abilities
    chosen = []
    for rows in tests:
        fitting = [ability for ability, (fits, _, _) in _WAYS.items() if ability in abilities and fits(rows)]
        if fitting:
            chosen.append((rows, fitting[0]))
    if not chosen:
        remedy = next(remedy for ability, (_, remedy, _) in _WAYS.items() if ability in abilities)
        raise model.make_unsuitable_error(remedy)
    (_, ability), *_ = chosen
    _, _, score = _WAYS[ability]
    return score(DirectScoring(model, store, resume, listen), texts, chosen)


def _score_directly(scoring: DirectScoring, texts: list[str], tests: Sequence[_Chosen]) -> ScoredTests:
    """Score tests with a model that compares texts itself."""
    model = scoring.model
    started = time.perf_counter()
    by_test, directions, test_counts, encoded = {}, {}, {}, 0
    for rows, ability in tests:
        values, computed, direction, counts = score_rows(scoring, ability, texts, rows)
        by_test[rows.name] = _finish(values, model.name, rows)
        test_counts[rows.name] = {**counts, **_count_merged(values, by_test[rows.name], are_sums=False)}
        encoded += computed
        if direction:
            directions[rows.name] = direction
    cut = None
    if model.find_cut is not None:
        cut = model.find_cut(sorted(set().union(*(list_pairs(ability, texts, rows) for rows, ability in tests))))
    seconds = time.perf_counter() - started
    return ScoredTests(by_test, None, encoded, seconds, directions, test_counts, cut=cut)


def _score_learned(scoring: DirectScoring, texts: list[str], tests: Sequence[_Chosen]) -> ScoredTests:
    """Score each test with a model that was trained for it. Tests with the same training material share a model."""
    learned_models: list[tuple[object, Model]] = []
    parts = []
    learning_seconds = 0.0
    for rows, ability in tests:
        material = _prepare_material(scoring, ability, texts, rows)
        learned = next((learned for earlier, learned in learned_models if earlier == material), None)
        if learned is None:
            started = time.perf_counter()
            scoring.listen(StepStarted("learning", 1))
            items, *labels = material  # texts, or pairs and their labels
            learned = teach(scoring.model, ability, items, *(np.array(part, dtype=np.int64) for part in labels))
            # An object that trained itself again is no longer the model that it was before.
            learned_models = [entry for entry in learned_models if entry[1].scorer is not learned.scorer]
            learned_models.append((material, learned))
            learning_seconds += time.perf_counter() - started
        parts.append(score_tests(learned, texts, [rows], store=None, resume=False, listen=scoring.listen))
    by_test: dict[str, RoundedScores] = {}
    test_counts: dict[str, Mapping[str, int]] = {}
    for part in parts:
        by_test.update(part.by_test)
        test_counts.update(part.test_counts)
    encoded, scoring_seconds = sum(part.encoded for part in parts), sum(part.seconds for part in parts)
    zeros = frozenset().union(*(part.zeros for part in parts))
    seconds = learning_seconds + scoring_seconds
    return ScoredTests(by_test, parts[0].dimension, encoded, seconds, test_counts=test_counts, zeros=zeros)


def teach(model: Model, ability: Ability, *material: Any) -> Model:  # noqa: ANN401
    """Train a model by its method `train` or `learn`, and return the trained model: itself if the method returns None.

    Raises:
        ModelError: If the method fails, changes its material, or returns an object that cannot be used.
    """
    ((_, scorer),) = call_scorer(model, ability, *material)
    if scorer is None:
        scorer = model.scorer
    learned = replace(model, scorer=scorer, learns_by=None, store_key=None)
    if learned.abilities.isdisjoint((Ability.ENCODE, Ability.SCORE_PAIRS)):
        reason = f"{model.name}: training returned an object of type {type(scorer).__name__}"
        raise ModelError(f"{reason}. Return an object with score(pairs) or encode(texts)")
    if model.similarity != COSINE and Ability.ENCODE not in learned.abilities:
        reason = f"{model.name}: similarity={model.similarity} applies to encoders, but training returned a pair scorer"
        raise ModelError(f"{reason}. Omit it")
    return learned


def _prepare_material(scoring: DirectScoring, ability: Ability, texts: list[str], rows: TextRows) -> tuple[Any, ...]:
    """Return the texts, or the pairs and labels, by which a model is trained for a test."""
    pairs, labels = rows.list_training_pairs()
    if ability is Ability.LEARN:
        scored_texts = {texts[index] for index in rows.text_numbers}
        return (sorted(scored_texts.union(*pairs)),)
    if not pairs:
        reason = f"{scoring.model.name}: learns from labelled pairs, but {rows.name} has no train split"
        remedy = "Use a corpus with a train split"
        if find_configuration(rows.name).origin == PYRAMIDS:
            remedy = "Build the test with --split-by topic"
        raise ModelError(f"{reason}. {remedy}")
    return pairs, labels.tolist()


def _score_by_vectors(scoring: DirectScoring, texts: list[str], tests: Sequence[_Chosen]) -> ScoredTests:
    """Score pairs by the similarity of their vectors. The texts of all tests are encoded together.

    The vectors of a transductive model depend on the texts, so each test is encoded apart: its scores must not depend
    on the other tests.
    """
    model = scoring.model
    groups = [[rows for rows, _ in tests]]
    if model.is_transductive:
        groups = [[rows] for rows, _ in tests]
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
        embedding = embed_texts(
            model,
            group_texts,
            store=scoring.store,
            resume=scoring.resume,
            describe=partial(_find_text, tests=group, indices=used),
            listen=scoring.listen,
        )
        prepared = prepare_vectors(embedding.vectors, model.similarity)
        dimensions.append(int(embedding.vectors.shape[1]))
        zeros.update(used[embedding.zeros].tolist())
        embeddings.append(replace(embedding, vectors=None))  # the vectors need as much memory as the prepared ones
        del embedding
        scoring.listen(StepStarted("scoring", len(group)))
        for rows in group:
            pairs = np.searchsorted(used, pair_texts(rows.texts))
            values = compare_vectors(prepared, pairs, model.similarity)
            if not np.isfinite(values).all():
                reason = f"{model.name}: the vectors are too long for similarity={model.similarity}"
                raise ModelError(f"{reason}. Use similarity={COSINE}")
            round_values = round_scores if model.similarity == COSINE else round_new_scores
            by_test[rows.name] = round_values(shape_scores(values, rows))
            test_counts[rows.name] = _count_merged(values, by_test[rows.name], are_sums=True)
            scoring.listen(StepAdvanced(1))
        del prepared  # counting cut texts needs memory, too
    cut = None
    if model.find_cut is not None:
        cut = model.find_cut(texts)
    return ScoredTests(
        by_test,
        dimensions[0],
        sum(embedding.encoded for embedding in embeddings),
        sum(embedding.seconds for embedding in embeddings),
        test_counts=test_counts,
        zeros=frozenset(zeros),
        cut=cut,
    )


_Score = Callable[[DirectScoring, list[str], Sequence[_Chosen]], ScoredTests]

_WAYS: dict[Ability, tuple[Callable[[TextRows], bool], str, _Score]] = {
    Ability.ENCODE: (lambda _: True, "", _score_by_vectors),
    Ability.SCORE_SUMMARIES: (lambda rows: rows.is_of_summaries, f"Choose the test {PRESENCE}", _score_directly),
    Ability.SCORE_QUESTIONS: (lambda rows: rows.kind == QUESTIONS, _QUESTIONS_REMEDY, _score_directly),
    Ability.SCORE_PAIRS: (lambda _: True, "", _score_directly),
    Ability.SCORE_OPTIONS: (lambda rows: rows.kind.has_options, _QUESTIONS_REMEDY, _score_directly),
    Ability.LEARN: (lambda _: True, "", _score_learned),
    Ability.TRAIN: (lambda rows: not rows.kind.has_options, _PAIRS_REMEDY, _score_learned),
}
"""How each ability is used: the tests that it fits, the remedy for other tests, and the function that scores tests.

A test is scored by the first ability that the model has and that fits."""


def _count_merged(values: Floats, rounded: RoundedScores, *, are_sums: bool) -> dict[str, int]:
    """Count the scores of a test before and after rounding, if rounding merges most of them."""
    merged = count_merged(values, rounded, are_sums=are_sums)
    return {} if merged is None else dict(zip((DIFFERENT, ROUNDED), merged, strict=True))


def _find_text(index: int, *, tests: Sequence[TextRows], indices: Indices) -> str:
    """Describe a text by the first row that contains it."""
    occurrences = [(rows, np.flatnonzero((rows.texts == indices[index]).any(axis=1))) for rows in tests]
    rows, places = next((rows, places) for rows, places in occurrences if len(places))
    return f"a text of {rows.name} row {rows.ids[places[0]]}"


def _finish(values: Floats, name: str, rows: TextRows) -> RoundedScores:
    """Round scores, and check that they are numbers that can be compared.

    Raises:
        ModelError: If the score of a pair or an option is not finite, or is larger than `LARGEST_SCORE`.
    """
    is_wrong = ~(np.abs(values) <= LARGEST_SCORE).reshape(len(rows.ids), -1)
    if rows.kind.has_options:
        is_wrong &= rows.texts[:, 1:] != NO_TEXT
    if is_wrong.any():
        row = int(np.flatnonzero(is_wrong.any(axis=1))[0])
        place = f"{name}: the score of row {rows.ids[row]} of {rows.name}"
        if np.isfinite(values.reshape(len(rows.ids), -1)[row][is_wrong[row]]).all():
            raise ModelError(f"{place} is beyond {LARGEST_SCORE:g}. Divide all scores of the model by the same number")
        raise ModelError(f"{place} is not finite. Correct the model")
    return round_new_scores(values)
