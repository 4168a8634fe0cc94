"""Every text encoded once: from the store what it has, from the model the rest, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.evaluation.store import EmbeddingStore, ModelStore
from harness.models.protocols import BatchEncoder, Encoder, FileReader, Model
from harness.support.errors import ModelError, describe_cause
from harness.support.progress import Progress
from pyramid_paraphrase.errors import PyramidParaphraseError

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, and what it took.

    Attributes:
        vectors: Shape (texts, dimension), dense in single precision or sparse.
        encoded: How many of them the model encoded; the others came from the store.
        seconds: How long the model took.
    """

    vectors: Any
    encoded: int
    seconds: float


def embed_texts(
    model: Model,
    texts: list[str],
    *,
    store: EmbeddingStore | None,
    resume: bool,
    describe: Callable[[int], str],
    bar: Progress,
) -> Embedded:
    """Encode texts.

    Args:
        model: Whose scorer is an `Encoder`.
        texts: Distinct texts.
        store: Where vectors are kept, if the model has an identity; None for nowhere.
        resume: Whether to use stored embeddings; otherwise they are replaced.
        describe: Says where the text of an index occurs, for errors: the text itself may be licensed.
        bar: Shows how far it is.

    Returns:
        The vectors.

    Raises:
        ModelError: If the model fails, or gives vectors of a wrong number or shape, or that are not finite.
    """
    if store is None or model.store_key is None:
        return _encode_missing(model, texts, None, describe, bar)
    with store.open(model.store_key, model.name) as kept:
        return _encode_missing(model, texts, kept, describe, bar, resume=resume)


def _encode_missing(
    model: Model,
    texts: list[str],
    kept: ModelStore | None,
    describe: Callable[[int], str],
    bar: Progress,
    *,
    resume: bool = True,
) -> Embedded:
    found = kept.read(texts) if kept and resume else {}
    missing = np.fromiter((index for index in range(len(texts)) if index not in found), dtype=np.int64)
    pieces: list[tuple[Indices, Any]] = []
    started = time.perf_counter()
    bar.start("encoding", len(texts), done=len(found))
    for batch, given in _encode(model, [texts[index] for index in missing], bar):
        numbers = missing[np.asarray(batch, dtype=np.int64)]
        vectors = _check(given, model, numbers, describe)
        if kept:
            kept.add([texts[number] for number in numbers], vectors)
        pieces.append((numbers, vectors))
        bar.advance(len(batch))
    if found:
        pieces.append((np.fromiter(found, dtype=np.int64), np.stack(list(found.values()))))
    return Embedded(_assemble(pieces, len(texts), model), len(missing), time.perf_counter() - started)


def _encode(model: Model, texts: list[str], bar: Progress) -> Iterator[tuple[Sequence[int], Any]]:
    """Encode texts, in batches if the model has its own; whatever it raises says which one it was."""
    if not texts:
        return
    scorer = model.scorer
    if isinstance(scorer, FileReader):
        bar.start("reading", scorer.count_bytes(), unit="B")
        scorer.progress = bar.advance
    with naming_failures(model):
        if isinstance(scorer, BatchEncoder):
            yield from scorer.encode_batches(texts)
        elif isinstance(scorer, Encoder):
            yield range(len(texts)), scorer.encode(texts)


@contextmanager
def naming_failures(model: Model) -> Iterator[None]:
    """Say which model it was that failed: models are anybody's code.

    Raises:
        ModelError: If it fails.
    """
    try:
        yield
    except PyramidParaphraseError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        raise ModelError(f"{model.name}: fails ({cause}); --verbose shows where") from error


def _check(vectors: Any, model: Model, numbers: Indices, describe: Callable[[int], str]) -> Any:  # noqa: ANN401
    """Bring vectors to single precision, and refuse what is no vector per text."""
    try:
        sparse = sp.issparse(vectors)
        matrix: Any = sp.csr_matrix(vectors, dtype=np.float64) if sparse else np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError, RuntimeError):
        raise ModelError(f"{model.name}: gives no array of numbers; encode() must return one row per text") from None
    if matrix.ndim != 2 or matrix.shape[0] != len(numbers) or not matrix.shape[1]:
        expected = f"({len(numbers)}, dimension)"
        raise ModelError(f"{model.name}: gives vectors of shape {tuple(matrix.shape)}; encode() must return {expected}")
    finite = np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.data)
    if not finite.all():
        bad = numbers[0] if sp.issparse(matrix) else numbers[int(np.flatnonzero(~finite.all(axis=1))[0])]
        raise ModelError(f"{model.name}: gives a vector that is not finite for {describe(int(bad))}; mend the model")
    return matrix


def _assemble(pieces: list[tuple[Indices, Any]], count: int, model: Model) -> Any:  # noqa: ANN401
    if len(pieces) == 1 and sp.issparse(pieces[0][1]):
        return pieces[0][1]
    order = np.concatenate([np.zeros(0, dtype=np.int64), *(numbers for numbers, _ in pieces)])
    if not np.array_equal(np.sort(order), np.arange(count)):
        raise ModelError(f"{model.name}: does not give one vector for each text; mend encode_batches()")
    dimensions = {vectors.shape[1] for _, vectors in pieces}
    if len(dimensions) > 1:
        raise ModelError(f"{model.name}: gives vectors of different dimensions, {sorted(dimensions)}; mend the model")
    whole = np.empty((count, dimensions.pop()), dtype=np.float32)
    for numbers, vectors in pieces:
        whole[numbers] = vectors
    return whole
