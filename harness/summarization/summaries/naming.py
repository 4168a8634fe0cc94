"""Topic and author of a summary, read from the name of its file."""

from __future__ import annotations

import re
from typing import NamedTuple

SINGLE_REFERENCE = "reference"
"""The author of a reference whose file names none."""

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
