"""Which references a summary is compared with, and how several of them make one score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple, TypeVar

from harness.summarization.summaries.reading import note_files
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import EmptyResultError

Counts = TypeVar("Counts")
"""What was counted in a summary and one of its references."""


class Comparison(NamedTuple):
    """A summary and the references that it is compared with.

    Attributes:
        peer: The summary.
        references: The references of its topic by other authors that are not empty, at least one.
        is_reference: Whether its author wrote a reference, too.
    """

    peer: Summary
    references: tuple[Summary, ...]
    is_reference: bool


class Comparisons(NamedTuple):
    """Comparisons, sorted by topic and author, and notes for the reader of the scores."""

    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]


class Recall(NamedTuple):
    """How many words, or n-grams, of a reference are matched, of how many."""

    matched: int
    total: int


def pair_summaries(peers: SummarySet, references: SummarySet, *, jackknife: bool = False) -> Comparisons:
    """Pair summaries with the references of their topics.

    Args:
        peers: Summaries to score. No author is compared with a reference of their own.
        references: References; empty ones are left out.
        jackknife: Whether each reference will be left out in turn; then a summary needs two by others.

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
        of_topic = by_topic[peer.topic]
        by_others = tuple(reference for reference in of_topic if reference.author != peer.author)
        comparison = Comparison(peer, by_others, is_reference=len(by_others) < len(of_topic))
        if len(by_others) >= _count_needed(comparison, jackknife=jackknife):
            comparisons.append(comparison)
        else:
            alone.append(peer.path)
    if not comparisons:
        raise _no_references(peers, references, jackknife=jackknife)
    lack = "fewer than two references by others" if jackknife else "no reference by others"
    notes = note_files(alone, f"has {lack}, and no score", f"have {lack}, and no score")
    return Comparisons(tuple(comparisons), tuple(dict.fromkeys((*peers.notes, *references.notes, *notes))))


def _no_references(peers: SummarySet, references: SummarySet, *, jackknife: bool) -> EmptyResultError:
    if not any(reference.sentences for reference in references.summaries):
        return EmptyResultError(f"all references are empty, such as {references.summaries[0].path}; give their texts")
    by_topic = {reference.topic: reference for reference in reversed(references.summaries)}
    peer = next((peer for peer in peers.summaries if peer.topic in by_topic), peers.summaries[0])
    reference = by_topic.get(peer.topic, references.summaries[0])
    examples = (
        f"{peer.path} is of topic {peer.topic} by {peer.author}, "
        f"{reference.path} of {reference.topic} by {reference.author}"
    )
    needed, remedy = "a reference", "give more references"
    if jackknife:
        needed, remedy = "two references", "leave out --jackknife"
    names = "name topics alike, describe the names by a pattern"
    if (peer.topic, peer.author) == (reference.topic, reference.author):
        names = "name peers unlike the authors of references"
    return EmptyResultError(f"no peer has {needed} by others of its topic ({examples}); {names}, or {remedy}")


def _count_needed(comparison: Comparison, *, jackknife: bool) -> int:
    """Count the references that a summary needs: one must remain where each is left out in turn."""
    return 2 if jackknife and not comparison.is_reference else 1


def repeat_references(peers: SummarySet, references: SummarySet) -> bool:
    """Return whether each summary to score that is not empty is also a reference of its topic, whoever wrote it."""
    known = {(reference.topic, reference.sentences) for reference in references.summaries}
    texts = {(peer.topic, peer.sentences) for peer in peers.summaries if peer.sentences}
    return bool(texts) and texts <= known


def combine_references(
    counts: Sequence[Counts], measure: Callable[[Sequence[Counts]], float], *, leave_out: bool
) -> float:
    """Combine what was counted for several references into one score.

    Args:
        counts: Counts per reference.
        measure: Computes the score of several references together.
        leave_out: Whether to leave out each reference in turn, as NIST does for systems. Systems are then compared with
            as many references as authors of references, who cannot be compared with their own.

    Returns:
        The score of all references together, or the mean of that over the sets with one reference left out.
    """
    if not leave_out:
        return measure(counts)
    sets = [[*counts[:index], *counts[index + 1 :]] for index in range(len(counts))]
    return fmean(map(measure, sets))


def combine_recalls(recalls: Sequence[Recall], *, leave_out: bool) -> float:
    """Combine the recalls of several references into one score.

    Args:
        recalls: A recall per reference, at least one of which has words.
        leave_out: Whether to leave out each reference in turn, as for `combine_references`.

    Returns:
        The recall of all references together, as ROUGE-1.5.5 computes it with ``-f A``, or the mean of that over the
        sets with one reference left out. 0 to 1; 0 where no reference has words.
    """
    return combine_references(recalls, _pool, leave_out=leave_out)


def _pool(recalls: Sequence[Recall]) -> float:
    total = sum(recall.total for recall in recalls)
    return sum(recall.matched for recall in recalls) / total if total else 0.0
