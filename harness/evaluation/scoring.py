"""Scores of a model on every row of each test."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from harness.evaluation.direct_scoring import (
    DirectScoring,
    RowScores,
    list_pairs,
    make_row_scores,
    pair_texts,
    shape_scores,
)
from harness.evaluation.embedding import embed_texts, warn_of_texts
from harness.evaluation.layout import TextRows, join_windows
from harness.models.files.store import ModelStore
from harness.models.interfaces.model import LEARNING, Ability, Cut, Model
from harness.models.interfaces.model_output import call_scorer
from harness.stats.rounding import round_new_scores, round_scores
from harness.stats.similarities import COSINE, compare_vectors, normalize, prepare_vectors
from harness.support.arrays import Indices
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.rules.options import PRESENCE, PYRAMIDS, QUESTIONS, TRAIN, VALIDATION, find_configuration

_logger = make_logger(__name__)

LEARNED_PAIRS = "learned_pairs"
"""Number of labelled pairs that a model learned from, if they are not those of `train`."""

_QUESTIONS_REMEDY = "Choose a test with questions, such as ranking"
_USES: dict[Ability, tuple[Callable[[TextRows], bool], str]] = {
    Ability.ENCODE: (lambda _: True, ""),
    Ability.SCORE_SUMMARIES: (lambda rows: rows.is_of_summaries, f"Choose the test {PRESENCE}"),
    Ability.SCORE_QUESTIONS: (lambda rows: rows.kind == QUESTIONS, _QUESTIONS_REMEDY),
    Ability.SCORE_PAIRS: (lambda _: True, ""),
    Ability.SCORE_OPTIONS: (lambda rows: rows.kind.has_options, _QUESTIONS_REMEDY),
    Ability.LEARN: (lambda _: True, ""),
    Ability.TRAIN: (lambda rows: not rows.kind.has_options, "Choose a test with pairs, such as binary"),
}
"""The tests that each ability fits, and the remedy for other tests.

