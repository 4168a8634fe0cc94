"""Untrusted XML: each hostile file is refused, with the line and the remedy."""

from __future__ import annotations

import time

import pytest
from factory import DOCTYPE, PYRAMID, SCUS, SUMMARIES, pyramid_element, pyramid_file

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.markup import to_utf8
from pyramid_paraphrase.parser import parse_file

BODY = pyramid_element(SUMMARIES, SCUS)


def refuse(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse_file(data, "evil.pyr")
    return str(caught.value)


def test_billion_laughs() -> None:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    data = f"<!DOCTYPE pyramid [\n{entities}]>\n{BODY.replace('Monday', '&a9;', 1)}".encode()
    assert refuse(data) == "evil.pyr, line 2: declares an XML entity, which is refused; remove the declaration"


def test_external_entity() -> None:
    data = f'<!DOCTYPE pyramid [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]>\n{BODY.replace("Monday", "&x;", 1)}'
    assert "declares an XML entity" in refuse(data.encode())


def test_entity_in_an_attribute() -> None:
    body = BODY.replace('label="', 'label="&x;', 1)
    data = f'<!DOCTYPE pyramid [ <!ENTITY x "y"> ]>\n{body}'
    assert "declares an XML entity" in refuse(data.encode())


def test_parameter_entity() -> None:
    data = f'<!DOCTYPE pyramid [ <!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x; ]>\n{BODY}'
    assert "declares an XML entity" in refuse(data.encode())


def test_undeclared_entity_does_not_swallow_text() -> None:
    """With an external document type, libxml2 keeps an unknown entity as a node, and the text behind it was lost."""
    data = f'<!DOCTYPE pyramid SYSTEM "nowhere.dtd">\n{BODY.replace("Monday", "Mon&x;day", 1)}'
    assert refuse(data.encode()).startswith("evil.pyr, line 8: uses the undeclared entity &x;; restore the file")


def test_entity_hidden_in_another_encoding() -> None:
    hidden = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE pyramid [ <!ENTITY x "y"> ]><pyramid/>'
    assert "encoding UTF-16 is not supported; save the file as UTF-8" in refuse(hidden.encode("utf-16"))
    seven_bit = hidden.replace("UTF-16", "UTF-7").encode("utf-7")
    assert "encoding utf-7 is not supported" in refuse(seven_bit)


def test_a_long_name_of_an_encoding_is_cut() -> None:
    """A declaration of 70,000 letters became a message of 70 kB."""
    message = refuse(b'<?xml version="1.0" encoding="' + b"x" * 70_000 + b'"?><pyramid/>')
    assert "is not supported; save the file as UTF-8" in message
    assert len(message) < 200


def test_catastrophic_regular_expression_is_never_run() -> None:
    evil = " <startDocumentRegEx>(a+)+$\n((-*)*)*D</startDocumentRegEx>\n"
    start = time.process_time()
    parsed = parse_file(pyramid_file(SUMMARIES, SCUS, extra=evil), "evil.pyr")
    assert len(parsed.reading.pyramid.summaries) == 3
    assert time.process_time() - start < 10


def test_more_lines_than_allowed() -> None:
    data = DOCTYPE.format(root="pyramid").encode() + b"<pyramid><text>" + b"<line/>" * 10_000_000 + b"</text></pyramid>"
    with pytest.raises(LimitError, match=r"evil\.pyr: more than 1,000,000 lines; split the file"):
        parse_file(data, "evil.pyr")


def test_more_scus_than_allowed() -> None:
    with pytest.raises(LimitError, match="more than 100,000 SCUs"):
        parse_file(b"<pyramid><text/>" + b"<scu /> " * 100_001 + b"</pyramid>", "evil.pyr")


def test_more_tags_than_allowed() -> None:
    with pytest.raises(LimitError, match="more than 2,500,000 tags"):
        parse_file(b"<pyramid>" + b"<a/>" * 2_500_001 + b"</pyramid>", "evil.pyr")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (PYRAMID.replace(b"</text>", b"</txt>"), "line 31: not well-formed XML (Opening and ending tag mismatch"),
        (PYRAMID[:600], "not well-formed XML (Premature end of data"),
        (b"", "line 1: not well-formed XML"),
        (b"\x00\x01", "line 1: not well-formed XML"),
        (b"<html/>", "line 1: root element <html> is not <pyramid> or <peerAnnotation>; give pyramids (.pyr)"),
        (b"<pyramid/>", "line 1: <pyramid> has no <text>"),
        (b"<peerAnnotation/>", "<peerAnnotation> has no <pyramid>"),
        (b"<pyramid><text><line>x</line></text></pyramid>", "no model summary found in the text"),
    ],
)
def test_malformed_files_say_where_and_what_to_do(data: bytes, reason: str) -> None:
    message = refuse(data)
    assert reason in message
    assert "; " in message


def test_encodings() -> None:
    assert to_utf8("caf\u00e9".encode(), "f") == ("caf\u00e9".encode(), False)
    assert to_utf8(b"caf\xe9 \x93", "f") == ("caf\u00e9 \u201c".encode(), True)
    assert to_utf8(b"caf\xe9 \x81", "f") == ("caf\u00e9 \x81".encode(), True)
    declared = b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>'
    assert to_utf8(declared, "f")[1] is False


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252"])
def test_the_same_pyramid_in_any_encoding(encoding: str) -> None:
    summaries = {key: text.replace("mill", "moulin \u00e9t\u00e9") for key, text in SUMMARIES.items()}
    scus = {
        (uid, label): [(who, [part.replace("mill", "moulin \u00e9t\u00e9") for part in parts]) for who, parts in items]
        for (uid, label), items in SCUS.items()
    }
    text = pyramid_file(summaries, scus).decode()
    parsed = parse_file(text.encode(encoding), "f.pyr")
    assert parsed.reading.pyramid == parse_file(text.encode(), "f.pyr").reading.pyramid
    assert [problem.kind for problem in parsed.peer_problems] == ["encoding"] * (encoding in ("latin-1", "cp1252"))
