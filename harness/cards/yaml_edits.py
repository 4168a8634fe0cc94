"""Edits of single values in a user's YAML text. Everything else remains unchanged.

Loading and dumping would lose comments, order and notation, and alter values that loaders interpret differently.
Therefore a text is only parsed, and new values are inserted at the positions that the parser reports. No object is ever
constructed from the content of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import escape

BYTE_ORDER_MARK = "\ufeff"
"""The byte order mark. It must be removed before parsing, because one of the two parsers does not count it."""

MAX_DEPTH = 100
"""Largest depth of nested collections, which bounds the recursion of the parser."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = "tag:yaml.org,2002:null"
_WRONG_YAML = "correct it, for example with a YAML linter"


def split_byte_order_mark(text: str) -> tuple[str, str]:
    """Divide a text into its byte order mark, which may be empty, and the rest."""
    if text.startswith(BYTE_ORDER_MARK):
        return BYTE_ORDER_MARK, text.removeprefix(BYTE_ORDER_MARK)
    return "", text


class Document:
    """A YAML text in a file, and edits of it.

    Args:
        text: The text, of one YAML document.
        file: Name of the file, for messages.
        offset: Number of lines before the text in that file.

    Attributes:
        text: The text, without the edits.
        root: The top node. None for an empty document.
        file: Name of the file, for messages.

    Raises:
        InputError: If the text is not YAML, is nested too deeply, has aliases, with which a short text can expand to a
            very long text, or has tags on collections.
    """

    def __init__(self, text: str, file: str, offset: int = 0) -> None:
        self.text, self.file, self._offset = text, file, offset
        self._edits: list[tuple[int, int, str]] = []  # ends of the replaced text, and the new text
        try:
            self._require_plain()
            self.root = yaml.compose(text, Loader=_LOADER)
        except yaml.reader.ReaderError as error:
            line = text.encode()[: error.position].count(b"\n")
            raise InputError(file, "contains a character that YAML forbids", "remove it", offset + line + 1) from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line if mark else 0
            reason = f"is not valid YAML ({error.problem or error.context})"
            raise InputError(file, reason, _WRONG_YAML, offset + line + 1) from None

    def _require_plain(self) -> None:
        """Refuse aliases, deep nesting, and tags or anchors on collections."""
        depth = 0
        for event in yaml.parse(self.text, Loader=_LOADER):
            line = self._offset + 1 + event.start_mark.line
            if isinstance(event, yaml.AliasEvent):
                reason = f"has the YAML alias *{event.anchor}"
                raise InputError(self.file, reason, "replace the alias by its value", line)
            if isinstance(event, yaml.CollectionStartEvent) and (event.tag or event.anchor):
                # The parser would report the position of the tag, which does not show the indentation of the lines.
                raise InputError(self.file, "has a YAML tag or anchor on a list or a mapping", "remove it", line)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise InputError(self.file, f"is nested more than {MAX_DEPTH} deep", "reduce the nesting", line)

    def line(self, node: yaml.Node | None) -> int:
        """Return the 1-based line of the file where a node starts. For None, return the first line of the text."""
        if node is None:
            return self._offset + 1
        return self._offset + 1 + int(node.start_mark.line)

    def replace_value(self, node: yaml.Node, value: object) -> None:
        """Replace a value, which may be empty. A block stays a block, and anything else becomes one line."""
        start, end = node.start_mark.index, _end(node)
        while end > start and self.text[end - 1] in "\r\n":  # the parser includes it in a scalar of several lines
            end -= 1
        if isinstance(node, yaml.MappingNode) and not node.flow_style:
            text = _render_block(value, node.start_mark.column).lstrip(" ")
        else:
            gap = "" if end > start else " "  # an empty value follows the colon directly
            text = gap + _render_inline(value)
        self._edits.append((start, end, text))

    def append_items(self, node: yaml.Node, items: Sequence[object]) -> None:
        """Insert items after the last item of a sequence, or replace a null value of a mapping."""
        if isinstance(node, yaml.SequenceNode) and not node.flow_style:
            self._add_lines(node, _render_block(list(items), node.start_mark.column))
        elif is_null(node):
            self.replace_value(node, list(items))
        else:
            inline = ", ".join(map(_render_inline, items))
            place = node.start_mark.index + 1
            if node.value:
                place, inline = _end(node.value[-1]), f", {inline}"
            self._edits.append((place, place, inline))

    def add_key(self, node: yaml.MappingNode, key: str, value: object) -> None:
        """Insert a key and its value after the last key of a mapping in block style."""
        self._add_lines(node, _render_block({key: value}, node.start_mark.column))

    def _add_lines(self, node: yaml.Node, lines: str) -> None:
        """Insert lines after the last line of a node, before the comments that follow it."""
        end = _end(node)
        if end and self.text[end - 1] in "\r\n":
            if end < len(self.text):
                lines += "\n"
        else:
            while end < len(self.text) and self.text[end] not in "\r\n":
                end += 1
            lines = f"\n{lines}"
        self._edits.append((end, end, lines))

    def apply_edits(self, line_break: str = "\n") -> str:
        """Return the text with all edits, which must not overlap. Insertions at the same position are in their order.

        Args:
            line_break: Line break for the new texts.
        """
        pieces, position = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: edit[0]):
            pieces += [self.text[position:start], text.replace("\n", line_break)]
            position = end
        return "".join([*pieces, self.text[position:]])


def is_null(node: yaml.Node | None) -> bool:
    """Return whether a node is absent, empty or null."""
    return node is None or node.tag == _NULL


def find_node(node: yaml.Node | None, *keys: str) -> yaml.Node | None:
    """Return the value at a path of keys through mappings, or None if there is no value."""
    for key in keys:
        if not isinstance(node, yaml.MappingNode):
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node


def read_text(node: yaml.Node | None, *keys: str) -> str | None:
    """Return the text of a scalar at a path of keys, or None if the scalar does not exist or is null."""
    scalar = find_node(node, *keys)
    if not isinstance(scalar, yaml.ScalarNode) or is_null(scalar):
        return None
    text: str = scalar.value
    return text


def _end(node: yaml.Node) -> int:
    """Find the end of the last value in a node. The parser's end mark is after the comments that follow the node."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.index
    return end


def render_yaml(value: object) -> str:
    """Render plain data as YAML, one line per value."""
    return _dump(value)


def _dump(value: object, **options: Any) -> str:  # noqa: ANN401
    """Render plain data, all characters that are not ASCII as escape sequences if one of them cannot be seen."""
    options |= {"sort_keys": False, "width": float("inf")}
    text: str = yaml.safe_dump(value, allow_unicode=True, **options)
    if escape(text, keep="\n") != text:
        text = yaml.safe_dump(value, allow_unicode=False, **options)
    return text


def _render_block(value: object, column: int) -> str:
    return "\n".join(" " * column + line for line in render_yaml(value).splitlines())


def _render_inline(value: Any) -> str:  # noqa: ANN401
    """Render a value on one line in flow style. Characters with a special meaning within brackets are quoted, too."""
    return _dump([value], default_flow_style=True).strip()[1:-1]
