"""A summary with the text of its file: encoding, lines, markup; and the summaries at a location, with notes on them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from lxml import etree, html

from harness.files.lines import find_marked_encoding
from harness.rendering.tables import count_of, join_some
from harness.summarization.locations import Location, require_text
from harness.text.markup import BYTE_ORDER_MARK, Markup, divide_lines, join_texts, starts_with_text
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pyramids.naming import natural_key, note_similar, note_unified, unify_numbers
from pyramid_paraphrase.pyramids.sources import SourceFile
from pyramid_paraphrase.words import compose

_MARKUP_REMEDY = "use plain text, a sentence per line, or JSON lines, where texts may begin with '<'"
_DUPLICATE_REMEDY = (
    "remove one of them, use a folder that contains only one of them, or name their authors, in a column or by "
    "{author} in the pattern"
)
_OTHER_ENCODING = "cp1252"
_SENTENCE_NUMBER = re.compile(r"\[[0-9]+]")
_MAX_PATHS = 3
_PATH_PARTS = 2
"""Number of last parts of a path that notes show. A file AUTHOR/TOPIC.txt is ambiguous without its folder."""

_REMARKS = {
    "separators": ("removed", "separator", ""),
    "references": ("replaced", "character reference", ""),
    "tags": ("removed", "HTML tag", ""),
    "byte_order_marks": ("removed", "byte order mark", ""),
    "other_tags": ("counted", "other tag", " as words"),
    "word_pieces": ("counted", "word piece", " as words. Join them by their tokenizer"),
    "outside": ("ignored", "outer text", ", outside of the marked sentences"),
}
"""What is done with the pieces of each field of `Markup`: a verb, a noun, and an addition."""


class Summary(NamedTuple):
    """A summary.

    Attributes:
        topic: Its topic, such as "D0701" of the file D0701.M.250.A.15.
        author: Its author, such as "15" for a system, "A" for a person.
        sentences: Its sentences. An empty file has none.
        path: Path of its file, for messages.
        markup: The markup of its text.
    """

    topic: str
    author: str
    sentences: tuple[str, ...]
    path: str
    markup: Markup = Markup()


def collect_summaries(
    location: Location, summaries: Iterable[Summary], notes: Iterable[str] = ()
) -> tuple[list[Summary], list[str]]:
    """Sort summaries, and check that no two summaries have the same topic and author.

    Names are compared in Unicode's normal form C. Authors that differ in zeros before a number are one author, as
    `unify_numbers` finds them.

    Args:
        location: The location of the summaries, for notes.
        summaries: The summaries in any order.
        notes: Notes on their files.

    Returns:
        The summaries, sorted by topic and author, and notes for the user, a line each.

    Raises:
        InputError: If there is no summary, or two have the same topic and author.
    """
    named = [summary._replace(topic=compose(summary.topic), author=compose(summary.author)) for summary in summaries]
    unified = unify_numbers([[(summary.topic, summary.author) for summary in named]])
    named = [summary._replace(author=unified.get(summary.author, summary.author)) for summary in named]
    similar = note_similar([[(summary.topic, summary.author) for summary in named]])
    named.sort(key=lambda summary: (natural_key(summary.topic), natural_key(summary.author), summary.path))
    if not named:
        raise InputError(str(location), "contains no summary", "use a folder, an archive or a file with summaries")
    for earlier, later in pairwise(named):
        if (earlier.topic, earlier.author) == (later.topic, later.author):
            reason = f"has the same topic {later.topic} and author {later.author} as {earlier.path}"
            raise InputError(later.path, reason, _DUPLICATE_REMEDY)
    empty = [summary.path for summary in named if not summary.sentences]
    markup = note_markup(str(location), (summary.markup for summary in named))
    empty_notes = note_files(empty, "is empty", "are empty")
    return named, [*notes, *empty_notes, *note_unified(unified), *similar, *markup]


def note_files(paths: Iterable[str], singular: str, plural: str) -> list[str]:
    """Write a note on files.

    Args:
        paths: Paths of the files.
        singular: The remark if there is one file, such as "is empty".
        plural: The remark if there are several.

    Returns:
        A list with one line, or an empty list if there is no file.
    """
    names = ["/".join(path.split("/")[-_PATH_PARTS:]) for path in paths]
    if not names:
        return []
    remark = singular if len(names) == 1 else plural
    return [f"{join_some(names, _MAX_PATHS)} {remark}"]


def note_encodings(files: Iterable[SourceFile]) -> list[str]:
    """Write a note on files that are not Unicode."""
    paths = [file.name for file in files if _find_encoding(file.data) == _OTHER_ENCODING]
    remedy = "Convert other encodings to UTF-8"
    return note_files(
        paths,
        f"is not UTF-8 and was read as Windows-1252. {remedy}",
        f"are not UTF-8 and were read as Windows-1252. {remedy}",
    )


def note_markup(location: str, markups: Iterable[Markup]) -> list[str]:
    """Write a line on each kind of markup in summaries: how often it occurs, an example, and what was done with it."""
    notes = []
    for name, pieces_by_summary in zip(Markup._fields, zip(*markups, strict=True), strict=True):
        counts = [len(pieces) for pieces in pieces_by_summary if pieces]
        if counts:
            verb, noun, addition = _REMARKS[name]
            example = next(pieces[0] for pieces in pieces_by_summary if pieces)
            such_as = "" if name == "outside" or example == BYTE_ORDER_MARK else f" such as {example}"
            number, texts = count_of(sum(counts), noun), count_of(len(counts), "text")
            notes.append(f"{location}: {verb} {number}{such_as} in {texts}{addition}")
    return notes


def parse_summary(file: SourceFile, topic: str, author: str) -> Summary:
    """Parse a file with one summary: plain text, or markup of SEE or NIST.

    Raises:
        InputError: If the file is a table, or has another encoding than its byte order mark says, or unknown markup.
    """
    text = _decode(file)
    if _is_markup(text):
        texts, outside = _read_markup(file.name, text)
        sentences, markup = join_texts(map(divide_lines, texts))
        markup = markup._replace(outside=outside)
    else:
        sentences, markup = divide_lines(text)
    return Summary(topic, author, sentences, file.name, markup)


def split_text(file: SourceFile) -> list[str]:
    """Split a text at line feeds only, as programs do that write a summary per line. Empty lines keep their place.

    If there are no line feeds, lines end at carriage returns, as on old systems.
    """
    text = _decode(file)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def count_lines(file: SourceFile) -> int:
    """Return the number of lines of a text, or 0 for markup."""
    return 0 if _is_markup(_decode(file)) else len(split_text(file))


def _is_markup(text: str) -> bool:
    """Return whether a text is a document of markup. A plain text may begin with a separator or a tag, too."""
    return text.lstrip().startswith("<") and not starts_with_text(text)


def _decode(file: SourceFile) -> str:
    encoding = _find_encoding(file.data)
    if encoding in (_OTHER_ENCODING, "utf-8"):
        require_text(file)
        return file.data.removeprefix(codecs.BOM_UTF8).decode(encoding, "replace")
    try:
        return file.data.decode(encoding)
    except UnicodeDecodeError:
        reason = f"has the byte order mark of {encoding.upper()}, but other bytes"
        raise InputError(file.name, reason, "convert it to UTF-8") from None


def _find_encoding(data: bytes) -> str:
    """Find the encoding of a text: the one of its byte order mark, UTF-8, or else Windows-1252."""
    if encoding := find_marked_encoding(data):
        return encoding
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _OTHER_ENCODING
    return "utf-8"


def _read_markup(name: str, text: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the sentences of SEE's markup (links with a number) or the texts of NIST's elements <SUM>, and all others.

    The numbers of sentences in brackets are part of SEE's markup.
    """
    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise InputError(name, f"contains markup that cannot be read ({error})", "use plain text") from None
    linked = [link for link in tree.iter("a") if "href" in link.attrib and "id" in link.attrib]
    if marked := linked or list(tree.iter("sum")):
        return ["".join(map(str, element.itertext())) for element in marked], _list_outer_texts(tree, marked)
    raise InputError(name, "contains markup of an unknown kind", _MARKUP_REMEDY, 1)


def _list_outer_texts(tree: etree._Element, marked: Sequence[etree._Element]) -> tuple[str, ...]:
    """List the texts of a document outside of elements, without its title."""
    inner = {descendant for element in marked for descendant in element.iter()}
    texts = []
    for element in chain.from_iterable(body.iter(etree.Element) for body in tree.iter("body")):
        if element not in inner:
            texts.append(element.text)
        if element.getparent() not in inner:
            texts.append(element.tail)
    stripped = (text.strip() for text in texts if text)
    return tuple(text for text in stripped if text and not _SENTENCE_NUMBER.fullmatch(text))
