"""Topic and author of a summary, read from the name of its file."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.summarization.summaries.name_patterns import AUTHOR, TOPIC, NamePattern
from harness.summarization.summaries.row_files import Columns
from pyramid_paraphrase.errors import InputError

SINGLE_REFERENCE = "reference"
"""The author of a reference whose file or row names none."""

SINGLE_PEER = "peer"
"""The author of a summary to score whose file or row names none."""

SINGLE_TOPIC = "summary"
"""The topic of two texts that are compared whatever they are called."""

_WHAT_TO_GIVE = (
    "call files as NIST does (D0701.M.250.A.15), AUTHOR/TOPIC.txt or TOPIC.AUTHOR.txt, or give --pattern, such as "
    "--pattern {topic}_{author}.txt"
)

_HOW_TO_FIT = (
    "correct the pattern, which is compared with the path below the folder or archive that you give, or move the file "
    "out of it"
)

_SET = r"(?P<topic>[A-Za-z]+[0-9]+(?:-[A-Za-z0-9]+)?)"
_NIST = re.compile(
    _SET
    + r"\.(?:M|P)\.[0-9]+\.[A-Za-z0-9]+\.(?P<author>[A-Za-z0-9]+)(?:\.(?P<document>[A-Za-z]+[0-9][A-Za-z0-9.-]*))?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.(?:txt|html?|spl|sum)\Z", re.IGNORECASE)


class SummaryName(NamedTuple):
    """Topic and author of a summary."""

    topic: str
    author: str


class Naming(NamedTuple):
    """How files and rows name topics and authors.

    Attributes:
        pattern: Pattern of the paths of files; None for the names that `parse_summary_name` knows.
        columns: Columns of files with a summary per row.
    """

    pattern: NamePattern | None = None
    columns: Columns = Columns()


class DefaultAuthors(NamedTuple):
    """Authors of summaries without one.

    Attributes:
        author: Of files named by a pattern without {author}, and of rows.
        file_author: Of files with a name that `parse_summary_name` knows; "" to refuse such files.
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
        pattern: Pattern of such paths; None for the names that `parse_summary_name` knows.
        defaults: Authors of summaries without one.

    Raises:
        InputError: If the name does not fit, fits the pattern in several ways, or is not printable.
    """
    if pattern is None:
        name = parse_summary_name(path, defaults.file_author)
        if name is None:
            raise InputError(file, "its name does not give topic and author", _WHAT_TO_GIVE)
    else:
        name = _apply_pattern(file, path, pattern, defaults.author)
    require_printable(name, file)
    return name


def require_printable(name: SummaryName, file: str) -> None:
    """Check that topic and author can be printed.

    A tab would divide a row of scores, and an escape sequence would move the cursor.

    Raises:
        InputError: If they cannot.
    """
    if not all(value.isprintable() for value in name):
        raise InputError(file, "its name holds a character that cannot be printed", "rename it")


def _apply_pattern(file: str, path: str, pattern: NamePattern, default_author: str) -> SummaryName:
    names = [SummaryName(fields[TOPIC], fields.get(AUTHOR, default_author)) for fields in pattern.list_readings(path)]
    if not names:
        reason = f"{path} does not fit the pattern {pattern.text}"
        raise InputError(file, reason, _HOW_TO_FIT)
    if len(names) > 1:
        readings = " or ".join(f"topic {name.topic} by {name.author}" for name in names)
        reason = f"its name fits the pattern {pattern.text} in several ways ({readings})"
        raise InputError(file, reason, "rename it, divide topic and author by folders, or give JSON lines or CSV")
    return names[0]


def parse_summary_name(name: str, default_author: str = "") -> SummaryName | None:
    """Read the name of a summary's file.

    Args:
        name: Path within the folder or archive that was given. Known are NIST's names (``D0701.M.250.A.15``, and for
            single documents ``D061.P.100.J.15.AP880911-0016``), ``AUTHOR/TOPIC.txt`` and ``TOPIC.AUTHOR.txt``.
        default_author: The author if the file lies in no folder and its name holds none.

    Returns:
        Topic and author, or None if the name does not hold both. A single document is a topic, named by set and
        document.
    """
    folder, _, file = name.rpartition("/")
    stem = _ENDING.sub("", file)
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
