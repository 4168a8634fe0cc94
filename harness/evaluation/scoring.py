"""From a model to a score per row of each test."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.evaluation.direct_scoring import score_options
from harness.evaluation.embedding import Embedded, embed_texts, naming_failures
from harness.evaluation.layout import NO_TEXT, TextRows
from harness.evaluation.pair_scoring import (
    RowScores,
    Stored,
    pair_texts,
    score_rows_of_pairs,
    score_rows_of_questions,
    score_rows_of_summaries,
    shape_scores,
)
from harness.evaluation.store import EmbeddingStore
from harness.models.interfaces.protocols import (
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
from harness.stats.cosine import cosine_of_pairs, normalize
from harness.stats.rounding import RoundedScores, round_scores
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.kinds import QUESTIONS
from pyramid_paraphrase.options import PRESENCE

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_Direct = PairScorer | OptionScorer | SummaryScorer


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all tests, and the cost of computing them.

    Attributes:
        by_test: Per name of a configuration: shape (rows,) for pairs, otherwise (rows, most options), NaN after the
            last option of a row.
        dimension: Of the vectors, or None if the model makes none.
        encoded: How many texts, or pairs or options, the model was given.
        seconds: How long the model took.
        directions: Per name of a configuration, the name of the rule that made one score of both orders of a pair;
            empty for a model without such rules.
        unanswered: Per name of a configuration, the numbers of pairs without an answer, by reason.
    """

    by_test: dict[str, RoundedScores]
    dimension: int | None
    encoded: int
    seconds: float
    directions: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def score_tests(
    model: Model,
    texts: list[str],
    tests: Sequence[TextRows],
    *,
    store: EmbeddingStore | None,
    resume: bool,
    listen: Listener = ignore,
) -> Scores:
    """Score every row of every test that a model can be given.

    Args:
        model: The model.
        texts: The distinct texts.
        tests: The rows of each test, as indices into them.
        store: Where embeddings are kept; None for nowhere.
        resume: Whether to use stored embeddings.
        listen: Receives the progress.

    Returns:
        The scores; none of pairs for a model that only chooses among options, none of questions for one that learns
        from labelled pairs.

    Raises:
        ModelError: If the model fails, or what it returns cannot be used.
    """
    scorer = model.scorer
    if isinstance(scorer, Encoder):
        embed = partial(embed_texts, model, store=store, resume=resume, listen=listen)
        groups: list[Sequence[TextRows]] = [tests]
        if model.is_transductive:  # a test must have the same vectors whatever the other tests are
            groups = [[rows] for rows in tests]
        return _score_by_cosine(embed, texts, groups, listen)
    if isinstance(scorer, _Direct):
        return _score_directly(Stored(model, store, resume, listen), scorer, texts, tests)
    return _score_learned(model, texts, tests, listen)


def _score_directly(by: Stored, scorer: _Direct, texts: list[str], tests: Sequence[TextRows]) -> Scores:
    """Score tests by a model that compares texts itself. It skips the tests that it has no method for."""
    started = time.perf_counter()
    scored: dict[str, RowScores] = {}
    for rows in tests:
        if rows.is_of_summaries and isinstance(scorer, SummaryScorer):
            scored[rows.name] = score_rows_of_summaries(by, scorer, texts, rows)
        elif rows.kind == QUESTIONS and isinstance(scorer, QuestionScorer):
            scored[rows.name] = score_rows_of_questions(by, scorer, texts, rows)
        elif isinstance(scorer, PairScorer):
            scored[rows.name] = score_rows_of_pairs(by, scorer, texts, rows)
        elif rows.kind.has_options and isinstance(scorer, OptionScorer):
            values = _score_options(by.model, scorer, texts, rows)
            scored[rows.name] = RowScores(values, values.size)
    if not scored:
        raise _make_unsuitable_error(by.model, scorer)
    return Scores(
        {rows.name: _finish(scored[rows.name].values, by.model, rows) for rows in tests if rows.name in scored},
        dimension=None,
        encoded=sum(scores.computed for scores in scored.values()),
        seconds=time.perf_counter() - started,
        directions={name: scores.direction for name, scores in scored.items() if scores.direction},
        unanswered={name: scores.unanswered for name, scores in scored.items()},
    )


def _make_unsuitable_error(model: Model, scorer: _Direct) -> ModelError:
    if isinstance(scorer, OptionScorer):
        return ModelError(f"{model.name}: can only answer questions; choose a test with questions, such as ranking")
    return ModelError(f"{model.name}: can only find SCUs in summaries; choose the test {PRESENCE}")


