"""Summaries from folders and archives: plain text with a sentence per line, or NIST's and SEE's markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from pathlib import Path

from lxml import etree, html

from harness.rendering.tables import join_some
from harness.summarization.summaries.label_corpora import find_label_corpora, list_peers, list_references
from harness.summarization.summaries.locations import FileLimit, LocatedFile, Location, read_files
from harness.summarization.summaries.naming import SINGLE_REFERENCE, parse_summary_name
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.limits import MAX_MEMBERS
from pyramid_paraphrase.naming import natural_key

_WHAT_TO_GIVE = "call files as NIST does (D0701.M.250.A.15), AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt"
_HOW_TO_READ_MORE = "name the folder within it, or accept more files with --max-files"
_OTHER_ENCODING = "cp1252"
_MAX_PATHS = 3
_PATH_PARTS = 2
"""Last parts of a path that notes show; a file AUTHOR/TOPIC.txt is not identified without its folder."""


def read_summaries(location: Location, max_files: int = MAX_MEMBERS) -> SummarySet:
    """Read the summaries of a folder or an archive, or of a folder within an archive.

    Args:
        location: Path of the folder or archive. Of a corpus of SCU labels, the summaries of its systems are read.
        max_files: Highest number of files that is accepted.

    Returns:
        All summaries. Files that are not UTF-8 are read as Windows-1252, and empty files have no sentences; notes list
        both.

    Raises:
        InputError: If there is no summary, a name lacks topic or author, two summaries have the same topic and author,
            or a file has unknown markup.
        LimitError: If there are more files, or something is larger than `limits` allows.
    """
    files = _read_files(location, max_files)
    if corpora := find_label_corpora(files):
        return _collect(location, list_peers(corpora), [])
    return _parse_files(location, files, "")


def read_references(location: Location, max_files: int = MAX_MEMBERS) -> SummarySet:
    """Read references; arguments, return value and errors as for `read_summaries`.

    `SINGLE_REFERENCE` is the author of the references of a corpus of SCU labels, and of files whose names hold none.
    """
    files = _read_files(location, max_files)
    if corpora := find_label_corpora(files):
        return _collect(location, list_references(corpora, SINGLE_REFERENCE), [])
    return _parse_files(location, files, SINGLE_REFERENCE)


def _read_files(location: Location, max_files: int) -> list[LocatedFile]:
    return read_files(location, FileLimit(max_files, _HOW_TO_READ_MORE))


def _parse_files(location: Location, files: Sequence[LocatedFile], default_author: str) -> SummarySet:
    """Parse files with a summary each."""
    foreign = [file.name for file in files if not _is_utf8(file.data)]
    notes = note_files(foreign, "is no UTF-8 and read as Windows-1252", "are no UTF-8 and read as Windows-1252")
    return _collect(location, [_parse(location, file, default_author) for file in files], notes)


def _collect(location: Location, summaries: list[Summary], notes: list[str]) -> SummarySet:
    """Sort summaries, and check that no two are of the same topic and author."""
    summaries.sort(key=lambda summary: (natural_key(summary.topic), natural_key(summary.author), summary.path))
    if not summaries:
        raise InputError(str(location), "holds no summary", _WHAT_TO_GIVE)
    for earlier, later in pairwise(summaries):
        if (earlier.topic, earlier.author) == (later.topic, later.author):
            reason = f"is of topic {later.topic} and author {later.author}, like {earlier.path}"
            raise InputError(later.path, reason, "leave one out, or give the folder that holds one of them")
    empty = [summary.path for summary in summaries if not summary.sentences]
    return SummarySet(tuple(summaries), (*notes, *note_files(empty, "is empty", "are empty")))


def note_files(paths: Iterable[str], singular: str, plural: str) -> list[str]:
    """Write a note on files.

    Args:
        paths: Paths of the files.
        singular: The remark if there is one file, such as "is empty".
        plural: The remark if there are several.

    Returns:
        A line, or nothing if there is no file.
    """
    names = ["/".join(path.split("/")[-_PATH_PARTS:]) for path in paths]
    if not names:
        return []
    remark = singular if len(names) == 1 else plural
    return [f"{join_some(names, _MAX_PATHS)} {remark}"]


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
    # A tab in a name would divide a row of scores, and an escape sequence would move the cursor.
    if not all(name.isprintable() for name in parsed):
        raise InputError(file.name, "its name holds a character that cannot be printed", "rename it")
    text = _decode(file)
    lines = _read_markup(file.name, text) if text.lstrip().startswith("<") else text.splitlines()
    sentences = tuple(stripped for line in lines if (stripped := " ".join(line.split())))
    return Summary(parsed.topic, parsed.author, sentences, file.name)


def _decode(file: LocatedFile) -> str:
    if b"\0" in file.data:
        line = file.data[: file.data.index(b"\0")].count(b"\n") + 1
        raise InputError(file.name, "is no text", "give plain text, in UTF-8", line)
    if _is_utf8(file.data):
        return file.data.decode("utf-8-sig")
    return file.data.decode(_OTHER_ENCODING, "replace")


def _read_markup(name: str, text: str) -> list[str]:
    """Return the sentences of SEE's markup (links with a number), or the lines within NIST's <SUM>."""
    try:
        tree = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, ValueError) as error:
        raise InputError(name, f"is markup that cannot be read ({error})", "give plain text") from None
    if linked := [link for link in tree.iter("a") if "href" in link.attrib and "id" in link.attrib]:
        return [_collect_text(link) for link in linked]
    if summaries := list(tree.iter("sum")):
        texts = map(_collect_text, summaries)
        return list(chain.from_iterable(text.splitlines() for text in texts))
    raise InputError(name, "is markup of no kind that is known", "give plain text, a sentence per line", 1)


def _collect_text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))
