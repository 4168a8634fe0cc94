"""Pairing of summaries with references, and combination of several references into one score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple, TypeVar

from harness.summarization.summaries.reading import note_files
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import EmptyResultError, join_remedy

Counts = TypeVar("Counts")
"""Counts of matches between a summary and one of its references."""


class Comparison(NamedTuple):
    """A summary and the references that it is compared with.

    Attributes:
        peer: The summary.
        references: The references of its topic by other authors that are not empty, at least one.
        is_reference: Whether its author also wrote a reference of the topic.
    """

    peer: Summary
    references: tuple[Summary, ...]
    is_reference: bool


class Comparisons(NamedTuple):
    """Comparisons, sorted by topic and author, and notes for the user."""

    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]


class Recall(NamedTuple):
    """Number of matched words or n-grams of a reference, and number of all its words or n-grams."""

    matched: int
    total: int


def pair_summaries(peers: SummarySet, references: SummarySet, *, jackknife: bool = False) -> Comparisons:
    """Pair summaries with the references of their topics.

    Args:
        peers: Summaries to score. No author is compared with a reference of their own.
        references: References. Empty references are left out.
        jackknife: Whether each reference will be left out in turn. A summary then needs two references by others.

    Returns:
        The summaries that can be compared, with notes on the other summaries.

    Raises:
        EmptyResultError: If no summary can be compared.
    """
    by_topic: dict[str, list[Summary]] = defaultdict(list)
    for reference in references.summaries:
        by_topic[reference.topic].append(reference)
    comparisons = []
    paths_by_remark: dict[str, list[str]] = defaultdict(list)
    remedies: list[str] = []
    namesakes: list[str] = []
    for peer in peers.summaries:
        of_topic = [reference for reference in by_topic[peer.topic] if reference.sentences]
        by_others = tuple(reference for reference in of_topic if reference.author != peer.author)
        comparison = Comparison(peer, by_others, is_reference=len(by_others) < len(of_topic))
        if len(by_others) >= _count_needed(comparison, jackknife=jackknife):
            comparisons.append(comparison)
            own_texts = [reference.sentences for reference in of_topic if reference.author == peer.author]
            if own_texts and peer.sentences not in own_texts:
                namesakes.append(peer.path)
            continue
        remark = "fewer than two references by other authors" if jackknife else "no reference by other authors"
        if len(of_topic) < len(by_topic[peer.topic]):
            remark += " that has a text"
        paths_by_remark[remark].append(peer.path)
        remedies += _list_remedies(comparison, by_topic[peer.topic])
    if not comparisons:
        remark = max(paths_by_remark, key=len)  # the remark that is true of all peers
        raise _make_error_without_references(peers, references, remark, remedies)
    notes = [
        note
        for remark, paths in paths_by_remark.items()
        for note in note_files(paths, f"has {remark}, and no score", f"have {remark}, and no score")
    ]
    notes += note_files(
        namesakes,
        "was not compared with the reference of the same author, which has another text. Rename one of the authors",
        "were not compared with references of the same authors, which have other texts. Rename peers or references",
    )
    return Comparisons(tuple(comparisons), tuple(dict.fromkeys((*peers.notes, *references.notes, *notes))))


def _list_remedies(comparison: Comparison, of_topic: Sequence[Summary]) -> list[str]:
    """List the remedies for a summary that cannot be compared with the references of its topic, some of them empty."""
    if not of_topic:
        return ["use the same topic names", "describe the names by --pattern"]
    if comparison.references:
        return ["omit --jackknife"]
    remedies = ["use different author names for peers and references"] if comparison.is_reference else []
    if not all(reference.sentences for reference in of_topic):
        remedies.append("add the texts of empty references")
    return remedies


def _make_error_without_references(
    peers: SummarySet, references: SummarySet, remark: str, remedies: Sequence[str]
) -> EmptyResultError:
    if not any(reference.sentences for reference in references.summaries):
        return EmptyResultError(f"all references are empty, such as {references.summaries[0].path}. Add their texts")
    by_topic = {reference.topic: reference for reference in reversed(references.summaries)}
    peer = next((peer for peer in peers.summaries if peer.topic in by_topic), peers.summaries[0])
    reference = by_topic.get(peer.topic, references.summaries[0])
    examples = (
        f"{peer.path} has topic {peer.topic} and author {peer.author}, "
        f"{reference.path} has topic {reference.topic} and author {reference.author}"
    )
    remedy = ", ".join(dict.fromkeys(remedies)) + ", or add references"
    return EmptyResultError(join_remedy(f"all peers have {remark} ({examples})", remedy))


def _count_needed(comparison: Comparison, *, jackknife: bool) -> int:
    """Return the number of references that a summary needs. One must remain if each is left out in turn."""
    return 2 if jackknife and not comparison.is_reference else 1


def repeat_references(peers: SummarySet, references: SummarySet) -> bool:
    """Return whether each non-empty summary to score has the same text as a reference of its topic."""
    reference_texts = {(reference.topic, reference.sentences) for reference in references.summaries}
    peer_texts = {(peer.topic, peer.sentences) for peer in peers.summaries if peer.sentences}
    return bool(peer_texts) and peer_texts <= reference_texts


def combine_references(
    counts: Sequence[Counts], measure: Callable[[Sequence[Counts]], float], *, leave_out: bool
) -> float:
    """Combine the counts for several references into one score.

    Args:
        counts: Counts per reference.
        measure: Computes the score of several references together.
        leave_out: Whether to leave out each reference in turn, as NIST does for systems. Systems are then compared with
            as many references as the authors of references, who are not compared with their own reference.

    Returns:
        The score of all references together. With `leave_out`, the mean of this score over the sets with one reference
        left out.
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
        The recall of all references together, as ROUGE-1.5.5 computes it with ``-f A``. With `leave_out`, the mean of
        this recall over the sets with one reference left out. 0 to 1, or 0 if no reference has words.
    """
    return combine_references(recalls, _pool, leave_out=leave_out)


def _pool(recalls: Sequence[Recall]) -> float:
    total = sum(recall.total for recall in recalls)
    return sum(recall.matched for recall in recalls) / total if total else 0.0
