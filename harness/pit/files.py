"""The files of the task: labels of an expert, and outputs of systems, which are read, or made from a result."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from harness.evaluation.results import Result
from harness.files.columns import Field, fold_name, parse_yes_no, read_table, require_numbers
from harness.files.json_tables import looks_like_json
from harness.files.tables import Table
from harness.stats.rounding import DECIMALS, RoundedScores, count_merged
from harness.support.errors import ComparisonError
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.escaping import make_logger
from pyramid_paraphrase.files.inputs import decode, split_lines
from pyramid_paraphrase.files.tab_separated import split_columns
from pyramid_paraphrase.files.workbooks import is_workbook
from pyramid_paraphrase.formats.pairs.corpora import DECISIONS, HIGHEST_GRADE, LABEL_FILE, LABELS_OF_GRADES, PIT_FILES

_logger = make_logger(__name__)

MAX_BYTES = 1 << 18
"""Maximum size of a label file or an output, for some 20,000 pairs. It bounds the memory of resampling pairs."""

LABELS_REMEDY = "use the task's test.label"
OUTPUT_REMEDY = "write per pair 'true' or 'false', a tab, and a score such as 0.5000"
IDENTIFICATION, SIMILARITY = "pit_identification", "pit_similarity"

SCORE = Field("score", ("similarity", "sim", "probability", "prob", "confidence"))
OUTPUT_FIELDS = (
    Field("decision", ("label", "prediction", "predicted", "predictedlabel", "isparaphrase")),
    SCORE,
    Field("id", ("pairid", "line", "number"), is_required=False),
)
"""The columns of an output that is a table of one's own."""

_BEGINNING = 1 << 12
"""Number of bytes by which a table is recognized."""

_DECIMALS = 4
_GRADES = {f"{grade / HIGHEST_GRADE:.{_DECIMALS}f}": grade for grade in range(HIGHEST_GRADE + 1)}
_DECISION_VALUES = {DECISIONS[label]: bool(label) for label in (1, 0)}
_SCORE = re.compile(rf"-?(0|[1-9][0-9]*)\.[0-9]{{{_DECIMALS}}}")
_SMALL = 0.1


