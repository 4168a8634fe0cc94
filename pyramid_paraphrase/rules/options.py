"""The kinds of tests, the options of their rules, and the table of configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from pyramid_paraphrase.catalog import COLLECTION_NAMES
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.rules.ranges import SEED, Range
from pyramid_paraphrase.words import PRONOUN_KINDS


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of test. Code that treats kinds differently compares with the constants of this module.

    Attributes:
        name: Its name in results and messages.
        texts: The columns with the texts: a text, and the text or texts that it is compared with.
        target: The column with the correct response.
        fits_threshold: Whether a threshold, fitted on another split, turns scores into decisions.
        has_options: Whether the second column of texts contains a list of options, so that a row has a score per
            option.
    """

    name: str
    texts: tuple[str, str]
    target: str
    fits_threshold: bool = False
    has_options: bool = False


_SENTENCES = ("sentence1", "sentence2")

PAIRS = Kind("pairs", texts=_SENTENCES, target="label", fits_threshold=True)
"""Pairs of texts: is this pair a paraphrase?"""

QUESTIONS = Kind("questions", texts=("question", "options"), target="answer", has_options=True)
"""A text with several options: which option is a paraphrase of it?"""

GRADED_PAIRS = Kind("graded pairs", texts=_SENTENCES, target="grade")
"""Pairs of texts with grades of people: how similar are they?"""

MATCHES = Kind("matches", texts=("fragment", "options"), target="match", fits_threshold=True, has_options=True)
"""A text with a varying number of options: which option does the text express, if any?"""

NO_MATCH = -1
"""The target of a row of `MATCHES` whose text does not express any option."""

KINDS = (PAIRS, QUESTIONS, GRADED_PAIRS, MATCHES)


BINARY, RANKING = "binary", "ranking"
PAPER_TESTS = (BINARY, RANKING)
"""Names of the configurations that follow section 3 of Baumel et al. (2016)."""

BINARY_MATCHED, RANKING_MATCHED = MATCHED_TESTS = "binary_matched", "ranking_matched"
"""Names of the configurations that counting words or their lengths does not solve."""

PRESENCE, PRESENCE_GRADES, PEERS = "presence", "presence_grades", "peers"
"""Names of the configurations that are made from peer annotations: two of whole summaries, and one of fragments."""

PYRAMIDS, SUMMARIES, FRAGMENTS, PAIR_CORPUS, PIT = "pyramids", "summaries", "fragments", "pair corpus", "pit"
"""Origins of rows: pyramids, peer annotations of whole summaries, annotated fragments of these summaries, corpora of
labelled pairs, and the corpus of pairs with grades."""

ANNOTATIONS = (PYRAMIDS, SUMMARIES, FRAGMENTS)
"""Origins of rows that are made from annotation files, which `corpus` reads."""

CONTRIBUTOR, LABEL, ANY = "contributor", "label", "any"
"""Kinds of propositions, and the value of the option `asker` for both."""

UNIT = "unit"
"""The kind of propositions that are discourse units, which only the option `units` adds."""

COSINE, SHARED_WORDS = "cosine", "shared-words"
"""Values of the option `similarity`."""

BALANCED = "balanced"
"""The value of the option `anchor` for questions that share their options."""

TRAIN, VALIDATION, TEST = "train", "validation", "test"
"""Names of splits."""

LEARNED_SPLITS = {TRAIN: (TRAIN,), VALIDATION: (VALIDATION,), f"{TRAIN}+{VALIDATION}": (TRAIN, VALIDATION)}
"""The splits whose labelled pairs models can learn from, by the name of the choice."""

BY_ROW, BY_TOPIC, BY_COLLECTION = "row", "topic", "collection"
"""Values of the option `split_by`."""

UNRECORDED_DEFAULTS = ("pronoun_kinds", "distractors_per_scu", "asker", "similarity", "context", "units")
"""Names of the options that are recorded only if they differ from their defaults, so that records of builds by the same
rules are the same as before these options existed."""

