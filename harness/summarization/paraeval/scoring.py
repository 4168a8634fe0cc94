"""Scores of summaries: what of the words of their references they match."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.marking import MarkedPair, mark_pair
from harness.summarization.paraeval.matching import PHRASES, SYNONYMS, TIERS, WORDS, Alignment, Pair
from harness.summarization.paraeval.prepared_texts import Text, WordRules, prepare_text
from harness.summarization.summaries.references import Comparison, Recall, combine_recalls
from harness.summarization.summaries.score_files import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import LimitError

Tiers = tuple[int, ...]
TablesOf = Callable[[str], Sequence[ParaphraseTable]]
"""Which tables a topic is scored with."""

_SUMMARIES_PER_WORKER = 64
"""Fewest summaries per process; starting a process takes time."""

_SUMMARIES_AT_ONCE = 16
"""Summaries of a topic that a process scores at a time. More reuse the work on references, fewer balance the load."""

NAMED_TIERS: Mapping[Tiers, str] = {
    (WORDS,): "rouge_1",
    (PHRASES, SYNONYMS): "para_only",
    (PHRASES, WORDS): "paraeval_2",
    TIERS: "paraeval_3",
}
"""What table 1 of Zhou et al. (2006) calls its rows."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How summaries are scored.

    Attributes:
        tiers: The choices of tiers that make a score each.
        rules: What counts as a word, and as the same.
        jackknife: Whether a system's references are left out in turn.
    """

    tiers: tuple[Tiers, ...] = tuple(NAMED_TIERS)
    rules: WordRules = field(default_factory=WordRules)
    jackknife: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """What of a reference is matched.

    Attributes:
        total: How many words it has that count.
        phrases: How many are matched in the first tier.
        synonyms: In the second.
        words: In the third.
        is_exact: Whether nothing better could have been chosen in the first tier.
    """

    total: int
    phrases: int
    synonyms: int
    words: int
    is_exact: bool

    @property
    def recall(self) -> Recall:
        """All matched words, of how many."""
        return Recall(self.phrases + self.synonyms + self.words, self.total)


class ScoredSummary(NamedTuple):
    """A summary and what it matches.

    Attributes:
        score: By name of the tiers, 0 to 1.
        pairs: Per reference's author, by name of the tiers, what of that reference is matched.
    """

    score: SummaryScore
    pairs: Mapping[str, Mapping[str, Counts]]


def name_tiers(tiers: Tiers) -> str:
    """What a choice of tiers is called, such as "paraeval_3" of all."""
    return NAMED_TIERS.get(tiers) or f"tiers_{'_'.join(map(str, tiers))}"


def score_summaries(
    comparisons: Sequence[Comparison], tables_of: TablesOf, settings: Settings, *, workers: int = 1
) -> Iterator[ScoredSummary]:
    """Score summaries, topic by topic.

    Args:
        comparisons: What is compared, by topic.
        tables_of: Which tables a topic is scored with; opened for stems if the settings say so. Each process gets a
            copy.
        settings: How.
        workers: Number of processes; it does not change the scores.

    Yields:
        Their scores, in order.

    Raises:
        LimitError: If a summary and a reference have too many phrases in common; see `matching.MAX_CANDIDATES`.
    """
    workers = limit_workers(workers, len(comparisons), _SUMMARIES_PER_WORKER)
    parts = divide_items(comparisons, attrgetter("peer.topic"), _SUMMARIES_AT_ONCE)
    for scored in map_in_order(partial(_score_part, tables_of=tables_of, settings=settings), parts, workers):
        yield from scored


def _score_part(comparisons: Sequence[Comparison], tables_of: TablesOf, settings: Settings) -> list[ScoredSummary]:
    """Score some summaries of one topic."""
    tables = tables_of(comparisons[0].peer.topic)
    texts = _Texts(tables, settings.rules)
    scored = []
    for comparison in comparisons:
        peer = texts[comparison.peer.sentences]
        pairs = {one.author: Pair(texts[one.sentences], peer, tables) for one in comparison.references}
        try:
            scored.append(_score(comparison, pairs, settings))
        except LimitError as error:  # which knows no names of files
            raise LimitError(comparison.peer.path, error.reason, error.remedy) from None
    return scored


class _Texts(dict[tuple[str, ...], Text]):
    """Texts by their sentences, prepared when they are first wanted: references are, by many."""

    def __init__(self, tables: Sequence[ParaphraseTable], rules: WordRules) -> None:
        super().__init__()
        self._tables, self._rules = tables, rules

    def __missing__(self, sentences: tuple[str, ...]) -> Text:
        self[sentences] = text = prepare_text(sentences, self._tables, self._rules)
        return text


def _score(comparison: Comparison, pairs: Mapping[str, Pair], settings: Settings) -> ScoredSummary:
    counts = {
        author: {name_tiers(tiers): count(pair.align(tiers)) for tiers in settings.tiers}
        for author, pair in pairs.items()
    }
    leave_out = settings.jackknife and not comparison.is_reference
    values = {}
    for name in map(name_tiers, settings.tiers):
        recalls = [by_name[name].recall for by_name in counts.values()]
        values[name] = combine_recalls(recalls, leave_out=leave_out)
    return ScoredSummary(SummaryScore(comparison.peer.topic, comparison.peer.author, values), counts)


def count(alignment: Alignment) -> Counts:
    """Count what an alignment matches in each tier."""
    phrases, synonyms, words = map(alignment.matched, TIERS)
    return Counts(alignment.total, phrases, synonyms, words, alignment.is_exact)


def align_summary(
    comparison: Comparison, tables: Sequence[ParaphraseTable], tiers: Tiers, rules: WordRules
) -> dict[str, MarkedPair]:
    """Compare a summary with each of its references, and mark what matches.

    Args:
        comparison: The summary and its references.
        tables: Which phrases are paraphrases.
        tiers: Which tiers there are.
        rules: What counts.

    Returns:
        Per reference's author, both texts.
    """
    texts = _Texts(tables, rules)
    peer = comparison.peer.sentences
    return {
        one.author: mark_pair(one.sentences, peer, Pair(texts[one.sentences], texts[peer], tables).align(tiers))
        for one in comparison.references
    }


def make_signature(tables: Sequence[str], min_probability: float, settings: Settings) -> str:
    """One line that names everything that decides scores, the version last.

    Args:
        tables: Names and fingerprints of the tables.
        min_probability: Entries of tables below count for nothing.
        settings: How summaries are scored.
    """
    named = [*tables, f"min-probability:{min_probability:g}"] if tables else ["table:none"]
    rules = [f"stem:{'porter' if settings.rules.stem else 'no'}", f"stop-words:{_yes(settings.rules.stop_words)}"]
    parts = ["paraeval", *named, *rules, f"jackknife:{_yes(settings.jackknife)}", f"version:{__version__}"]
    return "|".join(parts)


def _yes(value: bool) -> str:
    return "yes" if value else "no"
