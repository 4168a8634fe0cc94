"""ParaEval scores of summaries: the share of the words of their references that they match."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval.marking import MarkedPair, mark_pair
from harness.summarization.paraeval.matching import PHRASES, SYNONYMS, TIERS, WORDS, Alignment, Pair
from harness.summarization.paraeval.prepared_texts import Text, WordRules, prepare_text
from harness.summarization.references import Comparison, divide_counts, pool_references
from harness.summarization.summary_scores import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from pyramid_paraphrase import __version__
from pyramid_paraphrase.errors import LimitError

Tiers = tuple[int, ...]
TablesOf = Callable[[str], Sequence[ParaphraseTable]]
"""Function from a topic to its tables."""

_SUMMARIES_PER_WORKER = 64
"""Minimum number of summaries per process, because starting a process takes time."""

_SUMMARIES_AT_ONCE = 16
"""Summaries of a topic that a process scores at a time. High numbers save work on references, low ones balance load."""

NAMED_TIERS: Mapping[Tiers, str] = {
    (WORDS,): "rouge_1",
    (PHRASES, SYNONYMS): "para_only",
    (PHRASES, WORDS): "paraeval_2",
    TIERS: "paraeval_3",
}
"""Names of the rows of table 1 of Zhou et al. (2006)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the scores.

    Attributes:
        tiers: Choices of tiers. Each choice gives a score.
        rules: The rules for words.
        jackknife: Whether each reference of a system is left out in turn.
    """

    tiers: tuple[Tiers, ...] = tuple(NAMED_TIERS)
    rules: WordRules = field(default_factory=WordRules)
    jackknife: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of words of a reference that are matched.

    Attributes:
        total: Words of the reference that count.
        phrases: Words matched in the first tier.
        synonyms: Words matched in the second.
        words: Words matched in the third.
        is_exact: Whether the choice in the first tier is proven to be optimal.
    """

    total: int
    phrases: int
    synonyms: int
    words: int
    is_exact: bool

    @property
    def matched(self) -> int:
        """Words matched in any tier."""
        return self.phrases + self.synonyms + self.words


class ScoredSummary(NamedTuple):
    """The scores of a summary, and the counts behind them.

    Attributes:
        score: Scores by name of the tiers, 0 to 1.
        pairs: For each author of a reference, the counts of matched words by name of the tiers.
    """

    score: SummaryScore
    pairs: Mapping[str, Mapping[str, Counts]]


def name_tiers(tiers: Tiers) -> str:
    """Return the name of a choice of tiers, such as "paraeval_3" for all tiers."""
    return NAMED_TIERS.get(tiers) or "_".join(["tiers", *map(str, tiers)])


def score_summaries(
    comparisons: Sequence[Comparison], tables_of: TablesOf, settings: Settings, *, workers: int = 1
) -> Iterator[ScoredSummary]:
    """Score summaries, topic by topic.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        tables_of: Returns the tables of a topic, opened for stems if the settings say so. Each process gets a copy.
        settings: The settings.
        workers: Number of processes. It does not change the scores.

    Yields:
        The scores, in order.

    Raises:
        LimitError: If a summary and a reference have too many phrases in common. See `matching.MAX_CANDIDATES`.
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
        pairs = {
            reference.author: Pair(texts[reference.sentences], peer, tables) for reference in comparison.references
        }
        try:
            scored.append(_score(comparison, pairs, settings))
        except LimitError as error:  # raised again with the name of the file
            raise LimitError(comparison.peer.path, error.reason, error.remedy) from None
    return scored


class _Texts(dict[tuple[str, ...], Text]):
    """Prepared texts by their sentences. Each is prepared only once, because many summaries share a reference."""

    def __init__(self, tables: Sequence[ParaphraseTable], rules: WordRules) -> None:
        super().__init__()
        self._tables, self._rules = tables, rules

    def __missing__(self, sentences: tuple[str, ...]) -> Text:
        self[sentences] = text = prepare_text(sentences, self._tables, self._rules)
        return text


def _score(comparison: Comparison, pairs: Mapping[str, Pair], settings: Settings) -> ScoredSummary:
    counts: dict[str, dict[str, Counts]] = {author: {} for author in pairs}
    for author, pair in pairs.items():
        for tiers in settings.tiers:
            counts[author][name_tiers(tiers)] = count_matches(pair.align(tiers))
    leave_out = settings.jackknife and not comparison.is_reference
    values = {}
    for name in map(name_tiers, settings.tiers):
        matches = [(by_name[name].matched, by_name[name].total) for by_name in counts.values()]
        pools = pool_references(matches, leave_out=leave_out)
        values[name] = fmean(divide_counts(matched, total) for matched, total in pools)
    return ScoredSummary(SummaryScore(comparison.peer.topic, comparison.peer.author, values), counts)


def count_matches(alignment: Alignment) -> Counts:
    """Count the words that an alignment matches in each tier."""
    phrases, synonyms, words = map(alignment.matched, TIERS)
    return Counts(alignment.total, phrases, synonyms, words, alignment.is_exact)


def align_summary(
    comparison: Comparison, tables: Sequence[ParaphraseTable], tiers: Tiers, rules: WordRules
) -> dict[str, MarkedPair]:
    """Compare a summary with each of its references, and mark the matches.

    Args:
        comparison: The summary and its references.
        tables: Tables of paraphrases.
        tiers: The tiers to use.
        rules: The rules for words.

    Returns:
        Both texts with marks, by the author of the reference.
    """
    texts = _Texts(tables, rules)
    peer = comparison.peer.sentences
    marked = {}
    for reference in comparison.references:
        alignment = Pair(texts[reference.sentences], texts[peer], tables).align(tiers)
        marked[reference.author] = mark_pair(reference.sentences, peer, alignment)
    return marked


def make_signature(tables: Sequence[str], min_probability: float, settings: Settings) -> str:
    """Return the signature of scores: all settings that can change them, with the version last.

    Args:
        tables: Names and fingerprints of the tables.
        min_probability: Minimum probability of entries of the tables.
        settings: The settings.
    """
    named_tables = ["table:none"]
    if tables:
        named_tables = [*tables, f"min-probability:{min_probability:g}"]
    stems = "porter" if settings.rules.stem else "no"
    parts = [
        "paraeval",
        *named_tables,
        f"stem:{stems}",
        f"stop-words:{_yes_or_no(settings.rules.stop_words)}",
        f"jackknife:{_yes_or_no(settings.jackknife)}",
        f"version:{__version__}",
    ]
    return "|".join(parts)


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"
