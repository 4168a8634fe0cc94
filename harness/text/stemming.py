"""Division of summaries into the words that ROUGE compares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.files.hashing import hash_values
from harness.text.rouge_stems import DEFAULT_WORDNET, read_irregular_forms, stem_as_rouge
from harness.text.stem_names import PORTER, ROUGE, STEMS
from harness.text.words import STOP_WORDS, stem_words
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.words import compose, split_alphanumeric

Divide = Callable[[str], list[str]]
"""A function from a text to its words, in the form in which they are compared."""


class Division(NamedTuple):
    """A way to divide texts.

    Attributes:
        divide: Function that divides a text.
        signature: Text that names all settings that determine the words, except the version.
    """

    divide: Divide
    signature: str


_ASCII_WORD = re.compile(r"[a-z0-9]+")


def choose_division(stem: str = PORTER, *, stop_words: bool = True, wordnet: Path | None = None) -> Division:
    """Choose how to divide summaries into words.

    Args:
        stem: One of `STEMS`. For "rouge", letters beyond ASCII separate words, as in ROUGE-1.5.5. For the other
            values, they are letters.
        stop_words: Whether stop words count. Otherwise they are removed before stemming, and the words around them
            become neighbours, as in ROUGE.
        wordnet: Folder of WordNet's database, for "rouge" only. If None, `DEFAULT_WORDNET`.

    Returns:
        The division.

    Raises:
        OptionError: If `stem` is not one of `STEMS`, or if `wordnet` is given and the stem does not use it.
        InputError: If WordNet cannot be read.
    """
    if stem not in STEMS:
        raise unknown_name("stem", stem, STEMS)
    if stem != ROUGE and wordnet:
        raise OptionError(f"WordNet has no effect with stem {stem}. Omit it, or choose stem {ROUGE}")
    counted = "yes" if stop_words else "no"
    signature = f"stem:{stem}|stop-words:{counted}"
    if stem == ROUGE:
        forms = read_irregular_forms(wordnet or DEFAULT_WORDNET)
        divide = partial(_divide_as_rouge, forms, stop_words=stop_words)
        return Division(divide, f"{signature}|wordnet:{hash_values(forms)[:12]}")
    return Division(partial(_divide, stem=stem == PORTER, stop_words=stop_words), signature)


def _divide(text: str, *, stem: bool, stop_words: bool) -> list[str]:
    words = [word for word in split_alphanumeric(text) if stop_words or word not in STOP_WORDS]
    if stem:
        words = stem_words(words)
    return words


def _divide_as_rouge(forms: Mapping[str, str], text: str, *, stop_words: bool) -> list[str]:
    words = _ASCII_WORD.findall(compose(text).lower())
    return stem_as_rouge([word for word in words if stop_words or word not in STOP_WORDS], forms)
