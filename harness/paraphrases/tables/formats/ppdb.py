"""The Paraphrase Database, 1.0 (Ganitkevitch et al. 2013) and 2.0 (Pavlick et al. 2015).

A line is `[LHS] ||| phrase ||| paraphrase ||| FEATURE=VALUE ... ||| alignment`, in 2.0 followed by `||| entailment`.
One of the features is the negative natural logarithm of the probability of the paraphrase given the phrase. The score
of 2.0 is a rank learned from judgements, not a probability. To select by this score, use a smaller size of PPDB: the
sizes were cut by the score.
"""

from __future__ import annotations

import math

from harness.files.lines import Line, parse_number
from harness.paraphrases.tables.formats.entries import ParaphraseEntry, parse_phrase
from harness.paraphrases.tables.formats.moses import DIVIDER

PATTERN = "a pattern with gaps, not a phrase"
NO_PARAPHRASE = "labelled Exclusion or Independent"

_LEAST_FIELDS = 4
_ENTAILMENT = 5
_FEATURES = (" p(e|f)=", " -logp(e2|e1)=")
_NOT_EQUAL = frozenset({"Exclusion", "Independent"})
_GAPS = (",1]", ",2]")
_ROUNDING = 1e-4
"""Tolerance below 0 for a negative logarithm of 1, which is rounded to five decimals."""


def looks_like_ppdb(line: str) -> bool:
    """Return whether a line may belong to PPDB."""
    fields = line.split(DIVIDER)
    return len(fields) >= _LEAST_FIELDS and fields[0].lstrip().startswith("[") and "=" in fields[3]


def parse_ppdb(line: Line) -> ParaphraseEntry | str:
    """Parse a line of PPDB.

    Returns:
        The entry, or the reason why it is left out.

    Raises:
        InputError: If the line has too few columns, or no probability.
    """
    fields = line.text.split(DIVIDER)
    if len(fields) < _LEAST_FIELDS:
        raise line.refuse(f"expected at least {_LEAST_FIELDS} columns separated by {DIVIDER}, found {len(fields)}")
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
            # All probabilities above 1 are repaired in the same way. The limit prevents an overflow of exp.
            return math.exp(min(-value, 1.0))
    raise line.refuse("has neither p(e|f) nor -logp(e2|e1)", "use an unmodified file of PPDB")
