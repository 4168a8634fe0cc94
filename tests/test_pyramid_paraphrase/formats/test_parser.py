"""`.pyr` and `.pan` files with each of the quirks that real ones have."""

from __future__ import annotations

import re

import pytest
from helpers.annotations import (
    PEER,
    PEER_NAME,
    PYRAMID,
    SCUS,
    SUMMARIES,
    Part,
    parse_file,
    peer_file,
    pyramid_element,
    pyramid_file,
    text_of,
)
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.formats.ducview_documents import TextIndex
from pyramid_paraphrase.formats.ducview_parser import AnnotationParser, ParsedFile
from pyramid_paraphrase.pyramids.records import Contributor, Scu

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


@pytest.mark.parametrize(
    ("label", "shift", "kind"),
    [("burned down", 1, "part-moved"), ("burned  down", 0, "part-whitespace"), ("burned  down", 1, "part-whitespace")],
)
def test_problems_state_the_offsets_of_repaired_parts(label: str, shift: int, kind: str) -> None:
    start = TEXT.index("burned")
    end = start + len("burned down")
    (problem,) = parse_parts(Part(label, start + shift, end + shift)).reading.problems
    assert problem.kind == kind
    assert f"offsets {start + shift}-{end + shift}" in problem.message
    assert (f" {start}-{end}" in problem.message[len("wrong offsets 10-20") :]) == (shift == 1)
    assert ("whitespace" in problem.message) == (kind == "part-whitespace")


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
        # One or two digits in any number of groups, with or without a blank before and after.
        ("Mill burned(5)", "Mill burned"),
        ("Mill burned (90) ", "Mill burned"),
        ("Mill burned (05.19.5)", "Mill burned"),
        ("Mill burned (1.90)", "Mill burned"),
        ("Mill burned (1.123)", "Mill burned (1.123)"),
        ("Mill burned ()", "Mill burned ()"),
        ("Mill burned (1.)", "Mill burned (1.)"),
        ("Mill burned (1x2)", "Mill burned (1x2)"),
        ("Mill burned (1)s", "Mill burned (1)s"),
        ("Mill (1) burned", "Mill (1) burned"),
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


@pytest.mark.parametrize(
    ("escaped", "clean"),
    [("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&lt", "&lt"), ("amp;", "amp;")],
)
def test_each_reference_that_was_escaped_twice(escaped: str, clean: str) -> None:
    """A label is changed, and the change reported, only if it contains a complete character reference."""
    scus = {("1", f"mill {escaped} fire"): [("A", ["The old mill"])]}
    reading = parse_file(pyramid_file(SUMMARIES, scus), "x.pyr").reading
    assert reading.pyramid.scus[0].label == f"mill {clean} fire"
    assert [problem.kind for problem in reading.problems] == ["double-escaped"] * (escaped != clean)


def test_references_that_the_text_itself_holds_are_no_mistake() -> None:
    """At right offsets a label is taken as it is, also at the first character of a text."""
    summaries = {"A": "He wrote &lt; for less"}
    scus = {("1", "x"): [("A", ["wrote &lt; for"])]}
    reading = parse_file(pyramid_file(summaries, scus), "x.pyr").reading
    assert reading.pyramid.scus[0].contributors[0].text == "wrote &lt; for"
    assert reading.problems == ()
    peer = parse_file(
        peer_file(pyramid_element(SUMMARIES, SCUS), "&lt; said", {("0", "x"): [["&lt; said"]]}), PEER_NAME
    )
    assert peer.annotation is not None
    assert peer.annotation.scus[0].contributors[0].text == "&lt; said"
    assert peer.peer_problems == ()


