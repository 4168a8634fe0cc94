"""Static vectors: files of word vectors, and model2vec and WordLlama, which contain their own tokenizers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_file
from harness.models.files.hub import must_be_local, requiring_answers
from harness.models.files.vector_files import FORMATS, WordVectors, read_word_vectors
from harness.models.interfaces import kinds
from harness.models.interfaces.model import MAX_TOKENS, Coverage, Cut, Model
from harness.models.neural.configuration import find_unknown_id, tokenize_whole
from harness.support.errors import ModelError, describe_cause
from harness.text.compositions import COMPOSITIONS, SUM, Composition
from harness.text.words import Tokenizer, load_tokenizer
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.extras import require_extra
from pyramid_paraphrase.files.inputs import is_file

_logger = make_logger(__name__)


def add_configuration(description: Model, encoder: Any) -> Model:  # noqa: ANN401
    """Add what a `StaticModel` of model2vec does to texts to its description."""
    effective: dict[str, str | int | bool] = {"normalized": bool(encoder.normalize)}
    if encoder.max_length is not None:
        effective[MAX_TOKENS] = encoder.max_length
    return replace(description, effective=effective, find_cut=partial(_find_cut, encoder))


def _find_cut(encoder: Any, texts: Sequence[str]) -> Cut | None:  # noqa: ANN401
    """Count the texts that a `StaticModel` cuts, and the tokens that it leaves out because it does not know them.

    The vector of a text without a known token is zero, which is counted elsewhere. The model first cuts a text to as
    many characters as its maximum number of tokens of median length has, then to that number of tokens.
    """
    unknown_id = find_unknown_id(encoder.tokenizer)
    cut = lost = unknown = 0
    for text, ids in zip(texts, tokenize_whole(encoder.tokenizer, texts), strict=True):
        unknown += sum(number == unknown_id for number in ids)
        if encoder.max_length is None:
            continue
        kept, characters = ids, encoder.max_length * encoder.median_token_length
        if len(text) > characters:
            (kept,) = tokenize_whole(encoder.tokenizer, [text[:characters]])
        kept = kept[: encoder.max_length]
        cut += kept != ids
        lost += max(0, len(ids) - len(kept))
    return Cut(len(texts), cut, lost, unknown_tokens=unknown)


CASES = ("fallback", "exact", "lower")
"""Ways to look up a word: as written and, if it is not in the file, in lower case; only as written; in lower case."""


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
        # By text: number of words, of words with a vector, and of words whose vectors are from n-grams.
        self._counts: dict[str, tuple[int, int, int]] = {}

    @property
    def unknown(self) -> Coverage | None:
        """Shares of the distinct texts encoded so far that have no vector. None before the first text."""
        if not self._counts:
            return None  # otherwise there is at least one word, because `encode` refuses texts without known words
        tokens, known_tokens, composed = map(sum, zip(*self._counts.values(), strict=True))
        unknown_texts = sum(not known_count for _, known_count, _ in self._counts.values())
        return Coverage((tokens - known_tokens) / tokens, unknown_texts / len(self._counts), composed / tokens)

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
        row_by_word = {}
        composed_words = set()
        for word in distinct_words:
            forms = [form for form in self._list_forms(word) if form in vectors.rows]
            if forms:  # a form in the file goes before one that character n-grams compose
                form = next((form for form in forms if form not in vectors.composed), forms[0])
                row_by_word[word] = vectors.rows[form]
                if form in vectors.composed:
                    composed_words.add(word)
        weigh = self._composition.weigh(texts_as_words)
        weight_by_row = np.ones(len(vectors.matrix))
        for word, row in row_by_word.items():
            weight_by_row[row] = weigh(word)
        dimension = len(self._pool(vectors, [], weight_by_row))
        composed = np.zeros((len(texts), dimension), dtype=np.float32)
        for index, words in enumerate(texts_as_words):
            rows = [row_by_word[word] for word in words if word in row_by_word]
            composed[index] = self._pool(vectors, rows, weight_by_row)
            self._counts[texts[index]] = len(words), len(rows), sum(word in composed_words for word in words)
        return self._composition.finish(composed)

    def _pool(self, vectors: WordVectors, rows: list[int], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return self._composition.pool(vectors.matrix[rows].astype(np.float64), weights[rows])

    def _read(self, words: set[str]) -> WordVectors:
        wanted = set(chain.from_iterable(map(self._list_forms, words)))
        vectors = read_word_vectors(self._path, wanted, format=self._format, progress=self._progress)
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


_TOKENIZERS_OF_MODEL2VEC = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")


def load_word_vectors(spec: kinds.Spec) -> Model:
    """Describe a file of word vectors. The encoder reads its vectors when it gets the texts.

    Raises:
        ModelError: If the file cannot be read.
        MissingExtraError: If the tokenizer, or the package that the composition needs, is not installed.
    """
    path, settings = Path(spec.model), spec.settings
    composition = COMPOSITIONS[settings["composition"]]
    if composition.extra:
        require_extra(composition.extra)
    tokenize = load_tokenizer(settings["tokenizer"])
    encoder = WordVectorEncoder(path, tokenize, settings["case"], settings["format"], composition)
    if settings["composition"] == SUM:
        del settings["composition"]  # keeps the fingerprints and signatures of releases without this option
    try:
        content = hash_file(path)
    except OSError as error:
        raise ModelError(f"{spec.model}: cannot be read ({error.strerror}). Check its permissions") from None
    return kinds.describe_model(
        spec,
        encoder,
        {"model": content, **settings},
        options=settings,
        is_transductive=composition.is_transductive,
        start_reading=encoder.start_reading,
        find_coverage=lambda: encoder.unknown,
        divide=tokenize,
    )


def load_model2vec(spec: kinds.Spec) -> Model:
    """Load a model2vec folder with the model2vec library.

    Raises:
        ModelError: If the folder cannot be loaded.
    """
    from model2vec import StaticModel

    name = spec.model
    settings: dict[str, Any] = {}
    if must_be_local(name, None, spec.kind.hub):
        settings["force_download"] = False  # by default, the library requests even cached files from the Hub
    try:
        _require_distinct_ids(Path(name))
        with requiring_answers(name):
            encoder: Any = StaticModel.from_pretrained(name, **settings)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}). Use a model2vec folder") from error
    # The fingerprint covers the content, because the model under a name on the Hub can change.
    content = hashlib.sha256(encoder.embedding.tobytes() + encoder.tokenizer.to_str().encode()).hexdigest()
    identity = {"model": content, "normalize": bool(encoder.normalize)}
    description = kinds.describe_model(spec, encoder, identity, parameters=int(encoder.embedding.size))
    return add_configuration(description, encoder)


def _require_distinct_ids(folder: Path) -> None:
    """Refuse a vocabulary in which two tokens have the same id.

    The library copies its tokenizer, and the copy keeps one of these tokens at random. Therefore this function reads
    the file itself.
    """
    from tokenizers import Tokenizer

    for path in (folder / name for name in _TOKENIZERS_OF_MODEL2VEC):
        if not is_file(path):
            continue
        vocabulary = Tokenizer.from_file(str(path)).get_vocab(with_added_tokens=False)
        repeated_ids = [token_id for token_id, count in Counter(vocabulary.values()).items() if count > 1]
        if repeated_ids:
            raise ModelError(f"{path}: several tokens have the id {min(repeated_ids)}. Save the model again")


class WordLlamaEncoder:
    """An encoder that averages the vectors of the tokens of a text with the wordllama library.

    Args:
        model: A model that `WordLlama.load` returned.
    """

    def __init__(self, model: Any) -> None:  # noqa: ANN401
        self._model = model

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Encode each text, shape (n, dimension). The vectors of texts without a token are zero."""
        return np.asarray(self._model.embed(texts))


