"""The kinds of models there are, and how a user names one: ``[KIND:]NAME[,OPTION=VALUE...]``."""

from __future__ import annotations

import difflib
import importlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import ModelError
from harness.models.protocols import Model
from harness.models.static import CASES
from harness.models.vector_files import FORMATS
from harness.models.words import TOKENIZERS
from pyramid_paraphrase.errors import OptionError, unknown_name

DTYPES = ("float32", "float16", "bfloat16")
BACKENDS = ("torch", "onnx", "openvino")


class Kind(NamedTuple):
    """A kind of model.

    Attributes:
        name: How it is called in a spec.
        meaning: What it is, in a line.
        example: A spec.
        options: Names of the options it takes.
        home: Module and function that load it.
        takes_name: Whether a name or a path follows the kind.
        is_shortcut: Whether it shows what needs no understanding, and is in every table.
    """

    name: str
    meaning: str
    example: str
    options: tuple[str, ...]
    home: str
    takes_name: bool = True
    is_shortcut: bool = False


_NEURAL = ("revision", "max_seq_length", "dtype", "backend", "device", "batch_size", "trust_remote_code")
_ENCODER = (*_NEURAL, "prompt", "prompt_name", "truncate_dim")
_BASELINES = "harness.models.baselines"
_NEURAL_HOME, _STATIC_HOME = "harness.models.neural", "harness.models.static"


def _baseline(name: str, meaning: str, *options: str, shortcut: bool = False) -> Kind:
    home = f"{_BASELINES}:load_baseline"
    return Kind(name, meaning, name, options, home, takes_name=False, is_shortcut=shortcut)


KINDS = (
    Kind(
        "sentence-transformers",
        "a SentenceTransformer, or any encoder of transformers (mean pooling)",
        "sentence-transformers:sentence-transformers/all-MiniLM-L6-v2,truncate_dim=128",
        _ENCODER,
        f"{_NEURAL_HOME}:load_sentence_transformer",
    ),
    Kind(
        "cross-encoder",
        "a CrossEncoder with one output",
        "cross-encoder:cross-encoder/stsb-distilroberta-base",
        _NEURAL,
        f"{_NEURAL_HOME}:load_cross_encoder",
    ),
    Kind(
        "vectors",
        "word vectors from a file: word2vec, GloVe, fastText .vec; plain, gzip, bzip2 or zip",
        "vectors:GoogleNews-vectors-negative300.bin.gz,case=exact",
        ("tokenizer", "case", "format"),
        f"{_STATIC_HOME}:load_word_vectors",
    ),
    Kind("model2vec", "a model2vec folder", "model2vec:potion-base-8M", (), f"{_STATIC_HOME}:load_model2vec"),
    _baseline("random", "a vector per text, drawn by its hash"),
    _baseline("one-hot", "bag of words", "tokenizer"),
    _baseline("tf-idf", "bag of words, rare ones weighing more", "tokenizer"),
    _baseline("char-ngrams", "bag of character 3- to 5-grams"),
    _baseline("constant", "the same score for all"),
    _baseline("length", "minus the number of words", "tokenizer", shortcut=True),
    _baseline("overlap", "number of shared words", "tokenizer", shortcut=True),
    _baseline("options-only", "likeness of an option to the others", "tokenizer", shortcut=True),
)
KIND_NAMES = tuple(kind.name for kind in KINDS)
SHORTCUTS = tuple(kind.name for kind in KINDS if kind.is_shortcut)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def _yes_or_no(text: str) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


def _one_of(*choices: str) -> tuple[Callable[[str], str], str]:
    return (lambda text: choices[choices.index(text)]), ", ".join(choices)


_OPTIONS: dict[str, tuple[Callable[[str], Any], str]] = {
    "name": (str, "a text"),
    "revision": (str, "a text"),
    "prompt": (str, "a text"),
    "prompt_name": (str, "a text"),
    "device": (str, "cpu, cuda, cuda:1, or several joined by +"),
    "max_seq_length": (_positive, "a number above 0"),
    "truncate_dim": (_positive, "a number above 0"),
    "batch_size": (_positive, "a number above 0"),
    "trust_remote_code": (_yes_or_no, "true or false"),
    "dtype": _one_of(*DTYPES),
    "backend": _one_of(*BACKENDS),
    "tokenizer": _one_of(*TOKENIZERS),
    "case": _one_of(*CASES),
    "format": _one_of("auto", *FORMATS),
}
"""Per option, what makes a value of a text, and what the text may be."""


