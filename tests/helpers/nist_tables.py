"""Tables in the forms of NIST's evaluations of other years than DUC 2007. All numbers are made up."""

from __future__ import annotations

from collections.abc import Sequence

from helpers.summary_scores import HUMANS, SYSTEMS, TOPICS, judge, list_summaries, score

TABLE_2006 = "\n".join(
    [
        "D0601 1 0.1000 2 0 101 201 3 3 3 3 3 1",
        "D0601 2 0.4000 6 1 101 201 3 4 3 3 3 3",
        "D0601 3 0.3000 5 0 101 201 2 4 3 5 3 4",
        "D0602 1 0.2000 3 0 102 201 3 3 3 3 3 2",
        "D0602 2 0.3500 5 2 102 201 3 3 2 3 3 2",
        "D0602 3 0.6000 9 0 102 201 3 5 3 3 1 5",
        "D0647 01 0.9000 9 0 103 202",
        "D0647 02 0.1000 1 0 103 202",
        "D0647 03 0.2000 2 1 103 202",
    ]
)
"""Rows of DUC 2006. On the last topic, zeros stand before the peers, and nobody judged their summaries."""

TABLE_UPDATE = "\n".join(
    [
        "D0703-A 1 0.1000 2 0 101 201 1",
        "D0703-A 2 0.4000 6 1 101 201 3",
        "D0703-A 3 0.3000 5 0 101 201 4",
        "D0703-B 1 0.2000 3 0 101 201 2",
        "D0703-B 2 0.3500 5 2 101 201 2",
        "D0703-B 3 1.0500 9 0 101 201 5",
        "D0703-C 1 0.3000 3 0 101 201 3",
        "D0703-C 2 0.2000 5 2 101 201 1",
        "D0703-C 3 0.5000 9 0 101 201",
    ]
)
"""Rows of the update task of DUC 2007. The last summary was not judged."""

PEERS_2008 = "D0801-A 0 0.2143 4 1 K 0.2250 2 3\nD0801-A 7 0.5000 8 0 K 0.5125 4 4\n"
PEOPLE_2008 = "D0801-A A 12 K 0.6123 5 5\nD0801-A B 9 K 0.4321 4 5\n"
PANS_2005 = "301 1 0.5000 0.2500 4 1\n301 A 0.9000 0.7500 9 0\n324 1 0.4000 0.2000 3 0\n324 1 0.4000 0.3000 4 0\n"
"""Two annotators scored the last summary."""


def list_authors(group: str) -> list[tuple[str, str, int, int]]:
    """List the topics and authors of a document set, with their numbers. Person B wrote about half of the topics."""
    rows = [(topic, author, number, place) for topic, author, number, place in list_summaries()]
    assert len(rows) == len(TOPICS) * len((*SYSTEMS, *HUMANS))
    shift = "AB".index(group)
    return [row for row in rows if row[1] != "B" or (row[2] + shift) % 2]


def make_manual(group: str, authors: Sequence[str]) -> str:
    """Return `manual.peer.A` (10 columns) or `manual.model.A` (8 columns), or those of the document set B."""
    rows = []
    for topic, author, t, a in list_authors(group):
        jackknifed, responsiveness = score(t, a) + 0.01 * "AB".index(group) * t, judge(t, a)
        if author in authors:
            start = f"{score(t, a):.4f} {a + 2} 1" if author in SYSTEMS else f"{a + 7}"
            rows.append(f"{topic}-{group} {author} {start} 7 K {jackknifed:.4f} {1 + (t + a) % 5} {responsiveness}")
    return "\n".join(rows) + "\n"


def make_aesop(group: str) -> str:
    """Return `aesop_allpeers_A` or `_B`: two metrics, the second without values for person B."""
    rows = ["summarizer docset baseline other"]
    for _, author, t, a in list_authors(group):
        first = score(t, a) / 2 + (3 * t + 5 * a * a + "AB".index(group)) % 7 / 10
        second = "NaN" if author == "B" else f"{(2 * t + a) % 5 / 10:.4f}"
        rows.append(f"s{author} d{t + 1} {first:.4f} {second}")
    return "\n".join(rows) + "\n"
