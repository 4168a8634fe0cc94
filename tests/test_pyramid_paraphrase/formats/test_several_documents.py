"""Files with several XML documents: DucView 1.5 and SEAView append a document each time they save to the same file."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from helpers.annotations import PEER, PEER_NAME, PYRAMID, SUMMARIES, parse_file, pyramid_file
from helpers.messages import mentions

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits, markup
from pyramid_paraphrase.formats.ducview_parser import ParsedFile
from pyramid_paraphrase.pyramids.records import Problem
from pyramid_paraphrase.reading import read_corpus

EARLIER = pyramid_file(SUMMARIES, {("1", "A first try"): [("A", ["The old mill burned down"])]})
CUT = PYRAMID[: PYRAMID.index(b"No one suffered")]
LINES = EARLIER.count(b"\n")
DECLARATION = b'<?xml version="1.0"?>'


def labels(file: ParsedFile) -> list[str]:
    return [scu.label for scu in file.reading.pyramid.scus]


BOTH = ["The mill was destroyed by fire", "No one suffered an injury"]


@pytest.mark.parametrize(
    "between",
    [b"", b"\n\n", b"\r\n", b"<!-- saved again -->\n", b"\0\0\0\0", codecs.BOM_UTF8],
    ids=["nothing", "lines", "crlf", "comment", "nul", "bom"],
)
def test_the_last_document_counts(between: bytes) -> None:
    """DucView 1.5 ended a file that it saved twice with a second document, and the file was left out as damaged."""
    file = parse_file(EARLIER + between + PYRAMID, "x.pyr")
    assert labels(file) == BOTH
    (problem,) = file.peer_problems
    assert (problem.kind, problem.file, problem.times) == ("document-superseded", "x.pyr", 1)
    assert problem.line == LINES + between.count(b"\n") + 11  # the root element is in line 11 of its document
    assert "2 XML documents" in problem.message


def test_the_first_document_may_be_damaged() -> None:
    file = parse_file(CUT + b"\n" + EARLIER + PYRAMID, "x.pyr")
    assert labels(file) == BOTH
    assert [problem.kind for problem in file.peer_problems] == ["document-superseded"]
    assert "3 XML documents" in file.peer_problems[0].message


def test_the_last_whole_document_counts() -> None:
    """A save that was interrupted must not hide the save before it, and must not go unnoticed."""
    file = parse_file(PYRAMID + EARLIER + CUT, "x.pyr")
    assert labels(file) == ["A first try"]
    damaged, superseded = file.peer_problems
    line = (PYRAMID + EARLIER + CUT).count(b"\n") + 1
    assert (damaged.kind, damaged.line) == ("document-damaged", line)
    assert "well-formed" in damaged.message
    assert superseded.kind == "document-superseded"
    assert "3 XML documents" in superseded.message


def test_a_single_whole_document_before_damage() -> None:
    file = parse_file(PYRAMID + DECLARATION, "x.pyr")
    assert labels(file) == BOTH
    assert [problem.kind for problem in file.peer_problems] == ["document-damaged"]


def test_only_damaged_documents() -> None:
    """The error is that of the last document, which counts."""
    line = (CUT + b"\n" + CUT).count(b"\n") + 1
    with pytest.raises(InputError, match=mentions(f"x.pyr, line {line}: ... well-formed XML")):
        parse_file(CUT + b"\n" + CUT, "x.pyr")


def test_documents_of_different_kinds() -> None:
    """The line says which documents are not used, because they can contain another annotation."""
    peer = parse_file(EARLIER + PYRAMID + PEER, PEER_NAME)
    assert peer.annotation is not None
    assert [scu.uid for scu in peer.annotation.scus] == ["1", "0"]
    assert "<peerAnnotation> is used" in peer.peer_problems[0].message
    assert "pyramid 2" in peer.peer_problems[0].message
    pyramid = parse_file(PEER + PYRAMID, PEER_NAME)
    assert pyramid.annotation is None
    assert "<pyramid> is used" in pyramid.peer_problems[0].message
    assert "peerAnnotation 1" in pyramid.peer_problems[0].message


def test_an_unknown_last_document() -> None:
    with pytest.raises(InputError, match=mentions(f"x.pyr, line {LINES + 1}: ... <html> ... DUCView")):
        parse_file(EARLIER + DECLARATION + b"\n<html/>", "x.pyr")


def test_documents_without_declarations() -> None:
    """Document types divide documents if fewer than two have a declaration."""
    start = len(DECLARATION)
    assert PYRAMID.startswith(DECLARATION)
    for data in (EARLIER + PYRAMID[start:], EARLIER[start:] + PYRAMID[start:], EARLIER[start:] + PYRAMID):
        file = parse_file(data, "x.pyr")
        assert labels(file) == BOTH
        assert [problem.kind for problem in file.peer_problems] == ["document-superseded"]


def test_markup_in_comments_and_character_data_begins_no_document() -> None:
    """Such a file is one document, and was read before."""
    expression = b"<startDocumentRegEx><![CDATA[<?xml x ?><!DOCTYPE y]]></startDocumentRegEx>"
    instruction = b"<!-- <?xml a ?> <!DOCTYPE b --><?other <!DOCTYPE c ?>\n"
    data = PYRAMID.replace(b"<pyramid>\n", b"<pyramid>\n" + instruction + expression, 1)
    assert markup.list_documents(data, "x.pyr") == [(0, data)]
    file = parse_file(data, "x.pyr")
    assert (labels(file), file.peer_problems) == (BOTH, ())


def test_documents_in_a_comment_that_does_not_end() -> None:
    """Nothing after such a comment is markup, so the file is damaged as a whole."""
    data = PYRAMID + b"<!-- " + EARLIER + PYRAMID
    assert markup.list_documents(data, "x.pyr") == [(0, data)]
    with pytest.raises(InputError, match=mentions("x.pyr, line ... well-formed XML")):
        parse_file(data, "x.pyr")


@pytest.mark.parametrize(
    ("document", "moved"),
    [
        (b'<?xml version="1.0"?><a><?b c?></a>', b'<?xml version="1.0"?>\n\n<a><?b c?></a>'),
        (b"<!DOCTYPE a><a><?b c?></a>", b"\n\n<!DOCTYPE a><a><?b c?></a>"),
        (b"<?xml version=", b"<?xml version=\n\n"),
    ],
)
def test_documents_are_moved_down(document: bytes, moved: bytes) -> None:
    """Nothing may be before an XML declaration."""
    assert markup.move_down(document, 2) == moved


def test_the_last_document_has_its_own_encoding() -> None:
    """Older programs wrote in the encoding of the system, and newer ones append in UTF-8."""
    older = EARLIER.replace(b"A first try", "An éarlier try".encode("latin-1"))
    newer = PYRAMID.replace(b"No one", "Nö one".encode())
    assert labels(parse_file(older + newer, "x.pyr"))[1] == "Nö one suffered an injury"
    both = (EARLIER + PYRAMID).decode().encode("utf-16")
    assert labels(parse_file(both, "x.pyr")) == BOTH


def test_entities_of_the_last_document_are_refused() -> None:
    """An earlier document takes its place, and the line says why."""
    unsafe = PYRAMID.replace(b"<!ELEMENT line", b'<!ENTITY x "y"><!ELEMENT line')
    with pytest.raises(InputError, match="entity"):
        parse_file(unsafe, "x.pyr")
    file = parse_file(EARLIER + unsafe, "x.pyr")
    assert labels(file) == ["A first try"]
    assert "entity" in file.peer_problems[0].message


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits on elements hold for the document that is used, not for all saves together."""
    monkeypatch.setattr(limits, "MAX_DOCUMENTS", 3)
    assert labels(parse_file(PYRAMID * 3, "x.pyr")) == BOTH
    with pytest.raises(LimitError, match=mentions("x.pyr: ... 3 XML documents ... Delete ... the last")):
        parse_file(PYRAMID * 4, "x.pyr")
    monkeypatch.setattr(markup, "_BOUNDS", ((b"<scu", 2, "SCUs"),))
    assert labels(parse_file(PYRAMID * 3, "x.pyr")) == BOTH
    wide = PYRAMID.replace(b"</pyramid>", b"<scu/></pyramid>")
    with pytest.raises(LimitError, match=mentions("x.pyr: ... 2 SCUs")):
        parse_file(PYRAMID + wide, "x.pyr")


