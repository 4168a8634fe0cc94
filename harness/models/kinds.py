"""The kinds of models, and the specs that name a model: ``[KIND:]NAME[,OPTION=VALUE...]``."""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from harness.files.writing import expand_home
from harness.models import neural
from harness.models.fingerprints import require_regular_files
from harness.models.folders import read_settings
from harness.models.protocols import Encoder, Model, PairScorer, Scorer, TextLearner, Trainable
from harness.models.pupils import Unlearned, Untrained
from harness.models.static import CASES
from harness.models.vector_files import FORMATS
from harness.support.errors import ModelError, describe_cause
from harness.support.hardware import HOW_TO_NAME_DEVICES, parse_devices
from harness.support.names import name_variant, short_name
from harness.text.tokenizers import TOKENIZERS
from pyramid_paraphrase.errors import OptionError, PyramidParaphraseError, shorten, unknown_name
from pyramid_paraphrase.inputs import refuse_irregular
from pyramid_paraphrase.kinds import QUESTIONS
from pyramid_paraphrase.options import find_configuration
from pyramid_paraphrase.ranges import BATCH_SIZE, PROBABILITY, Range

_MAX_TITLE = 100
_SIZE = Range(1, 1_000_000)
"""Length of a text in tokens, or dimension of a vector."""
DTYPES = ("float32", "float16", "bfloat16")
BACKENDS = ("torch", "onnx", "openvino")


class Kind(NamedTuple):
    """A kind of model.

    Attributes:
        name: Its name in a spec.
        meaning: Its meaning, in a line.
        example: A spec.
        options: Names of the options it takes.
        home: Module and function that load it.
        group: The group of models in tables that it belongs to.
        takes_name: Whether a name or a path follows the kind.
        is_shortcut: Whether it shows how well a model scores without any understanding, and is in every table.
    """

    name: str
    meaning: str
    example: str
    options: tuple[str, ...]
    home: str
    group: str
    takes_name: bool = True
    is_shortcut: bool = False


_NEURAL = ("revision", "max_seq_length", "dtype", "backend", "device", "batch_size", "trust_remote_code")
_ENCODER = (*_NEURAL, "prompt", "prompt_name", "truncate_dim")
_BASELINES, _TRAINED = "harness.models.baselines", "harness.models.trained.learning"
_OTHER_GROUP = "other models"
_TRAINED_GROUP = "trained baselines"
GROUPS = (
    "baselines", _TRAINED_GROUP, "static vectors", "sentence encoders", "cross-encoders", _OTHER_GROUP, "shortcuts",
)  # fmt: skip
"""Groups in the order of tables. The paper has baselines, static vectors and sentence encoders, in this order."""
_NEURAL_HOME, _STATIC_HOME = "harness.models.neural", "harness.models.static"


def _baseline(name: str, meaning: str, *options: str, shortcut: bool = False) -> Kind:
    home = f"{_BASELINES}:load_baseline"
    group = "shortcuts" if shortcut else "baselines"
    return Kind(
        name=name,
        meaning=meaning,
        example=name,
        options=options,
        home=home,
        group=group,
        takes_name=False,
        is_shortcut=shortcut,
    )


def _trained(name: str, meaning: str, loader: str, *options: str, example: str = "") -> Kind:
    return Kind(
        name=name,
        meaning=meaning,
        example=example or name,
        options=options,
        home=f"{_TRAINED}:{loader}",
        group=_TRAINED_GROUP,
        takes_name=False,
    )


