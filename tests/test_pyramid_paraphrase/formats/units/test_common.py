"""What formats of units share: pyramids of references, annotations of whole summaries, and records in JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.formats.units.common import REFERENCE, make_annotation, make_pyramid, parse_entries
from pyramid_paraphrase.pyramids.records import Contributor, Part, PeerScu, Summary
from pyramid_paraphrase.pyramids.sources import SourceFile


def test_the_text_of_a_pyramid_is_its_units() -> None:
    pyramid = make_pyramid("n", ["Ab.", "Cde.", "F."], "f")
    assert pyramid.text == "Ab.\nCde.\nF."
    assert pyramid.summaries == (Summary(REFERENCE, REFERENCE, 0, 11),)
    parts = [scu.contributors[0].parts for scu in pyramid.scus]
    assert parts == [
        (Part("Ab.", 0, 3, REFERENCE),),
        (Part("Cde.", 4, 8, REFERENCE),),
        (Part("F.", 9, 11, REFERENCE),),
    ]


def test_a_whole_summary_is_the_contributor() -> None:
    pyramid = make_pyramid("n", ["Ab.", "Cde."], "f")
    annotation = make_annotation("s", pyramid, "It sank. All swam.", [False, True])
    assert annotation.text == "It sank.\nAll swam."
    assert annotation.scus == (PeerScu("2", 1, (Contributor((Part("It sank.\nAll swam.", 0, 18, ""),)),)),)
    assert (annotation.peer, annotation.annotator, annotation.votes) == ("s", "", ())


class Entry(msgspec.Struct):
    """A record for tests."""

    x: int
    y: dict[Annotated[str, msgspec.Meta(max_length=1)], int] = {}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'[{"x": 1}, {"x": "a"}]', "entry 2 is not an entry (Expected `int`, got `str` at .x)"),
        (b"[%s 5]" % (b'{"x": 1},' * 11), "entry 12 is not an entry (Expected `object`, got `int` at its start)"),
        (
            b'[{"x": 1, "y": {"ab": 1}}]',
            "entry 1 is not an entry (Expected `str` of length <= 1 at .y)",
        ),
        (b'[{"x": 1}', "is not a list of entries, each an entry (Input data was truncated)"),
    ],
)
def test_errors_of_lists(data: bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_entries(SourceFile("f.json", data), Entry, "an entry", "get it again")
    assert (caught.value.file, caught.value.reason, caught.value.line) == ("f.json", reason, 0)


def test_places_of_entries() -> None:
    entries = parse_entries(SourceFile("f.json", b'\xef\xbb\xbf [{"x": 1}, {"x": 2}]'), Entry, "an entry", "get it")
    assert [(number, entry.x) for number, entry in entries] == [(1, 1), (2, 2)]
    entries = parse_entries(SourceFile("f.jsonl", b'{"x": 1}\n\n{"x": 2}'), Entry, "an entry", "get it")
    assert [(number, entry.x) for number, entry in entries] == [(1, 1), (3, 2)]
    with pytest.raises(InputError) as caught:
        parse_entries(SourceFile("f.jsonl", b'{"x": 1}\n{"x": "a"}'), Entry, "an entry", "get it")
    assert (caught.value.line, caught.value.reason) == (2, "is not an entry (Expected `int`, got `str` - at `$.x`)")


@pytest.mark.parametrize(("length", "is_shortened"), [(79, False), (80, True)])
def test_long_names_of_fields(length: int, is_shortened: bool) -> None:
    name = "x" * length
    entry_type = msgspec.defstruct("Long", [(name, int)])
    with pytest.raises(InputError) as caught:
        parse_entries(SourceFile("f.json", b'[{"%s": "a"}]' % name.encode()), entry_type, "an entry", "get it")
    assert ("[...]" in caught.value.reason) == is_shortened
