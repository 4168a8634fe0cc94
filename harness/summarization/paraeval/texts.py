"""What ParaEval compares: summaries as words with the phrases of tables, the tables of each topic, and matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

from harness.paraphrases.tables.clusters import CLUSTERS, read_clusters
from harness.paraphrases.tables.table import ParaphraseTable
from harness.rendering.tables import count_of
from harness.text.stems import STOP_WORDS, stem_words
from pyramid_paraphrase.pyramids.naming import natural_key
from pyramid_paraphrase.pyramids.records import Pyramid
from pyramid_paraphrase.words import split_alphanumeric

PHRASES, SYNONYMS, WORDS = TIERS = 1, 2, 3
"""Paraphrases of several words in both texts, paraphrases with a single word in at least one text, equal words."""

NAMED_TIERS: Mapping[tuple[int, ...], str] = {
    (WORDS,): "rouge_1",
    (PHRASES, SYNONYMS): "para_only",
    (PHRASES, WORDS): "paraeval_2",
    TIERS: "paraeval_3",
}
"""Names of the rows of table 1 of Zhou et al. (2006)."""

GREEDY = "_greedy"
"""End of the names of scores whose phrases are chosen greedily."""

WHOLE = 1_000_000
"""Weight of a word that counts fully. Weights are whole numbers, so that sums are exact."""

Stretch = tuple[int, int]
"""Index of the first word, and the index after the last word."""

_HASH_DIGITS = 12


def name_tiers(tiers: tuple[int, ...]) -> str:
    """Return the name of a choice of tiers, such as "paraeval_3" for all tiers."""
    return NAMED_TIERS.get(tiers) or "_".join(["tiers", *map(str, tiers)])


@dataclass(frozen=True, slots=True)
class ParaEvalSettings:
    """Settings of the scores.

    Attributes:
        tiers: Choices of tiers. Each choice gives a score.
        stem: Whether words with the same stem are equal.
        stop_words: Whether stop words count. Stop words that do not count may still be in matched phrases.
        jackknife: Whether each reference of a system is left out in turn.
        greedy: Whether choices with phrases also give a score with phrases that are chosen greedily.
        weighted: Whether the words of a paraphrase count with its probability, and not fully.
    """

    tiers: tuple[tuple[int, ...], ...] = tuple(NAMED_TIERS)
    stem: bool = False
    stop_words: bool = True
    jackknife: bool = False
    greedy: bool = False
    weighted: bool = False

    def list_choices(self) -> list[tuple[str, tuple[int, ...], bool]]:
        """List the name of each score, its tiers, and whether its phrases are chosen greedily."""
        choices = []
        for tiers in self.tiers:
            if self.greedy and PHRASES in tiers:
                choices.append((f"{name_tiers(tiers)}{GREEDY}", tiers, True))
            choices.append((name_tiers(tiers), tiers, False))
        return choices

    def list_counted(self, text: str) -> list[str]:
        """Divide a text into words in lower case, and leave out those that do not count."""
        return [word for word in split_alphanumeric(text) if self.stop_words or word not in STOP_WORDS]


class StretchMatch(NamedTuple):
    """A stretch of a reference and a stretch of a peer that match, or that can be matched.

    Attributes:
        start: Index of its first word in the reference.
        end: Index after its last word in the reference.
        peer_start: Index of its first word in the peer.
        peer_end: Index after its last word in the peer.
        gain: Number of its words in the reference that count.
        tier: One of `TIERS`.
        weight: How much each of the words counts, from 0 to `WHOLE`.
    """

    start: int
    end: int
    peer_start: int
    peer_end: int
    gain: int
    tier: int = PHRASES
    weight: int = WHOLE

    @property
    def credit(self) -> int:
        """Number of words that count, times their weight."""
        return self.gain * self.weight


@dataclass(frozen=True, slots=True)
class PreparedText:
    """A summary, ready to be compared.

    Attributes:
        words: The words to compare, as stems if the settings say so.
        counts: Cumulative counts: for each word and for the end, the number of earlier words that count.
        phrases: For each table, the stretches of its phrases, by the number of the phrase in the table.
        sentence_ends: For each sentence, the index after its last word.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    phrases: tuple[Mapping[int, Sequence[Stretch]], ...]
    sentence_ends: tuple[int, ...]

    @property
    def total(self) -> int:
        """Number of words that count."""
        return self.counts[-1]

    def count(self, start: int, end: int) -> int:
        """Return the number of words of a stretch that count."""
        return self.counts[end] - self.counts[start]


def prepare_text(
    sentences: Sequence[str], tables: Sequence[ParaphraseTable], settings: ParaEvalSettings
) -> PreparedText:
    """Prepare a summary.

    Args:
        sentences: Its sentences. No phrase extends from one sentence into another.
        tables: Tables of paraphrases, opened for stems if the settings say so.
        settings: The settings.

    Returns:
        The prepared summary.
    """
    plain = [split_alphanumeric(sentence) for sentence in sentences]
    compared = [stem_words(words) for words in plain] if settings.stem else plain
    is_counted = (settings.stop_words or word not in STOP_WORDS for word in chain.from_iterable(plain))
    phrases = []
    for table in tables:
        stretches_of: dict[int, list[Stretch]] = defaultdict(list)
        offset = 0
        for words in compared:
            for start, end, phrase in table.find_phrases(words):
                stretches_of[phrase].append((offset + start, offset + end))
            offset += len(words)
        phrases.append(dict(stretches_of))
    counts = tuple(accumulate(is_counted, initial=0))
    sentence_ends = tuple(accumulate(map(len, compared)))
    return PreparedText(tuple(chain.from_iterable(compared)), counts, tuple(phrases), sentence_ends)


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

    def note_weights(self) -> list[str]:
        """Write a note on tables without probabilities, whose paraphrases count fully."""
        tables = [*self._common, *([self._make("")] if self._pyramids else [])]
        names = ", ".join(table.name for table in tables if not table.has_probabilities)
        return [f"no entry has a probability below 1, so paraphrases count fully: {names}"] if names else []

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
        arrays, _ = read_clusters(self._pyramids, [topic] if topic else [])
        return ParaphraseTable(arrays, CLUSTERS, stem=self._stem, min_probability=self._min_probability)
