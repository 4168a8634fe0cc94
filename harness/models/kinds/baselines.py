"""Baselines without training: bags of words, bags of n-grams, random vectors, and a constant score."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import SIMILARITY, TOKENIZER, ModelKind, Spec, describe_model, load_words
from harness.models.interfaces.protocols import Model
from harness.text.words import Tokenizer
from pyramid_paraphrase.words import remove_invisible

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

RANDOM_DIMENSION = 300
NGRAM_RANGE = (3, 5)


class OneHot:
    """An encoder of bags of words: the sum of the one-hot vectors of the words (Baumel et al. 2016, section 4)."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count the words of each text, shape (n, distinct words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return _fit(CountVectorizer(analyzer=self._tokenize, dtype=np.int32), texts)


class TfIdf:
    """An encoder of bags of words with smoothed inverse document frequencies. Each text of the test is a document."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> csr_matrix:
        """Compute the weights of the words of each text, shape (n, distinct words)."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        return _fit(TfidfVectorizer(analyzer=self._tokenize), texts)


class CharNgrams:
    """An encoder of bags of the character 3- to 5-grams within words, in lower case."""

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count the n-grams of each text, shape (n, distinct n-grams)."""
        from sklearn.feature_extraction.text import CountVectorizer

        vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=NGRAM_RANGE, dtype=np.int32)
        return _fit(vectorizer, list(map(remove_invisible, texts)))


def _fit(vectorizer: object, texts: list[str]) -> csr_matrix:
    """Fit a vectorizer and transform texts. A text without a feature gets a row of zeros, even if no text has one."""
    from scipy.sparse import csr_matrix  # imported here, because importing it takes long

    try:
        matrix: csr_matrix = vectorizer.fit_transform(texts)  # type: ignore[attr-defined]
    except ValueError:  # an empty vocabulary
        return csr_matrix((len(texts), 1))
    return matrix


class Random:
    """An encoder of pseudorandom vectors: the SHAKE-256 of the text, which is the same on every machine."""

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Draw a vector per text, uniform in a cube around zero, shape (n, 300)."""
        digests = b"".join(hashlib.shake_256(text.encode()).digest(2 * RANDOM_DIMENSION) for text in texts)
        values = np.frombuffer(digests, dtype="<u2").reshape(len(texts), RANDOM_DIMENSION)
        return (values - 32767.5).astype(np.float32)  # 32767.5 is the mean of 16-bit numbers


class Constant:
    """A scorer that gives every pair the same score."""

    def __init__(self, value: float = 0.0) -> None:
        self._value = value

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return the value for each pair, shape (n,)."""
        return np.full(len(pairs), self._value)


def load_random(spec: Spec) -> Model:
    """Make the encoder of random vectors."""
    return describe_model(spec, Random())


def load_one_hot(spec: Spec) -> Model:
    """Make the encoder of bags of words."""
    return describe_model(spec, OneHot(load_words(spec)))


def load_tf_idf(spec: Spec) -> Model:
    """Make the encoder of weighted bags of words, whose weights depend on all texts."""
    return describe_model(spec, TfIdf(load_words(spec)), is_transductive=True)


def load_char_ngrams(spec: Spec) -> Model:
    """Make the encoder of bags of n-grams."""
    return describe_model(spec, CharNgrams())


def load_constant(spec: Spec) -> Model:
    """Make the scorer that gives every pair the same score."""
    return describe_model(spec, Constant())


RANDOM = ModelKind(
    name="random",
    meaning="a pseudorandom vector per text",
    example="random",
    group="chance",
    load=load_random,
    options=(SIMILARITY,),
)
ONE_HOT = ModelKind(
    name="one-hot",
    meaning="bag of words",
    example="one-hot",
    group="baselines",
    load=load_one_hot,
    options=(TOKENIZER, SIMILARITY),
)
TF_IDF = ModelKind(
    name="tf-idf",
    meaning="bag of words, weighted by inverse document frequency",
    example="tf-idf",
    group="baselines",
    load=load_tf_idf,
    options=(TOKENIZER, SIMILARITY),
)
CHAR_NGRAMS = ModelKind(
    name="char-ngrams",
    meaning="bag of character 3- to 5-grams",
    example="char-ngrams",
    group="baselines",
    load=load_char_ngrams,
    options=(SIMILARITY,),
)
CONSTANT = ModelKind(
    name="constant",
    meaning="the same score for all pairs",
    example="constant",
    group="chance",
    load=load_constant,
)
