"""A model: what its scorer can do, and the description of a loaded model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from harness.files.json_files import JsonRecord, Share
from harness.models.interfaces.scores import Outcome
from harness.stats.similarities import COSINE
from harness.support.errors import ModelError
from pyramid_paraphrase.rules.options import TRAIN


class Ability(Enum):
    """Something that a scorer can do. A row of the table of all abilities.

    A scorer has an ability if it has its method. A method may not change the lists and arrays that it gets. It returns
    an array of integers or floats of any precision, or a tensor of torch. It can be a buffer that the next batch
    overwrites. Booleans, complex numbers and masked values are refused.

    A class of this package whose methods are slow sets `in_batches`, and has the second method of its abilities
    instead. That method yields indices of elements of its first argument, and their values, and each index occurs once.
    Batches let the progress be shown, and each one is stored as it comes.

    Attributes:
        method: The method.
        meaning: End of a sentence about a scorer that can do nothing else.
        batch_method: The method that yields batches. By default, the method.
    """

    ENCODE = "encode", "encode texts", "encode_batches"
    """`encode(texts)` converts n distinct texts to vectors.

    It returns an array or a `scipy.sparse` matrix of shape (n, dimension), all values finite. By default, the
    similarity of vectors is the cosine, 0 for a zero vector. Batches do not depend on the order of the texts.
    """

    SCORE_PAIRS = "score", "compare two texts", "score_batches"
    """`score(pairs)` compares the two texts of each of n pairs.

    In a pair of a question and an option, the question comes first. In a pair of a summary's sentence and an SCU, the
    sentence comes first, and so do several sentences, joined by spaces. It returns an array of shape (n,), all values
    finite. Paraphrases should get higher scores than other pairs.
    """

    SCORE_SUMMARIES = "score_summaries", "find SCUs in summaries", "score_summary_batches"
    """`score_summaries(scus, summaries)` compares each of n SCUs with a whole summary.

    A summary is a list of at least one sentence. Other scorers compare the SCU with each window of sentences, which is
    a single sentence by default. It returns an array of shape (n,), all values finite. SCUs that the summary expresses
    should get higher scores.
    """

    SCORE_QUESTIONS = "score_question_batches", "answer questions"
    """Distinct questions, and lists of their k options, to batches of shape (indices, k)."""

    SCORE_OPTIONS = "score_options", "answer questions"
    """Lists of k options without their questions to shape (n, k): how far the options alone reveal the answer."""

    TRAIN = "train", "learn from labelled pairs"
    """`train(pairs, labels)` trains on n pairs, which may share texts, before the model scores.

    The labels are an array of shape (n,), 1 for paraphrases and 0 for other pairs. `train(pairs, labels, grades)` also
    gets the grades of the pairs, an array of the same shape: the numbers of votes in PIT-2015. It returns the trained
    model, which encodes texts or scores pairs. The object itself does not change, and the same pairs give the same
    model.
    """

    LEARN = "learn", "learn from texts"
    """`learn(texts)` trains on n distinct texts without labels before the model encodes.

    The texts include all texts that will be encoded. Other texts would be encoded worse, and a threshold that fits the
    training texts would not fit them. It returns the trained model, which encodes texts. The object itself does not
    change, and the same texts give the same model.
    """

    def __init__(self, method: str, meaning: str, batch_method: str = "") -> None:
        self.method, self.meaning, self.batch_method = method, meaning, batch_method or method

    def find_method(self, scorer: object) -> str | None:
        """Return the name of the method by which a scorer does this, or None if it cannot."""
        name = self.method
        if getattr(scorer, "in_batches", False) is True:
            name = self.batch_method
        if callable(getattr(scorer, name, None)):
            return name
        return None


LEARNING = frozenset({Ability.TRAIN, Ability.LEARN})
"""The abilities of a scorer that has to learn before it scores."""


OBJECT = "object"
"""The kind of an object in memory. Nothing but its scores identifies it."""

MAX_TOKENS, PROMPT, CONFIGURED_SIMILARITY = "max_tokens", "prompt", "configured_similarity"
PROMPT_SOURCE, TASK_SOURCE, ROUTE, SIDES = "prompt_source", "task_source", "route", "sides"
"""Names of effective settings: the length to which texts are cut, the text before every text, the similarity that the
configuration names, where the text and the task come from if they were chosen for the family of the model, the
route of a `Router` that texts take, and as what the two texts of a pair are encoded."""

MAX_DATASETS = 200
"""Maximum number of training data that a result names."""

Scorer = Any
"""An object with an `Ability`."""


class Coverage(JsonRecord, frozen=True):
    """Shares of distinct texts that have no vector.

    Attributes:
        tokens: Share of the tokens without a vector. Repeated words count each time.
        texts: Share of the texts without a token that has a vector. Their vectors are zero.
        composed: Share of the tokens that are not in the vocabulary, and have vectors from their character n-grams.
    """

    tokens: Share
    texts: Share
    composed: Share = 0


class Usage(NamedTuple):
    """The work that a server did for a model since the model was loaded.

    Attributes:
        requests: Number of requests sent, including repeated requests.
        tokens: Number of tokens, as the server counts them. None if the server does not report it.
        price: Price of a million tokens, in any currency. None if it is unknown.
        other_names: The names under which the server reports the model, except the requested name.
    """

    requests: int
    tokens: int | None
    price: float | None
    other_names: tuple[str, ...] = ()

    def since(self, earlier: Usage) -> Usage:
        """Return the difference from the usage at an earlier time."""
        tokens = None
        if self.tokens is not None and earlier.tokens is not None:
            tokens = self.tokens - earlier.tokens
        return self._replace(requests=self.requests - earlier.requests, tokens=tokens)

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
        learns_by: How an object learns that is trained although it also scores. None if its abilities say it.
        learns_from: The splits whose labelled pairs it learns from, if it does.
        options: The options that a result records.
        parameters: Number of parameters. None if the model has no parameters in the usual sense.
        device: The device on which the model computes.
        store_key: Key of the embeddings in the store. None if they are not stored, because they are cheap to compute
            or because the model has no identity.
        is_transductive: Whether the vector of a text depends on the other texts that are encoded with it.
        cutoff: Lowest score at which the model itself calls a pair a paraphrase. None to fit a threshold to the data.
        directions: For a scorer of entailment in one direction: names of `DIRECTION_RULES`, which combine the scores of
            both orders of a pair. The rule that fits the data best is chosen, or the first rule if there is no data to
            choose by. Empty for a scorer that compares a pair in one order.
        outcomes: What the answers of a judge can be, besides usual answers. Empty for a model that is not a judge.
        start_reading: For an encoder that first reads a large file: function that takes a function to call with the
            number of bytes read since its last call, and returns the size of the file in bytes. Here and below, None
            stands for a function that a model does not have.
        find_coverage: For a model with a vocabulary of its own: function that returns the coverage of the texts that
            were encoded last.
        find_usage: For a model on a server: function that returns the usage of the server.
        divide: For a model that compares words and has no vocabulary of its own: function that divides a text into
            these words.
        find_cut: For a model that says where it cuts texts: function that counts the inputs that it cuts, given
            distinct texts for an encoder, and distinct pairs of texts for other models. It returns None if it cannot
            count them.
        window: For a scorer of pairs: number of neighbouring sentences of a summary that it compares with an SCU at
            once. None for the whole summary.
        effective: Settings that took effect without an option: those of the model's configuration. See `ModelRecord`.
        similarity: The similarity of vectors, one of the names in `harness.stats.similarities`.
        training_data: Names of the data on which it was trained, according to its model card. They change no score and
            no fingerprint.
    """

    name: str
    kind: str
    spec: str
    fingerprint: str | None
    scorer: Scorer
    learns_by: Ability | None = None
    learns_from: tuple[str, ...] = (TRAIN,)
    options: dict[str, Any] = field(default_factory=dict)
    parameters: int | None = None
    device: str = "cpu"
    store_key: str | None = None
    is_transductive: bool = False
    cutoff: float | None = None
    directions: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    start_reading: Callable[[Callable[[int], None]], int] | None = None
    find_coverage: Callable[[], Coverage | None] | None = None
    find_usage: Callable[[], Usage] | None = None
    divide: Callable[[str], list[str]] | None = None
    effective: Mapping[str, str | int | bool] = field(default_factory=dict)
    find_cut: Callable[[Sequence[Any]], Cut | None] | None = None
    similarity: str = COSINE
    window: int | None = 1
    training_data: tuple[str, ...] = ()

    @property
    def abilities(self) -> frozenset[Ability]:
        """What the scorer can do: to score, or else to learn.

        A scorer that scores may have an unrelated method `train`, as all modules of `torch` do.
        """
        if self.learns_by is not None:
            return frozenset({self.learns_by})
        every = frozenset(ability for ability in Ability if ability.find_method(self.scorer))
        return every - LEARNING or every

    def require(self, *abilities: Ability, remedy: str) -> None:
        """Check that the scorer has one of several abilities.

        Raises:
            ModelError: If it has none of them.
        """
        if self.abilities.isdisjoint(abilities):
            raise self.make_unsuitable_error(remedy)

    def make_unsuitable_error(self, remedy: str) -> ModelError:
        """Make the error for a use that the scorer has no ability for. It says what the scorer can do."""
        meanings = dict.fromkeys(ability.meaning for ability in Ability if ability in self.abilities)
        return ModelError(f"{self.name}: can only {' and '.join(meanings)}. {remedy}")

    def renamed(self, name: str) -> Model:
        """Return the model under another name."""
        return replace(self, name=name)
