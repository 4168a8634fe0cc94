"""`.pyr` and `.pan` files with each of the quirks that real ones have."""

from __future__ import annotations

import pytest
from factory import PEER, PEER_NAME, PYRAMID, SCUS, SUMMARIES, Part, pyramid_element, pyramid_file, text_of
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.errors import LimitError
from pyramid_paraphrase.parser import AnnotationParser, ParsedFile, find_summaries, parse_file
from pyramid_paraphrase.records import Contributor, Scu

TEXT, STARTS = text_of(SUMMARIES)


def parse_parts(*parts: object, summary: str = "A") -> ParsedFile:
    scus = {**SCUS, ("9", "A label"): [(summary, parts)]}
    return parse_file(pyramid_file(SUMMARIES, scus), "x.pyr")


def last(parsed: ParsedFile) -> tuple[Scu, list[str]]:
    return parsed.reading.pyramid.scus[-1], [problem.kind for problem in parsed.reading.problems]


def test_a_pyramid_is_read_as_it_is() -> None:
    pyramid = parse_file(PYRAMID, "x.pyr").reading.pyramid
    assert (pyramid.id, pyramid.topic, pyramid.sets) == ("D0901-A", "D0901", ("A",))
    assert [(s.document, s.summarizer) for s in pyramid.summaries] == [
        (f"D0901-A.M.100.A.{letter}", letter) for letter in "ABC"
    ]
    assert [TEXT[s.start : s.end].strip() for s in pyramid.summaries] == list(SUMMARIES.values())
    assert [(scu.uid, scu.label, scu.weight, len(scu.contributors)) for scu in pyramid.scus] == [
        ("1", "The mill was destroyed by fire", 3, 3),
        ("2", "No one suffered an injury", 2, 2),
    ]
    assert pyramid.scus[0].contributors[2].text == "Flames ruined the historic mill on Monday morning"


def test_a_peer_annotation_is_read_as_it_is() -> None:
    parsed = parse_file(PEER, "folder/" + PEER_NAME)
    annotation = parsed.annotation
    assert annotation is not None
    assert annotation.pyramid is parsed.reading.pyramid
    assert (annotation.peer, annotation.annotator, annotation.text.count("\n")) == ("7", "", 2)
    assert [(scu.uid, scu.weight, [c.text for c in scu.contributors]) for scu in annotation.scus] == [
        ("1", 3, ["A mill burned", "a fire at a mill"]),
        ("0", 0, ["The weather was fine"]),
    ]


@pytest.mark.parametrize(
    ("file", "peer", "annotator", "kinds"),
    [
        ("D0901-A.M.100.A.7.pan", "7", "", []),
        ("a.zip!b/100.D0601.M.250.A.13.pan", "13", "100", []),
        ("peers/D0801-A.M.100.A.4", "4", "", []),
        ("notes.pan", "notes.pan", "", ["peer-name"]),
    ],
)
def test_file_names_tell_peer_and_annotator(file: str, peer: str, annotator: str, kinds: list[str]) -> None:
    parsed = parse_file(PEER, file)
    assert parsed.annotation is not None
    assert (parsed.annotation.peer, parsed.annotation.annotator) == (peer, annotator)
    assert [problem.kind for problem in parsed.peer_problems] == kinds


def test_line_ends_do_not_matter() -> None:
    windows = parse_file(PYRAMID.replace(b"\n", b"\r\n"), "x.pyr")
    assert windows.reading.pyramid == parse_file(PYRAMID, "x.pyr").reading.pyramid


def test_off_by_one_offsets_are_repaired() -> None:
    start = STARTS["B"]
    scu, kinds = last(parse_parts(Part("Fire destroyed", start + 1, start + 15), summary="B"))
    part = scu.contributors[0].parts[0]
    assert (part.start, part.end, part.summarizer) == (start, start + 14, "B")
    assert kinds == ["part-moved"]


def test_offsets_that_are_no_numbers_are_repaired() -> None:
    scu, kinds = last(parse_parts(Part("Nobody was hurt", "x", "")))
    assert scu.contributors[0].parts[0].start == TEXT.index("Nobody")
    assert kinds == ["part-moved"]


