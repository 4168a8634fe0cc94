"""The protocols of models: a model turns texts into vectors, or compares two texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.directions import DirectionRule


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors. Their similarity is the cosine; the cosine with a zero vector is 0."""

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
            pairs: n pairs. In a pair of a question and an option, the question comes first; in a pair of a sentence of
                a summary and an SCU, the sentence.

        Returns:
            An array of shape (n,), all values finite; a higher score means more of a paraphrase.
        """


@runtime_checkable
class OptionScorer(Protocol):
    """Chooses among options without reading the question, to show how much the options give away."""

    def score_options(self, options: list[list[str]]) -> Any:  # noqa: ANN401
        """Score options.

        Args:
            options: n lists of k texts.

        Returns:
            An array of shape (n, k), all values finite.
        """


@runtime_checkable
class SummaryScorer(Protocol):
    """Reads a whole summary to say whether it expresses an SCU. Other scorers compare the SCU with each sentence."""

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> Any:  # noqa: ANN401
        """Score summaries.

        Args:
            scus: n SCUs.
            summaries: The sentences of the summary that each SCU is looked for in, at least one.

        Returns:
            An array of shape (n,), all values finite; a higher score means that the SCU is rather present.
        """


@runtime_checkable
class BatchScorer(PairScorer, SummaryScorer, Protocol):
    """A slow scorer of pairs and of summaries, which yields its scores batch by batch."""

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Score pairs in batches that the scorer chooses.

        Args:
            pairs: As for `PairScorer.score`.

        Yields:
            Indices of pairs, each of 0 to n - 1 once, and their scores, shape (indices,).
        """

    def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> Iterator[tuple[list[int], Any]]:
        """Score summaries in batches; arguments as for `SummaryScorer.score_summaries`, and yields as above."""


@runtime_checkable
class QuestionScorer(Protocol):
    """A slow scorer that compares a question with all its options at once."""

    def score_question_batches(self, questions: list[str], options: list[list[str]]) -> Iterator[tuple[list[int], Any]]:
        """Score the options of questions in batches that the scorer chooses.

        Args:
            questions: n distinct questions with their options.
            options: The k options of each question.

        Yields:
            Indices of questions, each of 0 to n - 1 once, and the scores of their options, shape (indices, k). The
            right option is the one with the highest score.
        """


@runtime_checkable
class Trainable(Protocol):
    """A model that first learns from labelled pairs.

    Test for this protocol after `Encoder` and `PairScorer`, except for objects of users: a model that encodes or scores
    may have an unrelated method `train`, as all modules of `torch` do.
    """

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Encoder | PairScorer:
        """Learn from pairs.

        Args:
            pairs: n pairs, which may share texts.
            labels: Shape (n,), 1 for paraphrases and 0 for others.

        Returns:
            The model that has learned. This object does not change, and learns the same from the same pairs.

        Raises:
            ModelError: If nothing can be learned from the pairs.
        """


@runtime_checkable
class TextLearner(Protocol):
    """A model that first learns from texts without labels; test for it as for `Trainable`."""

    def learn(self, texts: list[str]) -> Encoder:
        """Learn from texts.

        Args:
            texts: n distinct texts, among them all texts that will be encoded. Texts that were not learned from would
                be encoded worse, and a threshold that fits the learned texts would not fit them.

        Returns:
            The model that has learned. This object does not change, and learns the same from the same texts.

        Raises:
            ModelError: If nothing can be learned from the texts.
        """


@runtime_checkable
class BatchEncoder(Encoder, Protocol):
    """A slow encoder, which yields its vectors batch by batch."""

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        """Encode texts in batches that the encoder chooses.

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
        progress: Called with the number of bytes read since the last call; None to call nothing.
    """

    progress: Callable[[int], None] | None

    def count_bytes(self) -> int:
        """Size of the file."""


Scorer = Encoder | PairScorer | OptionScorer | SummaryScorer | Trainable | TextLearner


class Coverage(NamedTuple):
    """Shares of distinct texts that have no vector.

    Attributes:
        tokens: Share of the words without a vector, each word as often as it occurs, in [0, 1].
        texts: Share of the texts in which no word has a vector, so that theirs is zero, in [0, 1].
    """

    tokens: float
    texts: float


class Usage(NamedTuple):
    """The work that a server did for a model since it was loaded.

    Attributes:
        requests: Number of requests that were sent, the repeated ones included.
        tokens: Number of tokens, as the server counts them; None if it does not.
        price: Price of a million tokens, in any currency; None if it is unknown.
    """

    requests: int
    tokens: int | None
    price: float | None

    def since(self, earlier: Usage) -> Usage:
        """Return the work since an earlier time."""
        tokens = None
        if self.tokens is not None and earlier.tokens is not None:
            tokens = self.tokens - earlier.tokens
        return Usage(self.requests - earlier.requests, tokens, self.price)

    @property
    def cost(self) -> float | None:
        """The price of the tokens; None if the tokens or their price are unknown."""
        if self.tokens is None or self.price is None:
            return None
        return self.tokens * self.price / 1e6


def _find_no_usage() -> None:
    """Return None, because the model computes on this machine."""


def _find_no_coverage() -> None:
    """Return None, because a model has no vocabulary of its own."""


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model, and its description in a result.

    Attributes:
        name: Short name for tables and paths.
        kind: Name of its row in the registry of kinds, or "object".
        spec: The spec that the user typed.
        fingerprint: SHA-256 over everything that decides its scores, except the device and the versions of libraries;
            None for an object, whose state is unknown.
        scorer: The object that encodes, scores or learns.
        options: Its options, as a result records them.
        parameters: Number of parameters, or None if the model has none in the usual sense.
        device: The device that it computes on.
        store_key: Key of its embeddings in the store; None if they are not stored, because they are cheap to compute
            or because the model has no identity.
        is_transductive: Whether the vector of a text depends on the other texts that are encoded with it.
        cutoff: Score from which on the model itself calls a pair a paraphrase; None to fit a threshold to the data.
        directions: For a scorer of pairs that says how far the first text entails the second: the rules that may make
            one score of both orders of a pair. The rule that fits the data best is chosen, and the first one where
            there is no data to choose by. Empty for a scorer that compares a pair in one order.
        no_answers: Scores that stand for no answer, by the name under which results count them; all are below 0, and
            answers are from 0 to 1. Empty for a model that always answers.
        find_coverage: Returns the coverage of the texts that were encoded last; None if the model has no vocabulary.
        find_usage: Returns the work of the server that computes for the model; None without a server.
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
    directions: tuple[DirectionRule, ...] = ()
    no_answers: Mapping[str, float] = field(default_factory=dict)
    find_coverage: Callable[[], Coverage | None] = _find_no_coverage
    find_usage: Callable[[], Usage | None] = _find_no_usage

    def find_unanswered(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Return which scores stand for no answer; the same shape."""
        return np.isin(scores, list(self.no_answers.values()))

    def renamed(self, name: str) -> Model:
        """Return the same model with another name."""
        return replace(self, name=name)