def load_model(spec: str, defaults: Mapping[str, Any] | None = None) -> Model:
    """Load what a spec names.

    Args:
        spec: ``[KIND:]NAME[,OPTION=VALUE...]``; without a kind, it is told from what is there.
        defaults: Options for the kinds that take them, unless the spec says otherwise: device, batch_size, dtype.

    Returns:
        The model.

    Raises:
        OptionError: If the kind or an option is unknown, or a value is wrong.
        ModelError: If the model cannot be loaded.
        MissingExtraError: If a package is not installed.
    """
    kind, name, given = parse_spec(spec)
    shown = given.pop("name", None)
    inherited = {key: value for key, value in (defaults or {}).items() if key in kind.options and value is not None}
    module, function = kind.home.split(":")
    model: Model = getattr(importlib.import_module(module), function)(name, inherited | given, spec)
    return model if shown is None else model.renamed(shown)


def parse_spec(spec: str) -> tuple[Kind, str, dict[str, Any]]:
    """Divide a spec into kind, name and options.

    Raises:
        OptionError: If the kind or an option is unknown, or a value is wrong.
        ModelError: If no kind is given and none can be told.
    """
    base, *assignments = re.split(r",(?=[a-z_]+=)", spec)
    prefix, colon, rest = base.partition(":")
    if colon and prefix in KIND_NAMES:
        kind, name = _find_kind(prefix), rest
    elif base in KIND_NAMES:
        kind, name = _find_kind(base), "" if not _find_kind(base).takes_name else rest
    else:
        kind, name = _find_kind(_guess_kind(base)), base
    if bool(name) != kind.takes_name:
        wanted = "name a model" if kind.takes_name else "takes no name"
        raise OptionError(f"{spec}: {wanted}; for example {kind.example}")
    return kind, name if name else kind.name, dict(_parse_option(text, kind) for text in assignments)


def _find_kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def _parse_option(text: str, kind: Kind) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    known = ("name", *kind.options)
    if name not in known:
        raise unknown_name(f"option of {kind.name}", name, known)
    make, allowed = _OPTIONS[name]
    try:
        return name, make(value)
    except (ValueError, KeyError):
        raise OptionError(f"option {name} is '{value}'; give {allowed}") from None


def _guess_kind(name: str) -> str:
    """Tell a kind from what lies at a path; what is no path is a name on the Hub."""
    path = Path(name).expanduser()
    if path.is_file():
        return "vectors"
    if path.is_dir():
        return _guess_kind_of_folder(path)
    if near := difflib.get_close_matches(name.split(":")[0], KIND_NAMES, n=1, cutoff=0.75):
        raise ModelError(f"{name}: is no file, folder or kind of model; did you mean '{near[0]}'?")
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) and not name.startswith("."):
        return "sentence-transformers"
    kinds = ", ".join(KIND_NAMES)
    raise ModelError(f"{name}: is no file, folder, or name on the Hub; `models` lists the kinds there are: {kinds}")


def _guess_kind_of_folder(folder: Path) -> str:
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        config = {}
    if config.get("model_type") == "model2vec":
        return "model2vec"  # before modules.json, which it brings for other libraries
    if (folder / "modules.json").is_file():
        return "sentence-transformers"
    if not config:
        raise ModelError(f"{folder}: has no config.json or modules.json; give the folder of a saved model")
    architectures = config.get("architectures") or [""]
    return "cross-encoder" if "ForSequenceClassification" in str(architectures[0]) else "sentence-transformers"


def describe_object(model: Any, *, batch_size: int | None = None) -> Model:  # noqa: ANN401
    """Wrap an object that encodes or scores.

    Raises:
        ModelError: If it does neither.
    """
    import sys

    from harness.models.protocols import Encoder, PairScorer

    if "sentence_transformers" in sys.modules:  # else it cannot be one of its models
        from harness.models import neural

        if known := neural.describe_object(model, batch_size=batch_size):
            return known
    name = type(model).__name__
    if not isinstance(model, Encoder | PairScorer):
        raise ModelError(f"{name} has neither encode(list of texts) nor score(list of pairs); give an object with one")
    return Model(name=name, kind="object", spec=f"a {name} in memory", fingerprint=None, scorer=model)
