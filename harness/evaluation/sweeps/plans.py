"""Plans: files that list models, as a spec per line, or as YAML whose lists of values expand to all combinations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import yaml

from harness.models.interfaces.kinds import Spec
from harness.models.loading import check_spec
from harness.models.specs import list_missing_shortcuts, parse_spec, require_different_names
from harness.support.errors import ModelError
from pyramid_paraphrase.errors import InputError, OptionError, place
from pyramid_paraphrase.files.inputs import decode, read_bytes, split_lines
from pyramid_paraphrase.rules.options import CONFIGURATION_NAMES

MAX_BYTES = 4 << 20
MAX_YAML_BYTES = 1 << 17
"""Parsing YAML takes 5 to 10 seconds per MiB."""

MAX_MODELS = 10_000
_MAX_CHARACTERS = 16 << 20
"""Limit on the number of characters of all specs that a mapping expands to."""

_YAML = (".yaml", ".yml")
_MODEL = "model"
_REMEDY = "list a spec per line, as `pyramid-paraphrase models` shows them"
_YAML_REMEDY = (
    "write a list of specs and of mappings with the key 'model' and options, such as 'truncate_dim: [64, 128]'"
)


def parse_plan(
    path: Path, defaults: Mapping[str, Any], send_text_to: Sequence[str], test_names: Sequence[str]
) -> dict[str, Spec]:
    """Read a plan, and check every spec, and that all models have different names, before anything is computed.

    Args:
        path: The plan.
        defaults: As for `load_model`.
        send_text_to: As for `load_model`.
        test_names: Names of the tests. The shortcuts that can score them are added.

    Returns:
        Parsed specs by spec.

    Raises:
        PyramidParaphraseError: If a spec cannot be used, or a name occurs twice. The message names the line.
    """
    plan: dict[str, Spec] = {}
    lines: dict[str, int] = {}
    for spec, line in read_plan(path):
        where = place(str(path), line)
        try:
            parsed = check_spec(spec, defaults, send_text_to)
        except (OptionError, ModelError) as error:
            raise type(error)(f"{where}: {error}") from None
        if parsed.title in lines:
            remedy = "Remove one of them, or add ,name=..."
            raise OptionError(f"{where}: {parsed.title} is also on line {lines[parsed.title]}. {remedy}")
        plan[spec], lines[parsed.title] = parsed, line
    require_different_names(list(lines), list_missing_shortcuts(plan.values(), CONFIGURATION_NAMES))
    return plan | {name: parse_spec(name) for name in list_missing_shortcuts(plan.values(), test_names)}


def read_plan(path: Path) -> list[tuple[str, int]]:
    """Read the models of a plan.

    Args:
        path: A text file with a spec per line, in which blank lines and lines that begin with ``#`` are ignored. A file
            with the suffix .yaml or .yml is a list of specs, or of mappings of ``model`` and options. A mapping expands
            to every combination of the values of its lists.

    Returns:
        The spec of each model, as for `load_model`, and its line in the plan (1-based), in the order of the file.

    Raises:
        InputError: If the file cannot be read, is too large, lists no model, or lists more than `MAX_MODELS`.
    """
    is_yaml = path.suffix.lower() in _YAML
    data = read_bytes(path, MAX_YAML_BYTES if is_yaml else MAX_BYTES, _REMEDY)
    text = decode(data, str(path), _REMEDY)
    lines = ((line.strip(), number) for number, line in enumerate(split_lines(text, str(path)), start=1))
    listed: Iterator[tuple[str, int]] = ((spec, line) for spec, line in lines if spec and not spec.startswith("#"))
    if is_yaml:
        listed = _read_yaml(text, str(path))
    models = []
    for spec, line in listed:
        models.append((spec, line))
        if len(models) > MAX_MODELS:
            raise InputError(str(path), f"lists more than {MAX_MODELS:,} models", "split the file", line)
    if not models:
        raise InputError(str(path), "lists no model", _REMEDY)
    return models


def _read_yaml(text: str, name: str) -> Iterator[tuple[str, int]]:
    """Yield the models of a YAML document. Values are not converted to Python types, and stay as they are written."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise InputError(name, f"is not valid YAML ({error.problem})", _YAML_REMEDY, line) from None
    except (yaml.YAMLError, RecursionError):
        raise InputError(name, "is not valid YAML", _YAML_REMEDY) from None
    if root is None:
        return
    if not isinstance(root, yaml.SequenceNode):
        raise _not_a_list(name, root)
    for node in root.value:
        line = node.start_mark.line + 1
        if isinstance(node, yaml.ScalarNode):
            yield node.value, line
        elif isinstance(node, yaml.MappingNode):
            yield from ((spec, line) for spec in _multiply(node, name))
        else:
            raise _not_a_list(name, node)


def _multiply(node: yaml.MappingNode, name: str) -> Iterator[str]:
    """Yield a spec for every combination of the values of a mapping, the last option changing fastest."""
    values = dict(_read_option(key, value, name) for key, value in node.value)
    if len(values) < len(node.value):
        raise InputError(name, "sets an option twice", "remove one of the two", node.start_mark.line + 1)
    models = values.pop(_MODEL, [])
    if not models:
        raise InputError(name, "a mapping does not have the key 'model'", _YAML_REMEDY, node.start_mark.line + 1)
    _require_few(models, values, name, node.start_mark.line + 1)
    for model, *choices in product(models, *values.values()):
        settings = [f"{option}={choice}" for option, choice in zip(values, choices, strict=True)]
        yield ",".join([model, *settings])


def _require_few(models: list[str], values: Mapping[str, list[str]], name: str, line: int) -> None:
    """Check that a mapping does not expand to too many models, before their specs are made.

    Raises:
        InputError: If it expands to too many models, or to specs that are too long in total.
    """
    count = len(models) * prod(map(len, values.values()))
    longest = max(map(len, models)) + sum(len(option) + 2 + max(map(len, values[option])) for option in values)
    if count > MAX_MODELS or count * longest > _MAX_CHARACTERS:
        raise InputError(name, f"lists more than {MAX_MODELS:,} models", "split the file", line)


def _read_option(key: Any, value: Any, name: str) -> tuple[str, list[str]]:  # noqa: ANN401 - yaml has no types
    nodes = value.value if isinstance(value, yaml.SequenceNode) else [value]
    if not nodes:
        raise InputError(name, "an option has an empty list of values", "add a value", value.start_mark.line + 1)
    for node in (key, *nodes):
        if not isinstance(node, yaml.ScalarNode):
            raise _not_a_list(name, node)
    return key.value, [node.value for node in nodes]


def _not_a_list(name: str, node: Any) -> InputError:  # noqa: ANN401 - yaml has no types
    return InputError(name, "is not a list of models", _YAML_REMEDY, node.start_mark.line + 1)
