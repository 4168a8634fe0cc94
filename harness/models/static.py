"""Static word vectors: sums of the vectors of a text's words; and static models that bring a tokenizer."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_file, hash_values
from harness.models.hub import must_be_local
from harness.models.protocols import Model
from harness.models.vector_files import WordVectors, read_vectors
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import require
from harness.support.names import short_name
from harness.text.tokenizers import Tokenizer, load_tokenizer
from pyramid_paraphrase.inputs import is_file

CASES = ("fallback", "exact", "lower")
"""How a word is looked up: as it is written and, if that is not there, in lower case; as written; in lower case."""

_TOKENIZERS_OF_MODEL2VEC = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")

_logger = logging.getLogger(__name__)


class Coverage(NamedTuple):
    """What of distinct texts has no vector.

    Attributes:
        tokens: Share of the words, each as often as it occurs, in [0, 1].
        texts: Share of the texts without any known word, whose vector is zero, in [0, 1].
    """

    tokens: float
    texts: float


class WordVectorEncoder:
    """Reads from a file of word vectors what the texts need, and sums it.

    Args:
        path: The file.
        tokenize: Text to words in their own case.
        case: One of `CASES`.
        format: One of `vector_files.FORMATS`, or "auto".

    Attributes:
        progress: What is called with the number of bytes read since the last call, if anything.
        unknown: What of the texts that were encoded last has no vector.
    """

    def __init__(
        self,
        path: Path,
        tokenize: Tokenizer,
        case: str = CASES[0],
        format: str = "auto",  # noqa: A002 - as the option is called
    ) -> None:
        self._path, self._tokenize, self._case, self._format = path, tokenize, case, format
        self.progress: Callable[[int], None] | None = None
        self.unknown: Coverage | None = None

    def count_bytes(self) -> int:
        """Size of the file."""
        return self._path.stat().st_size

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Sum the vectors of the words of each text; shape (n, dimension), zero where no word is known.

        Raises:
            ModelError: If the file has a vector for no word at all.
            InputError: If it cannot be read.
        """
        words = [self._tokenize(text) for text in texts]
        vectors = self._read({word for text in words for word in text})
        found = [[row for word in text if (row := self._find(vectors, word)) is not None] for text in words]
        count = sum(map(len, words))
        self.unknown = Coverage(
            tokens=(count - sum(map(len, found))) / count if count else 0.0,
            texts=sum(not rows for rows in found) / len(texts) if texts else 0.0,
        )
        sums = np.zeros((len(texts), vectors.dimension), dtype=np.float32)
        for row, members in enumerate(found):
            sums[row] = vectors.matrix[members].sum(axis=0, dtype=np.float64)
        return sums

    def _read(self, words: set[str]) -> WordVectors:
        wanted = {form for word in words for form in self._forms(word)}
        vectors = read_vectors(self._path, wanted, format=self._format, progress=self.progress)
        if not vectors.rows:
            raise ModelError(f"{self._path}: has a vector for none of {len(words)} words; is it of this language?")
        _logger.info("%s: %s, %d of %d words", self._path, vectors.format, len(vectors.rows), len(words))
        return vectors

    def _forms(self, word: str) -> tuple[str, ...]:
        """What to look up for a word, in this order."""
        return {"fallback": (word, word.lower()), "exact": (word,), "lower": (word.lower(),)}[self._case]

    def _find(self, vectors: WordVectors, word: str) -> int | None:
        rows = (vectors.rows.get(form) for form in self._forms(word))
        return next((row for row in rows if row is not None), None)


def load_word_vectors(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Describe a file of word vectors; it is read when texts are there.

    Args:
        name: The file.
        options: Those that the table of kinds lists.
        spec: What the user typed.

    Returns:
        The model.

    Raises:
        ModelError: If it cannot be read.
        OptionError: If an option has a wrong value.
    """
    path = Path(name)
    tokenizer, case, form = (
        options.get("tokenizer", "own"),
        options.get("case", CASES[0]),
        options.get("format", "auto"),
    )
    encoder = WordVectorEncoder(path, load_tokenizer(tokenizer), case, form)
    settings = {"tokenizer": tokenizer, "case": case, "format": form}
    try:
        content = hash_file(path)
    except OSError as error:
        raise ModelError(f"{name}: cannot be read ({error.strerror}); check its permissions") from None
    fingerprint = hash_values({"kind": "vectors", "model": content, **settings})
    return Model(short_name(name), "vectors", spec, fingerprint, encoder, settings)


def load_model2vec(name: str, options: Mapping[str, Any], spec: str) -> Model:
    """Load a model2vec folder by its own library; arguments, return value and errors as for word vectors."""
    del options
    library = require("model2vec", "model2vec")
    # Unless it is told otherwise, the library asks the Hub even for what is in the cache.
    how = {"force_download": False} if must_be_local(name, None, "model2vec") else {}
    try:
        _require_distinct_numbers(Path(name))
        encoder = library.StaticModel.from_pretrained(name, **how)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}); give a folder of model2vec") from error
    # Whatever the name stood for today.
    content = hashlib.sha256(encoder.embedding.tobytes() + encoder.tokenizer.to_str().encode()).hexdigest()
    fingerprint = hash_values({"kind": "model2vec", "model": content, "normalize": bool(encoder.normalize)})
    return Model(short_name(name), "model2vec", spec, fingerprint, encoder, parameters=int(encoder.embedding.size))


def _require_distinct_numbers(folder: Path) -> None:
    """Refuse a vocabulary in which two words have one number.

    The library copies its tokenizer, which keeps one of the words at random. So the file is read once more.
    """
    from tokenizers import Tokenizer

    for path in (folder / name for name in _TOKENIZERS_OF_MODEL2VEC):
        if not is_file(path):
            continue
        vocabulary = Tokenizer.from_file(str(path)).get_vocab(with_added_tokens=False)
        repeated = [number for number, count in Counter(vocabulary.values()).items() if count > 1]
        if repeated:
            raise ModelError(f"{path}: gives the number {min(repeated)} to several words; save the model again")
