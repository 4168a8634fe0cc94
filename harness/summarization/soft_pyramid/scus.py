"""Summaries paired with the SCUs that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.summarization.summaries.reading import note_files
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.pyramids.records import Pyramid, Scu


class WeightedScu(NamedTuple):
    """An SCU that a summary is compared with.

    Attributes:
        weight: Number of its contributors, which is the weight in published pyramid scores.
        texts: Texts of its contributors, at least one.
    """

    weight: int
    texts: tuple[str, ...]


class Peer(NamedTuple):
    """A summary and the SCUs that it is compared with, at least one."""

    summary: Summary
    scus: tuple[WeightedScu, ...]


class Peers(NamedTuple):
    """Summaries to score, sorted by topic and author, and notes for the reader of the scores."""

    peers: tuple[Peer, ...]
    notes: tuple[str, ...]


def pair_with_pyramids(summaries: SummarySet, pyramids: Sequence[Pyramid]) -> Peers:
    """Find the pyramid of each summary: the pyramid with the name of its topic, such as "D0701" or "D0743-A".

    Args:
        summaries: Summaries to score.
        pyramids: The pyramids. Contributors by an author do not count for summaries of the same author.

    Returns:
        The summaries that have a pyramid. Notes give the number of topics without a pyramid.

    Raises:
        EmptyResultError: If no summary has a pyramid with SCUs by other authors.
    """
    by_topic = {pyramid.id: pyramid for pyramid in pyramids}
    if not by_topic:
        raise EmptyResultError("the sources contain no pyramids. Add the pyramids of the summaries' topics")
    chosen: dict[Summary, tuple[WeightedScu, ...]] = {
        summary: select_scus(by_topic[summary.topic].scus, summary.author)
        for summary in summaries.summaries
        if summary.topic in by_topic
    }
    topics_without_pyramid = [summary.topic for summary in summaries.summaries if summary not in chosen]
    if not chosen:
        examples = (
            f"a topic of the summaries is {topics_without_pyramid[0]}, a topic of the pyramids is {min(by_topic)}"
        )
        raise EmptyResultError(f"no topic has both a summary and a pyramid: {examples}. Use the same topic names")
    paths_without_scus = [summary.path for summary, scus in chosen.items() if not scus]
    remark = "no SCU by other authors, and no score"
    notes = [
        *summaries.notes,
        *_note_topics(len(set(topics_without_pyramid))),
        *note_files(paths_without_scus, f"has {remark}", f"have {remark}"),
    ]
    peers = tuple(Peer(summary, scus) for summary, scus in chosen.items() if scus)
    if not peers:
        reason = f"{len(chosen):,} summaries have a pyramid, but none of them has an SCU by other authors"
        raise EmptyResultError(
            f"{reason}, such as {paths_without_scus[0]}. Add summaries by other authors, or pyramids"
        )
    return Peers(peers, tuple(notes))


def _note_topics(count: int) -> list[str]:
    """Write a note on the topics without a pyramid, if there are any."""
    if not count:
        return []
    subject = "1 topic has" if count == 1 else f"{count} topics have"
    return [f"{subject} no pyramid, and no scores"]


def select_scus(scus: Sequence[Scu], author: str) -> tuple[WeightedScu, ...]:
    """Select the SCUs with contributors by other authors, without the contributors by the author."""
    selected = []
    for scu in scus:
        texts = tuple(contributor.text for contributor in scu.contributors if author not in contributor.summarizers)
        if texts:
            selected.append(WeightedScu(len(texts), texts))
    return tuple(selected)
