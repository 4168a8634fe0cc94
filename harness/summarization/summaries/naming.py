"""Topic and author of a summary, from the name of its file."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.summarization.summaries.name_patterns import AUTHOR, TOPIC, NamePattern
from harness.summarization.summaries.row_files import Columns
from pyramid_paraphrase.errors import InputError

SINGLE_REFERENCE = "reference"
"""Author of references whose file or row does not name an author."""

SINGLE_PEER = "peer"
"""Author of summaries to score whose file or row does not name an author."""

SINGLE_TOPIC = "summary"
"""Topic of two single texts that are compared regardless of their names."""

_NAMING_REMEDY = (
    "name files as NIST does (D0701.M.250.A.15), AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt, or add --pattern, such as "
    "--pattern {topic}_{author}.txt"
)

_PATTERN_REMEDY = (
    "correct the pattern, which is matched with the path below the given folder or archive, or move the file out of it"
)

_SET = r"(?P<topic>[a-z]+[0-9]+(?:-[a-z0-9]+)?)"
_NIST = re.compile(
    _SET + r"\.(?:m|p)\.[0-9]+\.[a-z0-9]+\.(?P<author>[a-z0-9]+)(?:\.(?P<document>[a-z]+[0-9][a-z0-9.-]*))?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.(?:txt|html?|spl|sum)\Z", re.IGNORECASE)


class SummaryName(NamedTuple):
    """Topic and author of a summary."""

    topic: str
    author: str


class Naming(NamedTuple):
    """The naming of topics and authors in files and rows.

    Attributes:
        pattern: Pattern of file paths, or None for the names that `parse_summary_name` accepts.
        columns: Columns of files with a summary per row.
    """

    pattern: NamePattern | None = None
    columns: Columns = Columns()


class DefaultAuthors(NamedTuple):
    """Authors of summaries whose file or row does not name an author.

    Attributes:
        author: Author of rows, and of files that are named by a pattern without {author}.
        file_author: Author of files without a pattern whose name does not contain an author, or "" to refuse them.
    """

    author: str
    file_author: str


PEER_AUTHORS = DefaultAuthors(SINGLE_PEER, "")
REFERENCE_AUTHORS = DefaultAuthors(SINGLE_REFERENCE, SINGLE_REFERENCE)


def name_summary(file: str, path: str, pattern: NamePattern | None, defaults: DefaultAuthors) -> SummaryName:
    """Read topic and author from the name of a file.

    Args:
        file: Name of the file, for errors.
        path: Its path within the folder or archive that the user named.
        pattern: Pattern of these paths, or None for the names that `parse_summary_name` accepts.
        defaults: Authors of summaries whose file does not name an author.

    Raises:
        InputError: If the name does not match, matches the pattern in several ways, or is not printable.
    """
    if pattern is None:
        name = parse_summary_name(path, defaults.file_author)
        if name is None:
            raise InputError(file, "its name does not contain topic and author", _NAMING_REMEDY)
    else:
        name = _apply_pattern(file, path, pattern, defaults.author)
    require_printable(name, file)
    return name


def remove_ending(name: str) -> str:
    """Remove the suffix of a text, such as ".txt", from the name of its file."""
    return _ENDING.sub("", name)


def require_printable(name: SummaryName, file: str) -> None:
    """Check that topic and author can be printed.

    A tab would split a cell of the file of scores, and an escape sequence would move the cursor of the terminal.

    Raises:
        InputError: If topic or author cannot be printed.
    """
    if not all(value.isprintable() for value in name):
        raise InputError(file, "its name contains a character that cannot be printed", "rename it")


def _apply_pattern(file: str, path: str, pattern: NamePattern, default_author: str) -> SummaryName:
    names = [SummaryName(fields[TOPIC], fields.get(AUTHOR, default_author)) for fields in pattern.list_readings(path)]
    if not names:
        reason = f"{path} does not match the pattern {pattern.text}"
        raise InputError(file, reason, _PATTERN_REMEDY)
    if len(names) > 1:
        readings = " or ".join(f"topic {name.topic} by {name.author}" for name in names)
        reason = f"its name matches the pattern {pattern.text} in several ways ({readings})"
        raise InputError(file, reason, "rename it, use a folder per author, or use JSON lines or CSV")
    return names[0]


def parse_summary_name(name: str, default_author: str = "") -> SummaryName | None:
    """Read the name of a summary's file.

    Args:
        name: Path within the given folder or archive. Accepted are NIST's names (``D0701.M.250.A.15``, and for single
            documents ``D061.P.100.J.15.AP880911-0016``), ``AUTHOR/TOPIC.txt`` and ``TOPIC.AUTHOR.txt``.
        default_author: Author of a file outside of any folder, if its name does not contain an author.

    Returns:
        Topic and author, or None if the name does not contain both. A single document is a topic, named by set and
        document.
    """
    folder, _, file = name.rpartition("/")
    stem = remove_ending(file)
    if match := _NIST.fullmatch(stem):
        topic, document = match["topic"], match["document"]
        if document:
            topic = f"{topic}.{document}"
        return SummaryName(topic, match["author"])
    if folder and stem:
        return SummaryName(stem, folder.rpartition("/")[2])
    topic, _, author = stem.rpartition(".")
    if topic and author:
        return SummaryName(topic, author)
    if stem and default_author:
        return SummaryName(stem, default_author)
    return None