KINDS = (
    Kind(
        name="sentence-transformers",
        meaning="a SentenceTransformer, or any encoder of transformers (mean pooling)",
        example="sentence-transformers:sentence-transformers/all-MiniLM-L6-v2,truncate_dim=128",
        options=_ENCODER,
        home=f"{_NEURAL_HOME}:load_sentence_transformer",
        group="sentence encoders",
    ),
    Kind(
        name="cross-encoder",
        meaning="a CrossEncoder with one output",
        example="cross-encoder:cross-encoder/stsb-distilroberta-base",
        options=_NEURAL,
        home=f"{_NEURAL_HOME}:load_cross_encoder",
        group="cross-encoders",
    ),
    Kind(
        name="vectors",
        meaning="word vectors from a file: word2vec, GloVe, fastText .vec; plain, gzip, bzip2 or zip",
        example="vectors:GoogleNews-vectors-negative300.bin.gz,case=exact",
        options=("tokenizer", "case", "format"),
        home=f"{_STATIC_HOME}:load_word_vectors",
        group="static vectors",
    ),
    Kind(
        name="model2vec",
        meaning="a model2vec folder",
        example="model2vec:potion-base-8M",
        options=(),
        home=f"{_STATIC_HOME}:load_model2vec",
        group="static vectors",
    ),
    _baseline("random", "a vector per text, drawn by its hash"),
    _baseline("one-hot", "bag of words", "tokenizer"),
    _baseline("tf-idf", "bag of words, rare ones weighing more", "tokenizer"),
    _baseline("char-ngrams", "bag of character 3- to 5-grams"),
    _baseline("constant", "the same score for all"),
    _trained("majority", "what most training pairs are", "load_majority"),
    _trained(
        "logistic-regression",
        "logistic regression on the overlap in n-grams of words and stems",
        "load_logistic_regression",
        "tokenizer",
    ),
    _trained(
        "wtmf",
        "weighted textual matrix factorization of all texts",
        "load_wtmf",
        *("tokenizer", "dimension", "regularization", "missing_weight", "iterations"),
        example="wtmf,dimension=50,iterations=10",
    ),
    _baseline("length", "minus the number of words", "tokenizer", shortcut=True),
    _baseline("overlap", "number of shared words", "tokenizer", shortcut=True),
    _baseline("options-only", "likeness of an option to the others", "tokenizer", shortcut=True),
)
KIND_NAMES = tuple(kind.name for kind in KINDS)
SHORTCUTS = tuple(kind.name for kind in KINDS if kind.is_shortcut)


def list_shortcuts(tasks: Sequence[str]) -> list[str]:
    """Return the shortcuts that can score any of some configurations."""
    only_pairs = all(find_configuration(task).kind != QUESTIONS for task in tasks)
    return [name for name in SHORTCUTS if not (name == "options-only" and only_pairs)]


def find_group(kind: str) -> str:
    """Return the group of a kind; objects and unknown kinds belong to the group of other models."""
    return next((row.group for row in KINDS if row.name == kind), _OTHER_GROUP)


def _parse_title(text: str) -> str:
    if not text.strip() or len(text) > _MAX_TITLE or not text.isprintable():
        raise ValueError
    return text


def _parse_flag(text: str) -> bool:
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


def _in(allowed: Range) -> tuple[Callable[[str], float], str]:
    return allowed.parse, str(allowed)


def _one_of(*choices: str) -> tuple[Callable[[str], str], str]:
    return (lambda text: choices[choices.index(text)]), ", ".join(choices)


_OPTIONS: dict[str, tuple[Callable[[str], Any], str]] = {
    "name": (_parse_title, "a name of 1 to 100 characters in one line"),
    "revision": (str, "a text"),
    "prompt": (str, "a text"),
    "prompt_name": (str, "a text"),
    "device": (parse_devices, HOW_TO_NAME_DEVICES),
    "max_seq_length": _in(_SIZE),
    "truncate_dim": _in(_SIZE),
    "batch_size": _in(BATCH_SIZE),
    "trust_remote_code": (_parse_flag, "true or false"),
    "dtype": _one_of(*DTYPES),
    "backend": _one_of(*BACKENDS),
    "tokenizer": _one_of(*TOKENIZERS),
    "case": _one_of(*CASES),
    "format": _one_of("auto", *FORMATS),
    "dimension": _in(Range(1, 1000)),
    "iterations": _in(Range(1, 1000)),
    "regularization": _in(Range(0.001, 1_000_000, is_whole=False)),
    "missing_weight": _in(PROBABILITY),
}
"""Per option, the function that parses its value, and a description of the allowed values."""

