"""Records: properties that are derived from the parts of contributors."""

from __future__ import annotations

import pytest
from helpers.messages import mentions

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.pyramids.records import Contributor, Part, PeerScu, Pyramid, Scu, require_comparable


def contributor(*letters: str) -> Contributor:
    return Contributor(tuple(Part(f"part {row}", row, row + 1, letter) for row, letter in enumerate(letters)))


def test_a_contributor_names_the_summaries_that_its_parts_lie_in() -> None:
    """A part outside of all summaries has no letter, and names none."""
    assert contributor("C", "", "A", "C").summarizers == ("A", "C")
    assert contributor("", "").summarizers == ()
    assert contributor("B", "").text == "part 0 part 1"


def test_an_scu_weighs_as_many_as_the_distinct_summaries() -> None:
    scu = Scu("1", "label", (contributor("A", "B"), contributor("B"), contributor("")))
    assert scu.weight == 2
    assert Pyramid("D1", "D1", (), "", (), (scu, scu)).contributor_count == 6


def test_annotations_that_differ_only_in_labels_are_equal() -> None:
    """So that a label with another blank is no second, different annotation of the peer."""
    assert PeerScu("1", 2, (contributor("A"),)) == PeerScu("1", 2, (contributor("A"),), "It sank")
    assert PeerScu("1", 2, ()).label == ""


def test_what_can_be_compared_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCUs of 3, 2 and 1 contributors have 6 contributors, and 6, 2 and 0 ordered pairs."""
    scus = [Scu(str(size), "", (contributor("A"),) * size) for size in (3, 2, 1)]
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 6)
    monkeypatch.setattr(limits, "MAX_PAIRS", 8)
    require_comparable(scus, "x.pyr")
    monkeypatch.setattr(limits, "MAX_PAIRS", 7)
    with pytest.raises(LimitError, match=mentions("x.pyr: ... 6 contributors ... 7 pairs ... SCUs ... remove")):
        require_comparable(scus, "x.pyr")
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", 5)
    monkeypatch.setattr(limits, "MAX_PAIRS", 8)
    with pytest.raises(LimitError, match=mentions("x.pyr: ... 5 contributors ... 8 pairs ... SCUs ... remove")):
        require_comparable(scus, "x.pyr")