COLUMN_OPTIONS = ("context",)
"""Names of the options that only add columns. They are recorded, but they are not rules of a test."""

SPLIT_COLLECTIONS = ("validation_collections", "test_collections")
"""Names of the options that have an effect only on a split by collection."""

DATA_VERSION = "1.0.0"
"""Version of the rules. Builds of the same input by the same version have the same rows."""

_BOTH = (PAIRS, QUESTIONS)


def _option(
    default: Any,  # noqa: ANN401
    text: str,
    *,
    kinds: tuple[Kind, ...] = _BOTH,
    allowed: Range | None = None,
    choices: tuple[str, ...] = (),
    empty: str = "all",
) -> Any:  # noqa: ANN401
    """Make a field with metadata for its validation and for the command line.

    ``empty`` is the word for an empty value in the help texts.
    """
    metadata = {"help": text, "kinds": kinds, "range": allowed, "choices": choices, "empty": empty}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """The rules of the tests. The defaults follow section 3 of Baumel et al. (2016). Its figures follow other rules.

    Raises:
        OptionError: If a value is of the wrong type or not one of its choices.
    """

    min_words: int = _option(3, "minimum number of words of a proposition", allowed=Range(1, 1000))
    pronouns: bool = _option(False, "accept propositions with pronouns")
    pronoun_kinds: str = _option(
        ",".join(PRONOUN_KINDS), f"kinds of pronouns to exclude, comma-separated ({', '.join(PRONOUN_KINDS)})"
    )
    min_shared_words: int = _option(
        4, "minimum number of distinct words that the texts of a negative share", kinds=(PAIRS,), allowed=Range(0, 1000)
    )
    match_positives: bool = _option(False, "require the shared words of negatives in positives, too", kinds=(PAIRS,))
    labels: bool = _option(True, "also make pairs with SCU labels", kinds=(PAIRS,))
    scope: str = _option(
        "corpus",
        "source of the texts of a negative: the whole corpus, or one pyramid",
        kinds=(PAIRS,),
        choices=("corpus", "pyramid"),
    )
    negatives_per_positive: int = _option(
        0, "number of negatives to sample per positive (0: keep all)", kinds=(PAIRS,), allowed=Range(0, 1_000_000)
    )
    distractors: int = _option(3, "number of wrong options per question", kinds=(QUESTIONS,), allowed=Range(1, 1000))
    distractors_per_scu: int = _option(
        1, "maximum number of wrong options from one SCU", kinds=(QUESTIONS,), allowed=Range(1, 1000)
    )
    asker: str = _option(
        CONTRIBUTOR, "texts to use as questions", kinds=(QUESTIONS,), choices=(CONTRIBUTOR, LABEL, ANY)
    )
    anchor: str = _option(
        "answer",
        "text that distractors resemble ('balanced' is the rule of ranking_matched)",
        kinds=(QUESTIONS,),
        choices=("answer", "question", BALANCED),
    )
    similarity: str = _option(
        COSINE,
        "similarity of distractors to the anchor: cosine of word counts, or number of shared words",
        kinds=(QUESTIONS,),
        choices=(COSINE, SHARED_WORDS),
    )
    entailment: str = _option(
        "mutual",
        "entailment that makes propositions of aligned corpora paraphrases: in both directions, or in either",
        choices=("mutual", "either"),
    )
    split_by: str = _option("row", "unit that stays within one split", choices=(BY_ROW, BY_TOPIC, BY_COLLECTION))
    validation_collections: str = _option(
        "", "collections of the validation split when splitting by collection, comma-separated", empty="none"
    )
    test_collections: str = _option(
        "",
        "collections of the test split when splitting by collection, comma-separated (others: train split)",
        empty="none",
    )
    seed: int = _option(0, "random seed of splits and samples", allowed=SEED)
    collections: str = _option("", "collections to include, comma-separated (empty: all)")
    context: bool = _option(False, "add columns with the sentences of the summary around each text")
    units: bool = _option(
        False, "also make pairs with discourse units that SEAView aligns with SCUs (.sea, .sep)", kinds=(PAIRS,)
    )

    def __post_init__(self) -> None:
        for option in fields(self):
            _validate(option.name, getattr(self, option.name), type(option.default), option.metadata)
        for name in (*self.collection_names, *self.validation_collection_names, *self.test_collection_names):
            if name not in COLLECTION_NAMES:
                raise unknown_name("collection", name, COLLECTION_NAMES)
        self._require_fitting_splits()
        if self.anchor == BALANCED and (self.similarity, self.distractors_per_scu) != (COSINE, 1):
            reason = f"similarity and distractors_per_scu have no effect on questions with anchor={BALANCED}"
            raise OptionError(f"{reason}. Omit them")
        for kind in self.excluded_pronouns:
            if kind not in PRONOUN_KINDS:
                raise unknown_name("kind of pronouns", kind, PRONOUN_KINDS)
        if not self.excluded_pronouns:
            raise OptionError("option pronoun_kinds is empty. To accept all pronouns, set the option pronouns")

    @property
    def excluded_pronouns(self) -> tuple[str, ...]:
        """The kinds of pronouns that a proposition must not have, unless `pronouns` accepts all."""
        return _list_names(self.pronoun_kinds)

    @property
    def collection_names(self) -> tuple[str, ...]:
        """The collections to include. Empty for all."""
        return _list_names(self.collections)

    @property
    def validation_collection_names(self) -> tuple[str, ...]:
        """The collections of the validation split, in a split by collection."""
        return _list_names(self.validation_collections)

    @property
    def test_collection_names(self) -> tuple[str, ...]:
        """The collections of the test split, in a split by collection."""
        return _list_names(self.test_collections)

    def _require_fitting_splits(self) -> None:
        """Check the collections of the splits.

        A split by collection needs collections for the test split, and no collection in two splits. Other splits must
        not name collections.
        """
        names = self.validation_collection_names, self.test_collection_names
        if self.split_by != BY_COLLECTION and any(names):
            reason = "validation_collections and test_collections only apply to a split by collection"
            raise OptionError(f"{reason}. Add split_by={BY_COLLECTION}, or omit them")
        if self.split_by == BY_COLLECTION and not self.test_collection_names:
            remedy = "Set test_collections to the collections to test on. All others form the train split"
            raise OptionError(f"a split by collection has no collection for the test split. {remedy}")
        if repeated_names := sorted(set(names[0]) & set(names[1])):
            reason = f"{repeated_names[0]} is in validation_collections and test_collections"
            raise OptionError(f"{reason}. Remove it from one of them")


