"""Parse the bytes of an untrusted file into an XML tree."""

from __future__ import annotations

import codecs
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pyramid_paraphrase.errors import InputError, LimitError, shorten
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import refuse_document

if TYPE_CHECKING:
    from lxml import etree

_RESTORE = "restore the original file, or correct it"
_DECLARED_ENCODING = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_MAX_ENCODING = _MAX_ENTITY = 40
"""Longest name of an encoding or an entity in a message, in characters."""

_UTF_8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_ONE_BYTE_NAMES = frozenset({"iso-8859-1", "latin-1", "latin1", "windows-1252", "cp1252"})
_UTF_16_NAMES = frozenset({"utf-16", "utf16", "utf-16le", "utf-16be"})
_UTF_32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF_16_BEGINNINGS = (
    ("utf-16", re.compile(rb"\xff\xfe|\xfe\xff")),  # Python's codec evaluates the byte order mark
    ("utf-16-le", re.compile(rb"(?:[\t\n\r ]\0)*<\0(?!\0)")),
    ("utf-16-be", re.compile(rb"(?:\0[\t\n\r ])*\0<")),
)
"""Encodings and beginnings of their files: a byte order mark or, without it, the first tag (XML 1.0, appendix F)."""

_DOCUMENT_MARKS = re.compile(rb"<!--|<!\[CDATA\[|<\?xml\s|<\?|<!DOCTYPE\s")
_ROOT_MARKS = re.compile(rb"<!--|<\?|<([^\s<>/!?]+)")
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
"""Beginnings of comments, character data and processing instructions, whose content is not markup, and their ends."""

_BETWEEN_DOCUMENTS = b" \t\r\n\0" + codecs.BOM_UTF8

_BOUNDS = (
    (b"<line", limits.MAX_LINES, "lines"),
    (b"<scu", limits.MAX_SCUS, "SCUs"),
    (b"<peerscu", limits.MAX_SCUS, "SCUs"),
    (b"<contributor", 2 * limits.MAX_CONTRIBUTORS, "contributors"),  # a peer annotation repeats its pyramid
    (b"<part", limits.MAX_PARTS, "parts"),
    (b"<", limits.MAX_TAGS, "tags"),
    (b"=", limits.MAX_ATTRIBUTES, "attributes"),
)


def to_utf8(data: bytes, file: str) -> tuple[bytes, bool]:
    """Convert a file to UTF-8. Text that is not valid UTF-8 is read as Windows-1252, a superset of Latin-1.

    UTF-16 is recognized by the bytes, whatever the XML declaration says, because programs that convert a file often
    keep its declaration.

    Args:
        data: The file's bytes.
        file: Its name, for errors.

    Returns:
        The text in UTF-8, and whether it was read as Windows-1252 although it does not declare that encoding.

    Raises:
        InputError: If the file is in another encoding, or is damaged UTF-16.
    """
    declaration = _DECLARED_ENCODING.match(data)
    encoding = declaration[1].decode("ascii").lower() if declaration else None
    if data.startswith(_UTF_32_MARKS):
        encoding = "UTF-32"
    elif utf_16 := _find_utf_16(data):
        try:
            return data.decode(utf_16).encode("utf-8"), False
        except UnicodeDecodeError as error:
            line = data[: error.start].decode(utf_16).count("\n") + 1
            raise InputError(file, "is not valid UTF-16", "save the file as UTF-8", line) from None
    if encoding and encoding not in _UTF_8_NAMES | _ONE_BYTE_NAMES | _UTF_16_NAMES:
        name = shorten(encoding, _MAX_ENCODING)
        raise InputError(file, f"has the unsupported encoding {name}", "save the file as UTF-8", 1)
    if encoding in _ONE_BYTE_NAMES:
        return _decode_one_byte(data).encode("utf-8"), False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_one_byte(data).encode("utf-8"), True
    return data, False


