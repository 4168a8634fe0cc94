"""From a model to a score per row of each task."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.evaluation.embedding import Embedded, embed_texts, naming_failures
from harness.evaluation.store import EmbeddingStore
from harness.evaluation.tasks import Task
from harness.models.protocols import Encoder, Model, OptionScorer, PairScorer, Scorer, TextLearner, Trainable
from harness.stats.cosine import cosine_of_pairs, normalize
from harness.stats.rounding import round_scores
from harness.support.errors import ModelError
from harness.support.progress import Progress

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_PAIRS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of all tasks, and what they took.

    Attributes:
        by_task: Per name of a task: shape (rows,) for pairs, (rows, options) for questions; rounded.
        dimension: Of the vectors, or None where there are none.
        encoded: How many texts, or pairs or options, the model was given.
        seconds: How long the model took.
    """

    by_task: dict[str, Floats]
    dimension: int | None
    encoded: int
    seconds: float


def score_tasks(
    model: Model,
    texts: list[str],
    tasks: Sequence[Task],
    *,
    store: EmbeddingStore | None,
    resume: bool,
    bar: Progress,
) -> Scores:
    """Score every row of every task that a model can be given.

    Args:
        model: The model.
        texts: The distinct texts.
        tasks: The tasks, as indices into them.
        store: Where embeddings are kept, if anywhere.
        resume: Whether to use those that are there.
        bar: Shows how far it is.

    Returns:
        The scores; none of pairs for a model that only chooses among options, none of questions for one that learns
        from labelled pairs.

    Raises:
        ModelError: If the model fails, or what it returns cannot be used.
    """
    scorer = model.scorer
    if isinstance(scorer, Encoder):
        embed = partial(embed_texts, model, store=store, resume=resume, bar=bar)
        return _score_by_cosine(embed, texts, [[task] for task in tasks] if model.is_transductive else [tasks], bar)
    if not isinstance(scorer, PairScorer | OptionScorer):
        return _score_learned(model, texts, tasks, bar)
    started = time.perf_counter()
    given = 0
    by_task = {}
    for task in tasks:
        if isinstance(scorer, PairScorer):
            by_task[task.name] = _score_pairs(model, scorer, texts, task, bar)
        elif not task.has_pairs:
            by_task[task.name] = _score_options(model, scorer, texts, task)
        given += by_task[task.name].size if task.name in by_task else 0
    if not by_task:
        raise ModelError(f"{model.name}: only chooses among options; give it a task with questions, such as ranking")
    return Scores(by_task, None, given, time.perf_counter() - started)


def _score_learned(model: Model, texts: list[str], tasks: Sequence[Task], bar: Progress) -> Scores:
    """Let a model learn for each task that it can, once for tasks that give it the same, and score with that."""
    known: list[tuple[object, Model]] = []
    parts, seconds = [], 0.0
    given = [task for task in tasks if task.has_pairs or isinstance(model.scorer, TextLearner)]
    if not given:
        raise ModelError(f"{model.name}: learns from labelled pairs; give it a task with pairs, such as binary")
    for task in given:
        material, learn = _prepare_learning(model, texts, task)
        learned = next((one for own, one in known if own == material), None)
        if learned is None:
            started = time.perf_counter()
            bar.start("learning", 1)
            with naming_failures(model):
                scorer = learn()
            if not isinstance(scorer, Encoder | PairScorer):
                reason = f"returns {type(scorer).__name__} once it has learned"
                raise ModelError(f"{model.name}: {reason}; return something with score(pairs) or encode(texts)")
            learned = replace(model, scorer=scorer, store_key=None)
            known.append((material, learned))
            seconds += time.perf_counter() - started
        parts.append(score_tasks(learned, texts, [task], store=None, resume=False, bar=bar))
    by_task = {name: scores for part in parts for name, scores in part.by_task.items()}
    encoded, taken = sum(part.encoded for part in parts), sum(part.seconds for part in parts)
    return Scores(by_task, parts[0].dimension, encoded, seconds + taken)