@pytest.mark.parametrize(
    ("document", "root"),
    [
        (PYRAMID, "pyramid"),
        (b"<!-- <peerAnnotation> --><?x <y> ?><SEP a='1'>", "SEP"),
        (b"<!-- <pyramid>", ""),
        (b"text", ""),
        (b"<!DOCTYPE x [<!ELEMENT y>]>\n<a-b:c_9.Z/>", "a-b:c_9.Z"),
        ("<\N{LATIN SMALL LETTER E WITH ACUTE}\n>".encode(), "\N{LATIN SMALL LETTER E WITH ACUTE}"),
        (b"<\xff>", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_names_of_roots(document: bytes, root: str) -> None:
    assert markup.find_root(document) == root


def test_peers_that_were_saved_as_pyramids(tmp_path: Path) -> None:
    """DucView's README asks to save peers as `.pyr`. The content decides, and equal copies are different peers."""
    (tmp_path / "D0901-A.pyr").write_bytes(PYRAMID)
    for name in ("D0901-A.M.100.A.7.pyr", "100.D0901-A.M.100.A.8.xml", "kim.pyr", "lee.PYR"):
        (tmp_path / name).write_bytes(PEER)
    corpus = read_corpus(tmp_path)
    names = {(annotation.annotator, annotation.peer) for annotation in corpus.annotations}
    assert names == {("", "7"), ("100", "8"), ("", "kim.pyr"), ("", "lee.PYR")}
    assert corpus.files == {"D0901-A": f"{tmp_path.name}/D0901-A.pyr"}
    assert {problem.kind for problem in corpus.problems} == {"peer-name"}


def test_a_peer_that_was_saved_twice(tmp_path: Path) -> None:
    (tmp_path / PEER_NAME).write_bytes(PEER * 2)
    (tmp_path / "D0901-A.pyr").write_bytes(EARLIER + PYRAMID)
    corpus = read_corpus(tmp_path)
    assert [annotation.peer for annotation in corpus.annotations] == ["7"]
    assert [scu.label for scu in corpus.pyramids[0].scus] == BOTH
    assert (corpus.accounts.files_used, corpus.accounts.files_left_out) == (2, 0)
    kinds = [(Path(problem.file).name, problem.kind) for problem in corpus.problems]
    assert kinds == [(PEER_NAME, "document-superseded"), ("D0901-A.pyr", "document-superseded")]


def test_versions_of_a_pyramid_may_end_in_empty_lines(tmp_path: Path) -> None:
    """DucView drops empty lines at the end of the text, so its copy of a pyramid was refused as a different one."""
    shorter = PYRAMID.replace(b"  <line></line>\n </text>", b" </text>", 1)
    assert shorter != PYRAMID
    (tmp_path / "a.pyr").write_bytes(PYRAMID)
    (tmp_path / "b.pyr").write_bytes(shorter)
    corpus = read_corpus(tmp_path)
    assert (len(corpus.pyramids), corpus.accounts.files_repeated) == (1, 1)
    assert corpus.problems == ()
    (tmp_path / "b.pyr").write_bytes(PYRAMID.replace(b"<line></line>", b"<line>x</line>", 1))
    with pytest.raises(InputError, match=mentions("b.pyr: ... differs ... a.pyr. Remove")):
        read_corpus(tmp_path)


def test_lines_of_problems_count_from_the_beginning_of_the_file() -> None:
    blank = PYRAMID.replace(b'label="No one suffered an injury"', b'label="x &amp;quot;y&amp;quot;"')
    (single,) = parse_file(blank, "x.pyr").reading.problems
    (second,) = parse_file(EARLIER + blank, "x.pyr").reading.problems
    assert second == Problem("x.pyr", single.line + LINES, "double-escaped", single.uid, single.message)
