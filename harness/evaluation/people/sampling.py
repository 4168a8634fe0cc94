"""Choose the rows that people judge: at random, evenly over labels and topics, and reproducible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.layout import TextRows
from pyramid_paraphrase.digests import make_digest_array, order_digests
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.kinds import PAIRS
from pyramid_paraphrase.propositions import digest_of

Indices = npt.NDArray[np.int64]

_CHOICE, _ORDER = "annotate choice", "annotate order"
"""Purposes of hashes. The rows that are chosen have the lowest hashes among the rows of their label, which would reveal
the label if the same hashes decided the order."""


class Sample(NamedTuple):
    """The rows of a sheet.

    Attributes:
        places: Indices of the rows, in the order of the sheet.
        topic_count: Number of topics that they are from.
    """

    places: Indices
    topic_count: int


def choose_rows(rows: TextRows, count: int, seed: int) -> Sample:
    """Choose rows of the test split.

    Half of the pairs are positives; of an odd number, one more is negative. If there are not enough pairs of a label,
    there are fewer of the other label, too. Of each label, every topic gives about as many rows. The topic of a pair
    across topics is that of its first text. All else is decided by SHA-256 over the seed and the id of a row.

    Args:
        rows: The rows of a test.
        count: Number of rows to choose, at least 2.
        seed: Random seed.

    Raises:
        EmptyResultError: If the test split has no rows of a label.
    """
    test = np.flatnonzero(rows.is_test)
    topics = rows.topics[:, 0]
    if rows.kind == PAIRS:
        parts = [test[rows.targets[test] == label] for label in (0, 1)]
        _require_both(rows, parts)
        sizes = [count - count // 2, count // 2]
        if any(size > len(part) for size, part in zip(sizes, parts, strict=True)):
            sizes = [min(map(len, parts))] * 2
    else:
        parts, sizes = [test], [count]
    chosen = [_choose(part, topics, rows.ids, size, seed) for part, size in zip(parts, sizes, strict=True)]
    places = np.concatenate(chosen)
    places = places[_order(places, rows.ids, _ORDER, seed)]
    return Sample(places, len(np.unique(topics[places])))


def _require_both(rows: TextRows, parts: Sequence[Indices]) -> None:
    for part, name in zip(parts, ("negative", "positive"), strict=True):
        if not len(part):
            reason = f"the test split of {rows.name} has no {name} pairs, so that no sheet can be balanced"
            raise EmptyResultError(f"{reason}; give other data")


def _choose(part: Indices, topics: Indices, ids: Sequence[str], size: int, seed: int) -> Indices:
    """Choose some of the rows: first one row of each topic, then a second one, and so on."""
    part = part[_order(part, ids, _CHOICE, seed)]
    by_topic = np.argsort(topics[part], kind="stable")
    counts = np.unique(topics[part], return_counts=True)[1]
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    rounds = np.empty(len(part), dtype=np.int64)
    rounds[by_topic] = np.arange(len(part)) - starts
    return part[np.argsort(rounds, kind="stable")[:size]]


def _order(places: Indices, ids: Sequence[str], purpose: str, seed: int) -> Indices:
    """Return the order of rows by the hashes of a purpose."""
    digests = (digest_of(purpose, str(seed), ids[place]) for place in places)
    return order_digests(make_digest_array(digests, len(places)))
