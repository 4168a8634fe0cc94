"""The `model-index` in the metadata of a model's README: parsing, and insertion of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import yaml

from harness.cards.yaml_edits import (
    BYTE_ORDER_MARK,
    Document,
    Edit,
    add_key,
    append_items,
    apply_edits,
    find_node,
    is_null,
    parse_document,
    read_text,
    render_yaml,
    replace_value,
    split_byte_order_mark,
)
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.publishing.registration import NAME

KEY = "model-index"
Group = Mapping[str, Any]
"""An item of `results`, made by `eval_results_to_model_index`: task, dataset, metrics, source."""

# The pattern of huggingface_hub 2. It is copied because huggingface_hub 1 has another pattern, and both are private.
_BLOCK = re.compile(r"(\s*---(?:\r\n|\r|\n))([\S\s]*?)((?:\r\n|\r|\n)---[ \t]*(?:\r\n|\n|$))")
_EMPTY_BLOCK = re.compile(r"(\s*---(?:\r\n|\r|\n))()(---[ \t]*(?:\r\n|\n|$))")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_IDENTITY = (("task", "type"), ("dataset", "name"), ("dataset", "config"), ("dataset", "split"))
_FINGERPRINT = ("dataset", "args", "fingerprint")
_NO_BLOCK = "put a line of exactly three hyphens before and after the metadata"
_REMEDY = "correct it as described in https://github.com/huggingface/hub-docs/blob/main/modelcard.md"


class _Parts(NamedTuple):
    """A README in three parts.

    Attributes:
        head: The text before the metadata.
        metadata: The metadata.
        tail: The text after the metadata.
        line_break: The line break for new lines.
    """

    head: str
    metadata: str
    tail: str
    line_break: str


def update_readme(text: str, file: str, model: str, groups: Sequence[Group]) -> str:
    """Enter numbers into the metadata of a README. All other bytes remain unchanged.

    Numbers of the same task, dataset (name, configuration, split and fingerprint) and metric are replaced.

    Args:
        text: The README with its line breaks. Empty if there is no README.
        file: Name of the README, for messages.
        model: Name of the model.
        groups: The numbers.

    Returns:
        The README with the numbers.

    Raises:
        InputError: If its metadata cannot be read, or its model-index does not have the form that the Hub requires.
    """
    parts = _split(text, file)
    document = parse_document(parts.metadata, file, len(_LINE_BREAK.findall(parts.head)))
    if document.root is None:
        return _add_metadata(parts, render_yaml({KEY: [_make_entry(model, groups)]}))
    edits = _merge(document, model, groups)
    return parts.head + apply_edits(document, edits, parts.line_break) + parts.tail


def _add_metadata(parts: _Parts, lines: str) -> str:
    """Insert lines into metadata that contain only comments and whitespace."""
    metadata = parts.metadata
    if metadata and not metadata.endswith(("\r", "\n")):
        metadata += parts.line_break
    metadata += lines.replace("\n", parts.line_break).rstrip()
    if not parts.tail.startswith(("\r", "\n")):
        metadata += parts.line_break
    return parts.head + metadata + parts.tail


def _split(text: str, file: str) -> _Parts:
    """Divide a README at the metadata that the Hub finds. If there are none, insert an empty block."""
    mark, content = split_byte_order_mark(text)
    first = _LINE_BREAK.search(content)
    # The Hub does not accept a lone carriage return as the end of the last line of the metadata.
    line_break = "\r\n" if first and first[0] == "\r\n" else "\n"
    block = _EMPTY_BLOCK.match(content) or _BLOCK.match(content)
    if block:
        start, end = block.span(2)
        start += content.startswith(BYTE_ORDER_MARK, start)
        return _Parts(mark + content[:start], content[start:end], content[end:], line_break)
    if re.match(r"\s*---[ \t]*[\r\n]", content):
        raise InputError(file, "starts metadata that the Hub does not recognize", _NO_BLOCK, 1)
    return _Parts(f"{mark}---{line_break}", "", f"---{line_break}{content}", line_break)


def _make_entry(model: str, groups: Sequence[Group]) -> dict[str, Any]:
    return {"name": model, "results": list(groups)}


def _merge(document: Document, model: str, groups: Sequence[Group]) -> list[Edit]:
    root = document.root
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _malformed(document, root, "the metadata is not a list of lines 'key: value'")
    if sum(key.value == KEY for key, _ in root.value) > 1:
        raise _malformed(document, root, f"the metadata contains {KEY} twice")
    index = find_node(root, KEY)
    if index is None:
        return [add_key(document, root, KEY, [_make_entry(model, groups)])]
    entries = _list_items(document, index, index, KEY)
    for entry in entries:
        _require_entry(document, entry)
    model_entry = next((entry for entry in entries if read_text(entry, "name") == model), None)
    if model_entry is None:
        return [append_items(document, index, [_make_entry(model, groups)])]
    return _merge_results(document, model_entry, groups)


def _merge_results(document: Document, entry: yaml.Node, groups: Sequence[Group]) -> list[Edit]:
    results = find_node(entry, "results")
    assert results is not None
    items = [] if is_null(results) else results.value
    edits, new_groups = [], []
    for group in groups:
        matching_items = [item for item in items if _identify_node(item) == _identify(group)]
        if matching_items:
            edits += _merge_metrics(document, matching_items, group)
        else:
            new_groups.append(group)
    if new_groups:
        edits.append(append_items(document, results, new_groups))
    return edits


def _identify(group: Group) -> list[str | None]:
    values = [group[part].get(key) for part, key in _IDENTITY]
    return [*values, group["dataset"]["args"]["fingerprint"]]


def _identify_node(item: yaml.Node) -> list[str | None]:
    return [read_text(item, *path) for path in (*_IDENTITY, _FINGERPRINT)]


def _merge_metrics(document: Document, items: Sequence[yaml.Node], group: Group) -> list[Edit]:
    """Replace the values of metrics in all items of a group, because some tools write one item per metric."""
    edits = _name_dataset(document, items, group["dataset"]["type"])
    lists = [metrics for item in items if (metrics := find_node(item, "metrics")) is not None]
    nodes = list(chain.from_iterable(metrics.value for metrics in lists))
    new_metrics = []
    for metric in group["metrics"]:
        matching_nodes = [node for node in nodes if read_text(node, "type") == metric["type"]]
        for node in matching_nodes:
            value = find_node(node, "value")
            if value is not None:
                edits.append(replace_value(document, value, metric["value"]))
        if not matching_nodes:
            new_metrics.append(metric)
    if new_metrics:
        edits.append(append_items(document, lists[0], new_metrics))
    return edits


def _name_dataset(document: Document, items: Sequence[yaml.Node], name: str) -> list[Edit]:
    """Replace other ids of the dataset by its id on the Hub. The plain name of the dataset never replaces an id."""
    ids = [node for item in items if (node := find_node(item, "dataset", "type")) is not None]
    return [replace_value(document, node, name) for node in ids if name not in (NAME, node.value)]


def _require_entry(document: Document, entry: yaml.Node) -> None:
    """Check that the entry of a model has the fields that the Hub and its client require."""
    _require_text(document, entry, "name")
    for result in _list_items(document, find_node(entry, "results"), entry, "results"):
        for path in (("task", "type"), ("dataset", "type"), ("dataset", "name")):
            _require_text(document, result, *path)
        metrics = find_node(result, "metrics")
        if not isinstance(metrics, yaml.SequenceNode):
            raise _malformed(document, result, f"a result of {KEY} has no list of metrics")
        for metric in metrics.value:
            _require_text(document, metric, "type")
            if find_node(metric, "value") is None:
                raise _malformed(document, metric, f"a metric of {KEY} has no value")


def _require_text(document: Document, node: yaml.Node, *path: str) -> None:
    if read_text(node, *path) is None:
        raise _malformed(document, node, f"an item of {KEY} has no {' '.join(path)}")


def _list_items(document: Document, node: yaml.Node | None, parent: yaml.Node, name: str) -> list[yaml.Node]:
    if node is not None and is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise _malformed(document, node or parent, f"{name} is not a list")
    return list(node.value)


def _malformed(document: Document, node: yaml.Node | None, reason: str) -> InputError:
    return InputError(document.file, reason, _REMEDY, document.line(node))
