"""Phrase tables of Moses: `source ||| target ||| scores ||| ...`, where both languages are the same."""

from __future__ import annotations

from harness.files.lines import Line, parse_estimate
from harness.paraphrases.phrase_tables import BAR, PROBABILITIES
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase

DIVIDER = BAR.decode()
_LEAST_FIELDS = 3
_DIRECT = {1: 0, **{count: direct for count, (_, direct) in PROBABILITIES.items()}}
"""Position of p(target | source) by the number of scores, from 0."""
_REMEDY = "say by --score which of the scores is the probability"


def looks_like_moses(line: str) -> bool:
    """Whether a line may be one of a phrase table."""
    return line.count(DIVIDER) >= _LEAST_FIELDS - 1


def parse_moses(line: Line, score: int | None = None) -> ParaphraseEntry:
    """Read a line.

    Args:
        line: The line.
        score: Number of the score that is the probability, 1-based; if None, that of p(target | source) in Moses.

    Raises:
        InputError: If the line has too few fields or scores, or the score is not a number of at least 0.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"has {len(fields)} fields divided by {DIVIDER}, and {_LEAST_FIELDS} are due")
    scores = fields[2].split()
    position = _DIRECT.get(len(scores))
    if score:
        position = score - 1
    if position is None:
        raise line.refuse(f"has {len(scores)} scores, and it is not known which is the probability", _REMEDY)
    if position >= len(scores):
        raise line.refuse(f"has {len(scores)} scores, and number {score} is asked for", _REMEDY)
    return ParaphraseEntry(
        parse_phrase(fields[0]), parse_phrase(fields[1]), parse_estimate(scores[position], line, _REMEDY)
    )
