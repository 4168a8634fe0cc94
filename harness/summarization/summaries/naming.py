"""What the names of files tell of summaries: topic and author."""

from __future__ import annotations

import re
from typing import NamedTuple

SINGLE_REFERENCE = "reference"
"""The author of a reference whose name tells none."""

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
        name: Its path within the folder or archive that was given. Known are NIST's names (``D0701.M.250.A.15``, and of
            single documents ``D061.P.100.J.15.AP880911-0016``), ``AUTHOR/TOPIC.txt`` and ``TOPIC.AUTHOR.txt``.
        default_author: Whose it is if it lies in no folder and names none.

    Returns:
        What it tells, or None if it tells too little. A single document is a topic, called by set and document.
    """
    folder, _, file = name.rpartition("/")
    stem = _ENDING.sub("", file)
    if match := _NIST.fullmatch(stem):
        document = match["document"]
        return SummaryName(f"{match['topic']}.{document}" if document else match["topic"], match["author"])
    if folder and stem:
        return SummaryName(stem, folder.rpartition("/")[2])
    topic, _, author = stem.rpartition(".")
    if topic and author:
        return SummaryName(topic, author)
    return SummaryName(stem, default_author) if stem and default_author else None
