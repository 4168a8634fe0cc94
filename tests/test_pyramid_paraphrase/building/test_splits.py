"""Splits: shares by hand, the choice by hashes, and collections that are kept whole."""

from __future__ import annotations

from collections import Counter

import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.building.splits import (
    _share,
    choose_topics,
    split_collections,
    split_pyramids,
    split_rows,
    split_topics,
)
from pyramid_paraphrase.catalog import find_collection, topic_of
from pyramid_paraphrase.errors import EmptyResultError
from pyramid_paraphrase.rules.options import Options


@pytest.mark.parametrize(("rows", "validation"), [(0, 0), (4, 0), (5, 1), (14, 1), (15, 2), (24, 2), (1000, 100)])
def test_a_tenth_of_the_rows_validates_rounded_half_up(rows: int, validation: int) -> None:
    ids = (f"row {number}" for number in range(rows))
    assert int(split_rows(ids, rows, seed=0).sum()) == validation


def test_half_a_row_is_one_and_less_is_none() -> None:
    assert [_share(percent, 1) for percent in (49, 50, 51)] == [0, 1, 1]


def test_rows_with_the_smallest_hashes_validate() -> None:
    """sha256sum of "0", a unit separator (0x1f) and the id: 0a04... for "c", and from 2c38... on for the others."""
    assert split_rows(["a", "b", "c", "d", "e"], 5, seed=0).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize(("percent", "chosen"), [(0, "c"), (29, "c"), (30, "cd"), (60, "cdb"), (100, "cdbea")])
def test_topics_with_the_smallest_hashes_are_chosen(percent: int, chosen: str) -> None:
    """sha256sum of "0", a unit separator (0x1f) and the topic: 0a04..., 2c38..., 37ac..., ce67... and ef2c..."""
    assert choose_topics("edcbaabcde", percent) == frozenset(chosen)


def test_pyramids_are_in_the_splits_of_their_topics() -> None:
    """sha256sum of "1", a unit separator and the topic: 1099..., 23ab... and 2f34..., then c2ed..., then cff8..."""
    topics = ["D0601", "D0602", "D0701", "D0702-A", "D0702-B", "D0801-A"]
    assert split_pyramids(topics, Options(split_by="topic", seed=1)) == {
        "D0702-A": "train",
        "D0702-B": "train",
        "D0701": "train",
        "D0601": "train",
        "D0602": "validation",
        "D0801-A": "test",
    }


@pytest.mark.parametrize(
    ("topics", "counts"), [(100, (60, 20, 20)), (10, (6, 2, 2)), (5, (3, 1, 1)), (4, (2, 1, 1)), (3, (2, 0, 0))]
)
def test_topics_are_dealt_sixty_twenty_twenty(topics: int, counts: tuple[int, int, int]) -> None:
    names = [f"D{number:04}" for number in range(topics)]
    if not counts[1]:
        with pytest.raises(EmptyResultError, match=mentions(f"{topics} topics ... split_by=row")):
            split_topics(names, seed=0)
        return
    dealt = Counter(split_topics(names, seed=0).values())
    assert (dealt["train"], dealt["validation"], dealt["test"]) == counts


BY_YEAR = Options(split_by="collection", validation_collections="duc2006, tac2008", test_collections="duc2007-main")
YEARS = ["D0601", "D0602", "D0801-A", "D0701", "D0702", "D0703-A", "S0101"]


def test_collections_are_the_splits_that_the_options_name() -> None:
    assert split_collections(YEARS, BY_YEAR) == {
        "D0601": "validation",
        "D0602": "validation",
        "D0801-A": "validation",
        "D0701": "test",
        "D0702": "test",
        "D0703-A": "train",
        "S0101": "train",
    }


def test_a_topic_of_several_collections_is_in_one_split() -> None:
    """The topics of the DUC 2007 update task are also topics of the main task: who trains on one and tests on the
    other would know the topic. The pyramids of the other splits are left out."""
    assert split_collections(["D0701-A", "D0701-B", "D0702-A", "D0701", "D0601", "D0801-A"], BY_YEAR) == {
        "D0702-A": "train",
        "D0701": "test",
        "D0601": "validation",
        "D0801-A": "validation",
    }


def test_a_collection_that_is_not_there_is_an_error() -> None:
    with pytest.raises(EmptyResultError) as caught:
        split_collections(["D0701", "D0601", "S0101"], BY_YEAR)
    message = "no pyramids of tac2008 for the validation split: the sources contain duc2006, duc2007-main, sample. Get"
    assert str(caught.value).startswith(message)


PYRAMID_IDS = st.sampled_from(
    [f"D{year}0{n}{part}" for year in ("06", "07", "08") for n in "123" for part in ("", "-A")]
)


@given(pyramids=st.lists(PYRAMID_IDS, unique=True, min_size=1), data=st.data())
def test_no_topic_and_no_collection_is_in_two_splits(pyramids: list[str], data: st.DataObject) -> None:
    present = sorted({find_collection(pyramid).name for pyramid in pyramids})
    choice = data.draw(
        st.lists(st.sampled_from(("train", "validation", "test")), min_size=len(present), max_size=len(present))
    )
    chosen = dict(zip(present, choice, strict=True)) | {present[-1]: "test"}
    names = {split: ",".join(name for name in present if chosen[name] == split) for split in ("validation", "test")}
    options = Options(split_by="collection", validation_collections=names["validation"], test_collections=names["test"])
    splits = split_collections(pyramids, options)
    assert all(split == chosen[find_collection(pyramid).name] for pyramid, split in splits.items())
    assert len({(topic_of(pyramid), split) for pyramid, split in splits.items()}) == len(set(map(topic_of, splits)))
    assert set(map(topic_of, splits)) == set(map(topic_of, pyramids))  # no topic is lost
    assert {pyramid for pyramid in pyramids if chosen[find_collection(pyramid).name] == "test"} <= set(splits)
    assert splits == split_collections(pyramids[::-1], options)
