"""Which tables of paraphrases a topic is scored with."""

from __future__ import annotations

from collections.abc import Sequence

from harness.paraphrases.tables.arrays import digest_arrays
from harness.paraphrases.tables.clusters import read_clusters
from harness.paraphrases.tables.table import ParaphraseTable
from pyramid_paraphrase.records import Pyramid


class TopicTables:
    """Tables for all topics, and for each what annotators of other topics took for the same.

    Args:
        common: Tables for all topics.
        pyramids: Where paraphrases are from that hold for all topics but their own; or none.
        stem: Whether words will be given as stems.
        min_probability: Entries of pyramids below count for nothing.
    """

    def __init__(
        self, common: Sequence[ParaphraseTable], pyramids: Sequence[Pyramid], *, stem: bool, min_probability: float
    ) -> None:
        self._common, self._pyramids = tuple(common), tuple(pyramids)
        self._stem, self._min_probability = stem, min_probability
        self._topics = frozenset(name for one in pyramids for name in (one.id, *one.topic.split("+")))
        self._last: tuple[str, ParaphraseTable] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What decides them, for a signature."""
        fixed = (f"table:{table.fingerprint[:12]}" for table in self._common)
        return (*fixed, *([f"other-topics:{self._make('').fingerprint[:12]}"] if self._pyramids else []))

    def __call__(self, topic: str) -> tuple[ParaphraseTable, ...]:
        """The tables of a topic.

        Raises:
            EmptyResultError: If no other topic has a paraphrase.
        """
        if not self._pyramids:
            return self._common
        left_out = topic if topic in self._topics else ""
        if self._last is None or self._last[0] != left_out:
            self._last = left_out, self._make(left_out)
        return (*self._common, self._last[1])

    def _make(self, topic: str) -> ParaphraseTable:
        read = read_clusters(self._pyramids, [topic] if topic else [])
        digest = digest_arrays(read.arrays)
        return ParaphraseTable(read.arrays, read.name, digest, stem=self._stem, min_probability=self._min_probability)
