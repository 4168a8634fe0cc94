"""Reproducible random choice of the rows that people judge, balanced over labels and topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.evaluation.layout import TextRows
from pyramid_paraphrase.building.rows import make_digest_array, order_digests
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.rules.options import PAIRS
from pyramid_paraphrase.rules.propositions import digest_of

Indices = npt.NDArray[np.int64]

_CHOICE, _ORDER = "annotate choice", "annotate order"
"""Purposes of hashes. The chosen rows have the lowest hashes of their label. If the same hashes decided the order of
the sheet, the order would reveal the labels."""


class Sample(NamedTuple):
    """The rows of a sheet.

    Attributes:
        places: Indices of the rows, in the order of the sheet.
        topic_count: Number of topics of these rows.
    """

    places: Indices
    topic_count: int


def choose_rows(rows: TextRows, count: int, seed: int) -> Sample:
    """Choose rows of the test split.

    Half of the pairs are positives. If the number is odd, there is one more negative. If one label has too few pairs,
    as few pairs of the other label are chosen. Within a label, every topic gives about the same number of rows. The
    topic of a pair across topics is that of its first text. Otherwise, SHA-256 over the seed and the id of a row
    decides.

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
            reason = f"the test split of {rows.name} has no {name} pairs, so a sheet cannot be balanced"
            raise EmptyResultError(f"{reason}. Use other data")


def _choose(part: Indices, topics: Indices, ids: Sequence[str], size: int, seed: int) -> Indices:
    """Choose rows round-robin over topics: first one row of each topic, then a second row of each, and so on."""
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