@pytest.mark.parametrize(
    ("label", "weight"),
    [
        ("(4) x", 4),
        ("  (59) x", 59),
        ("(1804) x", 1804),
        ("(12345) x", 3),
        ("() x", 3),
        ("(4)x", 3),
        ("x (4) x", 3),
    ],
)
def test_labels_of_peers_state_weights(label: str, weight: int) -> None:
    """The weight is up to four digits in brackets before a blank, otherwise the weight in the pyramid, here 3."""
    data = PEER.replace(b'label="(3) The mill was', f'label="{label} The mill was'.encode())
    parsed = parse_file(data, PEER_NAME)
    assert parsed.annotation is not None
    assert parsed.annotation.scus[0].weight == weight
    assert [problem.kind for problem in parsed.peer_problems] == ["scu-mismatch"] * (weight != 3)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("(3) The mill  was&#10;burned", "The mill was burned"),
        ("The mill burned", "The mill burned"),
        ("  (12) The mill (2.1) burned (2.1)", "The mill (2.1) burned"),
        ("(3) &amp;quot;The mill&amp;quot; (NONE)", '"The mill"'),
        ("(3) AT&amp;T", "AT&T"),
        ("(3)", ""),
    ],
)
def test_labels_of_peers_are_read_as_those_of_pyramids(label: str, expected: str) -> None:
    """Without the weight and a note at the end. Only labels tell SCUs apart where uids do not match (TAC 2011)."""
    start = PEER.index(b'label="(3) ')
    data = PEER[:start] + f'label="{label}"'.encode() + PEER[PEER.index(b'"', start + 7) + 1 :]
    parsed = parse_file(data, PEER_NAME)
    assert parsed.annotation is not None
    assert parsed.annotation.scus[0].label == expected
    assert [problem.kind for problem in parsed.peer_problems if problem.kind != "scu-mismatch"] == []


def test_a_peer_scu_that_is_nowhere_weighs_nothing() -> None:
    data = PEER.replace(b'<peerscu uid="1" label="(3) ', b'<peerscu uid="77" label="')
    parsed = parse_file(data, PEER_NAME)
    assert parsed.annotation is not None
    assert parsed.annotation.scus[0].weight == 0
    (problem,) = parsed.peer_problems
    assert (problem.kind, "no such SCU in the pyramid" in problem.message) == ("scu-mismatch", True)


@pytest.mark.parametrize("uid", ["77", "2"])
def test_a_peer_scu_whose_uid_is_not_the_pyramids_is_reported(uid: str) -> None:
    """Uids of TAC 2011's peer annotations do not match. The uid of another SCU is as wrong as an unknown uid."""
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


@pytest.mark.parametrize(
    ("start", "end", "documents"), [(0, 5, 3), (1, 2, 3), (0, 0, 2), (3, 3, 2), (5, 0, 2), ("x", 5, 2)]
)
def test_text_before_the_first_heading_is_a_document_if_a_part_is_there(
    start: object, end: object, documents: int
) -> None:
    lines = "".join(f"<line>{line}</line>" for line in ("first", "------", "second", "------", "last"))
    scu = f'<scu uid="1"><contributor><part label="last" start="{start}" end="{end}"/></contributor></scu>'
    reading = parse_file(f"<pyramid><text>{lines}</text>{scu}</pyramid>".encode(), "x.pyr").reading
    assert len(reading.pyramid.summaries) == documents


@pytest.mark.parametrize(
    ("expression", "documents", "kinds"),
    [("Report:", 2, []), ("[", 1, ["expression-unused", "undivided"]), ("", 1, ["undivided"])],
)
def test_the_expression_of_a_file_divides_its_text(expression: str, documents: int, kinds: list[str]) -> None:
    text = "<text><line>Report: the old mill burned</line><line>Report: fire destroyed it</line></text>"
    data = f"<pyramid><startDocumentRegEx>{expression}</startDocumentRegEx>{text}</pyramid>".encode()
    reading = parse_file(data, "x.pyr").reading
    assert len(reading.pyramid.summaries) == documents
    assert [problem.kind for problem in reading.problems] == kinds


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


