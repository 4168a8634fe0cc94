"""Positive pairs, two texts with the same meaning each: pair corpora, RTE 1 to 4, and answers with nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from lxml import etree

from harness.files.columns import Field, read_values
from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, suggest_names
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.archives import is_archive, read_bounded
from pyramid_paraphrase.files.inputs import WalkedFile, is_folder, read_bytes, walk_archive
from pyramid_paraphrase.files.markup import line_of, parse_tree, to_utf8

Pair = tuple[str, str]

NUGGET_FIELDS = (Field("response", ("answer",)), Field("nugget"))
"""Columns of a table of answers with nuggets."""

_TABLES = frozenset({".tsv", ".csv", ".json", ".jsonl", ".xlsx"})

RTE_LABELS: Mapping[str, Mapping[str, bool]] = {
    "value": {"TRUE": True, "FALSE": False},
    "entailment": {
        "YES": True,
        "NO": False,
        "ENTAILMENT": True,
        "CONTRADICTION": False,
        "UNKNOWN": False,
        "NO ENTAILMENT": False,
    },
}
"""Labels by attribute of a `pair` element: `value` in RTE 1, `entailment` with two or three labels in later years."""

_GIVE_PAIRS = "use a pair corpus, an RTE file (.xml) or a table of nuggets (.tsv), as described in docs/dimple.md"
_SHOWN = 40
"""Number of characters of an unknown label in a message."""
_GIVE_RTE = "use an unmodified file of RTE 1 to 4"


def read_positive_pairs(sources: Sequence[str | os.PathLike[str]]) -> list[Pair]:
    """Read pairs of texts that people judged to have the same meaning, or to entail the second text from the first.

    Args:
        sources: RTE files (`.xml`), folders and archives with RTE files, tables of answers with nuggets (such as `.tsv`
            or `.xlsx`), and sources of `read_pair_corpus`, whose splits are all read.

    Returns:
        The two texts of each pair, in the order of the files.

    Raises:
        InputError: If a source cannot be read, has an unknown format, or contains no positive pairs.
    """
    pairs: list[Pair] = []
    for source in sources:
        pairs_of_source = _read_source(expand_home(source))
        if not pairs_of_source:
            raise InputError(str(source), "contains no positive pairs", _GIVE_PAIRS)
        pairs += pairs_of_source
    return pairs


def _read_source(path: Path) -> list[Pair]:
    if is_folder(path) and (files := sorted(path.glob("*.xml"))):
        return list(chain.from_iterable(map(_read_rte, files)))
    if path.suffix.lower() == ".xml":
        return _read_rte(path)
    if is_archive(path.name) and (members := _read_rte_members(path)):
        return list(chain.from_iterable(_parse_rte(members[name], name) for name in sorted(members)))
    if path.suffix.lower() in _TABLES:  # pairs of a response of a system and a nugget that, as judged, it contains
        _, rows = read_values(path, NUGGET_FIELDS, {}, "use a table with the columns response and nugget", flag="")
        return list(dict.fromkeys((response, nugget) for _, (response, nugget) in rows))
    from pyramid_paraphrase.formats.pairs.corpora import read_pair_corpus

    splits = read_pair_corpus(path).splits
    # Splits are sorted by name, because the order of files on disk depends on the system.
    pairs = chain.from_iterable(splits[name] for name in sorted(splits))
    return [(pair.sentence1, pair.sentence2) for pair in pairs if pair.label == 1]


def _read_rte_members(path: Path) -> dict[str, bytes]:
    """Read the `.xml` files of an archive by their full names. Without an RTE file among them, the result is empty."""
    members = {}
    archive = WalkedFile(path.name, str(path), path)
    with archive.open() as stream:
        for member in walk_archive(archive, stream):
            hidden = Path(member.name).name.startswith(".")  # macOS adds such copies
            if member.name.lower().endswith(".xml") and member.is_regular and not hidden:
                with member.open() as content:
                    members[member.full_name] = read_bounded(content, limits.MAX_FILE_BYTES, member.full_name)
    return members if any(b"<pair" in data for data in members.values()) else {}


def _read_rte(path: Path) -> list[Pair]:
    return _parse_rte(read_bytes(path, limits.MAX_FILE_BYTES, _GIVE_RTE), str(path))


def _parse_rte(data: bytes, file: str) -> list[Pair]:
    data, _ = to_utf8(data, file)
    elements = list(parse_tree(data, file).iter("pair"))
    if not elements:
        raise InputError(file, "contains no <pair> elements", _GIVE_RTE)
    return [_read_texts(element, file) for element in elements if _is_positive(element, file)]


def _is_positive(element: etree._Element, file: str) -> bool:
    """Return whether the label of a pair is positive.

    Raises:
        InputError: If the pair has no label, or an unknown label.
    """
    for name, labels in RTE_LABELS.items():
        if (value := element.get(name)) is not None:
            label = value.strip().upper()
            if label not in labels:
                beginning = value[:_SHOWN]
                remedy = suggest_names(beginning, labels)
                raise InputError(file, f"unknown {name} '{beginning}'", remedy, line_of(element))
            return labels[label]
    reason = f"a <pair> has no attribute {' or '.join(RTE_LABELS)}"
    raise InputError(file, reason, _GIVE_RTE, line_of(element))


def _read_texts(element: etree._Element, file: str) -> Pair:
    """Read the text and the hypothesis of a pair.

    Raises:
        InputError: If one of them is missing, empty or repeated.
    """
    parts = element.findall("t") + element.findall("h")
    if [part.tag for part in parts] != ["t", "h"]:
        raise InputError(file, "a <pair> does not have exactly one <t> and one <h>", _GIVE_RTE, line_of(element))
    text, hypothesis = (" ".join("".join(map(str, part.itertext())).split()) for part in parts)
    if not text or not hypothesis:
        raise InputError(file, "the text or the hypothesis of a <pair> is empty", _GIVE_RTE, line_of(element))
    return text, hypothesis
