"""Scorers without training: bags of words and n-grams, random vectors, and shortcuts that read no meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from itertools import chain, permutations
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from harness.files.hashing import hash_values
from harness.models.protocols import Model, Scorer
from harness.stats.cosine import dot_rows, normalize
from harness.text.tokenizers import Tokenizer, in_lower_case, load_tokenizer

Matrix = sp.csr_matrix
Value = TypeVar("Value")
RANDOM_DIMENSION = 300
NGRAM_RANGE = (3, 5)


class OneHot:
    """Bags of words: a text is the sum of the one-hot vectors of its words (Baumel et al. 2016, section 4)."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> Matrix:
        """Count the words of each text; shape (n, distinct words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return _fit(CountVectorizer(analyzer=self._tokenize, dtype=np.int32), texts)


class TfIdf:
    """Bags of words weighted by smoothed inverse document frequency; a document is a text of the test."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> Matrix:
        """Weigh the words of each text; shape (n, distinct words)."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        return _fit(TfidfVectorizer(analyzer=self._tokenize), texts)


class CharNgrams:
    """Counts of the character 3- to 5-grams within words, in lower case."""

    def encode(self, texts: list[str]) -> Matrix:
        """Count the n-grams of each text; shape (n, distinct n-grams)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return _fit(CountVectorizer(analyzer="char_wb", ngram_range=NGRAM_RANGE, dtype=np.int32), texts)


def _fit(vectorizer: object, texts: list[str]) -> Matrix:
    """Fit and transform; a text without any feature has a row of zeros, even if no text has a feature."""
    try:
        matrix: Matrix = vectorizer.fit_transform(texts)  # type: ignore[attr-defined]
    except ValueError:  # an empty vocabulary
        return sp.csr_matrix((len(texts), 1))
    return matrix


class Random:
    """A vector per text, drawn from its SHAKE-256: the same on every machine."""

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Draw a vector per text, uniform in the cube around zero; shape (n, 300)."""
        digests = b"".join(hashlib.shake_256(text.encode()).digest(2 * RANDOM_DIMENSION) for text in texts)
        drawn = np.frombuffer(digests, dtype="<u2").reshape(len(texts), RANDOM_DIMENSION)
        return (drawn - 32767.5).astype(np.float32)


class Constant:
    """Gives every pair the same score."""

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return the value for each pair; shape (n,)."""
        return np.full(len(pairs), self._value)


class Length:
    """Minus the number of words of both texts: short texts are taken for paraphrases."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count words; shape (n,)."""
        lengths = _for_each_text(pairs, lambda text: len(self._tokenize(text)))
        return np.array([-(lengths[first] + lengths[second]) for first, second in pairs], dtype=np.float64)


class Overlap:
    """The number of distinct words that both texts share."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count shared words; shape (n,)."""
        words = _for_each_text(pairs, lambda text: frozenset(self._tokenize(text)))
        return np.array([len(words[first] & words[second]) for first, second in pairs], dtype=np.float64)


def _for_each_text(pairs: list[tuple[str, str]], compute: Callable[[str], Value]) -> dict[str, Value]:
    """Compute a value for each distinct text of some pairs."""
    return {text: compute(text) for text in dict.fromkeys(chain.from_iterable(pairs))}


class OptionsOnly:
    """The mean one-hot cosine of an option with the other options: it never reads the question."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._encoder = OneHot(tokenize)

    def score_options(self, options: list[list[str]]) -> npt.NDArray[np.float64]:
        """Compare options with each other; shape (n, k)."""
        count = len(options[0])
        texts = list(dict.fromkeys(chain.from_iterable(options)))
        index = {text: number for number, text in enumerate(texts)}
        rows = np.array([index[text] for text in chain.from_iterable(options)]).reshape(len(options), count)
        vectors = normalize(self._encoder.encode(texts))
        scores = np.zeros((len(options), count))
        for left, right in permutations(range(count), 2):
            scores[:, left] += dot_rows(vectors[rows[:, left]], vectors[rows[:, right]])
        return scores / max(1, count - 1)


_MAKERS: dict[str, Callable[[Tokenizer], Scorer]] = {
    "random": lambda _: Random(),
    "one-hot": OneHot,
    "tf-idf": TfIdf,
    "char-ngrams": lambda _: CharNgrams(),
    "constant": lambda _: Constant(),
    "length": Length,
    "overlap": Overlap,
    "options-only": OptionsOnly,
}

_WORDLESS = ("random", "char-ngrams", "constant")
"""Baselines that do not split texts into words, so that no tokenizer is part of their fingerprint."""


def load_baseline(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Make a baseline.

    Args:
        name: One of the kinds that take no name.
        options: The options that the table of kinds lists.
        spec: The spec that the user typed.

    Returns:
        The model.

    Raises:
        MissingExtraError: If the tokenizer is not installed.
    """
    tokenizer = options.get("tokenizer", "own")
    make = _MAKERS[name]
    scorer = make(in_lower_case(load_tokenizer(tokenizer)))
    settings: dict[str, Any] = {}
    if name not in _WORDLESS:
        settings["tokenizer"] = tokenizer
    fingerprint = hash_values({"kind": name, **settings})
    return Model(
        name=name,
        kind=name,
        spec=spec,
        fingerprint=fingerprint,
        scorer=scorer,
        options=settings,
        is_transductive=name == "tf-idf",
    )
