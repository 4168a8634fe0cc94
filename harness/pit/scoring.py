"""The systems: their files, which belong together, and their metrics with intervals."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from harness.files.columns import read_file
from harness.files.writing import real_path
from harness.metrics.graded_pairs import measure_similarity
from harness.metrics.measuring import make_measure
from harness.metrics.pairs import rate_decisions
from harness.metrics.rows import ScoredSplit
from harness.pit.files import (
    LABELS_REMEDY,
    MAX_BYTES,
    OUTPUT_REMEDY,
    is_output_table,
    parse_labels,
    parse_output,
    read_output_table,
)
from harness.rendering.tables import count_of
from harness.stats.bootstrap import Samples, bootstrap, find_intervals
from harness.stats.rounding import DECIMALS, RoundedScores
from harness.support.arrays import Floats
from harness.support.names import name_variant
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.files.inputs import decode, read_bytes
from pyramid_paraphrase.files.limits import MAX_FILE_BYTES
from pyramid_paraphrase.formats.pairs.corpora import HIGHEST_GRADE, PIT_FILES, parse_pit_file
from pyramid_paraphrase.formats.pairs.files import DEBATABLE, CorpusFile
from pyramid_paraphrase.rules import options
from pyramid_paraphrase.rules.options import TEST

TOPICS, PAIRS = "topics", "pairs"
_DATA_REMEDY = "use the test.data of the same release as the labels"
_TEST_DATA = next(name for name, split in PIT_FILES.items() if split == TEST)


@dataclass(frozen=True, slots=True)
class System:
    """A system, its output, and its numbers after `measure_systems`.

    Attributes:
        name: Name of its file, without suffix.
        source: Name ("file") and hash ("sha256") of its file.
        decisions: Shape (n,), whether the system calls each pair a paraphrase.
        scores: Shape (n,), how similar the sentences are.
        metrics: Values by name: `f1`, `precision` and `recall` of its decisions, and the metrics of
            `measure_similarity` of its scores, rounded to six decimals. Only the former if all scores are equal.
        intervals: The ends of the 95 % intervals of `f1`, `pearson` and `max_f1`, as far as the system has these
            metrics. Empty without the bootstrap.
    """

    name: str
    source: Mapping[str, str]
    decisions: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64]
    metrics: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def out_of_range(self) -> int:
        """Number of scores outside the range from 0 to 1."""
        return int(((self.scores < 0) | (self.scores > 1)).sum())

    @property
    def has_scores(self) -> bool:
        """Whether the system takes part in sub-task B. Outputs for sub-task A alone have equal scores."""
        return has_different_scores(self.scores)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Systems, and the labels by which they are scored.

    Attributes:
        gold: Shape (n,), the expert's grades, from 0 to 1.
        labels: Shape (n,), the expert's labels, as `parse_labels` returns them.
        source: Name and hash of the file of the labels.
        systems: The systems with their outputs.
        unit_of_pairs: Shape (n,), the index of the unit of each pair. The bootstrap draws units.
        data: Name and hash of the file with the topics, which are the units. None if the units are pairs.
    """

    gold: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]
    source: Mapping[str, str]
    systems: tuple[System, ...]
    unit_of_pairs: npt.NDArray[np.int64]
    data: Mapping[str, str] | None = None

    @property
    def decided(self) -> npt.NDArray[np.bool_]:
        """Whether each pair is not debatable, shape (n,)."""
        return np.asarray(self.labels != DEBATABLE)

    @property
    def unit(self) -> str:
        """`TOPICS` or `PAIRS`."""
        return PAIRS if self.data is None else TOPICS

    @property
    def unit_count(self) -> int:
        """Number of units."""
        return int(self.unit_of_pairs.max()) + 1