OPTION_FIELDS = fields(Options)
OPTION_NAMES = tuple(option.name for option in OPTION_FIELDS)


@cache
def _list_names(text: str) -> tuple[str, ...]:
    """Return the names in a text that joins them by commas."""
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def _validate(name: str, value: object, expected: type, rules: Mapping[str, Any]) -> None:
    if type(value) is not expected:
        raise OptionError(f"option {name} is {value!r}. Use a value of type {expected.__name__}")
    if rules["choices"] and value not in rules["choices"]:
        raise unknown_name(f"value of option {name}", value, rules["choices"])
    if rules["range"]:
        rules["range"].check(f"option {name}", value)


class Configuration(NamedTuple):
    """A configuration: rules for making a test.

    Attributes:
        name: Its name.
        kind: The kind of the test.
        title: The question that the test asks, and how the test differs from other tests.
        preset: The options that differ from the defaults of `Options`. They are fixed.
        origin: The origin of the rows, such as `PYRAMIDS`.
        text_columns: The columns with the texts of a row, if they differ from the columns of the kind.
    """

    name: str
    kind: Kind
    title: str
    preset: Mapping[str, Any] = MappingProxyType({})
    origin: str = PYRAMIDS
    text_columns: tuple[str, str] | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The columns with the texts of a row."""
        return self.text_columns or self.kind.texts

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name, so that the configuration survives worker processes."""
        return find_configuration, (self.name,)