_INDIFFERENT = ("device", "batch_size", "trust_remote_code")
"""Options that do not make another model."""

USUAL = {
    "dtype": DTYPES[0],
    "backend": BACKENDS[0],
    "tokenizer": TOKENIZERS[0],
    "case": CASES[0],
    "format": "auto",
    # As in `wtmf.WtmfSettings`, which would import scipy.
    "dimension": 100,
    "regularization": 20.0,
    "missing_weight": 0.01,
    "iterations": 20,
}
"""Default values of options: a spec with such a value names the same model as a spec without the option."""


def load_model(spec: str, defaults: Mapping[str, Any] | None = None) -> Model:
    """Load the model that a spec names.

    Args:
        spec: ``[KIND:]NAME[,OPTION=VALUE...]``; without a kind, it is told from the file or folder at the path.
        defaults: Options for the kinds that take them, unless the spec says otherwise: device, batch_size, dtype.

    Returns:
        The model.

    Raises:
        OptionError: If the kind or an option is unknown, or a value is wrong.
        ModelError: If the model cannot be loaded.
        MissingExtraError: If a package is not installed.
    """
    parsed = parse_spec(spec, defaults)
    require_place(parsed)
    module, function = parsed.kind.home.split(":")
    load = getattr(importlib.import_module(module), function)
    try:
        model: Model = load(parsed.model, parsed.options, parsed.public)
    except PyramidParaphraseError:
        raise
    except Exception as error:  # the files of a model are untrusted, and libraries check few of them
        cause = f"{type(error).__name__}: {describe_cause(error)}"
        raise ModelError(f"{parsed.model}: cannot be loaded ({cause}); --verbose shows where") from error
    return model.renamed(parsed.title)


class Spec(NamedTuple):
    """A parsed spec.

    Attributes:
        kind: The kind of model.
        model: Its path or name; the name of the kind if the kind takes no name.
        title: Its name in tables, with the options that make it another model.
        options: Its options, including the defaults that hold for all models of a command.
        public: The spec without the folders that the model lies in.
    """

    kind: Kind
    model: str
    title: str
    options: dict[str, Any]
    public: str


def parse_spec(spec: str, defaults: Mapping[str, Any] | None = None) -> Spec:
    """Divide a spec into kind, name and options.

    Args:
        spec: As for `load_model`.
        defaults: As for `load_model`.

    Returns:
        The parsed spec. `require_place` checks that the model exists.

    Raises:
        OptionError: If the kind or an option is unknown, or a value is wrong.
        ModelError: If no kind is given and none can be told, or if options contradict each other.
    """
    base, assignments = _split_options(spec)
    kind, name = _split_kind(base)
    if kind.takes_name and not name:
        raise OptionError(f"{spec}: name a model; for example {kind.example}")
    if name and not kind.takes_name:
        raise OptionError(f"{spec}: takes no name; for example {kind.example}")
    inherited = {key: value for key, value in (defaults or {}).items() if key in kind.options and value is not None}
    options = inherited | _parse_options(assignments, kind)
    _require_agreement(spec, kind, options)
    model, public = kind.name, kind.name
    if name:
        model = str(expand_home(name)) if name.startswith("~") else name
        public = f"{kind.name}:{short_name(model)}"
    title = options.pop("name", None) or _name_by_default(model, kind, options)
    return Spec(kind, model, title, options, ",".join([public, *assignments]))


def _split_kind(base: str) -> tuple[Kind, str]:
    """Divide a spec without options into kind and name."""
    prefix, colon, name = base.partition(":")
    if colon and prefix in KIND_NAMES:
        return _find_kind(prefix), name
    if base in KIND_NAMES:
        return _find_kind(base), ""
    return _find_kind(_guess_kind(base)), base


