"""Divide a text into sentences, or locate them in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ENDS = frozenset(".!?")
_CLOSERS = frozenset(("'", "''", '"', "\u201d", "\u2019", ")", "]", "-rrb-", "-rsb-"))
_CLOSING_CHARACTERS = "'\"\u201d\u2019)]"
_OPENING_CHARACTERS = "`'\"\u201c\u2018(["
_TITLES = "Capt|Col|Dr|Gen|Gov|Jr|Lt|Mr|Mrs|Ms|No|Prof|Rep|Rev|Sen|Sgt|Sr|St|vs"
_WORD = re.compile(r"\S+")
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
    return [" ".join(words[start:end]) for start, end in _divide(words)]


def locate_sentences(text: str) -> list[tuple[int, int]]:
    """Locate the sentences of a text with lines.

    Each paragraph is divided as `split_sentences` does. A paragraph ends at an empty line, and at a line that ends in a
    full stop, an exclamation mark or a question mark. Any other line break is a blank, because long lines are broken
    within sentences.

    Args:
        text: The text.

    Returns:
        The offsets of the sentences in the text, in order: those of their first characters, and those after their last.
    """
    sentences = []
    for paragraph in _list_paragraphs(text):
        for start, end in _divide([match[0] for match in paragraph]):
            sentences.append((paragraph[start].start(), paragraph[end - 1].end()))
    return sentences


def _list_paragraphs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the words of each paragraph."""
    paragraph: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        if paragraph:
            breaks = text.count("\n", paragraph[-1].end(), match.start())
            if breaks > 1 or (breaks and paragraph[-1][0].rstrip(_CLOSING_CHARACTERS)[-1:] in _ENDS):
                yield paragraph
                paragraph = []
        paragraph.append(match)
    if paragraph:
        yield paragraph


def _divide(words: list[str]) -> list[tuple[int, int]]:
    """Return the indices of the first word of each sentence, and of the word after its last one."""
    ends = list(_find_tokenized_ends(words)) or list(_find_ends(words))
    bounds = zip([0, *ends], [*ends, len(words)], strict=True)
    return [(start, end) for start, end in bounds if start < end]


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
