"""What a model is: anything that turns texts into vectors, or compares two texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors; their similarity is the cosine, and that with a zero vector is 0."""

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Encode texts.

        Args:
            texts: n distinct texts.

        Returns:
            An array or a `scipy.sparse` matrix of shape (n, dimension), all values finite.
        """


@runtime_checkable
class PairScorer(Protocol):
    """Compares two texts at a time."""

    def score(self, pairs: list[tuple[str, str]]) -> Any:  # noqa: ANN401
        """Score pairs of texts.

        Args:
            pairs: n pairs; of a question and an option, the question comes first.

        Returns:
            An array of shape (n,), higher for what is more of a paraphrase, all values finite.
        """


@runtime_checkable
class OptionScorer(Protocol):
    """Chooses among options without reading the question, to show what options give away."""

    def score_options(self, options: list[list[str]]) -> Any:  # noqa: ANN401
        """Score options.

        Args:
            options: n lists of k texts.

        Returns:
            An array of shape (n, k), all values finite.
        """


@runtime_checkable
class Trainable(Protocol):
    """What first learns from labelled pairs.

    Whether something is one is to be asked last, but of objects that a user brings: what encodes or scores already may
    have another `train`, as all modules of `torch` have.
    """

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Encoder | PairScorer:
        """Learn from pairs.

        Args:
            pairs: n pairs, which may share texts.
            labels: Shape (n,), 1 for paraphrases and 0 for others.

        Returns:
            What has learned; this itself stays as it was, and learns the same from the same pairs.

        Raises:
            ModelError: If nothing can be learned from them.
        """


@runtime_checkable
class TextLearner(Protocol):
    """What first learns from texts without labels; to be asked as `Trainable` is."""

    def learn(self, texts: list[str]) -> Encoder:
        """Learn from texts.

        Args:
            texts: n distinct texts, those that will be encoded among them. Were it otherwise, they would be encoded
                worse than those that were learned from, and a threshold that fits the ones would not fit the others.

        Returns:
            What has learned; this itself stays as it was, and learns the same from the same texts.

        Raises:
            ModelError: If nothing can be learned from them.
        """


@runtime_checkable
class BatchEncoder(Encoder, Protocol):
    """An encoder that takes its time, and hands over what is done."""

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        """Encode texts in batches of its own choice.

        Args:
            texts: n distinct texts.

        Yields:
            Indices of texts, each of 0 to n - 1 once, and their vectors, shape (indices, dimension). Which texts are
            encoded together does not depend on the order of the texts.
        """


@runtime_checkable
class FileReader(Protocol):
    """An encoder that first reads a large file.

    Attributes:
        progress: What it calls with the number of bytes read since the last call, if anything.
    """

    progress: Callable[[int], None] | None

    def count_bytes(self) -> int:
        """Size of the file."""


Scorer = Encoder | PairScorer | OptionScorer | Trainable | TextLearner


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model with all that a result says of it.

    Attributes:
        name: Short name for tables and paths.
        kind: Name of its row in the table of kinds, or "object".
        spec: What the user typed.
        fingerprint: SHA-256 over everything that decides its scores, but for device and versions of libraries; None
            for an object, whose insides nobody knows.
        scorer: What encodes or scores.
        options: Its options, as a result records them.
        parameters: Number of parameters, or None where that means nothing.
        device: Where it computes.
        store_key: Under what its embeddings are stored; None for those not worth it or without identity.
        is_transductive: Whether the vector of a text depends on the other texts that are encoded with it.
        cutoff: Score from which on the model itself says paraphrase; None if that is fitted to the data.
    """

    name: str
    kind: str
    spec: str
    fingerprint: str | None
    scorer: Scorer
    options: dict[str, Any] = field(default_factory=dict)
    parameters: int | None = None
    device: str = "cpu"
    store_key: str | None = None
    is_transductive: bool = False
    cutoff: float | None = None

    def renamed(self, name: str) -> Model:
        """The same model under another name."""
        return replace(self, name=name)
