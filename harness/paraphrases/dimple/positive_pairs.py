"""Pairs of texts that mean the same, to recognize: pair corpora, RTE 1 to 4, answers with nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from harness.files.hashing import hash_values
from harness.files.json_files import read_bytes
from harness.files.tab_separated import read_rows
from harness.files.writing import expand_home
from pyramid_paraphrase import limits
from pyramid_paraphrase.errors import InputError, suggest_names
from pyramid_paraphrase.inputs import is_folder
from pyramid_paraphrase.markup import line_of, parse_tree, to_utf8

Pair = tuple[str, str]

NUGGET_COLUMNS = ("question_id", "response", "nugget")
"""The first line of a file of answers with nuggets."""

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
"""Per attribute that a `pair` may have, what its values say: RTE 1 has `value`; of several later ones, two ways."""

_GIVE_PAIRS = "give a pair corpus, an RTE file (.xml), or a table of nuggets (.tsv); docs/dimple.md describes them"
_SHOWN = 40
"""Characters of an unknown label in a message."""
_GIVE_RTE = "give a file of RTE 1 to 4 as it is distributed"


@dataclass(frozen=True, slots=True)
class PositivePairs:
    """Pairs that people found to mean the same, or of which one entails the other.

    Attributes:
        name: What the user calls them.
        pairs: Both texts of each, in the order of the files.
    """

    name: str
    pairs: tuple[Pair, ...]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the texts."""
        return hash_values(self.pairs)


def read_positive_pairs(name: str, sources: Sequence[str | os.PathLike[str]]) -> PositivePairs:
    """Read the positive pairs of some sources.

    Args:
        name: What to call them.
        sources: Each a file of RTE (`.xml`) or a folder with such files, a table of answers with nuggets (`.tsv`), or
            what `read_pair_corpus` reads, all splits of which are taken.

    Returns:
        The pairs.

    Raises:
        InputError: If a source cannot be read, is none of these, or has no positive pair.
    """
    pairs: list[Pair] = []
    for source in sources:
        found = _read_source(expand_home(source))
        if not found:
            raise InputError(str(source), "holds no positive pair", _GIVE_PAIRS)
        pairs += found
    return PositivePairs(name, tuple(pairs))


def _read_source(path: Path) -> list[Pair]:
    if is_folder(path) and (files := sorted(path.glob("*.xml"))):
        return [pair for file in files for pair in _read_rte(file)]
    if path.suffix.lower() == ".xml":
        return _read_rte(path)
    if path.suffix.lower() == ".tsv":
        return _read_nuggets(path)
    return _read_corpus(path)


def _read_corpus(path: Path) -> list[Pair]:
    from pyramid_paraphrase.pair_corpora import read_pair_corpus

    splits = read_pair_corpus(path).splits
    # In the order of the names, for that of the files on disk is the system's.
    rows = (row for split in sorted(splits) for row in splits[split])
    return [(row.sentence1, row.sentence2) for row in rows if row.label == 1]


def _read_rte(path: Path) -> list[Pair]:
    file = str(path)
    data, _ = to_utf8(read_bytes(path, limits.MAX_FILE_BYTES, _GIVE_RTE), file)
    elements = list(parse_tree(data, file).iter("pair"))
    if not elements:
        raise InputError(file, "holds no <pair>", _GIVE_RTE)
    return [_read_texts(element, file) for element in elements if _is_positive(element, file)]


def _is_positive(element: etree._Element, file: str) -> bool:
    for name, labels in RTE_LABELS.items():
        if (value := element.get(name)) is not None:
            if value.strip().upper() not in labels:
                label = value[:_SHOWN]
                reason = f"unknown {name} '{label}', {suggest_names(label, labels)}"
                raise InputError(file, reason, _GIVE_RTE, line_of(element))
            return labels[value.strip().upper()]
    reason = f"a <pair> has neither {' nor '.join(RTE_LABELS)}, so nobody knows whether it is positive"
    raise InputError(file, reason, _GIVE_RTE, line_of(element))


def _read_texts(element: etree._Element, file: str) -> Pair:
    text, hypothesis = (" ".join("".join(map(str, part.itertext())).split()) for part in _find_parts(element, file))
    if not text or not hypothesis:
        raise InputError(file, "a text or a hypothesis is empty", _GIVE_RTE, line_of(element))
    return text, hypothesis


def _find_parts(element: etree._Element, file: str) -> tuple[etree._Element, etree._Element]:
    text, hypothesis = element.findall("t"), element.findall("h")
    if len(text) != 1 or len(hypothesis) != 1:
        raise InputError(file, "a <pair> has not one <t> and one <h>", _GIVE_RTE, line_of(element))
    return text[0], hypothesis[0]


def _read_nuggets(path: Path) -> list[Pair]:
    """Read distinct pairs of a system's response and a nugget that it was judged to contain."""
    rows = (row.cells for row in read_rows(path, NUGGET_COLUMNS))
    return list(dict.fromkeys((response, nugget) for _, response, nugget in rows))
