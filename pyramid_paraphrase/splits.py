"""Which row belongs to which split, by hashes alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.propositions import sha256_of

TRAIN, VALIDATION, TEST = "train", "validation", "test"

VALIDATION_PERCENT = 10
"""Share of the pairs that the threshold is fitted on (Baumel et al. 2016, section 4)."""

TOPIC_PERCENTS = ((TRAIN, 60), (VALIDATION, 80), (TEST, 100))
"""Cumulative shares of the topics for those who train."""


def split_rows(ids: Sequence[str], seed: int) -> list[str]:
    """Put the rows with the smallest hashes of (seed, id) into validation, the others into test.

    Args:
        ids: Row ids.
        seed: Number that changes the choice.

    Returns:
        The split of each row.
    """
    count = _share(VALIDATION_PERCENT, len(ids))
    validation = set(sorted(ids, key=lambda row_id: sha256_of(str(seed), row_id))[:count])
    return [VALIDATION if row_id in validation else TEST for row_id in ids]


def split_topics(topics: Iterable[str], seed: int) -> dict[str, str]:
    """Deal topics into train, validation and test.

    Args:
        topics: Topic numbers, repetitions allowed.
        seed: Number that changes the choice.

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
            raise EmptyResultError(
                f"{len(ordered)} topics are too few to split by topic; give more pyramids or use split_by=row"
            )
        splits.update(dict.fromkeys(members, name))
    return splits


def _share(percent: int, count: int) -> int:
    """A share of a count, rounded half up."""
    return (percent * count + 50) // 100