def _split_options(spec: str) -> tuple[str, list[str]]:
    """Divide a spec at its options, but not within a path that exists."""
    parts = re.split(r",(?=[a-z0-9_]+=)", spec)
    for count in range(len(parts), 1, -1):
        base = ",".join(parts[:count])
        prefix, _, name = base.partition(":")
        path = name if prefix in KIND_NAMES else base
        if _exists(path):
            return base, parts[count:]
    return parts[0], parts[1:]


def _exists(path: str) -> bool:
    try:
        return bool(path) and expand_home(path).exists()
    except (OSError, ValueError):
        return False


def _find_kind(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)


def _parse_options(assignments: list[str], kind: Kind) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for text in assignments:
        name, _, value = text.partition("=")
        names = ("name", *kind.options)
        if name not in names:
            raise unknown_name(f"option of {kind.name}", name, names)
        if name in options:
            raise OptionError(f"option {name} is given twice; leave one out")
        parse, allowed = _OPTIONS[name]
        try:
            options[name] = parse(value)
        except (ValueError, KeyError):
            raise OptionError(f"option {name} is '{value}'; give {allowed}") from None
    return options


def _require_agreement(spec: str, kind: Kind, options: Mapping[str, Any]) -> None:
    if {"prompt", "prompt_name"} <= options.keys():
        raise OptionError("options prompt and prompt_name exclude each other; leave one out")
    backend = options.get("backend", USUAL["backend"])
    if "dtype" in options and backend != USUAL["backend"]:
        raise ModelError(f"{spec}: dtype is for the backend torch; leave it out for {backend}")
    if kind.name == "cross-encoder" and "+" in options.get("device", ""):
        raise ModelError(f"{spec}: several devices are for encoders; name one")


def _name_by_default(model: str, kind: Kind, options: Mapping[str, Any]) -> str:
    """Make a name that tells the variants of a model apart, whatever the order of their options is."""
    decisive = {}
    for name in kind.options:
        if name in options and name not in _INDIFFERENT and options[name] != USUAL.get(name):
            decisive[name] = options[name]
    return name_variant(short_name(model), decisive)


def require_place(parsed: Spec) -> None:
    """Refuse a path without a file or folder, unless it may be a name on the Hub, which is not asked.

    Raises:
        ModelError: If there is no such file or folder, and it cannot be a name on the Hub either.
    """
    if not parsed.kind.takes_name:
        return
    content = _inspect_path(parsed.model)
    if content == "folder":
        require_regular_files(expand_home(parsed.model))
    if parsed.kind.name == "vectors":
        if content != "file":
            raise ModelError(f"{parsed.model}: is no file; give a file of word vectors")
    elif content == "file":
        raise ModelError(f"{parsed.model}: is a file; give the folder of a saved model, or vectors:{parsed.model}")
    elif content != "folder" and not _is_hub_name(parsed.model):
        raise ModelError(f"{parsed.model}: is no folder; check the path, or give a name on the Hub")


def _inspect_path(name: str) -> Literal["file", "folder", "nothing"]:
    """Tell whether a file, a folder or nothing is at a path.

    Raises:
        InputError: If it is a pipe, a socket or a device.
    """
    try:
        path = expand_home(name)
        if path.is_file():
            return "file"
        if path.is_dir():
            return "folder"
        if path.exists():
            raise refuse_irregular(name)
        return "nothing"
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise ModelError(f"{name[:80]}: is no path ({cause}); check it") from None


def _is_hub_name(name: str) -> bool:
    return re.fullmatch(r"[\w.-]+(/[\w.-]+)?", name) is not None and not name.startswith(".")


_SUFFIXES_OF_FILES = (".txt", ".vec", ".bin", ".gz", ".bz2", ".zip", ".kv", ".model", ".npy", ".safetensors")


def _guess_kind(name: str) -> str:
    """Tell the kind of a model from the file or folder at a path, or from its name on the Hub."""
    content = _inspect_path(name)
    if content == "file":
        return "vectors"
    if content == "folder":
        return _guess_kind_of_folder(expand_home(name))
    return _guess_kind_on_hub(name)


