"""Ways to divide a summary into the words that ROUGE compares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from harness.files.hashing import hash_values
from harness.text.rouge_stems import DEFAULT_WORDNET, read_irregular_forms, stem_as_rouge
from harness.text.stem_names import PORTER, ROUGE, STEMS
from harness.text.words import STOP_WORDS, split_alphanumeric, stem_words
from pyramid_paraphrase.errors import OptionError, unknown_name

Divide = Callable[[str], list[str]]
"""A function from a text to its words in the form in which they are compared."""


class Division(NamedTuple):
    """A way to divide texts.

    Attributes:
        divide: Function that divides a text.
        signature: Text that names all settings that decide the words, except the version.
    """

    divide: Divide
    signature: str


_ASCII_WORD = re.compile(r"[a-z0-9]+")


def choose_division(stem: str = PORTER, *, stop_words: bool = True, wordnet: Path | None = None) -> Division:
    """Choose how to divide summaries into words.

    Args:
        stem: One of `STEMS`. As in ROUGE-1.5.5, letters beyond ASCII divide words for "rouge"; they are letters for
            the others.
        stop_words: Whether function words count. They are left out before stems are made, and the words around them
            then are neighbours, as in ROUGE.
        wordnet: Folder of WordNet's database, for "rouge" only; `DEFAULT_WORDNET` if None.

    Returns:
        The division.

    Raises:
        OptionError: If there is no such stem, or a folder of WordNet is given and the stem does not use it.
        InputError: If WordNet cannot be read.
    """
    if stem not in STEMS:
        raise unknown_name("stem", stem, STEMS)
    if stem != ROUGE and wordnet:
        raise OptionError(f"WordNet is for the stems of ROUGE, not for {stem}; leave it out, or ask for stem {ROUGE}")
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
    words = _ASCII_WORD.findall(text.lower())
    return stem_as_rouge([word for word in words if stop_words or word not in STOP_WORDS], forms)
