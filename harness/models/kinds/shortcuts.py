"""Shortcuts: scorers that do not compare meaning. They show which scores a model can reach without it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from statistics import fmean
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import ONLY_OPTIONS, TOKENIZER, ModelKind, Spec, describe_model, load_words
from harness.models.interfaces.protocols import Model
from harness.models.kinds.baselines import OneHot
from harness.text.words import Tokenizer
from pyramid_paraphrase.rules.options import SUMMARIES

Value = TypeVar("Value")


class Length:
    """A scorer by length: minus the number of words of both texts of a pair, or the number of words of a summary."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Return minus the number of words of each pair, shape (n,)."""
        lengths = _for_each_text(pairs, lambda text: len(self._tokenize(text)))
        return np.array([-(lengths[first] + lengths[second]) for first, second in pairs], dtype=np.float64)

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Count the words of each summary, shape (n,)."""
        del scus
        lengths = _for_each_text(summaries, lambda text: len(self._tokenize(text)))
        return np.array([sum(map(lengths.__getitem__, summary)) for summary in summaries], dtype=np.float64)


class Overlap:
    """A scorer by the number of distinct shared words. For a summary, the share of the SCU's words in the summary."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score(self, pairs: list[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """Count the distinct shared words of each pair, shape (n,)."""
        words = _for_each_text(pairs, lambda text: frozenset(self._tokenize(text)))
        return np.array([len(words[first] & words[second]) for first, second in pairs], dtype=np.float64)

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Compute the share of the words of each SCU that are in its summary, shape (n,), in [0, 1]."""
        words = _for_each_text([scus, *summaries], lambda text: frozenset(self._tokenize(text)))
        shares = []
        for scu, summary in zip(scus, summaries, strict=True):
            missing = words[scu].difference(*(words[sentence] for sentence in summary))
            shares.append(1 - len(missing) / max(1, len(words[scu])))
        return np.array(shares)


class Frequency:
    """A scorer of SCUs by the frequency of their words in all summaries, without the summary in question."""

    def __init__(self, tokenize: Tokenizer) -> None:
        self._tokenize = tokenize

    def score_summaries(self, scus: list[str], summaries: list[list[str]]) -> npt.NDArray[np.float64]:
        """Average log(1 + number of sentences with the word) over the distinct words of each SCU, shape (n,)."""
        words = _for_each_text([scus, *summaries], lambda text: frozenset(self._tokenize(text)))
        counts = Counter(chain.from_iterable(words[sentence] for sentence in set(chain.from_iterable(summaries))))
        means = {scu: fmean(math.log1p(counts[word]) for word in sorted(words[scu]) or [""]) for scu in set(scus)}
        return np.array([means[scu] for scu in scus])


def _for_each_text(groups: Iterable[Sequence[str]], compute: Callable[[str], Value]) -> dict[str, Value]:
    """Compute a value for each distinct text in groups of texts, such as pairs or summaries."""
    return {text: compute(text) for text in dict.fromkeys(chain.from_iterable(groups))}


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


def load_length(spec: Spec) -> Model:
    """Make the scorer that prefers short texts."""
    return describe_model(spec, Length(load_words(spec)))


def load_overlap(spec: Spec) -> Model:
    """Make the scorer that counts shared words."""
    return describe_model(spec, Overlap(load_words(spec)))


def load_frequency(spec: Spec) -> Model:
    """Make the scorer that prefers SCUs with frequent words."""
    return describe_model(spec, Frequency(load_words(spec)))


def load_options_only(spec: Spec) -> Model:
    """Make the scorer that compares options with each other."""
    return describe_model(spec, OptionsOnly(load_words(spec)))


LENGTH = ModelKind(
    name="length",
    meaning="minus the number of words (for a summary, the number of words)",
    example="length",
    group="shortcuts",
    load=load_length,
    options=(TOKENIZER,),
)
OVERLAP = ModelKind(
    name="overlap",
    meaning="number of shared words (for a summary, the share of the SCU's words)",
    example="overlap",
    group="shortcuts",
    load=load_overlap,
    options=(TOKENIZER,),
)
OPTIONS_ONLY = ModelKind(
    name="options-only",
    meaning="similarity of an option to the other options",
    example="options-only",
    group="shortcuts",
    load=load_options_only,
    options=(TOKENIZER,),
    tests=ONLY_OPTIONS,
)
FREQUENCY = ModelKind(
    name="frequency",
    meaning="frequency of the words of an SCU in all summaries",
    example="frequency",
    group="shortcuts",
    load=load_frequency,
    options=(TOKENIZER,),
    origins=(SUMMARIES,),
)
