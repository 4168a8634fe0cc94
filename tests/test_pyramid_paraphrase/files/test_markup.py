"""Untrusted XML: each hostile file is refused, with the line and the remedy."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from helpers.annotations import DOCTYPE, PYRAMID, SCUS, SUMMARIES, parse_file, pyramid_element, pyramid_file
from helpers.messages import mentions
from lxml import etree

from pyramid_paraphrase.errors import InputError, LimitError
from pyramid_paraphrase.files import limits, markup
from pyramid_paraphrase.files.markup import find_start, line_of, parse_tree, to_utf8

BODY = pyramid_element(SUMMARIES, SCUS)


def refuse(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse_file(data, "evil.pyr")
    return str(caught.value)


def test_billion_laughs() -> None:
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    data = f"<!DOCTYPE pyramid [\n{entities}]>\n{BODY.replace('Monday', '&a9;', 1)}".encode()
    assert re.search(mentions("evil.pyr, line 2: ... XML entity, ... declaration"), refuse(data))


def test_external_entity() -> None:
    data = f'<!DOCTYPE pyramid [ <!ENTITY x SYSTEM "file:///etc/passwd"> ]>\n{BODY.replace("Monday", "&x;", 1)}'
    assert re.search(mentions("evil.pyr, line 1: ... XML entity, ... declaration"), refuse(data.encode()))


def test_entity_in_an_attribute() -> None:
    body = BODY.replace('label="', 'label="&x;', 1)
    data = f'<!DOCTYPE pyramid [ <!ENTITY x "y"> ]>\n{body}'
    assert re.search(mentions("evil.pyr, line 1: ... XML entity, ... declaration"), refuse(data.encode()))


def test_parameter_entity() -> None:
    data = f'<!DOCTYPE pyramid [ <!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x; ]>\n{BODY}'
    assert re.search(mentions("evil.pyr, line 1: ... XML entity, ... declaration"), refuse(data.encode()))


def test_undeclared_entity_does_not_swallow_text() -> None:
    """With an external document type, libxml2 keeps an unknown entity as a node, and the text behind it was lost."""
    data = f'<!DOCTYPE pyramid SYSTEM "nowhere.dtd">\n{BODY.replace("Monday", "Mon&x;day", 1)}'
    assert re.search(mentions("evil.pyr, line 8: ... entity &x;. ... Restore"), refuse(data.encode()))


def test_entity_hidden_in_another_encoding() -> None:
    hidden = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE pyramid [ <!ENTITY x "y"> ]><pyramid/>'
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        assert re.search(mentions("evil.pyr, line 1: ... XML entity, ... declaration"), refuse(hidden.encode(encoding)))
    assert re.search(mentions("evil.pyr, line 1: ... encoding UTF-32. ... UTF-8"), refuse(hidden.encode("utf-32")))
    seven_bit = hidden.replace("UTF-16", "UTF-7").encode("utf-7")
    assert re.search(mentions("evil.pyr, line 1: ... encoding utf-7. ... UTF-8"), refuse(seven_bit))


def test_undeclared_entity_in_an_attribute_is_not_dropped() -> None:
    """If the document type is declared elsewhere, the parser silently removed the entity from the attribute."""
    doctype = b'<!DOCTYPE pyramid SYSTEM "pyramid.dtd">\n'
    for label in (b'label="&x;"', b'label="a&%s;"' % (b"y" * 5000)):
        message = refuse(doctype + b'<pyramid>\n<scu uid="1" %s/></pyramid>' % label)
        assert re.search(mentions("evil.pyr, line 3: ... entity & ... Restore"), message)
    assert f" &{'y' * 20}[...]{'y' * 20};" in message  # 40 characters are shown


def test_a_long_name_of_an_encoding_is_cut() -> None:
    """A declaration of 70,000 letters became a message of 70 kB."""
    message = refuse(b'<?xml version="1.0" encoding="' + b"x" * 70_000 + b'"?><pyramid/>')
    assert re.search(mentions("evil.pyr, line 1: ... xxxxxxxxxxxxxxxxxxxx[...]xxxxxxxxxxxxxxxxxxxx ... UTF-8"), message)
    assert len(message) < 200


def test_catastrophic_regular_expression_is_never_run() -> None:
    evil = " <startDocumentRegEx>(a+)+$\n((-*)*)*D</startDocumentRegEx>\n"
    start = time.process_time()
    parsed = parse_file(pyramid_file(SUMMARIES, SCUS, extra=evil), "evil.pyr")
    assert len(parsed.reading.pyramid.summaries) == 3
    assert time.process_time() - start < 10


def test_more_lines_than_allowed() -> None:
    data = DOCTYPE.format(root="pyramid").encode() + b"<pyramid><text>" + b"<line/>" * 10_000_000 + b"</text></pyramid>"
    with pytest.raises(LimitError, match=mentions("evil.pyr: ... 1,000,000 lines ... Split")):
        parse_file(data, "evil.pyr")


def test_more_scus_than_allowed() -> None:
    with pytest.raises(LimitError, match=mentions("evil.pyr: ... 100,000 SCUs ... Split")):
        parse_file(b"<pyramid><text/>" + b"<scu /> " * 100_001 + b"</pyramid>", "evil.pyr")


def test_more_contributors_than_allowed() -> None:
    """Twice as many as of a pyramid: a peer annotation repeats its pyramid."""
    most = 2 * limits.MAX_CONTRIBUTORS
    assert "more than" not in refuse(b"<pyramid>" + b"<contributor/>" * most)
    assert re.search(
        mentions("evil.pyr: ... 5,000 contributors ... Split"), refuse(b"<pyramid>" + b"<contributor/>" * (most + 1))
    )


def test_more_tags_than_allowed() -> None:
    with pytest.raises(LimitError, match=mentions("evil.pyr: ... 2,500,000 tags ... Split")):
        parse_file(b"<pyramid>" + b"<a/>" * 2_500_001 + b"</pyramid>", "evil.pyr")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            PYRAMID.replace(b"</text>", b"</txt>"),
            "evil.pyr, line 31: ... XML (Opening and ending tag mismatch ... line 31, column 8) ... Restore",
        ),
        (PYRAMID[:600], "evil.pyr, line 22: ... XML (Premature end of data ... line 22, column 16) ... Restore"),
        (b"", "evil.pyr, line 1: ... XML ... line 1, column 1) ... Restore"),
        (b"\x00\x01", "evil.pyr, line 1: ... XML ... line 1, column 1) ... Restore"),
        (b"<html/>", "evil.pyr, line 1: ... <html> ... <pyramid> ... <peerAnnotation> ... DUCView"),
        (b"<pyramid/>", "evil.pyr, line 1: <pyramid> ... <text> ... DUCView"),
        (b"<peerAnnotation/>", "evil.pyr, line 1: <peerAnnotation> ... <pyramid> ... DUCView"),
        (b"<pyramid><text><line> </line></text></pyramid>", "evil.pyr, line 1: ... annotated ... DUCView"),
    ],
)
def test_malformed_files_say_where_and_what_to_do(data: bytes, reason: str) -> None:
    message = refuse(data)
    assert re.search(mentions(reason), message)
    assert ". " in message


def test_encodings() -> None:
    assert to_utf8("caf\u00e9".encode(), "f") == ("caf\u00e9".encode(), False)
    assert to_utf8(b"caf\xe9 \x93", "f") == ("caf\u00e9 \u201c".encode(), True)
    assert to_utf8(b"caf\xe9 \x81", "f") == ("caf\u00e9 \x81".encode(), True)
    declared = b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe9</a>'
    assert to_utf8(declared, "f")[1] is False


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
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


# The first, the last and a middle character of every range, and every single one.
ANY_NAME = "AMZamz059._-"


@pytest.mark.parametrize(
    "data",
    [
        f'<?xml version="1.0" encoding="{ANY_NAME}"?><a/>',
        f"<?xml encoding='{ANY_NAME}'?><a/>",
        f'\ufeff\t\n <?xml version="1.0" encoding \t=\n"{ANY_NAME}" standalone="yes"?><a/>',
    ],
)
def test_declared_encodings_are_found(data: str) -> None:
    with pytest.raises(InputError) as caught:
        to_utf8(data.encode(), "f")
    assert re.search(mentions(f"f, line 1: ... encoding {ANY_NAME.lower()}. ... UTF-8"), str(caught.value))


@pytest.mark.parametrize(
    "data",
    [
        '<a/><?xml encoding="utf-7"?>',
        '<?xml version="1.0"?><a encoding="utf-7"/>',
        '<?xml version="1.0" encodin="utf-7"?><a/>',
        '<?xml version="1.0" encoding=utf-7?><a/>',
        '<xml encoding="utf-7"/>',
        '<?xm encoding="utf-7"?><a/>',
        '<?xml ncoding="utf-7"?><a/>',
    ],
)
def test_files_without_a_declared_encoding_are_utf_8(data: str) -> None:
    assert to_utf8(data.encode(), "f") == (data.encode(), False)


@pytest.mark.parametrize(
    "declaration", ["", '<?xml version="1.0" encoding="UTF-16"?>', '<?xml encoding="UTF-8"?>', " \n", "\t", "\r\n"]
)
def test_utf_16_is_recognized_by_its_bytes(declaration: str) -> None:
    """Pyramids in UTF-16 were refused. Without a byte order mark, the bytes of the first tag show the encoding."""
    text = f"{declaration}<a>caf\u00e9 \U0001f600</a>"
    assert to_utf8(b"\xff\xfe" + text.encode("utf-16-le"), "f") == (text.encode(), False)
    assert to_utf8(b"\xfe\xff" + text.encode("utf-16-be"), "f") == (text.encode(), False)
    assert to_utf8(text.encode("utf-16-le"), "f") == (text.encode(), False)
    assert to_utf8(text.encode("utf-16-be"), "f") == (text.encode(), False)


@pytest.mark.parametrize("data", ["<a/>".encode("utf-32-le"), b"<\0\0", b"\0a\0<", b"\0\0<"])
def test_other_bytes_of_zero_are_not_utf_16(data: bytes) -> None:
    assert to_utf8(data, "f") == (data, False)


@pytest.mark.parametrize("space", ["", " \t\r\n "])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_start_of_a_file_in_any_encoding(encoding: str, space: str) -> None:
    """The last byte of the beginning of a file may be half of a character."""
    assert find_start(f"{space}<a>\u00e9".encode(encoding)[:-1]).startswith(b"<a>")
    assert find_start(b'\n{"a": 1}') == b'{"a": 1}'


def test_a_document_in_place_of_markup_is_named() -> None:
    with pytest.raises(InputError, match=mentions("f: ... PDF ... UTF-8")):
        parse_tree(b"%PDF-1.7\n", "f")


def test_a_converted_file_may_still_declare_utf_16() -> None:
    declared = '<?xml version="1.0" encoding="UTF-16"?><a>caf\u00e9</a>'
    assert to_utf8(declared.encode(), "f") == (declared.encode(), False)
    assert to_utf8(declared.encode("cp1252"), "f") == (declared.encode(), True)


@pytest.mark.parametrize("data", ["<a>\n</a>".encode("utf-16") + b"\n", "<a>\n".encode("utf-16-le") + b"\x00\xd8<\0"])
def test_damaged_utf_16(data: bytes) -> None:
    with pytest.raises(InputError, match=mentions("f, line 2: ... UTF-16. ... UTF-8")):
        to_utf8(data, "f")


def test_utf_32_is_named() -> None:
    for data in ("<a/>".encode("utf-32"), b"\0\0\xfe\xff\0\0\0<"):
        with pytest.raises(InputError, match=mentions("f, line 1: ... encoding UTF-32. ... UTF-8")):
            to_utf8(data, "f")


@pytest.mark.parametrize(
    ("encoding", "guessed"), [("utf8", True), ("us-ascii", True), ("Windows-1252", False), ("latin1", False)]
)
def test_only_files_without_a_declaration_are_guessed_to_be_windows_1252(encoding: str, guessed: bool) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?><a>'
    assert to_utf8(declared.encode() + b"\xe9</a>", "f") == (f"{declared}\u00e9</a>".encode(), guessed)


@pytest.mark.parametrize("hidden", ["<!-- a comment -->", "<?an instruction?>"])
def test_comments_and_instructions_do_not_cut_a_line(hidden: str) -> None:
    body = BODY.replace("Nobody was hurt in", f"Nobody was {hidden}hurt in", 1)
    assert body != BODY
    assert parse_file(body.encode(), "f.pyr").reading.pyramid == parse_file(BODY.encode(), "f.pyr").reading.pyramid


def test_deep_trees_are_refused() -> None:
    assert re.search(
        mentions("evil.pyr, line 1: ... XML (Excessive depth ... Restore"),
        refuse(b"<a>" * 300 + b"</a>" * 300),
    )


@pytest.mark.parametrize(("limit", "accepted"), [(2, True), (1, False)])
def test_limits_are_reached_before_they_are_passed(monkeypatch: pytest.MonkeyPatch, limit: int, accepted: bool) -> None:
    """The example has two SCUs."""
    monkeypatch.setattr(markup, "_BOUNDS", ((b"<scu", limit, "SCUs"),))
    if accepted:
        assert parse_tree(PYRAMID, "f").tag == "pyramid"
    else:
        with pytest.raises(LimitError, match=mentions("f: ... 1 SCUs ... Split")):
            parse_tree(PYRAMID, "f")


@pytest.mark.parametrize(("before", "line"), [(b"", 1), (b"\n", 2), (b"<a>\n\n", 3)])
def test_the_line_of_a_declared_entity(before: bytes, line: int) -> None:
    with pytest.raises(InputError, match=mentions(f"f, line {line}: ... XML entity ... Remove")):
        parse_tree(before + b"<!ENTITY x 'y'>", "f")


def test_lines_of_elements() -> None:
    root = parse_tree(b"<a>\n<b/></a>", "f")
    assert [line_of(element) for element in (root, root[0], None)] == [1, 2, 0]


def test_document_types_outside_of_the_file_are_not_read(tmp_path: Path) -> None:
    """The reference may be refused or dropped, but no other file may be read."""
    (tmp_path / "x.dtd").write_text('<!ENTITY x "secret">')
    data = f'<!DOCTYPE a SYSTEM "{tmp_path / "x.dtd"}">\n<a b="&x;"/>'
    try:
        outcome = str(parse_tree(data.encode(), "f").attrib)
    except InputError as error:
        outcome = str(error)
    assert "secret" not in outcome


def test_faults_without_words_or_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise etree.XMLSyntaxError(None, 1, 0, 0)

    monkeypatch.setattr(etree, "fromstring", fail)
    with pytest.raises(InputError, match=mentions("f, line 1: ... XML (empty). Restore")):
        parse_tree(b"<a/>", "f")
