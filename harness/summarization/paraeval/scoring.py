"""ParaEval scores of summaries: the share of the words of their references that they match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter
from statistics import fmean

from harness.paraphrases.tables.table import ParaphraseTable
from harness.summarization.paraeval import texts
from harness.summarization.paraeval.matching import Pair
from harness.summarization.references import Comparison, divide_counts, pool_references
from harness.summarization.summaries import Summary
from harness.summarization.summary_scores import SummaryScore
from harness.support.workers import divide_items, limit_workers, map_in_order
from pyramid_paraphrase.errors import LimitError

TablesOf = Callable[[str], Sequence[ParaphraseTable]]
"""Function from a topic to its tables."""

_SUMMARIES_PER_WORKER = 64
"""Minimum number of summaries per process, because starting a process takes time."""

_SUMMARIES_AT_ONCE = 16
"""Summaries of a topic that a process scores at a time. High numbers save work on references, low ones balance load."""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Numbers of words of a reference that are matched. With weights, each word counts with its weight.

    Attributes:
        total: Words of the reference that count.
        phrases: Words matched in the first tier.
        synonyms: Words matched in the second.
        words: Words matched in the third.
        is_exact: Whether the choice in the first tier is proven to be optimal.
        paraphrased: Words matched in the first two tiers, without weights.
    """

    total: int
    phrases: float
    synonyms: float
    words: float
    is_exact: bool
    paraphrased: int

    @property
    def matched(self) -> float:
        """Words matched in any tier."""
        return self.phrases + self.synonyms + self.words


def count_matches(matches: Sequence[texts.StretchMatch], total: int, *, is_exact: bool) -> MatchCounts:
    """Count the words of a reference that are matched in each tier.

    Args:
        matches: The matches.
        total: Number of words of the reference that count.
        is_exact: As in `MatchCounts`.
    """
    sums: Counter[int] = Counter()
    for match in matches:
        sums[match.tier] += match.credit
    phrases, synonyms, words = (_count_words(sums[tier]) for tier in texts.TIERS)
    paraphrased = sum(match.gain for match in matches if match.tier != texts.WORDS)
    return MatchCounts(total, phrases, synonyms, words, is_exact, paraphrased)


def _count_words(credit: int) -> float:
    """Return a number of words, which is an integer without weights."""
    words, rest = divmod(credit, texts.WHOLE)
    return credit / texts.WHOLE if rest else words


def score_summaries(
    comparisons: Sequence[Comparison], tables_of: TablesOf, settings: texts.ParaEvalSettings, *, workers: int = 1
) -> Iterator[tuple[SummaryScore, dict[str, dict[str, MatchCounts]]]]:
    """Score summaries, topic by topic.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        tables_of: Returns the tables of a topic, opened for stems if the settings say so. Each process gets a copy.
        settings: The settings.
        workers: Number of processes. It does not change the scores.

    Yields:
        For each summary, in order, the scores by `name_tiers`, 0 to 1, and for each author of a reference, the counts
        of matched words by `name_tiers`.

    Raises:
        LimitError: If a summary and a reference have too many phrases in common. See `matching.MAX_CANDIDATES`.
    """
    workers = limit_workers(workers, len(comparisons), _SUMMARIES_PER_WORKER)
    parts = divide_items(comparisons, attrgetter("peer.topic"), _SUMMARIES_AT_ONCE)
    for scored in map_in_order(partial(_score_part, tables_of=tables_of, settings=settings), parts, workers):
        yield from scored


