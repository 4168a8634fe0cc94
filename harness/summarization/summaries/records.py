"""A summary with its topic and author, and the summaries at a location."""

from __future__ import annotations

from typing import NamedTuple

from harness.text.markup import Markup


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


class SummarySet(NamedTuple):
    """The summaries at a location.

    Attributes:
        summaries: Sorted by topic and author. No two have the same topic and author.
        notes: Notes for the user, a line each.
    """

    summaries: tuple[Summary, ...]
    notes: tuple[str, ...]