def parse_labels(data: bytes, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Parse an expert's labels and grades: `true`, `false` or `----`, a tab, and a similarity with four decimals.

    Args:
        data: Content of the file.
        name: Name of the file, for messages.

    Returns:
        Shape (n,), similarity from 0 to 1 in steps of 0.2. And shape (n,), 1 for paraphrases, 0 for other pairs, and
        `DEBATABLE` for pairs that count for similarity but not for the identification of paraphrases.

    Raises:
        InputError: If a line does not have this format, a label contradicts its similarity, or metrics are not defined
            because no pair is a paraphrase or all pairs have the same similarity.
    """
    rows = _split_rows(data, name, LABELS_REMEDY)
    grades = np.array([_parse_grade(label, score, name, line) for line, (label, score) in enumerate(rows, 1)])
    labels = np.array([LABELS_OF_GRADES[grade] for grade in grades])
    if not (labels == 1).any():
        raise InputError(name, "contains no paraphrase, so recall is not defined", LABELS_REMEDY)
    if (grades == grades[0]).all():
        raise InputError(name, "all similarities are equal, so correlation is not defined", LABELS_REMEDY)
    return grades / HIGHEST_GRADE, labels


def _split_rows(data: bytes, name: str, remedy: str) -> list[list[str]]:
    """Divide the lines of a file into two tab-separated columns.

    Lines end in a line feed, which is optional after the last line. A carriage return before it is ignored.

    Raises:
        InputError: If the file is empty or not UTF-8, or if a line does not have two columns. The message names the
            line.
    """
    lines = split_lines(decode(data, name, remedy), name)
    if lines == [""]:
        raise InputError(name, "is empty", remedy)
    return [split_columns(line, 2, name, number, remedy) for number, line in enumerate(lines, 1)]


def _parse_grade(label: str, score: str, name: str, line: int) -> int:
    for column, value, allowed in (("label", label, DECISIONS.values()), ("similarity", score, _GRADES)):
        if value not in allowed:
            reason = f"{column} is '{value[:40]}', expected one of {', '.join(allowed)}"
            raise InputError(name, reason, LABELS_REMEDY, line)
    expected = DECISIONS[LABELS_OF_GRADES[_GRADES[score]]]
    if label != expected:
        reason = f"label is {label}, but the similarity {score} belongs to {expected}"
        raise InputError(name, reason, LABELS_REMEDY, line)
    return _GRADES[score]


def parse_output(
    data: bytes, name: str, *, strict: bool = False
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Parse an output: `true` or `false`, a tab, and a score from 0 to 1 with exactly four decimals.

    Args:
        data: Content of the file.
        name: Name of the file, for messages.
        strict: Whether scores outside the range from 0 to 1 are refused, as the task requires. Otherwise they are used
            as they are, and counted. One of the organizers' own baselines has such scores, and its published
            correlation includes them.

    Returns:
        Shape (n,), whether the system calls each pair a paraphrase. And shape (n,), how similar the sentences are, from
        0 to 1. If not read strictly, any finite numbers.

    Raises:
        InputError: If a line does not have this format. The message names the line.
    """
    decisions, scores = [], []
    for line, (decision, score) in enumerate(_split_rows(data, name, OUTPUT_REMEDY), 1):
        if decision not in _DECISION_VALUES:
            raise InputError(name, f"decision is '{decision[:40]}'", "write true or false", line)
        if not _SCORE.fullmatch(score):
            reason = f"score is '{score[:40]}', expected a number with {_DECIMALS} decimals"
            raise InputError(name, reason, "write it as in 0.5000", line)
        value = float(score)
        if not math.isfinite(value) or (strict and (score.startswith("-") or value > 1)):
            reason = f"score is {score[:40]}, not between 0 and 1"
            raise InputError(name, reason, "scale all scores to that range", line)
        decisions.append(_DECISION_VALUES[decision])
        scores.append(value)
    return np.array(decisions), np.array(scores)


def list_outputs(paths: Sequence[Path]) -> list[Path]:
    """List outputs: files as they are, and folders by their files, in alphabetical order.

    Hidden files, folders in a folder, and files with the names of the corpus are not outputs.

    Raises:
        InputError: If a folder contains no output.
    """
    outputs = []
    for path in paths:
        if not path.is_dir():
            outputs.append(path)
            continue
        within = [file for file in sorted(path.iterdir()) if not file.is_dir() and not file.name.startswith(".")]
        within = [file for file in within if file.name not in (*PIT_FILES, LABEL_FILE)]
        if not within:
            raise InputError(str(path), "is a folder without an output", "name a folder of outputs, or the files")
        outputs += within
    return outputs


def is_output_table(data: bytes) -> bool:
    """Return whether an output is a table of one's own: JSON, Excel, or text whose first line names a score."""
    beginning = data[:_BEGINNING].decode("utf-8-sig", "replace").replace("\0", "")  # of UTF-16
    titles = {fold_name(title) for title in re.split(r"[\t;,|]", beginning.partition("\n")[0])}
    names_score = not titles.isdisjoint((SCORE.name, *SCORE.others))
    return names_score or looks_like_json(beginning) or is_workbook(data)


def read_output_table(path: Path, columns: Mapping[str, str]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Read an output that is a table with the columns `OUTPUT_FIELDS`, in any form of `harness.files.tables`.

    Args:
        path: The file.
        columns: Names of columns by field.

    Returns:
        Decisions and scores as from `parse_output`, in the order of the ids, or else of the rows. The scores can be any
        finite numbers, and are rounded to `DECIMALS`.

    Raises:
        InputError: If a column is missing, a decision or a score is invalid, or the ids are not those of n pairs.
    """
    table, places = read_table(path, OUTPUT_FIELDS, columns, OUTPUT_REMEDY)
    decisions = []
    for number, cells in table.rows:
        cell = cells[places["decision"]] or ""
        decision = parse_yes_no(cell)
        if decision is None:
            raise table.refuse(f"decision is '{cell[:40]}'", "write true or false, or 1 or 0", number)
        decisions.append(decision)
    scores = require_numbers(table, places["score"], "score", "write a score of similarity for each pair")
    values = np.array(scores, dtype=np.float64)
    rounded = RoundedScores(values.round(DECIMALS) + 0.0)
    if merged := count_merged(values, rounded, are_sums=False):
        before, after = merged
        _logger.warning("%s: %s different scores are %s with %s decimals", path, before, after, DECIMALS)
    order = _find_order(table, places.get("id"))
    return np.array(decisions)[order], rounded[order]


def _find_order(table: Table, column: int | None) -> npt.NDArray[np.int64]:
    """Return the indices of rows in the order of their ids, which are the numbers of the lines of the labels."""
    if column is None:
        return np.arange(len(table.rows))
    place_by_id: dict[int, int] = {}
    for place, (number, cells) in enumerate(table.rows):
        cell = (cells[column] or "").strip()
        row_id = int(cell) if re.fullmatch(r"[0-9]{1,6}", cell, re.ASCII) else 0
        if not 1 <= row_id <= len(table.rows):
            reason = f"id '{cell[:40]}' is not the number of a pair, from 1 to {len(table.rows):,}"
            raise table.refuse(reason, "number the pairs in the order of the labels, or rename the column", number)
        if row_id in place_by_id:
            earlier = table.rows[place_by_id[row_id]][0]
            raise table.refuse(f"id {row_id} is also on {table.unit} {earlier}", "keep one of the two", number)
        place_by_id[row_id] = place
    return np.array([place_by_id[row_id] for row_id in sorted(place_by_id)])


def render_output(decisions: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> bytes:
    """Render an output, which `parse_output` reads: a line per pair.

    Args:
        decisions: Shape (n,), whether each pair is a paraphrase.
        scores: Shape (n,), from 0 to 1. The scores are rounded to four decimals.
    """
    unsigned = np.abs(scores)  # otherwise minus zero would be written with its sign
    pairs = zip(decisions, unsigned, strict=True)
    lines = (f"{DECISIONS[int(decision)]}\t{score:.{_DECIMALS}f}\n" for decision, score in pairs)
    return "".join(lines).encode()


def make_output(result: Result) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Make an output from a model's scores of all test pairs and its decisions.

    Args:
        result: A result on both tests.

    Returns:
        The decision on each pair and its score, in the order of `test.data`. The decisions are those of the
        identification test. That test omits debatable pairs, which are decided by the same threshold. `scale` scales
        scores that are out of range or small.

    Raises:
        ComparisonError: If the model was not evaluated on both tests.
    """
    missing = [name for name in (IDENTIFICATION, SIMILARITY) if name not in result.tests]
    if missing:
        remedy = f"Evaluate the model with --task {IDENTIFICATION},{SIMILARITY}"
        raise ComparisonError(f"{result.place}: was not evaluated on {' and '.join(missing)}. {remedy}")
    rows, threshold = result.rows[SIMILARITY], result.tests[IDENTIFICATION].threshold
    assert threshold is not None  # pairs with labels have a threshold
    order = np.argsort(rows.ids)  # ids are line numbers
    # If vectors depend on the other texts of a test, both tests have different scores of the same pair. Decisions then
    # follow from the scores of the identification test.
    scores = dict(zip(rows.ids, rows.scores.tolist(), strict=True))
    scores |= zip(result.rows[IDENTIFICATION].ids, result.rows[IDENTIFICATION].scores.tolist(), strict=True)
    decisions = np.array([scores[row_id] >= threshold for row_id in rows.ids])
    return decisions[order], scale(rows.scores[order])


def scale(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale scores linearly to the range from 0 to 1, if any score is outside this range or all are below 0.1.

    The order of the scores and their correlations do not change. An output has four decimals, which would make ties of
    small scores.

    Args:
        scores: Shape (n,), finite.

    Returns:
        The same shape. Zeros if all scores are equal, and are out of range or below 0.1.
    """
    low, high = scores.min(), scores.max()
    if low >= 0 and _SMALL <= high <= 1:
        return scores
    if low == high:
        return np.zeros_like(scores)
    return (scores - low) / (high - low)