def _score_part(
    comparisons: Sequence[Comparison], tables_of: TablesOf, settings: texts.ParaEvalSettings
) -> list[tuple[SummaryScore, dict[str, dict[str, MatchCounts]]]]:
    """Score some summaries of one topic."""
    tables = tables_of(comparisons[0].peer.topic)
    prepare = cache(partial(texts.prepare_text, tables=tables, settings=settings))  # many summaries share a reference
    scored = []
    for comparison in comparisons:
        peer = prepare(comparison.peer.sentences)
        counts: dict[str, dict[str, MatchCounts]] = {}
        for reference in comparison.references:
            text = prepare(reference.sentences)
            pair = Pair(text, peer, tables, weighted=settings.weighted)
            by_name = counts[reference.author] = {}
            for name, tiers, greedy in settings.list_choices():
                try:
                    matches, is_exact = pair.align(tiers, greedy=greedy)
                except LimitError as error:  # raised again with the name of the file
                    raise LimitError(comparison.peer.path, error.reason, error.remedy) from None
                by_name[name] = count_matches(matches, text.total, is_exact=is_exact)
        values = {}
        for name, *_ in settings.list_choices():
            numbers = [(by_name[name].matched, by_name[name].total) for by_name in counts.values()]
            pools = pool_references(numbers, leave_out=settings.jackknife and not comparison.is_reference)
            values[name] = fmean(divide_counts(matched, total) for matched, total in pools)
        scored.append((SummaryScore(comparison.peer.topic, comparison.peer.author, values), counts))
    return scored


def list_matches(
    comparisons: Sequence[Comparison],
    tables_of: TablesOf,
    tiers: Sequence[int],
    settings: texts.ParaEvalSettings,
    *,
    workers: int = 1,
) -> Iterator[tuple[Comparison, Summary, texts.StretchMatch, tuple[str, float] | None]]:
    """List the matches of summaries with each of their references.

    Args:
        comparisons: Summaries with their references, sorted by topic.
        tables_of: As for `score_summaries`.
        tiers: The tiers to use.
        settings: The settings, whose own tiers are not used.
        workers: Number of processes. It does not change the matches.

    Yields:
        For each match, in order of the reference, the comparison, the reference, the match, and the name of the table
        and the probability of its entry, which equal words do not have.
    """
    workers = limit_workers(workers, len(comparisons), _SUMMARIES_PER_WORKER)
    parts = list(divide_items(comparisons, attrgetter("peer.topic"), _SUMMARIES_AT_ONCE))
    find = partial(_list_part, tables_of=tables_of, tiers=tiers, settings=settings)
    for part, found in zip(parts, map_in_order(find, parts, workers), strict=True):
        for comparison, by_reference in zip(part, found, strict=True):
            for reference, entries in zip(comparison.references, by_reference, strict=True):
                for match, entry in entries:
                    yield comparison, reference, match, entry


def _list_part(
    comparisons: Sequence[Comparison], tables_of: TablesOf, tiers: Sequence[int], settings: texts.ParaEvalSettings
) -> list[list[list[tuple[texts.StretchMatch, tuple[str, float] | None]]]]:
    """List matches with their entries, for each summary of a topic and each of its references."""
    tables = tables_of(comparisons[0].peer.topic)
    prepare = cache(partial(texts.prepare_text, tables=tables, settings=settings))
    listed = []
    for comparison in comparisons:
        peer = prepare(comparison.peer.sentences)
        pairs = [
            Pair(prepare(reference.sentences), peer, tables, weighted=settings.weighted)
            for reference in comparison.references
        ]
        listed.append([[(match, pair.find_entry(match)) for match in pair.align(tiers)[0]] for pair in pairs])
    return listed


def align_summary(
    comparison: Comparison, tables: Sequence[ParaphraseTable], tiers: Sequence[int], settings: texts.ParaEvalSettings
) -> Mapping[str, list[texts.StretchMatch]]:
    """Compare a summary with each of its references.

    Args:
        comparison: The summary and its references.
        tables: Tables of paraphrases.
        tiers: The tiers to use.
        settings: The settings, whose own tiers are not used.

    Returns:
        The matches in the order of the reference, by the author of the reference.
    """
    peer = texts.prepare_text(comparison.peer.sentences, tables, settings)
    matches = {}
    for reference in comparison.references:
        text = texts.prepare_text(reference.sentences, tables, settings)
        matches[reference.author], _ = Pair(text, peer, tables, weighted=settings.weighted).align(tiers)
    return matches
