"""Changing values in a YAML text of someone else's, and nothing but them.

Loading and dumping would lose comments, order and notation, and alter values that loaders disagree about. So texts are
only parsed, and new ones put in at the places that the parser names. No object is ever made of what a file says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from pyramid_paraphrase.errors import InputError

BYTE_ORDER_MARK = "\ufeff"
"""To be taken off before parsing: one of the two parsers does not count it among the characters."""

MAX_DEPTH = 100
"""Collections within collections: bounds the recursion of the parser."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_WRONG_YAML = "correct it, for instance as a YAML checker says"


class Edit(NamedTuple):
    """A replacement of ``text[start:end]``; lines are separated by a line feed."""

    start: int
    end: int
    text: str


class Document(NamedTuple):
    """A parsed YAML text, and where it comes from.

    Attributes:
        text: The text.
        root: Its top node; None if it holds nothing.
        file: Name of the file, for messages.
        offset: Number of lines before the text in that file.
    """

    text: str
    root: yaml.Node | None
    file: str
    offset: int

    def line(self, node: yaml.Node | None) -> int:
        """The line of the file where a node starts, from 1; the first line of the text for None."""
        return self.offset + 1 + (node.start_mark.line if node else 0)


def parse_document(text: str, file: str, offset: int = 0) -> Document:
    """Parse a text of one YAML document.

    Args:
        text: The text.
        file: Name of the file, for messages.
        offset: Number of lines before the text in that file.

    Returns:
        The document.

    Raises:
        InputError: If it is not YAML, is nested too deeply, or has aliases, by which little text can stand for much, or
            tags of collections.
    """
    try:
        _require_plain(text, file, offset)
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n")
        raise InputError(file, "holds a character that YAML forbids", "remove it", offset + line + 1) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = offset + 1 + (mark.line if mark else 0)
        raise InputError(file, f"is no YAML ({error.problem or error.context})", _WRONG_YAML, line) from None
    return Document(text, root, file, offset)


def _require_plain(text: str, file: str, offset: int) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        line = offset + 1 + event.start_mark.line
        if isinstance(event, yaml.AliasEvent):
            raise InputError(file, f"has the YAML alias *{event.anchor}", "write out what it stands for", line)
        if isinstance(event, yaml.CollectionStartEvent) and (event.tag or event.anchor):
            # Its place would be that of the tag, which says nothing of how its lines are indented.
            raise InputError(file, "has a YAML tag or anchor on a list or a mapping", "leave it out", line)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InputError(file, f"is nested more than {MAX_DEPTH} deep", "give a flatter file", line)


def is_null(node: yaml.Node | None) -> bool:
    """Whether a node is absent, empty or null."""
    return node is None or node.tag == _NULL


def find(node: yaml.Node | None, *keys: str) -> yaml.Node | None:
    """The value at a path of keys through mappings; None where there is none."""
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in pairs if name.value == key), None)
    return node


def read_text(node: yaml.Node | None, *keys: str) -> str | None:
    """The text of a scalar at a path of keys; None where there is none or it is null."""
    found = find(node, *keys)
    return found.value if isinstance(found, yaml.ScalarNode) and not is_null(found) else None


def replace(document: Document, node: yaml.Node, value: object) -> Edit:
    """Put something else in the place of a value."""
    start, end = node.start_mark.index, _content_end(document, node)
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return Edit(start, end, _render_block(value, node.start_mark.column).lstrip(" "))
    return Edit(start, end, _render_inline(value) if end > start else f" {_render_inline(value)}")


def append(document: Document, node: yaml.Node, items: Sequence[object]) -> Edit:
    """Put items behind the last one of a sequence, or into a null value of a mapping."""
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return _add_lines(document, node, _render_block(list(items), node.start_mark.column))
    if is_null(node):
        return replace(document, node, list(items))
    inline = ", ".join(map(_render_inline, items))
    if node.value:
        return Edit(_end(node.value[-1]), _end(node.value[-1]), f", {inline}")
    return Edit(node.start_mark.index + 1, node.start_mark.index + 1, inline)


def add_key(document: Document, node: yaml.MappingNode, key: str, value: object) -> Edit:
    """Put a key with its value behind the last one of a mapping that has a line per key."""
    return _add_lines(document, node, _render_block({key: value}, node.start_mark.column))


def _add_lines(document: Document, node: yaml.Node, lines: str) -> Edit:
    """Put lines behind the last line that is of a node; comments that follow stay behind them."""
    text, end = document.text, _end(node)
    if end and text[end - 1] in "\r\n":
        return Edit(end, end, lines if end == len(text) else f"{lines}\n")
    while end < len(text) and text[end] not in "\r\n":
        end += 1
    return Edit(end, end, f"\n{lines}")


def _end(node: yaml.Node) -> int:
    """Where the last value within a node ends: the parser's own mark lies behind the comments that follow it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.index
    return end


def _content_end(document: Document, node: yaml.Node) -> int:
    """As `_end`, but before the line break that the parser counts among a scalar of several lines."""
    end = _end(node)
    while end > node.start_mark.index and document.text[end - 1] in "\r\n":
        end -= 1
    return end


def apply(document: Document, edits: Sequence[Edit], line_break: str = "\n") -> str:
    """Apply edits, which must not overlap.

    Args:
        document: What is edited.
        edits: The edits; of several at one place the first comes first.
        line_break: What separates the lines of new text.

    Returns:
        The text of the document, otherwise unchanged.
    """
    pieces, position = [], 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        pieces += [document.text[position : edit.start], edit.text.replace("\n", line_break)]
        position = edit.end
    return "".join([*pieces, document.text[position:]])


def render(value: object) -> str:
    """Render plain data as YAML, a line per value."""
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=float("inf"))
    return text


def _render_block(value: object, column: int) -> str:
    return "\n".join(" " * column + line for line in render(value).splitlines())


def _render_inline(value: Any) -> str:  # noqa: ANN401
    """Render on one line; within brackets, so that what means something only there is quoted, too."""
    options: dict[str, Any] = {"default_flow_style": True, "sort_keys": False, "allow_unicode": True}
    text: str = yaml.safe_dump([value], width=float("inf"), **options)
    return text.strip()[1:-1]