def list_documents(data: bytes, file: str) -> list[tuple[int, bytes]]:
    """Divide a file into XML documents. DucView and SEAView append a document each time they save to the same file.

    A document begins at an XML declaration. If there are fewer than two declarations, it begins at a document type.

    Args:
        data: The file's bytes.
        file: Its name, for errors.

    Returns:
        The documents in the order of the file, each with the number of line ends before it. Only UTF-16 is converted,
        because the documents of a file can be in different encodings.

    Raises:
        InputError: If the file is damaged UTF-16.
        LimitError: If there are more documents than `limits` allows.
    """
    if _find_utf_16(data):
        data, _ = to_utf8(data, file)
    if data.count(b"<?xml") < 2 and data.count(b"<!DOCTYPE") < 2:
        return [(0, data)]
    starts = _find_documents(data, b"<?xml")
    if len(starts) < 2:
        starts = _find_documents(data, b"<!DOCTYPE")
    if len(starts) < 2:
        return [(0, data)]
    if len(starts) > limits.MAX_DOCUMENTS:
        reason = f"has more than {limits.MAX_DOCUMENTS:,} XML documents"
        raise LimitError(file, reason, "delete all documents except the last from the file")
    documents = []
    line_ends = 0
    for start, end in pairwise([0, *starts[1:], len(data)]):
        document = data[start:end]
        documents.append((line_ends, document.rstrip(_BETWEEN_DOCUMENTS)))
        line_ends += document.count(b"\n")
    return documents


def _find_documents(data: bytes, beginning: bytes) -> list[int]:
    """Find the declarations or document types of a file, outside of comments and character data."""
    starts: list[int] = []
    place = 0
    while len(starts) <= limits.MAX_DOCUMENTS and (mark := _DOCUMENT_MARKS.search(data, place)):
        place = mark.end()
        if mark[0].startswith(beginning):
            starts.append(mark.start())
        elif mark[0] in _ENDS:
            end = data.find(_ENDS[mark[0]], place)
            if end < 0:
                break
            place = end
    return starts


def find_root(document: bytes) -> str:
    """Return the name of the root element of a document, or "" if there is none."""
    place = 0
    while mark := _ROOT_MARKS.search(document, place):
        if mark[1]:
            return mark[1].decode("utf-8", "replace")
        place = document.find(_ENDS[mark[0]], mark.end())
        if place < 0:
            break
    return ""


def move_down(document: bytes, line_ends: int) -> bytes:
    """Insert empty lines into a document, so that its lines have the same numbers as in its file."""
    declaration, end, content = document.partition(b"?>")
    if not document.startswith(b"<?xml"):
        return b"\n" * line_ends + document
    return declaration + end + b"\n" * line_ends + content


def find_start(head: bytes) -> bytes:
    """Return the first bytes of a file in UTF-8, without byte order mark and white space. Markup may be in UTF-16."""
    if encoding := _find_utf_16(head):
        head = head.decode(encoding, "ignore").encode("utf-8")
    return head.lstrip(codecs.BOM_UTF8 + b" \t\r\n")


def _find_utf_16(data: bytes) -> str | None:
    return next((encoding for encoding, beginning in _UTF_16_BEGINNINGS if beginning.match(data)), None)


def _decode_one_byte(data: bytes) -> str:
    """Decode Windows-1252 or, if a byte has no meaning there, Latin-1."""
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse_tree(data: bytes, file: str) -> etree._Element:
    """Parse XML without entities, network, DTD defaults or oversized nodes.

    A document type with element and attribute declarations, which every real file has, is ignored.

    Args:
        data: The file in UTF-8. The encoding in its XML declaration is ignored.
        file: Its name, for errors.

    Returns:
        The root element.

    Raises:
        LimitError: If it contains more lines, SCUs, tags or attributes than `limits` allows.
        InputError: If it declares an entity, uses an undeclared entity, or is not well-formed.
    """
    from lxml import etree

    for tag, limit, name in _BOUNDS:
        if len(data) > limit * len(tag) and data.count(tag) > limit:
            raise LimitError(file, f"has more than {limit:,} {name}", "split the file")
    entity = data.find(b"<!ENTITY")
    if entity >= 0:
        line = data.count(b"\n", 0, entity) + 1
        raise InputError(file, "declares an XML entity, which is not allowed", "remove the declaration", line)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        refuse_document(file, data)
        reason = (error.msg or "empty").split("\n")[0]
        raise InputError(file, f"is not well-formed XML ({reason})", _RESTORE, error.lineno or 1) from None
    # In attributes, lxml removes undeclared entities without a trace in the tree. Its log lists all of them.
    for warning in parser.error_log.filter_types([etree.ErrorTypes.WAR_UNDECLARED_ENTITY]):
        name = shorten(warning.message.split("'")[1], _MAX_ENTITY)
        raise InputError(file, f"uses the undeclared entity &{name};", _RESTORE, warning.line)
    return root


def line_of(element: etree._Element | None) -> int:
    """Return the line in which an element starts, 1-based, or 0 if it is unknown."""
    if element is None or not isinstance(element.sourceline, int):
        return 0
    return element.sourceline
