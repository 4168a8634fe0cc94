"""Parsing of the specs that name a model: ``[KIND:]NAME[,OPTION=VALUE...]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any
from unicodedata import normalize

from harness.files.writing import expand_home
from harness.models.discovery import guess_kind
from harness.models.interfaces.kinds import SIMILARITY, TRAIN_ON, ModelKind, Option, Spec
from harness.models.registry import KIND_BY_NAME, KINDS, list_shortcuts
from harness.stats.similarities import COSINE
from harness.support.names import NAME_RULE, name_variant, parse_name, short_name, slug
from pyramid_paraphrase.errors import OptionError, unknown_name
from pyramid_paraphrase.rules.options import TRAIN

_TITLE = Option("name", parse_name, NAME_RULE)
"""The name of a model in tables, an option of every kind."""


def parse_spec(spec: str, defaults: Mapping[str, Any] | None = None) -> Spec:
    """Divide a spec into kind, name and options.

    Args:
        spec: As for `load_model`.
        defaults: As for `load_model`.

    Returns:
        The parsed spec. `require_place` checks that the model exists.

    Raises:
        OptionError: If the kind or an option is unknown, or a value is invalid.
        ModelError: If no kind is given and none can be detected, or if options contradict each other.
    """
    base, assignments = _split_options(spec)
    prefix, colon, name = base.partition(":")
    if base in KIND_BY_NAME or (colon and prefix in KIND_BY_NAME):
        kind = KIND_BY_NAME[prefix]
    else:
        kind, name = guess_kind(base), base
    if kind.has_name and not name:
        raise OptionError(f"{spec}: the name of the model is missing. Use, for example, {kind.example}")
    if name and not kind.has_name:
        raise OptionError(f"{spec}: the kind {kind.name} takes no name. Use, for example, {kind.example}")
    options = _inherit_options(kind, defaults or {}) | _parse_options(assignments, kind)
    if kind.check is not None:
        kind.check(spec, options)
    model, public = kind.name, kind.name
    if name:
        model = str(expand_home(name)) if kind.has_path and name.startswith("~") else name
        public = f"{kind.name}:{short_name(model) if kind.has_path else model}"
    title = options.pop(_TITLE.name, None) or _name_by_default(model, kind, options)
    similarity = options.pop(SIMILARITY.name, kind.similarity or COSINE)
    train_on = options.pop(TRAIN_ON.name, TRAIN)
    public = ",".join([public, *_hide_folders(assignments, kind)])
    # The name of a folder can have bytes that are not UTF-8. A result with them could not be read.
    public = public.encode("utf-8", "backslashreplace").decode()
    return Spec(kind, model, title, options, public, similarity, train_on)


def require_different_names(
    names: Sequence[str], shortcuts: Sequence[str] = (), remedy: str = "Add ,name=... to one of the specs"
) -> None:
    """Check that no two models have the same name or folder, because results are found by them.

    Args:
        names: The names that the models of the user have. Canonically equal texts are the same name.
        shortcuts: The names of the shortcuts that are added.
        remedy: How to give a model another name.

    Raises:
        OptionError: If two models have the same name, or names that give the same folder of results.
    """
    title_by_folder = {slug(name): name for name in shortcuts}
    for name in names:
        title = normalize("NFC", name)
        folder = slug(title)
        if folder not in title_by_folder:
            title_by_folder[folder] = title
            continue
        other = title_by_folder[folder]
        reason = f"two models have the name {title}"
        if title in shortcuts:
            reason = f"the name {title} is that of a shortcut, which is evaluated, too"
        elif other != title:
            reason = f"the models {other} and {title} would have the same folder of results, {folder}"
        raise OptionError(f"{reason}. {remedy}")


def list_missing_shortcuts(specs: Iterable[Spec], test_names: Sequence[str]) -> list[str]:
    """Return the shortcuts that can score any of the tests, except those that the specs name without options.

    Args:
        specs: The models that the user names.
        test_names: Names of configurations.
    """
    named = [spec.kind.name for spec in specs if spec.title == spec.kind.name]
    return [name for name in list_shortcuts(test_names) if name not in named]


def _split_options(spec: str) -> tuple[str, list[str]]:
    """Divide a spec into the part before the options and the options. An existing path is never divided."""
    parts = re.split(r",(?=[a-z0-9_]+=)", spec)
    # The longest existing path is used, because a path may contain a text such as ",seed=3".
    for count in range(len(parts), 1, -1):
        base = ",".join(parts[:count])
        prefix, _, name = base.partition(":")
        path = name if prefix in KIND_BY_NAME else base
        with suppress(OSError, ValueError):
            if path and expand_home(path).exists():
                return base, parts[count:]
    return parts[0], parts[1:]


def _inherit_options(kind: ModelKind, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults that are options of a kind and not None. Texts are checked as in a spec."""
    values = {}
    for option in kind.options:
        value = defaults.get(option.name)
        if value is not None:
            values[option.name] = _parse_value(option, value) if isinstance(value, str) else value
    return values


def check_defaults(defaults: Mapping[str, Any]) -> None:
    """Check the values of options that hold for all models, because kinds without such an option ignore them.

    Args:
        defaults: As for `load_model`.

    Raises:
        OptionError: If a value is invalid.
    """
    for kind in KINDS:
        _inherit_options(kind, defaults)


def _parse_options(assignments: list[str], kind: ModelKind) -> dict[str, Any]:
    option_by_name = {option.name: option for option in (_TITLE, *kind.options)}
    values: dict[str, Any] = {}
    for text in assignments:
        name, _, value = text.partition("=")
        if name not in option_by_name:
            raise unknown_name(f"option of {kind.name}", name, option_by_name)
        if name in values:
            raise OptionError(f"option {name} is given twice. Omit one of them")
        values[name] = _parse_value(option_by_name[name], value)
    return values


def _parse_value(option: Option, value: str) -> object:
    try:
        return option.parse(value)
    except OptionError:  # its message is complete, and does not quote a value that may be secret
        raise
    except (ValueError, KeyError):
        raise OptionError(f"option {option.name} is '{value}'. Use {option.allowed}") from None


def _hide_folders(assignments: list[str], kind: ModelKind) -> list[str]:
    """Return assignments in which file names replace the paths of files."""
    file_options = {option.name for option in kind.options if option.names_file}
    public_assignments = []
    for text in assignments:
        name, mark, value = text.partition("=")
        if name in file_options:
            value = PurePath(value).name
        public_assignments.append(name + mark + value)
    return public_assignments


def _name_by_default(model: str, kind: ModelKind, options: Mapping[str, Any]) -> str:
    """Make a name that distinguishes the variants of a model and does not depend on the order of options."""
    decisive = {}
    for option in kind.options:
        value = options.get(option.name, option.default)
        if option.changes_scores and value != option.default:
            decisive[option.name] = value
    return name_variant(short_name(model), decisive)