def test_whitespace_differences_are_repaired() -> None:
    label, start = "burned  down on Monday. Nobody", TEXT.index("burned")
    scu, kinds = last(parse_parts(Part(label, start, start + len(label))))
    assert scu.contributors[0].text == "burned down on Monday. Nobody"
    assert kinds == ["part-whitespace"]


def test_a_part_that_is_nowhere_is_kept_as_annotated() -> None:
    scu, kinds = last(parse_parts(Part("The mill  exploded", STARTS["A"], STARTS["A"] + 17)))
    assert scu.contributors[0].text == "The mill exploded"
    assert scu.contributors[0].summarizers == ("A",)
    assert kinds == ["part-not-found"]


def test_empty_parts_contributors_and_scus_are_left_out_and_counted() -> None:
    parsed = parse_parts(Part("", 3, 3))
    assert [scu.uid for scu in parsed.reading.pyramid.scus] == ["1", "2"]
    assert [problem.kind for problem in parsed.reading.problems] == ["part-empty", "contributor-empty", "scu-empty"]
    assert (parsed.reading.scus_read, parsed.reading.contributors_read) == (3, 6)


def test_parts_are_put_in_text_order() -> None:
    scu, kinds = last(parse_parts("in the fire", "Nobody was hurt"))
    assert scu.contributors[0].text == "Nobody was hurt in the fire"
    assert kinds == []


def test_a_contributor_may_lie_in_several_summaries() -> None:
    scu, _ = last(parse_parts("The old mill", Part("destroyed", TEXT.index("destroyed"), TEXT.index("destroyed") + 9)))
    assert scu.contributors[0].summarizers == ("A", "B")
    assert scu.weight == 2


def test_two_contributors_of_one_summary_weigh_one() -> None:
    scus = {("1", "x"): [("A", ["The old mill"]), ("A", ["the mill"])]}
    (scu,) = parse_file(pyramid_file(SUMMARIES, scus), "x.pyr").reading.pyramid.scus
    assert (scu.weight, len(scu.contributors)) == (1, 2)


def test_a_part_in_a_heading_has_no_summarizer() -> None:
    _, kinds = last(parse_parts(Part("D0901-A.M.100.A.A", TEXT.index("D0901"), TEXT.index("D0901") + 17)))
    assert kinds == ["outside-summaries"]


def test_a_repeated_uid_is_renamed() -> None:
    data = PYRAMID.replace(b'uid="2"', b'uid="1"')
    parsed = parse_file(data, "x.pyr")
    assert [scu.uid for scu in parsed.reading.pyramid.scus] == ["1", "1#2"]
    (problem,) = parsed.reading.problems
    assert (problem.kind, problem.uid, problem.line) == (
        "scu-renamed",
        "1",
        data[: data.rindex(b"<scu ")].count(b"\n") + 1,
    )


@pytest.mark.parametrize(
    ("label", "clean"),
    [
        ("Mill burned (2.1)", "Mill burned"),
        ("Mill burned (NONE)", "Mill burned"),
        ("Mill burned (1)", "Mill burned"),
        ("Mill burned (1998)", "Mill burned (1998)"),
        ("Mill  burned (by fire)", "Mill burned (by fire)"),
    ],
)
def test_weights_and_notes_are_cut_from_labels(label: str, clean: str) -> None:
    scus = {("1", label): [("A", ["The old mill"])]}
    assert parse_file(pyramid_file(SUMMARIES, scus), "x.pyr").reading.pyramid.scus[0].label == clean


def test_attributes_that_were_escaped_twice() -> None:
    summaries = {"A": 'The "old" mill burned down'}
    data = pyramid_file(summaries, {("1", 'The "old" mill burned'): [("A", ['The "old" mill'])]})
    twice = data.replace(b'label=\'The "old" mill', b"label='The &amp;quot;old&amp;quot; mill")
    assert twice != data
    parsed = parse_file(twice, "x.pyr")
    assert parsed.reading.pyramid == parse_file(data, "x.pyr").reading.pyramid
    assert {problem.kind for problem in parsed.reading.problems} == {"double-escaped"}