def _guess_kind_on_hub(name: str) -> str:
    """Tell the kind of a model from its name on the Hub; refuse a text that is rather a misspelt path or kind."""
    prefix, colon, _ = name.partition(":")
    near = difflib.get_close_matches(prefix, KIND_NAMES, n=1, cutoff=0.75)
    is_file_name = name.lower().endswith(_SUFFIXES_OF_FILES)
    if near and "/" not in prefix and (colon or not is_file_name):
        raise ModelError(f"{name}: is no file, folder or kind of model; did you mean '{near[0]}'?")
    if is_file_name:
        remedy = f"check the path, or give sentence-transformers:{name} if that is a name on the Hub"
        raise ModelError(f"{name}: is no file; {remedy}")
    if name.endswith("/") or name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise ModelError(f"{name}: is no file or folder; check the path")
    if not _is_hub_name(name):
        kinds = ", ".join(KIND_NAMES)
        raise ModelError(f"{name}: is no file, folder, or name on the Hub; `models` lists the kinds there are: {kinds}")
    if name.startswith("cross-encoder/"):
        return "cross-encoder"
    return "sentence-transformers"


_SHOWN_TYPE = 40
_KINDS_OF_LIBRARY = {"SentenceTransformer": "sentence-transformers", "CrossEncoder": "cross-encoder"}


def _guess_kind_of_folder(folder: Path) -> str:
    """Tell a kind from the files that libraries write; the first file with a hint decides."""
    config = read_settings(folder / "config.json")
    library = read_settings(folder / "config_sentence_transformers.json")
    if config.get("model_type") == "model2vec":
        return "model2vec"  # before modules.json, which model2vec writes for other libraries
    if model_type := library.get("model_type"):
        saved = shorten(str(model_type), _SHOWN_TYPE)
        if saved not in _KINDS_OF_LIBRARY:
            raise ModelError(f"{folder}: holds a {saved}, which gives no vector per text; name another model")
        return _KINDS_OF_LIBRARY[saved]
    if (folder / "modules.json").is_file():
        return "sentence-transformers"
    if not config and (folder / "config.json").exists():
        raise ModelError(f"{folder}: its config.json holds no settings that can be read; save the model again")
    if not config:
        raise ModelError(f"{folder}: has no config.json or modules.json; give the folder of a saved model")
    if "ForSequenceClassification" in str(config.get("architectures")):
        return "cross-encoder"
    return "sentence-transformers"


def describe_object(model: Any, *, batch_size: int | None = None, hashed: bool = True) -> Model:  # noqa: ANN401
    """Wrap an object that encodes or scores, or learns to.

    Args:
        model: The object.
        batch_size: Texts, or pairs, per batch, for a model of sentence-transformers; None to choose a size.
        hashed: Whether to compute the fingerprint of a model of sentence-transformers.

    Raises:
        ModelError: If the object has no method of a model.
    """
    if "sentence_transformers" in sys.modules:  # otherwise the object cannot be one of its models
        described = neural.describe_object(model, batch_size=batch_size, hashed=hashed)
        if described is not None:
            return described
    name = type(model).__name__
    if batch_size:
        raise ModelError("batch_size is for models of sentence-transformers; the object makes its own batches")
    scorer = _find_scorer(model)
    if scorer is None:
        methods = "encode(texts) nor score(pairs) nor train(pairs, labels) nor learn(texts)"
        raise ModelError(f"{name} has neither {methods}; give an object with one")
    cutoff = None
    if isinstance(scorer, Untrained):
        cutoff = getattr(model, "cutoff", None)
    return Model(name=name, kind="object", spec=f"{name} in memory", fingerprint=None, scorer=scorer, cutoff=cutoff)


def _find_scorer(model: Any) -> Scorer | None:  # noqa: ANN401
    """Choose the method of an object to use. Learning comes first, but all modules of torch have another `train`."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        if isinstance(model, Trainable):
            return Untrained(model)
        if isinstance(model, TextLearner):
            return Unlearned(model)
    if isinstance(model, Encoder | PairScorer):
        return model
    return None
