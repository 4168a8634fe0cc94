"""Encoding of texts: stored vectors are read from the store, and the model encodes the other texts in batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness.models.files.store import ModelStore, VectorFile, Vectors
from harness.models.interfaces.model import Ability, Model
from harness.models.interfaces.model_output import call_scorer, read_numbers, read_vectors
from harness.rendering.tables import count_of
from harness.stats.similarities import COSINE, find_zero_rows, is_beyond_single
from harness.support.arrays import Indices
from harness.support.errors import ModelError
from harness.support.progress import Listener, StepAdvanced, StepStarted, ignore
from pyramid_paraphrase.escaping import make_logger

_logger = make_logger(__name__)


def embed_texts(
    model: Model,
    texts: list[str],
    *,
    store: ModelStore | None,
    resume: bool,
    describe: Callable[[int], str],
    listen: Listener = ignore,
) -> tuple[Any, Indices, int, float]:
    """Encode texts.

    Vectors of zeros are not stored, because they can be a failure of a server. The next run computes them again.

    Args:
        model: An encoder.
        texts: Distinct texts, at least one.
        store: Store for the vectors. None for no store. Vectors of a model without a `store_key` are not stored.
        resume: Whether to use stored vectors. Otherwise all vectors are computed again and replaced.
        describe: From the index of a text to a description of its place, for messages. The text itself may be licensed.
        listen: Receives the progress.

    Returns:
        The vectors, shape (texts, dimension), dense in single precision or sparse; the indices of the texts with a zero
        vector; the number of vectors that the model computed, the others came from the store; and the seconds that the
        model took.

    Raises:
        ModelError: If the model fails, or if it returns a wrong number of vectors, vectors of a wrong shape, or values
            that are not finite, or if all vectors are zero.
    """
    if store is None or model.store_key is None:
        return _embed(model, texts, stored={}, model_store=None, describe=describe, listen=listen)
    with store.open(model.store_key, model.name) as model_store:
        stored = model_store.read(texts) if resume else {}
        return _embed(model, texts, stored=stored, model_store=model_store, describe=describe, listen=listen)


def require_cosine(model: Model) -> None:
    """Check that a model compares vectors by the cosine, for programs that compute no other similarity.

    Raises:
        ModelError: If it has the option `similarity`.
    """
    if model.similarity != COSINE:
        reason = f"{model.name}: this command compares vectors by the {COSINE} only"
        raise ModelError(f"{reason}. Omit similarity={model.similarity}")


def warn_of_texts(model: Model, inputs: Sequence[Any], zeros: int = 0) -> None:
    """Log what a model does not read as it is, for programs whose results do not count it.

    Args:
        model: The model.
        inputs: Distinct texts or pairs of texts.
        zeros: Number of texts whose vector is zero.
    """
    cut = model.find_cut(inputs) if model.find_cut else None
    if cut is not None and cut.cut:
        lost = count_of(cut.tokens, "token")
        _logger.warning("%s: %d of %d inputs were cut (%s lost)", model.name, cut.cut, cut.inputs, lost)
    if cut is not None and cut.unknown_tokens:
        message = "%s: its vocabulary lacks %s, and all tokens of %d of %d inputs"
        _logger.warning(message, model.name, count_of(cut.unknown_tokens, "token"), cut.unknown, cut.inputs)
    if zeros:
        _logger.warning("%s: the vectors of %d of %d texts are zero", model.name, zeros, len(inputs))


def _embed(
    model: Model,
    texts: list[str],
    *,
    stored: Mapping[int, Vectors],
    model_store: VectorFile | None,
    describe: Callable[[int], str],
    listen: Listener,
) -> tuple[Any, Indices, int, float]:
    """Encode the texts whose vectors are not stored, and add these vectors to the store."""
    missing = np.fromiter((index for index in range(len(texts)) if index not in stored), dtype=np.int64)
    pieces: list[tuple[Indices, Any]] = []
    started = time.perf_counter()
    listen(StepStarted("encoding", len(texts), done=len(stored)))
    for batch, output in _encode(model, [texts[index] for index in missing], listen):
        indices = missing[np.asarray(batch, dtype=np.int64)]
        vectors = _check(output, model, indices, describe)
        dimension = next((len(vector) for vector in stored.values()), vectors.shape[1])
        if vectors.shape[1] != dimension:
            reason = f"the vectors have {vectors.shape[1]} dimensions, but the cached vectors have {dimension}"
            raise ModelError(f"{model.name}: {reason}. Add --no-resume to compute all vectors again")
        if model_store:
            is_kept = vectors.any(axis=1)
            model_store.add([texts[index] for index in indices[is_kept]], vectors[is_kept])
            if model.find_usage is not None:  # a request costs more than a commit, in time and perhaps in money
                model_store.commit()
        pieces.append((indices, vectors))
        listen(StepAdvanced(len(batch)))
    if stored:
        pieces.append((np.fromiter(stored, dtype=np.int64), np.stack(list(stored.values()))))
    seconds = time.perf_counter() - started
    joined = _assemble(pieces, len(texts), model.name)
    zeros = find_zero_rows(joined)
    if len(zeros) == len(texts):
        reason = f"the vectors of all {len(texts):,} texts are zero, so its scores would mean nothing"
        raise ModelError(f"{model.name}: {reason}. Check the model, or its server, and the language of the texts")
    return joined, zeros, len(missing), seconds


def _encode(model: Model, texts: list[str], listen: Listener) -> Iterator[tuple[Sequence[int], Any]]:
    """Yield indices of texts and their vectors: in the batches of the model, or all texts at once.

    Raises:
        ModelError: If the model fails.
    """
    if not texts:
        return
    if model.start_reading is not None:
        size = model.start_reading(lambda count: listen(StepAdvanced(count)))
        listen(StepStarted("reading", size, unit="B"))
    for places, vectors in call_scorer(model, Ability.ENCODE, texts):
        if model.start_reading is not None:
            listen(StepStarted("encoding", len(texts)))  # the previous step counted bytes
        yield places, vectors


def _check(output: Any, model: Model, indices: Indices, describe: Callable[[int], str]) -> Any:  # noqa: ANN401
    """Convert the output of a model to an array or a sparse matrix, and require a finite vector per text."""
    matrix = read_vectors(output, f"{model.name}: encode() returned", "Return one row per text")
    if matrix.ndim != 2 or matrix.shape[0] != len(indices) or not matrix.shape[1]:
        expected = f"({len(indices)}, dimension)"
        reason = f"{model.name}: encode() returned vectors of shape {tuple(matrix.shape)}"
        raise ModelError(f"{reason}. Return shape {expected}")
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    is_finite = np.isfinite(values)
    if not is_finite.all():
        if values.ndim == 1:  # sparse: `indptr` contains the offset of the first value of each row
            row = int(np.searchsorted(matrix.indptr, np.argmin(is_finite), side="right")) - 1
        else:
            row = int(np.argmin(is_finite.all(axis=1)))
        place = describe(int(indices[row]))
        raise ModelError(f"{model.name}: the vector of {place} is not finite. Correct the model")
    if model.similarity != COSINE and isinstance(matrix, np.ndarray) and is_beyond_single(read_numbers(output, "", "")):
        reason = f"{model.name}: a vector is too long or too short for similarity={model.similarity}"
        raise ModelError(f"{reason}. Use similarity={COSINE}")
    return matrix


def _assemble(pieces: list[tuple[Indices, Any]], count: int, name: str) -> Any:  # noqa: ANN401
    """Join the vectors of batches in the order of the texts."""
    from scipy.sparse import csr_matrix, issparse, vstack  # imported here, because importing it takes long

    order = np.concatenate([np.zeros(0, dtype=np.int64), *(indices for indices, _ in pieces)])
    if not np.array_equal(np.sort(order), np.arange(count)):
        raise ModelError(f"{name}: encode_batches() did not return one vector per text. Correct the model")
    dimensions = {vectors.shape[1] for _, vectors in pieces}
    if len(dimensions) > 1:
        reason = f"{name}: the vectors have different dimensions, {sorted(dimensions)}"
        raise ModelError(f"{reason}. Correct the model")
    if np.array_equal(order, np.arange(count)) and len(pieces) == 1:
        return pieces[0][1]
    if any(issparse(vectors) for _, vectors in pieces):
        return csr_matrix(vstack([vectors for _, vectors in pieces]))[np.argsort(order)]
    joined = np.empty((count, dimensions.pop()), dtype=np.float32)
    for indices, vectors in pieces:
        joined[indices] = vectors
    return joined