@pytest.mark.parametrize("uid", ["77", "2"])
def test_a_peer_scu_whose_uid_is_not_the_pyramids_is_reported(uid: str) -> None:
    """Uids of TAC 2011's peer annotations do not match; a uid of another SCU is as wrong as an unknown one."""
    parsed = parse_file(PEER.replace(b'<peerscu uid="1"', f'<peerscu uid="{uid}"'.encode()), PEER_NAME)
    assert [(problem.kind, problem.uid) for problem in parsed.peer_problems] == [("scu-mismatch", uid)]
    assert parsed.annotation is not None
    assert parsed.annotation.scus[0].weight == 3


def test_renamed_uids_are_free() -> None:
    scus = {(uid, f"label {uid}"): [("A", ["The old mill"])] for uid in ("7", "8", "7#2")}
    data = pyramid_file(SUMMARIES, scus).replace(b'uid="8"', b'uid="7"')
    assert [scu.uid for scu in parse_file(data, "x.pyr").reading.pyramid.scus] == ["7", "7#2", "7#2#2"]


def make_plain(text: str, scus: str) -> bytes:
    """A pyramid whose text lies below one heading."""
    lines = "".join(f"<line>{line}</line>" for line in ["---", "D1.M.1.A.A", "---", *text.split("\n")])
    return f"<pyramid><text>{lines}</text>{scus}</pyramid>".encode()


def test_many_scus_with_one_uid_are_renamed_in_linear_time() -> None:
    """Each name used to be looked for from uid#2 on: 20,000 SCUs took half a minute, and 90,000 ten minutes."""
    reading = parse_file(make_plain("x", '<scu uid="1"/>' * 90_000), "x.pyr").reading
    assert reading.scus_read == 90_000
    assert "'1#90000'" in next(p for p in reversed(reading.problems) if p.kind == "scu-renamed").message


def test_each_part_is_found_among_many_summaries() -> None:
    """The summary of a part was looked for from the first one on: 20,000 headings times 4,000 parts took seconds."""
    heading = "---\nD1.M.1.A.{}\n---\n"
    text = "".join(heading.format(f"S{number}") + f"word{number}\n" for number in range(20_000))
    last_word = text.index("word19999")
    start = len("---\nD1.M.1.A.A\n---\n") + last_word
    part = f'<part label="word19999" start="{start}" end="{start + 9}"/>'
    scus = f'<scu uid="1"><contributor>{part * 50_000}</contributor></scu>'
    (scu,) = parse_file(make_plain(text, scus), "x.pyr").reading.pyramid.scus
    assert scu.contributors[0].summarizers == ("S19999",)


def test_wrong_offsets_in_a_long_text_have_a_limit() -> None:
    """Each part with wrong offsets is searched for in all of the text: 50,000 parts would take minutes."""
    part = '<part label="nowhere" start="5" end="7"/>'
    scus = f'<scu uid="1"><contributor>{part * 50_000}</contributor></scu>'
    with pytest.raises(LimitError, match=r"x\.pyr, line 1: too many parts have wrong offsets in a long text"):
        parse_file(make_plain("some words " * 90_000, scus), "x.pyr")


@pytest.mark.parametrize(
    ("scus", "what"),
    [
        ('<scu uid="1">' + "<contributor/>" * 10_001 + "</scu>", "10,000 contributors"),
        ('<scu uid="1"><contributor>' + "<part/>" * 50_001 + "</contributor></scu>", "50,000 parts"),
        ("<x " + " ".join(f'a{number}=""' for number in range(1_000_001)) + "/>", "1,000,000 attributes"),
    ],
)
def test_elements_are_counted_before_any_work(scus: str, what: str) -> None:
    """A file of 60 MB with little but attributes took 2.9 GiB, and four million parts took ten seconds."""
    with pytest.raises(LimitError, match=rf"x\.pyr: more than {what}; split the file"):
        parse_file(make_plain("x", scus), "x.pyr")


def test_texts_have_a_limit() -> None:
    with pytest.raises(LimitError, match=r"x\.pyr, line 1: an annotated text of more than 1,048,576 characters"):
        parse_file(make_plain("x" * 1_048_577, ""), "x.pyr")


