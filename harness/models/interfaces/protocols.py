"""The protocols of models. A model converts texts to vectors, or compares two texts.

A method may not change the lists and arrays that it gets. It returns an array of integers or floats of any precision,
or a tensor of torch. It can be a buffer that the next batch overwrites. Booleans, complex numbers and masked values
are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from harness.files.json_records import JsonRecord, Share
from harness.models.interfaces.directions import DirectionRule
from harness.stats.similarities import COSINE


@runtime_checkable
class Encoder(Protocol):
    """A model that converts texts to vectors. By default, their similarity is the cosine, 0 for a zero vector."""

    def encode(self, texts: list[str]) -> Any:  # noqa: ANN401
        """Encode texts.

        Args:
            texts: n distinct texts.

        Returns:
            An array or a `scipy.sparse` matrix of shape (n, dimension), all values finite.
        """


@runtime_checkable
class PairScorer(Protocol):
    """A model that compares two texts at a time."""

    def score(self, pairs: list[tuple[str, str]]) -> Any:  # noqa: ANN401
        """Score pairs of texts.

        Args:
            pairs: n pairs. In a pair of a question and an option, the question comes first. In a pair of a summary's
                sentence and an SCU, the sentence comes first.

        Returns:
            An array of shape (n,), all values finite. Paraphrases should get higher scores than other pairs.
        """


@runtime_checkable
class OptionScorer(Protocol):
    """A scorer of options that does not read the question. It shows how far the options alone reveal the answer."""

    def score_options(self, options: list[list[str]]) -> Any:  # noqa: ANN401
        """Score options.

        Args:
            options: n lists of k texts.

        Returns:
            An array of shape (n, k), all values finite.
        """


@runtime_checkable
class SummaryScorer(Protocol):
    """A scorer that compares an SCU with a whole summary. Other scorers compare the SCU with each sentence."""

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> Any:  # noqa: ANN401
        """Score summaries.

        Args:
            scus: n SCUs.
            summaries: n summaries, one for each SCU. A summary is a list of at least one sentence.

        Returns:
            An array of shape (n,), all values finite. SCUs that the summary expresses should get higher scores.
        """


@runtime_checkable
class BatchScorer(PairScorer, SummaryScorer, Protocol):
    """A slow scorer of pairs and summaries that yields its scores batch by batch."""

    def score_batches(self, pairs: list[tuple[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Score pairs in batches that the scorer chooses.

        Args:
            pairs: As for `PairScorer.score`.

        Yields:
            Indices of pairs, and their scores, shape (indices,). Each index from 0 to n - 1 occurs once.
        """

    def score_summary_batches(self, scus: list[str], summaries: list[list[str]]) -> Iterator[tuple[list[int], Any]]:
        """Score summaries in batches that the scorer chooses.

        Args:
            scus: As for `SummaryScorer.score_summaries`.
            summaries: As for `SummaryScorer.score_summaries`.

        Yields:
            Indices of SCUs, and their scores, shape (indices,). Each index from 0 to n - 1 occurs once.
        """


@runtime_checkable
class QuestionScorer(Protocol):
    """A slow scorer that compares a question with all its options together."""

    def score_question_batches(self, questions: list[str], options: list[list[str]]) -> Iterator[tuple[list[int], Any]]:
        """Score the options of questions in batches that the scorer chooses.

        Args:
            questions: n distinct questions with their options.
            options: The k options of each question.

        Yields:
            Indices of questions, and the scores of their options, shape (indices, k). Each index from 0 to n - 1 occurs
            once. The option with the highest score is the model's answer.
        """


@runtime_checkable
class Trainable(Protocol):
    """A model that is trained on labelled pairs before it scores.

    Check for this protocol after `Encoder` and `PairScorer`, except for objects of users. A model that encodes or
    scores may have an unrelated method `train`, as all modules of `torch` do.
    """

    def train(self, pairs: list[tuple[str, str]], labels: npt.NDArray[np.int64]) -> Encoder | PairScorer:
        """Train on pairs.

        Args:
            pairs: n pairs, which may share texts.
            labels: Shape (n,), 1 for paraphrases and 0 for other pairs.

        Returns:
            The trained model. This object does not change, and the same pairs give the same model.

        Raises:
            ModelError: If nothing can be learned from the pairs.
        """


@runtime_checkable
class TextLearner(Protocol):
    """A model that is trained on texts without labels before it encodes. Check for it as for `Trainable`."""

    def learn(self, texts: list[str]) -> Encoder:
        """Train on texts.

        Args:
            texts: n distinct texts, including all texts that will be encoded. Other texts would be encoded worse, and a
                threshold that fits the training texts would not fit them.

        Returns:
            The trained model. This object does not change, and the same texts give the same model.

        Raises:
            ModelError: If nothing can be learned from the texts.
        """


@runtime_checkable
class BatchEncoder(Encoder, Protocol):
    """A slow encoder that yields its vectors batch by batch."""

    def encode_batches(self, texts: list[str]) -> Iterator[tuple[list[int], Any]]:
        """Encode texts in batches that the encoder chooses.

        Args:
            texts: n distinct texts.

        Yields:
            Indices of texts, and their vectors, shape (indices, dimension). Each index from 0 to n - 1 occurs once.
            The division into batches does not depend on the order of the texts.
        """