CONFIGURATIONS = (
    Configuration(BINARY, PAIRS, "Is this pair a paraphrase? By section 3 of Baumel et al. (2016)"),
    Configuration(RANKING, QUESTIONS, "Which of four is a paraphrase of this? By section 3 of Baumel et al. (2016)"),
    Configuration(
        BINARY_MATCHED,
        PAIRS,
        "Is this pair a paraphrase? Positives and negatives share words, and come from one pyramid",
        MappingProxyType({"match_positives": True, "scope": "pyramid"}),
    ),
    Configuration(
        RANKING_MATCHED,
        QUESTIONS,
        "Which of four is a paraphrase of this? Every set of options is asked about so that each is right once",
        MappingProxyType({"anchor": BALANCED}),
    ),
    Configuration(
        PRESENCE,
        PAIRS,
        "Does this summary express this SCU? Annotations of summaries by systems",
        origin=SUMMARIES,
        text_columns=("scu_text", "sentences"),
    ),
    Configuration(
        PRESENCE_GRADES,
        GRADED_PAIRS,
        "How much of this SCU does this summary express? Annotations of summaries with three grades",
        origin=SUMMARIES,
        text_columns=("scu_text", "sentences"),
    ),
    Configuration(
        PEERS,
        MATCHES,
        "Which SCU does this fragment express, if any? Annotations of summaries by systems",
        origin=FRAGMENTS,
    ),
    Configuration("pairs", PAIRS, "Is this pair a paraphrase? A corpus of labelled pairs", origin=PAIR_CORPUS),
    Configuration("pit_identification", PAIRS, "Is this pair of tweets a paraphrase? SemEval-2015 task 1", origin=PIT),
    Configuration("pit_similarity", GRADED_PAIRS, "How similar are these tweets? SemEval-2015 task 1", origin=PIT),
)
CONFIGURATION_NAMES = tuple(configuration.name for configuration in CONFIGURATIONS)

PYRAMID_TESTS = tuple(row.name for row in CONFIGURATIONS if row.origin == PYRAMIDS)
"""Names of the configurations that are made from pyramids."""


def find_configuration(name: str) -> Configuration:
    """Look up a configuration.

    Raises:
        OptionError: If there is no configuration of that name.
    """
    for configuration in CONFIGURATIONS:
        if configuration.name == name:
            return configuration
    raise unknown_name("configuration", name, CONFIGURATION_NAMES)


def is_free(configuration: Configuration, option: str) -> bool:
    """Return whether an option has an effect on a configuration and is not fixed for it."""
    metadata = next(field.metadata for field in OPTION_FIELDS if field.name == option)
    has_options = configuration.origin == PYRAMIDS
    return has_options and configuration.kind in metadata["kinds"] and option not in configuration.preset


def make_options(configuration: Configuration, changes: Mapping[str, Any]) -> Options:
    """Make the options of a configuration.

    Args:
        configuration: The configuration.
        changes: Values that differ from its defaults, by name.

    Raises:
        OptionError: If an option is unknown, fixed or without effect, or has a wrong value.
    """
    for name in changes:
        if name not in OPTION_NAMES:
            raise unknown_name("option", name, OPTION_NAMES)
        if not is_free(configuration, name):
            reason = "is fixed for" if name in configuration.preset else "has no effect on"
            raise OptionError(f"option {name} {reason} {configuration.name}. Omit it")
    return replace(Options(**configuration.preset), **changes)


def changed_options(configuration: Configuration, options: Options) -> dict[str, Any]:
    """Return the options that differ from the defaults of the configuration, by name."""
    default = make_options(configuration, {})
    return {name: getattr(options, name) for name in OPTION_NAMES if getattr(options, name) != getattr(default, name)}
