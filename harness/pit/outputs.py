"""The outputs of systems, in the format of the organizers."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.pit.columns import split_columns
from pyramid_paraphrase.errors import InputError
from pyramid_paraphrase.pair_corpora.pit import DECISIONS

OUTPUT_REMEDY = "write per pair 'true' or 'false', a tab, and a score such as 0.5000"
DECIMALS = 4
_RANGE_REMEDY = "scale all scores to that range"

_DECISION_VALUES = {DECISIONS[label]: bool(label) for label in (1, 0)}
_SCORE = re.compile(rf"-?(0|[1-9][0-9]*)\.[0-9]{{{DECIMALS}}}")


class Output(NamedTuple):
    """A system's decisions on n pairs, and its scores.

    Attributes:
        decisions: Shape (n,), whether the system calls the pair a paraphrase.
        scores: Shape (n,), how similar the sentences are, from 0 to 1. If not read strictly, any finite numbers.
    """

    decisions: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64]

    @property
    def out_of_range(self) -> int:
        """Number of scores outside the range from 0 to 1."""
        return int(((self.scores < 0) | (self.scores > 1)).sum())


def parse_output(data: bytes, name: str, *, strict: bool = False) -> Output:
    """Parse an output: `true` or `false`, a tab, and a score from 0 to 1 with exactly four decimals.

    Args:
        data: Content of the file.
        name: Name of the file, for messages.
        strict: Whether scores outside the range from 0 to 1 are refused, as the task requires. Otherwise they are used
            as they are, and counted. One of the organizers' own baselines has such scores, and its published
            correlation includes them.

    Returns:
        The output.

    Raises:
        InputError: If a line does not have this format. The message names the line.
    """
    rows = split_columns(data, name, OUTPUT_REMEDY)
    parsed = [_parse_line(row, name, number, strict=strict) for number, row in enumerate(rows, 1)]
    return Output(np.array([decision for decision, _ in parsed]), np.array([score for _, score in parsed]))


def _parse_line(row: tuple[str, str], name: str, number: int, *, strict: bool) -> tuple[bool, float]:
    decision, score = row
    if decision not in _DECISION_VALUES:
        raise InputError(name, f"decision is '{decision[:40]}'", "write true or false", number)
    if not _SCORE.fullmatch(score):
        reason = f"score is '{score[:40]}', expected a number with {DECIMALS} decimals"
        raise InputError(name, reason, "write it as in 0.5000", number)
    value = float(score)
    if not math.isfinite(value) or (strict and (score.startswith("-") or value > 1)):
        raise InputError(name, f"score is {score[:40]}, not between 0 and 1", _RANGE_REMEDY, number)
    return _DECISION_VALUES[decision], value


def render_output(decisions: npt.ArrayLike, scores: npt.ArrayLike) -> bytes:
    """Render an output, which `parse_output` reads.

    Args:
        decisions: Shape (n,), n at least 1: whether each pair is a paraphrase.
        scores: Shape (n,), from 0 to 1. The scores are rounded to four decimals.

    Returns:
        A line per pair.

    Raises:
        ValueError: If the shapes differ, a decision is neither true nor false, or a score is not between 0 and 1.
    """
    flags, values = np.asarray(decisions), np.asarray(scores, dtype=np.float64)
    if flags.ndim != 1 or flags.shape != values.shape or not len(flags):
        shapes = f"decisions of shape {flags.shape} and scores of shape {values.shape}"
        raise ValueError(f"{shapes}. Pass the same number of both, at least one")
    if not ((flags == 0) | (flags == 1)).all():
        raise ValueError("a decision is neither true nor false")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("a score is not between 0 and 1")
    unsigned = np.abs(values)  # otherwise minus zero would be written with its sign
    lines = (f"{DECISIONS[int(flag)]}\t{score:.{DECIMALS}f}\n" for flag, score in zip(flags, unsigned, strict=True))
    return "".join(lines).encode()
