"""The metadata of a model's repository: the `model-index` of its README, and the entries under `.eval_results`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import yaml

from harness.cards.yaml_edits import (
    BYTE_ORDER_MARK,
    Document,
    find_node,
    is_null,
    read_text,
    render_yaml,
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
    head, metadata, tail, line_break = _split(text, file)
    document = Document(metadata, file, len(_LINE_BREAK.findall(head)))
    if document.root is not None:
        _merge(document, model, groups)
        return head + document.apply_edits(line_break) + tail
    # The metadata contain only comments and whitespace.
    if metadata and not metadata.endswith(("\r", "\n")):
        metadata += line_break
    metadata += render_yaml({KEY: [_make_entry(model, groups)]}).replace("\n", line_break).rstrip()
    if not tail.startswith(("\r", "\n")):
        metadata += line_break
    return head + metadata + tail


def _split(text: str, file: str) -> tuple[str, str, str, str]:
    """Divide a README at the metadata that the Hub finds. If there are none, insert an empty block.

    Returns:
        The text before the metadata, the metadata, the text after them, and the line break for new lines.
    """
    mark, content = split_byte_order_mark(text)
    first = _LINE_BREAK.search(content)
    # The Hub does not accept a lone carriage return as the end of the last line of the metadata.
    line_break = "\r\n" if first and first[0] == "\r\n" else "\n"
    block = _EMPTY_BLOCK.match(content) or _BLOCK.match(content)
    if block:
        start, end = block.span(2)
        start += content.startswith(BYTE_ORDER_MARK, start)
        return mark + content[:start], content[start:end], content[end:], line_break
    if re.match(r"\s*---[ \t]*[\r\n]", content):
        raise InputError(file, "starts metadata that the Hub does not recognize", _NO_BLOCK, 1)
    return f"{mark}---{line_break}", "", f"---{line_break}{content}", line_break


def _make_entry(model: str, groups: Sequence[Group]) -> dict[str, Any]:
    return {"name": model, "results": list(groups)}


def _merge(document: Document, model: str, groups: Sequence[Group]) -> None:
    root = document.root
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _malformed(document, root, "the metadata is not a list of lines 'key: value'")
    if sum(key.value == KEY for key, _ in root.value) > 1:
        raise _malformed(document, root, f"the metadata contains {KEY} twice")
    index = find_node(root, KEY)
    if index is None:
        document.add_key(root, KEY, [_make_entry(model, groups)])
        return
    entries = _list_items(document, index, index, KEY)
    for entry in entries:
        _require_entry(document, entry)
    model_entry = next((entry for entry in entries if read_text(entry, "name") == model), None)
    if model_entry is None:
        document.append_items(index, [_make_entry(model, groups)])
    else:
        _merge_results(document, model_entry, groups)


def _merge_results(document: Document, entry: yaml.Node, groups: Sequence[Group]) -> None:
    results = find_node(entry, "results")
    assert results is not None
    items = [] if is_null(results) else results.value
    new_groups = []
    for group in groups:
        identity = [*(group[part].get(key) for part, key in _IDENTITY), group["dataset"]["args"]["fingerprint"]]
        matching_items = [item for item in items if _identify(item) == identity]
        if matching_items:
            _merge_metrics(document, matching_items, group)
        else:
            new_groups.append(group)
    if new_groups:
        document.append_items(results, new_groups)


def _identify(item: yaml.Node) -> list[str | None]:
    return [read_text(item, *path) for path in (*_IDENTITY, _FINGERPRINT)]


def _merge_metrics(document: Document, items: Sequence[yaml.Node], group: Group) -> None:
    """Replace the values of metrics in all items of a group, because some tools write one item per metric."""
    # The id of the dataset on the Hub replaces other ids. The plain name of the dataset never replaces an id.
    name = group["dataset"]["type"]
    for item in items:
        node = find_node(item, "dataset", "type")
        if node is not None and name not in (NAME, node.value):
            document.replace_value(node, name)
    lists = [metrics for item in items if (metrics := find_node(item, "metrics")) is not None]
    nodes = list(chain.from_iterable(metrics.value for metrics in lists))
    new_metrics = []
    for metric in group["metrics"]:
        matching_nodes = [node for node in nodes if read_text(node, "type") == metric["type"]]
        for node in matching_nodes:
            value = find_node(node, "value")
            if value is not None:
                document.replace_value(value, metric["value"])
        if not matching_nodes:
            new_metrics.append(metric)
    if new_metrics:
        document.append_items(lists[0], new_metrics)


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


def update_entries(text: str, file: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Enter entries into a file under `.eval_results`. Entries of other datasets and tasks remain unchanged.

    Args:
        text: The content of the file. Empty if there is no file.
        file: Name of the file, for messages.
        entries: Entries from `make_entries`.

    Returns:
        The new content of the file.

    Raises:
        InputError: If the content is not a list of entries in YAML.
    """
    mark, content = split_byte_order_mark(text)
    document = Document(content, file)
    line_break = "\r\n" if "\r\n" in text else "\n"
    if document.root is None:
        if text and not text.endswith(("\r", "\n")):
            text += line_break
        return text + render_yaml(list(entries)).replace("\n", line_break)
    if not isinstance(document.root, yaml.SequenceNode):
        raise InputError(file, "is not a list of entries", "rename or remove it", document.line(document.root))
    new_entries = []
    for entry in entries:
        identity = (entry["dataset"]["id"], entry["dataset"]["task_id"])
        items = [
            item
            for item in document.root.value
            if (read_text(item, "dataset", "id"), read_text(item, "dataset", "task_id")) == identity
        ]
        for item in items:
            document.replace_value(item, entry)
        if not items:
            new_entries.append(entry)
    if new_entries:
        document.append_items(document.root, new_entries)
    return mark + document.apply_edits(line_break)
