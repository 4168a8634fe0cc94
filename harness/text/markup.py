"""Removal of separators and markup from texts. All readers of summaries divide their texts by these rules."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from pyramid_paraphrase.sentences import split_sentences

BYTE_ORDER_MARK = "\ufeff"
_REFERENCE = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_MOST_ESCAPES = 3

_ATTRIBUTES = r"(?:\s[\w:-]{1,40}\s?=[^<>]{0,200})?\s?/?"
"""The attributes of a tag, in linear time. "a <b and c> d" is not a tag."""

_SEPARATORS = (
    "q|t|s|n|nl|newline|0x0A|sep|s_sep|x_sep|doc-sep|split|cls|pad|bos|sos|eos|eop|eod|eot|sent|sentence"
    "|(?:start|end)_of_turn|(?:extra_id_|unused)[0-9]{1,3}"
)
_ESCAPED_LINE_FEED = r"""(?:(?<=[.!?"'\u201d)\]])(?:\\r)?\\n|(?:\\r)?\\n(?![a-z]))"""
"""A backslash and an n, as in text that was escaped twice. In "of \\nu" and "C:\\new", they are something else."""

_MARKUP = re.compile(
    rf"(?P<separator></?(?i:{_SEPARATORS}){_ATTRIBUTES}>"
    r"|\[(?:SEP|S_SEP|X_SEP|CLS|PAD|BOS|EOS|sep|s_sep|x_sep|cls|pad|bos|eos|unused[0-9]{1,3})\]"
    r"|<\|[A-Za-z_]{1,30}\|>|<\uff5c[^<>\uff5c]{1,40}\uff5c>"
    r"|@highlight\b|\bNEWLINE_CHAR\b|\bstory_separator_special_tag\b|##(?:SENT|sent)##"
    rf"|{_ESCAPED_LINE_FEED})"
    rf"|(?P<block></?(?i:p|br|div|li|ul|ol|h[1-6]|blockquote|body|html|table|tr|td|th|hr){_ATTRIBUTES}>)"
    rf"|(?P<inline></?(?i:a|b|i|u|em|strong|span|sup|sub|small|font|code|mark){_ATTRIBUTES}>|<!--[^<>]{{0,500}}-->)"
    rf"|(?P<other></?[A-Za-z][A-Za-z0-9_.-]{{0,30}}{_ATTRIBUTES}>)"
)
_WORD_PIECE = re.compile(
    r"(?<!\w)\w{1,60}@@(?!\S)|\u2581\w{1,60}|(?<=[a-z.,])\u0120[^\W\u0120]{1,60}|(?<!\S)##[a-z]{1,60}(?!\S)"
)
"""Pieces of words with the marks of BPE, SentencePiece, GPT-2 (also a letter of Maltese) and WordPiece."""

_DOCUMENT = re.compile(r"<(?:!|(?:html|body|a)\b)", re.IGNORECASE)
_REPLACEMENTS = {"separator": "\n", "block": "\n", "inline": ""}
_BEGINNINGS = ("<", "[", "@highlight", "NEWLINE_CHAR", "story_separator", "##", "\\n")
"""Every match of `_MARKUP` contains one of them. Most texts contain none, and looking for them is fast."""


class Markup(NamedTuple):
    """The markup of a text.

    Attributes:
        separators: Marks between sentences, and other tokens of models such as padding, which were removed.
        references: References to characters, such as ``&amp;``, which were replaced by the characters.
        tags: Tags and comments of HTML, which were removed.
        byte_order_marks: Byte order marks within the text, which were removed.
        other_tags: All other tags. Their names count as words, as in ROUGE-1.5.5.
        word_pieces: Pieces of words with the marks of tokenizers, which count as words.
        outside: Texts of a document of markup outside of the elements that contain its sentences, which were ignored.
    """

    separators: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    byte_order_marks: tuple[str, ...] = ()
    other_tags: tuple[str, ...] = ()
    word_pieces: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()


def divide_lines(text: str) -> tuple[tuple[str, ...], Markup]:
    """Divide a text with a sentence per line. Separators and block tags end sentences, too.

    Returns:
        The sentences, with one space between words, and the markup that the text had.
    """
    text, references = _replace_references(text)
    marks = tuple(BYTE_ORDER_MARK for _ in range(text.count(BYTE_ORDER_MARK)))
    text = text.replace(BYTE_ORDER_MARK, "")
    found: list[tuple[str | None, str]] = []
    if any(beginning in text for beginning in _BEGINNINGS):
        found = [(match.lastgroup, match[0]) for match in _MARKUP.finditer(text)]
        text = _MARKUP.sub(lambda match: _REPLACEMENTS.get(str(match.lastgroup), match[0]), text)
    separators, blocks, inline, others = (
        tuple(piece for group, piece in found if group == name) for name in ("separator", "block", "inline", "other")
    )
    lines = (" ".join(line.split()) for line in text.splitlines())
    pieces = tuple(_WORD_PIECE.findall(text))
    return tuple(filter(None, lines)), Markup(separators, references, blocks + inline, marks, others, pieces)


def _replace_references(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace references to characters, and list them. Text that was escaped several times contains `&amp;quot;`."""
    references: list[str] = []
    for _ in range(_MOST_ESCAPES):
        found = [reference for reference in _REFERENCE.findall(text) if html.unescape(reference) != reference]
        if not found:
            break
        references += found
        text = _REFERENCE.sub(lambda match: html.unescape(match[0]), text)
    return text, tuple(references)


def starts_with_text(text: str) -> bool:
    """Return whether a text begins with a separator or a tag within text, so that it is not a document of markup."""
    first = _MARKUP.match(text.lstrip())
    return first is not None and first.lastgroup != "other" and _DOCUMENT.match(first[0]) is None


def divide_text(text: str) -> tuple[tuple[str, ...], Markup]:
    """Divide a text as `divide_lines` does. A single line without separators is divided by `split_sentences`."""
    sentences, markup = divide_lines(text)
    if len(sentences) > 1 or markup.separators:
        return sentences, markup
    return tuple(split_sentences(" ".join(sentences))), markup


def join_texts(texts: Iterable[tuple[tuple[str, ...], Markup]]) -> tuple[tuple[str, ...], Markup]:
    """Join the sentences and the markup of the parts of a summary."""
    sentences, markups = zip(*texts, strict=True)
    fields = zip(*markups, strict=True)
    return tuple(chain.from_iterable(sentences)), Markup(*(tuple(chain.from_iterable(field)) for field in fields))
