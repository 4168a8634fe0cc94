"""The encoder of texts by the vectors of their words, which it reads from a file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from harness.models.files.vector_files import WordVectors, read_vectors
from harness.models.interfaces.protocols import Coverage
from harness.models.static.compositions import Composition
from harness.support.errors import ModelError
from harness.text.tokenizers import Tokenizer

CASES = ("fallback", "exact", "lower")
"""How to look up a word: as it is written and, if the file lacks it, in lower case; as written; in lower case."""

_logger = logging.getLogger(__name__)


class WordVectorEncoder:
    """Reads the vectors of the words of texts from a file, and composes them.

    Args:
        path: The file.
        tokenize: Text to words in their own case.
        case: One of `CASES`.
        format: One of `vector_files.FORMATS`, or "auto".
        composition: The way to compose the vectors of words.

    Attributes:
        progress: Called with the number of bytes read since the last call; None to call nothing.
    """

    def __init__(
        self,
        path: Path,
        tokenize: Tokenizer,
        case: str,
        format: str,  # noqa: A002 - as the option is called
        composition: Composition,
    ) -> None:
        self._path, self._tokenize, self._case, self._format = path, tokenize, case, format
        self._composition = composition
        self.progress: Callable[[int], None] | None = None
        self._counts: dict[str, tuple[int, int]] = {}  # of words, and of those with a vector, by text

    @property
    def unknown(self) -> Coverage | None:
        """Shares of the distinct texts that were encoded so far that have no vector; None before the first."""
        if not self._counts:
            return None  # else there is a word, because `encode` refuses texts without any
        tokens = sum(count for count, _ in self._counts.values())
        known_tokens = sum(known for _, known in self._counts.values())
        unknown_texts = sum(not known for _, known in self._counts.values())
        return Coverage((tokens - known_tokens) / tokens, unknown_texts / len(self._counts))

    def count_bytes(self) -> int:
        """Size of the file."""
        return self._path.stat().st_size

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Compose the vectors of the words of each text.

        Returns:
            Shape (n, dimension), or (n, 2 dimension) for "max-min"; zero for texts without a word that has a vector.

        Raises:
            ModelError: If the file has a vector for no word at all.
            InputError: If it cannot be read.
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
        vectors = read_vectors(self._path, wanted, format=self._format, progress=self.progress)
        if not vectors.rows:
            raise ModelError(f"{self._path}: has a vector for none of {len(words)} words; is it of this language?")
        _logger.info("%s: %s, %d of %d words", self._path, vectors.format, len(vectors.rows), len(words))
        return vectors

    def _list_forms(self, word: str) -> tuple[str, ...]:
        """Return the forms of a word to look up, in this order."""
        if self._case == "fallback":
            return word, word.lower()
        if self._case == "exact":
            return (word,)
        return (word.lower(),)

    def _find_rows(self, vectors: WordVectors, words: set[str]) -> dict[str, int]:
        """Return the row of each word that has a vector: the row of its first form in the file."""
        row_by_word = {}
        for word in words:
            for form in self._list_forms(word):
                if form in vectors.rows:
                    row_by_word[word] = vectors.rows[form]
                    break
        return row_by_word