A test is scored by the first ability that the model has and that fits."""


@dataclass(frozen=True, slots=True)
class ScoredTests:
    """Scores of all tests, and the cost of computing them.

    Attributes:
        by_test: The scores of each test, by name of its configuration.
        dimension: Dimension of the vectors. None if the model makes none.
        encoded: Number of texts, pairs or options that the model computed.
        seconds: Seconds that the model took.
        zeros: Indices of the distinct texts whose vector is zero in at least one test.
        cut: The inputs that the model cuts. None if it does not cut, or it is unknown where.
    """

    by_test: Mapping[str, RowScores]
    dimension: int | None
    encoded: int
    seconds: float
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
    uses = {ability: use for ability, use in _USES.items() if ability in model.abilities}
    if Ability.ENCODE in uses:
        return _score_by_vectors(model, texts, tests, store=store, resume=resume, listen=listen)
    chosen: list[tuple[TextRows, Ability]] = []
    for rows in tests:
        fitting = [ability for ability, (fits, _) in uses.items() if fits(rows)]
        chosen += [(rows, ability) for ability in fitting[:1]]
    if not chosen:
        (_, remedy), *_ = uses.values()
        raise model.make_unsuitable_error(remedy)
    if LEARNING.isdisjoint(uses):
        return _score_directly(DirectScoring(model, store, resume=resume, listen=listen), texts, chosen)
    return _score_learned(model, texts, chosen, listen)


def _score_directly(scoring: DirectScoring, texts: list[str], tests: Sequence[tuple[TextRows, Ability]]) -> ScoredTests:
    """Score tests with a model that compares texts itself. Each test comes with the ability to use."""
    started = time.perf_counter()
    by_test, encoded = {}, 0
    pairs: set[tuple[str, str]] = set()
    for rows, ability in tests:
        texts_of_rows, laid_out = texts, rows
        if rows.is_of_summaries and ability is Ability.SCORE_PAIRS and scoring.model.window != 1:
            texts_of_rows, laid_out = join_windows(texts, rows, scoring.model.window)
        by_test[rows.name], computed = scoring.score_rows(ability, texts_of_rows, laid_out)
        encoded += computed
        if scoring.model.find_cut is not None:
            pairs |= list_pairs(ability, texts_of_rows, laid_out)
    cut = None
    if scoring.model.find_cut is not None:
        cut = scoring.model.find_cut(sorted(pairs))
    return ScoredTests(by_test, None, encoded, time.perf_counter() - started, cut=cut)


def _score_learned(
    model: Model, texts: list[str], tests: Sequence[tuple[TextRows, Ability]], listen: Listener
) -> ScoredTests:
    """Score each test with a model that was trained for it. Tests with the same training material share a model."""
    learned_models: list[tuple[object, Model]] = []
    parts = []
    seconds = 0.0
    for rows, ability in tests:
        learns_texts = ability is Ability.LEARN
        material = (_list_learned_texts(texts, rows),) if learns_texts else _list_learned_pairs(model, rows)
        items, *labels = material  # texts, or pairs with their labels, and grades if the model learns from them
        if not items:
            raise _make_untrained_error(model, rows)
        if rows.kind.fits_threshold and model.cutoff is None and VALIDATION in model.learns_from:
            _logger.warning("%s: its threshold on %s is fitted to pairs that it learned from", model.name, rows.name)
        learned = next((learned for earlier, learned in learned_models if earlier == material), None)
        if learned is None:
            started = time.perf_counter()
            listen(StepStarted("learning", 1))
            learned = teach(model, ability, items, *(np.array(part, dtype=np.int64) for part in labels))
            # An object that trained itself again is no longer the model that it was before.
            learned_models = [entry for entry in learned_models if entry[1].scorer is not learned.scorer]
            learned_models.append((material, learned))
            seconds += time.perf_counter() - started
        part = score_tests(learned, texts, [rows], store=None, resume=False, listen=listen)
        if model.learns_from != (TRAIN,):
            scores = part.by_test[rows.name]
            scores = replace(scores, counts={**scores.counts, LEARNED_PAIRS: len(items)})
            part = replace(part, by_test={rows.name: scores})
        parts.append(part)
    return ScoredTests(
        dict(chain.from_iterable(part.by_test.items() for part in parts)),
        parts[0].dimension,
        sum(part.encoded for part in parts),
        seconds + sum(part.seconds for part in parts),
        frozenset().union(*(part.zeros for part in parts)),
    )


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


def encode_to_units(
    model: Model, texts: list[str], place: str, *, store: ModelStore | None, listen: Listener = ignore
) -> Any:  # noqa: ANN401
    """Encode texts, and scale their vectors to length 1. A model that learns from texts learns from these.

    Args:
        model: An encoder, or a model that learns an encoder from texts.
        texts: Distinct texts.
        place: Where the texts are from, for messages.
        store: Store for embeddings. None for no store.
        listen: Receives the progress.

    Returns:
        The vectors, shape (texts, dimension), dense or sparse. A vector of zeros stays.

    Raises:
        ModelError: If the model fails or its output cannot be used.
    """
    encoder = model if Ability.ENCODE in model.abilities else teach(model, Ability.LEARN, texts)
    describe = partial(f"text {{}} of the {place}".format)
    vectors, zeros, _, _ = embed_texts(encoder, texts, store=store, resume=True, describe=describe, listen=listen)
    warn_of_texts(model, texts, len(zeros))
    return normalize(vectors)


def _list_learned_texts(texts: list[str], rows: TextRows) -> list[str]:
    """Return the texts from which a model learns for a test: those that it scores, and those of training pairs."""
    pairs, _ = rows.list_training_pairs()
    return sorted({texts[index] for index in rows.text_numbers}.union(*pairs))


def _list_learned_pairs(model: Model, rows: TextRows) -> tuple[Any, ...]:
    """Return the pairs, the labels and perhaps the grades from which a model learns for a test.

    Raises:
        ModelError: If the model learns from grades, and the test has none.
    """
    pairs, labels = rows.list_training_pairs(model.learns_from)
    if not pairs or not takes_grades(model.scorer):
        return pairs, labels.tolist()
    grades = rows.list_training_grades(model.learns_from)
    if grades is None:
        reason = f"{model.name}: train() takes grades, but the pairs of {rows.name} have labels only"
        raise ModelError(f"{reason}. Use a corpus with votes, such as PIT-2015, or train(pairs, labels)")
    return pairs, labels.tolist(), grades.tolist()


def takes_grades(scorer: object) -> bool:
    """Return whether the method `train` of an object has a parameter `grades`."""
    try:
        return "grades" in inspect.signature(scorer.train).parameters  # type: ignore[attr-defined]
    except ValueError:  # a function of another language without a signature
        return False


def _make_untrained_error(model: Model, rows: TextRows) -> ModelError:
    """Make the error for a test without the split that a model learns from. It names a split with labels."""
    missing = " and ".join(split for split in model.learns_from if split not in rows.test.splits)
    reason = f"{model.name}: learns from labelled pairs, but {rows.name} has no {missing} split"
    if find_configuration(rows.name).origin == PYRAMIDS:
        return ModelError(f"{reason}. Build the test with --split-by topic")
    pairs, _ = rows.list_training_pairs((VALIDATION,))
    if pairs and model.learns_from == (TRAIN,):
        reason += f". Its validation split has {len(pairs):,} labelled pairs"
        return ModelError(f"{reason}. To learn from these, add --train-on {VALIDATION}")
    return ModelError(f"{reason}. Use a corpus with a {missing} split")


def _score_by_vectors(
    model: Model,
    texts: list[str],
    tests: Sequence[TextRows],
    *,
    store: ModelStore | None,
    resume: bool,
    listen: Listener,
) -> ScoredTests:
    """Score pairs by the similarity of their vectors. The texts of all tests are encoded together.

    The vectors of a transductive model depend on the texts, so each test is encoded apart: its scores must not depend
    on the other tests.
    """
    by_test: dict[str, RowScores] = {}
    zeros: set[int] = set()
    dimensions: list[int] = []
    encoded, seconds = 0, 0.0
    for group in [[rows] for rows in tests] if model.is_transductive else [tests]:
        used = np.flatnonzero(np.bincount(np.concatenate([rows.text_numbers for rows in group])))
        group_texts = texts
        if len(used) < len(texts):
            group_texts = [texts[index] for index in used]
        describe = partial(_find_text, tests=group, indices=used)
        vectors, group_zeros, count, group_seconds = embed_texts(
            model, group_texts, store=store, resume=resume, describe=describe, listen=listen
        )
        encoded, seconds = encoded + count, seconds + group_seconds
        zeros.update(used[group_zeros].tolist())
        dimensions.append(int(vectors.shape[1]))
        prepared = prepare_vectors(vectors, model.similarity)
        del vectors  # they need as much memory as the prepared ones
        listen(StepStarted("scoring", len(group)))
        for rows in group:
            pairs = np.searchsorted(used, pair_texts(rows.texts))
            values = compare_vectors(prepared, pairs, model.similarity)
            if not np.isfinite(values).all():
                reason = f"{model.name}: the vectors are too long for similarity={model.similarity}"
                raise ModelError(f"{reason}. Use similarity={COSINE}")
            round_values = round_scores if model.similarity == COSINE else round_new_scores
            rounded = round_values(shape_scores(values, rows))
            by_test[rows.name] = make_row_scores(values, rounded, are_sums=True)
            listen(StepAdvanced(1))
        del prepared  # counting cut texts needs memory, too
    cut = None
    if model.find_cut is not None:
        cut = model.find_cut(texts)
    return ScoredTests(by_test, dimensions[0], encoded, seconds, frozenset(zeros), cut)


def _find_text(index: int, *, tests: Sequence[TextRows], indices: Indices) -> str:
    """Describe a text by the first row that contains it."""
    occurrences = [(rows, np.flatnonzero((rows.texts == indices[index]).any(axis=1))) for rows in tests]
    rows, places = next((rows, places) for rows, places in occurrences if len(places))
    return f"a text of {rows.name} row {rows.ids[places[0]]}"
