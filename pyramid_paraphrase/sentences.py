"""Divide a text into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ENDS = frozenset(".!?")
_CLOSERS = frozenset(("'", "''", '"', "\u201d", "\u2019", ")", "]", "-rrb-", "-rsb-"))
_CLOSING_CHARACTERS = "'\"\u201d\u2019)]"
_OPENING_CHARACTERS = "`'\"\u201c\u2018(["
_TITLES = "Capt|Col|Dr|Gen|Gov|Jr|Lt|Mr|Mrs|Ms|No|Prof|Rep|Rev|Sen|Sgt|Sr|St|vs"
_ABBREVIATION = re.compile(rf"(?:[A-Za-z]\.)+|(?:{_TITLES})\.")


def split_sentences(text: str) -> list[str]:
    """Divide a text into sentences, whatever language models or libraries are installed.

    If full stops, exclamation marks or question marks stand by themselves, as tokenizers write them, a sentence ends
    there. Otherwise it ends at a word that ends in such a mark and is no abbreviation, before a word that does not
    begin with a small letter. Closing quotes and brackets belong to the sentence before them.

    Args:
        text: The text.

    Returns:
        The sentences without surrounding blanks, with one blank between words; none if there is no word.
    """
    words = text.split()
    ends = list(_find_tokenized_ends(words)) or list(_find_ends(words))
    starts = [0, *ends]
    sentences = (" ".join(words[start:end]) for start, end in zip(starts, [*ends, len(words)], strict=True))
    return [sentence for sentence in sentences if sentence]


def _find_tokenized_ends(words: list[str]) -> Iterator[int]:
    """Yield the indices after the sentences of a text whose marks stand by themselves."""
    is_after_end = False
    for index, word in enumerate(words):
        if word in _ENDS:
            is_after_end = True
        elif is_after_end and word.lower() not in _CLOSERS:
            yield index
            is_after_end = False
    if is_after_end:
        yield len(words)


def _find_ends(words: list[str]) -> Iterator[int]:
    """Yield the indices after the sentences of a text whose marks are parts of words, except for the last one."""
    for index, word in enumerate(words[:-1], 1):
        bare = word.rstrip(_CLOSING_CHARACTERS).lstrip(_OPENING_CHARACTERS)
        follower = words[index].lstrip(_OPENING_CHARACTERS)[:1]
        if bare[-1:] in _ENDS and not follower.islower() and not _ABBREVIATION.fullmatch(bare):
            yield index
