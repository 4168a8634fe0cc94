"""Phrase tables of Moses, `source ||| target ||| scores ||| ...`, with the same language on both sides."""

from __future__ import annotations

from harness.files.lines import Line, parse_estimate
from harness.paraphrases.phrase_tables import BAR, PROBABILITIES
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase

DIVIDER = BAR.decode()
_LEAST_FIELDS = 3
_DIRECT = {1: 0, **{count: direct for count, (_, direct) in PROBABILITIES.items()}}
"""Position of p(target|source), from 0, by the number of scores."""
_REMEDY = "choose the probability with --score"


def looks_like_moses(line: str) -> bool:
    """Return whether a line may belong to a phrase table."""
    return line.count(DIVIDER) >= _LEAST_FIELDS - 1


def parse_moses(line: Line, score: int | None = None) -> ParaphraseEntry:
    """Parse a line of a phrase table.

    Args:
        line: The line.
        score: Number of the score that is the probability, 1-based. If None, the position of p(target|source) in Moses.

    Raises:
        InputError: If the line has too few columns or scores, or the score is not a number of at least 0.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"expected at least {_LEAST_FIELDS} columns separated by {DIVIDER}, found {len(fields)}")
    scores = fields[2].split()
    position = _DIRECT.get(len(scores))
    if score:
        position = score - 1
    if position is None:
        raise line.refuse(f"expected 1, 2, 4 or 5 scores, found {len(scores)}", _REMEDY)
    if position >= len(scores):
        raise line.refuse(f"has {len(scores)} scores, but --score is {score}", _REMEDY)
    return ParaphraseEntry(
        parse_phrase(fields[0]), parse_phrase(fields[1]), parse_estimate(scores[position], line, _REMEDY)
    )
