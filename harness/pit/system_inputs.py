"""The files that are scored together: labels, outputs of systems, and the test data, which contains the topics."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.files.json_files import read_bytes
from harness.files.tab_separated import decode
from harness.files.writing import real_path
from harness.pit.columns import MAX_BYTES
from harness.pit.labels import LABELS_REMEDY, Labels, parse_labels
from harness.pit.outputs import OUTPUT_REMEDY, Output, parse_output
from harness.rendering.tables import count_of
from harness.support.names import name_variant
from pyramid_paraphrase.building.splits import TEST
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.limits import MAX_FILE_BYTES
from pyramid_paraphrase.pair_corpora.files import CorpusFile
from pyramid_paraphrase.pair_corpora.pit import DATA_FILES, HIGHEST_GRADE, parse_data

TOPICS, PAIRS = "topics", "pairs"
_DATA_REMEDY = "use the test.data of the same release as the labels"
_TEST_DATA = next(name for name, split in DATA_FILES.items() if split == TEST)


class Named(NamedTuple):
    """A file that determines numbers.

    Attributes:
        file: Name of the file, without its folder.
        sha256: SHA-256 of its content.
    """

    file: str
    sha256: str


class System(NamedTuple):
    """A system and its output.

    Attributes:
        name: Name of its file, without suffix.
        source: The file.
        output: The content of the file.
    """

    name: str
    source: Named
    output: Output


@dataclass(frozen=True, slots=True)
class Units:
    """The units that the bootstrap draws.

    Attributes:
        kind: `TOPICS` or `PAIRS`.
        count: Number of units.
        of_pairs: Shape (n,), the index of the unit of each pair.
        source: The file with the topics. None for pairs.
    """

    kind: str
    count: int
    of_pairs: npt.NDArray[np.int64]
    source: Named | None = None


@dataclass(frozen=True, slots=True)
class Inputs:
    """Systems, and the labels by which they are scored.

    Attributes:
        labels: The expert's labels.
        source: The file of the labels.
        systems: The systems with their outputs.
        units: The units that the bootstrap draws.
    """

    labels: Labels
    source: Named
    systems: tuple[System, ...]
    units: Units


def read_inputs(labels: Path, outputs: Sequence[Path], data: Path | None = None, *, strict: bool = False) -> Inputs:
    """Read the files, and check that they belong together.

    Args:
        labels: The task's `test.label`.
        outputs: One or more outputs of systems.
        data: The task's `test.data`, to draw topics. None to draw pairs.
        strict: Whether outputs with scores outside the range from 0 to 1 are refused.

    Returns:
        The content of the files.

    Raises:
        InputError: If a file cannot be read, has a wrong format, does not match the labels, or is given twice.
    """
    content = read_bytes(labels, MAX_BYTES, LABELS_REMEDY)
    gold = parse_labels(content, str(labels))
    pairs = Units(PAIRS, len(gold.gold), np.arange(len(gold.gold)))
    units = pairs if data is None else _read_topics(data, gold)
    _require_distinct(outputs)
    names = _name_systems(outputs)
    systems = [_read_system(path, name, gold, strict=strict) for path, name in zip(outputs, names, strict=True)]
    return Inputs(gold, _name_file(labels, content), tuple(systems), units)


def _name_file(path: Path, data: bytes) -> Named:
    return Named(path.name, hashlib.sha256(data).hexdigest())


def _require_distinct(outputs: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in outputs:
        real = real_path(path)
        if real in seen:
            raise InputError(str(path), "is given twice", "name each output once")
        seen.add(real)


def _name_systems(outputs: Sequence[Path]) -> list[str]:
    """Name each system by its file without suffix, or by the whole path if several files have the same name."""
    counts = Counter(path.stem for path in outputs)
    names = (path.stem if counts[path.stem] == 1 else str(path) for path in outputs)
    return [name_variant(name, {}) for name in names]


def _read_system(path: Path, name: str, labels: Labels, *, strict: bool) -> System:
    data = read_bytes(path, MAX_BYTES, OUTPUT_REMEDY)
    output = parse_output(data, str(path), strict=strict)
    if len(output.scores) != len(labels.gold):
        reason = f"has {count_of(len(output.scores), 'line')}, but the labels have {len(labels.gold):,}"
        raise InputError(str(path), reason, "write a line per pair of the labels, in the same order")
    if (output.scores == output.scores[0]).all():
        reason = f"all scores are {output.scores[0]:.4f}, so Pearson's correlation is not defined"
        raise InputError(str(path), reason, "write a score of similarity for each pair")
    return System(name, _name_file(path, data), output)


def _read_topics(path: Path, labels: Labels) -> Units:
    data = read_bytes(path, MAX_FILE_BYTES, _DATA_REMEDY)
    pairs = parse_data(CorpusFile("", _TEST_DATA, str(path), decode(data, str(path), _DATA_REMEDY)))
    if len(pairs) != len(labels.gold):
        reason = f"has {count_of(len(pairs), 'line')}, but the labels have {len(labels.gold):,}"
        raise InputError(str(path), reason, _DATA_REMEDY)
    for pair, gold in zip(pairs, np.round(labels.gold * HIGHEST_GRADE), strict=True):
        if pair.grade != gold:
            reason = f"grade is {pair.grade}, but the labels have {int(gold)}"
            raise InputError(str(path), reason, _DATA_REMEDY, pair.line)
    topics = sorted({pair.topic for pair in pairs})
    indices = {topic: index for index, topic in enumerate(topics)}
    of_pairs = np.array([indices[pair.topic] for pair in pairs])
    return Units(TOPICS, len(topics), of_pairs, _name_file(path, data))
