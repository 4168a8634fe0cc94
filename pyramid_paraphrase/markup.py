"""Bytes of an untrusted file to an XML tree, or an error that says where and why not."""

from __future__ import annotations

import re

from lxml import etree

from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import InputError, LimitError, shorten

_RESTORE = "restore the file from the distribution, or mend it"
_DECLARED_ENCODING = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
_SHOWN_ENCODING = _SHOWN_ENTITY = 40
_UTF_8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_ONE_BYTE_NAMES = frozenset({"iso-8859-1", "latin-1", "latin1", "windows-1252", "cp1252"})
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
    """Bring a file to UTF-8: what it is unless it says or shows otherwise, else Windows-1252, a superset of Latin-1.

    Args:
        data: The file's bytes.
        file: Its name, for errors.

    Returns:
        The text in UTF-8, and whether it was read as Windows-1252 without saying so.

    Raises:
        InputError: If the file is in another encoding.
    """
    declared = _DECLARED_ENCODING.match(data)
    encoding = declared[1].decode("ascii").lower() if declared else "utf-8"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or encoding not in _UTF_8_NAMES | _ONE_BYTE_NAMES:
        encoding = shorten(encoding, _SHOWN_ENCODING) if declared else "UTF-16"
        raise InputError(file, f"encoding {encoding} is not supported", "save the file as UTF-8", 1)
    if encoding in _UTF_8_NAMES:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        else:
            return data, False
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.encode("utf-8"), encoding in _UTF_8_NAMES


def parse_tree(data: bytes, file: str) -> etree._Element:
    """Parse XML without entities, network, DTD defaults or oversized nodes.

    A document type with element and attribute declarations, which every real file has, is read over.

    Args:
        data: The file in UTF-8, whatever its XML declaration says.
        file: Its name, for errors.

    Returns:
        The root element.

    Raises:
        LimitError: If it holds more lines, SCUs or tags than `limits` allows.
        InputError: If it declares or uses an entity of its own, or is not well-formed.
    """
    for tag, limit, what in _BOUNDS:
        if len(data) > limit * len(tag) and data.count(tag) > limit:
            raise LimitError(file, f"more than {limit:,} {what}", "split the file")
    entity = data.find(b"<!ENTITY")
    if entity >= 0:
        line = data.count(b"\n", 0, entity) + 1
        raise InputError(file, "declares an XML entity, which is refused", "remove the declaration", line)
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
        reason = (error.msg or "empty").split("\n")[0]
        raise InputError(file, f"not well-formed XML ({reason})", _RESTORE, error.lineno or 1) from None
    # The tree shows undeclared entities in texts, and nothing in the place of those in attributes.
    for warning in parser.error_log.filter_types([etree.ErrorTypes.WAR_UNDECLARED_ENTITY]):
        name = shorten(warning.message.split("'")[1], _SHOWN_ENTITY)
        raise InputError(file, f"uses the undeclared entity &{name};", _RESTORE, warning.line)
    return root


def line_of(element: etree._Element | None) -> int:
    """Line of the file that an element starts in, 1-based, or 0 if that is not known."""
    line = None if element is None else element.sourceline
    return line if isinstance(line, int) else 0
