"""Shortcuts: scorers that read no meaning. They show how well a model scores without any understanding."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, permutations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from harness.models.interfaces.kinds import ONLY_QUESTIONS, ModelKind, Spec, describe_model, load_words
from harness.models.interfaces.options import TOKENIZER
from harness.models.interfaces.protocols import Model
from harness.models.kinds.baselines import OneHot
from harness.text.tokenizers import Tokenizer

Value = TypeVar("Value")


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
        from harness.stats.cosine import dot_rows, normalize  # here, because importing scipy takes long

        count = len(options[0])
        texts = list(dict.fromkeys(chain.from_iterable(options)))
        index = {text: number for number, text in enumerate(texts)}
        rows = np.array([index[text] for text in chain.from_iterable(options)]).reshape(len(options), count)
        vectors = normalize(self._encoder.encode(texts))
        scores = np.zeros((len(options), count))
        for left, right in permutations(range(count), 2):
            scores[:, left] += dot_rows(vectors[rows[:, left]], vectors[rows[:, right]])
        return scores / max(1, count - 1)


def load_length(spec: Spec) -> Model:
    """Make the scorer that prefers short texts."""
    return describe_model(spec, Length(load_words(spec)))


def load_overlap(spec: Spec) -> Model:
    """Make the scorer that counts shared words."""
    return describe_model(spec, Overlap(load_words(spec)))


def load_options_only(spec: Spec) -> Model:
    """Make the scorer that compares options with each other."""
    return describe_model(spec, OptionsOnly(load_words(spec)))


LENGTH = ModelKind(
    name="length",
    meaning="minus the number of words",
    example="length",
    group="shortcuts",
    load=load_length,
    options=(TOKENIZER,),
    is_shortcut=True,
)
OVERLAP = ModelKind(
    name="overlap",
    meaning="number of shared words",
    example="overlap",
    group="shortcuts",
    load=load_overlap,
    options=(TOKENIZER,),
    is_shortcut=True,
)
OPTIONS_ONLY = ModelKind(
    name="options-only",
    meaning="likeness of an option to the others",
    example="options-only",
    group="shortcuts",
    load=load_options_only,
    options=(TOKENIZER,),
    tests=ONLY_QUESTIONS,
    is_shortcut=True,
)
