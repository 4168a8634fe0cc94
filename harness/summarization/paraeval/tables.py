"""The tables of paraphrases for the summaries of a topic."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.paraphrases.tables.clusters import read_clusters
from harness.paraphrases.tables.table import ParaphraseTable
from harness.rendering.tables import count_of
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import Pyramid

_HASH_DIGITS = 12


class TopicTables:
    """Tables for all topics, and for each topic a table from the SCUs of the pyramids of other topics.

    Args:
        common: Tables for all topics.
        pyramids: Pyramids whose SCUs are paraphrases for all topics except their own. There may be none.
        stem: Whether the tables are used for stems.
        min_probability: Minimum probability of entries from pyramids.
    """

    def __init__(
        self, common: Sequence[ParaphraseTable], pyramids: Sequence[Pyramid], *, stem: bool, min_probability: float
    ) -> None:
        self._common, self._pyramids = tuple(common), tuple(pyramids)
        self._stem, self._min_probability = stem, min_probability
        self._topics = frozenset().union(*((pyramid.id, *pyramid.topic.split("+")) for pyramid in pyramids))
        self._last: tuple[str, ParaphraseTable] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names and fingerprints of the tables, for a signature."""
        names = [f"table:{table.fingerprint[:_HASH_DIGITS]}" for table in self._common]
        if self._pyramids:
            names.append(f"other-topics:{self._make('').fingerprint[:_HASH_DIGITS]}")
        return tuple(names)

    def note_topics(self, topics: Collection[str]) -> list[str]:
        """Write a note on topics without a pyramid of their name. A pyramid of another name would be their own."""
        unknown = sorted(set(topics) - self._topics, key=natural_key)
        if not (unknown and self._pyramids):
            return []
        count = count_of(len(unknown), "topic")
        reason = f"{count} without a pyramid of this name, such as {unknown[0]}: the SCUs of all pyramids count"
        return [f"{reason}. Use the same names for pyramids and topics"]

    def __call__(self, topic: str) -> tuple[ParaphraseTable, ...]:
        """Return the tables of a topic.

        Raises:
            EmptyResultError: If the pyramids of other topics give no paraphrase.
        """
        if not self._pyramids:
            return self._common
        # All topics without a pyramid share one table. Summaries are sorted by topic, so one cached table suffices.
        left_out = topic if topic in self._topics else ""
        if self._last is None or self._last[0] != left_out:
            self._last = left_out, self._make(left_out)
        return (*self._common, self._last[1])

    def _make(self, topic: str) -> ParaphraseTable:
        """Make the table of all pyramids, without the pyramids of a topic if `topic` is not empty."""
        left_out = [topic] if topic else []
        clusters = read_clusters(self._pyramids, left_out)
        return ParaphraseTable(clusters.arrays, clusters.name, stem=self._stem, min_probability=self._min_probability)
