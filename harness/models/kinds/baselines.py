"""Baselines without training (bags of words and n-grams, random vectors, a constant score), and shortcuts.

Shortcuts are scorers that do not compare meaning. They show which scores a model can reach without it.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from harness.models.interfaces import kinds
from harness.text.words import Tokenizer
from pyramid_paraphrase.rules.options import SUMMARIES
from pyramid_paraphrase.words import remove_invisible

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Value = TypeVar("Value")

RANDOM_DIMENSION = 300
NGRAM_RANGE = (3, 5)


class Bags:
    """An encoder of weighted words or of n-grams, by a class of scikit-learn that is fitted to the texts.

    Args:
        vectorizer: Name of the class.
        settings: Its arguments.
    """

    def __init__(self, vectorizer: str, **settings: Any) -> None:  # noqa: ANN401
        self._vectorizer, self._settings = vectorizer, settings

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count or weigh the features of each text, shape (n, distinct features).

        A text without a feature gets a row of zeros, even if no text has one.
        """
        from scipy.sparse import csr_matrix  # imported here, because importing it takes long
        from sklearn.feature_extraction import text as library

        try:
            matrix: csr_matrix = getattr(library, self._vectorizer)(**self._settings).fit_transform(texts)
        except ValueError:  # an empty vocabulary
            return csr_matrix((len(texts), 1))
        return matrix


class OneHot:
    """An encoder of bags of words: the sum of the one-hot vectors of the words (Baumel et al. 2016, section 4).

    Args:
        tokenize: Function that divides a text into words in lower case.
    """

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def encode(self, texts: list[str]) -> csr_matrix:
        """Count the words of each text, shape (n, distinct words).

        The matrix is equal to that of scikit-learn's `CountVectorizer`, which takes long to import.
        """
        from scipy.sparse import csr_matrix  # imported here, because importing it takes long

        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__
        numbers, ends = array("i"), [0]
        for text in texts:
            numbers.extend(map(number_of.__getitem__, self._tokenize(text)))
            ends.append(len(numbers))
        entries = np.ones(len(numbers), dtype=np.int32), np.array(numbers, dtype=np.int32), ends
        matrix = csr_matrix(entries, shape=(len(texts), max(1, len(number_of))))
        matrix.sum_duplicates()
        # Columns in the order of words, entries in the order in which words occur first: products are summed in the
        # order of entries, which determines the last bit of a score.
        columns = np.empty(matrix.shape[1], dtype=np.int32)
        columns[[number_of[word] for word in sorted(number_of)]] = np.arange(len(number_of))
        return csr_matrix((matrix.data, columns[matrix.indices], matrix.indptr), shape=matrix.shape)


def make_tf_idf(tokenize: Tokenizer) -> Bags:
    """Make an encoder of words with smoothed inverse document frequencies. Each text of the test is a document."""
    return Bags("TfidfVectorizer", analyzer=tokenize)


def make_char_ngrams() -> Bags:
    """Make an encoder of bags of the character 3- to 5-grams within words, in lower case."""
    settings = {"analyzer": "char_wb", "ngram_range": NGRAM_RANGE, "dtype": np.int32}
    return Bags("CountVectorizer", preprocessor=lambda text: remove_invisible(text).lower(), **settings)


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


class _WordScorer:
    """Base of the scorers that look at the words of texts.

    Args:
        tokenize: Function that divides a text into words in lower case.
    """

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def _for_each_text(
        self, groups: Iterable[Sequence[str]], compute: Callable[[Sequence[str]], Value]
    ) -> dict[str, Value]:
        """Compute a value of the words of each distinct text in groups of texts, such as pairs or summaries."""
        return {text: compute(self._tokenize(text)) for text in dict.fromkeys(chain.from_iterable(groups))}


class Length(_WordScorer):
    """A scorer by length: minus the number of words of both texts of a pair, or the number of words of a summary."""

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return minus the number of words of each pair, shape (n,)."""
        lengths = self._for_each_text(pairs, len)
        return np.array([-(lengths[first] + lengths[second]) for first, second in pairs], dtype=np.float64)

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Count the words of each summary, shape (n,)."""
        del scus
        lengths = self._for_each_text(summaries, len)
        return np.array([sum(map(lengths.__getitem__, summary)) for summary in summaries], dtype=np.float64)


class Overlap(_WordScorer):
    """A scorer by the number of distinct shared words. For a summary, the share of the SCU's words in the summary."""

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count the distinct shared words of each pair, shape (n,)."""
        words = self._for_each_text(pairs, frozenset)
        return np.array([len(words[first] & words[second]) for first, second in pairs], dtype=np.float64)

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Compute the share of the words of each SCU that are in its summary, shape (n,), in [0, 1]."""
        words = self._for_each_text([scus, *summaries], frozenset)
        shares = []
        for scu, summary in zip(scus, summaries, strict=True):
            missing = words[scu].difference(*(words[sentence] for sentence in summary))
            shares.append(1 - len(missing) / max(1, len(words[scu])))
        return np.array(shares)


