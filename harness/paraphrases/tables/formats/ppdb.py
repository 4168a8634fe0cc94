"""The Paraphrase Database, 1.0 (Ganitkevitch et al. 2013) and 2.0 (Pavlick et al. 2015).

A line is `[LHS] ||| phrase ||| paraphrase ||| FEATURE=VALUE ... ||| alignment`, in 2.0 followed by `||| entailment`.
The probability of the paraphrase given the phrase is among the features, as its negative natural logarithm. The score
of 2.0 is a rank learned from judgements, not a probability. To select by it, use one of the smaller sizes of PPDB: they
were cut by this score.
"""

from __future__ import annotations

import math

from harness.files.lines import Line, parse_number
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase
from harness.paraphrases.tables.formats.moses import DIVIDER

PATTERN = "a pattern with gaps, no phrase"
NO_PARAPHRASE = "labelled Exclusion or Independent"

_LEAST_FIELDS = 4
_ENTAILMENT = 5
_FEATURES = (" p(e|f)=", " -logp(e2|e1)=")
_NOT_EQUAL = frozenset({"Exclusion", "Independent"})
_GAPS = (",1]", ",2]")
_ROUNDING = 1e-4
"""Largest error below 0 of a logarithm of 1 that is rounded to five decimals."""


def looks_like_ppdb(line: str) -> bool:
    """Whether a line may be one of PPDB."""
    fields = line.split(DIVIDER)
    return len(fields) >= _LEAST_FIELDS and fields[0].lstrip().startswith("[") and "=" in fields[3]


def parse_ppdb(line: Line) -> ParaphraseEntry | str:
    """Read a line.

    Returns:
        The entry, or the reason why there is none.

    Raises:
        InputError: If the line has too few fields, or no probability.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"has {len(fields)} fields divided by {DIVIDER}, and {_LEAST_FIELDS} are due")
    if any(gap in fields[1] or gap in fields[2] for gap in _GAPS):
        return PATTERN
    if len(fields) > _ENTAILMENT and fields[_ENTAILMENT].strip() in _NOT_EQUAL:
        return NO_PARAPHRASE
    return ParaphraseEntry(parse_phrase(fields[1]), parse_phrase(fields[2]), _find_probability(" " + fields[3], line))


def _find_probability(features: str, line: Line) -> float:
    for name in _FEATURES:
        _, separator, tail = features.partition(name)
        if separator:
            value = parse_number(tail.split(" ", 1)[0], line)
            if value >= -_ROUNDING:
                return math.exp(-max(value, 0.0))
            return math.exp(min(-value, 1.0))  # The repair is the same for all values above 1; exp of many overflows.
    raise line.refuse("has neither p(e|f) nor -logp(e2|e1)", "give PPDB's own files")
