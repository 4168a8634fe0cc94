"""Assign rows and topics to splits by their hashes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.digests import make_digest_array, order_digests
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.propositions import digest_of, sha256_of

TRAIN, VALIDATION, TEST = "train", "validation", "test"

VALIDATION_PERCENT = 10
"""Percentage of the pairs that the threshold is fitted on (Baumel et al. 2016, section 4)."""

_HASH_BYTES = 16
"""Length of the prefix of a hash that is kept. It is long enough for prefixes to be distinct."""

TOPIC_PERCENTS = ((TRAIN, 60), (VALIDATION, 80), (TEST, 100))
"""Cumulative percentages of the topics in a split by topic."""


def split_rows(ids: Iterable[str], count: int, seed: int) -> npt.NDArray[np.bool_]:
    """Choose the rows with the smallest hashes of (seed, id) for validation (bottom-k sampling). The rest is for test.

    Args:
        ids: Row ids, consumed one at a time.
        count: Number of rows.
        seed: Random seed.

    Returns:
        Shape (count,), whether a row is for validation.
    """
    beginnings = (digest_of(str(seed), row_id)[:_HASH_BYTES] for row_id in ids)
    hashes = make_digest_array(beginnings, count, _HASH_BYTES)
    is_validation = np.zeros(count, dtype=np.bool_)
    is_validation[order_digests(hashes)[: _share(VALIDATION_PERCENT, count)]] = True
    return is_validation


def choose_topics(topics: Iterable[str], percent: int) -> frozenset[str]:
    """Choose the topics with the smallest hashes.

    Args:
        topics: Names of topics; repetitions are allowed.
        percent: How many of the topics are chosen, rounded half up; at least one is.
    """
    ordered = sorted(set(topics), key=lambda topic: sha256_of("0", topic))
    return frozenset(ordered[: max(1, _share(percent, len(ordered)))])


def split_topics(topics: Iterable[str], seed: int) -> dict[str, str]:
    """Divide topics into train, validation and test, in the order of the hashes of (seed, topic).

    Args:
        topics: Topic numbers; repetitions are allowed.
        seed: Random seed.

    Returns:
        The split of each topic.

    Raises:
        EmptyResultError: If there are too few topics for every split to have one.
    """
    ordered = sorted(set(topics), key=lambda topic: sha256_of(str(seed), topic))
    splits: dict[str, str] = {}
    for name, percent in TOPIC_PERCENTS:
        members = ordered[len(splits) : _share(percent, len(ordered))]
        if not members:
            reason = f"{len(ordered)} topics are too few to split by topic"
            raise EmptyResultError(f"{reason}; give more pyramids or use split_by=row")
        splits.update(dict.fromkeys(members, name))
    return splits


def _share(percent: int, count: int) -> int:
    """Return a percentage of a count, rounded half up."""
    return (percent * count + 50) // 100
