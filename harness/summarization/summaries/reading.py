"""Summaries from folders and archives: plain text with a sentence per line, or NIST's and SEE's markup."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from lxml import etree, html

from harness.summarization.summaries.locations import FileLimit, LocatedFile, Location, read_files
from harness.summarization.summaries.naming import parse_summary_name
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.limits import MAX_MEMBERS
from pyramid_paraphrase.naming import natural_key

_WHAT_TO_GIVE = "call files as NIST does (D0701.M.250.A.15), AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt"
_HOW_TO_READ_MORE = "name the folder within it, or accept more files with --max-files"
_OTHER_ENCODING = "cp1252"
_SHOWN = 3
_PARTS = 2
"""Of paths in notes: a name of AUTHOR/TOPIC.txt tells too little without its folder."""


def read_summaries(location: Location, default_author: str = "", max_files: int = MAX_MEMBERS) -> SummarySet:
    """Read the summaries of a folder or an archive, or of a folder within an archive.

    Args:
        location: Where they lie.
        default_author: Whose those are whose names tell no author.
        max_files: How many files are accepted.

    Returns:
        All of them. Files that are no UTF-8 are read as Windows-1252, and empty ones have no sentence; notes say which.

    Raises:
        InputError: If there is none, a name tells too little, one is there twice, or has markup that is not known.
        LimitError: If there are more files, or something is larger than `limits` allows.
    """
    files = read_files(location, FileLimit(max_files, _HOW_TO_READ_MORE))
    summaries = [_parse(location, file, default_author) for file in files]
    summaries.sort(key=lambda one: (natural_key(one.topic), natural_key(one.author), one.shown))
    if not summaries:
        raise InputError(str(location), "holds no summary", _WHAT_TO_GIVE)
    for one, other in pairwise(summaries):
        if (one.topic, one.author) == (other.topic, other.author):
            reason = f"is of topic {other.topic} and author {other.author}, like {one.shown}"
            raise InputError(other.shown, reason, "leave one out, or give the folder that holds one of them")
    foreign = [file.name for file in files if not _is_utf8(file.data)]
    empty = [one.shown for one in summaries if not one.sentences]
    notes = [
        *describe(foreign, "is no UTF-8 and read as Windows-1252", "are no UTF-8 and read as Windows-1252"),
        *describe(empty, "is empty", "are empty"),
    ]
    return SummarySet(tuple(summaries), tuple(notes))


def describe(names: Iterable[str], singular: str, plural: str) -> list[str]:
    """Say of files, by their paths, what is the matter with them: a line, or none if there are none."""
    listed = ["/".join(name.split("/")[-_PARTS:]) for name in names]
    if not listed:
        return []
    more = f" and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return [f"{', '.join(listed[:_SHOWN])}{more} {singular if len(listed) == 1 else plural}"]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _parse(location: Location, file: LocatedFile, default_author: str) -> Summary:
    within = file.name.removeprefix(Path(location).as_posix()).lstrip("/") or Path(file.name).name
    parsed = parse_summary_name(within, default_author)
    if parsed is None:
        raise InputError(file.name, "its name tells no topic and author", _WHAT_TO_GIVE)
    if not all(name.isprintable() for name in parsed):  # a tab would divide a row of scores, an escape move the cursor
        raise InputError(file.name, "its name holds a character that cannot be printed", "rename it")
    text = _decode(file)
    lines = _read_markup(file.name, text) if text.lstrip().startswith("<") else text.splitlines()
    sentences = tuple(stripped for line in lines if (stripped := " ".join(line.split())))
    return Summary(parsed.topic, parsed.author, sentences, file.name)


def _decode(file: LocatedFile) -> str:
    if b"\0" in file.data:
        line = file.data[: file.data.index(b"\0")].count(b"\n") + 1
        raise InputError(file.name, "is no text", "give plain text, in UTF-8", line)
    return file.data.decode("utf-8-sig") if _is_utf8(file.data) else file.data.decode(_OTHER_ENCODING, "replace")


def _read_markup(name: str, text: str) -> list[str]:
    """The sentences of a file as SEE has them (links with a number), or the lines within NIST's <SUM>."""
    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise InputError(name, f"is markup that cannot be read ({error})", "give plain text") from None
    if linked := [link for link in tree.iter("a") if "href" in link.attrib and "id" in link.attrib]:
        return [_collect_text(link) for link in linked]
    if summaries := list(tree.iter("sum")):
        return [line for one in summaries for line in _collect_text(one).splitlines()]
    raise InputError(name, "is markup of no kind that is known", "give plain text, a sentence per line", 1)


def _collect_text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))