def read_inputs(
    labels: Path,
    outputs: Sequence[Path],
    data: Path | None = None,
    *,
    strict: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Inputs:
    """Read the files, and check that they belong together.

    Args:
        labels: The task's `test.label`.
        outputs: One or more outputs of systems, or tables with a decision and a score of each pair.
        data: The task's `test.data`, to draw topics. None to draw pairs.
        strict: Whether tables, and outputs with scores outside the range from 0 to 1, are refused.
        columns: Names of the columns of tables, by field of `OUTPUT_FIELDS`.

    Returns:
        The content of the files.

    Raises:
        InputError: If a file cannot be read, has a wrong format, does not match the labels, or is given twice.
    """
    content = read_bytes(labels, MAX_BYTES, LABELS_REMEDY)
    gold, gold_labels = parse_labels(content, str(labels))
    unit_of_pairs, data_source = np.arange(len(gold)), None
    if data is not None:
        unit_of_pairs, data_source = _read_topics(data, gold)
    seen: set[Path] = set()
    for path in outputs:
        if (real := real_path(path)) in seen:
            raise InputError(str(path), "is given twice", "name each output once")
        seen.add(real)
    # A system is named by its file without suffix, or by the whole path if several files have the same name.
    counts = Counter(path.stem for path in outputs)
    systems = []
    for path in outputs:
        name = name_variant(path.stem if counts[path.stem] == 1 else str(path), {})
        systems.append(_read_system(path, name, len(gold), columns or {}, strict=strict))
    source = _describe_file(labels, content)
    return Inputs(gold, gold_labels, source, tuple(systems), unit_of_pairs, data_source)


def _describe_file(path: Path, data: bytes) -> dict[str, str]:
    return {"file": path.name, "sha256": hashlib.sha256(data).hexdigest()}


def _read_system(path: Path, name: str, pairs: int, columns: Mapping[str, str], *, strict: bool) -> System:
    data = read_file(path, OUTPUT_REMEDY)
    if (columns or is_output_table(data)) and not strict:
        decisions, scores = read_output_table(path, columns)
    elif len(data) > MAX_BYTES:
        raise InputError(str(path), f"is larger than {MAX_BYTES:,} bytes", OUTPUT_REMEDY)
    else:
        decisions, scores = parse_output(data, str(path), strict=strict)
    if len(scores) != pairs:
        reason = f"has {count_of(len(scores), 'line')}, but the labels have {pairs:,}"
        raise InputError(str(path), reason, "write a line per pair of the labels, in the same order")
    return System(name, _describe_file(path, data), decisions, scores)


def _read_topics(path: Path, gold: Floats) -> tuple[npt.NDArray[np.int64], dict[str, str]]:
    """Return the index of the topic of each pair, and the name and hash of the file."""
    data = read_bytes(path, MAX_FILE_BYTES, _DATA_REMEDY)
    pairs = parse_pit_file(CorpusFile("", _TEST_DATA, str(path), decode(data, str(path), _DATA_REMEDY)))
    if len(pairs) != len(gold):
        reason = f"has {count_of(len(pairs), 'line')}, but the labels have {len(gold):,}"
        raise InputError(str(path), reason, _DATA_REMEDY)
    for pair, grade in zip(pairs, np.round(gold * HIGHEST_GRADE), strict=True):
        if pair.grade != grade:
            reason = f"grade is {pair.grade}, but the labels have {int(grade)}"
            raise InputError(str(path), reason, _DATA_REMEDY, pair.line)
    indices = {topic: index for index, topic in enumerate(sorted({pair.topic for pair in pairs}))}
    return np.array([indices[pair.topic] for pair in pairs]), _describe_file(path, data)


def measure_systems(inputs: Inputs, resamples: int = 0, seed: int = 0) -> list[System]:
    """Measure all systems. All systems share the same draws of the bootstrap.

    Args:
        inputs: The systems, and the units that the bootstrap draws.
        resamples: Number of resamples of the bootstrap, or 0 for no intervals.
        seed: Random seed.

    Returns:
        The systems with their numbers, in the order of the inputs.
    """
    measured = []
    for system in inputs.systems:
        intervals: Mapping[str, tuple[float, float]] = {}
        if resamples:
            samples = bootstrap(partial(resample_system, system, inputs), inputs.unit_count, resamples, seed)
            intervals = find_intervals(samples)
        metrics = measure_output(system.decisions, system.scores, inputs.gold, inputs.labels)
        measured.append(replace(system, metrics=metrics, intervals=intervals))
    return measured


def has_different_scores(scores: Floats) -> bool:
    """Return whether not all scores are equal, so that they rank the pairs and correlate with grades."""
    return bool((scores != scores[0]).any())


def measure_output(
    decisions: npt.NDArray[np.bool_], scores: Floats, gold: Floats, labels: npt.NDArray[np.int64]
) -> dict[str, float]:
    """Measure an output as the organizers do (Xu et al. 2015, section 2).

    Args:
        decisions: The system's decisions on n pairs.
        scores: The system's scores.
        gold: The expert's grades of the same pairs.
        labels: The expert's labels.

    Returns:
        The metrics, as in `System.metrics`. If all scores are equal, the system only decided (sub-task A), and there
        are no metrics of its scores (sub-task B).
    """
    decided = labels != DEBATABLE
    predicted, true = decisions[decided], labels[decided] == 1
    outcomes = (predicted & true, predicted & ~true, ~predicted & true, ~predicted & ~true)
    rates = rate_decisions(*(np.count_nonzero(outcome) for outcome in outcomes))
    values = {name: float(rates[name]) for name in ("f1", "precision", "recall")}
    if has_different_scores(scores):
        values |= measure_similarity(scores, gold, labels)
    # A threshold is not rounded: it is between two scores and has one more decimal.
    return {name: value if name.endswith("threshold") else round(value, DECIMALS) for name, value in values.items()}


def split_tasks(system: System, inputs: Inputs) -> list[ScoredSplit]:
    """Return the decisions of a system as rows of sub-task A, and its scores, unless all are equal, as rows of B."""
    # Both sentences of a pair belong to the same unit, which is a topic or the pair.
    units = np.column_stack([inputs.unit_of_pairs, inputs.unit_of_pairs])
    decided, grades = inputs.decided, np.round(inputs.gold * HIGHEST_GRADE).astype(np.int64)
    decisions = RoundedScores(system.decisions[decided].astype(np.float64))
    make_split = partial(ScoredSplit, topic_count=inputs.unit_count)
    labels, grouped = inputs.labels[decided], units[decided]
    splits = [make_split(options.PAIRS, targets=labels, topics=grouped, scores=decisions, threshold=0.5)]
    if system.has_scores:
        scores = RoundedScores(system.scores)
        splits.append(make_split(options.GRADED_PAIRS, targets=grades, topics=units, scores=scores))
    return splits


def resample_system(system: System, inputs: Inputs, weights: Floats) -> Samples:
    """Compute `f1`, and `pearson` and `max_f1` if the system has them, under weightings of the units.

    Args:
        system: The system.
        inputs: The labels and the units.
        weights: Shape (resamples, units).

    Returns:
        Values by name, shape (resamples,).
    """
    decisions, *similarity = (make_measure(split, with_curves=False)(weights) for split in split_tasks(system, inputs))
    samples = {"f1": decisions["f1"]}
    for values in similarity:
        samples |= values
    return samples
