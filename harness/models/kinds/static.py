"""Static vectors: files of word vectors, and model2vec and WordLlama, which contain their own tokenizers."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.files.hashing import hash_file, hash_values
from harness.models.files.hub import HubLibrary, must_be_local
from harness.models.files.vector_files import FORMATS
from harness.models.interfaces.kinds import ModelKind, NameForm, Spec
from harness.models.interfaces.options import SIMILARITY, TOKENIZER, Option, make_choice
from harness.models.interfaces.protocols import Model
from harness.models.static.compositions import COMPOSITIONS, SUM
from harness.models.static.subword_vectors import add_configuration
from harness.models.static.word_vectors import CASES, WordVectorEncoder
from harness.support.errors import ModelError, describe_cause
from harness.support.extras import Extra, require
from harness.text.words import load_tokenizer
from pyramid_paraphrase.files.inputs import is_file

_TOKENIZERS_OF_MODEL2VEC = ("tokenizer.json", "0_StaticEmbedding/tokenizer.json")


def load_word_vectors(spec: Spec) -> Model:
    """Describe a file of word vectors. The encoder reads its vectors when it gets the texts.

    Raises:
        ModelError: If the file cannot be read.
        MissingExtraError: If the tokenizer, or the package that the composition needs, is not installed.
    """
    path, settings = Path(spec.model), spec.settings
    composition = COMPOSITIONS[settings["composition"]]
    if composition.extra is not None:
        require(composition.extra.package, composition.extra.name)
    tokenize = load_tokenizer(settings["tokenizer"])
    encoder = WordVectorEncoder(path, tokenize, settings["case"], settings["format"], composition)
    if settings["composition"] == SUM:
        del settings["composition"]  # keeps the fingerprints and signatures of releases without this option
    try:
        content = hash_file(path)
    except OSError as error:
        raise ModelError(f"{spec.model}: cannot be read ({error.strerror}). Check its permissions") from None
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=hash_values({"kind": spec.kind.name, "model": content, **settings}),
        scorer=encoder,
        options=settings,
        is_transductive=composition.is_transductive,
        start_reading=encoder.start_reading,
        find_coverage=lambda: encoder.unknown,
        divide=tokenize,
    )


def load_model2vec(spec: Spec) -> Model:
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
        encoder: Any = StaticModel.from_pretrained(name, **settings)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{name}: cannot be loaded ({describe_cause(error)}). Use a model2vec folder") from error
    # The fingerprint covers the content, because the model under a name on the Hub can change.
    content = hashlib.sha256(encoder.embedding.tobytes() + encoder.tokenizer.to_str().encode()).hexdigest()
    identity = {"kind": spec.kind.name, "model": content, "normalize": bool(encoder.normalize)}
    description = Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=hash_values(identity),
        scorer=encoder,
        parameters=int(encoder.embedding.size),
    )
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


def load_wordllama(spec: Spec) -> Model:
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
    return Model(
        name=spec.title,
        kind=spec.kind.name,
        spec=spec.public,
        fingerprint=hash_values({"kind": spec.kind.name, "model": content, **spec.settings}),
        scorer=WordLlamaEncoder(model),
        options=spec.settings,
        parameters=int(model.embedding.size),
    )


_WORDLLAMA_DIMENSIONS = (256, 128, 64)
"""The dimension of the vectors in the package, then the dimensions to which the model was trained to be truncated."""

WORD_VECTORS = ModelKind(
    name="vectors",
    meaning="word vectors from a file: word2vec, GloVe or fastText .vec (plain, gzip, bzip2 or zip)",
    example="vectors:GoogleNews-vectors-negative300.bin.gz,case=exact",
    group="static vectors",
    load=load_word_vectors,
    options=(
        TOKENIZER,
        make_choice("case", CASES),
        make_choice("format", ("auto", *FORMATS)),
        make_choice("composition", tuple(COMPOSITIONS)),
        SIMILARITY,
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
    options=(SIMILARITY,),
    name_form=NameForm.FOLDER_OR_HUB,
    hub=HubLibrary("model2vec"),
    extra=Extra("model2vec", "model2vec"),
    is_reproducible=False,
)
WORDLLAMA = ModelKind(
    name="wordllama",
    meaning="WordLlama, static vectors from the package wordllama",
    example="wordllama,dimension=64",
    group="static vectors",
    load=load_wordllama,
    options=(
        Option(
            "dimension",
            {str(dimension): dimension for dimension in _WORDLLAMA_DIMENSIONS}.__getitem__,
            "256, 128 or 64",
            _WORDLLAMA_DIMENSIONS[0],
        ),
        SIMILARITY,
    ),
    extra=Extra("wordllama", "wordllama"),
)