class Frequency(_WordScorer):
    """A scorer of SCUs by the frequency of their words in all summaries, without the summary in question."""

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Average log(1 + number of sentences with the word) over the distinct words of each SCU, shape (n,)."""
        words = self._for_each_text([scus, *summaries], frozenset)
        counts = Counter(chain.from_iterable(words[sentence] for sentence in set(chain.from_iterable(summaries))))
        means = {scu: fmean(math.log1p(counts[word]) for word in sorted(words[scu]) or [""]) for scu in set(scus)}
        return np.array([means[scu] for scu in scus])


class OptionsOnly:
    """A scorer of options by their mean one-hot cosine with the other options, without the question."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._encoder = OneHot(tokenize)

    def score_options(self, options: list[list[str]]) -> npt.NDArray[np.float64]:
        """Compare the options of each question with each other, shape (n, k)."""
        import scipy.sparse as sp  # imported here, because importing it takes long

        from harness.stats.similarities import dot_rows, normalize

        count = len(options[0])
        texts = list(dict.fromkeys(chain.from_iterable(options)))
        index = {text: number for number, text in enumerate(texts)}
        rows = np.array([index[text] for text in chain.from_iterable(options)]).reshape(len(options), count)
        vectors = normalize(self._encoder.encode(texts))
        # The sum of the cosines of v with the other options is v . (sum of all option vectors) - v . v.
        row_starts = np.arange(len(options) + 1) * count
        membership = sp.csr_matrix((np.ones(rows.size), rows.ravel(), row_starts), shape=(len(options), len(texts)))
        totals = membership @ vectors
        scores = np.zeros((len(options), count))
        for option in range(count):
            option_vectors = vectors[rows[:, option]]
            scores[:, option] = dot_rows(option_vectors, totals) - dot_rows(option_vectors, option_vectors)
        return scores / max(1, count - 1)


RANDOM = kinds.ModelKind(
    name="random",
    meaning="a pseudorandom vector per text",
    group="chance",
    load=lambda spec: kinds.describe_model(spec, Random()),
    options=(kinds.SIMILARITY,),
)
ONE_HOT = kinds.ModelKind(
    name="one-hot",
    meaning="bag of words",
    group="baselines",
    load=lambda spec: kinds.describe_words(spec, OneHot),
    options=(kinds.TOKENIZER, kinds.SIMILARITY),
)
TF_IDF = kinds.ModelKind(
    name="tf-idf",
    meaning="bag of words, weighted by inverse document frequency",
    group="baselines",
    load=lambda spec: kinds.describe_words(spec, make_tf_idf, is_transductive=True),
    options=(kinds.TOKENIZER, kinds.SIMILARITY),
)
CHAR_NGRAMS = kinds.ModelKind(
    name="char-ngrams",
    meaning="bag of character 3- to 5-grams",
    group="baselines",
    load=lambda spec: kinds.describe_model(spec, make_char_ngrams()),
    options=(kinds.SIMILARITY,),
)
CONSTANT = kinds.ModelKind(
    name="constant",
    meaning="the same score for all pairs",
    group="chance",
    load=lambda spec: kinds.describe_model(spec, Constant()),
)
LENGTH = kinds.ModelKind(
    name="length",
    meaning="minus the number of words (for a summary, the number of words)",
    group="shortcuts",
    load=lambda spec: kinds.describe_words(spec, Length),
    options=(kinds.TOKENIZER,),
)
OVERLAP = kinds.ModelKind(
    name="overlap",
    meaning="number of shared words (for a summary, the share of the SCU's words)",
    group="shortcuts",
    load=lambda spec: kinds.describe_words(spec, Overlap),
    options=(kinds.TOKENIZER,),
)
OPTIONS_ONLY = kinds.ModelKind(
    name="options-only",
    meaning="similarity of an option to the other options",
    group="shortcuts",
    load=lambda spec: kinds.describe_words(spec, OptionsOnly),
    options=(kinds.TOKENIZER,),
    tests=kinds.ONLY_OPTIONS,
)
FREQUENCY = kinds.ModelKind(
    name="frequency",
    meaning="frequency of the words of an SCU in all summaries",
    group="shortcuts",
    load=lambda spec: kinds.describe_words(spec, Frequency),
    options=(kinds.TOKENIZER,),
    origins=(SUMMARIES,),
)
