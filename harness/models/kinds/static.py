"""Static word vectors, which are composed into the vectors of texts, and model2vec, which brings its own tokenizer."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_file, hash_values
from harness.models.files.hub import HubLibrary, must_be_local
from harness.models.files.vector_files import FORMATS, WordVectors, read_vectors
from harness.models.interfaces.kinds import ModelKind, NameForm, Spec
from harness.models.interfaces.options import TOKENIZER, make_choice
from harness.models.interfaces.protocols import Coverage, Model
from harness.models.static.compositions import COMPOSITIONS, SUM, Composition
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import Extra, require
from harness.text.tokenizers import Tokenizer, load_tokenizer
from pyramid_paraphrase.inputs import is_file

CASES = ("fallback", "exact", "lower")
"""How to look up a word: as it is written and, if the file lacks it, in lower case; as written; in lower case."""

_TOKENIZERS_OF_MODEL2VEC = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")

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
            return None
        tokens = sum(count for count, _ in self._counts.values())
        known_tokens = sum(known for _, known in self._counts.values())
        unknown_texts = sum(not known for _, known in self._counts.values())
        return Coverage(_divide(tokens - known_tokens, tokens), unknown_texts / len(self._counts))

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


def _divide(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def load_word_vectors(spec: Spec) -> Model:
    """Describe a file of word vectors. The encoder reads it when it knows the texts.

    Raises:
        ModelError: If it cannot be read.
        MissingExtraError: If the tokenizer, or the package that the composition needs, is not installed.
    """
    path, settings = Path(spec.model), spec.settings
    composition = COMPOSITIONS[settings["composition"]]
    if composition.extra is not None:
        require(composition.extra.package, composition.extra.name)
    tokenize = load_tokenizer(settings["tokenizer"])
    encoder = WordVectorEncoder(path, tokenize, settings["case"], settings["format"], composition)
    if settings["composition"] == SUM:
        del settings["composition"]  # fingerprints and signatures are those of releases without this option
    try:
        content = hash_file(path)
    except OSError as error:
        raise ModelError(f"{spec.model}: cannot be read ({error.strerror}); check its permissions") from None
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=hash_values({"kind": spec.kind.name, "model": content, **settings}),
        scorer=encoder,
        options=settings,
        is_transductive=composition.is_transductive,
        find_coverage=lambda: encoder.unknown,
    )


def load_model2vec(spec: Spec) -> Model:
    """Load a model2vec folder by its own library.

    Raises:
        ModelError: If it cannot be loaded.
    """
    from model2vec import StaticModel

    name = spec.model
    settings: dict[str, Any] = {}
    if must_be_local(name, None, spec.kind.hub):
        settings["force_download"] = False  # by default, the library asks the Hub even for files in the cache
    try:
        _require_distinct_numbers(Path(name))
        encoder: Any = StaticModel.from_pretrained(name, **settings)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}); give a folder of model2vec") from error
    # The content, because a name on the Hub may stand for another model tomorrow.
    content = hashlib.sha256(encoder.embedding.tobytes() + encoder.tokenizer.to_str().encode()).hexdigest()
    identity = {"kind": spec.kind.name, "model": content, "normalize": bool(encoder.normalize)}
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=hash_values(identity),
        scorer=encoder,
        parameters=int(encoder.embedding.size),
    )


def _require_distinct_numbers(folder: Path) -> None:
    """Refuse a vocabulary in which two words have one number.

    The library copies its tokenizer, and the copy keeps one of the words at random. So the file is read once more.
    """
    from tokenizers import Tokenizer

    for path in (folder / name for name in _TOKENIZERS_OF_MODEL2VEC):
        if not is_file(path):
            continue
        vocabulary = Tokenizer.from_file(str(path)).get_vocab(with_added_tokens=False)
        repeated = [number for number, count in Counter(vocabulary.values()).items() if count > 1]
        if repeated:
            raise ModelError(f"{path}: gives the number {min(repeated)} to several words; save the model again")


WORD_VECTORS = ModelKind(
    name="vectors",
    meaning="word vectors from a file: word2vec, GloVe, fastText .vec; plain, gzip, bzip2 or zip",
    example="vectors:GoogleNews-vectors-negative300.bin.gz,case=exact",
    group="static vectors",
    load=load_word_vectors,
    options=(
        TOKENIZER,
        make_choice("case", CASES),
        make_choice("format", ("auto", *FORMATS)),
        make_choice("composition", tuple(COMPOSITIONS)),
    ),
    name_form=NameForm.FILE,
    contents="word vectors",
    is_reproducible=False,
)
MODEL2VEC = ModelKind(
    name="model2vec",
    meaning="a model2vec folder",
    example="model2vec:potion-base-8M",
    group="static vectors",
    load=load_model2vec,
    name_form=NameForm.FOLDER_OR_HUB,
    hub=HubLibrary("model2vec"),
    extra=Extra("model2vec", "model2vec"),
    is_reproducible=False,
)
