"""Records: what follows from the parts of contributors."""

from __future__ import annotations

from pyramid_paraphrase.records import Contributor, Part, Pyramid, Scu


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
