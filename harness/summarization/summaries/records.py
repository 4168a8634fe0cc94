"""What summaries are read into."""

from __future__ import annotations

from typing import NamedTuple


class Summary(NamedTuple):
    """A summary.

    Attributes:
        topic: What it is of, such as "D0701" of the file D0701.M.250.A.15.
        author: Who wrote it, such as "15" for a system, "A" for a person.
        sentences: Its lines that are not blank; none if the file is empty.
        shown: Name of its file, for messages.
    """

    topic: str
    author: str
    sentences: tuple[str, ...]
    shown: str


class SummarySet(NamedTuple):
    """The summaries at a place.

    Attributes:
        summaries: By topic and author, each of which pairs is there once.
        notes: What a reader of the scores should know, a line each.
    """

    summaries: tuple[Summary, ...]
    notes: tuple[str, ...]
