"""The tokenizers for bags of words and word vectors."""

from __future__ import annotations

from collections.abc import Callable

from harness.support.extras import require
from pyramid_paraphrase.errors import unknown_name
from pyramid_paraphrase.words import compose, split_words

Tokenizer = Callable[[str], list[str]]

TOKENIZERS = ("own", "spacy")
"""`own` is the fixed tokenizer of this benchmark. `spacy` is the blank English tokenizer of spaCy, as in the paper."""


def load_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer, which divides a text into words without punctuation and keeps their case.

    Canonically equal texts have equal words (Unicode's normal form C).

    Raises:
        OptionError: If no tokenizer has this name.
        MissingExtraError: If spaCy is not installed.
    """
    if name == "own":
        return split_words
    if name == "spacy":
        return _load_spacy()
    raise unknown_name("tokenizer", name, TOKENIZERS)


def _load_spacy() -> Tokenizer:
    tokenizer = require("spacy", "spacy").blank("en").tokenizer
    return lambda text: [token.text for token in tokenizer(compose(text)) if not (token.is_punct or token.is_space)]


def in_lower_case(tokenize: Tokenizer) -> Tokenizer:
    """Return a tokenizer whose words have lower case and straight apostrophes, for bags of words."""
    return lambda text: [word.lower().replace("\u2019", "'") for word in tokenize(text)]
