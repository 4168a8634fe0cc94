"""The encoder that composes the vectors of words from a file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from harness.models.files.vector_files import WordVectors, read_vectors
from harness.models.interfaces.protocols import Coverage
from harness.models.static.compositions import Composition
from harness.support.errors import ModelError
from harness.text.words import Tokenizer

CASES = ("fallback", "exact", "lower")
"""Ways to look up a word: as written and, if it is not in the file, in lower case; only as written; in lower case."""

_logger = logging.getLogger(__name__)


class WordVectorEncoder:
    """An encoder that reads the vectors of the words of texts from a file, and composes them.

    Args:
        path: The file.
        tokenize: Function that divides a text into words in their original case.
        case: One of `CASES`.
        format: One of `vector_files.FORMATS`, or "auto".
        composition: The way to compose the vectors of words.

    """

    def __init__(
        self,
        path: Path,
        tokenize: Tokenizer,
        case: str,
        format: str,  # noqa: A002 - the name of the option
        composition: Composition,
    ) -> None:
        self._path, self._tokenize, self._case, self._format = path, tokenize, case, format
        self._composition = composition
        self._progress: Callable[[int], None] | None = None
        self._counts: dict[str, tuple[int, int]] = {}  # by text: number of words, number of words with a vector

    @property
    def unknown(self) -> Coverage | None:
        """Shares of the distinct texts encoded so far that have no vector. None before the first text."""
        if not self._counts:
            return None  # otherwise there is at least one word, because `encode` refuses texts without known words
        tokens = sum(count for count, _ in self._counts.values())
        known_tokens = sum(known_count for _, known_count in self._counts.values())
        unknown_texts = sum(not known_count for _, known_count in self._counts.values())
        return Coverage((tokens - known_tokens) / tokens, unknown_texts / len(self._counts))

    def start_reading(self, progress: Callable[[int], None]) -> int:
        """Set the function that is called with the number of bytes read, and return the size. See `Model`."""
        self._progress = progress
        return self._path.stat().st_size

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Compose the vectors of the words of each text.

        Returns:
            Shape (n, dimension), or (n, 2 dimension) for "max-min". The vectors of texts without a known word are zero.

        Raises:
            ModelError: If the file contains none of the words.
            InputError: If the file cannot be read.
        """
        texts_as_words = [self._composition.select(self._tokenize(text)) for text in texts]
        distinct_words = set(chain.from_iterable(texts_as_words))
        vectors = self._read(distinct_words)
        row_by_word = self._find_rows(vectors, distinct_words)
        weigh = self._composition.weigh(texts_as_words)
        weight_by_row = np.ones(len(vectors.matrix))
        for word, row in row_by_word.items():
            weight_by_row[row] = weigh(word)
        dimension = len(self._pool(vectors, [], weight_by_row))
        composed = np.zeros((len(texts), dimension), dtype=np.float32)
        for index, words in enumerate(texts_as_words):
            rows = [row_by_word[word] for word in words if word in row_by_word]
            composed[index] = self._pool(vectors, rows, weight_by_row)
            self._counts[texts[index]] = len(words), len(rows)
        return self._composition.finish(composed)

    def _pool(self, vectors: WordVectors, rows: list[int], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return self._composition.pool(vectors.matrix[rows].astype(np.float64), weights[rows])

    def _read(self, words: set[str]) -> WordVectors:
        wanted = set(chain.from_iterable(map(self._list_forms, words)))
        vectors = read_vectors(self._path, wanted, format=self._format, progress=self._progress)
        if not vectors.rows:
            reason = f"contains none of the {len(words)} words of the texts"
            raise ModelError(f"{self._path}: {reason}. Check that it is for the language of the texts")
        _logger.info("%s: %s, %d of %d words", self._path, vectors.format, len(vectors.rows), len(words))
        return vectors

    def _list_forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word to look up. Files may have straight apostrophes or decomposed letters."""
        forms: tuple[str, ...] = (word.lower(),)
        if self._case == "fallback":
            forms = (word, word.lower())
        elif self._case == "exact":
            forms = (word,)
        forms += tuple(form.replace("\u2019", "'") for form in forms)
        return tuple(dict.fromkeys((*forms, *(normalize("NFD", form) for form in forms))))

    def _find_rows(self, vectors: WordVectors, words: set[str]) -> dict[str, int]:
        """Return the row of each word that has a vector: the row of its first form that the file contains."""
        row_by_word = {}
        for word in words:
            for form in self._list_forms(word):
                if form in vectors.rows:
                    row_by_word[word] = vectors.rows[form]
                    break
        return row_by_word
