"""Scores of ParaEval as text: means of systems, shares of tiers, and a row per pair of summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.files.tab_separated import render_rows
from harness.rendering.tables import count_of, render_table
from harness.summarization.paraeval.scoring import Counts, ScoredSummary
from harness.summarization.references import divide_counts
from harness.summarization.summary_scores import render_means
from harness.support.terminal import show

_PAIR_COLUMNS = ("topic", "system", "reference", "tiers", "words", "phrases", "synonyms", "equal", "recall", "exact")
_SHARE_COLUMNS = ("phrases", "synonyms", "equal words")


def render_score_report(
    means: Sequence[tuple[str, int, Mapping[str, float]]], scored: Sequence[ScoredSummary], signature: str
) -> str:
    """Render the means of systems, and the contribution of each tier to the scores.

    Args:
        means: Means of systems, the best first.
        scored: The scored summaries.
        signature: Signature of the scores.
    """
    pairs = [counts for summary in scored for counts in summary.pairs.values()]
    _, _, values = means[0]
    shares = [_list_tier_shares(name, [counts[name] for counts in pairs]) for name in values]
    table = render_table(("share of all words of all references", *_SHARE_COLUMNS), shares)
    return "\n".join([render_means(means), "", table, "", *_warn_of_bounded_pairs(pairs), show(signature)])


def _list_tier_shares(name: str, counts: Sequence[Counts]) -> tuple[object, ...]:
    """List the share of the words of references that each tier matches, over all pairs of summaries."""
    total = max(1, sum(count.total for count in counts))
    matched = ((count.phrases, count.synonyms, count.words) for count in counts)
    return (name, *(sum(tier) / total for tier in zip(*matched, strict=True)))


def _warn_of_bounded_pairs(pairs: Sequence[Mapping[str, Counts]]) -> list[str]:
    bounded = sum(not all(counts.is_exact for counts in by_name.values()) for by_name in pairs)
    if not bounded:
        return []
    return [
        f"{bounded:,} of {count_of(len(pairs), 'pair')} had too many phrases for an exact search of the best match."
    ]


def render_pair_counts(scored: Iterable[ScoredSummary]) -> str:
    """Render the numbers of words that each tier matches: a row per summary, reference and choice of tiers.

    The columns are tab-separated.
    """
    rows = []
    for summary in scored:
        for reference, counts_by_name in summary.pairs.items():
            for name, counts in counts_by_name.items():
                rows.append((summary.score.topic, summary.score.author, reference, name, *_list_cells(counts)))
    return render_rows(_PAIR_COLUMNS, rows)


def _list_cells(counts: Counts) -> tuple[object, ...]:
    recall = divide_counts(counts.matched, counts.total)
    is_exact = "yes" if counts.is_exact else "no"
    return (counts.total, counts.phrases, counts.synonyms, counts.words, f"{recall:.6f}", is_exact)
