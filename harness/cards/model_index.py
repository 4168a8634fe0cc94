"""The `model-index` in the metadata of a model's README: what stands there already, and numbers added to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import yaml

from harness.cards.yaml_edits import (
    BYTE_ORDER_MARK,
    Document,
    Edit,
    add_key,
    append,
    apply,
    find,
    is_null,
    parse_document,
    read_text,
    render,
    replace,
)
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.registration import NAME

KEY = "model-index"
Group = Mapping[str, Any]
"""An item of `results`: task, dataset, metrics, source; as `eval_results_to_model_index` makes it."""

# The pattern of huggingface_hub 2. It is copied because huggingface_hub 1 has another one, and both are private.
_BLOCK = re.compile(r"(\s*---(?:\r\n|\r|\n))([\S\s]*?)((?:\r\n|\r|\n)---[ \t]*(?:\r\n|\n|$))")
_EMPTY_BLOCK = re.compile(r"(\s*---(?:\r\n|\r|\n))()(---[ \t]*(?:\r\n|\n|$))")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_IDENTITY = (("task", "type"), ("dataset", "name"), ("dataset", "config"), ("dataset", "split"))
_FINGERPRINT = ("dataset", "args", "fingerprint")
_NO_BLOCK = "begin and end them by a line of three hyphens and nothing else"
_REMEDY = "correct it as https://github.com/huggingface/hub-docs/blob/main/modelcard.md says"


class _Parts(NamedTuple):
    """A README in three parts, which together are the whole: up to its metadata, those, and from there on."""

    head: str
    metadata: str
    tail: str
    line_break: str


def update_readme(text: str, file: str, model: str, groups: Sequence[Group]) -> str:
    """Enter numbers into the metadata of a README; all else stays as it is, to the byte.

    Numbers of the same task, dataset (name, configuration, split and fingerprint) and metric are replaced.

    Args:
        text: The README, with its own line ends; empty if there is none.
        file: Its name, for messages.
        model: Name of the model.
        groups: The numbers.

    Returns:
        The README with the numbers.

    Raises:
        InputError: If its metadata cannot be read, or its model-index is not made as the Hub wants it.
    """
    parts = _split(text, file)
    document = parse_document(parts.metadata, file, len(_LINE_BREAK.findall(parts.head)))
    if document.root is None:
        whole = render({KEY: [_make_entry(model, groups)]}).replace("\n", parts.line_break)
        gap = "" if not parts.metadata or parts.metadata.endswith(("\r", "\n")) else parts.line_break
        end = "" if parts.tail[:1] in ("\r", "\n") else parts.line_break
        return f"{parts.head}{parts.metadata}{gap}{whole.rstrip()}{end}{parts.tail}"
    edits = _merge(document, model, groups)
    return parts.head + apply(document, edits, parts.line_break) + parts.tail


def _split(text: str, file: str) -> _Parts:
    """Find the metadata where the Hub finds them; make room for them where there are none."""
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    content = text.removeprefix(mark)
    first = _LINE_BREAK.search(content[: 1 << 16])
    # The Hub does not accept a lone carriage return as the end of the last line of the metadata.
    line_break = "\r\n" if first and first[0] == "\r\n" else "\n"
    found = _EMPTY_BLOCK.match(content) or _BLOCK.match(content)
    if found:
        start, end = found.span(2)
        start += content.startswith(BYTE_ORDER_MARK, start)
        return _Parts(mark + content[:start], content[start:end], content[end:], line_break)
    if re.match(r"\s*---[ \t]*[\r\n]", content):
        raise InputError(file, "opens metadata that the Hub does not find", _NO_BLOCK, 1)
    return _Parts(f"{mark}---{line_break}", "", f"---{line_break}{content}", line_break)


def _make_entry(model: str, groups: Sequence[Group]) -> dict[str, Any]:
    return {"name": model, "results": list(groups)}


def _merge(document: Document, model: str, groups: Sequence[Group]) -> list[Edit]:
    root = document.root
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _malformed(document, root, "the metadata are not lines of 'key: value'")
    if sum(key.value == KEY for key, _ in root.value) > 1:
        raise _malformed(document, root, f"the metadata have {KEY} twice")
    index = find(root, KEY)
    if index is None:
        return [add_key(document, root, KEY, [_make_entry(model, groups)])]
    entries = _list_items(document, index, index, KEY)
    for entry in entries:
        _require_entry(document, entry)
    ours = next((entry for entry in entries if read_text(entry, "name") == model), None)
    if ours is None:
        return [append(document, index, [_make_entry(model, groups)])]
    return _merge_results(document, ours, groups)


def _merge_results(document: Document, entry: yaml.Node, groups: Sequence[Group]) -> list[Edit]:
    results = find(entry, "results")
    assert results is not None
    items = [] if is_null(results) else results.value
    edits, new = [], []
    for group in groups:
        same = [item for item in items if _identify_node(item) == _identify(group)]
        if same:
            edits += _merge_metrics(document, same, group)
        else:
            new.append(group)
    return [*edits, append(document, results, new)] if new else edits


def _identify(group: Group) -> list[str | None]:
    values = [group[part].get(key) for part, key in _IDENTITY]
    return [*values, group["dataset"]["args"]["fingerprint"]]


def _identify_node(item: yaml.Node) -> list[str | None]:
    return [read_text(item, *path) for path in (*_IDENTITY, _FINGERPRINT)]


def _merge_metrics(document: Document, same: Sequence[yaml.Node], group: Group) -> list[Edit]:
    """Replace values wherever they stand; some tools write an item per metric."""
    edits, new = _name_dataset(document, same, group["dataset"]["type"]), []
    lists = [metrics for item in same if (metrics := find(item, "metrics")) is not None]
    for metric in group["metrics"]:
        found = [one for metrics in lists for one in metrics.value if read_text(one, "type") == metric["type"]]
        values = [value for one in found if (value := find(one, "value")) is not None]
        edits += [replace(document, value, metric["value"]) for value in values]
        if not found:
            new.append(metric)
    return [*edits, append(document, lists[0], new)] if new else edits


def _name_dataset(document: Document, same: Sequence[yaml.Node], name: str) -> list[Edit]:
    """Put the dataset's id on the Hub in the place of another; the plain name says less than any id."""
    kinds = [kind for item in same if (kind := find(item, "dataset", "type")) is not None]
    return [replace(document, kind, name) for kind in kinds if name not in (NAME, kind.value)]


