"""Phrase tables of Moses: `source ||| target ||| scores ||| ...`, where both languages are the same."""

from __future__ import annotations

from harness.paraphrase_tables.entries import Entry, parse_phrase, parse_probability
from harness.paraphrase_tables.lines import Line

DIVIDER = "|||"
_LEAST_FIELDS = 3
_DIRECT = {1: 1, 2: 2}
"""Which score is p(target | source), by how many there are; otherwise the third.

Moses writes the inverse probability, its lexical weight, the direct one, and its weight; the first and the third alone
where it was told to do without lexical weights.
"""
_USUAL = 3


def looks_like_moses(line: str) -> bool:
    """Whether a line may be one of a phrase table."""
    return line.count(DIVIDER) >= _LEAST_FIELDS - 1


def parse_moses(line: Line, score: int | None = None) -> Entry:
    """Read a line.

    Args:
        line: The line.
        score: Which of the scores is the probability, 1-based; if None, where Moses puts p(target | source).

    Raises:
        InputError: If it has too few fields or scores, or the score is no probability.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"has {len(fields)} fields divided by {DIVIDER}, and {_LEAST_FIELDS} are due")
    scores = fields[2].split()
    chosen = score or _DIRECT.get(len(scores), _USUAL)
    if chosen > len(scores):
        raise line.refuse(f"has {len(scores)} scores, and number {chosen} is due", "say by --score which to take")
    return Entry(parse_phrase(fields[0]), parse_phrase(fields[1]), parse_probability(scores[chosen - 1], line))
