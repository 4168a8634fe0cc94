"""Assign rows and topics to splits by their hashes, and pyramids to splits by their topics or collections."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from pyramid_paraphrase.building.rows import make_digest_array, order_digests
from pyramid_paraphrase.catalog import documents_of, find_collection, how_to_obtain, topic_of
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.rules.options import BY_TOPIC, TEST, TRAIN, VALIDATION, Options
from pyramid_paraphrase.rules.propositions import DIGEST_SEPARATOR, sha256_of

VALIDATION_PERCENT = 10
"""Percentage of the pairs on which the threshold is fitted (Baumel et al. 2016, section 4)."""

_HASH_BYTES = 16
"""Length of the prefix of a hash that is kept. It is long enough to make prefixes distinct."""

_PRECEDENCE = (TRAIN, VALIDATION, TEST)
"""If a topic is in collections of several splits, it belongs to the last of these splits."""

TOPIC_PERCENTS = ((TRAIN, 60), (VALIDATION, 80), (TEST, 100))
"""Cumulative percentages of the topics in a split by topic."""


def split_rows(ids: Iterable[str], count: int, seed: int) -> npt.NDArray[np.bool_]:
    """Choose the rows with the smallest hashes of (seed, id) for validation (bottom-k sampling).

    All other rows are in the test split.

    Args:
        ids: Row ids, consumed one at a time.
        count: Number of rows.
        seed: Random seed.

    Returns:
        Shape (count,), whether each row is in the validation split.
    """
    beginning = f"{seed}{DIGEST_SEPARATOR}".encode()  # as in `digest_of`, which takes twice as long for a row
    beginnings = (hashlib.sha256(beginning + row_id.encode()).digest()[:_HASH_BYTES] for row_id in ids)
    hashes = make_digest_array(beginnings, count, _HASH_BYTES)
    is_validation = np.zeros(count, dtype=np.bool_)
    is_validation[order_digests(hashes)[: _share(VALIDATION_PERCENT, count)]] = True
    return is_validation


def split_rows_by_documents(ids: Sequence[str], topics: Sequence[str], seed: int) -> list[bool]:
    """Choose the rows for validation as `split_rows` does, but keep topics that share documents in one split.

    Args:
        ids: Row ids.
        topics: Topic of each row.
        seed: Random seed of the rows that share no documents with other topics.

    Returns:
        Whether each row is in the validation split. Of sets of documents with several topics, `choose_topics` chooses.
    """
    documents = list(map(documents_of, topics))
    shared = {name for name, topic in zip(documents, topics, strict=True) if name != topic}
    own_ids = [row_id for row_id, name in zip(ids, documents, strict=True) if name not in shared]
    is_chosen = dict(zip(own_ids, split_rows(own_ids, len(own_ids), seed).tolist(), strict=True))
    chosen = choose_topics(shared, VALIDATION_PERCENT)
    return [is_chosen.get(row_id, name in chosen) for row_id, name in zip(ids, documents, strict=True)]


def choose_topics(topics: Iterable[str], percent: int) -> frozenset[str]:
    """Choose the topics with the smallest hashes.

    Args:
        topics: Names of topics. Repetitions are allowed.
        percent: Percentage of topics to choose. Their number is rounded half up, and is at least one.
    """
    ordered = sorted(set(topics), key=lambda topic: sha256_of("0", topic))
    return frozenset(ordered[: max(1, _share(percent, len(ordered)))])


def split_topics(topics: Iterable[str], seed: int) -> dict[str, str]:
    """Divide topics into train, validation and test, in the order of the hashes of (seed, topic).

    Args:
        topics: Topic numbers. Repetitions are allowed.
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
            reason = f"{len(ordered)} topics are too few for a split by topic"
            raise EmptyResultError(f"{reason}. Add pyramids, or use split_by=row")
        splits.update(dict.fromkeys(members, name))
    return splits


def split_pyramids(pyramids: Sequence[str], options: Options) -> dict[str, str]:
    """Assign pyramids to splits by whole topics or by whole collections.

    Args:
        pyramids: Ids of pyramids.
        options: The rules, with the ``split_by`` "topic" or "collection".

    Returns:
        The split of each pyramid that belongs to a split.

    Raises:
        EmptyResultError: If there are too few topics, or a collection that is named for a split has no pyramids.
    """
    if options.split_by == BY_TOPIC:
        split_of = split_topics(map(topic_of, pyramids), options.seed)
        return {pyramid: split_of[topic_of(pyramid)] for pyramid in pyramids}
    return split_collections(pyramids, options)


def split_collections(pyramids: Sequence[str], options: Options) -> dict[str, str]:
    """Assign pyramids to the splits of their collections.

    Collections can share topics: the topics of the DUC 2007 update task are also topics of the main task. A shared
    topic belongs to the test split if one of its collections does, otherwise to the validation split, otherwise to the
    train split. Its pyramids in other splits are left out.

    Args:
        pyramids: Ids of pyramids.
        options: The rules, which name the collections of the validation and the test split.

    Returns:
        The split of each pyramid that is not left out.

    Raises:
        EmptyResultError: If a collection that is named for a split has no pyramids.
    """
    collections = {pyramid: find_collection(pyramid).name for pyramid in pyramids}
    named = dict.fromkeys(options.validation_collection_names, VALIDATION)
    named |= dict.fromkeys(options.test_collection_names, TEST)
    present = sorted(set(collections.values()))
    for name, split in named.items():
        if name not in present:
            reason = f"no pyramids of {name} for the {split} split: the sources contain {', '.join(present)}"
            raise EmptyResultError(f"{reason}. Get {how_to_obtain(name)}, or choose other collections")
    splits = {pyramid: named.get(collection, TRAIN) for pyramid, collection in collections.items()}
    split_of_topic: dict[str, str] = {}
    for pyramid in sorted(splits, key=lambda pyramid: _PRECEDENCE.index(splits[pyramid])):
        split_of_topic[topic_of(pyramid)] = splits[pyramid]
    return {pyramid: split for pyramid, split in splits.items() if split == split_of_topic[topic_of(pyramid)]}


def _share(percent: int, count: int) -> int:
    """Return a percentage of a count, rounded half up."""
    return (percent * count + 50) // 100