def test_what_a_file_says_is_cut_in_problems() -> None:
    """A uid or a name of any length used to be repeated as a whole in messages."""
    uid = "u" * 100_000
    (renamed, *_) = parse_file(make_plain("x", f'<scu uid="{uid}"/>' * 2), "x.pyr").reading.problems[1:]
    assert renamed.kind == "scu-renamed"
    assert len(renamed.message) < 300
    assert len(renamed.uid) < 60


def test_contributors_have_a_limit() -> None:
    """A small file with one SCU of 400 contributors would otherwise ask for a matrix of 160,000 x 160,000."""
    scus = {("1", "x"): [("A", ["The old mill"])] * 72}
    message = r"x\.pyr: more than 5,000 contributors, or 5,000 pairs within SCUs; split the pyramid"
    with pytest.raises(LimitError, match=message):
        parse_file(pyramid_file(SUMMARIES, scus), "x.pyr")


def test_summaries_of_two_document_sets_make_a_combined_pyramid() -> None:
    other = pyramid_file(SUMMARIES, SCUS, topic="D0901-B").decode()
    data = PYRAMID.decode().replace("D0901-A.M.100.A.C", "D0901-B.M.100.A.C")
    pyramid = parse_file(data.encode(), "x.pyr").reading.pyramid
    assert (pyramid.id, pyramid.sets) == ("D0901-AB", ("A", "B"))
    assert parse_file(other.encode(), "x.pyr").reading.pyramid.id == "D0901-B"


def test_headings_are_found_without_the_files_own_pattern() -> None:
    text = "#4\n\n---\nD1.M.1.A.A\n---\nfirst\n-----\n no heading\n-----\nmore\n--------\n D1.M.1.A.B \n--------\n"
    found = [(summary.summarizer, text[summary.start : summary.end]) for summary in find_summaries(text)]
    assert found == [("A", "first\n-----\n no heading\n-----\nmore\n"), ("B", "")]


def test_a_pyramid_met_again_is_not_read_again() -> None:
    parser = AnnotationParser()
    first, second = (
        parser.parse(PEER, PEER_NAME),
        parser.parse(PEER.replace(b"A mill burned.", b"A barn burned."), "y.pan"),
    )
    assert first.reading is second.reading
    assert second.annotation is not None
    assert second.annotation.text.startswith("A barn")
    lines = [problem.line for problem in second.peer_problems if problem.kind == "part-not-found"]
    (line,) = [row for row, text in enumerate(PEER.split(b"\n"), 1) if b'part label="A mill burned"' in text]
    assert lines == [line]


SENTENCE = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=5), min_size=1, max_size=6
).map(" ".join)


@given(st.data())
def test_what_is_written_is_read(data: st.DataObject) -> None:
    summaries = {letter: data.draw(SENTENCE) for letter in "ABCD"[: data.draw(st.integers(1, 4))]}
    drawn: dict[tuple[str, str], list[tuple[str, list[Part]]]] = {}
    text, starts = text_of(summaries)
    expected = []
    for uid in range(data.draw(st.integers(0, 3))):
        contributors, items = [], []
        for letter in data.draw(st.lists(st.sampled_from(sorted(summaries)), min_size=1, max_size=3)):
            words = summaries[letter].split(" ")
            first = data.draw(st.integers(0, len(words) - 1))
            last_word = data.draw(st.integers(first, len(words) - 1))
            start = starts[letter] + sum(len(word) + 1 for word in words[:first])
            label = " ".join(words[first : last_word + 1])
            items.append((letter, [Part(label, start, start + len(label))]))
            contributors.append((letter, label, start))
        drawn[str(uid), f"label {uid}"] = items
        expected.append((str(uid), f"label {uid}", contributors))
    parsed = parse_file(pyramid_file(summaries, drawn), "x.pyr")
    assert parsed.reading.pyramid.text == text
    assert parsed.reading.problems == ()
    assert [(scu.uid, scu.label, [*map(flatten, scu.contributors)]) for scu in parsed.reading.pyramid.scus] == expected


def flatten(contributor: Contributor) -> tuple[str, str, int]:
    (part,) = contributor.parts
    return part.summarizer, part.text, part.start


def test_the_example_pyramid_element_is_the_one_in_the_peer_file() -> None:
    assert pyramid_element(SUMMARIES, SCUS).encode() in PYRAMID
    assert pyramid_element(SUMMARIES, SCUS).encode() in PEER
