"""The expert's labels of the pairs: the task's `test.label`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.pit.columns import split_columns
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.pit import DECISIONS, HIGHEST_GRADE, LABELS_OF_GRADES
from pyramid_paraphrase.pair_corpora.records import DEBATABLE

LABELS_REMEDY = "use the task's test.label"

_GRADES = {f"{grade / HIGHEST_GRADE:.4f}": grade for grade in range(HIGHEST_GRADE + 1)}
_SCORES = ", ".join(_GRADES)


class Labels(NamedTuple):
    """An expert's grades and labels of the n pairs of a test set.

    Attributes:
        gold: Shape (n,), similarity from 0 to 1 in steps of 0.2.
        labels: Shape (n,), 1 for paraphrases, 0 for other pairs, -1 for debatable pairs, which count for similarity but
            not for the identification of paraphrases.
    """

    gold: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]

    @property
    def decided(self) -> npt.NDArray[np.bool_]:
        """Whether each pair is not debatable, shape (n,)."""
        return np.asarray(self.labels != DEBATABLE)


def parse_labels(data: bytes, name: str) -> Labels:
    """Parse labels: `true`, `false` or `----`, a tab, and a similarity with four decimals.

    Args:
        data: Content of the file.
        name: Name of the file, for messages.

    Returns:
        The labels.

    Raises:
        InputError: If a line does not have this format, a label contradicts its similarity, or metrics are not defined
            because no pair is a paraphrase or all pairs have the same similarity.
    """
    rows = split_columns(data, name, LABELS_REMEDY)
    grades = np.array([_parse_grade(row, name, number) for number, row in enumerate(rows, 1)])
    labels = np.array([LABELS_OF_GRADES[grade] for grade in grades])
    if not (labels == 1).any():
        raise InputError(name, "contains no paraphrase, so recall is not defined", LABELS_REMEDY)
    if (grades == grades[0]).all():
        raise InputError(name, "all similarities are equal, so correlation is not defined", LABELS_REMEDY)
    return Labels(grades / HIGHEST_GRADE, labels)


def _parse_grade(row: tuple[str, str], name: str, number: int) -> int:
    label, score = row
    if label not in DECISIONS.values():
        expected = ", ".join(DECISIONS.values())
        raise InputError(name, f"label is '{label[:40]}', expected one of {expected}", LABELS_REMEDY, number)
    if score not in _GRADES:
        raise InputError(name, f"similarity is '{score[:40]}', expected one of {_SCORES}", LABELS_REMEDY, number)
    expected = DECISIONS[LABELS_OF_GRADES[_GRADES[score]]]
    if label != expected:
        reason = f"label is {label}, but the similarity {score} belongs to {expected}"
        raise InputError(name, reason, LABELS_REMEDY, number)
    return _GRADES[score]
