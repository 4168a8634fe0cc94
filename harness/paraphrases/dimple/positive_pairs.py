"""Positive pairs, two texts with the same meaning each: from pair corpora, RTE 1 to 4, and answers with nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from lxml import etree

from harness.files.hashing import hash_values
from harness.files.json_files import read_bytes
from harness.files.tab_separated import read_rows
from harness.files.writing import expand_home
from pyramid_paraphrase.errors import InputError, suggest_names
from pyramid_paraphrase.files import limits
from pyramid_paraphrase.files.inputs import is_folder
from pyramid_paraphrase.files.markup import line_of, parse_tree, to_utf8

Pair = tuple[str, str]

NUGGET_COLUMNS = ("question_id", "response", "nugget")
"""Columns of a file of answers with nuggets."""

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


@dataclass(frozen=True, slots=True)
class PositivePairs:
    """Pairs of texts that people judged to have the same meaning, or to entail the second text from the first.

    Attributes:
        name: Name that the user chose.
        pairs: The two texts of each pair, in the order of the files.
    """

    name: str
    pairs: tuple[Pair, ...]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the texts."""
        return hash_values(self.pairs)


def read_positive_pairs(name: str, sources: Sequence[str | os.PathLike[str]]) -> PositivePairs:
    """Read the positive pairs of one or more sources.

    Args:
        name: Name of the pairs.
        sources: RTE files (`.xml`), folders with RTE files, tables of answers with nuggets (`.tsv`), and sources of
            `read_pair_corpus`, whose splits are all read.

    Returns:
        The pairs.

    Raises:
        InputError: If a source cannot be read, has an unknown format, or contains no positive pairs.
    """
    pairs: list[Pair] = []
    for source in sources:
        pairs_of_source = _read_source(expand_home(source))
        if not pairs_of_source:
            raise InputError(str(source), "contains no positive pairs", _GIVE_PAIRS)
        pairs += pairs_of_source
    return PositivePairs(name, tuple(pairs))


def _read_source(path: Path) -> list[Pair]:
    if is_folder(path) and (files := sorted(path.glob("*.xml"))):
        return list(chain.from_iterable(map(_read_rte, files)))
    if path.suffix.lower() == ".xml":
        return _read_rte(path)
    if path.suffix.lower() == ".tsv":
        return _read_nuggets(path)
    return _read_corpus(path)


def _read_corpus(path: Path) -> list[Pair]:
    from pyramid_paraphrase.pair_corpora import read_pair_corpus

    splits = read_pair_corpus(path).splits
    # Splits are sorted by name, because the order of files on disk depends on the system.
    rows = chain.from_iterable(splits[name] for name in sorted(splits))
    return [(row.sentence1, row.sentence2) for row in rows if row.label == 1]


def _read_rte(path: Path) -> list[Pair]:
    file = str(path)
    data, _ = to_utf8(read_bytes(path, limits.MAX_FILE_BYTES, _GIVE_RTE), file)
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
    text, hypothesis = map(_join_text, _find_parts(element, file))
    if not text or not hypothesis:
        raise InputError(file, "the text or the hypothesis of a <pair> is empty", _GIVE_RTE, line_of(element))
    return text, hypothesis


def _join_text(element: etree._Element) -> str:
    """Join the text in an element, with single spaces between words."""
    return " ".join("".join(map(str, element.itertext())).split())


def _find_parts(element: etree._Element, file: str) -> tuple[etree._Element, etree._Element]:
    text, hypothesis = element.findall("t"), element.findall("h")
    if len(text) != 1 or len(hypothesis) != 1:
        raise InputError(file, "a <pair> does not have exactly one <t> and one <h>", _GIVE_RTE, line_of(element))
    return text[0], hypothesis[0]


def _read_nuggets(path: Path) -> list[Pair]:
    """Read the distinct pairs of a response of a system and a nugget that, as judged, it contains."""
    rows = (row.cells for row in read_rows(path, NUGGET_COLUMNS))
    return list(dict.fromkeys((response, nugget) for _, response, nugget in rows))
