"""A kind of model with its options, a parsed spec, and the description of a model that is determined by its spec."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, NamedTuple, get_args

from harness.files.hashing import hash_values
from harness.files.writing import expand_home
from harness.models.interfaces.model import Model, Scorer
from harness.stats.similarities import COSINE, SIMILARITIES
from harness.text.words import TOKENIZERS, Tokenizer, in_lower_case, load_tokenizer
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode, read_bytes, split_lines
from pyramid_paraphrase.files.limits import MAX_FILE_BYTES
from pyramid_paraphrase.rules.options import (
    GRADED_PAIRS,
    KINDS,
    LEARNED_SPLITS,
    MATCHES,
    PAIRS,
    QUESTIONS,
    TRAIN,
    Kind,
    find_configuration,
)
from pyramid_paraphrase.rules.ranges import Range


@dataclass(frozen=True, slots=True)
class Option:
    """An option that a spec may set.

    Attributes:
        name: Name of the option in a spec.
        parse: Function that converts the text of a value. It raises ValueError or KeyError if the text is not allowed,
            or an OptionError with a complete message, which does not quote a text that may be secret.
        allowed: Description of the allowed values. It completes "Use ...".
        default: The value if a spec does not set the option. None for no value. A spec that sets the default names the
            same model as a spec without the option.
        changes_scores: Whether the value can change scores. If so, names of models and fingerprints contain the value.
        names_file: Whether the value is the path of a file that `parse` reads. If so, results show only the name of the
            file, and nobody else can load the model by its spec.
        runs_code: Whether the option allows a model to run its author's code. If so, results record the value.
    """

    name: str
    parse: Callable[[str], object]
    allowed: str
    default: object = None
    changes_scores: bool = True
    names_file: bool = False
    runs_code: bool = False


def make_choice(name: str, choices: Sequence[str]) -> Option:
    """Make an option with several possible values. The first value is the default."""
    return Option(name, lambda text: choices[choices.index(text)], ", ".join(choices), choices[0])


def make_number(name: str, allowed: Range, default: float | None = None, *, changes_scores: bool = True) -> Option:
    """Make an option whose value is a number in a range."""
    return Option(name, allowed.parse, str(allowed), default, changes_scores)


def make_text(name: str) -> Option:
    """Make an option whose value is any text that UTF-8 can encode."""
    return Option(name, _parse_text, "a text in Unicode")


def _parse_text(text: str) -> str:
    text.encode()  # fails on half of a surrogate pair, with which a result could not be read
    return text


def parse_flag(text: str) -> bool:
    """Parse "true", "yes", "false" or "no", in any case.

    Raises:
        KeyError: If it is another text.
    """
    return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]


CONFIGURED = "model"
"""The value of the option `similarity` that means the similarity of the model's configuration."""

SIMILARITY = make_choice("similarity", (*SIMILARITIES, CONFIGURED))
"""The option of encoders. It does not change vectors, so `Spec` has it apart from the settings of the model."""

OWN_SIMILARITY = make_choice(SIMILARITY.name, (CONFIGURED, *SIMILARITIES))
"""The same option, for encoders that are compared as their configuration says unless a spec sets it."""

TRAIN_ON = make_choice("train_on", tuple(LEARNED_SPLITS))
"""The option of models that learn from labelled pairs. `Spec` has it apart, since it is usually `train`."""


class LearnedTexts(NamedTuple):
    """Texts that a model learns from, instead of those that it scores.

    Attributes:
        name: Name of the file.
        sha256: SHA-256 of the file.
        lines: The texts, one per line of the file, without empty lines.
    """

    name: str
    sha256: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}@{self.sha256[:_HASH_DIGITS]}"


def read_learned_texts(path: str) -> LearnedTexts:
    """Read the texts that a model learns from.

    Raises:
        InputError: If the file cannot be read, is too large, is not UTF-8, or has no text.
    """
    data = read_bytes(expand_home(path), MAX_FILE_BYTES, _TEXTS_REMEDY)
    lines = tuple(filter(str.strip, split_lines(decode(data, path, _TEXTS_REMEDY), path)))
    if not lines:
        raise InputError(path, "contains no text", _TEXTS_REMEDY)
    return LearnedTexts(PurePath(path).name, hashlib.sha256(data).hexdigest(), lines)


_HASH_DIGITS = 12
_TEXTS_REMEDY = "write one text per line, in UTF-8"

TEXTS = Option("texts", read_learned_texts, "a file with one text per line", names_file=True)
"""The option of models that learn from other texts. By default, they learn from the texts that they score."""

TOKENIZER = make_choice("tokenizer", TOKENIZERS)
"""The option of models that compare or encode words."""


Group = Literal[
    "baselines",
    "trained baselines",
    "static vectors",
    "sentence encoders",
    "cross-encoders",
    "entailment models",
    "judges",
    "other models",
    "people",
    "shortcuts",
    "chance",
]
"""Groups of models in tables."""

GROUPS: tuple[Group, ...] = get_args(Group)
"""All groups."""