def _score_learned(model: Model, texts: list[str], tests: Sequence[TextRows], listen: Listener) -> Scores:
    """Score each test by a model that has learned for it. Tests with the same training material share a model."""
    learnable = [rows for rows in tests if not rows.kind.has_options or isinstance(model.scorer, TextLearner)]
    if not learnable:
        raise ModelError(f"{model.name}: learns from labelled pairs; choose a test with pairs, such as binary")
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
            learned_models.append((material, learned))
            learning_seconds += time.perf_counter() - started
        parts.append(score_tests(learned, texts, [rows], store=None, resume=False, listen=listen))
    by_test: dict[str, RoundedScores] = {}
    for part in parts:
        by_test.update(part.by_test)
    encoded, scoring_seconds = sum(part.encoded for part in parts), sum(part.seconds for part in parts)
    return Scores(by_test, parts[0].dimension, encoded, learning_seconds + scoring_seconds)


def _learn(model: Model, learn: Callable[[], Scorer]) -> Model:
    """Let a model learn, and return the model that has learned."""
    with naming_failures(model):
        scorer = learn()
    if not isinstance(scorer, Encoder | PairScorer):
        reason = f"returns {type(scorer).__name__} once it has learned"
        raise ModelError(f"{model.name}: {reason}; return something with score(pairs) or encode(texts)")
    return replace(model, scorer=scorer, store_key=None)


def _prepare_learning(model: Model, texts: list[str], rows: TextRows) -> tuple[object, Callable[[], Scorer]]:
    """Return the material that a model learns from for a test, and a function that lets it learn."""
    pairs, labels = rows.list_training_pairs()
    if isinstance(model.scorer, TextLearner):
        scored_texts = {texts[index] for index in rows.text_numbers}
        all_texts = sorted(scored_texts.union(*pairs))
        return all_texts, partial(model.scorer.learn, all_texts)
    if not isinstance(model.scorer, Trainable):
        raise AssertionError(f"{model.name} is not a scorer")
    if not pairs:
        reason = f"learns from labelled pairs, but {rows.name} has no train split"
        raise ModelError(f"{model.name}: {reason}; give a corpus with one, or build it with --split-by topic")
    return (pairs, labels.tolist()), partial(model.scorer.train, pairs, labels)


def _score_by_cosine(
    embed: Callable[..., Embedded], texts: list[str], groups: Sequence[Sequence[TextRows]], listen: Listener
) -> Scores:
    """Encode the texts of each group of tests at once, and compare them."""
    embeddings: list[Embedded] = []
    dimensions: list[int] = []
    by_test = {}
    for group in groups:
        used = np.unique(np.concatenate([rows.text_numbers for rows in group]))
        group_texts = texts
        if len(used) < len(texts):
            group_texts = [texts[index] for index in used]
        embedding = embed(group_texts, describe=partial(_find_text, tests=group, indices=used))
        unit = normalize(embedding.vectors)
        dimensions.append(int(embedding.vectors.shape[1]))
        embeddings.append(replace(embedding, vectors=None))  # the vectors need as much memory as the unit vectors
        del embedding
        listen(StepStarted("scoring", len(group)))
        for rows in group:
            values = cosine_of_pairs(unit, np.searchsorted(used, pair_texts(rows.texts)))
            by_test[rows.name] = round_scores(shape_scores(values, rows))
            listen(StepAdvanced(1))
    return Scores(
        by_test,
        dimensions[0],
        sum(embedding.encoded for embedding in embeddings),
        sum(embedding.seconds for embedding in embeddings),
    )


def _find_text(index: int, *, tests: Sequence[TextRows], indices: Indices) -> str:
    """Describe a text by the first row that has it."""
    for rows in tests:
        places = np.flatnonzero((rows.texts == indices[index]).any(axis=1))
        if len(places):
            return f"a text of {rows.name} row {rows.ids[places[0]]}"
    raise AssertionError("every text is of a row")


def _score_options(model: Model, scorer: OptionScorer, texts: list[str], rows: TextRows) -> Floats:
    """Score the options of each row, the rows with the same number of options together."""
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
    """Round scores, and refuse those that are not finite."""
    scores = round_scores(values)
    is_wrong = ~np.isfinite(scores).reshape(len(rows.ids), -1)
    if rows.kind.has_options:
        is_wrong &= rows.texts[:, 1:] != NO_TEXT
    if is_wrong.any():
        row_id = rows.ids[int(np.flatnonzero(is_wrong.any(axis=1))[0])]
        raise ModelError(f"{model.name}: the score of row {row_id} of {rows.name} is not finite; correct the model")
    return scores