def load_wordllama(spec: kinds.Spec) -> Model:
    """Load the model that the package wordllama contains. Nothing is downloaded.

    Raises:
        ModelError: If the package does not contain the model.
    """
    import wordllama

    # Version 0.4 looks for its own tokenizer in a wrong folder of the package, but in the right folder of a cache.
    # Therefore the package is given as the cache.
    folder = Path(wordllama.__file__).parent
    settings = {"dim": _WORDLLAMA_DIMENSIONS[0], "trunc_dim": spec.settings["dimension"]}
    try:
        model = wordllama.WordLlama.load(**settings, cache_dir=folder, disable_download=True)
    except FileNotFoundError as error:
        raise ModelError(
            f"wordllama: the package does not contain its model ({describe_cause(error)}). Reinstall the package"
        ) from None
    content = hashlib.sha256(model.embedding.tobytes() + model.tokenizer.to_str().encode()).hexdigest()
    identity = {"model": content, **spec.settings}
    encoder = WordLlamaEncoder(model)
    return kinds.describe_model(spec, encoder, identity, options=spec.settings, parameters=int(model.embedding.size))


_WORDLLAMA_DIMENSIONS = (256, 128, 64)
"""The dimension of the vectors in the package, then the dimensions to which the model was trained to be truncated."""

WORD_VECTORS = kinds.ModelKind(
    name="vectors",
    meaning="word vectors from a file: word2vec, GloVe or fastText (plain, gzip, bzip2 or zip)",
    example="vectors:GoogleNews-vectors-negative300.bin.gz,case=exact",
    group="static vectors",
    load=load_word_vectors,
    options=(
        kinds.TOKENIZER,
        kinds.make_choice("case", CASES),
        kinds.make_choice("format", ("auto", *FORMATS)),
        kinds.make_choice("composition", tuple(COMPOSITIONS)),
        kinds.SIMILARITY,
    ),
    contents="word vectors",
    is_reproducible=False,
)
MODEL2VEC = kinds.ModelKind(
    name="model2vec",
    meaning="a model2vec folder",
    example="model2vec:potion-base-8M",
    group="static vectors",
    load=load_model2vec,
    options=(kinds.SIMILARITY,),
    hub="model2vec",
    extra="model2vec",
    is_reproducible=False,
    library="model2vec",
    classes=("StaticModel",),
    add_configuration=add_configuration,
)
WORDLLAMA = kinds.ModelKind(
    name="wordllama",
    meaning="WordLlama, static vectors from the package wordllama",
    example="wordllama,dimension=64",
    group="static vectors",
    load=load_wordllama,
    options=(
        kinds.Option(
            "dimension",
            {str(dimension): dimension for dimension in _WORDLLAMA_DIMENSIONS}.__getitem__,
            "256, 128 or 64",
            _WORDLLAMA_DIMENSIONS[0],
        ),
        kinds.SIMILARITY,
    ),
    extra="wordllama",
)