@runtime_checkable
class FileReader(Protocol):
    """An encoder that first reads a large file.

    Attributes:
        progress: Function that is called with the number of bytes read since the last call. None for no calls.
    """

    progress: Callable[[int], None] | None

    def count_bytes(self) -> int:
        """Return the size of the file in bytes."""


OBJECT = "object"
"""The kind of an object in memory. Nothing but its scores identifies it."""

MAX_TOKENS, PROMPT, CONFIGURED_SIMILARITY = "max_tokens", "prompt", "configured_similarity"
"""Names of effective settings: the length to which texts are cut, the text before every text, and the similarity that
the configuration names."""

Scorer = Encoder | PairScorer | OptionScorer | SummaryScorer | Trainable | TextLearner


class Coverage(JsonRecord, frozen=True):
    """Shares of distinct texts that have no vector.

    Attributes:
        tokens: Share of the tokens without a vector. Repeated words count each time.
        texts: Share of the texts without a token that has a vector. Their vectors are zero.
    """

    tokens: Share
    texts: Share


class Usage(NamedTuple):
    """The work that a server did for a model since the model was loaded.

    Attributes:
        requests: Number of requests sent, including repeated requests.
        tokens: Number of tokens, as the server counts them. None if the server does not report it.
        price: Price of a million tokens, in any currency. None if it is unknown.
    """

    requests: int
    tokens: int | None
    price: float | None

    def since(self, earlier: Usage) -> Usage:
        """Return the difference from the usage at an earlier time."""
        tokens = None
        if self.tokens is not None and earlier.tokens is not None:
            tokens = self.tokens - earlier.tokens
        return Usage(self.requests - earlier.requests, tokens, self.price)

    @property
    def cost(self) -> float | None:
        """The price of all tokens. None if their number or price is unknown."""
        if self.tokens is None or self.price is None:
            return None
        return self.tokens * self.price / 1e6


class Cut(NamedTuple):
    """The distinct inputs of a model, texts or pairs of texts, and what its tokenizer loses of them.

    Attributes:
        inputs: Number of inputs.
        cut: Number of inputs that the model cuts, because they are longer than it reads.
        tokens: Number of tokens that the model cuts off in all.
        unknown: Number of inputs of which the vocabulary contains no token.
        unknown_tokens: Number of tokens that the vocabulary does not contain, each as often as it occurs.
    """

    inputs: int
    cut: int
    tokens: int
    unknown: int = 0
    unknown_tokens: int = 0


def _find_no_usage() -> None:
    """Return None, because the model computes on this machine."""


def _find_no_coverage() -> None:
    """Return None, because the model has no vocabulary of its own."""


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model and its description in a result.

    Attributes:
        name: Short name for tables and paths.
        kind: Name of the kind in the registry, or `OBJECT`.
        spec: The spec that the user typed.
        fingerprint: SHA-256 over everything that determines the scores, except the device and the versions of
            libraries. None for an object, whose state is unknown.
        scorer: The object that encodes, scores or can be trained.
        options: The options that a result records.
        parameters: Number of parameters. None if the model has no parameters in the usual sense.
        device: The device on which the model computes.
        store_key: Key of the embeddings in the store. None if they are not stored, because they are cheap to compute
            or because the model has no identity.
        is_transductive: Whether the vector of a text depends on the other texts that are encoded with it.
        cutoff: Lowest score at which the model itself calls a pair a paraphrase. None to fit a threshold to the data.
        directions: For a scorer of entailment in one direction: rules that combine the scores of both orders of a pair.
            The rule that fits the data best is chosen, or the first rule if there is no data to choose by. Empty for a
            scorer that compares a pair in one order.
        no_answers: Scores that mean that there is no answer, by the name under which results count them. They are all
            below 0, and scores of answers are from 0 to 1. Empty for a model that always answers.
        flag: Name under which results count the answers that `judging.answers.flag` marked. Empty for a model whose
            scores are not marked.
        find_coverage: Function that returns the coverage of the texts that were encoded last, or None if the model has
            no vocabulary.
        find_usage: Function that returns the usage of the model's server, or None without a server.
        find_other_names: Function that returns the names under which the model's server reports the model, except the
            requested name.
        divide: Function that divides a text into the words that the model compares. None for a model without words, or
            with a vocabulary of its own.
        effective: Settings that took effect without an option: those of the model's configuration. See `ModelRecord`.
        find_cut: Function that counts the inputs that the model cuts, given distinct texts for an encoder, and distinct
            pairs of texts for other models. It returns None if it cannot count them. None for a model that reads texts
            of any length, or does not say where it cuts them.
        similarity: The similarity of vectors, one of the names in `harness.stats.similarities`.
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
    flag: str = ""
    find_coverage: Callable[[], Coverage | None] = _find_no_coverage
    find_usage: Callable[[], Usage | None] = _find_no_usage
    find_other_names: Callable[[], tuple[str, ...]] = tuple
    divide: Callable[[str], list[str]] | None = None
    effective: Mapping[str, str | int | bool] = field(default_factory=dict)
    find_cut: Callable[[Sequence[Any]], Cut | None] | None = None
    similarity: str = COSINE

    def find_unanswered(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Return an array of the same shape that is true where a score means that there is no answer."""
        return np.isin(scores, list(self.no_answers.values()))

    def renamed(self, name: str) -> Model:
        """Return the model under another name."""
        return replace(self, name=name)
