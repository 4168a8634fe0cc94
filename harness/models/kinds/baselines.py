"""Baselines without training: bags of words and n-grams, random vectors, and a constant score."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import ModelKind, Spec, describe_model, load_words
from harness.models.interfaces.options import TOKENIZER
from harness.models.interfaces.protocols import Model
from harness.text.tokenizers import Tokenizer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

RANDOM_DIMENSION = 300
NGRAM_RANGE = (3, 5)


class OneHot:
    """Bags of words: a text is the sum of the one-hot vectors of its words (Baumel et al. 2016, section 4)."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count the words of each text; shape (n, distinct words)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return _fit(CountVectorizer(analyzer=self._tokenize, dtype=np.int32), texts)


class TfIdf:
    """Bags of words weighted by smoothed inverse document frequency; a document is a text of the test."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> csr_matrix:
        """Weigh the words of each text; shape (n, distinct words)."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        return _fit(TfidfVectorizer(analyzer=self._tokenize), texts)


class CharNgrams:
    """Counts of the character 3- to 5-grams within words, in lower case."""

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count the n-grams of each text; shape (n, distinct n-grams)."""
        from sklearn.feature_extraction.text import CountVectorizer

        return _fit(CountVectorizer(analyzer="char_wb", ngram_range=NGRAM_RANGE, dtype=np.int32), texts)


def _fit(vectorizer: object, texts: list[str]) -> csr_matrix:
    """Fit and transform; a text without any feature has a row of zeros, even if no text has a feature."""
    from scipy.sparse import csr_matrix  # here, because importing it takes long

    try:
        matrix: csr_matrix = vectorizer.fit_transform(texts)  # type: ignore[attr-defined]
    except ValueError:  # an empty vocabulary
        return csr_matrix((len(texts), 1))
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


def load_random(spec: Spec) -> Model:
    """Make the encoder of random vectors."""
    return describe_model(spec, Random())


def load_one_hot(spec: Spec) -> Model:
    """Make the encoder of bags of words."""
    return describe_model(spec, OneHot(load_words(spec)))


def load_tf_idf(spec: Spec) -> Model:
    """Make the encoder of weighted bags of words. The weights depend on all texts."""
    return describe_model(spec, TfIdf(load_words(spec)), is_transductive=True)


def load_char_ngrams(spec: Spec) -> Model:
    """Make the encoder of bags of n-grams."""
    return describe_model(spec, CharNgrams())


def load_constant(spec: Spec) -> Model:
    """Make the scorer that gives every pair the same score."""
    return describe_model(spec, Constant())


RANDOM = ModelKind(
    name="random",
    meaning="a vector per text, drawn by its hash",
    example="random",
    group="baselines",
    load=load_random,
)
ONE_HOT = ModelKind(
    name="one-hot",
    meaning="bag of words",
    example="one-hot",
    group="baselines",
    load=load_one_hot,
    options=(TOKENIZER,),
)
TF_IDF = ModelKind(
    name="tf-idf",
    meaning="bag of words, rare ones weighing more",
    example="tf-idf",
    group="baselines",
    load=load_tf_idf,
    options=(TOKENIZER,),
)
CHAR_NGRAMS = ModelKind(
    name="char-ngrams",
    meaning="bag of character 3- to 5-grams",
    example="char-ngrams",
    group="baselines",
    load=load_char_ngrams,
)
CONSTANT = ModelKind(
    name="constant",
    meaning="the same score for all",
    example="constant",
    group="baselines",
    load=load_constant,
)