def test_wrong_offsets_in_a_long_text_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part with wrong offsets is searched for in all of the text: 50,000 parts would take minutes."""
    part = '<part label="nowhere" start="5" end="7"/>'
    scus = f'<scu uid="1"><contributor>{part * 50_000}</contributor></scu>'
    with pytest.raises(LimitError, match=mentions("x.pyr, line 1: ... offsets ... DUCView")):
        parse_file(make_plain("some words " * 90_000, scus), "x.pyr")
    data = make_plain("some words", f'<scu uid="1"><contributor>{part}</contributor></scu>')
    index = TextIndex(parse_file(data, "x.pyr").reading.pyramid.text)
    assert index.locate("nowhere", 5, 7) is None
    monkeypatch.setattr(limits, "MAX_SEARCH_STEPS", index.steps)
    assert [problem.kind for problem in parse_file(data, "x.pyr").reading.problems] == ["part-not-found"]
    monkeypatch.setattr(limits, "MAX_SEARCH_STEPS", index.steps - 1)
    with pytest.raises(LimitError, match=mentions("x.pyr, line 1: ... offsets ... DUCView")):
        parse_file(data, "x.pyr")


@pytest.mark.parametrize(
    ("scus", "elements"),
    [
        ('<scu uid="1">' + "<contributor/>" * 5_001 + "</scu>", "5,000 contributors"),
        ('<scu uid="1"><contributor>' + "<part/>" * 50_001 + "</contributor></scu>", "50,000 parts"),
        ("<x " + " ".join(f'a{number}=""' for number in range(1_000_001)) + "/>", "1,000,000 attributes"),
    ],
)
def test_elements_are_counted_before_any_work(scus: str, elements: str) -> None:
    """A file of 60 MB with little but attributes took 2.9 GiB, and four million parts took ten seconds."""
    with pytest.raises(LimitError, match=mentions(f"x.pyr: ... {elements}. Split")):
        parse_file(make_plain("x", scus), "x.pyr")


def test_texts_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitError, match=mentions("x.pyr, line 1: ... 1,048,576 characters ... Split")):
        parse_file(make_plain("x" * 1_048_577, ""), "x.pyr")
    monkeypatch.setattr(limits, "MAX_TEXT_CHARACTERS", len(TEXT))
    assert parse_file(PYRAMID, "x.pyr").reading.pyramid.text == TEXT
    monkeypatch.setattr(limits, "MAX_TEXT_CHARACTERS", len(TEXT) - 1)
    with pytest.raises(LimitError, match=mentions("x.pyr, line 11: ... characters ... Split")):
        parse_file(PYRAMID, "x.pyr")


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
    message = "x.pyr: ... 2,500 contributors ... 2,500 pairs ... SCUs ... remove"
    with pytest.raises(LimitError, match=mentions(message)):
        parse_file(pyramid_file(SUMMARIES, scus), "x.pyr")


@pytest.mark.parametrize(("contributors", "pairs", "accepted"), [(5, 8, True), (4, 8, False), (5, 7, False)])
def test_limits_are_reached_before_they_are_passed(
    monkeypatch: pytest.MonkeyPatch, contributors: int, pairs: int, accepted: bool
) -> None:
    """The example has SCUs of 3 and of 2 contributors: 5, and 3 x 2 + 2 x 1 = 8 ordered pairs."""
    monkeypatch.setattr(limits, "MAX_CONTRIBUTORS", contributors)
    monkeypatch.setattr(limits, "MAX_PAIRS", pairs)
    if accepted:
        assert parse_file(PYRAMID, "x.pyr").reading.pyramid.contributor_count == 5
    else:
        with pytest.raises(LimitError, match=mentions("x.pyr: ... SCUs ... remove")):
            parse_file(PYRAMID, "x.pyr")


def test_summaries_of_two_document_sets_make_a_combined_pyramid() -> None:
    second_set = pyramid_file(SUMMARIES, SCUS, topic="D0901-B").decode()
    data = PYRAMID.decode().replace("D0901-A.M.100.A.C", "D0901-B.M.100.A.C")
    pyramid = parse_file(data.encode(), "x.pyr").reading.pyramid
    assert (pyramid.id, pyramid.sets) == ("D0901-AB", ("A", "B"))
    assert parse_file(second_set.encode(), "x.pyr").reading.pyramid.id == "D0901-B"


def test_a_summary_ends_where_the_next_heading_begins() -> None:
    end = TEXT.index("-----", STARTS["A"])
    summaries = parse_file(PYRAMID, "x.pyr").reading.pyramid.summaries
    assert (summaries[0].start, summaries[0].end, summaries[-1].end) == (STARTS["A"], end, len(TEXT))
    for start, letters in ((STARTS["A"], ("A",)), (end, ())):
        scu, _ = last(parse_parts(Part(TEXT[start : start + 8], start, start + 8)))
        assert scu.contributors[0].summarizers == letters


def test_topics_and_sets_make_the_id() -> None:
    assert parse_file(pyramid_file(SUMMARIES, SCUS, topic="D0601"), "x.pyr").reading.pyramid.id == "D0601"
    data = PYRAMID.replace(b"D0901-A.M.100.A.C", b"D0902-A.M.100.A.C")
    pyramid = parse_file(data, "x.pyr").reading.pyramid
    assert (pyramid.id, pyramid.topic, pyramid.sets) == ("D0901+D0902-A", "D0901+D0902", ("A",))


@pytest.mark.parametrize(
    ("digits", "accepted"), [("{:09}", True), ("{:010}", False), ("{}\u00b2", False), ("-{}", False), ("", False)]
)
def test_offsets_are_up_to_nine_digits(digits: str, accepted: bool) -> None:
    start = TEXT.index("Nobody")
    part = Part("Nobody was hurt", digits.format(start), start + 15)
    scu, kinds = last(parse_parts(part))
    assert scu.contributors[0].parts[0].start == start
    assert kinds == ["part-moved"] * (not accepted)


def test_offsets_that_are_no_numbers_are_minus_one() -> None:
    scu, kinds = last(parse_parts(Part("The mill exploded", "x", "")))
    (part,) = scu.contributors[0].parts
    assert (part.start, part.end) == (-1, -1)
    assert kinds == ["part-not-found"]


@pytest.mark.parametrize("file", ["a/b!notes.pan", "a!b/notes.pan", "notes.pan"])
def test_a_file_name_without_a_peer_stands_for_it(file: str) -> None:
    parsed = parse_file(PEER, file)
    assert parsed.annotation is not None
    assert (parsed.annotation.peer, parsed.annotation.annotator) == ("notes.pan", "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\n<html/>", "x.pan, line 1: ... <html> ... <pyramid> ... <peerAnnotation> ... DUCView"),
        (b"<peerAnnotation>\n</peerAnnotation>", "x.pan, line 1: <peerAnnotation> ... <pyramid> ... DUCView"),
        (b"<pyramid><text><line> </line></text></pyramid>", "x.pan, line 1: ... text ... empty. ... DUCView"),
        (PEER.replace(b"annotation>", b"notes>"), "x.pan, line 11: <peerAnnotation> ... <annotation> ... DUCView"),
    ],
)
def test_files_without_what_they_need(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_file(data, "x.pan")
    assert re.search(mentions(message), str(caught.value))


def test_a_guessed_encoding_is_reported() -> None:
    parsed = parse_file(PYRAMID.replace(b"Nobody was", b"Nobody\xe9was"), "x.pyr")
    assert "encoding" in [problem.kind for problem in parsed.peer_problems]
    assert parse_file(PYRAMID, "x.pyr").peer_problems == ()


def test_a_pyramid_at_the_first_byte_is_not_read_again_either() -> None:
    parser, data = AnnotationParser(), pyramid_element(SUMMARIES, SCUS).encode()
    assert parser.parse(data, "x.pyr").reading is parser.parse(data, "y.pyr").reading


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
