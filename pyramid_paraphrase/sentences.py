"""Divide a text into sentences, or locate them or their clauses in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyramid_paraphrase.words import find_words

_UNSPACED_ENDS = "\u3002\uff01\uff1f\uff61"
"""Marks of Chinese and Japanese, which need no blank after them."""

_ENDS = frozenset(".!?\u0589\u061f\u06d4\u0964\u0965\u104b\u1362\u17d4" + _UNSPACED_ENDS)
"""Full stops, exclamation marks and question marks of Latin letters, and those of Armenian, Arabic, Urdu, the scripts
of India, Burmese, Amharic, Khmer, Chinese and Japanese: the class STerm of Unicode Standard Annex 29 without rare
scripts."""

_CLOSING_CHARACTERS = "'\"\u201d\u2019)]\u00bb\u300d\u300f\uff09"
_CLOSERS = frozenset((*_CLOSING_CHARACTERS, "''", "-rrb-", "-rsb-"))
_OPENING_CHARACTERS = "`'\"\u201c\u2018([\u00ab\u300c\u300e\uff08"
_TITLES = "Capt|Col|Dr|Gen|Gov|Jr|Lt|Mr|Mrs|Ms|No|Prof|Rep|Rev|Sen|Sgt|Sr|St|vs"
_WORD = re.compile(
    rf"[^\s{_UNSPACED_ENDS}]*[{_UNSPACED_ENDS}]+[{re.escape(_CLOSING_CHARACTERS)}]*|[^\s{_UNSPACED_ENDS}]+"
)
"""A word between blanks. It ends at a mark that needs no blank after it, too."""

_ABBREVIATION = re.compile(rf"(?:[A-Za-z]\.)+|(?:{_TITLES})\.")

_MARKS = ",;:()[]\u2013\u2014"
_BOUNDARY = re.compile(
    rf"[{re.escape(_MARKS)}](?=\s)|(?<=\s)[(\[]|\b(?:after|although|and|as|because|before|but|if|or|since|so|that|when|"
    r"where|which|while|who)\b",
    re.IGNORECASE,
)
_SHORTEST_CLAUSE = 4
"""Fewest words of a clause."""


def split_sentences(text: str) -> list[str]:
    """Divide a text into sentences by rules, independently of the installed libraries.

    If the text has separate full stops, exclamation marks or question marks, as tokenizers write them, sentences end
    there. Otherwise a sentence ends at a word with such a mark at its end, if the word is not an abbreviation and the
    next word does not begin with a lowercase letter. Closing quotes and brackets belong to the sentence before them.
    The marks are those of `_ENDS`. After those of Chinese and Japanese, a sentence ends without a blank, too.

    Args:
        text: The text.

    Returns:
        The sentences without surrounding spaces, with one space between words. Empty if there are no words.
    """
    words = _WORD.findall(text)
    return [" ".join(words[start:end]) for start, end in _divide(words)]


def locate_sentences(text: str) -> list[tuple[int, int]]:
    """Locate the sentences of a text with several lines.

    Each paragraph is divided as `split_sentences` does. A paragraph ends at an empty line, and at a line that ends with
    a full stop, an exclamation mark or a question mark. All other line breaks count as blanks, because long lines are
    broken within sentences.

    Args:
        text: The text.

    Returns:
        The start and end offsets of the sentences in the text, in order. Ends are exclusive.
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
    """Yield the end indices of the sentences of a text with separate punctuation marks."""
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
    """Yield the end indices of the sentences, except the last, of a text whose punctuation marks are parts of words."""
    for index, word in enumerate(words[:-1], 1):
        bare = word.rstrip(_CLOSING_CHARACTERS).lstrip(_OPENING_CHARACTERS)
        follower = words[index].lstrip(_OPENING_CHARACTERS)[:1]
        is_unsure = bare[-1:] not in _UNSPACED_ENDS and (follower.islower() or _ABBREVIATION.fullmatch(bare))
        if bare[-1:] in _ENDS and not is_unsure:
            yield index


def locate_clauses(text: str) -> list[tuple[int, int]]:
    """Locate clauses by rules: pieces of the sentences of `locate_sentences`.

    A clause ends after a comma, semicolon, colon, closing bracket or dash, and before an opening bracket, an English
    conjunction or an English relative pronoun, if at least four words are on both sides.

    Args:
        text: The text.

    Returns:
        The start and end offsets of the clauses in the text, in order. Ends are exclusive.
    """
    clauses = []
    for start, end in locate_sentences(text):
        for boundary in _BOUNDARY.finditer(text, start, end):
            cut = boundary.start() if boundary[0] in "([" or boundary[0].isalpha() else boundary.end()
            if min(len(find_words(text[start:cut])), len(find_words(text[cut:end]))) >= _SHORTEST_CLAUSE:
                clauses.append((start, start + len(text[start:cut].rstrip())))
                start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
        clauses.append((start, end))
    return clauses
