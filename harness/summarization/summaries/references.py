"""Which references a summary is compared with, and how several of them make one score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from harness.summarization.summaries.reading import describe
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import EmptyResultError


class Comparison(NamedTuple):
    """A summary and what it is compared with.

    Attributes:
        peer: The summary.
        references: Those of its topic that are by others and not empty, at least one.
        is_reference: Whether its author wrote a reference, too.
    """

    peer: Summary
    references: tuple[Summary, ...]
    is_reference: bool


class Comparisons(NamedTuple):
    """What is to be compared, by topic and author, and what a reader of the scores should know."""

    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]


class Recall(NamedTuple):
    """How many words, or n-grams, of a reference are matched, of how many."""

    matched: int
    total: int


def pair_summaries(peers: SummarySet, references: SummarySet, *, jackknife: bool = False) -> Comparisons:
    """Pair summaries with the references of their topics.

    Args:
        peers: What is to be scored. Nobody is compared with a reference of their own.
        references: What to compare with; empty ones are left out.
        jackknife: Whether the references are to be left out in turn; then a summary needs two by others.

    Returns:
        The summaries that can be compared; notes say which cannot.

    Raises:
        EmptyResultError: If none can.
    """
    by_topic: dict[str, list[Summary]] = defaultdict(list)
    for reference in references.summaries:
        if reference.sentences:
            by_topic[reference.topic].append(reference)
    comparisons, alone = [], []
    for peer in peers.summaries:
        others = tuple(one for one in by_topic[peer.topic] if one.author != peer.author)
        comparison = Comparison(peer, others, len(others) < len(by_topic[peer.topic]))
        if len(others) >= _needed(comparison, jackknife=jackknife):
            comparisons.append(comparison)
        else:
            alone.append(peer.shown)
    few = "fewer than two references by others" if jackknife else "no reference by others"
    if not comparisons:
        raise _no_references(peers, references, jackknife=jackknife)
    notes = describe(alone, f"has {few}, and no score", f"have {few}, and no score")
    return Comparisons(tuple(comparisons), tuple(dict.fromkeys((*peers.notes, *references.notes, *notes))))


def _no_references(peers: SummarySet, references: SummarySet, *, jackknife: bool) -> EmptyResultError:
    one, other = peers.summaries[0], references.summaries[0]
    examples = f"{one.shown} is of topic {one.topic} by {one.author}, {other.shown} of {other.topic} by {other.author}"
    needed, remedy = (
        ("two references", "leave out --jackknife") if jackknife else ("a reference", "give more references")
    )
    return EmptyResultError(f"no peer has {needed} by others of its topic ({examples}); name topics alike, or {remedy}")


def _needed(comparison: Comparison, *, jackknife: bool) -> int:
    return 2 if jackknife and not comparison.is_reference else 1


def combine_recalls(recalls: Sequence[Recall], *, leave_out: bool) -> float:
    """Make one score of the recalls of several references.

    Args:
        recalls: Per reference, at least one of which has words.
        leave_out: Whether to leave out each in turn, as NIST does for systems, so that these are compared with as many
            references as the authors of references are, who cannot be compared with their own.

    Returns:
        What is matched of all together, as ROUGE-1.5.5 does with ``-f A``; or the mean of that over the sets with one
        left out. 0 to 1; 0 where no reference has words.
    """
    if not leave_out:
        return _pool(recalls)
    sets = [[*recalls[:index], *recalls[index + 1 :]] for index in range(len(recalls))]
    return fmean(map(_pool, sets))


def _pool(recalls: Sequence[Recall]) -> float:
    total = sum(recall.total for recall in recalls)
    return sum(recall.matched for recall in recalls) / total if total else 0.0