ONLY_PAIRS, ONLY_OPTIONS = (PAIRS, GRADED_PAIRS), (QUESTIONS, MATCHES)
"""Kinds of tests, for kinds of models that can score only these."""


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of model, a row of the registry.

    Attributes:
        name: Name of the kind in a spec.
        meaning: Description in one line, for the command `models`.
        group: Group of the kind in tables.
        load: Function that loads the model that a spec names. It may raise any error, because `loading.load_model`
            adds the name of the model.
        options: The options of the kind besides `name`, in the order in which default names list them.
        example: An example of a spec. By default, the name of the kind.
        contents: Contents of the file that the name in a spec refers to, for messages. "" if it is not a file.
        check: Function that refuses contradictory options with an OptionError or a ModelError, before a model is
            loaded. None if the options cannot contradict each other.
        tests: Kinds of tests that models of the kind can score.
        origins: Origins of the tests that models of the kind can score. Empty for all origins.
        hub: The organization that the library adds to names on the Hub without one. Empty if it adds none. None if it
            does not load models from the Hub.
        find_recipient: Function that returns the host that a model with the given options sends texts to, and None if
            they stay on this machine. It is called before a model is loaded. None if they always stay on this machine.
        extra: The extra of this project that the kind needs. Empty if it needs none.
        is_reproducible: Whether a maintainer of a leaderboard can load the same model from its spec alone.
        gives_probabilities: Whether a score is the probability of the answer yes, in [0, 1].
        library: Import name of the library of `classes`.
        classes: Names of classes of a library, by which saved models say what they are. Objects of the first one can
            be evaluated, if there is a function `add_configuration`.
        add_configuration: Function that adds to the description of such an object what its configuration does, such as
            its similarity.
    """

    name: str
    meaning: str
    group: Group
    load: Callable[[Spec], Model]
    options: tuple[Option, ...] = ()
    example: str = ""
    contents: str = ""
    check: Callable[[str, Mapping[str, Any]], None] | None = None
    tests: tuple[Kind, ...] = KINDS
    origins: tuple[str, ...] = ()
    hub: str | None = None
    find_recipient: Callable[[Mapping[str, Any]], str | None] | None = None
    extra: str = ""
    is_reproducible: bool = True
    gives_probabilities: bool = False
    library: str = ""
    classes: tuple[str, ...] = ()
    add_configuration: Callable[[Model, Any], Model] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "example", self.example or self.name)

    @property
    def has_path(self) -> bool:
        """Whether the name in a spec may be the path of a file or folder."""
        return bool(self.contents) or self.hub is not None

    @property
    def has_name(self) -> bool:
        """Whether a name or a path follows the kind in a spec. The name of a model on a server may look like a path."""
        return self.has_path or self.find_recipient is not None

    @property
    def similarity(self) -> str | None:
        """The similarity of vectors by default. None for a kind without the option."""
        return next((str(option.default) for option in self.options if option.name == SIMILARITY.name), None)

    def can_score(self, test_name: str) -> bool:
        """Return whether models of this kind can score a configuration."""
        configuration = find_configuration(test_name)
        return configuration.kind in self.tests and (not self.origins or configuration.origin in self.origins)


class Spec(NamedTuple):
    """A parsed spec.

    Attributes:
        kind: The kind of model.
        model: Path or name of the model. The name of the kind if the kind takes no name.
        title: Name of the model in tables, with the options that change it.
        options: The options that the spec sets, including the defaults that hold for all models of a command.
        public: The spec without the folders of paths.
        similarity: The value of the option `similarity`, which is not among the other options.
        train_on: The value of the option `train_on`, which is not among the other options either.
    """

    kind: ModelKind
    model: str
    title: str
    options: dict[str, Any]
    public: str
    similarity: str = COSINE
    train_on: str = TRAIN

    @property
    def settings(self) -> dict[str, Any]:
        """The value of every option of the model, defaults included, in the order of the kind's options."""
        options = [option for option in self.kind.options if option.name not in (SIMILARITY.name, TRAIN_ON.name)]
        return {option.name: self.options.get(option.name, option.default) for option in options}


def describe_model(spec: Spec, scorer: Scorer, content: Mapping[str, Any] | None = None, **fields: Any) -> Model:  # noqa: ANN401
    """Describe a model that a spec names.

    Args:
        spec: The spec.
        scorer: The object that encodes, scores or can be trained.
        content: What determines the scores besides the kind. None if the options do.
        fields: Other fields of `Model`.
    """
    if content is None:
        content = spec.settings
        fields = {"options": content, **fields}
    fingerprint = hash_values({"kind": spec.kind.name, **content})
    return Model(spec.title, spec.kind.name, spec.public, fingerprint, scorer, **fields)


def describe_words(spec: Spec, make: Callable[[Tokenizer], Scorer], **fields: Any) -> Model:  # noqa: ANN401
    """Describe a model of words, which is made with the tokenizer that a spec names.

    Args:
        spec: The spec.
        make: Function that makes the scorer from a tokenizer, which divides a text into words in lower case.
        fields: Other fields of `Model`.

    Raises:
        MissingExtraError: If the tokenizer is not installed.
    """
    divide = in_lower_case(load_tokenizer(spec.settings["tokenizer"]))
    return describe_model(spec, make(divide), divide=divide, **fields)