def _require_entry(document: Document, entry: yaml.Node) -> None:
    """What the Hub and its client need of every model, whether it is ours or not."""
    _require_text(document, entry, "name")
    for result in _list_items(document, find(entry, "results"), entry, "results"):
        for path in (("task", "type"), ("dataset", "type"), ("dataset", "name")):
            _require_text(document, result, *path)
        metrics = find(result, "metrics")
        if not isinstance(metrics, yaml.SequenceNode):
            raise _malformed(document, result, f"a result of {KEY} has no list of metrics")
        for metric in metrics.value:
            _require_text(document, metric, "type")
            if find(metric, "value") is None:
                raise _malformed(document, metric, f"a metric of {KEY} has no value")


def _require_text(document: Document, node: yaml.Node, *path: str) -> None:
    if read_text(node, *path) is None:
        raise _malformed(document, node, f"an item of {KEY} has no {' '.join(path)}")


def _list_items(document: Document, node: yaml.Node | None, parent: yaml.Node, name: str) -> list[yaml.Node]:
    if node is not None and is_null(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise _malformed(document, node or parent, f"{name} is no list")
    return list(node.value)


def _malformed(document: Document, node: yaml.Node | None, reason: str) -> InputError:
    return InputError(document.file, reason, _REMEDY, document.line(node))
