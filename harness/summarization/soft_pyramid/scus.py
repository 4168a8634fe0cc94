"""Which summaries have a pyramid, and which SCUs count for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.summarization.summaries.reading import describe
from harness.summarization.summaries.records import Summary, SummarySet
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.records import Pyramid, Scu


class WeightedScu(NamedTuple):
    """An SCU as a summary is compared with it.

    Attributes:
        weight: How many contributors it has, which is what published pyramid scores count.
        texts: Those of its contributors, at least one.
    """

    weight: int
    texts: tuple[str, ...]


class Peer(NamedTuple):
    """A summary and the SCUs that it is compared with, at least one."""

    summary: Summary
    scus: tuple[WeightedScu, ...]


class Peers(NamedTuple):
    """What is to be scored, by topic and author, and what a reader of the scores should know."""

    peers: tuple[Peer, ...]
    notes: tuple[str, ...]


def pair_with_pyramids(summaries: SummarySet, pyramids: Sequence[Pyramid]) -> Peers:
    """Find the pyramid of each summary: that with its topic's name, such as "D0701" or "D0743-A".

    Args:
        summaries: What is to be scored.
        pyramids: Those there are. What an author contributed to one does not count for that author.

    Returns:
        The summaries that have one; notes say how many have none.

    Raises:
        EmptyResultError: If none has.
    """
    by_topic = {pyramid.id: pyramid for pyramid in pyramids}
    if not by_topic:
        raise EmptyResultError("the sources hold no pyramid; give those of the summaries' topics")
    chosen: dict[Summary, tuple[WeightedScu, ...]] = {
        summary: select_scus(by_topic[summary.topic].scus, summary.author)
        for summary in summaries.summaries
        if summary.topic in by_topic
    }
    without = [one for one in summaries.summaries if one not in chosen]
    if not chosen:
        topic, other = without[0].topic, min(by_topic)
        raise EmptyResultError(f"no summary is of a topic with a pyramid ({topic}, {other}); compare their topics")
    topics = len({one.topic for one in without})
    notes = [f"{topics} {'topic has' if topics == 1 else 'topics have'} no pyramid, and no scores"] if topics else []
    alone = [summary.shown for summary, scus in chosen.items() if not scus]
    notes += describe(alone, "has no SCU by others, and no score", "have no SCU by others, and no score")
    peers = tuple(Peer(summary, scus) for summary, scus in chosen.items() if scus)
    return Peers(peers, (*summaries.notes, *notes))


def select_scus(scus: Sequence[Scu], author: str) -> tuple[WeightedScu, ...]:
    """The SCUs that others than an author contribute to, with what these do."""
    others = (tuple(one.text for one in scu.contributors if author not in one.summarizers) for scu in scus)
    return tuple(WeightedScu(len(texts), texts) for texts in others if texts)
