"""Scorers without training: bags of words and n-grams, chance, and the shortcuts that need no understanding."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
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
    """Fit and transform; texts without any feature have a row of zeros even if all are such."""
    try:
        matrix: Matrix = vectorizer.fit_transform(texts)  # type: ignore[attr-defined]
    except ValueError:  # an empty vocabulary
        return sp.csr_matrix((len(texts), 1))
    return matrix


class Random:
    """A vector per text that its SHAKE-256 decides: the same text, the same vector, everywhere."""

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Draw a vector per text, uniform in the cube around zero; shape (n, 300)."""
        digests = b"".join(hashlib.shake_256(text.encode()).digest(2 * RANDOM_DIMENSION) for text in texts)
        drawn = np.frombuffer(digests, dtype="<u2").reshape(len(texts), RANDOM_DIMENSION)
        return (drawn - 32767.5).astype(np.float32)


class Constant:
    """Says the same of every pair."""

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return the value for each; shape (n,)."""
        return np.full(len(pairs), self._value)


class Length:
    """Minus the number of words of both texts: short is taken for a paraphrase."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count words; shape (n,)."""
        lengths = _for_each_text(pairs, lambda text: len(self._tokenize(text)))
        return np.array([-(lengths[text] + lengths[other]) for text, other in pairs], dtype=np.float64)


class Overlap:
    """The number of distinct words that both texts share."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count shared words; shape (n,)."""
        words = _for_each_text(pairs, lambda text: frozenset(self._tokenize(text)))
        return np.array([len(words[text] & words[other]) for text, other in pairs], dtype=np.float64)


def _for_each_text(pairs: list[tuple[str, str]], value: Callable[[str], Value]) -> dict[str, Value]:
    return {text: value(text) for text in dict.fromkeys(text for pair in pairs for text in pair)}


class OptionsOnly:
    """The mean one-hot cosine of an option with the other options: it never reads the question."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._encoder = OneHot(tokenize)

    def score_options(self, options: list[list[str]]) -> npt.NDArray[np.float64]:
        """Compare options with each other; shape (n, k)."""
        count = len(options[0])
        texts = {text: None for row in options for text in row}
        number = {text: index for index, text in enumerate(texts)}
        rows = np.array([[number[text] for text in row] for row in options])
        vectors = normalize(self._encoder.encode(list(texts)))
        scores = np.zeros((len(options), count))
        for one in range(count):
            for other in range(count):
                if one != other:
                    scores[:, one] += dot_rows(vectors[rows[:, one]], vectors[rows[:, other]])
        return scores / (count - 1) if count > 1 else scores


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


def load_baseline(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Make a baseline.

    Args:
        name: One of the kinds that take no name.
        options: Those that the table of kinds lists.
        spec: What the user typed.

    Returns:
        The model.

    Raises:
        MissingExtraError: If the tokenizer is not installed.
    """
    tokenizer = options.get("tokenizer", "own")
    make = _MAKERS[name]
    scorer = make(in_lower_case(load_tokenizer(tokenizer)))
    settings = {} if name in _WORDLESS else {"tokenizer": tokenizer}
    fingerprint = hash_values({"kind": name, **settings})
    return Model(name, name, spec, fingerprint, scorer, settings, is_transductive=name == "tf-idf")