def _prepare_learning(model: Model, texts: list[str], task: Task) -> tuple[object, Callable[[], Scorer]]:
    """What a model learns from for a task, and how it does."""
    pairs, labels = task.list_training_pairs()
    if isinstance(model.scorer, TextLearner):
        scored = {texts[number] for number in np.unique(task.texts)}
        every = sorted(scored.union(*pairs))
        return every, partial(model.scorer.learn, every)
    if not isinstance(model.scorer, Trainable):
        raise AssertionError(f"{model.name} is no scorer")
    if not pairs:
        reason = f"learns from labelled pairs, and {task.name} has no train split"
        raise ModelError(f"{model.name}: {reason}; give a corpus with one, or build it with --split-by topic")
    return (pairs, labels.tolist()), partial(model.scorer.train, pairs, labels)


def _score_by_cosine(
    embed: Callable[..., Embedded], texts: list[str], groups: Sequence[Sequence[Task]], bar: Progress
) -> Scores:
    """Encode the texts of each group of tasks at once, and compare them."""
    embedded: list[Embedded] = []
    dimensions: list[int] = []
    by_task = {}
    for group in groups:
        used = np.unique(np.concatenate([task.texts.ravel() for task in group]))
        chosen = texts if len(used) == len(texts) else [texts[number] for number in used]
        whole = embed(chosen, describe=partial(_find_text, tasks=group, numbers=used))
        unit = normalize(whole.vectors)
        dimensions.append(int(whole.vectors.shape[1]))
        embedded.append(replace(whole, vectors=None))  # the vectors need as much memory as the unit vectors
        del whole
        bar.start("scoring", len(group))
        for task in group:
            sides = np.searchsorted(used, task.texts)
            pairs = np.stack([np.repeat(sides[:, 0], sides.shape[1] - 1), sides[:, 1:].ravel()], axis=1)
            by_task[task.name] = round_scores(_shape(cosine_of_pairs(unit, pairs), task))
            bar.advance(1)
    return Scores(
        by_task,
        dimensions[0],
        sum(one.encoded for one in embedded),
        sum(one.seconds for one in embedded),
    )


def _find_text(index: int, *, tasks: Sequence[Task], numbers: Indices) -> str:
    for task in tasks:
        rows = np.flatnonzero((task.texts == numbers[index]).any(axis=1))
        if len(rows):
            return f"a text of {task.name} row {task.ids[rows[0]]}"
    raise AssertionError("every text is of a row")


def _shape(values: Floats, task: Task) -> Floats:
    return values if task.has_pairs else values.reshape(len(task.ids), -1)


def _score_pairs(model: Model, scorer: PairScorer, texts: list[str], task: Task, bar: Progress) -> Floats:
    pairs = [(texts[row[0]], texts[other]) for row in task.texts.tolist() for other in row[1:]]
    bar.start(f"scoring {task.name}", len(pairs))
    parts = []
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[start : start + _PAIRS_AT_ONCE]
        with naming_failures(model):
            scores = scorer.score(part)
        parts.append(_check(scores, (len(part),), model, "score"))
        bar.advance(len(part))
    return _finish(np.concatenate(parts), model, task)


def _score_options(model: Model, scorer: OptionScorer, texts: list[str], task: Task) -> Floats:
    options = [[texts[number] for number in row[1:]] for row in task.texts.tolist()]
    with naming_failures(model):
        scores = scorer.score_options(options)
    shape = (len(options), task.texts.shape[1] - 1)
    return _finish(_check(scores, shape, model, "score_options").ravel(), model, task)


def _check(scores: object, shape: tuple[int, ...], model: Model, method: str) -> Floats:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ModelError(f"{model.name}: gives no array of numbers; {method}() must return shape {shape}") from None
    if values.shape != shape:
        raise ModelError(f"{model.name}: gives scores of shape {values.shape}; {method}() must return shape {shape}")
    return values


def _finish(values: Floats, model: Model, task: Task) -> Floats:
    scores = round_scores(_shape(values, task))
    finite = np.isfinite(scores) if task.has_pairs else np.isfinite(scores).all(axis=1)
    if not finite.all():
        row = task.ids[int(np.flatnonzero(~finite)[0])]
        raise ModelError(f"{model.name}: gives a score that is not finite for {task.name} row {row}; mend the model")
    return scores
