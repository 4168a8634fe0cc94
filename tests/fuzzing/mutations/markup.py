"""Changes of XML: elements, attributes, offsets, headings, document types, entities, encodings, nesting."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from xml.sax.saxutils import escape

from lxml import etree

from fuzzing.chance import Chance
from fuzzing.mutations.blobs import mutate_bytes

_MARKER = "MARKER-OF-THE-FUZZER"
"""Stands for a text that lxml would refuse to write, until the tree is written."""

_ENCODINGS = (
    "UTF-8",
    "utf8",
    "US-ASCII",
    "ISO-8859-1",
    "windows-1252",
    "UTF-16",
    "UTF-7",
    "EBCDIC-CP-US",
    "x" * 70_000,
)
_LARGEST_REPEAT = 1 << 18
_ROOT_OF_DOCUMENT_TYPE = re.compile(rb"<!DOCTYPE [^\[>]*(?:\[.*?\])?\s*>", re.DOTALL)

Change = Callable[[etree._Element, Chance], str]
"""A function that changes a tree, and returns the replacement of its marker."""


def mutate_markup(data: bytes, chance: Chance) -> bytes:
    """Change a file of XML. A file that cannot be parsed is changed as bytes."""
    if chance.happens(0.2):
        return chance.choice(_PROLOGUES)(data, chance)
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True))
    except etree.XMLSyntaxError:
        return mutate_bytes(data, chance)
    raw = chance.choice(_CHANGES)(root, chance)
    document_type = _ROOT_OF_DOCUMENT_TYPE.search(data)
    head = b'<?xml version="1.0"?>\n' + (document_type[0] if document_type else b"") + b"\n"
    body = etree.tostring(root, encoding="unicode")
    return head + body.replace(_MARKER, raw).encode("utf-8", "surrogatepass")


def _elements(root: etree._Element) -> list[etree._Element]:
    return list(root.iter(etree.Element))


def _some_element(root: etree._Element, chance: Chance) -> etree._Element:
    """Choose an element. Its kind is chosen first, because most elements are lines."""
    by_tag: dict[str, list[etree._Element]] = {}
    for element in _elements(root):
        by_tag.setdefault(str(element.tag), []).append(element)
    return chance.choice(by_tag[chance.choice(sorted(by_tag))])


def _raw_text(chance: Chance) -> str:
    """Choose a text, escaped or not."""
    text = chance.text()
    return escape(text, {'"': "&quot;"}) if chance.happens(0.7) else text


def _change_attribute(root: etree._Element, chance: Chance) -> str:
    element = _some_element(root, chance)
    names = sorted(map(str, element.attrib)) or ["uid", "label"]
    element.set(chance.choice(names), _MARKER)
    return chance.number() if chance.happens(0.4) else _raw_text(chance)


def _shift_offset(root: etree._Element, chance: Chance) -> str:
    """Change one offset a little, or all offsets by the same number."""
    parts = list(root.iter("part"))
    distance = chance.choice((-1, 1, 2, -20, 20, 10_000, -10_000))
    chosen = parts if chance.happens(0.3) else [chance.choice(parts)] if parts else []
    name = chance.choice(("start", "end"))
    for part in chosen:
        value = part.get(name, "0")
        part.set(name, str(int(value) + distance) if value.isdecimal() else str(distance))
    return ""


def _copy_attribute(root: etree._Element, chance: Chance) -> str:
    """Give an element the uid, label or offset of another element, or give all elements of a kind the same value."""
    source = _some_element(root, chance)
    name = chance.pick(sorted(map(str, source.attrib)))
    if name is None:
        return ""
    same_kind = list(root.iter(str(source.tag)))
    for element in same_kind if chance.happens(0.3) else [chance.choice(same_kind)]:
        element.set(name, str(source.get(name)))
    return ""


def _drop_attribute(root: etree._Element, chance: Chance) -> str:
    element = _some_element(root, chance)
    name = chance.pick(sorted(map(str, element.attrib)))
    if name is not None:
        del element.attrib[name]
    return ""


def _change_text(root: etree._Element, chance: Chance) -> str:
    element = _some_element(root, chance)
    element.text = _MARKER if chance.happens(0.5) else (element.text or "") + _MARKER
    return _raw_text(chance)


def _change_heading(root: etree._Element, chance: Chance) -> str:
    """Change a line that heads a summary, or the dashes around it."""
    lines = list(root.iter("line"))
    names = [at for at, line in enumerate(lines) if re.search(r"\.M\.[0-9]+\.", line.text or "")]
    at = chance.pick(names)
    if at is None:
        return ""
    near = lines[max(0, at + chance.randrange(-1, 2))]
    near.text = chance.choice((_MARKER, (near.text or "") + _MARKER, lines[at].text or "", "-" * 300, "---", None))
    return _raw_text(chance)


def _remove(root: etree._Element, chance: Chance) -> str:
    element = _some_element(root, chance)
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
    return ""


def _move(root: etree._Element, chance: Chance) -> str:
    element, target = _some_element(root, chance), _some_element(root, chance)
    if element is not root and element not in target.iterancestors() and element is not target:
        target.insert(chance.randint(0, len(target)), element)
    return ""


def _repeat(root: etree._Element, chance: Chance) -> str:
    """Repeat an element, from once to a total of 256 KiB."""
    element = _some_element(root, chance)
    parent = element.getparent()
    if parent is None:
        return ""
    most = _LARGEST_REPEAT // len(etree.tostring(element))
    for _ in range(min(chance.count(), most)):
        element.addprevious(deepcopy(element))
    return ""


def _number_repeated(root: etree._Element, chance: Chance) -> str:
    """Repeat an element with another uid each time."""
    element = _some_element(root, chance)
    parent = element.getparent()
    if parent is None:
        return ""
    most = _LARGEST_REPEAT // len(etree.tostring(element))
    for number in range(min(chance.count(), most)):
        copy = deepcopy(element)
        copy.set("uid", str(number))
        parent.append(copy)
    return ""


def _rename(root: etree._Element, chance: Chance) -> str:
    element = _some_element(root, chance)
    tags = (*sorted({str(each.tag) for each in _elements(root)}), "peerAnnotation", "pyramid", "x")
    element.tag = chance.choice(tags)
    return ""


def _nest(root: etree._Element, chance: Chance) -> str:
    """Wrap an element in many elements of its kind."""
    element = _some_element(root, chance)
    depth = min(chance.count(), 5000)
    tag = str(element.tag)
    element.text = (element.text or "") + _MARKER
    return f"<{tag}>" * depth + f"</{tag}>" * depth


def _insert_markup(root: etree._Element, chance: Chance) -> str:
    """Put a comment, an instruction, a section or an entity into a text."""
    element = _some_element(root, chance)
    element.text = (element.text or "") + _MARKER
    return chance.choice(
        ("<!-- c -->", "<?pi x?>", "<![CDATA[ <a> ]]>", "&none;", "&#13;", "&#xD800;", "&lt;", "&amp;quot;", "<br/>")
    )


_CHANGES: tuple[Change, ...] = (
    _change_attribute,
    _change_attribute,
    _shift_offset,
    _copy_attribute,
    _drop_attribute,
    _change_text,
    _change_heading,
    _remove,
    _move,
    _repeat,
    _number_repeated,
    _rename,
    _nest,
    _insert_markup,
)


def _declare_encoding(data: bytes, chance: Chance) -> bytes:
    """Declare an encoding, and sometimes use it."""
    encoding = chance.choice(_ENCODINGS)
    body = re.sub(rb"\A<\?xml[^>]*\?>", b"", data)
    if chance.happens(0.4) and len(encoding) < 20:
        text = body.decode("utf-8", "replace").replace("e", "\u00e9")
        body = text.encode({"EBCDIC-CP-US": "cp037"}.get(encoding, encoding), "replace")
    return f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + body


def _declare_entities(data: bytes, chance: Chance) -> bytes:
    """Declare entities that expand to ten copies of the previous entity, or to a file."""
    lines = [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12)]
    declared = ['<!ENTITY e0 "x">', *lines, '<!ENTITY file SYSTEM "file:///etc/hostname">', '<!ENTITY % p "x">']
    document_type = f"<!DOCTYPE {chance.choice(('pyramid', 'peerAnnotation', 'x'))} [{chance.choice(declared)}]>"
    body = _ROOT_OF_DOCUMENT_TYPE.sub(b"", data)
    used = chance.choice((b"&e0;", b"&e11;", b"&file;", b""))
    return re.sub(rb"(<\?xml[^>]*\?>)?", rb"\g<0>" + document_type.encode(), body, count=1).replace(
        b">", b">" + used, 20
    )


def _drop_document_type(data: bytes, chance: Chance) -> bytes:
    replacement = chance.choice((b"", b"<!DOCTYPE html>", b'<!DOCTYPE pyramid SYSTEM "http://127.0.0.1/x.dtd">'))
    return _ROOT_OF_DOCUMENT_TYPE.sub(replacement, data, count=1)


def _write_utf16(data: bytes, chance: Chance) -> bytes:
    return data.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-16-le", "utf-32")))


def _put_before(data: bytes, chance: Chance) -> bytes:
    return chance.choice((b"\xef\xbb\xbf", b"\n", b" " * 3000, b"\0", b"<!-- -->", b"\xff\xfe")) + data


def _write_latin1(data: bytes, chance: Chance) -> bytes:
    """Put bytes of Windows-1252 into a text that does not declare them."""
    at = chance.randrange(max(1, len(data)))
    return data[:at] + bytes([chance.randrange(128, 256)]) + data[at:]


_PROLOGUES: tuple[Callable[[bytes, Chance], bytes], ...] = (
    _declare_encoding,
    _declare_entities,
    _drop_document_type,
    _write_utf16,
    _put_before,
    _write_latin1,
)
